//! Finding in the loaded rows: only what is here is searched, and the line says how much that is.

use std::ops::Range;

use crate::domain::credits::{counted, grouped};
use crate::domain::needle::Needle;
use crate::domain::row::Row;
use crate::flow::search::legs::Legs;
use crate::flow::search::window::Slot;
use crate::ui::scene::Scene;

use super::hits::{Found, Hits};
use super::state::State;

/// What was typed for `Ctrl-f`: goes to the first hit at or after the cursor.
pub fn begin(state: &mut State, wanted: &str, scene: &mut Scene<'_>) {
    state.find = Some(wanted.to_owned()).filter(|wanted| !wanted.is_empty());
    seek(state, false, true, scene);
}

pub fn next(state: &mut State, backwards: bool, scene: &mut Scene<'_>) {
    if state.find.is_none() {
        scene.say("Nothing to find yet. <lists.find> search in the loaded rows.");
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
    let mut in_order =
        seat.order.as_ref().map(|order| InOrder { rows: &order.rows, window, needle: &needle, hits: None });
    let mut first = |stretch| match &mut in_order {
        Some(rows) => rows.first(stretch, backwards),
        None => {
            let mut hits = window.fitting(stretch, |row| needle.is_in(row));
            let hit = if backwards { hits.next_back() } else { hits.next() };
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
        found.words == words && found.held == window.held() && found.query == *window.query() && found.hits.has(index)
    };
    let found = match state.found.take().filter(fits) {
        Some(found) => found,
        None => Found { words, held: window.held(), query: window.query().clone(), hits: Hits::of(window, needle) },
    };
    let hits = &found.hits;
    let before = match &state.seat().order {
        None => hits.indices.partition_point(|index| *index <= position),
        Some(order) => {
            let upto = usize::try_from(position).map_or(order.rows.len(), |at| at.saturating_add(1));
            order.rows.iter().take(upto).filter(|index| hits.has(**index)).count()
        }
    };
    let all = hits.indices.len();
    state.found = Some(found);
    (before as u64, all as u64)
}

/// Rows in an order of our own that are looked at one after the other, from here to there in memory. After so many all of
/// them are looked at as they lie, which takes a fraction of the time.
const ONE_BY_ONE: usize = 1_000;

/// The loaded rows in an order of our own.
struct InOrder<'a> {
    rows: &'a [u64],
    window: &'a Legs,
    needle: &'a Needle,
    /// Once all of them were looked at.
    hits: Option<Hits>,
}

impl InOrder<'_> {
    /// The hit that comes first on the way through a stretch of the order.
    fn first(&mut self, stretch: Range<u64>, backwards: bool) -> Option<u64> {
        let within = |place: u64| usize::try_from(place).map_or(self.rows.len(), |place| place.min(self.rows.len()));
        let (start, end) = (within(stretch.start), within(stretch.end));
        let mut way = (start..end).map(|step| if backwards { start + end - 1 - step } else { step });
        let near = if self.hits.is_none() { ONE_BY_ONE } else { 0 };
        let is_hit = |place: &usize| self.row(*place).is_some_and(|row| self.needle.is_in(row));
        if let Some(place) = way.by_ref().take(near).find(is_hit) {
            return Some(place as u64);
        }
        if way.len() == 0 {
            return None;
        }
        let (window, needle) = (self.window, self.needle);
        let hits = self.hits.get_or_insert_with(|| Hits::of(window, needle));
        let hits = &*hits;
        if hits.indices.is_empty() {
            return None;
        }
        // Where the order still names a row that was read again, it is what stands there now that counts.
        way.find(|place| hits.has(self.rows[*place]) && matches!(window.slot(self.rows[*place]), Slot::Row(_)))
            .map(|place| place as u64)
    }

    fn row(&self, place: usize) -> Option<&Row> {
        match self.window.slot(self.rows[place]) {
            Slot::Row(row) => Some(row),
            _ => None,
        }
    }
}
