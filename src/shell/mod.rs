//! The only impure place, as dumb as possible.

use std::process::ExitCode;

mod entry;
pub mod headless;

pub fn main() -> ExitCode {
    entry::main()
}
