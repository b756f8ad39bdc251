//! What a person leaves out on this side: words of a title or a company, companies, domains, suppression lists.
//!
//! Part of a search that is never sent: the service answers the same with it or without it. Which rows it leaves out is said
//! by `flow::choose`, which knows what is on a list.

use std::collections::BTreeSet;
use std::fmt;

use super::firm;
use super::phrase::Phrase;

/// What a value of an exclusion is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A word of the title.
    Title,
    /// A word of the company's name.
    Word,
    /// A company, by its normalized name.
    Company,
    /// A domain with all below it.
    Domain,
    /// A suppression list, by its name.
    List,
}

/// Each kind in the order of the enum: its name in saved files, its flag, what it leaves out (as a menu and `--help` say it), its
/// letter in the menu, and how the note of a row that it leaves out begins.
const KINDS: [(Kind, &str, &str, &str, char, &str); 5] = [
    (Kind::Title, "title", "not-title", "word in title", 't', "title has"),
    (Kind::Word, "company_word", "not-company-word", "word in company", 'w', "company has"),
    (Kind::Company, "company", "not-company", "company", 'c', "company"),
    (Kind::Domain, "domain", "not-domain", "domain", 'd', "domain"),
    (Kind::List, "list", "not-list", "suppression list", 'l', "list"),
];

impl Kind {
    pub const ALL: [Kind; 5] = [Kind::Title, Kind::Word, Kind::Company, Kind::Domain, Kind::List];

    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    pub fn flag(self) -> &'static str {
        KINDS[self as usize].2
    }

    pub fn named(name: &str) -> Option<Kind> {
        Kind::ALL.into_iter().find(|kind| kind.name() == name)
    }

    pub fn label(self) -> &'static str {
        KINDS[self as usize].3
    }

    pub fn letter(self) -> char {
        KINDS[self as usize].4
    }
}

/// Why a row is left out: the exclusion that names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExclusionReason<'a> {
    pub kind: Kind,
    pub value: &'a str,
}

/// `excluded: title has intern`
impl fmt::Display for ExclusionReason<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (.., says) = KINDS[self.kind as usize];
        write!(f, "excluded: {says} {}", self.value)
    }
}

/// A value that excludes nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidExclusion {
    #[error("`{0}` has no word in it")]
    NoWord(String),
    #[error("`{0}` is not a domain; write it like example.com")]
    NoDomain(String),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Exclusions {
    entries: BTreeSet<(Kind, String)>,
}

impl Exclusions {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (Kind, &str)> {
        self.entries.iter().map(|(kind, value)| (*kind, value.as_str()))
    }

    pub fn values(&self, kind: Kind) -> impl Iterator<Item = &str> {
        self.iter().filter(move |(known, _)| *known == kind).map(|(_, value)| value)
    }

    /// Answers whether it was not there before.
    pub fn add(&mut self, kind: Kind, value: &str) -> Result<bool, InvalidExclusion> {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let value = match kind {
            Kind::Title | Kind::Word if Phrase::new(&value).is_none() => return Err(InvalidExclusion::NoWord(value)),
            Kind::Company if firm::normal(&value).is_empty() => return Err(InvalidExclusion::NoWord(value)),
            Kind::Domain => firm::domain(&value).ok_or(InvalidExclusion::NoDomain(value))?,
            Kind::List if value.is_empty() => return Err(InvalidExclusion::NoWord(value)),
            _ => value,
        };
        Ok(self.entries.insert((kind, value)))
    }

    pub fn remove(&mut self, kind: Kind, value: &str) -> bool {
        self.entries.remove(&(kind, value.to_owned()))
    }

    pub fn clear(&mut self) {
        self.entries.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_excludes_nothing_is_not_taken() {
        let mut not = Exclusions::default();
        assert_eq!(not.add(Kind::Title, " - "), Err(InvalidExclusion::NoWord("-".to_owned())));
        assert_eq!(not.add(Kind::Domain, "acme"), Err(InvalidExclusion::NoDomain("acme".to_owned())));
        assert_eq!(not.add(Kind::Company, "  "), Err(InvalidExclusion::NoWord(String::new())));
        assert!(not.is_empty());
        assert_eq!(not.add(Kind::Domain, "https://www.Acme.example/x"), Ok(true));
        assert_eq!(not.add(Kind::Domain, "acme.example"), Ok(false), "the same once");
        assert_eq!(not.values(Kind::Domain).collect::<Vec<_>>(), ["acme.example"]);
        assert!(not.remove(Kind::Domain, "acme.example") && not.is_empty());
    }

    #[test]
    fn every_kind_has_a_name_a_flag_and_a_letter_of_its_own() {
        let letters: BTreeSet<char> = Kind::ALL.into_iter().map(Kind::letter).collect();
        assert_eq!(letters.len(), Kind::ALL.len());
        for kind in Kind::ALL {
            assert_eq!(Kind::named(kind.name()), Some(kind));
            assert_eq!(kind.flag(), format!("not-{}", kind.name().replace('_', "-")));
        }
    }
}
