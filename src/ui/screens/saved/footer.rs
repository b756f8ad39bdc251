//! The search that is looked at in full, below the list.

use ratatui::layout::Rect;

use crate::theme::Role;
use lode_core::credits::{counted, grouped};
use lode_core::saved::Home;
use lode_core::text;
use lode_engine::flow::saved::merge::Entry;
use lode_engine::flow::session::Session;

use super::facts::service;
use super::state::State;

/// What there is to say of the one that is looked at, and of the service's list.
pub(super) fn footer(state: &State, session: &Session, entries: &[Entry], inside: Rect) -> Vec<(String, Role)> {
    let Rect { width, height, .. } = inside;
    if height < 7 {
        return Vec::new();
    }
    let mut lines = vec![(String::new(), Role::Text)];
    let columns = usize::from(width.saturating_sub(4));
    if let Some(entry) = entries.get(state.at.min(entries.len().saturating_sub(1))) {
        let said = match &entry.query {
            Ok(query) => format!("{}   {}", query.side, query.words()),
            Err(trouble) => format!("Created elsewhere or damaged: {trouble}."),
        };
        lines.extend(text::wrapped(&said, columns).into_iter().take(2).map(|line| (line, Role::Text)));
        let lives = match entry.home {
            Home::Local => "Stored on this computer only, in the config folder.",
            Home::Service => "Stored on the service only: created elsewhere.",
            Home::Both => "Stored on this computer and on the service.",
        };
        let news = session.glance().seen(&entry.name).and_then(|seen| seen.news);
        let read = news.map_or(String::new(), |(fresh, read)| {
            format!("  Last run here: {} read, {} new.", counted(read, "row"), grouped(fresh))
        });
        lines.push((format!("{lives}{read}"), Role::Dim));
    }
    if height >= 12 {
        lines.push((service(session.shelf()), Role::Dim));
    }
    lines
}
