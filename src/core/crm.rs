//! A suppression list from the CSV of a CRM: its columns are found by their heads, whatever they are called and in whatever order.
//!
//! Each line names what its columns hold: an email, a domain, a phone, and a name together with its company. A file without heads is
//! read cell by cell. How entries are held against rows is `suppress`.

use std::collections::BTreeSet;

use super::codes;
use super::credits::grouped;
use super::same_person::phone;
use super::scrub::{self, scrub};
use super::suppress::{SuppressEntry, is_domain};

/// The result of reading a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrmFile {
    /// Each once, in the order of the file.
    pub entries: Vec<SuppressEntry>,
    /// Lines that hold nothing usable, as an editor counts them.
    pub skipped: Vec<usize>,
    /// Lines with an email or phone that cannot be read beside what can.
    pub unread: Vec<usize>,
}

impl CrmFile {
    /// The lines that are not in the list, for the end of a sentence: `; line 6 has no usable value`.
    pub fn left_out(&self) -> String {
        let said = [(&self.skipped, "no usable value"), (&self.unread, "an email or phone that cannot be read")];
        let said = said.into_iter().filter_map(|(lines, what)| Some(format!("; {} {what}", lines_named(lines)?)));
        said.collect()
    }
}

/// Why a file makes no list.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum UnusableList {
    #[error("it is empty")]
    Empty,
    #[error("it has no usable column, only {0}; a list needs email, domain, phone, or name together with company")]
    NoColumn(String),
    #[error("line {0} opens a quotation mark that is not closed: what follows it cannot be read")]
    OpenQuote(usize),
    #[error("it has no usable line: none has an email, a domain, a phone number, or a name with a company")]
    Nothing,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
pub enum Column {
    Email,
    Domain,
    Phone,
    Name,
    FirstName,
    LastName,
    Company,
}

impl Column {
    pub fn of(head: &str) -> Option<Column> {
        let words = words(head);
        let whole = words.concat();
        // `LinkedIn` comes apart into two words.
        if ["linkedin", "facebook", "twitter"].iter().any(|network| whole.contains(network)) {
            return None;
        }
        let has = |name: &str| words.iter().any(|word| word == name);
        let is_of = |name: &str| name.strip_prefix('=').map_or_else(|| has(name), |head| head == whole);
        let (column, _) = codes::read(lode_assets::HEADS).find(|(_, names)| names.split(' ').any(is_of))?;
        column.parse().ok()
    }
}

/// The words of a head in lower case: `firstName`, `First Name` and `first_name` have the same.
fn words(head: &str) -> Vec<String> {
    let mut spaced = String::with_capacity(head.len() + 4);
    let mut before = ' ';
    for c in head.chars() {
        if c.is_uppercase() && before.is_lowercase() {
            spaced.push(' ');
        }
        spaced.push(c);
        before = c;
    }
    let words = spaced.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// `lines 3 and 7 have`, for a sentence about lines that cannot be used; `None` without any. Of many, the first are named.
pub fn lines_named(lines: &[usize]) -> Option<String> {
    const NAMED: usize = 8;
    let numbers: Vec<String> = lines.iter().take(NAMED).map(usize::to_string).collect();
    let (last, before) = numbers.split_last()?;
    Some(match lines.len() {
        1 => format!("line {last} has"),
        all if all > NAMED => format!("lines {}, and {} more have", numbers.join(", "), grouped((all - NAMED) as u64)),
        _ => format!("lines {} and {last} have", before.join(", ")),
    })
}

/// The delimiter that a first line `sep=;` names, else the one that parts the first line into the most cells.
fn delimiter(text: &str) -> (u8, bool) {
    let first = text.lines().find(|line| !line.trim().is_empty()).unwrap_or("");
    if let [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', delimiter] = first.trim_end_matches(' ').as_bytes() {
        return (*delimiter, true);
    }
    let cells = |delimiter: &u8| {
        let mut records = reader(first, *delimiter).into_records();
        records.next().and_then(Result::ok).map_or(0, |record| record.len())
    };
    let most = [b',', b';', b'\t', b'|'].into_iter().rev().max_by_key(cells);
    (most.unwrap_or(b','), false)
}

/// The records of a list, each with its line as an editor counts them. An error is the line of a quotation mark that is not
/// closed: the rest of the list would be one cell.
pub fn records(text: &str) -> Result<impl Iterator<Item = (usize, csv::StringRecord)>, usize> {
    let (delimiter, is_named) = delimiter(text);
    let read = move || {
        let records = reader(text, delimiter).into_records().filter_map(Result::ok).skip(usize::from(is_named));
        records.map(move |record| {
            // A record begins where the one before it ended: empty lines between them are passed over.
            let start = record.position().map_or(0, csv::Position::byte) as usize;
            let line = record.position().map_or(0, csv::Position::line) as usize;
            let empty = text.as_bytes().iter().skip(start).take_while(|byte| matches!(byte, b'\n' | b'\r'));
            (line + empty.filter(|byte| **byte == b'\n').count(), record)
        })
    };
    if text.matches('"').count() % 2 == 1
        && let Some((line, _)) = read().last().filter(|(_, last)| last.iter().any(|cell| cell.contains('\n')))
    {
        return Err(line);
    }
    Ok(read())
}

fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    let mut builder = csv::ReaderBuilder::new();
    builder.has_headers(false).flexible(true).delimiter(delimiter).trim(csv::Trim::All).from_reader(text.as_bytes())
}

