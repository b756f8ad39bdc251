//! Which key means what. One table ([`command`]) is the only place where a key meets a command; the footer, the
//! help, the palette, the hints under the mouse and `docs/keys.md` derive from its merged form ([`keymap`]).
//!
//! Nothing here knows a screen or a terminal: a [`situation::Situation`] is handed in as plain facts.

pub mod chord;
pub mod command;
pub mod keymap;
pub mod situation;
