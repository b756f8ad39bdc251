//! The result of an order, in words: the line for the message, how it ended, what else has to be known.

use crate::dialogs::reader::{Reader, ReaderPart};
use crate::keys::command::Copy;
use crate::keys::keymap::Keymap;
use crate::widgets::prelude::*;
use lode_core::{Credits, Owned, RowId, Tally};
use lode_engine::effect::{CapKind, IntentRefused};
use lode_engine::flow::unlock::{OrderEnd, OrderSummary};

/// The line for the message.
pub fn line(summary: &OrderSummary) -> String {
    Tally { unknown: summary.uncertain(), ..summary.tally }.sentence(summary.said.balance)
}

/// How it ended, where it did not simply end.
pub fn ending(summary: &OrderSummary) -> Option<String> {
    let tally = &summary.tally;
    let (left, unknown) = (grouped(tally.locked), contacts(tally.unknown as usize));
    let trimmed = |words: &str| words.trim().trim_end_matches('.').to_owned();
    Some(match &summary.end {
        OrderEnd::Done if summary.elsewhere.is_empty() => return None,
        OrderEnd::Done => {
            let left = contacts(summary.elsewhere.len());
            format!("{left} skipped: another window is unlocking these.")
        }
        OrderEnd::Stopped => format!("Stopped: {left} not sent, not charged, still in the basket."),
        OrderEnd::OutOfCredits => {
            let balance = summary.said.balance.map_or("0".to_owned(), |balance| balance.to_string());
            let charged = grouped(tally.charged);
            let ends = format!("Credits ran out: {charged} unlocked, balance {balance}.");
            format!("{ends} {left} not charged, still in the basket.")
        }
        OrderEnd::Refused { status, words, .. } => {
            format!("The service refused the request ({status}): {}. {left} not unlocked, not charged.", trimmed(words))
        }
        OrderEnd::Withheld(refused) => {
            format!("Not sent: {}. {left} not unlocked, not charged.", withheld(refused))
        }
        OrderEnd::Unknown(words) => {
            format!("The result of {unknown} is unknown: {}. Checking is free.", trimmed(words))
        }
        OrderEnd::Alarm(words) => {
            let words = capital(words.trim_end_matches('.'));
            format!("{words}. Nothing more was sent: {left} not unlocked, not charged.")
        }
        OrderEnd::Limit(words) => format!("The rate limit lasts too long: {}. {left} not sent.", trimmed(words)),
        OrderEnd::Unreached(words) => format!("The service cannot be reached: {}. {left} not sent.", trimmed(words)),
        OrderEnd::Changed(words) if tally.unknown > 0 => {
            format!("Stopped: {}. The result of {unknown} is unknown; checking is free.", trimmed(words))
        }
        OrderEnd::Changed(words) => format!("Stopped: {}. {left} not unlocked, not charged.", trimmed(words)),
        OrderEnd::Store(words) => {
            let (words, doctor) = (trimmed(words), "Run lode doctor to find the cause.");
            match tally.unknown {
                0 => format!("Nothing was sent, because it could not be recorded: {words}. {doctor}"),
                _ => format!("A response could not be saved: {words}. The result of {unknown} is unknown. {doctor}"),
            }
        }
    })
}

/// What else has to be known of it: answers that do not add up, a balance that fell by more than the order explains.
pub fn notices(summary: &OrderSummary) -> Vec<String> {
    let unexplained = summary.unexplained(summary.said.balance);
    summary
        .notices
        .iter()
        .cloned()
        .chain(unexplained)
        .map(|words| format!("{}.", capital(words.trim_end_matches('.'))))
        .collect()
}

fn withheld(refused: &IntentRefused) -> String {
    match refused {
        IntentRefused::Open(ids) => {
            format!("{} of these are in a batch with an unknown result; check that first", grouped(ids.len() as u64))
        }
        IntentRefused::Cap { which, cap, used, held } => {
            let which = match which {
                CapKind::Call => "cap per call",
                CapKind::Session => "session cap",
                CapKind::Day => "day cap",
            };
            format!("this would exceed the {which} of {cap} ({used} used, {held} on hold)")
        }
        IntentRefused::Ceiling { ceiling, used, held } => {
            format!("this would exceed the {ceiling} you typed ({used} used, {held} on hold)")
        }
        IntentRefused::ListsChanged => "a suppression list was changed".to_owned(),
        IntentRefused::BasketChanged => "the basket was changed by another window".to_owned(),
        IntentRefused::NotGranted(_) => "not approved yet".to_owned(),
        IntentRefused::OtherPurse => "the key belongs to another workspace".to_owned(),
        IntentRefused::Settled(_) => "another window already has the result of this batch".to_owned(),
    }
}

