//! The only impure place, as dumb as possible.

#![allow(clippy::disallowed_methods)] // Clocks, threads, files and the environment are this room's business.

pub mod bootstrap;
mod checkup;
pub mod clock;
pub mod config;
pub mod crash;
pub mod current;
pub mod doctor;
mod ends;
mod entry;
pub mod export;
mod failpoint;
pub mod files;
mod flight;
mod form;
pub mod headless;
pub mod http;
mod ledger;
pub mod log;
mod loopback;
#[cfg(feature = "mcp")]
mod mcp;
mod own;
pub mod perform;
mod preferences;
pub mod profiles;
pub mod run;
pub mod saved;
pub mod secrets;
pub mod store;
pub mod system;
pub mod terminal;
pub mod user_files;
mod voice;

pub use entry::main;
