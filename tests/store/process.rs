//! Real processes on one folder, killed without warning: what was acknowledged is there, what was not is whole or absent.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use bytes::Bytes;
use lode_core::money::*;
use lode_engine::effect::profile::*;
use lode_engine::effect::store::*;
use lode_host::clock;
use lode_host::store::{Store, fresh_window};

use crate::bench::*;

/// Set for the child only.
const FOLDER: &str = "LODE_TEST_FOLDER";
const FIRST_ID: &str = "LODE_TEST_FIRST_ID";

fn child(name: &str, folder: &Path, first_id: i64) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--ignored", "--nocapture"])
        .env(FOLDER, folder)
        .env(FIRST_ID, first_id.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn body(id: i64) -> Bytes {
    Bytes::from(format!("{{\"ok\":true,\"first\":{id}}}").repeat(50))
}

/// Not a test by itself: the process that is killed. Says each step once it is acknowledged.
#[test]
#[ignore = "run by the test that kills it"]
fn unlocks_until_killed() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let first: i64 = std::env::var(FIRST_ID).unwrap().parse().unwrap();
    let mut store = Store::open(Path::new(&folder), fresh_window());
    know(&mut store);
    let mut out = std::io::stdout();
    let mut say = |what: &str, id: i64, batch: BatchId| {
        writeln!(out, "\nstep {what} {id} {}", batch.0).unwrap();
        out.flush().unwrap();
    };
    for round in 0.. {
        let id = first + round * 3;
        stage(&mut store, id..id + 3);
        let asked = BatchIntent { basket: Some(BasketGuard { version: None }), ..intent(&store, id..id + 3) };
        let (_, batch) = intend(&mut store, asked, clock::now()).unwrap();
        say("intended", id, batch);
        store.perform(StoreCall::KeepAnswer { batch, status: 200, body: body(id) }, clock::now()).unwrap();
        say("heard", id, batch);
        settle(&mut store, batch, (id..id + 3).map(|id| settled(id, Outcome::Unlocked)).collect(), clock::now());
        say("settled", id, batch);
    }
}

#[test]
fn a_killed_process_loses_nothing_that_was_acknowledged() {
    let folder = common::folder();
    let (mut settled_ids, mut last) = (0, [0; 3]);
    for round in 0..12i64 {
        let first_id = round * 10_000;
        let mut child = child("process::unlocks_until_killed", folder.path(), first_id);
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let mut seen: Vec<(String, i64, BatchId)> = Vec::new();
        // Killed a different number of steps after its start each time, while it is at work on the next.
        for line in lines {
            let line = line.unwrap();
            let Some(step) = line.strip_prefix("step ") else { continue };
            let words: Vec<&str> = step.split(' ').collect();
            seen.push((words[0].to_owned(), words[1].parse().unwrap(), BatchId(words[2].parse().unwrap())));
            if seen.len() as i64 == 4 + round {
                child.kill().unwrap();
                break;
            }
        }
        child.wait().unwrap();

        let mut store = Store::open(folder.path(), fresh_window());
        let now = clock::now();
        let open = open_batches(&mut store, now);
        assert!(open.len() <= 1, "one call at a time: {}", open.len());
        let here: Vec<i64> = owned(&mut store).iter().map(|owned| owned.id.0).collect();
        let staged: Vec<i64> = basket(&mut store).rows.iter().map(|row| row.id.0).collect();
        for (step, id, batch) in &seen {
            let found = open.iter().find(|open| open.batch == *batch);
            let whole = (*id..id + 3).all(|id| here.contains(&id) && !staged.contains(&id));
            let none = (*id..id + 3).all(|id| !here.contains(&id) && staged.contains(&id));
            match (step.as_str(), found) {
                ("settled", found) => assert!(found.is_none() && whole, "round {round}: settled is settled"),
                ("heard", Some(open)) => assert_eq!(open.heard, [(200, body(*id))], "round {round}: an answer is kept"),
                ("intended", Some(open)) => assert!(!open.in_flight && open.broke_at.is_some() && none),
                (_, None) => assert!(whole, "round {round}: neither open nor settled"),
                other => panic!("{other:?}"),
            }
        }
        // What the dead window left is resolved by the next window.
        if let Some(batch) = open.first() {
            let contacts = batch.ids.iter().map(|id| settled(id.0, Outcome::Unlocked)).collect();
            settle(&mut store, batch.batch, contacts, now);
            last[usize::from(!batch.heard.is_empty())] += 1;
        }
        assert_eq!(open_batches(&mut store, now), []);
        settled_ids = owned(&mut store).len();
        let files = std::fs::read_dir(folder.path().join("answers")).unwrap().count();
        assert_eq!(files, 0, "no room is held for what is settled");
    }
    assert!(settled_ids >= 12 * 3, "{settled_ids} contacts, left open {last:?}");
}

