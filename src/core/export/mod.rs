//! The forms of an export: columns and cells become lines. Rows of a page, contacts we own and records of a stream all come
//! here as cells; files, streams and presets on disk are the host's.
//!
//! Forms for people differ from the raw one in one thing: a cell that a spreadsheet would run as a formula is made harmless.
//! Phone numbers and ZIP codes stay exactly as they are, digit by digit.

pub mod preset;
pub mod records;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::owned::Owned;
use super::row::{CellKind, ColumnNames, Row, Rows};
use preset::Preset;

/// How the lines of an export are made.
#[derive(Clone, Debug, PartialEq)]
pub enum Layout {
    /// Every column as it is, as CSV.
    Raw,
    /// Every column, harmless for people.
    Contacts,
    /// The columns of a CRM.
    Mapped(Preset),
    /// One JSON object a line.
    JsonLines,
}

/// What was done to cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellEdits {
    pub formulas: u64,
    pub phones: u64,
}

/// A value on its way into a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cell<'a> {
    pub kind: CellKind,
    pub text: &'a str,
}

impl<'a> Cell<'a> {
    pub fn text(text: &'a str) -> Cell<'a> {
        Cell { kind: CellKind::Text, text }
    }
}

const NOTHING: Cell<'static> = Cell { kind: CellKind::Null, text: "" };

/// An export in the making: it knows its columns and writes one line after the other.
#[derive(Clone, Debug)]
pub struct ExportWriter {
    layout: Layout,
    columns: Vec<String>,
    phones: Vec<bool>,
    mapped: Vec<preset::Found>,
    pub touched: CellEdits,
}

impl ExportWriter {
    /// `columns` as they will come with every row.
    pub fn new<S: AsRef<str>>(layout: Layout, columns: impl IntoIterator<Item = S>) -> ExportWriter {
        let mut columns: Vec<String> = columns.into_iter().map(|name| name.as_ref().to_owned()).collect();
        if layout == Layout::JsonLines {
            make_distinct(&mut columns);
        }
        let mapped = match &layout {
            Layout::Mapped(preset) => preset.find(&columns),
            _ => Vec::new(),
        };
        let phones = columns.iter().map(|name| is_phone_column(name)).collect();
        ExportWriter { layout, columns, phones, mapped, touched: CellEdits::default() }
    }

    /// How many columns a row of it has.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// The line of column names, where the form has one.
    pub fn header(&mut self, out: &mut Vec<u8>) {
        match &self.layout {
            Layout::JsonLines => {}
            Layout::Raw => push_line(out, self.columns.iter().map(String::as_str)),
            Layout::Contacts => {
                let mut ignored = CellEdits::default();
                push_line(out, self.columns.iter().map(|name| harmless(name, false, &mut ignored)));
            }
            Layout::Mapped(preset) => push_line(out, preset.columns.iter().map(|column| column.name.as_str())),
        }
    }

