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
//! | 2 | [`flow`] | the machines: desk (the one way out), search (a window for each leg, the legs as one list, the walk), basket, unlock, recovery, ledger, matching (accounts in, contacts out), own (commands of the person's own) |
//! | 2 | [`keys`] | the one table in which a key meets a command |
//! | 3 | [`ui`] | model, update, view: pure functions of the model |
//! | 3 | [`cli`] | the shell commands: scripts over the same [`flow::session`] that the screen runs, answered in lines; `cli::assist` is the tools of `lode mcp` |
//! | 3 | [`sandbox`] | both services over real HTTP on loopback; shares no type with the client on purpose |
//! | 4 | [`shell`] | the only impure place: loop, terminal, HTTP, SQLite, files, clocks; what differs between operating systems is in `shell::system` |
//!
//! A request carries its return address: [`flow::desk`] is asked in the name of an owner, and the session hands the answer to
//! that owner. Each screen is one folder of the same shape (`mod`, `state`, `update`, `view`, `facts`, `footer`); commands take a
//! [`ui::scene`], and which screen is shown is asked in one place, `ui::model::slices`.
//!
//! # One key, from `U` to the unlocked row
//! 1. `shell::run` reads the key and calls [`ui::update`]; [`keys`] resolves it to a command in the present situation.
//! 2. The basket screen asks [`flow::unlock`] for a *quote*; the money dialog shows exactly that quote (*shown is paid*).
//! 3. The typed amount is accepted and the *order* is made. Before each *batch* `flow::unlock::check` reads again what it rests on:
//!    settings, key, lists, limits, and at Enter the balance. Only then the batch is written down: `StoreCall::Intend`, synced
//!    (*intent before send*).
//! 4. Only then the desk asks the limiter for a slot and the shell puts the call on the wire.
//! 5. The raw answer is stored before anybody reads it (*responses are stored first*); then it is read, and settles the batch:
//!    contact by contact, in one transaction.
//! 6. A line that broke leaves the batch UNKNOWN. A free look comes first; only what it shows locked goes out again, as the
//!    identical batch. A refusal is checked the same way before it is believed.
//!
//! # What must always hold
//! The thirteen money rules are in [`flow::unlock`], each with the code that keeps it and the test that fails without it. `tests/sim` plays them
//! against what the sandbox recorded, with every fault we could think of.
//!
//! # Glossary
//! | word | is |
//! |---|---|
//! | contact | one person of a corpus; a *row* is a line of a screen |
//! | purse | whose money: the origin of a service and its organization; screens show the name of the workspace |
//! | ledger | lode's own record of what was sent, charged and bought |
//! | quote, order, batch, receipt | an offer; the accepted offer; the ids of one request; what it came to |
//! | owned | unlocked by this organization |
//! | unknown | a batch whose result is not certain |
//! | hold | credits that an open batch may still cost |
//! | basket, suppression list | as on the screen |
//! | proposal | what an assistant asks to unlock; its *handle* works once, after a person accepted it |
//! | window | one running lode; the part of a result that is seen is the *viewport* |
//! | session | one run of the program, screen or shell |
//! | page, result | what the service sends at once; the whole set |
//! | leg | one search of a query with several values; its *repeats* are rows that another leg showed first |
//! | draft | an edited query before it runs |
//! | step | a state of a machine |
//! | script | a shell command over the session: start, event, interrupt |
//! | owner | the machine that a request belongs to and that gets its answer |

// Each item is as visible as it needs to be, so that the compiler finds unused ones.
#![warn(unreachable_pub)]

pub mod cli;
pub mod domain;
pub mod effect;
pub mod flow;
pub mod keys;
pub mod sandbox;
pub mod shell;
pub mod ui;
pub mod wire;
