//! The shape of every JSON line that lode prints. The schemas in `docs/schemas` are made from these types, by a test.
//!
//! Fields are only ever added. Their order is the order of the line.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};
use strum::Display;

use lode_core::{HeldBy, firm::CompanyCandidate};

/// Grows when a field changes its meaning or goes away.
pub const SCHEMA_VERSION: u32 = 1;

/// One contact of `lode unlock` or `lode recover`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct UnlockLine {
    pub id: i64,
    pub corpus: &'static str,
    #[schemars(extend("enum" = ["unlocked", "refunded", "already", "missing", "locked", "unknown"]))]
    pub outcome: &'static str,
    #[serde(flatten)]
    pub contact: ContactShape,
    /// True where the result stays unknown for good.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub unreachable: bool,
}

// The known fields of a contact: null where the answer did not carry it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ContactShape {
    pub email: Option<String>,
    pub phone: Option<String>,
    pub contact_name: Option<String>,
    pub company_name: Option<String>,
    pub title: Option<String>,
    pub verification: Option<String>,
}

/// The last line of a command that counts what it did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SummaryOf<T> {
    pub summary: T,
}

// The last line of `lode unlock` and `lode recover`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SummaryShape {
    pub asked: u64,
    pub charged: u64,
    pub refunded: u64,
    pub already: u64,
    pub missing: u64,
    pub locked: u64,
    pub unknown: u64,
    pub balance: Option<i64>,
    pub stopped_for_credits: bool,
    #[serde(skip_serializing_if = "is_zero")]
    pub unreachable: u64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct QuoteShape {
    pub corpus: &'static str,
    pub asked: usize,
    pub already: usize,
    #[serde(rename = "in_doubt")]
    pub unknown: usize,
    pub suppressed: usize,
    pub unchecked: usize,
    pub unchecked_because: BTreeMap<String, usize>,
    /// Left out because their company has as many better ones as wanted.
    pub beyond_company: usize,
    pub risky: usize,
    /// The same person, company and email as another contact: each costs a credit.
    pub duplicates: usize,
    /// Contacts that could be unlocked.
    pub to_unlock: usize,
    /// Ids in each call that is sent.
    pub calls: Vec<usize>,
    /// Contacts that stay locked: suppressed, not checked, or beyond what may be spent.
    pub locked: usize,
    /// The most that it can cost, within `max_credits`, the limits and the balance.
    pub most: i64,
    pub likely_low: Option<i64>,
    pub likely_high: Option<i64>,
    pub max_credits: i64,
    /// What keeps some of `to_unlock` locked: `max_credits`, `call_cap`, `session_cap`, `day_cap` or `balance`.
    pub bounded_by: Option<&'static str>,
    pub balance: Option<i64>,
    pub balance_after: Option<i64>,
    pub verify: bool,
}

/// One contact of `lode owned`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct OwnedLine {
    pub id: i64,
    pub corpus: &'static str,
    #[serde(flatten)]
    pub contact: ContactShape,
    pub refunded: Option<bool>,
    pub unlocked_at: String,
    pub tags: Vec<String>,
    pub note: String,
}

/// One order of `lode receipts`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ReceiptLine {
    pub order: i64,
    pub opened_at: String,
    pub profile: String,
    pub corpus: &'static str,
    pub ceiling: i64,
    pub verify: bool,
    pub calls: u32,
    pub asked: u64,
    pub charged: u64,
    pub refunded: u64,
    pub net: i64,
    pub valid: u64,
    pub unverified: u64,
    pub already: u64,
    pub missing: u64,
    pub locked: u64,
    pub unknown: u64,
    pub stopped_for_credits: bool,
    pub service_charged: Option<i64>,
    pub service_refunded: Option<i64>,
    pub balance: Option<i64>,
    /// The assistant that ordered it, if it was one.
    pub assistant: Option<String>,
}

/// One row of `lode basket list`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct BasketLine {
    pub id: i64,
    pub source: &'static str,
    pub corpus: &'static str,
    #[serde(rename = "ours")]
    pub owned: bool,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub contact_name: Option<String>,
    pub company_name: Option<String>,
    pub title: Option<String>,
    pub email_status: Option<String>,
}

/// The line of `lode me`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MeLine {
    pub org: OrgShape,
    pub key: KeyShape,
    pub credits: Option<i64>,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct OrgShape {
    pub id: String,
    pub name: String,
    pub plan: String,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct KeyShape {
    pub name: String,
    pub prefix: String,
    pub scopes: Vec<String>,
}

/// One search of `lode saved list` or `lode saved show`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedLine {
    pub name: String,
    pub source: Option<&'static str>,
    pub corpus: Option<&'static str>,
    pub filters: Option<Map<String, Value>>,
    /// What is left out on this side, by kind.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exclude: Option<Map<String, Value>>,
    #[serde(rename = "where")]
    #[schemars(extend("enum" = ["local", "service", "both"]))]
    pub home: &'static str,
    pub total: Option<u64>,
    pub last_run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unreadable: Option<String>,
}

