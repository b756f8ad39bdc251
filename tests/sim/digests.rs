//! What a seed led to, as text and as a digest: its requests, the records of the sandbox and the ledger of lode.
//!
//! `digests.txt` holds the digests of seeds 1 to 2,000. A digest depends on its seed alone: not on threads, clock, profile of the build or
//! machine. The ordinary run compares the seeds it plays; `cargo test --profile bench --test sim -- --ignored every_digest --nocapture` compares
//! all, and with `UPDATE_DIGESTS=1` writes them again and prints how many changed.
//! `SIM_SEED=7 cargo test --test sim one_seed -- --nocapture` prints the text of a seed: save it before and after a change, and compare.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use common::rng::Key;
use lode_sandbox::records::Records;
use rusqlite::Connection;

pub const SEEDS: u64 = 2_000;
const PER_LINE: usize = 10;

/// Tables of the ledger without moments, row numbers and words that are only shown. Purses are named by what they are.
const LEDGER: &[(&str, &str)] = &[
    (
        "order",
        "SELECT o.id, p.origin, p.kind, p.owner, o.corpus, o.profile, o.window, o.ceiling, o.verify, o.asked, o.balance_before FROM orders o JOIN purse p ON p.id = o.purse",
    ),
    (
        "batch",
        "SELECT b.id, b.order_id, b.number, p.origin, p.kind, p.owner, b.corpus, b.profile, b.verify, b.balance_before FROM batch b JOIN purse p ON p.id = b.purse",
    ),
    ("asked", "SELECT batch, place, id, clue FROM asked"),
    (
        "open",
        "SELECT p.origin, p.kind, p.owner, o.corpus, o.id, o.batch FROM open_contact o JOIN purse p ON p.id = o.purse",
    ),
    ("attempt", "SELECT batch, number, window FROM attempt"),
    ("attempt end", "SELECT batch, number, how FROM attempt_end"),
    ("answer", "SELECT batch, attempt, status, body FROM answer"),
    (
        "outcome",
        "SELECT o.batch, o.order_id, p.origin, p.kind, p.owner, o.corpus, o.id, o.window, o.outcome, o.how, o.verification, o.evidence IS NOT NULL FROM outcome o JOIN purse p ON p.id = o.purse",
    ),
    ("settlement", "SELECT batch, order_id, how, charged, refunded, balance, stopped FROM settlement"),
    ("sighting", "SELECT batch, attempt, id, sight, quiet_ms FROM sighting"),
    (
        "owned",
        "SELECT p.origin, p.kind, p.owner, o.corpus, o.id, o.email, o.phone, o.contact_name, o.company_name, o.title, o.verification, o.refunded, o.order_id, o.search FROM owned o JOIN purse p ON p.id = o.purse",
    ),
    ("row", "SELECT p.origin, p.kind, p.owner, t.corpus, t.id, t.row FROM told t JOIN purse p ON p.id = t.purse"),
    (
        "basket",
        "SELECT p.origin, p.kind, p.owner, b.source, b.corpus, b.id, ours, email, b.company, b.clue, b.row FROM basket b JOIN purse p ON p.id = b.purse",
    ),
    (
        "suppressed",
        "SELECT p.origin, p.kind, p.owner, s.list, s.kind, s.value, s.source, s.corpus, s.id FROM suppressed s JOIN purse p ON p.id = s.purse",
    ),
];

/// The ledger as sorted lines.
pub fn ledger(image: &[u8]) -> Vec<String> {
    let mut books = Connection::open_in_memory().expect("a database in memory");
    books.deserialize_read_exact("main", image, image.len(), true).expect("the image of a ledger");
    LEDGER.iter().flat_map(|(name, sql)| table(&books, name, sql)).collect()
}

