//! What must be so when the service charges one of our calls.

use lode_core::contact::RowId;
use lode_core::money::BatchId;

use crate::counter::Taken;
use crate::excuses::Excuse;

use super::{Charge, Referee, Verdict};

/// How long after its line broke a call may still be applied, as the notes read the documents.
const QUIET: u64 = 60_000;
const DAY: u64 = 86_400_000;

impl Referee {
    /// `by_copy`: by a copy of the request that the network made, and not by the request.
    pub fn charged(&mut self, sending: usize, taken: &Taken, by_copy: bool, at: u64) -> Verdict {
        let sent = self.sendings[sending].clone();
        let batch = self.batches[&sent.batch].clone();
        let id = taken.id;
        if !batch.ids.contains(&id) {
            return Err(format!("{id} was charged, and {:?} never named it", sent.batch));
        }
        let excuse = match taken.owned_since {
            Some(since) => Some(self.again(sending, id, since)?),
            None if sent.broke.is_some_and(|broke| at > broke + QUIET) => Some(Excuse::TooLate),
            None if by_copy && sent.copied => Some(Excuse::CopyFirst),
            None => None,
        };
        if let Some(excuse) = excuse {
            self.excused.count(excuse);
        }
        if taken.silently {
            self.excused.count(Excuse::Silently);
        }
        let charge = self.charges.entry((sent.batch, id)).or_insert(Charge {
            refunded: taken.refunded,
            excuse: if taken.silently { Some(Excuse::Silently) } else { excuse },
            sending,
            times: 0,
        });
        charge.times += 1;
        if charge.times > 1 && excuse.is_none() {
            return Err(format!("{id} was charged twice in {:?}", sent.batch));
        }
        if excuse.is_some() {
            return Ok(());
        }
        if let Some(order) = sent.order {
            let of_order = self.charged_by_order.entry(order.no).or_default();
            *of_order += 1;
            if *of_order > order.typed {
                return Err(format!("{of_order} were charged where {} was named", order.typed));
            }
        }
        self.charged_at.push((batch.purse, at));
        if let Some(cap) = self.loosest_ever(|caps| caps.session) {
            let of_session = |(charged, charge): &(&(BatchId, RowId), &Charge)| {
                let batch_of = &self.batches[&charged.0];
                let run = self.outcomes.get(charged).map_or(batch_of.run, |became| became.run);
                charge.excuse.is_none() && batch_of.purse == batch.purse && run == batch.run
            };
            let of_session = self.charges.iter().filter(of_session).count() as i64;
            if of_session > cap {
                return Err(format!("a session was charged {of_session}: over its cap of {cap}"));
            }
        }
        if let Some(cap) = self.loosest_ever(|caps| caps.day) {
            let day = |(purse, then): &&(usize, u64)| *purse == batch.purse && *then + DAY > at;
            let day = self.charged_at.iter().filter(day).count() as i64;
            if day > cap {
                return Err(format!("{day} charged within a day: over the day cap of {cap}"));
            }
        }
        Ok(())
    }

    /// The contacts that calls of a purse were charged for.
    pub fn charged_ids(&self, purse: usize) -> impl Iterator<Item = u64> {
        let of_purse = move |(batch, _): &&(BatchId, RowId)| self.batches[batch].purse == purse;
        self.charges.keys().filter(of_purse).map(|(_, id)| id.0 as u64)
    }

    /// A contact that was owned already was charged again. Could lode have known?
    fn again(&self, sending: usize, id: RowId, since: u64) -> Result<Excuse, String> {
        let sent = &self.sendings[sending];
        if since >= sent.left {
            return Ok(Excuse::WhileUnderWay);
        }
        let first = !self.sendings[..sending].iter().any(|before| before.batch == sent.batch && !before.unsent);
        if first {
            // That our books do not call it owned was checked when it left.
            return Ok(Excuse::NotLooked);
        }
        if !sent.searches {
            return Ok(Excuse::CannotLook);
        }
        // That the look did not show it owned was checked when it left.
        match sent.looked.get(&id) {
            Some(looked) if since < *looked => {
                Err(format!("{id} of {:?} was charged again: owned since {since}, locked at {looked}", sent.batch))
            }
            _ => Ok(Excuse::AfterTheLook),
        }
    }
}
