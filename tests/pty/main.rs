//! The real binary on a real terminal: a pseudo-terminal with an emulator behind it. Tests wait for text, never for time.
#![allow(clippy::disallowed_methods)] // Tests read their pictures and measure time.

mod account;
#[path = "../svg/cells.rs"]
#[allow(dead_code)] // The light palette is for other pictures.
mod cells;
mod conduct;
mod counted;
mod exits;
mod export;
mod film;
mod first_run;
mod gate;
mod handed_out;
#[allow(dead_code)] // The ground of the shell's tests; a terminal needs less of it.
#[path = "../cli/house.rs"]
mod house;
mod jobs;
mod journeys;
mod keyring;
mod kills;
mod linear;
mod living;
mod look;
mod matching;
mod money;
mod own;
mod purses;
mod terminal;
mod vast;
mod windows;
