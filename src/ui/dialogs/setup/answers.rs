//! What a typed or chosen answer leads to: the next step, or a call to the shell.

use secrecy::SecretString;

use lode_core::contact::Source;
use lode_core::credits::Credits;
use lode_engine::effect::setup::{Keeping, NewService, ProfileCall};

use super::{Outcome, Setup, Step};

impl Setup {
    pub(super) fn submit(&mut self) -> Outcome {
        let value = self.input.value().trim().to_owned();
        match self.step {
            Step::Address if value.is_empty() => self.trouble = Some("Type the URL of the service.".to_owned()),
            Step::Address => {
                self.url.clone_from(&value);
                return Outcome::Call(ProfileCall::Address { source: self.source, text: value });
            }
            Step::Key if value.is_empty() => self.trouble = Some("Type or paste the key.".to_owned()),
            Step::Key => {
                let key = SecretString::from(value);
                self.key = Some(key.clone());
                self.attempt += 1;
                self.go(Step::Proving);
                return Outcome::Call(ProfileCall::Prove {
                    attempt: self.attempt,
                    source: self.source,
                    url: self.url.clone(),
                    key,
                });
            }
            Step::Command if value.is_empty() => {
                self.trouble = Some("Type the command, such as  pass show acme".to_owned());
            }
            Step::Command => return self.kept(Keeping::Command(value)),
            Step::Name => {
                if self.proof.as_ref().is_some_and(|proof| proof.taken.contains(&value)) {
                    let words = format!(
                        "Profile `{value}` already exists. To change its key: <text.leave>, then <everywhere.profiles>."
                    );
                    self.trouble = Some(words);
                } else if value.is_empty() {
                    self.trouble = Some("Type a name for the profile.".to_owned());
                } else {
                    self.profile = Some(value);
                    return self.bound();
                }
            }
            Step::Session | Step::Day => return self.cap(&value),
            Step::Proving | Step::Storage | Step::Writing => {}
        }
        Outcome::Stay
    }

    pub(super) fn kept(&mut self, keeping: Keeping) -> Outcome {
        self.keeping = Some(keeping);
        if self.profile.is_some() && !self.is_new() {
            return self.bound();
        }
        self.go(Step::Name);
        Outcome::Stay
    }

    /// The name was asked for here, so the profile is not in the settings yet.
    fn is_new(&self) -> bool {
        let taken = self.proof.as_ref().map(|proof| &proof.taken);
        taken.is_some_and(|taken| self.profile.as_ref().is_none_or(|profile| !taken.contains(profile)))
    }

    /// Caps bound credits, and only a new profile of the Workspace needs them asked.
    fn bound(&mut self) -> Outcome {
        if self.source == Source::Workspace && self.is_new() {
            self.go(Step::Session);
            return Outcome::Stay;
        }
        self.write()
    }

    fn cap(&mut self, value: &str) -> Outcome {
        let cap = match value {
            "" => None,
            digits => match digits.parse::<i64>() {
                Ok(number) if number > 0 => Some(Credits(number)),
                _ => {
                    self.trouble = Some("Type a number of credits, or leave it empty for no cap.".to_owned());
                    return Outcome::Stay;
                }
            },
        };
        if self.step == Step::Session {
            self.caps.session = cap;
            self.go(Step::Day);
            return Outcome::Stay;
        }
        self.caps.day = cap;
        self.write()
    }

    fn write(&mut self) -> Outcome {
        let Some(profile) = self.profile.clone() else { return Outcome::Stay };
        if self.only_caps {
            self.go(Step::Writing);
            return Outcome::Call(ProfileCall::Caps { profile, caps: self.caps });
        }
        let (Some(key), Some(keeping)) = (self.key.clone(), self.keeping.clone()) else { return Outcome::Stay };
        let caps = (self.source == Source::Workspace && self.is_new()).then_some(self.caps);
        self.go(Step::Writing);
        let service = NewService { source: self.source, url: self.url.clone(), key, keeping };
        Outcome::Call(ProfileCall::Keep { profile, service: Box::new(service), caps })
    }

    /// From the name of the workspace, in letters that a profile's name may have.
    pub(super) fn suggested_name(&self) -> String {
        let account = self.proof.as_ref().and_then(|proof| proof.account.as_ref());
        let whole = account.map_or("", |account| account.org_name.as_str());
        let words: Vec<String> = whole
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .take(3)
            .collect();
        let name: String = words.join("-").chars().take(24).collect();
        let name = if name.is_empty() { self.source.to_string() } else { name };
        // Another profile of the same workspace gets a name that is free.
        let taken = |name: &String| self.proof.as_ref().is_some_and(|proof| proof.taken.contains(name));
        let mut names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
        names.find(|name| !taken(name)).unwrap_or_default()
    }
}
