//! Every row, contact, sheet and account name means harm: nothing of it steers the terminal, the log, the clipboard or a
//! spreadsheet, and the panes stay straight.

use calamine::Reader;
use std::io::{Read, Write};
use std::net::TcpStream;

use lode_core::export::{is_formula, is_phone};

use crate::hostile::stream;
use crate::hostile::window::{command, straight};
use common::fuzz::is_clean;
use common::terminal::Terminal;
use common::test_app::TestApp;

const ENTER: &str = "\r";

fn hostile_app() -> TestApp {
    let app = TestApp::new();
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/config.toml"), "log = \"debug\"\n").unwrap();
    app.fault("hostile");
    app
}

/// Looks at every screen on the way; answers everything that was written.
fn journey(app: &TestApp, columns: u16, rows: u16) -> Vec<u8> {
    let mut terminal = Terminal::keeping(command(app, &[]), columns, rows);
    terminal.wait_for(" contacts");
    terminal.wait_for("page 1/");
    straight(&terminal);
    // Through the rows, each of which means harm in its own way; pages scroll by the terminal's own means.
    for keys in ["jjjjjjjj", "\x1b[6~", "\x1b[6~", "llll", "hh", "\x04", "60G", "G", "gg"] {
        terminal.send(keys);
        terminal.send("?");
        terminal.wait_for("Keys here");
        terminal.send("\x1b");
        terminal.wait_gone("Keys here");
        straight(&terminal);
    }
    for copy in ["ye", "yn", "yr", "yj", "yp", "yc", "jyr", "jyj", "jyr"] {
        terminal.send(copy);
    }
    terminal.send(ENTER);
    terminal.wait_for("Contact");
    straight(&terminal);
    terminal.send("\x1b");
    terminal.send("gg");
    terminal.send(&" ".repeat(12));
    terminal.wait_for("Basket 12");
    terminal.send("gb");
    terminal.wait_for("Basket 12");
    straight(&terminal);
    terminal.send("U");
    terminal.pay();
    terminal.wait_for(" unlocked · ");
    straight(&terminal);
    terminal.send("\x1b");
    terminal.wait_gone("Esc close");
    terminal.send("go");
    terminal.wait_for("Owned 12");
    straight(&terminal);
    for keys in ["jj", "yr", "yj", "ye", "jyr"] {
        terminal.send(keys);
    }
    terminal.send(ENTER);
    terminal.wait_for("Contact ");
    straight(&terminal);
    terminal.send("\x1b");
    for (keys, sign) in
        [("gr", "By session"), ("gj", "Jobs "), ("gc", "Counts "), ("gv", "Saved "), ("gs", " contacts")]
    {
        terminal.send(keys);
        terminal.wait_for(sign);
        straight(&terminal);
        if sign == "By session" {
            terminal.send("\x1b");
            terminal.wait_gone(sign);
        }
    }
    terminal.send("w");
    terminal.wait_for("· LinkedIn");
    terminal.wait_for("page 1/");
    straight(&terminal);
    terminal.send("W");
    terminal.wait_for("Data · LinkedIn");
    terminal.send("/");
    terminal.wait_for("⌕ Query");
    terminal.send("nurse\r");
    terminal.wait_for("query nurse");
    terminal.wait_for("page 1/");
    straight(&terminal);
    terminal.send("\x1b[6~jjyryjP");
    terminal.wait_for("Profiles");
    straight(&terminal);
    terminal.send("\x1bi");
    terminal.wait_for("Last request");
    terminal.send("\x1bq");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
    terminal.written()
}

/// What lies in the log, in one text.
fn log(app: &TestApp) -> String {
    std::fs::read_to_string(app.path("state/log/lode.log")).unwrap()
}

