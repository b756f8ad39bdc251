//! The suppression lists that apply here: read from the store, and made quick to ask for every row of a frame.

use super::*;

#[derive(Clone, Debug, Default)]
pub struct SuppressionLists {
    pub all: Arc<Vec<Suppression>>,
    index: Lists,
    reading: Option<Ticket>,
    read: bool,
}

impl SuppressionLists {
    /// Reads the lists of these purses; an answer to an earlier reading no longer counts.
    pub fn read(&mut self, purses: Vec<PurseRef>, cx: &mut FlowContext<'_>) {
        self.reading = Some(cx.store(Owner::Lists, StoreCall::Suppressions { purses }));
    }

    pub fn is_reading(&self) -> bool {
        self.reading.is_some()
    }

    /// Whether they were ever asked for.
    pub fn is_wanted(&self) -> bool {
        self.read || self.is_reading()
    }

    /// Says whether they could be read; none where the answer is to something else.
    pub fn handle(&mut self, arrival: &Arrival) -> Option<Result<(), StoreFailure>> {
        let read = arrival.stored::<Vec<Suppression>>(&mut self.reading)?;
        Some(read.map_err(Clone::clone).map(|lists| {
            let all = Arc::new(lists.clone());
            *self = SuppressionLists { index: Lists::of(all.clone()), all, reading: None, read: true };
        }))
    }

    /// The lists, quick to ask. `None` until they were read.
    pub fn index(&self) -> Option<&Lists> {
        self.read.then_some(&self.index)
    }

    pub fn check(&self, side: Side, row: &Row) -> SuppressionCheck {
        self.index.check_row(side, row)
    }

    /// The entry that holds a row back, and how many others do.
    pub fn held_by(&self, check: &SuppressionCheck) -> Option<(HeldBy, usize)> {
        let by = match check {
            SuppressionCheck::Clear => return None,
            SuppressionCheck::Named(at) => return Some((self.index.held_by(*at), 0)),
            SuppressionCheck::Unchecked(_, may) => self.index.may_be_held_by(may),
        };
        Some((by.first()?.clone(), by.len() - 1))
    }
}
