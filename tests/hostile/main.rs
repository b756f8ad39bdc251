//! Whatever strangers send, the disk refuses or the fingers press: the fuzz targets on their seeds, and the real binary on a
//! terminal that the test drives, before a service that means harm.
#![allow(clippy::disallowed_methods)] // Tests start programs, read files and wait.

#[allow(dead_code)] // The ground of the shell's tests; a terminal needs less of it.
#[path = "../cli/house.rs"]
mod house;
mod limits;
mod seeds;
mod slow;
mod soak;
mod strangers;
mod stream;
#[path = "../../fuzz/src/lib.rs"]
mod targets;
#[allow(dead_code)] // The ground of the tests on a terminal.
#[path = "../pty/terminal.rs"]
mod terminal;
mod window;
