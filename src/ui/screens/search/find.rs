//! Finding in the loaded rows: only what is here is searched, and the line says how much that is.

use std::ops::Range;

use crate::scene::Scene;
use lode_core::credits::{counted, grouped};
use lode_core::needle::Needle;
use lode_engine::flow::search::legs::Legs;
use lode_engine::flow::search::window::Slot;

use super::state::{Found, State};

/// The indices of the loaded rows that have the words.
fn hits(window: &Legs, needle: &Needle) -> Vec<u64> {
    window.fitting(0..u64::MAX, |row| needle.is_in(row)).map(|(index, _)| index).collect()
}

/// What was typed for `Ctrl-f`: goes to the first hit at or after the cursor.
pub fn begin(state: &mut State, wanted: &str, scene: &mut Scene<'_>) {
    state.find = Some(wanted.to_owned()).filter(|wanted| !wanted.is_empty());
    seek(state, false, true, scene);
}

pub fn next(state: &mut State, backwards: bool, scene: &mut Scene<'_>) {
    if state.find.is_none() {
        return scene.say("Nothing to find yet. <lists.find> search in the loaded rows.");
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
    let in_order = seat.order.as_ref().map(|order| (order, hits(window, &needle)));
    let first = |stretch: Range<u64>| match &in_order {
        Some((order, hits)) => {
            let within = |place: u64| usize::try_from(place).map_or(order.rows.len(), |at| at.min(order.rows.len()));
            // Where the order still names a row that was read again, it is what stands there now that counts.
            let stands = |at: &usize| {
                let index = order.rows[*at];
                hits.binary_search(&index).is_ok() && matches!(window.slot(index), Slot::Row(_))
            };
            let mut places = (within(stretch.start)..within(stretch.end)).filter(stands);
            let place = if backwards { places.next_back() } else { places.next() };
            place.map(|at| at as u64)
        }
        None => {
            let mut rows = window.fitting(stretch, |row| needle.is_in(row));
            let hit = if backwards { rows.next_back() } else { rows.next() };
            hit.map(|(position, _)| position)
        }
    };
    let held = window.held() as u64;
    let found = first(ahead).map(|position| (position, false)).or_else(|| Some((first(behind)?, true)));
    match found {
        Some((position, around)) => {
            state.seat_mut().cursor = position;
            let (at, of) = which_of_how_many(state, scene, &needle, position);
            let wanted = wanted.to_lowercase();
            let from = if around { ", from the other end" } else { "" };
            scene.say(format!("`{wanted}` {} of {} in the loaded rows{from}", grouped(at), grouped(of)));
        }
        None => {
            let wanted = wanted.to_lowercase();
            scene.say(format!(
                "No match for `{wanted}` in {}.  <results.main-field> search all",
                counted(held, "loaded row")
            ));
        }
    }
}

/// Which of how many hits stands at a position, counted as they stand on the screen.
fn which_of_how_many(state: &mut State, scene: &Scene<'_>, needle: &Needle, position: u64) -> (u64, u64) {
    let window = &scene.session.side(state.side).window;
    let words = state.find.clone().unwrap_or_default();
    let index = state.seat().index(position);
    let fits = |found: &Found| {
        let among = (found.held, &found.query) == (window.held(), window.query());
        among && found.words == words && found.hits.binary_search(&index).is_ok()
    };
    let found = state.found.take().filter(fits);
    let found = found.unwrap_or_else(|| Found {
        words,
        held: window.held(),
        query: window.query().clone(),
        hits: hits(window, needle),
    });
    let before = match &state.seat().order {
        None => found.hits.partition_point(|index| *index <= position),
        Some(order) => {
            let upto = usize::try_from(position).map_or(order.rows.len(), |at| at.saturating_add(1));
            order.rows.iter().take(upto).filter(|index| found.hits.binary_search(index).is_ok()).count()
        }
    };
    let all = found.hits.len();
    state.found = Some(found);
    (before as u64, all as u64)
}
