//! The result grid: one list over the whole result, however large; rows that are not here yet are dots.
//!
//! The whole row under the cursor is tinted from edge to edge; the cell under it is bold and underlined.

use std::hash::{DefaultHasher, Hash, Hasher};

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::layout;
use crate::scene::SceneRef;
use crate::signs::Sign;
use crate::theme::Role;
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::pane;
use crate::widgets::share::Placed;
use lode_core::credits::grouped;
use lode_core::exclude::Why;
use lode_core::frame::DrawnList;
use lode_core::row::{Fields, Known, Row};
use lode_core::text;
use lode_engine::flow::search::window::Slot;

use super::caption::{caption, words};
use super::columns::{self, SIGNS};
use super::contact::verified;
use super::empty_state::instead;
use super::facts::sign;
use super::footer::footer;
use super::state::{Pane, Seat, State};

pub fn view(state: &State, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, layout: &layout::Search) {
    let SceneRef { session, now, .. } = scene;
    let side = state.side;
    let window = &session.side(side).window;
    let seat = state.seat();
    let (area, parts) = (layout.results, layout.grid);
    let caption = caption(seat, window, session, side, area.width);
    canvas.target(area, Target::Pane(1));
    let focused = state.pane == Pane::Results && state.edit.is_none();
    if canvas.is_over_shown() {
        pane::edges(canvas, area, &caption.left, focused);
    } else {
        pane::pane(canvas, area, &caption.left, focused);
    }
    pane::beside(canvas, area, &caption.left, &caption.right);
    let room = area.width.saturating_sub(2 + SIGNS);
    let placed = columns::share(&seat.columns, &seat.needs, room, seat.column);
    canvas.redraw(parts.heads);
    heads(seat, &placed, canvas, parts.heads);
    if let Some(line) = parts.words.filter(|_| !canvas.is_over_shown()) {
        words(state, session, canvas, line);
    }
    if seat.count(window) == 0 {
        canvas.redraw(parts.rows);
        instead(state, session, now, canvas, parts.rows);
    } else {
        rows(state, scene, &placed, canvas, parts.rows);
    }
    footer(state, session, now, canvas, area);
}

fn heads(seat: &Seat, placed: &[Placed], canvas: &mut Canvas<'_>, line: Rect) {
    if line.height == 0 {
        return;
    }
    for place in placed {
        let column = &seat.columns[place.column];
        let x = line.x + SIGNS + place.x;
        let role = if place.column == seat.column { Role::Key } else { Role::Head };
        let mark = match &seat.order {
            Some(order) if order.column == place.column && !order.only_new => {
                if order.back {
                    "▾"
                } else {
                    "▴"
                }
            }
            _ => "",
        };
        let used = canvas.put(x, line.y, place.width, column.head(), role);
        canvas.put(x + used, line.y, place.width.saturating_sub(used), mark, role);
        canvas.target(Rect::new(x, line.y, place.width, 1), Target::Head(place.column));
    }
}

fn rows(state: &State, scene: SceneRef<'_>, placed: &[Placed], canvas: &mut Canvas<'_>, area: Rect) {
    let side = scene.session.side(state.side);
    let (window, seat) = (&side.window, state.seat());
    let count = seat.count(window);
    let range = seat.anchor.is_some().then(|| seat.range());
    let unknown = scene.session.recovery().unknown(state.side.corpus);
    let cell = placed.iter().find(|place| place.column == seat.column).filter(|_| state.pane != Pane::Filters);
    let drawn = DrawnList { area, top: seat.top, cursor: seat.cursor, key: key(state, placed) };
    let is_stale = canvas.keep_rows(drawn);
    for (position, y) in (seat.top..count).zip(area.top()..area.bottom()).filter(|(position, _)| is_stale(*position)) {
        let line = Rect { y, height: 1, ..area };
        canvas.target(line, Target::Row(position));
        canvas.target(Rect { width: SIGNS.min(area.width), ..line }, Target::Sign(position));
        let mut is_new = false;
        let sign = match window.slot(seat.index(position)) {
            Slot::Row(row) => {
                is_new = side.watched().zip(row.id()).is_some_and(|(watch, id)| watch.is_new(id));
                let score = scene.session.taste().has_score().then(|| scene.session.taste().total(row));
                let marks = Marks { sign: sign(state.side, scene, &unknown, row), out: side.excluded(row), score };
                draw_row(state, row, &marks, placed, canvas, line);
                marks.sign
            }
            // Met in another leg before: it is there, and counts once.
            Slot::Again(row) => {
                let marks = Marks { sign: Some(Sign::Repeat), ..Marks::default() };
                draw_row(state, row, &marks, placed, canvas, line);
                canvas.restyle(line, Role::Disabled);
                marks.sign
            }
            slot => draw_absent(&slot, placed, canvas, line),
        };
        if let Some(sign) = sign {
            canvas.put(line.x + 1, y, 1, sign.letter(), sign.role());
        }
        if is_new {
            canvas.put(line.x + 2, y, 1, Sign::New.letter(), Sign::New.role());
        } else if range.as_ref().is_some_and(|range| range.contains(&position)) {
            canvas.put(line.x + 2, y, 1, "»", Role::Match);
        }
        if position == seat.cursor {
            canvas.put(line.x, y, 1, "▌", Role::Focus);
            canvas.restyle(line, Role::Row);
            if let Some(cell) = cell {
                let (x, room) = (line.x + SIGNS + cell.x, line.width.saturating_sub(SIGNS + cell.x));
                canvas.restyle(Rect { x, width: cell.width.min(room), ..line }, Role::Cell);
            }
        }
    }
}

