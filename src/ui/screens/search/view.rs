//! The three panes of the Search screen; where there is no room beside the grid they open over it.

use std::hash::{DefaultHasher, Hash, Hasher};

use ratatui::style::Style;

use crate::layout::SearchLayout;
use crate::scene::prelude::*;
use crate::widgets::share::Placed;
use lode_core::{DrawnList, ExclusionReason, Fields, MatchKind, QueryProblem, Speed};
use lode_engine::effect::{Failure, Refusal};
use lode_engine::flow::search::window::{Slot, Status};
use lode_engine::flow::{desk::Waits, search::legs::Legs};

use super::columns::{self, GridColumn, SIGNS};
use super::state::{Pane, Seat, State};
use super::{contact, filters, sign};

pub(super) fn draw(state: &State, scene: SceneRef<'_>, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let panes = state.layout(body);
    draw_grid(state, scene, buf, cx, &panes);
    if let Some(lines) = panes.grid.strip {
        contact::draw_strip(state, scene, lines, buf, cx);
    }
    let (in_contact, in_filters) = (state.pane == Pane::Contact, state.pane == Pane::Filters || state.edit.is_some());
    if panes.contact.is_none() && in_contact {
        cx.clear(buf, panes.contact_over);
    }
    if let Some(area) = panes.contact.or(in_contact.then_some(panes.contact_over)) {
        cx.redraw(buf, area);
        contact::draw_pane(state, scene, area, buf, cx);
    }
    // Typing takes more room than the pane has.
    let area = panes.filters.filter(|_| state.edit.is_none()).or(in_filters.then_some(panes.filters_over));
    if let Some(area) = area {
        if panes.filters != Some(area) {
            cx.clear(buf, area);
        }
        if !cx.is_over_shown() {
            filters::draw(state, scene, area, buf, cx);
        }
    }
}

// The result grid: one list over the whole result, however large; rows that are not here yet are dots.
//
// The whole row under the cursor is tinted from edge to edge; the cell under it is bold and underlined.

fn draw_grid(state: &State, scene: SceneRef<'_>, buf: &mut Buffer, cx: &mut ViewContext, layout: &SearchLayout) {
    let (window, seat) = (state.window(scene.session), state.seat());
    let (area, parts) = (layout.results, layout.grid);
    let (left, right) = caption(state, scene.session, area.width);
    cx.target(area, Target::Pane(1));
    let focused = state.pane == Pane::Results && state.edit.is_none();
    TitledPane::new(&left, focused).beside(&right).render(area, buf, cx);
    let room = area.width.saturating_sub(2 + SIGNS);
    let placed = columns::share(&seat.columns, &seat.needs, room, seat.column);
    cx.redraw(buf, parts.heads);
    heads(seat, &placed, buf, cx, parts.heads);
    if let Some(line) = parts.words.filter(|_| !cx.is_over_shown()) {
        chips(state, scene.session, buf, cx, line);
    }
    if seat.count(window) == 0 {
        cx.redraw(buf, parts.rows);
        instead(state, scene, buf, cx, parts.rows);
    } else {
        rows(state, scene, &placed, buf, cx, parts.rows);
    }
    footer(state, scene, buf, cx, area);
}

fn heads(seat: &Seat, placed: &[Placed], buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    if line.height == 0 {
        return;
    }
    for place in placed {
        let column = &seat.columns[place.column];
        let x = line.x + SIGNS + place.x;
        let role = if place.column == seat.column { Role::Key } else { Role::Head };
        let mark = match &seat.order {
            Some(order) if order.column != place.column || order.only_new => "",
            Some(order) if order.back => "▾",
            Some(_) => "▴",
            None => "",
        };
        let used = cx.put(buf, x, line.y, place.width, column.head(), role);
        cx.put(buf, x + used, line.y, place.width.saturating_sub(used), mark, role);
        cx.target(Rect::new(x, line.y, place.width, 1), Target::Head(place.column));
    }
}

