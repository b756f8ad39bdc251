//! A contact as a card: beside the grid, under it, and over Search, Basket and Owned as a dialog. Below it, what an unlock would
//! do with the rows of a basket, worked out from what is on this machine.

use std::borrow::Cow;

use crate::scene::prelude::*;
use crate::widgets::bars::thin;
use lode_engine::flow::basket::BasketEntry;

/// The largest basket whose cost is counted for the button.
const MOST_COUNTED: usize = 500;

pub struct Card<'a> {
    pub scene: SceneRef<'a>,
    pub side: Side,
    pub row: &'a Row,
    /// The key that leads to an unlock here, and its command.
    pub unlock: (&'static str, Command),
}

impl<'a> Card<'a> {
    /// The lines about a contact, the most important first, so that the smallest screen shows them. `columns` is the width of a card
    /// beside a list: there, a part keeps its number of lines from contact to contact, so that nothing below it moves.
    pub fn parts(&self, more: Vec<ReaderPart>, columns: Option<usize>) -> Vec<ReaderPart> {
        use ReaderPart::{Gap, Line, TwoLines};
        let (scene, row) = (self.scene, self.row);
        let (company, place) = (row.known(Known::Company), place(row));
        let between = if company.is_empty() || place.is_empty() { "" } else { " · " };
        let line = |words: &str, role| Line(vec![(words.to_owned(), role)]);
        let mut parts = vec![line(&row.name(), Role::Strong)];
        let title = row.known(Known::Title);
        parts.extend((!title.is_empty()).then(|| line(title, Role::Text)));
        let line_or_two = |pieces, is_long| if columns.is_some() && is_long { TwoLines(pieces) } else { Line(pieces) };
        let firm = vec![(company.to_owned(), Role::Key), (format!("{between}{place}"), Role::Dim)];
        parts.push(line_or_two(firm, !between.is_empty()));
        parts.extend(columns.map(|_| Gap));
        parts.extend([line_or_two(self.email(columns), status(&Fields::of(row)).is_some()), Line(self.phone())]);
        let industry = text::cut(row.known(Known::Industry), beside_glyph(columns));
        parts.extend((!industry.is_empty()).then(|| Line(vec![glyph("⌂"), (industry, Role::Dim)])));
        parts.extend(row_link(row).map(|link| ReaderPart::Pair("↗".to_owned(), link.to_owned(), Role::Dim)));
        parts.push(Gap);
        parts.extend(self.button());
        parts.extend(self.status_lines().into_iter().map(|(words, role)| ReaderPart::Words(words, role)));
        let rules = &scene.session.choice_rules;
        if rules.has_score() {
            let score = rules.score(row);
            let total = score.total();
            let mut head = vec![("score  ".to_owned(), Role::Dim), (format!("{total}  "), Role::Strong)];
            if total > 0 {
                let (bar, trough) = thin(10, u64::from(total.min(100).unsigned_abs()), 100);
                head.extend([(bar, Role::Bar), (trough, Role::Faint)]);
            }
            parts.extend([Gap, Line(head)]);
            // `corporate` and `verified` can be said of nothing but the email.
            let bare = |label: &str| label.replace("email type ", "").replace("email status ", "");
            let said = |label: &str| bare(label).replace("cross_verified", "verified").replace('_', "-");
            let part = |(label, points): &(&str, i32)| (format!("{} {points:+}  ", said(label)), Role::Dim);
            parts.push(Line(score.parts.iter().map(part).collect()));
        }
        parts.extend(more);
        if let Some(owned) = self.owned() {
            let shown = |value: &str| {
                if value.is_empty() { ("–".to_owned(), Role::Faint) } else { (value.to_owned(), Role::Text) }
            };
            let label = |words: &str| (words.to_owned(), Role::Dim);
            let pieces = vec![label("tags "), shown(&owned.tags.join(", ")), label("   note "), shown(&owned.note)];
            parts.extend([Gap, Line(pieces)]);
        }
        parts
    }

