//! Contacts: the id of a row, and the data that is known about the person.
//!
//! Identity is (source, corpus, id). Nothing says that ids agree between the two services, or between the corpora of one,
//! so nothing is ever keyed by the id alone.

use std::fmt;
use std::str::FromStr;

use super::money::OrderId;
use super::row::{Known, Row};
use super::time::Wall;

/// Service a row came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Source {
    #[default]
    Workspace,
    Data,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Corpus {
    #[default]
    Us,
    Linkedin,
}

impl Source {
    pub const ALL: [Source; 2] = [Source::Workspace, Source::Data];

    /// As in `--source` and in saved files.
    pub fn name(self) -> &'static str {
        ["workspace", "data"][self as usize]
    }

    /// As on the screen.
    pub fn title(self) -> &'static str {
        ["Workspace", "Data"][self as usize]
    }
}

impl Corpus {
    pub const ALL: [Corpus; 2] = [Corpus::Us, Corpus::Linkedin];

    /// The corpus key of both services.
    pub fn name(self) -> &'static str {
        ["us", "linkedin"][self as usize]
    }

    /// As a headline says it.
    pub fn title(self) -> &'static str {
        ["US", "LinkedIn"][self as usize]
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl fmt::Display for Corpus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that names neither corpus, or neither source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{word}` is not one of {}", known.join(", "))]
pub struct UnknownName {
    pub word: String,
    pub known: [&'static str; 2],
}

fn named<T: Copy>(word: &str, all: [T; 2], name: fn(T) -> &'static str) -> Result<T, UnknownName> {
    let found = all.into_iter().find(|one| name(*one) == word);
    found.ok_or_else(|| UnknownName { word: word.to_owned(), known: all.map(name) })
}

impl FromStr for Source {
    type Err = UnknownName;
    fn from_str(word: &str) -> Result<Source, UnknownName> {
        named(word, Source::ALL, Source::name)
    }
}

impl FromStr for Corpus {
    type Err = UnknownName;
    fn from_str(word: &str) -> Result<Corpus, UnknownName> {
        named(word, Corpus::ALL, Corpus::name)
    }
}

/// The service's number of a row. Means something only together with its source and corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RowId(pub i64);

impl fmt::Display for RowId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One side of the search: a service and one of its corpora. Each side keeps its own query, place and basket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Side {
    pub source: Source,
    pub corpus: Corpus,
}

impl Side {
    pub const ALL: [Side; 4] = [
        Side { source: Source::Workspace, corpus: Corpus::Us },
        Side { source: Source::Workspace, corpus: Corpus::Linkedin },
        Side { source: Source::Data, corpus: Corpus::Us },
        Side { source: Source::Data, corpus: Corpus::Linkedin },
    ];
}

/// `Workspace · US`
impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} · {}", self.source.title(), self.corpus.title())
    }
}

/// Who a row is, everywhere and always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContactKey {
    pub side: Side,
    pub id: RowId,
}

/// What the check of an email address found. The documents name four words; another one is kept as it came.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Verification {
    Valid,
    Invalid,
    Disposable,
    Unknown,
    Other(Box<str>),
}

impl Verification {
    pub fn read(word: &str) -> Verification {
        match word {
            "valid" => Verification::Valid,
            "invalid" => Verification::Invalid,
            "disposable" => Verification::Disposable,
            "unknown" => Verification::Unknown,
            other => Verification::Other(other.into()),
        }
    }

    pub fn word(&self) -> &str {
        match self {
            Verification::Valid => "valid",
            Verification::Invalid => "invalid",
            Verification::Disposable => "disposable",
            Verification::Unknown => "unknown",
            Verification::Other(word) => word,
        }
    }
}

/// What is known of a contact that the workspace owns, whichever answer it came from: an unlock, `already_unlocked` with a
/// whole contact, or a search row with `unlocked: true`. Empty text means that the answer did not carry the field.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Contact {
    pub email: String,
    pub phone: String,
    pub contact_name: String,
    pub company_name: String,
    pub title: String,
    pub verification: Option<Verification>,
    /// `Some` where an unlock answer said so, or where a contact with an unknown result turned out to be owned and its verification tells.
    pub refunded: Option<bool>,
}

impl Contact {
    /// Whether the answer carried what was paid for.
    pub fn has_address(&self) -> bool {
        !self.email.is_empty() && !self.email.contains('•')
    }

    /// Fills what is empty here with what `other` knows.
    pub fn complete_with(&mut self, other: &Contact) {
        for (mine, theirs) in [
            (&mut self.email, &other.email),
            (&mut self.phone, &other.phone),
            (&mut self.contact_name, &other.contact_name),
            (&mut self.company_name, &other.company_name),
            (&mut self.title, &other.title),
        ] {
            if mine.is_empty() {
                mine.clone_from(theirs);
            }
        }
        self.verification = self.verification.take().or_else(|| other.verification.clone());
        self.refunded = self.refunded.or(other.refunded);
    }
}

// An owned contact: how it was bought, and the tags and notes of its owner.

/// An owned contact as the ledger keeps it: one line of `lode owned`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    pub corpus: Corpus,
    pub id: RowId,
    pub contact: Contact,
    /// When the unlock answered, or when we first saw that it is owned.
    pub unlocked_at: Wall,
    pub tags: Vec<String>,
    pub note: String,
    /// The order that bought it through lode; none when the workspace owned it already.
    pub order: Option<OrderId>,
    /// The search it was found by, in the form that can be run again.
    pub search: Option<String>,
    /// The row that a search showed, with everything the service says of the contact. Its address may still be masked.
    pub row: Option<Row>,
}

impl Owned {
    /// Takes over a row of the contact: it says what the answer of the unlock left out.
    pub fn learn(&mut self, row: Option<Row>) {
        let Some(row) = row else { return };
        self.contact.complete_with(&Contact {
            contact_name: row.name(),
            company_name: row.known(Known::Company).to_owned(),
            title: row.known(Known::Title).to_owned(),
            ..Contact::default()
        });
        self.row = Some(row);
    }

    /// Whether these words occur in it, in its tags or in its note, in any case. Every contact mentions nothing at all.
    pub fn mentions(&self, words: &str) -> bool {
        let (words, contact) = (words.to_lowercase(), &self.contact);
        [&contact.contact_name, &contact.company_name, &contact.title, &contact.email, &contact.phone, &self.note]
            .into_iter()
            .map(String::as_str)
            .chain(self.tags.iter().map(String::as_str))
            .chain(self.row.iter().flat_map(Row::fields).map(|(_, _, text)| text))
            .any(|text| text.to_lowercase().contains(&words))
            || self.id.to_string() == words
    }
}

/// A contact that a search showed as owned: nothing was bought for it.
#[derive(Clone, Debug, PartialEq)]
pub struct SeenOwned {
    pub id: RowId,
    pub contact: Contact,
    /// The search that showed it.
    pub search: Option<String>,
    /// The whole row as JSON; empty where only the contact is known.
    pub row: String,
}
