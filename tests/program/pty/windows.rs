//! Several windows on one profile: what each of them does survives, and one that may not write still shows.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use lode_core::credits::grouped;
use lode_sandbox::corpus::CorpusKind;
use portable_pty::CommandBuilder;

use crate::pty::money::window;
use common::terminal::Terminal;
use common::test_app::{Ran, TestApp};

/// Rows that each window puts in the basket, of which it takes the first few out again, and saves every few a search.
const ROWS: u64 = 45;
const OUT: u64 = 5;
const EVERY: u64 = 5;

fn toggle(terminal: &mut Terminal, row: u64) {
    terminal.send(&format!("{row}G"));
    terminal.wait_for(&format!("╰─ {row} of "));
    terminal.send(" ");
    terminal.wait_for(&format!("╰─ {} of ", row + 1));
}

/// The rows of one window: every second one.
fn rows(first: u64) -> impl Iterator<Item = u64> {
    (0..ROWS).map(move |at| first + 2 * at)
}

/// In and out again until it was long enough, and in at the end. Returns the names of what was saved.
fn edits(terminal: &mut Terminal, name: &str, first: u64, least: Duration) -> Vec<String> {
    let begun = Instant::now();
    let mut saved = Vec::new();
    for pass in 1.. {
        for (at, row) in rows(first).enumerate() {
            toggle(terminal, row);
            if (at as u64).is_multiple_of(EVERY) && pass % 6 == 1 {
                let name = format!("{name}-{pass}-{at}");
                terminal.send("s");
                terminal.wait_for("Save this search");
                terminal.send(&format!("\x15{name}\r"));
                terminal.wait_for(&format!("Saved `{name}`"));
                saved.push(name);
            }
        }
        if pass % 2 == 1 && begun.elapsed() >= least {
            break;
        }
    }
    rows(first).take(OUT as usize).for_each(|row| toggle(terminal, row));
    saved
}

fn set_modes(folder: &Path, of_folders: u32, of_files: u32) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            set_modes(&path, of_folders, of_files);
        } else {
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(of_files)).unwrap();
        }
    }
    std::fs::set_permissions(folder, std::fs::Permissions::from_mode(of_folders)).unwrap();
}

/// A window that may read the state folder and not write to it. Root may write anywhere, so there it runs as the user 65534.
fn bystander(app: &TestApp) -> Terminal {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_lode"));
    if rustix::process::geteuid().is_root() {
        let copy = app.path("lode");
        let made = std::process::Command::new("cp").arg(env!("CARGO_BIN_EXE_lode")).arg(&copy).status().unwrap();
        assert!(made.success());
        command = CommandBuilder::new("chroot");
        command.args(["--userspec=65534:65534", "--skip-chdir", "/"]);
        command.arg(&copy);
    }
    command.env_clear();
    for (name, value) in app.command(&[]).get_envs() {
        command.env(name, value.expect("the app sets its variables"));
    }
    command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    command.cwd("/");
    Terminal::start(command, 160, 48)
}

#[test]
fn what_two_windows_do_at_once_survives_and_a_third_that_may_not_write_still_shows() {
    side_by_side(Duration::ZERO);
}

#[test]
#[ignore = "takes a minute: cargo test --test program -- --ignored minute"]
fn two_windows_for_a_minute() {
    side_by_side(Duration::from_secs(60));
}