    /// The email in pieces that may stand on lines of their own, and how it was verified.
    pub fn email(&self, columns: Option<usize>) -> Vec<(String, Role)> {
        let row = self.row;
        let email = row.email();
        let (local, domain) = email.split_at(email.find('@').unwrap_or(email.len()));
        let mut pieces = vec![glyph("✉")];
        let role = if row.unlocked() { Role::Owned } else { Role::Text };
        match (self.scene.masked && row.unlocked(), email.is_empty()) {
            (true, _) => pieces.push(("•••".to_owned(), Role::Faint)),
            (false, true) => pieces.push(("–".to_owned(), Role::Faint)),
            (false, false) => {
                let labels = domain.split('.').enumerate();
                let labels = labels.map(|(at, label)| format!("{}{label}", if at > 0 { "." } else { "" }));
                let mut parts: Vec<String> = [local.to_owned()].into_iter().chain(labels).collect();
                // Beside a list it takes two lines at most: where it does not fit into them part by part, it is broken at the edge.
                let room = beside_glyph(columns);
                if text::width(local) + text::width(&parts[1]) > room {
                    let (head, _) = text::fitting(email, room);
                    parts = vec![head.to_owned(), email[head.len()..].to_owned()];
                }
                pieces.extend(parts.into_iter().map(|part| (part, role)));
            }
        }
        if local.contains('•') && !row.unlocked() && pieces[1].0 == local {
            pieces[1].1 = Role::Faint;
        }
        pieces.extend(status(&Fields::of(row)).map(|(dot, _, word, role)| (format!("  {dot} {word}"), role)));
        pieces
    }

    pub fn phone(&self) -> Vec<(String, Role)> {
        let row = self.row;
        let phone = row.known(Known::Phone);
        let words = text::phone(phone);
        let mut pieces = vec![glyph("☎")];
        match (self.scene.masked && row.unlocked(), text::mask(&words)) {
            (true, _) => pieces.push(("•••".to_owned(), Role::Faint)),
            _ if phone.is_empty() => pieces.push(("–".to_owned(), Role::Faint)),
            (_, Some(mask)) if !row.unlocked() => {
                let parts = [&words[..mask.start], &words[mask.clone()], &words[mask.end..]];
                let roles = [Role::Text, Role::Faint, Role::Text];
                pieces.extend(parts.map(str::to_owned).into_iter().zip(roles));
            }
            _ => pieces.push((words, if row.unlocked() { Role::Owned } else { Role::Text })),
        }
        pieces
    }

    /// What a credit buys here, with its key. None where nothing can be bought.
    pub fn button(&self) -> Vec<ReaderPart> {
        let (session, row, (key, command)) = (self.scene.session, self.row, self.unlock);
        let check = session.lists.check(self.side, row);
        let never = matches!(check, SuppressionCheck::Named(_)) || session.balance.may_unlock() == Some(false);
        if self.side.source != Source::Workspace || row.unlocked() || row.id().is_none() || never {
            return Vec::new();
        }
        let rows = session.side(self.side).basket.rows();
        let words = match rows.len() {
            0 => format!("{key}  Unlock for 1 credit"),
            // The card is drawn at each key: the cost of a large basket is on the Basket screen and in the review.
            staged => match (staged <= MOST_COUNTED).then(|| most(self.scene, rows)) {
                None | Some(Credits::ZERO) => format!("{key}  Review the basket ({})", grouped(staged as u64)),
                Some(most) => format!("{key}  Unlock basket for {}", most.words()),
            },
        };
        vec![ReaderPart::Button(words, command)]
    }

    /// What stands in the way of an unlock, or what was unlocked, in words.
    pub fn status_lines(&self) -> Vec<(String, Role)> {
        let (scene, row) = (self.scene, self.row);
        let no_id = || ("This row has no id: it cannot be added to the basket.".to_owned(), Role::Warning);
        let mut words = Vec::from_iter(row.id().is_none().then(no_id));
        let side = scene.session.side(self.side);
        let is_locked = self.side.source == Source::Workspace && !row.unlocked();
        let lists = &scene.session.lists;
        let check = lists.check(self.side, row);
        let held_by = lists.held_by(&check).map(|(by, more)| by.with(more)).unwrap_or_default();
        let status = row.known(Known::EmailStatus);
        let may_unlock = scene.session.balance.may_unlock() != Some(false);
        match check {
            SuppressionCheck::Named(_) => {
                let why = format!("Suppressed: never unlocked ({held_by}).");
                words.push((Sign::Suppressed.before(&why), Role::Warning));
            }
            SuppressionCheck::Unchecked(why, _) if is_locked => {
                let left_out = "The review leaves it out unless you accept it.";
                words.push((format!("Not checked: {why} ({held_by}). {left_out}"), Role::Warning));
            }
            _ if is_locked && may_unlock && RISKY_STATUSES.contains(&status) => {
                words.push(("probably not worth a credit".to_owned(), Role::Warning));
            }
            _ if is_locked && may_unlock => words.push(("refunded if the email is invalid".to_owned(), Role::Dim)),
            _ => {}
        }
        words.extend(side.excluded(row).map(|why| (format!("{}.", capital(&why.to_string())), Role::Warning)));
        match self.side.source {
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
    fn owned(&self) -> Option<&'a Owned> {
        let id = self.row.id().filter(|_| self.side.source == Source::Workspace)?;
        self.scene.session.ledger.contact(self.side.corpus, id)
    }
}

/// The columns beside a glyph. Only a card beside a list has an edge; others go over as many lines as they need.
fn beside_glyph(columns: Option<usize>) -> usize {
    columns.map_or(10_000, |columns| columns.saturating_sub(2))
}

/// The sign before a line of the card.
fn glyph(sign: &str) -> (String, Role) {
    (format!("{sign} "), Role::Faint)
}

/// `Austin, TX`
pub fn place(row: &Row) -> String {
    joined(&[row.known(Known::City), row.known(Known::State)], ", ")
}

/// Those that are not empty, one after the other.
pub fn joined(parts: &[&str], between: &str) -> String {
    parts.iter().filter(|part| !part.is_empty()).copied().collect::<Vec<_>>().join(between)
}

/// How the email was verified. What the unlock found is newer than what was known before.
pub fn status<'a>(fields: &Fields<'a>) -> Option<(&'static str, Role, Cow<'a, str>, Role)> {
    let verified = fields.known(Known::Verification);
    status_of(if verified.is_empty() { fields.known(Known::EmailStatus) } else { verified })
}

