//! The line below the rows: what is waited for, or what the signs mean.

use ratatui::layout::Rect;

use crate::domain::time::Now;
use crate::flow::session::Session;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;

use super::instead::waiting;
use super::state::State;

pub(super) fn footer(state: &State, session: &Session, now: Now, canvas: &mut Canvas<'_>, line: Rect) {
    let window = &session.side(state.side).window;
    if state.seat().count(window) > 0
        && let Some(waits) = window.waits(&session.desk, now)
        && let Some(words) = waiting(&waits, session, state.side.source, now)
    {
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Warning);
        return;
    }
    let pieces = [
        ("●", Role::Staged),
        (" basket  ", Role::Dim),
        ("○", Role::Ours),
        (" ours  ", Role::Dim),
        ("×", Role::Suppressed),
        (" suppressed  ", Role::Dim),
        ("!", Role::Refunded),
        (" refunded  ", Role::Dim),
        ("+", Role::New),
        (if line.width < 66 { " new" } else { " new since last time" }, Role::Dim),
    ];
    canvas.line(line.x + 1, line.y, line.width.saturating_sub(1), &pieces);
}
