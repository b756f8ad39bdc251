//! The review before an unlock, and the amount that a person types.
//!
//! The field starts empty and only the number of the estimate itself goes (*every spend is typed*). Keys from before the
//! review was on the terminal, and for a moment after, are dropped; so is an Enter that comes with the digits in one burst.
//! Nothing is decided here: what a number may do is `flow::unlock::order`.

use std::collections::HashMap;
use std::time::Duration;

use crate::dialogs::Intent;
use crate::dialogs::picker::{Picker, PickerItem};
use crate::layout;
use crate::widgets::prelude::*;
use lode_core::{Credits, HeldBy, Mono, Now, RowId, Staged};
use lode_engine::effect::Handle;
use lode_engine::flow::session::UnlockSubject;
use lode_engine::flow::unlock::{CapRoom, IdSource, Quote, ReviewChoice};

/// Keys are heard this long after the review stood on the terminal.
pub const SETTLED: Duration = Duration::from_millis(250);
/// A hand needs at least this long from the last digit to Enter.
pub const DELIBERATE: Duration = Duration::from_millis(150);
/// Digits of an amount: more is not an amount of credits but a cat.
const LONGEST: usize = 9;

#[derive(Clone, Debug)]
pub struct MoneyDialog {
    pub subject: UnlockSubject,
    pub choice: ReviewChoice,
    /// None while balance, caps, basket and lists are read.
    pub quote: Option<Box<Quote>>,
    pub typed: String,
    /// Why the last number did not go, or what is to be typed now.
    pub words: Option<String>,
    /// The request of an assistant that is answered here, and the title that says so.
    pub request: Option<(Handle, String)>,
    painted: Option<Mono>,
    last_digit: Option<Mono>,
}

impl MoneyDialog {
    pub fn new(subject: UnlockSubject, choice: ReviewChoice) -> MoneyDialog {
        MoneyDialog {
            subject,
            choice,
            quote: None,
            typed: String::new(),
            words: None,
            request: None,
            painted: None,
            last_digit: None,
        }
    }

    /// Another review is shown: its number has to be read and typed again.
    pub fn show(&mut self, quote: Box<Quote>, words: Option<String>) {
        self.choice = quote.choice.clone();
        self.quote = Some(quote);
        self.words = words;
        self.clear();
        self.painted = None;
    }

    /// Everything is read again.
    pub fn wait(&mut self, words: Option<String>) {
        self.quote = None;
        self.words = words;
        self.clear();
        self.painted = None;
    }

    /// A frame that shows it was flushed.
    pub fn painted(&mut self, now: Now) {
        if self.quote.is_some() && self.painted.is_none() {
            self.painted = Some(now.mono);
        }
    }

    /// Something else lies over it, or the screen cannot show it.
    pub fn covered(&mut self) {
        self.painted = None;
    }

    pub fn accepts_keys(&self, now: Now) -> bool {
        self.painted.is_some_and(|at| now.mono.since(at) >= SETTLED)
    }

    pub fn digit(&mut self, digit: char, now: Now) {
        if digit.is_ascii_digit() && self.typed.len() < LONGEST {
            self.typed.push(digit);
            self.last_digit = Some(now.mono);
            self.words = None;
        }
    }

    pub fn backspace(&mut self, now: Now) {
        self.typed.pop();
        self.last_digit = Some(now.mono);
    }

    pub fn clear(&mut self) {
        self.typed.clear();
        self.last_digit = None;
    }

    /// The amount that Enter confirms now. None where Enter came in one burst with the digits.
    pub fn amount(&self, now: Now) -> Option<Credits> {
        let deliberate = self.last_digit.is_some_and(|at| now.mono.since(at) >= DELIBERATE);
        self.typed.parse().ok().filter(|_| deliberate).map(Credits)
    }

