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

use crate::widgets::input::Field;
use crate::widgets::lines::LineList;
use ratatui::widgets::StatefulWidget;
use std::fmt;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use secrecy::{ExposeSecret, SecretString};
use tui_input::Input;

use crate::dialogs::Outcome;
use crate::keys::command::Text;
use crate::keys::situation::{Context, chain};
use crate::theme::Role;
use crate::widgets::context::ViewContext;
use crate::widgets::lines::{Line, Marked};
use crate::widgets::{input, pane};
use lode_core::contact::Source;
use lode_core::credits::{Credits, counted};
use lode_core::money::Caps;
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::setup::{Keeping, NewService, ProfileCall, Proof, Told};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
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

#[derive(Clone, Default)]
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
        Setup { source, profile, ..Setup::default() }
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
        answers.iter().map(|place| words_of(*place).to_owned()).collect()
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
                    self.go(if is_about_address(failure) { Step::Address } else { Step::Key });
                    self.trouble = Some(unproved(failure));
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

impl StatefulWidget for &Setup {
    type State = ViewContext;

    fn render(self, over: Rect, buf: &mut Buffer, cx: &mut ViewContext) {
        let width = over.width.saturating_sub(4).clamp(20, 84);
        let columns = usize::from(width.saturating_sub(4));
        let mut above: Vec<(String, Role)> = Vec::new();
        let mut add =
            |words: &str, role: Role| above.extend(cx.wrapped(words, columns).into_iter().map(|line| (line, role)));
        for (words, role) in explained(self) {
            add(&words, role);
        }
        let mut below: Vec<(String, Role)> = Vec::new();
        if self.step == Step::Key {
            below.push((known(self.input.value()), Role::Dim));
        }
        if let Some(trouble) = &self.trouble {
            below.extend(cx.wrapped(trouble, columns).into_iter().map(|line| (line, Role::Danger)));
        }
        let answers = if self.step == Step::Storage { Place::ALL.len() } else { usize::from(self.is_text()) };
        let height = above.len() + answers + below.len() + 4;
        let inside = pane::overlay(buf, cx, over, width, height as u16, &title(self));
        if inside.height == 0 {
            return;
        }
        let (x, columns) = (inside.x + 1, inside.width.saturating_sub(2));
        let mut y = inside.y;
        // In a low window the answers stay and the explanation gives way.
        let room = usize::from(inside.height).saturating_sub(answers + below.len());
        for (line, role) in above.iter().take(room) {
            cx.put(buf, x, y, columns, line, *role);
            y += 1;
        }
        y = if usize::from(y - inside.y) + answers + below.len() < usize::from(inside.height) { y + 1 } else { y };
        if self.is_text() && y < inside.bottom() {
            if self.offered && self.step != Step::Key {
                Field::new(&self.input).offered(true).render(Rect::new(x, y, columns, 1), buf, cx);
            } else {
                Field::new(&self.input).hidden(self.step == Step::Key).render(Rect::new(x, y, columns, 1), buf, cx);
            }
            y += 1;
        } else if self.step == Step::Storage {
            let area = Rect::new(x, y, columns, (answers as u16).min(inside.bottom().saturating_sub(y)));
            let keyring = self.proof.as_ref().and_then(|proof| proof.keyring.as_deref());
            LineList::new(answers, &self.marked, |at| place(Place::ALL[at], keyring)).render(area, buf, cx);
            y += area.height;
        }
        for (line, role) in below {
            if y < inside.bottom() {
                cx.put(buf, x, y, columns, &line, role);
            }
            y += 1;
        }
    }
}

fn title(setup: &Setup) -> String {
    if setup.only_caps {
        return format!("Caps of {}", setup.profile.as_deref().unwrap_or_default());
    }
    let whose = match setup.source {
        Source::Workspace => "Workspace",
        Source::Data => "Data API",
    };
    match &setup.profile {
        Some(profile) => format!("A {whose} key for {profile}"),
        None => format!("Add a {whose} key"),
    }
}

