//! The screens as text, drawn from the real model at several sizes and in every theme.
//!
//! The pictures in `tests/screens/*.txt` are compared letter by letter; `UPDATE_SCREENS=1 cargo test --test screens` draws
//! them again, to be looked at before they are kept.
#![allow(clippy::disallowed_methods)] // Tests read their pictures and measure time.

mod actions;
mod beside;
mod bytes;
mod choosing;
mod clear;
mod contrast;
mod data_api;
mod fields;
mod keys;
mod late;
mod layouts;
mod lists;
mod matching;
mod money;
mod motion;
mod newcomer;
mod pictures;
mod reading;
mod readme;
mod select;
mod sizes;
mod stock;
mod themes;
mod tour;
mod views;
mod widths;
