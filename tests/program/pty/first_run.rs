//! The first run on a real terminal, against a sandbox: every key that can come through the door, and every one that cannot.

use common::CLOSED;
use common::asking::Small;
use std::path::Path;

use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::ServiceSetup;

use common::terminal::{Terminal, lode};

fn sandbox() -> Sandbox {
    Sandbox::start(SandboxSettings {
        setup: ServiceSetup { credits: 1_204, ..ServiceSetup::small() },
        ..SandboxSettings::default()
    })
    .unwrap()
}

fn start(home: &Path) -> Terminal {
    let terminal = Terminal::start(lode(home, &[]), 110, 34);
    terminal.wait_for("Welcome to lode");
    terminal
}

/// From the welcome to the key field.
fn address(terminal: &mut Terminal, line: u32, url: &str) {
    terminal.send("a");
    terminal.wait_for("▌ w  Workspace key");
    if line == 2 {
        terminal.send("j");
        terminal.wait_for("▌ d  Data API key");
    }
    terminal.send("\r");
    terminal.wait_for("URL of the service");
    terminal.send(url);
    terminal.wait_for(url);
    terminal.send("\r");
}

fn paste(terminal: &mut Terminal, key: &str) {
    terminal.wait_for("API key (hidden; you can paste)");
    terminal.send(&format!("\x1b[200~{key}\x1b[201~"));
    terminal.wait_for(&format!("{} characters", key.chars().count()));
    assert!(!terminal.screen().contains(key), "a key is never on the screen:\n{}", terminal.screen());
    terminal.send("\r");
}

/// There is no keyring here, so the mark stands on the command: one further is the private file.
fn private_file(terminal: &mut Terminal) {
    terminal.wait_for("Where should the key be stored?");
    terminal.wait_for("cannot be used here");
    terminal.wait_for("▌ a  a command that prints it");
    terminal.send("j");
    terminal.wait_for("▌ p  a private file");
    terminal.send("\r");
}

fn config(home: &Path) -> String {
    std::fs::read_to_string(home.join("config/config.toml")).unwrap_or_default()
}

/// No file under the home but the key's own may hold the key.
fn only_in(home: &Path, key: &str, allowed: &Path) {
    let mut folders = vec![home.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path != allowed {
                let bytes = std::fs::read(&path).unwrap_or_default();
                let found = bytes.windows(key.len()).any(|window| window == key.as_bytes());
                assert!(!found, "the key is in {}", path.display());
            }
        }
    }
}

#[test]
fn both_keys_come_in_are_proved_kept_and_used() {
    let sandbox = sandbox();
    let home = common::folder();
    let mut terminal = start(home.path());
    let url = &sandbox.workspace_url;
    // Without its ending the address is completed, and that is said.
    address(&mut terminal, 1, url.trim_end_matches("/api/v1"));
    terminal.wait_for("the Workspace address ends in /api/v1");
    paste(&mut terminal, &sandbox.workspace_key);
    terminal.wait_for("may search and unlock, 1,204 credits");
    private_file(&mut terminal);
    terminal.wait_for("A name for this profile");
    terminal.send("\x15acme\r");
    terminal.wait_for("Maximum credits per session");
    terminal.send("200\r");
    terminal.wait_for("Maximum credits in any 24 hours");
    terminal.send("\r");
    terminal.wait_for("acme ● sandbox");
    terminal.wait_for("PRIVATE FILE");
    terminal.resize(160, 40);
    terminal.wait_for("spent 0 of 200");
    terminal.wait_for("page 1/");
    let written = config(home.path());
    assert!(written.contains("[profiles.acme.workspace]") && written.contains("session = 200"), "{written}");
    let file = home.path().join("config/acme-workspace.key");
    only_in(home.path(), &sandbox.workspace_key, &file);

    // The other service, for the same profile: neither name nor caps are asked again.
    terminal.send("P");
    terminal.wait_for("▌ a  acme [SANDBOX]  this window");
    terminal.send("\r");
    terminal.wait_for("add a Data API key");
    terminal.send("jjjj");
    terminal.wait_for("▌ d  add a Data API key");
    terminal.send("\r");
    terminal.wait_for("URL of the service");
    terminal.send(&format!("{}\r", sandbox.data_url));
    paste(&mut terminal, &sandbox.data_key);
    terminal.wait_for("The Data API accepts this key");
    private_file(&mut terminal);
    terminal.wait_for("Profile acme saved and opened.");
    // Where the person was is read first.
    terminal.wait_for("page 1/");
    terminal.press_until("P", |screen| screen.contains("keys in files"));
    terminal.send("\x1b");
    terminal.wait_gone("keys in files");
    terminal.send("W");
    terminal.wait_for("Data · US");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();

    // Tomorrow it opens by itself.
    let mut terminal = Terminal::start(lode(home.path(), &[]), 110, 34);
    terminal.wait_for("acme ● sandbox");
    terminal.send("q");
    terminal.wait_exit();
}

