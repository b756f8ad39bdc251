//! What happens at the console, as the bytes in which a terminal would tell it: so one reader serves both.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};

/// A console does not say what was pasted: its letters come like typed ones, but all at once. So many in one piece are a
/// paste.
const PASTED: usize = 8;

/// Everything that was there at once.
pub(super) fn encode(events: &[Event], out: &mut Vec<u8>) {
    let mut rest = events;
    while let Some(first) = rest.first() {
        let text: String = rest.iter().map_while(typed).collect();
        let count = rest.iter().take_while(|event| typed(event).is_some()).count();
        let letters = text.chars().count();
        if letters >= PASTED {
            out.extend_from_slice(b"\x1b[200~");
            out.extend_from_slice(text.as_bytes());
            out.extend_from_slice(b"\x1b[201~");
            rest = &rest[count..];
            continue;
        }
        one(first, out);
        rest = &rest[1..];
    }
}

/// What an event adds to a text: nothing for a key release, none if it is not a letter.
fn typed(event: &Event) -> Option<String> {
    let Event::Key(key) = event else { return None };
    if key.kind == KeyEventKind::Release {
        return Some(String::new());
    }
    let plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
    match key.code {
        KeyCode::Char(c) if plain => Some(c.to_string()),
        KeyCode::Enter if plain => Some("\n".to_owned()),
        KeyCode::Tab if plain => Some("\t".to_owned()),
        _ => None,
    }
}

fn one(event: &Event, out: &mut Vec<u8>) {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => pressed(*key, out),
        Event::Mouse(mouse) => clicked(*mouse, out),
        Event::FocusGained => out.extend_from_slice(b"\x1b[I"),
        Event::FocusLost => out.extend_from_slice(b"\x1b[O"),
        _ => {}
    }
}

fn pressed(key: KeyEvent, out: &mut Vec<u8>) {
    let held = |modifier, weight: u8| if key.modifiers.contains(modifier) { weight } else { 0 };
    let modifiers = 1 + held(KeyModifiers::SHIFT, 1) + held(KeyModifiers::ALT, 2) + held(KeyModifiers::CONTROL, 4);
    let numbered = |number: u32| format!("\x1b[{number};{modifiers}u");
    let lettered = |letter: char| format!("\x1b[1;{modifiers}{letter}");
    let tilde = |number: u8| format!("\x1b[{number};{modifiers}~");
    let text = match key.code {
        // Shift is in the letter already.
        KeyCode::Char(c) if modifiers <= 2 => c.to_string(),
        KeyCode::Char(c) => numbered(u32::from(c)),
        KeyCode::Enter => numbered(13),
        KeyCode::Tab => numbered(9),
        KeyCode::BackTab => "\x1b[Z".to_owned(),
        KeyCode::Esc => numbered(27),
        KeyCode::Backspace => numbered(127),
        KeyCode::Up => lettered('A'),
        KeyCode::Down => lettered('B'),
        KeyCode::Right => lettered('C'),
        KeyCode::Left => lettered('D'),
        KeyCode::Home => lettered('H'),
        KeyCode::End => lettered('F'),
        KeyCode::Insert => tilde(2),
        KeyCode::Delete => tilde(3),
        KeyCode::PageUp => tilde(5),
        KeyCode::PageDown => tilde(6),
        KeyCode::F(number @ 1..=5) => tilde(number + 10),
        KeyCode::F(number @ 6..=10) => tilde(number + 11),
        KeyCode::F(number @ 11..=12) => tilde(number + 12),
        _ => return,
    };
    out.extend_from_slice(text.as_bytes());
}

fn clicked(mouse: MouseEvent, out: &mut Vec<u8>) {
    let number = |button| match button {
        MouseButton::Left => 0,
        MouseButton::Middle => 1,
        MouseButton::Right => 2,
    };
    let (what, last) = match mouse.kind {
        MouseEventKind::Down(button) => (number(button), 'M'),
        MouseEventKind::Up(button) => (number(button), 'm'),
        MouseEventKind::Drag(button) => (32 + number(button), 'M'),
        MouseEventKind::ScrollUp => (64, 'M'),
        MouseEventKind::ScrollDown => (65, 'M'),
        _ => return,
    };
    let held = |modifier, weight: u16| if mouse.modifiers.contains(modifier) { weight } else { 0 };
    let buttons = what + held(KeyModifiers::SHIFT, 4) + held(KeyModifiers::ALT, 8) + held(KeyModifiers::CONTROL, 16);
    let (x, y) = (u32::from(mouse.column) + 1, u32::from(mouse.row) + 1);
    out.extend_from_slice(format!("\x1b[<{buttons};{x};{y}{last}").as_bytes());
}
