//! A CSV of the service in a form for people: records are taken apart, texts are scrubbed, cells become lines or cells of the form.
//!
//! From bytes to bytes: where they come from and where they go is for `sink` and `joined` to know.

use super::*;

/// No record of a CSV is longer, but an unclosed quote makes one of all that follows.
pub(super) const LONGEST: u64 = 16 << 20;

/// A file of a form in the making: the head goes in first, then lines of cells.
#[expect(clippy::large_enum_variant, reason = "an export has one")]
pub enum FormFile<W: Write + Send> {
    Lines {
        out: W,
        layout: Layout,
        /// None until the head is here.
        sheet: Option<ExportWriter>,
        line: Vec<u8>,
        /// Records with more cells than the head.
        longer: u64,
    },
    Workbook(W, Book),
}

impl<'p> FormFile<BufWriter<&'p mut File>> {
    pub(super) fn of(part: &'p mut PartialFile, shape: Shape) -> io::Result<Self> {
        let folder = atomic::folder_of(&part.target).to_owned();
        let out = BufWriter::with_capacity(1 << 18, &mut part.file);
        match shape {
            Shape::Lines(layout) => Ok(FormFile::lines(out, layout)),
            // Rows of a workbook wait in a nameless file of the folder.
            Shape::Workbook => Ok(FormFile::Workbook(out, Book::new(&folder)?)),
        }
    }
}

impl<W: Write + Send> FormFile<W> {
    /// Lines of a text.
    pub fn lines(out: W, layout: Layout) -> FormFile<W> {
        FormFile::Lines { out, layout, sheet: None, line: Vec::new(), longer: 0 }
    }

    /// The first record is the head.
    pub(super) fn record(&mut self, texts: &[Cow<'_, str>]) -> io::Result<()> {
        match self {
            FormFile::Lines { sheet: None, .. } => self.head(texts),
            // The head is still to come.
            FormFile::Workbook(_, book) if book.rows == 0 => book.head(texts),
            _ => self.line(&texts.iter().map(|text| (CellKind::Text, &**text)).collect::<Vec<_>>()),
        }
    }

    pub(super) fn head<S: AsRef<str>>(&mut self, names: &[S]) -> io::Result<()> {
        match self {
            FormFile::Lines { out, layout, sheet, line, .. } => {
                sheet.insert(ExportWriter::new(layout.clone(), names)).header(line);
                out.write_all(line)
            }
            FormFile::Workbook(_, book) => book.head(names),
        }
    }

    pub(super) fn line(&mut self, cells: &[Cell<'_>]) -> io::Result<()> {
        match self {
            FormFile::Lines { out, sheet, line, longer, .. } => {
                let sheet = sheet.as_mut().expect("the head comes first");
                line.clear();
                *longer += u64::from(cells.iter().skip(sheet.columns.len()).any(|(_, text)| !text.is_empty()));
                sheet.row(cells, line);
                out.write_all(line)
            }
            FormFile::Workbook(_, book) => book.line(cells.iter().map(|(_, text)| *text)),
        }
    }

    /// Completes the file. What was changed for the form is added to what was found in the stream.
    pub(super) fn finish(self, read: ExportNotes) -> io::Result<ExportNotes> {
        match self {
            FormFile::Lines { mut out, sheet, longer, .. } => {
                out.flush()?;
                let touched = sheet.map(|sheet| sheet.touched).unwrap_or_default();
                Ok(ExportNotes { formulas: touched.formulas, phones: touched.phones, longer, ..read })
            }
            FormFile::Workbook(out, book) => {
                let written = book.save(out)?;
                Ok(ExportNotes { cut: written.cut, phones: written.phones, ..read })
            }
        }
    }

    /// Writes every record of `from` that is not left out; `told` hears how many rows that were so far, the head not
    /// among them.
    pub fn fill(mut self, from: impl Read, not: &Exclusions, told: impl Fn(u64)) -> io::Result<ExportNotes> {
        let mut read = ExportNotes::default();
        let mut leave = Leave::new(not);
        let mut number = 0;
        let ended = records(from, LONGEST, |record| {
            let texts = texts(record, &mut read);
            if number == 0 {
                leave.head(&texts)?;
            } else if !leave.takes(&texts) {
                return Ok(());
            }
            self.record(&texts)?;
            if number > 0 {
                told(number);
            }
            number += 1;
            Ok(())
        });
        read.excluded = leave.excluded;
        // Also of a stream that was cut: its rows may be kept.
        let written = self.finish(read)?;
        ended.map(|()| written)
    }
}

/// Whether a record is sent on.
pub(super) type Taken = io::Result<()>;

/// Every record of a CSV. One that is longer than `longest` bytes is an error.
pub(super) fn records(from: impl Read, longest: u64, mut each: impl FnMut(&ByteRecord) -> Taken) -> Taken {
    let limit = longest.saturating_add(1);
    let bounded = without_mark(from)?.take(limit);
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).has_headers(false).buffer_capacity(1 << 15).from_reader(bounded);
    let mut record = ByteRecord::new();
    loop {
        let is_whole = reader.read_byte_record(&mut record).map_err(io_error)?;
        // What was read since the last record ends here only because it is too long.
        if reader.get_ref().limit() == 0 {
            let words = format!("a record is longer than {} MB, which only the raw form supports", longest >> 20);
            return Err(io::Error::new(io::ErrorKind::InvalidData, words));
        }
        if !is_whole {
            return Ok(());
        }
        reader.get_mut().set_limit(limit);
        each(&record)?;
    }
}

/// The cells of a record without what is not text. Where nothing falls away of any, all are looked at once, not cell by cell.
pub(super) fn texts<'r>(record: &'r ByteRecord, notes: &mut ExportNotes) -> Vec<Cow<'r, str>> {
    let all = record.as_slice();
    match if is_plain(all) { std::str::from_utf8(all).ok() } else { None } {
        Some(text) => (0..record.len()).filter_map(|at| Some(Cow::from(&text[record.range(at)?]))).collect(),
        None => record.iter().map(|cell| readable(cell, notes)).collect(),
    }
}

