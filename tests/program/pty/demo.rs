//! The demo: it comes back as it was left, in a folder of its own, with the settings of its user that concern the screen.

use std::path::Path;

use portable_pty::CommandBuilder;
use rustix::process::Signal;

use common::terminal::{DEMO, Terminal, lode};

fn demo(home: &Path, more: &[&str]) -> CommandBuilder {
    lode(home, &[&DEMO[..], more].concat())
}

/// A demo without a named state folder, as almost everybody starts it.
fn usual(home: &Path, arguments: &[&str]) -> CommandBuilder {
    let mut command = lode(home, arguments);
    command.env_remove("LODE_STATE_DIR");
    command
}

fn started(command: CommandBuilder) -> Terminal {
    let terminal = Terminal::start(command, 160, 48);
    terminal.wait_for("page 1/");
    terminal
}

fn left(mut terminal: Terminal) {
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

/// Every file below a folder.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.path().is_dir() {
            true => found.extend(files(&entry.path())),
            false => found.push(entry.path().display().to_string()),
        }
    }
    found
}

#[test]
fn a_demo_comes_back_as_it_was_left_until_it_starts_over() {
    let home = common::folder();
    let mut terminal = started(usual(home.path(), &DEMO));
    terminal.send("/");
    terminal.wait_for("contains");
    terminal.send("nurse\r");
    terminal.wait_for("title nurse");
    terminal.wait_for("page 1/");
    terminal.send(" U");
    assert_eq!(terminal.pay(), "1");
    terminal.wait_for("unlocked · ");
    terminal.send("\x1b");
    terminal.wait_for("1,203 credits");
    terminal.send("30G");
    terminal.wait_for("╰─ 30 of ");
    terminal.send(" ");
    terminal.wait_for("Basket 1");
    terminal.wait_for("Tour 4/5");
    left(terminal);

    // Without its flags it continues as it began.
    let terminal = Terminal::start(usual(home.path(), &["demo"]), 160, 48);
    terminal.wait_for("title nurse");
    for kept in ["╰─ 31 of ", "Basket 1", "1,203 credits", "Tour 4/5", "Owned 1"] {
        terminal.wait_for(kept);
    }
    left(terminal);
    // Nothing of it is in the real ledger.
    let written = files(home.path());
    let is_of_demo = |file: &&String| file.contains("/.local/state/lode/demo/") || file.contains("/runtime/");
    let elsewhere: Vec<&String> = written.iter().filter(|file| !is_of_demo(file)).collect();
    assert!(written.iter().any(|file| file.ends_with("/demo/lode.sqlite3")), "{written:?}");
    assert!(elsewhere.iter().all(|file| file.ends_with("/background")), "{elsewhere:?}");

    let terminal = started(usual(home.path(), &[&DEMO[..], &["--fresh"]].concat()));
    terminal.wait_for("1,204 credits");
    terminal.wait_for("Tour 1/5");
    assert!(!terminal.screen().contains("title nurse"), "{}", terminal.screen());
    left(terminal);
}

/// The sandbox dies with the window, in the middle of an unlock that it has carried out already.
#[test]
fn a_demo_that_is_killed_while_it_unlocks_recovers_as_the_real_one_does() {
    let home = common::folder();
    let mut terminal = started(demo(home.path(), &["--fault", "latency@unlock=60000"]));
    terminal.send("   U");
    assert_eq!(terminal.pay(), "3");
    let journal = home.path().join("state/demo/sandbox.journal");
    let bought = |text: String| text.contains("\"unlocked\"");
    terminal.press_until("j", |_| std::fs::read_to_string(&journal).is_ok_and(bought));
    terminal.signal(Signal::KILL);
    terminal.wait_exit();

    let mut terminal = Terminal::start(lode(home.path(), &DEMO), 160, 48);
    terminal.wait_for("Result unknown");
    terminal.send("\r");
    terminal.wait_for("All resolved");
    terminal.send("\x1bgo");
    terminal.wait_for("Owned 3");
    terminal.wait_for("1,201 credits");
    terminal.send("gs");
    left(terminal);
}

#[test]
fn a_second_demo_says_what_to_do_and_starts_nothing_over() {
    let home = common::folder();
    let mut first = started(lode(home.path(), &DEMO));
    first.send(" ");
    first.wait_for("Basket 1");
    for flags in [&[][..], &["--fresh"]] {
        let mut second = Terminal::start(demo(home.path(), flags), 160, 48);
        second.wait_for("another demo is running");
        second.wait_for("LODE_STATE_DIR=./demo lode demo");
        assert_eq!(second.wait_exit().exit_code(), 1);
    }
    let mut command = lode(home.path(), &DEMO);
    command.env("LODE_STATE_DIR", home.path().join("other"));
    left(started(command));
    left(first);
    let terminal = started(lode(home.path(), &DEMO));
    terminal.wait_for("Basket 1");
    left(terminal);
}