fn table(books: &Connection, name: &str, sql: &str) -> Vec<String> {
    let mut query = books.prepare(sql).unwrap_or_else(|error| panic!("{name}: {error}"));
    let columns = query.column_count();
    let line = |row: &rusqlite::Row<'_>| {
        let mut line = name.to_owned();
        for column in 0..columns {
            match row.get_ref(column)? {
                rusqlite::types::ValueRef::Null => line.push_str(" -"),
                rusqlite::types::ValueRef::Integer(number) => write!(line, " {number}").expect("text"),
                rusqlite::types::ValueRef::Real(number) => write!(line, " {number}").expect("text"),
                rusqlite::types::ValueRef::Text(bytes) | rusqlite::types::ValueRef::Blob(bytes) => {
                    write!(line, " {:?}", String::from_utf8_lossy(bytes)).expect("text");
                }
            }
        }
        Ok(line)
    };
    let mut lines: Vec<String> = query.query_map([], line).expect("a table").map(|line| line.expect("a row")).collect();
    lines.sort();
    lines
}

/// The movements of credits at one service, without their numbers.
pub fn records(counter: usize, books: &Records) -> Vec<String> {
    let number = |number: Option<u64>| number.map_or("-".to_owned(), |number| number.to_string());
    let lines = books.lines().iter().map(|line| {
        let corpus = line.corpus.map_or("-".to_owned(), |kind| format!("{kind:?}"));
        format!(
            "service {counter} {} {:?} {} from {} to {} by {} {corpus} {}",
            line.at_ms,
            line.what,
            line.amount,
            line.from,
            line.to,
            line.by,
            number(line.contact)
        )
    });
    lines.collect()
}

/// Eight hexadecimal digits.
pub fn digest(text: &str) -> u32 {
    Key::new(text).short()
}

fn path() -> PathBuf {
    common::root().join("tests/sim/digests.txt")
}

fn stored() -> BTreeMap<u64, u32> {
    let text = std::fs::read_to_string(path()).unwrap_or_default();
    let digests = text.lines().filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace);
    let read = |digits| u32::from_str_radix(digits, 16).expect("eight hexadecimal digits");
    (1..).zip(digests.map(read)).collect()
}

/// Seeds up to `SEEDS` whose digest is not the stored one, or not stored.
fn changed(found: &BTreeMap<u64, u32>) -> Vec<u64> {
    let stored = stored();
    let differs = |(seed, digest): (&u64, &u32)| (stored.get(seed) != Some(digest)).then_some(*seed);
    found.range(..=SEEDS).filter_map(differs).collect()
}

pub fn compare(found: &BTreeMap<u64, u32>) {
    let changed = changed(found);
    let first: Vec<String> = changed.iter().take(20).map(u64::to_string).collect();
    assert!(
        changed.is_empty(),
        "{} of {} seeds have another digest than before: {}\n\
         SIM_SEED={} cargo test --test sim one_seed -- --nocapture prints the requests, records and ledger of one.\n\
         After a change that is meant: UPDATE_DIGESTS=1 cargo test --profile bench --test sim -- --ignored every_digest --nocapture",
        changed.len(),
        found.len(),
        first.join(" "),
        first[0]
    );
}

fn write(found: &BTreeMap<u64, u32>) {
    let digests: Vec<String> = found.values().map(|digest| format!("{digest:08x}")).collect();
    let mut text =
        format!("# Digests of seeds 1 to {SEEDS}, {PER_LINE} in each line. Written by tests/sim/digests.rs.\n");
    for line in digests.chunks(PER_LINE) {
        text.push_str(&line.join(" "));
        text.push('\n');
    }
    std::fs::write(path(), text).expect("digests.txt");
}

#[test]
#[ignore = "minutes on all cores: run it in release"]
fn every_digest_is_as_stored() {
    let began = std::time::Instant::now();
    let sum = super::simulate(SEEDS, 1);
    assert!(sum.broken.is_empty(), "{:?}", sum.broken);
    println!("{SEEDS} seeds in {:.1} s", began.elapsed().as_secs_f64());
    if std::env::var_os("UPDATE_DIGESTS").is_some() {
        println!("{} of {SEEDS} digests changed", changed(&sum.digests).len());
        return write(&sum.digests);
    }
    compare(&sum.digests);
}