    /// The rows that the lists hold back, each with the entry that does. One that cannot be checked can be accepted; one that
    /// an entry names cannot.
    pub fn held_back(&self) -> Option<Picker> {
        const NAMED: &str = "An entry names this contact: it is never unlocked. <basket.suppressions> on the Basket screen changes the lists.";
        let quote = self.quote.as_ref()?;
        let shown: HashMap<RowId, &Staged> = quote.basis.staged.iter().map(|row| (row.id, row)).collect();
        let item = |sign: &str, id: RowId, (by, more): (&HeldBy, usize), pick: Intent| {
            let name = shown.get(&id).map_or("", |row| row.name.as_str());
            let name = if name.is_empty() { id.to_string() } else { format!("{name} ({id})") };
            let more = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
            let left = format!("{sign} {name}  {}{more}", by.entry);
            PickerItem::new(left, by.list.clone(), pick)
        };
        let unchecked = quote.unchecked.iter().filter_map(|row| {
            let sign = if row.accepted { "[x]" } else { "[ ]" };
            let (by, more) = row.by.split_first()?;
            Some(item(sign, row.id, (by, more.len()), Intent::AcceptUnchecked(row.id)))
        });
        let named = quote.suppressed.iter();
        let named = named.map(|(id, by)| item(Sign::Suppressed.letter(), *id, (by, 0), Intent::Refused(NAMED)));
        let rule = match quote.unchecked.is_empty() {
            true => "Entries name these contacts. They stay in the basket and are never unlocked.",
            false => "[ ] may be on a list. <text.submit> accepts it for this unlock.",
        };
        Some(Picker::new("Held back by suppression lists", unchecked.chain(named).collect()).with_rule(rule))
    }
}

/// One line of the review. Where there is no room for all of them the lowest ranks go.
struct Line {
    rank: u8,
    pieces: Vec<(String, Role)>,
    field: bool,
}

impl Line {
    fn new(rank: u8, words: impl Into<String>, role: Role) -> Line {
        Line { rank, pieces: vec![(words.into(), role)], field: false }
    }

    fn role(mut self, role: Role) -> Line {
        self.pieces.iter_mut().for_each(|piece| piece.1 = role);
        self
    }
}

/// `  label      − 3    note`: the number ends at the same column in every line.
fn count_line(rank: u8, label: &str, number: &str, note: &str, wide: bool) -> Line {
    let ends: usize = if wide { 35 } else { 30 };
    let used = 2 + text::width(label) + text::width(number);
    let mut words = format!("  {label}{}{number}", " ".repeat(ends.saturating_sub(used).max(1)));
    if wide && !note.is_empty() {
        words.push_str("    ");
        words.push_str(note);
    }
    Line::new(rank, words, Role::Text)
}

fn plain(count: usize) -> String {
    grouped(count as u64)
}

fn items(money: &MoneyDialog, wide: bool) -> Vec<Line> {
    let Some(quote) = &money.quote else {
        let mut items = vec![
            Line::new(200, " Reading the balance, caps, basket and lists …", Role::Text),
            Line::new(100, " <money.back> back.  Nothing sent.", Role::Dim),
        ];
        items.extend(money.words.iter().map(|words| Line::new(150, format!(" {words}"), Role::Warning)));
        return items;
    };
    let mut items = vec![who(quote, wide)];
    items.extend(counts(quote, wide));
    items.extend(bounds(quote, wide));
    items.push(verification(quote, wide));
    if !quote.basis.who.may_search {
        let words = if wide {
            "  this key cannot search, so an unknown result could not be checked"
        } else {
            "  this key cannot check results"
        };
        items.push(Line::new(240, words, Role::Danger));
    }
    let most = quote.most;
    let ask = if wide {
        format!("  Type {most} to confirm, then <money.confirm>:  ")
    } else {
        format!("  type {most} to confirm:  ")
    };
    items.push(Line { rank: 255, pieces: vec![(ask, Role::Strong)], field: true });
    items.push(match &money.words {
        Some(words) => Line::new(252, format!("  {words}"), Role::Warning),
        None if quote.to_unlock.is_empty() => {
            Line::new(252, "  Nothing to unlock here.  <money.back> back.  Nothing sent.", Role::Warning)
        }
        None => {
            Line::new(60, "  <money.back> back to the basket.  Pasting is ignored here.  Nothing sent yet.", Role::Dim)
        }
    });
    items
}

