//! Lists as Excel saves them: other encodings than UTF-8, semicolons and tabs, workbooks. What cannot be read is named with its line.

use std::io::Write;
use std::process::Stdio;

use rust_xlsxwriter::Workbook;
use serde_json::{Value, json};

use crate::cli::invented::{Invented, data_page};
use common::test_app::{Ran, TestApp};

/// Companies with other letters than ASCII, and an email.
const ROWS: [[&str; 3]; 4] = [
    ["Company", "Website", "Email"],
    ["Café Müller – Söhne", "mueller.example", "dana@mueller.example"],
    ["L’Étoile", "etoile.example", "tom@etoile.example"],
    ["Naïve", "naive.example", "ruth@naive.example"],
];

fn table(delimiter: &str, end: &str) -> String {
    ROWS.map(|row| row.join(delimiter) + end).concat()
}

/// As Excel on Windows writes a CSV: a byte for each letter.
fn windows(text: &str) -> Vec<u8> {
    let byte = |c: char| match c {
        '–' => 0x96,
        '’' => 0x92,
        c => u8::try_from(u32::from(c)).unwrap(),
    };
    text.chars().map(byte).collect()
}

fn utf16(text: &str, mark: bool, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    mark.then_some(0xfeff).into_iter().chain(text.encode_utf16()).flat_map(bytes).collect()
}

fn workbook(sheets: &[&[[&str; 3]]]) -> Vec<u8> {
    let mut book = Workbook::new();
    for rows in sheets {
        let sheet = book.add_worksheet();
        for (at, row) in rows.iter().enumerate() {
            for (column, cell) in row.iter().enumerate() {
                sheet.write_string(at as u32, column as u16, *cell).unwrap();
            }
        }
    }
    book.save_to_buffer().unwrap()
}

/// The same list in each way in which a program for tables saves it.
fn saved() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("utf8.csv", table(",", "\n").into_bytes()),
        ("mark.csv", format!("\u{feff}{}", table(";", "\r\n")).into_bytes()),
        ("windows.csv", windows(&table(",", "\r\n"))),
        ("windows-semicolons.csv", windows(&table(";", "\r\n"))),
        ("windows-tabs.txt", windows(&table("\t", "\r\n"))),
        ("macintosh-lines.csv", windows(&table(";", "\r"))),
        ("named.csv", format!("sep=|\r\n{}", table("|", "\r\n")).into_bytes()),
        ("unicode.txt", utf16(&table("\t", "\r\n"), true, u16::to_le_bytes)),
        ("unicode-be.txt", utf16(&table("\t", "\r\n"), true, u16::to_be_bytes)),
        ("unicode-unmarked.txt", utf16(&table(";", "\r\n"), false, u16::to_le_bytes)),
        ("unicode-be-unmarked.txt", utf16(&table(",", "\n"), false, u16::to_be_bytes)),
        ("book.xlsx", workbook(&[&ROWS, &[]])),
    ]
}

/// With bytes on standard input.
fn fed(app: &TestApp, arguments: &[&str], input: &[u8]) -> Ran {
    let mut child = app.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    drop(child.stdin.take().unwrap().write_all(input));
    Ran::of(child)
}

/// A service that has no row at all.
fn silent() -> Invented {
    Invented::start(|asked| data_page(json!(0), asked.number("limit"), 0, Vec::new()))
}

#[test]
fn accounts_are_read_however_excel_saved_them() {
    let service = silent();
    let app = service.app();
    for (name, bytes) in saved() {
        std::fs::write(app.path(name), &bytes).unwrap();
        let ran = service.run(&["match", name]).ended(0);
        let lines = ran.lines();
        for (at, [company, website, email]) in ROWS.iter().enumerate().skip(1) {
            let line = &lines[at - 1];
            let expected = json!({"Company": company, "Website": website, "Email": email});
            assert_eq!(line["input"], expected, "{name}: {ran:?}");
            assert_eq!(line["line"], at + 1 + usize::from(name == "named.csv"), "{name}");
        }
        assert_eq!(ran.summary()["accounts"], 3, "{name}");
        let piped = fed(app, &["match", "-", "--dry-run"], &bytes).ended(0);
        assert!(piped.err.contains("3 accounts by `Company`, `Website`, `Email`"), "{name}: {piped:?}");
    }
}

#[test]
fn a_suppression_list_is_read_however_excel_saved_it() {
    let app = TestApp::new();
    for (name, bytes) in saved() {
        std::fs::write(app.path(name), &bytes).unwrap();
        let added = app.run(&["suppress", "add", "crm", name]).ended(0);
        assert!(added.err.starts_with("added to crm: 3 emails, 3 domains. "), "{name}: {added:?}");
        let shown = app.run(&["suppress", "show", "crm"]).ended(0).lines();
        let values: Vec<&Value> = shown.iter().map(|line| &line["value"]).collect();
        assert!(values.contains(&&json!("tom@etoile.example")), "{name}: {values:?}");
        let removed = app.run(&["suppress", "rm", "crm", name]).ended(0);
        assert!(removed.err.starts_with("removed from crm: 3 emails, 3 domains"), "{name}: {removed:?}");
        let piped = fed(&app, &["suppress", "add", "crm", "-"], &bytes).ended(0);
        assert!(piped.err.starts_with("added to crm: 3 emails, 3 domains. "), "{name}: {piped:?}");
        app.run(&["suppress", "rm", "crm"]).ended(0);
    }
}

