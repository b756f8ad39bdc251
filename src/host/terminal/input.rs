//! Reads terminal input as crossterm's events: keys, pastes, the mouse, the focus. A reply to a question or a report (OSC,
//! DCS, APC, CSI) is read to its end and never becomes a key; crossterm has no event for it, so [`Input`] has one.
//!
//! Bytes come in pieces of any size. A sequence that is not whole waits for the rest of it. A lone Escape byte may be the key or
//! the beginning of a sequence, and only waiting tells them apart: it is the key after [`ESCAPE_WAITS`]. A terminal that has
//! confirmed the kitty protocol sends the key as a sequence, so that it is heard at once, and there a lone byte always waits for
//! the rest. Nothing is read here and nothing waited for, so the loop that draws reads the terminal with
//! it directly: a thread between the two would cost more than a frame does, and the reader that comes with crossterm needs one,
//! because it blocks in the middle of a sequence.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use super::*;
use lode_core::{keyboard::is_sign_of, keyboard::latin, scrub_to};

/// What is pasted beyond this is an accident with the clipboard.
const LONGEST_PASTE: usize = 1 << 20;
/// A reply that is longer is not kept; it is read to its end all the same.
const LONGEST_REPLY: usize = 1 << 16;
/// The wait of an Escape byte for the rest of its sequence, as in vim: over a slow line the bytes of one reply come apart.
const ESCAPE_WAITS: Duration = Duration::from_millis(50);
/// A reply whose end did not come for so long is none: Escape and a letter were pressed.
const REPLY_ENDS_WITHIN: Duration = Duration::from_secs(2);

/// What a terminal calls itself is shown on one line.
const LONGEST_NAME: usize = 60;

const PASTE_ENDS: &[u8] = b"\x1b[201~";

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    Event(Event),
    /// A sign that is typed on a keyboard of another script, and the letter that an English keyboard has at its place.
    Placed(KeyEvent, char),
    Reply(TerminalReply),
}

/// What the terminal says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TerminalReply {
    /// The color of its background.
    Background([u8; 3]),
    /// Whether its colors are dark.
    ColorScheme { dark: bool },
    /// Its name and version.
    Name(String),
    /// The state of a mode, as DECRPM numbers it.
    Mode { number: u16, state: u16 },
    /// Where the cursor is, counted from one.
    Cursor { row: u16, column: u16 },
    /// The answer to DA1.
    Attributes,
}

#[derive(Default)]
pub struct Parser {
    /// The beginning of a sequence.
    rest: Vec<u8>,
    paste: Option<Vec<u8>>,
    /// When the Escape byte came that is all of `rest`.
    escape: Option<Instant>,
    /// The terminal has confirmed that it sends the Escape key as a sequence.
    names_escape: bool,
    /// When the reply that has begun went on the last time.
    reply: Option<Instant>,
}

impl Parser {
    /// Whether nothing has begun that is to be continued.
    pub fn is_whole(&self) -> bool {
        self.rest.is_empty() && self.paste.is_none()
    }

    /// When an Escape byte that waits for its sequence is the key, unless more comes before; `None` if no such byte waits.
    pub fn escape_ends(&self) -> Option<Instant> {
        self.escape.filter(|_| !self.names_escape).map(|since| since + ESCAPE_WAITS)
    }

    /// There is nothing more to read at this moment: an Escape byte that has waited long enough was the key.
    pub fn paused(&mut self, at: Instant, out: &mut Vec<Input>) {
        if self.escape_ends().is_some_and(|end| at >= end) {
            self.escape = None;
            self.rest.clear();
            out.push(plain(KeyCode::Esc));
        }
    }

    /// Takes what was read at once.
    pub fn take(&mut self, bytes: &[u8], at: Instant, out: &mut Vec<Input>) {
        let mut all = std::mem::take(&mut self.rest);
        let stale = self.reply.take().is_some_and(|then| at.duration_since(then) > REPLY_ENDS_WITHIN);
        if stale && !ends_a_reply(bytes) {
            all.clear();
        }
        all.extend_from_slice(bytes);
        let mut from = 0;
        while from < all.len() {
            if self.paste.is_some() {
                from += self.pasted(&all[from..], out);
                continue;
            }
            let Some(length) = self.piece(&all[from..], out) else {
                self.reply = matches!(all[from..], [0x1b, b']' | b'P' | b'_', _, ..]).then_some(at);
                if all.len() - from > LONGEST_REPLY {
                    // Its beginning shows its kind, and its last byte may be the first half of its end.
                    all.drain(from + INTRODUCER + 1..all.len() - 1);
                }
                break;
            };
            from += length;
        }
        all.drain(..from);
        self.escape = (all == [0x1b]).then_some(at);
        self.rest = all;
    }