fn who(quote: &Quote, wide: bool) -> Line {
    let who = &quote.basis.who;
    let (kind, role) = if who.live { ("[LIVE]", Role::Live) } else { ("[SANDBOX]", Role::Sandbox) };
    let corpus = quote.basis.corpus;
    let long = format!(" workspace {}   key {}   profile {} ", who.org_name, who.key_prefix, who.profile);
    let middle = format!(" {}   key {}   {} ", who.org_name, who.key_prefix, who.profile);
    let fits = |words: &str| wide && text::width(words) + kind.len() + "   corpus linkedin".len() <= 74;
    let (before, after) = match (fits(&long), fits(&middle)) {
        (true, _) => (long, format!("   corpus {corpus}")),
        (false, true) => (middle, format!("   corpus {corpus}")),
        (false, false) => (format!(" {}  {} ", text::cut(&who.org_name, 16), who.profile), format!(" {corpus}")),
    };
    Line { rank: 180, pieces: vec![(before, Role::Text), (kind.to_owned(), role), (after, Role::Text)], field: false }
}

fn counts(quote: &Quote, wide: bool) -> Vec<Line> {
    let line = |rank, label: &str, number: &str, note: &str| count_line(rank, label, number, note, wide);
    let mut items = match quote.again() {
        Some(batch) => {
            let label = format!("batch {} once more", batch.number);
            let note = "the identical contacts, in one request";
            let mut items = vec![line(120, &label, &plain(batch.ids.len()), note)];
            let known = batch.ids.len() - batch.open.len().min(batch.ids.len());
            if known > 0 {
                items.push(line(70, "result known", &less(known), "already charged"));
            }
            items
        }
        None => chosen(quote, wide),
    };
    let sizes: Vec<String> = quote.calls.iter().map(ToString::to_string).collect();
    let sizes = if sizes.len() > 1 && sizes.len() <= 6 { format!(" ({})", sizes.join("+")) } else { String::new() };
    let calls = quote.calls.len();
    let equal = calls > 1 && quote.calls.iter().all(|size| Some(size) == quote.calls.first());
    let requests = lode_core::credits::counted(calls as u64, "request");
    let note = if equal { format!("in {requests} of {}", quote.calls[0]) } else { format!("in {requests}{sizes}") };
    items.push(line(200, "  to unlock", &plain(quote.to_unlock.len()), &note));
    let mut most = line(250, "  maximum cost", &quote.most.to_string(), "").role(Role::Strong);
    if let Some((words, _)) = most.pieces.first_mut() {
        words.push_str(if quote.most == Credits(1) { " credit" } else { " credits" });
    }
    items.push(most);
    if let Some(likely) = quote.likely {
        let range = if likely.low == likely.high {
            likely.low.to_string()
        } else {
            format!("{}–{}", likely.low, likely.high)
        };
        let percent = likely.refunded * 100 / likely.over.max(1);
        let note = format!("{percent}% refunded over your last {}", grouped(likely.over));
        items.push(line(80, "  likely after refunds", &range, &note));
    }
    items
}

fn less(count: usize) -> String {
    format!("−{:>3}", plain(count))
}

