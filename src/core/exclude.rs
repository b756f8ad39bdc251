//! Exclusions on this side of the service: words of a title or a company, companies, domains, suppression lists.
//!
//! Part of a search that is never sent: the service answers the same with it or without it.

use std::cell::LazyCell;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::sync::Arc;

use strum::VariantArray;

use super::choose::{Phrase, Traits, Words};
use super::contact::Side;
use super::credits::grouped;
use super::firm;
use super::row::Row;
use super::suppress::{Lists, Suppression, SuppressionCheck};

/// What a value of an exclusion is held against.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, VariantArray)]
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
    pub const ALL: [ExclusionKind; 5] = *ExclusionKind::VARIANTS.first_chunk().unwrap();

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

// Exclusions made quick to ask.

#[derive(Clone, Debug, Default)]
pub struct ExclusionFilter {
    pub of: Exclusions,
    phrases: Vec<(ExclusionKind, Phrase, String)>,
    /// By normalized name.
    companies: HashMap<String, String>,
    domains: HashMap<String, String>,
    /// Only those that are excluded.
    lists: Lists,
}

impl ExclusionFilter {
    pub fn new(of: &Exclusions, lists: &[Suppression]) -> ExclusionFilter {
        let mut exclusion_filter = ExclusionFilter { of: of.clone(), ..ExclusionFilter::default() };
        let mut named = Vec::new();
        for (kind, value) in of.iter() {
            let value = value.to_owned();
            match kind {
                ExclusionKind::Title | ExclusionKind::Word => {
                    exclusion_filter.phrases.extend(Phrase::new(&value).map(|phrase| (kind, phrase, value)));
                }
                ExclusionKind::Company => drop(exclusion_filter.companies.insert(firm::normal(&value), value)),
                ExclusionKind::Domain => drop(exclusion_filter.domains.insert(firm::comparable(&value), value)),
                ExclusionKind::List => named.extend(lists.iter().filter(|list| list.list == value).cloned()),
            }
        }
        exclusion_filter.lists = Lists::of(Arc::new(named));
        exclusion_filter
    }

    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Why a row is left out; `None` where it is not.
    pub fn why(&self, side: Side, row: &Row) -> Option<ExclusionReason<'_>> {
        if self.is_empty() {
            return None;
        }
        self.names(&Traits::of(row)).or_else(|| {
            let SuppressionCheck::Named(at) = self.lists.check_row(side, row) else { return None };
            Some(ExclusionReason { kind: ExclusionKind::List, value: self.lists.list(at) })
        })
    }

    /// The same for a contact of which only the plain facts are known: lists are not asked.
    pub fn names(&self, traits: &Traits<'_>) -> Option<ExclusionReason<'_>> {
        let [title, company] = [traits.title, traits.company].map(|text| LazyCell::new(move || Words::of(text)));
        let words = |kind: &ExclusionKind| if *kind == ExclusionKind::Title { *title } else { *company };
        let phrase = self.phrases.iter().find(|(kind, phrase, _)| phrase.is_among(words(kind)));
        let phrase = phrase.map(|(kind, _, value)| (*kind, value.as_str()));
        // Nothing is computed for a kind without exclusions: every row of a result passes here.
        let company = || {
            let name = (!self.companies.is_empty()).then(|| firm::normal(traits.company))?;
            Some((ExclusionKind::Company, self.companies.get(&name)?.as_str()))
        };
        let domain = || {
            let email = traits.email.rsplit_once('@').map_or("", |(_, domain)| domain);
            let texts = [email, traits.website].into_iter().filter(|_| !self.domains.is_empty());
            let found = texts.filter_map(firm::domain).find_map(|domain| self.domain(&firm::comparable(&domain)))?;
            Some((ExclusionKind::Domain, found))
        };
        phrase.or_else(company).or_else(domain).map(|(kind, value)| ExclusionReason { kind, value })
    }

    /// `mail.acme.example` is of `acme.example`.
    fn domain(&self, domain: &str) -> Option<&str> {
        let mut parents = std::iter::successors(Some(domain), |rest| rest.split_once('.').map(|(_, parent)| parent));
        parents.find_map(|parent| self.domains.get(parent)).map(String::as_str)
    }
}

// How many of the rows that were read are left out: counted page by page, as they come.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExcludedCounts {
    /// Rows and how many of them are left out, by the leg and where the page begins in it. A page that is read again counts once.
    pages: BTreeMap<(usize, u64), (u64, u64)>,
}

impl ExcludedCounts {
    pub fn page(&mut self, page: (usize, u64), rows: u64, excluded: u64) {
        self.pages.insert(page, (rows, excluded));
    }

    pub fn read(&self) -> u64 {
        self.pages.values().map(|(rows, _)| rows).sum()
    }

    pub fn excluded(&self) -> u64 {
        self.pages.values().map(|(_, excluded)| excluded).sum()
    }

    /// `3 of 100 read excluded`
    pub fn words(&self) -> String {
        format!("{} of {} read excluded", grouped(self.excluded()), grouped(self.read()))
    }
}
