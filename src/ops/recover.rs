//! `lode recover`: batches whose answer was lost are cleared up by reading, for free; with `--finish` by sending the
//! identical batches again.
//!
//! What a look proves, and when, is decided by the session's recovery. A contact that is still locked proves nothing while a
//! delayed call may be applied, so the command waits for the moment when it does, and says so.

use super::unlock::{
    MAX_WAIT, PrintedLines, UNREAD_BALANCE, asked_to_wait, balance_is_read, begin, declined_problem, left_open,
    problem_of, stop_unlock,
};
use super::*;
use lode_core::{BatchId, Tally};
use lode_engine::effect::OpenBatch;

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

/// `finish` is the `--max-credits` of `--finish`; `max_wait`, how long a batch that is sent again waits in total for the end of a 429.
pub fn recover(finish: Option<Credits>, max_wait: Duration) -> Script {
    script(async move |console: Console| {
        begin(&console, max_wait).await?;
        console.take_interrupts();
        Recovery { finish, told: PrintedLines::new(console.clone()), console, ..Recovery::default() }.run().await
    })
}

/// A recovery that runs.
#[derive(Default)]
struct Recovery {
    console: Console,
    /// `--finish` with its `--max-credits`, less what was charged since.
    finish: Option<Credits>,
    told: PrintedLines,
    tally: Tally,
    balance: Option<Credits>,
    stopped_for_credits: bool,
    /// Sent again already: once is enough for one run.
    finished: Vec<BatchId>,
    /// Contacts that this profile left unknown under another key; `None` until the store has answered.
    elsewhere: Option<u64>,
    /// A batch is on its way again.
    is_finishing: bool,
    /// No further batch goes out: one stayed without its outcome, or the user said stop.
    halted: bool,
    interrupted: bool,
    /// What kept the check from its end.
    trouble: Option<CommandProblem>,
    /// The service charged more than was sent.
    alarmed: bool,
    /// How a batch that was sent again ended, if not well.
    finish_problem: Option<CommandProblem>,
}

/// Neither the recovery nor the ledger waits for an answer.
fn is_quiet(session: &Session) -> bool {
    session.recovery.is_idle() && !session.ledger.is_reading()
}

impl Recovery {
    async fn run(mut self) -> Ending {
        self.console.with(|run| run.session.balance.refresh(&mut run.session.desk.at(run.now, run.fx)));
        self.until(|session| !session.balance.is_asking()).await;
        let balance = self.console.with(|run| run.session.balance.clone());
        if let Some(failure) = balance.failure.as_ref() {
            let problem = CommandProblem::of_call(Source::Workspace, failure);
            // The service does not say whose key it is: the batches of the purse that the key spent from when it was last heard of.
            // They can be named; nothing can be cleared up or spent.
            let Some(purse) = balance.remembered_purse() else { return Err(problem) };
            self.console.with(|run| run.session.recovery.begin(purse, &mut run.session.desk.at(run.now, run.fx)));
            self.trouble = Some(problem);
            self.until(is_quiet).await;
            return self.give_up();
        }
        let purse = balance.purse().ok_or_else(|| {
            let words = "the service did not identify the workspace of this key, so its batches cannot be matched";
            CommandProblem::new(Exit::Network, words, "`lode me` shows what the service returns")
        })?;
        self.console.with(|run| {
            run.session.read_lists(run.now, run.fx);
            run.store(StoreCall::OpenElsewhere { profile: run.session.profile().name.clone(), purse });
        });
        self.until(is_quiet).await;
        while self.elsewhere.is_none() && self.is_known() {
            self.handle(self.console.turn(None).await);
            self.until(is_quiet).await;
        }
        if !self.is_known() {
            return self.give_up();
        }
        self.check().await;
        self.end().await
    }

    fn is_known(&self) -> bool {
        self.console.with(|run| run.session.recovery.known && run.session.ledger.loaded)
    }

    /// Free looks at everything that is unknown or lacks what was paid for, until they have proved what they can.
    async fn check(&mut self) {
        for look in 1.. {
            if self.console.with(|run| run.session.recovery.check_again(&mut run.session.desk.at(run.now, run.fx))) {
                let requests = self.console.with(|run| run.session.recovery.at_least());
                self.console.status(format!("checking (free); at least {}", counted(requests as u64, "request")));
                self.until(is_quiet).await;
            }
            let (is_clear, next) = self.console.with(|run| {
                let recovery = &run.session.recovery;
                (recovery.is_clear(), recovery.next_look())
            });
            if is_clear {
                return;
            }
            if self.finish.is_some() {
                return self.finish_open().await;
            }
            let Some(at) = next.filter(|_| look < MOST_LOOKS && self.trouble.is_none()) else { return };
            self.wait(at).await;
        }
    }

