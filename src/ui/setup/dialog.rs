//! Setup of a profile: address, key, a test of the key, where to store it, a name, caps. Nothing is written before the last
//! step.
//!
//! ```text
//! ╭ ADD A WORKSPACE KEY ──────────────────────────────╮
//! │ The key is hidden. Pasting is fine.               │
//! │ ••••••••••••••••••••                              │
//! │ 20 characters, begins with ak_7f                  │
//! ╰───────────────────────────────────────────────────╯
//! ```
//! The host tests and stores a key; its reply comes back through [`SetupDialog::handle`].

use std::fmt;

use secrecy::{ExposeSecret, SecretString};

use crate::dialogs::prelude::*;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SetupStep {
    #[default]
    Address,
    Key,
    /// The service is asked.
    Proving,
    Storage,
    Command,
    Name,
    Session,
    Day,
    /// The host writes.
    Writing,
}

#[derive(Clone, Default)]
pub struct SetupDialog {
    source: Source,
    /// The profile that gets the key; none makes a new one.
    profile: Option<String>,
    /// Only the caps of `profile` are asked for.
    only_caps: bool,
    step: SetupStep,
    /// What the step asks.
    pub form: FormDialog,
    url: String,
    said: Option<String>,
    key: Option<SecretString>,
    proof: Option<Proof>,
    keeping: Option<Keeping>,
    caps: Caps,
    attempt: u32,
}

/// The field may hold a key: it is never printed.
impl fmt::Debug for SetupDialog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Setup({}, {:?})", self.source, self.step)
    }
}

impl SetupDialog {
    pub fn new(source: Source, profile: Option<String>) -> SetupDialog {
        let mut setup = SetupDialog { source, profile, ..SetupDialog::default() };
        setup.go(SetupStep::Address);
        setup
    }

    /// Asks for the caps of a profile that is set up already.
    pub fn caps(profile: String, caps: Caps) -> SetupDialog {
        let mut setup = SetupDialog { only_caps: true, caps, ..SetupDialog::new(Source::Workspace, Some(profile)) };
        setup.go(SetupStep::Session);
        setup
    }

    /// Takes the place under the cursor.
    pub fn choose(&mut self) -> DialogResult {
        let place = self.form.list().and_then(Picker::place).unwrap_or(0);
        match (place, self.proof.as_ref().and_then(|proof| proof.keyring.clone())) {
            (0, Some(why)) => self.form.refuse(format!("{why}.")),
            (0, None) => self.kept(Keeping::Keyring),
            (1, _) => self.go(SetupStep::Command),
            _ => self.kept(Keeping::File),
        }
    }

    /// Takes the reply of a call. Returns true if it was a call of this dialog.
    pub fn handle(&mut self, reply: &ProfileReply) -> bool {
        match (reply, self.step) {
            (ProfileReply::Address { url, said }, SetupStep::Address) => {
                self.url.clone_from(url);
                self.said.clone_from(said);
                self.go(SetupStep::Key);
            }
            (ProfileReply::Proved { attempt, proof }, SetupStep::Proving) if *attempt == self.attempt => match proof {
                Ok(proof) => {
                    self.proof = Some(proof.clone());
                    self.go(SetupStep::Storage);
                }
                Err(failure) => {
                    if matches!(failure, Failure::Refused { why: Refusal::Key | Refusal::Scope, .. }) {
                        self.key = None;
                    }
                    self.go(if is_about_address(failure) { SetupStep::Address } else { SetupStep::Key });
                    self.form.refuse(unproved(failure));
                }
            },
            (ProfileReply::Proved { .. }, _) => {}
            (ProfileReply::Refused(words), SetupStep::Address | SetupStep::Writing) => {
                if self.step == SetupStep::Writing {
                    self.go(if self.only_caps { SetupStep::Session } else { SetupStep::Storage });
                }
                self.form.refuse(words);
            }
            _ => return false,
        }
        true
    }

