//! Whatever strangers send, the disk refuses or the fingers press: the fuzz targets on their seeds, and the real binary on a
//! terminal of ours before a service that means harm.
#![allow(clippy::disallowed_methods)] // Tests start programs, read files and wait.

mod seeds;
#[path = "../../fuzz/src/lib.rs"]
mod targets;
