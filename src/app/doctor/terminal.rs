//! The terminal as lode will use it: its name, size and colors, whether it can tell all keys apart, and what it answers.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use super::Report;
use lode_host::config::file::Config;
use lode_host::system::MISSING;
use lode_host::system::terminal::{USUAL_TERM, ask, size_of_output};
use lode_host::terminal::capabilities::Capabilities;
use lode_host::terminal::colors::Depth;
use lode_host::terminal::input::{Input, Parser};

/// For a terminal that answers late, as over a slow line: an answer after the end would be typed into the shell.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);

pub(super) fn examine(report: &mut Report, config: &Config) {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let term = set("TERM").unwrap_or_else(|| USUAL_TERM.to_owned());
    let mut words = if term.is_empty() { "TERM is not set".to_owned() } else { term.clone() };
    for (name, said) in [("TMUX", "in tmux"), ("STY", "in screen"), ("SSH_CONNECTION", "over SSH")] {
        if set(name).is_some() {
            words.push_str(&format!(", {said}"));
        }
    }
    let here = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if here && let Some((columns, rows)) = size_of_output() {
        words.push_str(&format!(", {}×{}", columns, rows));
    }
    report.fine("terminal", words);
    let variable = |name: &str| set(name).unwrap_or_default();
    if here && !matches!(term.as_str(), "" | "dumb") {
        let program = variable("TERM_PROGRAM");
        let answers = asked(Capabilities::new(term.clone(), program, config.avoid.clone()));
        answers.into_iter().for_each(|words| report.fine("terminal", words));
    }
    let no_color = set("NO_COLOR").is_some();
    let depth = Depth::of(no_color, &variable("COLORTERM"), &term);
    report.fine("colors", colors(depth, no_color));
    report.fine("keyboard", keyboard(&term, set));
    let linear = config.linear == Some(true);
    let asked = set("LODE_LINEAR").is_some_and(|value| value != "0");
    report.fine("linear mode", linear_mode(asked, linear, &term));
    for words in MISSING {
        report.note("system", *words);
    }
}

/// What the terminal answers to the questions that the screen asks, on the screen that full-screen programs use.
fn asked(mut capabilities: Capabilities) -> Vec<String> {
    let questions = [b"\x1b[?1049h", &capabilities.ask(Instant::now())[..], b"\x1b[?1049l"].concat();
    let (mut parser, mut heard) = (Parser::default(), Vec::new());
    let is_asked = ask(&questions, ANSWERS_WITHIN, |bytes| {
        parser.take(bytes, Instant::now(), &mut heard);
        for input in heard.drain(..) {
            if let Input::Reply(reply) = &input {
                capabilities.take(reply);
            }
        }
        capabilities.answers_end().is_none()
    });
    if is_asked {
        capabilities.report()
    } else {
        vec!["lode did not ask what it can do, because something was typed ahead".to_owned()]
    }
}

/// Whether the screen is lines, and when it had better be.
fn linear_mode(asked: bool, set: bool, term: &str) -> &'static str {
    match (asked, set, term) {
        (true, ..) => "on: LODE_LINEAR is set",
        (_, true, _) => "on: `linear = true` in the settings",
        (_, _, "" | "dumb") => "off; this terminal draws no screens, so use `lode --linear`",
        _ => "off; `lode --linear` prints lines instead of a screen, for screen readers and logs",
    }
}

fn colors(depth: Depth, no_color: bool) -> &'static str {
    match depth {
        Depth::None if no_color => "none (NO_COLOR is set)",
        Depth::None => "none",
        Depth::Sixteen => "the terminal's own sixteen",
        Depth::Palette => "256",
        Depth::True => "all of them",
    }
}

/// By what the environment says: the screen works with and without unambiguous keys.
fn keyboard(term: &str, set: impl Fn(&str) -> Option<String>) -> &'static str {
    const OFFERING: [&str; 7] = ["kitty", "foot", "ghostty", "alacritty", "wezterm", "iterm", "rio"];
    if set("TMUX").is_some() || set("STY").is_some() {
        return "as the multiplexer passes keys on; Esc has no delay";
    }
    let program = set("TERM_PROGRAM").unwrap_or_default();
    let named = [term, program.as_str()].map(str::to_lowercase);
    if set("KITTY_WINDOW_ID").is_some() || OFFERING.iter().any(|one| named.iter().any(|name| name.contains(one))) {
        "the kitty protocol, by its name: Esc and Ctrl keys are told apart at once"
    } else {
        "standard; Esc has no delay"
    }
}
