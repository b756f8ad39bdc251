//! What a look at a state folder tells: whether a ledger adds up, what waits in it, and what else is there.

use bytes::Bytes;
use lode_core::money::Outcome;
use lode_engine::effect::store::*;
use lode_host::store::check::{LedgerFinding, LedgerState, check, inspect};
use lode_host::store::{LEDGER_FILE, Store};

use crate::bench::*;

/// A ledger with an order of three contacts that is over: one kept, one refunded, one not found.
fn ordered(dir: &std::path::Path) -> Store {
    let mut store = Store::open(dir, window("first"));
    know(&mut store);
    let wanted = intent(&store, 1..=3);
    let (_, batch) = intend(&mut store, wanted, at(1)).unwrap();
    let outcomes = [(1, Outcome::Unlocked), (2, Outcome::Refunded), (3, Outcome::Missing)];
    settle(&mut store, batch, outcomes.map(|(id, outcome)| settled(id, outcome)).to_vec(), at(2));
    store
}

fn words(found: &[LedgerFinding]) -> Vec<&str> {
    found.iter().map(|finding| finding.words.as_str()).collect()
}

#[test]
fn a_folder_without_a_ledger_has_nothing_that_could_be_wrong() {
    let dir = common::folder();
    let found = check(dir.path()).unwrap();
    assert!(found[0].adds_up && found[0].words.starts_with("No ledger in "), "{found:?}");
    assert_eq!(found.len(), 1);
    assert_eq!(inspect(dir.path(), 0).unwrap().ledger, None);
}

#[test]
fn a_ledger_that_adds_up_tells_its_sums() {
    let dir = common::folder();
    let mut store = ordered(dir.path());
    let found = check(dir.path()).unwrap();
    assert!(found.iter().all(|finding| finding.adds_up && finding.hint.is_none()), "{found:?}");
    assert_eq!(
        words(&found)[1..],
        [
            "It is the expected ledger and has every batch.",
            "3 contacts in 1 batch: each has one result, or is on hold.",
            "2 charged, 1 refunded, net 1.",
        ]
    );
    let wanted = intent(&store, 4..=4);
    intend(&mut store, wanted, at(3)).unwrap();
    let found = check(dir.path()).unwrap();
    assert_eq!(words(&found)[2], "4 contacts in 2 batches: each has one result, or is on hold.");
    let last = found.last().unwrap();
    assert_eq!(last.words, "1 contact is on hold: the result is unknown.");
    assert!(last.hint.as_deref().is_some_and(|hint| hint.contains("lode recover")), "{last:?}");
    let wanted = intent(&store, 5..=6);
    intend(&mut store, wanted, at(4)).unwrap();
    assert_eq!(check(dir.path()).unwrap().last().unwrap().words, "3 contacts are on hold: the result is unknown.");
}

#[test]
fn contacts_that_a_person_removed_are_told_and_are_no_error() {
    let dir = common::folder();
    let mut store = ordered(dir.path());
    for (id, words) in [
        (1, "1 contact that you bought is no longer kept here: you removed them."),
        (2, "2 contacts that you bought are no longer kept here: you removed them."),
    ] {
        let forget = StoreCall::Forget { purse: purse(), corpus: US.corpus, ids: ids([id]) };
        store.perform(forget, at(5)).unwrap();
        let found = check(dir.path()).unwrap();
        let last = found.last().unwrap();
        assert!(last.adds_up && last.words == words, "{found:?}");
    }
}