/// The dialog of a contact: its card, or all its fields as they came. `open` is the key that leads from one to the other.
pub fn dialog(scene: SceneRef<'_>, row: &Row, card: Option<Vec<ReaderPart>>, open: &str, place: (u64, u64)) -> Reader {
    let (what, other) = if card.is_some() { ("Contact", "raw fields") } else { ("Raw fields of contact", "the card") };
    let parts = card.unwrap_or_else(|| {
        let mut parts = vec![ReaderPart::Words(row.name(), Role::Strong), ReaderPart::Gap];
        for (name, kind, value) in row.fields() {
            let private = matches!(name, "email" | "email_address" | "phone") && !value.is_empty();
            let value = if private && scene.masked && row.unlocked() { "•••" } else { value };
            let role = if kind == CellKind::Null || value.is_empty() { Role::Dim } else { Role::Text };
            let value = if kind == CellKind::Null { "–" } else { value };
            parts.push(ReaderPart::Pair(name.to_owned(), value.to_owned(), role));
        }
        parts
    });
    let keys = format!("{open} {other} · <lists.down> <lists.up> next contact · <everywhere.escape> close");
    Reader { keys, ..Reader::new(format!("{what} {} of {}", grouped(place.0), grouped(place.1)), parts) }
}

// What an unlock would do with the rows of a basket.

/// What an unlock would do with a staged row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    New,
    Risky,
    Owned,
    Suppressed,
    /// The lists cannot be held against it: the review leaves it out unless it is accepted there.
    Unchecked,
    Unknown,
}

impl Outcome {
    pub(crate) fn sign(self) -> Sign {
        match self {
            Outcome::New | Outcome::Risky => Sign::Basket,
            Outcome::Owned => Sign::Owned,
            Outcome::Suppressed => Sign::Suppressed,
            Outcome::Unchecked => Sign::Excluded,
            Outcome::Unknown => Sign::Unknown,
        }
    }
}

/// What an unlock would do with each row.
pub(crate) fn outcomes<'a>(scene: SceneRef<'a>, rows: &'a [BasketEntry]) -> impl Iterator<Item = Outcome> + 'a {
    let (session, side) = (scene.session, scene.side);
    let unknown = session.recovery.unknown(side.corpus);
    rows.iter().map(move |entry| {
        let id = entry.id();
        let is_risky = || RISKY_STATUSES.contains(&entry.row.known(Known::EmailStatus));
        if unknown.contains(&id) {
            return Outcome::Unknown;
        }
        if entry.owned || session.ledger.contact(side.corpus, id).is_some() {
            return Outcome::Owned;
        }
        match session.lists.check(side, &entry.row) {
            SuppressionCheck::Named(_) => Outcome::Suppressed,
            SuppressionCheck::Unchecked(..) => Outcome::Unchecked,
            SuppressionCheck::Clear if is_risky() => Outcome::Risky,
            SuppressionCheck::Clear => Outcome::New,
        }
    })
}

/// The most that an unlock of these rows can cost.
pub(crate) fn most(scene: SceneRef<'_>, rows: &[BasketEntry]) -> Credits {
    Credits::for_contacts(outcomes(scene, rows).filter(|what| matches!(what, Outcome::New | Outcome::Risky)).count())
}
