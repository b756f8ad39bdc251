//! A row as the service sent it, held compactly: its values side by side in a block of rows, the column names shared.
//!
//! Values are scrubbed before they come here. Unknown columns are kept, shown and exported; logic reads only the known ones.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use strum::{EnumCount, EnumString};

use crate::contact::RowId;

/// The well-known columns that logic and the grid look up by position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, EnumCount, EnumString)]
#[strum(serialize_all = "snake_case")]
#[repr(usize)]
pub enum Known {
    FirstName,
    LastName,
    ContactName,
    Title,
    TitleLevel,
    #[strum(serialize = "company_name")]
    Company,
    City,
    County,
    State,
    Zip,
    Industry,
    /// `email_address` (us, Data) or `email` (linkedin).
    #[strum(serialize = "email_address", serialize = "email")]
    Email,
    Phone,
    EmailDomainType,
    EmailStatus,
    Verification,
    #[strum(serialize = "linkedin_url")]
    Linkedin,
    #[strum(serialize = "company_website")]
    Website,
    #[strum(serialize = "sic_code")]
    Sic,
    #[strum(serialize = "naics_code")]
    Naics,
}

impl Known {
    pub fn of(name: &str) -> Option<Known> {
        name.parse().ok()
    }
}

/// Column names in the order of the service, shared by all rows that carry the same.
#[derive(Debug, PartialEq, Eq)]
pub struct ColumnNames {
    names: Vec<Box<str>>,
    known: [Option<u16>; Known::COUNT],
}

