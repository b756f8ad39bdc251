//! Contacts: the id of a row, and the data that is known about the person.
//!
//! Identity is (source, corpus, id). Nothing says that ids agree between the two services, or between the corpora of one,
//! so nothing is ever keyed by the id alone.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::Deserialize;
use strum::{AsRefStr, Display, EnumString, IntoStaticStr};

/// Service a row came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = no_source)]
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    #[default]
    Workspace,
    Data,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Display, EnumString, IntoStaticStr)]
#[strum(serialize_all = "lowercase", parse_err_ty = String, parse_err_fn = no_corpus)]
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Corpus {
    #[default]
    Us,
    Linkedin,
}

impl Source {
    pub const ALL: [Source; 2] = [Source::Workspace, Source::Data];

    /// As in `--source` and in saved files.
    pub fn name(self) -> &'static str {
        self.into()
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
        self.into()
    }

    /// As a headline says it.
    pub fn title(self) -> &'static str {
        ["US", "LinkedIn"][self as usize]
    }
}

/// The error for a word that names neither source.
fn no_source(word: &str) -> String {
    format!("`{word}` is not one of {}", Source::ALL.map(Source::name).join(", "))
}

/// The error for a word that names neither corpus.
fn no_corpus(word: &str) -> String {
    format!("`{word}` is not one of {}", Corpus::ALL.map(Corpus::name).join(", "))
}

/// The service's number of a row. Means something only together with its source and corpus.
// The comment above is not for a client that reads the schema of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[schemars(description = "")]
pub struct RowId(#[schemars(range(min = 1))] pub i64);

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
#[derive(Clone, Debug, PartialEq, Eq, Hash, AsRefStr, EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum Verification {
    Valid,
    Invalid,
    Disposable,
    Unknown,
    #[strum(default, transparent)]
    Other(Box<str>),
}

impl Verification {
    pub fn read(word: &str) -> Verification {
        Verification::from_str(word).expect("any word is one")
    }

    pub fn word(&self) -> &str {
        self.as_ref()
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
