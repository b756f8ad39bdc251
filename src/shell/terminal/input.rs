//! What the terminal sends, as messages: keys, pastes, the mouse, the focus. What it answers to a question or reports by
//! itself (OSC, DCS, APC, CSI) is read to its end and never becomes a key.
//!
//! Bytes come in pieces of any size. A sequence that is not whole waits for the rest of it. A lone Escape byte may be the key or
//! the beginning of a sequence, and only waiting tells them apart: it is the key after [`ESCAPE_WAITS`]. A terminal that has
//! confirmed the kitty protocol sends the key as a sequence, so that it is heard at once, and there a lone byte always waits for
//! the rest. Nothing is read here and nothing waited for, so the loop that draws reads the terminal with
//! it directly: a thread between the two would cost more than a frame does, and the reader that comes with crossterm needs one,
//! because it blocks in the middle of a sequence.

use std::time::{Duration, Instant};

use crate::keys::chord::{Chord, Code};
use crate::keys::layout;
use crate::ui::msg::{Mouse, MouseWhat, Msg};
use crate::ui::theme::Background;

/// Two presses on the same place within this are a double click.
const DOUBLE: Duration = Duration::from_millis(500);
/// What is pasted beyond this is an accident with the clipboard.
const LONGEST_PASTE: usize = 1 << 20;
/// A reply that is longer is not kept; it is read to its end all the same.
const LONGEST_REPLY: usize = 1 << 16;
/// The wait of an Escape byte for the rest of its sequence, as in vim: over a slow line the bytes of one reply come apart.
const ESCAPE_WAITS: Duration = Duration::from_millis(50);
/// A reply whose end did not come for so long is none: Escape and a letter were pressed.
const REPLY_ENDS_WITHIN: Duration = Duration::from_secs(2);

const PASTE_ENDS: &[u8] = b"\x1b[201~";

#[derive(Default)]
pub struct Input {
    /// The beginning of a sequence.
    rest: Vec<u8>,
    paste: Option<Vec<u8>>,
    /// When the Escape byte came that is all of `rest`.
    escape: Option<Instant>,
    /// The terminal has confirmed that it sends the Escape key as a sequence.
    names_escape: bool,
    /// When the reply that has begun went on the last time.
    reply: Option<Instant>,
    pressed: Option<(Instant, u16, u16)>,
}

/// What stands at the beginning of some bytes.
enum Piece {
    /// So many bytes mean this, or nothing to us.
    Is(usize, Option<Event>),
    /// Not whole yet.
    Cut,
    /// A reply that has begun and whose end is not here yet.
    Reply,
}

enum Event {
    Key(Chord),
    /// A sign, and the letter at its place on an English keyboard.
    Placed(Chord, char),
    /// Alt and a key are the Escape key and that key: nothing here uses Alt.
    Escaped(Chord),
    Focused(bool),
    /// Column and row from one, buttons as the terminal numbers them.
    Mouse {
        buttons: u16,
        x: u16,
        y: u16,
        up: bool,
    },
    Paste,
    Background(Background),
    /// Whether the Escape key comes as a sequence.
    NamesEscape(bool),
}

impl Input {
    /// Whether nothing has begun that is to be continued.
    pub fn is_whole(&self) -> bool {
        self.rest.is_empty() && self.paste.is_none()
    }

    /// When an Escape byte that waits for its sequence is the key, unless more comes before; `None` if no such byte waits.
    pub fn escape_ends(&self) -> Option<Instant> {
        self.escape.filter(|_| !self.names_escape).map(|since| since + ESCAPE_WAITS)
    }

    /// There is nothing more to read at this moment: an Escape byte that has waited long enough was the key.
    pub fn paused(&mut self, at: Instant, out: &mut Vec<Msg>) {
        if self.escape_ends().is_some_and(|end| at >= end) {
            self.escape = None;
            self.rest.clear();
            out.push(Msg::Key(Chord::plain(Code::Esc)));
        }
    }

