//! The program to compare with: raw mode, one byte for each key. Nothing that answers keys can be quicker.

use std::io::{Read, Write};
use std::process::ExitCode;

use rustix::termios::{OptionalActions, tcgetattr, tcsetattr};

pub const NAME: &str = "--as-echo";
pub const READY: &str = "echo ready";

/// Runs as this program where the benchmark started itself so.
pub fn helper() -> Option<ExitCode> {
    (std::env::args().nth(1)? == NAME).then(run)
}

fn run() -> ExitCode {
    let (mut input, mut output) = (std::io::stdin(), std::io::stdout());
    let Ok(mut modes) = tcgetattr(&input) else { return ExitCode::FAILURE };
    modes.make_raw();
    if tcsetattr(&input, OptionalActions::Now, &modes).is_err() {
        return ExitCode::FAILURE;
    }
    let mut keys = Keys::default();
    let mut buffer = [0; 4096];
    let mut answer = |bytes: &[u8]| output.write_all(bytes).and_then(|()| output.flush());
    if answer(format!("\x1b[H{READY}\x1b[H").as_bytes()).is_err() {
        return ExitCode::FAILURE;
    }
    while let Ok(read @ 1..) = input.read(&mut buffer) {
        let count = buffer[..read].iter().filter(|byte| keys.ends_with(**byte)).count();
        // It never leaves the first line: a screen that scrolls would be work of the terminal.
        if buffer[..read].contains(&b'q') || answer(&vec![b'\r'; count]).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// Where one key ends and the next begins, for the keys of this benchmark.
#[derive(Default)]
enum Keys {
    #[default]
    Between,
    Escaped,
    Sequence,
}

impl Keys {
    fn ends_with(&mut self, byte: u8) -> bool {
        let (next, ends) = match (&self, byte) {
            (Keys::Between, 0x1b) => (Keys::Escaped, false),
            (Keys::Escaped, b'[' | b'O') => (Keys::Sequence, false),
            (Keys::Sequence, b'<' | b';' | b'0'..=b'9') => (Keys::Sequence, false),
            _ => (Keys::Between, true),
        };
        *self = next;
        ends
    }
}
