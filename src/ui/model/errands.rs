//! What the screen itself asked for, past the machines: each answer is taken back with what it is for.

use std::mem::discriminant;

use lode_engine::effect::{CallId, Ticket};
use lode_engine::flow::desk::Heard;

use super::Named;

#[derive(Clone, Debug)]
pub enum Errand {
    /// Where the person was.
    Place,
    /// Rows of an earlier version that wait to be assigned.
    Earlier,
    /// A file, to be kept as a suppression list of this name.
    List(String),
    /// How many rows an export has without the keyword.
    Without,
    /// The export forms that the person made.
    Forms,
    /// Whether the file of an export is there.
    Exists(Box<Named>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Address {
    Call(CallId),
    Work(Ticket),
}

/// Those that have no answer yet; of one kind only the latest.
#[derive(Clone, Debug, Default)]
pub struct Errands(Vec<(Address, Errand)>);

impl Errands {
    pub fn add(&mut self, address: Address, errand: Errand) {
        self.drop(&errand);
        self.0.push((address, errand));
    }

    /// Its answer no longer matters.
    pub fn drop(&mut self, errand: &Errand) {
        self.0.retain(|(_, other)| discriminant(other) != discriminant(errand));
    }

    pub fn has(&self, errand: &Errand) -> bool {
        self.0.iter().any(|(_, other)| discriminant(other) == discriminant(errand))
    }

    /// What an answer is for.
    pub fn take(&mut self, heard: &Heard) -> Option<Errand> {
        let address = match heard {
            Heard::Reply(id, ..) => Address::Call(*id),
            Heard::Stored(ticket, _) | Heard::Filed(ticket, _) => Address::Work(*ticket),
            Heard::Progress(..) => return None,
        };
        let at = self.0.iter().position(|(to, _)| *to == address)?;
        Some(self.0.swap_remove(at).1)
    }
}