#[test]
fn numbers_dates_and_failed_formulas_of_a_workbook_are_read_as_excel_shows_them() {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (column, head) in ["Company", "Phone", "Since", "Email"].iter().enumerate() {
        sheet.write_string(2, column as u16, *head).unwrap();
    }
    let date = rust_xlsxwriter::ExcelDateTime::from_ymd(2024, 2, 29).unwrap();
    let format = rust_xlsxwriter::Format::new().set_num_format("yyyy-mm-dd");
    sheet.write_string(3, 0, "Lakeside, \"Inc.\"\nAustin").unwrap();
    sheet.write_number(3, 1, 5_125_550_142.0).unwrap();
    sheet.write_datetime_with_format(3, 2, &date, &format).unwrap();
    sheet.write_formula(5, 3, rust_xlsxwriter::Formula::new("=NA()").set_result("#N/A")).unwrap();
    let app = TestApp::new();
    book.save(app.path("book.xlsx")).unwrap();
    let service = silent();
    std::fs::copy(app.path("book.xlsx"), service.app().path("book.xlsx")).unwrap();
    let ran = service.run(&["match", "book.xlsx"]).ended(0);
    let line = &ran.lines()[0];
    assert_eq!((&line["line"], &line["input"]["Since"]), (&4.into(), &"2024-02-29".into()), "{ran:?}");
    assert_eq!(line["input"]["Company"], "Lakeside, \"Inc.\" Austin");
    let added = app.run(&["suppress", "add", "crm", "book.xlsx"]).ended(0);
    assert!(added.err.starts_with("added to crm: 1 phone; line 6 has no usable value."), "{added:?}");
    assert_eq!(app.run(&["suppress", "show", "crm"]).ended(0).lines()[0]["value"], "5125550142");
}

#[test]
fn what_cannot_be_read_is_named_with_its_line() {
    let app = TestApp::new();
    let damaged = |bytes: &[u8], place: usize, byte: u8| {
        let mut bytes = bytes.to_vec();
        bytes[place] = byte;
        bytes
    };
    let text = table(",", "\n");
    let start = text.find("L’").unwrap();
    let mut unicode = utf16(&text, true, u16::to_le_bytes);
    let unit = text[..start].encode_utf16().count() * 2 + 2;
    unicode[unit..unit + 2].copy_from_slice(&0xd800u16.to_le_bytes());
    let cut = utf16(&text, false, u16::to_le_bytes);
    let other: &[[&str; 3]] = &[["Email", "", ""], ["a@b.example", "", ""]];
    for (name, bytes, words) in [
        // Most lines are UTF-8: read as anything else, their names would be wrong.
        ("utf8.csv", damaged(text.as_bytes(), start + 4, b'x'), "line 3 is not valid UTF-8, as the other lines are"),
        (
            "windows.csv",
            damaged(&windows(&text), windows(&text).len() - 3, 0x81),
            "line 4 is neither UTF-8 nor Windows-1252",
        ),
        ("utf16.csv", unicode, "line 3 is not valid UTF-16"),
        ("cut.csv", cut[..cut.len() - 1].to_vec(), "line 4 is not valid UTF-16: its last character is cut"),
        ("zero.csv", damaged(text.as_bytes(), text.len() - 3, 0), "line 4 is not text"),
        ("quote.csv", text.replacen("L’", "\"L’", 1).into_bytes(), "line 3 opens a quotation mark that is not closed"),
        (
            "old.xls",
            [&[0xd0, 0xcf, 0x11, 0xe0][..], &[7; 600]].concat(),
            "save it as .xlsx without a password, or as CSV",
        ),
        ("cut.xlsx", workbook(&[&ROWS])[..900].to_vec(), "not a readable Excel workbook"),
        ("two.xlsx", workbook(&[&ROWS, other]), "several worksheets with data (`Sheet1`, `Sheet2`)"),
    ] {
        std::fs::write(app.path(name), &bytes).unwrap();
        for arguments in [&["match", name][..], &["suppress", "add", "crm", name]] {
            let ran = app.run(arguments);
            assert!([1, 2].contains(&ran.code) && ran.err.contains(words), "{arguments:?}: {ran:?}");
        }
        for arguments in [&["match", "-"][..], &["suppress", "add", "crm", "-"]] {
            let ran = fed(&app, arguments, &bytes).failed(2);
            assert!(ran.err.contains(words), "{arguments:?} < {name}: {ran:?}");
        }
    }
    assert_eq!(app.run(&["suppress", "list"]).ended(0).out, "", "no list is read in part");
}

#[test]
fn lines_without_a_usable_value_are_named() {
    let app = TestApp::new();
    let text = "Email,Note\n\n-,x\ndana@lakeside.example,\n\"x\ny\",\nd•••@lakeside.example,\n";
    let added = app.fed(&["suppress", "add", "crm", "-"], text).ended(0);
    assert!(added.err.contains("1 email; lines 3, 5 and 7 have no usable value."), "{added:?}");
    let text = "Company,Website\nLakeside,\n-,n/a\n";
    let ran = app.fed(&["match", "-", "--dry-run"], text).ended(0);
    assert!(ran.err.contains("line 3 has no company name and no domain"), "{ran:?}");
}
