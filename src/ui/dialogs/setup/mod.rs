//! A key on its way in: address, key, proof, where to keep it, a name, caps. Nothing is written before the last step.
//!
//! ```text
//! ╭ ADD A WORKSPACE KEY ──────────────────────────────╮
//! │ The key is hidden. Pasting is fine.               │
//! │ ••••••••••••••••••••                              │
//! │ 20 characters, begins with ak_7f                  │
//! ╰───────────────────────────────────────────────────╯
//! ```
//! Proving and keeping a key are calls: the shell does them, and what it tells comes back through [`Setup::told`].

mod answers;
pub mod profiles;
#[cfg(test)]
mod tests;
mod view;
mod words;

use std::fmt;

use secrecy::{ExposeSecret, SecretString};
use tui_input::Input;

use crate::keys::command::Text;
use crate::keys::situation::{Context, chain};
use crate::widgets::input;
use crate::widgets::lines::Marked;
use lode_core::contact::Source;
use lode_core::money::Caps;
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::setup::{Keeping, Proof, Told};

use super::Outcome;

pub use view::view;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    Address,
    Key,
    /// The service is asked.
    Proving,
    Storage,
    Command,
    Name,
    Session,
    Day,
    /// The shell writes.
    Writing,
}

/// The answers to where a key is kept, in the order in which they are offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    Keyring,
    Command,
    File,
}

impl Place {
    pub const ALL: [Place; 3] = [Place::Keyring, Place::Command, Place::File];
}

#[derive(Clone)]
pub struct Setup {
    source: Source,
    /// The profile that gets the key; none makes a new one.
    profile: Option<String>,
    /// Only the caps of `profile` are asked for.
    only_caps: bool,
    step: Step,
    input: Input,
    /// A name or a cap that stands in the field is an offer: the first letter replaces it.
    offered: bool,
    marked: Marked,
    url: String,
    said: Option<String>,
    key: Option<SecretString>,
    proof: Option<Proof>,
    keeping: Option<Keeping>,
    caps: Caps,
    trouble: Option<String>,
    attempt: u32,
}

/// The field may hold a key: it is never told.
impl fmt::Debug for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Setup({}, {:?})", self.source, self.step)
    }
}

impl Setup {
    pub fn new(source: Source, profile: Option<String>) -> Setup {
        Setup {
            source,
            profile,
            only_caps: false,
            step: Step::Address,
            input: Input::default(),
            offered: false,
            marked: Marked::default(),
            url: String::new(),
            said: None,
            key: None,
            proof: None,
            keeping: None,
            caps: Caps::default(),
            trouble: None,
            attempt: 0,
        }
    }

    /// Asks for the caps of a profile that is set up already.
    pub fn caps(profile: String, caps: Caps) -> Setup {
        let mut setup = Setup { only_caps: true, caps, ..Setup::new(Source::Workspace, Some(profile)) };
        setup.go(Step::Session);
        setup
    }

