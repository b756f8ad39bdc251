//! lode: prospecting in the terminal. This page is the map of the code; read it once and you can find anything.
//!
//! # The idea
//! One `Model`, one `update`, one `view`. Flows are explicit state machines and effects are data. Time, responses and disk results
//! *come in as values*, so a test plays a year of use with every fault in a second, without a socket and without a sleep.
//!
//! ```text
//!   terminal ── Msg ───►  update(model, msg, now) ──┐                         ┌──► services (HTTP)
//!                         view(model) ──► one frame │                         │
//!   shell, MCP ────────►  ops::program::Program ────┼──► Session ─► Effect ──►├──► store (SQLite)   lode_host::perform
//!                                                   │                         │
//!   answers ── Answer ─►  (to either of the two) ───┘                         └──► files, clipboard
//! ```
//!
//! # The layers
//! Each layer is a crate below `src`, so cargo keeps the arrows pointing down.
//!
//! | folder | crate | depends on | what it holds |
//! |---|---|---|---|
//! | `src/core` | [`lode_core`] | | the business: credits, contacts, queries, pages, money, text. No clock, no I/O |
//! | `src/engine` | [`lode_engine`] | core | `effect`: what we ask of the host and what it answers; `wire`: both services, a call to bytes and bytes to a reply; `flow`: the state machines: requests, search, basket, unlock, recovery, ledger, matching, and the session that owns them |
//! | `src/ui` | [`lode_ui`] | engine | model, update, view: pure functions of the model; `keys`: the one table in which a key meets a command |
//! | `src/host` | [`lode_host`] | engine | performs effects: terminal, HTTP, SQLite, files, clocks; what differs between operating systems is in `system` |
//! | `src/sandbox` | [`lode_sandbox`] | | both services over real HTTP on loopback; shares no type with the client on purpose |
//! | `src/ops` | the program | engine, sandbox | the shell commands: scripts over the session that the screen runs, with output as lines; `ops::assist` is the tools of `lode mcp` |
//! | `src/app` | the program | all | the event loop, the shell front end, the MCP transport, doctor, the first start |
//!
//! `assets` is a crate of constants, because a package holds no files of another folder. Both host and program do I/O; `tests/program/repository/tidy` keeps the order
//! of modules inside a crate.
//!
//! A request carries its return address: `flow::desk` is asked in the name of an owner, and the session hands the answer to
//! that owner. Each screen is one file, the search screen a folder: its state, what its commands do (they take a
//! [`lode_ui::scene`]), and how it draws itself into a ratatui `Buffer`. Each wizard (export, unlock, setup) is a folder with all its
//! steps. Which screen is shown is asked in one place, `lode_ui::model::screens`.
//!
//! # One key, from `U` to the unlocked row
//! 1. `app::run` reads the key and calls [`lode_ui::update`]; [`lode_ui::keys`] resolves it to a command in the present situation.
//! 2. The basket screen returns `Intent::Unlock`; `ui::unlock` asks `Session::review` for a *quote* ([`lode_engine::flow::unlock::quote`]).
//!    The money dialog shows exactly that quote (*shown is paid*).
//! 3. The typed amount is accepted and the *order* is made. Before each *batch* `flow::unlock::check` reads again what it rests on:
//!    settings, key, lists, limits, and at Enter the balance. Only then the batch is written down: `StoreCall::Intend`, synced
//!    (*intent before send*).
//! 4. The store returns the one request of that batch, which is moved and never copied. Only then the desk takes a slot of the
//!    rate limit in the store and the host puts the call on the wire. A request that has not left comes back (*one way out*).
//! 5. The raw answer is stored before it is read (*responses are stored first*); then it is read, and settles the batch:
//!    contact by contact, in one transaction.
//! 6. A lost connection leaves the batch UNKNOWN. A free check comes first: the identical batch is sent again only if all of
//!    its contacts are shown as locked. A key that may not search cannot check; the services' document lets it send the same ids again. A refusal is checked the same way before it is believed.
//!
//! # One page, from a cursor movement to the frame
//! 1. `app::run` passes the key to [`lode_ui::update`]; the search screen moves its cursor and calls `Legs::set_viewport`; the
//!    [`lode_engine::flow::search::window`] of each leg finds the pages that are missing around the cursor.
//! 2. The window asks the desk for a `Call::Search` as `Owner::Window(side)`. The desk orders requests by priority, takes a slot of the
//!    key's rate limit in the store (`StoreCall::Reserve`), and pushes `Effect::Send`.
//! 3. `lode_host::perform` sends it: `host::http` adds address and key to the request of [`lode_engine::wire`], and `wire` reads
//!    the bytes of the response into a `Page`. All text is cleaned there, once.
//! 4. The `Answer` comes back on one channel. `Session::handle` lets the desk release the slot and routes it to the window, which
//!    drops a page of an older query and keeps the others; the session reports owned rows to the ledger.
//! 5. The model is drawn again: `view` keeps the rows that the last frame has where only the cursor moved, `host::terminal::painter` sends the difference.
//!
//! # One call of an assistant
//! 1. `app::mcp` reads a message of the protocol and starts a thread for the call. Settings are read again, and keys for a call
//!    that spends or where they have moved.
//! 2. [`ops::assist::tools`] lists the tools, `ops::assist::input` reads the call as one of them, and `ops::assist::ask` makes its
//!    script, which runs over a session of its own, as a shell command does. The store of that session writes no intent without a
//!    grant.
//! 3. `quote` stores a proposal and returns its handle. A person accepts it on the Basket screen or in the client; the
//!    allowance of `[assistant]` accepts small ones.
//! 4. `unlock` takes the handle: the intent of its first batch uses the handle up in the same transaction. From there it is step 3
//!    of the key above.
//! 5. The lines of the script become one JSON object, cut to what a model should read.
//!
//! # What must always hold
//! The thirteen money rules are in [`lode_engine::flow::unlock`], each with the code that keeps it and the test that fails without it. `tests/sim` plays them
//! against what the sandbox recorded, with every fault of the list in `src/sandbox/faults`.
//!
//! # Glossary
//! | word | is |
//! |---|---|
//! | contact | one person of a corpus; a *row* is a line of a screen |
//! | purse | whose money: the origin of a service and its organization; screens show the name of the workspace |
//! | ledger | lode's own record of what was sent, charged and bought |
//! | quote, order, batch, receipt | an offer; the accepted offer; the ids of one request; the result of an order |
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
//! | script | a shell command over the session: an async function that awaits events |
//! | owner | the machine that a request belongs to and that gets its answer |

// Each item is as visible as it needs to be, so that the compiler finds unused ones.
#![warn(unreachable_pub)]

pub mod app;
pub mod ops;