    fn go(&mut self, step: SetupStep) -> DialogResult {
        self.step = step;
        let said = |words: &str| (words.to_owned(), Role::Text);
        let dim = |words: &str| (words.to_owned(), Role::Dim);
        let proof = || (self.proof.as_ref().map(proof_line).unwrap_or_default(), Role::Good);
        let offer = |value: &str| FormBody::Field(Field::offering(value));
        let cap = |cap: Option<Credits>| offer(&cap.map_or_else(String::new, |cap| cap.0.to_string()));
        let (above, body) = match step {
            SetupStep::Address => {
                let is_data = self.source == Source::Data;
                let example = if is_data { "like https://data.example" } else { "like https://api.example/api/v1" };
                (vec![said("URL of the service"), dim(example)], FormBody::Field(Field::new(&*self.url)))
            }
            SetupStep::Key => {
                let mut lines = vec![dim(&self.url)];
                lines.extend(self.said.as_deref().map(|words| (words.to_owned(), Role::Warning)));
                lines.push(said("API key (hidden; you can paste)"));
                // A key that was not refused is offered again after its address was corrected.
                let key = self.key.as_ref().map_or("", |key| key.expose_secret());
                (lines, FormBody::Field(Field::offering(key).hidden()))
            }
            SetupStep::Proving => {
                let asks = said("Checking the key with the service. Nothing is spent, nothing is saved yet.");
                (vec![dim(&self.url), asks, dim("<text.leave> cancel")], FormBody::Nothing)
            }
            SetupStep::Storage => {
                // A keyring that cannot be used is shown, and the cursor stands on the first that can.
                let is_locked = self.proof.as_ref().is_some_and(|proof| proof.keyring.is_some());
                let keyring = match is_locked {
                    true => ("cannot be used here", Intent::Refused("")),
                    false => ("unlocked with your session", Intent::Nothing),
                };
                // In the order of `choose`.
                let places = vec![
                    PickerItem::new("the system keyring", keyring.0, keyring.1),
                    PickerItem::new("a command that prints it", "pass, op, gopass …", Intent::Nothing),
                    PickerItem::new("a private file", "always shown in the header", Intent::Nothing),
                ];
                let list = Picker::new("", places).standing_at(is_locked.into());
                (vec![proof(), said("Where should the key be stored?")], FormBody::List(list))
            }
            SetupStep::Command => {
                let words =
                    "A command that prints the key. The key stays where it is; lode runs the command at each start.";
                let line = if let Some(Keeping::Command(line)) = &self.keeping { line } else { "" };
                let such = dim("such as  pass show acme  or  op read op://work/acme/key");
                (vec![said(words), such], FormBody::Field(Field::new(line)))
            }
            SetupStep::Name => (vec![proof(), said("A name for this profile")], offer(&self.suggested_name())),
            SetupStep::Session => {
                let words = dim("You confirm every purchase by typing its number; this is a second limit.");
                (vec![said("Maximum credits per session. Empty: no limit."), words], cap(self.caps.session))
            }
            SetupStep::Day => {
                let words = "Maximum credits in any 24 hours, over all windows. Empty: no limit.";
                (vec![said(words)], cap(self.caps.day))
            }
            SetupStep::Writing => {
                (vec![said("Writing the settings. The keyring may ask for its password.")], FormBody::Nothing)
            }
        };
        self.form = FormDialog::step(title(self), above, body);
        DialogResult::Stay
    }

    /// One step back; from the first one out.
    pub fn back(&mut self) -> DialogResult {
        let to = match self.step {
            SetupStep::Address => return DialogResult::Close,
            SetupStep::Session if self.only_caps => return DialogResult::Close,
            // What is being written is written: leaving would only hide how it ends.
            SetupStep::Writing => return DialogResult::Stay,
            SetupStep::Key => SetupStep::Address,
            SetupStep::Proving | SetupStep::Storage => SetupStep::Key,
            SetupStep::Command | SetupStep::Name => SetupStep::Storage,
            SetupStep::Session if self.profile.is_some() => SetupStep::Storage,
            SetupStep::Session => SetupStep::Name,
            SetupStep::Day => SetupStep::Session,
        };
        // A response that is still in flight has no owner now.
        self.attempt += 1;
        self.go(to)
    }

