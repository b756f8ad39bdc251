//! The result grid: one list over the whole result, however large; rows that are not here yet are dots.
//!
//! The row under the cursor is marked by its sign and its first cell only, so that moving costs few bytes.

use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::domain::contact::{Side, Source};
use crate::domain::credits::grouped;
use crate::domain::query::Speed;
use crate::domain::row::{Known, Row};
use crate::domain::time::Now;
use crate::effect::failure::{Failure, Refusal};
use crate::flow::desk::Waits;
use crate::flow::search::window::{Slot, Status, Window};
use crate::flow::session::Session;
use crate::ui::layout;
use crate::ui::theme::Role;
use crate::ui::widgets::canvas::{Canvas, Target};
use crate::ui::widgets::{pane, text};

use super::columns::{self, Column, Placed};
use super::state::{Pane, Seat, State};

/// Columns before the first cell: cursor, state, new, a blank.
pub const SIGNS: u16 = 4;

pub fn view(state: &State, session: &Session, now: Now, canvas: &mut Canvas<'_>, area: Rect) {
    let side = state.side;
    let window = &session.side(side).window;
    let seat = state.seat();
    let inside_rect = layout::inside(area);
    let parts = layout::grid(inside_rect);
    let title = title(seat, window, session, side, parts.rows.height, area.width);
    canvas.target(area, Target::Pane(1));
    let inside = pane::pane(canvas, area, &title, state.pane == Pane::Results && state.edit.is_none());
    if inside.height == 0 {
        return;
    }
    if let Some(line) = parts.words {
        words(state, session, canvas, line);
    }
    let room = inside.width.saturating_sub(SIGNS);
    let placed = columns::share(&seat.columns, room, seat.column);
    heads(seat, &placed, canvas, parts.heads);
    if seat.count(window) == 0 {
        instead(state, session, now, canvas, parts.rows);
    } else {
        rows(state, session, &placed, canvas, parts.rows);
    }
    if let Some(line) = parts.legend {
        legend(session, state, now, canvas, line);
    }
}

