//! `lode ledger`: whether it adds up, backups, the way back; and what happens where the ledger is gone.

use std::path::Path;
use std::process::Stdio;

use lode_host::store::LEDGER_FILE;
use rusqlite::Connection;
use serde_json::json;

use common::test_app::{Ran, TestApp};

/// Everything of money that is in a state file, as one text.
fn money(path: &Path) -> String {
    let books = Connection::open(path).unwrap();
    let tables = ["orders", "batch", "asked", "open_contact", "outcome", "settlement", "owned"];
    tables
        .iter()
        .map(|table| {
            let mut query = books.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2, 3")).unwrap();
            let width = query.column_count();
            let rows = query.query_map([], |row| {
                let cells = (0..width).map(|at| format!("{:?}", row.get_ref(at).unwrap()));
                Ok(cells.collect::<Vec<_>>().join(" "))
            });
            format!("{table}\n{}\n", rows.unwrap().collect::<Result<Vec<_>, _>>().unwrap().join("\n"))
        })
        .collect()
}

fn at(app: &TestApp, state: &str, arguments: &[&str]) -> Ran {
    Ran::of(app.command(arguments).env("LODE_STATE_DIR", app.path(state)).spawn().unwrap())
}

fn unlock(app: &TestApp, ids: &[&str]) -> Ran {
    app.run(&[&["unlock", "--corpus", "us", "--max-credits", "9"], ids].concat())
}

/// A ledger with receipts, and with a batch whose answer was lost.
fn with_an_unknown_batch() -> TestApp {
    let app = TestApp::new();
    unlock(&app, &["1", "2", "3"]).ended(0);
    app.fault("latency@unlock=20000+0");
    let mut child = app.command(&["unlock", "--corpus", "us", "--max-credits", "9", "4", "5"]).spawn().unwrap();
    // Charged, and not answered yet.
    while app.owned().len() < 5 {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    app.calms_down();
    app
}

#[test]
fn a_backup_during_an_unlock_is_the_same_ledger_elsewhere() {
    let app = with_an_unknown_batch();
    app.fault("latency@unlock=20000+0");
    let mut child = app.command(&["unlock", "--corpus", "us", "--max-credits", "9", "6"]).spawn().unwrap();
    while app.sandbox.service().log().iter().filter(|request| request.path.ends_with("unlock")).count() < 3 {
        std::thread::yield_now();
    }
    let done = app.run(&["ledger", "backup", "copy.backup"]).ended(0);
    assert_eq!((&done.summary()["act"], &done.summary()["file"]), (&json!("backup"), &json!("copy.backup")));
    let there = money(&app.path("state").join(LEDGER_FILE));
    let restored = at(&app, "elsewhere", &["ledger", "restore", "copy.backup"]).ended(0);
    assert_eq!((&restored.summary()["act"], &restored.summary()["file"]), (&json!("restore"), &json!("copy.backup")));
    assert_eq!(money(&app.path("elsewhere").join(LEDGER_FILE)), there);
    let owned = |state| at(&app, state, &["owned", "--json"]).ended(0).out;
    assert_eq!(owned("elsewhere"), owned("state"));
    assert_eq!(at(&app, "elsewhere", &["receipts", "--json"]).out, app.run(&["receipts", "--json"]).out);
    let checked = at(&app, "elsewhere", &["ledger", "check", "--json"]).ended(0);
    assert!(checked.out.contains("3 contacts are on hold: the result is unknown."), "{checked:?}");
    assert!(checked.out.contains("6 contacts in 3 batches: each has one result, or is on hold."), "{checked:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    // A name that is taken stays.
    app.run(&["ledger", "backup", "copy.backup"]).failed(1);
}

#[test]
fn an_answer_that_waits_in_a_file_is_in_the_backup() {
    let app = TestApp::new();
    // It is answered, and the program dies before it has settled it: debug builds can be told to.
    let mut child = app.command(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]);
    let ran = Ran::of(child.env("LODE_BREAK", "kept").spawn().unwrap());
    assert!(ran.code != 0 && !app.owned().is_empty(), "{ran:?}");
    app.run(&["ledger", "backup", "copy.backup"]).ended(0);
    at(&app, "elsewhere", &["ledger", "restore", "copy.backup"]).ended(0);
    assert_eq!(at(&app, "elsewhere", &["owned"]).ended(0).sorted_ids(), app.owned());
}

#[test]
fn an_older_backup_needs_force_and_no_batch_number_comes_twice() {
    let app = TestApp::new();
    unlock(&app, &["1"]).ended(0);
    app.run(&["ledger", "backup", "old.backup"]).ended(0);
    unlock(&app, &["2"]).ended(0);
    let refused = app.run(&["ledger", "restore", "old.backup"]).failed(1);
    assert!(refused.err.contains("the backup is older: it ends at batch 1, and batch 2 was sent"), "{refused:?}");
    assert_eq!(app.run(&["owned"]).ended(0).sorted_ids(), [1, 2], "nothing was changed");
    let forced = app.run(&["ledger", "restore", "--force", "old.backup"]).ended(0);
    assert!(forced.out.contains("lode.sqlite3.replaced-1"), "{forced:?}");
    assert!(money(&app.path("state/lode.sqlite3.replaced-1")).contains("Integer(2)"));
    assert_eq!(app.run(&["owned"]).ended(0).sorted_ids(), [1]);
    app.run(&["ledger", "check"]).ended(0);
    unlock(&app, &["3"]).ended(0);
    let books = Connection::open(app.path("state").join(LEDGER_FILE)).unwrap();
    let numbers: Vec<i64> = books
        .prepare("SELECT id FROM batch ORDER BY id")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(numbers, [1, 3]);
    app.run(&["ledger", "check"]).ended(0);
}

#[test]
fn a_backup_of_another_ledger_needs_force_and_leaves_the_kept_answers_behind() {
    let app = TestApp::new();
    at(&app, "elsewhere", &["unlock", "--corpus", "us", "--max-credits", "1", "9"]).ended(0);
    at(&app, "elsewhere", &["ledger", "backup", "other.backup"]).ended(0);
    let mut child = app.command(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]);
    Ran::of(child.env("LODE_BREAK", "kept").spawn().unwrap());
    let waiting = app.run(&["ledger", "check", "--json"]).ended(0);
    assert!(waiting.out.contains("1 response is saved but not applied yet."), "{waiting:?}");

    let refused = app.run(&["ledger", "restore", "other.backup"]).failed(1);
    let words = "the backup belongs to another ledger; the current one holds batches up to 1";
    assert!(refused.err.contains(words) && refused.err.contains("add `--force`"), "{refused:?}");
    app.run(&["ledger", "restore", "--force", "other.backup"]).ended(0);
    assert_eq!(std::fs::read_dir(app.path("state/answers.replaced-1")).unwrap().count(), 1);
    // Batch 1 of this ledger is another one: the answer to the other is not applied to it.
    assert_eq!(app.run(&["owned"]).ended(0).sorted_ids(), [9]);
    let checked = app.run(&["ledger", "check", "--json"]).ended(0);
    assert!(checked.lines().iter().all(|line| line["grade"] == "ok"), "{checked:?}");
}