fn readable<'c>(cell: &'c [u8], notes: &mut ExportNotes) -> Cow<'c, str> {
    match std::str::from_utf8(cell) {
        Ok(text) => scrub(text),
        Err(_) => {
            notes.not_text += 1;
            scrub(&String::from_utf8_lossy(cell)).into_owned().into()
        }
    }
}

fn io_error(error: csv::Error) -> io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => io::Error::new(io::ErrorKind::InvalidData, format!("{other:?}")),
    }
}

/// Without a byte order mark, which belongs to no column.
fn without_mark(mut from: impl Read) -> io::Result<impl Read> {
    let mut first = Vec::new();
    from.by_ref().take(3).read_to_end(&mut first)?;
    if first == b"\xef\xbb\xbf" {
        first.clear();
    }
    Ok(Read::chain(io::Cursor::new(first), from))
}

/// Rows of a worksheet, its head among them.
const ROWS: u32 = 1 << 20;
/// Columns of a worksheet.
const COLUMNS: usize = 1 << 14;
/// Characters of a cell, as the format counts them: units of UTF-16.
const LONGEST_CELL: usize = 32_767;

/// An Excel workbook in the making: one worksheet, every cell a text. A text that begins with `=` stays a text, so nothing has to
/// be escaped; phone numbers and ZIP codes keep every digit.
pub struct Book {
    workbook: Workbook,
    phones: Vec<bool>,
    rows: u32,
    lint: ExportNotes,
}

impl Book {
    /// Rows wait in a nameless file of `folder` until the workbook is saved.
    fn new(folder: &Path) -> io::Result<Book> {
        let mut workbook = Workbook::new();
        workbook.set_tempdir(folder).map_err(xlsx_error)?;
        workbook.add_worksheet_with_constant_memory().map_err(xlsx_error)?;
        Ok(Book { workbook, phones: Vec::new(), rows: 0, lint: ExportNotes::default() })
    }

    fn head<S: AsRef<str>>(&mut self, names: &[S]) -> io::Result<()> {
        self.phones = names.iter().map(|name| is_phone_column(name.as_ref())).collect();
        self.line(names.iter().map(AsRef::as_ref))?;
        self.lint.phones = 0;
        Ok(())
    }

    fn line<'a>(&mut self, cells: impl Iterator<Item = &'a str>) -> io::Result<()> {
        if self.rows == ROWS {
            let words = format!("a worksheet has no more than {} of them: choose another form for more rows", ROWS - 1);
            return Err(io::Error::other(words));
        }
        let sheet = self.workbook.worksheet_from_index(0).map_err(xlsx_error)?;
        for (at, text) in cells.take(COLUMNS).enumerate().filter(|(_, text)| !text.is_empty()) {
            self.lint.phones += u64::from(self.phones.get(at) == Some(&true));
            let cell = fitting(text);
            self.lint.cut += u64::from(cell.len() < text.len());
            let column = u16::try_from(at).unwrap_or(u16::MAX);
            sheet.write_string(self.rows, column, cell).map_err(xlsx_error)?;
        }
        self.rows += 1;
        Ok(())
    }

    fn save(mut self, out: impl Write + Send) -> io::Result<ExportNotes> {
        self.workbook.save_to_writer(out).map_err(xlsx_error)?;
        Ok(self.lint)
    }
}

/// As much of the text as a cell takes.
fn fitting(text: &str) -> &str {
    if text.len() <= LONGEST_CELL {
        return text;
    }
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > LONGEST_CELL
    });
    end.map_or(text, |(end, _)| &text[..end])
}

fn xlsx_error(error: XlsxError) -> io::Error {
    match error {
        XlsxError::IoError(error) => error,
        other => io::Error::other(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_worksheet_cannot_hold_is_cut_and_counted() {
        let folder = tempfile::tempdir().unwrap();
        let mut book = Book::new(folder.path()).unwrap();
        book.head(&["note", "phone"]).unwrap();
        let long = "é😀".repeat(20_000);
        book.line([long.as_str(), "+1 512 555 0133"].into_iter()).unwrap();
        book.rows = ROWS;
        assert!(book.line(["x"].into_iter()).unwrap_err().to_string().contains("choose another form"));
        let lint = book.save(Vec::new()).unwrap();
        assert_eq!(lint, ExportNotes { cut: 1, phones: 1, ..ExportNotes::default() });
        let cut = fitting(&long);
        assert!(cut.encode_utf16().count() <= LONGEST_CELL && cut.encode_utf16().count() + 2 > LONGEST_CELL);
    }
}