    /// Takes what a console tells as events of crossterm, not as bytes.
    pub fn take_event(&mut self, event: Event, out: &mut Vec<Input>) {
        match event {
            Event::Key(event) => pressed(event, None, out),
            event => out.push(Input::Event(event)),
        }
    }

    /// How many bytes belong to the paste that has begun.
    fn pasted(&mut self, bytes: &[u8], out: &mut Vec<Input>) -> usize {
        let Some(paste) = &mut self.paste else { return 0 };
        let before = paste.len();
        paste.extend_from_slice(bytes);
        // Its end may have begun with what came before.
        let from = before.saturating_sub(PASTE_ENDS.len() - 1);
        let Some(end) = memchr::memmem::find(&paste[from..], PASTE_ENDS).map(|end| from + end) else {
            let most = LONGEST_PASTE + PASTE_ENDS.len();
            if paste.len() > most {
                // The middle goes, so that an end in two pieces is still found.
                paste.drain(LONGEST_PASTE..paste.len() - PASTE_ENDS.len());
            }
            return bytes.len();
        };
        let words = String::from_utf8_lossy(&without_sequences(&paste[..end.min(LONGEST_PASTE)])).into_owned();
        self.paste = None;
        out.push(Input::Event(Event::Paste(words)));
        end + PASTE_ENDS.len() - before
    }

    /// Reads one piece of input from the beginning of some bytes, and returns how many bytes it takes; `None` if it is not
    /// complete yet.
    fn piece(&mut self, bytes: &[u8], out: &mut Vec<Input>) -> Option<usize> {
        match bytes {
            [0x1b] | [0x1b, b'O'] => None,
            [0x1b, b'[', body @ ..] => self.sequence(body, out),
            [0x1b, kind @ (b']' | b'P' | b'_'), body @ ..] => reply(*kind, body, out),
            [0x1b, b'O', letter, ..] => match lettered(*letter) {
                Some(code) => key(3, code, out),
                // Escape and O were pressed.
                None => key(1, KeyCode::Esc, out),
            },
            [0x1b, ..] => key(1, KeyCode::Esc, out),
            [byte, ..] => letter(*byte, bytes, out),
            [] => None,
        }
    }

    /// After `ESC [`: parameters, a letter.
    fn sequence(&mut self, body: &[u8], out: &mut Vec<Input>) -> Option<usize> {
        match body {
            // The console of Linux has its first five keys so.
            [b'[', letter @ b'A'..=b'E', ..] => return key(INTRODUCER + 2, KeyCode::F(letter - b'A' + 1), out),
            [b'['] => return None,
            // The mouse without SGR: three bytes.
            [b'M', buttons, x, y, ..] => {
                let [buttons, x, y] = [buttons, x, y].map(|byte| u16::from(byte.saturating_sub(32)));
                out.extend(mouse(buttons, x, y, buttons & 3 == 3));
                return Some(INTRODUCER + 4);
            }
            [b'M', ..] => return None,
            _ => {}
        }
        let end = body.iter().position(|byte| !(0x20..=0x3f).contains(byte))?;
        match body[end] {
            letter @ 0x40..=0x7e => {
                self.meaning(&body[..end], letter, out);
                Some(INTRODUCER + end + 1)
            }
            // Escape and `[` were pressed.
            _ if end == 0 => key(1, KeyCode::Esc, out),
            // Cut off: what follows is read for itself.
            _ => Some(INTRODUCER + end),
        }
    }

    fn meaning(&mut self, parameters: &[u8], letter: u8, out: &mut Vec<Input>) {
        match (parameters, letter) {
            ([b'<', rest @ ..], b'M' | b'm') => {
                let [[buttons, ..], [x, ..], [y, ..]] = small(rest);
                out.extend(mouse(buttons, x, y, letter == b'm'));
            }
            // Whether the colors are dark or light now.
            (b"?997;1" | b"?997;2", b'n') => {
                out.push(Input::Reply(TerminalReply::ColorScheme { dark: parameters == b"?997;1" }));
            }
            // The flags of the kitty protocol; the first says that the Escape key has a sequence.
            ([b'?', flags @ ..], b'u') => self.names_escape = numbers(flags)[0][0] & 1 == 1,
            ([b'?', mode @ .., b'$'], b'y') => {
                let [[number, ..], [state, ..], _] = small(mode);
                out.push(Input::Reply(TerminalReply::Mode { number, state }));
            }
            ([b'?', ..], b'c') => out.push(Input::Reply(TerminalReply::Attributes)),
            // What else comes so answers questions that lode does not ask.
            _ if !parameters.iter().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')) => {}
            (_, b'I') => out.push(Input::Event(Event::FocusGained)),
            (_, b'O') => out.push(Input::Event(Event::FocusLost)),
            (_, b'~') if numbers(parameters)[0][0] == 200 => self.paste = Some(Vec::new()),
            // Without parameters it is F3.
            ([_, ..], b'R') => {
                let [[row, ..], [column, ..], _] = small(parameters);
                out.push(Input::Reply(TerminalReply::Cursor { row, column }));
            }
            _ => pressed_by(numbers(parameters), letter, out),
        }
    }
}

