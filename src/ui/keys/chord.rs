//! A key with its modifiers, as a value that can be written and read: `Ctrl-d`, `Shift-Tab`, `Space`, `G`.
//!
//! Alt has no place here: the Escape key and Alt arrive as the same bytes, so a chord with Alt is never made.

use std::{fmt, str::FromStr};

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use lode_core::keyboard;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chord {
    pub code: KeyCode,
    pub modifiers: KeyModifiers,
}

impl Chord {
    pub const fn plain(code: KeyCode) -> Chord {
        Chord { code, modifiers: KeyModifiers::NONE }
    }

    pub const fn char(c: char) -> Chord {
        Chord::plain(KeyCode::Char(c))
    }

    pub const fn ctrl(c: char) -> Chord {
        Chord { code: KeyCode::Char(c), modifiers: KeyModifiers::CONTROL }
    }

    /// The letter of a key that is pressed without Ctrl.
    pub fn letter(self) -> Option<char> {
        match self.code {
            KeyCode::Char(c) if !self.has_ctrl() => Some(c),
            _ => None,
        }
    }

    /// The chord of an English keyboard at the same place.
    pub fn english(self) -> Option<Chord> {
        match self.code {
            KeyCode::Char(letter) => keyboard::latin(letter).map(|key| Chord { code: KeyCode::Char(key), ..self }),
            _ => None,
        }
    }

    fn has_ctrl(self) -> bool {
        self.modifiers.contains(KeyModifiers::CONTROL)
    }
}

/// Shift is in the letter itself, or in `BackTab`.
impl From<KeyEvent> for Chord {
    fn from(event: KeyEvent) -> Chord {
        Chord { code: event.code, modifiers: event.modifiers & KeyModifiers::CONTROL }
    }
}

const NAMED: &[(&str, KeyCode)] = &[
    ("Space", KeyCode::Char(' ')),
    ("Enter", KeyCode::Enter),
    ("Esc", KeyCode::Esc),
    ("Tab", KeyCode::Tab),
    ("Shift-Tab", KeyCode::BackTab),
    ("Backspace", KeyCode::Backspace),
    ("Del", KeyCode::Delete),
    ("Ins", KeyCode::Insert),
    ("Home", KeyCode::Home),
    ("End", KeyCode::End),
    ("PgUp", KeyCode::PageUp),
    ("PgDn", KeyCode::PageDown),
    ("Up", KeyCode::Up),
    ("Down", KeyCode::Down),
    ("Left", KeyCode::Left),
    ("Right", KeyCode::Right),
];

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.has_ctrl() {
            f.write_str("Ctrl-")?;
        }
        match (NAMED.iter().find(|(_, code)| *code == self.code), self.code) {
            (Some((name, _)), _) => f.write_str(name),
            (None, KeyCode::Char(c)) => write!(f, "{c}"),
            (None, KeyCode::F(n)) => write!(f, "F{n}"),
            (None, code) => write!(f, "{code}"),
        }
    }
}

fn unreadable(text: &str) -> String {
    format!("`{text}` is not a key: write it like Ctrl-d, PgDn, Space, F5 or a letter")
}

/// Keys that never arrive, or arrive as another key. `Ctrl-c` and `Ctrl-z` are not here: lode binds them, and they are fixed.
fn reserved(chord: Chord) -> Option<&'static str> {
    match (chord.code, chord.has_ctrl()) {
        (KeyCode::Char('s' | 'q'), true) => Some("terminals use it to stop and start the output"),
        (KeyCode::Char('h'), true) => Some("it is the same byte as Backspace"),
        (KeyCode::Char('i'), true) => Some("it is the same byte as Tab"),
        (KeyCode::Char('m' | 'j'), true) => Some("it is the same byte as Enter"),
        (KeyCode::Char('b'), true) => Some("tmux takes it"),
        (KeyCode::F(1 | 10 | 11), _) => Some("terminals open their menu with it"),
        _ => None,
    }
}

impl FromStr for Chord {
    type Err = String;

    fn from_str(text: &str) -> Result<Chord, String> {
        let after = text.strip_prefix("Ctrl-").filter(|rest| !rest.is_empty());
        let (ctrl, rest) = (after.is_some(), after.unwrap_or(text));
        let named = NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest)).map(|(_, code)| *code);
        let function = || rest.strip_prefix('F')?.parse().ok().filter(|n| (1..=24).contains(n)).map(KeyCode::F);
        let letter = || rest.parse().ok().filter(|letter: &char| !letter.is_control());
        let letter = || letter().map(|letter| KeyCode::Char(if ctrl { letter.to_ascii_lowercase() } else { letter }));
        let code = named.or_else(function).or_else(letter).ok_or_else(|| unreadable(text))?;
        let modifiers = if ctrl { KeyModifiers::CONTROL } else { KeyModifiers::NONE };
        let chord = Chord { code, modifiers };
        reserved(chord).map_or(Ok(chord), |why| Err(format!("`{text}` cannot be used: {why}")))
    }
}

/// Chords one after the other, separated by blanks: `g s`.
pub fn read_sequence(text: &str) -> Result<Vec<Chord>, String> {
    let chords: Vec<Chord> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    if chords.is_empty() { Err(unreadable(text)) } else { Ok(chords) }
}

pub fn sequence_text(chords: &[Chord]) -> String {
    chords.iter().map(ToString::to_string).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        for text in ["Ctrl-d", "Space", "Shift-Tab", "G", "$", "-", "F12", "PgDn", "ü", "Ctrl-Space", "Ctrl-PgUp"] {
            assert_eq!(text.parse::<Chord>().unwrap().to_string(), text);
        }
        assert_eq!(sequence_text(&read_sequence("g  s").unwrap()), "g s");
    }

    #[test]
    fn keys_that_never_arrive_are_refused_with_the_reason() {
        for text in ["Ctrl-s", "Ctrl-q", "Ctrl-h", "Ctrl-i", "Ctrl-m", "Ctrl-b", "F1", "F10", "F11"] {
            assert!(text.parse::<Chord>().is_err_and(|words| words.contains(" cannot be used: ")), "{text}");
        }
        for text in ["", "Ctrl-", "Alt-x", "F99", "two", "\u{7}"] {
            assert_eq!(text.parse::<Chord>(), Err(unreadable(text)));
        }
    }
}
