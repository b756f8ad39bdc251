//! `--finish`: the identical batches go out again, one after the other, as long as the ceiling holds them.

use std::sync::Arc;

use crate::cli::errands::unlock::{declined_problem, problem_of};
use crate::domain::credits::Credits;
use crate::domain::time::Now;
use crate::effect::Effect;
use crate::effect::store::OpenBatch;
use crate::flow::desk::Desk;
use crate::flow::unlock::News;
use crate::flow::unlock::end::{End, Summary};
use crate::flow::unlock::order::accept_within;
use crate::flow::unlock::quote::{Basis, Choice, Quote, Who};

use super::{Recover, Stage};

impl Recover {
    /// The next open batch goes out again, whole and unchanged, as long as the ceiling holds it.
    pub(super) fn finish_next(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(ceiling) = self.finish else { return };
        let next = self.recovery.batches().find(|batch| !self.finished.contains(&batch.batch)).cloned();
        let next = next.filter(|_| !self.halted);
        let Some(batch) = next else { return self.end(desk, now, fx) };
        self.finished.push(batch.batch);
        let Some(basis) = self.basis(Arc::new(batch), now) else { return self.end(desk, now, fx) };
        let quote = Quote::make(basis.clone(), Choice::default());
        let started = accept_within(&quote, ceiling, &basis).and_then(|order| self.machine.start(order, desk, now, fx));
        match started {
            Ok(()) => {
                self.stage = Stage::Finishing;
                self.hear_machine(desk, fx);
            }
            Err(declined) => {
                self.trouble = Some(declined_problem(&declined));
                self.end(desk, now, fx);
            }
        }
    }

    fn basis(&self, batch: Arc<OpenBatch>, now: Now) -> Option<Basis> {
        let who = Who::of(&self.profile, self.balance.account()?, self.balance.purse()?)?;
        let balance = self.balance.credits().map(|credits| (credits, now.mono));
        Some(Basis::again(batch, who, balance, self.ledger.spent().copied()?, self.profile.caps))
    }

    pub(super) fn hear_machine(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) {
        while let Some(news) = self.machine.news() {
            match news {
                News::Settled { corpus, contacts } => self.settled(corpus, &contacts, fx),
                News::Doubt => {}
                News::Finished(summary) => self.sent(&summary, desk, fx),
            }
        }
    }

    /// One batch was sent again. What it charged, and what nobody can tell it did not, counts against the ceiling of the next;
    /// and there is a next one only after an end that leaves nothing open.
    fn sent(&mut self, summary: &Summary, desk: &mut Desk, fx: &mut Vec<Effect>) {
        self.sums.balance = summary.said.balance.or(self.sums.balance);
        self.sums.stopped_for_credits |= summary.is_out_of_credits();
        let tally = &summary.tally;
        let gone = tally.charged + tally.unknown + tally.unreachable;
        self.finish = self.finish.map(|ceiling| ceiling - Credits(i64::try_from(gone).unwrap_or(i64::MAX)));
        self.halted |= summary.end != End::Done;
        if let Some(problem) = problem_of(summary, summary.ceiling) {
            self.trouble.get_or_insert(problem);
        }
        self.stage = Stage::Looking;
        self.recovery.refresh(desk, fx);
    }
}
