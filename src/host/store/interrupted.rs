//! Every call, interrupted at every place: it is done whole or not at all, and works the next time.
//!
//! SQLite asks between two of its steps whether to stop, and takes back what a call has written. The same happens when a disk fails.

use bytes::Bytes;
use common::flow_simulation::staged;
use rusqlite::types::Value;

use super::steps::{NEVER, within};
use super::*;

/// What SQLite calls the mode that waits for the disk.
const FULL: i64 = 2;
/// The last steps of a call that writes: it is written, and only its answer is missing.
const IN_COMMIT: i64 = 3;

pub(super) fn at(second: u64) -> Now {
    Now { wall: Wall(1_800_000_000_000 + second as i64 * 1_000), mono: Mono(5_000_000 + second * 1_000) }
}

fn purse() -> Purse {
    Purse::of_org(Origin::of("http://127.0.0.1:4000"), "org_1")
}

fn known() -> PurseRef {
    purse().into()
}

fn key() -> KeyHash {
    KeyHash("00112233aabbccdd".to_owned())
}

fn earlier() -> PurseRef {
    PurseRef::Earlier { profile: "acme".to_owned() }
}

fn ids(numbers: std::ops::RangeInclusive<i64>) -> Vec<RowId> {
    numbers.map(RowId).collect()
}

fn contact(id: i64) -> Contact {
    Contact { email: format!("p{id}@lakeside.example"), phone: "5125550101".to_owned(), ..Contact::default() }
}

fn settled(id: i64, outcome: Became) -> Settled {
    let contact = outcome.is_owned().then(|| Box::new(contact(id)));
    Settled { id: RowId(id), outcome, contact, evidence: (outcome == Became::Unreachable).then(|| "looked".to_owned()) }
}

fn settle(batch: i64, how: SettledBy, contacts: Vec<Settled>) -> StoreCall {
    let said = StatedSums { balance: Some(Credits(90)), ..StatedSums::default() };
    let batch = BatchId(batch);
    StoreCall::Settle(Box::new(Settlement { batch, sent: 1, how, contacts, said, stopped_for_credits: false }))
}

fn intend(numbers: std::ops::RangeInclusive<i64>, change: impl FnOnce(&mut BatchIntent)) -> StoreCall {
    let numbers: Vec<i64> = numbers.collect();
    let mut intent = common::flow_simulation::intent(purse(), key(), WindowId("first".to_owned()), &numbers);
    intent.rows = numbers.iter().map(|id| staged(*id)).map(|row| (row.id, row.row.clone())).collect();
    intent.clues = numbers.iter().map(|id| staged(*id)).map(|row| (row.id, row.clue.clone())).collect();
    // After seven changes of the lists.
    intent.lists = 7;
    change(&mut intent);
    StoreCall::Intend(Box::new(intent))
}

fn proposal(name: &str, rows: std::ops::RangeInclusive<i64>) -> StoreCall {
    StoreCall::Propose(Box::new(Proposal {
        handle: Handle(name.to_owned()),
        purse: purse(),
        corpus: Corpus::Us,
        assistant: "helper".to_owned(),
        rows: rows.map(staged).collect(),
        verify: true,
        ceiling: Credits(3),
        made_at: at(0).wall,
        expires_at: at(600).wall,
        state: ProposalState::Waiting,
    }))
}

