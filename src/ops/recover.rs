//! `lode recover`: batches whose answer was lost are cleared up by reading, for free; with `--finish` by sending the
//! identical batches again.
//!
//! What a look proves, and when, is decided by the session's recovery. A contact that is still locked proves nothing while a
//! delayed call may be applied, so the command waits for the moment when it does, and says so.

use std::time::Duration;

use clap::{Args, ValueHint};

use super::filters::credits;
use super::operation::{Operation, ScriptContext};
use super::output::Format;
use super::problem::{CommandProblem, Exit, seconds};
use super::program::{Run, Script};
use super::unlock::{LAST_READING, MAX_WAIT, Sums, Told, UNREAD_BALANCE, declined_problem, left_open, problem_of};
use lode_core::{BatchId, Contact, Corpus, Credits, Mono, Now, Outcome, Source, agree, contacts, counted};
use lode_engine::effect::{Effect, OpenBatch, Settled, StoreCall, StoreReply};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::retry::UNLOCK_PATIENCE;
use lode_engine::flow::session::Event;
use lode_engine::flow::unlock::{OrderEnd, OrderSummary};

#[derive(Clone, Debug, Args)]
pub struct RecoverArgs {
    /// Send the identical batches again instead of only checking
    #[arg(long, requires = "max_credits")]
    pub finish: bool,
    /// Maximum cost of finishing, before refunds
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = credits, requires = "finish")]
    pub max_credits: Option<Credits>,
    /// Maximum wait in seconds when the service answers 429 to a batch that is sent again
    #[arg(long, value_name = "SECONDS", value_hint = ValueHint::Other, default_value_t = MAX_WAIT, requires = "finish")]
    pub max_wait: u64,
}

/// Looks after which what is still open stays open: a service that shows a contact now and then proves nothing ever.
const MOST_LOOKS: u32 = 6;

pub struct RecoverScript {
    /// `--finish` with its `--max-credits`, less what was charged since.
    finish: Option<Credits>,
    max_wait: Duration,
    told: Told,
    sums: Sums,
    stage: Stage,
    looks: u32,
    /// Sent again already: once is enough for one run.
    finished: Vec<BatchId>,
    /// Contacts that this profile left unknown under another key; `None` until the store has answered.
    elsewhere: Option<u64>,
    /// No further batch goes out: one stayed without its outcome, or the user said stop.
    halted: bool,
    /// What kept the check from its end.
    trouble: Option<CommandProblem>,
    /// The service charged more than was sent.
    alarmed: bool,
    /// How a batch that was sent again ended, if not well.
    finish_problem: Option<CommandProblem>,
    interrupted: bool,
    /// The balance was not read again at the end.
    unread: bool,
}

#[derive(Debug, PartialEq)]
enum Stage {
    Me,
    /// The service does not say whose key it is: what the ledger knows of the key's purse.
    Remembered,
    Ledger,
    Looking,
    /// Until another look can prove something.
    Waiting(Mono, Mono),
    Finishing,
    /// The balance once more, because something was settled, but no longer than until then; then the summary.
    After(Mono),
    Over,
}

impl RecoverScript {
    pub fn new(finish: Option<Credits>, format: Format) -> RecoverScript {
        RecoverScript {
            finish,
            max_wait: UNLOCK_PATIENCE,
            told: Told::new(format),
            sums: Sums::default(),
            stage: Stage::Me,
            looks: 0,
            finished: Vec::new(),
            elsewhere: None,
            halted: false,
            trouble: None,
            alarmed: false,
            finish_problem: None,
            interrupted: false,
            unread: false,
        }
    }

    /// How long a batch that is sent again waits in total for the end of a 429.
    pub fn with_max_wait(self, max_wait: Duration) -> RecoverScript {
        RecoverScript { max_wait, ..self }
    }

    fn knows_purse(&mut self, run: &mut Run<'_>) {
        let balance = &run.session.balance();
        if let Some(failure) = balance.failure.as_ref() {
            let problem = CommandProblem::of_call(Source::Workspace, failure);
            if !run.session.read_remembered(run.now, run.fx) {
                return self.fail(&problem, run.fx);
            }
            self.trouble = Some(problem);
            self.stage = Stage::Remembered;
            return;
        }
        let Some(purse) = balance.purse() else {
            let words = "the service did not identify the workspace of this key, so its batches cannot be matched";
            return self
                .fail(&CommandProblem::new(Exit::Network, words, "`lode me` shows what the service returns"), run.fx);
        };
        self.stage = Stage::Ledger;
        run.session.read_lists(run.now, run.fx);
        run.store(StoreCall::OpenElsewhere { profile: run.session.profile().name.clone(), purse });
    }

