//! Receipts by month, by session and one by one, from the ledger of this machine.

use super::*;
use lode_engine::flow::ledger::{by_session, sum};

/// Orders that are listed one by one; all of them count in the sums.
const LISTED: usize = 200;

fn month(at: Wall, offset_minutes: i32) -> String {
    jiff::Timestamp::from_millisecond(at.0.saturating_add(i64::from(offset_minutes) * 60_000))
        .map_or_else(|_| "–".to_owned(), |at| at.to_zoned(jiff::tz::TimeZone::UTC).strftime("%Y-%m").to_string())
}

fn spent_words(tally: &Tally) -> String {
    let (asked, charged, refunded) = (grouped(tally.asked), grouped(tally.charged), grouped(tally.refunded));
    let mut words =
        format!("{asked} requested, {charged} charged, {refunded} refunded, {}", counted(tally.net(), "credit"));
    let (locked, unknown) = ((tally.locked, "not unlocked"), (tally.unknown + tally.unreachable, "UNKNOWN"));
    let more = [(tally.already, "already owned"), (tally.missing, "not found"), locked, unknown];
    for (count, name) in more.into_iter().filter(|(count, _)| *count > 0) {
        words.push_str(&format!(", {} {name}", grouped(count)));
    }
    words
}

/// The receipts as lines to read.
pub(super) fn reader(model: &Model) -> Reader {
    let (ledger, here) = (&model.session.ledger, model.session.profile().window.run());
    let hour = |at: Wall| model.scene_ref().hour(at.0);
    let words = match ledger.receipts.as_deref() {
        None => model.motion.frame.waiting(Wait::Screen, "Reading the receipts…"),
        Some(_) => "No receipts: nothing was spent in this workspace from this computer.".to_owned(),
    };
    let mut parts = Vec::new();
    match ledger.receipts.as_deref() {
        None | Some([]) => parts.push(ReaderPart::words(words)),
        Some(receipts) => {
            parts.push(ReaderPart::heading("By month"));
            let month = |receipt: &Receipt| month(receipt.opened_at, model.offset_minutes);
            let months = receipts.chunk_by(|one, next| month(one) == month(next));
            parts.extend(months.map(|receipts| ReaderPart::pair(month(&receipts[0]), spent_words(&sum(receipts)))));
            parts.extend([ReaderPart::Gap, ReaderPart::heading("By session")]);
            parts.extend(by_session(receipts).into_iter().take(LISTED).map(|(run, began, tally)| {
                let mine = if run == here { " (this one)" } else { "" };
                ReaderPart::pair(format!("{}{mine}", hour(began)), spent_words(&tally))
            }));
            parts.extend([ReaderPart::Gap, ReaderPart::heading("Orders")]);
            parts.extend(receipts.iter().take(LISTED).map(|receipt| {
                let calls = counted(receipt.calls as u64, "request");
                let check = if receipt.verify { "" } else { ", not verified" };
                let label = format!("{}  {}", receipt.order, hour(receipt.opened_at));
                let said = receipt.said.balance.map_or(String::new(), |balance| format!("; balance was {balance}"));
                let role = if receipt.tally.unknown > 0 { Role::Danger } else { Role::Text };
                let by = receipt.assistant.as_ref().map_or(String::new(), |name| format!(", ordered by {name}"));
                let words = format!("{} {}, {calls}{check}{by}{said}", receipt.corpus, spent_words(&receipt.tally));
                ReaderPart::Pair(label, words, role)
            }));
        }
    }
    let words = "Run lode receipts --csv for a spreadsheet.".to_owned();
    parts.extend([ReaderPart::Gap, ReaderPart::Words(words, Role::Dim)]);
    Reader::new("Receipts", parts)
}
