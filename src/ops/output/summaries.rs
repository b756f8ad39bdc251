//! The shapes of the lines that `--summary` adds at the end, and of what `lode ledger` did.

use schemars::JsonSchema;
use serde::Serialize;

/// The last line of `lode search --summary`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchSummaryLine {
    pub summary: SearchSummaryShape,
}

#[derive(Debug, Serialize, JsonSchema)]
pub struct SearchSummaryShape {
    /// Rows that match, as the service said last; exclusions are not subtracted. Null where nothing was requested.
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

/// The last line of `lode saved run --summary`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SavedSummaryLine {
    pub summary: SavedSummaryShape,
}

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

/// The last line of `lode match --dry-run --summary`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct MatchPlanLine {
    pub summary: MatchPlanShape,
}

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

/// The last line of `lode suppress add --summary` and `lode suppress rm --summary`.
#[derive(Debug, Serialize, JsonSchema)]
pub struct SuppressSummaryLine {
    pub summary: SuppressSummaryShape,
}

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

/// What `lode ledger backup` or `lode ledger restore` did.
#[derive(Debug, Serialize, JsonSchema)]
pub struct LedgerSummaryLine {
    pub summary: LedgerSummaryShape,
}

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
