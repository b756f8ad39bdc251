//! Finding in the loaded rows: only what is here is searched, and the line says how much that is.

use std::ops::Range;

use crate::domain::credits::grouped;
use crate::domain::needle::Needle;
use crate::domain::row::Row;
use crate::flow::search::window::Slot;
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

fn seek(state: &mut State, backwards: bool, at_cursor: bool, scene: &mut Scene<'_>) {
    let Some(wanted) = state.find.clone() else { return };
    let needle = Needle::new(&wanted);
    let window = &scene.session.side(state.side).window;
    let seat = state.seat();
    // What lies behind is looked through only where nothing lies ahead.
    let split = seat.cursor + u64::from(!backwards && !at_cursor);
    let (ahead, behind) = if backwards { (0..split, split..u64::MAX) } else { (split..u64::MAX, 0..split) };
    let first = |stretch| match &seat.order {
        None => first_of(window.loaded_in(stretch), backwards, &needle),
        Some(order) => {
            let places = cut(&stretch, order.rows.len());
            let start = places.start as u64;
            let rows = order.rows[places].iter().enumerate().filter_map(|(at, index)| match window.slot(*index) {
                Slot::Row(row) => Some((start + at as u64, row)),
                _ => None,
            });
            first_of(rows, backwards, &needle)
        }
    };
    let held = window.held() as u64;
    let found = first(ahead).map(|position| (position, false)).or_else(|| Some((first(behind)?, true)));
    match found {
        Some((position, around)) => {
            state.seat_mut().cursor = position;
            if around {
                scene.say("Found from the other end.");
            }
        }
        None => {
            let wanted = wanted.to_lowercase();
            scene.say(format!("`{wanted}` is in none of the {} loaded rows.  / searches them all", grouped(held)));
        }
    }
}

/// The hit that comes first on the way.
fn first_of<'a>(
    mut rows: impl DoubleEndedIterator<Item = (u64, &'a Row)>,
    backwards: bool,
    needle: &Needle,
) -> Option<u64> {
    let is_hit = |(_, row): &(u64, &Row)| needle.is_in(row);
    let hit = if backwards { rows.rfind(is_hit) } else { rows.find(is_hit) };
    hit.map(|(position, _)| position)
}

fn cut(stretch: &Range<u64>, length: usize) -> Range<usize> {
    let within = |place: u64| usize::try_from(place).map_or(length, |place| place.min(length));
    within(stretch.start)..within(stretch.end)
}