/// Not a test by itself: takes slots until it is told to stop by being killed, or has taken enough.
#[test]
#[ignore = "run by the test of several processes"]
fn takes_slots() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let allowance = Allowance { requests: Some(30), window_ms: 300, in_flight: 50 };
    let mut store = Store::open(Path::new(&folder), fresh_window());
    let mut taken = 0;
    while taken < 60 {
        let reserve = StoreCall::Reserve { key: key(), allowance, window: store.window().clone() };
        match store.perform(reserve, clock::now()).unwrap() {
            StoreReply::Reserved { slot, .. } => {
                taken += 1;
                println!("\ntaken {}", clock::now().mono.0);
                store.perform(StoreCall::Release { slot, allowance }, clock::now()).unwrap();
            }
            StoreReply::Wait { .. } => std::thread::yield_now(),
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn two_processes_share_one_allowance() {
    let folder = common::folder();
    let children = [0, 1].map(|first| child("process::takes_slots", folder.path(), first));
    let mut taken: Vec<u64> = Vec::new();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        let text = String::from_utf8(output.stdout).unwrap();
        taken.extend(text.lines().filter_map(|line| line.strip_prefix("taken ")).map(|at| at.parse::<u64>().unwrap()));
    }
    taken.sort_unstable();
    assert_eq!(taken.len(), 120);
    for (at, first) in taken.iter().enumerate() {
        // Taken by the reading after the slot was granted: the grant itself is at most that much earlier.
        let within = taken[at..].iter().take_while(|moment| **moment < first + 290).count();
        assert!(within <= 30, "{within} within one window");
    }
    assert!(taken.last().unwrap() - taken[0] < 10_000, "and the allowance was used");
}

/// Not a test by itself: browses and tries to spend in a folder it may not write to.
#[test]
#[ignore = "run by the test of a read-only folder"]
fn browses_read_only() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut store = Store::open(Path::new(&folder), fresh_window());
    let allowance = Allowance { requests: Some(120), window_ms: 60_000, in_flight: 8 };
    let reserve = StoreCall::Reserve { key: key(), allowance, window: store.window().clone() };
    println!("\nreserve {}", matches!(store.perform(reserve, at(0)), Ok(StoreReply::Reserved { .. })));
    println!("basket {}", basket(&mut store).rows.len());
    println!("open {}", open_batches(&mut store, at(0)).len());
    let asked = intent(&store, 50..=50);
    println!("intend {}", store.perform(StoreCall::Intend(Box::new(asked)), at(0)).unwrap_err());
    let rows = vec![staged(99)];
    let stage = StoreCall::Stage { purse: purse().into(), side: US, rows };
    println!("stage {}", store.perform(stage, at(0)).unwrap_err());
}