/// A day with lode: every kind of call, on records that are there.
pub(super) fn day() -> Vec<StoreCall> {
    use StoreCall::*;
    let (side, origin, window) =
        (Side { source: Source::Workspace, corpus: Corpus::Us }, purse().origin, WindowId("first".to_owned()));
    let allowance = Allowance { requests: Some(2), window_ms: 60_000, in_flight: 8 };
    let text = str::to_owned;
    let account = |org: &str| Account { org_id: text(org), scopes: vec![text("search")], ..Account::default() };
    let behind = || PurseRef::Behind { origin: purse().origin, key: KeyHash("ffee".to_owned()) };
    let entries = vec![
        SuppressEntry::Email { email: text("a@b.example"), name: text("A") },
        SuppressEntry::Domain(text("lakeside.example")),
        SuppressEntry::Phone { digits: text("5125550142"), name: String::new() },
        SuppressEntry::Person { name: text("cy dee"), company: text("B") },
        SuppressEntry::Contact(side, RowId(9)),
    ];
    let query = || text("workspace/us&title=nurse");
    let snapshot =
        lode_engine::effect::Snapshot { total: 9, at: at(0).wall, read: 9, ids: Bytes::from_static(b"\x01\x02") };
    let job = |stage| {
        let (profile, kind, what, words) = (text("acme"), text("export"), text("nurses"), String::new());
        NoteJob(Box::new(JobNote { profile, kind, number: 1, what, done: 5, of: Some(9), stage, words }))
    };
    let accept = Decision::Accept { amount: Credits(2), ids: ids(31..=32), verify: true };
    let grant = |handle: &str, standing| Some(Grant { handle: Handle(text(handle)), standing });
    let standing = |handle| grant(handle, Some(StandingGrant { per_day: Credits(5), per_call: Credits(5) }));
    vec![
        KeepAccount { key: key(), purse: purse(), account: account("org_1") },
        AccountOf { origin: origin.clone(), key: key() },
        // What is kept before `/me` has named the purse of another key is merged into that purse.
        Stage { purse: behind(), side, rows: vec![staged(1), staged(70)] },
        Suppress { purse: behind(), list: text("early"), entries: entries[..1].to_vec() },
        Searched { purse: behind(), canonical: query(), total: 3, offset: 0, ids: ids(1..=3), leg: false },
        Own {
            purse: behind(),
            corpus: Corpus::Us,
            contacts: vec![SeenOwned { id: RowId(70), contact: contact(70), search: None, row: String::new() }],
        },
        Snapshot {
            purse: behind(),
            profile: text("acme"),
            name: text("nurses"),
            query: query(),
            snapshot: snapshot.clone(),
        },
        MatchStep { purse: behind(), job: text("crm"), step: text("one"), answer: text("1") },
        KeepAccount { key: KeyHash(text("ffee")), purse: purse(), account: account("org_1") },
        Reserve { key: key(), allowance, window: window.clone() },
        Reserve { key: key(), allowance, window: window.clone() },
        Reserve { key: key(), allowance, window: window.clone() },
        Release { slot: SlotId(1), allowance },
        Pause { key: key(), wait: Duration::from_secs(5) },
        Gauge { key: key() },
        LearnPage { source: Source::Data, origin: origin.clone(), rows: 50 },
        PageSizes { services: vec![(Source::Data, origin)] },
        job(JobStage::Running),
        job(JobStage::Done),
        Jobs(at(0).wall),
        Stage { purse: known(), side, rows: (1..=20).map(staged).collect() },
        Unstage { purse: known(), side, ids: ids(18..=20) },
        Basket { purse: known(), side },
        BasketPart { purse: known(), side, behind: 0 },
        BasketVersion { purse: known(), side },
        Stage { purse: earlier(), side, rows: vec![staged(50), staged(1)] },
        Searched { purse: earlier(), canonical: query(), total: 3, offset: 0, ids: ids(1..=3), leg: false },
        Suppress { purse: earlier(), list: text("old"), entries: entries[1..2].to_vec() },
        Suppress { purse: known(), list: text("dnc.csv"), entries: entries.clone() },
        Suppress { purse: known(), list: text("by hand"), entries: entries[..2].to_vec() },
        RemoveSuppression { purses: vec![known()], list: text("by hand"), entries: Some(entries[..1].to_vec()) },
        RemoveSuppression { purses: vec![known(), earlier()], list: text("by hand"), entries: None },
        Suppressions { purses: vec![known(), earlier()] },
        ListsSince { purses: vec![known()], known: None },
        // The money.
        intend(101..=104, |intent| intent.ceiling = Credits(9)),
        KeepAnswer { batch: BatchId(1), status: 200, body: Bytes::from_static(b"{}") },
        settle(
            1,
            SettledBy::Answer,
            vec![settled(101, Became::Unlocked), settled(102, Became::Refunded), settled(103, Became::Missing)],
        ),
        ContactStatuses { purse: purse(), corpus: Corpus::Us, ids: ids(101..=105) },
        OpenBatches { purse: purse() },
        settle(1, SettledBy::Look, vec![settled(104, Became::Unreachable)]),
        intend(105..=106, |intent| (intent.order, intent.ceiling) = (Some(OrderId(1)), Credits(9))),
        Lost { batch: BatchId(2), words: text("the line broke") },
        KeepCheckResults {
            batch: BatchId(2),
            sent: 1,
            sightings: vec![(RowId(105), CheckResult::Locked), (RowId(106), CheckResult::Absent)],
        },
        OpenElsewhere { profile: text("acme"), purse: Purse::of_org(purse().origin, "org_2") },
        intend(105..=106, |intent| (intent.again, intent.sent, intent.order) = (Some(BatchId(2)), 1, Some(OrderId(1)))),
        Withdraw { batch: BatchId(2), words: text("refused") },
        intend(107..=108, |_| {}),
        Withdraw { batch: BatchId(3), words: text("refused") },
        // What is settled is not sent again, and every bound holds.
        intend(101..=104, |intent| (intent.again, intent.sent) = (Some(BatchId(1)), 1)),
        intend(101..=101, |_| {}),
        intend(16..=17, |intent| {
            intent.caps =
                lode_core::money::Caps { call: Some(Credits(5)), session: Some(Credits(50)), day: Some(Credits(50)) };
            intent.basket = Some(BasketGuard { version: Some(3) });
        }),
        KeepAnswer { batch: BatchId(4), status: 200, body: Bytes::from_static(b"{\"first\":1}") },
        KeepAnswer { batch: BatchId(4), status: 200, body: Bytes::from_static(b"{\"second\":2}") },
        KeepAnswer { batch: BatchId(4), status: 200, body: Bytes::from_static(b"{\"second\":2}") },
        Lost { batch: BatchId(4), words: text("unclear") },
        intend(16..=17, |intent| {
            (intent.again, intent.sent) = (Some(BatchId(4)), 1);
            intent.caps =
                lode_core::money::Caps { call: Some(Credits(5)), session: Some(Credits(50)), day: Some(Credits(50)) };
        }),
        settle(4, SettledBy::Look, vec![settled(16, Became::Locked), settled(17, Became::Unlocked)]),
        // More than the order may cost.
        intend(109..=111, |intent| intent.ceiling = Credits(1)),
        proposal("a", 31..=33),
        proposal("b", 31..=33),
        Proposals { purse: purse() },
        Answer { purse: purse(), handle: Handle(text("a")), verdict: accept },
        Answer { purse: purse(), handle: Handle(text("b")), verdict: Decision::Decline },
        ProposalOf { purse: purse(), handle: Handle(text("a")) },
        intend(31..=32, |intent| intent.grant = grant("a", None)),
        proposal("c", 34..=36),
        intend(34..=34, |intent| {
            (intent.asked, intent.ceiling, intent.grant) = (2, Credits(2), standing("c"));
        }),
        // A second batch of that order.
        intend(35..=35, |intent| {
            (intent.asked, intent.ceiling, intent.grant) = (2, Credits(2), standing("c"));
            intent.order = Some(OrderId(5));
        }),
        Spent { purse: purse(), window },
        Receipts { purse: purse(), month: None },
        Receipts { purse: purse(), month: Some(Month { year: 2027, month: 1 }) },
        Own {
            purse: known(),
            corpus: Corpus::Us,
            contacts: vec![SeenOwned { id: RowId(60), contact: contact(60), search: Some(query()), row: text("{}") }],
        },
        Tag { purse: purse(), corpus: Corpus::Us, ids: ids(101..=102), tags: vec![text("hot")] },
        Note { purse: purse(), corpus: Corpus::Us, id: RowId(101), note: text("call") },
        Forget { purse: purse(), corpus: Corpus::Us, ids: ids(60..=60) },
        Owned { purse: purse(), corpus: None },
        Searched { purse: known(), canonical: query(), total: 9, offset: 0, ids: ids(1..=9), leg: false },
        Searched { purse: known(), canonical: query(), total: 9, offset: 5, ids: ids(5..=9), leg: true },
        Recent { purses: vec![known(), earlier()], most: 5 },
        Shown { purses: vec![known()], side, ids: ids(1..=3) },
        Snapshot { purse: known(), profile: text("acme"), name: text("nurses"), query: query(), snapshot },
        MoveSnapshot { profile: text("acme"), from: text("nurses"), to: text("all nurses") },
        SnapshotOf { purse: known(), profile: text("acme"), name: text("all nurses"), query: query() },
        ForgetSnapshot { profile: text("acme"), name: text("all nurses") },
        Place { profile: text("acme"), text: text("{}") },
        PlaceOf { profile: text("acme") },
        MatchStep { purse: known(), job: text("crm"), step: text("one"), answer: text("2") },
        MatchSteps { purse: known(), job: text("crm") },
        MatchDone { purse: known(), job: text("crm") },
        RenameProfile { from: text("acme"), to: text("acme prod") },
        Assign { profile: text("acme prod"), purse: purse() },
        Changes { purse: Some(purse()) },
    ]
}

