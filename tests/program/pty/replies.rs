//! What a terminal answers in pieces, and keys of keyboards of another script.

use common::terminal::{Terminal, lode};
use common::test_app::TestApp;

fn open(app: &TestApp) -> Terminal {
    let mut command = lode(&app.path(""), &[]);
    command.env("LODE_WORKSPACE_URL", &app.workspace_url);
    command.env("LODE_WORKSPACE_KEY", &app.workspace_key);
    command.env("LODE_DATA_URL", &app.sandbox.data_url);
    command.env("LODE_DATA_KEY", &app.data_key);
    let terminal = Terminal::keeping(command, 100, 30);
    terminal.wait_for("page 1/");
    terminal
}

/// Over a slow line the Escape byte of a reply comes long before the rest.
#[test]
fn a_reply_whose_escape_comes_first_is_not_a_key() {
    let app = TestApp::new();
    let mut terminal = open(&app);
    terminal.wait_written(b"\x1b[?u");
    // The protocol is confirmed.
    terminal.send("\x1b[?5u");
    terminal.send("?");
    terminal.wait_for("Keys here");
    let replies = [
        "[?62;22c",
        "]11;rgb:1010/1010/1010\x1b\\",
        "P>|term 1\x1b\\",
        "[?997;1n",
        "[12;40R",
        "[?5u",
        "_Gi=31;OK\x1b\\",
    ];
    for (at, rest) in replies.into_iter().enumerate() {
        terminal.send("\x1b");
        terminal.wait_read();
        // Another frame is drawn after the byte was read: it was not taken for the key, which closes the help.
        let before = terminal.bytes();
        terminal.resize(99 - at as u16, 30);
        terminal.wait_redrawn(before, "Keys here");
        terminal.send(rest);
    }
    // The key itself is heard at once.
    terminal.send("\x1b[27u");
    terminal.wait_gone("Keys here");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

/// What xterm answers: margins and repeated letters are proved by where the cursor is.
const XTERM: &str = "\x1b[2;4R\x1b[3;5R\x1b[4;3R\x1bP>|XTerm(379)\x1b\\\x1b[?2026;0$y\x1b[?2027;0$y\x1b[?2031;0$y\x1b[?69;2$y\x1b[?64;1c";

/// They come twice, and once more in the middle of a paste.
#[test]
fn what_the_terminal_answers_is_used_and_never_typed() {
    let app = TestApp::new();
    let mut terminal = open(&app);
    terminal.wait_written(b"\x1b[?69$p\x1b[c");
    terminal.send(XTERM);
    terminal.send(XTERM);
    // The rows of the list move between margins; nothing is announced as synchronized.
    terminal.send("25j");
    terminal.wait_written(b"\x1b[?69h\x1b[");
    terminal.wait_written(b"S\x1b[?69l\x1b[r");
    terminal.send(&format!("/\x1b[200~nur{XTERM}se\x1b[201~"));
    terminal.wait_for("nurse");
    terminal.send("\x1b");
    terminal.wait_gone("nurse");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

#[test]
fn tab_stops_are_one_every_eight_columns_again_at_the_end() {
    let app = TestApp::new();
    let mut terminal = open(&app);
    terminal.wait_written(b"\x1b[?69$p\x1b[c");
    terminal.send("\x1b[?64;1c");
    terminal.send("j");
    terminal.wait_written(b"\r\t\x1b[6n");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
    terminal.wait_written(format!("\x1b[3g\r{}", "\x1b[8C\x1bH".repeat(12)).as_bytes());
}

/// Without the protocol the byte is the key, once nothing has followed for a moment.
#[test]
fn an_escape_byte_alone_is_the_key() {
    let app = TestApp::new();
    let mut terminal = open(&app);
    for denied in ["", "\x1b[?0u"] {
        terminal.send(denied);
        terminal.send("?");
        terminal.wait_for("Keys here");
        terminal.send("\x1b");
        terminal.wait_gone("Keys here");
    }
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

/// A Greek keyboard types a semicolon where an English one has `q`: a sign in a text, a command elsewhere.
#[test]
fn the_q_of_a_greek_keyboard_works_where_the_terminal_reports_its_place() {
    let app = TestApp::new();
    let mut terminal = open(&app);
    terminal.send("/nurse");
    terminal.wait_for("nurse");
    terminal.send("\x1b[59::113u");
    terminal.wait_for("nurse;");
    terminal.send("\x1b[27u");
    terminal.wait_gone("nurse;");
    terminal.send("\x1b[59::113u");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}
