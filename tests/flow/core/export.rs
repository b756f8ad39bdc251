use std::sync::Arc;

use lode_core::export::preset::Preset;
use lode_core::export::*;
use lode_core::row::{CellKind, ColumnNames, Row};
use lode_core::{ExportWriter, Layout};
use proptest::prelude::*;

fn line(layout: Layout, columns: &[&str], cells: &[&str]) -> (String, CellEdits) {
    let mut sheet = ExportWriter::new(layout, columns);
    let mut out = Vec::new();
    let cells: Vec<Cell<'_>> = cells.iter().map(|text| (CellKind::Text, &**text)).collect();
    sheet.row(&cells, &mut out);
    (String::from_utf8(out).unwrap(), sheet.touched)
}

#[test]
fn formulas_are_made_harmless_for_people_and_left_alone_in_raw() {
    let cells = ["=1+1", "+cmd|' /C calc'!A0", "-2", "@SUM(A1)", " =1", "plain"];
    let columns = ["a", "b", "c", "d", "e", "f"];
    let (people, touched) = line(Layout::Contacts, &columns, &cells);
    assert_eq!(people, "'=1+1,'+cmd|' /C calc'!A0,'-2,'@SUM(A1),' =1,plain\n");
    assert_eq!(touched, CellEdits { formulas: 5, phones: 0 });
    let (raw, touched) = line(Layout::Raw, &columns, &cells);
    assert_eq!(raw, "=1+1,+cmd|' /C calc'!A0,-2,@SUM(A1),\" =1\",plain\n");
    assert_eq!(touched, CellEdits::default());
}

#[test]
fn phones_and_zips_stay_exact() {
    let cells = ["+15125550133", "5125550133", "+1 (512) 555-0133", "01234", "+1+1"];
    let (people, touched) = line(Layout::Contacts, &["phone", "phone", "mobile_phone", "zip", "phone"], &cells);
    assert_eq!(people, "+15125550133,5125550133,+1 (512) 555-0133,01234,'+1+1\n");
    assert_eq!(touched, CellEdits { formulas: 1, phones: 3 });
}

#[test]
fn cells_are_quoted_where_they_must_be() {
    let (people, _) = line(Layout::Contacts, &["a", "b", "c"], &["Smith, \"Bo\"", "", "x y"]);
    assert_eq!(people, "\"Smith, \"\"Bo\"\"\",,x y\n");
}

// Whatever a cell holds comes back from every form: the same in the raw one, harmless in those for people.

/// Cells as people fill them: names with commas and quotes, phones, ZIPs, formulas, and anything else.
fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[-+=@\t\r\n＝＋－＠ ]{0,2}[A-Za-z0-9,;\"'(). \n\r\t-]{0,12}",
        "\\+[0-9]{7,15}",
        "\\+?1? ?\\([0-9]{3}\\) 555-01[0-9]{2}",
        "0[0-9]{4}",
        "[A-Z][a-z]{1,8}, \"[A-Z][a-z]{1,5}\"( |\n|\r\n)Jr\\.?",
        "\\PC{0,8}",
    ]
}

fn table() -> impl Strategy<Value = (Vec<String>, Vec<Vec<String>>)> {
    (1usize..6).prop_flat_map(|columns| {
        let row = proptest::collection::vec(cell(), columns);
        let head =
            proptest::collection::vec(prop_oneof![Just("phone".to_owned()), Just("zip".to_owned()), cell()], columns);
        (head, proptest::collection::vec(row, 0..6))
    })
}

fn written(layout: Layout, head: &[String], rows: &[Vec<String>]) -> (Vec<u8>, CellEdits) {
    let mut sheet = ExportWriter::new(layout, head);
    let mut out = Vec::new();
    sheet.header(&mut out);
    for row in rows {
        let cells: Vec<Cell<'_>> = row.iter().map(|text| (CellKind::Text, &**text)).collect();
        sheet.row(&cells, &mut out);
    }
    (out, sheet.touched)
}

