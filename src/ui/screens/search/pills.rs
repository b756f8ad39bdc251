//! The line of pills over the grid: the search as it is said, each part with a cross that takes it out. The field of a filter opens on
//! it, with what it could become below.

use std::sync::Arc;

use super::*;

/// A part of the search: its label, its values with what a click on each means, what the cross does.
struct Pill {
    label: &'static str,
    values: Vec<(String, Target)>,
    cross: Target,
}

impl Pill {
    fn switch(value: &str, command: Results) -> Pill {
        let target = Target::Command(Command::Results(command));
        Pill { label: "not", values: vec![(value.to_owned(), target)], cross: target }
    }

    /// Its pieces, each with its target: ` state TX, OK × `.
    fn pieces(self) -> impl Iterator<Item = (String, Role, Target)> {
        let Pill { label, values, cross } = self;
        let (first, last) = (values.first().map_or(cross, |(_, target)| *target), values.len().saturating_sub(1));
        let values = values.into_iter().enumerate().map(move |(at, (value, target))| {
            (format!("{value}{}", if at < last { ", " } else { "" }), Role::PillValue, target)
        });
        let label = (format!(" {label} "), Role::Pill, first);
        std::iter::once(label).chain(values).chain([(" × ".to_owned(), Role::Pill, cross)])
    }
}

fn pills(query: &Query) -> impl Iterator<Item = Pill> {
    let filters = query.filters().map(|(filter, values)| {
        let values = values.iter().enumerate().map(|(at, value)| (value.clone(), Target::Value(filter, at))).collect();
        Pill { label: filter.label(), values, cross: Target::Remove(Some(filter)) }
    });
    let not: Vec<&str> = query.not.iter().map(|(_, value)| value).collect();
    let excluded = || Pill { cross: Target::Remove(None), ..Pill::switch(&not.join(", "), Results::Exclusions) };
    let owned = query.hide_owned.then(|| Pill::switch("owned", Results::HideOwned));
    let pulled = query.hide_pulled.then(|| Pill::switch("pulled", Results::HidePulled));
    let unused = query.waiting().map(|(filter, values)| {
        let values = vec![(format!("{} (unused)", values.join(", ")), Target::Pane(0))];
        Pill { label: filter.label(), values, cross: Target::Remove(Some(filter)) }
    });
    filters.chain(unused).chain((!not.is_empty()).then(excluded)).chain(owned).chain(pulled)
}

pub(super) fn draw(state: &State, session: &Session, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let query = &state.grid().draft;
    let mut right = line.right() - 1;
    for (words, role) in total(state, session, line.width, &cx.motion).into_iter().rev() {
        right = cx.put_right(buf, right, line.y, right - line.x - 1, &words, role);
    }
    let right = right.saturating_sub(2);
    let mut x = line.x + 1 + cx.put(buf, line.x + 1, line.y, 2, "⌕ ", Role::Dim);
    if pills(query).next().is_none() {
        let words = if query.side.source == Source::Data { "no filters yet" } else { "no filters" };
        x += cx.put(buf, x, line.y, right.saturating_sub(x), words, Role::Dim) + 1;
    }
    let gap = || (" ".to_owned(), Role::Text, Target::Pane(1));
    for (words, role, target) in pills(query).flat_map(|pill| pill.pieces().chain([gap()])) {
        let used = cx.put(buf, x, line.y, right.saturating_sub(x), &words, role);
        cx.target(Rect::new(x, line.y, used, 1), target);
        x += used;
    }
    let add = "+ <results.filter> filter";
    if usize::from(right.saturating_sub(x)) > text::width(&cx.keys.spelled(add)) {
        let used = cx.put(buf, x + 1, line.y, right - x, add, Role::Dim);
        cx.target(Rect::new(x + 1, line.y, used, 1), Target::Command(Command::Results(Results::PickFilter)));
    }
}

