//! The contact under the cursor: the pane beside the grid, and the whole of it over the grid.

use crate::scene::prelude::*;
use lode_core::{CellKind, Owned, RISKY_STATUSES, SuppressionCheck};

use super::state::{Pane, State};

/// Loaded rows that are looked through for colleagues: around the cursor, so that a key press stays quick.
const COLLEAGUES_AMONG: u64 = 120;

/// Draws the contact under the cursor in a pane of its own.
pub(super) fn draw_pane(state: &State, scene: SceneRef<'_>, area: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let (window, seat) = (state.window(scene.session), state.seat());
    cx.target(area, Target::Pane(2));
    let inside = TitledPane::new("Contact", state.pane == Pane::Contact).draw(area, buf, cx);
    let inside = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
    let Some(row) = seat.row(window) else {
        let words = if seat.count(window) == 0 { "" } else { "Loading…" };
        cx.put(buf, inside.x, inside.y, inside.width, words, Role::Dim);
        return;
    };
    let name = row.name();
    let place = place(row);
    let head = [
        (name.as_str(), Role::Strong),
        (row.known(Known::Title), Role::Text),
        (row.known(Known::Company), Role::Text),
        (&place, Role::Dim),
        (row.known(Known::Industry), Role::Dim),
        ("", Role::Text),
    ];
    let mut y = cx.lines(buf, inside, inside.y, head);
    let (x, columns) = (inside.x + LABEL, inside.width.saturating_sub(LABEL));
    for (label, value, role) in facts(state, row) {
        // The pane has no room for this label.
        let (label, shown) = match label {
            "status at source" if value.is_empty() => ("status", String::new()),
            "status at source" => ("status", format!("{value} at source")),
            label => (label, value.to_owned()),
        };
        if y < inside.bottom() {
            cx.put(buf, inside.x, y, LABEL, label, Role::Dim);
        }
        // What was paid for is never cut.
        let lines = if is_address(label) { cx.wrapped(&shown, usize::from(columns)) } else { vec![shown] };
        for line in lines {
            if y < inside.bottom() {
                let taken = cx.put(buf, x, y, columns, &line, role);
                cx.link(x, y, taken, value);
            }
            y += 1;
        }
    }
    y = cx.sentences(buf, inside, y + 1, status_lines(state, scene, row)) + 1;
    if let Some(owned) = owned(state, scene, row) {
        let tags = if owned.tags.is_empty() { "–".to_owned() } else { owned.tags.join(", ") };
        let note = if owned.note.is_empty() { "–" } else { owned.note.as_str() };
        y = cx.lines(buf, inside, y, [(format!("tags {tags}    note {note}"), Role::Text)]) + 1;
    }
    if y + 1 < inside.bottom() {
        let (more, owned) = colleagues(state, scene, row);
        let words = format!("{} more, {} owned", grouped(more), grouped(owned));
        cx.lines(buf, inside, y, [("Same company (loaded rows)", Role::Title), (&words, Role::Text)]);
    }
}

/// `Austin, TX, 78701`
fn place(row: &Row) -> String {
    joined(&[row.known(Known::City), row.known(Known::State), row.known(Known::Zip)], ", ")
}

/// Those that are not empty, one after the other.
fn joined(parts: &[&str], between: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(between)
}

const LABEL: u16 = 9;

/// How an address was verified is a word in its color.
pub(super) fn verified(word: &str) -> Role {
    match word {
        "valid" | "cross_verified" => Role::Good,
        word if RISKY_STATUSES.contains(&word) => Role::Warning,
        _ => Role::Dim,
    }
}

fn is_address(label: &str) -> bool {
    matches!(label, "email" | "phone")
}

/// What is shown of a contact besides its name and company: label, value, and the look of the value.
fn facts<'a>(state: &State, row: &'a Row) -> impl Iterator<Item = (&'static str, &'a str, Role)> {
    let hidden = state.masked && row.unlocked();
    let address = if row.unlocked() { Role::Owned } else { Role::Text };
    let (verification, status) = (row.known(Known::Verification), row.known(Known::EmailStatus));
    let show = |value: &'a str| match value {
        _ if hidden => "•••",
        "" => "–",
        value => value,
    };
    let always = |label: &str| is_address(label) || matches!(label, "status at source" | "type");
    let facts = [
        ("email", show(row.email()), address),
        ("phone", show(row.known(Known::Phone)), address),
        ("verified", verification, verified(verification)),
        ("status at source", status, verified(status)),
        ("type", row.known(Known::EmailDomainType), Role::Text),
        ("level", row.known(Known::TitleLevel), Role::Text),
        ("link", row_link(row).unwrap_or_default(), Role::Text),
    ];
    facts.into_iter().filter(move |(label, value, _)| always(label) || !value.is_empty())
}