    pub fn chain(&self) -> &'static [Context] {
        if self.is_text() { chain::TEXT } else { chain::ASK }
    }

    /// Whether what is typed now is not to be shown.
    pub fn hides(&self) -> bool {
        self.step == Step::Key
    }

    /// The answers that can be chosen now.
    pub fn answers(&self) -> Vec<String> {
        let answers = if self.step == Step::Storage { &Place::ALL[..] } else { &[] };
        answers.iter().map(|place| view::words_of(*place).to_owned()).collect()
    }

    fn is_text(&self) -> bool {
        matches!(self.step, Step::Address | Step::Key | Step::Command | Step::Name | Step::Session | Step::Day)
    }

    pub fn typed(&mut self, words: &str) {
        if self.is_text() {
            self.trouble = None;
            input::insert_over(&mut self.input, &mut self.offered, words);
        }
    }

    pub fn text(&mut self, command: Text) -> Outcome {
        match command {
            Text::Submit => self.submit(),
            Text::Leave => self.back(),
            other => {
                self.offered = false;
                input::edit(&mut self.input, other);
                Outcome::Stay
            }
        }
    }

    /// Which of its answers is marked, and how many there are.
    pub fn marking(&mut self) -> (&mut Marked, usize) {
        (&mut self.marked, Place::ALL.len())
    }

    /// Takes an answer of a list.
    pub fn choose(&mut self, at: usize) -> Outcome {
        let (Step::Storage, Some(place)) = (self.step, Place::ALL.get(at)) else { return Outcome::Stay };
        match place {
            Place::Keyring => match self.proof.as_ref().and_then(|proof| proof.keyring.clone()) {
                Some(why) => self.trouble = Some(format!("{why}.")),
                None => return self.kept(Keeping::Keyring),
            },
            Place::Command => self.go(Step::Command),
            Place::File => return self.kept(Keeping::File),
        }
        Outcome::Stay
    }

    /// What the shell tells about a call. Returns true if it was a call of this dialog.
    pub fn told(&mut self, told: &Told) -> bool {
        match (told, self.step) {
            (Told::Address { url, said }, Step::Address) => {
                self.url.clone_from(url);
                self.said.clone_from(said);
                self.go(Step::Key);
            }
            (Told::Proved { attempt, proof }, Step::Proving) if *attempt == self.attempt => match proof {
                Ok(proof) => {
                    self.proof = Some(proof.clone());
                    self.go(Step::Storage);
                    // A keyring that cannot be used is shown, and the mark stands on the first that can.
                    self.marked.at = usize::from(proof.keyring.is_some());
                }
                Err(failure) => {
                    if matches!(failure, Failure::Refused { why: Refusal::Key | Refusal::Scope, .. }) {
                        self.key = None;
                    }
                    self.go(if words::is_about_address(failure) { Step::Address } else { Step::Key });
                    self.trouble = Some(words::unproved(failure));
                }
            },
            (Told::Proved { .. }, _) => {}
            (Told::Refused(words), Step::Address | Step::Writing) => {
                if self.step == Step::Writing {
                    self.go(if self.only_caps { Step::Session } else { Step::Storage });
                }
                self.trouble = Some(words.clone());
            }
            _ => return false,
        }
        true
    }

    fn go(&mut self, step: Step) {
        self.step = step;
        self.trouble = None;
        self.marked = Marked::default();
        self.input = match step {
            Step::Address => Input::new(self.url.clone()),
            Step::Command => match &self.keeping {
                Some(Keeping::Command(line)) => Input::new(line.clone()),
                _ => Input::default(),
            },
            Step::Name => Input::new(self.suggested_name()),
            Step::Session => Input::new(self.caps.session.map_or_else(String::new, |cap| cap.0.to_string())),
            Step::Day => Input::new(self.caps.day.map_or_else(String::new, |cap| cap.0.to_string())),
            // A key that was not refused is offered again after its address was corrected.
            Step::Key => Input::new(self.key.as_ref().map_or_else(String::new, |key| key.expose_secret().to_owned())),
            Step::Proving | Step::Storage | Step::Writing => Input::default(),
        };
        let replaced = matches!(step, Step::Key | Step::Name | Step::Session | Step::Day);
        self.offered = replaced && !self.input.value().is_empty();
    }

    /// One step back; from the first one out.
    pub fn back(&mut self) -> Outcome {
        let to = match self.step {
            Step::Address => return Outcome::Close,
            Step::Session if self.only_caps => return Outcome::Close,
            // What is being written is written: leaving would only hide how it ends.
            Step::Writing => return Outcome::Stay,
            Step::Key => Step::Address,
            Step::Proving | Step::Storage => Step::Key,
            Step::Command | Step::Name => Step::Storage,
            Step::Session => {
                if self.profile.is_some() {
                    Step::Storage
                } else {
                    Step::Name
                }
            }
            Step::Day => Step::Session,
        };
        // A response that is still in flight has no owner now.
        self.attempt += 1;
        self.go(to);
        Outcome::Stay
    }
}
