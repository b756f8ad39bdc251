//! The list of the jobs.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::ui::scene::SceneRef;
use crate::ui::theme::Role;
use crate::ui::widgets::bars::{percent, with_trough};
use crate::ui::widgets::canvas::Canvas;
use crate::ui::widgets::pane;
use crate::ui::widgets::table::{self, Column};

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

pub fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
    let SceneRef { session, behind, now, .. } = scene;
    let items = items(session, behind);
    let running = running(scene);
    let title = if running > 0 { format!("Jobs {running} running") } else { "Jobs".to_owned() };
    let inside = pane::pane(canvas, body, &title, true);
    if inside.height == 0 {
        return;
    }
    if items.is_empty() {
        let words = "Unlocks, exports and saved-search runs appear here and continue in the background.";
        return table::instead(canvas, inside, &["No jobs yet in this window.", words]);
    }
    let lines: Vec<Line> = items.iter().map(|item| line(*item, session, behind, now)).collect();
    let at = state.at.min(lines.len() - 1);
    let foot = match inside.height {
        0..12 => Vec::new(),
        _ => footer(&lines[at], items[at], session, inside.width.saturating_sub(4)),
    };
    let list = Rect { height: inside.height - foot.len() as u16, ..inside };
    for (place, words) in foot.iter().enumerate() {
        canvas.put(inside.x + 2, list.bottom() + place as u16, inside.width.saturating_sub(3), words, Role::Dim);
    }
    table::draw(canvas, list, &COLUMNS, lines.len(), state.at, |row, column| {
        let line = &lines[row];
        let text = |words: &str| Cow::from(words.to_owned());
        match column {
            0 => (text(&line.kind), Role::Strong),
            1 => (text(&line.what), Role::Text),
            2 => (text(&line.rows), Role::Text),
            3 => match line.share {
                Some((done, of)) => {
                    (Cow::from(format!("{} {:>3}%", with_trough(8, done, of), percent(done, of))), Role::Bar)
                }
                None => (Cow::from(""), Role::Dim),
            },
            4 => (text(&line.size), Role::Dim),
            _ => (text(&line.state), line.role),
        }
    });
}
