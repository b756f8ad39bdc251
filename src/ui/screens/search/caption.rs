//! What stands over the rows: the title with the numbers of the result, and the search as it is said.

use ratatui::layout::Rect;

use crate::domain::contact::{Side, Source};
use crate::domain::credits::grouped;
use crate::domain::filter::Match;
use crate::flow::search::window::{Status, Window};
use crate::flow::session::Session;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::{Canvas, Target};
use crate::ui::widgets::text;

use super::columns::Column;
use super::state::{Seat, State};

/// `RESULTS 4,870 match · page 3 of 49 · rows 201–233 · you own 312 (6%)`, as much of it as fits.
pub(super) fn title(seat: &Seat, window: &Window, session: &Session, side: Side, height: u16, width: u16) -> String {
    let Some(total) = window.total() else {
        return match window.status() {
            Status::Running { .. } => "RESULTS searching…".to_owned(),
            Status::Stopped => "RESULTS stopped".to_owned(),
            Status::Failed(_) => "RESULTS failed".to_owned(),
            Status::Empty | Status::NotSent(_) | Status::Loaded => "RESULTS".to_owned(),
        };
    };
    let mut pieces = Vec::new();
    match &seat.order {
        Some(order) if order.only_new => {
            let held = grouped(window.held() as u64);
            pieces.push(format!(
                "RESULTS {} new of {held} read, {} match",
                grouped(order.rows.len() as u64),
                grouped(total)
            ));
        }
        Some(order) => {
            let by = seat.columns.get(order.column).map_or("", Column::head).to_lowercase();
            let way = if order.back { "backwards " } else { "" };
            pieces.push(format!(
                "RESULTS {} of {} loaded, {way}by {by}",
                grouped(order.rows.len() as u64),
                grouped(total)
            ));
        }
        None => pieces.push(format!("RESULTS {} match", grouped(total))),
    }
    if total > 0 {
        let stride = window.stride().max(1);
        if let (Some(pages), None) = (window.pages(), &seat.order) {
            pieces.push(format!("page {} of {}", grouped(seat.cursor / stride + 1), grouped(pages)));
        }
        let last = (seat.top + u64::from(height)).min(seat.count(window));
        pieces.push(format!("rows {}–{}", grouped(seat.top + 1), grouped(last.max(seat.top + 1))));
    }
    if let Some(share) = session.side(side).coverage.share()
        && total > 0
    {
        // Wider than any total: a service may name one that no corpus has.
        let (owned, left) = (u128::from(share.owned), u128::from(share.left));
        pieces.push(format!("you own {} ({}%)", grouped(share.owned), owned * 100 / (owned + left).max(1)));
    }
    let room = usize::from(width.saturating_sub(4));
    while pieces.len() > 1 && pieces.iter().map(|piece| text::width(piece) + 3).sum::<usize>() > room + 3 {
        pieces.pop();
    }
    pieces.join(" · ")
}

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
        put(
            if query.side.source == Source::Data { "no filters yet" } else { "All contacts (no filters)" },
            Role::Dim,
            None,
            canvas,
        );
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
    if query.hide_owned {
        put("not owned  ", Role::Dim, None, canvas);
    }
    if query.hide_pulled {
        put("without pulled", Role::Dim, None, canvas);
    }
}