/// What the file names. Domains count alone, or with their subdomains where that is asked for.
pub fn read(text: &str, subdomains: bool) -> Result<CrmFile, UnusableList> {
    let text = text.trim_start_matches('\u{feff}');
    if text.trim().is_empty() {
        return Err(UnusableList::Empty);
    }
    let mut records = records(text).map_err(UnusableList::OpenQuote)?.peekable();
    let single = |cell: &str| cells(cell, subdomains);
    let heads = records.peek().into_iter().flat_map(|(_, head)| head);
    let heads: Vec<String> = heads.map(scrub::name).collect();
    // `Account.Name` could be a domain as well: two heads that are known as such decide.
    let known = heads.iter().filter(|head| Column::of(head).is_some()).count();
    let has_heads = heads.iter().all(|head| single(head).is_empty()) || (known > 1 && !heads.concat().contains('@'));
    let columns: Vec<Option<Column>> = heads.iter().map(|head| Column::of(head).filter(|_| has_heads)).collect();
    if has_heads {
        records.next();
        let has = |wanted: Column| columns.contains(&Some(wanted));
        let person = (has(Column::Name) || has(Column::LastName)) && has(Column::Company);
        if !(person || has(Column::Email) || has(Column::Domain) || has(Column::Phone)) {
            return Err(UnusableList::NoColumn(named(&heads)));
        }
    }
    let mut seen = BTreeSet::new();
    let (mut entries, mut skipped, mut unread) = (Vec::new(), Vec::new(), Vec::new());
    for (line, record) in records {
        let anywhere = || record.iter().flat_map(&single).collect();
        let found = if has_heads { of_record(&record, &columns, subdomains) } else { anywhere() };
        skipped.extend(found.is_empty().then_some(line));
        let is_unread = !found.is_empty() && record.iter().zip(&columns).any(|(cell, column)| is_unread(cell, *column));
        unread.extend(is_unread.then_some(line));
        entries.extend(found.into_iter().filter(|entry| seen.insert(entry.clone())));
    }
    if entries.is_empty() { Err(UnusableList::Nothing) } else { Ok(CrmFile { entries, skipped, unread }) }
}

/// What the file names by its heads, and the emails and domains of its other cells. Domains count with their subdomains.
pub fn read_any(text: &str) -> Result<CrmFile, UnusableList> {
    let (named, anywhere) = (read(text, true), read_cells(text));
    let mut found = match named {
        Err(UnusableList::NoColumn(_) | UnusableList::Nothing) if !anywhere.is_empty() => {
            return Ok(CrmFile { entries: anywhere, skipped: Vec::new(), unread: Vec::new() });
        }
        named => named?,
    };
    let email = |entry: &SuppressEntry| match entry {
        SuppressEntry::Email { email, .. } => SuppressEntry::email(email),
        other => other.clone(),
    };
    let known: BTreeSet<SuppressEntry> = found.entries.iter().map(email).collect();
    found.entries.extend(anywhere.into_iter().filter(|entry| !known.contains(entry)));
    let lines: Vec<&str> = text.lines().collect();
    found.skipped.retain(|line| lines.get(line - 1).is_none_or(|line| read_cells(line).is_empty()));
    Ok(found)
}

/// The first heads of a file, for a sentence.
pub fn named(heads: &[String]) -> String {
    let shortened = |head: &String| format!("`{}`", head.chars().take(24).collect::<String>());
    heads.iter().take(8).map(shortened).collect::<Vec<_>>().join(", ")
}

