//! The list of the jobs.

use ratatui::layout::Rect;

use crate::scene::SceneRef;
use crate::theme::Role;
use crate::widgets::bars::{percent, with_trough};
use crate::widgets::canvas::Canvas;
use crate::widgets::pane;
use crate::widgets::table::{self, Column};

use super::facts::{line, running};
use super::footer::footer;
use super::line::Line;
use super::state::{State, items};

const COLUMNS: [Column; 6] = [
    Column::text("Job", 7, 90),
    Column::text("What", 18, 50).fitting(),
    Column::number("Rows", 16, 80),
    Column::text("Done", 13, 70),
    Column::number("Size", 9, 30),
    Column::text("State", 27, 99).whole(),
];

pub(super) fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let SceneRef { session, behind, now, .. } = scene;
    let items = items(session, behind);
    let running = running(scene);
    let title = if running > 0 { format!("Jobs {running} running") } else { "Jobs".to_owned() };
    let inside = pane::pane(canvas, body, &title, true);
    let lines: Vec<Line> = items.iter().filter_map(|item| line(*item, session, behind, now)).collect();
    if lines.is_empty() {
        let words = "Unlocks, exports and saved-search runs appear here and continue in the background.";
        return table::instead(canvas, inside, &["No jobs yet in this window.", words]);
    }
    let at = state.at.min(lines.len() - 1);
    let foot = match inside.height {
        0..12 => Vec::new(),
        _ => footer(&lines[at], items[at], session, inside.width.saturating_sub(4)),
    };
    let list = table::foot(canvas, inside, 2, &foot);
    table::draw(canvas, list, &COLUMNS, lines.len(), state.at, |row, column| {
        let line = &lines[row];
        match column {
            0 => (line.kind.clone(), Role::Strong),
            1 => (line.what.clone(), Role::Text),
            2 => (line.rows.clone(), Role::Text),
            3 => match line.share {
                Some((done, of)) => (format!("{} {:>3}%", with_trough(8, done, of), percent(done, of)), Role::Bar),
                None => (String::new(), Role::Dim),
            },
            4 => (line.size.clone(), Role::Dim),
            _ => (line.state.clone(), line.role),
        }
    });
}
