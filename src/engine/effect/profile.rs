//! The facts of the profile in use, as the host found them: addresses, hashes of keys, bounds. The keys themselves never
//! leave the host.

use secrecy::SecretString;

use super::*;

pub use lode_core::KeyHash;

/// One profile that is open in one running lode: while its OS lock is held, what it has in flight is not an orphan. All that one
/// run of the program opens begin with the name of the run, up to a dot.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowId(pub String);

impl WindowId {
    /// The run of the program: what a session is.
    pub fn run(&self) -> &str {
        if put_back("session-per-profile") {
            return &self.0;
        }
        self.0.split_once('.').map_or(self.0.as_str(), |(run, _)| run)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServiceProfile {
    /// Scheme, host and port.
    pub origin: String,
    pub key: KeyHash,
    /// What may be shown of the key before `/me` tells its prefix: the first characters at most.
    pub shown: String,
    pub allowance: Allowance,
}

/// How many requests in which time, per key. `None` requests: no stated limit (the Data API).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Allowance {
    pub requests: Option<u32>,
    pub window_ms: u64,
    pub in_flight: u32,
}

/// How many ids go into one unlock call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    pub batch: u32,
    /// The same when many are staged.
    pub large_batch: u32,
    /// Staged rows above which `large_batch` is used.
    pub large_from: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    /// False only for a sandbox that lode started or a loopback address.
    pub live: bool,
    /// A sandbox in this very process, to look around in.
    pub demo: bool,
    pub workspace: Option<ServiceProfile>,
    pub data: Option<ServiceProfile>,
    pub caps: Caps,
    pub sizes: Sizes,
    /// Score, limit per company, and of how many rows the best are chosen.
    pub choosing: Choosing,
    /// Names of the environment variables that set something of this profile: said in the header.
    pub from_environment: Vec<String>,
    /// A standing note of the header, such as a key kept in a private file.
    pub note: Option<String>,
    pub window: WindowId,
}

impl Profile {
    pub fn service(&self, source: Source) -> Option<&ServiceProfile> {
        match source {
            Source::Workspace => self.workspace.as_ref(),
            Source::Data => self.data.as_ref(),
        }
    }

    /// The origin that records of this service are kept under.
    pub fn purse_origin(&self, service: &ServiceProfile) -> Origin {
        if self.demo || put_back("one-purse") { Origin::demo() } else { Origin::of(&service.origin) }
    }

    /// The purse that records about a source belong to, before `/me` has answered. None without a key for it.
    pub fn purse_of(&self, source: Source) -> Option<PurseRef> {
        let service = self.service(source)?;
        let (origin, key) = (self.purse_origin(service), service.key.clone());
        Some(match source {
            Source::Workspace => PurseRef::Behind { origin, key },
            Source::Data => PurseRef::Known(Purse { origin, owner: PurseOwner::DataKey(key) }),
        })
    }

    /// Whose suppression lists and history this profile sees: its Workspace's first, named where it is known, then the Data
    /// API's, then what is kept under the profile's name.
    pub fn purses(&self, workspace: Option<&Purse>) -> Vec<PurseRef> {
        let workspace = workspace.cloned().map(PurseRef::Known).or_else(|| self.purse_of(Source::Workspace));
        let services = [workspace, self.purse_of(Source::Data)];
        services.into_iter().flatten().chain([self.earlier()]).collect()
    }

    /// What is kept under the profile's name.
    pub fn earlier(&self) -> PurseRef {
        PurseRef::Earlier { profile: self.name.clone() }
    }
}

// Settings of the keyboard as the file has them: names and texts that the key map has yet to read.

/// `[keys.results] stage = ["Space", "x"]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserBinding {
    pub context: String,
    pub name: String,
    pub keys: Vec<String>,
    /// Its line in the file.
    pub line: usize,
}

/// `[commands.results] push = { run = ["crm", "push"], key = "K", rows = "selection" }`: a program that gets rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCommand {
    /// `results`, `basket` or `owned`.
    pub context: String,
    pub name: String,
    /// The program and its arguments. No shell reads them.
    pub run: Vec<String>,
    pub key: Option<String>,
    pub rows: RowsGiven,
    /// Its line in the file.
    pub line: usize,
}

/// Which rows a command gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowsGiven {
    /// The marked range, else the row under the cursor.
    Selection,
    /// Every loaded row of the result, the whole basket, every owned contact.
    All,
}

// Requests for managing profiles and keys, and their results.
//
// These are no [`Effect`](super::Effect)s: effects are noted in the log and belong to a profile that is open. A key is a
// `SecretString` from the moment its field is left.

/// Where a new key is to be kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Keeping {
    Keyring,
    /// The key stays where it is; this prints it.
    Command(String),
    /// A private file beside the settings.
    File,
}

/// A service of a profile, as the first run asks for it.
#[derive(Clone, Debug)]
pub struct NewService {
    pub source: Source,
    /// As typed.
    pub url: String,
    pub key: SecretString,
    pub keeping: Keeping,
}

/// What a person does with profiles. Each call is answered by one [`ProfileReply`], or by a profile that opens.
#[derive(Clone, Debug)]
pub enum ProfileCall {
    /// List the profiles.
    Profiles,
    /// Check an address as typed.
    Address { source: Source, text: String },
    /// Ask the service whose key this is; nothing is kept by it. An answer to an earlier `attempt` is ignored.
    Prove { attempt: u32, source: Source, url: String, key: SecretString },
    /// Keep the key and open the profile.
    Keep { profile: String, service: Box<NewService>, caps: Option<Caps> },
    /// Set the caps of a profile.
    Caps { profile: String, caps: Caps },
    /// Open another profile.
    Use(String),
    /// Make it the profile that lode starts with.
    StartWith(String),
    /// Rename a profile with all its records.
    Rename { from: String, to: String },
    /// Remove a profile and its keys.
    Remove(String),
    /// The sandbox of `lode demo`, in this window.
    Demo,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ProfileReply {
    /// There is this one and none to manage, and why.
    Alone(String, Listed),
    /// All profiles.
    Profiles(Vec<Listed>),
    /// The address in the one form that is used from now on, and what was changed about it.
    Address { url: String, said: Option<String> },
    /// What the service said about the key of this attempt.
    Proved { attempt: u32, proof: Result<Proof, Failure> },
    /// It is done, in a sentence.
    Done(String),
    /// Nothing was changed: why, and what to do.
    Refused(String),
    /// A profile is open, and not every key of it could be had: why.
    Unusable(String),
}

/// A profile of the settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Listed {
    pub name: String,
    pub live: bool,
    /// The services it has, with the place of each key.
    pub services: Vec<(Source, String)>,
    pub caps: Caps,
    /// lode starts with it.
    pub first: bool,
}

/// What the service says about a key, and what this machine says about keeping it.
#[derive(Clone, Debug, PartialEq)]
pub struct Proof {
    /// Of a Workspace key.
    pub account: Option<Account>,
    /// Of a Data key: the size of the corpus it may read, where the service told.
    pub rows: Option<u64>,
    /// Why the keyring cannot be used, if so.
    pub keyring: Option<String>,
    /// Names of the profiles there are.
    pub taken: Vec<String>,
}
