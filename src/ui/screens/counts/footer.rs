//! What is marked and what Enter makes of it, in the last line.

use ratatui::layout::Rect;

use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::table;
use lode_core::credits::counted;

use super::state::State;

/// Draws it. Returns what is left above.
pub(super) fn footer(state: &State, canvas: &mut Canvas<'_>, area: Rect) -> Rect {
    let marked = state.marked();
    if marked.is_empty() || area.height < 4 {
        return area;
    }
    let searches = state.states.len().max(1) * state.sics.len().max(1);
    let words = format!("marked: {}.  <counts.apply> run {}", marked.join(", "), counted(searches as u64, "search"));
    table::foot(canvas, area, 1, &[(words, Role::Staged)])
}