    /// One free look at everything that is unknown or lacks what was paid for.
    fn look(&mut self, run: &mut Run<'_>) {
        self.looks += 1;
        if run.session.check_unknown_again(run.now, run.fx) {
            self.stage = Stage::Looking;
            let requests = run.session.recovery().at_least();
            run.fx.push(Effect::Status(format!("checking (free); at least {}", counted(requests as u64, "request"))));
        } else {
            self.looked(run);
        }
    }

    fn looked(&mut self, run: &mut Run<'_>) {
        if run.session.recovery().is_clear() {
            return self.end(run);
        }
        if self.finish.is_some() {
            return self.finish_next(run);
        }
        match run.session.recovery().next_look().filter(|_| self.looks < MOST_LOOKS && self.trouble.is_none()) {
            Some(at) => {
                let at = at.max(run.now.mono.after(Duration::from_millis(10)));
                self.stage = Stage::Waiting(at, run.now.mono);
                run.fx.push(Effect::Warn(waiting(at, run.now)));
                self.tick(run);
            }
            None => self.end(run),
        }
    }

    /// Tells how long it still takes, second by second, on a terminal.
    fn tick(&mut self, run: &mut Run<'_>) {
        if let Stage::Waiting(at, next) = &mut self.stage {
            *next = (*at).min(run.now.mono.after(Duration::from_secs(1)));
            run.fx.push(Effect::Status(waiting(*at, run.now)));
        }
    }

    /// `--finish`: the next open batch goes out again, whole and unchanged, as long as the ceiling holds it.
    fn finish_next(&mut self, run: &mut Run<'_>) {
        let Some(ceiling) = self.finish else { return };
        let may_go = |batch: &BatchId| !self.halted && !self.finished.contains(batch);
        let next = run.session.recovery().batches().map(|batch| batch.batch).find(may_go);
        let Some(batch) = next else { return self.end(run) };
        self.finished.push(batch);
        match run.session.finish(batch, ceiling, run.now, run.fx) {
            Ok(()) => self.stage = Stage::Finishing,
            Err(declined) => {
                self.finish_problem.get_or_insert(declined_problem(&declined));
                self.end(run);
            }
        }
    }

    /// One batch was sent again. What it charged or may have charged counts against the ceiling of the next;
    /// and there is a next one only after an end that leaves nothing open.
    fn sent(&mut self, summary: &OrderSummary) {
        self.sums.balance = summary.said.balance.or(self.sums.balance);
        self.sums.stopped_for_credits |= summary.is_out_of_credits();
        let tally = &summary.tally;
        let gone = tally.charged + tally.unknown + tally.unreachable;
        self.finish = self.finish.map(|ceiling| ceiling - Credits(i64::try_from(gone).unwrap_or(i64::MAX)));
        self.halted |= summary.end != OrderEnd::Done;
        self.alarmed |= matches!(summary.end, OrderEnd::Alarm(_));
        if let Some(problem) = problem_of(summary, summary.ceiling) {
            self.finish_problem.get_or_insert(problem);
        }
        self.stage = Stage::Looking;
    }

    fn settled(&mut self, corpus: Corpus, contacts: Vec<Settled>, fx: &mut Vec<Effect>) {
        let known: Vec<Settled> = contacts.into_iter().filter(|settled| settled.outcome != Outcome::Unknown).collect();
        for settled in &known {
            self.sums.count(settled);
            if let (Outcome::Unreachable, Some(evidence)) = (settled.outcome, &settled.evidence) {
                fx.push(Effect::Warn(format!("{} of {corpus} is UNREACHABLE: {evidence}", settled.id)));
            }
        }
        self.told.settled(corpus, &known, fx);
    }
}

fn waiting(at: Mono, now: Now) -> String {
    format!("a delayed request may still be applied; checking again in {}", seconds(at.since(now.mono)))
}

impl Operation for RecoverArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Workspace]
    }

    fn script(&self, ScriptContext { format, .. }: ScriptContext<'_>) -> Result<Box<dyn Script>, CommandProblem> {
        let finish = self.max_credits.filter(|_| self.finish);
        Ok(Box::new(RecoverScript::new(finish, format).with_max_wait(Duration::from_secs(self.max_wait))))
    }
}

impl Script for RecoverScript {
    fn reads_pages(&self) -> bool {
        true
    }