#[test]
fn a_file_other_than_a_backup_is_not_restored() {
    let app = TestApp::new();
    let early = app.run(&["ledger", "backup", "none.backup"]).failed(1);
    assert!(early.err.contains("no ledger in"), "{early:?}");
    unlock(&app, &["1"]).ended(0);
    let before = money(&app.path("state").join(LEDGER_FILE));
    app.run(&["ledger", "backup", "newer.backup"]).ended(0);
    let newer = Connection::open(app.path("newer.backup")).unwrap();
    newer.execute_batch("PRAGMA user_version = 9999").unwrap();
    drop(newer);
    Connection::open(app.path("strange.backup")).unwrap().execute_batch("CREATE TABLE x (y)").unwrap();
    std::fs::write(app.path("empty.backup"), "").unwrap();
    std::fs::write(app.path("noise.backup"), vec![7; 40_000]).unwrap();
    for (name, words) in [
        ("newer.backup", "newer"),
        ("strange.backup", "does not exist or is empty"),
        ("empty.backup", "does not exist or is empty"),
        ("noise.backup", "is not a backup of a ledger"),
        ("missing.backup", "does not exist or is empty"),
    ] {
        for force in [&[][..], &["--force"]] {
            let refused = app.run(&[&["ledger", "restore", name], force].concat()).failed(1);
            assert!(refused.err.contains(words) && refused.err.contains("nothing was changed"), "{name}: {refused:?}");
        }
    }
    assert_eq!(money(&app.path("state").join(LEDGER_FILE)), before, "the ledger is the one it was");
}

#[test]
fn nothing_is_restored_under_a_window_that_runs() {
    let app = TestApp::new();
    unlock(&app, &["1"]).ended(0);
    app.run(&["ledger", "backup", "copy.backup"]).ended(0);
    app.fault("latency@search=20000+0");
    let mut child = app.command(&["search"]).spawn().unwrap();
    while !app.sandbox.service().log().iter().any(|request| request.path.ends_with("search")) {
        std::thread::yield_now();
    }
    let refused = app.run(&["ledger", "restore", "copy.backup"]).failed(1);
    assert!(refused.err.contains("a lode window is using this ledger"), "{refused:?}");
    child.kill().unwrap();
    child.wait().unwrap();
    app.run(&["ledger", "restore", "copy.backup"]).ended(0);
    assert_eq!(app.run(&["owned"]).ended(0).sorted_ids(), [1]);
}

