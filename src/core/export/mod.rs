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
pub type Cell<'a> = (CellKind, &'a str);

const NOTHING: Cell<'static> = (CellKind::Null, "");

/// An export in the making: it knows its columns and writes one line after the other.
#[derive(Clone, Debug)]
pub struct ExportWriter {
    layout: Layout,
    pub columns: Vec<String>,
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
        let mapped = if let Layout::Mapped(preset) = &layout { preset.find(&columns) } else { Vec::new() };
        let phones = columns.iter().map(|name| is_phone_column(name)).collect();
        ExportWriter { layout, columns, phones, mapped, touched: CellEdits::default() }
    }

    /// The line of column names, where the form has one.
    pub fn header(&mut self, out: &mut Vec<u8>) {
        match &self.layout {
            Layout::JsonLines => {}
            Layout::Raw => push_line(out, self.columns.iter().map(String::as_str)),
            Layout::Contacts => push_line(out, self.columns.iter().map(|name| plain_cell(name))),
            Layout::Mapped(preset) => push_line(out, preset.columns.iter().map(|column| column.name.as_str())),
        }
    }

    /// One line; a cell that is not there is empty.
    pub fn row(&mut self, cells: &[Cell<'_>], out: &mut Vec<u8>) {
        let cell = |at: usize| cells.get(at).copied().unwrap_or(NOTHING);
        let text = |at: usize| cells.get(at).map_or("", |(_, text)| *text);
        match &self.layout {
            Layout::JsonLines => {
                let fields = self.columns.iter().enumerate().map(|(at, name)| (name.as_str(), cell(at)));
                push_object(fields.filter(|(_, cell)| *cell != ABSENT), out);
                out.push(b'\n');
            }
            Layout::Raw => push_line(out, (0..self.columns.len()).map(text)),
            Layout::Contacts => {
                let cells = self.phones.iter().enumerate();
                push_line(out, cells.map(|(at, phone)| harmless(text(at), *phone, &mut self.touched)));
            }
            Layout::Mapped(_) => {
                let cells = self.mapped.iter().map(|found| (found.value(cells), found.is_phone));
                push_line(out, cells.map(|(text, phone)| harmless(text, phone, &mut self.touched)));
            }
        }
    }
}

/// A column that a row does not have at all, which is not the same as null: JSON lines leave it out.
pub const ABSENT: Cell<'static> = (CellKind::Json, "");

/// An object has one field of a name: a second column of that name becomes `name_2`.
pub fn make_distinct(columns: &mut [String]) {
    let mut taken: HashSet<String> = HashSet::with_capacity(columns.len());
    let mut again: HashMap<String, u32> = HashMap::new();
    for column in columns {
        let name = column.clone();
        while !taken.insert(column.clone()) {
            let number = again.entry(name.clone()).or_insert(1);
            *number += 1;
            *column = format!("{name}_{number}");
        }
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
    text.starts_with(['\t', '\r', '\n']) || text.trim_start().starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠'])
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
            cells[*place] = (kind, text);
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
    push_object(row.fields().map(|(name, kind, text)| (name, (kind, text))), out);
}

/// The same as text.
pub fn row_text(row: &Row) -> String {
    let mut line = Vec::with_capacity(320);
    push_row(row, &mut line);
    String::from_utf8(line).unwrap_or_else(|broken| String::from_utf8_lossy(broken.as_bytes()).into_owned())
}

pub fn push_object<'a>(fields: impl Iterator<Item = (&'a str, Cell<'a>)>, out: &mut Vec<u8>) {
    out.push(b'{');
    for (at, (name, (kind, text))) in fields.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        push_text(name, out);
        out.push(b':');
        match kind {
            CellKind::Text => push_text(text, out),
            CellKind::Json => out.extend_from_slice(text.as_bytes()),
            CellKind::Null => out.extend_from_slice(b"null"),
        }
    }
    out.push(b'}');
}

fn push_text(text: &str, out: &mut Vec<u8>) {
    serde_json::to_writer(out, text).expect("writing to memory does not fail");
}
