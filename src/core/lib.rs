//! Layer 0: the business, as plain values and pure functions.
//!
//! Credits, contacts, queries, pages, accounts, saved searches, counts, packed sets of ids, suppression, scoring, choosing, export
//! formats; text width, colors, keys and cells as values.
//! No clock, no I/O and no HTTP: a moment is a [`time::Now`] that the caller passes in, a row is what a parser made
//! of a response.

// Each item is as visible as it needs to be, so that the compiler finds unused ones.
#![warn(unreachable_pub)]

pub mod cells;
pub mod choose;
pub mod codes;
pub mod color;
pub mod contact;
pub mod credits;
pub mod crm;
pub mod exclude;
pub mod export;
pub mod filter;
pub mod firm;
pub mod ids;
pub mod keyboard;
pub mod link;
pub mod money;
pub mod needle;
pub mod owned;
pub mod purse;
pub mod put_back;
pub mod query;
pub mod rank;
pub mod row;
pub mod same_person;
pub mod saved;
pub mod scrub;
pub mod shell_line;
pub mod suppress;
pub mod text;
pub mod time;

// The names that other crates use. Inside this crate a type is named by its module.
pub use cells::{DrawnList, Frame, Link, is_tail, is_wide};
pub use choose::{
    ChoiceRules, Choosing, MOST_POINTS, MOST_RULES, Phrase, Score, ScoreField, ScoreRule, ScoreRules, Scorer,
    Selection, Traits,
};
pub use codes::{Count, CountKind, Counts};
pub use contact::{Contact, ContactKey, Corpus, RowId, Side, Source, Verification};
pub use credits::{Credits, agree, contacts, counted, grouped};
pub use exclude::{ExcludedCounts, ExclusionFilter, ExclusionKind, ExclusionReason, Exclusions, InvalidExclusion};
pub use export::preset::Preset;
pub use export::records::CsvRecords;
pub use export::{Cell, ExportWriter, Layout, Spread, is_phone_column, owned_rows, plain_cell, push_row, row_text};
pub use filter::{Filter, MatchKind, RISKY_STATUSES};
pub use firm::Similarity;
pub use keyboard::english_text;
pub use link::{Lead, LeadKind, MailTemplate, is_tellable, is_web};
pub use money::{BatchId, Caps, Clue, OrderId, Outcome, Staged, StagedFields, Tally};
pub use needle::Needle;
pub use owned::{Owned, OwnedPeople, SeenOwned};
pub use purse::{Account, KeyHash, Origin, Purse, PurseOwner, PurseRef};
pub use put_back::put_back;
pub use query::{ASKED_ABOVE, Query, QueryProblem, Speed};
pub use row::{CellKind, ColumnNames, Fields, Known, Page, Row, Rows};
pub use saved::{GridView, Home, RemoteSaved, SavedSearch, Unreadable, slug};
pub use scrub::{is_bidi_control, scrub, scrub_to};
pub use shell_line::quoted;
pub use suppress::{HeldBy, Lists, ShownFields, SuppressEntry, Suppression, SuppressionCheck, Unchecked, shows_domain};
pub use text::{capital, grapheme_width};
pub use time::{Mono, Now, Wall};
