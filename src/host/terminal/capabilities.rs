//! What the terminal can do: what it answers, and what the place of the cursor proves.
//!
//! The questions go out before the first frame, and nothing waits for the answers. That frame clears the screen, so whatever a
//! terminal prints by mistake is gone with it. Until an answer is here, the painter uses what every terminal has.

use strum::{Display, EnumString, VariantArray};

use super::*;

/// What a terminal can have, or get wrong: `[terminal] avoid` in the settings names them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Display, EnumString, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum Feature {
    /// A frame that is shown at once (mode 2026).
    Sync,
    /// Links (OSC 8).
    #[strum(serialize = "osc8")]
    Links,
    /// Rows that the terminal moves by itself.
    Scroll,
    /// Rows that move between two columns (mode 69).
    Margins,
    /// A sign that is repeated (REP).
    Repeat,
    /// Tabs that lead to where lode wants them.
    Tabs,
}

/// What the painter may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Features {
    pub sync: bool,
    pub links: bool,
    pub scroll: bool,
    pub margins: bool,
    pub repeat: bool,
    /// It answers, so stops that were set can be proved.
    pub tabs: bool,
    /// Signs such as • and ─ take two columns: plain letters stand in their place.
    pub wide_signs: bool,
}

impl Default for Features {
    fn default() -> Features {
        Features {
            sync: true,
            links: false,
            scroll: true,
            margins: false,
            repeat: false,
            tabs: false,
            wide_signs: false,
        }
    }
}

/// Modes whose state is asked for, and what they are called.
const MODES: [(u16, &str); 4] =
    [(2026, "synchronized output"), (2027, "joined letters"), (2031, "color reports"), (69, "margins")];

/// Each measurement writes to a separate row and asks where the cursor is then: three signs of doubtful width, a sign
/// that is repeated three times (tmux 3.3 repeats letters, but no sign of several bytes), and a return of the cursor between
/// margins, which are taken off again.
const MEASUREMENTS: &str = "\x1b[2H•…─\x1b[6n\x1b[3H─\x1b[3b\x1b[6n\x1b[?69h\x1b[3;9s\x1b[4;6H\r\x1b[6n\x1b[?69l\x1b[m";
/// The row of the first one, counted from one.
const FIRST_ROW: u16 = 2;
/// Its name (XTVERSION).
const NAME_QUESTION: &str = "\x1b[>0q";
/// DA1, which every terminal answers: the answers before it are all there are.
const LAST_QUESTION: &str = "\x1b[c";
/// Answers that take longer are not waited for when lode leaves.
const ANSWERS_WITHIN: Duration = Duration::from_millis(200);

/// Terminals that are not asked for modes, by the value of `TERM` or `TERM_PROGRAM`, and why.
const UNASKED: [(&str, &str); 2] = [
    ("linux", "the console prints the last letter of a question about modes"),
    ("Apple_Terminal", "Terminal.app prints the last letter of a question about modes"),
];

#[derive(Clone, Debug, Default)]
pub struct Capabilities {
    term: String,
    program: String,
    avoid: Vec<Feature>,
    asked: Option<Instant>,
    /// The painter asked where its tab stops led.
    tabs_asked: Option<Instant>,
    /// Its answers are all here.
    is_complete: bool,
    name: Option<String>,
    /// By the order of `MODES`: 0 is unknown to it, 1 on, 2 off, 3 always on, 4 always off.
    modes: [Option<u16>; MODES.len()],
    /// The column after each measurement, counted from one.
    columns: [Option<u16>; 3],
}

impl Capabilities {
    /// Of a terminal with these values of `TERM` and `TERM_PROGRAM`.
    pub fn new(term: String, program: String, avoid: Vec<Feature>) -> Capabilities {
        Capabilities { term, program, avoid, ..Capabilities::default() }
    }

    /// All questions. What was answered before is forgotten: another terminal may show this window now.
    pub fn ask(&mut self, at: Instant) -> Vec<u8> {
        let (term, program, avoid) = (self.term.clone(), self.program.clone(), std::mem::take(&mut self.avoid));
        *self = Capabilities { asked: Some(at), ..Capabilities::new(term, program, avoid) };
        let mut questions = format!("{MEASUREMENTS}{NAME_QUESTION}");
        if self.reason_not_to_ask().is_none() {
            questions.extend(MODES.map(|(number, _)| format!("\x1b[?{number}$p")));
        }
        questions.push_str(LAST_QUESTION);
        questions.into_bytes()
    }

