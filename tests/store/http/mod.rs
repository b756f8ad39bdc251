//! The line to the services, against servers that behave and servers that do not.
#![allow(clippy::disallowed_methods)] // Tests start threads and servers of their own.

mod crooked;
mod dishonest;
mod honest;
mod performing;
mod streams;