/// A store whose files are open and can be interrupted.
struct Interruptible {
    store: Store,
}

impl Interruptible {
    fn open(dir: &Path) -> Interruptible {
        let mut store = Store::open(dir, WindowId("first".to_owned()));
        within(NEVER, || {
            // Both files are opened.
            store.perform(StoreCall::PlaceOf { profile: String::new() }, at(0)).unwrap();
            store.perform(StoreCall::Gauge { key: key() }, at(0)).unwrap();
        });
        Interruptible { store }
    }

    /// The number of steps, and the result.
    fn perform(&mut self, call: &StoreCall, now: Now, steps: i64) -> (i64, Result<StoreReply, StoreFailure>) {
        within(steps, || self.store.perform(call.clone(), now))
    }

    fn synchronous(&self) -> i64 {
        let files = self.store.files();
        connections(&files)[0].pragma_query_value(None, "synchronous", |row| row.get(0)).unwrap()
    }

    /// Everything in both files.
    fn records(&self) -> Vec<(String, Vec<Value>)> {
        let files = self.store.files();
        connections(&files).into_iter().flat_map(rows).collect()
    }
}

fn connections(files: &Files) -> [&Connection; 2] {
    let Ledger::Open(ledger) = &files.ledger else { panic!("it is open") };
    [ledger, files.slots.as_ref().expect("it is open")]
}