impl ColumnNames {
    pub fn new<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> ColumnNames {
        let names: Vec<Box<str>> = names.into_iter().map(|name| name.as_ref().into()).collect();
        let mut known = [None; Known::COUNT];
        for (at, name) in names.iter().enumerate() {
            if let Some(column) = Known::of(name) {
                known[column as usize].get_or_insert(at as u16);
            }
        }
        ColumnNames { names, known }
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
pub enum CellKind {
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
        columns: Arc<ColumnNames>,
        values: impl IntoIterator<Item = (CellKind, &'a str)>,
    ) -> Row {
        let mut rows = Rows::new(Arc::clone(&columns));
        rows.push(id, unlocked, &columns, values);
        rows.finish().pop().expect("it was just written")
    }

    /// `None` where the row carried no readable id: it is shown, and can neither be staged nor recognized.
    pub fn id(&self) -> Option<RowId> {
        self.has_id.then_some(RowId(self.id))
    }

    /// Whether the workspace owns the contact.
    pub fn unlocked(&self) -> bool {
        self.unlocked
    }

    pub fn columns(&self) -> &Arc<ColumnNames> {
        &self.block.columns
    }

    /// Whether one keeps the other in memory.
    pub fn shares_block(&self, other: &Row) -> bool {
        Arc::ptr_eq(&self.block, &other.block)
    }

    pub fn at(&self, column: usize) -> Option<(CellKind, &str)> {
        let mut heads = self.block.heads(self.start);
        match heads.nth(column)? {
            Head::Common(number) => Some(self.block.common.value(number)),
            Head::Own(kind, place) => {
                heads.by_ref().for_each(drop);
                Some((kind, utf8(&heads.bytes[place])))
            }
        }
    }

    /// The texts of the values that this row does not have in common with those beside it, one after the other.
    pub fn own_text(&self) -> &[u8] {
        &self.block.bytes[self.place_of_text()]
    }

    /// The texts of the values that rows of this block have in common, one after the other. See [`Row::shares_block`].
    pub fn common_text(&self) -> &[u8] {
        self.block.common.text.as_bytes()
    }

    /// Of the values that rows of this block have in common, those that a test holds for, as bits.
    pub fn common_values(&self, holds: impl Fn(&str) -> bool) -> u64 {
        let values = self.block.common.iter();
        values.filter(|(_, value)| holds(value)).fold(0, |found, (number, _)| found | 1 << number)
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
        heads.by_ref().for_each(drop);
        let start = self.block.bytes.len() - heads.bytes.len();
        start..start + heads.length
    }

    /// Whether a stretch of its own text lies within one value.
    pub fn is_of_one_value(&self, stretch: Range<usize>) -> bool {
        let end = |head| if let Head::Own(_, place) = head { Some(place.end) } else { None };
        let mut ends = self.block.heads(self.start).filter_map(end);
        ends.find(|end| *end > stretch.start).is_some_and(|end| end >= stretch.end)
    }

    /// The text of a well-known column; empty where the row has none or null.
    pub fn known(&self, column: Known) -> &str {
        self.columns().known[column as usize].and_then(|at| self.at(at as usize)).map_or("", |(_, text)| text)
    }

    /// Whether a well-known column has just this text. Where the length differs the text is not looked at.
    pub fn says(&self, column: Known, text: &str) -> bool {
        let may_be = |at: &u16| match self.block.heads(self.start).nth(usize::from(*at)) {
            Some(Head::Own(_, place)) => place.len() == text.len(),
            Some(Head::Common(number)) => self.block.common.value(number).1.len() == text.len(),
            None => false,
        };
        self.columns().known[column as usize].filter(may_be).is_some_and(|_| self.known(column) == text)
    }

    pub fn named(&self, name: &str) -> Option<&str> {
        self.columns().position(name).and_then(|at| self.at(at)).map(|(_, text)| text)
    }

    /// All fields in the order of the service: `id` and `unlocked` are among them where the service sent them.
    pub fn fields(&self) -> impl Iterator<Item = (&str, CellKind, &str)> {
        let own = self.own_text();
        self.columns().names.iter().zip(self.block.heads(self.start)).map(move |(name, head)| {
            let (kind, value) = match head {
                Head::Common(number) => self.block.common.value(number),
                Head::Own(kind, place) => (kind, utf8(&own[place])),
            };
            (&**name, kind, value)
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

// Rows side by side in memory: a window of 100,000 of them is a thousand stretches of bytes, and a find goes through it
// from the first byte to the last. What a value means is not known here.
//
// A block lives as long as one of its rows does. Code that keeps single rows of a page for long copies them into a block of
// their own, or the whole page stays in memory.

/// Of rows that carry the same columns. A row is a head for each of its values and then their texts, one after the other.
///
/// A head is one byte: the kind in the two highest bits, the length of the text below. A text that is too long for that has
/// its length in the four bytes behind. A value that many rows of the block have is written once, at the beginning, and
/// the head in the row is its number: a page of contacts takes a fifth less that way.
///
#[derive(Debug)]
struct Block {
    columns: Arc<ColumnNames>,
    common: Arc<CommonValues>,
    bytes: Box<[u8]>,
}

/// The values that rows of a block have in common, from number one on. All of them together are short.
#[derive(Debug)]
struct CommonValues {
    /// The kind of each, and where its text ends.
    ends: Box<[(CellKind, u16)]>,
    text: Box<str>,
}

impl CommonValues {
    fn new(cells: &[Cell<'_>]) -> CommonValues {
        let mut text = String::new();
        let mut add = |(kind, value): &Cell<'_>| {
            text.push_str(utf8(value));
            (*kind, text.len() as u16)
        };
        CommonValues { ends: cells.iter().map(&mut add).collect(), text: text.into() }
    }

    fn value(&self, number: u8) -> (CellKind, &str) {
        let place = usize::from(number) - 1;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before].1);
        let (kind, end) = self.ends[place];
        (kind, &self.text[start.into()..end.into()])
    }

    /// All of them, with their numbers.
    fn iter(&self) -> impl Iterator<Item = (u8, &str)> {
        (1..=self.ends.len() as u8).map(|number| (number, self.value(number).1))
    }
}

/// The bits of a head that are a length or a number; as a length, it says that the true one follows.
const LOW: u8 = 0x3f;
/// Where the kind would be: a value that the block has in common, by its number from one on. Null has no text, so that its
/// length is free for this.
const COMMON: u8 = (CellKind::Null as u8) << 6;
/// Where the kind would be: the row has no value for this column and those behind it.
const END: u8 = 0xc0;
/// A longer text does not come into a row: no page that large is read.
const LONGEST: usize = 1 << 30;
/// A block that is this large is not added to, so that one that is kept for the sake of a few rows is never a large one.
const FULL: usize = 1 << 16;
/// Fewer rows than these are not worth a table of what they have in common.
const MANY: usize = 32;

impl Block {
    fn heads(&self, start: u32) -> Heads<'_> {
        Heads { bytes: &self.bytes[start as usize..], left: self.columns.names().len(), length: 0 }
    }
}

fn kind(head: u8) -> CellKind {
    match head >> 6 {
        0 => CellKind::Text,
        1 => CellKind::Json,
        _ => CellKind::Null,
    }
}

/// What a head says of its value.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Head {
    /// A part of the row's own text.
    Own(CellKind, Range<usize>),
    /// The common value of this number.
    Common(u8),
}

/// The heads of a row; what is left of the bytes when they are over begins with its text.
struct Heads<'a> {
    bytes: &'a [u8],
    left: usize,
    /// How much of the row's text the heads so far take.
    length: usize,
}

impl Iterator for Heads<'_> {
    type Item = Head;

