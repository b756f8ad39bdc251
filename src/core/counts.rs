//! Totals of a whole corpus per state and per SIC code.

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CountKind {
    State,
    Sic,
}

impl CountKind {
    pub fn name(self) -> &'static str {
        ["state", "sic"][self as usize]
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    pub kind: CountKind,
    pub code: String,
    /// What the service calls it; empty where it sent only the code.
    pub name: String,
    pub count: u64,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// The service's own total, where it sent one.
    pub total: Option<u64>,
    pub counts: Vec<Count>,
}