    /// One line; a cell that is not there is empty.
    pub fn row(&mut self, cells: &[Cell<'_>], out: &mut Vec<u8>) {
        let cell = |at: usize| cells.get(at).copied().unwrap_or(NOTHING);
        match &self.layout {
            Layout::JsonLines => {
                let fields = self.columns.iter().enumerate().map(|(at, name)| (name.as_str(), cell(at)));
                push_object(fields.filter(|(_, cell)| *cell != ABSENT), out);
                out.push(b'\n');
            }
            Layout::Raw => push_line(out, (0..self.columns.len()).map(|at| cell(at).text)),
            Layout::Contacts => {
                let cells = self.phones.iter().enumerate();
                push_line(out, cells.map(|(at, phone)| harmless(cell(at).text, *phone, &mut self.touched)));
            }
            Layout::Mapped(_) => {
                let cells = self.mapped.iter().map(|found| (found.value(cells), found.is_phone));
                push_line(out, cells.map(|(text, phone)| harmless(text, phone, &mut self.touched)));
            }
        }
    }
}

/// A column that a row does not have at all, which is not the same as null: JSON lines leave it out.
pub const ABSENT: Cell<'static> = Cell { kind: CellKind::Json, text: "" };

/// An object has one field of a name: a second column of that name becomes `name_2`.
pub fn make_distinct(columns: &mut [String]) {
    let mut taken: HashSet<String> = HashSet::with_capacity(columns.len());
    let mut again: HashMap<String, u32> = HashMap::new();
    for column in columns {
        if taken.contains(column.as_str()) {
            let number = again.entry(column.clone()).or_insert(1);
            let name = loop {
                *number += 1;
                let name = format!("{column}_{number}");
                if !taken.contains(&name) {
                    break name;
                }
            };
            *column = name;
        }
        taken.insert(column.clone());
    }
}

fn push_line(out: &mut Vec<u8>, cells: impl Iterator<Item = impl AsRef<str>>) {
    let start = out.len();
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_cell(out, cell.as_ref());
    }
    if out.len() == start {
        // Readers of CSV skip an empty line: a single empty cell is written as one.
        out.extend_from_slice(b"\"\"");
    }
    out.push(b'\n');
}

/// One CSV cell, quoted where it must be.
pub fn push_cell(out: &mut Vec<u8>, text: &str) {
    let special = |byte: u8| matches!(byte, b',' | b'"' | b'\n' | b'\r' | b';' | b'\t');
    let bytes = text.as_bytes();
    let padded = bytes.first() == Some(&b' ') || bytes.last() == Some(&b' ');
    // To the end in any case: many bytes are looked at in one go.
    if !padded && !bytes.iter().fold(false, |found, byte| found | special(*byte)) {
        out.extend_from_slice(bytes);
        return;
    }
    out.push(b'"');
    for &byte in bytes {
        if byte == b'"' {
            out.push(b'"');
        }
        out.push(byte);
    }
    out.push(b'"');
}

/// The text with an apostrophe before it where a spreadsheet would run it. A phone number runs nothing and stays exact.
fn harmless<'a>(text: impl Into<Cow<'a, str>>, phone_column: bool, touched: &mut CellEdits) -> Cow<'a, str> {
    let text = text.into();
    // As nearly every cell begins: no formula does, and of phone numbers only the column tells.
    if text.as_bytes().first().is_none_or(u8::is_ascii_alphanumeric) {
        touched.phones += u64::from(phone_column && !text.is_empty());
        return text;
    }
    if is_phone(&text) || phone_column && !text.is_empty() && !is_formula(&text) {
        touched.phones += u64::from(phone_column || text.starts_with('+'));
        return text;
    }
    if is_formula(&text) {
        touched.formulas += 1;
        return format!("'{text}").into();
    }
    text
}

/// A cell for a spreadsheet: what it would run has an apostrophe before it.
pub fn plain_cell(text: &str) -> Cow<'_, str> {
    harmless(text, false, &mut CellEdits::default())
}

/// Whether a spreadsheet may take the text for a formula, also in its wide forms and behind blanks.
pub fn is_formula(text: &str) -> bool {
    if text.starts_with(['\t', '\r', '\n']) {
        return true;
    }
    text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
}

/// A number to dial and nothing else: `+1 (512) 555-0133`.
pub fn is_phone(text: &str) -> bool {
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let plus = text.strip_prefix('+');
    let rest = plus.unwrap_or(text);
    (7..=15).contains(&digits)
        && rest.starts_with(|c: char| c.is_ascii_digit() || c == '(')
        && rest.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b' ' | b'-' | b'.' | b'(' | b')'))
}

/// Whether a column holds phone numbers, by its name.
pub fn is_phone_column(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["phone", "mobile", "telephone", "fax"].iter().any(|word| name.contains(word))
}

// Exports of local data: rows of the basket or of a selection, and owned contacts.

/// The one set of columns that rows of different searches share: every column they have, in the order in which they first appear.
pub struct Spread<'r> {
    pub names: Vec<&'r str>,
    /// Where the cells of a row go, by the columns of its search.
    places: HashMap<*const ColumnNames, Vec<usize>>,
}

impl<'r> Spread<'r> {
    pub fn of(rows: &'r [Row]) -> Spread<'r> {
        let mut names: Vec<&str> = Vec::new();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut places: HashMap<*const ColumnNames, Vec<usize>> = HashMap::new();
        let mut place = |name: &'r str| {
            *known.entry(name).or_insert_with(|| {
                names.push(name);
                names.len() - 1
            })
        };
        for row in rows {
            let new = || row.columns().names().iter().map(|name| place(name)).collect();
            places.entry(Arc::as_ptr(row.columns())).or_insert_with(new);
        }
        Spread { names, places }
    }

    /// The cells of one of these rows, one for each name.
    pub fn cells<'a>(&self, row: &'a Row, cells: &mut Vec<Cell<'a>>) {
        cells.clear();
        cells.resize(self.names.len(), ABSENT);
        let places = &self.places[&Arc::as_ptr(row.columns())];
        for ((_, kind, text), place) in row.fields().zip(places) {
            cells[*place] = Cell { kind, text };
        }
    }
}

