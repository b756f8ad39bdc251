//! `lode mcp` as a client sees it: the SDK's own client over standard input and output, the real binary, the real sandbox.
#![allow(clippy::disallowed_methods)] // Starts processes and reads their files.
#![cfg(feature = "mcp")]

mod changed;
mod client;
mod money;
mod protocol;
mod robot;
mod screen;
mod tools;
