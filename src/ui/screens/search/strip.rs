//! The contact under the cursor as a strip under the grid.

use ratatui::layout::Rect;

use crate::scene::SceneRef;
use crate::theme::Role;
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::pane;
use lode_core::credits::grouped;
use lode_core::row::Known;
use lode_core::text;

use super::contact::{colleagues, facts, joined, owned, place, standing, verified};
use super::state::{Pane, State};

/// The contact in a few lines under the grid. Email and phone are never cut: what does not fit stands on the next line.
pub(super) fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, lines: Rect) {
    let window = &scene.session.side(state.side).window;
    let seat = state.seat();
    let border = Rect::new(lines.x - 1, lines.y - 1, lines.width + 2, 1);
    canvas.target(Rect { height: lines.height + 1, ..border }, Target::Pane(2));
    canvas.redraw(lines);
    canvas.change(border);
    pane::divider(canvas, border, "", state.pane == Pane::Results && state.edit.is_none());
    let Some(row) = seat.row(window) else { return };
    let area = Rect { x: lines.x + 1, width: lines.width.saturating_sub(2), ..lines };
    let tall = lines.height > 3;
    let place = place(row);
    let name = row.name();
    let (job, company) = (row.known(Known::Title), row.known(Known::Company));
    let mut y = area.y;
    if tall {
        canvas.put(area.x, y, area.width, &name, Role::Strong);
        let words = joined(&[job, company, &place, row.known(Known::Industry)], " · ");
        canvas.put(area.x, y + 1, area.width, &words, Role::Text);
        y += 1;
    } else {
        let used = canvas.put(area.x, y, area.width, &name, Role::Strong);
        let words = joined(&["", job, company, &place], " · ");
        let words = if words.is_empty() { words } else { format!(" · {words}") };
        canvas.put(area.x + used, y, area.width.saturating_sub(used), &words, Role::Text);
    }
    y += 1;
    let mut flow = Flow { area, x: area.x, y };
    let (mut checks, mut link) = (Vec::new(), None);
    // Once an address is verified, what was known of it before is of no use.
    let is_verified = !row.known(Known::Verification).is_empty();
    for (label, value) in facts(state, row) {
        match label {
            "email" | "phone" => {
                flow.put(canvas, label, &value, if row.unlocked() { Role::Owned } else { Role::Text });
            }
            "link" => link = Some(value),
            "status at source" if is_verified => {}
            _ => checks.push(value),
        }
    }
    for check in checks.iter().filter(|check| !check.is_empty()) {
        // In a short strip the last line says what the contact costs.
        if tall || flow.fits(check) {
            flow.put(canvas, "", check, verified(check));
        }
    }
    y = flow.y + 1;
    if y < area.bottom() {
        let standing = standing(state, scene, row);
        let pieces: Vec<_> =
            standing.iter().flat_map(|(words, role)| [(words.as_str(), *role), (" ", Role::Text)]).collect();
        canvas.line(area.x, y, area.width, &pieces);
    }
    y += 1;
    if let Some(owned) = owned(state, scene, row).filter(|owned| !owned.tags.is_empty() || !owned.note.is_empty()) {
        y = canvas.lines(area, y, [(joined(&[&owned.tags.join(", "), &owned.note], " · "), Role::Text)]);
    }
    let (more, owned) = colleagues(state, scene, row);
    if more > 0 {
        let words = format!("{} more of this company loaded, {} owned", grouped(more), grouped(owned));
        y = canvas.lines(area, y, [(words, Role::Dim)]);
    }
    if let Some(link) = link.filter(|_| y < area.bottom()) {
        let used = canvas.put(area.x, y, area.width, &link, Role::Dim);
        canvas.link(area.x, y, used, &link);
    }
}

/// Pieces one after the other, each whole on its line, longer ones than a line broken.
struct Flow {
    area: Rect,
    x: u16,
    y: u16,
}

impl Flow {
    /// Whether it stands on the line that is begun.
    fn fits(&self, words: &str) -> bool {
        usize::from(self.area.right().saturating_sub(self.x)) >= text::width(words)
    }

    fn put(&mut self, canvas: &mut Canvas<'_>, label: &str, value: &str, role: Role) {
        let head = if label.is_empty() { String::new() } else { format!("{label} ") };
        let wide = text::width(&head) + text::width(value);
        if self.x > self.area.x && usize::from(self.area.right().saturating_sub(self.x)) < wide {
            (self.x, self.y) = (self.area.x, self.y + 1);
        }
        let mut rest = value;
        if self.y < self.area.bottom() {
            self.x += canvas.put(self.x, self.y, self.area.right().saturating_sub(self.x), &head, Role::Dim);
        }
        while self.y < self.area.bottom() {
            let room = self.area.right().saturating_sub(self.x);
            let (fits, used) = text::fitting(rest, usize::from(room));
            canvas.put(self.x, self.y, room, fits, role);
            rest = &rest[fits.len()..];
            self.x += used as u16 + 3;
            if rest.is_empty() || fits.is_empty() {
                return;
            }
            (self.x, self.y) = (self.area.x, self.y + 1);
        }
    }
}
