//! A row as the service sent it, held compactly: its values side by side in a block of rows, the column names shared.
//!
//! Values are scrubbed before they come here. Unknown columns are kept, shown and exported; logic reads only the known ones.

mod block;
mod fields;

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use super::contact::RowId;
pub use block::Rows;
use block::{Block, Head};
pub use fields::Fields;

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

    pub fn names(&self) -> &[Box<str>] {
        &self.names
    }

    pub fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| **known == *name)
    }
}

/// What kind of JSON value a field was, so that it can be written again as it came.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    Text,
    /// A number, boolean, array or object: the text is its JSON.
    Json,
    Null,
}

/// Cloning shares, and keeps the rows that lie beside it in memory: see [`Rows::copies`].
///
/// A window holds a hundred thousand of them, so that id and flags are packed.
#[derive(Clone)]
pub struct Row {
    /// Zero without an id.
    id: i64,
    block: Arc<Block>,
    start: u32,
    has_id: bool,
    unlocked: bool,
}

impl Row {
    /// A row by itself. `values` in the order of `columns`; there are not more of them.
    pub fn new<'a>(
        id: Option<RowId>,
        unlocked: bool,
        columns: Arc<Columns>,
        values: impl IntoIterator<Item = (Kind, &'a str)>,
    ) -> Row {
        let mut rows = Rows::new(Arc::clone(&columns));
        rows.push(id, unlocked, &columns, values);
        rows.finish().pop().expect("it was just written")
    }

    fn place(id: Option<RowId>, unlocked: bool, block: Arc<Block>, start: u32) -> Row {
        Row { id: id.map_or(0, |id| id.0), block, start, has_id: id.is_some(), unlocked }
    }

    /// `None` where the row carried no readable id: it is shown, and can neither be staged nor recognized.
    pub fn id(&self) -> Option<RowId> {
        self.has_id.then_some(RowId(self.id))
    }

    /// Whether the workspace owns the contact.
    pub fn unlocked(&self) -> bool {
        self.unlocked
    }

    pub fn columns(&self) -> &Arc<Columns> {
        &self.block.columns
    }

    /// Whether one keeps the other in memory.
    pub fn shares_block(&self, other: &Row) -> bool {
        Arc::ptr_eq(&self.block, &other.block)
    }

    pub fn at(&self, column: usize) -> Option<(Kind, &str)> {
        let mut heads = self.block.heads(self.start);
        let start: usize = heads.by_ref().take(column).map(Head::length).sum();
        match heads.next()? {
            Head::Common(number) => Some(self.common_value(number)),
            Head::Own(kind, length) => {
                heads.by_ref().for_each(drop);
                Some((kind, utf8(&heads.bytes[start..start + length])))
            }
        }
    }

    fn common_value(&self, number: u8) -> (Kind, &str) {
        let (kind, text) = self.block.common_value(number);
        (kind, utf8(text))
    }

    /// The texts of the values that this row does not have in common with those beside it, one after the other.
    pub fn own_text(&self) -> &[u8] {
        &self.block.bytes[self.place_of_text()]
    }

    /// The texts of the values that rows of this block have in common, one after the other. See [`Row::shares_block`].
    pub fn common_text(&self) -> &[u8] {
        self.block.common_text()
    }

    /// Of the values that rows of this block have in common, those that a test holds for, as bits.
    pub fn common_values(&self, holds: impl Fn(&str) -> bool) -> u64 {
        let values = self.block.common_values().zip(1..);
        values.filter(|(value, _)| holds(utf8(value))).fold(0, |found, (_, number)| found | 1 << number)
    }

    /// Whether one of these common values is in the row.
    pub fn has_common(&self, values: u64) -> bool {
        self.block.heads(self.start).any(|head| matches!(head, Head::Common(number) if values >> number & 1 == 1))
    }

    /// Heads and texts, as they lie in memory.
    fn body(&self) -> &[u8] {
        &self.block.bytes[self.start as usize..self.place_of_text().end]
    }

