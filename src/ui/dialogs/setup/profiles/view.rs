//! The list of profiles, the page of one, and the welcome, as they are drawn.

use ratatui::layout::Rect;

use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::lines::{self, Line};
use crate::widgets::{input, pane};

use super::{Page, Profiles};

pub fn view(profiles: &Profiles, canvas: &mut Canvas<'_>, over: Rect) {
    let width = over.width.saturating_sub(4).clamp(20, 84);
    let columns = usize::from(width.saturating_sub(4));
    let (title, said, role) = match &profiles.page {
        Page::Welcome => (
            "Welcome to lode".to_owned(),
            "Find business contacts, unlock the right ones with care, keep what you bought.".to_owned(),
            Role::Strong,
        ),
        Page::List => ("Profiles".to_owned(), profiles.about.clone(), Role::Dim),
        Page::Alone(words) => ("Profiles".to_owned(), words.clone(), Role::Text),
        Page::Of(listed) => (format!("Profile {}", listed.name), String::new(), Role::Text),
        Page::Rename(listed) => (format!("Rename {}", listed.name), "Its new name".to_owned(), Role::Text),
        Page::Sure(listed) => (
            format!("Remove {}?", listed.name),
            "Owned contacts and saved searches stay on this computer.".to_owned(),
            Role::Text,
        ),
    };
    let above = if said.is_empty() { Vec::new() } else { canvas.wrapped(&said, columns) };
    let below = profiles.trouble.as_ref().map_or_else(Vec::new, |trouble| canvas.wrapped(trouble, columns));
    let rows = profiles.lines();
    let renames = matches!(profiles.page, Page::Rename(_));
    let answers = rows.len() + usize::from(renames);
    let height = (above.len() + answers + below.len() + 4).min(usize::from(over.height)) as u16;
    let inside = pane::overlay(canvas, over, width, height, &title);
    if inside.height == 0 {
        return;
    }
    let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
    let room = usize::from(inside.height).saturating_sub(answers + below.len());
    let mut y = inside.y;
    for line in above.iter().take(room) {
        canvas.put(x, y, columns, line, role);
        y += 1;
    }
    y += u16::from(room > above.len() && !above.is_empty());
    if renames {
        input::draw(canvas, x, y, columns, &profiles.input, false);
        y += 1;
    } else {
        let left = inside.bottom().saturating_sub(y).saturating_sub(below.len() as u16);
        let area = Rect::new(x, y, columns, (answers as u16).min(left));
        lines::draw(canvas, area, rows.len(), &profiles.marked, |at| {
            Line::new(rows[at].0.as_str(), rows[at].1.as_str())
        });
        y += area.height;
    }
    for line in below {
        if y < inside.bottom() {
            canvas.put(x, y, columns, &line, Role::Danger);
        }
        y += 1;
    }
}
