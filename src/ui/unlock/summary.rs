//! The result of an order, in words: the line for the message, how it ended, what else has to be known.

use crate::dialogs::prelude::*;
use crate::{keys::keymap::Keymap, messages::DOCTOR, signs, widgets::bars::parted};
use lode_engine::flow::unlock::{OrderEnd, OrderSummary};

/// The line for the message.
pub fn line(summary: &OrderSummary) -> String {
    Tally { unknown: summary.uncertain(), ..summary.tally }.sentence(summary.said.balance)
}

/// How it ended, where it did not simply end.
pub fn ending(summary: &OrderSummary) -> Option<String> {
    let unknown = contacts(summary.uncertain() as usize);
    let check = format!("The result of {unknown} is unknown.  <everywhere.unknown> check (free)");
    match (reason(summary), &summary.end) {
        (Some(said), OrderEnd::Unknown(_)) => Some(said),
        (said, _) if summary.uncertain() > 0 => Some(said.map_or(check.clone(), |said| format!("{said} {check}"))),
        (said, _) => said,
    }
}

fn reason(summary: &OrderSummary) -> Option<String> {
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
            let (charged, balance) = (grouped(tally.charged), summary.said.balance.unwrap_or_default());
            let ends = format!("Credits ran out: {charged} unlocked, balance {balance}.");
            format!("{ends} {left} not charged, still in the basket.")
        }
        OrderEnd::Refused { status, words, .. } => {
            format!("The service refused the request ({status}): {}. {left} not unlocked, not charged.", trimmed(words))
        }
        OrderEnd::Withheld(why) => format!("Not sent: {}. {left} not unlocked, not charged.", withheld(why)),
        OrderEnd::Unknown(why) => {
            format!("The result of {unknown} is unknown: {}.  <everywhere.unknown> check (free)", trimmed(why))
        }
        OrderEnd::Alarm(words) => {
            let words = capital(words.trim_end_matches('.'));
            format!("{words}. Nothing more was sent: {left} not unlocked, not charged.")
        }
        OrderEnd::Limit(words) => format!("The rate limit lasts too long: {}. {left} not sent.", trimmed(words)),
        OrderEnd::Unreached(words) => format!("The service cannot be reached: {}. {left} not sent.", trimmed(words)),
        OrderEnd::Changed(words) => format!("Stopped: {}. {left} not unlocked, not charged.", trimmed(words)),
        OrderEnd::Store(words) => {
            let words = trimmed(words);
            match tally.unknown {
                0 => format!("Nothing was sent, because it could not be recorded: {words}. {DOCTOR}"),
                _ => format!("A response could not be saved: {words}. {DOCTOR}"),
            }
        }
    })
}

/// What else has to be known of it: answers that do not add up, a balance that fell by more than the order explains.
pub fn notices(summary: &OrderSummary, session: &Session) -> Vec<String> {
    let unexplained = summary.unexplained(summary.said.balance, session.ledger.spent.as_ref());
    let all = summary.notices.iter().cloned().chain(unexplained);
    all.map(|words| format!("{}.", capital(words.trim_end_matches('.')))).collect()
}

