//! A match on a terminal: the bar of `lode match`, and the same job on the screen.

use std::time::Duration;

use crate::pty::money::window;
use common::terminal::{Terminal, environment};
use common::test_app::TestApp;

/// A list of accounts that no row has.
fn list(app: &TestApp, accounts: usize) {
    let line = |at: usize| format!("Zzyzx {at} Mining;zzyzx{at}.example\n");
    let text: String = (0..accounts).map(line).collect();
    std::fs::write(app.path("accounts.csv"), format!("company;website\n{text}")).unwrap();
}

#[test]
fn the_shell_shows_a_bar_with_the_time_left() {
    let app = TestApp::new();
    list(&app, 20);
    app.fault("latency=1:400");
    let mut command = portable_pty::CommandBuilder::new(env!("CARGO_BIN_EXE_lode"));
    command.args(["match", "accounts.csv"]);
    environment(&mut command, &app.path(""));
    for (name, value) in app.command(&[]).get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.cwd(app.path(""));
    let mut terminal = Terminal::start(command, 100, 40);
    terminal.wait_for("20 accounts by `company`, `website` at Data · US");
    let bar = |screen: &str| {
        let line = screen.lines().find(|line| line.contains("requests, ") && line.contains("left"));
        line.is_some_and(|line| line.contains("█") && line.contains("░"))
    };
    terminal.wait_within(Duration::from_secs(60), "a bar", |screen| bar(&screen.contents()));
    // The program may end before its last words are read.
    terminal.wait_for("0 matched, 0 ambiguous, 20 none; 0 contacts. Nothing spent.");
    terminal.wait_gone("█");
    assert!(terminal.wait_exit().success());
}

#[test]
fn the_screen_reads_lists_as_excel_saves_them_and_names_a_line_that_it_cannot_read() {
    let app = TestApp::new();
    let mut book = rust_xlsxwriter::Workbook::new();
    let sheet = book.add_worksheet();
    for (at, cell) in ["Company", "Café Zzyzx", "Naïve Mining"].iter().enumerate() {
        sheet.write_string(at as u32, 0, *cell).unwrap();
    }
    book.save(app.path("book.xlsx")).unwrap();
    // Windows-1252: the byte 0xe9 is an `é`.
    let windows = b"Name;Company;Email\r\nDana M\xe9rlin;Lakeside;\r\n-;;\r\nTom;Quail;tom@quail.example\r\n";
    std::fs::write(app.path("crm.csv"), windows).unwrap();
    std::fs::write(app.path("damaged.csv"), b"Email;Name\ntom@quail.example;M\xc3\xa9rlin\na@b.example;M\xc3rlin\n")
        .unwrap();
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    for (name, said) in [
        ("crm.csv", "Added crm.csv: 1 email, 2 people; line 3 has no usable value."),
        ("damaged.csv", "line 3 is not valid UTF-8"),
    ] {
        terminal.send("gb");
        terminal.wait_for("Basket");
        terminal.send("S");
        terminal.wait_for("Add a file …");
        terminal.send("\r");
        terminal.wait_for("Add a suppression list");
        terminal.send(&format!("{name}\r"));
        terminal.wait_until(said, |screen| {
            screen.contents().split_whitespace().collect::<Vec<_>>().join(" ").contains(said)
        });
    }
    terminal.send("W");
    terminal.wait_for("Data · ");
    terminal.send("ga");
    terminal.wait_for("No list of accounts yet");
    terminal.send("o");
    terminal.wait_for("Match a list of accounts");
    terminal.send("book.xlsx\r");
    terminal.wait_for("Match book.xlsx · 2 accounts");
    terminal.wait_for("Café Zzyzx");
    terminal.send("qqq");
    terminal.wait_exit();
    terminal.is_restored();
}

#[test]
fn the_screen_matches_a_list_as_a_job() {
    let app = TestApp::new();
    list(&app, 20);
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    terminal.send("W");
    terminal.wait_for("Data · ");
    terminal.send("ga");
    terminal.wait_for("No list of accounts yet");
    terminal.send("o");
    terminal.wait_for("Match a list of accounts");
    terminal.send(&format!("{}\r", app.path("accounts.csv").display()));
    terminal.wait_for("Nothing is sent yet.");
    app.fault("latency=1:400");
    terminal.send("\r");
    terminal.wait_until("a bar in the line of jobs", |screen| {
        let text = screen.contents();
        let line = text.lines().find(|line| line.contains("Matching 20 accounts"));
        line.is_some_and(|line| line.contains("━") && line.contains("left"))
    });
    terminal.wait_for("20 none");
    terminal.send("qq");
    terminal.wait_exit();
    terminal.is_restored();
}