fn nothing_gets_out(columns: u16, rows: u16) {
    let app = hostile_app();
    let written = journey(&app, columns, rows);
    let heard = stream::read(&written);
    assert_eq!(
        (heard.titles.first().map(String::as_str), heard.titles_kept),
        (Some("lode"), 0),
        "the title is given back"
    );
    println!(
        "{columns}x{rows}: {} bytes, {} sequences and {} letters of lode, {} links, {} copies; nothing of theirs",
        written.len(),
        heard.sequences,
        heard.letters,
        heard.links,
        heard.copied.len()
    );
    assert!(heard.copied.len() >= 10, "{:?}", heard.copied);
    for copied in &heard.copied {
        // The columns of a row are separated by tabs that lode writes.
        assert!(copied.split('\t').all(is_clean), "{copied:?}");
    }
    let log = log(&app);
    println!("{} lines of log", log.lines().count());
    assert!(log.lines().count() > 20 && log.lines().all(is_clean), "{log}");
    // Whatever the contacts say, each credit has one.
    assert_eq!(app.owned().len(), app.run(&["owned", "--json"]).ended(0).ids().len());
}

#[test]
fn rows_that_mean_harm_steer_nothing() {
    nothing_gets_out(160, 48);
}

#[test]
fn nor_on_a_small_screen() {
    nothing_gets_out(80, 24);
}

#[test]
fn a_sheet_for_people_is_clean_and_the_raw_one_is_what_was_sent() {
    let app = hostile_app();
    let export = |form: &str, name: &str| {
        let words = ["export", "--corpus", "us", "--query", "nurse", "--format", form, "-o", name];
        let ran = app.run(&words).ended(0);
        assert!(ran.err.lines().all(is_clean), "{ran:?}");
        std::fs::read(app.path(name)).unwrap()
    };
    let raw = export("raw", "raw.csv");
    let asked = app.sandbox.service().log().into_iter().rfind(|entry| entry.path.ends_with("/export"));
    let asked = asked.expect("an export was asked for");
    let sent = body_of(&app, &format!("{}?{}", asked.path, asked.query));
    assert!(raw == sent, "raw is byte for byte what was sent");
    assert!(raw.windows(4).any(|piece| piece == b"\x1b]52") && raw.contains(&0), "and that means harm");
    for form in ["contacts", "hubspot", "salesforce", "instantly", "smartlead", "jsonl"] {
        let bytes = export(form, &format!("{form}.out"));
        let text = String::from_utf8(bytes).unwrap();
        assert!(text.lines().count() > 40, "{form}: {text}");
        for line in text.lines() {
            assert!(is_clean(line), "{form}: {line:?}");
        }
        if form == "jsonl" {
            continue;
        }
        let mut reader = csv::Reader::from_reader(text.as_bytes());
        for cell in reader.records().flat_map(|record| record.unwrap().iter().map(str::to_owned).collect::<Vec<_>>()) {
            assert!(!is_formula(&cell) || is_phone(&cell), "{form}: a spreadsheet would run {cell:?}");
        }
    }
    // The workbook is read by another library: nothing in it is a formula, and every cell is a text.
    let workbook = export("xlsx", "leads.xlsx");
    let mut workbook: calamine::Xlsx<_> = calamine::open_workbook_from_rs(std::io::Cursor::new(workbook)).unwrap();
    assert_eq!(workbook.worksheet_formula("Sheet1").unwrap().used_cells().count(), 0);
    let cells = workbook.worksheet_range("Sheet1").unwrap();
    let mut formulas = 0;
    for (_, _, cell) in cells.used_cells() {
        let calamine::Data::String(text) = cell else { panic!("{cell:?} is no text") };
        assert!(is_clean(text), "{text:?}");
        formulas += usize::from(is_formula(text) && !is_phone(text));
    }
    assert!(formulas > 0, "and texts that look like formulas are in it as they came");
}

/// The body of an answer, with nothing of lode in between. HTTP 1.0 knows no chunks: the end of the line is the end.
fn body_of(app: &TestApp, target: &str) -> Vec<u8> {
    let mut line = TcpStream::connect(app.sandbox.data_url.strip_prefix("http://").unwrap()).unwrap();
    let key = &app.data_key;
    line.write_all(format!("GET {target} HTTP/1.0\r\nhost: localhost\r\nx-api-key: {key}\r\n\r\n").as_bytes()).unwrap();
    let mut answer = Vec::new();
    line.read_to_end(&mut answer).unwrap();
    assert!(answer.starts_with(b"HTTP/1.0 200"));
    let end = answer.windows(4).position(|piece| piece == b"\r\n\r\n").unwrap();
    answer.split_off(end + 4)
}