#[test]
fn what_does_not_add_up_is_said() {
    let app = TestApp::new();
    unlock(&app, &["1", "2"]).ended(0);
    let fine = app.run(&["ledger", "check", "--json"]).ended(0);
    assert!(fine.lines().iter().all(|line| line["grade"] == "ok"), "{fine:?}");
    let books = Connection::open(app.path("state").join(LEDGER_FILE)).unwrap();
    books.execute_batch("DROP TRIGGER outcome_remains; DELETE FROM outcome WHERE id = 2;").unwrap();
    drop(books);
    let bad = app.run(&["ledger", "check", "--json"]).ended(1);
    assert!(bad.out.contains("1 contact: sent, with neither a result nor a hold."), "{bad:?}");
    std::fs::write(app.path("state").join(LEDGER_FILE), vec![7; 40_000]).unwrap();
    let damaged = app.run(&["ledger", "check"]).ended(1);
    assert!(damaged.out.contains("is damaged"), "{damaged:?}");
    let nothing = at(&app, "new", &["ledger", "check"]).ended(0);
    assert!(nothing.out.contains("No ledger in"), "{nothing:?}");
}

/// Takes the ledger away in some way: nothing is spent, what is missing is said, and no kept answer is touched.
fn refuses(sentence: &str, take_away: impl Fn(&TestApp)) {
    let app = with_an_unknown_batch();
    let before = app.balance();
    // A whole answer to a batch that will be asked for by the next number of a new ledger.
    let answers = app.path("state/answers");
    let kept = std::fs::read_dir(&answers).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&kept).unwrap();
    take_away(&app);
    for ids in [["7"], ["8"]] {
        let refused = unlock(&app, &ids).failed(1);
        assert!(refused.err.contains(sentence), "{refused:?}");
        assert!(refused.err.contains("lode ledger"), "{refused:?}");
    }
    assert_eq!(app.balance(), before, "nothing was spent");
    assert_eq!(std::fs::read(&kept).unwrap(), bytes);
    let checked = app.run(&["ledger", "check"]).ended(1);
    assert!(checked.out.to_lowercase().contains(sentence), "{checked:?}");
    // Reading for free goes on.
    app.run(&["search", "--limit", "1"]).ended(0);
}

fn remove(app: &TestApp) {
    for name in ["lode.sqlite3", "lode.sqlite3-wal", "lode.sqlite3-shm"] {
        let _ = std::fs::remove_file(app.path("state").join(name));
    }
}

#[test]
fn nothing_is_spent_where_the_ledger_is_missing() {
    refuses("the ledger is missing", remove);
}

#[test]
fn nothing_is_spent_where_the_ledger_is_empty() {
    refuses("the ledger is missing", |app| {
        remove(app);
        std::fs::write(app.path("state").join(LEDGER_FILE), "").unwrap();
    });
}

#[test]
fn nothing_is_spent_where_the_ledger_is_older() {
    refuses("the ledger is older than it was", |app| {
        let saved = app.path("before");
        let books = Connection::open(app.path("state").join(LEDGER_FILE)).unwrap();
        books.execute("VACUUM INTO ?1", [saved.to_string_lossy()]).unwrap();
        drop(books);
        unlock(app, &["6"]).ended(0);
        app.set_credits(app.balance() + 1);
        remove(app);
        std::fs::copy(saved, app.path("state").join(LEDGER_FILE)).unwrap();
    });
}

/// Money rule 10, *one purse*.
#[test]
fn nothing_is_spent_where_another_ledger_is_in_its_place() {
    refuses("is not the expected ledger", |app| {
        // As large as the one that belongs here, with batches of the same numbers.
        for id in ["10", "11"] {
            at(app, "elsewhere", &["unlock", "--corpus", "us", "--max-credits", "1", id]).ended(0);
        }
        app.set_credits(app.balance() + 2);
        at(app, "elsewhere", &["ledger", "backup", "other.backup"]).ended(0);
        remove(app);
        std::fs::copy(app.path("other.backup"), app.path("state").join(LEDGER_FILE)).unwrap();
    });
}

#[test]
fn nothing_is_spent_where_the_ledger_is_missing_and_its_mark_is_damaged() {
    refuses("ledger.mark is damaged", |app| {
        remove(app);
        std::fs::write(app.path("state/ledger.mark"), "lode ledger 0000").unwrap();
    });
}

