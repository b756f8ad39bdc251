//! The list of columns over the grid.

use ratatui::layout::Rect;

use crate::screens::search::state::State;
use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::lines::{self, Line, Marked};
use crate::widgets::pane;

pub fn view(state: &State, at: usize, canvas: &mut Canvas<'_>, over: Rect) {
    let columns = &state.seat().columns;
    let height = (columns.len() as u16 + 3).clamp(6, over.height.saturating_sub(2).max(6));
    let inside = pane::overlay(canvas, over, 51, height, &format!("Columns of {}", state.side));
    let list = Rect { height: inside.height.saturating_sub(1), ..inside };
    let marked = Marked { at };
    lines::draw(canvas, list, columns.len(), &marked, |at| {
        let column = &columns[at];
        let sign = if column.shown { "[x]" } else { "[ ]" };
        let width = column.width.map_or(String::new(), |width| format!("{width} wide"));
        Line::new(format!("{sign} {}", column.head().to_lowercase()), width)
    });
    if inside.height > 0 {
        let words = "<columns.toggle> show  <columns.later> <columns.earlier> move  <columns.reset> reset  <columns.done> close";
        canvas.put(inside.x + 1, inside.bottom() - 1, inside.width.saturating_sub(2), words, Role::Dim);
    }
}
