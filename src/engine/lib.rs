//! Layer 1: the logic of lode, without I/O.
//!
//! [`effect`] is what we ask of the host and what it answers, as plain data; [`wire`] translates both services between bytes and values;
//! [`flow`] is the machines. Time and answers come in as values, what we want done goes out as data.

// Each item is as visible as it needs to be, so that the compiler finds unused ones.
#![warn(unreachable_pub)]

pub mod effect;
pub mod flow;
pub mod wire;
