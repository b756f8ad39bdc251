//! What can only be provoked from inside: a full disk, a lock that stays, a migration that does not exist yet.

use bytes::Bytes;
use rusqlite::Connection;

use super::*;
use lode_core::{Account, BatchId, Contact, Credits, Origin, Outcome as Became, Purse, RowId};
use lode_engine::effect::{BatchIntent, KeyHash, OpenBatch, Settled, SettledBy, Settlement, StatedSums, WrittenIntent};

fn window(name: &str) -> WindowId {
    WindowId(name.to_owned())
}

fn purse() -> Purse {
    Purse::of_org(Origin::of("https://api.example"), "org_1")
}

fn intent(store: &Store, ids: std::ops::Range<i64>) -> StoreCall {
    let ids: Vec<i64> = ids.collect();
    let key = KeyHash("aa".to_owned());
    StoreCall::Intend(Box::new(BatchIntent {
        ceiling: Credits(100),
        ..common::flow_simulation::intent(purse(), key, store.window().clone(), &ids)
    }))
}

fn settle(batch: BatchId, ids: std::ops::Range<i64>) -> StoreCall {
    let contact = Contact { email: "a@b.example".repeat(20), ..Contact::default() };
    let contacts = ids.map(|id| Settled {
        id: RowId(id),
        outcome: Became::Unlocked,
        contact: Some(Box::new(contact.clone())),
        evidence: None,
    });
    StoreCall::Settle(Box::new(Settlement {
        batch,
        sent: 1,
        how: SettledBy::Answer,
        contacts: contacts.collect(),
        said: StatedSums::default(),
        stopped_for_credits: false,
    }))
}

fn known(dir: &Path, name: &str) -> Store {
    let mut store = Store::open(dir, window(name));
    let know = StoreCall::KeepAccount { key: KeyHash("aa".to_owned()), purse: purse(), account: Account::default() };
    store.perform(know, Now::default()).unwrap();
    store
}

fn open_batches(store: &mut Store) -> Vec<OpenBatch> {
    match store.perform(StoreCall::OpenBatches { purse: purse() }, Now::default()).unwrap() {
        StoreReply::OpenBatches(open) => open,
        other => panic!("{other:?}"),
    }
}

fn on_ledger(store: &Store, sql: &str) {
    let files = store.files.lock().unwrap();
    let Ledger::Open(ledger) = &files.ledger else { panic!("not open") };
    ledger.execute_batch(sql).unwrap();
}

/// The file may not grow by a single page: what a full disk means to it.
fn fill(store: &Store) {
    on_ledger(store, "PRAGMA wal_checkpoint(TRUNCATE); PRAGMA max_page_count = 1");
}

#[test]
fn an_answer_is_kept_on_a_full_disk_and_settled_when_there_is_room() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = known(dir.path(), "first");
    let sent = intent(&store, 0..100);
    let Ok(StoreReply::Intended(WrittenIntent { batch, .. })) = store.perform(sent, Now::default()) else { panic!() };
    fill(&store);
    let body = Bytes::from(vec![b'x'; 200_000]);
    let heard = StoreCall::KeepAnswer { batch, status: 200, body: body.clone() };
    assert_eq!(store.perform(heard, Now::default()), Ok(StoreReply::Done(())), "its room was taken before it was sent");
    assert_eq!(store.perform(settle(batch, 0..100), Now::default()), Err(StoreFailure::Full));
    assert_eq!(open_batches(&mut store)[0].heard, [(200, body)], "nothing of it was lost");
    let mut others = (200..20_000).step_by(100);
    let refused = others.find_map(|first| store.perform(intent(&store, first..first + 100), Now::default()).err());
    assert_eq!(refused, Some(StoreFailure::Full), "and nothing further is sent");
    on_ledger(&store, "PRAGMA max_page_count = 100000");
    assert_eq!(store.perform(settle(batch, 0..100), Now::default()), Ok(StoreReply::Done(())));
    assert!(open_batches(&mut store).iter().all(|open| open.batch != batch));
}

#[test]
fn no_room_for_the_answer_means_no_intent() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = known(dir.path(), "first");
    // A file stands where the folder of the answers should be.
    std::fs::write(dir.path().join("answers"), b"").unwrap();
    assert!(store.perform(intent(&store, 0..3), Now::default()).is_err());
    assert_eq!(open_batches(&mut store), [], "the whole transaction is undone");
    std::fs::remove_file(dir.path().join("answers")).unwrap();
    assert!(matches!(store.perform(intent(&store, 0..3), Now::default()), Ok(StoreReply::Intended(_))));
}

