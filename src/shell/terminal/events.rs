//! What the terminal says, as messages of ours.
#![allow(clippy::disallowed_methods)] // Its tests press twice within a moment of the real clock.

use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

use crate::keys::chord::{Chord, Code};
use crate::ui::msg::{Mouse, MouseWhat, Msg};

/// Two presses on the same place within this are a double click.
const DOUBLE: Duration = Duration::from_millis(500);

#[derive(Default)]
pub struct Reader {
    pressed: Option<(Instant, u16, u16)>,
}

impl Reader {
    /// None for what means nothing to us: releases of keys, moves of the mouse. Escape and a key that arrive in one piece
    /// look like that key with Alt; since nothing here uses Alt, they are the two keys that were pressed.
    pub fn read_both(&mut self, event: Event, at: Instant) -> [Option<Msg>; 2] {
        if let Event::Key(key) = event
            && key.kind != KeyEventKind::Release
            && key.modifiers.contains(KeyModifiers::ALT)
        {
            let bare = KeyEvent { modifiers: key.modifiers - KeyModifiers::ALT, ..key };
            return [Some(Msg::Key(Chord::plain(Code::Esc))), chord(bare).map(Msg::Key)];
        }
        [self.read(event, at), None]
    }

    fn read(&mut self, event: Event, at: Instant) -> Option<Msg> {
        match event {
            Event::Key(key) => chord(key).map(Msg::Key),
            Event::Paste(words) => Some(Msg::Paste(words)),
            Event::Resize(width, height) => Some(Msg::Resized { width, height }),
            Event::FocusGained => Some(Msg::Focused(true)),
            Event::FocusLost => Some(Msg::Focused(false)),
            Event::Mouse(mouse) => self.mouse(mouse, at),
        }
    }

    fn mouse(&mut self, mouse: MouseEvent, at: Instant) -> Option<Msg> {
        let (x, y) = (mouse.column, mouse.row);
        let what = match mouse.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let before = self.pressed.replace((at, x, y));
                let again = before.is_some_and(|(then, px, py)| (px, py) == (x, y) && at.duration_since(then) < DOUBLE);
                if again {
                    self.pressed = None;
                    MouseWhat::Double
                } else {
                    MouseWhat::Press
                }
            }
            MouseEventKind::Up(MouseButton::Left) => MouseWhat::Release,
            MouseEventKind::Drag(MouseButton::Left) => MouseWhat::Drag,
            MouseEventKind::ScrollUp => MouseWhat::WheelUp,
            MouseEventKind::ScrollDown => MouseWhat::WheelDown,
            _ => return None,
        };
        Some(Msg::Mouse(Mouse { x, y, what }))
    }
}

fn chord(key: KeyEvent) -> Option<Chord> {
    if key.kind == KeyEventKind::Release || key.modifiers.intersects(KeyModifiers::SUPER | KeyModifiers::META) {
        return None;
    }
    let ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
    let shift = key.modifiers.contains(KeyModifiers::SHIFT);
    let code = match key.code {
        // With unambiguous keys a letter may arrive small together with Shift.
        KeyCode::Char(c) if ctrl => Code::Char(c.to_ascii_lowercase()),
        KeyCode::Char(c) if shift && c.is_lowercase() => Code::Char(c.to_uppercase().next().unwrap_or(c)),
        KeyCode::Char(c) => Code::Char(c),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab if shift => Code::BackTab,
        KeyCode::Tab => Code::Tab,
        KeyCode::BackTab => Code::BackTab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Insert => Code::Insert,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::F(n) => Code::F(n),
        _ => return None,
    };
    Some(Chord { code, ctrl })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(code: KeyCode, modifiers: KeyModifiers) -> Option<String> {
        chord(KeyEvent::new(code, modifiers)).map(|chord| chord.to_string())
    }

    #[test]
    fn keys_have_one_name_whatever_protocol_brought_them() {
        assert_eq!(key(KeyCode::Char('g'), KeyModifiers::SHIFT).as_deref(), Some("G"));
        assert_eq!(key(KeyCode::Char('G'), KeyModifiers::SHIFT).as_deref(), Some("G"));
        assert_eq!(key(KeyCode::Char('D'), KeyModifiers::CONTROL).as_deref(), Some("Ctrl-d"));
        assert_eq!(key(KeyCode::Tab, KeyModifiers::SHIFT).as_deref(), Some("Shift-Tab"));
    }

    #[test]
    fn escape_and_a_key_in_one_piece_are_two_keys() {
        let event = Event::Key(KeyEvent::new(KeyCode::Char('q'), KeyModifiers::ALT));
        let both = Reader::default().read_both(event, Instant::now());
        let wanted = [Chord::plain(Code::Esc), Chord::char('q')].map(|chord| Some(Msg::Key(chord)));
        assert_eq!(both, wanted);
    }

    #[test]
    fn two_presses_on_one_place_are_a_double_click() {
        let press = |x| {
            Event::Mouse(MouseEvent {
                kind: MouseEventKind::Down(MouseButton::Left),
                column: x,
                row: 3,
                modifiers: KeyModifiers::NONE,
            })
        };
        let start = Instant::now();
        let mut reader = Reader::default();
        let what = |msg: Option<Msg>| match msg {
            Some(Msg::Mouse(mouse)) => mouse.what,
            other => panic!("{other:?}"),
        };
        assert_eq!(what(reader.read(press(1), start)), MouseWhat::Press);
        assert_eq!(what(reader.read(press(1), start + Duration::from_millis(200))), MouseWhat::Double);
        assert_eq!(what(reader.read(press(1), start + Duration::from_millis(300))), MouseWhat::Press);
        assert_eq!(what(reader.read(press(2), start + Duration::from_millis(350))), MouseWhat::Press);
    }
}
