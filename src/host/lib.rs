//! Layer 2: performs effects: SQLite, HTTP, files, keys, the terminal and the operating system. It knows no front end.

// Each item is as visible as it needs to be, so that the compiler finds unused ones.
#![warn(unreachable_pub)]
#![allow(clippy::disallowed_methods)] // Clocks, threads, files and the environment are this layer's business.

pub mod address;
pub mod clock;
pub mod config;
pub mod exit_signals;
pub mod export;
pub mod failpoint;
pub mod files;
pub mod http;
pub mod in_flight;
pub mod log;
pub mod perform;
pub mod profiles;
pub mod saved;
pub mod secrets;
pub mod store;
pub mod system;
pub mod terminal;
pub mod user_command;
