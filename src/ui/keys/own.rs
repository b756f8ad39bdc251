//! The person's own commands of `[commands.CONTEXT]`: a program that gets rows on its standard input, by a key or from the palette.

use lode_engine::effect::settings::{OwnCommand, Which};

use super::chord::{BadChord, Chord, read_sequence};
use super::command::Command;
use super::situation::{Context, Reason, Situation};
use super::table::{Row, row};

/// Where a command can be given; none where rows are never shown.
pub fn place(command: &OwnCommand) -> Option<Context> {
    [Context::Results, Context::Basket, Context::Owned].into_iter().find(|place| place.name() == command.context)
}

/// Its row of the table. Settings are read seldom, so a row lives as long as the program.
pub(super) fn key_row(command: &OwnCommand, at: usize) -> Option<&'static Row> {
    let leaked = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
    let which = match command.rows {
        Which::Selection => "the selected rows",
        Which::All => "all rows",
    };
    let help = leaked(format!("Sends {which} to `{}`. Nothing is spent.", command.run.join(" ")));
    let row = row(Command::Own(at), leaked(command.name.clone()), &[])
        .says(leaked(format!("Run {}", command.name)), help)
        .when(has_rows)
        .fixed();
    Some(Box::leak(Box::new(Row { context: place(command)?, ..row })))
}

pub(super) fn keys(command: &OwnCommand) -> Result<Vec<Vec<Chord>>, BadChord> {
    command.key.iter().map(|key| read_sequence(key)).collect()
}

fn has_rows(situation: &Situation) -> Result<(), Reason> {
    if situation.has_row { Ok(()) } else { Err(Reason("There is no row here to send.")) }
}
