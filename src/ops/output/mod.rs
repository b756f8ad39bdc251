//! Output lines made from values: JSON lines for programs, a table for people. The command decides what a line holds, the
//! terminal how wide it is.
//!
//! A table has titles, then rows whose cells are cut rather than wrapped. The first rows decide the widths, because it is printed while
//! later pages are still being read. The width is counted in cells of the terminal by grapheme, so that names in any script keep the
//! columns straight.

pub mod json;
pub mod pick;
mod shapes;

use std::borrow::Cow;

use lode_core::Wall;
use lode_core::text::{cut, width as columns_of};
use lode_engine::effect::Effect;

pub use shapes::*;

/// How the answer is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    #[default]
    Json,
    /// For people, at most `width` columns wide; titles stand out where `bold`.
    Table { width: usize, bold: bool },
}

impl Format {
    pub fn is_table(self) -> bool {
        matches!(self, Format::Table { .. })
    }

    /// A table with these columns, where one is wanted.
    fn table(self, heads: impl Iterator<Item = Head>) -> Option<OutputTable> {
        match self {
            Format::Json => None,
            Format::Table { width, bold } => Some(OutputTable::new(heads.collect(), width, bold)),
        }
    }
}

/// The rows of one answer, in either form.
#[derive(Debug, Default)]
pub struct OutputLines(Option<OutputTable>);

impl OutputLines {
    pub fn new<T>(format: Format, columns: &[OutputColumn<T>]) -> OutputLines {
        OutputLines(format.table(columns.iter().map(|column| column.head.clone())))
    }

    /// Prints some rows. The first ones decide how wide the columns of a table are.
    pub fn print<T>(&mut self, columns: &[OutputColumn<T>], rows: &[T], json: impl Fn(&T) -> String) -> Vec<Effect> {
        let lines = match &mut self.0 {
            None => rows.iter().map(json).collect(),
            Some(table) => {
                let cells = |row: &T| columns.iter().map(|column| (column.cell)(row)).collect();
                table.lines(&rows.iter().map(cells).collect::<Vec<Vec<String>>>())
            }
        };
        lines.into_iter().map(Effect::Print).collect()
    }
}

