//! What is known of the ids that were given: their own lines, and their rows in the basket.

use std::collections::BTreeMap;

use crate::cli::input::Given;
use crate::domain::contact::RowId;
use crate::domain::money::Staged;
use crate::flow::unlock::suppress::shows_domain;

pub fn rows(given: &[Given], basket: &[Staged]) -> Vec<Staged> {
    let basket: BTreeMap<RowId, &Staged> = basket.iter().map(|row| (row.id, row)).collect();
    given.iter().map(|given| known(given, basket.get(&given.id).copied())).collect()
}

/// The line of an id; what it lacks comes from the row in the basket.
fn known(given: &Given, in_basket: Option<&Staged>) -> Staged {
    let mut staged = given.staged();
    let Some(row) = in_basket else { return staged };
    staged.ours |= row.ours;
    if !shows_domain(&staged.email) {
        staged.email.clone_from(&row.email);
    }
    for (own, row) in [
        (&mut staged.phone, &row.phone),
        (&mut staged.name, &row.name),
        (&mut staged.company, &row.company),
        (&mut staged.email_status, &row.email_status),
        (&mut staged.row, &row.row),
    ] {
        if own.is_empty() {
            own.clone_from(row);
        }
    }
    if given.row.is_none() {
        staged.clue.clone_from(&row.clue);
    }
    staged
}
