//! The person's own commands of `[commands.CONTEXT]`: a program that gets rows on its standard input, by a key or from the palette.

use super::chord::read_sequence;
use super::command::Command;
use super::situation::{Context, Reason, Situation};
use super::table::{Row, row};

/// Which rows a command gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The marked range, else the row under the cursor.
    Selection,
    /// Every loaded row of the result, the whole basket, every owned contact.
    All,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommand {
    /// As the file calls it: `results`, `basket` or `owned`.
    pub context: String,
    pub name: String,
    /// The program and its arguments. No shell reads them.
    pub run: Vec<String>,
    pub key: Option<String>,
    pub rows: Which,
    /// Its line in the file.
    pub line: usize,
}

impl OwnCommand {
    /// Where it can be given; none where rows are never shown.
    pub fn place(&self) -> Option<Context> {
        [Context::Results, Context::Basket, Context::Owned].into_iter().find(|place| place.name() == self.context)
    }

    /// Its row of the table. Settings are read seldom, so a row lives as long as the program.
    pub(super) fn row(&self, at: usize) -> Option<&'static Row> {
        let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let which = match self.rows {
            Which::Selection => "the selected rows",
            Which::All => "all rows",
        };
        let help = leaked(format!("Sends {which} to `{}`. Nothing is spent.", self.run.join(" ")));
        let row = row(Command::Own(at), leaked(self.name.clone()), &[])
            .says(leaked(format!("Run {}", self.name)), help)
            .when(has_rows)
            .fixed();
        Some(Box::leak(Box::new(Row { context: self.place()?, ..row })))
    }

    pub(super) fn keys(&self) -> Result<Vec<Vec<super::chord::Chord>>, super::chord::BadChord> {
        self.key.iter().map(|key| read_sequence(key)).collect()
    }
}

fn has_rows(situation: &Situation) -> Result<(), Reason> {
    if situation.has_row { Ok(()) } else { Err(Reason("There is no row here to send.")) }
}