#[test]
fn a_lock_that_stays_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = known(dir.path(), "first");
    let other = Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let mut impatient = Store::open(dir.path(), window("second"));
    impatient.patience = Duration::from_millis(50);
    assert_eq!(impatient.perform(intent(&impatient, 0..3), Now::default()), Err(StoreFailure::Locked));
    let owned = StoreCall::Owned { purse: purse(), corpus: None };
    assert_eq!(impatient.perform(owned, Now::default()), Ok(StoreReply::Owned(Vec::new())), "reading goes on");
    other.execute_batch("COMMIT").unwrap();
    assert!(matches!(impatient.perform(intent(&impatient, 0..3), Now::default()), Ok(StoreReply::Intended(_))));
    assert!(store.perform(intent(&store, 3..4), Now::default()).is_ok());
}

#[test]
fn an_older_file_is_copied_and_brought_up_whole_or_not_at_all() {
    let dir = tempfile::tempdir().unwrap();
    drop(known(dir.path(), "first"));
    let broken = Shape::current().and("CREATE TABLE extra (x); INSERT INTO nowhere VALUES (1);");
    assert!(open::ledger(dir.path(), &broken, open::PATIENCE).is_err());
    let next = Shape::current().and("CREATE TABLE extra (x); INSERT INTO extra VALUES (7);");
    let ledger = open::ledger(dir.path(), &next, open::PATIENCE).unwrap();
    assert_eq!(open::version(&ledger).unwrap(), next.version());
    assert_eq!(ledger.query_row("SELECT x FROM extra", [], |row| row.get::<_, i64>(0)), Ok(7));
    let keys = "SELECT count(*) FROM known_key";
    assert_eq!(ledger.query_row(keys, [], |row| row.get::<_, i64>(0)), Ok(1));
    let copy = dir.path().join(format!("lode.v{}.sqlite3", Shape::current().version()));
    let copy = Connection::open(copy).unwrap();
    assert_eq!(open::version(&copy).unwrap(), Shape::current().version());
    assert_eq!(copy.query_row(keys, [], |row| row.get::<_, i64>(0)), Ok(1));
    let mut older = Store::open(dir.path(), window("older"));
    let known = StoreCall::AccountOf { origin: purse().origin, key: KeyHash("aa".to_owned()) };
    assert_eq!(older.perform(known, Now::default()), Err(StoreFailure::Newer));
}

#[test]
fn a_file_is_brought_up_once_and_never_down() {
    let mut db = Connection::open_in_memory().unwrap();
    for _ in 0..2 {
        assert!(Shape::current().bring_up(&mut db).is_ok());
    }
    assert!(matches!(Shape::of_version(3).bring_up(&mut db), Err(Trouble::Said(StoreFailure::Newer))));
    assert_eq!(open::version(&db).unwrap(), Shape::current().version());
}

#[test]
fn a_look_sees_what_is_written_after_it_began() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = known(dir.path(), "first");
    store.perform(intent(&store, 0..1), Now::default()).unwrap();
    drop(store);
    let look = open::look_at(&dir.path().join(LEDGER_FILE)).unwrap();
    let mut store = known(dir.path(), "second");
    store.perform(intent(&store, 1..2), Now::default()).unwrap();
    assert_eq!(look.query_row("SELECT count(*) FROM batch", [], |row| row.get::<_, i64>(0)), Ok(2));
}

#[test]
fn ledgers_without_an_id_get_different_ones() {
    let ids: std::collections::BTreeSet<i64> = (0..64).map(|_| mark::fresh_id()).collect();
    assert!(ids.len() == 64 && ids.iter().all(|id| *id > 0), "{ids:?}");
}

