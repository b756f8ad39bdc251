//! What is typed: terminal input as messages of the model; in linear mode lines that are read, and what is new printed line by line.
//! Nothing is drawn there and nothing moves.

use super::*;

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
                let is_again = |(then, px, py)| (px, py) == (x, y) && at.duration_since(then) < DOUBLE_CLICK;
                let is_double = self.pressed.is_some_and(is_again);
                self.pressed = (!is_double).then_some((at, x, y));
                if is_double { MouseWhat::Double } else { MouseWhat::Press }
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

pub(super) struct Linear {
    lines: UnboundedReceiver<(String, Now)>,
    /// What was printed last.
    said: HashSet<String>,
    offered: Vec<LinearChoice>,
    wants: Wants,
    hidden: bool,
}

impl Linear {
    /// Reads lines on a thread of its own: a line is read when it is there, however long that takes.
    pub(super) fn listen() -> io::Result<Linear> {
        let (tell, lines) = unbounded_channel();
        std::thread::Builder::new().name("lines".into()).spawn(move || {
            for line in typed_lines() {
                let Ok(line) = line else { break };
                if tell.send((line, clock::now())).is_err() {
                    break;
                }
            }
        })?;
        Ok(Linear { lines, said: HashSet::new(), offered: Vec::new(), wants: Wants::Choice, hidden: false })
    }

    /// The next line, and when it came; `None` once there are no more.
    pub(super) async fn next(&mut self) -> Option<(String, Now)> {
        self.lines.recv().await
    }

    /// Prints what is new.
    pub(super) fn show(&mut self, model: &Model) -> io::Result<()> {
        let page = page(model);
        let is_new = |line: &&String| !self.said.contains(*line);
        let mut out: String = page.lines.iter().filter(is_new).map(|line| format!("{line}\n")).collect();
        self.said = page.lines.into_iter().collect();
        if page.choices != self.offered || page.wants != self.wants {
            (self.offered, self.wants) = (page.choices, page.wants);
            out.push_str(&question(&self.offered, self.wants));
        }
        let hidden = self.wants == Wants::Secret;
        if std::mem::replace(&mut self.hidden, hidden) != hidden {
            echo(!hidden);
        }
        print(&out)
    }

    /// The choices once more.
    pub(super) fn offer(&self) -> io::Result<()> {
        print(&question(&self.offered, self.wants))
    }

    /// What a line means where it was typed.
    pub(super) fn means(&self, model: &Model, line: &str, at: Now) -> Vec<LineAction> {
        means(model, &self.offered, self.wants, line, at)
    }
}

/// What may be answered, one choice a line.
fn question(offered: &[LinearChoice], wants: Wants) -> String {
    let list = |name: fn(usize, &LinearChoice) -> String| -> String {
        offered.iter().enumerate().map(|(at, choice)| format!("{}: {}\n", name(at, choice), choice.words)).collect()
    };
    match wants {
        Wants::Text => "Type the text, then Enter. Ctrl-C cancels.\n".to_owned(),
        Wants::Secret => "Type or paste it, then Enter; it is not shown. Ctrl-C cancels.\n".to_owned(),
        Wants::Amount => list(|_, choice| key_of(choice)) + "Type the amount, or one of these keys. 0 goes back.\n",
        Wants::Choice if offered.is_empty() => String::new(),
        Wants::Choice => list(|at, _| (at + 1).to_string()) + "Type a number.\n",
    }
}

impl Drop for Linear {
    fn drop(&mut self) {
        if self.hidden {
            echo(true);
        }
    }
}

pub(super) fn print(words: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(words.as_bytes())?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use crossterm::event::KeyModifiers;

    use super::*;

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