/// Stands for what all rows depend on besides the rows themselves. They do not change while only the cursor moves.
fn key(state: &State, placed: &[Placed]) -> u64 {
    let seat = state.seat();
    let mut hasher = DefaultHasher::new();
    (placed, seat.column, seat.anchor, seat.anchor.map(|_| seat.cursor)).hash(&mut hasher);
    hasher.finish()
}

/// What a row shows besides its fields.
#[derive(Default)]
struct Marks<'a> {
    sign: Option<Sign>,
    /// Why it is left out.
    out: Option<Why<'a>>,
    score: Option<i32>,
}

/// What stands where no row does. Returns its sign.
fn draw_absent(slot: &Slot<'_>, placed: &[Placed], canvas: &mut Canvas<'_>, line: Rect) -> Option<Sign> {
    let (words, role) = match slot {
        Slot::Row(_) | Slot::Again(_) => return None,
        Slot::Waiting => {
            for place in placed {
                canvas.put(line.x + SIGNS + place.x, line.y, place.width.min(3), "···", Role::Dim);
            }
            return None;
        }
        Slot::Elsewhere(index) => (format!("the same contact as row {}", grouped(index + 1)), Role::Disabled),
        Slot::Vanished => ("no longer in the result".to_owned(), Role::Disabled),
        Slot::Failed(failure) => (format!("not read: {}", failure.words()), Role::Danger),
    };
    canvas.put(line.x + SIGNS, line.y, line.width.saturating_sub(SIGNS), &words, role);
    matches!(slot, Slot::Elsewhere(_)).then_some(Sign::Repeat)
}

fn draw_row(state: &State, row: &Row, marks: &Marks<'_>, placed: &[Placed], canvas: &mut Canvas<'_>, line: Rect) {
    let suppressed = marks.sign == Some(Sign::Suppressed);
    let out = marks.out.map(|why| why.to_string());
    let pale = suppressed || out.is_some();
    let base = if pale {
        Role::Suppressed
    } else if row.unlocked() {
        Role::Owned
    } else {
        Role::Text
    };
    let (plain, style) = (canvas.style(Role::Text), canvas.style(base));
    let dim = canvas.style(Role::Dim);
    let fields = Fields::of(row);
    for place in placed {
        let column = &state.seat().columns[place.column];
        let (x, y) = (line.x + SIGNS + place.x, line.y);
        if column.is_name() {
            draw_name(&fields, canvas, x, y, place.width, if pale { style } else { plain });
            continue;
        }
        let (value, score);
        let private = matches!(&*column.key, "email" | "email_address" | "phone");
        let (words, style) = if column.is_score() {
            score = marks.score.map_or_else(String::new, |score| format!("{score:>5}"));
            (score.as_str(), if pale { style } else { plain })
        } else if private && suppressed {
            ("suppressed", style)
        } else if let Some(out) = out.as_deref().filter(|_| &*column.key != "phone" && private && !row.unlocked()) {
            // The sign says it already where there is little room.
            let short = out.strip_prefix("excluded: ").filter(|_| place.width < 30);
            (short.unwrap_or(out), style)
        } else if private && state.masked && row.unlocked() {
            ("•••", dim)
        } else {
            value = column.value_in(&fields);
            let style = match &*column.key {
                "email_status" | "verification" if !pale => canvas.style(verified(value)),
                _ if private && row.unlocked() => style,
                _ if pale => dim,
                _ => plain,
            };
            (value, style)
        };
        text::put_cut(canvas.buf, x, y, place.width, words, style);
    }
}

/// First and last name one after the other, without putting them together first.
fn draw_name(fields: &Fields<'_>, canvas: &mut Canvas<'_>, x: u16, y: u16, width: u16, style: Style) {
    let whole = fields.known(Known::ContactName);
    if !whole.is_empty() {
        text::put_cut(canvas.buf, x, y, width, whole, style);
        return;
    }
    let (first, last) = (fields.known(Known::FirstName), fields.known(Known::LastName));
    let used = text::put_cut(canvas.buf, x, y, width, first, style);
    if used > 0 && used < width && !last.is_empty() {
        text::put(canvas.buf, x + used, y, 1, " ", style);
        text::put_cut(canvas.buf, x + used + 1, y, width - used - 1, last, style);
    } else if used == 0 {
        text::put_cut(canvas.buf, x, y, width, last, style);
    }
}
