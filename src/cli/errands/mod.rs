//! One machine for each command that works on services, store or files.

pub mod counts;
pub mod me;