/// How many there are, or what is not as the rows say any more.
fn total(state: &State, session: &Session, width: u16, motion: &MotionFrame) -> Vec<(String, Role)> {
    let (window, grid) = (state.window(session), state.grid());
    let side = (width >= 100).then(|| format!("{} · {}   ", state.side.source.title(), state.side.corpus.title()));
    let mut pieces = Vec::from_iter(side.map(|side| (side, Role::Dim)));
    if let Some(words) = changed(grid, window) {
        pieces.push((words, Role::Warning));
        return pieces;
    }
    match (window.total(), window.status()) {
        (Some(total), _) => {
            let most = if window.query().has_legs() && window.query().overlaps() { "up to " } else { "" };
            let noun = if total == 1 { " contact" } else { " contacts" };
            pieces.extend([(most.to_owned(), Role::Dim), (grouped(total), Role::Strong), (noun.to_owned(), Role::Dim)]);
        }
        (None, Status::Running { .. }) if !motion.shows(Wait::Rows) => {}
        (None, Status::Running { .. }) => pieces.push(("searching…".to_owned(), Role::Dim)),
        (None, Status::Stopped) => pieces.push(("search stopped".to_owned(), Role::Dim)),
        (None, Status::Failed(_)) => pieces.push(("search failed".to_owned(), Role::Dim)),
        (None, Status::Empty | Status::NotSent(_) | Status::Loaded) => {}
    }
    pieces
}

/// What is not as the rows say any more: the result itself, or the filters.
fn changed(grid: &GridState, window: &Legs) -> Option<String> {
    let is_changed = grid.draft != *window.query() && window.total().is_some();
    Some(match (window.moved(), window.skipped()) {
        (Some(moved), _) => {
            format!("result changed: {} → {}  <results.fetch-again> refresh", grouped(moved.was), grouped(moved.is))
        }
        (None, 1..) => format!("{} skipped  <results.fetch-again> refresh", counted(window.skipped(), "contact")),
        (None, 0) if is_changed => "filters changed  <results.fetch-again> run".to_owned(),
        (None, 0) => return None,
    })
}

/// What is to be known of the rows besides their number: their order, the legs of the search, what is left out.
pub(super) fn details(state: &State, session: &Session, keys: &Keymap, room: usize) -> String {
    let (side, window, grid) = (session.side(state.side), state.window(session), state.grid());
    let mut pieces = Vec::new();
    match &grid.order {
        Some(order) if order.only_new => {
            pieces.push(format!("{} new of {} read", grouped(order.rows.len() as u64), grouped(window.held() as u64)));
        }
        Some(order) => {
            let by = grid.columns.get(order.column).map_or("", GridColumn::head).to_lowercase();
            let way = if order.back { ", Z to A" } else { "" };
            let key = if order.back { "<results.order-back>" } else { "<results.order>" };
            let more = window.held().saturating_sub(order.held) as u64;
            let sorts_in = |words: &str| match more {
                0 => String::new(),
                more => keys.spelled(&format!(" · {} more{words}: {key}", grouped(more))).into_owned(),
            };
            let sorted = format!("sorted {}", extent(order.rows.len(), window));
            let (read, total) = (grouped(order.rows.len() as u64), grouped(window.total().unwrap_or(0)));
            // The longest that fits.
            let forms = [
                format!("{sorted} by {by}{way}{}", sorts_in(" read, to sort in")),
                format!("{sorted}{}", sorts_in(" read, to sort in")),
                format!("{sorted}{}", sorts_in("")),
            ];
            let fits = forms.into_iter().find(|form| text::width(form) <= room);
            pieces.push(fits.unwrap_or_else(|| format!("sorted {read} of {total}")));
        }
        None => {}
    }
    // The total is the service's: it counts what is left out here.
    if !window.query().not.is_empty() {
        pieces.push(side.excluded_counts.words());
    }
    if window.query().has_legs() && grid.order.is_none() {
        let (read, legs) = window.read();
        pieces.extend((read < legs).then(|| format!("{read} of {legs} read")));
        let parts: Vec<String> = window
            .parts()
            .map(|(leg, total)| format!("{} {}", window.query().leg_name(leg), total.map_or("…".to_owned(), grouped)))
            .collect();
        // The legs by name where there is room, else the one that the cursor is in.
        let fits = |words: &str| text::width(&pieces.join(" · ")) + text::width(words) + 3 <= room;
        let every = parts.join(" · ");
        let here = || window.leg_at(grid.cursor).and_then(|at| parts.get(at).cloned()).unwrap_or_default();
        let said = if fits(&every) { every } else { here() };
        if !said.is_empty() && fits(&said) {
            pieces.push(said);
        }
    }
    pieces.join(" · ")
}

