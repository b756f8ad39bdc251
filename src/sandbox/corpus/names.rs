//! First and last names, the most common first, as a census has them. The people who bear them here are invented.

use super::lists::{Dealt, SLOTS, deal, entries, slug};

pub(in crate::sandbox) struct Name {
    pub(in crate::sandbox) text: &'static str,
    pub(in crate::sandbox) lower: String,
    /// As it stands in an email address.
    pub(in crate::sandbox) slug: String,
}

pub(in crate::sandbox) struct Names {
    pub(in crate::sandbox) first: Vec<Name>,
    pub(in crate::sandbox) last: Vec<Name>,
    /// The first name of each slot, and the last name.
    pub(in crate::sandbox) first_of: Dealt,
    pub(in crate::sandbox) last_of: Dealt,
}

impl Names {
    pub(super) fn read() -> Names {
        let first = names(include_str!("../../../assets/sandbox/first_names.txt"));
        let last = names(include_str!("../../../assets/sandbox/last_names.txt"));
        let first_of = Dealt::new(deal(&falling(first.len(), 12.0), SLOTS, 0.5));
        let last_of = Dealt::new(deal(&falling(last.len(), 25.0), SLOTS, 0.5));
        Names { first, last, first_of, last_of }
    }
}

fn names(text: &'static str) -> Vec<Name> {
    entries(text).map(|text| Name { text, lower: text.to_lowercase(), slug: slug(text) }).collect()
}

/// Names thin out with their rank, slowly at the top and then as one over the rank.
fn falling(count: usize, flat: f64) -> Vec<f64> {
    (0..count).map(|rank| 1.0 / (rank as f64 + flat)).collect()
}
