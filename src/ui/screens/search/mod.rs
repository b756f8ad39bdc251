//! The Search screen: filter pane, result grid, contact pane.
//!
//! ```text
//! ╭ FILTERS ───────╮╭ RESULTS 4,870 match · page 3 of 49 · rows 201–233 ─╮╭ CONTACT 211 of 4,870 ─╮
//! │ title /  nurse ││ title~nurse  state=TX                              ││ Tom Beckett           │
//! │                ││    NAME             TITLE              ST EMAIL    ││ Director of Nursing   │
//! │ corpus   us    ││ ●  Priya Raman      Director of Nurs…  TX p•••@st… ││ …                     │
//! ╰────────────────╯╰────────────────────────────────────────────────────╯╰───────────────────────╯
//! ```
//!
//! The rows themselves live in `flow::search::window`; here is only where one looks, what is being typed, and how the
//! columns stand.

mod caption;
pub mod columns;
pub mod contact;
pub mod copy;
pub mod edit;
pub mod filters;
pub mod find;
pub mod grid;
pub mod instead;
pub mod order;
pub mod state;
pub mod suppressed;
pub mod update;
