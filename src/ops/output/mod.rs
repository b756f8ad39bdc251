//! Output lines made from values: JSON lines for programs, a table for people. The command decides what a line holds, the
//! terminal how wide it is.

pub mod json;
pub mod pick;
mod shapes;
mod table;

use lode_core::Wall;
use lode_engine::effect::Effect;

pub use shapes::*;
use table::OutputTable;
pub use table::{OutputColumn, detail, number, text};

/// How the answer is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Json,
    /// For people: so many columns wide; titles stand out where `bold`.
    Table {
        width: usize,
        bold: bool,
    },
}

impl Format {
    pub fn is_table(self) -> bool {
        matches!(self, Format::Table { .. })
    }
}

/// The rows of one answer, in either form.
#[derive(Debug)]
pub struct OutputLines {
    table: Option<OutputTable>,
}

impl OutputLines {
    pub fn new<T>(format: Format, columns: &[OutputColumn<T>]) -> OutputLines {
        let table = match format {
            Format::Json => None,
            Format::Table { width, bold } => {
                Some(OutputTable::new(columns.iter().map(|column| column.head.clone()).collect(), width, bold))
            }
        };
        OutputLines { table }
    }

    pub fn is_table(&self) -> bool {
        self.table.is_some()
    }

    /// Prints some rows. The first ones decide how wide the columns of a table are.
    pub fn print<T>(
        &mut self,
        columns: &[OutputColumn<T>],
        rows: &[T],
        json: impl Fn(&T) -> String,
        fx: &mut Vec<Effect>,
    ) {
        match &mut self.table {
            None => fx.extend(rows.iter().map(|row| Effect::Print(json(row)))),
            Some(table) => {
                let cells = |row: &T| columns.iter().map(|column| (column.cell)(row)).collect();
                let rows: Vec<Vec<String>> = rows.iter().map(cells).collect();
                fx.extend(table.lines(&rows).into_iter().map(Effect::Print));
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_written_in_utc() {
        assert_eq!(moment(Wall(1_773_144_367_999)), "2026-03-10T12:06:07Z");
        assert_eq!(moment(Wall(i64::MAX)), "");
    }
}
