//! What is known of the ids that were given: their own lines, and their rows in the basket.

use std::collections::HashMap;

use crate::ops::input::Given;
use lode_core::contact::RowId;
use lode_core::money::Staged;
use lode_engine::flow::unlock::suppress::shows_domain;

pub fn rows(given: Vec<Given>, basket: &[Staged]) -> Vec<Staged> {
    let basket: HashMap<RowId, &Staged> = basket.iter().map(|row| (row.id, row)).collect();
    given.into_iter().map(|given| known(&given, basket.get(&given.id).copied())).collect()
}

/// The line of an id; what it lacks comes from the row in the basket.
fn known(given: &Given, in_basket: Option<&Staged>) -> Staged {
    let Some(row) = in_basket else { return given.staged() };
    let mut about = given.about();
    if !shows_domain(&about.email) {
        about.email.clone_from(&row.email);
    }
    for (own, row) in [
        (&mut about.phone, &row.phone),
        (&mut about.name, &row.name),
        (&mut about.company, &row.company),
        (&mut about.email_status, &row.email_status),
        (&mut about.row, &row.row),
    ] {
        if own.is_empty() {
            own.clone_from(row);
        }
    }
    if given.row.is_none() {
        about.clue.clone_from(&row.clue);
    }
    Staged::new(given.id, row.owned, about)
}