    /// Takes what was read at once.
    pub fn take(&mut self, bytes: &[u8], at: Instant, out: &mut Vec<Msg>) {
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
            match piece(&all[from..]) {
                Piece::Is(length, event) => {
                    from += length;
                    self.tell(event, at, out);
                }
                unfinished => {
                    self.reply = matches!(unfinished, Piece::Reply).then_some(at);
                    if all.len() - from > LONGEST_REPLY {
                        // Its beginning says what it is, and its last byte may be the first half of its end.
                        all.drain(from + INTRODUCER + 1..all.len() - 1);
                    }
                    break;
                }
            }
        }
        all.drain(..from);
        self.escape = (all == [0x1b]).then_some(at);
        self.rest = all;
    }

    fn tell(&mut self, event: Option<Event>, at: Instant, out: &mut Vec<Msg>) {
        match event {
            Some(Event::Key(chord)) => out.push(Msg::Key(chord)),
            Some(Event::Placed(chord, letter)) => out.push(Msg::Placed(chord, letter)),
            Some(Event::NamesEscape(names)) => self.names_escape = names,
            Some(Event::Escaped(chord)) => {
                out.extend([Msg::Key(Chord::plain(Code::Esc)), Msg::Key(chord)]);
            }
            Some(Event::Focused(focused)) => out.push(Msg::Focused(focused)),
            Some(Event::Mouse { buttons, x, y, up }) => {
                let (x, y) = (x.saturating_sub(1), y.saturating_sub(1));
                out.extend(self.mouse(buttons, up, (x, y), at).map(|what| Msg::Mouse(Mouse { x, y, what })));
            }
            Some(Event::Paste) => self.paste = Some(Vec::new()),
            Some(Event::Background(background)) => out.push(Msg::Background(background)),
            None => {}
        }
    }

    /// How many bytes belong to the paste that has begun.
    fn pasted(&mut self, bytes: &[u8], out: &mut Vec<Msg>) -> usize {
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
        let words = String::from_utf8_lossy(&paste[..end.min(LONGEST_PASTE)]).into_owned();
        self.paste = None;
        out.push(Msg::Paste(words));
        end + PASTE_ENDS.len() - before
    }

    /// None for moves and buttons that mean nothing to us.
    fn mouse(&mut self, buttons: u16, up: bool, (x, y): (u16, u16), at: Instant) -> Option<MouseWhat> {
        const SHIFT_ALT_CTRL: u16 = 4 | 8 | 16;
        match buttons & !SHIFT_ALT_CTRL {
            // Without SGR a release does not say of which button.
            0 | 3 if up || buttons & 3 == 3 => Some(MouseWhat::Release),
            0 => {
                let before = self.pressed.replace((at, x, y));
                let again = before.is_some_and(|(then, px, py)| (px, py) == (x, y) && at.duration_since(then) < DOUBLE);
                if again {
                    self.pressed = None;
                }
                Some(if again { MouseWhat::Double } else { MouseWhat::Press })
            }
            32 => Some(MouseWhat::Drag),
            64 => Some(MouseWhat::WheelUp),
            65 => Some(MouseWhat::WheelDown),
            _ => None,
        }
    }
}

fn piece(bytes: &[u8]) -> Piece {
    match bytes {
        [0x1b] | [0x1b, b'O'] => Piece::Cut,
        [0x1b, b'[', body @ ..] => sequence(body),
        [0x1b, kind @ (b']' | b'P' | b'_'), body @ ..] => reply(*kind, body),
        [0x1b, b'O', letter, ..] => match lettered(*letter) {
            Some(code) => key(3, code),
            // Escape and O were pressed.
            None => key(1, Code::Esc),
        },
        [0x1b, ..] => key(1, Code::Esc),
        [byte, ..] => letter(*byte, bytes),
        [] => Piece::Cut,
    }
}

fn key(length: usize, code: Code) -> Piece {
    Piece::Is(length, Some(Event::Key(Chord::plain(code))))
}

fn letter(first: u8, bytes: &[u8]) -> Piece {
    let ctrl = |c: u8| Piece::Is(1, Some(Event::Key(Chord::ctrl(char::from(c)))));
    match first {
        b'\r' => key(1, Code::Enter),
        b'\t' => key(1, Code::Tab),
        0x7f => key(1, Code::Backspace),
        0 => ctrl(b' '),
        0x01..=0x1a => ctrl(first - 1 + b'a'),
        0x1c..=0x1f => ctrl(first - 0x1c + b'4'),
        0x20..=0x7e => key(1, Code::Char(char::from(first))),
        _ => {
            let length = match first {
                0xc2..=0xdf => 2,
                0xe0..=0xef => 3,
                0xf0..=0xf4 => 4,
                _ => return Piece::Is(1, None),
            };
            let here = &bytes[..length.min(bytes.len())];
            match std::str::from_utf8(here) {
                Ok(text) => key(length, Code::Char(text.chars().next().unwrap_or(' '))),
                // Right as far as it goes.
                Err(error) if error.error_len().is_none() && here.len() < length => Piece::Cut,
                Err(_) => Piece::Is(1, None),
            }
        }
    }
}

