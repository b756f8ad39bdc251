//! Saved searches at work: what the last run had is fetched first, then the search runs in its window, and what was read of it
//! is remembered for the next time.

use crate::effect::Effect;
use crate::flow::desk::{Heard, Owner};
use crate::flow::saved::Refused;
use crate::flow::saved::watch::Watch;
use lode_core::query::Query;
use lode_core::time::Now;

use super::{Event, Session};

impl Session {
    /// Reads the saved searches: the files, and the service's list where there is a key for it.
    pub fn read_saved(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.shelf.load(&mut self.desk.at(now, fx));
        self.shelf.ask_service(&mut self.desk.at(now, fx));
    }

    /// Runs a saved search in the window of its side. Answers what it asks.
    pub fn run_saved(&mut self, name: &str, now: Now, fx: &mut Vec<Effect>) -> Result<Query, Refused> {
        let entry = self.shelf.named(name).ok_or_else(|| Refused::Unknown(name.to_owned()))?;
        let query = entry.query.clone().map_err(|_| entry.unreadable())?;
        self.to_run = Some(self.watch_saved(entry.name, query.clone(), Owner::ToRun, now, fx));
        Ok(query)
    }

    /// What the last run of a saved search had is asked for: the answers belong to the watch.
    pub fn watch_saved(&mut self, name: String, query: Query, owner: Owner, now: Now, fx: &mut Vec<Effect>) -> Watch {
        let purse = self.purse_of(query.side.source).unwrap_or_else(|| self.profile.earlier());
        Watch::start(name, query, owner, (&purse, &self.profile.name), &mut self.desk.at(now, fx))
    }

    /// What the saved searches come to now.
    pub fn glance_at_saved(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let runnable: Vec<_> = self
            .shelf
            .entries()
            .into_iter()
            .filter(|entry| entry.query.as_ref().is_ok_and(|query| self.has(query.side.source)))
            .collect();
        self.glance.begin(&runnable, &mut self.desk.at(now, fx));
    }

    pub(super) fn hear_to_run(&mut self, heard: &Heard, now: Now, fx: &mut Vec<Effect>) {
        let Some(mut watch) = self.to_run.take() else { return };
        if let Err(failure) = watch.hear(heard) {
            self.events.push(Event::StoreFailed(failure));
        }
        if watch.is_ready() {
            let (side, desk) = self.side_mut(watch.query().side);
            side.watch(watch, &mut desk.at(now, fx));
        } else {
            self.to_run = Some(watch);
        }
    }

    /// What ran and is read is remembered, once.
    pub(super) fn remember_watched(&mut self, now: Now, fx: &mut Vec<Effect>) {
        for at in 0..self.sides.len() {
            let place = self.sides[at].side;
            let purse = self.purse_of(place.source).unwrap_or_else(|| self.profile.earlier());
            let side = &mut self.sides[at];
            let Some(watch) = side.watched_to_the_end() else { continue };
            let Some(calls) = watch.remember(now.wall, &purse, &self.profile.name) else { continue };
            let (name, total) = (watch.name().to_owned(), watch.total());
            let news = watch.has_before().then(|| watch.news());
            for call in calls {
                self.desk.store(Owner::Memory, call, fx);
            }
            self.shelf.ran(&name, total, &mut self.desk.at(now, fx));
            self.glance.ran(&name, total, news, now);
            self.events.push(Event::Watched { side: place });
        }
    }
}
