//! What a person at a terminal sees: a table that fits, made of text, SGR and nothing else; progress beside it.

use std::io::Read;

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use common::test_app::TestApp;
use lode_host::terminal::capabilities::Capabilities;

/// Runs a command with its output on a terminal of this width.
pub fn at_a_terminal(app: &TestApp, columns: u16, arguments: &[&str]) -> String {
    let pty = native_pty_system();
    let pair = pty.openpty(PtySize { rows: 24, cols: columns, pixel_width: 0, pixel_height: 0 }).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_lode"));
    command.args(arguments);
    command.env_clear();
    let plain = app.command(arguments);
    for (name, value) in plain.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.env("TERM", "xterm-256color");
    command.cwd(app.path("."));
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut text = Vec::new();
    // The end of a pty is an error on some systems: what came before it counts.
    drop(reader.read_to_end(&mut text));
    assert!(child.wait().unwrap().success());
    String::from_utf8(text).unwrap()
}

/// Without colors; whatever else is a control sequence stays and is found.
pub fn without_sgr(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\x1b[") {
        out.push_str(&rest[..at]);
        let tail = &rest[at + 2..];
        let end = tail.find(|c: char| c.is_ascii_alphabetic()).unwrap();
        assert_eq!(&tail[end..=end], "m", "only SGR: {tail:?}");
        rest = &tail[end + 1..];
    }
    out + rest
}

#[test]
fn a_table_fits_the_terminal_and_uses_only_sgr() {
    let app = TestApp::new();
    app.fault("hostile@search=1");
    for columns in [40, 80, 160] {
        let text = at_a_terminal(&app, columns, &["search", "--limit", "20"]);
        let plain = without_sgr(&text);
        assert!(plain.chars().all(|c| !c.is_control() || "\r\n".contains(c)), "{plain:?}");
        let lines: Vec<&str> = plain.split(['\r', '\n']).map(str::trim_end).filter(|line| !line.is_empty()).collect();
        assert!(lines.iter().any(|line| line.trim_start().starts_with("ID") && line.contains("NAME")), "{plain}");
        for line in &lines {
            let width = unicode_width::UnicodeWidthStr::width(*line);
            assert!(width <= usize::from(columns).max(79), "{columns}: {width} {line:?}");
        }
    }
}

#[test]
fn every_command_has_a_face_for_people() {
    let app = TestApp::new();
    // What `lode doctor` asks the terminal, on the screen of full-screen programs.
    let questions = Capabilities::default().ask(std::time::Instant::now());
    let asked = format!("\x1b[?1049h{}\x1b[?1049l", String::from_utf8(questions).unwrap());
    for (arguments, sign) in [
        (&["me"][..], "credits    1,204"),
        (&["counts"], "KIND"),
        (&["unlock", "--corpus", "us", "--max-credits", "2", "--dry-run", "1", "2"], "Nothing sent, nothing spent."),
        (&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"], "2 unlocked · 2 credits"),
        (&["owned"], "EMAIL"),
        (&["receipts"], "CHARGED"),
        (&["recover"], "no unknown results"),
        (&["basket", "add", "5"], "added 1 row to the basket of Workspace · US (1). Nothing spent."),
        (&["basket"], "COMPANY"),
        (&["basket", "clear"], "emptied"),
        (&["saved", "add", "a", "--title", "nurse"], "saved `a`"),
        (&["saved", "list"], "FILTERS"),
        (&["saved", "show", "a"], "lode search --source workspace --corpus us --title nurse"),
        (&["saved", "run", "a"], "first run: all are new"),
        (&["export", "--query", "nurse", "-o", "x.csv"], "phone numbers preserved"),
        (&["doctor"], "reached: "),
        (&["info"], "settings"),
    ] {
        let text = at_a_terminal(&app, 120, arguments);
        let text = without_sgr(&text.replace(&asked, ""));
        assert!(text.contains(sign), "{arguments:?}: {text}");
    }
}
