//! Where a redirect leads is one more request, which the service counts like any other: before it goes, it takes a place in
//! the allowance of its key, from the same books as every request that the flows ask for.
//!
//! Of the allowance nothing is known here but what those asked for first. The request that was answered by the redirect is over,
//! so it is its place that is written down as answered; the slot that the flows hold goes on to stand for the one in flight.

use std::collections::HashMap;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

use crate::domain::time::Now;
use crate::effect::Ticket;
use crate::effect::profile::Allowance;
use crate::effect::store::{StoreCall, StoreReply};
use crate::shell::http::{Another, NoRoom};
use crate::shell::secrets;
use crate::shell::store::Store;

/// What the thread of the store is asked for.
pub(super) enum Work {
    Call(Ticket, StoreCall),
    /// A place in the allowance of a key, for where a redirect leads.
    Turn(StoreCall, oneshot::Sender<Result<(), NoRoom>>),
    End,
}

/// What was first asked of the store for each key.
#[derive(Clone, Default)]
pub(super) struct Turns(Arc<Mutex<HashMap<String, StoreCall>>>);

impl Turns {
    pub(super) fn learn(&self, call: &StoreCall) {
        if let StoreCall::Reserve { key, .. } = call {
            let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            if !known.contains_key(&key.0) {
                known.insert(key.0.clone(), call.clone());
            }
        }
    }

    /// Asks the thread of the store. A key for which nobody ever asked has no books here.
    pub(super) fn asking(&self, store: Sender<Work>) -> Another {
        let known = Arc::clone(&self.0);
        Box::new(move |key| {
            let hash = secrets::hash(key).0;
            let asked = known.lock().unwrap_or_else(PoisonError::into_inner).get(&hash).cloned();
            let store = store.clone();
            Box::pin(async move {
                let Some(reserve) = asked else { return Ok(()) };
                let (told, heard) = oneshot::channel();
                store.send(Work::Turn(reserve, told)).map_err(|_| NoRoom::Uncounted)?;
                heard.await.map_err(|_| NoRoom::Uncounted)?
            })
        })
    }
}

/// Takes the place, as of a request that has just been answered.
pub(super) fn take(store: &mut Store, reserve: StoreCall, now: Now) -> Result<(), NoRoom> {
    let StoreCall::Reserve { key, allowance, window } = reserve else { return Err(NoRoom::Uncounted) };
    // It is over: how many are in flight is not changed by it.
    let any = Allowance { in_flight: u32::MAX, ..allowance };
    match store.perform(StoreCall::Reserve { key: key.clone(), allowance: any, window }, now) {
        Ok(StoreReply::Reserved { slot, .. }) => {
            // Where it cannot be given back it stays taken as long as this window lives.
            let _ = store.perform(StoreCall::Release { slot, key, allowance }, now);
            Ok(())
        }
        Ok(StoreReply::Wait { until, .. }) => {
            Err(NoRoom::Before(Duration::from_millis(until.0.saturating_sub(now.mono.0))))
        }
        _ => Err(NoRoom::Uncounted),
    }
}
