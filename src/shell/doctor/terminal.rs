//! The terminal as lode will use it: its name, its size, the colours, and whether it tells every key from every other.
#![allow(clippy::disallowed_methods)] // The environment and the terminal are asked.

use std::io::{self, IsTerminal, Write};

use rustix::termios::{OptionalActions, SpecialCodeIndex, tcgetattr, tcsetattr};

use super::super::terminal::colours::Depth;
use super::{Grade, Report};

pub(super) fn examine(report: &mut Report) {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let mut words = set("TERM").unwrap_or_else(|| "TERM is not set".to_owned());
    for (name, said) in [("TMUX", "in tmux"), ("STY", "in screen"), ("SSH_CONNECTION", "over SSH")] {
        if set(name).is_some() {
            words.push_str(&format!(", {said}"));
        }
    }
    let here = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if here && let Ok(size) = rustix::termios::tcgetwinsize(std::io::stdout()) {
        words.push_str(&format!(", {}×{}", size.ws_col, size.ws_row));
    }
    report.say(Grade::Fine, "terminal", words);
    let variable = |name: &str| set(name).unwrap_or_default();
    let (no_color, term) = (set("NO_COLOR").is_some(), variable("TERM"));
    let depth = Depth::of(no_color, &variable("COLORTERM"), &term);
    report.say(Grade::Fine, "colours", colours(depth, no_color));
    if here {
        report.say(Grade::Fine, "keyboard", keyboard());
    }
}

fn colours(depth: Depth, no_color: bool) -> &'static str {
    match depth {
        Depth::None if no_color => "none, as NO_COLOR asks",
        Depth::None => "none",
        Depth::Sixteen => "the terminal's own sixteen",
        Depth::Palette => "256",
        Depth::True => "all of them",
    }
}

/// The screen sends no question and works with either answer; here somebody wants to know.
fn keyboard() -> &'static str {
    match asked() {
        Ok(answer) if answer.contains('u') => "the kitty protocol: Esc and Ctrl keys are told apart at once",
        Ok(answer) if answer.contains('c') => "the usual one: Esc is told from what follows it by a moment",
        Ok(_) | Err(_) => "the terminal did not say; the usual one always works",
    }
}

/// What the terminal answers when asked for its keyboard protocol and, as every terminal knows that one, for what it is.
fn asked() -> io::Result<String> {
    let (input, mut out) = (io::stdin(), io::stdout());
    let before = tcgetattr(&input)?;
    let mut raw = before.clone();
    raw.make_raw();
    // A read ends by itself when nothing comes for so many tenths of a second.
    raw.special_codes[SpecialCodeIndex::VMIN] = 0;
    raw.special_codes[SpecialCodeIndex::VTIME] = 5;
    tcsetattr(&input, OptionalActions::Now, &raw)?;
    let mut answer = Vec::new();
    let read = out.write_all(b"\x1b[?u\x1b[c").and_then(|()| out.flush()).and_then(|()| {
        let mut bytes = [0; 64];
        while !answer.ends_with(b"c") && answer.len() < 256 {
            match rustix::io::read(&input, &mut bytes)? {
                0 => break,
                read => answer.extend_from_slice(&bytes[..read]),
            }
        }
        Ok(())
    });
    tcsetattr(&input, OptionalActions::Now, &before)?;
    read.map(|()| String::from_utf8_lossy(&answer).into_owned())
}