/// A paste without the sequences in it: colors that were copied along, and replies that came in the middle of it.
fn without_sequences(paste: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(paste.len());
    let mut rest = paste;
    while let Some(at) = memchr::memchr(0x1b, rest) {
        out.extend_from_slice(&rest[..at]);
        let body = rest.get(at + INTRODUCER..).unwrap_or_default();
        let length = match rest.get(at + 1) {
            Some(b'[') => body.iter().position(|byte| !(0x20..=0x3f).contains(byte)).map(|end| end + 1),
            Some(b']' | b'P' | b'_') => {
                body.iter().position(|byte| *byte < 0x20).map(|end| end + usize::from(body[end] == 0x07))
            }
            // Also the backslash that ends a reply.
            Some(b'\\') => Some(0),
            _ => None,
        };
        rest = &rest[at + length.map_or(1, |length| INTRODUCER + length)..];
    }
    out.extend_from_slice(rest);
    out
}

fn plain(code: KeyCode) -> Input {
    Input::Event(Event::Key(KeyEvent::from(code)))
}

/// None for moves and buttons without a meaning here. Column and row count from one, buttons are numbered as terminals do.
fn mouse(buttons: u16, x: u16, y: u16, up: bool) -> Option<Input> {
    const SHIFT_ALT_CTRL: u16 = 4 | 8 | 16;
    let kind = match buttons & !SHIFT_ALT_CTRL {
        // Without SGR a release does not say of which button.
        0 | 3 if up || buttons & 3 == 3 => MouseEventKind::Up(MouseButton::Left),
        0 => MouseEventKind::Down(MouseButton::Left),
        2 if !up => MouseEventKind::Down(MouseButton::Right),
        32 => MouseEventKind::Drag(MouseButton::Left),
        64 => MouseEventKind::ScrollUp,
        65 => MouseEventKind::ScrollDown,
        _ => return None,
    };
    let (column, row) = (x.saturating_sub(1), y.saturating_sub(1));
    Some(Input::Event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE })))
}

fn key(length: usize, code: KeyCode, out: &mut Vec<Input>) -> Option<usize> {
    out.push(plain(code));
    Some(length)
}

fn letter(first: u8, bytes: &[u8], out: &mut Vec<Input>) -> Option<usize> {
    let mut ctrl = |c: u8| {
        let key = KeyEvent::new(KeyCode::Char(char::from(c)), KeyModifiers::CONTROL);
        out.push(Input::Event(Event::Key(key)));
        Some(1)
    };
    let length = match first {
        b'\r' => return key(1, KeyCode::Enter, out),
        b'\t' => return key(1, KeyCode::Tab, out),
        0x7f => return key(1, KeyCode::Backspace, out),
        0 => return ctrl(b' '),
        0x01..=0x1a => return ctrl(first - 1 + b'a'),
        0x1c..=0x1f => return ctrl(first - 0x1c + b'4'),
        0x20..=0x7e => return key(1, KeyCode::Char(char::from(first)), out),
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Some(1),
    };
    let here = &bytes[..length.min(bytes.len())];
    match std::str::from_utf8(here) {
        Ok(text) => key(length, KeyCode::Char(text.chars().next().unwrap_or(' ')), out),
        // A valid beginning.
        Err(error) if error.error_len().is_none() && here.len() < length => None,
        Err(_) => Some(1),
    }
}

/// Keys that are named by the letter at the end of their sequence.
fn lettered(letter: u8) -> Option<KeyCode> {
    Some(match letter {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'M' => KeyCode::Enter,
        b'P'..=b'S' => KeyCode::F(letter - b'P' + 1),
        _ => return None,
    })
}

/// Escape and the letter that says what kind of sequence it is.
const INTRODUCER: usize = 2;