fn withheld(refused: &IntentRefused) -> String {
    match refused {
        IntentRefused::Open(ids) => {
            format!("{} of these are in a batch with an unknown result; check that first", grouped(ids.len() as u64))
        }
        IntentRefused::Cap { which, cap, used, held } => {
            let which = which.words();
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
    email: String,
    phone: String,
    /// How the email was verified: a dot and a word.
    status: Vec<(String, Role)>,
}

#[derive(Clone, Debug)]
pub struct Paid {
    title: String,
    lines: Vec<Line>,
    /// What the verification found: a sign and words, how many, and their look.
    found: [(String, u64, Role); 3],
    /// What else has to be known.
    words: Vec<(String, Role)>,
}

impl Paid {
    pub fn of(summary: &OrderSummary, session: &Session, masked: bool) -> Paid {
        let bought = summary.contacts.iter().filter(|settled| settled.outcome.is_owned());
        let line = |owned: &Owned| {
            let contact = &owned.contact;
            let status = status_of(contact.verification.as_ref().map_or("", |status| status.word()));
            Line {
                sign: if contact.refunded == Some(true) { Sign::Refunded } else { Sign::Owned },
                name: contact.contact_name.clone(),
                title: contact.title.clone(),
                email: signs::shown(masked, &contact.email),
                phone: signs::shown(masked, &text::phone(&contact.phone)),
                status: status.map_or_else(Vec::new, |(dot, dot_role, word, role)| {
                    vec![(format!("{dot} "), dot_role), (word.into_owned(), role)]
                }),
            }
        };
        let lines: Vec<Line> =
            bought.filter_map(|settled| session.ledger.contact(summary.corpus(), settled.id)).map(line).collect();
        let of = |sign: Sign| lines.iter().filter(|line| line.sign == sign).count() as u64;
        let is_valid =
            |line: &&Line| line.sign == Sign::Owned && line.status.last().is_some_and(|(word, _)| word == "valid");
        let valid = lines.iter().filter(is_valid).count() as u64;
        let unknown = if summary.quote.choice.verify { "○ unknown" } else { "○ not verified" };
        let found = [
            ("● valid".to_owned(), valid, Role::Good),
            (unknown.to_owned(), of(Sign::Owned) - valid, Role::Dim),
            (Sign::Refunded.before("refunded"), of(Sign::Refunded), Role::Refunded),
        ];
        let warn = |words: String| (words, Role::Warning);
        let mut words: Vec<_> = ending(summary).into_iter().chain(notices(summary, session)).map(warn).collect();
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
        let unknown = summary.uncertain();
        let mut pieces = match summary.tally.charged {
            0 if unknown > 0 => Vec::new(),
            0 => vec!["Nothing unlocked".to_owned()],
            1 if lines.len() == 1 => vec!["Unlocked".to_owned()],
            bought => vec![format!("{} unlocked", grouped(bought))],
        };
        pieces.extend((tally.refunded > 0).then(|| format!("{} refunded", grouped(tally.refunded))));
        pieces.extend((!pieces.is_empty()).then(|| counted(tally.net(), "credit")));
        pieces.extend((unknown > 0).then(|| format!("Result unknown: up to {}", counted(unknown, "credit"))));
        pieces.extend(summary.said.balance.map(|left| format!("{left} left")));
        Paid { title: pieces.join(" · "), lines, found, words }
    }

    /// Whether there is something to open, copy and export.
    pub fn has_contacts(&self) -> bool {
        !self.lines.is_empty()
    }

    pub fn is_one(&self) -> bool {
        self.lines.len() == 1
    }

    /// What is copied: of every contact, a line each.
    pub fn copied(&self, what: Copy) -> String {
        let value = |line: &Line| if what == Copy::Phone { line.phone.clone() } else { line.email.clone() };
        self.lines.iter().map(value).filter(|value| !value.is_empty()).collect::<Vec<_>>().join("\n")
    }
}

/// The contacts as at most `room` rows. Where a line has no room for all of a contact, email and phone stand under the name, whole.
fn list(lines: &[Line], columns: usize, room: usize) -> Vec<Pieces> {
    let widest = |of: fn(&Line) -> usize| lines.iter().map(of).max().unwrap_or(0);
    let (email, phone) = (widest(|line| text::width(&line.email)), widest(|line| text::width(&line.phone)));
    let (longest, status) = (widest(|line| text::width(&line.name)), widest(|line| width_of(&line.status)));
    let name = columns.saturating_sub(2 + 2 + email + 2 + phone + 2 + status).min(longest);
    let is_beside = name >= NAME.min(longest);
    let mut rows = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let padded =
            |words: &str, wide: usize| format!("{words}{}", " ".repeat((wide + 2).saturating_sub(text::width(words))));
        let mut of_line = vec![vec![(format!("{} ", line.sign.letter()), line.sign.role())]];
        let (phone_role, indent) =
            (if line.phone.is_empty() { Role::Faint } else { Role::Owned }, || ("  ".to_owned(), Role::Text));
        if is_beside {
            of_line[0].push((padded(&text::cut(&line.name, name), name), Role::Text));
            of_line[0].push((padded(&line.email, email), Role::Owned));
            of_line[0].push((padded(if line.phone.is_empty() { "–" } else { &line.phone }, phone), phone_role));
        } else {
            let name = text::cut(&line.name, columns.saturating_sub(4 + width_of(&line.status)));
            of_line[0].push((format!("{name}  "), Role::Text));
            let below = [(line.email.clone(), Role::Owned), (format!("  {}", line.phone), phone_role)];
            let below = flowed(&below, columns.saturating_sub(2)).into_iter();
            of_line.extend(below.map(|pieces| std::iter::once(indent()).chain(pieces).collect::<Pieces>()));
        }
        of_line[0].extend(line.status.clone());
        let last = at + 1 == lines.len();
        if rows.len() + of_line.len() + usize::from(!last) > room && at > 0 {
            rows.push(vec![(format!("  … {} more", grouped((lines.len() - at) as u64)), Role::Dim)]);
            break;
        }
        rows.extend(of_line);
    }
    rows
}

/// The fewest cells of a name beside its email.
const NAME: usize = 10;

/// The only contact, with the keys that copy its email and phone.
fn only(line: &Line, columns: usize, keys: &Keymap) -> Vec<Pieces> {
    let sign = (format!("{} ", line.sign.letter()), line.sign.role());
    let mut rows = vec![vec![sign, (line.name.clone(), Role::Strong), (format!("   {}", line.title), Role::Text)]];
    let status = std::iter::once((" ".repeat(3), Role::Text)).chain(line.status.clone());
    let email = std::iter::once((line.email.clone(), Role::Owned)).chain(status).collect::<Pieces>();
    for (pieces, key) in
        [(email, "<summary.copy-email>"), (vec![(line.phone.clone(), Role::Owned)], "<summary.copy-phone>")]
    {
        if pieces[0].0.is_empty() {
            continue;
        }
        let mut lines = flowed(&pieces, columns.saturating_sub(2));
        lines.iter_mut().for_each(|line| line.insert(0, ("  ".to_owned(), Role::Text)));
        let key = keys.spelled(key).into_owned();
        let used = width_of(&lines[0]);
        if used + 2 + text::width(&key) <= columns {
            lines[0].extend([(" ".repeat(columns - used - text::width(&key)), Role::Text), (key, Role::Key)]);
        }
        rows.extend(lines);
    }
    rows
}

/// What the verification found, as one bar with its words.
fn found(found: &[(String, u64, Role); 3], columns: usize) -> Pieces {
    let word = |(words, count, role): &(String, u64, Role)| {
        let (sign, words) = words.split_once(' ').unwrap_or_default();
        (*count > 0).then(|| (format!("   {sign} {} {words}", grouped(*count)), *role))
    };
    let words: Pieces = found.iter().filter_map(word).collect();
    let bar = columns.saturating_sub(width_of(&words)).min(BAR) as u16;
    let cells = parted(bar, &found.each_ref().map(|(_, count, _)| *count));
    let parts = cells.into_iter().zip(found).map(|(cells, (.., role))| ("━".repeat(cells.into()), *role));
    parts.chain(words).collect()
}

const BAR: usize = 40;

impl StatefulWidget for &Paid {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let width = over.width.saturating_sub(4).clamp(20, 110);
        let columns = usize::from(width.saturating_sub(4));
        let most = usize::from(pane::tallest(over).saturating_sub(2));
        let words = self.words.iter().flat_map(|(sentence, role)| cx.keyed(sentence, *role, columns));
        let words: Vec<Pieces> = words.collect();
        // With the empty line before the words.
        let fixed = words.len() + usize::from(!words.is_empty());
        let has_bar = self.lines.len() > 1 && most >= fixed + 2 + 3;
        let room = most.saturating_sub(fixed + if has_bar { 2 } else { 0 }).max(2);
        let mut rows = match self.lines.as_slice() {
            [line] => only(line, columns, &cx.keys),
            lines => list(lines, columns, room),
        };
        if has_bar {
            rows.extend([Vec::new(), found(&self.found, columns)]);
        }
        rows.extend((!words.is_empty() && !rows.is_empty()).then(Vec::new));
        rows.extend(words);
        rows.truncate(most.max(1));
        let copy = if self.is_one() { "copy" } else { "copy emails" };
        let keys = format!("<summary.export> export · <summary.copy-email> {copy} · <summary.open> open in Owned · ");
        let keys = if self.lines.is_empty() { "" } else { &keys };
        let keys =
            cx.keys.spelled(&format!("{keys}<summary.receipt> receipt · <everywhere.escape> close")).into_owned();
        let widest = rows.iter().map(|row| width_of(row)).chain([text::width(&keys) + 2]).max().unwrap_or(0) as u16;
        let frame = TitledPane::new(&self.title, true).below("", &keys);
        let inside = frame.over(over, width.min(widest + 4), rows.len() as u16 + 2, buf, cx);
        for (y, row) in (inside.y..inside.bottom()).zip(&rows) {
            cx.line(buf, inside.x + 1, y, inside.width.saturating_sub(1), row);
        }
    }
}
