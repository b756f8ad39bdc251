//! The modes of the terminal, and their way back on every way out.
//!
//! No query is sent and no answer waited for: a terminal that does not know a mode ignores it. Leaving is idempotent and
//! allocation-free enough for a panic hook.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use crossterm::cursor::{Hide, Show};
use crossterm::event::{DisableBracketedPaste, DisableFocusChange, EnableBracketedPaste, EnableFocusChange};
use crossterm::queue;
use crossterm::terminal::{EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode, window_size};

static ENTERED: AtomicBool = AtomicBool::new(false);
static MOUSE: AtomicBool = AtomicBool::new(true);
/// Unambiguous keys where offered, on the terminal's stack; set anew without a second push after a stop.
const KEYS_PUSHED: &[u8] = b"\x1b[>1u";
const KEYS_SET: &[u8] = b"\x1b[=1u";
/// Clicks, drags and the wheel, with coordinates as text. Not every move of the mouse: each would wake us.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// A half-sent synchronized update ends, and so do colours, a scroll region and our entry on the stack of keys.
const AFTER_US: &[u8] = b"\x1b[?2026l\x1b[m\x1b[r\x1b[<1u";

/// Also after a stop that nobody told us of: the line may have been set otherwise meanwhile, and is set anew.
pub fn enter() -> io::Result<()> {
    let again = ENTERED.swap(true, Ordering::SeqCst);
    if again {
        disable_raw_mode()?;
    }
    enable_raw_mode()?;
    let mut out = io::stdout().lock();
    queue!(out, EnterAlternateScreen, EnableBracketedPaste, EnableFocusChange, Hide)?;
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
    let given_back = || {
        let mut out = io::stdout().lock();
        out.write_all(MOUSE_OFF)?;
        out.write_all(AFTER_US)?;
        queue!(out, DisableFocusChange, DisableBracketedPaste, Show, LeaveAlternateScreen)?;
        out.flush()
    };
    let _ = given_back();
    let _ = disable_raw_mode();
}

/// Columns and rows, as far as the terminal knows them.
#[must_use]
pub fn size() -> Option<(u16, u16)> {
    let size = window_size().ok()?;
    (size.columns > 0 && size.rows > 0).then_some((size.columns, size.rows))
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