/// What was chosen, and what of it is not unlocked.
fn chosen(quote: &Quote, wide: bool) -> Vec<Line> {
    let line = |rank, label: String, number: String, note: &str| count_line(rank, &label, &number, note, wide);
    let label = if matches!(quote.basis.origin, IdSource::Basket(_)) { "in the basket" } else { "chosen" };
    let lists: Vec<&str> = quote.suppressed_by().into_iter().map(|(list, _)| list).collect();
    let lists = text::cut(&lists.join(", "), 24);
    let note = if lists.is_empty() { String::new() } else { format!("{lists}   <money.suppressed> lists") };
    let mut items = vec![
        line(120, Sign::Basket.before(label), plain(quote.staged), ""),
        line(100, Sign::Owned.before("already owned (free)"), less(quote.owned.len()), ""),
        line(95, Sign::Suppressed.before("on a suppression list"), less(quote.suppressed.len()), &note),
    ];
    let held = quote.held_unchecked().len();
    if let Some(row) = quote.unchecked.iter().find(|row| !row.accepted) {
        let entry = row.by.first().map_or("", |by| by.entry.as_str());
        let why = format!("{}   <money.suppressed> show", text::cut(entry, 25));
        items.push(line(108, Sign::Excluded.before("may be on a list"), less(held), &why).role(Role::Warning));
    }
    let accepted = quote.unchecked.len() - held;
    if accepted > 0 {
        let (label, number) = ("  accepted unchecked".to_owned(), format!(" {:>3}", plain(accepted)));
        items.push(line(109, label, number, "<money.suppressed> change").role(Role::Warning));
    }
    if !quote.unknown.is_empty() {
        let (label, number) = (Sign::Unknown.before("result unknown"), less(quote.unknown.len()));
        items.push(line(110, label, number, "result unknown: check it first").role(Role::Warning));
    }
    let risky: Vec<String> = quote.risky.iter().map(|(status, ids)| format!("{status} {}", plain(ids.len()))).collect();
    let (label, sign, does) = match quote.choice.drop_risky {
        true => (Sign::Excluded.before("risky email status"), '−', "<money.drop-risky> include"),
        false => ("  risky email status".to_owned(), ' ', "<money.drop-risky> exclude"),
    };
    let note = if risky.is_empty() { String::new() } else { format!("{}   {does}", risky.join(", ")) };
    let count = quote.risky_count();
    let role = if count > 0 { Role::Warning } else { Role::Text };
    items.push(line(105, label, format!("{sign}{:>3}", plain(count)), &note).role(role));
    if !quote.duplicates.is_empty() {
        let (mark, sign, note) = match quote.choice.drop_duplicates {
            true => (Sign::Excluded, '−', "<money.drop-duplicates> include"),
            false => (Sign::Repeat, ' ', "same person twice   <money.drop-duplicates> exclude"),
        };
        let number = format!("{sign}{:>3}", plain(quote.duplicates.len()));
        items.push(line(106, mark.before("duplicates"), number, note).role(Role::Warning));
    }
    if !quote.beyond.is_empty() {
        let note = format!("at most {} of each", quote.per_company().unwrap_or(0));
        items.push(line(107, Sign::Excluded.before("over the company limit"), less(quote.beyond.len()), &note));
    }
    if !quote.kept_back.is_empty() {
        let label = Sign::Excluded.before("left in the basket");
        items.push(line(90, label, less(quote.kept_back.len()), "above your limit"));
    }
    items
}

