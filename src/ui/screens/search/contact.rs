//! The contact under the cursor: as a card beside the grid, as a strip under it, and over it.

use crate::dialogs::reader;
use crate::keys::command::Results;
use crate::scene::prelude::*;
use crate::widgets::bars::thin;
use lode_core::{CellKind, Owned, RISKY_STATUSES, SuppressionCheck};

use super::sign;
use super::state::{Pane, State};

/// Loaded rows that are looked through for colleagues: around the cursor, so that a key press stays quick.
const COLLEAGUES_AMONG: u64 = 120;
/// So many of them are named.
const NAMED: usize = 2;

/// Draws the contact under the cursor in a pane of its own.
pub(super) fn draw_pane(state: &State, scene: SceneRef<'_>, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let (window, seat) = (state.window(scene.session), state.seat());
    cx.target(area, Target::Pane(2));
    let inside = TitledPane::new("", state.pane == Pane::Contact).draw(area, buf, cx);
    let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    let Some(row) = seat.row(window) else {
        let words = if seat.count(window) == 0 { "" } else { "Loading…" };
        cx.put(buf, inside.x, inside.y, inside.width, words, Role::Dim);
        return;
    };
    reader::draw(&card(state, scene, row, true), 0, buf, cx, inside);
}

/// What is said of a contact, the most important first: what it is opened for is seen on the smallest screen.
fn card(state: &State, scene: SceneRef<'_>, row: &Row, is_airy: bool) -> Vec<ReaderPart> {
    use ReaderPart::{Gap, Line};
    let (company, place) = (row.known(Known::Company), place(row));
    let between = if company.is_empty() || place.is_empty() { "" } else { " · " };
    let line = |words: &str, role| Line(vec![(words.to_owned(), role)]);
    let mut parts = vec![line(&row.name(), Role::Strong)];
    let title = row.known(Known::Title);
    parts.extend((!title.is_empty()).then(|| line(title, Role::Text)));
    parts.push(Line(vec![(company.to_owned(), Role::Key), (format!("{between}{place}"), Role::Dim)]));
    parts.extend(is_airy.then_some(Gap));
    parts.extend([Line(email(state, row)), Line(phone(state, row))]);
    let industry = row.known(Known::Industry);
    parts.extend((!industry.is_empty()).then(|| Line(vec![glyph("⌂"), (industry.to_owned(), Role::Dim)])));
    parts.extend(row_link(row).map(|link| ReaderPart::Pair("↗".to_owned(), link.to_owned(), Role::Dim)));
    parts.push(Gap);
    parts.extend(button(state, scene, row));
    parts.extend(status_lines(state, scene, row).into_iter().map(|(words, role)| ReaderPart::Words(words, role)));
    let rules = &scene.session.choice_rules;
    if rules.has_score() {
        let score = rules.score(row);
        let total = score.total();
        let (bar, trough) = thin(10, u64::from(total.clamp(0, 100).unsigned_abs()), 100);
        let head = [("score  ".to_owned(), Role::Dim), (format!("{total}  "), Role::Strong)];
        parts.extend([Gap, Line(head.into_iter().chain([(bar, Role::Bar), (trough, Role::Faint)]).collect())]);
        let said = |label: &str| label.replace("cross_verified", "verified").replace('_', "-");
        let part = |(label, points): &(&str, i32)| (format!("{} {points:+}  ", said(label)), Role::Dim);
        parts.push(Line(score.parts.iter().map(part).collect()));
    }
    parts.extend(colleagues(state, scene, row));
    if let Some(owned) = owned(state, scene, row) {
        let shown = |value: &str| {
            if value.is_empty() { ("–".to_owned(), Role::Faint) } else { (value.to_owned(), Role::Text) }
        };
        let label = |words: &str| (words.to_owned(), Role::Dim);
        let pieces = vec![label("tags "), shown(&owned.tags.join(", ")), label("   note "), shown(&owned.note)];
        parts.extend([Gap, Line(pieces)]);
    }
    parts
}