/// OSC, DCS or APC: a text up to BEL or ST. What cannot be in one ends it as well: a control character, and Escape with
/// another sequence.
fn reply(kind: u8, body: &[u8], out: &mut Vec<Input>) -> Option<usize> {
    let first = body.first()?;
    // Escape and P or `]` were pressed: a reply begins with parameters.
    let begins = match kind {
        b'P' => matches!(first, 0x1b | 0x20..=0x3f),
        b']' => matches!(first, 0x1b | 0x07 | b'0'..=b'9' | b'l' | b'L' | b'I'),
        _ => true,
    };
    if !begins {
        return key(1, KeyCode::Esc, out);
    }
    let end = body.iter().position(|byte| *byte < 0x20)?;
    let terminator = match (body[end], body.get(end + 1)) {
        (0x1b, Some(b'\\')) => 2,
        (0x1b, None) => return None,
        (0x07, _) => 1,
        // Cut off: what follows is read for itself.
        _ => return Some(INTRODUCER + end),
    };
    let text = &body[..end];
    let reply = match (kind, text) {
        (b']', _) => background(text),
        (b'P', [b'>', b'|', name @ ..]) => {
            Some(TerminalReply::Name(scrub_to(&String::from_utf8_lossy(name), LONGEST_NAME)))
        }
        _ => None,
    };
    out.extend(reply.map(Input::Reply));
    Some(INTRODUCER + end + terminator)
}

/// What a whole OSC means to us: the color of the background, `11;rgb:2e2e/3434/4040` with one to four digits a part.
fn background(words: &[u8]) -> Option<TerminalReply> {
    let words = std::str::from_utf8(words).ok()?.strip_prefix("11;rgb")?;
    let mut parts = words.split_once(':')?.1.split('/').map(|digits| {
        let value = u32::from_str_radix(digits, 16).ok()?;
        let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1).filter(|most| *most > 0)?;
        u8::try_from(value.checked_mul(255)? / most).ok()
    });
    let mut next = || parts.next().flatten();
    Some(TerminalReply::Background([next()?, next()?, next()?]))
}

/// Whether the end of a reply is among these bytes.
fn ends_a_reply(bytes: &[u8]) -> bool {
    bytes.contains(&0x07) || memchr::memmem::find(bytes, b"\x1b\\").is_some() || bytes == b"\\"
}

/// `1;5` with the parts of a part, as in `97:65;2:3`.
fn numbers(parameters: &[u8]) -> [[u32; 3]; 3] {
    let mut all = [[0; 3]; 3];
    for (part, row) in parameters.split(|byte| *byte == b';').zip(&mut all) {
        for (digits, number) in part.split(|byte| *byte == b':').zip(row) {
            let digit =
                |sum: u32, byte: &u8| sum.saturating_mul(10).saturating_add(u32::from(byte.wrapping_sub(b'0') % 10));
            *number = digits.iter().fold(0, digit);
        }
    }
    all
}

/// The same numbers, as large as a screen can need.
fn small(parameters: &[u8]) -> [[u16; 3]; 3] {
    numbers(parameters).map(|row| row.map(|n| u16::try_from(n).unwrap_or(u16::MAX)))
}

/// A key from the parameters and the letter of its sequence. Others mean nothing to us.
fn pressed_by(parameters: [[u32; 3]; 3], letter: u8, out: &mut Vec<Input>) {
    use KeyCode::*;
    // By their numbers; some terminals have Home and End as the seventh and the eighth.
    const EDITING: [KeyCode; 8] = [Home, Insert, Delete, End, PageUp, PageDown, Home, End];
    let [[first, upper, base], [held, happened, _], [third, ..]] = parameters;
    // What Shift makes of a key other than a letter follows from the keyboard: the terminal names it.
    let is_upper = upper != 0 && held == 2;
    let code = match (letter, first) {
        (b'Z', _) => Some(KeyCode::BackTab),
        (b'~', 1..=8) => Some(EDITING[first as usize - 1]),
        (b'~', 11..=15) => Some(KeyCode::F(first as u8 - 10)),
        (b'~', 17..=21) => Some(KeyCode::F(first as u8 - 11)),
        (b'~', 23..=24) => Some(KeyCode::F(first as u8 - 12)),
        (b'~', 27) => numbered(third),
        (b'u', _) => numbered(if is_upper { upper } else { first }),
        _ => lettered(letter),
    };
    let Some(code) = code else { return };
    let kind = if happened == 3 { KeyEventKind::Release } else { KeyEventKind::Press };
    let base = char::from_u32(base).filter(|_| !is_upper);
    pressed(KeyEvent::new_with_kind(code, modifiers(held), kind), base, out);
}

/// Keys that are named by the number of their letter, or by one from the private part of Unicode.
fn numbered(number: u32) -> Option<KeyCode> {
    use KeyCode::*;
    const KEYPAD: [KeyCode; 10] = [Left, Right, Up, Down, PageUp, PageDown, Home, End, Insert, Delete];
    Some(match number {
        9 => KeyCode::Tab,
        13 | 57_414 => KeyCode::Enter,
        27 => KeyCode::Esc,
        8 | 127 => KeyCode::Backspace,
        57_399..=57_413 => KeyCode::Char(char::from(b"0123456789./*-+"[number as usize - 57_399])),
        57_415 => KeyCode::Char('='),
        57_416 => KeyCode::Char(','),
        57_417..=57_426 => KEYPAD[number as usize - 57_417],
        57_344..=63_743 | 0..=31 => return None,
        number => KeyCode::Char(char::from_u32(number)?),
    })
}

