//! `lode unlock`: ids in, one line per contact as it settles, a summary at the end.
//!
//! The same way as on the screen: whose purse it is, what is in doubt, what is ours, a quote of that, and an order accepted
//! with `--max-credits` as the typed amount. Everything that costs happens in `flow::unlock`; here are the lines.

mod ends;
mod lines;
mod quote;

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::cli::args::money::UnlockArgs;
use crate::cli::exit::Exit;
use crate::cli::input::Given;
use crate::cli::output::Format;
use crate::cli::program::Errand;
use crate::cli::say::{self, Problem};
use crate::domain::contact::{Contact, Corpus, RowId, Source};
use crate::domain::credits::Credits;
use crate::domain::money::{Outcome, Staged, Tally};
use crate::domain::time::{Mono, Now};
use crate::effect::Effect;
use crate::effect::Ticket;
use crate::effect::profile::Profile;
use crate::effect::store::{StoreCall, StoreReply, Suppression};
use crate::flow::balance::Balance;
use crate::flow::desk::{Desk, Heard};
use crate::flow::ledger::Ledger;
use crate::flow::ledger::reading::contact_of;
use crate::flow::recovery::{self, Recovery};
use crate::flow::retry::Patience;
use crate::flow::unlock::end::{End, Summary};
use crate::flow::unlock::order::{Declined, accept_within};
use crate::flow::unlock::quote::{Basis, Choice, Origin, Quote, Sizes, Who};
use crate::flow::unlock::{AGAIN, News, Unlock as Machine};

pub(super) use ends::{declined_problem, problem_of};
pub(super) use lines::{Sums, Told};
use quote::{tell_quote, warn};

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
    /// The balance once more, then the summary.
    After(Box<Summary>),
    Over,
}

impl Unlock {
    #[must_use]
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
            Stage::After(summary) if !self.balance.is_asking() => {
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

    fn basis(&self, now: Now) -> Option<Basis> {
        let account = self.balance.account()?;
        let service = self.profile.workspace.as_ref()?;
        let Lists::Read(lists) = &self.lists else { return None };
        let staged: Vec<Staged> = self.given.iter().map(Given::staged).collect();
        Some(Basis {
            who: Who {
                profile: self.profile.name.clone(),
                live: self.profile.live,
                window: self.profile.window.clone(),
                key: service.key.clone(),
                purse: self.balance.purse()?,
                org_name: account.org_name.clone(),
                key_prefix: account.key_prefix.clone(),
                may_unlock: account.may_unlock(),
            },
            corpus: self.corpus,
            staged: Arc::new(staged),
            origin: Origin::Ids,
            owned: self.ledger.owned_ids(self.corpus),
            in_doubt: Arc::new(self.recovery.in_doubt(self.corpus)),
            suppressions: Arc::new(lists.clone()),
            balance: self.balance.credits().map(|credits| (credits, now.mono)),
            spent: self.ledger.spent().copied()?,
            caps: self.profile.caps,
            sizes: Sizes::of(&self.profile),
        })
    }

    fn order(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(basis) = self.basis(now) else { return };
        let quote = Quote::make(basis.clone(), Choice { verify: self.verify, ..Choice::default() });
        if self.dry_run {
            self.stage = Stage::Over;
            tell_quote(&quote, self.max_credits, self.lines.format, fx);
            fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        warn(&quote, fx);
        self.tell_left_aside(&quote, fx);
        match accept_within(&quote, self.max_credits, &basis) {
            Ok(order) if order.quote().to_unlock.is_empty() => {
                let kept_back = order.quote().kept_back.clone();
                self.nothing_sent(&quote, kept_back, order.ceiling(), fx);
            }
            Ok(order) => {
                self.stage = Stage::Running;
                if let Err(declined) = self.machine.start(order, desk, now, fx) {
                    self.fail(&declined_problem(&declined), fx);
                }
                self.hear_machine(desk, now, fx);
            }
            Err(Declined::Nothing) => {
                let kept_back = quote.to_unlock.iter().map(|line| line.id).collect();
                self.nothing_sent(&quote, kept_back, Credits::ZERO, fx);
            }
            Err(declined) => self.fail(&declined_problem(&declined), fx),
        }
    }

    /// Lines of what will not be sent, because nothing has to be or nothing may be.
    fn tell_left_aside(&mut self, quote: &Quote, fx: &mut Vec<Effect>) {
        let rows: BTreeMap<RowId, &Given> = self.given.iter().map(|given| (given.id, given)).collect();
        let mut settled = Vec::new();
        for id in &quote.ours {
            let mut contact =
                self.ledger.contact(self.corpus, *id).map(|owned| owned.contact.clone()).unwrap_or_default();
            if let Some(row) = rows.get(id).and_then(|given| given.row.as_ref()).filter(|row| row.unlocked) {
                contact.complete_with(&contact_of(row));
            }
            settled.push((*id, Outcome::Already, contact));
        }
        settled.extend(quote.in_doubt.iter().map(|id| (*id, Outcome::Unknown, Contact::default())));
        settled.extend(quote.suppressed.iter().map(|(id, _)| (*id, Outcome::Locked, Contact::default())));
        for (id, outcome, contact) in settled {
            self.lines.tell(self.corpus, id, outcome, &contact, fx);
        }
    }

    /// The run is over without a call: everything is ours, in doubt, suppressed, or more than may be spent.
    fn nothing_sent(&mut self, quote: &Quote, kept_back: Vec<RowId>, ceiling: Credits, fx: &mut Vec<Effect>) {
        let summary = Summary {
            order: None,
            corpus: self.corpus,
            ended: crate::domain::time::Wall(0),
            end: End::Done,
            verify: self.verify,
            ceiling,
            contacts: Vec::new(),
            tally: Tally::default(),
            said: Default::default(),
            ours: quote.ours.clone(),
            in_doubt: quote.in_doubt.clone(),
            suppressed: quote.suppressed.iter().map(|(id, _)| *id).collect(),
            kept_back,
        };
        self.end(&summary, fx);
    }

    fn hear_machine(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        while let Some(news) = self.machine.news() {
            match news {
                News::Settled { corpus, contacts } => self.lines.settled(corpus, &contacts, fx),
                News::Doubt => {}
                News::Finished(summary) => {
                    self.lines.settled(summary.corpus, &summary.contacts, fx);
                    self.stage = Stage::After(summary);
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

    fn end(&mut self, summary: &Summary, fx: &mut Vec<Effect>) {
        self.stage = Stage::Over;
        fx.push(Effect::Status(String::new()));
        for id in &summary.kept_back {
            self.lines.tell(self.corpus, *id, Outcome::Locked, &Contact::default(), fx);
        }
        let balance = self.balance.credits().or(summary.said.balance);
        let balance = if self.balance.failure().is_some() { summary.said.balance.or(balance) } else { balance };
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
        let running = self.stage == Stage::Running;
        if running {
            self.machine.stop(desk, now, fx);
            self.hear_machine(desk, now, fx);
            self.advance(desk, now, fx);
        }
        running || matches!(self.stage, Stage::After(_))
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
        self.machine.deadline()
    }

    fn wake(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        self.machine.wake(desk, now, fx);
        if self.stage == Stage::Running {
            self.hear_machine(desk, now, fx);
        }
        self.advance(desk, now, fx);
    }

    /// A call that is on the wire is waited for: its answer says what was bought.
    fn interrupt(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if self.stop(desk, now, fx) {
            fx.push(Effect::Warn(
                "stopping after this call; Ctrl-C again leaves at once, then `lode recover` clears up".to_owned(),
            ));
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
