//! What is handed out, driven as a person would: the archive of a release in an empty folder, the program for Windows.
//!
//! Both need a build that takes long, so they are started by hand, with `-- --ignored --nocapture`:
//! `LODE_ARCHIVE=dist/lode-….tar.gz cargo test --test program archive` and
//! `cargo test --test program under_wine`, after `packaging/cross.sh build x86_64-pc-windows-gnu`.

use std::io::Read;
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use portable_pty::CommandBuilder;

use common::terminal::Terminal;

fn show(what: &str, terminal: &Terminal) {
    println!("== {what}\n{}\n", terminal.screen());
}

/// From the first frame of a demo to an unlocked contact, and out again.
fn walk(terminal: &mut Terminal) {
    terminal.wait_for("● sandbox");
    show("first frame", terminal);
    terminal.wait_for("page 1/");
    terminal.send("/");
    terminal.wait_for("contains");
    terminal.send("nurse\r");
    terminal.wait_for("title nurse");
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
    let root = common::folder();
    let unpacked = common::folder();
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
    // There is no folder for temporary files either.
    command.env("LODE_STATE_DIR", "/state");
    command.env("LODE_RUNTIME_DIR", "/runtime");
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

/// Takes the one connection that comes.
struct Port(TcpListener, Option<TcpStream>);

impl Read for Port {
    fn read(&mut self, bytes: &mut [u8]) -> std::io::Result<usize> {
        if self.1.is_none() {
            self.1 = Some(self.0.accept()?.0);
        }
        self.1.as_mut().map_or(Ok(0), |stream| stream.read(bytes))
    }
}

fn under_wine(home: &Path, arguments: &[&str]) -> Terminal {
    let port = TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let number = port.local_addr().unwrap().port().to_string();
    let mut command = CommandBuilder::new(concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/cross.sh"));
    command.args(["screen", &number]);
    command.args(arguments);
    for folder in ["state", "runtime", "config"] {
        command.env(format!("LODE_{}_DIR", folder.to_uppercase()), home.join(folder));
    }
    command.env_remove("TERM");
    command.cwd(env!("CARGO_MANIFEST_DIR"));
    Terminal::drawn_elsewhere(command, 160, 48, Box::new(Port(port, None)))
}

/// Keys through wine's console, and the screen as a terminal with sequences shows it, which wine's console is not.
#[test]
#[ignore = "needs wine and the program for Windows"]
fn a_demo_to_an_unlocked_contact_under_wine() {
    let home = common::folder();
    walk(&mut under_wine(home.path(), &["demo", "--us-rows", "60000", "--linkedin-rows", "20000"]));
}

/// All that is seen of a cell: nothing of the color of a blank.
fn visible(cell: &vt100::Cell) -> (String, [vt100::Color; 2], [bool; 3]) {
    let is_blank = matches!(cell.contents(), "" | " ") && !cell.inverse() && !cell.underline();
    let (ink, bold) = if is_blank { (vt100::Color::Default, false) } else { (cell.fgcolor(), cell.bold()) };
    (cell.contents().trim().to_owned(), [ink, cell.bgcolor()], [bold, cell.underline(), cell.inverse()])
}

/// A cell that differs once Ctrl-l has drawn everything again was wrong.
#[test]
#[ignore = "needs wine and the program for Windows"]
fn no_cell_is_wrong_under_wine() {
    let home = common::folder();
    let mut terminal = under_wine(home.path(), &["demo", "--us-rows", "60000", "--linkedin-rows", "20000"]);
    terminal.wait_for("page 1/");
    let settled = |terminal: &Terminal| {
        while terminal.changes_within(Duration::from_secs(1)) {}
        let mut cells = Vec::new();
        terminal.look(|screen| {
            let (rows, columns) = screen.size();
            let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
            cells.extend(places.filter_map(|(row, column)| screen.cell(row, column)).map(visible));
        });
        cells
    };
    // A key takes the first message away.
    terminal.send("\x0c");
    settled(&terminal);
    // Wine's console keeps its size, so nothing is resized here.
    for (deed, keys) in [("a scroll", "\x1b[B".repeat(60)), ("pages", "]][".to_owned())] {
        terminal.send(&keys);
        let shown = settled(&terminal);
        show(&format!("after {deed}"), &terminal);
        let bytes = terminal.bytes();
        terminal.send("\x0c");
        terminal.wait_redrawn(bytes, "page ");
        let wrong = settled(&terminal).iter().zip(&shown).filter(|(one, other)| one != other).count();
        assert_eq!(wrong, 0, "cells that differ after {deed}");
    }
}
