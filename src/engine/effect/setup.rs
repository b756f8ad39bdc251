//! Requests for managing profiles and keys, and their results.
//!
//! These are no [`Effect`](super::Effect)s: effects are noted in the log and belong to a profile that is open. A key is a
//! `SecretString` from the moment its field is left.

use secrecy::SecretString;

use lode_core::{Account, Caps, Source};

use super::failure::Failure;

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
