//! Where the ledger is: it moves from the state folder to the data folder once, whole or not at all.

use std::path::PathBuf;
use std::process::Command;

use lode_host::store::LEDGER_FILE;
use rusqlite::Connection;

use common::test_app::{Ran, TestApp};

const OLD: &str = ".local/state/lode";
const NEW: &str = ".local/share/lode";

/// A home where an earlier version bought two contacts, and got an answer that it did not settle.
fn home() -> TestApp {
    let app = TestApp::new();
    let early = |arguments: &[&str], breaks: Option<&str>| {
        let mut command = app.command(arguments);
        command.env("LODE_STATE_DIR", app.path(OLD));
        if let Some(place) = breaks {
            command.env("LODE_BREAK", place);
        }
        Ran::of(command.spawn().unwrap())
    };
    early(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"], None).ended(0);
    assert!(early(&["unlock", "--corpus", "us", "--max-credits", "1", "3"], Some("kept")).code != 0);
    assert_eq!(app.owned(), [1, 2, 3]);
    app
}

/// lode in that home, with no folder named.
fn here(app: &TestApp, arguments: &[&str]) -> Command {
    let mut command = app.command(arguments);
    command.env_remove("LODE_STATE_DIR");
    command
}

fn run(app: &TestApp, arguments: &[&str]) -> Ran {
    Ran::of(here(app, arguments).spawn().unwrap())
}

fn version(path: PathBuf) -> i64 {
    Connection::open(path).unwrap().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

fn has_moved(app: &TestApp) {
    assert_eq!(run(app, &["owned"]).ended(0).sorted_ids(), [1, 2, 3]);
    run(app, &["ledger", "check"]).ended(0);
    // The first version reads versions up to 2 and refuses what is newer.
    assert_eq!(version(app.path(OLD).join(LEDGER_FILE)), 1_000_000);
    let stub = Connection::open(app.path(OLD).join(LEDGER_FILE)).unwrap();
    assert!(stub.prepare("SELECT * FROM outcome").is_err(), "nothing of money is left there");
    assert!(version(app.path(NEW).join(LEDGER_FILE)) < 1_000);
}

#[test]
fn it_moves_once_with_its_answers() {
    let app = home();
    let first = run(&app, &["owned"]).ended(0);
    assert!(first.err.contains("The ledger moved from"), "{first:?}");
    assert_eq!(first.sorted_ids(), [1, 2, 3], "the answer that was kept came along");
    has_moved(&app);
    assert_eq!(run(&app, &["owned"]).ended(0).err, "");
    let old = Ran::of(app.command(&["owned"]).env("LODE_STATE_DIR", app.path(OLD)).spawn().unwrap());
    assert!(old.failed(1).err.contains("was written by a newer version of lode"));
}

#[test]
fn a_folder_that_was_named_is_never_moved() {
    let app = home();
    let named = Ran::of(app.command(&["owned"]).env("LODE_STATE_DIR", app.path(OLD)).spawn().unwrap()).ended(0);
    assert_eq!((named.sorted_ids(), named.err.as_str()), (vec![1, 2, 3], ""));
    assert!(!app.path(NEW).exists());
}

#[test]
fn while_a_window_of_an_earlier_version_runs_it_stays() {
    let app = home();
    let windows = app.path(OLD).join("windows");
    std::fs::create_dir_all(&windows).unwrap();
    let window = std::fs::File::create(windows.join("earlier.lock")).unwrap();
    window.lock().unwrap();
    let stays = run(&app, &["owned"]).ended(0);
    assert!(
        stays.err.contains("The ledger stays in") && stays.err.contains("a window of an earlier version"),
        "{stays:?}"
    );
    assert_eq!(stays.sorted_ids(), [1, 2, 3]);
    assert!(!app.path(NEW).join(LEDGER_FILE).exists());
    drop(window);
    run(&app, &["owned"]).ended(0);
    has_moved(&app);
}

#[test]
fn a_crash_before_the_stub_leaves_the_old_place_in_force() {
    let app = home();
    let crashed = Ran::of(here(&app, &["owned"]).env("LODE_BREAK", "copied").spawn().unwrap());
    assert!(crashed.code != 0 && crashed.code != 1, "{crashed:?}");
    assert!(version(app.path(OLD).join(LEDGER_FILE)) < 1_000);
    assert!(!app.path(NEW).join(LEDGER_FILE).exists());
    // An earlier version goes on there, and what it does is not lost.
    let early = app
        .command(&["unlock", "--corpus", "us", "--max-credits", "1", "4"])
        .env("LODE_STATE_DIR", app.path(OLD))
        .spawn();
    Ran::of(early.unwrap()).ended(0);
    assert_eq!(run(&app, &["owned"]).ended(0).sorted_ids(), app.owned());
    assert_eq!(version(app.path(OLD).join(LEDGER_FILE)), 1_000_000);
}

#[test]
fn a_crash_after_the_stub_is_finished_by_the_next_start() {
    let app = home();
    let crashed = Ran::of(here(&app, &["owned"]).env("LODE_BREAK", "stubbed").spawn().unwrap());
    assert!(crashed.code != 0 && crashed.code != 1, "{crashed:?}");
    has_moved(&app);
}

#[test]
fn two_ledgers_are_named_and_nothing_is_spent() {
    let app = home();
    std::fs::create_dir_all(app.path(NEW)).unwrap();
    let new = Ran::of(
        app.command(&["unlock", "--corpus", "us", "--max-credits", "1", "5"])
            .env("LODE_STATE_DIR", app.path(NEW))
            .spawn()
            .unwrap(),
    );
    new.ended(0);
    let before = app.balance();
    let refused = run(&app, &["unlock", "--corpus", "us", "--max-credits", "1", "6"]).failed(1);
    let named = [OLD, NEW].map(|place| app.path(place).join(LEDGER_FILE).display().to_string());
    assert!(named.iter().all(|place| refused.err.contains(place)), "{refused:?}");
    assert_eq!(app.balance(), before);
    let checked = run(&app, &["ledger", "check"]).ended(1);
    assert!(named.iter().all(|place| checked.out.contains(place)), "{checked:?}");
}

#[test]
fn a_ledger_that_moved_and_is_gone_is_missed() {
    let app = home();
    run(&app, &["owned"]).ended(0);
    std::fs::remove_dir_all(app.path(NEW)).unwrap();
    let refused = run(&app, &["unlock", "--corpus", "us", "--max-credits", "1", "6"]).failed(1);
    assert!(refused.err.contains("the ledger is missing: it was moved to"), "{refused:?}");
}

/// A window that waits for its own lock never opens.
#[test]
fn requests_may_be_counted_in_the_folder_of_the_ledger() {
    let app = TestApp::new();
    let state = app.path("state");
    let line = format!("LODE_RUNTIME_DIR={}/ timeout -s KILL 30 lode search --limit 1 --json", state.display());
    assert_eq!(Ran::of(app.shell(&line).spawn().unwrap()).ended(0).ids().len(), 1);
}

/// Money rule 12, *impossible stops*: the check says everything that keeps the ledger shut, and the stop stays until then.
#[test]
fn with_two_ledgers_a_stop_is_not_lifted() {
    let app = home();
    let broken = |command: &mut Command| Ran::of(command.env("LODE_BREAK", "intend").spawn().unwrap()).ended(1);
    run(&app, &["owned"]).ended(0);
    broken(&mut here(&app, &["unlock", "--corpus", "us", "--max-credits", "1", "4"]));
    let (old, new) = (app.path(OLD).join(LEDGER_FILE), app.path(NEW).join(LEDGER_FILE));
    std::fs::copy(&new, &old).unwrap();
    let checked = run(&app, &["ledger", "check"]).ended(1);
    assert!(checked.out.contains("there are two ledgers"), "{checked:?}");
    assert!(checked.out.contains("Nothing can be unlocked"), "{checked:?}");
    std::fs::remove_file(&old).unwrap();
    let refused = run(&app, &["unlock", "--corpus", "us", "--max-credits", "1", "4"]).ended(1);
    assert!(refused.err.contains("impossible state"), "{refused:?}");
    assert_eq!(app.owned(), [1, 2, 3]);
    run(&app, &["ledger", "check"]).ended(0);
}
