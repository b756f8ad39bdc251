//! Credits: whole numbers that never wrap (money rule 12, *impossible stops*).
//!
//! A balance that the service reports may be negative or absurd, so the type holds any `i64`; sums that would leave it are
//! held at the edge.

use std::fmt;
use std::ops::{Add, Sub};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Credits(pub i64);

impl Credits {
    pub const ZERO: Credits = Credits(0);

    /// The credits that `count` contacts cost: one each.
    pub fn for_contacts(count: usize) -> Credits {
        Credits(i64::try_from(count).unwrap_or(i64::MAX))
    }

    /// `1 credit`, `1,204 credits`.
    pub fn words(self) -> String {
        let sign = if self.0 < 0 { "-" } else { "" };
        format!("{sign}{}", counted(self.0.unsigned_abs(), "credit"))
    }
}

impl Add for Credits {
    type Output = Credits;
    fn add(self, other: Credits) -> Credits {
        Credits(self.0.saturating_add(other.0))
    }
}

impl Sub for Credits {
    type Output = Credits;
    fn sub(self, other: Credits) -> Credits {
        Credits(self.0.saturating_sub(other.0))
    }
}

/// With thousands separated: `1,204`.
impl fmt::Display for Credits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = grouped(self.0.unsigned_abs());
        f.pad(&if self.0 < 0 { format!("-{digits}") } else { digits })
    }
}

/// `1 contact`, `1,204 contacts`.
pub fn contacts(count: usize) -> String {
    counted(count as u64, "contact")
}

/// A number and what it counts, agreeing: `1 row`, `2 rows`, `3 batches`, `4 entries`. Every counted thing in a sentence
/// goes through here.
pub fn counted(number: u64, one: &str) -> String {
    format!("{} {}", grouped(number), several(number, one))
}

/// The word alone: `row` for one, `rows` for any other number.
pub fn several(number: u64, one: &str) -> String {
    if number == 1 {
        return one.to_owned();
    }
    match one.strip_suffix('y').filter(|stem| !stem.ends_with(['a', 'e', 'o', 'u'])) {
        Some(stem) => format!("{stem}ies"),
        None if one.ends_with(['s', 'x']) || one.ends_with("ch") => format!("{one}es"),
        None => format!("{one}s"),
    }
}

/// The verb that agrees with a number: `agree(1, "is", "are")`.
pub fn agree(number: usize, one: &'static str, more: &'static str) -> &'static str {
    if number == 1 { one } else { more }
}

/// A whole number with its thousands separated by commas.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.char_indices() {
        text.extend((at > 0 && (digits.len() - at).is_multiple_of(3)).then_some(','));
        text.push(digit);
    }
    text
}