/// A key with what was held beside it; `base` is the key of an English keyboard at its place, if the terminal names it. Nothing
/// for releases, and with keys that belong to the window manager.
fn pressed(event: KeyEvent, base: Option<char>, out: &mut Vec<Input>) {
    const WINDOW_MANAGER: KeyModifiers = KeyModifiers::SUPER.union(KeyModifiers::HYPER).union(KeyModifiers::META);
    let held = event.modifiers;
    if event.kind == KeyEventKind::Release || held.intersects(WINDOW_MANAGER) {
        return;
    }
    let ctrl = held & KeyModifiers::CONTROL;
    let code = match event.code {
        KeyCode::Char(typed) if !ctrl.is_empty() => KeyCode::Char(chorded(typed, base).to_ascii_lowercase()),
        // With unambiguous keys a letter may arrive small together with Shift.
        KeyCode::Char(c) if held.contains(KeyModifiers::SHIFT) && c.is_lowercase() => {
            KeyCode::Char(c.to_uppercase().next().unwrap_or(c))
        }
        KeyCode::Tab if held.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        code => code,
    };
    let key = KeyEvent::new(code, ctrl);
    // Alt and a key are the Escape key and that key: nothing here uses Alt.
    if held.contains(KeyModifiers::ALT) {
        out.extend([plain(KeyCode::Esc), Input::Event(Event::Key(key))]);
        return;
    }
    out.push(match (event.code, base) {
        (KeyCode::Char(sign), Some(base)) if ctrl.is_empty() && is_sign_of(sign, base) => Input::Placed(key, base),
        _ => Input::Event(Event::Key(key)),
    });
}

/// The letter of a chord with Ctrl. Where a keyboard of another script has no Latin letter, the key of an English keyboard at
/// its place is meant, which the terminal names, or which follows from what the key types.
fn chorded(typed: char, base: Option<char>) -> char {
    if typed.is_ascii_alphabetic() {
        return typed;
    }
    // On a Hebrew keyboard `w` is an apostrophe.
    let placed = || if typed == '\'' { Some('w') } else { latin(typed) };
    base.filter(char::is_ascii_lowercase).or_else(placed).unwrap_or(typed)
}