/// One contact that is owned now.
#[derive(Clone, Debug)]
struct Line {
    sign: Sign,
    name: String,
    title: String,
    company: String,
    email: String,
    phone: String,
    /// How the address was verified, in a word.
    check: (String, Role),
}

#[derive(Clone, Debug)]
pub struct Paid {
    title: String,
    lines: Vec<Line>,
    /// What else has to be known.
    words: Vec<(String, Role)>,
}

/// More contacts than this are counted, not listed.
const LISTED: usize = 8;

impl Paid {
    /// `owned` finds a contact in the books.
    pub fn of<'a>(summary: &OrderSummary, owned: impl Fn(RowId) -> Option<&'a Owned>, masked: bool) -> Paid {
        let bought = summary.contacts.iter().filter(|settled| settled.outcome.is_owned());
        let lines: Vec<Line> = bought
            .filter_map(|settled| owned(settled.id))
            .map(|owned| {
                let contact = &owned.contact;
                let refunded = contact.refunded == Some(true);
                let word = contact.verification.as_ref().map_or("", |check| check.word());
                let hidden =
                    |value: &str| if masked && !value.is_empty() { "•••".to_owned() } else { value.to_owned() };
                let role = match (refunded, word) {
                    (false, "valid") => Role::Good,
                    _ => Role::Warning,
                };
                Line {
                    sign: if refunded { Sign::Refunded } else { Sign::Owned },
                    name: contact.contact_name.clone(),
                    title: contact.title.clone(),
                    company: contact.company_name.clone(),
                    email: hidden(&contact.email),
                    phone: hidden(&contact.phone),
                    check: (if refunded { format!("{word} · refunded") } else { word.to_owned() }, role),
                }
            })
            .collect();
        let warn = |words: String| (words, Role::Warning);
        let mut words: Vec<(String, Role)> = ending(summary).into_iter().map(warn).collect();
        words.extend(notices(summary).into_iter().map(warn));
        let tally = &summary.tally;
        for (count, what) in [
            (tally.already, "owned already"),
            (tally.missing, "not found; not charged"),
            (summary.quote.suppressed.len() as u64, "suppressed: not requested"),
            (summary.quote.held_unchecked().len() as u64, "not checked against the lists: not requested"),
        ] {
            words.extend((count > 0).then(|| (format!("{} {what}", grouped(count)), Role::Dim)));
        }
        if !summary.quote.choice.verify {
            words.push(warn("Verification was off: no refunds were possible.".to_owned()));
        }
        // What was owned before is listed, and is not part of what was bought.
        let mut pieces = match summary.tally.charged {
            0 => vec!["Nothing unlocked".to_owned()],
            1 if lines.len() == 1 => vec!["Unlocked".to_owned()],
            bought => vec![format!("{} unlocked", grouped(bought))],
        };
        if tally.refunded > 0 {
            pieces.push(format!("{} refunded", grouped(tally.refunded)));
        }
        pieces.push(counted(tally.net(), "credit"));
        let left = |left: Credits| format!("{left} left");
        pieces.extend(summary.said.balance.map(left));
        Paid { title: pieces.join(" · "), lines, words }
    }

    /// All of them with all that was bought.
    pub fn reader(&self) -> Reader {
        let mut parts = Vec::new();
        for line in &self.lines {
            parts.push(ReaderPart::Words(line.sign.before(&line.name), Role::Strong));
            for (label, value, role) in [
                ("title", &line.title, Role::Text),
                ("company", &line.company, Role::Text),
                ("email", &line.email, Role::Owned),
                ("phone", &line.phone, Role::Owned),
                ("checked", &line.check.0, line.check.1),
            ] {
                parts.extend((!value.is_empty()).then(|| ReaderPart::Pair(label.to_owned(), value.clone(), role)));
            }
            parts.push(ReaderPart::Gap);
        }
        parts.pop();
        Reader::new(self.title.clone(), parts)
    }

    pub fn is_one(&self) -> bool {
        self.lines.len() == 1
    }

    /// What is copied: of every contact, a line each.
    pub fn copied(&self, what: Copy) -> String {
        let value = |line: &Line| match what {
            Copy::Phone => line.phone.clone(),
            _ => line.email.clone(),
        };
        let values: Vec<String> = self.lines.iter().map(value).filter(|value| !value.is_empty()).collect();
        values.join("\n")
    }
}

