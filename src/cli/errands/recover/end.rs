//! The last lines: what is still unknown, the summary, and what to do next.

use crate::cli::errands::unlock::{LAST_READING, UNREAD_BALANCE};
use crate::cli::exit::Exit;
use crate::cli::output::Format;
use crate::cli::say::Problem;
use crate::domain::contact::{Contact, Source};
use crate::domain::credits::contacts;
use crate::domain::money::Outcome;
use crate::effect::Effect;
use crate::flow::desk::Cx;

use super::{Elsewhere, Recover, Stage};

impl Recover {
    pub(super) fn end(&mut self, cx: &mut Cx<'_>) {
        if self.sums.tally.asked == 0 && self.finished.is_empty() {
            return self.tell_end(cx.fx);
        }
        if self.interrupted || cx.desk.gauge(Source::Workspace, cx.now).paused.is_some() {
            return self.tell_end_unread(cx.fx);
        }
        self.stage = Stage::After(cx.now.mono.after(LAST_READING));
        self.balance.refresh(cx);
    }

    /// It cannot go on: nothing can be cleared up. What is known to be open is said to be.
    pub(super) fn give_up(&mut self, fx: &mut Vec<Effect>) {
        match self.trouble.take() {
            Some(problem) if self.recovery.is_clear() => self.fail(&problem, fx),
            trouble => {
                self.trouble = trouble;
                self.tell_end(fx);
            }
        }
    }

    pub(super) fn fail(&mut self, problem: &Problem, fx: &mut Vec<Effect>) {
        self.stage = Stage::Over;
        fx.push(Effect::Status(String::new()));
        problem.end(fx);
    }

    /// The end, without the balance having been read once more.
    pub(super) fn tell_end_unread(&mut self, fx: &mut Vec<Effect>) {
        fx.push(Effect::Warn(UNREAD_BALANCE.to_owned()));
        self.sums.balance = self.sums.balance.or(self.balance.credits());
        self.unread = true;
        self.tell_end(fx);
    }

    pub(super) fn tell_end(&mut self, fx: &mut Vec<Effect>) {
        self.stage = Stage::Over;
        fx.push(Effect::Status(String::new()));
        let open: Vec<_> =
            self.recovery.batches().flat_map(|batch| batch.open.iter().map(|open| (batch.corpus, open.id))).collect();
        self.told.held(&self.machine.held(), fx);
        for (corpus, id) in &open {
            self.sums.tally.count(Outcome::Unknown);
            self.told.tell(*corpus, *id, Outcome::Unknown, &Contact::default(), fx);
        }
        let read = self.balance.credits().filter(|_| !self.unread && self.balance.failure().is_none());
        self.sums.balance = read.or(self.sums.balance).or(self.balance.credits());
        self.told.summary(&self.sums, fx);
        if let Elsewhere::Read(count @ 1..) = self.elsewhere {
            let many = contacts(usize::try_from(count).unwrap_or(usize::MAX));
            fx.push(Effect::Warn(format!(
                "{many} of this profile are UNKNOWN in another workspace: `lode recover` with the key of then clears them up"
            )));
        }
        if open.is_empty() {
            // Whatever trouble there was, nothing is unknown any more: that is what was asked for.
            let exit = match &self.trouble {
                Some(problem) if matches!(problem.exit, Exit::Credits | Exit::Capped) => {
                    problem.say(fx);
                    problem.exit
                }
                Some(problem) if problem.exit == Exit::Failed => {
                    problem.say(fx);
                    Exit::Done
                }
                _ => Exit::Done,
            };
            if matches!(self.told.format, Format::Table { .. }) {
                fx.push(Effect::Warn("nothing is unknown".to_owned()));
            }
            fx.push(Effect::Quit(exit.code()));
            return;
        }
        // That something is unknown is said below, with the hint that helps now.
        if let Some(problem) = self.trouble.as_ref().filter(|problem| problem.exit != Exit::Unknown) {
            problem.say(fx);
        }
        let sentence = format!("the outcome of {} is still UNKNOWN", contacts(open.len()));
        let hint = if self.finish.is_some() {
            "`lode recover` looks again, for free".to_owned()
        } else {
            format!("`lode recover --finish --max-credits {}` sends the identical batches again", self.whole())
        };
        Problem::new(Exit::Unknown, sentence, hint).end(fx);
    }

    /// What finishing everything may cost at most.
    fn whole(&self) -> usize {
        self.recovery.batches().map(|batch| batch.open.len()).sum()
    }
}