fn rows(db: &Connection) -> Vec<(String, Vec<Value>)> {
    let tables: Vec<String> =
        db.list("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name", []).ok().unwrap();
    let mut all = Vec::new();
    for table in tables {
        let mut query = db.prepare(&format!("SELECT * FROM {table}")).unwrap();
        let width = query.column_count();
        let row = |row: &Row<'_>| (0..width).map(|at| row.get(at)).collect::<rusqlite::Result<Vec<Value>>>();
        let found = query.query_map([], row).unwrap();
        all.extend(found.map(|row| (table.clone(), row.unwrap())));
    }
    all
}

fn difference(before: &[(String, Vec<Value>)], after: &[(String, Vec<Value>)]) -> String {
    let only = |one: &[(String, Vec<Value>)], other: &[(String, Vec<Value>)]| {
        one.iter().filter(|row| !other.contains(row)).map(|row| format!("{row:?}")).collect::<Vec<_>>().join("\n")
    };
    format!("gone: {}\nnew: {}", only(before, after), only(after, before))
}

#[test]
fn a_call_that_is_interrupted_changes_nothing_and_works_the_next_time() {
    let (calm, rough) = (common::folder(), common::folder());
    let (mut calm, mut rough) = (Interruptible::open(calm.path()), Interruptible::open(rough.path()));
    let mut interrupted = 0;
    'calls: for (second, call) in day().into_iter().enumerate() {
        let now = at(second as u64);
        let before = calm.records();
        let (steps, expected) = calm.perform(&call, now, NEVER);
        let after = calm.records();
        assert!(expected.is_ok(), "{call:?}: {expected:?}");
        for step in (1..steps - IN_COMMIT).step_by(1 + steps as usize / 60) {
            let (_, done) = rough.perform(&call, now, step);
            // A call that lives with the trouble has done its work.
            if done.is_ok() {
                continue 'calls;
            }
            interrupted += 1;
            let there = rough.records();
            // What was done before the interruption is done for good.
            if before != after && there == after {
                continue 'calls;
            }
            assert!(there == before, "{call:?} interrupted at step {step} of {steps}: {}", difference(&before, &there));
        }
        let (_, done) = rough.perform(&call, now, NEVER);
        assert_eq!(done, expected, "{call:?} after its interruptions");
        if let StoreCall::Intend(_) | StoreCall::KeepAnswer { .. } | StoreCall::Settle(_) = call {
            assert_eq!(rough.synchronous(), FULL, "{call:?} is on the disk when it is answered");
        }
    }
    assert!(interrupted > 1_000, "{interrupted}");
}

