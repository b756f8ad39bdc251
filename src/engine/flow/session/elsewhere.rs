//! What other windows and commands did to the records that all of them share: heard of, looked at by a few numbers, and read
//! again only where it is another one than before.

use std::time::Duration;

use crate::effect::store::{Changes, StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Heard, Owner};
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::time::{Mono, Now};

use super::{Event, Session};

/// A balance that was read longer ago is read again when the window gets the focus.
const STALE_BALANCE: Duration = Duration::from_secs(15);

/// What another window wrote to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Touched {
    /// The ledger with basket, owned contacts and lists.
    pub records: bool,
    /// Where requests are counted.
    pub requests: bool,
    /// What waits for a person: proposals of assistants.
    pub proposals: bool,
    /// The files of the saved searches.
    pub saved: bool,
}

impl Touched {
    pub const ALL: Touched = Touched { records: true, requests: true, proposals: true, saved: true };
}

#[derive(Clone, Debug, Default)]
pub(super) struct Elsewhere {
    known: Option<Changes>,
    asking: Option<Ticket>,
    /// Something was written while it was being looked at.
    again: bool,
    /// When it was last looked at.
    looked: Mono,
}

impl Session {
    /// The window got the focus: what others may have changed is read again.
    pub fn focused(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.balance.refresh_if_older(STALE_BALANCE, &mut self.desk.at(now, fx));
        self.ledger.read_spent(&mut self.desk.at(now, fx));
        self.recovery.refresh(&mut self.desk.at(now, fx));
        self.read_requests(fx);
        self.watch_jobs(now, fx);
        for side in &mut self.sides {
            side.basket.check(&mut self.desk.at(now, fx));
        }
    }

    /// Another window may have written something there: it is read again.
    pub fn touched(&mut self, touched: Touched, now: Now, fx: &mut Vec<Effect>) {
        if touched.records {
            self.look_elsewhere(now, fx);
            self.watch_jobs(now, fx);
        }
        if touched.requests {
            self.desk.read_gauges(fx);
        }
        if touched.proposals {
            self.read_requests(fx);
        }
        if touched.saved && self.shelf.is_loaded() {
            self.shelf.load(&mut self.desk.at(now, fx));
        }
    }

    /// Whether others changed something is being found out.
    pub(super) fn is_looking_elsewhere(&self) -> bool {
        self.elsewhere.asking.is_some()
    }

    pub(super) fn look_elsewhere(&mut self, now: Now, fx: &mut Vec<Effect>) {
        if self.elsewhere.asking.is_some() {
            self.elsewhere.again = true;
            return;
        }
        let call = StoreCall::Changes { purse: self.balance.purse() };
        self.elsewhere.asking = Some(self.desk.at(now, fx).store(Owner::Elsewhere, call));
    }

    pub(super) fn hear_elsewhere(&mut self, heard: &Heard, now: Now, fx: &mut Vec<Effect>) {
        if self.hear_jobs(heard, now, fx) {
            return;
        }
        let Heard::Stored(ticket, result) = heard else { return };
        if self.elsewhere.asking.take_if(|asking| *asking == *ticket).is_none() {
            return;
        }
        if std::mem::take(&mut self.elsewhere.again) {
            self.look_elsewhere(now, fx);
        }
        // What cannot be read now is looked at with the next change.
        let Ok(StoreReply::Changes(changes)) = result else { return };
        let since = std::mem::replace(&mut self.elsewhere.looked, now.mono);
        let before = self.elsewhere.known.replace(changes.clone());
        if before.as_ref().is_some_and(|before| before.stamp == changes.stamp) {
            return;
        }
        self.compare_jobs(before.as_ref(), changes, now, fx);
        let Some(before) = before else { return };
        for side in &mut self.sides {
            side.basket.check(&mut self.desk.at(now, fx));
        }
        if let Some((credits, at)) = changes.balance
            && before.balance != changes.balance
            && self.balance.read_at().is_none_or(|read| read < at)
        {
            self.balance.told(credits, now);
            self.events.push(Event::Balance);
        }
        if before.owned != changes.owned {
            self.moved_since = Some(since);
            self.ledger.refresh(&mut self.desk.at(now, fx));
        } else if before.money != changes.money {
            self.ledger.refresh_money(&mut self.desk.at(now, fx));
        }
        if before.money != changes.money {
            self.recovery.refresh(&mut self.desk.at(now, fx));
        }
        if before.lists != changes.lists && self.lists.is_wanted() {
            self.read_lists(now, fx);
        }
    }

    /// Rows fill in whose contacts were bought or seen elsewhere.
    pub(super) fn fill_in(&mut self, newly: Vec<(Corpus, RowId)>, now: Now, fx: &mut Vec<Effect>) {
        let mut moved = [false; 2];
        for (corpus, id) in newly {
            let Some(contact) = self.ledger.contact(corpus, id).map(|owned| owned.contact.clone()) else { continue };
            let (side, _) = self.side_mut(Side { source: Source::Workspace, corpus });
            side.own(id, &contact);
            moved[corpus as usize] = true;
        }
        let since = self.moved_since.take();
        for corpus in Corpus::ALL {
            let (Some(since), true) = (since, moved[corpus as usize]) else { continue };
            let (side, desk) = self.side_mut(Side { source: Source::Workspace, corpus });
            if side.window.query().hide_owned {
                side.window.reread_since(since, &mut desk.at(now, fx));
            }
            if let Some(totals) = side.window.service_totals() {
                side.coverage.refresh_later(&totals, &mut desk.at(now, fx));
            }
        }
    }
}