/// Whether it is owned and what it would cost, in words.
fn status_lines(state: &State, scene: SceneRef<'_>, row: &Row) -> Vec<(String, Role)> {
    let no_id = || ("This row has no id: it cannot be added to the basket.".to_owned(), Role::Warning);
    let mut words = Vec::from_iter(row.id().is_none().then(no_id));
    let (side, choice_rules) = (scene.session.side(state.side), &scene.session.choice_rules);
    let lists = scene.session.lists();
    let check = lists.check(state.side, row);
    let held_by = lists.held_by(&check).map(|(by, more)| by.with(more)).unwrap_or_default();
    match check {
        SuppressionCheck::Named(_) => {
            words.push((format!("On a suppression list: never unlocked ({held_by})."), Role::Warning))
        }
        SuppressionCheck::Unchecked(why, _) if state.side.source == Source::Workspace && !row.unlocked() => {
            let words_of = format!("Not checked: {why} ({held_by}). The review leaves it out unless you accept it.");
            words.push((words_of, Role::Warning));
        }
        _ => {}
    }
    words.extend(side.excluded(row).map(|why| (format!("{}.", capital(&why.to_string())), Role::Warning)));
    words.extend(choice_rules.has_score().then(|| (format!("Score {}.", choice_rules.score(row)), Role::Text)));
    let status = row.known(Known::EmailStatus);
    match state.side.source {
        Source::Workspace if row.unlocked() => {
            words.push(("Owned. Free to view and export.".to_owned(), Role::Owned));
        }
        Source::Workspace => words.extend([
            ("Locked. 1 credit to unlock.".to_owned(), Role::Text),
            match RISKY_STATUSES.contains(&status) {
                true => (format!("Listed as {status}; probably not worth a credit."), Role::Warning),
                false => ("Refunded automatically if the email is invalid or disposable.".to_owned(), Role::Dim),
            },
        ]),
        // What a service sends that is neither is shown unchanged, without a word about it.
        Source::Data if !scene.session.profile().live => {
            let differs = "This sandbox sends Data API rows in full, not verified. On the Workspace a credit buys a \
                           verified contact; invalid ones are refunded.";
            words.push((differs.to_owned(), Role::Dim));
        }
        Source::Data => {}
    }
    let is_staged = row.id().is_some_and(|id| side.basket.contains(id));
    words.extend(is_staged.then(|| ("In the basket.".to_owned(), Role::Staged)));
    words
}

/// What we keep of a contact that is owned: tags and note.
fn owned<'a>(state: &State, scene: SceneRef<'a>, row: &Row) -> Option<&'a Owned> {
    if state.side.source != Source::Workspace {
        return None;
    }
    scene.session.ledger().contact(state.side.corpus, row.id()?)
}

fn colleagues(state: &State, scene: SceneRef<'_>, row: &Row) -> (u64, u64) {
    let company = row.known(Known::Company);
    if company.is_empty() {
        return (0, 0);
    }
    let at = state.seat().index(state.seat().cursor);
    let around = at.saturating_sub(COLLEAGUES_AMONG / 2)..at.saturating_add(COLLEAGUES_AMONG / 2);
    let others = state.window(scene.session).loaded_in(around);
    let colleagues = others.filter(|(index, other)| *index != at && other.says(Known::Company, company));
    colleagues.fold((0, 0), |(more, owned), (_, other)| (more + 1, owned + u64::from(other.unlocked())))
}

/// Everything the service sent of the row under the cursor. None while the row is not here.
pub fn reader(state: &State, scene: SceneRef<'_>) -> Option<Reader> {
    let window = state.window(scene.session);
    let row = state.seat().row(window)?;
    let mut parts = vec![ReaderPart::Words(row.name(), Role::Strong)];
    parts.extend(status_lines(state, scene, row).into_iter().map(|(words, role)| ReaderPart::Words(words, role)));
    // What a contact is opened for is seen without scrolling.
    let addresses = facts(state, row).filter(|(label, value, _)| is_address(label) && *value != "–");
    parts.push(ReaderPart::Gap);
    parts.extend(addresses.map(|(label, value, role)| ReaderPart::Pair(label.to_owned(), value.to_owned(), role)));
    if let Some(owned) = owned(state, scene, row) {
        parts.push(ReaderPart::pair("tags", owned.tags.join(", ")));
        parts.push(ReaderPart::pair("note", owned.note.clone()));
    }
    parts.push(ReaderPart::Gap);
    for (name, kind, value) in row.fields() {
        let private = matches!(name, "email" | "email_address" | "phone");
        let value = if private && state.masked && row.unlocked() { "•••" } else { value };
        let role = if kind == CellKind::Null || value.is_empty() { Role::Dim } else { Role::Text };
        let value = if kind == CellKind::Null { "–" } else { value };
        parts.push(ReaderPart::Pair(name.to_owned(), value.to_owned(), role));
    }
    let keys = "Raw fields. <lists.down> <lists.up> next contact, <everywhere.escape> close";
    parts.extend([ReaderPart::Gap, ReaderPart::Words(keys.to_owned(), Role::Dim)]);
    let title = format!("Contact {} of {}", grouped(state.seat().cursor + 1), grouped(state.seat().count(window)));
    Some(Reader::new(title, parts))
}