/// The file that `lode export` wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ExportLine {
    pub path: String,
    pub rows: u64,
    pub bytes: u64,
    pub formulas: u64,
    pub phones: u64,
    pub not_text: u64,
    /// Rows that were left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub excluded: u64,
}

/// One finding of `lode doctor` or `lode ledger check`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FindingLine {
    #[schemars(with = "String")]
    pub grade: Grade,
    pub topic: &'static str,
    pub words: String,
    pub hint: Option<String>,
}

/// Whether a finding needs a fix.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Grade {
    #[serde(rename = "ok")]
    #[strum(serialize = "ok")]
    Fine,
    /// Worth knowing; needs no fix.
    Note,
    Bad,
}

/// One list of `lode suppress list`: how many entries of each kind it has.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuppressListLine {
    pub name: String,
    pub emails: u64,
    pub domains: u64,
    pub phones: u64,
    pub people: u64,
    pub contacts: u64,
}

/// One row of `lode suppress check`.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SuppressCheckLine {
    pub id: i64,
    pub corpus: &'static str,
    #[schemars(extend("enum" = ["clear", "suppressed", "unchecked"]))]
    pub check: &'static str,
    pub list: Option<String>,
    pub why: Option<String>,
    /// The entries that hold the row back; `any of N entries` where it could be any of a list.
    pub by: Vec<HeldBy>,
}

/// The score of a row and what it is made of: the parts add up to it.
#[derive(Debug, Serialize, JsonSchema)]
pub struct ScoreShape {
    pub score: i32,
    /// Points by rule, as `title director`.
    pub parts: Map<String, Value>,
}

/// One contact of a matched account of `lode match`, or an account without one.
#[derive(Debug, Default, Serialize, JsonSchema)]
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
    pub candidates: Vec<CompanyCandidate>,
}

// The last line of `lode match`.
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

// The last line of `lode search --summary`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchSummaryShape {
    /// Rows that match, as the service said last; exclusions are not subtracted. Null where not all of it was requested.
    pub total: Option<u64>,
    /// Rows that were read.
    pub read: u64,
    /// Rows that were printed.
    pub shown: u64,
    /// Rows read and left out by an exclusion.
    pub excluded: u64,
    /// Rows left out as duplicates when the best were chosen.
    pub duplicates: u64,
    /// Rows left out because their company has as many better ones as wanted.
    pub beyond_company: u64,
    /// Requests that this command made.
    pub requests: u64,
    /// Every row that matches was read.
    pub complete: bool,
}

// The last line of `lode saved run --summary`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedSummaryShape {
    pub name: String,
    /// Rows that match, as the service said last. Null where nothing was requested.
    pub total: Option<u64>,
    pub read: u64,
    pub shown: u64,
    pub excluded: u64,
    /// Rows that the last run did not have; all rows in the first run.
    pub new: u64,
    /// Rows that matched in the last run, and how many of them were read. Null in the first run.
    pub last_total: Option<u64>,
    pub last_read: Option<u64>,
    pub requests: u64,
    pub complete: bool,
}

// The last line of `lode match --dry-run --summary`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchPlanShape {
    pub accounts: u64,
    /// Columns of the list that are used.
    pub by: Vec<String>,
    pub requests_least: u64,
    pub requests_most: u64,
    /// Requests that an earlier run of the same command made.
    pub reused: u64,
    pub seconds: u64,
}

// The last line of `lode suppress add --summary` and `lode suppress rm --summary`.
#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct SuppressSummaryShape {
    pub list: String,
    /// Entries that the list did not have before.
    pub added: u64,
    pub removed: u64,
    /// Entries that were on the list already, or were not there to be removed.
    pub unchanged: u64,
    /// Lines without a usable value.
    pub skipped: u64,
    /// What was added or removed, by kind.
    pub emails: u64,
    pub domains: u64,
    pub phones: u64,
    pub people: u64,
    pub contacts: u64,
}

// What `lode ledger backup` or `lode ledger restore` did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerSummaryShape {
    #[schemars(extend("enum" = ["backup", "restore"]))]
    pub act: &'static str,
    /// The backup, as it was named.
    pub file: String,
    pub bytes: Option<u64>,
    /// Folder of the ledger.
    pub ledger: String,
    /// Where the ledger is kept that was there before a restore.
    pub replaced: Option<String>,
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}
