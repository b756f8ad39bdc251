//! lode: prospecting in the terminal.

pub mod cli;
pub mod domain;
pub mod effect;
pub mod flow;
pub mod keys;
pub mod sandbox;
pub mod shell;
pub mod ui;
pub mod wire;