    fn start(&mut self, run: &mut Run<'_>) {
        run.session.desk.limit_unlock_wait(self.max_wait);
        if run.session.profile().workspace.is_none() {
            return self.fail(&CommandProblem::no_key(Source::Workspace), run.fx);
        }
        run.session.read_balance(run.now, run.fx);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        if self.stage == Stage::Over {
            return;
        }
        match event {
            // What can be cleared up here does not depend on it.
            Event::Answered(Arrival::Stored(_, result)) => {
                self.elsewhere = Some(match result {
                    Ok(StoreReply::OpenElsewhere(count)) => count,
                    _ => 0,
                });
            }
            Event::Settled { corpus, contacts } => self.settled(corpus, contacts, run.fx),
            Event::Completed { corpus, contacts } => {
                for (id, contact) in contacts {
                    self.told.report(corpus, id, Outcome::Already, &contact, run.fx);
                }
            }
            Event::Looked { trouble: Some(failure) } => {
                self.trouble = Some(CommandProblem::of_call(Source::Workspace, &failure));
            }
            Event::StoreFailed(failure) => self.trouble = Some(CommandProblem::of_store(&failure)),
            Event::Finished(summary) if self.stage == Stage::Finishing => {
                self.told.held(run.session, run.fx);
                match &summary.end {
                    // It was not sent: the next batch is checked for itself.
                    OrderEnd::Changed(words) => {
                        run.fx.push(Effect::Warn(words.clone()));
                        self.stage = Stage::Looking;
                    }
                    _ => self.sent(&summary),
                }
            }
            _ => {}
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        let session = &*run.session;
        let quiet = session.recovery().is_idle() && !session.ledger().is_reading();
        match self.stage {
            Stage::Me if !session.balance().is_asking() => self.knows_purse(run),
            Stage::Remembered if quiet => self.give_up(run),
            Stage::Ledger if quiet && !(session.recovery().known && session.ledger().loaded) => self.give_up(run),
            Stage::Ledger if quiet && self.elsewhere.is_some() => self.look(run),
            Stage::Looking if quiet => self.looked(run),
            Stage::After(_) if !session.balance().is_asking() => self.report_end(run),
            _ => {}
        }
    }

    fn deadline(&self) -> Option<Mono> {
        match &self.stage {
            Stage::Waiting(_, next) => Some(*next),
            Stage::After(until) => Some(*until),
            _ => None,
        }
    }

    fn abandon(&mut self, run: &mut Run<'_>) {
        self.told.held(run.session, run.fx);
        left_open(run);
    }

    fn wake(&mut self, run: &mut Run<'_>) {
        match self.stage {
            Stage::Waiting(at, _) if at <= run.now.mono => self.look(run),
            Stage::Waiting(..) => self.tick(run),
            Stage::After(_) => self.report_end_unread(run),
            _ => {}
        }
    }

    fn interrupt(&mut self, run: &mut Run<'_>) {
        if self.stage == Stage::Finishing {
            (self.halted, self.interrupted) = (true, true);
            run.session.stop_unlock(run.now, run.fx);
            let words = match run.session.unlock().job() {
                Some(job) if job.awaits_answer() => "stopping after this request; press Ctrl-C again to leave at once",
                _ => "stopping: nothing more is sent",
            };
            run.fx.push(Effect::Warn(words.to_owned()));
        } else if matches!(self.stage, Stage::After(_)) {
            self.report_end_unread(run);
        } else {
            run.fx.push(Effect::Quit(Exit::Interrupted.code()));
        }
    }

    fn unread(&mut self, run: &mut Run<'_>) {
        self.interrupt(run);
    }
}

// The last lines: what is still unknown, the summary, and what to do next.

const FORMER_KEY: &str = "run `lode recover` with the key of that workspace";

fn unknown_elsewhere(count: usize) -> String {
    let have = agree(count, "has", "have");
    format!("{} of this profile {have} an unknown result in another workspace", contacts(count))
}

impl RecoverScript {
    fn end(&mut self, run: &mut Run<'_>) {
        if self.sums.tally.asked == 0 && self.finished.is_empty() {
            return self.report_end(run);
        }
        if self.interrupted || run.session.asked_to_wait(run.now).is_some() {
            return self.report_end_unread(run);
        }
        self.stage = Stage::After(run.now.mono.after(LAST_READING));
        run.session.read_balance(run.now, run.fx);
    }