/// What was bought, in a file that need not be open. Answers may wait in files of their own.
fn money(ledger: &Path) -> Vec<(String, Vec<Value>)> {
    let db = Connection::open_with_flags(ledger, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let is_money = |table: &str| ["orders", "batch", "attempt", "attempt_end", "asked", "outcome"].contains(&table);
    rows(&db).into_iter().filter(|(table, _)| is_money(table)).collect()
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (path, to) = {
            let entry = entry.unwrap();
            (entry.path(), to.join(entry.file_name()))
        };
        if path.is_dir() {
            copy_folder(&path, &to);
        } else {
            // The room of an answer is a megabyte of nothing.
            let bytes = fs::read(&path).unwrap();
            let end = if path.extension().is_some_and(|kind| kind == "raw") {
                bytes.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1)
            } else {
                bytes.len()
            };
            fs::write(&to, &bytes[..end]).unwrap();
        }
    }
}

/// A folder with a ledger after the first calls of a day.
pub(super) fn after(calls: usize) -> tempfile::TempDir {
    let dir = common::folder();
    let mut store = Store::open(dir.path(), WindowId("first".to_owned()));
    for (second, call) in day().into_iter().enumerate().take(calls) {
        store.perform(call, at(second as u64)).unwrap();
    }
    dir
}

/// Does some work on copies of a folder and interrupts each of them at another place. Then it is done without an interruption.
fn interrupting(base: &Path, work: impl Fn(&Path) -> bool, check: impl Fn(&Path, bool)) {
    let fresh = || {
        let dir = common::folder();
        copy_folder(base, dir.path());
        dir
    };
    let dir = fresh();
    let (steps, done) = within(NEVER, || work(dir.path()));
    assert!(done, "without an interruption it is done");
    check(dir.path(), true);
    let mut interrupted = 0;
    // Most of the steps copy or compare rows; what is done before and after them takes few.
    let (head, tail) = ((1..steps.min(240)).step_by(4), ((steps - 120).max(1)..=steps).step_by(4));
    for step in head.chain((1..=steps).step_by(1 + steps as usize / 80)).chain(tail) {
        let dir = fresh();
        let (_, done) = within(step, || work(dir.path()));
        interrupted += u32::from(!done);
        check(dir.path(), done);
        assert!(work(dir.path()) || done, "it works the next time: {step} of {steps}");
        check(dir.path(), true);
    }
    assert!(interrupted > 3, "{interrupted} of {steps}");
}

#[test]
fn a_start_that_is_interrupted_loses_nothing() {
    let base = after(usize::MAX);
    let before = money(&base.path().join(LEDGER_FILE));
    let opens = |dir: &Path| {
        let mut store = Store::open(dir, WindowId("second".to_owned()));
        store.perform(StoreCall::Owned { purse: purse(), corpus: None }, at(900)).is_ok()
            && store.perform(StoreCall::Gauge { key: key() }, at(900)).is_ok()
    };
    interrupting(base.path(), opens, |dir, _| assert!(money(&dir.join(LEDGER_FILE)) == before));
    let brings_up = |dir: &Path| {
        let next = Shape::current().and("CREATE TABLE extra (x); INSERT INTO extra VALUES (7);");
        open::ledger(dir, &next, open::PATIENCE).is_ok()
    };
    interrupting(base.path(), brings_up, |dir, done| {
        assert!(money(&dir.join(LEDGER_FILE)) == before);
        let db = Connection::open(dir.join(LEDGER_FILE)).unwrap();
        let extra = db.query_row("SELECT x FROM extra", [], |row| row.get::<_, i64>(0)).ok();
        let version = open::version(&db).ok();
        assert_eq!(extra == Some(7), version == Some(Shape::current().version() + 1));
        assert!(extra.is_some() || !done);
    });
}

