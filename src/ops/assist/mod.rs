//! The tools of `lode mcp`: their inputs, and the script that answers each. The protocol is in `app::mcp`.
//!
//! Answers are data and small: chosen fields, pages with a total, every text scrubbed and cut. What is masked stays masked. No tool
//! spends by itself: `quote` makes a proposal, and `unlock` takes the handle of one that a person accepted.

pub mod answer;
mod ask;
mod output;
mod proposals;
mod search;
pub mod tools;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use lode_core::{Corpus, Row, RowId, Side};
use lode_engine::effect::StandingGrant;

pub use answer::ToolAnswer;
pub use ask::{ToolCall, ask};
pub use proposals::accept;

/// What the calls of one server share.
#[derive(Clone, Debug, Default)]
pub struct Shared {
    /// Rows that its searches showed: an id alone says nothing of whom it means.
    seen: Arc<Mutex<BTreeMap<(Side, RowId), Row>>>,
    /// Folders that exports may go to, as the user named them.
    pub folders: Vec<PathBuf>,
    /// What the user allows without being asked.
    pub standing: Option<StandingGrant>,
}

/// So many rows are remembered.
const MOST_SEEN: usize = 20_000;

impl Shared {
    pub fn new(folders: Vec<PathBuf>) -> Shared {
        Shared { folders, ..Shared::default() }
    }

    /// The same for one call, with what the user allows now.
    pub fn allowing(&self, standing: Option<StandingGrant>) -> Shared {
        Shared { standing, ..self.clone() }
    }

    fn saw(&self, side: Side, rows: &[Row]) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        if seen.len() > MOST_SEEN {
            seen.clear();
        }
        seen.extend(rows.iter().filter_map(|row| Some(((side, row.id()?), row.clone()))));
    }

    fn row(&self, side: Side, id: RowId) -> Option<Row> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner).get(&(side, id)).cloned()
    }
}

/// A corpus that no argument named.
const USUAL: Corpus = Corpus::Us;
