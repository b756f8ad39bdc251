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
pub enum ExclusionKind {
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
const KINDS: [(ExclusionKind, &str, &str, &str, char, &str); 5] = [
    (ExclusionKind::Title, "title", "not-title", "word in title", 't', "title has"),
    (ExclusionKind::Word, "company_word", "not-company-word", "word in company", 'w', "company has"),
    (ExclusionKind::Company, "company", "not-company", "company", 'c', "company"),
    (ExclusionKind::Domain, "domain", "not-domain", "domain", 'd', "domain"),
    (ExclusionKind::List, "list", "not-list", "suppression list", 'l', "list"),
];

impl ExclusionKind {
    pub const ALL: [ExclusionKind; 5] =
        [ExclusionKind::Title, ExclusionKind::Word, ExclusionKind::Company, ExclusionKind::Domain, ExclusionKind::List];

    pub fn name(self) -> &'static str {
        KINDS[self as usize].1
    }

    pub fn flag(self) -> &'static str {
        KINDS[self as usize].2
    }

    pub fn named(name: &str) -> Option<ExclusionKind> {
        ExclusionKind::ALL.into_iter().find(|kind| kind.name() == name)
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
    pub kind: ExclusionKind,
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
    entries: BTreeSet<(ExclusionKind, String)>,
}

impl Exclusions {
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (ExclusionKind, &str)> {
        self.entries.iter().map(|(kind, value)| (*kind, value.as_str()))
    }

    pub fn values(&self, kind: ExclusionKind) -> impl Iterator<Item = &str> {
        self.iter().filter(move |(known, _)| *known == kind).map(|(_, value)| value)
    }

    /// Answers whether it was not there before.
    pub fn add(&mut self, kind: ExclusionKind, value: &str) -> Result<bool, InvalidExclusion> {
        let value = value.split_whitespace().collect::<Vec<_>>().join(" ");
        let value = match kind {
            ExclusionKind::Title | ExclusionKind::Word if Phrase::new(&value).is_none() => {
                return Err(InvalidExclusion::NoWord(value));
            }
            ExclusionKind::Company if firm::normal(&value).is_empty() => return Err(InvalidExclusion::NoWord(value)),
            ExclusionKind::Domain => firm::domain(&value).ok_or(InvalidExclusion::NoDomain(value))?,
            ExclusionKind::List if value.is_empty() => return Err(InvalidExclusion::NoWord(value)),
            _ => value,
        };
        Ok(self.entries.insert((kind, value)))
    }

    pub fn remove(&mut self, kind: ExclusionKind, value: &str) -> bool {
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
        assert_eq!(not.add(ExclusionKind::Title, " - "), Err(InvalidExclusion::NoWord("-".to_owned())));
        assert_eq!(not.add(ExclusionKind::Domain, "acme"), Err(InvalidExclusion::NoDomain("acme".to_owned())));
        assert_eq!(not.add(ExclusionKind::Company, "  "), Err(InvalidExclusion::NoWord(String::new())));
        assert!(not.is_empty());
        assert_eq!(not.add(ExclusionKind::Domain, "https://www.Acme.example/x"), Ok(true));
        assert_eq!(not.add(ExclusionKind::Domain, "acme.example"), Ok(false), "the same once");
        assert_eq!(not.values(ExclusionKind::Domain).collect::<Vec<_>>(), ["acme.example"]);
        assert!(not.remove(ExclusionKind::Domain, "acme.example") && not.is_empty());
    }

    #[test]
    fn every_kind_has_a_name_a_flag_and_a_letter_of_its_own() {
        let letters: BTreeSet<char> = ExclusionKind::ALL.into_iter().map(ExclusionKind::letter).collect();
        assert_eq!(letters.len(), ExclusionKind::ALL.len());
        for kind in ExclusionKind::ALL {
            assert_eq!(ExclusionKind::named(kind.name()), Some(kind));
            assert_eq!(kind.flag(), format!("not-{}", kind.name().replace('_', "-")));
        }
    }
}
