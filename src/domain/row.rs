//! A row as the service sent it, held compactly: one text with all values, the column names shared by the page.
//!
//! A window of 100,000 rows lives in memory, so a row is one allocation however many columns it has. Values are
//! scrubbed before they come here. Unknown columns are kept, shown and exported; logic reads only the known ones.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::contact::RowId;

/// The well-known columns that logic and the grid look up by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(usize)]
pub enum Known {
    FirstName,
    LastName,
    ContactName,
    Title,
    TitleLevel,
    Company,
    City,
    County,
    State,
    Zip,
    Industry,
    /// `email_address` (us, Data) or `email` (linkedin).
    Email,
    Phone,
    EmailDomainType,
    EmailStatus,
    Verification,
    Linkedin,
    Website,
    Sic,
    Naics,
}

impl Known {
    pub const COUNT: usize = 20;

    #[must_use]
    pub fn of(name: &str) -> Option<Known> {
        Some(match name {
            "first_name" => Known::FirstName,
            "last_name" => Known::LastName,
            "contact_name" => Known::ContactName,
            "title" => Known::Title,
            "title_level" => Known::TitleLevel,
            "company_name" => Known::Company,
            "city" => Known::City,
            "county" => Known::County,
            "state" => Known::State,
            "zip" => Known::Zip,
            "industry" => Known::Industry,
            "email_address" | "email" => Known::Email,
            "phone" => Known::Phone,
            "email_domain_type" => Known::EmailDomainType,
            "email_status" => Known::EmailStatus,
            "verification" => Known::Verification,
            "linkedin_url" => Known::Linkedin,
            "company_website" => Known::Website,
            "sic_code" => Known::Sic,
            "naics_code" => Known::Naics,
            _ => return None,
        })
    }
}

/// Column names in the order of the service, shared by all rows that carry the same.
#[derive(Debug, PartialEq, Eq)]
pub struct Columns {
    names: Vec<Box<str>>,
    known: [Option<u16>; Known::COUNT],
}

impl Columns {
    #[must_use]
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Columns {
        let names: Vec<Box<str>> = names.into_iter().map(|name| name.as_ref().into()).collect();
        let mut known = [None; Known::COUNT];
        for (at, name) in names.iter().enumerate() {
            if let Some(column) = Known::of(name) {
                known[column as usize].get_or_insert(at as u16);
            }
        }
        Columns { names, known }
    }

    #[must_use]
    pub fn names(&self) -> &[Box<str>] {
        &self.names
    }

    #[must_use]
    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| **known == *name)
    }
}

/// What kind of JSON value a field was, so that it can be written again as it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Text,
    /// A number, boolean, array or object: the text is its JSON.
    Json,
    Null,
}

/// Cloning shares: a row in the window and the same row in the basket are one.
#[derive(Clone, PartialEq)]
pub struct Row {
    /// None where the row carried no readable id: it is shown, and can neither be staged nor recognised.
    pub id: Option<RowId>,
    columns: Arc<Columns>,
    /// The end of each value within the text, with its kind in the two highest bits; then the text.
    body: Arc<[u8]>,
    count: u16,
    /// Ends take four bytes instead of two: the text is longer than most.
    wide: bool,
    /// The workspace owns the contact.
    pub unlocked: bool,
}

const NARROW: u32 = 14;
const WIDE: u32 = 30;

impl Row {
    /// `values` in the order of `columns`. A value past the first gibibyte of a row is dropped: no page that large is read.
    #[must_use]
    pub fn new<'a>(
        id: Option<RowId>,
        unlocked: bool,
        columns: Arc<Columns>,
        values: impl IntoIterator<Item = (Kind, &'a str)>,
    ) -> Row {
        let mut text = String::new();
        let mut ends: Vec<(usize, Kind)> = Vec::with_capacity(columns.names.len());
        for (kind, value) in values.into_iter().take(usize::from(u16::MAX)) {
            if text.len() + value.len() < 1 << WIDE {
                text.push_str(value);
            }
            ends.push((text.len(), kind));
        }
        let wide = text.len() >= 1 << NARROW;
        let mut body = Vec::with_capacity(ends.len() * if wide { 4 } else { 2 } + text.len());
        for (end, kind) in &ends {
            if wide {
                body.extend((*end as u32 | (*kind as u32) << WIDE).to_le_bytes());
            } else {
                body.extend((*end as u16 | (*kind as u16) << NARROW).to_le_bytes());
            }
        }
        body.extend(text.as_bytes());
        Row { id, columns, body: body.into(), count: ends.len() as u16, wide, unlocked }
    }

    #[must_use]
    pub fn columns(&self) -> &Arc<Columns> {
        &self.columns
    }

    /// Whether both are one in memory.
    #[must_use]
    pub fn is_shared_with(&self, other: &Row) -> bool {
        Arc::ptr_eq(&self.body, &other.body)
    }

