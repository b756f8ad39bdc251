//! The list of the saved searches.

use ratatui::layout::Rect;

use crate::scene::SceneRef;
use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::pane;
use crate::widgets::table::{self, Column};
use lode_core::credits::grouped;
use lode_core::saved::Home;
use lode_engine::flow::saved::merge::Entry;

use super::facts::service;
use super::footer::footer;
use super::state::State;

const COLUMNS: [Column; 8] = [
    Column::text("Name", 16, 99).fitting(),
    Column::text("Search", 20, 40).fitting(),
    Column::text("Filters", 24, 30).fitting(),
    Column::text("Stored", 14, 50).fitting(),
    Column::number("Then", 10, 70),
    Column::number("Now", 10, 90),
    Column::number("New", 7, 80),
    Column::text("Last run", 11, 20).fitting(),
];

pub(super) fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let session = scene.session;
    let shelf = session.shelf();
    let entries = shelf.entries();
    let title = if entries.is_empty() { "Saved".to_owned() } else { format!("Saved {}", entries.len()) };
    let inside = pane::pane(canvas, body, &title, true);
    if entries.is_empty() {
        match shelf.failure() {
            Some(failure) => table::instead(canvas, inside, &["The saved searches cannot be loaded.", &failure.words]),
            None => table::instead(
                canvas,
                inside,
                &[
                    "No saved searches yet.",
                    "To save the current search, press <results.save> on Search.",
                    &service(shelf),
                ],
            ),
        }
        return;
    }
    let list = table::foot(canvas, inside, 2, &footer(state, session, &entries, inside));
    table::draw(canvas, list, &COLUMNS, entries.len(), state.at, |row, column| cell(&entries[row], column, scene));
}

fn cell(entry: &Entry, column: usize, scene: SceneRef<'_>) -> (String, Role) {
    let plain = |words: String| (words, Role::Text);
    let session = scene.session;
    let seen = session.glance().seen(&entry.name);
    match column {
        0 => {
            let role = if entry.query.is_ok() { Role::Strong } else { Role::Disabled };
            (entry.name.clone(), role)
        }
        1 => plain(entry.query.as_ref().map_or_else(|_| "unreadable".to_owned(), |query| query.side.to_string())),
        2 => match &entry.query {
            Ok(query) => plain(query.words()),
            Err(trouble) => (trouble.clone(), Role::Warning),
        },
        3 => (stored(entry.home).to_owned(), Role::Dim),
        4 => plain(entry.total.map_or_else(|| "–".to_owned(), grouped)),
        5 => match seen {
            Some(seen) if entry.total.is_some_and(|then| then != seen.total) => (grouped(seen.total), Role::New),
            Some(seen) => plain(grouped(seen.total)),
            None if session.glance().is_asking(&entry.name) => ("…".to_owned(), Role::Dim),
            None => ("–".to_owned(), Role::Dim),
        },
        6 => match seen.and_then(|seen| seen.news) {
            Some((0, _)) => ("0".to_owned(), Role::Text),
            Some((fresh, _)) => (format!("+{}", grouped(fresh)), Role::New),
            None => ("–".to_owned(), Role::Dim),
        },
        _ => (entry.last_run.map_or_else(|| "never".to_owned(), |at| scene.hour(at.0)), Role::Dim),
    }
}

/// Where a search is stored, in words.
fn stored(home: Home) -> &'static str {
    match home {
        Home::Local => "here",
        Home::Service => "service",
        Home::Both => "here + service",
    }
}
