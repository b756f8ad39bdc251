//! The modes of the terminal, and their way back on every way out.
//!
//! No answer is waited for: a terminal that does not know a mode ignores it. Leaving is idempotent and
//! allocation-free enough for a panic hook.

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

use super::*;
use crate::system::terminal as console;

static ENTERED: AtomicBool = AtomicBool::new(false);
static MOUSE: AtomicBool = AtomicBool::new(true);
/// Frames may have set tab stops.
static TAB_STOPS: AtomicBool = AtomicBool::new(false);
/// The other screen, pastes that are told from typing, word of the focus, no cursor. As sequences everywhere: crossterm has
/// another way for consoles of old, which know nothing of what a frame is made of either.
const ENTER: &[u8] = b"\x1b[?1049h\x1b[?2004h\x1b[?1004h\x1b[?25l";
const LEAVE: &[u8] = b"\x1b[?1004l\x1b[?2004l\x1b[?25h\x1b[?1049l";
/// On the terminal's stack; set again without a second push after a stop. Unambiguous keys and, for letters of another script, the key of an English keyboard at their place; where this protocol is
/// not known, xterm's way of telling Ctrl with such a letter from the letter alone.
const KEYS_PUSHED: &[u8] = b"\x1b[>5u\x1b[>4;1m";
const KEYS_SET: &[u8] = b"\x1b[=5u\x1b[>4;1m";
/// Which of these the terminal has: one without the protocol says nothing.
pub const KEYS_QUESTION: &[u8] = b"\x1b[?u";
/// The title of the window, kept on the terminal's stack and taken back from it.
const TITLE_PUSHED: &[u8] = b"\x1b[22;2t";
const TITLE_POPPED: &[u8] = b"\x1b[23;2t";
/// Clicks, drags and the wheel, with coordinates as text. Not every move of the mouse: each would wake us.
const MOUSE_ON: &[u8] = b"\x1b[?1000h\x1b[?1002h\x1b[?1006h";
const MOUSE_OFF: &[u8] = b"\x1b[?1006l\x1b[?1002l\x1b[?1000l";
/// A half-sent synchronized update ends, and so do colors, margins, a scroll region and our entry on the stack of keys.
const AFTER_US: &[u8] = b"\x1b[?2026l\x1b[?2031l\x1b[m\x1b[?69l\x1b[r\x1b[<1u\x1b[>4m";

/// Also after a stop without notice: the line may have been changed meanwhile, and is set again.
pub fn enter(line: &mut TerminalLine) -> io::Result<()> {
    let again = ENTERED.swap(true, Ordering::SeqCst);
    if again {
        disable_raw_mode()?;
    }
    enable_raw_mode()?;
    let mut bytes = ENTER.to_vec();
    // What is pushed once is taken back once.
    bytes.extend_from_slice(if again { KEYS_SET } else { KEYS_PUSHED });
    bytes.extend_from_slice(if again { &[] } else { TITLE_PUSHED });
    if MOUSE.load(Ordering::SeqCst) {
        console::capture_mouse(true)?;
        bytes.extend_from_slice(MOUSE_ON);
    }
    line.say(Aside::Modes, bytes)
}

/// Gives the terminal back as it was. A terminal that is gone, or does not read, cannot be given back, so errors are not told.
pub fn leave() {
    if !ENTERED.swap(false, Ordering::SeqCst) {
        return;
    }
    let stops = if TAB_STOPS.swap(false, Ordering::SeqCst) { usual_tab_stops() } else { Vec::new() };
    last_words(&[MOUSE_OFF, AFTER_US, &stops, TITLE_POPPED, LEAVE].concat());
    let _ = console::capture_mouse(false);
    let _ = disable_raw_mode();
}

/// From now on frames may set tab stops, which [`leave`] takes back.
pub fn may_set_tab_stops() {
    TAB_STOPS.store(true, Ordering::SeqCst);
}

/// One every eight columns, as in a new terminal.
fn usual_tab_stops() -> Vec<u8> {
    let columns = size().map_or(80, |(columns, _)| usize::from(columns));
    [b"\x1b[3g\r", &b"\x1b[8C\x1bH".repeat((columns - 1) / 8)[..]].concat()
}

/// Columns and rows, if the terminal knows them.
pub fn size() -> Option<(u16, u16)> {
    console::size().filter(|(columns, rows)| *columns > 0 && *rows > 0)
}

pub fn capture_mouse(on: bool, line: &mut TerminalLine) -> io::Result<()> {
    MOUSE.store(on, Ordering::SeqCst);
    console::capture_mouse(on)?;
    line.say(Aside::Mouse, if on { MOUSE_ON } else { MOUSE_OFF }.to_vec())
}

/// Holds the terminal for as long as it lives.
pub struct Guard(());

impl Guard {
    pub fn take(line: &mut TerminalLine) -> io::Result<Guard> {
        let guard = Guard(());
        enter(line)?;
        Ok(guard)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
    }
}
