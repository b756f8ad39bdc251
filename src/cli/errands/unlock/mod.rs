//! `lode unlock`: ids in, one line per contact as it settles, a summary at the end.
//!
//! The same way as on the screen: whose purse it is, what is in doubt, what is ours, a quote of that, and an order accepted
//! with `--max-credits` as the typed amount. Everything that costs happens in `flow::unlock`; here are the lines.

mod before;
mod ends;
mod lines;
mod quote;

use std::time::Duration;

use crate::cli::args::money::UnlockArgs;
use crate::cli::exit::Exit;
use crate::cli::input::Given;
use crate::cli::output::Format;
use crate::cli::program::Errand;
use crate::cli::say::{self, Problem};
use crate::domain::contact::{Contact, Corpus, Source};
use crate::domain::credits::Credits;
use crate::domain::money::Outcome;
use crate::domain::time::Mono;
use crate::effect::Effect;
use crate::effect::Ticket;
use crate::effect::profile::Profile;
use crate::effect::store::{StoreCall, StoreReply, Suppression};
use crate::flow::balance::Balance;
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::ledger::Ledger;
use crate::flow::recovery::{self, Recovery};
use crate::flow::retry::Patience;
use crate::flow::unlock::end::Summary;
use crate::flow::unlock::{AGAIN, News, Unlock as Machine};

pub(super) use ends::{declined_problem, problem_of};
pub(super) use lines::{Sums, Told};

/// How long the balance may take once everything else is said.
pub(super) const LAST_READING: Duration = Duration::from_secs(10);
pub(super) const UNREAD_BALANCE: &str = "the balance was not read again: it is as the service last said it";

pub struct Unlock {
    profile: Profile,
    corpus: Corpus,
    max_credits: Credits,
    verify: bool,
    dry_run: bool,
    given: Vec<Given>,
    balance: Balance,
    recovery: Recovery,
    ledger: Ledger,
    machine: Machine,
    lists: Lists,
    lines: Told,
    /// The pause before a batch is sent again that was told last.
    rest: Option<Mono>,
    stage: Stage,
    /// Somebody said stop.
    stopped: bool,
    /// The balance was not read again at the end.
    unread: bool,
}

#[derive(Debug)]
enum Lists {
    Asked(Ticket),
    Read(Vec<Suppression>),
}

#[derive(Debug, PartialEq)]
enum Stage {
    /// Whose purse.
    Me,
    /// What is in doubt; answers that were kept and not read settle here, for free.
    Doubt,
    /// What is ours, what was spent, what is suppressed.
    Books,
    Running,
    /// The balance once more, but no longer than until then; then the summary.
    After(Box<Summary>, Mono),
    Over,
}

impl Unlock {
    pub fn new(profile: &Profile, args: &UnlockArgs, given: Vec<Given>, seed: u64, format: Format) -> Unlock {
        Unlock {
            corpus: args.corpus,
            max_credits: args.max_credits,
            verify: !args.no_verify,
            dry_run: args.dry_run,
            given,
            balance: Balance::new(profile),
            recovery: Recovery::new(profile.name.clone()),
            ledger: Ledger::new(profile.window.clone()),
            machine: Machine::new(Patience::Shell, seed),
            lists: Lists::Read(Vec::new()),
            lines: Told::new(format),
            rest: None,
            stage: Stage::Me,
            stopped: false,
            unread: false,
            profile: profile.clone(),
        }
    }

    /// Goes on as far as what is known allows.
    fn advance(&mut self, cx: &mut Cx<'_>) {
        match &self.stage {
            Stage::Me if !self.balance.is_asking() => self.knows_purse(cx),
            Stage::Doubt if self.recovery.is_idle() => self.knows_doubt(cx),
            Stage::Books => {
                if let Some(failure) = self.ledger.failure() {
                    self.fail(&Problem::of_store(&failure), cx.fx);
                } else if self.ledger.is_loaded()
                    && self.ledger.spent().is_some()
                    && matches!(self.lists, Lists::Read(_))
                {
                    self.order(cx);
                }
            }
            Stage::After(summary, _) if !self.balance.is_asking() => {
                let summary = summary.clone();
                self.end(&summary, cx.fx);
            }
            _ => {}
        }
    }

    fn knows_purse(&mut self, cx: &mut Cx<'_>) {
        if let Some(failure) = self.balance.failure() {
            let problem = Problem::of_call(Source::Workspace, failure);
            return self.fail(&problem, cx.fx);
        }
        let Some(purse) = self.balance.purse() else {
            let words = "the service does not say whose key this is, so nothing can be booked";
            return self.fail(&Problem::new(Exit::Network, words, "`lode me` shows what it says"), cx.fx);
        };
        self.stage = Stage::Doubt;
        self.recovery.begin(purse, cx);
    }

    fn knows_doubt(&mut self, cx: &mut Cx<'_>) {
        while let Some(news) = self.recovery.news() {
            if let recovery::News::Store(failure) = news {
                return self.fail(&Problem::of_store(&failure), cx.fx);
            }
        }
        let Some(purse) = self.balance.purse() else { return };
        self.stage = Stage::Books;
        self.ledger.begin(purse, cx);
        let call = StoreCall::Suppressions { profile: self.profile.name.clone() };
        self.lists = Lists::Asked(cx.store(Owner::Caller, call));
    }

