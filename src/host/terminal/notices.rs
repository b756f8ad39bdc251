//! Notifications, progress and the clipboard, outside of the screen. Each terminal has its own way; the environment tells which one,
//! because lode would have to wait for the answer to a question.
//!
//! A multiplexer passes on what is wrapped for it, if it may; it always tells of a bell, so a bell comes along.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

/// What stands between us and the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Through {
    Nothing,
    Tmux,
    Screen,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Notices {
    /// What stands before and after the words of a notice. None where only a bell marks the window or its tab.
    way: Option<(&'static str, &'static str)>,
    through: Through,
    progress: bool,
}

/// A notice is a line, not a page.
const LONGEST: usize = 200;

impl Notices {
    /// By what the environment says. `set` is a variable that is not empty.
    pub fn of(set: impl Fn(&str) -> Option<String>) -> Notices {
        let term = set("TERM").unwrap_or_default().to_lowercase();
        let program = set("TERM_PROGRAM").or_else(|| set("LC_TERMINAL")).unwrap_or_default().to_lowercase();
        let is = |name: &str| term.contains(name) || program.contains(name);
        let has = |name: &str| set(name).is_some();
        let way = if is("kitty") || has("KITTY_WINDOW_ID") {
            Some(("\x1b]99;i=lode:d=0;lode\x1b\\\x1b]99;i=lode:p=body;", "\x1b\\"))
        } else if is("ghostty") || is("foot") || is("rxvt") || has("VTE_VERSION") {
            // Also those with the library of GNOME.
            Some(("\x1b]777;notify;lode;", "\x1b\\"))
        } else if is("iterm") || is("wezterm") || has("ITERM_SESSION_ID") || has("WEZTERM_PANE") || is("mintty") {
            Some(("\x1b]9;", "\x07"))
        } else {
            None
        };
        let through = match (has("TMUX"), has("STY")) {
            (true, _) => Through::Tmux,
            (false, true) => Through::Screen,
            (false, false) => Through::Nothing,
        };
        // Elsewhere the same letters are a notice that says `4;1;50`.
        let vte = set("VTE_VERSION").and_then(|version| version.parse::<u32>().ok()).unwrap_or(0);
        let progress = is("ghostty") || has("WT_SESSION") || has("ConEmuANSI") || is("mintty") || vte >= 7_900;
        Notices { way, through, progress }
    }

    /// The bytes that show a notice.
    pub fn notice(self, words: &str) -> Vec<u8> {
        // A semicolon would be the beginning of the next part.
        let plain: String =
            words.chars().filter(|c| !c.is_control()).map(|c| if c == ';' { ',' } else { c }).take(LONGEST).collect();
        let Some((before, after)) = self.way else { return b"\x07".to_vec() };
        let bytes = format!("{before}{plain}{after}");
        match self.through {
            Through::Nothing => bytes.into_bytes(),
            _ => [self.wrapped(&bytes), b"\x07".to_vec()].concat(),
        }
    }

    /// The bytes that show how much is done, in percent; none takes it away. Empty where the terminal shows no such thing.
    pub fn progress(self, percent: Option<u8>) -> Vec<u8> {
        if !self.progress {
            return Vec::new();
        }
        let (state, percent) = percent.map_or((0, 0), |percent| (1, percent.min(100)));
        self.wrapped(&format!("\x1b]9;4;{state};{percent}\x07"))
    }

    fn wrapped(self, bytes: &str) -> Vec<u8> {
        match self.through {
            Through::Nothing => bytes.as_bytes().to_vec(),
            Through::Tmux => format!("\x1bPtmux;{}\x1b\\", bytes.replace('\x1b', "\x1b\x1b")).into_bytes(),
            // Screen ends its own wrapping at the first ST, so an OSC within ends with BEL.
            Through::Screen => format!("\x1bP{}\x1b\\", bytes.replace("\x1b\\", "\x07")).into_bytes(),
        }
    }
}

/// What terminals take at most.
const LONGEST_COPY: usize = 74_000;

/// None where the text is longer than terminals take.
pub fn copy(text: &str) -> Option<Vec<u8>> {
    (text.len() <= LONGEST_COPY).then(|| format!("\x1b]52;c;{}\x07", STANDARD.encode(text)).into_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Notices {
        Notices::of(|name| variables.iter().find(|(one, _)| *one == name).map(|(_, value)| (*value).to_owned()))
    }

    fn says(variables: &[(&str, &str)]) -> String {
        String::from_utf8(of(variables).notice("48 unlocked; done\x1b\x07")).unwrap()
    }

    #[test]
    fn each_terminal_is_told_in_its_own_way() {
        assert_eq!(says(&[("TERM", "xterm-kitty")]).matches("\x1b]99;").count(), 2);
        assert_eq!(says(&[("TERM", "foot")]), "\x1b]777;notify;lode;48 unlocked, done\x1b\\");
        assert_eq!(says(&[("VTE_VERSION", "7600")]), says(&[("TERM", "rxvt-unicode-256color")]));
        assert_eq!(says(&[("TERM_PROGRAM", "iTerm.app")]), "\x1b]9;48 unlocked, done\x07");
        assert_eq!(says(&[("TERM", "xterm-256color")]), "\x07");
        assert_eq!(says(&[]), "\x07");
    }

    #[test]
    fn a_multiplexer_passes_it_on_and_rings() {
        let tmux = says(&[("TERM_PROGRAM", "WezTerm"), ("TMUX", "/tmp/tmux-0/default,1,0")]);
        assert_eq!(tmux, "\x1bPtmux;\x1b\x1b]9;48 unlocked, done\x07\x1b\\\x07");
        let screen = says(&[("TERM", "screen.foot"), ("STY", "1.pts-0.host")]);
        assert_eq!(screen, "\x1bP\x1b]777;notify;lode;48 unlocked, done\x07\x1b\\\x07");
        assert_eq!(says(&[("TERM", "tmux-256color"), ("TMUX", "x")]), "\x07");
    }

    #[test]
    fn progress_is_told_where_it_is_known_to_be_shown() {
        let ghostty = of(&[("TERM", "xterm-ghostty")]);
        assert_eq!(ghostty.progress(Some(50)), b"\x1b]9;4;1;50\x07");
        assert_eq!(ghostty.progress(None), b"\x1b]9;4;0;0\x07");
        assert_eq!(of(&[("TERM", "xterm-kitty")]).progress(Some(50)), b"");
        assert_eq!(of(&[("TERM_PROGRAM", "iTerm.app")]).progress(Some(50)), b"", "it would be a notice there");
        let tmux = of(&[("TERM_PROGRAM", "ghostty"), ("TMUX", "x")]);
        assert_eq!(tmux.progress(Some(7)), b"\x1bPtmux;\x1b\x1b]9;4;1;7\x07\x1b\\");
    }

    #[test]
    fn it_is_base64() {
        for (plain, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar•", "Zm9vYmFy4oCi")]
        {
            let bytes = copy(plain).unwrap();
            assert_eq!(String::from_utf8(bytes).unwrap(), format!("\x1b]52;c;{coded}\x07"));
        }
        assert!(copy(&"x".repeat(100_000)).is_none());
    }
}
