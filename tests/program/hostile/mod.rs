//! Whatever strangers send, the disk refuses or the fingers press: the fuzz targets on their seeds, and the real binary on a
//! terminal that the test drives, before a service that means harm.
#![allow(clippy::disallowed_methods)] // Tests start programs, read files and wait.

mod limits;
mod piped;
mod seeds;
mod slow;
mod soak;
mod strangers;
mod stream;
mod window;