    /// Waits until another look can prove something. Tells how long it still takes, second by second, on a terminal.
    async fn wait(&mut self, at: Mono) {
        let mut now = self.console.with(|run| run.now);
        let at = at.max(now.mono.after(Duration::from_millis(10)));
        self.console.warn(waiting(at, now));
        while now.mono < at {
            self.console.status(waiting(at, now));
            let next = at.min(now.mono.after(Duration::from_secs(1)));
            while now.mono < next {
                self.handle(self.console.turn(Some(next)).await);
                now = self.console.with(|run| run.now);
            }
        }
    }

    /// `--finish`: each open batch goes out again, whole and unchanged, as long as the ceiling holds it.
    async fn finish_open(&mut self) {
        while let Some(ceiling) = self.finish.filter(|_| !self.halted) {
            let is_new = |batch: &BatchId| !self.finished.contains(batch);
            let next = |session: &Session| session.recovery.batches().map(|batch| batch.batch).find(is_new);
            let Some(batch) = self.console.with(|run| next(run.session)) else { return };
            self.finished.push(batch);
            if let Err(declined) = self.console.with(|run| run.session.finish(batch, ceiling, run.now, run.fx)) {
                self.finish_problem.get_or_insert(declined_problem(&declined));
                return;
            }
            self.is_finishing = true;
            let summary = loop {
                match self.console.turn(None).await {
                    Turn::Event(Event::Finished(summary)) => break summary,
                    turn => self.handle(turn),
                }
            };
            self.is_finishing = false;
            self.told.held();
            if let OrderEnd::Changed(words) = &summary.end {
                self.console.warn(words.clone());
            }
            // The next batch is tried for itself only if nothing of this one left.
            if summary.sent || !matches!(summary.end, OrderEnd::Changed(_)) {
                self.sent(&summary);
            }
            self.until(is_quiet).await;
        }
    }

    /// One batch was sent again. What it charged or may have charged counts against the ceiling of the next;
    /// and there is a next one only after an end that leaves nothing open.
    fn sent(&mut self, summary: &OrderSummary) {
        self.balance = summary.said.balance.or(self.balance);
        self.stopped_for_credits |= summary.is_out_of_credits();
        let tally = &summary.tally;
        let gone = tally.charged + tally.unknown + tally.unreachable;
        self.finish = self.finish.map(|ceiling| ceiling - Credits(i64::try_from(gone).unwrap_or(i64::MAX)));
        self.halted |= summary.end != OrderEnd::Done;
        self.alarmed |= matches!(summary.end, OrderEnd::Alarm(_));
        self.finish_problem = self.finish_problem.take().or_else(|| problem_of(summary, summary.ceiling));
    }

    /// Takes what happens until this holds.
    async fn until(&mut self, holds: impl Fn(&Session) -> bool) {
        while let Some(turn) = self.console.turn_until(None, &holds).await {
            self.handle(turn);
        }
    }

    fn handle(&mut self, turn: Turn) {
        match turn {
            Turn::Event(event) => self.event(event),
            Turn::Deadline => {}
            Turn::Interrupt | Turn::Unread if self.is_finishing => {
                (self.halted, self.interrupted) = (true, true);
                self.console.warn(match stop_unlock(&self.console) {
                    Some(true) => "stopping after this request; press Ctrl-C again to leave at once",
                    _ => "stopping: nothing more is sent",
                });
            }
            Turn::Interrupt | Turn::Unread => self.console.say(Effect::Quit(Exit::Interrupted.code())),
            Turn::Abandon => {
                self.told.held();
                left_open(&self.console);
            }
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            // What can be cleared up here does not depend on it.
            Event::Answered(Arrival::Stored(_, result)) => self.elsewhere = Some(result.map_or(0, StoreAnswer::of)),
            Event::Settled { corpus, contacts } => self.settled(corpus, contacts),
            Event::Completed { corpus, contacts } => {
                contacts.iter().for_each(|(id, contact)| self.told.report(corpus, *id, Outcome::Already, contact));
            }
            Event::Looked { trouble: Some(failure) } => {
                self.trouble = Some(CommandProblem::of_call(Source::Workspace, &failure));
            }
            Event::StoreFailed(failure) => self.trouble = Some(CommandProblem::of_store(&failure)),
            _ => {}
        }
    }

