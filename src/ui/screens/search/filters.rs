//! The filter pane: what is set, what is hidden, how much of it is owned, what the basket holds, what was searched lately.

use super::*;

/// What the cursor of the pane can stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FilterLine {
    Filter(Filter),
    Corpus,
    HideOwned,
    HidePulled,
    Dedup,
    /// What is left out on this side.
    Exclude,
    PerCompany,
}

/// The lines of a side, the main text field first.
pub fn lines(side: Side) -> Vec<FilterLine> {
    let filters = Filter::of(side);
    let mut lines = vec![FilterLine::Filter(filters[0]), FilterLine::Corpus];
    lines.extend(filters[1..].iter().map(|filter| FilterLine::Filter(*filter)));
    match side.source {
        Source::Workspace => lines.push(FilterLine::HideOwned),
        Source::Data => lines.extend([FilterLine::HidePulled, FilterLine::Dedup]),
    }
    lines.extend([FilterLine::Exclude, FilterLine::PerCompany]);
    lines
}

/// The most past searches that are listed.
const RECENT: usize = 12;

/// Draws the filters of the draft, and what they leave.
pub(super) fn draw(state: &State, scene: SceneRef<'_>, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let session = scene.session;
    let focused = state.pane == Pane::Filters;
    cx.target(area, Target::Pane(0));
    let inside = TitledPane::new("Filters", focused).draw(area, buf, cx);
    if inside.width < 8 || inside.height == 0 {
        return;
    }
    let inside = Rect { x: inside.x + 1, width: inside.width - 1, ..inside };
    let all = lines(state.side);
    // With many filters (Data) the pane scrolls to the line that is stood on.
    let gap = u16::from(usize::from(inside.height) > all.len() + 2);
    let visible = usize::from(inside.height.saturating_sub(gap));
    let first = if state.line >= visible { state.line + 1 - visible } else { 0 };
    let mut y = inside.y;
    for (at, line) in all.iter().enumerate().skip(first) {
        if y >= inside.bottom() {
            return;
        }
        let place = Rect { y, height: 1, ..inside };
        cx.target(place, Target::FilterLine(at));
        draw_line(state, session, *line, buf, cx, place);
        y += 1 + if at == 0 { gap } else { 0 };
    }
    let words =
        |(filter, values): (Filter, &[String])| format!("{} {} (unused)", edit::label(filter), values.join(", "));
    let unused = state.grid().draft.waiting().map(|unused| vec![(words(unused), Role::Disabled)]);
    let empty = || (gap > 0).then(Vec::new);
    let mut below: Vec<Pieces> = unused.chain(empty()).collect();
    let coverage = coverage(state, session, inside.width);
    let has_room = usize::from(y) + below.len() + 2 <= inside.bottom().into();
    below.extend(coverage.filter(|_| has_room).into_iter().flatten());
    // Totals and coverage are the service's: they count what is left out here.
    let side = session.side(state.side);
    let excluded = (!side.window.query().not.is_empty()).then(|| vec![(side.excluded_counts.words(), Role::Dim)]);
    below.extend(excluded.into_iter().chain(empty()).chain(basket(state, session, inside.width)));
    for (y, line) in (y..inside.bottom()).zip(&below) {
        cx.line(buf, inside.x, y, inside.width, line);
    }
    recents(scene, buf, cx, inside, y + below.len() as u16 + 1);
}

const LABEL: u16 = 9;

fn draw_line(state: &State, session: &Session, of: FilterLine, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let draft = &state.grid().draft;
    let marked = state.pane == Pane::Filters && state.filter_line() == Some(of);
    let mut switch = |on: bool, words: &str, key: &str| {
        let line = draw_key(key, buf, cx, line);
        cx.put(buf, line.x, line.y, 1, if on { "■" } else { "□" }, if on { Role::Key } else { Role::Dim });
        let role = if marked { Role::Cursor } else { Role::Text };
        cx.put(buf, line.x + 2, line.y, line.width.saturating_sub(3), words, role);
    };
    let set = |words: String| if words.is_empty() { ("none".to_owned(), Role::Dim) } else { (words, Role::Strong) };
    let (label, (text, role), key) = match of {
        FilterLine::Filter(filter) => return draw_filter(state, filter, marked, buf, cx, line),
        FilterLine::HideOwned => return switch(draft.hide_owned, "Hide owned", "<results.hide-ours>"),
        FilterLine::HidePulled => return switch(draft.hide_pulled, "Hide pulled rows", "<results.hide-pulled>"),
        FilterLine::Dedup => return switch(draft.dedup, "Drop duplicates", ""),
        FilterLine::Corpus => ("Corpus", (draft.side.corpus.name().to_owned(), Role::Text), "<everywhere.corpus>"),
        FilterLine::Exclude => {
            let values: Vec<&str> = draft.not.iter().map(|(_, value)| value).collect();
            ("Exclude", set(values.join(", ")), "<results.exclusions>")
        }
        FilterLine::PerCompany => {
            let limit = session.choice_rules.per_company;
            let words = limit.map_or(String::new(), |limit| format!("{limit} a company"));
            ("Limit", set(words), "<results.per-company>")
        }
    };
    let line = draw_key(key, buf, cx, line);
    put_pair(label, (&text, role), marked, buf, cx, line);
}

/// The key of a line at its right end. Returns what is left of the line.
fn draw_key(key: &str, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) -> Rect {
    let x = cx.put_right(buf, line.right(), line.y, line.width / 2, key, Role::Key);
    Rect { width: x.saturating_sub(line.x), ..line }
}

