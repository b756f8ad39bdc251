//! lode: prospecting in the terminal. This page is the map of the code; read it once and you can find anything.
//!
//! # The idea
//! One [`Model`](ui::model), one [`update`](ui::update), one [`view`](ui::view). Flows are explicit state machines, effects are
//! data, and everything impure lives in one place. The shape is Elm; the substance is sans-IO: time, answers of the
//! services and results of the disk all *come in as values*, so that a year of use with every fault can be played through in
//! a second, in a test, without a socket and without a sleep.
//!
//! ```text
//!   terminal ── keys ──►┐                                  ┌──► services (HTTP)
//!                       │   update(model, msg, now)        │
//!   shell ──── Msg ────►├──────────► Vec<Effect> ─────────►├──► store (SQLite)        shell::perform
//!                       │                                  │
//!   answers ── Answer ─►┘   view(model) ──► one frame      └──► files, clipboard
//! ```
//!
//! # The floors
//! Imports go down only; `tests/tidy` fails on an upward arrow, a cycle at any level, or two screens that know each other.
//!
//! | floor | room | what lives there |
//! |---|---|---|
//! | 0 | [`domain`] | the words of the business: credits, contacts, queries, pages, money. No clock, no I/O |
//! | 1 | [`effect`] | what we ask of the world and what it answers, as plain data |
//! | 2 | [`wire`] | both dialects, sans-IO: a call becomes a request value, bytes become a reply |
//! | 2 | [`flow`] | the machines: desk (the one way out), search, basket, unlock, recovery, ledger |
//! | 2 | [`keys`] | the one table in which a key meets a command |
//! | 3 | [`ui`] | model, update, view: pure functions of the model |
//! | 3 | [`cli`] | the shell commands: the same flows, answered in lines |
//! | 3 | [`sandbox`] | both services over real HTTP on loopback; shares no type with the client on purpose |
//! | 4 | [`shell`] | the only impure place: loop, terminal, HTTP, SQLite, files, clocks |
//!
//! # One key, from `U` to the unlocked row
//! 1. `shell::run` reads the key and calls [`ui::update`]; [`keys`] resolves it to a command in the present situation.
//! 2. The basket screen asks [`flow::unlock`] for a *quote*; the money dialog shows exactly that quote (*shown is paid*).
//! 3. The typed amount is accepted, everything is checked again, the *order* is made, and its first *batch* is written down:
//!    `StoreCall::Intend`, synced (*intent before send*).
//! 4. Only then the desk asks the limiter for a slot and the shell puts the call on the wire.
//! 5. The raw answer is stored before anybody reads it (*answers are kept*); then it is read, and settles the batch:
//!    contact by contact, in one transaction.
//! 6. A line that broke leaves the batch UNKNOWN. A free look comes first; only what it shows locked goes out again, as the
//!    identical batch. A refusal is checked the same way before it is believed.
//!
//! # What must always hold
//! The eleven money rules stand in [`flow::unlock`], each with the place that keeps it. `tests/sim` plays them against the
//! sandbox's own books with every fault we could think of.

pub mod cli;
pub mod domain;
pub mod effect;
pub mod flow;
pub mod keys;
pub mod sandbox;
pub mod shell;
pub mod ui;
pub mod wire;
