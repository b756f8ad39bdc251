//! Everything that the referee lets pass, with the reason. What is not in this list is a broken rule.

use std::collections::BTreeMap;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Excuse {
    /// The request was applied more than 60 s after its line broke. The reading notes (M4) allow a delayed call that long; to wait
    /// longer would be to wait for ever.
    TooLate,
    /// The network or another member was faster: the contact became owned only after this request had left.
    WhileUnderWay,
    /// The service charges a contact again. Our earlier request for it was applied after the look that showed it locked.
    AfterTheLook,
    /// The service charges a contact again that another member had bought. It was sent for the first time, and no search of lode had
    /// ever shown it owned: before the first sending of an id no look is made.
    NotLooked,
    /// The service charges a contact again, and the key may not search: the document's own way to retry is all there is.
    CannotLook,
    /// The service charged a contact again and called it owned before: no answer says so. The fall of the balance does.
    Silently,
    /// The network made a copy of a request, and the copy was charged for a contact before the request reached it, so the one answer
    /// that comes back calls it owned before. Nothing on this side of the line could know. What the request itself was charged for is
    /// judged as always, and so is everything that was sent again or looked for.
    CopyFirst,
}

impl Excuse {
    pub fn name(self) -> &'static str {
        match self {
            Excuse::TooLate => "applied more than 60 s after its line broke",
            Excuse::WhileUnderWay => "charged again: owned only after the request had left",
            Excuse::AfterTheLook => "charged again: the earlier request was applied after the look",
            Excuse::NotLooked => "charged again: bought by another member, sent for the first time",
            Excuse::CannotLook => "charged again: the key may not search",
            Excuse::Silently => "charged again, and called owned before",
            Excuse::CopyFirst => "charged to a copy, before the request reached it",
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Excused(BTreeMap<Excuse, u64>);

impl Excused {
    pub fn count(&mut self, excuse: Excuse) {
        *self.0.entry(excuse).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Excused) {
        for (excuse, times) in &other.0 {
            *self.0.entry(*excuse).or_default() += times;
        }
    }

    pub fn lines(&self) -> String {
        self.0.iter().map(|(excuse, times)| format!("{times:>9}  excused: {}\n", excuse.name())).collect()
    }
}
