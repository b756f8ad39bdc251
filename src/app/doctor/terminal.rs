//! The terminal as lode will use it: its name, size and colors, and whether it can tell all keys apart.

use std::io::IsTerminal;

use super::Report;
use lode_host::system::MISSING;
use lode_host::system::terminal::{USUAL_TERM, size_of_output};
use lode_host::terminal::colors::Depth;

/// `linear` where the settings ask for lines.
pub(super) fn examine(report: &mut Report, linear: bool) {
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
    let no_color = set("NO_COLOR").is_some();
    let depth = Depth::of(no_color, &variable("COLORTERM"), &term);
    report.fine("colors", colors(depth, no_color));
    report.fine("keyboard", keyboard(&term, set));
    let asked = set("LODE_LINEAR").is_some_and(|value| value != "0");
    report.fine("linear mode", linear_mode(asked, linear, &term));
    for words in MISSING {
        report.note("system", *words);
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

/// By what the environment says. The screen asks for unambiguous keys and works without them, so the terminal need not be asked: a
/// question to the terminal would eat what is typed ahead, and wait where none answers.
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
