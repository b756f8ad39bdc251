//! Totals of a whole corpus per state and SIC code, as map, bars and table.

use ratatui::layout::Rect;

use crate::ui::theme::Role;
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::{pane, text};

#[derive(Clone, Debug, Default)]
pub struct State {
    pub cursor: usize,
}

pub fn view(_state: &State, canvas: &mut Canvas<'_>, body: Rect) {
    let inside = pane::pane(canvas, body, "COUNTS", true);
    let words = ["Counts come from the Data API.", "P adds a Data API key; lode counts prints the same in a shell."];
    let mut y = inside.y + inside.height / 3;
    for (at, sentence) in words.iter().enumerate() {
        for line in text::wrapped(sentence, usize::from(inside.width.saturating_sub(4))) {
            if y < inside.bottom() {
                canvas.put(
                    inside.x + 2,
                    y,
                    inside.width.saturating_sub(4),
                    &line,
                    if at == 0 { Role::Strong } else { Role::Dim },
                );
            }
            y += 1;
        }
    }
}
