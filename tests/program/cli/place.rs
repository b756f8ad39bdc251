//! Where the ledger is: it moves from the state folder to the data folder once, whole or not at all.

use std::path::PathBuf;
use std::process::Command;

use lode_host::store::LEDGER_FILE;
use rusqlite::Connection;

use common::house::{House, Ran};

const OLD: &str = ".local/state/lode";
const NEW: &str = ".local/share/lode";

/// A home where an earlier version bought two contacts, and got an answer that it did not settle.
fn home() -> House {
    let house = House::new();
    let early = |arguments: &[&str], breaks: Option<&str>| {
        let mut command = house.command(arguments);
        command.env("LODE_STATE_DIR", house.path(OLD));
        if let Some(place) = breaks {
            command.env("LODE_BREAK", place);
        }
        Ran::of(command.spawn().unwrap())
    };
    early(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"], None).ended(0);
    assert!(early(&["unlock", "--corpus", "us", "--max-credits", "1", "3"], Some("kept")).code != 0);
    assert_eq!(house.owned(), [1, 2, 3]);
    house
}

/// lode in that home, with no folder named.
fn here(house: &House, arguments: &[&str]) -> Command {
    let mut command = house.command(arguments);
    command.env_remove("LODE_STATE_DIR");
    command
}

fn run(house: &House, arguments: &[&str]) -> Ran {
    Ran::of(here(house, arguments).spawn().unwrap())
}

fn version(path: PathBuf) -> i64 {
    Connection::open(path).unwrap().query_row("PRAGMA user_version", [], |row| row.get(0)).unwrap()
}

fn has_moved(house: &House) {
    assert_eq!(run(house, &["owned"]).ended(0).sorted_ids(), [1, 2, 3]);
    run(house, &["ledger", "check"]).ended(0);
    // The first version reads versions up to 2 and refuses what is newer.
    assert_eq!(version(house.path(OLD).join(LEDGER_FILE)), 1_000_000);
    let stub = Connection::open(house.path(OLD).join(LEDGER_FILE)).unwrap();
    assert!(stub.prepare("SELECT * FROM outcome").is_err(), "nothing of money is left there");
    assert!(version(house.path(NEW).join(LEDGER_FILE)) < 1_000);
}

#[test]
fn it_moves_once_with_its_answers() {
    let house = home();
    let first = run(&house, &["owned"]).ended(0);
    assert!(first.err.contains("The ledger moved from"), "{first:?}");
    assert_eq!(first.sorted_ids(), [1, 2, 3], "the answer that was kept came along");
    has_moved(&house);
    assert_eq!(run(&house, &["owned"]).ended(0).err, "");
    let old = Ran::of(house.command(&["owned"]).env("LODE_STATE_DIR", house.path(OLD)).spawn().unwrap());
    assert!(old.failed(1).err.contains("was written by a newer version of lode"));
}

#[test]
fn a_folder_that_was_named_is_never_moved() {
    let house = home();
    let named = Ran::of(house.command(&["owned"]).env("LODE_STATE_DIR", house.path(OLD)).spawn().unwrap()).ended(0);
    assert_eq!((named.sorted_ids(), named.err.as_str()), (vec![1, 2, 3], ""));
    assert!(!house.path(NEW).exists());
}

#[test]
fn while_a_window_of_an_earlier_version_runs_it_stays() {
    let house = home();
    let windows = house.path(OLD).join("windows");
    std::fs::create_dir_all(&windows).unwrap();
    let window = std::fs::File::create(windows.join("earlier.lock")).unwrap();
    window.lock().unwrap();
    let stays = run(&house, &["owned"]).ended(0);
    assert!(
        stays.err.contains("The ledger stays in") && stays.err.contains("a window of an earlier version"),
        "{stays:?}"
    );
    assert_eq!(stays.sorted_ids(), [1, 2, 3]);
    assert!(!house.path(NEW).join(LEDGER_FILE).exists());
    drop(window);
    run(&house, &["owned"]).ended(0);
    has_moved(&house);
}

#[test]
fn a_crash_before_the_stub_leaves_the_old_place_in_force() {
    let house = home();
    let crashed = Ran::of(here(&house, &["owned"]).env("LODE_BREAK", "copied").spawn().unwrap());
    assert!(crashed.code != 0 && crashed.code != 1, "{crashed:?}");
    assert!(version(house.path(OLD).join(LEDGER_FILE)) < 1_000);
    assert!(!house.path(NEW).join(LEDGER_FILE).exists());
    // An earlier version goes on there, and what it does is not lost.
    let early = house
        .command(&["unlock", "--corpus", "us", "--max-credits", "1", "4"])
        .env("LODE_STATE_DIR", house.path(OLD))
        .spawn();
    Ran::of(early.unwrap()).ended(0);
    assert_eq!(run(&house, &["owned"]).ended(0).sorted_ids(), house.owned());
    assert_eq!(version(house.path(OLD).join(LEDGER_FILE)), 1_000_000);
}

#[test]
fn a_crash_after_the_stub_is_finished_by_the_next_start() {
    let house = home();
    let crashed = Ran::of(here(&house, &["owned"]).env("LODE_BREAK", "stubbed").spawn().unwrap());
    assert!(crashed.code != 0 && crashed.code != 1, "{crashed:?}");
    has_moved(&house);
}

#[test]
fn two_ledgers_are_named_and_nothing_is_spent() {
    let house = home();
    std::fs::create_dir_all(house.path(NEW)).unwrap();
    let new = Ran::of(
        house
            .command(&["unlock", "--corpus", "us", "--max-credits", "1", "5"])
            .env("LODE_STATE_DIR", house.path(NEW))
            .spawn()
            .unwrap(),
    );
    new.ended(0);
    let before = house.balance();
    let refused = run(&house, &["unlock", "--corpus", "us", "--max-credits", "1", "6"]).failed(1);
    let named = [OLD, NEW].map(|place| house.path(place).join(LEDGER_FILE).display().to_string());
    assert!(named.iter().all(|place| refused.err.contains(place)), "{refused:?}");
    assert_eq!(house.balance(), before);
    let checked = run(&house, &["ledger", "check"]).ended(1);
    assert!(named.iter().all(|place| checked.out.contains(place)), "{checked:?}");
}

#[test]
fn a_ledger_that_moved_and_is_gone_is_missed() {
    let house = home();
    run(&house, &["owned"]).ended(0);
    std::fs::remove_dir_all(house.path(NEW)).unwrap();
    let refused = run(&house, &["unlock", "--corpus", "us", "--max-credits", "1", "6"]).failed(1);
    assert!(refused.err.contains("the ledger is missing: it was moved to"), "{refused:?}");
}

/// A window that waits for its own lock never opens.
#[test]
fn requests_may_be_counted_in_the_folder_of_the_ledger() {
    let house = House::new();
    let state = house.path("state");
    let line = format!("LODE_RUNTIME_DIR={}/ timeout -s KILL 30 lode search --limit 1 --json", state.display());
    assert_eq!(Ran::of(house.shell(&line).spawn().unwrap()).ended(0).ids().len(), 1);
}

/// Money rule 12, *impossible stops*: the check says everything that keeps the ledger shut, and the stop stays until then.
#[test]
fn with_two_ledgers_a_stop_is_not_lifted() {
    let house = home();
    let broken = |command: &mut Command| Ran::of(command.env("LODE_BREAK", "intend").spawn().unwrap()).ended(1);
    run(&house, &["owned"]).ended(0);
    broken(&mut here(&house, &["unlock", "--corpus", "us", "--max-credits", "1", "4"]));
    let (old, new) = (house.path(OLD).join(LEDGER_FILE), house.path(NEW).join(LEDGER_FILE));
    std::fs::copy(&new, &old).unwrap();
    let checked = run(&house, &["ledger", "check"]).ended(1);
    assert!(checked.out.contains("there are two ledgers"), "{checked:?}");
    assert!(checked.out.contains("Nothing can be unlocked"), "{checked:?}");
    std::fs::remove_file(&old).unwrap();
    let refused = run(&house, &["unlock", "--corpus", "us", "--max-credits", "1", "4"]).ended(1);
    assert!(refused.err.contains("impossible state"), "{refused:?}");
    assert_eq!(house.owned(), [1, 2, 3]);
    run(&house, &["ledger", "check"]).ended(0);
}
