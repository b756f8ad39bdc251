//! The real binary on a real terminal: a pseudo-terminal with an emulator behind it. Tests wait for text, never for time.
#![allow(clippy::disallowed_methods)] // Tests read their pictures and measure time.

mod account;
mod changed;
mod conduct;
mod counted;
mod demo;
mod exits;
mod export;
mod film;
mod first_run;
mod handed_out;
mod jobs;
mod journeys;
mod keyring;
mod kills;
mod linear;
mod living;
mod look;
mod matching;
mod money;
mod newcomer;
mod open;
mod purses;
mod replies;
mod said;
mod user_command;
mod windows;
