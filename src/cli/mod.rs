//! Floor 3: the shell commands. Arguments become a [`program::Program`]: a machine that drives the same flows as the screens
//! and answers in lines.
//!
//! `args` says what may be typed, `input` reads ids and rows from a pipe, `scripts` holds one machine per command, `output`
//! makes lines of values, `exit`, `code` and `say` decide how a command ends and what it says then, `spec` and `skill` describe all of it to
//! programs. Nothing here touches a file, a
//! clock or a socket: the loop that does is `app::headless`.

pub mod args;
pub mod assist;
pub mod code;
pub mod exit;
pub mod input;
pub mod output;
pub mod program;
pub mod say;
pub mod schemas;
pub mod scripts;
pub mod skill;
pub mod spec;
