//! The shapes of the JSON lines of `lode match`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// One contact of a matched account of `lode match`, or an account without one.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchLine {
    /// Line of the list.
    pub line: u64,
    #[schemars(extend("enum" = ["matched", "ambiguous", "none"]))]
    pub result: &'static str,
    /// `domain` where the contact's domain is the account's, else `company`; null where nothing matched.
    pub by: Option<&'static str>,
    pub company: Option<String>,
    pub domain: Option<String>,
    pub why: Option<String>,
    /// The columns of the list.
    pub input: Map<String, Value>,
    /// The row as the service sent it.
    pub contact: Option<Map<String, Value>>,
    /// Companies that an ambiguous account may mean.
    pub candidates: Vec<CandidateShape>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct CandidateShape {
    pub company: String,
    pub domain: Option<String>,
    /// Contacts that were seen of it.
    pub contacts: u64,
    pub why: &'static str,
}

/// The last line of `lode match`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchSummaryLine {
    pub summary: MatchSummaryShape,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchSummaryShape {
    pub accounts: u64,
    pub matched: u64,
    pub ambiguous: u64,
    pub none: u64,
    pub contacts: u64,
    /// Requests of this run.
    pub requests: u64,
    /// Requests that an earlier run of the same command made.
    pub reused: u64,
    /// Contacts that were put into the basket, with `--basket`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub staged: Option<u64>,
}