    fn place_of_text(&self) -> Range<usize> {
        let mut heads = self.block.heads(self.start);
        let length: usize = heads.by_ref().map(Head::length).sum();
        let start = self.block.bytes.len() - heads.bytes.len();
        start..start + length
    }

    /// Whether a stretch of its own text lies within one value.
    pub fn is_of_one_value(&self, stretch: Range<usize>) -> bool {
        let mut border = 0;
        let mut borders = self.block.heads(self.start).map(|head| {
            border += head.length();
            border
        });
        borders.find(|end| *end > stretch.start).is_some_and(|end| end >= stretch.end)
    }

    /// The text of a well-known column; empty where the row has none or null.
    pub fn known(&self, column: Known) -> &str {
        self.columns().known[column as usize].and_then(|at| self.at(at as usize)).map_or("", |(_, text)| text)
    }

    /// Whether a well-known column has just this text. Where the length differs the text is not looked at.
    pub fn says(&self, column: Known, text: &str) -> bool {
        let may_be = |at: &u16| match self.block.heads(self.start).nth(usize::from(*at)) {
            Some(Head::Own(_, length)) => length == text.len(),
            Some(Head::Common(_)) => true,
            None => false,
        };
        self.columns().known[column as usize].filter(may_be).is_some_and(|_| self.known(column) == text)
    }

    pub fn named(&self, name: &str) -> Option<&str> {
        self.columns().position(name).and_then(|at| self.at(at)).map(|(_, text)| text)
    }

    /// All fields in the order of the service: `id` and `unlocked` are among them where the service sent them.
    pub fn fields(&self) -> impl Iterator<Item = (&str, Kind, &str)> {
        let mut rest = self.own_text();
        self.columns().names.iter().zip(self.block.heads(self.start)).map(move |(name, head)| match head {
            Head::Common(number) => {
                let (kind, value) = self.common_value(number);
                (&**name, kind, value)
            }
            Head::Own(kind, length) => {
                let (value, behind) = rest.split_at(length);
                rest = behind;
                (&**name, kind, utf8(value))
            }
        })
    }

    /// The person's name: `contact_name` where sent, else first and last.
    pub fn name(&self) -> String {
        let mut name = String::new();
        self.push_name(&mut name);
        name
    }

    /// The name, added to the end of a text.
    pub fn push_name(&self, text: &mut String) {
        let whole = self.known(Known::ContactName);
        if !whole.is_empty() {
            return text.push_str(whole);
        }
        let (first, last) = (self.known(Known::FirstName), self.known(Known::LastName));
        text.push_str(first);
        if !first.is_empty() && !last.is_empty() {
            text.push(' ');
        }
        text.push_str(last);
    }

    pub fn email(&self) -> &str {
        self.known(Known::Email)
    }

    /// The domain of the email, which is whole even on a masked row.
    pub fn email_domain(&self) -> Option<&str> {
        self.email().rsplit_once('@').map(|(_, domain)| domain).filter(|domain| !domain.is_empty())
    }
}

/// Values came in as text.
fn utf8(value: &[u8]) -> &str {
    std::str::from_utf8(value).unwrap_or_default()
}

impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        (self.id(), self.unlocked, self.columns()) == (other.id(), other.unlocked, other.columns())
            && self.fields().eq(other.fields())
    }
}

impl Eq for Row {}

impl fmt::Debug for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = self.fields().map(|(name, _, text)| (name, text));
        f.debug_struct("Row").field("id", &self.id()).field("unlocked", &self.unlocked).finish_non_exhaustive()?;
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
        let fields = Fields::of(&row);
        for name in row.columns().names() {
            assert_eq!(fields.named(name), row.named(name), "{name}");
        }
        assert_eq!((fields.known(Known::Email), fields.known(Known::Title)), ("d•••@lakeside.example", ""));
        let kinds: Vec<Kind> = row.fields().map(|(_, kind, _)| kind).collect();
        assert_eq!(kinds, [Kind::Json, Kind::Text, Kind::Text, Kind::Null, Kind::Text, Kind::Json]);
    }
}
