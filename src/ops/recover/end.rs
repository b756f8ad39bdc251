//! The last lines: what is still unknown, the summary, and what to do next.

use crate::ops::exit::Exit;
use crate::ops::output::Format;
use crate::ops::program::Run;
use crate::ops::say::Problem;
use crate::ops::unlock::{LAST_READING, UNREAD_BALANCE};
use lode_core::contact::Contact;
use lode_core::credits::{agree, contacts};
use lode_core::money::Outcome;
use lode_engine::effect::Effect;
use lode_engine::effect::store::OpenBatch;

use super::{Recover, Stage};

const FORMER_KEY: &str = "run `lode recover` with the key of that workspace";

fn unknown_elsewhere(count: usize) -> String {
    let have = agree(count, "has", "have");
    format!("{} of this profile {have} an unknown result in another workspace", contacts(count))
}

impl Recover {
    pub(super) fn end(&mut self, run: &mut Run<'_>) {
        if self.sums.tally.asked == 0 && self.finished.is_empty() {
            return self.tell_end(run);
        }
        if self.interrupted || run.session.is_paused(run.now) {
            return self.tell_end_unread(run);
        }
        self.stage = Stage::After(run.now.mono.after(LAST_READING));
        run.session.read_balance(run.now, run.fx);
    }

    /// It cannot go on: nothing can be cleared up. What is known to be open is said to be.
    pub(super) fn give_up(&mut self, run: &mut Run<'_>) {
        match self.trouble.take() {
            Some(problem) if run.session.recovery().is_clear() => self.fail(&problem, run.fx),
            trouble => {
                self.trouble = trouble;
                self.tell_end(run);
            }
        }
    }

    pub(super) fn fail(&mut self, problem: &Problem, fx: &mut Vec<Effect>) {
        self.stage = Stage::Over;
        fx.push(Effect::Status(String::new()));
        problem.end(fx);
    }

    /// The end, without the balance having been read once more.
    pub(super) fn tell_end_unread(&mut self, run: &mut Run<'_>) {
        run.fx.push(Effect::Warn(UNREAD_BALANCE.to_owned()));
        self.sums.balance = self.sums.balance.or(run.session.balance().credits());
        self.unread = true;
        self.tell_end(run);
    }

    pub(super) fn tell_end(&mut self, run: &mut Run<'_>) {
        self.stage = Stage::Over;
        let (session, fx) = (&*run.session, &mut *run.fx);
        fx.push(Effect::Status(String::new()));
        let batches = session.recovery().batches();
        let open: Vec<_> = batches.flat_map(|batch| batch.open.iter().map(|open| (batch.corpus, open.id))).collect();
        self.told.held(session, fx);
        for (corpus, id) in &open {
            self.sums.tally.count(Outcome::Unknown);
            self.told.tell(*corpus, *id, Outcome::Unknown, &Contact::default(), fx);
        }
        let balance = &session.balance();
        let read = balance.credits().filter(|_| !self.unread && balance.failure().is_none());
        self.sums.balance = read.or(self.sums.balance).or(balance.credits());
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
            Problem::new(Exit::Unknown, unknown_elsewhere(elsewhere), FORMER_KEY)
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
    fn still_unknown(&self, count: usize, finishable: usize, reason: Option<Problem>) -> Problem {
        let sentence = format!("the result of {} is still unknown", contacts(count));
        if let Some(Problem { sentence: why, hint, wait, .. }) = reason {
            return Problem::new(Exit::Unknown, format!("{sentence}: {why}"), hint).waits(wait);
        }
        let hint = if self.finish.is_some() || finishable == 0 {
            "run `lode recover` to check again (free)".to_owned()
        } else {
            // What finishing everything may cost at most.
            format!("run `lode recover --finish --max-credits {finishable}` to send the identical batches again")
        };
        Problem::new(Exit::Unknown, sentence, hint)
    }
}
