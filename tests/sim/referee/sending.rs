//! What must be so when a request for an unlock leaves.

use lode_core::contact::RowId;
use lode_core::money::BatchId;
use lode_engine::effect::unlock::UnlockBody;

use super::{Batch, Referee, Sending, Who};

impl Referee {
    /// A request for an unlock leaves. `flying`: what living windows have on the wire. Answers its number.
    pub fn leaves(&mut self, who: &Who, call: &UnlockBody, flying: &[usize], at: u64) -> Result<usize, String> {
        let is_it = |batch: &Batch| {
            (batch.writer, batch.purse, batch.corpus, batch.verify)
                == (who.generation, who.purse, call.corpus, call.verify)
                && batch.ids == call.ids
        };
        let Some((id, batch)) = self.batches.iter().rev().find(|(_, batch)| is_it(batch)) else {
            return Err(format!("an unlock of {:?} left that was not written down like this", call.ids));
        };
        let (id, batch) = (*id, batch.clone());
        for other in flying {
            let other = &self.sendings[*other];
            if other.generation == who.generation {
                return Err("two unlocks of one window in flight".to_owned());
            }
            let beside = &self.batches[&other.batch];
            let shared = (beside.purse, beside.corpus) == (batch.purse, batch.corpus)
                && beside.ids.iter().any(|id| batch.ids.contains(id));
            if shared {
                return Err(format!("{id:?} left while {:?} with an id of it was on the wire", other.batch));
            }
        }
        if let Some(order) = who.order.filter(|order| self.alarmed.contains(&order.no)) {
            return Err(format!("{id:?} left after the alarm about the amount {}", order.typed));
        }
        self.unlisted(id, &batch)?;
        self.own_key(id, who, at)?;
        self.looked_before(id, &batch, who, at)?;
        let seen = |id: &RowId| self.seen.get(&(who.generation, batch.corpus, *id)).filter(|seen| !seen.unlocked);
        let looked = batch.ids.iter().filter_map(|id| Some((*id, seen(id)?.served))).collect();
        self.sendings.push(Sending {
            batch: id,
            generation: who.generation,
            order: who.order,
            searches: who.searches,
            left: at,
            broke: None,
            answered: None,
            unsent: false,
            copied: false,
            looked,
        });
        Ok(self.sendings.len() - 1)
    }

    /// *Look first*: nothing goes out again that is known to be owned, or that was not looked for since it went out last.
    fn looked_before(&self, id: BatchId, batch: &Batch, who: &Who, at: u64) -> Result<(), String> {
        for row in &batch.ids {
            let owned = self.owned.get(&(batch.purse, batch.corpus, *row));
            if owned.is_some_and(|since| *since < batch.intended_at) {
                return Err(format!("{row} of {id:?} left although our own books call it owned"));
            }
        }
        let before = self.sendings.iter().filter(|sent| sent.batch == id && !sent.unsent);
        let Some(last) = before.map(|sent| sent.left).max() else { return Ok(()) };
        if !who.searches {
            return Ok(());
        }
        let looked = self.searched.get(&(who.generation, batch.corpus)).is_some_and(|served| *served > last);
        if !looked {
            return Err(format!("{id:?} left again without a look at its result"));
        }
        for row in &batch.ids {
            let seen = self.seen.get(&(who.generation, batch.corpus, *row));
            if let Some(seen) = seen.filter(|seen| seen.unlocked && seen.told < at) {
                return Err(format!("{row} of {id:?} left again, and a search had shown it owned at {}", seen.served));
            }
        }
        Ok(())
    }
}
