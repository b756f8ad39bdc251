//! `lode mcp` as a client sees it: the SDK's own client over standard input and output, the real binary, the real sandbox.
#![allow(clippy::disallowed_methods)] // Starts processes and reads their files.
#![cfg(feature = "mcp")]

mod client;
#[allow(dead_code)] // Shared with the tests of the shell commands, which use more of it.
#[path = "../cli/house.rs"]
mod house;
mod money;
mod robot;
mod screen;
#[allow(dead_code)] // Shared with the tests of the screen, which use more of it.
#[path = "../pty/terminal.rs"]
mod terminal;
mod tools;
