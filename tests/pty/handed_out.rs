//! What is handed out, driven as a person would: the archive of a release in an empty folder, a build of another system.
//!
//! Both need a build that takes long, so they are started by hand, with `-- --ignored --nocapture`:
//! `LODE_ARCHIVE=dist/lode-….tar.gz cargo test --test pty archive` and
//! `LODE_COMMAND='packaging/cross.sh wine' cargo test --test pty another_system`.

use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;

use crate::terminal::Terminal;

fn show(what: &str, terminal: &Terminal) {
    println!("== {what}\n{}\n", terminal.screen());
}

/// From the first frame of a demo to an unlocked contact, and out again.
fn walk(terminal: &mut Terminal) {
    terminal.wait_for("SANDBOX");
    show("first frame", terminal);
    terminal.wait_for("page 1/");
    terminal.send("/");
    terminal.wait_for("contains");
    terminal.send("nurse\r");
    terminal.wait_for("title~nurse");
    terminal.wait_for("page 1/");
    show("search", terminal);
    terminal.send(" ");
    terminal.wait_for("Basket 1");
    terminal.send("U");
    assert_eq!(terminal.pay(), "1");
    terminal.wait_for("1 unlocked");
    show("unlock", terminal);
    terminal.send("\x1b");
    terminal.wait_gone("1 unlocked");
    terminal.send("go");
    terminal.wait_for("Owned 1");
    show("owned", terminal);
    terminal.send("gs");
    terminal.wait_for("page 1/");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
    show("left", terminal);
}

fn named(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} names what is driven"))
}

/// One file, no library, no folder of the system, not even a device: and within ten seconds rows are there.
#[test]
#[ignore = "drives the archive that LODE_ARCHIVE names, and needs the right to change the root folder"]
fn the_archive_runs_in_an_empty_folder() {
    let archive = PathBuf::from(named("LODE_ARCHIVE"));
    let root = tempfile::tempdir().unwrap();
    let unpacked = tempfile::tempdir().unwrap();
    let began = Instant::now();
    let mut tar = Command::new("tar");
    tar.arg("-xzf").arg(&archive).args(["--strip-components", "1", "-C"]).arg(unpacked.path());
    assert!(tar.status().unwrap().success(), "{} cannot be unpacked", archive.display());
    let binary = root.path().join("lode");
    std::fs::rename(unpacked.path().join("lode"), &binary).unwrap();
    let mut command = CommandBuilder::new("/usr/sbin/chroot");
    command.args([root.path().to_str().unwrap(), "/lode", "demo"]);
    command.env_clear();
    command.env("TERM", "xterm-256color");
    command.cwd(root.path());
    let mut terminal = Terminal::start(command, 160, 48);
    terminal.wait_for("page 1/");
    let took = began.elapsed();
    let libraries = Command::new("ldd").arg(&binary).output().unwrap();
    println!("ldd: {}", String::from_utf8_lossy(&[libraries.stdout, libraries.stderr].concat()).trim());
    println!("from the archive to the first rows: {} ms", took.as_millis());
    assert!(took < Duration::from_secs(10));
    walk(&mut terminal);
}

#[test]
#[ignore = "drives the command that LODE_COMMAND names, such as `packaging/cross.sh wine`"]
fn a_build_of_another_system_on_its_console() {
    let named = named("LODE_COMMAND");
    let mut words = named.split_whitespace();
    let home = tempfile::tempdir().unwrap();
    let mut command = CommandBuilder::new(words.next().unwrap());
    command.args(words);
    command.args(["demo", "--us-rows", "60000", "--linkedin-rows", "20000"]);
    for folder in ["state", "runtime", "config"] {
        command.env(format!("LODE_{}_DIR", folder.to_uppercase()), home.path().join(folder));
    }
    command.env("TERM", "xterm-256color");
    command.cwd(env!("CARGO_MANIFEST_DIR"));
    walk(&mut Terminal::start(command, 160, 48));
}
