//! The store through its one door, on real folders and in memory: what is kept, what is refused, who frees whom, and what a
//! crash, a full disk or another process can do to it.
#![allow(clippy::disallowed_methods)] // Tests touch their folders and measure time.

mod backup;
mod bench;
mod caps;
mod checking;
mod config;
mod events;
mod grants;
mod http;
mod kept;
mod money;
mod old;
mod open_batches;
mod place;
mod process;
mod purses;
mod slots;
mod timings;
mod trouble;
mod windows;
