//! What can happen to the books: the lines of the journal. Read back in order they give the same books.

use serde::{Deserialize, Serialize};

use crate::corpus::{Kind, Verification};

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
        corpus: Kind,
        contacts: Vec<Bought>,
    },
    Spent {
        at_ms: u64,
        org: String,
        by: String,
        credits: i64,
    },
    Suppressed {
        corpus: Kind,
        ids: Vec<u64>,
    },
    Released {
        corpus: Kind,
        ids: Vec<u64>,
    },
    Pulled {
        user: String,
        corpus: Kind,
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
    pub verification: Option<Verification>,
    pub refunded: bool,
}
