//! The program: the event loop of the screen, the shell front end, the server for assistants, doctor and the first start.

#![allow(clippy::disallowed_methods)] // Clocks, threads, files and the environment are this layer's business.

pub mod bootstrap;
pub mod crash;
pub mod doctor;
mod entry;
pub mod headless;
#[cfg(feature = "mcp")]
mod mcp;
pub mod run;
mod voice;

pub use entry::main;
