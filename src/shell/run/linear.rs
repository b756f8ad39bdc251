//! Linear mode: lines in, lines out. Nothing is drawn and nothing moves: what is new is printed, what is typed is a line.

use std::collections::HashSet;
use std::io::{self, BufRead, Write};
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::domain::time::Now;
use crate::keys::chord::{Chord, Code, read_sequence};
use crate::keys::keymap::Resolved;
use crate::shell::clock;
use crate::shell::system::terminal::echo;
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::money::DELIBERATE;
use crate::ui::linear::{Choice, Does, Wants, key_of, page};
use crate::ui::model::{Model, facts};
use crate::ui::msg::Msg;

/// What a typed line leads to.
pub(super) enum Step {
    Do(Box<Msg>),
    /// As long as a hand needs.
    Rest(Duration),
    Say(String),
}

pub(super) struct Linear {
    lines: UnboundedReceiver<(String, Now)>,
    /// What was printed last.
    said: HashSet<String>,
    offered: Vec<Choice>,
    wants: Wants,
    hidden: bool,
}

impl Linear {
    /// Reads lines on a thread of its own: a line is read when it is there, however long that takes.
    pub(super) fn listen() -> io::Result<Linear> {
        let (tell, lines) = unbounded_channel();
        std::thread::Builder::new().name("lines".into()).spawn(move || {
            for line in io::stdin().lock().lines() {
                let Ok(line) = line else { break };
                if tell.send((line, clock::now())).is_err() {
                    break;
                }
            }
        })?;
        Ok(Linear { lines, said: HashSet::new(), offered: Vec::new(), wants: Wants::Choice, hidden: false })
    }

    /// The next line, and when it came; `None` once there are no more.
    pub(super) async fn next(linear: &mut Option<Linear>) -> Option<(String, Now)> {
        match linear {
            Some(linear) => linear.lines.recv().await,
            None => std::future::pending().await,
        }
    }

    /// Prints what is new.
    pub(super) fn show(&mut self, model: &Model) -> io::Result<()> {
        let page = page(model);
        let mut out = String::new();
        for line in page.lines.iter().filter(|line| !self.said.contains(*line)) {
            out.push_str(line);
            out.push('\n');
        }
        self.said = page.lines.into_iter().collect();
        if page.choices != self.offered || page.wants != self.wants {
            self.offered = page.choices;
            self.wants = page.wants;
            out.push_str(&self.question());
        }
        let hidden = self.wants == Wants::Secret;
        if hidden != self.hidden {
            self.hidden = hidden;
            echo(!hidden);
        }
        print(&out)
    }

    /// What may be answered, one choice a line.
    fn question(&self) -> String {
        let mut out = String::new();
        match self.wants {
            Wants::Text => return "Type the text, then Enter. Ctrl-C cancels.\n".to_owned(),
            Wants::Secret => return "Type or paste it, then Enter; it is not shown. Ctrl-C cancels.\n".to_owned(),
            Wants::Amount => {
                for choice in &self.offered {
                    out.push_str(&format!("{}: {}\n", key_of(choice), choice.words));
                }
                out.push_str("Type the amount, or one of these keys. 0 goes back.\n");
            }
            Wants::Choice if self.offered.is_empty() => {}
            Wants::Choice => {
                for (at, choice) in self.offered.iter().enumerate() {
                    out.push_str(&format!("{}: {}\n", at + 1, choice.words));
                }
                out.push_str("Type a number.\n");
            }
        }
        out
    }

    /// What a line means where it was typed.
    pub(super) fn means(&mut self, model: &Model, line: &str, at: Now) -> Vec<Step> {
        let typed = line.trim();
        match self.wants {
            Wants::Text | Wants::Secret => {
                let text = if typed.is_empty() {
                    Vec::new()
                } else {
                    vec![key(Chord::ctrl('e')), key(Chord::ctrl('u')), paste(typed)]
                };
                text.into_iter().chain([enter()]).collect()
            }
            Wants::Amount => amount(model, typed, at).unwrap_or_else(|| self.chosen(model, typed)),
            Wants::Choice => {
                match typed.parse::<usize>().ok().and_then(|number| self.offered.get(number.checked_sub(1)?)) {
                    Some(choice) => match &choice.does {
                        Does::Keys(keys) => keys.iter().map(|chord| key(*chord)).collect(),
                        Does::Answer(at) => vec![Step::Do(Box::new(Msg::Chosen(*at)))],
                    },
                    None => self.chosen(model, typed),
                }
            }
        }
    }

    /// Anything but a number: keys, `/words` for the main field, `:words` for a command, words for the list that is open.
    fn chosen(&mut self, model: &Model, typed: &str) -> Vec<Step> {
        if matches!(model.nav.top(), Some(Dialog::Picker(_))) && !typed.is_empty() {
            return vec![key(Chord::ctrl('u')), paste(typed), enter()];
        }
        if let Some(rest) = typed.strip_prefix(['/', ':']).filter(|rest| !rest.trim().is_empty()) {
            let first = typed.chars().next().unwrap_or(':');
            return vec![key(Chord::char(first)), paste(rest.trim()), enter()];
        }
        let contexts = facts::chain_of(model);
        if let Ok(chords) = read_sequence(typed)
            && let Some((last, before)) = chords.split_last()
            && matches!(model.keymap.resolve(contexts, before, *last), Resolved::Command(_))
        {
            return chords.into_iter().map(key).collect();
        }
        // An empty line reads the choices again.
        let again = self.question();
        let words = if typed.is_empty() { again } else { format!("`{typed}` is not one of the choices.\n{again}") };
        vec![Step::Say(words)]
    }
}

impl Drop for Linear {
    fn drop(&mut self) {
        if self.hidden {
            echo(true);
        }
    }
}

/// A number under a review: each digit as it is typed, then Enter as late as a hand would press it. A number from before the
/// review was printed is no answer to it.
fn amount(model: &Model, typed: &str, at: Now) -> Option<Vec<Step>> {
    let Some(Dialog::Money(money)) = model.nav.top() else { return None };
    if typed == "0" {
        return Some(vec![key(Chord::plain(Code::Esc))]);
    }
    if typed.is_empty() || !typed.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    if !money.hears(at) {
        return Some(vec![Step::Say(
            "That came before the review was printed. Read it, then type the amount.\n".to_owned(),
        )]);
    }
    let clear = money.typed.chars().map(|_| Chord::plain(Code::Backspace));
    let digits = clear.chain(typed.chars().map(Chord::char)).map(key);
    Some(digits.chain([Step::Rest(DELIBERATE), enter()]).collect())
}

fn key(chord: Chord) -> Step {
    Step::Do(Box::new(Msg::Key(chord)))
}

fn paste(words: &str) -> Step {
    Step::Do(Box::new(Msg::Paste(words.to_owned())))
}

fn enter() -> Step {
    key(Chord::plain(Code::Enter))
}

pub(super) fn print(words: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(words.as_bytes())?;
    out.flush()
}
