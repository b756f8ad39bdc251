//! The jobs there are, and which of them is looked at.

use crate::domain::contact::Side;
use crate::flow::export::{Job, JobId};
use crate::flow::own::OwnId;
use crate::flow::session::Session;

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
}

/// What a line is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// The order that is under way.
    Unlock,
    /// The last order that ended.
    LastUnlock,
    /// Rows on their way into the basket.
    Gathering(Side),
    /// A saved search that is being read.
    Scan(Side),
    Export(JobId),
    /// A command of the person's own.
    Own(OwnId),
    /// What runs of another profile, by its place among those.
    Elsewhere(usize),
}

/// What runs first, here and of other profiles, then what ended, the newest first.
pub fn items(session: &Session, behind: &[Session]) -> Vec<Item> {
    let mut items = Vec::new();
    if session.unlock.is_running() {
        items.push(Item::Unlock);
    }
    for side in session.sides() {
        if side.gathering().is_some() {
            items.push(Item::Gathering(side.side));
        }
        if side.watched().is_some() && !side.window.has_read_ahead() {
            items.push(Item::Scan(side.side));
        }
    }
    let running = |job: &&Job| job.is_running();
    items.extend(session.exports.jobs().filter(running).map(|job| Item::Export(job.id)));
    items.extend(session.own.jobs().filter(|job| job.is_running()).map(|job| Item::Own(job.id)));
    items.extend((0..behind.len()).map(Item::Elsewhere));
    items.extend(session.exports.jobs().filter(|job| !job.is_running()).map(|job| Item::Export(job.id)));
    items.extend(session.own.jobs().filter(|job| !job.is_running()).map(|job| Item::Own(job.id)));
    if session.unlock.last().is_some() {
        items.push(Item::LastUnlock);
    }
    items
}

impl State {
    pub fn item(&self, session: &Session, behind: &[Session]) -> Option<Item> {
        let items = items(session, behind);
        items.get(self.at.min(items.len().checked_sub(1)?)).copied()
    }
}
