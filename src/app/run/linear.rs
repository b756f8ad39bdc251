//! Linear mode: prints what is new line by line and reads typed lines. Nothing is drawn and nothing moves.

use std::collections::HashSet;
use std::io::{self, Write};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use lode_core::Now;
use lode_host::clock;
use lode_host::system::terminal::{echo, typed_lines};
use lode_ui::linear::{LineAction, LinearChoice, Wants, key_of, means, page};
use lode_ui::model::Model;

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
        let mut out = String::new();
        for line in page.lines.iter().filter(|line| !self.said.contains(*line)) {
            out.push_str(line);
            out.push('\n');
        }
        self.said = page.lines.into_iter().collect();
        if page.choices != self.offered || page.wants != self.wants {
            self.offered = page.choices;
            self.wants = page.wants;
            out.push_str(&question(&self.offered, self.wants));
        }
        let hidden = self.wants == Wants::Secret;
        if hidden != self.hidden {
            self.hidden = hidden;
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
    let mut out = String::new();
    match wants {
        Wants::Text => return "Type the text, then Enter. Ctrl-C cancels.\n".to_owned(),
        Wants::Secret => return "Type or paste it, then Enter; it is not shown. Ctrl-C cancels.\n".to_owned(),
        Wants::Amount => {
            for choice in offered {
                out.push_str(&format!("{}: {}\n", key_of(choice), choice.words));
            }
            out.push_str("Type the amount, or one of these keys. 0 goes back.\n");
        }
        Wants::Choice if offered.is_empty() => {}
        Wants::Choice => {
            for (at, choice) in offered.iter().enumerate() {
                out.push_str(&format!("{}: {}\n", at + 1, choice.words));
            }
            out.push_str("Type a number.\n");
        }
    }
    out
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
