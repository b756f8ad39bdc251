//! Whether a row on the screen is on a suppression list. Asked for every visible row of every frame.

use crate::domain::contact::{RowId, Side};
use crate::domain::row::{Known, Row};
use crate::effect::store::Suppression;
use crate::flow::unlock::suppress::{Check, Lists, Shown};

#[derive(Clone, Debug, Default)]
pub struct Suppressed {
    lists: Vec<Suppression>,
    index: Lists,
}

impl Suppressed {
    pub fn of(lists: Vec<Suppression>) -> Suppressed {
        Suppressed { index: Lists::of(&lists), lists }
    }

    pub fn lists(&self) -> &[Suppression] {
        &self.lists
    }

    pub fn names(&self, side: Side, row: &Row) -> bool {
        matches!(self.check(side, row), Check::Named(_))
    }

    pub fn check(&self, side: Side, row: &Row) -> Check<'_> {
        if self.index.is_empty() {
            return Check::Clear;
        }
        let id = row.id.unwrap_or(RowId(i64::MIN));
        let (email, phone, company) = (row.email(), row.known(Known::Phone), row.known(Known::Company));
        self.index.check(side, Shown { id, email, phone, name: &row.name(), company })
    }
}
