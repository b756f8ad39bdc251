//! Whom to buy, as a step of the session: what is left out, how many rows `A` reads and what it takes of them.

use crate::effect::Effect;
use crate::effect::profile::Profile;
use crate::effect::store::{StoreCall, SuppressEntry};
use crate::flow::desk::{Heard, Owner};
use crate::flow::lists::SuppressionLists;
use lode_core::choose::Choosing;
use lode_core::contact::{Side, Source};
use lode_core::exclude::Exclusions;
use lode_core::time::Now;

use super::{Event, Session, place};

/// What `A` will do, said before it does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Rows that are read, from the first.
    pub among: u64,
    pub requests: u64,
    /// At least one.
    pub minutes: u64,
}

impl Session {
    pub fn lists(&self) -> &SuppressionLists {
        &self.lists
    }

    /// Reads the suppression lists that apply here: said with [`Event::Lists`].
    pub fn read_lists(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let purses = self.purses();
        self.lists.read(purses, &mut self.desk.at(now, fx));
    }

    /// Adds to a list of the purse in use.
    pub fn suppress(&mut self, list: String, entries: Vec<SuppressEntry>, now: Now, fx: &mut Vec<Effect>) {
        let purse = self.list_purse();
        self.desk.store(Owner::Memory, StoreCall::Suppress { purse, list, entries }, fx);
        self.read_lists(now, fx);
    }

    /// Removes a whole list.
    pub fn remove_list(&mut self, list: String, now: Now, fx: &mut Vec<Effect>) {
        let purses = self.purses();
        self.desk.store(Owner::Memory, StoreCall::RemoveSuppression { purses, list, entries: None }, fx);
        self.read_lists(now, fx);
    }

    /// Once the lists were read, exclusions may name them.
    pub(super) fn hear_lists(&mut self, heard: &Heard) {
        let Some(read) = self.lists.hear(heard) else { return };
        match &read {
            Ok(()) => {
                self.exports.know_lists(self.lists.all().clone());
                self.taste.know_lists(self.lists.all().clone());
                for side in &mut self.sides {
                    side.sieve = None;
                    side.keep_sieve(&self.taste);
                }
            }
            Err(failure) => self.review_failed = self.is_reviewing().then(|| failure.clone()),
        }
        self.events.push(Event::Lists(read));
    }

    /// The settings were changed by their owner.
    pub fn set_choosing(&mut self, choosing: Choosing) {
        self.taste.set(&self.profile.choosing, &choosing);
        self.profile.choosing = choosing;
        self.know_owned();
    }

    /// What settings and keys said of the profile just now.
    pub(super) fn saved_as(&mut self, saved: Profile) {
        self.profile.caps = saved.caps;
        (self.profile.batch, self.profile.large_batch) = (saved.batch, saved.large_batch);
        self.profile.large_from = saved.large_from;
        if self.profile.choosing != saved.choosing {
            self.set_choosing(saved.choosing);
        }
    }

    /// Of which companies a contact is owned, once the ledger was read.
    pub(super) fn know_owned(&mut self) {
        if self.ledger.is_loaded() {
            self.taste.know_owned(self.ledger.changes(), self.ledger.owned());
        }
    }

    /// What is left out of the result that is shown. Nothing is asked for again.
    pub fn leave_out(&mut self, side: Side, not: Exclusions, now: Now, fx: &mut Vec<Effect>) {
        let side = &mut self.sides[place(side)];
        side.window.leave_out(not);
        side.keep_sieve(&self.taste);
        if let Some(total) = side.window.total() {
            self.history.searched(side.window.query(), total, &mut self.desk.at(now, fx));
        }
    }

    /// Whether rows of this side are chosen: not all are taken, or not in the order of the service.
    pub fn chooses(&self, side: Side) -> bool {
        self.taste.has_score() || self.taste.per_company.is_some() || !self.side(side).window.query().not.is_empty()
    }

    /// What it takes to choose of the result that is shown.
    pub fn plan(&self, side: Side) -> Plan {
        let service = match side.source {
            Source::Workspace => self.profile.workspace.as_ref(),
            Source::Data => self.profile.data.as_ref(),
        };
        let allowed = service.and_then(|service| service.allowance.requests).map_or(u64::MAX, u64::from);
        let window = &self.side(side).window;
        let among = window.total().unwrap_or(0).min(self.taste.among());
        let requests = window.requests_for(among);
        let slow = (requests * window.took_ms().unwrap_or(0)).div_ceil(60_000);
        Plan { among, requests, minutes: requests.div_ceil(allowed.max(1)).max(slow).max(1) }
    }
}
