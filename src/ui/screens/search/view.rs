//! The three panes of the Search screen; where there is no room beside the grid they open over it.

use std::borrow::Cow;

use super::*;

impl StatefulWidget for ScreenView<'_, State> {
    type State = ViewContext;

    fn render(self, body: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let ScreenView(state, _) = self;
        let panes = state.layout(body);
        // While a field has the keys, only it changes.
        let grid = state.grid();
        if state.edit.is_none() || !cx.keeps_all_rows(grid.top, grid.cursor) {
            draw_panes(&self, &panes, buf, cx);
        }
        if let (Some(edit), Some(line)) = (&state.edit, panes.pills) {
            let names = || {
                let name = placed(state, panes.results).into_iter().find(|place| grid.columns[place.column].is_name());
                panes.grid.rows.x + SIGNS + name.map_or(0, |name| name.x + name.width + 1)
            };
            pills::draw_field(edit, names, buf, cx, line, Rect { y: line.y + 1, height: body.height - 1, ..body });
        }
    }
}

fn draw_panes(view: &ScreenView<'_, State>, panes: &SearchLayout, buf: &mut Buffer, cx: &mut ViewContext) {
    let &ScreenView(state, scene) = view;
    if let Some(line) = panes.pills.filter(|_| !cx.is_over_shown()) {
        pills::draw(state, scene.session, buf, cx, line);
    }
    draw_grid(view, buf, cx, panes);
    if let Some(lines) = panes.grid.strip {
        contact::draw_strip(state, scene, lines, buf, cx);
    }
    let (in_contact, in_filters) = (state.pane == Pane::Contact, state.pane == Pane::Filters);
    if panes.contact.is_none() && in_contact {
        cx.clear(buf, panes.contact_over);
    }
    if let Some(area) = panes.contact.or(in_contact.then_some(panes.contact_over)) {
        contact::draw_pane(state, scene, area, buf, cx);
    }
    if let Some(area) = panes.filters.or(in_filters.then_some(panes.filters_over)) {
        if panes.filters != Some(area) {
            cx.clear(buf, area);
        }
        if !cx.is_over_shown() {
            filters::draw(state, scene, area, buf, cx);
        }
    }
}

/// Where the columns of the grid stand.
fn placed(state: &State, area: Rect) -> Vec<Placed> {
    let grid = state.grid();
    columns::share(&grid.columns, &grid.needs, area.width.saturating_sub(2 + SIGNS + DOT), grid.column)
}

// The result grid: one list over the whole result, however large; rows that are not here yet are dots.
//
// The whole row under the cursor is tinted from edge to edge; the cell under it is bold and underlined.

fn draw_grid(view: &ScreenView<'_, State>, buf: &mut Buffer, cx: &mut ViewContext, layout: &SearchLayout) {
    let &ScreenView(state, scene) = view;
    let (window, grid) = (state.window(scene.session), state.grid());
    let (area, parts) = (layout.results, layout.grid);
    cx.target(area, Target::Pane(1));
    let placed = placed(state, area);
    let key = key(state, &placed, &cx.motion.rows);
    let list = DrawnList { area: parts.rows, top: grid.top, cursor: grid.cursor, key };
    if cx.keeps_list(list) {
        return;
    }
    let focused = state.pane == Pane::Results && state.edit.is_none();
    let (left, right) = position(state, scene.session);
    let details = || pills::details(state, scene.session, &cx.keys, usize::from(area.width).saturating_sub(9));
    let details = if cx.is_over_shown() { String::new() } else { details() };
    TitledPane::new("", focused).beside(&details).below(&left, &right).render(area, buf, cx);
    let area = parts.rows;
    if cx.shown_list(list).is_none() {
        cx.redraw(buf, parts.heads);
        heads(grid, &placed, buf, cx, parts.heads);
        cx.stops = stops(state, scene.session, &placed, area);
    }
    if grid.count(window) == 0 {
        cx.redraw(buf, area);
        instead(state, scene, buf, cx, area);
    } else {
        rows(view, &placed, list, buf, cx);
    }
}

