//! Receipts by month, by session and one by one, from the ledger of this machine.

use crate::theme::Role;
use lode_core::{Tally, Wall, counted, grouped};
use lode_engine::effect::Receipt;
use lode_engine::flow::ledger::{by_session, sum};

use super::reader::{Reader, ReaderPart};

/// Orders that are listed one by one; all of them count in the sums.
const LISTED: usize = 200;

fn month(at: Wall, offset_minutes: i32) -> String {
    let local = at.0.saturating_add(i64::from(offset_minutes) * 60_000);
    jiff::Timestamp::from_millisecond(local)
        .map_or_else(|_| "–".to_owned(), |at| at.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y-%m").to_string())
}

fn words(tally: &Tally) -> String {
    let (asked, charged, refunded) = (grouped(tally.asked), grouped(tally.charged), grouped(tally.refunded));
    let mut words =
        format!("{asked} requested, {charged} charged, {refunded} refunded, {}", counted(tally.net(), "credit"));
    for (count, name) in [
        (tally.already, "already owned"),
        (tally.missing, "not found"),
        (tally.locked, "not unlocked"),
        (tally.unknown + tally.unreachable, "UNKNOWN"),
    ] {
        if count > 0 {
            words.push_str(&format!(", {} {name}", grouped(count)));
        }
    }
    words
}

/// `reading` is shown until the receipts are here; `hour` says a moment as the screens say it.
pub fn reader(
    receipts: Option<&[Receipt]>,
    here: &lode_engine::effect::profile::WindowId,
    offset_minutes: i32,
    reading: &str,
    hour: impl Fn(i64) -> String,
) -> Reader {
    let mut parts = Vec::new();
    match receipts {
        None => parts.push(ReaderPart::words(reading)),
        Some([]) => {
            parts.push(ReaderPart::words("No receipts: nothing was spent in this workspace from this computer."))
        }
        Some(receipts) => {
            parts.push(ReaderPart::Heading("By month".to_owned()));
            let month = |receipt: &Receipt| month(receipt.opened_at, offset_minutes);
            let months = receipts.chunk_by(|one, next| month(one) == month(next));
            parts.extend(months.map(|receipts| ReaderPart::pair(month(&receipts[0]), words(&sum(receipts)))));
            parts.push(ReaderPart::Gap);
            parts.push(ReaderPart::Heading("By session".to_owned()));
            parts.extend(by_session(receipts).into_iter().take(LISTED).map(|(run, began, tally)| {
                let mine = if run == here.run() { " (this one)" } else { "" };
                ReaderPart::pair(format!("{}{mine}", hour(began.0)), words(&tally))
            }));
            parts.push(ReaderPart::Gap);
            parts.push(ReaderPart::Heading("Orders".to_owned()));
            parts.extend(receipts.iter().take(LISTED).map(|receipt| {
                let calls = counted(receipt.calls as u64, "request");
                let check = if receipt.verify { "" } else { ", not verified" };
                let label = format!("{}  {}", receipt.order, hour(receipt.opened_at.0));
                let said = receipt.said.balance.map_or(String::new(), |balance| format!("; balance was {balance}"));
                let role = if receipt.tally.unknown > 0 { Role::Danger } else { Role::Text };
                let by = receipt.assistant.as_ref().map_or(String::new(), |name| format!(", ordered by {name}"));
                let words = format!("{} {}, {calls}{check}{by}{said}", receipt.corpus, words(&receipt.tally));
                ReaderPart::Pair(label, words, role)
            }));
        }
    }
    parts.push(ReaderPart::Gap);
    parts.push(ReaderPart::Words("Run lode receipts --csv for a spreadsheet.".to_owned(), Role::Dim));
    Reader::new("Receipts", parts)
}