/// What was held beside a key, from `1 + shift + 2 alt + 4 ctrl + 8 super + 16 hyper + 32 meta`.
fn modifiers(held: u32) -> KeyModifiers {
    use KeyModifiers as M;
    const ALL: [M; 6] = [M::SHIFT, M::ALT, M::CONTROL, M::SUPER, M::HYPER, M::META];
    let held = held.saturating_sub(1);
    (0..).zip(ALL).filter(|(bit, _)| held >> bit & 1 == 1).map(|(_, modifier)| modifier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What some bytes mean, read in pieces of this size.
    fn cut(bytes: &[u8], size: usize) -> String {
        let mut input = Parser::default();
        let mut out = Vec::new();
        let start = Instant::now();
        for piece in bytes.chunks(size) {
            input.take(piece, start, &mut out);
        }
        input.paused(start + ESCAPE_WAITS, &mut out);
        let words = out.iter().map(|input| match input {
            Input::Event(Event::Key(event)) => named(*event),
            Input::Placed(event, letter) => format!("{}={letter}", named(*event)),
            Input::Event(Event::Paste(words)) => format!("paste {words:?}"),
            Input::Event(Event::Mouse(mouse)) => format!("{:?} {},{}", mouse.kind, mouse.column, mouse.row),
            Input::Event(other) => format!("{other:?}"),
            Input::Reply(reply) => format!("{reply:?}"),
        });
        words.collect::<Vec<_>>().join(" ")
    }

    /// A key as lode's key map writes it.
    fn named(event: KeyEvent) -> String {
        let ctrl = if event.modifiers == KeyModifiers::CONTROL { "Ctrl-" } else { "" };
        let code = match event.code {
            KeyCode::Char(' ') => "Space".to_owned(),
            KeyCode::BackTab => "Shift-Tab".to_owned(),
            KeyCode::PageUp => "PgUp".to_owned(),
            KeyCode::PageDown => "PgDn".to_owned(),
            KeyCode::Delete => "Del".to_owned(),
            KeyCode::Insert => "Ins".to_owned(),
            code => code.to_string(),
        };
        ctrl.to_owned() + &code
    }

    fn keys(out: &[Input]) -> Vec<&Input> {
        out.iter().filter(|input| !matches!(input, Input::Reply(_))).collect()
    }

    fn char(c: char) -> Input {
        plain(KeyCode::Char(c))
    }

    const WHOLE: &[(&str, &str)] = &[
        ("jG é山👍", "j G Space é 山 👍"),
        ("\r\t\x7f\x04\x1f", "Enter Tab Backspace Ctrl-d Ctrl-7"),
        ("\x1b[A\x1b[B\x1b[C\x1b[D\x1b[H\x1b[F\x1b[Z", "Up Down Right Left Home End Shift-Tab"),
        ("\x1bOA\x1bOH\x1bOP\x1bOS", "Up Home F1 F4"),
        ("\x1b[1~\x1b[2~\x1b[3~\x1b[4~\x1b[5~\x1b[6~\x1b[7~\x1b[8~", "Home Ins Del End PgUp PgDn Home End"),
        ("\x1b[11~\x1b[15~\x1b[17~\x1b[21~\x1b[24~\x1b[[B", "F1 F5 F6 F10 F12 F2"),
        ("\x1b[1;2B\x1b[1;5C\x1b[5;5~\x1b[1;5P", "Down Ctrl-Right Ctrl-PgUp Ctrl-F1"),
        ("\x1b[27u\x1b[13u\x1b[9;2u\x1b[127u", "Esc Enter Shift-Tab Backspace"),
        ("\x1b[100;5u\x1b[103;2u\x1b[103:71;2u\x1b[57417u", "Ctrl-d G G Left"),
        ("\x1b[100;5:1u\x1b[100;5:2u\x1b[100;5:3u", "Ctrl-d Ctrl-d"),
        ("\x1b[100;9u\x1b[57441;2u\x1b[27;5;100~", "Ctrl-d"),
        ("\x1b[100;3u\x1b[1;3A", "Esc d Esc Up"),
        ("\x1b[I\x1b[O", "FocusGained FocusLost"),
        ("\x1b[200~a\x1b[31mb\r\n\x1b[201~c", "paste \"ab\\r\\n\" c"),
        ("\x1b[200~a\x1b[?64;1cb\x1bP>|XTerm(388)\x1b\\c\x1b]11;rgb:0/0/0\x07d\x1be\x1b[201~x", "paste \"abcde\" x"),
        ("\x1b[<0;4;7M\x1b[<0;4;7m\x1b[<32;5;7M", "Down(Left) 3,6 Up(Left) 3,6 Drag(Left) 4,6"),
        (
            "\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<4;2;2M\x1b[<2;1;1M",
            "ScrollUp 0,0 ScrollDown 0,0 Down(Left) 1,1 Down(Right) 0,0",
        ),
        ("\x1b[M !!\x1b[M#!!\x1b[Ma!!", "Down(Left) 0,0 Up(Left) 0,0 ScrollDown 0,0"),
        ("\x1b[?1u\x1b[?62;22c\x1b[12;40R\x1b[>0;276;0cx", "Attributes Cursor { row: 12, column: 40 } x"),
        // Where the cursor is, in places that look like F3 with Ctrl; modes; the size.
        (
            "\x1b[1;1R\x1b[1;5R\x1b[?4;1$y\x1b[48;24;80;0;0tx",
            "Cursor { row: 1, column: 1 } Cursor { row: 1, column: 5 } Mode { number: 4, state: 1 } x",
        ),
        ("\x1b]11;rgb:2e2e/3434/4040\x07\x1b]10;rgb:ffff/ffff/ffff\x1b\\x", "Background([46, 52, 64]) x"),
        (
            "\x1b]11;rgb:ff/ff/ff\x07\x1b]11;rgba:eeee/e8e8/d5d5/ffff\x1b\\\x1b]11;nonsense\x07k",
            "Background([255, 255, 255]) Background([238, 232, 213]) k",
        ),
        ("\x1b[?997;1n\x1b[?997;2n\x1b[?997;3nx", "ColorScheme { dark: true } ColorScheme { dark: false } x"),
        ("\x1b]lq U 5 title\x1b\\\x1b]52;c;cVUx\x07x", "x"),
        ("\x1bP>|XTerm(388)\x1b\\\x1bP1$r0m\x1b\\\x1bP1+r544e=787465\x1b\\x", "Name(\"XTerm(388)\") x"),
        ("\x1b_Gi=31;OK qqU\x1b\\x", "x"),
        ("\x1b[1089::99;5u\x1b[1089;5u\x1b[27;5;1089~\x1b[968;5u", "Ctrl-c Ctrl-c Ctrl-c Ctrl-c"),
        ("\x1b[97::113;5u\x1b[1081u", "Ctrl-a й"),
        // Greek and Hebrew signs where an English keyboard has letters; a sign of a French keyboard; Ctrl.
        ("\x1b[59::113u\x1b[47::113u\x1b[39::119u", ";=q /=q '=w"),
        ("\x1b[59::44u\x1b[59u\x1b[59::113;5u\x1b[59::113;1:3u", "; ; Ctrl-q"),
    ];

    #[test]
    fn every_key_is_read_whatever_protocol_brought_it() {
        for (bytes, wanted) in WHOLE {
            assert_eq!(cut(bytes.as_bytes(), 4096), *wanted, "{bytes:?}");
        }
    }

    #[test]
    fn a_sequence_in_pieces_is_the_same_key() {
        for (bytes, wanted) in WHOLE {
            let bytes = bytes.as_bytes();
            assert_eq!(cut(bytes, 1), *wanted, "byte by byte");
            for at in 1..bytes.len() {
                let mut input = Parser::default();
                let mut whole = Vec::new();
                let now = Instant::now();
                input.take(&bytes[..at], now, &mut whole);
                input.take(&bytes[at..], now, &mut whole);
                let mut once = Vec::new();
                Parser::default().take(bytes, now, &mut once);
                assert_eq!(whole, once, "{wanted} cut at {at}");
            }
        }
    }

    #[test]
    fn escape_needs_no_company_and_stays_out_of_what_follows() {
        assert_eq!(cut(b"\x1b", 1), "Esc");
        assert_eq!(cut(b"\x1b\x1b", 2), "Esc Esc");
        assert_eq!(cut(b"\x1bq", 2), "Esc q");
        assert_eq!(cut(b"\x1b\x1b[A", 4), "Esc Up");
        assert_eq!(cut(b"\x1bOz", 3), "Esc O z");
        assert_eq!(cut(b"\x1b[\r", 3), "Esc [ Enter");
        assert_eq!(cut(b"\x1bPj\x1b]q", 6), "Esc P j Esc ] q");
    }

    /// A reply that is cut off ends where something begins that cannot be in it, and Ctrl-C is always heard.
    #[test]
    fn what_ends_a_reply_early_is_read_for_itself() {
        assert_eq!(cut(b"\x1b]11;rgb:ff\x03", 64), "Ctrl-c");
        assert_eq!(cut(b"\x1bP1$rq\x1b[Aj", 64), "Up j");
        assert_eq!(cut(b"\x1b[12;4\x03j", 64), "Ctrl-c j");
    }

    /// After Escape and something that looks like the beginning of a reply, keys work again.
    #[test]
    fn a_reply_without_end_holds_the_keys_for_a_moment_only() {
        let mut input = Parser::default();
        let mut out = Vec::new();
        let start = Instant::now();
        input.take(b"\x1b]11;rgb:2e2e", start, &mut out);
        input.take(b"/3434/40", start + Duration::from_secs(1), &mut out);
        input.take(b"j", start + Duration::from_secs(4), &mut out);
        assert_eq!(out, [char('j')]);
        // Its end may come late, over a slow line.
        out.clear();
        input.take(b"\x1b]11;rgb:2e2e", start, &mut out);
        input.take(b"/q/q\x07", start + Duration::from_secs(9), &mut out);
        assert!(out.is_empty());
    }

    /// Endless replies need no endless memory.
    #[test]
    fn a_reply_of_any_length_is_read_to_its_end() {
        for (begin, end) in [("\x1b]52;c;", "\x1b\\"), ("\x1bP1+r", "\x1b\\"), ("\x1b[?1", "c")] {
            let mut input = Parser::default();
            let mut out = Vec::new();
            let now = Instant::now();
            input.take(begin.as_bytes(), now, &mut out);
            for _ in 0..100 {
                input.take(&[b'1'; 10_000], now, &mut out);
                assert!(input.rest.len() <= LONGEST_REPLY + 10_000);
            }
            for byte in end.bytes() {
                input.take(&[byte], now, &mut out);
            }
            input.take(b"q", now, &mut out);
            assert_eq!(keys(&out), [&char('q')], "{begin:?}");
        }
    }

    /// Whatever a terminal says of itself, none of it is a key, however it is cut.
    #[test]
    fn no_reply_ever_becomes_a_key() {
        let mut seed = 23u64;
        let mut next = move |sides: usize| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize % sides
        };
        for _ in 0..4_000 {
            let text: String = (0..next(40)).map(|_| char::from(b' ' + next(95) as u8)).collect();
            let number = next(1_000);
            let whole = match next(5) {
                0 => format!("\x1b]{number};{text}\x07"),
                1 => format!("\x1b]{number};{text}\x1b\\"),
                2 => format!("\x1bP{number}{text}\x1b\\"),
                3 => format!("\x1b_{text}\x1b\\"),
                _ => format!("\x1b[?{number};{}{}", next(300), ['c', 'n', 'R', 'u'][next(4)]),
            };
            let (mut input, mut out) = (Parser::default(), Vec::new());
            let at = next(whole.len() + 1);
            // Also after the Escape byte alone: over a slow line the rest of a reply comes later.
            let (mut now, gap) = (Instant::now(), ESCAPE_WAITS - Duration::from_millis(1));
            for piece in [&whole.as_bytes()[..at], &whole.as_bytes()[at..]] {
                input.take(piece, now, &mut out);
                now += gap;
                input.paused(now, &mut out);
            }
            assert!(keys(&out).is_empty(), "{whole:?} cut at {at}: {out:?}");
        }
    }

    #[test]
    fn an_escape_is_the_key_once_nothing_follows() {
        let mut input = Parser::default();
        let mut out = Vec::new();
        let start = Instant::now();
        input.take(b"x\x1b", start, &mut out);
        assert_eq!(input.escape_ends(), Some(start + ESCAPE_WAITS));
        input.paused(start + ESCAPE_WAITS - Duration::from_millis(1), &mut out);
        assert_eq!(out.len(), 1);
        input.paused(start + ESCAPE_WAITS, &mut out);
        assert_eq!((out.len(), input.escape_ends()), (2, None));
        input.take(b"[A", start, &mut out);
        input.paused(start + ESCAPE_WAITS, &mut out);
        let wanted = [char('x'), plain(KeyCode::Esc), char('['), char('A')];
        assert_eq!(out, wanted);
        // The rest of a sequence that has begun for certain may take its time.
        out.clear();
        input.take(b"\x1b[1;5", start, &mut out);
        input.paused(start + Duration::from_secs(1), &mut out);
        input.take(b"C", start, &mut out);
        assert_eq!(out, [Input::Event(Event::Key(KeyEvent::new(KeyCode::Right, KeyModifiers::CONTROL)))]);
    }

    /// Where the terminal has said that its Escape key is a sequence, the byte alone is never that key.
    #[test]
    fn with_the_kitty_protocol_an_escape_byte_waits_for_its_sequence() {
        let late = Duration::from_secs(3600);
        for (reply, waits) in [("\x1b[?5u", true), ("\x1b[?1u", true), ("\x1b[?0u", false), ("\x1b[?4u", false)] {
            let (mut input, mut out, start) = (Parser::default(), Vec::new(), Instant::now());
            input.take(reply.as_bytes(), start, &mut out);
            input.take(b"\x1b", start, &mut out);
            input.paused(start + late, &mut out);
            input.take(b"[?62;22c", start + late, &mut out);
            assert_eq!(keys(&out).is_empty(), waits, "{reply:?}: {out:?}");
        }
        let (mut input, mut out, start) = (Parser::default(), Vec::new(), Instant::now());
        input.take(b"\x1b[?5u\x1b[27u", start, &mut out);
        assert_eq!(out, [plain(KeyCode::Esc)], "the key itself is heard at once");
    }

    #[test]
    fn a_paste_without_end_is_bounded_and_ends_where_it_ends() {
        let mut input = Parser::default();
        let mut out = Vec::new();
        let now = Instant::now();
        input.take(b"\x1b[200~", now, &mut out);
        for _ in 0..300 {
            input.take(&[b'x'; 10_000], now, &mut out);
        }
        assert!(out.is_empty());
        input.take(b"\x1b[20", now, &mut out);
        input.take(b"1~q", now, &mut out);
        let [Input::Event(Event::Paste(words)), key] = out.as_slice() else { panic!("{}", out.len()) };
        assert_eq!(words.len(), LONGEST_PASTE);
        assert_eq!(*key, char('q'));
    }

    /// Whatever comes, it is read to the end, and the next key after it is heard.
    #[test]
    fn no_bytes_stop_it() {
        let mut seed = 11u64;
        let mut next = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) as usize
        };
        let parts: [&[u8]; 10] =
            [b"\x1b", b"[", b"200~", b"<0;", b";99999999999999", b"M", b"\xf0\x9f", b"\xff", b"u", b"O"];
        for _ in 0..3_000 {
            let mut input = Parser::default();
            let mut out = Vec::new();
            for _ in 0..next() % 12 {
                input.take(parts[next() % parts.len()], Instant::now(), &mut out);
            }
            input.take(b"\x1b[201~", Instant::now(), &mut out);
            input.take(&[b'z'; 80], Instant::now(), &mut out);
            assert_eq!(out.last(), Some(&char('z')));
            assert!(input.rest.is_empty());
        }
    }
}
