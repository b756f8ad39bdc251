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
use crate::domain::time::{Mono, Now};
use crate::effect::Effect;
use crate::effect::Ticket;
use crate::effect::profile::Profile;
use crate::effect::store::{StoreCall, StoreReply, Suppression};
use crate::flow::balance::Balance;
use crate::flow::desk::{Desk, Heard};
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
    fn advance(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        match &self.stage {
            Stage::Me if !self.balance.is_asking() => self.knows_purse(desk, fx),
            Stage::Doubt if self.recovery.is_idle() => self.knows_doubt(desk, fx),
            Stage::Books => {
                if let Some(failure) = self.ledger.failure() {
                    self.fail(&Problem::of_store(&failure), fx);
                } else if self.ledger.is_loaded()
                    && self.ledger.spent().is_some()
                    && matches!(self.lists, Lists::Read(_))
                {
                    self.order(desk, now, fx);
                }
            }
            Stage::After(summary, _) if !self.balance.is_asking() => {
                let summary = summary.clone();
                self.end(&summary, fx);
            }
            _ => {}
        }
    }

    fn knows_purse(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        if let Some(failure) = self.balance.failure() {
            let problem = Problem::of_call(Source::Workspace, failure);
            return self.fail(&problem, fx);
        }
        let Some(purse) = self.balance.purse() else {
            let words = "the service does not say whose key this is, so nothing can be booked";
            return self.fail(&Problem::new(Exit::Network, words, "`lode me` shows what it says"), fx);
        };
        self.stage = Stage::Doubt;
        self.recovery.begin(purse, desk, fx);
    }

    fn knows_doubt(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        while let Some(news) = self.recovery.news() {
            if let recovery::News::Store(failure) = news {
                return self.fail(&Problem::of_store(&failure), fx);
            }
        }
        let Some(purse) = self.balance.purse() else { return };
        self.stage = Stage::Books;
        self.ledger.begin(purse, desk, fx);
        let call = StoreCall::Suppressions { profile: self.profile.name.clone() };
        self.lists = Lists::Asked(desk.store(call, fx));
    }

    fn hear_machine(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        while let Some(news) = self.machine.news() {
            match news {
                News::Settled { corpus, contacts } => self.lines.settled(corpus, &contacts, fx),
                News::Doubt => {}
                News::Finished(summary) => {
                    self.lines.settled(summary.corpus, &summary.contacts, fx);
                    if self.stopped || desk.gauge(Source::Workspace, now).paused.is_some() {
                        return self.end_unread(&summary, fx);
                    }
                    self.stage = Stage::After(summary, now.mono.after(LAST_READING));
                    self.balance.refresh(desk, now, fx);
                }
            }
        }
        if let Some(job) = self.machine.job() {
            if let Some((until, tries)) = job.rests().filter(|(until, tries)| *tries > 0 && self.rest != Some(*until)) {
                self.rest = Some(until);
                let wait = say::seconds(until.since(now.mono));
                fx.push(Effect::Warn(format!(
                    "no answer to batch {}: the identical ids go out again in {wait} (try {tries} of {AGAIN})",
                    job.batches().0
                )));
            }
            let ((batch, of), (done, all), tally) = (job.batches(), job.contacts(), job.tally());
            fx.push(Effect::Status(format!(
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

    fn stop(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.stopped = true;
        if self.stage == Stage::Running {
            self.machine.stop(desk, now, fx);
            self.hear_machine(desk, now, fx);
            self.advance(desk, now, fx);
            return true;
        }
        if let Stage::After(summary, _) = &self.stage {
            let summary = summary.clone();
            self.end_unread(&summary, fx);
            return true;
        }
        false
    }
}

impl Errand for Unlock {
    fn start(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if self.profile.workspace.is_none() {
            return Problem::no_key(Source::Workspace).end(fx);
        }
        self.balance.start(desk, now, fx);
        self.advance(desk, now, fx);
    }

    fn hear(&mut self, heard: Heard, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if self.stage == Stage::Over {
            return;
        }
        if let (Lists::Asked(asked), Heard::Stored(ticket, result)) = (&self.lists, &heard)
            && asked == ticket
        {
            match result {
                Ok(StoreReply::Suppressions(lists)) => self.lists = Lists::Read(lists.clone()),
                Ok(_) => self.lists = Lists::Read(Vec::new()),
                Err(failure) => return self.fail(&Problem::of_store(failure), fx),
            }
        }
        let taken = self.balance.hear(&heard, desk, now, fx)
            || self.recovery.hear(&heard, desk, now, fx)
            || self.ledger.hear(&heard, desk, fx)
            || self.machine.hear(&heard, desk, now, fx);
        if taken && self.stage == Stage::Running {
            self.hear_machine(desk, now, fx);
        }
        self.advance(desk, now, fx);
    }

    fn deadline(&self) -> Option<Mono> {
        let after = match &self.stage {
            Stage::After(_, until) => Some(*until),
            _ => None,
        };
        after.into_iter().chain(self.machine.deadline()).min()
    }

    fn wake(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        self.machine.wake(desk, now, fx);
        if self.stage == Stage::Running {
            self.hear_machine(desk, now, fx);
        }
        if let Stage::After(summary, until) = &self.stage
            && *until <= now.mono
            && self.balance.is_asking()
        {
            let summary = summary.clone();
            return self.end_unread(&summary, fx);
        }
        self.advance(desk, now, fx);
    }

    /// A call that is on the wire is waited for: its answer says what was bought.
    fn interrupt(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if self.stop(desk, now, fx) {
            let words = match self.machine.job() {
                Some(job) if job.awaits_answer() => {
                    "stopping after this call; Ctrl-C again leaves at once, then `lode recover` clears up"
                }
                Some(_) => "stopping: nothing more is sent",
                None => return,
            };
            fx.push(Effect::Warn(words.to_owned()));
        } else {
            fx.push(Effect::Quit(Exit::Interrupted.code()));
        }
    }

    fn unread(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if !self.stop(desk, now, fx) {
            fx.push(Effect::Quit(Exit::Done.code()));
        }
    }
}