fn rows(state: &State, scene: SceneRef<'_>, placed: &[Placed], buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
    let (side, rules) = (scene.session.side(state.side), &scene.session.choice_rules);
    let (window, seat) = (&side.window, state.seat());
    let count = seat.count(window);
    let range = seat.anchor.is_some().then(|| seat.range());
    let unknown = scene.session.recovery().unknown(state.side.corpus);
    let cell = placed.iter().find(|place| place.column == seat.column).filter(|_| state.pane != Pane::Filters);
    let drawn = DrawnList { area, top: seat.top, cursor: seat.cursor, key: key(state, placed) };
    let is_stale = cx.keep_rows(buf, drawn);
    for (position, y) in (seat.top..count).zip(area.top()..area.bottom()).filter(|(position, _)| is_stale(*position)) {
        let line = Rect { y, height: 1, ..area };
        cx.target(line, Target::Row(position));
        cx.target(Rect { width: SIGNS.min(area.width), ..line }, Target::Sign(position));
        let mut is_new = false;
        let sign = match window.slot(seat.index(position)) {
            Slot::Row(row) => {
                is_new = side.watched().zip(row.id()).is_some_and(|(watch, id)| watch.is_new(id));
                let score = rules.has_score().then(|| rules.total(row));
                let marks = Marks { sign: sign(state.side, scene, &unknown, row), out: side.excluded(row), score };
                draw_row(state, row, &marks, placed, buf, cx, line);
                marks.sign
            }
            // Met in another leg before: it is there, and counts once.
            Slot::Again(row) => {
                let marks = Marks { sign: Some(Sign::Repeat), ..Marks::default() };
                draw_row(state, row, &marks, placed, buf, cx, line);
                cx.restyle(buf, line, Role::Disabled);
                marks.sign
            }
            slot => draw_absent(&slot, placed, buf, cx, line),
        };
        if let Some(sign) = sign {
            cx.put(buf, line.x + 1, y, 1, sign.letter(), sign.role());
        }
        if is_new {
            cx.put(buf, line.x + 2, y, 1, Sign::New.letter(), Sign::New.role());
        } else if range.as_ref().is_some_and(|range| range.contains(&position)) {
            cx.put(buf, line.x + 2, y, 1, "»", Role::Match);
        }
        if position == seat.cursor {
            cx.put(buf, line.x, y, 1, "▌", Role::Focus);
            cx.restyle(buf, line, Role::Row);
            if let Some(cell) = cell {
                let (x, room) = (line.x + SIGNS + cell.x, line.width.saturating_sub(SIGNS + cell.x));
                cx.restyle(buf, Rect { x, width: cell.width.min(room), ..line }, Role::Cell);
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
    out: Option<ExclusionReason<'a>>,
    score: Option<i32>,
}

/// What stands where no row does. Returns its sign.
fn draw_absent(slot: &Slot<'_>, placed: &[Placed], buf: &mut Buffer, cx: &mut ViewContext, line: Rect) -> Option<Sign> {
    let (words, role) = match slot {
        Slot::Row(_) | Slot::Again(_) => return None,
        Slot::Waiting => {
            for place in placed {
                cx.put(buf, line.x + SIGNS + place.x, line.y, place.width.min(3), "···", Role::Dim);
            }
            return None;
        }
        Slot::Elsewhere(index) => (format!("the same contact as row {}", grouped(index + 1)), Role::Disabled),
        Slot::Vanished => ("no longer in the result".to_owned(), Role::Disabled),
        Slot::Failed(failure) => (format!("not read: {}", failure.words()), Role::Danger),
    };
    cx.put(buf, line.x + SIGNS, line.y, line.width.saturating_sub(SIGNS), &words, role);
    matches!(slot, Slot::Elsewhere(_)).then_some(Sign::Repeat)
}

fn draw_row(
    state: &State,
    row: &Row,
    marks: &Marks<'_>,
    placed: &[Placed],
    buf: &mut Buffer,
    cx: &mut ViewContext,
    line: Rect,
) {
    let suppressed = marks.sign == Some(Sign::Suppressed);
    let out = marks.out.map(|why| why.to_string());
    let pale = suppressed || out.is_some();
    let base = match row.unlocked() {
        _ if pale => Role::Suppressed,
        true => Role::Owned,
        false => Role::Text,
    };
    let (plain, style, dim) = (cx.style(Role::Text), cx.style(base), cx.style(Role::Dim));
    let fields = Fields::of(row);
    for place in placed {
        let column = &state.seat().columns[place.column];
        let (x, y) = (line.x + SIGNS + place.x, line.y);
        if column.is_name() {
            draw_name(&fields, buf, x, y, place.width, if pale { style } else { plain });
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
                "email_status" | "verification" if !pale => cx.style(contact::verified(value)),
                _ if private && row.unlocked() => style,
                _ if pale => dim,
                _ => plain,
            };
            (value, style)
        };
        text::put_cut(buf, x, y, place.width, words, style);
    }
}

/// First and last name one after the other, without putting them together first.
fn draw_name(fields: &Fields<'_>, buf: &mut Buffer, x: u16, y: u16, width: u16, style: Style) {
    let whole = fields.known(Known::ContactName);
    if !whole.is_empty() {
        text::put_cut(buf, x, y, width, whole, style);
        return;
    }
    let (first, last) = (fields.known(Known::FirstName), fields.known(Known::LastName));
    let used = text::put_cut(buf, x, y, width, first, style);
    if used > 0 && used < width && !last.is_empty() {
        text::put(buf, x + used, y, 1, " ", style);
        text::put_cut(buf, x + used + 1, y, width - used - 1, last, style);
    } else if used == 0 {
        text::put_cut(buf, x, y, width, last, style);
    }
}

// What stands over the rows: the title with the numbers of the result, and the search as it is said.

/// The upper border, as much of it as fits: on the left what there is, on the right where one is in it.
/// `4,870 contacts ── row 211 · page 3/49 · owned 312 (6%)`
fn caption(state: &State, session: &Session, width: u16) -> (String, String) {
    let (side, window, seat) = (session.side(state.side), state.window(session), state.seat());
    let Some(total) = window.total() else {
        let left = match window.status() {
            Status::Running { .. } => "Searching…",
            Status::Stopped => "Search stopped",
            Status::Failed(_) => "Search failed",
            Status::Empty | Status::NotSent(_) | Status::Loaded => "Contacts",
        };
        return (left.to_owned(), String::new());
    };
    let left = match &seat.order {
        Some(order) if order.only_new => {
            let held = grouped(window.held() as u64);
            format!("{} new of {held} read, {}", grouped(order.rows.len() as u64), counted(total, "contact"))
        }
        Some(order) => {
            let by = seat.columns.get(order.column).map_or("", GridColumn::head).to_lowercase();
            let way = if order.back { "backwards " } else { "" };
            format!("{} of {} loaded, {way}by {by}", grouped(order.rows.len() as u64), grouped(total))
        }
        None => totals(seat, window, total, width),
    };
    // The total is the service's: it counts what is left out here.
    let left = if window.query().not.is_empty() {
        left
    } else {
        format!("{left}, {} of {} read excluded", grouped(side.sift().excluded()), grouped(side.sift().read()))
    };
    let mut pieces = Vec::new();
    if total > 0 {
        pieces.push(format!("row {}", grouped(seat.cursor + 1)));
        if let (Some((page, pages)), None) = (window.page_at(seat.cursor), &seat.order) {
            pieces.push(format!("page {}/{}", grouped(page), grouped(pages)));
        }
    }
    if let Some(share) = side.coverage.share().filter(|_| total > 0) {
        // Wider than any total: a service may name one that no corpus has.
        let (owned, left) = (u128::from(share.owned), u128::from(share.left));
        pieces.push(format!("owned {} ({}%)", grouped(share.owned), owned * 100 / (owned + left).max(1)));
    }
    let room = usize::from(width).saturating_sub(text::width(&left) + 9);
    while !pieces.is_empty() && text::width(&pieces.join(" · ")) > room {
        pieces.pop();
    }
    (left, pieces.join(" · "))
}

/// How many there are. Of a search with legs: the sum of the known totals, and the legs by name where there is room, else the one
/// that the cursor is in.
fn totals(seat: &Seat, window: &Legs, total: u64, width: u16) -> String {
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
        .map(|(leg, total)| format!("{} {}", query.leg_name(leg), total.map_or("…".to_owned(), grouped)))
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
    let window = state.window(session);
    let is_changed = state.seat().draft != *window.query() && window.total().is_some();
    Some(match (window.moved(), window.skipped()) {
        (Some(moved), _) => {
            format!("result changed: {} → {}  <results.fetch-again> refresh", grouped(moved.was), grouped(moved.is))
        }
        (None, 1..) => format!("{} skipped  <results.fetch-again> refresh", counted(window.skipped(), "contact")),
        (None, 0) if is_changed => "filters changed  <results.fetch-again> run".to_owned(),
        (None, 0) => return None,
    })
}

/// The search as it is said, each value a chip that leads to it.
fn chips(state: &State, session: &Session, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let query = state.window(session).query();
    let mut right = line.right();
    if let Some(words) = changed(state, session) {
        right = cx.put_right(buf, right, line.y, line.width / 2, &words, Role::Warning).saturating_sub(1);
    }
    // Words, their look, and the value that a click on them means.
    let mut pieces: Vec<(String, Role, Option<Target>)> = Vec::new();
    if query.is_unfiltered() {
        let is_data = query.side.source == Source::Data;
        let words = if is_data { "no filters yet" } else { "All contacts (no filters)" };
        pieces.extend([(words.to_owned(), Role::Dim, None), ("  ".to_owned(), Role::Text, None)]);
    }
    for (filter, values) in query.filters() {
        let sign = if matches!(filter.matching(), MatchKind::Text | MatchKind::AnyOf) { '~' } else { '=' };
        for (at, value) in values.iter().enumerate() {
            let chip = if at == 0 { format!("{}{sign}{value}", filter.label()) } else { value.clone() };
            let after = if at + 1 < values.len() { " OR " } else { "  " };
            pieces.push((chip, Role::Text, Some(Target::Value(filter, at))));
            pieces.push((after.to_owned(), Role::Text, None));
        }
    }
    let not = query.not.iter().map(|(_, value)| format!("{} {value}  ", Sign::Excluded.letter()));
    let hidden = [(query.hide_owned, "not owned  "), (query.hide_pulled, "without pulled")];
    let hidden = hidden.into_iter().filter(|(hides, _)| *hides).map(|(_, words)| words.to_owned());
    pieces.extend(not.chain(hidden).map(|words| (words, Role::Dim, None)));
    let mut x = line.x + 1;
    for (words, role, target) in pieces {
        let used = cx.put(buf, x, line.y, right.saturating_sub(x), &words, role);
        if let Some(target) = target {
            cx.target(Rect::new(x, line.y, used, 1), target);
        }
        x += used;
    }
}

// What stands where rows would be, and what the screen waits for, in words.

/// What the search waits for: `waiting 23 s (service asked), 3 queued`
fn waiting(state: &State, session: &Session, now: Now) -> Option<String> {
    let gauge = session.desk.gauge(state.side.source, now);
    let queued = if gauge.queued > 1 { format!(", {} queued", gauge.queued) } else { String::new() };
    let seconds = |until: Mono| until.0.saturating_sub(now.mono.0).div_ceil(1000);
    Some(match state.window(session).waits(&session.desk, now)? {
        Waits::Pause(paused) => {
            let who = if paused.asked.is_some() { "requested by the service" } else { "too many requests" };
            let capped = if paused.capped { ", the service asked for longer" } else { "" };
            format!("waiting {} s ({who}{capped}){queued}", seconds(paused.until))
        }
        Waits::Slot { until: Some(until) } => format!("waiting {} s (rate limit reached){queued}", seconds(until)),
        Waits::Again { until, failures, trouble } => {
            format!("retrying in {} s (attempt {failures} failed): {}", seconds(until), trouble.words())
        }
        Waits::Slot { until: None } | Waits::Answer { .. } => return None,
    })
}

/// What stands where rows would be: searching, nothing matched, failed, nothing searched yet.
fn instead(state: &State, scene: SceneRef<'_>, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
    let SceneRef { session, now, .. } = scene;
    let window = state.window(session);
    let query = window.query();
    // What it is, what there is to say of it, and what can be done.
    let strong = |words: &str| (words.to_owned(), Role::Strong);
    let meant = |words: String| (format!("Did you mean {words}?"), Role::Warning);
    let mut more = Vec::new();
    let (first, hint) = match window.status() {
        Status::Empty => {
            (strong("No search yet."), "Press <results.main-field> to search or <results.filter> to filter.")
        }
        Status::NotSent(problem) => {
            if let QueryProblem::NotListed { nearest: Some(nearest), .. } = problem {
                more.push(meant((*nearest).to_owned()));
            }
            let hint = "Press <results.main-field> to search, <results.filter> to filter or <results.recall> for a recent search.";
            (strong(&format!("Not sent: {problem}.")), hint)
        }
        Status::Running { since, speed } => {
            let seconds = now.mono.since(*since).as_secs();
            let clock = if seconds > 0 { format!("  {seconds} s") } else { String::new() };
            more.extend(waiting(state, session, now).map(|words| (words, Role::Warning)));
            let slow =
                "Location or email type alone scans the whole corpus, which is slow. Add a keyword or an industry.";
            let hint = if *speed == Speed::Slow { slow } else { "" };
            (strong(&format!("Searching…{clock}   <everywhere.escape> stop")), hint)
        }
        Status::Stopped => (strong("Search stopped."), "<results.fetch-again> search again. Nothing was spent."),
        Status::Failed(failure) => {
            let (sentence, hint) = trouble(failure);
            ((sentence, Role::Danger), hint)
        }
        Status::Loaded => {
            let set = query.filters().map(|(filter, values)| format!("{} {}", filter.label(), values.join(" or ")));
            let set: Vec<String> = set.collect();
            let set = if set.is_empty() { "No filters.".to_owned() } else { format!("Filters: {}.", set.join(", ")) };
            let hidden = match (query.hide_owned, query.hide_pulled) {
                (true, _) => " Owned contacts are hidden.",
                (_, true) => " Pulled rows are hidden.",
                _ => "",
            };
            more.push((format!("{set}{hidden}"), Role::Text));
            more.extend(
                query.likely().into_iter().map(|(filter, likely)| meant(format!("{} {likely}", filter.label()))),
            );
            let hint = "<everywhere.undo> undo the last filter   <results.clear-filters> clear all filters";
            (strong("No matches."), hint)
        }
    };
    let hint = Some((hint.to_owned(), Role::Dim)).filter(|(hint, _)| !hint.is_empty());
    let lines = std::iter::once(first).chain(more).chain(hint);
    let width = area.width.saturating_sub(4).min(72);
    let place = Rect { x: area.x + SIGNS.min(area.width), width, ..area };
    cx.sentences(buf, place, area.y + area.height / 4, lines);
}

/// A failure as one sentence and one hint.
pub fn trouble(failure: &Failure) -> (String, &'static str) {
    let (what, hint) = match failure {
        Failure::Refused { why, .. } => match why {
            Refusal::Key => {
                ("The key was refused", "<everywhere.profiles> change the key. Run lode doctor to check it.")
            }
            Refusal::Scope => ("This key may not search", "<everywhere.profiles> switch the key"),
            Refusal::Address => ("The URL is wrong", "Run lode doctor to see the URL in use."),
            _ => (
                "The service refused the request",
                "<everywhere.last-request> see what was sent. Change the filters, or <results.fetch-again> retry.",
            ),
        },
        Failure::Unsent { .. } => {
            ("The service cannot be reached", "<results.fetch-again> retry. Run lode doctor to find the cause.")
        }
        Failure::Later { .. } => ("Too many requests", "<counts.again> retry"),
        Failure::Unclear { .. } => {
            ("Unreadable response", "<results.fetch-again> retry (free)   <everywhere.last-error> details")
        }
        Failure::Disk { .. } => ("Disk error", "Run lode doctor to check the folders."),
        Failure::OurBug { .. } => ("This is a bug in lode", "<everywhere.last-error> details"),
    };
    (format!("{what}: {}.", failure.words().trim_end_matches('.')), hint)
}

// The lower border of the grid: what is waited for or what the signs mean.

/// The most common first: what there is no room for is left out.
const LEGEND: [Sign; 8] = {
    use Sign::*;
    [Basket, Owned, Suppressed, Excluded, Refunded, New, Unknown, Repeat]
};

fn footer(state: &State, scene: SceneRef<'_>, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
    let SceneRef { session, now, .. } = scene;
    let y = area.bottom() - 1;
    let (mut x, right) = (area.x + 2, area.right().saturating_sub(2));
    let window = state.window(session);
    // Words on a border take nothing of its look.
    let clear = |buf: &mut Buffer, cx: &mut ViewContext, x: u16, wide: usize| {
        let width = (wide as u16).min(right.saturating_sub(x));
        cx.clear(buf, Rect { x, y, width, height: 1 });
    };
    if state.seat().count(window) > 0
        && let Some(words) = waiting(state, session, now)
    {
        let words = format!(" {words} ");
        clear(buf, cx, x, text::width(&words));
        cx.put(buf, x, y, right.saturating_sub(x), &words, Role::Warning);
        return;
    }
    let excludes = !window.query().not.is_empty();
    for sign in LEGEND.into_iter().filter(|sign| excludes || *sign != Sign::Excluded) {
        let words = format!(" {} ", sign.word());
        let wide = text::width(&words) + 2;
        if usize::from(x) + wide > usize::from(right) || area.height < 12 {
            return;
        }
        clear(buf, cx, x, wide);
        x += cx.line(buf, x, y, wide as u16, &[(" ", Role::Text), (sign.letter(), sign.role()), (&words, Role::Dim)]);
    }
}
