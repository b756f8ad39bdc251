//! Totals of a corpus per state and per SIC code: one cached call of the service.
//!
//! The answer says nothing about a search: it is of the whole corpus, and the screen says so.

use std::collections::BTreeMap;

use crate::effect::{Call, CallId, Failure, Reply};
use lode_core::{Corpus, CountKind, Counts, Mono, codes};

use super::desk::{Arrival, FlowContext, Owner};
use super::limiter::Priority;

/// With the names we know for codes that the service sent without one.
fn named(mut counts: Counts) -> Counts {
    let (states, sic): (BTreeMap<_, _>, BTreeMap<_, _>) = (codes::states().collect(), codes::sic().collect());
    for count in counts.counts.iter_mut().filter(|count| count.name.is_empty()) {
        let names = if count.kind == CountKind::State { &states } else { &sic };
        count.name = names.get(count.code.as_str()).copied().unwrap_or_default().to_owned();
    }
    counts
}

#[derive(Clone, Debug)]
pub struct Totals {
    corpus: Corpus,
    asked: Option<(CallId, Mono)>,
    pub counts: Option<Counts>,
    /// Why the last asking brought nothing.
    pub failure: Option<Failure>,
}

impl Totals {
    pub fn new(corpus: Corpus) -> Totals {
        Totals { corpus, asked: None, counts: None, failure: None }
    }

    /// Asks, unless it is being asked already. What is known stays until the answer is there.
    pub fn ask(&mut self, cx: &mut FlowContext<'_>) {
        if self.asked.is_none() {
            let id = cx.ask(Owner::Totals(self.corpus), Call::Counts(self.corpus), Priority::Person);
            self.asked = Some((id, cx.now.mono));
        }
    }

    pub fn stop(&mut self, cx: &mut FlowContext<'_>) {
        if let Some((id, _)) = self.asked.take() {
            cx.cancel(id);
        }
    }

    pub fn handle(&mut self, arrival: &Arrival) {
        let Arrival::Reply(id, _, result) = arrival else { return };
        if self.asked.take_if(|(asked, _)| asked == id).is_none() {
            return;
        }
        self.failure = match result {
            Ok(Reply::Counts(counts)) => {
                self.counts = Some(named(counts.clone()));
                None
            }
            Ok(_) => Some(Failure::OurBug { words: "unexpected response to a counts request".to_owned() }),
            Err(failure) => Some(failure.clone()),
        };
    }

    /// Since when it is being asked.
    pub fn running_since(&self) -> Option<Mono> {
        self.asked.map(|(_, since)| since)
    }
}
