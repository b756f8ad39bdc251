//! The review before an unlock, and the amount that a person types.
//!
//! The field starts empty and only the number of the estimate itself goes (*every spend is typed*). Keys from before the
//! review was on the terminal, and for a moment after, are dropped; so is an Enter that comes with the digits in one burst.
//! Nothing is decided here: what a number may do is `flow::unlock::order`.

use std::{collections::HashMap, collections::HashSet, time::Duration};

use crate::dialogs::prelude::*;
use crate::widgets::{bars::filled, share};
use lode_engine::flow::session::UnlockSubject;
use lode_engine::flow::unlock::{CapRoom, IdSource, Quote};

/// Keys are heard this long after the review stood on the terminal.
pub const SETTLED: Duration = Duration::from_millis(250);
/// A hand needs at least this long from the last digit to Enter.
pub const DELIBERATE: Duration = Duration::from_millis(150);
/// Digits of an amount: more is not an amount of credits but a cat.
const LONGEST: usize = 9;

#[derive(Clone, Debug)]
pub struct MoneyDialog {
    pub subject: UnlockSubject,
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
    pub fn new(subject: UnlockSubject, words: Option<String>) -> MoneyDialog {
        let (quote, typed, request) = (None, String::new(), None);
        MoneyDialog { subject, quote, typed, words, request, painted: None, last_digit: None }
    }