    /// Takes what is typed.
    pub fn submit(&mut self) -> DialogResult {
        let value = self.form.value().trim().to_owned();
        match self.step {
            SetupStep::Address if value.is_empty() => self.form.refuse("Type the URL of the service."),
            SetupStep::Key if value.is_empty() => self.form.refuse("Type or paste the key."),
            SetupStep::Command if value.is_empty() => self.form.refuse("Type the command, such as  pass show acme"),
            SetupStep::Name if value.is_empty() => self.form.refuse("Type a name for the profile."),
            SetupStep::Address => {
                self.url.clone_from(&value);
                DialogResult::Call(ProfileCall::Address { source: self.source, text: value })
            }
            SetupStep::Key => {
                let key = SecretString::from(value);
                self.key = Some(key.clone());
                self.attempt += 1;
                self.go(SetupStep::Proving);
                let (attempt, source, url) = (self.attempt, self.source, self.url.clone());
                DialogResult::Call(ProfileCall::Prove { attempt, source, url, key })
            }
            SetupStep::Command => self.kept(Keeping::Command(value)),
            SetupStep::Name if self.proof.as_ref().is_some_and(|proof| proof.taken.contains(&value)) => {
                self.form.refuse(format!(
                    "Profile `{value}` already exists. To change its key: <text.leave>, then <everywhere.profiles>."
                ))
            }
            SetupStep::Name => {
                self.profile = Some(value);
                self.bound()
            }
            SetupStep::Session | SetupStep::Day => self.cap(&value),
            SetupStep::Proving | SetupStep::Storage | SetupStep::Writing => DialogResult::Stay,
        }
    }

    fn kept(&mut self, keeping: Keeping) -> DialogResult {
        self.keeping = Some(keeping);
        if self.profile.is_some() && !self.is_new() { self.bound() } else { self.go(SetupStep::Name) }
    }

    /// The name was asked for here, so the profile is not in the settings yet.
    fn is_new(&self) -> bool {
        let taken = self.proof.as_ref().map(|proof| &proof.taken);
        taken.is_some_and(|taken| self.profile.as_ref().is_none_or(|profile| !taken.contains(profile)))
    }

    /// Caps bound credits, and only a new profile of the Workspace needs them asked.
    fn bound(&mut self) -> DialogResult {
        if self.source == Source::Workspace && self.is_new() { self.go(SetupStep::Session) } else { self.write() }
    }

    fn cap(&mut self, value: &str) -> DialogResult {
        let cap = match value.parse::<i64>() {
            _ if value.is_empty() => None,
            Ok(number @ 1..) => Some(Credits(number)),
            _ => return self.form.refuse("Type a number of credits, or leave it empty for no limit."),
        };
        if self.step == SetupStep::Session {
            self.caps.session = cap;
            return self.go(SetupStep::Day);
        }
        self.caps.day = cap;
        self.write()
    }

    fn write(&mut self) -> DialogResult {
        let Some(profile) = self.profile.clone() else { return DialogResult::Stay };
        if self.only_caps {
            self.go(SetupStep::Writing);
            return DialogResult::Call(ProfileCall::Caps { profile, caps: self.caps });
        }
        let (Some(key), Some(keeping)) = (self.key.clone(), self.keeping.clone()) else { return DialogResult::Stay };
        let caps = (self.source == Source::Workspace && self.is_new()).then_some(self.caps);
        self.go(SetupStep::Writing);
        let service = NewService { source: self.source, url: self.url.clone(), key, keeping };
        DialogResult::Call(ProfileCall::Keep { profile, service: Box::new(service), caps })
    }

    /// From the name of the workspace, in letters that a profile's name may have.
    fn suggested_name(&self) -> String {
        let account = self.proof.as_ref().and_then(|proof| proof.account.as_ref());
        let whole = account.map_or("", |account| account.org_name.as_str());
        let words = whole.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        let words: Vec<String> = words.map(str::to_lowercase).take(3).collect();
        let name: String = words.join("-").chars().take(24).collect();
        let name = if name.is_empty() { self.source.to_string() } else { name };
        // Another profile of the same workspace gets a name that is free.
        let taken = |name: &String| self.proof.as_ref().is_some_and(|proof| proof.taken.contains(name));
        let mut names = std::iter::once(name.clone()).chain((2..).map(|number| format!("{name}-{number}")));
        names.find(|name| !taken(name)).unwrap_or_default()
    }
}

fn title(setup: &SetupDialog) -> String {
    let whose = if setup.source == Source::Data { "Data API" } else { "Workspace" };
    match &setup.profile {
        Some(profile) if setup.only_caps => format!("Limits of {profile}"),
        Some(profile) => format!("A {whose} key for {profile}"),
        None => format!("Add a {whose} key"),
    }
}

/// "Acme Inc, key ak_7f, may search and unlock, 1,204 credits".
fn proof_line(proof: &Proof) -> String {
    let Some(account) = &proof.account else {
        let rows = proof.rows.map_or(String::new(), |rows| format!(": {} in the US corpus", counted(rows, "row")));
        return format!("The Data API accepts this key{rows}.");
    };
    let may = match (account.may_search(), account.may_unlock()) {
        (true, true) => "may search and unlock",
        (true, false) => "may search only",
        (false, true) => "may unlock only",
        (false, false) => "can't search or unlock",
    };
    let credits = account.credits.map_or_else(|| "credits unknown".to_owned(), Credits::words);
    format!("{}, key {}, {may}, {credits}", account.org_name, account.key_prefix)
}