    fn settled(&mut self, corpus: Corpus, contacts: Vec<Settled>) {
        let known: Vec<Settled> = contacts.into_iter().filter(|settled| settled.outcome != Outcome::Unknown).collect();
        for settled in &known {
            let verification = settled.contact.as_ref().and_then(|contact| contact.verification.as_ref());
            self.tally.count_verified(settled.outcome, verification);
            if let (Outcome::Unreachable, Some(evidence)) = (settled.outcome, &settled.evidence) {
                self.console.warn(format!("{} of {corpus} is UNREACHABLE: {evidence}", settled.id));
            }
        }
        self.told.settled(corpus, &known);
    }

    /// Ends because nothing can be resolved, and reports the known open contacts as unknown.
    fn give_up(self) -> Ending {
        let is_clear = self.console.with(|run| run.session.recovery.is_clear());
        match self.trouble {
            Some(problem) if is_clear => Err(problem),
            _ => self.report_end(true),
        }
    }

    async fn end(mut self) -> Ending {
        if self.tally.asked == 0 && self.finished.is_empty() {
            return self.report_end(true);
        }
        let mut is_read = !self.interrupted && asked_to_wait(&self.console).is_none();
        if is_read {
            self.console.with(|run| run.session.balance.refresh(&mut run.session.desk.at(run.now, run.fx)));
            is_read = balance_is_read(&self.console).await;
        }
        if !is_read {
            self.console.warn(UNREAD_BALANCE);
            self.balance = self.balance.or(self.console.with(|run| run.session.balance.credits));
        }
        self.report_end(is_read)
    }

    /// The last lines: what is still unknown, the summary, and what to do next. `is_read`: the balance is that of now.
    fn report_end(mut self, is_read: bool) -> Ending {
        self.console.status("");
        self.told.held();
        let (open, finishable, read, last) = self.console.with(|run| {
            let recovery = &run.session.recovery;
            let open = recovery.batches().flat_map(|batch| batch.open.iter().map(|open| (batch.corpus, open.id)));
            let may_go = |batch: &&OpenBatch| run.session.may_finish(batch).is_ok();
            let finishable: usize = recovery.batches().filter(may_go).map(|batch| batch.ids.len()).sum();
            let balance = &run.session.balance;
            let read = balance.credits.filter(|_| is_read && balance.failure.is_none());
            (open.collect::<Vec<_>>(), finishable, read, balance.credits)
        });
        for (corpus, id) in &open {
            self.tally.count(Outcome::Unknown);
            self.told.report(*corpus, *id, Outcome::Unknown, &Contact::default());
        }
        self.balance = read.or(self.balance).or(last);
        self.told.summary(&self.tally, self.balance, self.stopped_for_credits);
        let elsewhere = usize::try_from(self.elsewhere.unwrap_or(0)).unwrap_or(usize::MAX);
        // That something is unknown is said with the hint that helps now.
        let reasons = [self.finish_problem.take(), self.trouble.take()].into_iter().flatten();
        let mut reasons = reasons.filter(|problem| problem.exit() != Exit::Unknown);
        let reason = reasons.next();
        let mut notes: Vec<String> = reasons.map(|problem| problem.sentence).collect();
        let problem = if !open.is_empty() {
            notes.extend((elsewhere > 0).then(|| format!("{}; {FORMER_KEY}", unknown_elsewhere(elsewhere))));
            Some(self.still_unknown(open.len(), finishable, reason))
        } else if elsewhere > 0 {
            notes.extend(reason.map(|problem| problem.sentence));
            Some(CommandProblem::new(Exit::Unknown, unknown_elsewhere(elsewhere), FORMER_KEY))
        } else {
            // Nothing is unknown any more: that is what was asked for. What a finish ran into holds all the same.
            let holds = |end: &CommandProblem| self.alarmed || [Exit::Credits, Exit::Capped].contains(&end.exit());
            let (failed, note) = if reason.as_ref().is_some_and(holds) { (reason, None) } else { (None, reason) };
            notes.extend(note.filter(|problem| problem.exit() == Exit::Failed).map(|problem| problem.sentence));
            self.console.remark("no unknown results");
            failed
        };
        notes.into_iter().for_each(|words| self.console.warn(words));
        problem.map_or(Ok(Exit::Done), |problem| Err(problem.waits(asked_to_wait(&self.console))))
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

fn waiting(at: Mono, now: Now) -> String {
    format!("a delayed request may still be applied; checking again in {}", seconds(at.since(now.mono)))
}

const FORMER_KEY: &str = "run `lode recover` with the key of that workspace";

fn unknown_elsewhere(count: usize) -> String {
    let have = agree(count, "has", "have");
    format!("{} of this profile {have} an unknown result in another workspace", contacts(count))
}

impl Operation for RecoverArgs {
    fn script(&self, _pipe: Option<&str>) -> Result<Script, CommandProblem> {
        Ok(recover(self.max_credits.filter(|_| self.finish), Duration::from_secs(self.max_wait)))
    }
}
