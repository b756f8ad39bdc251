//! The modes of the terminal, and their way back on every way out.
//!
//! No query is sent and no answer waited for: a terminal that does not know a mode ignores it. Leaving is idempotent and
//! allocation-free enough for a panic hook.

use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};

static ENTERED: AtomicBool = AtomicBool::new(false);
static MOUSE: AtomicBool = AtomicBool::new(true);
/// How the line was set before.
static LINE: Mutex<Option<Termios>> = Mutex::new(None);

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
    set_raw()?;
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
    if let Some(before) = line().take() {
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
    }
}

fn line() -> std::sync::MutexGuard<'static, Option<Termios>> {
    LINE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Every byte as it is typed, none of them for the driver of the line.
fn set_raw() -> io::Result<()> {
    let mut line = line();
    let before = match line.take() {
        Some(before) => before,
        None => tcgetattr(io::stdin())?,
    };
    let mut raw = before.clone();
    raw.make_raw();
    *line = Some(before);
    tcsetattr(io::stdin(), OptionalActions::Now, &raw)?;
    Ok(())
}

/// Columns and rows, as far as the terminal knows them.
#[must_use]
pub fn size() -> Option<(u16, u16)> {
    let size = tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0 && size.ws_row > 0).then_some((size.ws_col, size.ws_row))
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
