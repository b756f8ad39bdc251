//! The list under its field, or under the words that say that a letter picks.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::theme::Role;
use crate::widgets::canvas::Canvas;
use crate::widgets::lines::{self, Line};
use crate::widgets::{input, pane};
use lode_core::credits::grouped;

use super::{Pick, Picker};

pub fn view(picker: &Picker, canvas: &mut Canvas<'_>, over: Rect) {
    let width = over.width.saturating_sub(4).clamp(20, 84);
    let rule = u16::from(!picker.rule.is_empty());
    let wanted = (picker.items.len() as u16).saturating_add(4 + rule);
    let height = wanted.clamp(6, pane::tallest(over).max(6));
    let title = format!("{} · {}", picker.title, picker.shown());
    let inside = pane::overlay(canvas, over, width, height, &title);
    if inside.height == 0 {
        return;
    }
    if picker.letters.is_some() {
        let pieces = [("Press a letter   ", Role::Dim), ("/", Role::Key), (" filter", Role::Dim)];
        canvas.line(inside.x + 2, inside.y, inside.width.saturating_sub(2), &pieces);
    } else {
        canvas.put(inside.x, inside.y, 2, "/ ", Role::Key);
        input::draw(canvas, inside.x + 2, inside.y, inside.width.saturating_sub(2), &picker.input, false);
    }
    if rule > 0 && inside.height > 1 {
        canvas.put(inside.x + 2, inside.y + 1, inside.width.saturating_sub(2), &picker.rule, Role::Dim);
    }
    let used = 1 + rule;
    let list = Rect { y: inside.y + used, height: inside.height.saturating_sub(used), ..inside };
    if picker.matches.is_empty() {
        let words = match picker.numbered() {
            Some((number, _)) => format!("<text.submit> go to row {}", grouped(number)),
            None if picker.free.is_some() => "<text.submit> use what you typed".to_owned(),
            None => "No matches.".to_owned(),
        };
        canvas.put(list.x + 2, list.y, list.width.saturating_sub(2), &words, Role::Dim);
        return;
    }
    lines::draw(canvas, list, picker.matches.len(), &picker.marked, |at| {
        let item = &picker.items[picker.matches[at] as usize];
        let role = if matches!(item.pick, Pick::Refused(_)) { Role::Disabled } else { Role::Text };
        let letter = picker.letters.as_ref().and_then(|letters| letters.get(picker.matches[at] as usize));
        let left = letter.map_or(Cow::from(item.left.as_str()), |letter| Cow::from(format!("{letter}  {}", item.left)));
        Line::new(left, item.right.as_str()).role(role)
    });
}
