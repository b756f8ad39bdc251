//! Core and engine through their public seams. The engine has virtual time, the real store in memory, the real wire mapping, and
//! either a referee or the sandbox without its server as the service.
#![allow(clippy::disallowed_methods)] // Tests measure time and end what they own.

mod balance;
mod basket;
mod choosing;
mod core;
mod desk;
mod desktop;
mod export;
mod ledger;
mod legs;
mod limiter;
mod lists;
mod looks;
mod matching;
mod orders;
mod patience;
mod recovery;
mod retry;
mod saved_searches;
mod shrinking;
mod unproved;
mod walk;
mod window;
mod wire;
