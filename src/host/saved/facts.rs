//! Facts about saved searches that are not written into their files.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use lode_core::{SavedSearch, Wall};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Facts {
    /// By the name of the search.
    pub runs: BTreeMap<String, Run>,
    /// Entries of the service's list that are not listed here.
    pub hidden: BTreeSet<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Run {
    /// Under which the service keeps it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Milliseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last_run: Option<i64>,
    /// The named view that it was saved with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view: Option<String>,
}

impl Facts {
    pub(super) fn read(text: &str) -> Result<Facts, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    pub(super) fn text(&self) -> String {
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        format!("{text}\n")
    }

    pub(super) fn keep(&mut self, saved: &SavedSearch) {
        let (id, view) = (saved.id.clone(), saved.view.clone());
        let run = Run { id, total: saved.total, last_run: saved.last_run.map(|at| at.0), view };
        if run == Run::default() {
            self.runs.remove(&saved.name);
        } else {
            self.runs.insert(saved.name.clone(), run);
        }
    }

    pub(super) fn complete(&self, written: SavedSearch) -> SavedSearch {
        let run = self.runs.get(&written.name).cloned().unwrap_or_default();
        let Run { id, total, last_run, view } = run;
        SavedSearch { id, total, last_run: last_run.map(Wall), view, ..written }
    }
}