/// What stands before a line of the card.
fn glyph(sign: &str) -> (String, Role) {
    (format!("{sign} "), Role::Faint)
}

/// `Austin, TX`
fn place(row: &Row) -> String {
    joined(&[row.known(Known::City), row.known(Known::State)], ", ")
}

/// Those that are not empty, one after the other.
fn joined(parts: &[&str], between: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(between)
}

/// The email in pieces that may stand on lines of their own, and how it was verified.
fn email(state: &State, row: &Row) -> Vec<(String, Role)> {
    let email = row.email();
    let (local, domain) = email.split_at(email.find('@').unwrap_or(email.len()));
    let (domain, ending) = domain.split_at(domain.rfind('.').unwrap_or(domain.len()));
    let mut pieces = vec![glyph("✉")];
    match (state.masked && row.unlocked(), email.is_empty(), row.unlocked()) {
        (true, ..) => pieces.push(("•••".to_owned(), Role::Faint)),
        (_, true, _) => pieces.push(("–".to_owned(), Role::Faint)),
        (.., true) => pieces.extend([local, domain, ending].map(|part| (part.to_owned(), Role::Owned))),
        _ if local.contains('•') => {
            pieces.push((local.to_owned(), Role::Faint));
            pieces.extend([domain, ending].map(|part| (part.to_owned(), Role::Text)));
        }
        _ => pieces.extend([local, domain, ending].map(|part| (part.to_owned(), Role::Text))),
    }
    if let Some((dot, dot_role, word, role)) = status(row) {
        pieces.extend([(format!("  {dot} "), dot_role), (word, role)]);
    }
    pieces
}

fn phone(state: &State, row: &Row) -> Vec<(String, Role)> {
    let phone = row.known(Known::Phone);
    let words = || text::phone(phone).unwrap_or_else(|| phone.to_owned());
    let value = match (state.masked && row.unlocked(), phone.is_empty(), row.unlocked()) {
        (true, ..) => ("•••".to_owned(), Role::Faint),
        (_, true, _) => ("–".to_owned(), Role::Faint),
        (.., true) => (words(), Role::Owned),
        _ => (words(), if phone.contains('•') { Role::Faint } else { Role::Text }),
    };
    vec![glyph("☎"), value]
}

/// How the email was verified. What the unlock found is newer than what was known before.
pub(super) fn status(row: &Row) -> Option<(&'static str, Role, String, Role)> {
    let verified = row.known(Known::Verification);
    status_of(if verified.is_empty() { row.known(Known::EmailStatus) } else { verified })
}

/// The dot of a status, the word for it, and their looks.
pub(super) fn status_of(raw: &str) -> Option<(&'static str, Role, String, Role)> {
    let (dot, dot_role, role) = match raw {
        "" => return None,
        "valid" | "cross_verified" => ("●", Role::SignOwned, Role::Good),
        "catch_all" => ("◐", Role::SignBasket, Role::Staged),
        raw if RISKY_STATUSES.contains(&raw) => ("○", Role::SignWarn, Role::Warning),
        _ => ("○", Role::Faint, Role::Dim),
    };
    let word = if raw == "cross_verified" { "verified".to_owned() } else { raw.replace('_', "-") };
    Some((dot, dot_role, word, role))
}

/// What a credit buys here, with its key. None where nothing can be bought.
fn button(state: &State, scene: SceneRef<'_>, row: &Row) -> Vec<ReaderPart> {
    let session = scene.session;
    let check = session.lists().check(state.side, row);
    let never = matches!(check, SuppressionCheck::Named(_)) || session.balance().may_unlock() == Some(false);
    if state.side.source != Source::Workspace || row.unlocked() || row.id().is_none() || never {
        return Vec::new();
    }
    let staged = session.side(state.side).basket.len();
    let words = match staged {
        0 => "<results.unlock>  Unlock for 1 credit".to_owned(),
        staged => format!("<results.unlock>  Unlock the basket ({})", grouped(staged as u64)),
    };
    vec![ReaderPart::Button(words, Command::Results(Results::Unlock))]
}