    /// Another review is shown: its number has to be read and typed again.
    pub fn show(&mut self, quote: Box<Quote>, words: Option<String>) {
        self.wait(words);
        self.quote = Some(quote);
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
    /// Before the column of values.
    label: (String, Role),
    value: Vec<(String, Role)>,
    /// Behind the value or the bar, with its keys.
    note: String,
    /// The contacts that its bar stands for.
    share: Option<usize>,
}

/// The line of the field, and the lowest rank: what only holds others apart.
const FIELD: u8 = 255;
const GAP: u8 = 0;

fn pair(rank: u8, label: &str, value: impl Into<String>, role: Role, note: impl Into<String>) -> Line {
    let (label, value) = ((label.to_owned(), Role::Dim), vec![(value.into(), role)]);
    Line { rank, label, value, note: note.into(), share: None }
}

/// A sentence across both columns.
fn sentence(rank: u8, words: impl Into<String>, role: Role) -> Line {
    pair(rank, "", words, role, "")
}

fn plain(count: usize) -> String {
    grouped(count as u64)
}

fn items(money: &MoneyDialog, wide: bool, motion: &MotionFrame) -> Vec<Line> {
    let Some(quote) = &money.quote else {
        let reading = motion.waiting(Wait::Screen, "Reading the balance, limits, basket and lists …");
        let reading = sentence(200, &reading, Role::Text);
        let words = money.words.iter().map(|words| sentence(150, words, Role::Warning));
        return std::iter::once(reading).chain(words).collect();
    };
    let gap = || sentence(GAP, "", Role::Text);
    let mut items = vec![who(quote, wide), gap()];
    items.extend(parts(quote, wide));
    items.push(gap());
    items.extend(costs(quote, wide));
    if !quote.basis.who.may_search {
        let words = "This key cannot search, so an unknown result could not be checked.";
        items.push(sentence(240, words, Role::Danger));
    }
    items.push(gap());
    let nothing = || "Nothing to unlock.  Nothing sent.".to_owned();
    let words = money.words.clone().or_else(|| quote.to_unlock.is_empty().then(nothing));
    if !quote.to_unlock.is_empty() {
        items.push(sentence(FIELD, format!("Type {} to unlock", quote.most), Role::Strong));
    }
    items.extend(words.map(|words| sentence(252, words, Role::Warning)));
    items
}

fn who(quote: &Quote, wide: bool) -> Line {
    let (who, corpus) = (&quote.basis.who, quote.basis.corpus.title());
    let (kind, role) = if who.live { ("● live", Role::Live) } else { ("● sandbox", Role::Sandbox) };
    let key = if wide { format!(" · key {}", who.key_prefix) } else { String::new() };
    let org = text::cut(&who.org_name, if wide { 24 } else { 12 });
    let pieces = [(org, Role::Text), (format!("{key} · {} ", who.profile), Role::Dim)];
    let pieces = pieces.into_iter().chain([(kind.to_owned(), role), (format!(" · {corpus}"), Role::Dim)]);
    Line { value: pieces.collect(), ..sentence(180, "", Role::Text) }
}

/// What is in the basket, and below it what will be unlocked and what is left out.
fn parts(quote: &Quote, wide: bool) -> Vec<Line> {
    let digits = text::width(&plain(quote.staged));
    let part = |rank, count: usize, label: &str, role, note: String| {
        let (label, value) = ((format!(" {:>digits$} {label}", plain(count)), Role::Text), vec![(String::new(), role)]);
        (count > 0).then_some(Line { rank, label, value, note, share: Some(count) })
    };
    // What is left out adds up to the basket with what is ready; what is included is counted there already.
    let included = |rank, count: usize, label: &str, note: String| {
        let label = (format!(" {:digits$} of them {} {label}", "", plain(count)), Role::Dim);
        part(rank, count, "", Role::Warning, note).map(|line| Line { label, ..line })
    };
    let ready: HashSet<RowId> = quote.to_unlock.iter().map(|row| row.id).collect();
    let in_ready = |ids: &mut dyn Iterator<Item = &RowId>| ids.filter(|id| ready.contains(id)).count();
    let requests = lode_core::credits::counted(quote.calls.len() as u64, "request");
    let each = quote.calls.first().filter(|_| quote.calls.len() > 1);
    let sent = each.map_or(format!("in {requests}"), |each| format!("in {requests} of up to {each}"));
    let from = match (quote.again(), &quote.basis.origin) {
        (Some(batch), _) => format!("in batch {}", batch.number),
        (None, IdSource::Basket(_)) => "in basket".to_owned(),
        (None, _) => "chosen".to_owned(),
    };
    let whole = part(120, quote.staged, &from, Role::Staged, String::new()).map(|line| {
        let label = (line.label.0[1..].to_owned(), Role::Strong);
        Line { label, ..line }
    });
    let known = quote.again().map_or(0, |batch| batch.ids.len().saturating_sub(batch.open.len()));
    let lists: Vec<&str> = quote.suppressed_by().into_iter().map(|(list, _)| list).collect();
    let named =
        |words: &str| if wide && !words.is_empty() { format!("{}  ", text::cut(words, 24)) } else { String::new() };
    let entry = quote.unchecked.iter().find(|row| !row.accepted).and_then(|row| row.by.first());
    let entry = format!("skipped  {}", entry.map_or(String::new(), |by| named(&by.entry)));
    let (lists, twice) = (format!("skipped  {}", named(&lists.join(", "))), named(quote.twice()));
    let statuses: Vec<String> =
        quote.risky.iter().map(|(status, ids)| format!("{status} {}", plain(ids.len()))).collect();
    let (held, risky) = (quote.held_unchecked().len(), named(&statuses.join(", ")));
    let duplicates = |count| if count == 1 { "duplicate" } else { "duplicates" };
    let [risky_in, twice_in, accepted] = [
        in_ready(&mut quote.risky.iter().flat_map(|(_, ids)| ids)),
        in_ready(&mut quote.duplicates.iter()),
        in_ready(&mut quote.unchecked.iter().map(|row| &row.id)),
    ];
    let risky_out = if quote.choice.drop_risky { quote.risky_count() } else { 0 };
    let twice_out = if quote.choice.drop_duplicates { quote.duplicates.len() } else { 0 };
    let limit = quote.per_company().unwrap_or(0);
    let all = [
        whole,
        part(200, quote.to_unlock.len(), "ready", Role::Good, sent),
        included(105, risky_in, "risky", format!("{risky}<money.drop-risky> exclude")),
        included(106, twice_in, duplicates(twice_in), format!("{twice}<money.drop-duplicates> exclude")),
        included(109, accepted, "accepted", "unchecked  <money.suppressed> change".to_owned()),
        part(70, known, "known", Role::Owned, "already charged".to_owned()),
        part(100, quote.owned.len(), "owned", Role::Owned, "free".to_owned()),
        part(110, quote.unknown.len(), "unknown", Role::Danger, "skipped  <everywhere.unknown> check".to_owned()),
        part(95, quote.suppressed.len(), "suppressed", Role::Suppressed, format!("{lists}<money.suppressed> lists")),
        part(108, held, "unchecked", Role::Warning, format!("{entry}<money.suppressed> show")),
        part(105, risky_out, "risky", Role::Warning, "skipped  <money.drop-risky> include".to_owned()),
        part(106, twice_out, duplicates(twice_out), Role::Warning, "skipped  <money.drop-duplicates> include".into()),
        part(107, quote.beyond.len(), "over limit", Role::Dim, format!("skipped  at most {limit} per company")),
        part(90, quote.kept_back.len(), "kept", Role::Dim, "above your number, stay in the basket".to_owned()),
    ];
    all.into_iter().flatten().collect()
}

/// What it may cost, and what bounds that: in red where it does not reach.
fn costs(quote: &Quote, wide: bool) -> Vec<Line> {
    let (balance, short) = match quote.basis.balance {
        Some((balance, _)) if quote.most > balance => (format!("{balance} does not cover {}", quote.most), true),
        Some((balance, _)) => (format!("{balance} → {}", quote.balance_after().unwrap_or_default()), false),
        None => ("unknown: not reported by the service".to_owned(), true),
    };
    let role = |short: bool| if short { Role::Danger } else { Role::Text };
    let mut lines = vec![
        pair(250, "Maximum cost", quote.most.words(), Role::Strong, ""),
        pair(190, "Balance", balance, role(short), ""),
    ];
    lines.extend(quote.likely_of(quote.most).map(|likely| {
        let range = format!("{} to {}", likely.low, likely.high);
        let range = if likely.low == likely.high { likely.low.to_string() } else { range };
        let percent = likely.refunded * 100 / likely.over.max(1);
        let note = format!("{percent} % refunded of your last {}", grouped(likely.over));
        pair(80, "Likely", format!("{range} after refunds"), Role::Text, note)
    }));
    let held = quote.basis.spent.held;
    for (label, room) in [("Session limit", quote.session), ("Day limit", quote.day)] {
        let Some(CapRoom { cap, used, left }) = room else { continue };
        let on_hold = if held > Credits::ZERO { format!(", {held} on hold") } else { String::new() };
        let tight = left < quote.most && quote.again().is_none();
        let words = format!("{cap}, {used} used{on_hold}, {left} left");
        lines.push(pair(if tight { 185 } else { 75 }, label, words, role(tight), ""));
    }
    let (is_on, again) = (quote.choice.verify, quote.again().is_some());
    let words = match (is_on, wide) {
        (true, true) => "on, invalid emails are refunded",
        (true, false) => "on (refunds)",
        (false, _) => "off, no refunds",
    };
    let note = match (again, is_on) {
        (true, _) => "as the first time",
        (false, true) => "<money.verification> off",
        (false, false) => "<money.verification> on",
    };
    lines.push(pair(if is_on { 188 } else { 251 }, "Verify", words, role(!is_on), note));
    lines
}

/// A sentence over as many lines as it needs: no reason is cut.
fn wrapped(item: Line, cx: &ViewContext, columns: usize) -> Vec<Line> {
    match item.value.as_slice() {
        [(words, role)] if item.label.0.is_empty() && !matches!(item.rank, FIELD | GAP) => {
            let lines = cx.keyed(words, *role, columns).into_iter();
            lines.map(|value| Line { value, ..sentence(item.rank, "", *role) }).collect()
        }
        _ => vec![item],
    }
}

/// The shortest bar that says something.
const LEAST: u16 = 4;

impl StatefulWidget for &MoneyDialog {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let outer = over.width.min(76);
        let columns = usize::from(outer.saturating_sub(4));
        let items = items(self, outer >= 74, &cx.motion).into_iter();
        let mut items: Vec<Line> = items.flat_map(|item| wrapped(item, cx, columns)).collect();
        let room = usize::from(over.height.saturating_sub(2));
        share::fit(&mut items, |item| item.rank, |items| items.len() <= room.max(1));
        let title = match self.quote.as_deref() {
            None => "Unlock".to_owned(),
            Some(quote) => match (quote.again(), &self.request) {
                (Some(batch), _) => format!("Finish batch {}", batch.number),
                (None, Some((_, title))) => title.clone(),
                (None, None) => format!("Unlock {}", contacts(quote.to_unlock.len())),
            },
        };
        let hint = cx.keys.spelled("<money.confirm> unlock · <money.back> back").into_owned();
        let frame = TitledPane::new(&title, true).below("", &hint);
        let inside = frame.over(over, outer, items.len() as u16 + 2, buf, cx);
        let area = Rect { x: inside.x + 1, width: inside.width.saturating_sub(2), ..inside };
        let whole = self.quote.as_ref().map_or(0, |quote| quote.staged);
        let notes: Vec<_> = items.iter().map(|item| cx.keyed(&item.note, Role::Dim, 400).concat()).collect();
        let label = items.iter().map(|item| text::width(&item.label.0)).max().unwrap_or(0) as u16 + 2;
        // Without bars where all of them would be full.
        let is_plain = items.iter().filter_map(|item| item.share).all(|share| share == whole);
        let bar_of =
            |bar: u16, share: usize| if is_plain { String::new() } else { filled(bar, share as u64, whole as u64) };
        let noted = items.iter().zip(&notes).filter_map(|(item, note)| Some((item.share?, width_of(note))));
        let (shares, widths): (Vec<usize>, Vec<usize>) = noted.filter(|(_, note)| *note > 0).unzip();
        // All notes begin in one column; where words need the room, bars are shorter or none.
        let taken = |bar: u16| shares.iter().map(|share| text::width(&bar_of(bar, *share))).max().unwrap_or(0);
        let room = area.width.saturating_sub(label);
        let widest = widths.into_iter().max().map_or(0, |note| note + 2);
        let fits = |bar: &u16| widest == 0 || taken(*bar) + widest <= room.into();
        let bar = (LEAST..=room).rev().find(fits).unwrap_or(0);
        let taken = taken(bar) as u16;
        for (y, (item, note)) in (area.y..area.bottom()).zip(items.iter().zip(&notes)) {
            if item.rank == FIELD {
                self.draw_field(&item.value, Rect { y, height: 1, ..area }, buf, cx);
                continue;
            }
            let (words, role) = &item.label;
            cx.put(buf, area.x, y, area.width, words, *role);
            let x = area.x + if words.is_empty() { 0 } else { label };
            let room = area.right().saturating_sub(x);
            let used = match item.share {
                Some(share) => {
                    cx.put(buf, x, y, room, &bar_of(bar, share), item.value[0].1);
                    taken
                }
                None => cx.line(buf, x, y, room, &item.value),
            };
            let gap = 2 * u16::from(used > 0);
            cx.line(buf, x + used + gap, y, room.saturating_sub(used + gap), note);
        }
    }
}

impl MoneyDialog {
    /// `Type 93 to unlock   ▏ 93      ▏` in the middle of the line.
    fn draw_field(&self, ask: &[(String, Role)], line: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let digits = format!("{:<6}", self.typed);
        let field = [("   ▏", Role::Focus), (" ", Role::Input), (&digits, Role::Input), ("▏", Role::Focus)];
        let wide = width_of(ask) + 6 + digits.len();
        let x = line.x + line.width.saturating_sub(wide as u16) / 2;
        let begins = x + cx.line(buf, x, line.y, line.right().saturating_sub(x), ask);
        cx.line(buf, begins, line.y, line.right().saturating_sub(begins), &field);
        let cursor = begins + 5 + self.typed.len() as u16;
        cx.cursor = Some(Position { x: cursor.min(line.right().saturating_sub(1)), y: line.y });
    }
}