// The contact under the cursor as a strip under the grid.

/// Draws it in a few lines. Email and phone are never cut: what does not fit stands on the next line.
pub(super) fn draw_strip(state: &State, scene: SceneRef<'_>, lines: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
    let border = Rect::new(lines.x - 1, lines.y - 1, lines.width + 2, 1);
    cx.target(Rect { height: lines.height + 1, ..border }, Target::Pane(2));
    cx.redraw(buf, lines);
    pane::divider(buf, cx, border, state.pane == Pane::Results && state.edit.is_none());
    let Some(row) = state.seat().row(state.window(scene.session)) else { return };
    let area = Rect { x: lines.x + 1, width: lines.width.saturating_sub(2), ..lines };
    let tall = lines.height > 3;
    let place = place(row);
    let name = row.name();
    let (job, company) = (row.known(Known::Title), row.known(Known::Company));
    let used = cx.put(buf, area.x, area.y, area.width, &name, Role::Strong);
    let mut y = area.y + 1;
    if tall {
        let words = joined(&[job, company, &place, row.known(Known::Industry)], " · ");
        y = cx.lines(buf, area, y, [(words, Role::Text)]);
    } else {
        let words = joined(&[job, company, &place], " · ");
        let words = if words.is_empty() { words } else { format!(" · {words}") };
        cx.put(buf, area.x + used, area.y, area.width.saturating_sub(used), &words, Role::Text);
    }
    let mut flow = Flow { area, x: area.x, y };
    let (mut checks, mut link) = (Vec::new(), None);
    // Once an address is verified, what was known of it before is of no use.
    let is_verified = !row.known(Known::Verification).is_empty();
    for (label, value, role) in facts(state, row) {
        match label {
            "email" | "phone" => flow.put(buf, cx, label, value, role),
            "link" => link = Some(value),
            "status at source" if is_verified => {}
            _ => checks.push(value),
        }
    }
    for check in checks.iter().filter(|check| !check.is_empty()) {
        // In a short strip the last line says what the contact costs.
        if tall || flow.fits(check) {
            flow.put(buf, cx, "", check, verified(check));
        }
    }
    y = flow.y + 1;
    if y < area.bottom() {
        let lines = status_lines(state, scene, row);
        let pieces: Vec<_> =
            lines.iter().flat_map(|(words, role)| [(words.as_str(), *role), (" ", Role::Text)]).collect();
        cx.line(buf, area.x, y, area.width, &pieces);
    }
    y += 1;
    if let Some(owned) = owned(state, scene, row).filter(|owned| !owned.tags.is_empty() || !owned.note.is_empty()) {
        y = cx.lines(buf, area, y, [(joined(&[&owned.tags.join(", "), &owned.note], " · "), Role::Text)]);
    }
    let (more, owned) = colleagues(state, scene, row);
    if more > 0 {
        let words = format!("{} more at this company loaded, {} owned", grouped(more), grouped(owned));
        y = cx.lines(buf, area, y, [(words, Role::Dim)]);
    }
    if let Some(link) = link.filter(|_| y < area.bottom()) {
        let used = cx.put(buf, area.x, y, area.width, link, Role::Dim);
        cx.link(area.x, y, used, link);
    }
}

/// Pieces one after the other, each whole on its line, longer ones than a line broken.
struct Flow {
    area: Rect,
    x: u16,
    y: u16,
}

impl Flow {
    /// Whether it stands on the line that is begun.
    fn fits(&self, words: &str) -> bool {
        usize::from(self.area.right().saturating_sub(self.x)) >= text::width(words)
    }

    fn put(&mut self, buf: &mut Buffer, cx: &mut ViewContext, label: &str, value: &str, role: Role) {
        let head = if label.is_empty() { String::new() } else { format!("{label} ") };
        let wide = text::width(&head) + text::width(value);
        if self.x > self.area.x && usize::from(self.area.right().saturating_sub(self.x)) < wide {
            (self.x, self.y) = (self.area.x, self.y + 1);
        }
        let mut rest = value;
        if self.y < self.area.bottom() {
            self.x += cx.put(buf, self.x, self.y, self.area.right().saturating_sub(self.x), &head, Role::Dim);
        }
        while self.y < self.area.bottom() {
            let room = self.area.right().saturating_sub(self.x);
            let (fits, used) = text::fitting(rest, usize::from(room));
            cx.put(buf, self.x, self.y, room, fits, role);
            rest = &rest[fits.len()..];
            self.x += used as u16 + 3;
            if rest.is_empty() || fits.is_empty() {
                return;
            }
            (self.x, self.y) = (self.area.x, self.y + 1);
        }
    }
}