    #[inline]
    fn next(&mut self) -> Option<Head> {
        if self.left == 0 {
            return None;
        }
        self.left -= 1;
        let (head, mut rest) = self.bytes.split_first()?;
        if head & END == END {
            self.left = 0;
            self.bytes = rest;
            return None;
        }
        let low = head & LOW;
        if head & END == COMMON && low > 0 {
            self.bytes = rest;
            return Some(Head::Common(low));
        }
        let mut length = usize::from(low);
        if low == LOW {
            let (long, behind) = rest.split_first_chunk()?;
            length = u32::from_le_bytes(*long) as usize;
            rest = behind;
        }
        self.bytes = rest;
        let start = self.length;
        self.length += length;
        Some(Head::Own(kind(*head), start..self.length))
    }
}

/// A value while it is being written: its kind, and its text.
type Cell<'a> = (CellKind, &'a [u8]);

/// Writes rows into blocks.
pub struct Rows {
    columns: Arc<ColumnNames>,
    /// The rows of the block that is being written: by how many values they have.
    open: Vec<(Option<RowId>, bool, usize)>,
    /// Their values: of what kind and how long, and the texts one after the other.
    cells: Vec<(CellKind, usize)>,
    texts: Vec<u8>,
    done: Vec<Row>,
}

impl Rows {
    /// Rows that carry columns with the names of `columns` share them.
    pub fn new(columns: Arc<ColumnNames>) -> Rows {
        Rows { columns, open: Vec::new(), cells: Vec::new(), texts: Vec::new(), done: Vec::new() }
    }

    /// Copies that stand side by side, and beside nothing else. Those with the columns of `like` share them.
    pub fn copies<'a>(rows: impl IntoIterator<Item = &'a Row>, like: Option<&Row>) -> Vec<Row> {
        let rows: Vec<&Row> = rows.into_iter().collect();
        let Some(like) = like.or(rows.first().copied()) else { return Vec::new() };
        let mut copies = Rows::new(Arc::clone(like.columns()));
        for run in rows.chunk_by(|one, next| one.shares_block(next)) {
            if run.len() < MANY {
                for row in run {
                    let values = row.fields().map(|(_, kind, text)| (kind, text));
                    copies.push(row.id(), row.unlocked, row.columns(), values);
                }
            } else {
                copies.copy(&run[0].block, run);
            }
        }
        copies.finish()
    }

    /// `values` in the order of `columns`; there are not more of them.
    pub fn push<'a>(
        &mut self,
        id: Option<RowId>,
        unlocked: bool,
        columns: &Arc<ColumnNames>,
        values: impl IntoIterator<Item = (CellKind, &'a str)>,
    ) {
        if self.texts.len() >= FULL {
            self.close();
        }
        self.carry(columns);
        let before = self.cells.len();
        for (kind, value) in values.into_iter().take(columns.names().len()) {
            let fits = kind != CellKind::Null && self.texts.len() + value.len() < LONGEST;
            let value = if fits { value } else { "" };
            self.cells.push((kind, value.len()));
            self.texts.extend(value.as_bytes());
        }
        self.open.push((id, unlocked, self.cells.len() - before));
    }

    /// Rows of one block, with what they have in common, as they lie there.
    fn copy(&mut self, block: &Block, rows: &[&Row]) {
        self.close();
        self.carry(&block.columns);
        let mut bytes = Vec::new();
        let mut starts = Vec::with_capacity(rows.len());
        for row in rows {
            starts.push((row.id(), row.unlocked, bytes.len() as u32));
            bytes.extend(row.body());
        }
        self.seal(Arc::clone(&block.common), &bytes, starts);
    }

    /// The rows that come now have these columns.
    fn carry(&mut self, columns: &Arc<ColumnNames>) {
        // Columns that are one in memory are equal without a look at their names.
        if self.columns != *columns {
            self.close();
            self.columns = Arc::clone(columns);
        }
    }

    fn close(&mut self) {
        if self.open.is_empty() {
            return;
        }
        let mut rest = self.texts.as_slice();
        let cells: Vec<Cell<'_>> = self.cells.iter().map(|(kind, length)| (*kind, cut(&mut rest, *length))).collect();
        let common = if self.open.len() < MANY { Vec::new() } else { in_common(&cells) };
        let numbers: HashMap<Cell<'_>, u8> = common.iter().copied().zip(1..).collect();
        let mut bytes = Vec::with_capacity(cells.len() + self.texts.len());
        let (mut cells, mut starts, mut own) = (cells.as_slice(), Vec::with_capacity(self.open.len()), Vec::new());
        for (id, unlocked, count) in &self.open {
            starts.push((*id, *unlocked, bytes.len() as u32));
            for cell in cut(&mut cells, *count) {
                match numbers.get(cell) {
                    Some(number) => bytes.push(COMMON | number),
                    None => {
                        push_head(&mut bytes, cell);
                        own.extend(cell.1);
                    }
                }
            }
            if *count < self.columns.names().len() {
                bytes.push(END);
            }
            bytes.append(&mut own);
        }
        self.seal(Arc::new(CommonValues::new(&common)), &bytes, starts);
        self.open.clear();
        self.cells.clear();
        self.texts.clear();
    }

    /// Rows by where they start in these bytes become a block.
    fn seal(&mut self, common: Arc<CommonValues>, bytes: &[u8], starts: Vec<(Option<RowId>, bool, u32)>) {
        // A copy of just this size: a large room that is cut to size leaves holes that no other block fits into.
        let block = Arc::new(Block { columns: Arc::clone(&self.columns), common, bytes: bytes.into() });
        self.done.extend(starts.into_iter().map(|(id, unlocked, start)| {
            let (has_id, id) = (id.is_some(), id.map_or(0, |id| id.0));
            Row { id, block: Arc::clone(&block), start, has_id, unlocked }
        }));
    }

    /// In the order in which they were written.
    pub fn finish(mut self) -> Vec<Row> {
        self.close();
        self.done
    }
}