fn explained(setup: &Setup) -> Vec<(String, Role)> {
    let said = |words: &str| (words.to_owned(), Role::Text);
    let dim = |words: &str| (words.to_owned(), Role::Dim);
    let proof = || (setup.proof.as_ref().map(proof_line).unwrap_or_default(), Role::Good);
    match setup.step {
        Step::Address => {
            let example = match setup.source {
                Source::Workspace => "like https://api.example/api/v1",
                Source::Data => "like https://data.example",
            };
            vec![said("URL of the service"), dim(example)]
        }
        Step::Key => {
            let mut lines = vec![dim(&setup.url)];
            lines.extend(setup.said.as_deref().map(|words| (words.to_owned(), Role::Warning)));
            lines.push(said("API key (hidden; you can paste)"));
            lines
        }
        Step::Proving => vec![
            dim(&setup.url),
            said("Checking the key with the service. Nothing is spent, nothing is saved yet."),
            dim("<text.leave> cancel"),
        ],
        Step::Storage => vec![proof(), said("Where should the key be stored?")],
        Step::Command => vec![
            said("A command that prints the key. The key stays where it is; lode runs the command at each start."),
            dim("such as  pass show acme  or  op read op://work/acme/key"),
        ],
        Step::Name => vec![proof(), said("A name for this profile")],
        Step::Session => vec![
            said("Maximum credits per session. Empty: no cap."),
            dim("You confirm every purchase by typing its number; a cap is a second limit."),
        ],
        Step::Day => vec![said("Maximum credits in any 24 hours, over all windows. Empty: no cap.")],
        Step::Writing => vec![said("Writing the settings. The keyring may ask for its password.")],
    }
}

/// A place for a key, in words.
pub(super) fn words_of(place: Place) -> &'static str {
    match place {
        Place::Keyring => "the system keyring",
        Place::Command => "a command that prints it",
        Place::File => "a private file",
    }
}

fn place(place: Place, keyring: Option<&str>) -> Line<'static> {
    let words = words_of(place);
    match (place, keyring) {
        (Place::Keyring, None) => Line::new(words, "unlocked with your session"),
        (Place::Keyring, Some(_)) => Line::new(words, "cannot be used here").role(Role::Disabled),
        (Place::Command, _) => Line::new(words, "pass, op, gopass …"),
        (Place::File, _) => Line::new(words, "always shown in the header"),
    }
}

/// Length and beginning of a hidden key: never more than five characters, and never more than a quarter of it.
fn known(key: &str) -> String {
    let key = key.trim();
    let count = key.chars().count();
    let shown: String = key.chars().take(5.min(count / 4)).collect();
    match (count, shown.as_str()) {
        (0, _) => "nothing typed yet".to_owned(),
        (_, "") => counted(count as u64, "character"),
        _ => format!("{}, begins with {shown}", counted(count as u64, "character")),
    }
}

/// "Acme Inc, key ak_7f, may search and unlock, 1,204 credits".
pub(super) fn proof_line(proof: &Proof) -> String {
    let Some(account) = &proof.account else {
        return proof.rows.map_or_else(
            || "The Data API accepts this key.".to_owned(),
            |rows| format!("The Data API accepts this key: {} in the US corpus.", counted(rows, "row")),
        );
    };
    let may = match (account.may_search(), account.may_unlock()) {
        (true, true) => "may search and unlock",
        (true, false) => "may search only",
        (false, true) => "may unlock only",
        (false, false) => "may neither search nor unlock",
    };
    let credits = account.credits.map_or_else(|| "credits unknown".to_owned(), Credits::words);
    format!("{}, key {}, {may}, {credits}", account.org_name, account.key_prefix)
}

/// Whether the address, not the key, is to be typed again.
pub(super) fn is_about_address(failure: &Failure) -> bool {
    matches!(
        failure,
        Failure::Unsent { .. }
            | Failure::Unclear { .. }
            | Failure::Refused { why: Refusal::Address | Refusal::Redirect, .. }
    )
}

