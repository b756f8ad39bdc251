//! Batches with an unknown result, and the three things that can be done about them: look for free, finish through the
//! money dialog, keep.

use crate::{dialogs::prelude::*, widgets::share};

/// Ranks of lines that are sentences.
const ANSWER: u8 = 190;
const FINISH: u8 = 150;
const WHY: u8 = 45;

/// `12:06:11` by the clock of this place.
pub fn clock(wall: Wall, offset_minutes: i32) -> String {
    let seconds = (wall.0 / 1000 + i64::from(offset_minutes) * 60).rem_euclid(86_400);
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

fn batch_line(batch: &OpenBatch, offset_minutes: i32, wide: bool) -> String {
    if !wide {
        let (number, ids) = (batch.number, contacts(batch.ids.len()));
        let sent = clock(batch.sent_at, offset_minutes);
        let (to_the_minute, _) = sent.rsplit_once(':').unwrap_or_default();
        return format!(" batch {number} {ids} UNKNOWN {to_the_minute}");
    }
    let left = format!(" batch {:<2} {:>7}", batch.number, contacts(batch.ids.len()));
    let mut words = format!("{left}  RESULT UNKNOWN  sent {}", clock(batch.sent_at, offset_minutes));
    if batch.sent > 1 {
        words.push_str(&format!(" ({} times)", batch.sent));
    }
    if !batch.heard.is_empty() {
        words.push_str(", response saved");
    }
    if batch.open.len() < batch.ids.len() {
        words.push_str(&format!(", {} open", batch.open.len()));
    }
    words
}

fn seen_line(batch: &OpenBatch) -> Option<String> {
    let last = |sight| batch.open.iter().filter(|open| open.sightings.last().is_some_and(|s| s.sight == sight)).count();
    let seen = [("found still locked", last(CheckResult::Locked)), ("not found", last(CheckResult::Absent))];
    let seen = seen.iter().filter(|(_, count)| *count > 0).map(|(what, count)| format!("{what}: {count}"));
    let seen = seen.collect::<Vec<_>>().join(", ");
    (!seen.is_empty()).then(|| format!("          {seen}"))
}

/// What is known of the order around the batches.
fn receipt_line(receipt: &Receipt, wide: bool) -> String {
    let (tally, order) = (&receipt.tally, receipt.order);
    let cost = format!("{} charged, {} refunded", tally.charged, tally.refunded);
    if !wide {
        return format!(" order {order}: {cost}");
    }
    let answered = tally.charged + tally.already + tally.missing;
    let sent = contacts(tally.asked as usize);
    format!(" order {order} · {} · {sent} sent: {answered} answered, {cost}", receipt.corpus)
}

fn lines(checked: Option<&str>, session: &Session, offset_minutes: i32, wide: bool) -> Vec<(u8, String, Role)> {
    let mut out: Vec<(u8, String, Role)> = Vec::new();
    let receipts = session.ledger.receipts.as_deref().unwrap_or_default();
    let mut order = None;
    for (at, batch) in session.recovery.batches().enumerate() {
        if order != Some(batch.order) {
            order = Some(batch.order);
            if let Some(receipt) = receipts.iter().find(|receipt| receipt.order == batch.order) {
                out.push((60, receipt_line(receipt, wide), Role::Text));
                let locked = Some(receipt.tally.locked).filter(|locked| *locked > 0).map(grouped);
                let words = locked.map(|locked| format!("          {locked} not charged, still in the basket"));
                out.extend(words.map(|words| (30, words, Role::Dim)));
            }
        }
        out.push((if at == 0 { 200 } else { 100 }, batch_line(batch, offset_minutes, wide), Role::Danger));
        let why = capital(batch.words.trim().trim_end_matches('.'));
        out.extend((!why.is_empty()).then(|| (WHY, format!("  {why}."), Role::Dim)));
        out.extend(seen_line(batch).map(|words| (40, words, Role::Dim)));
        if let Err(declined) = session.may_finish(batch) {
            out.push((FINISH, format!("  Batch {} cannot be sent again: {declined}.", batch.number), Role::Warning));
        }
    }
    if let Some(batch) = session.recovery.batches().next()
        && let (Some(before), Some(now)) = (batch.balance_before, session.balance.credits)
    {
        let difference = Credits(before.0.saturating_sub(now.0));
        let number = batch.number;
        let words = match wide {
            true => format!(" balance before batch {number}: {before}     now: {now}     difference {difference}"),
            false => format!(" balance {before}, now {now}: {difference} less"),
        };
        out.push((50, words, Role::Text));
        out.push((20, " (other keys share this balance: others may also have spent)".to_owned(), Role::Dim));
    }
    if let Some((found, of, requests)) = session.recovery.checking() {
        let words = format!(
            " CHECKING (free): {found} of {of} found, requests: {requests}   <recovery.keep> continue in the background"
        );
        out.push((ANSWER, words, Role::Warning));
    } else {
        out.extend(checked.map(|words| (ANSWER, format!(" {words}"), Role::Strong)));
    }
    out.push((10, String::new(), Role::Text));
    out
}

fn deeds(session: &Session) -> Vec<(&'static str, String, String)> {
    let look = match session.recovery.at_least() {
        0 | 1 => "shows which ones you own".to_owned(),
        more => format!("at least {}; owned rows come back", counted(more as u64, "search")),
    };
    let finish = session.finishable().map(|batch| {
        let ids = contacts(batch.ids.len());
        ("<recovery.finish>", format!("finish batch {}", batch.number), format!("the same {ids}, after a review"))
    });
    let keep = "nothing is sent; the result stays unknown".to_owned();
    let look = ("<recovery.look>", "check (free)".to_owned(), look);
    [Some(look), finish, Some(("<recovery.keep>", "later".to_owned(), keep))].into_iter().flatten().collect()
}

/// The panel: the result of the last free check, what the session knows, and the minutes east of Greenwich.
pub struct RecoveryView<'a>(pub &'a Option<String>, pub &'a Session, pub i32);

impl StatefulWidget for RecoveryView<'_> {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let RecoveryView(checked, session, offset_minutes) = self;
        let width = over.width.min(76);
        let wide = width >= 60;
        let columns = usize::from(width.saturating_sub(2));
        let mut all: Vec<(u8, String, Role)> = Vec::new();
        for (rank, words, role) in lines(checked.as_deref(), session, offset_minutes, wide) {
            // Sentences wrap, figures are cut: a wrapped column says nothing.
            if matches!(rank, ANSWER | FINISH | WHY) {
                let indent = words.len() - words.trim_start().len();
                // Where there is no room for all of it, its end goes first.
                let lines = cx.wrapped(&[(words, role)], columns - indent).into_iter().zip((0..=rank).rev());
                all.extend(lines.map(|((line, role), rank)| (rank, format!("{:indent$}{line}", ""), role)));
            } else {
                all.push((rank, words, role));
            }
        }
        let deeds = deeds(session);
        let room = usize::from(over.height).saturating_sub(2 + deeds.len());
        share::fit(&mut all, |(rank, ..)| *rank, |all| all.len() <= room);
        let inside =
            TitledPane::new("Result unknown", true).over(over, width, (all.len() + deeds.len() + 2) as u16, buf, cx);
        let lines: Vec<_> = all.into_iter().map(|(_, words, role)| (words, role)).collect();
        let y = cx.lines(buf, inside, inside.y, &lines);
        for (y, (key, deed, means)) in (y..inside.bottom()).zip(deeds) {
            let pieces = [
                (format!("  {:<6} ", cx.keys.spelled(key)), Role::Key),
                (format!("{deed:<16}"), Role::Text),
                (if wide { means } else { String::new() }, Role::Dim),
            ];
            cx.line(buf, inside.x, y, inside.width, &pieces);
        }
    }
}