#[test]
fn a_data_key_alone_makes_a_profile() {
    let sandbox = sandbox();
    let home = common::folder();
    let mut terminal = start(home.path());
    address(&mut terminal, 2, &sandbox.data_url);
    paste(&mut terminal, &sandbox.data_key);
    terminal.wait_for("The Data API accepts this key");
    private_file(&mut terminal);
    terminal.wait_for("A name for this profile");
    terminal.send("\r");
    terminal.wait_for("Data · US");
    terminal.wait_for("PRIVATE FILE");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn a_wrong_key_is_refused_and_nothing_is_kept() {
    let sandbox = sandbox();
    let home = common::folder();
    let mut terminal = start(home.path());
    address(&mut terminal, 1, &sandbox.workspace_url);
    paste(&mut terminal, "ak_wrong_0123456789abcdef");
    terminal.wait_for("The service refused this key");
    terminal.wait_for("nothing typed yet");
    paste(&mut terminal, &sandbox.workspace_key);
    terminal.wait_for("may search and unlock");
    assert!(!home.path().join("config").exists(), "nothing is written before the last step");
    terminal.signal(rustix::process::Signal::TERM);
    terminal.wait_exit();
    terminal.is_restored();
}

#[test]
fn a_key_that_only_reads_says_so_and_never_spends() {
    let sandbox = sandbox();
    let reader = sandbox.service().make_key(&sandbox.service().org(), "reader", &["search"]);
    let home = common::folder();
    let mut terminal = start(home.path());
    address(&mut terminal, 1, &sandbox.workspace_url);
    paste(&mut terminal, &reader);
    terminal.wait_for("may search only");
    private_file(&mut terminal);
    terminal.wait_for("A name for this profile");
    terminal.send("\x15reader\r");
    terminal.wait_for("Maximum credits per session");
    terminal.send("\r");
    terminal.wait_for("Maximum credits in any 24 hours");
    terminal.send("\r");
    terminal.wait_for("reader ● sandbox");
    terminal.wait_for("page 1/");
    terminal.resize(170, 40);
    terminal.wait_for("SEARCH ONLY");
    terminal.send(" ");
    terminal.wait_for("Basket 1");
    terminal.send("U");
    terminal.wait_for("This key may only search.");
    assert!(!terminal.screen().contains("Maximum cost"));
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn plain_http_is_refused_before_a_key_is_asked_for() {
    let home = common::folder();
    let mut terminal = start(home.path());
    address(&mut terminal, 1, "http://api.example/api/v1");
    terminal.wait_for("would send the key unencrypted");
    assert!(!terminal.screen().contains("API key"));
    terminal.send("\x15no address\r");
    terminal.wait_for("is not a URL");
}

#[test]
fn a_service_that_is_not_there_is_said() {
    let home = common::folder();
    let mut terminal = start(home.path());
    address(&mut terminal, 1, &format!("http://{CLOSED}/api/v1"));
    paste(&mut terminal, "ak_0123456789abcdef");
    terminal.wait_for("The service cannot be reached");
    terminal.wait_for("URL of the service");
}

#[test]
fn the_sandbox_opens_from_the_door() {
    let home = common::folder();
    let mut terminal = start(home.path());
    terminal.wait_for("▌ t  Try the demo");
    terminal.send("\r");
    terminal.wait_for("demo ● sandbox");
    terminal.wait_for("page 1/");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

#[test]
fn profiles_are_renamed_switched_and_removed() {
    let sandbox = sandbox();
    let home = common::folder();
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    let print = home.path().join("print-key");
    std::fs::write(&print, format!("#!/bin/sh\necho {}\n", sandbox.workspace_key)).unwrap();
    let table = |name: &str| {
        format!(
            "[profiles.{name}.workspace]\nurl = \"{}\"\nkey = {{ command = \"sh {}\" }}\n",
            sandbox.workspace_url,
            print.display()
        )
    };
    std::fs::write(folder.join("config.toml"), format!("{}{}", table("east"), table("west"))).unwrap();
    let mut terminal = Terminal::start(lode(home.path(), &[]), 110, 34);
    terminal.wait_for("east ● sandbox");
    terminal.wait_for("page 1/");
    terminal.send(" ");
    terminal.wait_for("Basket 1");

    terminal.send("P");
    terminal.wait_for("▌ e  east [SANDBOX]  this window");
    terminal.send("j\r");
    terminal.wait_for("Profile west");
    terminal.send("\r");
    terminal.wait_for("Switched to profile west.");
    // Two profiles of one workspace share its basket.
    terminal.wait_for("Basket 1");
    terminal.wait_for("page 1/");

    terminal.send("P");
    terminal.wait_for("▌ w  west [SANDBOX]  this window");
    terminal.send("k\r");
    terminal.wait_for("Profile east");
    terminal.send("jj\r");
    terminal.wait_for("Rename east");
    terminal.send("\x15harbour\r");
    terminal.wait_for("Renamed east to harbour.");
    assert!(config(home.path()).contains("[profiles.harbour.workspace]"));

    terminal.send("P");
    terminal.wait_for("harbour [SANDBOX]");
    terminal.wait_for("▌ w  west [SANDBOX]  this window");
    terminal.send("\r");
    terminal.wait_for("Profile west");
    terminal.send("k");
    terminal.wait_for("▌ e  remove it");
    terminal.send("\r");
    terminal.wait_for("▌ c  cancel");
    terminal.send("j\r");
    terminal.wait_for("Removed west.");
    terminal.wait_for("harbour ● sandbox");
    // Its basket came along with the name.
    terminal.wait_for("Basket 1");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
#[cfg(target_os = "linux")]
fn settings_edited_elsewhere_are_read_at_once() {
    settings_are_read(true);
}

#[test]
fn settings_edited_elsewhere_are_read_when_one_comes_back() {
    settings_are_read(false);
}

fn settings_are_read(told_by_system: bool) {
    let sandbox = sandbox();
    let home = common::folder();
    let folder = home.path().join("config");
    std::fs::create_dir_all(&folder).unwrap();
    let table = format!(
        "[profiles.east.data]\nurl = \"{}\"\nkey = {{ command = \"echo {}\" }}\n",
        sandbox.data_url, sandbox.data_key
    );
    std::fs::write(folder.join("config.toml"), &table).unwrap();
    let mut terminal = Terminal::start(lode(home.path(), &[]), 110, 34);
    terminal.wait_for("east ● sandbox");
    std::fs::write(folder.join("config.toml"), format!("{table}\n[keys.always]\nrepaint = [\"F12\"]\n")).unwrap();
    let come_back = if told_by_system { "" } else { "\x1b[O\x1b[I" };
    terminal.send(come_back);
    terminal.wait_for("Settings reloaded.");
    std::fs::write(folder.join("config.toml"), "profile = 7\n").unwrap();
    terminal.send(come_back);
    terminal.wait_for("config.toml, line 1");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}
