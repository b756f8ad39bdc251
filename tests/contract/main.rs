//! The sandbox against every sentence of the two documents, over HTTP and in every variant.
//!
//! One server per test on a port of its own. The names of the tests are the sentences.

mod service;
mod workspace;
