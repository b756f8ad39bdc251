//! `lode recover`: batches whose answer was lost are cleared up by reading, for free; with `--finish` by sending the
//! identical batches again.
//!
//! What a look proves, and when, is decided by `flow::recovery`. A contact that is still locked proves nothing while a delayed
//! call may be applied, so the command waits for the moment when it does, and says so.

mod end;
mod finishing;

use std::time::Duration;

use crate::cli::exit::Exit;
use crate::cli::output::Format;
use crate::cli::program::Errand;
use crate::cli::say::{self, Problem};
use crate::domain::contact::Source;
use crate::domain::credits::Credits;
use crate::domain::money::{BatchId, Clue, Outcome};
use crate::domain::time::{Mono, Now};
use crate::effect::failure::Failure;
use crate::effect::profile::Profile;
use crate::effect::store::{Settled, StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::balance::Balance;
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::ledger::Ledger;
use crate::flow::recovery::{News, Recovery};
use crate::flow::retry::Patience;
use crate::flow::unlock::Unlock;

use crate::cli::errands::unlock::{Sums, Told};

/// Looks after which what is still open stays open: a service that shows a contact now and then proves nothing ever.
const MOST_LOOKS: u32 = 6;

pub struct Recover {
    profile: Profile,
    /// `--finish` with its `--max-credits`, less what was charged since.
    finish: Option<Credits>,
    balance: Balance,
    recovery: Recovery,
    ledger: Ledger,
    machine: Unlock,
    told: Told,
    sums: Sums,
    stage: Stage,
    looks: u32,
    /// Sent again already: once is enough for one run.
    finished: Vec<BatchId>,
    /// What this profile left in doubt under another key.
    elsewhere: Elsewhere,
    /// No further batch goes out: one stayed without its outcome, or somebody said stop.
    halted: bool,
    trouble: Option<Problem>,
    interrupted: bool,
    /// The balance was not read again at the end.
    unread: bool,
}

#[derive(Debug)]
enum Elsewhere {
    Asked(Ticket),
    Read(u64),
}

#[derive(Debug, PartialEq)]
enum Stage {
    Me,
    /// The service does not say whose key it is: what the books know of the key's purse.
    Remembered,
    Reading,
    Books,
    Looking,
    /// Until another look can prove something.
    Waiting(Mono, Mono),
    Finishing,
    /// The balance once more, because something was settled, but no longer than until then; then the summary.
    After(Mono),
    Over,
}

impl Recover {
    pub fn new(profile: &Profile, finish: Option<Credits>, seed: u64, format: Format) -> Recover {
        Recover {
            finish,
            balance: Balance::new(profile),
            recovery: Recovery::new(profile.name.clone()),
            ledger: Ledger::new(profile.window.clone()),
            machine: Unlock::new(Patience::Shell, seed),
            told: Told::new(format),
            sums: Sums::default(),
            stage: Stage::Me,
            looks: 0,
            finished: Vec::new(),
            elsewhere: Elsewhere::Read(0),
            halted: false,
            trouble: None,
            interrupted: false,
            unread: false,
            profile: profile.clone(),
        }
    }

    fn advance(&mut self, cx: &mut Cx<'_>) {
        self.hear_recovery(cx.fx);
        match self.stage {
            Stage::Me if !self.balance.is_asking() => {
                if let Some(failure) = self.balance.failure() {
                    let problem = Problem::of_call(Source::Workspace, failure);
                    let Some(purse) = self.balance.remembered_purse() else { return self.fail(&problem, cx.fx) };
                    self.trouble = Some(problem);
                    self.stage = Stage::Remembered;
                    return self.recovery.begin(purse, cx);
                }
                let Some(purse) = self.balance.purse() else {
                    let words = "the service does not say whose key this is, so no batch can be called ours";
                    return self.fail(&Problem::new(Exit::Network, words, "`lode me` shows what it says"), cx.fx);
                };
                self.stage = Stage::Reading;
                self.recovery.begin(purse, cx);
            }
            Stage::Remembered if self.recovery.is_idle() => self.give_up(cx.fx),
            Stage::Reading if self.recovery.is_idle() && !self.recovery.is_known() => self.give_up(cx.fx),
            Stage::Reading if self.recovery.is_idle() => {
                let Some(purse) = self.balance.purse() else { return };
                self.stage = Stage::Books;
                let call = StoreCall::OpenElsewhere { profile: self.profile.name.clone(), purse: purse.clone() };
                self.elsewhere = Elsewhere::Asked(cx.store(Owner::Caller, call));
                self.ledger.begin(purse, cx);
            }
            Stage::Books => {
                if let Some(failure) = self.ledger.failure() {
                    self.trouble = Some(Problem::of_store(&failure));
                    return self.give_up(cx.fx);
                }
                let read = matches!(self.elsewhere, Elsewhere::Read(_));
                if read && self.ledger.is_loaded() && self.ledger.spent().is_some() {
                    let incomplete: Vec<_> = self.ledger.incomplete().map(|owned| (owned.corpus, owned.id)).collect();
                    for (corpus, id) in incomplete {
                        self.recovery.complete(corpus, [(id, Clue::default())]);
                    }
                    self.look(cx);
                }
            }
            Stage::Looking if self.recovery.is_idle() => self.looked(cx),
            Stage::After(_) if !self.balance.is_asking() => self.tell_end(cx.fx),
            _ => {}
        }
    }

    /// One free look at everything that is in doubt or lacks what was paid for.
    fn look(&mut self, cx: &mut Cx<'_>) {
        self.looks += 1;
        if self.recovery.look(cx) {
            self.stage = Stage::Looking;
            let requests = self.recovery.at_least();
            cx.fx.push(Effect::Status(format!("looking, free; at least {requests} requests")));
        } else {
            self.looked(cx);
        }
    }

    fn looked(&mut self, cx: &mut Cx<'_>) {
        if self.recovery.is_clear() {
            return self.end(cx);
        }
        if self.finish.is_some() {
            return self.finish_next(cx);
        }
        match self.recovery.next_look().filter(|_| self.looks < MOST_LOOKS && self.trouble.is_none()) {
            Some(at) => {
                let at = at.max(cx.now.mono.after(Duration::from_millis(10)));
                self.stage = Stage::Waiting(at, cx.now.mono);
                cx.fx.push(Effect::Warn(waiting(at, cx.now)));
                self.tick(cx.now, cx.fx);
            }
            None => self.end(cx),
        }
    }

    /// Tells how long it still takes, second by second, where somebody watches.
    fn tick(&mut self, now: Now, fx: &mut Vec<Effect>) {
        if let Stage::Waiting(at, next) = &mut self.stage {
            *next = (*at).min(now.mono.after(Duration::from_secs(1)));
            fx.push(Effect::Status(waiting(*at, now)));
        }
    }

    fn hear_recovery(&mut self, fx: &mut Vec<Effect>) {
        while let Some(news) = self.recovery.news() {
            match news {
                News::Settled { corpus, contacts } => self.settled(corpus, &contacts, fx),
                News::Completed { corpus, contacts } => {
                    for (id, contact) in contacts {
                        self.told.tell(corpus, id, Outcome::Already, &contact, fx);
                    }
                }
                News::Looked { trouble: Some(failure) } => self.trouble = Some(look_failed(&failure)),
                News::Store(failure) => self.trouble = Some(Problem::of_store(&failure)),
                News::Read | News::Looked { trouble: None } => {}
            }
        }
    }

    fn settled(&mut self, corpus: crate::domain::contact::Corpus, contacts: &[Settled], fx: &mut Vec<Effect>) {
        for settled in contacts.iter().filter(|settled| settled.outcome != Outcome::Unknown) {
            self.sums.count(settled);
            if let (Outcome::Unreachable, Some(evidence)) = (settled.outcome, &settled.evidence) {
                fx.push(Effect::Warn(format!("{} of {corpus} is UNREACHABLE: {evidence}", settled.id)));
            }
        }
        let known: Vec<Settled> =
            contacts.iter().filter(|settled| settled.outcome != Outcome::Unknown).cloned().collect();
        self.told.settled(corpus, &known, fx);
    }
}

fn waiting(at: Mono, now: Now) -> String {
    format!("a delayed call may still be applied: looking again in {}", say::seconds(at.since(now.mono)))
}

fn look_failed(failure: &Failure) -> Problem {
    Problem::of_call(Source::Workspace, failure)
}

impl Errand for Recover {
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
        if let (Elsewhere::Asked(asked), Heard::Stored(ticket, result)) = (&self.elsewhere, &heard)
            && asked == ticket
        {
            self.elsewhere = match result {
                Ok(StoreReply::OpenElsewhere(count)) => Elsewhere::Read(*count),
                // What can be cleared up here does not depend on it.
                _ => Elsewhere::Read(0),
            };
        }
        let taken = self.balance.hear(&heard, cx)
            || self.recovery.hear(&heard, cx)
            || self.ledger.hear(&heard, cx)
            || self.machine.hear(&heard, cx);
        if taken && self.stage == Stage::Finishing {
            self.hear_machine(cx);
        }
        self.advance(cx);
    }

    fn deadline(&self) -> Option<Mono> {
        let tick = match &self.stage {
            Stage::Waiting(_, next) => Some(*next),
            Stage::After(until) => Some(*until),
            _ => None,
        };
        tick.into_iter().chain(self.machine.deadline()).min()
    }

    fn wake(&mut self, cx: &mut Cx<'_>) {
        match self.stage {
            Stage::Waiting(at, _) if at <= cx.now.mono => self.look(cx),
            Stage::Waiting(..) => self.tick(cx.now, cx.fx),
            Stage::After(until) if until <= cx.now.mono => self.tell_end_unread(cx.fx),
            _ => {
                self.machine.wake(cx);
                if self.stage == Stage::Finishing {
                    self.hear_machine(cx);
                }
            }
        }
        self.advance(cx);
    }

    fn abandon(&mut self, fx: &mut Vec<Effect>) {
        self.told.held(&self.machine.held(), fx);
    }

    fn interrupt(&mut self, cx: &mut Cx<'_>) {
        if self.stage == Stage::Finishing {
            (self.halted, self.interrupted) = (true, true);
            self.machine.stop(cx);
            self.hear_machine(cx);
            let words = match self.machine.job() {
                Some(job) if job.awaits_answer() => "stopping after this call; Ctrl-C again leaves at once",
                _ => "stopping: nothing more is sent",
            };
            cx.fx.push(Effect::Warn(words.to_owned()));
        } else if matches!(self.stage, Stage::After(_)) {
            self.tell_end_unread(cx.fx);
        } else {
            cx.fx.push(Effect::Quit(Exit::Interrupted.code()));
        }
    }

    fn unread(&mut self, cx: &mut Cx<'_>) {
        self.interrupt(cx);
    }
}
