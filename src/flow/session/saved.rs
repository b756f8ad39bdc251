//! Saved searches at work: what the last run had is fetched first, then the search runs in its window, and what was read of it
//! is remembered for the next time.

use crate::domain::query::Query;
use crate::domain::time::Now;
use crate::effect::store::{Snapshot, StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Heard, Owner};
use crate::flow::saved::Refused;
use crate::flow::saved::watch::Watch;

use super::{Event, Session};

/// A saved search on its way to its window.
#[derive(Clone, Debug)]
pub(super) struct ToRun {
    /// One for each leg, until it is answered.
    tickets: Vec<Ticket>,
    before: Vec<Option<Snapshot>>,
    name: String,
    query: Query,
}

impl Session {
    /// Reads the saved searches: the files, and the service's list where there is a key for it.
    pub fn read_saved(&mut self, now: Now, fx: &mut Vec<Effect>) {
        // While a change is on its way, the files are not what they will be.
        if !self.shelf.is_busy() {
            self.shelf.load(&mut self.desk.at(now, fx));
        }
        self.shelf.ask_service(&mut self.desk.at(now, fx));
    }

    /// Runs a saved search in the window of its side. Answers what it asks.
    pub fn run_saved(&mut self, name: &str, fx: &mut Vec<Effect>) -> Result<Query, Refused> {
        let entry = self.shelf.named(name).ok_or_else(|| Refused::Unknown(name.to_owned()))?;
        let query = entry.query.ok_or_else(|| Refused::Unreadable(name.to_owned()))?;
        let (profile, name) = (self.profile.name.clone(), entry.name);
        let purse = self.purse_of(query.side.source).unwrap_or_else(|| self.profile.earlier());
        let legs = if query.ready().is_ok() { query.legs() } else { vec![query.clone()] };
        let mut asks = |leg: &Query| {
            let (purse, profile, name) = (purse.clone(), profile.clone(), name.clone());
            let call = StoreCall::SnapshotOf { purse, profile, name, query: leg.canonical() };
            self.desk.store(Owner::ToRun, call, fx)
        };
        let tickets: Vec<Ticket> = legs.iter().map(&mut asks).collect();
        let before = vec![None; tickets.len()];
        self.to_run = Some(ToRun { tickets, before, name, query: query.clone() });
        Ok(query)
    }

    /// What the saved searches come to now.
    pub fn glance_at_saved(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let runnable: Vec<_> = self
            .shelf
            .entries()
            .into_iter()
            .filter(|entry| entry.query.as_ref().is_some_and(|query| self.has(query.side.source)))
            .collect();
        self.glance.begin(&runnable, &mut self.desk.at(now, fx));
    }

    pub(super) fn hear_to_run(&mut self, heard: &Heard, now: Now, fx: &mut Vec<Effect>) {
        let Heard::Stored(ticket, result) = heard else { return };
        let Some(run) = &mut self.to_run else { return };
        // The store answers in the order in which it was asked.
        let Some(at) = run.tickets.iter().position(|asked| asked == ticket) else { return };
        match result {
            Ok(StoreReply::Snapshot(before)) => run.before[at].clone_from(before),
            Ok(_) => {}
            Err(failure) => self.events.push(Event::StoreFailed(failure.clone())),
        }
        if at + 1 < run.tickets.len() {
            return;
        }
        let Some(run) = self.to_run.take() else { return };
        let watch = Watch::new(run.name, run.query.clone(), run.before);
        let (side, desk) = self.side_mut(run.query.side);
        side.watch(watch, run.query, &mut desk.at(now, fx));
    }

    /// What ran and is read is remembered, once.
    pub(super) fn remember_watched(&mut self, now: Now, fx: &mut Vec<Effect>) {
        for at in 0..self.sides.len() {
            let place = self.sides[at].side;
            let purse = self.purse_of(place.source).unwrap_or_else(|| self.profile.earlier());
            let side = &mut self.sides[at];
            let Some(watch) = side.watched_to_the_end() else { continue };
            let Some(legs) = watch.remember(now.wall) else { continue };
            let (name, total) = (watch.name().to_owned(), watch.total());
            let news = watch.has_before().then(|| watch.news());
            for (query, snapshot) in legs {
                let (purse, profile, name) = (purse.clone(), self.profile.name.clone(), name.clone());
                self.desk.store(Owner::Memory, StoreCall::Snapshot { purse, profile, name, query, snapshot }, fx);
            }
            self.shelf.ran(&name, total, &mut self.desk.at(now, fx));
            self.glance.ran(&name, total, news, now);
            self.events.push(Event::Watched { side: place });
        }
    }
}