/// Changes that lode itself never makes, each with the sentence that names it.
#[test]
fn a_ledger_that_does_not_add_up_says_in_what() {
    let harm = [
        ("DELETE FROM outcome WHERE id = 3", "1 contact: sent, with neither a result nor a hold."),
        (
            "INSERT INTO open_contact SELECT purse, corpus, id, batch FROM outcome WHERE id = 2",
            "1 contact: on hold although there is a result.",
        ),
        (
            "INSERT INTO open_contact SELECT purse, corpus, 77, batch FROM outcome WHERE id = 2",
            "1 entry: a result or a hold of a contact that its batch did not request.",
        ),
        (
            "DELETE FROM asked WHERE id < 3",
            "2 entries: a result or a hold of a contact that its batch did not request.",
        ),
        ("DELETE FROM attempt", "1 batch: of no order, or never sent."),
        ("DELETE FROM orders", "1 batch: of no order, or never sent."),
        ("UPDATE outcome SET order_id = 99", "3 results: recorded under another order than its batch."),
        ("UPDATE orders SET ceiling = 1", "1 order: charged more than was allowed."),
    ];
    for (sql, words) in harm {
        let dir = common::folder();
        drop(ordered(dir.path()));
        let books = rusqlite::Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
        let triggers: Vec<String> = {
            let mut select = books.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").unwrap();
            select.query_map([], |row| row.get(0)).unwrap().map(Result::unwrap).collect()
        };
        triggers.iter().for_each(|name| books.execute_batch(&format!("DROP TRIGGER {name}")).unwrap());
        books.execute_batch(sql).unwrap();
        let found = check(dir.path()).unwrap();
        let finding = found.iter().find(|finding| finding.words == words);
        assert!(finding.is_some_and(|finding| !finding.adds_up), "{sql}: {found:?}");
        assert!(!found.iter().any(|finding| finding.words.contains("each has one result")), "{sql}: {found:?}");
    }
}

#[test]
fn an_order_that_was_sent_twice_may_cost_more_than_its_ceiling() {
    let dir = common::folder();
    drop(ordered(dir.path()));
    let books = rusqlite::Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
    books.execute_batch("UPDATE orders SET ceiling = 2").unwrap();
    assert!(check(dir.path()).unwrap().iter().all(|finding| finding.adds_up), "as much as was allowed");
    books.execute_batch("UPDATE orders SET ceiling = 1").unwrap();
    let over =
        |found: Vec<LedgerFinding>| found.iter().filter(|finding| finding.words.contains("charged more")).count();
    assert_eq!(over(check(dir.path()).unwrap()), 1);
    books.execute_batch("INSERT INTO attempt SELECT batch, 2, window, key, sent_at FROM attempt").unwrap();
    assert_eq!(over(check(dir.path()).unwrap()), 0, "the service counts the second sending too");
}

#[test]
fn an_answer_that_is_not_read_yet_is_told_and_so_is_one_of_another_ledger() {
    let (dir, other) = (common::folder(), common::folder());
    let mut store = ordered(dir.path());
    let wanted = intent(&store, 4..=4);
    let (_, batch) = intend(&mut store, wanted, at(3)).unwrap();
    let body = Bytes::from_static(b"{}");
    store.perform(StoreCall::KeepAnswer { batch, status: 200, body }, at(4)).unwrap();
    let found = check(dir.path()).unwrap();
    let last = found.last().unwrap();
    assert!(last.adds_up && last.words == "1 response is saved but not applied yet.", "{found:?}");
    assert!(last.hint.as_deref().is_some_and(|hint| hint.contains("(free)")), "{last:?}");

    drop(ordered(other.path()));
    for file in std::fs::read_dir(dir.path().join("answers")).unwrap() {
        let file = file.unwrap();
        std::fs::create_dir_all(other.path().join("answers")).unwrap();
        std::fs::copy(file.path(), other.path().join("answers").join(file.file_name())).unwrap();
    }
    // Room without a response, as a crash leaves it.
    std::fs::write(other.path().join("answers/99-1.raw"), b"").unwrap();
    let found = check(other.path()).unwrap();
    let words = format!("A response to batch {} is saved, but the batch is not in this ledger.", batch.0);
    assert!(found.iter().any(|finding| finding.adds_up && finding.words == words), "{found:?}");
    assert!(!found.iter().any(|finding| finding.words.contains("not applied yet")), "{found:?}");
    assert!(!found.iter().any(|finding| finding.words.contains("batch 99")), "{found:?}");
}