/// The fields of an owned contact that lode itself knows, in the words of `lode owned`.
const OWNED: [&str; 11] = [
    "id", "corpus", "email", "phone", "contact_name", "company_name", "title", "verification", "refunded", "tags",
    "note",
];

/// Whether a field of a row says something that [`OWNED`] does not.
pub fn is_more(name: &str) -> bool {
    name != "unlocked" && name != "email_address" && !OWNED.contains(&name)
}

/// Owned contacts as rows, in the words of `lode owned`, each with what else its search row said: city, state, industry and
/// whatever the service sends.
pub fn owned_rows(contacts: &[Owned]) -> Vec<Row> {
    let bare = Arc::new(ColumnNames::new(OWNED));
    let mut wider: HashMap<*const ColumnNames, Arc<ColumnNames>> = HashMap::new();
    let mut rows = Rows::new(Arc::clone(&bare));
    for owned in contacts {
        let contact = &owned.contact;
        let id = owned.id.to_string();
        let tags = owned.tags.join(", ");
        let verification = contact.verification.as_ref().map(|verification| verification.word());
        let refunded = contact.refunded.map(|refunded| if refunded { "true" } else { "false" });
        let values = [
            (CellKind::Json, id.as_str()),
            (CellKind::Text, owned.corpus.name()),
            (CellKind::Text, &contact.email),
            (CellKind::Text, &contact.phone),
            (CellKind::Text, &contact.contact_name),
            (CellKind::Text, &contact.company_name),
            (CellKind::Text, &contact.title),
            verification.map_or((CellKind::Null, ""), |word| (CellKind::Text, word)),
            refunded.map_or((CellKind::Null, ""), |word| (CellKind::Json, word)),
            (CellKind::Text, &tags),
            (CellKind::Text, &owned.note),
        ];
        match &owned.row {
            Some(row) => {
                let columns = wider.entry(Arc::as_ptr(row.columns())).or_insert_with(|| {
                    let more = row.columns().names().iter().map(|name| &**name).filter(|name| is_more(name));
                    Arc::new(ColumnNames::new(OWNED.into_iter().chain(more)))
                });
                let more = row.fields().filter(|(name, ..)| is_more(name)).map(|(_, kind, text)| (kind, text));
                rows.push(Some(owned.id), true, columns, values.into_iter().chain(more));
            }
            None => rows.push(Some(owned.id), true, &bare, values),
        }
    }
    rows.finish()
}

// Rows as JSON objects, field by field as the service sent them: numbers digit by digit, the order kept.

/// One object without a line end.
pub fn push_row(row: &Row, out: &mut Vec<u8>) {
    push_object(row.fields().map(|(name, kind, text)| (name, Cell { kind, text })), out);
}

/// The same as text.
pub fn row_text(row: &Row) -> String {
    let mut line = Vec::with_capacity(320);
    push_row(row, &mut line);
    String::from_utf8(line).unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
}

pub fn push_object<'a>(fields: impl Iterator<Item = (&'a str, Cell<'a>)>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (name, cell)) in fields.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_text(name, out);
        out.push(b':');
        match cell.kind {
            CellKind::Text => push_text(cell.text, out),
            CellKind::Json => out.extend_from_slice(cell.text.as_bytes()),
            CellKind::Null => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
}

fn push_text(text: &str, out: &mut Vec<u8>) {
    out.push(b'"');
    for &byte in text.as_bytes() {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0..0x20 => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            byte => out.push(byte),
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::super::{ExportWriter, Layout};
    use super::*;
    use crate::row::ColumnNames;
    use proptest::prelude::*;
    use std::sync::Arc;

    fn line(layout: Layout, columns: &[&str], cells: &[&str]) -> (String, CellEdits) {
        let mut sheet = ExportWriter::new(layout, columns);
        let mut out = Vec::new();
        let cells: Vec<Cell<'_>> = cells.iter().map(|text| Cell::text(text)).collect();
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
            let head = proptest::collection::vec(
                prop_oneof![Just("phone".to_owned()), Just("zip".to_owned()), cell()],
                columns,
            );
            (head, proptest::collection::vec(row, 0..6))
        })
    }

    fn written(layout: Layout, head: &[String], rows: &[Vec<String>]) -> (Vec<u8>, CellEdits) {
        let mut sheet = ExportWriter::new(layout, head);
        let mut out = Vec::new();
        sheet.header(&mut out);
        for row in rows {
            let cells: Vec<Cell<'_>> = row.iter().map(|text| Cell::text(text)).collect();
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
}
