//! What can happen to the books: the lines of the journal. Read back in order they give the same books.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::sandbox::corpus::Verification;

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Event {
    /// Everything that went before is gone.
    Reset,
    /// The service itself; its keys follow from the number.
    Founded {
        identity: u64,
    },
    OrgFounded {
        id: String,
        name: String,
        plan: String,
    },
    CreditsSet {
        at_ms: u64,
        org: String,
        credits: i64,
    },
    KeyMade {
        hash: String,
        name: String,
        prefix: String,
        org: String,
        scopes: Vec<String>,
    },
    UserMade {
        hash: String,
        name: String,
    },
    Revoked {
        name: String,
    },
    Unlocked {
        at_ms: u64,
        org: String,
        by: String,
        call: u64,
        corpus: String,
        contacts: Vec<Bought>,
    },
    Spent {
        at_ms: u64,
        org: String,
        by: String,
        credits: i64,
    },
    Suppressed {
        corpus: String,
        ids: Vec<u64>,
    },
    Released {
        corpus: String,
        ids: Vec<u64>,
    },
    Pulled {
        user: String,
        corpus: String,
        ids: Vec<u64>,
    },
    Saved {
        user: String,
        id: u64,
        payload: serde_json::Value,
    },
    SavedRemoved {
        user: String,
        ids: Vec<u64>,
    },
}

/// One contact as it changed hands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bought {
    pub id: u64,
    /// None where the check was turned off.
    #[serde(serialize_with = "check_or_null", deserialize_with = "check_from_word")]
    pub verification: Option<Verification>,
    pub refunded: bool,
}

/// The word of the documents for what a check found.
pub fn check_word(found: Verification) -> &'static str {
    match found {
        Verification::Valid => "valid",
        Verification::Invalid => "invalid",
        Verification::Disposable => "disposable",
        Verification::Unknown => "unknown",
    }
}

pub fn check_or_null<S: Serializer>(found: &Option<Verification>, to: S) -> Result<S::Ok, S::Error> {
    found.map(check_word).serialize(to)
}

fn check_from_word<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Verification>, D::Error> {
    let Some(word) = Option::<String>::deserialize(from)? else { return Ok(None) };
    [Verification::Valid, Verification::Invalid, Verification::Disposable, Verification::Unknown]
        .into_iter()
        .find(|found| check_word(*found) == word)
        .map(Some)
        .ok_or_else(|| serde::de::Error::custom(format!("no verification is called {word:?}")))
}