    /// A frame asks where its tab stops led.
    pub fn ask_of_tabs(&mut self, at: Instant) {
        self.tabs_asked.get_or_insert(at);
    }

    /// Takes an answer. One that comes after the last, or a second time, changes nothing.
    pub fn take(&mut self, reply: &TerminalReply) {
        if self.is_complete && matches!(reply, TerminalReply::Cursor { .. }) {
            self.tabs_asked = None;
        }
        if self.asked.is_none() || self.is_complete {
            return;
        }
        match reply {
            TerminalReply::Name(name) => self.name = self.name.take().or_else(|| Some(name.clone())),
            TerminalReply::Mode { number, state } => {
                if let Some(at) = MODES.iter().position(|(known, _)| known == number) {
                    self.modes[at] = self.modes[at].or(Some(*state));
                }
            }
            TerminalReply::Cursor { row, column } => {
                let measured = row.checked_sub(FIRST_ROW).and_then(|at| self.columns.get_mut(usize::from(at)));
                if let Some(measured) = measured {
                    *measured = measured.or(Some(*column));
                }
            }
            TerminalReply::Attributes => self.is_complete = true,
            TerminalReply::Background(_) | TerminalReply::ColorScheme { .. } => {}
        }
    }

    /// Until when answers may be on their way; `None` once all are here.
    pub fn answers_end(&self) -> Option<Instant> {
        let asked = self.asked.filter(|_| !self.is_complete).max(self.tabs_asked);
        asked.map(|asked| asked + ANSWERS_WITHIN)
    }

    pub fn features(&self) -> Features {
        let may = |feature| !self.avoid.contains(&feature);
        let [signs, repeated, returned] = self.columns;
        Features {
            // One that does not answer ignores the mode as well.
            sync: may(Feature::Sync) && self.modes[0] != Some(0) && self.modes[0] != Some(4),
            // Those that know less would show the address itself.
            links: may(Feature::Links) && !matches!(self.term.as_str(), "" | "dumb" | "linux"),
            scroll: may(Feature::Scroll),
            margins: may(Feature::Scroll) && may(Feature::Margins) && returned == Some(3),
            repeat: may(Feature::Repeat) && repeated == Some(5),
            tabs: may(Feature::Tabs) && self.is_complete,
            wide_signs: signs.is_some_and(|column| column > 4),
        }
    }

    /// What was asked, answered and measured, a sentence each.
    pub fn report(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.is_complete {
            lines.push("did not answer questions; lode uses what every terminal has".to_owned());
        }
        lines.extend(self.name.as_ref().map(|name| format!("calls itself {name}")));
        let modes = MODES.iter().zip(self.modes).filter_map(|((_, name), state)| {
            let state = match state? {
                1 | 2 => "yes",
                3 => "always",
                _ => "no",
            };
            Some(format!("{name} {state}"))
        });
        lines.extend(listed("says", modes));
        lines.extend(self.reason_not_to_ask().map(|reason| format!("lode does not ask it for modes: {reason}")));
        let Features { margins, repeat, wide_signs, .. } = self.features();
        let [signs, repeated, returned] = self.columns.map(|column| column.is_some());
        let yes = |is: bool| if is { "yes" } else { "no" };
        let width = if wide_signs { "two columns" } else { "one column" };
        let measured = [
            signs.then(|| format!("signs such as • are {width} wide")),
            repeated.then(|| format!("repeated signs {}", yes(repeat))),
            returned.then(|| format!("scrolls between columns {}", yes(margins))),
        ];
        lines.extend(listed("measured", measured.into_iter().flatten()));
        let avoided = Feature::VARIANTS.iter().filter(|feature| self.avoid.contains(feature)).map(Feature::to_string);
        lines.extend(listed("avoided by the settings", avoided));
        lines
    }

    fn reason_not_to_ask(&self) -> Option<&'static str> {
        let is_it = |name: &str| name == self.term || name == self.program;
        UNASKED.iter().find(|(name, _)| is_it(name)).map(|(_, reason)| *reason)
    }
}

