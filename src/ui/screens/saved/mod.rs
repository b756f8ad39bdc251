//! Saved searches: where each lives, its total then and now, and what is new since it last ran.
//!
//! ```text
//!    NAME            SEARCH          FILTERS                     LIVES    THEN    NOW   NEW  LAST RUN
//! ▸ nurses in TX     Workspace › us  title~nurse  state=TX       both    4,870  4,882   +12  yesterday
//! ```
//!
//! The searches themselves are `flow::saved`'s business; here is only which one is looked at and how the list is drawn.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::domain::credits::grouped;
use crate::domain::saved::Home;
use crate::flow::saved::merge::Entry;
use crate::flow::saved::{Remote, Shelf};
use crate::flow::session::Session;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::table::{self, Column};
use crate::ui::widgets::{pane, text};

#[derive(Clone, Debug, Default)]
pub struct State {
    pub at: usize,
}

impl State {
    /// The search that is looked at.
    pub fn entry(&self, session: &Session) -> Option<Entry> {
        let mut entries = session.shelf.entries();
        let at = self.at.min(entries.len().checked_sub(1)?);
        Some(entries.swap_remove(at))
    }
}

const COLUMNS: [Column; 8] = [
    Column::text("NAME", 16, 99).growing(),
    Column::text("SEARCH", 20, 40),
    Column::text("FILTERS", 24, 30).growing(),
    Column::text("LIVES", 7, 50),
    Column::number("THEN", 10, 70),
    Column::number("NOW", 10, 90),
    Column::number("NEW", 7, 80),
    Column::text("LAST RUN", 11, 20),
];

/// `hour` says a moment as the screens say it.
pub fn view(state: &State, session: &Session, hour: impl Fn(i64) -> String, canvas: &mut Canvas<'_>, body: Rect) {
    let shelf = &session.shelf;
    let entries = shelf.entries();
    let title = if entries.is_empty() { "SAVED".to_owned() } else { format!("SAVED {}", entries.len()) };
    let inside = pane::pane(canvas, body, &title, true);
    if inside.height == 0 {
        return;
    }
    if entries.is_empty() {
        match shelf.failure() {
            Some(failure) => table::instead(canvas, inside, &["The saved searches cannot be listed.", &failure.words]),
            None => table::instead(
                canvas,
                inside,
                &["No search is saved yet.", "s on Search saves the one that is shown.", &service(shelf)],
            ),
        }
        return;
    }
    let foot = detail(state, session, &entries, inside.width, inside.height);
    let list = Rect { height: inside.height.saturating_sub(foot.len() as u16), ..inside };
    table::draw(canvas, list, &COLUMNS, entries.len(), state.at, |row, column| {
        cell(&entries[row], column, session, &hour)
    });
    for (line, (words, role)) in foot.iter().enumerate() {
        canvas.put(inside.x + 2, list.bottom() + line as u16, inside.width.saturating_sub(3), words, *role);
    }
}

fn cell<'a>(entry: &Entry, column: usize, session: &Session, hour: &impl Fn(i64) -> String) -> (Cow<'a, str>, Role) {
    let plain = |words: String| (Cow::from(words), Role::Text);
    let seen = session.glance.seen(&entry.name);
    match column {
        0 => {
            let role = if entry.query.is_some() { Role::Strong } else { Role::Disabled };
            (Cow::from(entry.name.clone()), role)
        }
        1 => plain(entry.query.as_ref().map_or_else(|| "unreadable".to_owned(), |query| query.side.to_string())),
        2 => match (&entry.query, &entry.trouble) {
            (Some(query), _) => plain(query.words()),
            (None, trouble) => (Cow::from(trouble.clone().unwrap_or_default()), Role::Warning),
        },
        3 => (Cow::from(entry.home.name()), Role::Dim),
        4 => plain(entry.total.map_or_else(|| "–".to_owned(), grouped)),
        5 => match seen {
            Some(seen) if entry.total.is_some_and(|then| then != seen.total) => {
                (Cow::from(grouped(seen.total)), Role::New)
            }
            Some(seen) => plain(grouped(seen.total)),
            None if session.glance.is_asking(&entry.name) => (Cow::from("…"), Role::Dim),
            None => (Cow::from("–"), Role::Dim),
        },
        6 => match seen.and_then(|seen| seen.news) {
            Some((0, _)) => (Cow::from("0"), Role::Text),
            Some((fresh, _)) => (Cow::from(format!("+{}", grouped(fresh))), Role::New),
            None => (Cow::from("–"), Role::Dim),
        },
        _ => (Cow::from(entry.last_run.map_or_else(|| "never".to_owned(), |at| hour(at.0))), Role::Dim),
    }
}

/// What there is to say of the one that is looked at, and of the service's list.
fn detail(state: &State, session: &Session, entries: &[Entry], width: u16, height: u16) -> Vec<(String, Role)> {
    if height < 7 {
        return Vec::new();
    }
    let mut lines = vec![(String::new(), Role::Text)];
    let columns = usize::from(width.saturating_sub(4));
    if let Some(entry) = entries.get(state.at.min(entries.len().saturating_sub(1))) {
        let said = match (&entry.query, &entry.trouble) {
            (Some(query), _) => format!("{}   {}", query.side, query.words()),
            (None, trouble) => format!("Made elsewhere or damaged: {}.", trouble.as_deref().unwrap_or("unreadable")),
        };
        lines.extend(text::wrapped(&said, columns).into_iter().take(2).map(|line| (line, Role::Text)));
        let lives = match &entry.home {
            Home::Local => "Lives here only, as a file in the config folder.",
            Home::Service { .. } => "Lives with the service only: made elsewhere.",
            Home::Both { .. } => "Lives here and with the service.",
        };
        let news = session.glance.seen(&entry.name).and_then(|seen| seen.news);
        let read = news.map_or(String::new(), |(fresh, read)| {
            format!("  Last time here {} rows were read, {} of them new.", grouped(read), grouped(fresh))
        });
        lines.push((format!("{lives}{read}"), Role::Dim));
    }
    if height >= 12 {
        lines.push((service(&session.shelf), Role::Dim));
    }
    lines
}

/// What is known of the service's list.
fn service(shelf: &Shelf) -> String {
    match shelf.remote() {
        Remote::None => "Searches are kept here only: there is no Data API key.".to_owned(),
        Remote::NotAsked => "The service's list was not read yet.".to_owned(),
        Remote::Asked(_) => "The service's list is being read.".to_owned(),
        Remote::Read(list) => {
            let count = list.len() as u64;
            format!(
                "The service's list was read: it keeps {}.",
                if count == 0 { "none".to_owned() } else { grouped(count) }
            )
        }
        Remote::Failed(failure) => {
            format!("The service's list cannot be read: {}.", failure.words().trim_end_matches('.'))
        }
    }
}