/// As any other program reads it.
fn read(csv: &[u8]) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv);
    reader.records().map(|record| record.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// What a spreadsheet would run, unless it is a number to dial.
fn runs(text: &str) -> bool {
    is_formula(text) && !is_phone(text)
}

proptest! {
    #[test]
    fn raw_comes_back_as_it_was((head, rows) in table()) {
        let (csv, touched) = written(Layout::Raw, &head, &rows);
        let mut whole = vec![head];
        whole.extend(rows);
        prop_assert_eq!(read(&csv), whole);
        prop_assert_eq!(touched, CellEdits::default());
    }

    #[test]
    fn forms_for_people_come_back_harmless_and_otherwise_exact((head, rows) in table()) {
        let (csv, touched) = written(Layout::Contacts, &head, &rows);
        let back = read(&csv);
        prop_assert_eq!(back.len(), rows.len() + 1);
        let mut formulas = 0;
        for (at, (came, was)) in back.iter().zip(std::iter::once(&head).chain(&rows)).enumerate() {
            for (came, was) in came.iter().zip(was) {
                prop_assert!(!runs(came), "{came:?}");
                if runs(was) {
                    prop_assert_eq!(came.strip_prefix('\''), Some(was.as_str()));
                    formulas += u64::from(at > 0);
                } else {
                    prop_assert_eq!(came, was, "phones, ZIPs and names are exact");
                }
            }
        }
        prop_assert_eq!(touched.formulas, formulas);
    }

    #[test]
    fn the_columns_of_a_crm_hold_the_same_cells(rows in proptest::collection::vec(proptest::collection::vec(cell(), 3), 0..6)) {
        let head = ["zip", "phone", "company_name"].map(str::to_owned);
        let preset = "title = \"x\"\n[columns]\n\"Company\" = \"company_name\"\n\"Zip\" = \"zip\"\n\"Phone\" = \"phone\"\n";
        let (csv, _) = written(Layout::Mapped(Preset::read(preset).unwrap()), &head, &rows);
        let back = read(&csv);
        prop_assert_eq!(&back[0], &["Company", "Zip", "Phone"]);
        prop_assert_eq!(back.len(), rows.len() + 1);
        for (came, was) in back[1..].iter().zip(&rows) {
            for (came, was) in came.iter().zip([&was[2], &was[0], &was[1]]) {
                let harmless = if runs(was) { format!("'{was}") } else { was.clone() };
                prop_assert_eq!(came, &harmless);
            }
        }
    }

    #[test]
    fn json_lines_say_the_same((head, rows) in table()) {
        let (lines, _) = written(Layout::JsonLines, &head, &rows);
        let lines: Vec<serde_json::Value> = std::str::from_utf8(&lines)
            .unwrap()
            .split_terminator('\n')
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        prop_assert_eq!(lines.len(), rows.len());
        for (line, row) in lines.iter().zip(&rows) {
            let fields = line.as_object().unwrap();
            let texts: Vec<&str> = fields.values().filter_map(|value| value.as_str()).collect();
            prop_assert_eq!(&texts, row, "in order, columns of one name told apart");
            prop_assert_eq!(fields.keys().next(), Some(&head[0]));
        }
    }
}

fn write(layout: Layout, rows: &[Row]) -> String {
    let spread = Spread::of(rows);
    let mut sheet = ExportWriter::new(layout, &spread.names);
    let (mut out, mut cells) = (Vec::new(), Vec::new());
    sheet.header(&mut out);
    for row in rows {
        spread.cells(row, &mut cells);
        sheet.row(&cells, &mut out);
    }
    String::from_utf8(out).unwrap()
}

fn row(columns: &Arc<ColumnNames>, values: &[&str]) -> Row {
    Row::new(None, false, Arc::clone(columns), values.iter().map(|value| (CellKind::Text, *value)))
}

#[test]
fn rows_of_different_searches_share_one_sheet() {
    let us = Arc::new(ColumnNames::new(["id", "email_address", "state"]));
    let linkedin = Arc::new(ColumnNames::new(["id", "state", "email"]));
    let rows = [row(&us, &["1", "a@x.example", "TX"]), row(&linkedin, &["2", "CA", "b@x.example"])];
    let csv = write(Layout::Contacts, &rows);
    assert_eq!(csv, "id,email_address,state,email\n1,a@x.example,TX,\n2,,CA,b@x.example\n");
    let lines = write(Layout::JsonLines, &rows);
    assert_eq!(
        lines,
        "{\"id\":\"1\",\"email_address\":\"a@x.example\",\"state\":\"TX\"}\n{\"id\":\"2\",\"state\":\"CA\",\"email\":\"b@x.example\"}\n"
    );
}

#[test]
fn a_row_is_written_as_it_came() {
    let columns = Arc::new(ColumnNames::new(["id", "na\"me", "note", "tags"]));
    let values = [
        (CellKind::Json, "9007199254740993"),
        (CellKind::Text, "a\\b\u{1}\"é"),
        (CellKind::Null, ""),
        (CellKind::Json, "[1.50]"),
    ];
    let row = Row::new(None, false, columns, values);
    let mut out = Vec::new();
    push_row(&row, &mut out);
    let text = String::from_utf8(out).unwrap();
    assert_eq!(text, r#"{"id":9007199254740993,"na\"me":"a\\b\u0001\"é","note":null,"tags":[1.50]}"#);
    assert!(serde_json::from_str::<serde_json::Value>(&text).is_ok());
}
