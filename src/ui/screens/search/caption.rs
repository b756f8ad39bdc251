//! What stands over the rows: the title with the numbers of the result, and the search as it is said.

use ratatui::layout::Rect;

use crate::signs::Sign;
use crate::theme::Role;
use crate::widgets::canvas::{Canvas, Target};
use lode_core::contact::{Side, Source};
use lode_core::credits::{counted, grouped};
use lode_core::filter::Match;
use lode_core::text;
use lode_engine::flow::search::legs::Legs;
use lode_engine::flow::search::window::Status;
use lode_engine::flow::session::Session;

use super::columns::Column;
use super::state::{Seat, State};

/// What stands in the upper border: on the left what there is, on the right where one is in it.
pub(super) struct Caption {
    pub(super) left: String,
    pub(super) right: String,
}

/// `4,870 contacts ── row 211 · page 3/49 · owned 312 (6%)`, as much of it as fits.
pub(super) fn caption(seat: &Seat, window: &Legs, session: &Session, side: Side, width: u16) -> Caption {
    let alone = |left: &str| Caption { left: left.to_owned(), right: String::new() };
    let Some(total) = window.total() else {
        return match window.status() {
            Status::Running { .. } => alone("Searching…"),
            Status::Stopped => alone("Search stopped"),
            Status::Failed(_) => alone("Search failed"),
            Status::Empty | Status::NotSent(_) | Status::Loaded => alone("Contacts"),
        };
    };
    let left = match &seat.order {
        Some(order) if order.only_new => {
            let held = grouped(window.held() as u64);
            format!("{} new of {held} read, {}", grouped(order.rows.len() as u64), counted(total, "contact"))
        }
        Some(order) => {
            let by = seat.columns.get(order.column).map_or("", Column::head).to_lowercase();
            let way = if order.back { "backwards " } else { "" };
            format!("{} of {} loaded, {way}by {by}", grouped(order.rows.len() as u64), grouped(total))
        }
        None => all(seat, window, total, width),
    };
    // The total is the service's: it counts what is left out here.
    let left = if window.query().not.is_empty() {
        left
    } else {
        let sift = session.side(side).sift();
        format!("{left}, {} of {} read excluded", grouped(sift.excluded()), grouped(sift.read()))
    };
    let mut pieces = Vec::new();
    if total > 0 {
        pieces.push(format!("row {}", grouped(seat.cursor + 1)));
        if let (Some((page, pages)), None) = (window.page_at(seat.cursor), &seat.order) {
            pieces.push(format!("page {}/{}", grouped(page), grouped(pages)));
        }
    }
    if let Some(share) = session.side(side).coverage.share()
        && total > 0
    {
        // Wider than any total: a service may name one that no corpus has.
        let (owned, left) = (u128::from(share.owned), u128::from(share.left));
        pieces.push(format!("owned {} ({}%)", grouped(share.owned), owned * 100 / (owned + left).max(1)));
    }
    let room = usize::from(width).saturating_sub(text::width(&left) + 9);
    while !pieces.is_empty() && text::width(&pieces.join(" · ")) > room {
        pieces.pop();
    }
    Caption { left, right: pieces.join(" · ") }
}

/// How many there are. Of a search with legs: as far as it is known, and the legs by name where there is room, else the one
/// that the cursor is in.
fn all(seat: &Seat, window: &Legs, total: u64, width: u16) -> String {
    let query = window.query();
    if !query.has_legs() {
        return counted(total, "contact");
    }
    let most = if query.overlaps() { "Up to " } else { "" };
    let mut words = format!("{most}{}", counted(total, "contact"));
    let (read, legs) = window.read();
    if read < legs {
        words.push_str(&format!(" · {read} of {legs} read"));
    }
    let parts: Vec<String> = window
        .parts()
        .map(|(leg, total)| match total {
            Some(total) => format!("{} {}", query.leg_name(leg), grouped(total)),
            None => format!("{} …", query.leg_name(leg)),
        })
        .collect();
    let room = usize::from(width).saturating_sub(text::width(&words) + PLACE);
    let every = parts.join(" · ");
    let here = || window.leg_at(seat.cursor).and_then(|at| parts.get(at).cloned()).unwrap_or_default();
    let said = if text::width(&every) <= room { every } else { here() };
    if !said.is_empty() && text::width(&said) <= room { format!("{words}: {said}") } else { words }
}

/// What the right side of the border needs at least: `row 12,345 · page 99/123`, and the line between.
const PLACE: usize = 34;

/// What is not as the rows say any more: the result itself, or the filters.
fn changed(state: &State, session: &Session) -> Option<String> {
    let window = &session.side(state.side).window;
    if let Some(moved) = window.moved() {
        return Some(format!(
            "result changed: {} → {}  <results.fetch-again> refresh",
            grouped(moved.was),
            grouped(moved.is)
        ));
    }
    if window.skipped() > 0 {
        let words = counted(window.skipped(), "contact");
        return Some(format!("{words} skipped  <results.fetch-again> refresh"));
    }
    let changed = state.seat().draft != *window.query() && window.total().is_some();
    changed.then(|| "filters changed  <results.fetch-again> run".to_owned())
}

/// The search as it is said, each value a chip that leads to it.
pub(super) fn words(state: &State, session: &Session, canvas: &mut Canvas<'_>, line: Rect) {
    let query = session.side(state.side).window.query();
    let mut x = line.x + 1;
    let mut right = line.right();
    if let Some(words) = changed(state, session) {
        right = canvas.put_right(right, line.y, line.width / 2, &words, Role::Warning).saturating_sub(1);
    }
    let mut put = |words: &str, role: Role, target: Option<Target>, canvas: &mut Canvas<'_>| {
        let used = canvas.put(x, line.y, right.saturating_sub(x), words, role);
        if let Some(target) = target {
            canvas.target(Rect::new(x, line.y, used, 1), target);
        }
        x += used;
    };
    if query.is_unfiltered() {
        let is_data = query.side.source == Source::Data;
        put(if is_data { "no filters yet" } else { "All contacts (no filters)" }, Role::Dim, None, canvas);
        put("  ", Role::Text, None, canvas);
    }
    for (filter, values) in query.filters() {
        let sign = match filter.matching() {
            Match::Text | Match::AnyOf => '~',
            _ => '=',
        };
        for (at, value) in values.iter().enumerate() {
            let chip = if at == 0 { format!("{}{sign}{value}", filter.label()) } else { value.clone() };
            put(&chip, Role::Text, Some(Target::Value(filter, at)), canvas);
            put(if at + 1 < values.len() { " OR " } else { "  " }, Role::Text, None, canvas);
        }
    }
    for (_, value) in query.not.iter() {
        put(&format!("{} {value}  ", Sign::Excluded.letter()), Role::Dim, None, canvas);
    }
    if query.hide_owned {
        put("not owned  ", Role::Dim, None, canvas);
    }
    if query.hide_pulled {
        put("without pulled", Role::Dim, None, canvas);
    }
}