    /// It cannot go on: nothing can be cleared up. What is known to be open is said to be.
    fn give_up(&mut self, run: &mut Run<'_>) {
        match self.trouble.take() {
            Some(problem) if run.session.recovery().is_clear() => self.fail(&problem, run.fx),
            trouble => {
                self.trouble = trouble;
                self.report_end(run);
            }
        }
    }

    fn fail(&mut self, problem: &CommandProblem, fx: &mut Vec<Effect>) {
        self.stage = Stage::Over;
        fx.push(Effect::Status(String::new()));
        problem.end(fx);
    }

    /// The end, without the balance having been read once more.
    fn report_end_unread(&mut self, run: &mut Run<'_>) {
        run.fx.push(Effect::Warn(UNREAD_BALANCE.to_owned()));
        self.sums.balance = self.sums.balance.or(run.session.balance().credits);
        self.unread = true;
        self.report_end(run);
    }

    fn report_end(&mut self, run: &mut Run<'_>) {
        self.stage = Stage::Over;
        let (session, fx) = (&*run.session, &mut *run.fx);
        fx.push(Effect::Status(String::new()));
        let batches = session.recovery().batches();
        let open: Vec<_> = batches.flat_map(|batch| batch.open.iter().map(|open| (batch.corpus, open.id))).collect();
        self.told.held(session, fx);
        for (corpus, id) in &open {
            self.sums.tally.count(Outcome::Unknown);
            self.told.report(*corpus, *id, Outcome::Unknown, &Contact::default(), fx);
        }
        let balance = &session.balance();
        let read = balance.credits.filter(|_| !self.unread && balance.failure.is_none());
        self.sums.balance = read.or(self.sums.balance).or(balance.credits);
        self.told.summary(&self.sums, fx);
        let elsewhere = usize::try_from(self.elsewhere.unwrap_or(0)).unwrap_or(usize::MAX);
        // That something is unknown is said with the hint that helps now.
        let reasons = [self.finish_problem.take(), self.trouble.take()].into_iter().flatten();
        let mut reasons = reasons.filter(|problem| problem.exit != Exit::Unknown);
        let reason = reasons.next();
        let mut notes: Vec<String> = reasons.map(|problem| problem.sentence).collect();
        let problem = if !open.is_empty() {
            notes.extend((elsewhere > 0).then(|| format!("{}; {FORMER_KEY}", unknown_elsewhere(elsewhere))));
            let may_go = |batch: &&OpenBatch| session.may_finish(batch).is_ok();
            let finishable = session.recovery().batches().filter(may_go).map(|batch| batch.ids.len()).sum();
            self.still_unknown(open.len(), finishable, reason)
        } else if elsewhere > 0 {
            notes.extend(reason.map(|problem| problem.sentence));
            CommandProblem::new(Exit::Unknown, unknown_elsewhere(elsewhere), FORMER_KEY)
        } else {
            // Nothing is unknown any more: that is what was asked for. What a finish ran into holds all the same.
            let (failed, note) = match reason {
                Some(problem) if matches!(problem.exit, Exit::Credits | Exit::Capped) || self.alarmed => {
                    (Some(problem), None)
                }
                other => (None, other),
            };
            notes.extend(note.filter(|problem| problem.exit == Exit::Failed).map(|problem| problem.sentence));
            if matches!(self.told.format, Format::Table { .. }) {
                fx.push(Effect::Warn("no unknown results".to_owned()));
            }
            let Some(problem) = failed else {
                fx.extend(notes.into_iter().map(Effect::Warn));
                return fx.push(Effect::Quit(Exit::Done.code()));
            };
            problem
        };
        fx.extend(notes.into_iter().map(Effect::Warn));
        self.sums.spent(problem).waits(session.asked_to_wait(run.now)).end(fx);
    }

    /// The one failure of a run that leaves results unknown, with the reason if there is one. `finishable`: the contacts of
    /// the batches that may be sent again.
    fn still_unknown(&self, count: usize, finishable: usize, reason: Option<CommandProblem>) -> CommandProblem {
        let sentence = format!("the result of {} is still unknown", contacts(count));
        if let Some(CommandProblem { sentence: why, hint, wait, .. }) = reason {
            return CommandProblem::new(Exit::Unknown, format!("{sentence}: {why}"), hint).waits(wait);
        }
        let hint = if self.finish.is_some() || finishable == 0 {
            "run `lode recover` to check again (free)".to_owned()
        } else {
            // What finishing everything may cost at most.
            format!("run `lode recover --finish --max-credits {finishable}` to send the identical batches again")
        };
        CommandProblem::new(Exit::Unknown, sentence, hint)
    }
}
