//! What is said of rows and of the search: the sign of a row, what can be exported, the searches of lately.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::dialogs::subject::Subject;
use crate::scene::SceneRef;
use crate::signs::Sign;
use lode_core::contact::{RowId, Side, Source};
use lode_core::credits::{counted, grouped};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::row::{Known, Row};
use lode_engine::flow::export::effort;
use lode_engine::flow::search::window::Slot;
use lode_engine::flow::session::Session;

use super::filters::{RECENT, Recent};
use super::state::State;

/// The state of a row as its sign. What changes what may be done comes first. `unknown` holds the contacts without a result.
pub(super) fn sign(side: Side, scene: SceneRef<'_>, unknown: &BTreeSet<RowId>, row: &Row) -> Option<Sign> {
    let refunded = || matches!(row.known(Known::Verification), "invalid" | "disposable");
    if scene.session.lists().name(side, row) {
        Some(Sign::Suppressed)
    } else if side.source == Source::Workspace && row.id().is_some_and(|id| unknown.contains(&id)) {
        Some(Sign::Unknown)
    } else if row.id().is_some_and(|id| scene.session.side(side).basket.contains(id)) {
        Some(Sign::Basket)
    } else if scene.session.side(side).excluded(row).is_some() {
        Some(Sign::Excluded)
    } else if row.unlocked() {
        Some(if refunded() { Sign::Refunded } else { Sign::Owned })
    } else {
        None
    }
}

/// The searches that the filter pane shows.
pub(super) fn recent(scene: SceneRef<'_>) -> Vec<Recent> {
    let past = scene.session.history().recent().iter().take(RECENT);
    past.filter_map(|past| {
        let query = Query::from_canonical(&past.canonical)?;
        let values: Vec<&str> = query.filters().flat_map(|(_, values)| values.iter().map(String::as_str)).collect();
        let mut words = if values.is_empty() { "all contacts".to_owned() } else { values.join(" ") };
        query.not.iter().for_each(|(_, value)| words.push_str(&format!(" –{value}")));
        let source = if query.side.source == Source::Data { "D " } else { "" };
        Some(Recent { at: scene.hour(past.at.0), words: format!("{source}{words}") })
    })
    .collect()
}

/// A request takes at least so long, whatever the service says of its own part.
const LEAST_MS: u64 = 100;

/// What can be exported of the search: the range, the whole result, what is loaded.
pub(super) fn exports(state: &State, session: &Session) -> Vec<(Subject, String)> {
    let mut subjects = Vec::new();
    let side = state.side;
    let window = &session.side(side).window;
    if state.seat().anchor.is_some() {
        subjects.push((Subject::Range, format!("range ({})", counted(range(state, session).len() as u64, "row"))));
    }
    let query = window.query();
    let there = match side.source {
        Source::Data => query.clone(),
        Source::Workspace => query.on(Side { source: Source::Data, ..side }),
    };
    if session.has(Source::Data) && there.ready().is_ok() {
        let count = match (side.source, window.total()) {
            (Source::Data, Some(total)) => {
                let most = if there.overlaps() { "up to " } else { "" };
                format!("all results ({most}{})", counted(total, "row"))
            }
            (Source::Data, None) => "all results".to_owned(),
            (Source::Workspace, _) => "all results (Data API)".to_owned(),
        };
        let keyword = !there.values(Filter::Query).is_empty();
        let mut without = there.clone();
        if let (true, Some(total)) = (keyword, window.total()) {
            // The document of the export lists only filters: pages of the search are certain, and so is what comes without the keyword.
            let each = Duration::from_millis(window.took_ms().unwrap_or_default().max(LEAST_MS));
            let (requests, minutes) = effort(total, session.desk().page(Source::Data), each);
            let words = format!(
                "every page of the search ({}, {}, about {} min)",
                counted(total, "row"),
                counted(requests, "request"),
                grouped(minutes)
            );
            subjects.push((Subject::Pages(Box::new(there.clone())), words));
        }
        let count = if keyword { format!("{count}; stops if the service ignores the keyword") } else { count };
        subjects.push((Subject::Whole(Box::new(there)), count));
        without.clear(Filter::Query);
        if keyword && without.ready().is_ok() && without.filters().next().is_some() {
            subjects.push((Subject::Whole(Box::new(without)), "all results without the keyword".to_owned()));
        }
    }
    if window.held() > 0 {
        let out = if query.not.is_empty() { "" } else { ", without excluded contacts" };
        subjects.push((Subject::Loaded, format!("loaded rows ({}{out})", grouped(window.held() as u64))));
    }
    subjects
}

/// The rows of the range that are here.
pub fn range(state: &State, session: &Session) -> Vec<Row> {
    let window = &session.side(state.side).window;
    let rows =
        state.seat().range().take(100_000).filter_map(|position| match window.slot(state.seat().index(position)) {
            Slot::Row(row) => Some(row.clone()),
            _ => None,
        });
    rows.collect()
}
