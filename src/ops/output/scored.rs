//! A row as a line: its fields as the service sent them, and the score that lode adds.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

/// One row of `lode search` or `lode saved run`: its fields as the service sent them.
#[derive(Debug, Serialize, JsonSchema)]
pub struct RowLine {
    pub id: Option<i64>,
    /// Only where `score.toml` has rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lode: Option<ScoreShape>,
    #[serde(flatten)]
    pub fields: BTreeMap<String, Value>,
}

/// The score of a row and what it is made of: the parts add up to it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScoreShape {
    pub score: i32,
    /// Points by rule, as `title director`.
    pub parts: Map<String, Value>,
}