/// The contacts as rows of at most `columns`. Where an address does not fit beside its name it stands under it, whole.
fn list(lines: &[Line], columns: usize, room: usize) -> Vec<Vec<(String, Role)>> {
    let widest = |of: fn(&Line) -> &str| lines.iter().take(LISTED).map(|line| text::width(of(line))).max().unwrap_or(0);
    let (email, check) = (widest(|line| &line.email), widest(|line| &line.check.0));
    let longest = widest(|line| &line.name);
    let name = columns.saturating_sub(2 + 2 + email + 2 + check).min(longest);
    let beside = name >= NAME.min(longest);
    let each = if beside { 1 } else { 2 };
    let most = LISTED.min(room / each);
    let shown = if lines.len() > most { most.saturating_sub(1).max(1) } else { lines.len() };
    let mut rows = Vec::new();
    for line in &lines[..shown] {
        let sign = (format!("{} ", line.sign.letter()), line.sign.role());
        let cell = |words: &str, wide: usize| {
            let words = text::cut(words, wide);
            let missing = wide.saturating_sub(text::width(&words));
            format!("{words}{}  ", " ".repeat(missing))
        };
        if beside {
            let (name, email) = (cell(&line.name, name), cell(&line.email, email));
            rows.push(vec![sign, (name, Role::Text), (email, Role::Owned), line.check.clone()]);
        } else {
            rows.push(vec![sign, (format!("{}  ", line.name), Role::Text), line.check.clone()]);
            rows.extend(address(&line.email, columns));
        }
    }
    let more = lines.len() - shown;
    rows.extend((more > 0).then(|| vec![(format!("  … {} more", grouped(more as u64)), Role::Dim)]));
    rows
}

/// What was paid for is never cut: a long address goes on in the next line.
fn address(value: &str, columns: usize) -> Vec<Vec<(String, Role)>> {
    let lines = text::wrapped(value, columns.saturating_sub(2));
    lines.into_iter().map(|line| vec![("  ".to_owned(), Role::Text), (line, Role::Owned)]).collect()
}

/// A name beside its address has at least so many cells.
const NAME: usize = 10;

/// The only contact, with the keys that copy its address and phone.
fn only(line: &Line, columns: usize, keys: &Keymap) -> Vec<Vec<(String, Role)>> {
    let copied = |value: &str, after: Option<&(String, Role)>, key: &str| {
        let mut lines = address(value, columns);
        let Some(row) = lines.last_mut() else { return lines };
        row.extend(after.map(|(word, role)| (format!("   {word}"), *role)));
        let used: usize = row.iter().map(|(words, _)| text::width(words)).sum();
        let key = keys.spelled(key).into_owned();
        if used + 2 + text::width(&key) <= columns {
            row.extend([(" ".repeat(columns - used - text::width(&key)), Role::Text), (key, Role::Key)]);
        }
        lines
    };
    let sign = (format!("{} ", line.sign.letter()), line.sign.role());
    let mut rows = vec![vec![sign, (line.name.clone(), Role::Strong), (format!("   {}", line.title), Role::Text)]];
    // A long one has its word on the next line.
    let beside = text::width(&line.email) + text::width(&line.check.0) + 12 <= columns;
    rows.extend(copied(&line.email, Some(&line.check).filter(|_| beside), "<summary.copy-email>"));
    rows.extend((!beside).then(|| vec![("  ".to_owned(), Role::Text), line.check.clone()]));
    if !line.phone.is_empty() {
        rows.extend(copied(&line.phone, None, "<summary.copy-phone>"));
    }
    rows
}

impl StatefulWidget for &Paid {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let width = over.width.saturating_sub(4).clamp(20, 78);
        let columns = usize::from(width.saturating_sub(4));
        let room = usize::from(over.height).saturating_sub(4);
        let mut rows = match self.lines.as_slice() {
            [line] => only(line, columns, &cx.keys),
            lines => list(lines, columns, room),
        };
        if !self.words.is_empty() && !rows.is_empty() {
            rows.push(Vec::new());
        }
        for (words, role) in &self.words {
            rows.extend(text::wrapped(words, columns).into_iter().map(|line| vec![(line, *role)]));
        }
        rows.truncate(room.max(1));
        let inside = pane::overlay(buf, cx, over, width, rows.len() as u16 + 4, &self.title);
        for (y, row) in (inside.y..inside.bottom()).zip(&rows) {
            cx.line(buf, inside.x, y, inside.width, row);
        }
        let export = if self.is_one() { "export" } else { "export these" };
        let of_contacts = [("<summary.export>", export), ("<summary.open>", "details")];
        let of_contacts = of_contacts.into_iter().filter(|_| !self.lines.is_empty());
        let y = (inside.y + rows.len() as u16 + 1).min(inside.bottom().saturating_sub(1));
        let mut x = inside.x;
        for (key, word) in of_contacts.chain([("<summary.receipt>", "receipt"), ("<everywhere.escape>", "close")]) {
            let wide = text::width(&cx.keys.spelled(key)) + text::width(word) + 1;
            if usize::from(x) + wide > usize::from(inside.right()) {
                break;
            }
            x += cx.line(buf, x, y, inside.right() - x, &[(key, Role::Key), (" ", Role::Text), (word, Role::Dim)]) + 3;
        }
    }
}