/// A moment in a record: RFC 3339 in UTC, to the second.
pub fn moment(wall: Wall) -> String {
    jiff::Timestamp::from_millisecond(wall.0)
        .map_or_else(|_| String::new(), |moment| moment.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
}

/// The day of a moment.
pub fn day(wall: Wall) -> String {
    moment(wall).get(..10).unwrap_or("").to_owned()
}

/// A column of a table of `T`, with what a cell of it says.
pub struct OutputColumn<T> {
    head: Head,
    cell: fn(&T) -> String,
}

/// The title of a column and how wide it may be.
#[derive(Clone, Debug)]
struct Head {
    title: Cow<'static, str>,
    /// Never narrower than this, while the terminal allows it.
    least: usize,
    /// Never wider than this, however much room there is.
    most: usize,
    /// Numbers stand on the right.
    right: bool,
    detail: bool,
}

impl Head {
    const fn text(title: Cow<'static, str>, least: usize, most: usize) -> Head {
        Head { title, least, most, right: false, detail: false }
    }
}

/// The same, left out where the others would be cut to nothing; JSON lines have it always.
pub const fn detail<T>(mut column: OutputColumn<T>) -> OutputColumn<T> {
    column.head.detail = true;
    column
}

/// A column of text.
pub const fn text<T>(title: &'static str, least: usize, most: usize, cell: fn(&T) -> String) -> OutputColumn<T> {
    OutputColumn { head: Head::text(Cow::Borrowed(title), least, most), cell }
}

/// A column of numbers.
pub const fn number<T>(title: &'static str, cell: fn(&T) -> String) -> OutputColumn<T> {
    let mut column = text(title, title.len(), 20, cell);
    column.head.right = true;
    column
}

#[derive(Debug)]
struct OutputTable {
    heads: Vec<Head>,
    /// Set by the first rows. Zero: the column is left out.
    widths: Vec<usize>,
    width: usize,
    bold: bool,
}

const GAP: usize = 2;

impl OutputTable {
    fn new(heads: Vec<Head>, width: usize, bold: bool) -> OutputTable {
        OutputTable { heads, widths: Vec::new(), width, bold }
    }

    fn lines(&mut self, rows: &[Vec<String>]) -> Vec<String> {
        let mut lines = Vec::with_capacity(rows.len() + 1);
        if self.widths.is_empty() && !rows.is_empty() {
            self.widths = self.fit(rows);
            let titles: Vec<String> = self.heads.iter().map(|head| head.title.to_string()).collect();
            let head = self.line(&titles);
            lines.push(if self.bold { format!("\x1b[1m{head}\x1b[0m") } else { head });
        }
        lines.extend(rows.iter().map(|row| self.line(row)));
        lines
    }

    /// As wide as the widest cell. Where even the least of all does not fit, details are left out from the right; then the
    /// widest columns give way until the line fits.
    fn fit(&self, rows: &[Vec<String>]) -> Vec<usize> {
        let width = |(at, column): (usize, &Head)| {
            let widest = rows.iter().filter_map(|row| row.get(at)).map(|cell| columns_of(cell)).max().unwrap_or(0);
            widest.max(columns_of(&column.title)).clamp(column.least, column.most.max(column.least))
        };
        let mut widths: Vec<usize> = self.heads.iter().enumerate().map(width).collect();
        let line = |widths: &[usize], of: &dyn Fn(usize) -> usize| -> usize {
            let shown = (0..widths.len()).filter(|at| widths[*at] > 0);
            shown.map(|at| of(at) + GAP).sum::<usize>().saturating_sub(GAP)
        };
        let least = |at: usize| self.heads[at].least;
        while line(&widths, &least) > self.width
            && let Some(at) = (0..widths.len()).rfind(|at| widths[*at] > 0 && self.heads[*at].detail)
        {
            widths[at] = 0;
        }
        let shown = widths.iter().filter(|width| **width > 0).count();
        let room = self.width.saturating_sub(GAP * shown.saturating_sub(1));
        while widths.iter().sum::<usize>() > room {
            let wide = (0..widths.len()).filter(|at| widths[*at] > self.heads[*at].least).max_by_key(|at| widths[*at]);
            let Some(at) = wide.or_else(|| (0..widths.len()).filter(|at| widths[*at] > 1).max_by_key(|at| widths[*at]))
            else {
                break;
            };
            widths[at] -= 1;
        }
        widths
    }

    fn line(&self, cells: &[String]) -> String {
        let shown = self.widths.iter().enumerate().filter(|(_, width)| **width > 0);
        let padded = shown.map(|(at, width)| {
            let cell = cut(cells.get(at).map_or("", String::as_str), *width);
            let pad = " ".repeat(width.saturating_sub(columns_of(&cell)));
            if self.heads[at].right { format!("{pad}{cell}") } else { format!("{cell}{pad}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}

#[cfg(test)]
mod tests {
    use unicode_width::UnicodeWidthStr;

    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        assert_eq!(moment(Wall(1_773_144_367_999)), "2026-03-10T12:06:07Z");
        assert_eq!(moment(Wall(i64::MAX)), "");
    }

    fn text(title: &'static str, least: usize, most: usize) -> Head {
        Head::text(Cow::Borrowed(title), least, most)
    }

    fn number(title: &'static str) -> Head {
        Head { right: true, ..Head::text(Cow::Borrowed(title), title.len(), 20) }
    }

    fn detail(head: Head) -> Head {
        Head { detail: true, ..head }
    }

    #[test]
    fn details_are_left_out_before_anything_is_cut_beyond_its_least() {
        let columns = || vec![text("ID", 2, 9), detail(number("CALL")), text("MAIL", 6, 20), detail(number("NET"))];
        let row = rows(&[&["#1", "5", "dana@lake.example", "7"]]);
        let at = |width: usize| OutputTable::new(columns(), width, false).lines(&row)[1].clone();
        assert_eq!(at(40), "#1     5  dana@lake.example    7");
        assert_eq!(at(21), "#1     5  dana@…    7");
        assert_eq!(at(20), "#1     5  dana@lake…");
        assert_eq!(at(15), "#1  dana@lake.…");
        assert_eq!(at(8), "#1  dan…", "what is no detail is cut");
    }

    fn rows(rows: &[&[&str]]) -> Vec<Vec<String>> {
        rows.iter().map(|row| row.iter().map(|cell| (*cell).to_owned()).collect()).collect()
    }

    #[test]
    fn columns_are_as_wide_as_their_cells_and_numbers_stand_on_the_right() {
        let mut table = OutputTable::new(vec![text("NAME", 4, 30), number("COUNT")], 80, false);
        let lines = table.lines(&rows(&[&["Dana", "7"], &["Priya Raman", "1,204"]]));
        assert_eq!(lines, ["NAME         COUNT", "Dana             7", "Priya Raman  1,204"]);
        assert_eq!(table.lines(&rows(&[&["A much longer name", "1"]])), ["A much lon…      1"], "no second head");
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_in_any_script() {
        let cells = rows(&[&["株式会社サンドボックス", "👩‍👩‍👧‍👦 family", "e\u{301}le\u{301}na"], &["x", "y", "z"]]);
        for width in 0..60 {
            let mut table = OutputTable::new(vec![text("A", 3, 40), text("B", 3, 40), text("C", 3, 40)], width, false);
            for line in table.lines(&cells) {
                assert!(line.width() <= width.max(7), "{width}: {line}");
            }
        }
    }
}
