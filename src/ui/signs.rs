//! The signs that say the state of a row: one cell each, the same on every screen.

use super::theme::Role;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    Basket,
    Owned,
    Suppressed,
    Refunded,
    Unknown,
    New,
    /// The same contact as an earlier row.
    Repeat,
    /// Stays out of what is about to happen.
    Excluded,
}

impl Sign {
    pub const ALL: [Sign; 8] = [
        Sign::Basket,
        Sign::Owned,
        Sign::Suppressed,
        Sign::Refunded,
        Sign::Unknown,
        Sign::New,
        Sign::Repeat,
        Sign::Excluded,
    ];

    pub const fn letter(self) -> &'static str {
        match self {
            Sign::Basket => "●",
            Sign::Owned => "✓",
            Sign::Suppressed => "⊘",
            Sign::Refunded => "!",
            Sign::Unknown => "?",
            Sign::New => "+",
            Sign::Repeat => "=",
            Sign::Excluded => "–",
        }
    }

    pub const fn role(self) -> Role {
        match self {
            Sign::Basket => Role::SignBasket,
            Sign::Owned => Role::SignOwned,
            Sign::Suppressed | Sign::Excluded => Role::Suppressed,
            Sign::Refunded => Role::SignWarn,
            Sign::Unknown => Role::Danger,
            Sign::New => Role::New,
            Sign::Repeat => Role::SignWarn,
        }
    }

    /// As a legend says it.
    pub const fn word(self) -> &'static str {
        match self {
            Sign::Basket => "in basket",
            Sign::Owned => "owned",
            Sign::Suppressed => "suppressed",
            Sign::Refunded => "refunded",
            Sign::Unknown => "unknown",
            Sign::New => "new",
            Sign::Repeat => "repeat",
            Sign::Excluded => "excluded",
        }
    }

    /// The sign before a label: `✓ owned`.
    pub fn before(self, words: &str) -> String {
        format!("{} {words}", self.letter())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::ui::widgets::text::width;

    #[test]
    fn each_sign_takes_one_cell_and_means_one_thing() {
        assert!(Sign::ALL.iter().all(|sign| width(sign.letter()) == 1));
        let letters: BTreeSet<&str> = Sign::ALL.iter().map(|sign| sign.letter()).collect();
        let words: BTreeSet<&str> = Sign::ALL.iter().map(|sign| sign.word()).collect();
        assert_eq!((letters.len(), words.len()), (8, 8));
    }
}