fn of_record(record: &csv::StringRecord, columns: &[Option<Column>], subdomains: bool) -> Vec<SuppressEntry> {
    let of = |wanted: Column| {
        let named = record.iter().zip(columns).filter(move |(_, column)| **column == Some(wanted));
        named.map(|(cell, _)| scrub::name(cell)).filter(|cell| !cell.is_empty())
    };
    let parts = || of(Column::FirstName).chain(of(Column::LastName)).collect::<Vec<_>>().join(" ");
    let name = of(Column::Name).next().unwrap_or_else(parts);
    let mut found = Vec::new();
    let named = |column: Column| of(column).flat_map(|cell| cells(&cell, subdomains));
    found.extend(named(Column::Email).filter_map(|entry| match entry {
        SuppressEntry::Email { email, .. } => Some(SuppressEntry::Email { email, name: name.clone() }),
        _ => None,
    }));
    let is_domain = |entry: &SuppressEntry| matches!(entry, SuppressEntry::Domain(_) | SuppressEntry::ExactDomain(_));
    found.extend(named(Column::Domain).filter(is_domain));
    let phones = of(Column::Phone).filter_map(|cell| phone_of(&cell));
    found.extend(phones.map(|digits| SuppressEntry::Phone { digits, name: name.clone() }));
    if let Some(company) = of(Column::Company).next().filter(|_| !name.is_empty()) {
        found.push(SuppressEntry::Person { name, company });
    }
    found
}

/// Whether a cell is meant as an email or phone and cannot be read as one. `none` and `n/a` mean nothing.
fn is_unread(cell: &str, column: Option<Column>) -> bool {
    let cell = scrub::name(cell);
    match column {
        Some(Column::Phone) => cell.chars().filter(char::is_ascii_digit).count() >= 7 && phone_of(&cell).is_none(),
        Some(Column::Email) => cell.contains('@') && cells(&cell, false).is_empty(),
        _ => false,
    }
}

/// The digits of a phone that is whole, without its extension.
fn phone_of(cell: &str) -> Option<String> {
    let cell = cell.to_lowercase();
    let number = cell.trim_start_matches("tel:");
    let end = number.find(|c: char| c == '#' || c.is_alphabetic()).unwrap_or(number.len());
    let (number, extension) = number.split_at(end);
    let inner = ["extension", "ext", "x", "#"].iter().find_map(|word| extension.strip_prefix(word));
    let mut inner = inner.unwrap_or(extension).chars().skip_while(|c| matches!(c, '.' | ':' | ' '));
    let is_part = |c: char| c.is_ascii_digit() || c.is_whitespace() || "+-()./‐‑‒–—―".contains(c);
    let is_one = number.chars().all(is_part) && inner.all(|c| c.is_ascii_digit());
    Some(phone(number)).filter(|digits| is_one && (7..=15).contains(&digits.len()))
}

/// What a cell names by itself; several may stand in one.
fn cells(cell: &str, subdomains: bool) -> Vec<SuppressEntry> {
    let cell = scrub(cell);
    if let Some(digits) = phone_of(&cell).filter(|digits| digits.len() >= 10) {
        return vec![SuppressEntry::Phone { digits, name: String::new() }];
    }
    let named = cell.split([';', ',', ' ', '|']).filter_map(|part| entry(part.trim_start_matches("*.")));
    let named = named.map(|entry| match entry {
        SuppressEntry::Domain(domain) if !subdomains => SuppressEntry::ExactDomain(domain),
        entry => entry,
    });
    named.collect()
}

// A suppression list as people keep it: a CSV of e-mails and domains, with or without heads, in whatever column they are.
//
// A cell counts where the whole of it is an address, a domain or a link; everything else (names, notes, heads) is passed over,
// and so is a masked address: it could belong to several people.

/// What the text of a file names, each once, in its order.
pub fn read_cells(text: &str) -> Vec<SuppressEntry> {
    let mut seen = BTreeSet::new();
    let cells = text.trim_start_matches('\u{feff}').split(['\n', '\r', ',', ';', '\t']);
    cells.filter_map(entry).filter(|entry| seen.insert(entry.clone())).collect()
}

fn entry(cell: &str) -> Option<SuppressEntry> {
    // A byte order mark, invisible in the file, would keep a name from ever being found.
    let cell = scrub(cell);
    let cell = cell.trim().trim_matches('"').trim().to_lowercase();
    // Programs that make links of links write it twice.
    let bare = cell.trim_start_matches("mailto:");
    if let Some((local, domain)) = bare.rsplit_once('@') {
        return match local {
            "" => is_domain(domain).then(|| SuppressEntry::Domain(domain.to_owned())),
            local if is_local(local) && is_domain(domain) => Some(SuppressEntry::email(bare)),
            _ => None,
        };
    }
    let linked = bare.strip_prefix("https://").or_else(|| bare.strip_prefix("http://"));
    let host = linked.map_or(bare, |link| link.split(['/', '?', '#']).next().unwrap_or(""));
    let host = host.strip_prefix("www.").unwrap_or(host);
    is_domain(host).then(|| SuppressEntry::Domain(host.to_owned()))
}

fn is_local(local: &str) -> bool {
    !local.is_empty()
        && !local.chars().any(|c| c.is_whitespace() || c.is_control() || matches!(c, '@' | '<' | '>' | '"' | '•'))
}