/// The second version knew a purse by each spelling of its address, and the demo by each of its ports.
#[test]
fn a_ledger_of_the_second_version_is_brought_up_whole_or_not_at_all() {
    let base = common::folder();
    let mut old = Connection::open(base.path().join(LEDGER_FILE)).unwrap();
    Shape::of_version(2).bring_up(&mut old).ok().unwrap();
    old.execute_batch(
        "INSERT INTO purse VALUES (1, 'https://API.example', 'org_1'), (2, 'https://api.example', 'org_1'),
             (4, 'http://127.0.0.1:4000', 'org_2');
         INSERT INTO profile_purse VALUES ('acme', 2), ('demo', 4);
         INSERT INTO known_key VALUES ('aa', 1, '', '', '', '', '[]', NULL, 0);
         INSERT INTO suppressed VALUES ('acme', 'dnc', 1, 'b.example', 0, 0, 0);
         INSERT INTO basket VALUES (1, 'acme', 0, 0, 7, 0, '', '', '', '', '', '[\"\",\"\",\"\",\"\",\"\",null]', '{}');",
    )
    .unwrap();
    drop(old);
    let brings_up = |dir: &Path| open::ledger(dir, &Shape::current(), open::PATIENCE).is_ok();
    interrupting(base.path(), brings_up, |dir, done| {
        let db = Connection::open(dir.join(LEDGER_FILE)).unwrap();
        let version = open::version(&db).ok().unwrap();
        let number = |sql: &str| db.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        let purses =
            if version == 2 { "SELECT count(*) FROM purse" } else { "SELECT count(*) FROM purse WHERE kind = 0" };
        assert_eq!(number(purses), if version == 2 { 3 } else { 2 }, "version {version}");
        assert_eq!((number("SELECT count(*) FROM basket"), number("SELECT count(*) FROM suppressed")), (1, 1));
        assert!([2, Shape::current().version()].contains(&version) && (!done || version > 2), "version {version}");
    });
}

#[test]
fn a_backup_that_is_interrupted_is_not_there() {
    let base = after(usize::MAX);
    let before = money(&base.path().join(LEDGER_FILE));
    let backs_up = |dir: &Path| backup::back_up(dir, &dir.join("copy")).is_ok();
    interrupting(base.path(), backs_up, |dir, done| {
        assert!(money(&dir.join(LEDGER_FILE)) == before);
        assert_eq!(dir.join("copy").exists(), done);
        assert!(!done || money(&dir.join("copy")) == before);
    });
}

#[test]
fn a_restore_that_is_interrupted_leaves_the_ledger_as_it_was() {
    let (earlier, base) = (after(40), after(usize::MAX));
    let backup = base.path().join("copy");
    backup::back_up(earlier.path(), &backup).unwrap();
    let (old, new) = (money(&backup), money(&base.path().join(LEDGER_FILE)));
    assert!(old != new && !old.is_empty());
    let forgets = backup::restore(base.path(), &backup, false);
    assert!(matches!(&forgets, Err(StoreFailure::Lost(_))), "what it forgets is said first: {forgets:?}");
    let restores = |dir: &Path| backup::restore(dir, &dir.join("copy"), true).is_ok();
    interrupting(base.path(), restores, |dir, done| {
        let now = money(&dir.join(LEDGER_FILE));
        assert!(if done { now == old } else { now == new });
    });
}

#[test]
fn a_move_that_is_interrupted_leaves_one_ledger_that_is_whole() {
    let (ledger, base) = (after(usize::MAX), common::folder());
    copy_folder(ledger.path(), &base.path().join("old"));
    let before = money(&ledger.path().join(LEDGER_FILE));
    let moves = |dir: &Path| place::settle(&dir.join("old"), &dir.join("new")).dir == dir.join("new");
    interrupting(base.path(), moves, |dir, done| {
        let found = place::locate(&dir.join("old"), &dir.join("new"));
        assert_eq!((found.dir == dir.join("new"), found.refused), (done, None));
        assert!(money(&found.dir.join(LEDGER_FILE)) == before);
    });
}

#[test]
fn a_check_that_is_interrupted_says_so() {
    let base = after(usize::MAX);
    let checks = |dir: &Path| {
        let found = check::check(dir);
        found.is_ok_and(|found| found.iter().all(|finding| finding.adds_up))
    };
    interrupting(base.path(), checks, |_, _| {});
}