/// Why a key could not be proved, and what to do about it.
pub(super) fn unproved(failure: &Failure) -> String {
    let words = failure.words().trim_end_matches('.');
    match failure {
        Failure::Refused { why: Refusal::Key, .. } => {
            format!("The service refused this key: {words}. Paste the whole key again.")
        }
        Failure::Refused { why: Refusal::Scope, .. } => {
            format!("This key does not have permission: {words}. Its workspace decides what it may do.")
        }
        Failure::Refused { why: Refusal::Address, .. } => {
            format!("No such service at this URL: {words}. Check the URL.")
        }
        Failure::Refused { why: Refusal::Redirect, .. } => {
            format!("This URL cannot be used: {words}. Redirects are never followed.")
        }
        Failure::Unsent { .. } => {
            format!("The service cannot be reached: {words}. Check the URL and the network.")
        }
        Failure::Later { .. } => format!("The service is busy: {words}. <text.submit> try again."),
        _ => format!("This key could not be checked: {words}. Nothing was saved."),
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret;

    use super::*;
    use lode_core::account::Account;
    use lode_core::credits::Credits;
    use lode_engine::effect::failure::{Failure, Refusal};
    use lode_engine::effect::setup::ProfileCall;

    fn proof(keyring: Option<&str>) -> Proof {
        let account =
            Account { org_name: "Acme, Inc.".to_owned(), key_prefix: "ak_7f".to_owned(), ..Account::default() };
        Proof { account: Some(account), rows: None, keyring: keyring.map(str::to_owned), taken: vec!["old".to_owned()] }
    }

    fn at_key() -> Setup {
        let mut setup = Setup::new(Source::Workspace, None);
        setup.typed("https://api.example");
        assert!(matches!(setup.text(Text::Submit), Outcome::Call(ProfileCall::Address { .. })));
        assert!(setup.told(&Told::Address { url: "https://api.example/api/v1".to_owned(), said: None }));
        setup
    }

    fn proved(keyring: Option<&str>) -> Setup {
        let mut setup = at_key();
        setup.typed("ak_7f0123456789");
        let Outcome::Call(ProfileCall::Prove { attempt, .. }) = setup.text(Text::Submit) else {
            panic!("a key is proved")
        };
        setup.told(&Told::Proved { attempt, proof: Ok(proof(keyring)) });
        setup
    }

    #[test]
    fn a_key_goes_from_the_field_to_the_place_its_owner_chose() {
        let mut setup = proved(None);
        assert!(matches!(setup.choose(setup.marked.at), Outcome::Stay), "then the name");
        assert_eq!(setup.input.value(), "acme-inc");
        assert!(matches!(setup.text(Text::Submit), Outcome::Stay), "then the caps");
        setup.typed("200");
        setup.text(Text::Submit);
        let Outcome::Call(ProfileCall::Keep { profile, service, caps }) = setup.text(Text::Submit) else {
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
        setup.choose(setup.marked.at);
        setup.typed("west");
        assert_eq!(setup.input.value(), "west");
        setup.text(Text::Submit);
        setup.typed("200");
        setup.text(Text::Submit);
        setup.text(Text::Leave);
        assert_eq!((setup.step, setup.input.value()), (Step::Session, "200"));
        setup.typed("5");
        setup.typed("0");
        assert_eq!(setup.input.value(), "50", "not 20050");
    }

    #[test]
    fn a_keyring_that_cannot_be_used_is_never_replaced_in_silence() {
        let mut setup = proved(Some("the keyring is locked"));
        assert_eq!(setup.marked.at, 1);
        assert!(matches!(setup.choose(0), Outcome::Stay));
        assert_eq!((setup.step, setup.trouble.as_deref()), (Step::Storage, Some("the keyring is locked.")));
    }

    #[test]
    fn an_answer_to_a_key_that_was_taken_back_is_not_heard() {
        let mut setup = at_key();
        setup.typed("ak_1");
        let Outcome::Call(ProfileCall::Prove { attempt, .. }) = setup.text(Text::Submit) else {
            panic!("a key is proved")
        };
        setup.back();
        setup.told(&Told::Proved { attempt, proof: Ok(proof(None)) });
        assert_eq!(setup.step, Step::Key);
    }

    #[test]
    fn a_refused_key_is_asked_again_and_no_trace_of_it_is_told() {
        let mut setup = at_key();
        setup.typed("ak_7f0123456789");
        let Outcome::Call(call) = setup.text(Text::Submit) else { panic!("a key is proved") };
        assert!(!format!("{call:?} {setup:?}").contains("ak_7f"));
        let failure = Failure::Refused { status: 401, why: Refusal::Key, words: "invalid key".to_owned() };
        setup.told(&Told::Proved { attempt: 1, proof: Err(failure) });
        assert_eq!((setup.step, setup.input.value()), (Step::Key, ""));
        assert!(setup.trouble.as_ref().is_some_and(|words| words.contains("refused this key")));
    }

    /// Only the address was wrong: it is corrected where it stands, and the key needs no second paste.
    #[test]
    fn after_a_refused_connection_the_address_is_corrected_and_the_key_is_still_there() {
        let mut setup = at_key();
        setup.typed("ak_7f0123456789");
        setup.text(Text::Submit);
        setup
            .told(&Told::Proved { attempt: 1, proof: Err(Failure::Unsent { words: "connection refused".to_owned() }) });
        assert_eq!((setup.step, setup.input.value()), (Step::Address, "https://api.example/api/v1"));
        assert!(setup.trouble.is_some());
        setup.text(Text::Submit);
        setup.told(&Told::Address { url: "https://api.example:8443/api/v1".to_owned(), said: None });
        assert_eq!((setup.step, setup.input.value()), (Step::Key, "ak_7f0123456789"));
        assert!(!format!("{setup:?}").contains("ak_7f"));
        let Outcome::Call(ProfileCall::Prove { url, .. }) = setup.text(Text::Submit) else {
            panic!("the same key is proved")
        };
        assert_eq!(url, "https://api.example:8443/api/v1");
        setup.text(Text::Leave);
        setup.typed("x");
        assert_eq!(setup.input.value(), "x", "typing replaces it");
    }

    #[test]
    fn the_name_of_another_profile_is_not_taken() {
        let mut setup = proved(None);
        setup.choose(2);
        setup.input = Input::new("old".to_owned());
        assert!(matches!(setup.text(Text::Submit), Outcome::Stay));
        assert_eq!(setup.step, Step::Name);
    }

    #[test]
    fn a_key_for_a_profile_that_is_there_asks_neither_name_nor_caps() {
        let mut setup = Setup { profile: Some("old".to_owned()), ..proved(None) };
        let Outcome::Call(ProfileCall::Keep { profile, caps, .. }) = setup.choose(2) else { panic!("it is kept") };
        assert_eq!((profile.as_str(), caps), ("old", None));
    }

    #[test]
    fn a_second_profile_of_the_same_workspace_is_offered_a_free_name() {
        let mut setup = at_key();
        setup.typed("ak_7f0123456789");
        let Outcome::Call(ProfileCall::Prove { attempt, .. }) = setup.text(Text::Submit) else {
            panic!("a key is proved")
        };
        let taken = vec!["acme-inc".to_owned(), "acme-inc-2".to_owned()];
        setup.told(&Told::Proved { attempt, proof: Ok(Proof { taken, ..proof(None) }) });
        setup.choose(setup.marked.at);
        assert_eq!(setup.input.value(), "acme-inc-3");
        assert!(matches!(setup.text(Text::Submit), Outcome::Stay));
        assert_eq!(setup.step, Step::Session, "the name is taken over");
    }

    #[test]
    fn of_a_key_only_length_and_beginning_are_shown() {
        assert_eq!(known(""), "nothing typed yet");
        assert_eq!(known("ak_"), "3 characters");
        assert_eq!(known("ak_7f0123456789abcdef"), "21 characters, begins with ak_7f");
    }
}
