//! Totals of a corpus per state and per SIC code: one cached call of the service, kept with its age.
//!
//! The answer says nothing about a search: it is of the whole corpus, and the screen says so.

use std::collections::BTreeMap;

use crate::effect::{Call, CallId, Failure, Reply};
use lode_core::{Corpus, CountKind, Counts, Mono, Now, Wall, codes};

use super::desk::{Arrival, FlowContext, Owner};
use super::limiter::Priority;

/// With the names we know for codes that the service sent without one.
fn named(counts: &Counts) -> Counts {
    let known: [BTreeMap<&str, &str>; 2] = [codes::states().collect(), codes::sic().collect()];
    let mut counts = counts.clone();
    for count in counts.counts.iter_mut().filter(|count| count.name.is_empty()) {
        let names = match count.kind {
            CountKind::State => &known[0],
            CountKind::Sic => &known[1],
        };
        count.name = names.get(count.code.as_str()).copied().unwrap_or_default().to_owned();
    }
    counts
}

#[derive(Clone, Debug)]
pub struct Totals {
    corpus: Corpus,
    asked: Option<(CallId, Mono)>,
    counts: Option<(Counts, Wall)>,
    failure: Option<Failure>,
}

impl Totals {
    pub fn new(corpus: Corpus) -> Totals {
        Totals { corpus, asked: None, counts: None, failure: None }
    }

    /// Asks, unless it is being asked already. What is known stays until the answer is there.
    pub fn ask(&mut self, cx: &mut FlowContext<'_>) {
        if self.asked.is_none() {
            self.asked =
                Some((cx.ask(Owner::Totals(self.corpus), Call::Counts(self.corpus), Priority::Person), cx.now.mono));
        }
    }

    pub fn stop(&mut self, cx: &mut FlowContext<'_>) {
        if let Some((id, _)) = self.asked.take() {
            cx.cancel(id);
        }
    }

    /// True when it was the answer that was waited for.
    pub fn handle(&mut self, arrival: &Arrival, now: Now) -> bool {
        let Arrival::Reply(id, _, result) = arrival else { return false };
        if self.asked.is_none_or(|(asked, _)| asked != *id) {
            return false;
        }
        self.asked = None;
        match result {
            Ok(Reply::Counts(counts)) => {
                self.counts = Some((named(counts), now.wall));
                self.failure = None;
            }
            Ok(_) => {
                self.failure = Some(Failure::OurBug { words: "unexpected response to a counts request".to_owned() })
            }
            Err(failure) => self.failure = Some(failure.clone()),
        }
        true
    }

    pub fn counts(&self) -> Option<&Counts> {
        self.counts.as_ref().map(|(counts, _)| counts)
    }

    /// Since when it is being asked.
    pub fn running_since(&self) -> Option<Mono> {
        self.asked.map(|(_, since)| since)
    }

    /// Why the last asking brought nothing.
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }
}
