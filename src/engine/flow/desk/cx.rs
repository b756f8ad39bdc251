//! What a machine works with, and the address under which it is answered.

use crate::effect::call::Call;
use crate::effect::files::FileCall;
use crate::effect::store::StoreCall;
use crate::effect::{CallId, Effect, Ticket};
use crate::flow::limiter::Priority;
use lode_core::contact::{Corpus, Side};
use lode_core::time::{Mono, Now};

use super::Desk;

/// Who asked: the return address of a request and of a piece of work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    Balance,
    History,
    Unlock,
    Recovery,
    Ledger,
    /// What assistants ask the person of this window.
    Requests,
    /// The suppression lists.
    Lists,
    /// What other windows did.
    Elsewhere,
    Shelf,
    Glance,
    /// A saved search on its way to its window.
    ToRun,
    Exports,
    Matching,
    /// Commands of the person's own.
    Own,
    Totals(Corpus),
    Window(Side),
    Coverage(Side),
    Basket(Side),
    Gathering(Side),
    /// Asks the store to remember something. Nothing waits for the answer; only a failure is reported.
    Memory,
    /// The screen or the script itself, past the machines.
    Caller,
}

/// What a machine works with: the moment, the desk it asks, and the effects.
#[derive(Debug)]
pub struct Cx<'a> {
    pub now: Now,
    pub desk: &'a mut Desk,
    pub fx: &'a mut Vec<Effect>,
}

impl Cx<'_> {
    /// See [`Desk::ask`].
    pub fn ask(&mut self, owner: Owner, call: Call, priority: Priority) -> CallId {
        self.desk.ask(owner, call, priority, self.now, self.fx)
    }

    /// See [`Desk::cancel`].
    pub fn cancel(&mut self, id: CallId) -> bool {
        self.desk.cancel(id, self.now, self.fx)
    }

    /// See [`Desk::hurry`].
    pub fn hurry(&mut self, id: CallId, priority: Priority) {
        self.desk.hurry(id, priority, self.now, self.fx);
    }

    /// See [`Desk::may_wait`].
    pub fn may_wait(&mut self, until: Mono) -> bool {
        self.desk.may_wait(until, self.now)
    }

    pub fn store(&mut self, owner: Owner, call: StoreCall) -> Ticket {
        self.desk.store(owner, call, self.fx)
    }

    pub fn file(&mut self, owner: Owner, call: FileCall) -> Ticket {
        self.desk.file(owner, call, self.fx)
    }

    /// See [`Desk::end_export`].
    pub fn end_export(&mut self, owner: Owner, id: CallId, keep: bool) -> Option<Ticket> {
        self.desk.end_export(owner, id, keep, self.fx)
    }
}
