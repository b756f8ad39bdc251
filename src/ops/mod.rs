//! Layer 3: every operation of the shell and of `lode mcp`. One file or folder per operation holds its arguments and the script that
//! does it over the same session as the screen, with output as lines.
//!
//! [`operation`] is what each of them declares: cost, services, lines, script. [`command`] says what may be typed, [`registry`] which
//! operation that is. A script is an async function over a [`console`]. `input` reads ids and rows from a
//! pipe, `output` makes lines of values, `problem` is how a command ends and what it says then, `spec`, `skill` and
//! `schemas` describe all of it to programs. Nothing here touches a file, a clock or a socket: the loop that does is `app::headless`.

pub mod assist;
pub mod basket;
pub mod command;
pub mod console;
pub mod counts;
pub mod export;
pub mod filters;
pub mod input;
pub mod ledger;
mod legs;
pub mod matching;
pub mod me;
pub mod operation;
pub mod output;
pub mod owned;
pub mod pages;
pub mod probe;
pub mod problem;
pub mod program;
mod reading;
pub mod receipts;
pub mod recover;
pub mod registry;
pub mod sandbox;
pub mod saved;
pub mod schemas;
pub mod search;
pub mod skill;
pub mod spec;
pub mod suppress;
pub mod unlock;