#[test]
fn a_backup_ends_the_refusal() {
    let app = with_an_unknown_batch();
    app.run(&["ledger", "backup", "copy.backup"]).ended(0);
    remove(&app);
    unlock(&app, &["7"]).failed(1);
    app.run(&["ledger", "restore", "copy.backup"]).ended(0);
    unlock(&app, &["7"]).ended(0);
    let unknown = unlock(&app, &["4"]).failed(9);
    assert_eq!(unknown.summary()["unknown"], 1, "what was unknown still is");
}

#[test]
fn a_first_version_without_a_mark_is_missed_by_its_answers() {
    let app = TestApp::new();
    let mut child = app.command(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]);
    Ran::of(child.env("LODE_BREAK", "kept").stdin(Stdio::null()).spawn().unwrap());
    std::fs::remove_file(app.path("state/ledger.mark")).unwrap();
    remove(&app);
    let refused = unlock(&app, &["7"]).failed(1);
    assert!(refused.err.contains("an answer to batch 1 is kept"), "{refused:?}");
}

#[test]
fn a_missing_ledger_is_not_read_as_an_empty_one() {
    let app = with_an_unknown_batch();
    remove(&app);
    for arguments in [["owned", "--json"], ["receipts", "--json"], ["basket", "list"]] {
        let ran = app.run(&arguments);
        assert!(ran.err.contains("the ledger is missing"), "{arguments:?} {ran:?}");
    }
    let ran = app.run(&["export", "--from", "owned", "--corpus", "us", "-o", "owned.csv"]);
    assert!(ran.err.contains("the ledger is missing"), "{ran:?}");
}

#[test]
fn an_export_of_owned_contacts_has_what_was_answered_and_not_settled() {
    let app = TestApp::new();
    let mut child = app.command(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]);
    Ran::of(child.env("LODE_BREAK", "kept").spawn().unwrap());
    app.run(&["export", "--from", "owned", "--corpus", "us", "--format", "raw", "-o", "owned.csv"]).ended(0);
    let text = std::fs::read_to_string(app.path("owned.csv")).unwrap();
    assert_eq!(text.lines().count(), 1 + app.owned().len(), "{text}");
}

/// Money rule 12, *impossible stops*: after an assertion of the money code the ledger opens read-only, and says what to do.
#[test]
fn after_an_impossible_state_nothing_is_unlocked_until_the_ledger_is_checked() {
    let app = TestApp::new();
    unlock(&app, &["1"]).ended(0);
    let mut broken = app.command(&["unlock", "--corpus", "us", "--max-credits", "9", "2"]);
    let stopped = Ran::of(broken.env("LODE_BREAK", "intend").spawn().unwrap()).ended(1);
    assert!(stopped.err.contains("this is a bug in lode: broken on purpose, at intend"), "{}", stopped.err);

    let refused = unlock(&app, &["2"]).ended(1);
    let reason = "lode stopped because its money code found an impossible state: broken on purpose, at intend";
    assert!(refused.err.contains(reason), "{}", refused.err);
    assert!(refused.err.contains("run `lode ledger check`"), "{}", refused.err);
    assert_eq!(app.owned().len(), 1, "nothing was sent");
    assert!(app.run(&["owned"]).ended(0).out.contains("email"), "what is owned can be read");

    let checked = app.run(&["ledger", "check"]).ended(0);
    assert!(checked.out.contains("Everything adds up, so contacts can be unlocked again."), "{}", checked.out);
    unlock(&app, &["2"]).ended(0);
    assert_eq!(app.owned().len(), 2);
    assert!(!app.run(&["ledger", "check"]).ended(0).out.contains("impossible"), "said once");
}

#[test]
fn a_stop_stays_as_long_as_the_ledger_does_not_add_up() {
    let app = TestApp::new();
    unlock(&app, &["1"]).ended(0);
    let mut broken = app.command(&["unlock", "--corpus", "us", "--max-credits", "9", "2"]);
    Ran::of(broken.env("LODE_BREAK", "intend").spawn().unwrap()).ended(1);
    let books = Connection::open(app.path("state").join(LEDGER_FILE)).unwrap();
    books.execute_batch("UPDATE orders SET ceiling = 0").unwrap();
    let checked = app.run(&["ledger", "check"]).ended(1);
    assert!(checked.out.contains("lode ledger restore FILE"), "{}", checked.out);
    assert!(unlock(&app, &["2"]).ended(1).err.contains("impossible state"));
    assert_eq!(app.owned().len(), 1);
}