#[test]
fn money_tables_are_append_only() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = known(dir.path(), "first");
    let Ok(StoreReply::Intended(WrittenIntent { batch, .. })) = store.perform(intent(&store, 0..3), Now::default())
    else {
        panic!()
    };
    let heard = StoreCall::KeepAnswer { batch, status: 200, body: Bytes::from_static(b"{}") };
    store.perform(heard, Now::default()).unwrap();
    store.perform(settle(batch, 0..3), Now::default()).unwrap();
    let ledger = Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
    for table in ["batch", "asked", "answer", "outcome"] {
        let rows: i64 = ledger.query_row(&format!("SELECT count(*) FROM {table}"), [], |row| row.get(0)).unwrap();
        assert!(rows > 0, "{table}");
        assert!(ledger.execute(&format!("DELETE FROM {table}"), []).is_err(), "{table}");
        let column = if table == "asked" { "clue" } else { "batch" };
        let column = if table == "batch" { "profile" } else { column };
        assert!(ledger.execute(&format!("UPDATE {table} SET {column} = 'x'"), []).is_err(), "{table}");
    }
}

#[test]
fn slots_of_an_earlier_boot_count_for_what_is_left_of_their_minute() {
    let dir = tempfile::tempdir().unwrap();
    let now = |mono: u64, wall: i64| Now { wall: lode_core::time::Wall(wall), mono: lode_core::time::Mono(mono) };
    let allowance = lode_engine::effect::profile::Allowance { requests: Some(3), window_ms: 60_000, in_flight: 9 };
    let key = || KeyHash("aa".to_owned());
    let reserve = |store: &mut Store, now| {
        let window = store.window().clone();
        store.perform(StoreCall::Reserve { key: key(), allowance, window }, now).unwrap()
    };
    let mut store = Store { boot: "one".to_owned(), ..Store::open(dir.path(), window("first")) };
    let before = now(9_000_000, 1_000_000);
    for _ in 0..2 {
        let StoreReply::Reserved { slot, .. } = reserve(&mut store, before) else { panic!() };
        store.perform(StoreCall::Release { slot, allowance }, before).unwrap();
    }
    reserve(&mut store, before);
    store.perform(StoreCall::Pause { key: key(), wait: Duration::from_secs(50) }, before).unwrap();
    drop(store);
    let mut store = Store { boot: "two".to_owned(), ..Store::open(dir.path(), window("second")) };
    // The machine was away for forty seconds: twenty of the minute are left, ten of the pause, and all of what was in flight.
    let StoreReply::Wait { until, gauge } = reserve(&mut store, now(500, 1_040_000)) else { panic!() };
    assert_eq!(until.0, 500 + 10_000);
    assert_eq!(gauge.frees.iter().map(|frees| frees.0).collect::<Vec<_>>(), [20_500, 20_500, 60_500]);
    assert!(matches!(reserve(&mut store, now(20_500, 1_060_000)), StoreReply::Reserved { .. }));
}

#[test]
fn room_that_a_crash_left_behind_is_given_back() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = known(dir.path(), "first");
    let Ok(StoreReply::Intended(WrittenIntent { batch, .. })) = store.perform(intent(&store, 0..3), Now::default())
    else {
        panic!()
    };
    let path = dir.path().join(format!("answers/{}-1.raw", batch.0));
    let room = std::fs::read(&path).unwrap();
    store.perform(settle(batch, 0..2), Now::default()).unwrap();
    assert_eq!(open_batches(&mut store).len(), 1);
    store.perform(settle(batch, 2..3), Now::default()).unwrap();
    // As if it had been killed between writing down and giving back, and once before the batch was written at all.
    std::fs::write(&path, &room).unwrap();
    std::fs::write(dir.path().join("answers/99-1.raw"), &room).unwrap();
    assert_eq!(open_batches(&mut store), []);
    assert_eq!(std::fs::read_dir(dir.path().join("answers")).unwrap().count(), 0);
    // A response that was not recorded yet stays.
    let late = StoreCall::KeepAnswer { batch, status: 200, body: Bytes::from_static(b"{\"late\":1}") };
    store.perform(late, Now::default()).unwrap();
    open_batches(&mut store);
    assert!(path.exists());
}

