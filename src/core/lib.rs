//! Layer 0: the business, as plain values and pure functions.
//!
//! Credits, contacts, queries, pages, accounts, saved searches, counts, packed sets of ids, scoring, export formats, text width.
//! No clock, no I/O, no terminal and no HTTP: a moment is a [`time::Now`] that the caller passes in, a row is what a parser made
//! of a response.

// Each item is as visible as it needs to be, so that the compiler finds unused ones.
#![warn(unreachable_pub)]

pub mod account;
pub mod cells;
pub mod choose;
pub mod codes;
pub mod color;
pub mod contact;
pub mod counts;
pub mod credits;
pub mod exclude;
pub mod export;
pub mod filter;
pub mod firm;
pub mod frame;
pub mod ids;
pub mod keyboard;
pub mod likely;
pub mod link;
pub mod money;
pub mod needle;
pub mod owned;
pub mod page;
pub mod phrase;
pub mod purse;
pub mod put_back;
pub mod query;
pub mod row;
pub mod saved;
pub mod score;
pub mod scrub;
pub mod shell_line;
pub mod text;
pub mod time;
pub mod traits;