fn draw_filter(state: &State, filter: Filter, marked: bool, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let values = state.grid().draft.values(filter);
    if values.len() > 1 {
        return draw_values(state, filter, marked, buf, cx, line);
    }
    let (text, role) = values.first().map_or(("any", Role::Dim), |value| (value, Role::Strong));
    if Filter::of(state.side)[0] == filter {
        let label = format!("{} <results.main-field>", edit::label(filter));
        let label_role = if marked { Role::Cursor } else { Role::Text };
        cx.line(buf, line.x, line.y, line.width, &[(&*label, label_role), ("  ", Role::Text), (text, role)]);
        return;
    }
    let line = Rect { width: line.width.saturating_sub(1), ..line };
    put_pair(&edit::label(filter), (text, role), marked, buf, cx, line);
}

/// Several values, each a chip: what is left of the marked one gives way where there is no room for all.
fn draw_values(state: &State, filter: Filter, marked: bool, buf: &mut Buffer, cx: &mut ViewContext, line: Rect) {
    let values = state.grid().draft.values(filter);
    let chosen = state.marked_value(filter).filter(|_| marked);
    put_pair(&edit::label(filter), ("", Role::Strong), marked && chosen.is_none(), buf, cx, line);
    let room = usize::from(line.width.saturating_sub(LABEL + 1));
    let wide = |from: usize, to: usize| values[from..=to].iter().map(|value| text::width(value) + 2).sum::<usize>();
    let upto = chosen.unwrap_or(0);
    let first = (0..=upto).find(|from| wide(*from, upto) <= room + 2).unwrap_or(upto);
    let (mut x, right) = (line.x + LABEL, line.right().saturating_sub(1));
    for (at, value) in values.iter().enumerate().skip(first) {
        if x >= right {
            return;
        }
        let role = if chosen == Some(at) { Role::Cursor } else { Role::Strong };
        let used = cx.put(buf, x, line.y, right - x, value, role);
        cx.target(Rect { x, width: used, ..line }, Target::Value(filter, at));
        x += used;
        if at + 1 < values.len() {
            x += cx.put(buf, x, line.y, right.saturating_sub(x), ", ", Role::Dim);
        }
    }
}

fn put_pair(label: &str, (value, role): (&str, Role), marked: bool, buf: &mut Buffer, cx: &ViewContext, line: Rect) {
    cx.put(buf, line.x, line.y, LABEL.min(line.width), label, if marked { Role::Cursor } else { Role::Text });
    cx.put(buf, line.x + LABEL, line.y, line.width.saturating_sub(LABEL), value, role);
}

/// How much of the result is owned, and the rest of it: on both lines or not at all.
fn coverage(state: &State, session: &Session, width: u16) -> Option<[Pieces; 2]> {
    let share = session.side(state.side).coverage.share()?;
    let words = format!("Owned {} ", grouped(share.owned));
    let room = width.saturating_sub(text::width(&words) as u16 + 1);
    let (owned, left) = thin(room, share.owned, share.owned + share.left);
    let bar = vec![(words, Role::Owned), (owned, Role::Bar), (left, Role::Faint)];
    let left = grouped(share.left);
    let whole = format!("{left} not owned · up to {left} cr");
    let words = if text::width(&whole) > usize::from(width) { format!("{left} not owned") } else { whole };
    Some([bar, vec![(words, Role::Dim)]])
}

fn basket(state: &State, session: &Session, width: u16) -> Vec<Pieces> {
    let basket = &session.side(state.side).basket;
    let staged = basket.len();
    let role = if staged > 0 { Role::Staged } else { Role::Text };
    let mut line = vec![(format!("Basket {}", grouped(staged as u64)), role)];
    if staged == 0 || state.side.source == Source::Data {
        return vec![line];
    }
    // A cut amount reads as another amount, so it is shown whole: here or on the next line.
    let most = format!("up to {} cr", grouped((staged - basket.owned()) as u64));
    let (used, wide) = (width_of(&line), text::width(&most));
    if used + 3 + wide <= width.into() {
        line.push((format!(" · {most}"), Role::Money));
        return vec![line];
    }
    vec![line, if wide <= width.into() { vec![(most, Role::Money)] } else { Vec::new() }]
}

/// The searches that were run before.
fn recents(scene: SceneRef<'_>, buf: &mut Buffer, cx: &mut ViewContext, area: Rect, y: u16) {
    let past = scene.session.history.recent.iter().take(RECENT);
    let mut past = past.filter_map(|past| Some((past.at, Query::from_canonical(&past.canonical)?))).peekable();
    if past.peek().is_none() || y + 1 >= area.bottom() {
        return;
    }
    cx.put(buf, area.x, y, area.width, "Recent", Role::Title);
    draw_key("<results.recall>", buf, cx, Rect { y, height: 1, ..area });
    for (y, (at, query)) in (y + 1..area.bottom()).zip(past) {
        let pieces = [(scene.hour(at.0), Role::Dim), (format!(" {}", past_words(&query)), Role::Text)];
        cx.line(buf, area.x, y, area.width, &pieces);
    }
}

/// The values of all filters, one after the other.
pub(super) fn values(query: &Query) -> String {
    query.filters().flat_map(|(_, values)| values).cloned().collect::<Vec<_>>().join(" ")
}

fn past_words(query: &Query) -> String {
    let source = if query.side.source == Source::Data { "D " } else { "" };
    let values = values(query);
    let values = if values.is_empty() { "all contacts" } else { &values };
    let not: String = query.not.iter().map(|(_, value)| format!(" –{value}")).collect();
    format!("{source}{values}{not}")
}