/// `RESULTS 4,870 match · page 3 of 49 · rows 201–233 · you own 312 (6%)`, as much of it as fits.
fn title(seat: &Seat, window: &Window, session: &Session, side: Side, height: u16, width: u16) -> String {
    let Some(total) = window.total() else {
        return match window.status() {
            Status::Running { .. } => "RESULTS searching…".to_owned(),
            Status::Stopped => "RESULTS stopped".to_owned(),
            Status::Failed(_) => "RESULTS none: it failed".to_owned(),
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
        let all = (share.owned + share.left).max(1);
        pieces.push(format!("you own {} ({}%)", grouped(share.owned), share.owned * 100 / all));
    }
    let room = usize::from(width.saturating_sub(4));
    while pieces.len() > 1 && pieces.iter().map(|piece| text::width(piece) + 3).sum::<usize>() > room + 3 {
        pieces.pop();
    }
    pieces.join(" · ")
}

/// The search as it is said, each value a chip that leads to it.
fn words(state: &State, session: &Session, canvas: &mut Canvas<'_>, line: Rect) {
    let window = &session.side(state.side).window;
    let query = window.query();
    let mut x = line.x + 1;
    let mut right = line.right();
    if let Some(moved) = window.moved() {
        let words = format!("the set moved: {} → {}  R", grouped(moved.was), grouped(moved.is));
        right = canvas.put_right(right, line.y, line.width / 2, &words, Role::Warning).saturating_sub(1);
    } else if state.seat().wish != *query && window.total().is_some() {
        right =
            canvas.put_right(right, line.y, line.width / 2, "filters changed  R runs", Role::Warning).saturating_sub(1);
    }
    let mut put = |words: &str, role: Role, target: Option<Target>, canvas: &mut Canvas<'_>| {
        let used = canvas.put(x, line.y, right.saturating_sub(x), words, role);
        if let Some(target) = target {
            canvas.target(Rect::new(x, line.y, used, 1), target);
        }
        x += used;
    };
    if query.is_unfiltered() {
        put(if query.side.source == Source::Data { "no filter yet" } else { "everything" }, Role::Dim, None, canvas);
        put("  ", Role::Text, None, canvas);
    }
    for (filter, values) in query.filters() {
        let sign = match filter.matching() {
            crate::domain::filter::Match::Text | crate::domain::filter::Match::AnyOf => '~',
            _ => '=',
        };
        for (at, value) in values.iter().enumerate() {
            let chip = if at == 0 { format!("{}{sign}{value}", filter.label()) } else { value.clone() };
            put(&chip, Role::Text, Some(Target::Value(filter, at)), canvas);
            put(if at + 1 < values.len() { " OR " } else { "  " }, Role::Text, None, canvas);
        }
    }
    if query.hide_owned {
        put("without ours  ", Role::Dim, None, canvas);
    }
    if query.hide_pulled {
        put("without pulled", Role::Dim, None, canvas);
    }
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

fn rows(state: &State, session: &Session, placed: &[Placed], canvas: &mut Canvas<'_>, area: Rect) {
    let side = state.side;
    let window = &session.side(side).window;
    let seat = state.seat();
    let count = seat.count(window);
    let range = seat.anchor.is_some().then(|| seat.range());
    let first_width = placed.first().map_or(area.width, |place| place.width);
    for offset in 0..area.height {
        let position = seat.top + u64::from(offset);
        if position >= count {
            break;
        }
        let y = area.y + offset;
        let here = position == seat.cursor;
        canvas.target(Rect { y, height: 1, ..area }, Target::Row(position));
        canvas.target(Rect { y, height: 1, width: SIGNS.min(area.width), ..area }, Target::Sign(position));
        if here {
            canvas.put(area.x, y, 1, "▸", Role::Focus);
        }
        if range.as_ref().is_some_and(|range| range.contains(&position)) {
            canvas.put(area.x + 2, y, 1, "»", Role::Match);
        }
        match window.slot(seat.index(position)) {
            Slot::Row(row) => draw_row(state, session, row, placed, canvas, area, y),
            Slot::Waiting => {
                for place in placed {
                    canvas.put(area.x + SIGNS + place.x, y, place.width.min(3), "···", Role::Dim);
                }
            }
            Slot::Elsewhere(index) => {
                let words = format!("the same contact as row {}", grouped(index + 1));
                canvas.put(area.x + SIGNS, y, area.width.saturating_sub(SIGNS), &words, Role::Disabled);
            }
            Slot::Vanished => {
                canvas.put(
                    area.x + SIGNS,
                    y,
                    area.width.saturating_sub(SIGNS),
                    "no longer in the result",
                    Role::Disabled,
                );
            }
            Slot::Failed(failure) => {
                let words = format!("not read: {}", failure.words());
                canvas.put(area.x + SIGNS, y, area.width.saturating_sub(SIGNS), &words, Role::Danger);
            }
        }
        if here && state.pane != Pane::Filters {
            let cell = Rect::new(area.x + SIGNS, y, first_width.min(area.width.saturating_sub(SIGNS)), 1);
            canvas.restyle(cell, Role::Cursor);
        }
    }
}

/// The state of a row as its sign. Suppressed first: it is the one that changes what may be done.
#[must_use]
pub fn sign(state: &State, session: &Session, row: &Row) -> (&'static str, Role) {
    let side = state.side;
    if state.suppressed.names(side, row) {
        ("×", Role::Suppressed)
    } else if row.id.is_some_and(|id| session.side(side).basket.contains(id)) {
        ("●", Role::Staged)
    } else if row.unlocked && matches!(row.known(Known::Verification), "invalid" | "disposable") {
        ("!", Role::Refunded)
    } else if row.unlocked {
        ("○", Role::Ours)
    } else {
        (" ", Role::Text)
    }
}

fn draw_row(
    state: &State,
    session: &Session,
    row: &Row,
    placed: &[Placed],
    canvas: &mut Canvas<'_>,
    area: Rect,
    y: u16,
) {
    let (sign, role) = sign(state, session, row);
    canvas.put(area.x + 1, y, 1, sign, role);
    if let (Some(watch), Some(id)) = (session.side(state.side).watched(), row.id)
        && watch.is_new(id)
    {
        canvas.put(area.x + 2, y, 1, "+", Role::New);
    }
    let suppressed = sign == "×";
    let base = if suppressed {
        Role::Suppressed
    } else if row.unlocked {
        Role::Ours
    } else {
        Role::Text
    };
    let (plain, style) = (canvas.style(Role::Text), canvas.style(base));
    let dim = canvas.style(Role::Dim);
    for place in placed {
        let column = &state.seat().columns[place.column];
        let x = area.x + SIGNS + place.x;
        if column.is_name() {
            draw_name(row, canvas, x, y, place.width, if suppressed { style } else { plain });
            continue;
        }
        let value = column.value(row);
        let private = matches!(&*column.key, "email" | "email_address" | "phone");
        if private && suppressed {
            text::put_cut(canvas.buffer, x, y, place.width, "suppressed", style);
        } else if private && state.masked && row.unlocked {
            text::put_cut(canvas.buffer, x, y, place.width, "•••", dim);
        } else {
            let style = if private && row.unlocked {
                style
            } else if suppressed {
                dim
            } else {
                plain
            };
            text::put_cut(canvas.buffer, x, y, place.width, value, style);
        }
    }
}

/// First and last name one after the other, without putting them together first.
fn draw_name(row: &Row, canvas: &mut Canvas<'_>, x: u16, y: u16, width: u16, style: Style) {
    let whole = row.known(Known::ContactName);
    if !whole.is_empty() {
        text::put_cut(canvas.buffer, x, y, width, whole, style);
        return;
    }
    let (first, last) = (row.known(Known::FirstName), row.known(Known::LastName));
    let used = text::put_cut(canvas.buffer, x, y, width, first, style);
    if used > 0 && used < width && !last.is_empty() {
        text::put(canvas.buffer, x + used, y, 1, " ", style);
        text::put_cut(canvas.buffer, x + used + 1, y, width - used - 1, last, style);
    } else if used == 0 {
        text::put_cut(canvas.buffer, x, y, width, last, style);
    }
}

fn legend(session: &Session, state: &State, now: Now, canvas: &mut Canvas<'_>, line: Rect) {
    let window = &session.side(state.side).window;
    if state.seat().count(window) > 0
        && let Some(waits) = window.waits(&session.desk, now)
        && let Some(words) = waiting(&waits, session, state.side.source, now)
    {
        canvas.put(line.x + 1, line.y, line.width.saturating_sub(1), &words, Role::Warning);
        return;
    }
    let pieces = [
        ("●", Role::Staged),
        (" basket  ", Role::Dim),
        ("○", Role::Ours),
        (" ours  ", Role::Dim),
        ("×", Role::Suppressed),
        (" suppressed  ", Role::Dim),
        ("!", Role::Refunded),
        (" refunded  ", Role::Dim),
        ("+", Role::New),
        (" new since last time", Role::Dim),
    ];
    canvas.line(line.x + 1, line.y, line.width.saturating_sub(1), &pieces);
}

/// `waiting 23 s (service asked), 3 queued`
#[must_use]
pub fn waiting(waits: &Waits<'_>, session: &Session, source: Source, now: Now) -> Option<String> {
    let gauge = session.desk.gauge(source, now);
    let queued = if gauge.queued > 1 { format!(", {} queued", gauge.queued) } else { String::new() };
    let seconds = |until: crate::domain::time::Mono| until.0.saturating_sub(now.mono.0).div_ceil(1000);
    match waits {
        Waits::Pause(paused) => {
            let who = if paused.asked.is_some() { "service asked" } else { "too many requests" };
            let capped = if paused.capped { ", it asked for longer" } else { "" };
            Some(format!("waiting {} s ({who}{capped}){queued}", seconds(paused.until)))
        }
        Waits::Slot { until: Some(until) } => {
            Some(format!("waiting {} s (the allowance is used up){queued}", seconds(*until)))
        }
        Waits::Again { until, failures, trouble } => {
            Some(format!("trying again in {} s, failed {failures} times: {}", seconds(*until), trouble.words()))
        }
        Waits::Slot { until: None } | Waits::Answer { .. } => None,
    }
}

/// What stands where rows would be: searching, nothing matched, failed, nothing searched yet.
fn instead(state: &State, session: &Session, now: Now, canvas: &mut Canvas<'_>, area: Rect) {
    let window = &session.side(state.side).window;
    let query = window.query();
    let mut lines: Vec<(String, Role)> = Vec::new();
    match window.status() {
        Status::Empty => {
            lines.push(("Nothing searched yet.".to_owned(), Role::Strong));
            lines.push(("/ types into the main field, f picks a filter.".to_owned(), Role::Dim));
        }
        Status::NotSent(problem) => {
            lines.push((format!("Not sent: {problem}."), Role::Strong));
            lines.push(("/ types a keyword, f picks a filter, r recalls a search.".to_owned(), Role::Dim));
        }
        Status::Running { since, speed } => {
            let seconds = now.mono.since(*since).as_secs();
            let clock = if seconds > 0 { format!("  {seconds} s") } else { String::new() };
            lines.push((format!("Searching…{clock}   Esc stops"), Role::Strong));
            if let Some(words) =
                window.waits(&session.desk, now).and_then(|waits| waiting(&waits, session, state.side.source, now))
            {
                lines.push((words, Role::Warning));
            }
            if *speed == Speed::Slow {
                lines.push((
                    "Location or e-mail type alone scans the whole corpus. A keyword or an industry makes it fast."
                        .to_owned(),
                    Role::Dim,
                ));
            }
        }
        Status::Stopped => {
            lines.push(("Stopped before the answer came.".to_owned(), Role::Strong));
            lines.push(("R searches again; nothing was spent.".to_owned(), Role::Dim));
        }
        Status::Failed(failure) => {
            let (sentence, hint) = trouble(failure);
            lines.push((sentence, Role::Danger));
            lines.push((hint.to_owned(), Role::Dim));
        }
        Status::Loaded => {
            lines.push(("Nothing matched.".to_owned(), Role::Strong));
            let set: Vec<String> =
                query.filters().map(|(filter, values)| format!("{} {}", filter.label(), values.join(" or "))).collect();
            let hidden = match (query.hide_owned, query.hide_pulled) {
                (true, _) => " Contacts we own are hidden.",
                (_, true) => " Pulled rows are hidden.",
                _ => "",
            };
            let set =
                if set.is_empty() { "No filter was set.".to_owned() } else { format!("Set: {}.", set.join(", ")) };
            lines.push((format!("{set}{hidden}"), Role::Text));
            lines.push((
                "Backspace in the filter pane clears one, F clears all, u takes the last change back.".to_owned(),
                Role::Dim,
            ));
        }
    }
    let columns = area.width.saturating_sub(4).min(72);
    let mut y = area.y + area.height / 4;
    for (words, role) in lines {
        for line in text::wrapped(&words, usize::from(columns)) {
            if y >= area.bottom() {
                return;
            }
            canvas.put(area.x + SIGNS.min(area.width), y, columns, &line, role);
            y += 1;
        }
    }
}

/// A failure as one sentence and one hint.
#[must_use]
pub fn trouble(failure: &Failure) -> (String, &'static str) {
    let words = failure.words().trim_end_matches('.');
    match failure {
        Failure::Refused { why: Refusal::Key, .. } => {
            (format!("The key was refused: {words}."), "P shows and changes the key; lode doctor checks it.")
        }
        Failure::Refused { why: Refusal::Scope, .. } => {
            (format!("This key may not search: {words}."), "P switches the key.")
        }
        Failure::Refused { why: Refusal::Address, .. } => {
            (format!("The address is wrong: {words}."), "lode doctor shows the address in use.")
        }
        Failure::Refused { .. } => {
            (format!("The service refused: {words}."), "i shows what was sent; change the filters or R asks again.")
        }
        Failure::Unsent { .. } => {
            (format!("The service cannot be reached: {words}."), "R tries again; lode doctor looks for the cause.")
        }
        Failure::Later { .. } => (format!("Too many requests: {words}."), "R asks again."),
        Failure::Unclear { .. } => {
            (format!("No readable answer: {words}."), "R asks again, searching is free; g e shows it in full.")
        }
        Failure::Disk { .. } => (format!("The disk: {words}."), "lode doctor looks at the folders."),
        Failure::OurBug { .. } => {
            (format!("This should not have happened: {words}."), "g e shows it in full and where the log is.")
        }
    }
}