/// What stands in the way of an unlock, or what was unlocked, in words.
fn status_lines(state: &State, scene: SceneRef<'_>, row: &Row) -> Vec<(String, Role)> {
    let no_id = || ("This row has no id: it cannot be added to the basket.".to_owned(), Role::Warning);
    let mut words = Vec::from_iter(row.id().is_none().then(no_id));
    let side = scene.session.side(state.side);
    let is_locked = state.side.source == Source::Workspace && !row.unlocked();
    let lists = scene.session.lists();
    let check = lists.check(state.side, row);
    let held_by = lists.held_by(&check).map(|(by, more)| by.with(more)).unwrap_or_default();
    let status = row.known(Known::EmailStatus);
    match check {
        SuppressionCheck::Named(_) => {
            let why = format!("Suppressed: never unlocked ({held_by}).");
            words.push((Sign::Suppressed.before(&why), Role::Warning));
        }
        SuppressionCheck::Unchecked(why, _) if is_locked => {
            let words_of = format!("Not checked: {why} ({held_by}). The review leaves it out unless you accept it.");
            words.push((words_of, Role::Warning));
        }
        _ if is_locked && RISKY_STATUSES.contains(&status) => {
            words.push(("probably not worth a credit".to_owned(), Role::Warning));
        }
        _ if is_locked => words.push(("refunded if the email is invalid".to_owned(), Role::Dim)),
        _ => {}
    }
    words.extend(side.excluded(row).map(|why| (format!("{}.", capital(&why.to_string())), Role::Warning)));
    match state.side.source {
        Source::Workspace if row.unlocked() => {
            words.push((Sign::Owned.before("owned: free to view and export"), Role::Owned));
        }
        // What a service sends that is neither is shown unchanged, without a word about it.
        Source::Data if !scene.session.profile().live => {
            let differs = "This sandbox sends Data API rows in full, not verified. On the Workspace a credit buys a \
                           verified contact; invalid ones are refunded.";
            words.push((differs.to_owned(), Role::Dim));
        }
        Source::Workspace | Source::Data => {}
    }
    let is_staged = row.id().is_some_and(|id| side.basket.contains(id));
    words.extend(is_staged.then(|| (Sign::Basket.before("in the basket"), Role::Staged)));
    words
}

/// What we keep of a contact that is owned: tags and note.
fn owned<'a>(state: &State, scene: SceneRef<'a>, row: &Row) -> Option<&'a Owned> {
    if state.side.source != Source::Workspace {
        return None;
    }
    scene.session.ledger().contact(state.side.corpus, row.id()?)
}

/// `at this company: 12 · 1 owned`, and the first of them.
fn colleagues(state: &State, scene: SceneRef<'_>, row: &Row) -> Vec<ReaderPart> {
    let company = row.known(Known::Company);
    let at = state.seat().index(state.seat().cursor);
    let around = at.saturating_sub(COLLEAGUES_AMONG / 2)..at.saturating_add(COLLEAGUES_AMONG / 2);
    let others = state.window(scene.session).loaded_in(around);
    let colleagues: Vec<&Row> = others
        .filter(|(index, other)| *index != at && !company.is_empty() && other.says(Known::Company, company))
        .map(|(_, other)| other)
        .collect();
    if colleagues.is_empty() {
        return Vec::new();
    }
    let owned = colleagues.iter().filter(|other| other.unlocked()).count();
    let owned = (format!(" · {} owned", grouped(owned as u64)), Role::Dim);
    let count = (grouped(colleagues.len() as u64), Role::Text);
    let unknown = scene.session.recovery().unknown(state.side.corpus);
    // Side by side: with a line for each, a moved cursor would cost half as many bytes again.
    let mut named = Vec::new();
    for (at, other) in colleagues.iter().take(NAMED).enumerate() {
        let sign = sign(state.side, scene, &unknown, other);
        named.extend(sign.map(|sign| (format!("{} ", sign.letter()), sign.role())));
        let more = if at + 1 < colleagues.len().min(NAMED) { ", " } else { "" };
        named.push((format!("{}{more}", other.name()), Role::Dim));
    }
    let head = vec![("at this company: ".to_owned(), Role::Dim), count, owned];
    vec![ReaderPart::Gap, ReaderPart::Line(head), ReaderPart::Line(named)]
}

