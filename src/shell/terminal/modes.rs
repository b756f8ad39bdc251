//! The modes of the terminal, and their way back on every way out.
//!
//! No query is sent and no answer waited for: a terminal that does not know a mode ignores it. Leaving is idempotent and
//! allocation-free enough for a panic hook.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

static ENTERED: AtomicBool = AtomicBool::new(false);
static MOUSE: AtomicBool = AtomicBool::new(true);

/// Alternate screen, bracketed paste, focus events, no cursor.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[?25l";
/// Unambiguous keys where offered, on the terminal's stack.
const KEYS_PUSHED: &[u8] = b"\x1b[>1u";
const KEYS_SET: &[u8] = b"\x1b[=1u";
/// Clicks, drags and the wheel, with coordinates as text.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// In the opposite order; a half-sent synchronized update ends too.
const LEAVE: &[u8] = b"\x1b[?2026l\x1b[m\x1b[r\x1b[<1u\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[?1049l";

/// Also after a stop that nobody told us of: the line may have been set otherwise meanwhile, and is set anew.
pub fn enter() -> io::Result<()> {
    let again = ENTERED.swap(true, Ordering::SeqCst);
    if again {
        crossterm::terminal::disable_raw_mode()?;
    }
    crossterm::terminal::enable_raw_mode()?;
    let mut out = io::stdout().lock();
    out.write_all(ENTER)?;
    // What is pushed once is taken back once.
    out.write_all(if again { KEYS_SET } else { KEYS_PUSHED })?;
    if MOUSE.load(Ordering::SeqCst) {
        out.write_all(MOUSE_ON)?;
    }
    out.flush()
}

/// Gives the terminal back as it was. A terminal that is gone cannot be given back, so errors are not told.
pub fn leave() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let mut out = io::stdout().lock();
    let _ = out.write_all(MOUSE_OFF).and_then(|()| out.write_all(LEAVE)).and_then(|()| out.flush());
    let _ = crossterm::terminal::disable_raw_mode();
}

pub fn capture_mouse(on: bool) -> io::Result<()> {
    MOUSE.store(on, Ordering::SeqCst);
    let mut out = io::stdout().lock();
    out.write_all(if on { MOUSE_ON } else { MOUSE_OFF })?;
    out.flush()
}

/// Holds the terminal for as long as it lives.
pub struct Guard(());

impl Guard {
    pub fn take() -> io::Result<Guard> {
        let guard = Guard(());
        enter()?;
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
    }
}