#[test]
fn a_folder_of_another_program_and_other_rows_are_refused() {
    let home = common::folder();
    let folder = home.path().join("state/demo");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("thesis.txt"), "mine").unwrap();
    let mut terminal = Terminal::start(demo(home.path(), &["--fresh"]), 160, 48);
    terminal.wait_for("holds files of another program");
    assert_eq!(terminal.wait_exit().exit_code(), 1);
    assert_eq!(std::fs::read_to_string(folder.join("thesis.txt")).unwrap(), "mine");

    std::fs::remove_file(folder.join("thesis.txt")).unwrap();
    left(started(demo(home.path(), &[])));
    let mut terminal = Terminal::start(lode(home.path(), &["demo", "--credits", "7"]), 160, 48);
    terminal.wait_for("--fresh");
    assert_eq!(terminal.wait_exit().exit_code(), 2);
    let terminal = started(demo(home.path(), &["--fresh", "--credits", "7"]));
    terminal.wait_for(" 7 credits");
    left(terminal);
}

#[test]
fn the_demo_takes_theme_keys_and_rules_from_its_user_and_nothing_that_acts() {
    let home = common::folder();
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    let own = home.path().join("ran");
    let config = format!(
        "profile = \"acme\"\n[profiles.acme.workspace]\nurl = \"https://api.example/api/v1\"\nkey = \"keyring\"\n\
         [profiles.acme.caps]\ncall = 1\n[profiles.demo.caps]\ncall = 1\n[keys.results]\nstage = [\"b\"]\n\
         [commands.results]\npush = {{ run = [\"touch\", \"{}\"], key = \"K\" }}\n[choose]\nper_company = 1\n",
        own.display()
    );
    std::fs::write(folder.join("config.toml"), config).unwrap();
    std::fs::write(folder.join("score.toml"), "[state]\nTX = 77\n").unwrap();
    std::fs::write(folder.join("mail.toml"), "subject = \"S77\"\n").unwrap();
    let mut command = lode(home.path(), &DEMO);
    command.env("SSH_CONNECTION", "1");
    let mut terminal = started(command);
    terminal.wait_for(" 77 ");
    terminal.send("bb");
    terminal.wait_for("Basket 2");
    terminal.send("KU");
    // No cap of a profile.
    assert_eq!(terminal.pay(), "2");
    terminal.wait_for("unlocked · ");
    assert!(!own.exists());
    terminal.send("\x1b");
    terminal.wait_gone("unlocked · ");
    // Without a mail program the address is shown.
    terminal.send("gggxe");
    terminal.wait_for("?subject=S77");

    // Broken while it runs, then at the start: a sentence, and the demo goes on with its own.
    std::fs::write(folder.join("score.toml"), "[state]\nTX = \"much\"\n").unwrap();
    terminal.wait_for("score.toml, line 2");
    terminal.wait_gone(" 77 ");
    std::fs::write(folder.join("config.toml"), "[keys\n").unwrap();
    terminal.wait_for("config.toml, line 1");
    left(terminal);
    let terminal = started(lode(home.path(), &DEMO));
    terminal.wait_for("The demo ignores this file.");
    left(terminal);
}

/// The demo of a window that is open already: its keys were read from all of the settings.
#[test]
fn own_commands_do_not_run_on_the_rows_of_the_sandbox() {
    let home = common::folder();
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    let own = home.path().join("ran");
    let config = format!("[commands.results]\npush = {{ run = [\"touch\", \"{}\"], key = \"K\" }}\n", own.display());
    std::fs::write(folder.join("config.toml"), config).unwrap();
    let mut terminal = Terminal::start(lode(home.path(), &[]), 160, 48);
    terminal.wait_for("Welcome to lode");
    terminal.send("\r");
    terminal.wait_for("page 1/");
    terminal.send("K");
    terminal.wait_read();
    terminal.send(" ");
    terminal.wait_for("Basket 1");
    assert!(!terminal.screen().contains("Jobs 1") && !own.exists(), "{}", terminal.screen());
    left(terminal);
}

/// Where the user has none, there are the rules of the example.
#[test]
fn the_demo_has_score_rules_of_its_own() {
    let home = common::folder();
    let terminal = started(lode(home.path(), &DEMO));
    terminal.wait_for("Score");
    left(terminal);
}

#[test]
fn every_command_can_be_tried_in_the_shell_of_the_demo() {
    let home = common::folder();
    let mut command = demo(home.path(), &["--shell"]);
    for (name, value) in [("SHELL", "/bin/sh"), ("LODE_WORKSPACE_KEY", "ak_of_mine"), ("LODE_PROFILE", "mine")] {
        command.env(name, value);
    }
    let mut terminal = Terminal::keeping(command, 160, 48);
    terminal.wait_for("This shell is set up for the demo");
    terminal.send("env | grep LODE_; lode search --title nurse --limit 3 --json > rows; echo searched $?\r");
    terminal.wait_for("searched 0");
    terminal.send("lode unlock --corpus us --max-credits 3 < rows; echo unlocked $?\r");
    terminal.wait_for("unlocked 0");
    terminal.send("lode doctor; lode owned --json | grep -c email_address; exit 7\r");
    assert!(terminal.wait_exit().success());
    let said = String::from_utf8_lossy(&terminal.written()).into_owned();
    assert!(said.contains("LODE_PROFILE=demo") && !said.contains("ak_of_mine"), "{said}");

    // Its purse is the one of the screen.
    let terminal = started(demo(home.path(), &[]));
    terminal.wait_for("Owned 3");
    terminal.wait_for("1,201 credits");
    left(terminal);
}
