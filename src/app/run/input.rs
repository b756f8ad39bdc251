//! Turns terminal input into messages of the model.

use std::time::{Duration, Instant};

use crossterm::event::{Event, MouseButton, MouseEvent, MouseEventKind};

use lode_host::terminal::input::{Input, TerminalReply};
use lode_ui::msg::{Mouse, MouseWhat, Msg};

/// Two presses on the same place within this are a double click.
const DOUBLE_CLICK: Duration = Duration::from_millis(500);

#[derive(Default)]
pub struct Translator {
    pressed: Option<(Instant, u16, u16)>,
}

impl Translator {
    /// The message of an input; none for what has no meaning here.
    pub fn message(&mut self, input: Input, at: Instant) -> Option<Msg> {
        Some(match input {
            Input::Event(Event::Key(event)) => Msg::Key(event.into()),
            Input::Placed(event, letter) => Msg::Placed(event.into(), letter),
            Input::Event(Event::Paste(words)) => Msg::Paste(words),
            Input::Event(Event::Mouse(event)) => Msg::Mouse(self.mouse(event, at)?),
            Input::Event(Event::FocusGained) => Msg::Focused(true),
            Input::Event(Event::FocusLost) => Msg::Focused(false),
            // The size is asked for when the signal comes.
            Input::Event(Event::Resize(..)) => return None,
            Input::Reply(TerminalReply::Background(rgb)) => Msg::Background(rgb),
            // Which dark or light it is now, it does not say.
            Input::Reply(TerminalReply::ColorScheme { dark }) => Msg::Background([if dark { 0 } else { 255 }; 3]),
            // They say what the painter may use.
            Input::Reply(_) => return None,
        })
    }

    fn mouse(&mut self, event: MouseEvent, at: Instant) -> Option<Mouse> {
        let (x, y) = (event.column, event.row);
        let what = match event.kind {
            MouseEventKind::Down(MouseButton::Left) => {
                let before = self.pressed.replace((at, x, y));
                let again =
                    before.is_some_and(|(then, px, py)| (px, py) == (x, y) && at.duration_since(then) < DOUBLE_CLICK);
                if again {
                    self.pressed = None;
                }
                if again { MouseWhat::Double } else { MouseWhat::Press }
            }
            MouseEventKind::Down(MouseButton::Right) => MouseWhat::Menu,
            MouseEventKind::Drag(MouseButton::Left) => MouseWhat::Drag,
            MouseEventKind::Up(MouseButton::Left) => MouseWhat::Release,
            MouseEventKind::ScrollUp => MouseWhat::WheelUp,
            MouseEventKind::ScrollDown => MouseWhat::WheelDown,
            _ => return None,
        };
        Some(Mouse { x, y, what })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossterm::event::KeyModifiers;

    #[test]
    fn two_presses_on_one_place_are_a_double_click() {
        let mut translator = Translator::default();
        let start = Instant::now();
        let mut what = |column, after| {
            let kind = MouseEventKind::Down(MouseButton::Left);
            let event = MouseEvent { kind, column, row: 3, modifiers: KeyModifiers::NONE };
            match translator.message(Input::Event(Event::Mouse(event)), start + Duration::from_millis(after)) {
                Some(Msg::Mouse(mouse)) => mouse.what,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(what(1, 0), MouseWhat::Press);
        assert_eq!(what(1, 100), MouseWhat::Double);
        assert_eq!(what(1, 200), MouseWhat::Press, "a third one begins again");
        assert_eq!(what(2, 300), MouseWhat::Press);
        assert_eq!(what(2, 900), MouseWhat::Press, "too late");
    }
}
