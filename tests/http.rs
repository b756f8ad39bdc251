//! The line to the services, against servers that behave and servers that do not.
#![allow(clippy::disallowed_methods)]

#[path = "http/honest.rs"]
mod honest;
