//! An Excel workbook in the making: one worksheet, every cell a text. A text that begins with `=` stays a text, so nothing has
//! to be escaped; phone numbers and ZIP codes keep every digit.

use std::io::{self, Write};
use std::path::Path;

use rust_xlsxwriter::{Workbook, XlsxError};

use lode_core::is_phone_column;
use lode_engine::effect::ExportNotes;

/// Rows of a worksheet, its head among them.
const ROWS: u32 = 1 << 20;
/// Columns of a worksheet.
const COLUMNS: usize = 1 << 14;
/// Characters of a cell, as the format counts them: units of UTF-16.
const LONGEST: usize = 32_767;

pub(super) struct Book {
    workbook: Workbook,
    phones: Vec<bool>,
    rows: u32,
    lint: ExportNotes,
}

impl Book {
    /// Rows wait in a nameless file of `folder` until the workbook is saved.
    pub(super) fn new(folder: &Path) -> io::Result<Book> {
        let mut workbook = Workbook::new();
        workbook.set_tempdir(folder).map_err(io_error)?;
        workbook.add_worksheet_with_constant_memory().map_err(io_error)?;
        Ok(Book { workbook, phones: Vec::new(), rows: 0, lint: ExportNotes::default() })
    }

    /// Whether the head is still to come.
    pub(super) fn is_empty(&self) -> bool {
        self.rows == 0
    }

    pub(super) fn head<S: AsRef<str>>(&mut self, names: &[S]) -> io::Result<()> {
        self.phones = names.iter().map(|name| is_phone_column(name.as_ref())).collect();
        self.line(names.iter().map(AsRef::as_ref))?;
        self.lint.phones = 0;
        Ok(())
    }

    pub(super) fn line<'a>(&mut self, cells: impl Iterator<Item = &'a str>) -> io::Result<()> {
        if self.rows == ROWS {
            let words = format!("a worksheet has no more than {} of them: choose another form for more rows", ROWS - 1);
            return Err(io::Error::other(words));
        }
        let sheet = self.workbook.worksheet_from_index(0).map_err(io_error)?;
        for (at, text) in cells.take(COLUMNS).enumerate().filter(|(_, text)| !text.is_empty()) {
            self.lint.phones += u64::from(self.phones.get(at) == Some(&true));
            let cell = fitting(text);
            self.lint.cut += u64::from(cell.len() < text.len());
            let column = u16::try_from(at).unwrap_or(u16::MAX);
            sheet.write_string(self.rows, column, cell).map_err(io_error)?;
        }
        self.rows += 1;
        Ok(())
    }

    pub(super) fn save(mut self, out: impl Write + Send) -> io::Result<ExportNotes> {
        self.workbook.save_to_writer(out).map_err(io_error)?;
        Ok(self.lint)
    }
}

/// As much of the text as a cell takes.
fn fitting(text: &str) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    let mut units = 0;
    let end = text.char_indices().find(|(_, c)| {
        units += c.len_utf16();
        units > LONGEST
    });
    end.map_or(text, |(end, _)| &text[..end])
}

fn io_error(error: XlsxError) -> io::Error {
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
        assert!(cut.encode_utf16().count() <= LONGEST && cut.encode_utf16().count() + 2 > LONGEST);
    }
}