fn side_by_side(least: Duration) {
    let app = TestApp::new();
    let saved: BTreeSet<String> = std::thread::scope(|scope| {
        let both = [("one", 1), ("two", 2)].map(|(name, first)| {
            let mut terminal = window(&app);
            scope.spawn(move || {
                terminal.wait_for("page 1/");
                let saved = edits(&mut terminal, name, first, least);
                // A window that leaves has written down what was done.
                terminal.send("q");
                assert!(terminal.wait_exit().success());
                terminal.is_restored();
                saved
            })
        });
        both.into_iter().flat_map(|window| window.join().unwrap()).collect()
    });
    let page = app.run(&["search", "--limit", "100", "--json"]).ended(0).ids();
    let wanted: BTreeSet<u64> =
        [1, 2].into_iter().flat_map(|first| rows(first).skip(OUT as usize)).map(|row| page[row as usize - 1]).collect();
    let staged = app.run(&["basket", "list", "--json"]).ended(0).ids();
    assert_eq!(staged.iter().copied().collect::<BTreeSet<u64>>(), wanted);
    assert_eq!(staged.len(), wanted.len(), "each once");
    let listed = app.run(&["saved", "list", "--json"]).ended(0);
    let names: BTreeSet<String> = listed.lines().iter().map(|line| line["name"].as_str().unwrap().to_owned()).collect();
    assert_eq!(names, saved, "every search of both");

    // One of them is at it again while a third looks in.
    let mut one = window(&app);
    one.wait_for(&format!("Basket {}", wanted.len()));
    set_modes(&app.path("state"), 0o555, 0o444);
    if app.path("config").exists() {
        set_modes(&app.path("config"), 0o555, 0o444);
    }
    std::fs::set_permissions(app.path(""), std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut third = bystander(&app);
    third.wait_for("page 1/");
    third.wait_for(&format!("Basket {}", wanted.len()));
    third.send("100G");
    third.wait_for("╰─ 100 of ");
    third.send(" ");
    third.wait_for("the state folder cannot be written to");
    third.send("gv");
    third.wait_for(&format!("Saved {}", saved.len()));
    third.send("gs");
    third.wait_for("3,000 contacts");
    third.send("q");
    assert!(third.wait_exit().success());
    third.is_restored();
    set_modes(&app.path("state"), 0o755, 0o644);
    one.send("q");
    assert!(one.wait_exit().success());
    let staged = app.run(&["basket", "list", "--json"]).ended(0).ids();
    assert_eq!(staged.len(), wanted.len(), "a window that may not write has not written");
}

/// What a colleague bought is owned here after one search of one window: in every window, in the shell, for free.
#[test]
fn fifty_contacts_that_a_colleague_bought_are_owned_in_every_window_after_one_search() {
    const THEIRS: usize = 50;
    let app = TestApp::new();
    let page = app.run(&["search", "--limit", "100", "--json"]).ended(0).ids();
    let mut one = window(&app);
    one.wait_for("page 1/");
    let mut two = window(&app);
    two.wait_for("page 1/");
    let bought =
        app.sandbox.service().member_unlocks(&app.org(), CorpusKind::Us, &page[..THEIRS], app.sandbox.now_ms());
    assert_eq!(bought.len(), THEIRS);
    let balance = app.balance();

    one.send("R");
    one.wait_for("Owned 50");
    two.wait_for("Owned 50");
    let owned = app.run(&["owned", "--json"]).ended(0);
    assert_eq!(owned.sorted_ids(), app.owned());
    assert!(owned.lines().iter().all(|line| line["email"].as_str().is_some_and(|email| email.contains('@'))));

    // Exportable and free.
    two.send("go");
    two.wait_for("Owned 50");
    two.send("e");
    two.wait_for("Export as");
    two.send("/contacts\r");
    two.wait_for("Export to");
    two.send("theirs.csv\r");
    two.wait_for("Nothing was spent.");
    assert_eq!(std::fs::read_to_string(app.path("theirs.csv")).unwrap().lines().count(), THEIRS + 1);
    two.send("\x1b");
    two.wait_gone("Nothing was spent.");

    // Never quoted: the second window shows its rows as they were, and knows better all the same.
    two.send("gs");
    two.wait_for("╰─ 1 of ");
    two.send(&" ".repeat(THEIRS + 10));
    two.wait_for("╰─ 61 of ");
    two.send("U");
    assert_eq!(two.pay(), "10", "only what was not bought yet");
    two.wait_for("10 unlocked");
    assert_eq!(app.balance(), balance - 10 + refunded(&app, &page[THEIRS..THEIRS + 10]));
    for window in [&mut one, &mut two] {
        window.wait_for("Owned 60");
        window.send("\x1b");
        window.wait_gone("10 unlocked");
        window.send("q");
        assert!(window.wait_exit().success());
        window.is_restored();
    }
}

/// How many of these came back.
fn refunded(app: &TestApp, ids: &[u64]) -> i64 {
    let owned = app.run(&["owned", "--json"]).ended(0).lines();
    let back = |line: &&serde_json::Value| line["refunded"] == true && ids.contains(&line["id"].as_u64().unwrap());
    i64::try_from(owned.iter().filter(back).count()).unwrap()
}

/// Two windows that have nothing to do cost nothing; what one does is on the other's screen at once.
#[test]
#[ignore = "measures time, and waits a minute: cargo test --test program -- --ignored --nocapture median"]
fn two_idle_windows_cost_nothing_and_a_change_takes_a_median_of_less_than_100_ms() {
    const CHANGES: usize = 50;
    let app = TestApp::new();
    let mut one = window(&app);
    one.wait_for("page 1/");
    let two = window(&app);
    two.wait_for("page 1/");
    for window in [&one, &two] {
        let aged = |screen: &vt100::Screen| screen.contents().contains(" as of ");
        window.wait_within(Duration::from_secs(150), "the age of the balance", aged);
        assert!(!window.changes_within(Duration::from_secs(1)));
    }
    let counted = || [&one, &two].map(|window| (window.bytes(), window.switches()));
    let before = counted();
    assert!(!one.changes_within(Duration::from_secs(10)));
    let after = counted();
    println!(
        "two windows, 10 s: {} bytes, {} context switches",
        after[0].0 + after[1].0 - before[0].0 - before[1].0,
        after[0].1 + after[1].1 - before[0].1 - before[1].1
    );
    assert_eq!(after, before);

    let mut took = Vec::with_capacity(CHANGES);
    for change in 1..=CHANGES {
        let begun = Instant::now();
        one.send(" ");
        two.wait_for(&format!("Basket {change} "));
        took.push(begun.elapsed());
    }
    took.sort();
    let median = took[CHANGES / 2];
    println!(
        "from the key in one window to the screen of the other: median {median:?}, longest {:?}",
        took[CHANGES - 1]
    );
    assert!(median < Duration::from_millis(100), "{median:?}");
}

/// No test terminal sends focus events: what appears in a window was learned by itself.
#[test]
fn a_window_learns_what_another_and_the_shell_do() {
    let app = TestApp::new();
    let mut one = window(&app);
    one.wait_for("page 1/");
    let mut two = window(&app);
    two.wait_for("page 1/");
    let owned = app.run(&["owned", "--json"]).ended(0).ids().len();

    one.send("   ");
    two.wait_for("Basket 3");
    two.send("U");
    assert_eq!(two.pay(), "3", "the review covers what the other window staged");
    two.wait_for("3 unlocked");
    one.wait_for(&format!("Owned {}", owned + 3));
    one.wait_gone("Basket 3");
    one.wait_for(&format!("{} credits", grouped(app.balance().unsigned_abs())));
    two.send("\x1b");
    two.wait_gone("Esc close");

    // A saved search.
    one.send("gv");
    one.wait_for("Saved");
    two.send("s");
    two.wait_for("Save this search");
    two.send("\x15mine\r");
    two.wait_for("Saved `mine`");
    one.wait_for("Saved 1");

    // The shell: what a colleague bought is seen there and known here.
    let page = app.run(&["search", "--limit", "40", "--json"]).ended(0).ids();
    let bought = app.sandbox.service().member_unlocks(&app.org(), CorpusKind::Us, &page[20..30], app.sandbox.now_ms());
    app.run(&["search", "--limit", "40", "--json"]).ended(0);
    one.wait_for(&format!("Owned {}", owned + 3 + bought.len()));
    two.wait_for(&format!("Owned {}", owned + 3 + bought.len()));
    app.run(&["basket", "add", "--corpus", "us", &page[39].to_string()]).ended(0);
    one.wait_for("Basket 1");
    two.wait_for("Basket 1");
    app.run(&["basket", "clear"]).ended(0);
    one.wait_gone("Basket 1");

    for window in [&mut one, &mut two] {
        window.send("q");
        if !window.screen().contains("RESULTS") {
            window.send("q");
        }
        assert!(window.wait_exit().success());
        window.is_restored();
    }
}

/// The folder's own notice of each rename arrives while the rename is on its way.
#[test]
fn a_search_that_is_renamed_here_and_on_the_service_has_the_new_name_there() {
    let app = TestApp::new();
    app.run(&["saved", "add", "name 0", "--title", "nurse"]).ended(0);
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    terminal.send("gv");
    terminal.wait_for("name 0");
    for at in 1..=6 {
        terminal.send("r");
        terminal.wait_for("New name of");
        terminal.send(&format!("\x15name {at}\r"));
        terminal.wait_for(&format!("Renamed `name {}`", at - 1));
        let said = terminal.screen();
        assert!(said.contains(&format!("to `name {at}`, here and on the service.")), "{said}");
        let fresh = common::folder();
        let mut elsewhere = app.command(&["saved", "list", "--json"]);
        elsewhere.env("LODE_CONFIG_DIR", fresh.path()).env("LODE_STATE_DIR", fresh.path());
        let listed = Ran::of(elsewhere.spawn().unwrap()).ended(0).lines();
        let names: Vec<&str> = listed.iter().map(|line| line["name"].as_str().unwrap()).collect();
        assert_eq!(names, [format!("name {at}")], "what the service has");
    }
}
