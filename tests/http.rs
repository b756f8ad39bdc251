//! The line to the services, against servers that behave and servers that do not.
#![allow(clippy::disallowed_methods)] // Tests start threads and servers of their own.

#[path = "http/crooked.rs"]
mod crooked;
#[path = "http/dishonest.rs"]
mod dishonest;
#[path = "http/honest.rs"]
mod honest;
#[path = "http/performing.rs"]
mod performing;
#[path = "http/streams.rs"]
mod streams;
