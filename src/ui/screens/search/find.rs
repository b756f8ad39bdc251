//! Finding in the loaded rows: only what is here is searched, and the line says how much that is.

use crate::domain::credits::grouped;
use crate::domain::row::Row;
use crate::ui::scene::Scene;

use super::state::State;

/// What was typed for `Ctrl-f`: goes to the first hit at or after the cursor.
pub fn begin(state: &mut State, wanted: &str, scene: &mut Scene<'_>) {
    state.find = Some(wanted.to_owned()).filter(|wanted| !wanted.is_empty());
    seek(state, false, true, scene);
}

pub fn next(state: &mut State, backwards: bool, scene: &mut Scene<'_>) {
    if state.find.is_none() {
        scene.say("Ctrl-f types what to find.");
        return;
    }
    seek(state, backwards, false, scene);
}

fn contains(row: &Row, wanted: &str, buffer: &mut String) -> bool {
    row.fields().any(|(_, _, value)| {
        if value.len() < wanted.len() {
            return false;
        }
        // No byte of another letter is one of ASCII, so a masked address needs no copy in small letters.
        if wanted.is_ascii() {
            let (value, wanted) = (value.as_bytes(), wanted.as_bytes());
            let Some(first) = wanted.first() else { return true };
            let starts = &value[..=value.len() - wanted.len()];
            return memchr::memchr2_iter(*first, first.to_ascii_uppercase(), starts)
                .any(|at| value[at..at + wanted.len()].eq_ignore_ascii_case(wanted));
        }
        buffer.clear();
        buffer.extend(value.chars().flat_map(char::to_lowercase));
        buffer.contains(wanted)
    })
}

fn seek(state: &mut State, backwards: bool, at_cursor: bool, scene: &mut Scene<'_>) {
    let Some(wanted) = state.find.clone().map(|wanted| wanted.to_lowercase()) else { return };
    let window = &scene.session.side(state.side).window;
    let seat = state.seat();
    let cursor = seat.cursor;
    let mut buffer = String::new();
    let ahead =
        |position| if backwards { position < cursor } else { position > cursor || (at_cursor && position == cursor) };
    // What lies behind is looked through only where nothing lies ahead.
    let mut found = None;
    let mut around = false;
    for behind in [false, true] {
        let mut visit = |position: u64, row: &Row| {
            let nearer = found.is_none_or(|found| if backwards { position > found } else { position < found });
            if ahead(position) != behind && nearer && contains(row, &wanted, &mut buffer) {
                found = Some(position);
            }
        };
        match &seat.order {
            None => window.loaded().for_each(|(index, row)| visit(index, row)),
            Some(order) => {
                for (position, index) in order.rows.iter().enumerate() {
                    if let crate::flow::search::window::Slot::Row(row) = window.slot(*index) {
                        visit(position as u64, row);
                    }
                }
            }
        }
        if found.is_some() {
            around = behind;
            break;
        }
    }
    let held = window.held() as u64;
    match found {
        Some(position) => {
            state.seat_mut().cursor = position;
            if around {
                scene.say("Found from the other end.");
            }
        }
        None => scene.say(format!("`{wanted}` is in none of the {} loaded rows.  / searches them all", grouped(held))),
    }
}