fn listed(title: &str, words: impl Iterator<Item = String>) -> Option<String> {
    let words: Vec<String> = words.collect();
    (!words.is_empty()).then(|| format!("{title}: {}", words.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::terminal::input::{Input, Parser};

    /// Capabilities of a terminal that answers with these bytes.
    fn answered(bytes: &str, avoid: &[Feature]) -> Capabilities {
        let mut capabilities = Capabilities::new("xterm-256color".to_owned(), String::new(), avoid.to_vec());
        capabilities.ask(Instant::now());
        hear(&mut capabilities, bytes);
        capabilities
    }

    fn hear(capabilities: &mut Capabilities, bytes: &str) {
        let mut out = Vec::new();
        Parser::default().take(bytes.as_bytes(), Instant::now(), &mut out);
        for input in out {
            match input {
                Input::Reply(reply) => capabilities.take(&reply),
                other => panic!("{other:?} is not an answer"),
            }
        }
    }

    const XTERM: &str = "\x1b[2;4R\x1b[3;5R\x1b[4;3R\x1bP>|XTerm(379)\x1b\\\x1b[?2026;0$y\x1b[?2027;0$y\x1b[?2031;0$y\x1b[?69;2$y\x1b[?64;1c";

    #[test]
    fn what_is_proved_is_used() {
        let capabilities = answered(XTERM, &[]);
        let wanted = Features {
            sync: false,
            links: true,
            scroll: true,
            margins: true,
            repeat: true,
            tabs: true,
            wide_signs: false,
        };
        assert_eq!(capabilities.features(), wanted);
        assert_eq!(capabilities.answers_end(), None);
        let lines = [
            "calls itself XTerm(379)",
            "says: synchronized output no, joined letters no, color reports no, margins yes",
            "measured: signs such as • are one column wide, repeated signs yes, scrolls between columns yes",
        ];
        assert_eq!(capabilities.report(), lines);
    }

    #[test]
    fn a_terminal_that_says_nothing_gets_what_every_terminal_has() {
        let capabilities = answered("", &[]);
        assert_eq!(capabilities.features(), Features { links: true, ..Features::default() });
        assert!(capabilities.answers_end().is_some());
        assert_eq!(capabilities.report(), ["did not answer questions; lode uses what every terminal has"]);
    }

    /// A terminal may know the mode and lack the margins, and one may not repeat: only the cursor proves it.
    #[test]
    fn a_claim_is_not_a_proof() {
        let found = answered("\x1b[2;7R\x1b[3;2R\x1b[4;1R\x1b[?69;1$y\x1b[c", &[]).features();
        assert!(!found.margins && !found.repeat && found.wide_signs);
    }

    /// tmux 3.3 repeats `x` and not `─`: what is measured is what is drawn.
    #[test]
    fn what_is_repeated_in_the_measurement_is_a_sign_as_in_frames() {
        let (before, _) = MEASUREMENTS.split_once("\x1b[3b").unwrap();
        assert!(!before.chars().last().unwrap().is_ascii());
    }

    #[test]
    fn answers_that_come_late_or_twice_change_nothing() {
        let mut capabilities =
            answered("\x1b[2;4R\x1b[2;9R\x1b[3;5R\x1b[3;2R\x1b[4;3R\x1b[4;1R\x1b[9;9R\x1b[?62c", &[]);
        let found = capabilities.features();
        assert!(found.margins && found.repeat && !found.wide_signs);
        hear(&mut capabilities, "\x1b[?2026;0$y\x1bP>|late\x1b\\\x1b[2;7R");
        assert_eq!(capabilities.features(), found);
        assert_eq!(capabilities.name, None);
    }

    #[test]
    fn what_the_settings_avoid_is_not_used() {
        let all = Feature::VARIANTS;
        let found = answered(XTERM, all).features();
        assert_eq!(found, Features { sync: false, scroll: false, ..Features::default() });
        let report = answered(XTERM, &[Feature::Sync, Feature::Links]).report();
        assert_eq!(report.last().unwrap(), "avoided by the settings: sync, osc8");
        assert!(!answered(XTERM, &[Feature::Scroll]).features().margins);
    }

    #[test]
    fn a_console_that_would_print_the_question_is_not_asked_for_modes() {
        for (term, program) in [("linux", ""), ("xterm-256color", "Apple_Terminal")] {
            let mut capabilities = Capabilities::new(term.to_owned(), program.to_owned(), Vec::new());
            let questions = String::from_utf8(capabilities.ask(Instant::now())).unwrap();
            assert!(!questions.contains("$p"), "{questions:?}");
            assert!(capabilities.report().iter().any(|line| line.starts_with("lode does not ask it for modes:")));
        }
    }
}
