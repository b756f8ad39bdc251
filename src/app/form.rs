//! How a command prints: for people or for programs, and which fields.

use std::io::{self, IsTerminal};

use crate::ops::command::{Lode, ShellCommand};
use crate::ops::output::pick::Pick;
use crate::ops::output::{Format, UnlockLine};
use crate::ops::schemas;

use super::voice;
use lode_host::system::terminal::size_of_output;

/// How a command prints: what it makes, and what becomes of its lines.
pub(super) type Form = (Format, Option<Pick>);

pub(super) fn form(lode: &Lode) -> Form {
    let format = format(lode.json);
    let columns = match lode.command {
        Some(ShellCommand::Unlock(_) | ShellCommand::Recover(_)) => schemas::fields::<UnlockLine>(),
        _ => Vec::new(),
    };
    let pick = Pick::new(&lode.fields, lode.csv, format, columns);
    (if pick.is_some() { Format::Json } else { format }, pick)
}

/// JSON lines unless a person looks at a terminal; then as wide as it is.
pub(super) fn format(json: bool) -> Format {
    let out = io::stdout();
    if json || !out.is_terminal() {
        return Format::Json;
    }
    let width = size_of_output().map_or(80, |(columns, _)| usize::from(columns));
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
    let bold = !voice::no_color() && set("TERM").is_none_or(|term| term != "dumb");
    Format::Table { width, bold }
}
