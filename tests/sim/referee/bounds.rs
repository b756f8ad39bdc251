//! *Bounded*: what is spent, what is unknown and what is about to leave never add up to more than a cap, whatever comes of it.

use lode_core::money::{BatchId, Outcome};
use lode_engine::effect::store::BatchIntent;

use super::{Batch, Referee, Verdict, Who};

impl Referee {
    /// Called when a batch was written down, with its ids unknown already.
    pub(super) fn bounded(&self, id: BatchId, intent: &BatchIntent, who: &Who, at: u64) -> Verdict {
        if let Some(cap) = self.loosest(at, |caps| caps.call).filter(|_| intent.again.is_none())
            && intent.ids.len() as i64 > cap
        {
            return Err(format!("{id:?} holds {} contacts: over the cap per call of {cap}", intent.ids.len()));
        }
        if let Some(cap) = self.loosest(at, |caps| caps.session) {
            let most = self.at_worst(who.purse, |run| run == who.run);
            if most > cap {
                return Err(format!("{id:?} may bring a session to {most}: over its cap of {cap}"));
            }
        }
        // What is sent again was unknown before: a day can only have admitted it once.
        if let Some(cap) = self.loosest(at, |caps| caps.day).filter(|_| intent.again.is_none()) {
            let most = self.at_worst(who.purse, |_| true);
            if most > cap {
                return Err(format!("{id:?} may bring a day to {most}: over its cap of {cap}"));
            }
        }
        Ok(())
    }

    /// Contacts of some processes that were charged, or that may be.
    fn at_worst(&self, purse: usize, counts: impl Fn(u64) -> bool) -> i64 {
        let of_batch = |(id, batch): (&BatchId, &Batch)| {
            let costs = |row: &&_| match self.outcomes.get(&(*id, **row)) {
                None => counts(batch.run),
                Some(became) => {
                    let charged =
                        matches!(became.outcome, Outcome::Unlocked | Outcome::Refunded | Outcome::Unreachable);
                    charged && counts(became.run)
                }
            };
            batch.ids.iter().filter(costs).count() as i64
        };
        self.batches.iter().filter(|(_, batch)| batch.purse == purse).map(of_batch).sum()
    }
}