/// Whether the address, not the key, is to be typed again.
fn is_about_address(failure: &Failure) -> bool {
    let is_wrong = matches!(failure, Failure::Refused { why: Refusal::Address | Refusal::Redirect, .. });
    is_wrong || matches!(failure, Failure::Unsent { .. } | Failure::Unclear { .. })
}

/// Why a key could not be proved, and what to do about it.
fn unproved(failure: &Failure) -> String {
    let (what, then) = match failure {
        Failure::Refused { why: Refusal::Key, .. } => ("The service refused this key", "Paste the whole key again."),
        Failure::Refused { why: Refusal::Scope, .. } => {
            ("This key does not have permission", "Its workspace decides what it may do.")
        }
        Failure::Refused { why: Refusal::Address, .. } => ("No such service at this URL", "Check the URL."),
        Failure::Refused { why: Refusal::Redirect, .. } => ("This URL cannot be used", "Redirects are never followed."),
        Failure::Unsent { .. } => ("The service cannot be reached", "Check the URL and the network."),
        Failure::Later { .. } => ("The service is busy", "<text.submit> try again."),
        _ => ("This key could not be checked", "Nothing was saved."),
    };
    format!("{what}: {}. {then}", failure.reason())
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;
    use lode_core::Account;
    use lode_core::credits::Credits;
    use lode_engine::effect::failure::{Failure, Refusal};
    use lode_engine::effect::profile::ProfileCall;

    fn proof(keyring: Option<&str>) -> Proof {
        let account =
            Account { org_name: "Acme, Inc.".to_owned(), key_prefix: "ak_7f".to_owned(), ..Account::default() };
        Proof { account: Some(account), rows: None, keyring: keyring.map(str::to_owned), taken: vec!["old".to_owned()] }
    }

    fn at_key() -> SetupDialog {
        let mut setup = SetupDialog::new(Source::Workspace, None);
        setup.form.typed("https://api.example");
        assert!(matches!(setup.submit(), DialogResult::Call(ProfileCall::Address { .. })));
        assert!(setup.handle(&ProfileReply::Address { url: "https://api.example/api/v1".to_owned(), said: None }));
        setup
    }

    fn proved(keyring: Option<&str>) -> SetupDialog {
        let mut setup = at_key();
        setup.form.typed("ak_7f0123456789");
        let DialogResult::Call(ProfileCall::Prove { attempt, .. }) = setup.submit() else { panic!("a key is proved") };
        setup.handle(&ProfileReply::Proved { attempt, proof: Ok(proof(keyring)) });
        setup
    }

    /// Takes one of the places.
    fn at(setup: &mut SetupDialog, place: usize) -> DialogResult {
        setup.form.list_mut().unwrap().stand_on(place);
        setup.choose()
    }

    #[test]
    fn a_key_goes_from_the_field_to_the_place_its_owner_chose() {
        let mut setup = proved(None);
        assert!(matches!(setup.choose(), DialogResult::Stay), "then the name");
        assert_eq!(setup.form.value(), "acme-inc");
        assert!(matches!(setup.submit(), DialogResult::Stay), "then the caps");
        setup.form.typed("200");
        setup.submit();
        let DialogResult::Call(ProfileCall::Keep { profile, service, caps }) = setup.submit() else {
            panic!("it is kept")
        };
        assert_eq!((profile.as_str(), service.keeping), ("acme-inc", Keeping::Keyring));
        assert_eq!(service.url, "https://api.example/api/v1");
        assert_eq!(service.key.expose_secret(), "ak_7f0123456789");
        assert_eq!(caps, Some(Caps { session: Some(Credits(200)), ..Caps::default() }));
    }

    #[test]
    fn a_name_and_a_cap_that_stand_in_the_field_are_replaced_by_what_is_typed() {
        let mut setup = proved(None);
        setup.choose();
        setup.form.typed("west");
        assert_eq!(setup.form.value(), "west");
        setup.submit();
        setup.form.typed("200");
        setup.submit();
        setup.back();
        assert_eq!((setup.step, setup.form.value()), (SetupStep::Session, "200"));
        setup.form.typed("5");
        setup.form.typed("0");
        assert_eq!(setup.form.value(), "50", "not 20050");
    }

    #[test]
    fn a_keyring_that_cannot_be_used_is_never_replaced_in_silence() {
        let mut setup = proved(Some("the keyring is locked"));
        assert_eq!(setup.form.list().unwrap().place(), Some(1));
        assert!(matches!(at(&mut setup, 0), DialogResult::Stay));
        assert_eq!((setup.step, setup.form.trouble.as_deref()), (SetupStep::Storage, Some("the keyring is locked.")));
    }

    #[test]
    fn an_answer_to_a_key_that_was_taken_back_is_not_heard() {
        let mut setup = at_key();
        setup.form.typed("ak_1");
        let DialogResult::Call(ProfileCall::Prove { attempt, .. }) = setup.submit() else { panic!("a key is proved") };
        setup.back();
        setup.handle(&ProfileReply::Proved { attempt, proof: Ok(proof(None)) });
        assert_eq!(setup.step, SetupStep::Key);
    }

    #[test]
    fn a_refused_key_is_asked_again_and_no_trace_of_it_is_told() {
        let mut setup = at_key();
        setup.form.typed("ak_7f0123456789");
        let DialogResult::Call(call) = setup.submit() else { panic!("a key is proved") };
        assert!(!format!("{call:?} {setup:?}").contains("ak_7f"));
        let failure = Failure::Refused { status: 401, why: Refusal::Key, words: "invalid key".to_owned() };
        setup.handle(&ProfileReply::Proved { attempt: 1, proof: Err(failure) });
        assert_eq!((setup.step, setup.form.value()), (SetupStep::Key, ""));
        assert!(setup.form.trouble.as_ref().is_some_and(|words| words.contains("refused this key")));
    }

    /// Only the address was wrong: it is corrected where it stands, and the key needs no second paste.
    #[test]
    fn after_a_refused_connection_the_address_is_corrected_and_the_key_is_still_there() {
        let mut setup = at_key();
        setup.form.typed("ak_7f0123456789");
        setup.submit();
        setup.handle(&ProfileReply::Proved {
            attempt: 1,
            proof: Err(Failure::Unsent { words: "connection refused".to_owned() }),
        });
        assert_eq!((setup.step, setup.form.value()), (SetupStep::Address, "https://api.example/api/v1"));
        assert!(setup.form.trouble.is_some());
        setup.submit();
        setup.handle(&ProfileReply::Address { url: "https://api.example:8443/api/v1".to_owned(), said: None });
        assert_eq!((setup.step, setup.form.value()), (SetupStep::Key, "ak_7f0123456789"));
        assert!(!format!("{setup:?}").contains("ak_7f"));
        let DialogResult::Call(ProfileCall::Prove { url, .. }) = setup.submit() else {
            panic!("the same key is proved")
        };
        assert_eq!(url, "https://api.example:8443/api/v1");
        setup.back();
        setup.form.typed("x");
        assert_eq!(setup.form.value(), "x", "typing replaces it");
    }

    #[test]
    fn the_name_of_another_profile_is_not_taken() {
        let mut setup = proved(None);
        at(&mut setup, 2);
        setup.form.body = FormBody::Field(Field::new("old"));
        assert!(matches!(setup.submit(), DialogResult::Stay));
        assert_eq!(setup.step, SetupStep::Name);
    }

    #[test]
    fn a_key_for_a_profile_that_is_there_asks_neither_name_nor_caps() {
        let mut setup = SetupDialog { profile: Some("old".to_owned()), ..proved(None) };
        let DialogResult::Call(ProfileCall::Keep { profile, caps, .. }) = at(&mut setup, 2) else {
            panic!("it is kept")
        };
        assert_eq!((profile.as_str(), caps), ("old", None));
    }

    #[test]
    fn a_second_profile_of_the_same_workspace_is_offered_a_free_name() {
        let mut setup = at_key();
        setup.form.typed("ak_7f0123456789");
        let DialogResult::Call(ProfileCall::Prove { attempt, .. }) = setup.submit() else { panic!("a key is proved") };
        let taken = vec!["acme-inc".to_owned(), "acme-inc-2".to_owned()];
        setup.handle(&ProfileReply::Proved { attempt, proof: Ok(Proof { taken, ..proof(None) }) });
        setup.choose();
        assert_eq!(setup.form.value(), "acme-inc-3");
        assert!(matches!(setup.submit(), DialogResult::Stay));
        assert_eq!(setup.step, SetupStep::Session, "the name is taken over");
    }
}