/// Keys that are named by the letter at the end of their sequence.
fn lettered(letter: u8) -> Option<Code> {
    Some(match letter {
        b'A' => Code::Up,
        b'B' => Code::Down,
        b'C' => Code::Right,
        b'D' => Code::Left,
        b'F' => Code::End,
        b'H' => Code::Home,
        b'M' => Code::Enter,
        b'P'..=b'S' => Code::F(letter - b'P' + 1),
        _ => return None,
    })
}

/// Escape and the letter that says what kind of sequence it is.
const INTRODUCER: usize = 2;

/// OSC, DCS or APC: a text up to BEL or ST. What cannot be in one ends it as well: a control character, and Escape with
/// another sequence.
fn reply(kind: u8, body: &[u8]) -> Piece {
    let Some(first) = body.first() else { return Piece::Cut };
    // Escape and P or `]` were pressed: a reply begins with parameters.
    let begins = match kind {
        b'P' => matches!(first, 0x1b | 0x20..=0x3f),
        b']' => matches!(first, 0x1b | 0x07 | b'0'..=b'9' | b'l' | b'L' | b'I'),
        _ => true,
    };
    if !begins {
        return key(1, Code::Esc);
    }
    let Some(end) = body.iter().position(|byte| *byte < 0x20) else { return Piece::Reply };
    match (body[end], body.get(end + 1)) {
        (0x1b, Some(b'\\')) => Piece::Is(INTRODUCER + end + 2, said(kind, &body[..end])),
        (0x1b, None) => Piece::Reply,
        (0x07, _) => Piece::Is(INTRODUCER + end + 1, said(kind, &body[..end])),
        // Cut off: what follows is read for itself.
        _ => Piece::Is(INTRODUCER + end, None),
    }
}

/// What a whole reply means to us: the color of the background, `11;rgb:2e2e/3434/4040` with one to four digits a part.
fn said(kind: u8, words: &[u8]) -> Option<Event> {
    let words = std::str::from_utf8(words).ok()?.strip_prefix("11;rgb").filter(|_| kind == b']')?;
    let mut parts = words.split_once(':')?.1.split('/').map(|digits| {
        let value = u32::from_str_radix(digits, 16).ok()?;
        let most = 16_u32.checked_pow(u32::try_from(digits.len()).ok()?)?.checked_sub(1).filter(|most| *most > 0)?;
        u8::try_from(value.checked_mul(255)? / most).ok()
    });
    let mut next = || parts.next().flatten();
    Some(Event::Background(Background::of([next()?, next()?, next()?])))
}

/// Whether the end of a reply is among these bytes.
fn ends_a_reply(bytes: &[u8]) -> bool {
    bytes.contains(&0x07) || memchr::memmem::find(bytes, b"\x1b\\").is_some() || bytes == b"\\"
}