/// The contact under the cursor as a dialog, or all its fields as they came. None while the row is not here.
pub fn reader(state: &State, scene: SceneRef<'_>, raw: bool) -> Option<Reader> {
    let window = state.window(scene.session);
    let row = state.seat().row(window)?;
    let mut parts = if raw {
        vec![ReaderPart::Words(row.name(), Role::Strong), ReaderPart::Gap]
    } else {
        card(state, scene, row, false)
    };
    for (name, kind, value) in row.fields().filter(|_| raw) {
        let private = matches!(name, "email" | "email_address" | "phone");
        let value = if private && state.masked && row.unlocked() { "•••" } else { value };
        let role = if kind == CellKind::Null || value.is_empty() { Role::Dim } else { Role::Text };
        let value = if kind == CellKind::Null { "–" } else { value };
        parts.push(ReaderPart::Pair(name.to_owned(), value.to_owned(), role));
    }
    let other = if raw { "the card" } else { "raw fields" };
    let keys = format!("<results.open> {other}  <lists.down> <lists.up> next contact  <everywhere.escape> close");
    parts.extend([ReaderPart::Gap, ReaderPart::Words(keys, Role::Dim)]);
    let place = format!("{} of {}", grouped(state.seat().cursor + 1), grouped(state.seat().count(window)));
    let what = if raw { "Raw fields of contact" } else { "Contact" };
    Some(Reader::new(format!("{what} {place}"), parts))
}

/// The contact under the cursor as a strip under the grid. Email and phone are never cut: what does not fit stands on the next line.
pub(super) fn draw_strip(state: &State, scene: SceneRef<'_>, lines: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let border = Rect::new(lines.x - 1, lines.y - 1, lines.width + 2, 1);
    cx.target(Rect { height: lines.height + 1, ..border }, Target::Pane(2));
    cx.redraw(buf, lines);
    pane::divider(buf, cx, border, state.pane == Pane::Results && state.edit.is_none());
    let Some(row) = state.seat().row(state.window(scene.session)) else { return };
    let area = Rect { x: lines.x + 1, width: lines.width.saturating_sub(2), ..lines };
    let company = joined(&[row.known(Known::Company), &place(row)], " · ");
    let head = [("  ", Role::Dim), (row.known(Known::Title), Role::Text), ("  ", Role::Dim), (&company, Role::Dim)];
    let used = cx.put(buf, area.x, area.y, area.width, &row.name(), Role::Strong);
    cx.line(buf, area.x + used, area.y, area.width.saturating_sub(used), &head);
    let mut pieces = email(state, row);
    pieces.push(("   ".to_owned(), Role::Text));
    pieces.extend(phone(state, row));
    let mut said = Vec::new();
    for part in button(state, scene, row) {
        if let ReaderPart::Button(words, _) = part {
            said.push((format!("{words}   "), Role::Key));
        }
    }
    said.extend(status_lines(state, scene, row).into_iter().map(|(words, role)| (format!("{words}  "), role)));
    let below = Rect { y: area.y + 1, height: area.height - 1, ..area };
    reader::draw(&[ReaderPart::Line(pieces), ReaderPart::Line(said)], 0, buf, cx, below);
}