#[test]
fn searching_goes_on_when_the_disk_fills_up_and_the_allowance_with_it() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = known(dir.path(), "first");
    let allowance =
        lode_engine::effect::profile::Allowance { requests: Some(2_000), window_ms: 60_000, in_flight: 5_000 };
    let reserve = |store: &mut Store| {
        let window = store.window().clone();
        store.perform(StoreCall::Reserve { key: KeyHash("aa".to_owned()), allowance, window }, Now::default())
    };
    let Ok(StoreReply::Reserved { slot, .. }) = reserve(&mut store) else { panic!() };
    {
        let files = store.files.lock().unwrap();
        files.slots.as_ref().unwrap().execute_batch("PRAGMA max_page_count = 1").unwrap();
    }
    for taken in 2..=2_000 {
        let Ok(StoreReply::Reserved { gauge, .. }) = reserve(&mut store) else { panic!("slot {taken}") };
        assert_eq!(gauge.in_flight, taken, "what was written before counts on");
    }
    assert!(matches!(reserve(&mut store), Ok(StoreReply::Wait { .. })));
    let release = StoreCall::Release { slot, allowance };
    assert_eq!(store.perform(release, Now::default()), Ok(StoreReply::Done(())));
}

#[test]
fn a_window_that_others_cannot_see_spends_nothing() {
    let dir = tempfile::tempdir().unwrap();
    // A file stands where the folder of the locks should be.
    std::fs::write(dir.path().join("windows"), b"").unwrap();
    let mut store = known(dir.path(), "first");
    assert_eq!(store.perform(intent(&store, 0..3), Now::default()), Err(StoreFailure::ReadOnly));
}

#[test]
fn a_file_that_cannot_be_made_is_an_error_and_one_that_is_there_is_none() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("file");
    assert!(open::make_file(&file).is_ok());
    fs::write(&file, b"kept").unwrap();
    assert!(open::make_file(&file).is_ok());
    assert_eq!(fs::read(&file).unwrap(), b"kept");
    let nowhere = open::make_file(&dir.path().join("missing").join("file"));
    assert_eq!(nowhere.unwrap_err().kind(), io::ErrorKind::NotFound);
}

#[test]
fn a_purse_that_is_named_twice_is_read_once() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = known(dir.path(), "first");
    let entries = vec![lode_core::suppress::SuppressEntry::Domain("b.example".to_owned())];
    let list = "dnc".to_owned();
    let call = StoreCall::Suppress { purse: purse().into(), list: list.clone(), entries: entries.clone() };
    store.perform(call, Now::default()).unwrap();
    let other = PurseRef::Earlier { profile: "other".to_owned() };
    let purses = vec![purse().into(), other, purse().into()];
    let found = store.perform(StoreCall::Suppressions { purses }, Now::default());
    assert_eq!(found, Ok(StoreReply::Suppressions(vec![Suppression { list, entries }])));
}

/// What a person reads and what lode does next follow from it: wait, go on reading, or trust nothing.
#[test]
fn each_trouble_of_a_file_has_its_failure() {
    let sqlite = |code: i32, words: Option<&str>| {
        Trouble::from(rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), words.map(str::to_owned)))
    };
    let file = |kind: io::ErrorKind| Trouble::from(io::Error::from(kind));
    let corrupt = |words: &str| StoreFailure::Corrupt(words.to_owned());
    let other = |words: &str| StoreFailure::Other(words.to_owned());
    let cases = [
        (file(io::ErrorKind::StorageFull), StoreFailure::Full),
        (file(io::ErrorKind::QuotaExceeded), StoreFailure::Full),
        (file(io::ErrorKind::ReadOnlyFilesystem), StoreFailure::ReadOnly),
        (file(io::ErrorKind::PermissionDenied), StoreFailure::ReadOnly),
        (file(io::ErrorKind::NotFound), other("entity not found")),
        (sqlite(rusqlite::ffi::SQLITE_FULL, None), StoreFailure::Full),
        (sqlite(rusqlite::ffi::SQLITE_READONLY, None), StoreFailure::ReadOnly),
        (sqlite(rusqlite::ffi::SQLITE_PERM, None), StoreFailure::ReadOnly),
        (sqlite(rusqlite::ffi::SQLITE_CANTOPEN, Some("it is not there")), other("it is not there")),
        (sqlite(rusqlite::ffi::SQLITE_BUSY, None), StoreFailure::Locked),
        (sqlite(rusqlite::ffi::SQLITE_LOCKED, None), StoreFailure::Locked),
        (sqlite(rusqlite::ffi::SQLITE_CORRUPT, Some("malformed")), corrupt("malformed")),
        (sqlite(rusqlite::ffi::SQLITE_NOTADB, Some("it is a picture")), corrupt("it is a picture")),
        (sqlite(rusqlite::ffi::SQLITE_ERROR, Some("no such table: batch")), corrupt("no such table: batch")),
        (sqlite(rusqlite::ffi::SQLITE_ERROR, Some("near \"X\"")), other("near \"X\"")),
        (Trouble::from(StoreFailure::Newer), StoreFailure::Newer),
        (Trouble::from(rusqlite::Error::QueryReturnedNoRows), other("Query returned no rows")),
    ];
    for (trouble, failure) in cases {
        let words = format!("{trouble:?}");
        assert_eq!(StoreFailure::from(trouble), failure, "{words}");
    }
    // A full disk can look like any other I/O error to SQLite. This disk has room.
    let dir = tempfile::tempdir().unwrap();
    let failure = |folder: &Path| sql::in_folder(sqlite(rusqlite::ffi::SQLITE_IOERR, Some("disk I/O error")), folder);
    assert_eq!(failure(dir.path()), other("disk I/O error"));
    // This file system never has room.
    if cfg!(target_os = "linux") {
        assert_eq!(failure(Path::new("/proc")), StoreFailure::Full);
    }
}

