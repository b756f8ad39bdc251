//! `--finish`: the identical batches go out again, one after the other, as long as the ceiling holds them.

use std::sync::Arc;

use crate::cli::errands::unlock::{declined_problem, problem_of};
use crate::domain::credits::Credits;
use crate::domain::time::Now;
use crate::effect::store::OpenBatch;
use crate::flow::desk::Cx;
use crate::flow::unlock::News;
use crate::flow::unlock::end::{End, Summary};
use crate::flow::unlock::order::accept_within;
use crate::flow::unlock::quote::{Basis, Choice, Quote, Who};

use super::{Recover, Stage};

impl Recover {
    /// The next open batch goes out again, whole and unchanged, as long as the ceiling holds it.
    pub(super) fn finish_next(&mut self, cx: &mut Cx<'_>) {
        let Some(ceiling) = self.finish else { return };
        let next = self.recovery.batches().find(|batch| !self.finished.contains(&batch.batch)).cloned();
        let next = next.filter(|_| !self.halted);
        let Some(batch) = next else { return self.end(cx) };
        self.finished.push(batch.batch);
        let Some(basis) = self.basis(Arc::new(batch), cx.now) else { return self.end(cx) };
        let quote = Quote::make(basis.clone(), Choice::default());
        let started = accept_within(&quote, ceiling, &basis).and_then(|order| self.machine.start(order, cx));
        match started {
            Ok(()) => {
                self.stage = Stage::Finishing;
                self.hear_machine(cx);
            }
            Err(declined) => {
                self.trouble = Some(declined_problem(&declined));
                self.end(cx);
            }
        }
    }

    fn basis(&self, batch: Arc<OpenBatch>, now: Now) -> Option<Basis> {
        let who = Who::of(&self.profile, self.balance.account()?, self.balance.purse()?)?;
        let balance = self.balance.credits().map(|credits| (credits, now.mono));
        Some(Basis::again(batch, who, balance, self.ledger.spent().copied()?, self.profile.caps))
    }

    pub(super) fn hear_machine(&mut self, cx: &mut Cx<'_>) {
        while let Some(news) = self.machine.news() {
            match news {
                News::Settled { corpus, contacts } => self.settled(corpus, &contacts, cx.fx),
                News::Doubt => {}
                News::Finished(summary) => self.sent(&summary, cx),
            }
        }
    }

    /// One batch was sent again. What it charged, and what nobody can tell it did not, counts against the ceiling of the next;
    /// and there is a next one only after an end that leaves nothing open.
    fn sent(&mut self, summary: &Summary, cx: &mut Cx<'_>) {
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
        self.recovery.refresh(cx);
    }
}