#[test]
fn a_file_without_a_version_has_only_a_size() {
    let dir = common::folder();
    let path = dir.path().join(LEDGER_FILE);
    rusqlite::Connection::open(&path).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    let bytes = std::fs::metadata(&path).unwrap().len();
    assert!(bytes > 0);
    assert_eq!(inspect(dir.path(), 0).unwrap().ledger, Some(LedgerState { bytes, ..LedgerState::default() }));
}

/// Its changes may be in the file beside it, and SQLite removes that when it opens an empty file.
#[test]
fn a_look_at_an_emptied_ledger_keeps_what_waits_beside_it() {
    let dir = common::folder();
    drop(ordered(dir.path()));
    std::fs::write(dir.path().join(LEDGER_FILE), b"").unwrap();
    let beside = dir.path().join("lode.sqlite3-wal");
    std::fs::write(&beside, b"changes").unwrap();
    let found = check(dir.path()).unwrap();
    assert!(!found[0].adds_up && found[0].words.contains("is empty, but it held batches up to 1"), "{found:?}");
    assert_eq!(std::fs::read(beside).unwrap(), b"changes");
}

#[test]
fn a_look_from_outside_tells_what_is_open_and_how_far_the_clock_went_back() {
    let dir = common::folder();
    let mut store = ordered(dir.path());
    let look = |now: u64| inspect(dir.path(), at(now).wall.0).unwrap().ledger.unwrap();
    let bytes = std::fs::metadata(dir.path().join(LEDGER_FILE)).unwrap().len();
    let version: i64 = {
        let books = rusqlite::Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
        books.query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
    };
    assert!(version > 0 && bytes > 0);
    assert_eq!(look(2), LedgerState { version, bytes, open: 0, ahead_ms: 0 });
    let wanted = intent(&store, 4..=5);
    intend(&mut store, wanted, at(3)).unwrap();
    assert_eq!((look(9).open, look(9).ahead_ms), (2, 0));
    assert_eq!(look(0).ahead_ms, 2, "booked two milliseconds from now");
}

#[test]
fn copies_of_older_files_are_told_in_order_and_nothing_else_is_one() {
    let dir = common::folder();
    drop(ordered(dir.path()));
    for name in ["lode.2.sqlite3", "lode.1.sqlite3", "notes.txt"] {
        std::fs::write(dir.path().join(name), b"").unwrap();
    }
    assert_eq!(inspect(dir.path(), 0).unwrap().backups, ["lode.1.sqlite3", "lode.2.sqlite3"]);
}

/// An order belongs to the month in which it was begun by the calendar of the person.
#[test]
fn receipts_of_a_month_begin_and_end_with_it() {
    let zone = jiff::tz::TimeZone::system();
    let start = |year, month| jiff::civil::date(year, month, 1).to_zoned(zone.clone()).unwrap().timestamp();
    let (begin, end) = (start(2027, 2).as_millisecond(), start(2027, 3).as_millisecond());
    let months = |wall: i64| {
        let mut store = common::memory::store(window("first"));
        know(&mut store);
        let mut now = at(0);
        now.wall.0 = wall;
        let wanted = intent(&store, 1..=1);
        intend(&mut store, wanted, now).unwrap();
        [(2027, 1), (2027, 2), (2027, 3)].map(|(year, month)| {
            let call = StoreCall::Receipts { purse: purse(), month: Some(Month { year, month }) };
            let StoreReply::Receipts(receipts) = store.perform(call, now).unwrap() else { panic!() };
            receipts.len()
        })
    };
    assert_eq!(months(begin - 1), [1, 0, 0]);
    assert_eq!(months(begin), [0, 1, 0]);
    assert_eq!(months(end - 1), [0, 1, 0]);
    assert_eq!(months(end), [0, 0, 1]);
}
