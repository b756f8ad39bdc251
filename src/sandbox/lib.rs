//! The sandbox: both services over real HTTP on loopback, at the true size of the corpora.
//!
//! It is the embedded default of the product (`lode demo`, `lode sandbox`) and what the tests talk to. It shares no type with the
//! client on purpose: two readings of the same documents that check each other.

// Each item is as visible as it needs to be, so that the compiler finds unused ones.
#![warn(unreachable_pub)]

pub mod corpus;
pub mod faults;
mod json;
pub mod rate;
pub mod records;
pub mod scan;
pub mod server;
pub mod service;
pub mod variants;