/// Balance and caps, in red where they do not reach.
fn bounds(quote: &Quote, wide: bool) -> Vec<Line> {
    let (words, short) = match quote.basis.balance {
        Some((balance, _)) if quote.most > balance => {
            (format!("  balance {balance} does not cover {}", quote.most), true)
        }
        Some((balance, _)) => {
            let after = quote.balance_after().unwrap_or_default();
            (format!("  balance {balance}  →  at least {after}"), false)
        }
        None => ("  balance unknown: not reported by the service".to_owned(), true),
    };
    let held = quote.basis.spent.held;
    let cap = |name: &str, room: CapRoom| {
        let held = if held > Credits::ZERO { format!(", {held} on hold") } else { String::new() };
        let words = format!("{name} cap {}, {} used{held}, {} left", room.cap, room.used, room.left);
        (words, room.left < quote.most && quote.again().is_none())
    };
    let mut caps: Vec<(String, bool)> = Vec::new();
    caps.extend(quote.session.map(|room| cap("session", room)));
    caps.extend(quote.day.map(|room| cap("day", room)));
    if caps.is_empty() && wide {
        caps.push(("no cap is set".to_owned(), false));
    }
    let role = |short: bool| if short { Role::Danger } else { Role::Text };
    let mut balance = Line::new(190, words, role(short));
    let mut items = Vec::new();
    let mut caps = caps.into_iter();
    if wide && let Some((words, tight)) = caps.next() {
        let used: usize = balance.pieces.iter().map(|(words, _)| text::width(words)).sum();
        balance.pieces.push((" ".repeat(39usize.saturating_sub(used).max(3)), Role::Text));
        balance.pieces.push((words, role(tight)));
    }
    items.push(balance);
    let indent = if wide { 39 } else { 2 };
    items.extend(caps.map(|(words, tight)| {
        Line::new(if tight { 185 } else { 75 }, format!("{}{words}", " ".repeat(indent)), role(tight))
    }));
    items
}

fn verification(quote: &Quote, wide: bool) -> Line {
    let on = quote.choice.verify;
    let (words, note, role) = match (quote.again().is_some(), on) {
        (true, true) => ("verification ON, as the first time", "", Role::Text),
        (true, false) => ("verification OFF, as the first time", "no refunds possible", Role::Danger),
        (false, true) => {
            ("verification ON (refunds possible)", "<money.verification> turn off (no refunds)", Role::Text)
        }
        (false, false) => ("verification OFF", "no refunds   <money.verification> turn on", Role::Danger),
    };
    let mut line = format!("  {words}");
    if wide || !on {
        let gap = if wide { 39usize.saturating_sub(text::width(&line)) } else { 2 };
        line.push_str(&" ".repeat(gap));
        line.push_str(note);
    }
    Line::new(if on { 188 } else { 251 }, line, role)
}

/// A sentence over as many lines as it needs: no reason is cut.
fn wrapped(item: Line, cx: &ViewContext, columns: usize) -> Vec<Line> {
    match item.pieces.as_slice() {
        [(words, role)] if matches!(item.rank, 150 | 252) => {
            let lines = cx.wrapped(words.trim(), columns.saturating_sub(2)).into_iter();
            lines.map(|line| Line::new(item.rank, format!("  {line}"), *role)).collect()
        }
        _ => vec![item],
    }
}

impl StatefulWidget for &MoneyDialog {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let width = over.width.min(76);
        let wide = width >= 74;
        let columns = usize::from(width.saturating_sub(2));
        let mut items: Vec<Line> = items(self, wide).into_iter().flat_map(|item| wrapped(item, cx, columns)).collect();
        let room = usize::from(over.height.saturating_sub(2));
        layout::fit(&mut items, |item| item.rank, |items| items.len() <= room.max(1));
        let title = match self.quote.as_ref().and_then(|quote| quote.again()) {
            Some(batch) => format!("Finish batch {}: review before you spend", batch.number),
            None if self.request.is_some() => self.request.iter().map(|(_, title)| title.clone()).collect(),
            None => "Unlock: review before you spend".to_owned(),
        };
        let inside = pane::overlay(buf, cx, over, width, items.len() as u16 + 2, &title);
        for (at, item) in items.iter().take(usize::from(inside.height)).enumerate() {
            let y = inside.y + at as u16;
            let used = cx.line(buf, inside.x, y, inside.width, &item.pieces);
            if item.field {
                let x = inside.x + used;
                let left = inside.width.saturating_sub(used);
                let typed = format!("[{:<4} ]", self.typed);
                cx.put(buf, x, y, left, &typed, Role::Input);
                if left > 2 {
                    cx.cursor = Some(Position { x: x + 1 + (self.typed.len() as u16).min(left - 2), y });
                }
            }
        }
    }
}