    fn hear_machine(&mut self, cx: &mut Cx<'_>) {
        while let Some(news) = self.machine.news() {
            match news {
                News::Settled { corpus, contacts } => self.lines.settled(corpus, &contacts, cx.fx),
                News::Doubt => {}
                News::Finished(summary) => {
                    self.lines.settled(summary.corpus, &summary.contacts, cx.fx);
                    if self.stopped || cx.desk.gauge(Source::Workspace, cx.now).paused.is_some() {
                        return self.end_unread(&summary, cx.fx);
                    }
                    self.stage = Stage::After(summary, cx.now.mono.after(LAST_READING));
                    self.balance.refresh(cx);
                }
            }
        }
        if let Some(job) = self.machine.job() {
            if let Some((until, tries)) = job.rests().filter(|(until, tries)| *tries > 0 && self.rest != Some(*until)) {
                self.rest = Some(until);
                let wait = say::seconds(until.since(cx.now.mono));
                cx.fx.push(Effect::Warn(format!(
                    "no answer to batch {}: the identical ids go out again in {wait} (try {tries} of {AGAIN})",
                    job.batches().0
                )));
            }
            let ((batch, of), (done, all), tally) = (job.batches(), job.contacts(), job.tally());
            cx.fx.push(Effect::Status(format!(
                "batch {batch}/{of}: {done} of {all}, charged {}, refunded {}",
                tally.charged, tally.refunded
            )));
        }
    }

    /// The end, without the balance having been read once more.
    fn end_unread(&mut self, summary: &Summary, fx: &mut Vec<Effect>) {
        fx.push(Effect::Warn(UNREAD_BALANCE.to_owned()));
        self.unread = true;
        self.end(summary, fx);
    }

    fn end(&mut self, summary: &Summary, fx: &mut Vec<Effect>) {
        self.stage = Stage::Over;
        fx.push(Effect::Status(String::new()));
        self.lines.held(&self.machine.held(), fx);
        for id in &summary.kept_back {
            self.lines.tell(self.corpus, *id, Outcome::Locked, &Contact::default(), fx);
        }
        let balance = self.balance.credits().or(summary.said.balance);
        let balance =
            if self.unread || self.balance.failure().is_some() { summary.said.balance.or(balance) } else { balance };
        self.lines.summary(&Sums::of(summary, balance), fx);
        let exit = match problem_of(summary, self.max_credits) {
            Some(problem) => {
                problem.say(fx);
                problem.exit
            }
            None => Exit::Done,
        };
        fx.push(Effect::Quit(exit.code()));
    }

    fn fail(&mut self, problem: &Problem, fx: &mut Vec<Effect>) {
        self.stage = Stage::Over;
        fx.push(Effect::Status(String::new()));
        problem.end(fx);
    }

    fn stop(&mut self, cx: &mut Cx<'_>) -> bool {
        self.stopped = true;
        if self.stage == Stage::Running {
            self.machine.stop(cx);
            self.hear_machine(cx);
            self.advance(cx);
            return true;
        }
        if let Stage::After(summary, _) = &self.stage {
            let summary = summary.clone();
            self.end_unread(&summary, cx.fx);
            return true;
        }
        false
    }
}

impl Errand for Unlock {
    fn start(&mut self, cx: &mut Cx<'_>) {
        if self.profile.workspace.is_none() {
            return Problem::no_key(Source::Workspace).end(cx.fx);
        }
        self.balance.start(cx);
        self.advance(cx);
    }

    fn hear(&mut self, _owner: Owner, heard: Heard, cx: &mut Cx<'_>) {
        if self.stage == Stage::Over {
            return;
        }
        if let (Lists::Asked(asked), Heard::Stored(ticket, result)) = (&self.lists, &heard)
            && asked == ticket
        {
            match result {
                Ok(StoreReply::Suppressions(lists)) => self.lists = Lists::Read(lists.clone()),
                Ok(_) => self.lists = Lists::Read(Vec::new()),
                Err(failure) => return self.fail(&Problem::of_store(failure), cx.fx),
            }
        }
        let taken = self.balance.hear(&heard, cx)
            || self.recovery.hear(&heard, cx)
            || self.ledger.hear(&heard, cx)
            || self.machine.hear(&heard, cx);
        if taken && self.stage == Stage::Running {
            self.hear_machine(cx);
        }
        self.advance(cx);
    }

    fn deadline(&self) -> Option<Mono> {
        let after = match &self.stage {
            Stage::After(_, until) => Some(*until),
            _ => None,
        };
        after.into_iter().chain(self.machine.deadline()).min()
    }

    fn wake(&mut self, cx: &mut Cx<'_>) {
        self.machine.wake(cx);
        if self.stage == Stage::Running {
            self.hear_machine(cx);
        }
        if let Stage::After(summary, until) = &self.stage
            && *until <= cx.now.mono
            && self.balance.is_asking()
        {
            let summary = summary.clone();
            return self.end_unread(&summary, cx.fx);
        }
        self.advance(cx);
    }

    /// A call that is on the wire is waited for: its answer says what was bought.
    fn interrupt(&mut self, cx: &mut Cx<'_>) {
        if self.stop(cx) {
            let words = match self.machine.job() {
                Some(job) if job.awaits_answer() => {
                    "stopping after this call; Ctrl-C again leaves at once, then `lode recover` clears up"
                }
                Some(_) => "stopping: nothing more is sent",
                None => return,
            };
            cx.fx.push(Effect::Warn(words.to_owned()));
        } else {
            cx.fx.push(Effect::Quit(Exit::Interrupted.code()));
        }
    }

    fn abandon(&mut self, fx: &mut Vec<Effect>) {
        self.lines.held(&self.machine.held(), fx);
    }

    fn unread(&mut self, cx: &mut Cx<'_>) {
        if !self.stop(cx) {
            cx.fx.push(Effect::Quit(Exit::Done.code()));
        }
    }
}
