//! The values of a check: what it reads, what the last one read, and the proof that one was passed.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::effect::files::SavedProfile;
use crate::effect::store::{OpenBatch, Standing, Suppression};
use crate::effect::{CallId, Ticket};
use lode_core::account::Account;
use lode_core::contact::{RowId, Side, Source};
use lode_core::credits::{agree, contacts};
use lode_core::money::Caps;
use lode_core::put_back::put_back;
use lode_core::time::Mono;

use super::quote::{Basis, Who, known_by_id};
use super::suppress::{Check as Verdict, Lists, Shown};

/// A batch that waits for a slot is checked again this often.
pub(super) const AGAIN: Duration = Duration::from_secs(5);

/// What follows a check that nothing stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Then {
    /// The batch is written down.
    Intend,
    /// It is written down already, and sent.
    Send,
}

/// Proof that everything was read again. It is used up by the batch that is written down with it.
#[derive(Debug)]
pub(super) struct Checked {
    caps: Caps,
    lists: u64,
    standing: Option<Standing>,
}

impl Checked {
    /// What was read just now. Called where a check is passed, and nowhere else.
    pub(super) fn now(saved: &SavedProfile, lists: u64) -> Checked {
        Checked { caps: saved.profile.caps, lists, standing: saved.standing }
    }

    pub(super) fn caps(&self) -> Caps {
        self.caps
    }

    /// The revision of the suppression lists.
    pub(super) fn lists(&self) -> u64 {
        self.lists
    }

    /// What an assistant may spend without being asked.
    pub(super) fn standing(&self) -> Option<Standing> {
        self.standing
    }
}

/// A check that is being made.
#[derive(Clone, Debug)]
pub(super) struct Check {
    pub(super) then: Then,
    pub(super) settings: Option<Ticket>,
    pub(super) lists: Option<Ticket>,
    pub(super) account: Option<CallId>,
    pub(super) saved: Option<Box<SavedProfile>>,
    pub(super) revision: u64,
    /// Set where the lists are others than at the last check.
    pub(super) changed: Option<Vec<Suppression>>,
    /// At Enter.
    pub(super) paid_from: Option<Account>,
}

/// What a batch was last checked against.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) lists: Option<(u64, Vec<Suppression>)>,
    /// Contacts of one company at most, as the window and the settings have it.
    pub(super) limit: Option<u32>,
    pub(super) caps: Caps,
    /// When a batch was last found in order.
    pub(super) at: Mono,
    /// No check has been passed yet.
    pub(super) is_first: bool,
}

impl Known {
    pub(super) fn of(basis: &Basis, now: Mono) -> Known {
        Known { lists: None, limit: basis.limit.window, caps: basis.caps, at: now, is_first: true }
    }

    pub(super) fn again_at(&self) -> Mono {
        self.at.after(AGAIN)
    }
}

/// Why contacts are left out of a running order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum LeftOut {
    Listed(String),
    Unchecked,
    Beyond,
}

impl LeftOut {
    pub(super) fn words(&self, count: usize) -> String {
        let (who, are) = (contacts(count), agree(count, "is", "are"));
        match self {
            LeftOut::Listed(list) => format!("{who} {are} on the suppression list {list} now"),
            LeftOut::Unchecked => format!("{who} cannot be checked against the suppression lists now"),
            LeftOut::Beyond => format!("{who} {are} more than the limit per company now allows"),
        }
    }
}

/// What of the payer is another than the order was accepted for.
pub(super) fn other_payer(who: &Who, saved: &SavedProfile) -> Option<String> {
    let name = &who.profile;
    if saved.profile.name != *name {
        return Some(format!("profile {name} was removed"));
    }
    let Some(service) = &saved.profile.workspace else {
        return Some(format!("profile {name} no longer has a Workspace key"));
    };
    if saved.profile.purse_origin(service) != who.purse.origin {
        return Some(format!("the address of profile {name} changed"));
    }
    (service.key != who.key && !put_back("old-key")).then(|| format!("the key of profile {name} changed"))
}

/// Contacts of a batch with an unknown result that the lists do not allow to send again, with the reason.
pub(super) fn held_back(batch: &OpenBatch, lists: &Lists) -> BTreeMap<RowId, LeftOut> {
    let side = Side { source: Source::Workspace, corpus: batch.corpus };
    let why = |id: &RowId| {
        let row = batch.open.iter().find(|open| open.id == *id).and_then(|open| open.row.as_ref());
        let verdict = match row {
            Some(row) => lists.check_row(side, row),
            None => lists.check(side, Shown::of(&known_by_id(*id))),
        };
        match verdict {
            Verdict::Clear => None,
            Verdict::Named(at) => Some((*id, LeftOut::Listed(lists.list(at).to_owned()))),
            Verdict::Unchecked(..) => Some((*id, LeftOut::Unchecked)),
        }
    };
    batch.ids.iter().filter_map(why).collect()
}
