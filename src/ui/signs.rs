//! The signs that say the state of a row: one cell each, the same on every screen.

use std::borrow::Cow;

use strum::VariantArray;

use super::theme::Role;
use lode_core::RISKY_STATUSES;

/// In the order of a legend, the most common first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, VariantArray)]
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
    /// Its letter, its look, and its word in a legend.
    const fn parts(self) -> (&'static str, Role, &'static str) {
        match self {
            Sign::Basket => ("●", Role::SignBasket, "in basket"),
            Sign::Owned => ("✓", Role::SignOwned, "owned"),
            Sign::Suppressed => ("⊘", Role::Suppressed, "suppressed"),
            Sign::Refunded => ("!", Role::SignWarn, "refunded"),
            Sign::Unknown => ("?", Role::Danger, "unknown"),
            Sign::New => ("+", Role::New, "new"),
            Sign::Repeat => ("=", Role::SignWarn, "duplicate"),
            Sign::Excluded => ("–", Role::Suppressed, "excluded"),
        }
    }

    pub const fn letter(self) -> &'static str {
        self.parts().0
    }

    pub const fn role(self) -> Role {
        self.parts().1
    }

    pub const fn word(self) -> &'static str {
        self.parts().2
    }

    /// The sign before a label: `✓ owned`.
    pub fn before(self, words: &str) -> String {
        format!("{} {words}", self.letter())
    }
}

/// The dot of a status, the word for it, and their looks.
pub fn status_of(raw: &str) -> Option<(&'static str, Role, Cow<'_, str>, Role)> {
    let (dot, dot_role, role) = match raw {
        "" => return None,
        "valid" | "cross_verified" => ("●", Role::SignOwned, Role::Good),
        "catch_all" => ("◐", Role::SignBasket, Role::Staged),
        raw if RISKY_STATUSES.contains(&raw) => ("○", Role::SignWarn, Role::Warning),
        _ => ("○", Role::Dim, Role::Dim),
    };
    let word = match raw {
        "cross_verified" => "verified".into(),
        _ if raw.contains('_') => raw.replace('_', "-").into(),
        _ => raw.into(),
    };
    Some((dot, dot_role, word, role))
}

/// An email or phone that is owned, as mask mode shows it.
pub fn shown(masked: bool, text: &str) -> String {
    if masked && !text.is_empty() { "•••".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use lode_core::text::width;

    #[test]
    fn each_sign_takes_one_cell_and_means_one_thing() {
        assert!(Sign::VARIANTS.iter().all(|sign| width(sign.letter()) == 1));
        let letters: BTreeSet<&str> = Sign::VARIANTS.iter().map(|sign| sign.letter()).collect();
        let words: BTreeSet<&str> = Sign::VARIANTS.iter().map(|sign| sign.word()).collect();
        assert_eq!((letters.len(), words.len()), (8, 8));
    }
}