/// The field of a filter on the line of pills, with how it matches beside it. What it could become drops down from it, to the right of
/// the names.
pub(super) fn draw_field(
    edit: &Edit,
    names: impl FnOnce() -> u16,
    buf: &mut Buffer,
    cx: &mut ViewContext,
    line: Rect,
    below: Rect,
) {
    let label = &edit.label;
    let x = line.x + (text::width(label) as u16).min(line.width / 2) + 2;
    let width = (line.right() - x - 1).min((line.width / 2).max(24));
    let (field, rule) = (Rect { x, width, ..line }, rule(edit));
    let shown = cx.shown_field(field, label, rule);
    if shown.is_none() {
        cx.change(line);
        cx.clear(buf, line);
        cx.put(buf, line.x + 1, line.y, line.width / 2, label, Role::Key);
        let beside = x + width + 2;
        cx.put(buf, beside, line.y, (line.right() - 1).saturating_sub(beside), rule, Role::Dim);
    }
    let before = shown.unwrap_or(width);
    let filled = edit.input.draw_over(before, field, buf, cx);
    cx.change(Rect { width: before.max(filled), ..field });
    cx.parts.field = Some((field, Arc::clone(label), rule, filled));
    let lines = (edit.lines as u16).min(below.height.saturating_sub(2));
    if lines == 0 {
        return;
    }
    // The columns of the grid stay where they are while the list is shown.
    let x = cx.shown_suggestions().map(|area| area.x);
    let x = x.unwrap_or_else(|| names().min(below.right().saturating_sub(20)));
    let area = Rect { x, width: (below.right() - x).min(width.max(40)), height: lines + 2, ..below };
    let inside = area.inner(Margin::new(1, 1));
    let before = cx.keep_suggestions(area, &edit.suggestions, edit.marked);
    if before.is_none() {
        cx.change(area);
        cx.clear(buf, area);
        pane::frame(area, buf, cx, true);
    }
    let marked = edit.marked.unwrap_or(usize::MAX);
    let line =
        |at: usize| ListLine { letter: None, mark: None, left: &edit.suggestions[at], right: "", role: Role::Text };
    let list = LineList { count: edit.suggestions.len(), marked, typed: "", line };
    for (at, line) in inside.rows().enumerate() {
        let now = suggestion(&edit.suggestions, edit.marked, at);
        if let Some((suggestions, marked)) = &before {
            let shown = suggestion(suggestions, *marked, at);
            if shown == now {
                continue;
            }
            let [wide, more] =
                [shown, now].map(|(_, words, is_marked)| if is_marked { usize::MAX } else { text::width(words) + 2 });
            cx.redraw(buf, Rect { width: wide.max(more).min(line.width.into()) as u16, ..line });
        }
        match now {
            (true, ..) => list.draw_line(at, line, buf, cx),
            (false, words, _) => _ = cx.put(buf, line.x + 2, line.y, line.width.saturating_sub(3), words, Role::Dim),
        }
    }
}

/// A line of what drops down: whether it is a suggestion, its words, and whether it is marked.
fn suggestion(suggestions: &[String], marked: Option<usize>, at: usize) -> (bool, &str, bool) {
    match suggestions.get(at) {
        Some(words) => (true, words, marked == Some(at)),
        None => (false, if at == 0 { "No suggestions." } else { "" }, false),
    }
}

/// How the value of a field is compared.
fn rule(edit: &Edit) -> &'static str {
    match (edit.filter.matching(), edit.becomes) {
        (MatchKind::AnyOf, Becomes::All) => "contains any of these; separate with commas",
        (MatchKind::AnyOf, _) | (_, Becomes::All | Becomes::Instead(_)) => edit.filter.rule(),
        (_, Becomes::Another) => "another value: one more search",
    }
}
