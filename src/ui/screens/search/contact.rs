//! The contact under the cursor: as a card beside the grid, as a strip under it, and over it.

use super::*;

/// Loaded rows that are looked through for colleagues: around the cursor, so that a key press stays quick.
const COLLEAGUES_AMONG: u64 = 600;
/// How many colleagues get a line each. A moved cursor costs more bytes with each line.
const IN_LINES: usize = 3;
/// How many of them share one line in the dialog.
const NAMED: usize = 2;

/// Draws the contact under the cursor in a pane of its own.
pub(super) fn draw_pane(state: &State, scene: SceneRef<'_>, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let (window, grid) = (state.window(scene.session), state.grid());
    cx.target(area, Target::Pane(2));
    let at = cx.motion.card.unwrap_or(grid.cursor);
    if cx.keeps_card(at) {
        return;
    }
    let inside = match cx.is_over_shown() {
        true => area.inner(Margin::new(1, 1)),
        false => TitledPane::new("", state.pane == Pane::Contact).draw(area, buf, cx),
    };
    cx.redraw(buf, inside);
    let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    let Some(row) = grid.row_at(window, at) else {
        let words = if grid.count(window) == 0 { String::new() } else { cx.motion.waiting(Wait::Rows, "Loading…") };
        cx.put(buf, inside.x, inside.y, inside.width, &words, Role::Dim);
        return;
    };
    let mut parts = of(state, scene, row).parts(Vec::new(), Some(inside.width.into()));
    parts.extend(colleagues(state, scene, row, at, Some(usize::from(inside.width))));
    reader::draw(&parts, 0, buf, cx, inside);
}

fn of<'a>(state: &State, scene: SceneRef<'a>, row: &'a Row) -> Card<'a> {
    Card { scene, side: state.side, row, unlock: ("<results.unlock>", Command::Results(Results::Unlock)) }
}

/// The contact under the cursor as a dialog, or all its fields as they came. None while the row is not here.
pub(super) fn dialog(state: &State, scene: SceneRef<'_>, raw: bool) -> Option<Reader> {
    let window = state.window(scene.session);
    let (row, cursor) = (state.grid().row(window)?, state.grid().cursor);
    let parts = (!raw).then(|| of(state, scene, row).parts(colleagues(state, scene, row, cursor, None), None));
    let place = (cursor + 1, state.grid().count(window));
    Some(card::dialog(scene, row, parts, "<results.open>", place))
}

/// `at this company: 12 · 1 owned`, and the first of them: side by side, or with their titles, one per line, in a card `columns` wide.
fn colleagues(state: &State, scene: SceneRef<'_>, row: &Row, place: u64, columns: Option<usize>) -> Vec<ReaderPart> {
    let company = row.known(Known::Company);
    let at = state.grid().index(place);
    let around = at.saturating_sub(COLLEAGUES_AMONG / 2)..at.saturating_add(COLLEAGUES_AMONG / 2);
    let fits = |other: &Row| !company.is_empty() && other.says(Known::Company, company);
    let others = state.window(scene.session).fitting(around, fits).filter(|(index, _)| *index != at);
    let colleagues: Vec<&Row> = others.map(|(_, other)| other).collect();
    if colleagues.is_empty() {
        return Vec::new();
    }
    let owned = colleagues.iter().filter(|other| other.unlocked()).count();
    let owned = (format!(" · {} owned", grouped(owned as u64)), Role::Dim);
    let count = (grouped(colleagues.len() as u64), Role::Text);
    let head = vec![("at this company: ".to_owned(), Role::Dim), count, owned];
    let mut parts = vec![ReaderPart::Gap, ReaderPart::Line(head)];
    let unknown = scene.session.recovery.unknown(state.side.corpus);
    let sign = |other: &Row| sign(state.side, scene, &unknown, other).map(|sign| (sign.letter(), sign.role()));
    if let Some(columns) = columns {
        let shown = &colleagues[..colleagues.len().min(IN_LINES)];
        let wide = shown.iter().map(|other| text::width(&other.name())).max().unwrap_or(0).min(columns / 2);
        parts.extend(shown.iter().map(|other| {
            let (sign, role) = sign(other).unwrap_or((" ", Role::Dim));
            let name = text::cut(&other.name(), wide);
            let name = format!("{name}{}  ", " ".repeat(wide.saturating_sub(text::width(&name))));
            let title = text::cut(other.known(Known::Title), columns.saturating_sub(wide + 4));
            ReaderPart::Line(vec![(format!("{sign} "), role), (name, Role::Text), (title, Role::Dim)])
        }));
        let more = colleagues.len() - shown.len();
        parts.extend((more > 0).then(|| ReaderPart::Words(format!("  {} more", grouped(more as u64)), Role::Dim)));
        return parts;
    }
    let mut named = Vec::new();
    for (at, other) in colleagues.iter().take(NAMED).enumerate() {
        named.extend(sign(other).map(|(sign, role)| (format!("{sign} "), role)));
        let more = if at + 1 < colleagues.len().min(NAMED) { ", " } else { "" };
        named.push((format!("{}{more}", other.name()), Role::Dim));
    }
    parts.push(ReaderPart::Line(named));
    parts
}

/// The contact under the cursor as a strip under the grid. Email and phone are never cut: what does not fit stands on the next line.
pub(super) fn draw_strip(state: &State, scene: SceneRef<'_>, lines: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let border = Rect::new(lines.x - 1, lines.y - 1, lines.width + 2, 1);
    cx.target(Rect { height: lines.height + 1, ..border }, Target::Pane(2));
    let at = cx.motion.card.unwrap_or(state.grid().cursor);
    if cx.keeps_card(at) {
        return;
    }
    if cx.is_over_shown() {
        cx.redraw(buf, lines);
    } else {
        pane::rule(buf, cx, border, ['├', '─', '┤'], state.pane == Pane::Results && state.edit.is_none());
    }
    let Some(row) = state.grid().row_at(state.window(scene.session), at) else { return };
    let area = Rect { x: lines.x + 1, width: lines.width.saturating_sub(2), ..lines };
    let card = of(state, scene, row);
    let company = joined(&[row.known(Known::Company), &card::place(row)], " · ");
    let (gap, title) = (("  ", Role::Dim), (row.known(Known::Title), Role::Text));
    cx.line(buf, area.x, area.y, area.width, &[(&*row.name(), Role::Strong), gap, title, gap, (&company, Role::Dim)]);
    let mut pieces = card.email(None);
    pieces.push(("   ".to_owned(), Role::Text));
    pieces.extend(card.phone());
    let button = |part| if let ReaderPart::Button(words, _) = part { Some(words) } else { None };
    let buttons = card.button().into_iter().filter_map(button);
    let gap = || ("  ".to_owned(), Role::Text);
    let mut said: Vec<_> = buttons.flat_map(|words| [(format!(" {words} "), Role::Button), gap()]).collect();
    said.extend(card.status_lines().into_iter().map(|(words, role)| (format!("{words}  "), role)));
    let below = Rect { y: area.y + 1, height: area.height - 1, ..area };
    reader::draw(&[ReaderPart::Line(pieces), ReaderPart::Line(said)], 0, buf, cx, below);
}