/// After `ESC [`: parameters, a letter.
fn sequence(body: &[u8]) -> Piece {
    match body {
        // The console of Linux has its first five keys so.
        [b'[', letter @ b'A'..=b'E', ..] => return key(INTRODUCER + 2, Code::F(letter - b'A' + 1)),
        [b'['] => return Piece::Cut,
        // The mouse without SGR: three bytes.
        [b'M', buttons, x, y, ..] => {
            let [buttons, x, y] = [buttons, x, y].map(|byte| u16::from(byte.saturating_sub(32)));
            return Piece::Is(INTRODUCER + 4, Some(Event::Mouse { buttons, x, y, up: buttons & 3 == 3 }));
        }
        [b'M', ..] => return Piece::Cut,
        _ => {}
    }
    let Some(end) = body.iter().position(|byte| !(0x20..=0x3f).contains(byte)) else { return Piece::Cut };
    match body[end] {
        0x40..=0x7e => Piece::Is(INTRODUCER + end + 1, meaning(&body[..end], body[end])),
        // Escape and `[` were pressed.
        _ if end == 0 => key(1, Code::Esc),
        // Cut off: what follows is read for itself.
        _ => Piece::Is(INTRODUCER + end, None),
    }
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

fn meaning(parameters: &[u8], letter: u8) -> Option<Event> {
    if let [b'<', rest @ ..] = parameters {
        let [[buttons, ..], [x, ..], [y, ..]] =
            numbers(rest).map(|row| row.map(|n| u16::try_from(n).unwrap_or(u16::MAX)));
        return matches!(letter, b'M' | b'm').then_some(Event::Mouse { buttons, x, y, up: letter == b'm' });
    }
    if !parameters.iter().all(|byte| matches!(byte, b'0'..=b'9' | b';' | b':')) {
        // Whether the colors are dark or light now; what else comes so answers questions that lode does not ask.
        return match (parameters, letter) {
            (b"?997;1", b'n') => Some(Event::Background(Background::Dark)),
            (b"?997;2", b'n') => Some(Event::Background(Background::Light)),
            // The flags of the kitty protocol; the first says that the Escape key has a sequence.
            ([b'?', flags @ ..], b'u') => Some(Event::NamesEscape(numbers(flags)[0][0] & 1 == 1)),
            _ => None,
        };
    }
    let [[first, upper, base], [held, happened, _], [third, ..]] = numbers(parameters);
    let code = match letter {
        b'I' | b'O' => return Some(Event::Focused(letter == b'I')),
        b'Z' => Code::BackTab,
        b'~' => match first {
            1 | 7 => Code::Home,
            2 => Code::Insert,
            3 => Code::Delete,
            4 | 8 => Code::End,
            5 => Code::PageUp,
            6 => Code::PageDown,
            11..=15 => Code::F(first as u8 - 10),
            17..=21 => Code::F(first as u8 - 11),
            23..=24 => Code::F(first as u8 - 12),
            27 => return pressed(chorded(numbered(third)?, 0, held), held, 1),
            200 => return Some(Event::Paste),
            _ => return None,
        },
        // What Shift makes of a key that is no letter follows from the keyboard: the terminal names it.
        b'u' if upper != 0 && held == 2 => numbered(upper)?,
        b'u' => {
            let code = chorded(numbered(first)?, base, held);
            let letter = match code {
                Code::Char(sign) => char::from_u32(base).filter(|letter| layout::is_sign_of(sign, *letter)),
                _ => None,
            };
            return match (pressed(code, held, happened)?, letter) {
                (Event::Key(chord), Some(letter)) if !chord.ctrl => Some(Event::Placed(chord, letter)),
                (event, _) => Some(event),
            };
        }
        // With parameters it is the report of where the cursor is.
        b'R' if !parameters.is_empty() => return None,
        letter => lettered(letter)?,
    };
    pressed(code, held, happened)
}

/// Keys that are named by the number of their letter, or by one from the private part of Unicode.
fn numbered(number: u32) -> Option<Code> {
    const KEYPAD: [Code; 10] = [
        Code::Left,
        Code::Right,
        Code::Up,
        Code::Down,
        Code::PageUp,
        Code::PageDown,
        Code::Home,
        Code::End,
        Code::Insert,
        Code::Delete,
    ];
    Some(match number {
        9 => Code::Tab,
        13 | 57_414 => Code::Enter,
        27 => Code::Esc,
        8 | 127 => Code::Backspace,
        57_399..=57_413 => Code::Char(char::from(b"0123456789./*-+"[number as usize - 57_399])),
        57_415 => Code::Char('='),
        57_416 => Code::Char(','),
        57_417..=57_426 => KEYPAD[number as usize - 57_417],
        57_344..=63_743 | 0..=31 => return None,
        number => Code::Char(char::from_u32(number)?),
    })
}

/// The key of a chord with Ctrl. Where a keyboard of another script has no Latin letter, the key of an English keyboard at
/// its place is meant, which the terminal names, or which follows from what the key types.
fn chorded(code: Code, base: u32, held: u32) -> Code {
    const CTRL: u32 = 4;
    match code {
        Code::Char(typed) if !typed.is_ascii_alphabetic() && held.saturating_sub(1) & CTRL != 0 => {
            let named = char::from_u32(base).filter(char::is_ascii_lowercase);
            // On a Hebrew keyboard `w` is an apostrophe.
            let placed = if typed == '\'' { Some('w') } else { layout::latin(typed) };
            named.or(placed).map_or(code, Code::Char)
        }
        code => code,
    }
}

/// A key with what was held beside it. None for releases, and with keys that belong to the window manager.
fn pressed(code: Code, held: u32, happened: u32) -> Option<Event> {
    const SHIFT: u32 = 1;
    const ALT: u32 = 2;
    const CTRL: u32 = 4;
    const SUPER_HYPER_META: u32 = 8 | 16 | 32;
    let held = held.saturating_sub(1);
    if happened == 3 || held & SUPER_HYPER_META != 0 {
        return None;
    }
    let (ctrl, shift) = (held & CTRL != 0, held & SHIFT != 0);
    let code = match code {
        Code::Char(c) if ctrl => Code::Char(c.to_ascii_lowercase()),
        // With unambiguous keys a letter may arrive small together with Shift.
        Code::Char(c) if shift && c.is_lowercase() => Code::Char(c.to_uppercase().next().unwrap_or(c)),
        Code::Tab if shift => Code::BackTab,
        code => code,
    };
    let chord = Chord { code, ctrl };
    Some(if held & ALT != 0 { Event::Escaped(chord) } else { Event::Key(chord) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What some bytes mean, read in pieces of this size.
    fn cut(bytes: &[u8], size: usize) -> String {
        let mut input = Input::default();
        let mut out = Vec::new();
        let start = Instant::now();
        for piece in bytes.chunks(size) {
            input.take(piece, start, &mut out);
        }
        input.paused(start + ESCAPE_WAITS, &mut out);
        let words = out.iter().map(|msg| match msg {
            Msg::Key(chord) => chord.to_string(),
            Msg::Placed(chord, letter) => format!("{chord}={letter}"),
            Msg::Paste(words) => format!("paste {words:?}"),
            Msg::Focused(focused) => format!("focused {focused}"),
            Msg::Background(background) => background.name().to_owned(),
            Msg::Mouse(mouse) => format!("{:?} {},{}", mouse.what, mouse.x, mouse.y),
            other => panic!("{other:?}"),
        });
        words.collect::<Vec<_>>().join(" ")
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
        ("\x1b[I\x1b[O", "focused true focused false"),
        ("\x1b[200~a\x1b[31mb\r\n\x1b[201~c", "paste \"a\\u{1b}[31mb\\r\\n\" c"),
        ("\x1b[<0;4;7M\x1b[<0;4;7m\x1b[<32;5;7M", "Press 3,6 Release 3,6 Drag 4,6"),
        ("\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<4;2;2M\x1b[<2;1;1M", "WheelUp 0,0 WheelDown 0,0 Press 1,1"),
        ("\x1b[M !!\x1b[M#!!\x1b[Ma!!", "Press 0,0 Release 0,0 WheelDown 0,0"),
        ("\x1b[?1u\x1b[?62;22c\x1b[12;40R\x1b[>0;276;0cx", "x"),
        // Where the cursor is, in places that look like F3 with Ctrl; modes; the size.
        ("\x1b[1;1R\x1b[1;5R\x1b[?4;1$y\x1b[48;24;80;0;0tx", "x"),
        ("\x1b]11;rgb:2e2e/3434/4040\x07\x1b]10;rgb:ffff/ffff/ffff\x1b\\x", "dark x"),
        ("\x1b]11;rgb:ff/ff/ff\x07\x1b]11;rgba:eeee/e8e8/d5d5/ffff\x1b\\\x1b]11;nonsense\x07k", "light light k"),
        ("\x1b[?997;1n\x1b[?997;2n\x1b[?997;3nx", "dark light x"),
        ("\x1b]lq U 5 title\x1b\\\x1b]52;c;cVUx\x07x", "x"),
        ("\x1bP>|XTerm(388)\x1b\\\x1bP1$r0m\x1b\\\x1bP1+r544e=787465\x1b\\x", "x"),
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
                let mut input = Input::default();
                let mut whole = Vec::new();
                let now = Instant::now();
                input.take(&bytes[..at], now, &mut whole);
                input.take(&bytes[at..], now, &mut whole);
                let mut once = Vec::new();
                Input::default().take(bytes, now, &mut once);
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
        let mut input = Input::default();
        let mut out = Vec::new();
        let start = Instant::now();
        input.take(b"\x1b]11;rgb:2e2e", start, &mut out);
        input.take(b"/3434/40", start + Duration::from_secs(1), &mut out);
        input.take(b"j", start + Duration::from_secs(4), &mut out);
        assert_eq!(out, [Msg::Key(Chord::char('j'))]);
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
            let mut input = Input::default();
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
            assert_eq!(out, [Msg::Key(Chord::char('q'))], "{begin:?}");
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
            let (mut input, mut out) = (Input::default(), Vec::new());
            let at = next(whole.len() + 1);
            // Also after the Escape byte alone: over a slow line the rest of a reply comes later.
            let (mut now, gap) = (Instant::now(), ESCAPE_WAITS - Duration::from_millis(1));
            for piece in [&whole.as_bytes()[..at], &whole.as_bytes()[at..]] {
                input.take(piece, now, &mut out);
                now += gap;
                input.paused(now, &mut out);
            }
            assert!(out.is_empty(), "{whole:?} cut at {at}: {out:?}");
        }
    }

    #[test]
    fn an_escape_is_the_key_once_nothing_follows() {
        let mut input = Input::default();
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
        let wanted = [Chord::char('x'), Chord::plain(Code::Esc), Chord::char('['), Chord::char('A')];
        assert_eq!(out, wanted.map(Msg::Key));
        // The rest of a sequence that has begun for certain may take its time.
        out.clear();
        input.take(b"\x1b[1;5", start, &mut out);
        input.paused(start + Duration::from_secs(1), &mut out);
        input.take(b"C", start, &mut out);
        assert_eq!(out, [Msg::Key(Chord { code: Code::Right, ctrl: true })]);
    }

    /// Where the terminal has said that its Escape key is a sequence, the byte alone is never that key.
    #[test]
    fn with_the_kitty_protocol_an_escape_byte_waits_for_its_sequence() {
        let late = Duration::from_secs(3600);
        for (reply, waits) in [("\x1b[?5u", true), ("\x1b[?1u", true), ("\x1b[?0u", false), ("\x1b[?4u", false)] {
            let (mut input, mut out, start) = (Input::default(), Vec::new(), Instant::now());
            input.take(reply.as_bytes(), start, &mut out);
            input.take(b"\x1b", start, &mut out);
            input.paused(start + late, &mut out);
            input.take(b"[?62;22c", start + late, &mut out);
            assert_eq!(out.is_empty(), waits, "{reply:?}: {out:?}");
        }
        let (mut input, mut out, start) = (Input::default(), Vec::new(), Instant::now());
        input.take(b"\x1b[?5u\x1b[27u", start, &mut out);
        assert_eq!(out, [Msg::Key(Chord::plain(Code::Esc))], "the key itself is heard at once");
    }

    #[test]
    fn two_presses_on_one_place_are_a_double_click() {
        let mut input = Input::default();
        let start = Instant::now();
        let mut what = |bytes: &[u8], after| {
            let mut out = Vec::new();
            input.take(bytes, start + Duration::from_millis(after), &mut out);
            match out.as_slice() {
                [Msg::Mouse(mouse)] => mouse.what,
                other => panic!("{other:?}"),
            }
        };
        let (one, two): (&[u8], &[u8]) = (b"\x1b[<0;2;4M", b"\x1b[<0;3;4M");
        assert_eq!(what(one, 0), MouseWhat::Press);
        assert_eq!(what(one, 100), MouseWhat::Double);
        assert_eq!(what(one, 200), MouseWhat::Press, "a third one begins again");
        assert_eq!(what(two, 300), MouseWhat::Press);
        assert_eq!(what(two, 900), MouseWhat::Press, "too late");
    }

    #[test]
    fn a_paste_without_end_is_bounded_and_ends_where_it_ends() {
        let mut input = Input::default();
        let mut out = Vec::new();
        let now = Instant::now();
        input.take(b"\x1b[200~", now, &mut out);
        for _ in 0..300 {
            input.take(&[b'x'; 10_000], now, &mut out);
        }
        assert!(out.is_empty());
        input.take(b"\x1b[20", now, &mut out);
        input.take(b"1~q", now, &mut out);
        let [Msg::Paste(words), Msg::Key(key)] = out.as_slice() else { panic!("{}", out.len()) };
        assert_eq!(words.len(), LONGEST_PASTE);
        assert_eq!(*key, Chord::char('q'));
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
            let mut input = Input::default();
            let mut out = Vec::new();
            for _ in 0..next() % 12 {
                input.take(parts[next() % parts.len()], Instant::now(), &mut out);
            }
            input.take(b"\x1b[201~", Instant::now(), &mut out);
            input.take(&[b'z'; 80], Instant::now(), &mut out);
            assert_eq!(out.last(), Some(&Msg::Key(Chord::char('z'))));
            assert!(input.rest.is_empty());
        }
    }
}