    #[must_use]
    pub fn at(&self, column: usize) -> Option<(Kind, &str)> {
        let (end, kind) = self.end(column)?;
        let start = column.checked_sub(1).and_then(|before| self.end(before)).map_or(0, |(end, _)| end);
        Some((kind, std::str::from_utf8(&self.text()[start..end]).unwrap_or_default()))
    }

    /// The texts of all values, one after the other.
    #[must_use]
    pub fn text(&self) -> &[u8] {
        &self.body[usize::from(self.count) * if self.wide { 4 } else { 2 }..]
    }

    /// Whether a stretch of the text lies within one value.
    #[must_use]
    pub fn is_of_one_value(&self, stretch: Range<usize>) -> bool {
        let mut borders = (0..usize::from(self.count)).map_while(|column| self.end(column)).map(|(end, _)| end);
        borders.find(|end| *end > stretch.start).is_some_and(|end| end >= stretch.end)
    }

    fn end(&self, column: usize) -> Option<(usize, Kind)> {
        if column >= usize::from(self.count) {
            return None;
        }
        let (end, kind) = if self.wide {
            let end = u32::from_le_bytes(self.body[column * 4..][..4].try_into().ok()?);
            (end & ((1 << WIDE) - 1), end >> WIDE)
        } else {
            let end = u32::from(u16::from_le_bytes(self.body[column * 2..][..2].try_into().ok()?));
            (end & ((1 << NARROW) - 1), end >> NARROW)
        };
        let kind = match kind {
            0 => Kind::Text,
            1 => Kind::Json,
            _ => Kind::Null,
        };
        Some((end as usize, kind))
    }

    /// The text of a well-known column; empty where the row has none or null.
    #[must_use]
    pub fn known(&self, column: Known) -> &str {
        self.columns.known[column as usize].and_then(|at| self.at(at as usize)).map_or("", |(_, text)| text)
    }

    #[must_use]
    pub fn named(&self, name: &str) -> Option<&str> {
        self.columns.position(name).and_then(|at| self.at(at)).map(|(_, text)| text)
    }

    /// All fields in the order of the service: `id` and `unlocked` are among them where the service sent them.
    pub fn fields(&self) -> impl Iterator<Item = (&str, Kind, &str)> {
        self.columns.names.iter().enumerate().filter_map(|(at, name)| {
            let (kind, text) = self.at(at)?;
            Some((&**name, kind, text))
        })
    }

    /// The person's name: `contact_name` where sent, else first and last.
    #[must_use]
    pub fn name(&self) -> String {
        let whole = self.known(Known::ContactName);
        if !whole.is_empty() {
            return whole.to_owned();
        }
        let (first, last) = (self.known(Known::FirstName), self.known(Known::LastName));
        if first.is_empty() || last.is_empty() { format!("{first}{last}") } else { format!("{first} {last}") }
    }

    #[must_use]
    pub fn email(&self) -> &str {
        self.known(Known::Email)
    }

    /// The domain of the e-mail, which is whole even on a masked row.
    #[must_use]
    pub fn email_domain(&self) -> Option<&str> {
        self.email().rsplit_once('@').map(|(_, domain)| domain).filter(|domain| !domain.is_empty())
    }
}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.fields().map(|(name, _, text)| (name, text));
        f.debug_struct("Row").field("id", &self.id).field("unlocked", &self.unlocked).finish_non_exhaustive()?;
        f.debug_map().entries(fields).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_as_they_went_in() {
        let columns = Arc::new(Columns::new(["id", "first_name", "last_name", "note", "email_address", "score"]));
        let row = Row::new(
            Some(RowId(7)),
            false,
            columns,
            [
                (Kind::Json, "7"),
                (Kind::Text, "Dana"),
                (Kind::Text, ""),
                (Kind::Null, ""),
                (Kind::Text, "d•••@lakeside.example"),
                (Kind::Json, "1.50"),
            ],
        );
        assert_eq!(row.name(), "Dana");
        assert_eq!(row.email_domain(), Some("lakeside.example"));
        assert_eq!(row.named("score"), Some("1.50"));
        assert_eq!(row.named("nothing"), None);
        let kinds: Vec<Kind> = row.fields().map(|(_, kind, _)| kind).collect();
        assert_eq!(kinds, [Kind::Json, Kind::Text, Kind::Text, Kind::Null, Kind::Text, Kind::Json]);
    }

    #[test]
    fn a_row_of_any_length_reads_back() {
        let long = "é".repeat(40_000);
        for texts in
            [vec![""; 3], vec!["a", &long[..16_382], "z"], vec!["a", &long[..16_384], "z"], vec![&long, "", &long]]
        {
            let columns = Arc::new(Columns::new(["one", "two", "three"]));
            let row = Row::new(None, true, columns, texts.iter().map(|text| (Kind::Text, *text)));
            let read: Vec<&str> = row.fields().map(|(_, _, text)| text).collect();
            assert_eq!(read, texts);
            assert_eq!(row.at(3), None);
            assert_eq!(row.clone(), row);
        }
    }
}