/// Cuts off the first of a slice.
fn cut<'a, T>(rest: &mut &'a [T], count: usize) -> &'a [T] {
    let (first, behind) = rest.split_at(count);
    *rest = behind;
    first
}

fn push_head(bytes: &mut Vec<u8>, (kind, text): &Cell<'_>) {
    let kind = (*kind as u8) << 6;
    match u8::try_from(text.len()) {
        Ok(length) if length < LOW => bytes.push(kind | length),
        _ => {
            bytes.push(kind | LOW);
            bytes.extend((text.len() as u32).to_le_bytes());
        }
    }
}

/// The values that take least when they are written once: as many as have a number.
fn in_common<'a>(cells: &[Cell<'a>]) -> Vec<Cell<'a>> {
    let mut times: HashMap<Cell<'a>, usize> = HashMap::new();
    for cell in cells.iter().filter(|(_, text)| (1..usize::from(LOW)).contains(&text.len())) {
        *times.entry(*cell).or_default() += 1;
    }
    let spared = |((_, text), times): &(Cell<'a>, usize)| (times - 1) * text.len();
    let mut often: Vec<_> = times.into_iter().filter(|entry| spared(entry) > 1).collect();
    often.sort_unstable_by_key(|entry| (Reverse(spared(entry)), entry.0.1, entry.0.0 as u8));
    often.truncate(usize::from(LOW));
    often.into_iter().map(|(cell, _)| cell).collect()
}

// The fields of one row, found in one pass, for code that looks up many of them.

/// A row with an index of its fields. [`Row::known`] reads the heads of the row each time; this reads them once.
pub struct Fields<'a> {
    row: &'a Row,
    /// For each column.
    heads: Vec<Head>,
    text: &'a str,
}

impl<'a> Fields<'a> {
    pub fn of(row: &'a Row) -> Fields<'a> {
        let mut found = row.block.heads(row.start);
        let mut heads = Vec::with_capacity(row.columns().names().len());
        heads.extend(found.by_ref());
        // Read once for the row, not for each of its fields.
        let text = utf8(&found.bytes[..found.length]);
        Fields { row, heads, text }
    }

    fn at(&self, column: usize) -> Option<(CellKind, &'a str)> {
        Some(match self.heads.get(column)? {
            Head::Common(number) => self.row.block.common.value(*number),
            Head::Own(kind, place) => (*kind, self.text.get(place.clone()).unwrap_or_default()),
        })
    }

    /// The same as [`Row::known`].
    pub fn known(&self, column: Known) -> &'a str {
        self.row.columns().known[column as usize].and_then(|at| self.at(at.into())).map_or("", |(_, text)| text)
    }

    /// The same as [`Row::named`].
    pub fn named(&self, name: &str) -> Option<&'a str> {
        self.row.columns().position(name).and_then(|at| self.at(at)).map(|(_, text)| text)
    }
}

/// One answered page of a search.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Page {
    /// Size of the whole result set, as the service says.
    pub total: u64,
    /// The service named no total that can be: `total` is what is known so far, and one more while rows keep coming.
    pub uncounted: bool,
    /// The page size the service applied, which need not be the one asked for.
    pub limit: u64,
    pub offset: u64,
    pub took_ms: Option<u64>,
    pub rows: Vec<Row>,
}
