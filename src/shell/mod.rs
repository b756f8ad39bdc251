//! The only impure place, as dumb as possible.

pub mod clock;
pub mod store;

use std::process::ExitCode;

mod entry;
pub mod headless;

pub fn main() -> ExitCode {
    entry::main()
}