#[test]
fn a_folder_that_cannot_be_written_to_is_browsed_and_nothing_is_spent() {
    use std::os::unix::fs::PermissionsExt;
    use std::os::unix::process::CommandExt;
    // The folder's root may be entered by every user, because the child runs as the user 65534 if this runs as root.
    let root = common::folder();
    let set = |path: &Path, mode| std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    set(root.path(), 0o755);
    let open_to_all = |folder: &Path| {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            set(&path, if path.is_dir() { 0o555 } else { 0o444 });
        }
        set(folder, 0o555);
    };
    let run = |folder: &Path| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "process::browses_read_only", "--ignored", "--nocapture"]).env(FOLDER, folder);
        if rustix::process::geteuid().is_root() {
            // That user may not be able to enter the binary's folder: a copy beside the state is readable.
            let copy = root.path().join("browser");
            if !copy.exists() {
                // Made by a process of its own: a file this one had open to write would be busy in another test's fork.
                let made = Command::new("cp").arg(std::env::current_exe().unwrap()).arg(&copy).status().unwrap();
                assert!(made.success());
                set(&copy, 0o755);
            }
            let args = ["--exact", "process::browses_read_only", "--ignored", "--nocapture"];
            command = Command::new(copy);
            command.args(args).env(FOLDER, folder).uid(65_534).gid(65_534);
        }
        let output = command.current_dir("/").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
        let said =
            |line: &&str| ["reserve", "basket", "open", "intend", "stage"].contains(&line.split(' ').next().unwrap());
        text.lines().filter(said).map(str::to_owned).collect::<Vec<_>>()
    };
    // While a window is at work there, with the folder closed for the time of the look.
    let run_beside = |folder: &Path| {
        open_to_all(folder);
        for inner in ["windows", "answers"] {
            open_to_all(&folder.join(inner));
        }
        let said = run(folder);
        for inner in [folder.to_owned(), folder.join("windows"), folder.join("answers")] {
            set(&inner, 0o755);
        }
        said
    };
    let refused = ["intend the state folder cannot be written to", "stage the state folder cannot be written to"];

    let empty = root.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    set(&empty, 0o555);
    assert_eq!(run(&empty), ["reserve true", "basket 0", "open 0", refused[0], refused[1]]);

    let used = root.path().join("used");
    let mut store = Store::open(&used, fresh_window());
    know(&mut store);
    stage(&mut store, 1..=3);
    let asked = intent(&store, 7..=8);
    intend(&mut store, asked, clock::now()).unwrap();
    let held = run_beside(&used);
    drop(store);
    open_to_all(&used);
    let said = run(&used);
    assert_eq!(
        (held[2].as_str(), said[2].as_str()),
        ("open 0", "open 1"),
        "a living window's call is no orphan, a dead one's is"
    );
    assert_eq!(said[0], "reserve true");
    assert_eq!(said[3..], refused);
    assert_eq!(said[1], "basket 3", "what can be read is read");
    set(&used, 0o755);

    // And so it is where the last window left its side files.
    let left = root.path().join("left");
    let mut store = Store::open(&left, fresh_window());
    stage(&mut store, 1..=3);
    drop(store);
    let mut store = Store::open(&left, fresh_window());
    let canonical = "workspace/us".to_owned();
    let searched =
        StoreCall::Searched { purse: purse().into(), canonical, total: 1, offset: 0, ids: ids([1]), leg: false };
    store.perform(searched, at(0)).unwrap();
    drop(store);
    assert!(left.join("lode.sqlite3-wal").exists());
    open_to_all(&left);
    assert_eq!(run(&left)[1], "basket 3");
    // Without one of them, what waits in the other cannot be read, and the file alone is out of date.
    let [changes, shared] = ["lode.sqlite3-wal", "lode.sqlite3-shm"].map(|name| left.join(name));
    for (length, rows) in [(None, "basket 0"), (Some(0), "basket 3")] {
        set(&left, 0o755);
        let _ = std::fs::remove_file(&shared);
        set(&changes, 0o644);
        length.into_iter().for_each(|length| {
            std::fs::File::options().write(true).open(&changes).unwrap().set_len(length).unwrap();
        });
        open_to_all(&left);
        assert_eq!(run(&left)[1], rows);
    }
    set(&left, 0o755);
    set(&empty, 0o755);
}
