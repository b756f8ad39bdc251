//! A key with its modifiers, as a value that can be written and read: `Ctrl-d`, `Shift-Tab`, `Space`, `G`.
//!
//! Alt has no place here: the Escape key and Alt arrive as the same bytes, so a chord with Alt is never made.

use std::fmt;
use std::str::FromStr;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Code {
    Char(char),
    Enter,
    Esc,
    Tab,
    BackTab,
    Backspace,
    Delete,
    Insert,
    Home,
    End,
    PageUp,
    PageDown,
    Up,
    Down,
    Left,
    Right,
    F(u8),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chord {
    pub code: Code,
    pub ctrl: bool,
}

impl Chord {
    pub const fn plain(code: Code) -> Chord {
        Chord { code, ctrl: false }
    }

    pub const fn char(c: char) -> Chord {
        Chord::plain(Code::Char(c))
    }

    pub const fn ctrl(c: char) -> Chord {
        Chord { code: Code::Char(c), ctrl: true }
    }
}

const NAMED: &[(&str, Code)] = &[
    ("Space", Code::Char(' ')),
    ("Enter", Code::Enter),
    ("Esc", Code::Esc),
    ("Tab", Code::Tab),
    ("Shift-Tab", Code::BackTab),
    ("Backspace", Code::Backspace),
    ("Del", Code::Delete),
    ("Ins", Code::Insert),
    ("Home", Code::Home),
    ("End", Code::End),
    ("PgUp", Code::PageUp),
    ("PgDn", Code::PageDown),
    ("Up", Code::Up),
    ("Down", Code::Down),
    ("Left", Code::Left),
    ("Right", Code::Right),
];

impl fmt::Display for Chord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("Ctrl-")?;
        }
        if let Some((name, _)) = NAMED.iter().find(|(_, code)| *code == self.code) {
            return f.write_str(name);
        }
        match self.code {
            Code::Char(c) => write!(f, "{c}"),
            Code::F(n) => write!(f, "F{n}"),
            _ => unreachable!("every other code has its name"),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadChord {
    #[error("`{0}` is not a key: write it like Ctrl-d, PgDn, Space, F5 or a letter")]
    Unreadable(String),
    #[error("`{0}` cannot be used: {1}")]
    Reserved(String, &'static str),
}

/// Keys that never arrive, or arrive as another key. `Ctrl-c` and `Ctrl-z` are not here: lode binds them, and they are fixed.
fn reserved(chord: Chord) -> Option<&'static str> {
    match chord {
        Chord { code: Code::Char('s' | 'q'), ctrl: true } => Some("terminals use it to stop and start the output"),
        Chord { code: Code::Char('h'), ctrl: true } => Some("it is the same byte as Backspace"),
        Chord { code: Code::Char('i'), ctrl: true } => Some("it is the same byte as Tab"),
        Chord { code: Code::Char('m' | 'j'), ctrl: true } => Some("it is the same byte as Enter"),
        Chord { code: Code::Char('b'), ctrl: true } => Some("tmux takes it"),
        Chord { code: Code::F(1 | 10 | 11), .. } => Some("terminals open their menu with it"),
        _ => None,
    }
}

impl FromStr for Chord {
    type Err = BadChord;

    fn from_str(text: &str) -> Result<Chord, BadChord> {
        let unreadable = || BadChord::Unreadable(text.to_owned());
        let (ctrl, rest) = match text.strip_prefix("Ctrl-") {
            Some(rest) if !rest.is_empty() => (true, rest),
            _ => (false, text),
        };
        let named = NAMED.iter().find(|(name, _)| name.eq_ignore_ascii_case(rest)).map(|(_, code)| *code);
        let code = match (named, rest.strip_prefix('F').and_then(|n| n.parse::<u8>().ok())) {
            (Some(code), _) => code,
            (None, Some(n)) if (1..=24).contains(&n) => Code::F(n),
            _ => {
                let mut chars = rest.chars();
                let only = chars.next().filter(|c| !c.is_control()).ok_or_else(unreadable)?;
                if chars.next().is_some() {
                    return Err(unreadable());
                }
                Code::Char(if ctrl { only.to_ascii_lowercase() } else { only })
            }
        };
        let chord = Chord { code, ctrl };
        match reserved(chord) {
            Some(why) => Err(BadChord::Reserved(text.to_owned(), why)),
            None => Ok(chord),
        }
    }
}

/// Chords one after the other, separated by blanks: `g s`.
pub fn read_sequence(text: &str) -> Result<Vec<Chord>, BadChord> {
    let chords: Vec<Chord> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
    if chords.is_empty() { Err(BadChord::Unreadable(text.to_owned())) } else { Ok(chords) }
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
            assert_eq!(text.parse::<Chord>().map(|chord| chord.to_string()).as_deref(), Ok(text));
        }
        assert_eq!(sequence_text(&read_sequence("g  s").unwrap()), "g s");
    }

    #[test]
    fn keys_that_never_arrive_are_refused_with_the_reason() {
        for text in ["Ctrl-s", "Ctrl-q", "Ctrl-h", "Ctrl-i", "Ctrl-m", "Ctrl-b", "F1", "F10", "F11"] {
            assert!(matches!(text.parse::<Chord>(), Err(BadChord::Reserved(..))), "{text}");
        }
        for text in ["", "Ctrl-", "Alt-x", "F99", "two", "\u{7}"] {
            assert!(matches!(text.parse::<Chord>(), Err(BadChord::Unreadable(_))), "{text}");
        }
    }
}