#[test]
fn a_batch_that_is_not_there_and_an_id_that_is_there_twice_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    let mut store = known(dir.path(), "first");
    let missing = store.perform(settle(BatchId(9), 0..1), Now::default());
    assert_eq!(missing, Err(StoreFailure::Other("batch 9 does not exist".to_owned())));
    let StoreCall::Intend(mut twice) = intent(&store, 4..5) else { unreachable!() };
    twice.ids.push(RowId(4));
    let refused = store.perform(StoreCall::Intend(twice), Now::default());
    assert_eq!(refused, Err(StoreFailure::Other("the id 4 is twice in one batch".to_owned())));
    assert_eq!(open_batches(&mut store), [], "nothing of it is written");
}

#[test]
fn a_copy_of_another_version_or_with_other_rows_is_refused() {
    let file = |sql: &str| {
        let db = Connection::open_in_memory().unwrap();
        db.execute_batch(&format!("CREATE TABLE kept (x); PRAGMA user_version = 3; {sql}")).unwrap();
        db
    };
    let refused =
        |sql: &str| place::same(&file(""), &file(sql)).err().map(|trouble| StoreFailure::from(trouble).to_string());
    assert_eq!(refused(""), None);
    assert_eq!(
        refused("PRAGMA user_version = 2").as_deref(),
        Some("the state file cannot be used: the copy differs in its file")
    );
    assert_eq!(
        refused("INSERT INTO kept VALUES (1)").as_deref(),
        Some("the state file cannot be used: the copy differs in kept")
    );
}

#[test]
fn a_ledger_is_found_where_a_move_left_it() {
    let found = |location: place::LedgerLocation| (location.dir, location.refused);
    let dir = tempfile::tempdir().unwrap();
    let (old, new) = (dir.path().join("old"), dir.path().join("new"));
    drop(known(&old, "first"));
    assert_eq!(found(place::locate(&old, &new)), (old.clone(), None), "looking moves nothing");
    assert_eq!(found(place::settle(&old, &new)), (new.clone(), None));
    // As after a crash before the last step, beside answers of no ledger.
    fs::rename(new.join(LEDGER_FILE), new.join("lode.sqlite3.moving")).unwrap();
    fs::create_dir_all(new.join("answers")).unwrap();
    assert_eq!(found(place::locate(&old, &new)), (new.clone(), None));
    assert!(!new.join(LEDGER_FILE).exists(), "looking puts nothing in place");
    assert_eq!(found(place::settle(&old, &new)), (new.clone(), None));
    assert!(new.join(LEDGER_FILE).exists() && new.join("answers.found").exists());
    // It was moved away by hand: that is said, and no empty one takes its place.
    fs::rename(new.join(LEDGER_FILE), dir.path().join("elsewhere")).unwrap();
    let (at, refused) = found(place::settle(&old, &new));
    assert!(at == new && matches!(refused, Some(StoreFailure::Lost(_))), "{refused:?}");
    // A mark alone says that there was one.
    let traces = dir.path().join("traces");
    fs::create_dir(&traces).unwrap();
    fs::copy(new.join(mark::MARK), traces.join(mark::MARK)).unwrap();
    assert_eq!(found(place::settle(&traces, &dir.path().join("empty"))), (traces, None));
}
