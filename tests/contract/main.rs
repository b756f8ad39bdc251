//! The sandbox against every sentence of the two documents, over HTTP and in every variant.
//!
//! One server per test on a port of its own. The names of the tests are the sentences. These tests are a client with a socket and a clock.
#![allow(clippy::disallowed_methods)]

#[path = "../common/asking.rs"]
mod asking;
mod control;
mod data;
mod faults;
mod malformed;
mod records;
mod service;
mod unlock;
mod variants;
mod workspace;
