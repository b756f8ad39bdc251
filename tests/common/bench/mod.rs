//! What the benchmarks on a terminal share: the programs that are measured, and the terminal that measures them.

pub mod echo;
pub mod programs;
pub mod terminal;