/// Where what differs from row to row begins: in a masked value also behind the mask.
fn stops(state: &State, session: &Session, placed: &[Placed], area: Rect) -> Vec<u16> {
    let masked = state.window(session).loaded().map(|(_, row)| row).take(20).find(|row| !row.unlocked());
    let mut stops = Vec::new();
    for place in placed {
        let (column, x) = (&state.grid().columns[place.column], area.x + SIGNS + place.x);
        let value = masked.filter(|_| column.is_wanted()).map_or("", |row| column.value(row));
        let phone = column.is_phone().then(|| text::phone_within(value, place.width)).flatten();
        let words = phone.as_deref().unwrap_or(value);
        // Most scores have two digits.
        let begins = if column.is_score() { 3 } else { u16::from(words.starts_with('(')) };
        let behind = text::mask(words).map(|hidden| {
            let (until, after) = words.split_at(hidden.end);
            text::width(until) as u16 + u16::from(after.starts_with('@'))
        });
        let is_shown = |at: &u16| *at < place.width && x + at < area.right();
        stops.extend([Some(begins), behind].into_iter().flatten().filter(is_shown).map(|at| x + at));
    }
    stops
}

fn heads(grid: &GridState, placed: &[Placed], buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    if line.height == 0 {
        return;
    }
    for place in placed {
        let column = &grid.columns[place.column];
        let x = line.x + SIGNS + place.x;
        let role = if place.column == grid.column { Role::Key } else { Role::Head };
        let mark = match &grid.order {
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

fn rows(view: &ScreenView<'_, State>, placed: &[Placed], list: DrawnList, buf: &mut Buffer, cx: &mut ViewContext) {
    let (&ScreenView(state, scene), area) = (view, list.area);
    let (side, rules) = (scene.session.side(state.side), &scene.session.choice_rules);
    let (window, grid) = (&side.window, state.grid());
    let count = grid.count(window);
    let range = grid.anchor.is_some().then(|| grid.range());
    let unknown = scene.session.recovery.unknown(state.side.corpus);
    let cell = placed.iter().find(|place| place.column == grid.column).filter(|_| state.pane != Pane::Filters);
    let is_stale = cx.keep_rows(buf, list);
    for (position, y) in (grid.top..).zip(area.top()..area.bottom()).filter(|(position, _)| is_stale(*position)) {
        let line = Rect { y, height: 1, ..area };
        cx.redraw(buf, line);
        if position >= count {
            continue;
        }
        cx.target(line, Target::Row(position));
        cx.target(Rect { width: SIGNS.min(area.width), ..line }, Target::Sign(position));
        let (mut is_new, mut is_changed) = (false, false);
        let sign = match window.slot(grid.index(position)) {
            Slot::Row(row) => {
                is_new = side.watch.as_ref().zip(row.id()).is_some_and(|(watch, id)| watch.is_new(id));
                let fields = Fields::of(row);
                let score = rules.has_score().then(|| rules.scorer.total(&Traits::among(&fields)));
                is_changed = key_of(state.side, row).is_some_and(|key| cx.motion.rows.contains(&key));
                let is_tinted = is_changed || position == grid.cursor;
                let sign = sign(state.side, scene, &unknown, row);
                let out = side.excluded(row);
                draw_row(state, &DrawnRow { row, fields, sign, out, score, is_tinted }, placed, buf, cx, line);
                sign
            }
            // Met in another leg before: it is there, and counts once.
            Slot::Again(row) => {
                let sign = Some(Sign::Repeat);
                let drawn = DrawnRow { row, fields: Fields::of(row), sign, out: None, score: None, is_tinted: false };
                draw_row(state, &drawn, placed, buf, cx, line);
                cx.restyle(buf, line, Role::Disabled);
                sign
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
        if is_changed {
            cx.restyle(buf, line, Role::Changed);
        }
        if position == grid.cursor {
            cx.row = Some(line);
            cx.put(buf, line.x, y, 1, "▌", Role::Focus);
            cx.restyle(buf, line, Role::Row);
            if let Some(cell) = cell {
                let (x, room) = (line.x + SIGNS + cell.x, line.width.saturating_sub(SIGNS + cell.x));
                cx.mark_cell(buf, Rect { x, width: cell.width.min(room), ..line });
            }
        }
    }
}

/// Stands for what all rows depend on besides the rows themselves. They do not change while only the cursor moves.
fn key(state: &State, placed: &[Placed], changed: &[ContactKey]) -> u64 {
    let grid = state.grid();
    let mut hasher = DefaultHasher::new();
    // In one number each: it is asked at every key.
    let column = |at: &Placed| (at.column as u64) << 32 | u64::from(at.x) << 16 | u64::from(at.width);
    placed.iter().for_each(|at| hasher.write_u64(column(at)));
    (placed.len(), changed, grid.column, grid.anchor, grid.anchor.map(|_| grid.cursor)).hash(&mut hasher);
    hasher.finish()
}

/// A row, and what it shows besides its fields.
struct DrawnRow<'a> {
    row: &'a Row,
    fields: Fields<'a>,
    sign: Option<Sign>,
    /// Why it is left out.
    out: Option<ExclusionReason<'a>>,
    score: Option<i32>,
    /// The tint of the cursor leaves the third tone too little contrast.
    is_tinted: bool,
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

fn draw_row(state: &State, of: &DrawnRow<'_>, placed: &[Placed], buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let row = of.row;
    let suppressed = of.sign == Some(Sign::Suppressed);
    let out = of.out.map(|why| why.to_string());
    let pale = suppressed || out.is_some();
    let base = match row.unlocked() {
        _ if pale => Role::Suppressed,
        true => Role::Owned,
        false => Role::Text,
    };
    let (plain, style, dim) = (cx.style(Role::Text), cx.style(base), cx.style(Role::Dim));
    let mask = if of.is_tinted { Role::Dim } else { Role::Faint };
    for place in placed {
        let column = &state.grid().columns[place.column];
        let (x, y) = (line.x + SIGNS + place.x, line.y);
        if column.is_name() {
            draw_name(&of.fields, buf, x, y, place.width, if pale { style } else { plain });
            continue;
        }
        let (value, score, said);
        let is_email = column.is_email();
        let private = column.is_wanted();
        let (words, style) = if column.is_score() {
            score = of.score.map_or_else(String::new, |score| format!("{score:>5}"));
            (score.as_str(), if pale { style } else { plain })
        } else if is_email && suppressed {
            ("suppressed", style)
        } else if let Some(out) = out.as_deref().filter(|_| is_email && !row.unlocked()) {
            // The sign says it already where there is little room.
            let short = out.strip_prefix("excluded: ").filter(|_| place.width < 30);
            (short.unwrap_or(out), style)
        } else if private && state.masked && row.unlocked() {
            ("•••", dim)
        } else {
            value = column.value_in(&of.fields);
            let is_status = matches!(column.known, Some(Known::EmailStatus | Known::Verification));
            let status = is_status.then(|| status_of(value)).flatten();
            let (word, role) = status.map(|(.., word, role)| (word, role)).unzip();
            let phone = || column.is_phone().then(|| text::phone_within(value, place.width)).flatten();
            said = word.or_else(|| phone().map(Cow::from));
            let style = match column.known {
                _ if role.is_some() && !pale => cx.style(role.unwrap_or(Role::Text)),
                _ if private && row.unlocked() => style,
                Some(Known::Title) if !pale => plain,
                _ => dim,
            };
            (said.as_deref().unwrap_or(value), style)
        };
        text::put_cut(buf, x, y, place.width, words, style);
        // What is not masked says something: the domain, the area code.
        if let Some(hidden) = private.then(|| text::mask(words)).flatten() {
            let from = text::width(&words[..hidden.start]);
            let [from, to] = [from, from + text::width(&words[hidden])].map(|at| place.width.min(at as u16));
            cx.restyle(buf, Rect { x: x + from, y, width: to - from, height: 1 }, mask);
        }
    }
    if let Some((dot, role, ..)) = card::status(&of.fields) {
        let role = match role {
            _ if pale && !of.is_tinted => Role::Faint,
            Role::Faint if of.is_tinted => Role::Dim,
            role => role,
        };
        cx.put(buf, line.right() - 1, line.y, 1, dot, role);
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

/// The lower border: where in the result the cursor is, and how much of it is owned.
fn position(state: &State, session: &Session) -> (String, String) {
    let (side, window, grid) = (session.side(state.side), state.window(session), state.grid());
    let total = grid.count(window);
    if total == 0 {
        return (String::new(), String::new());
    }
    let page = window.page_at(grid.cursor).filter(|_| grid.order.is_none());
    let page = page.map_or(String::new(), |(page, pages)| format!(" · page {}/{}", grouped(page), grouped(pages)));
    let owned = side.coverage.share().map(|share| {
        // Wider than any total: a service may name one that no corpus has.
        let (owned, left) = (u128::from(share.owned), u128::from(share.left));
        format!("owned {} · {} %", grouped(share.owned), owned * 100 / (owned + left).max(1))
    });
    (format!("{} of {}{page}", grouped(grid.cursor + 1), grouped(total)), owned.unwrap_or_default())
}

// What stands where rows would be, and what the screen waits for, in words.

/// What the search waits for: `waiting 23 s (service asked), 3 queued`
pub(crate) fn waiting(state: &State, session: &Session, now: Now) -> Option<String> {
    let waits = state.window(session).waits(&session.desk, now)?;
    let queued = match session.desk.gauge(state.side.source, now).queued {
        0 | 1 => String::new(),
        queued => format!(", {queued} queued"),
    };
    let seconds = |until: Mono| until.0.saturating_sub(now.mono.0).div_ceil(1000);
    Some(match waits {
        Waits::Pause(paused) => {
            let who = if paused.asked.is_some() { "requested by the service" } else { "too many requests" };
            let capped = if paused.capped { ", the service asked for longer" } else { "" };
            format!("waiting {} s ({who}{capped}){queued}", seconds(paused.until))
        }
        Waits::Slot { until: Some(until) } => format!("waiting {} s (rate limit reached){queued}", seconds(until)),
        Waits::Again { until, failures, trouble } => {
            format!("retrying in {} s (attempt {failures} failed): {}", seconds(until), trouble.words())
        }
        Waits::Slot { until: None } | Waits::Answer => return None,
    })
}

/// How a search begins.
const BEGIN: &str = "<results.main-field> search   <results.filter> filter   <results.recall> recent searches";

/// What stands where rows would be: searching, nothing matched, failed, nothing searched yet.
fn instead(state: &State, scene: SceneRef<'_>, buf: &mut Buffer, cx: &mut ViewContext, area: Rect) {
    let SceneRef { session, now, .. } = scene;
    let window = state.window(session);
    let query = window.query();
    // What it is, what there is to say of it, and what can be done.
    let strong = |words: &str| (words.to_owned(), Role::Strong);
    let dim = |words: &str| (words.to_owned(), Role::Dim);
    let meant = |words: String| (format!("Did you mean {words}?"), Role::Warning);
    let mut more = Vec::new();
    let source = state.side.source;
    let (first, hint) = match window.status() {
        Status::Failed(Failure::Unsent { .. }) if session.profile().service(source).is_none() => {
            more.push(dim("Add one, or try everything with lode demo."));
            (strong(&format!("No {} key", source.title())), "<everywhere.profiles> add a key")
        }
        Status::Empty => {
            more.push(dim("Searching is free: it spends no credits."));
            (strong("No search yet"), BEGIN)
        }
        // The problem belongs to the filters of the last search, not to the changed ones.
        Status::NotSent(_) if state.grid().draft != *query => {
            (strong("Filters changed"), "<results.fetch-again> search   <results.filter> filter")
        }
        Status::NotSent(problem) => {
            more.push(dim(&format!("{problem}.")));
            if let QueryProblem::NotListed { nearest: Some(nearest), .. } = problem {
                more.push(meant((*nearest).to_owned()));
            }
            (strong("Not sent"), BEGIN)
        }
        Status::Running { since, speed } => {
            let seconds = now.mono.since(*since).as_secs();
            let clock = if seconds > 0 { format!("  {seconds} s") } else { String::new() };
            more.extend(waiting(state, session, now).map(|words| (words, Role::Warning)));
            let slow =
                "Location or email type alone scans the whole corpus, which is slow. Add a keyword or an industry.";
            more.extend((*speed == Speed::Slow).then(|| dim(slow)));
            let words = cx.motion.waiting(Wait::Rows, &format!("Searching…{clock}"));
            let hint = if words.is_empty() { "" } else { "<everywhere.escape> stop" };
            (strong(&words), hint)
        }
        Status::Stopped => {
            more.push(dim("Nothing was spent."));
            (strong("Search stopped"), "<results.fetch-again> search again")
        }
        Status::Failed(failure) => {
            let (what, hint) = trouble(failure);
            more.push(dim(&format!("{}.", capital(failure.words().trim_end_matches('.')))));
            ((what.to_owned(), Role::Danger), hint)
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
            more.push(dim(&format!("{set}{hidden}")));
            let likely = query.likely().into_iter();
            more.extend(likely.map(|(filter, likely)| meant(format!("{} {likely}", filter.label()))));
            (strong("No matches"), "<everywhere.undo> undo the last filter   <results.clear-filters> clear all filters")
        }
    };
    let lines = std::iter::once(first).chain(more).chain([dim(hint)]);
    table::instead(lines, area, buf, cx);
}
