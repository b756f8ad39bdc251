//! The facts of the profile in use, as the shell found them: addresses, hashes of keys, bounds. The keys themselves never
//! leave the shell.

use lode_core::{Caps, Choosing, Origin, Purse, PurseRef, Source, put_back};

pub use lode_core::purse::KeyHash;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    pub requests: Option<u32>,
    pub window_ms: u64,
    pub in_flight: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Profile {
    pub name: String,
    /// False only for a sandbox that lode started or a loopback address.
    pub live: bool,
    /// A sandbox in this very process, to look around in.
    pub demo: bool,
    pub workspace: Option<ServiceProfile>,
    pub data: Option<ServiceProfile>,
    pub caps: Caps,
    /// Ids in one unlock call.
    pub batch: u32,
    /// Ids in one unlock call when many are staged.
    pub large_batch: u32,
    /// Staged rows above which `large_batch` is used.
    pub large_from: u32,
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

    /// The services that are set up, and where each is.
    pub fn services(&self) -> Vec<(Source, Origin)> {
        let origin = |source| Some((source, self.purse_origin(self.service(source)?)));
        Source::ALL.into_iter().filter_map(origin).collect()
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
            Source::Data => PurseRef::Known(Purse::of_data_key(origin, key)),
        })
    }

    /// Whose suppression lists and history this profile sees: its Workspace's first, named where it is known, then the Data
    /// API's, then what is kept under the profile's name.
    pub fn purses(&self, workspace: Option<&Purse>) -> Vec<PurseRef> {
        let services = [self.workspace_purse(workspace), self.purse_of(Source::Data)];
        services.into_iter().flatten().chain([self.earlier()]).collect()
    }

    /// Where a new suppression list goes: to the Workspace, or, before there is a key for one, to the profile, so that it
    /// applies to whatever Workspace the profile gets.
    pub fn list_purse(&self, workspace: Option<&Purse>) -> PurseRef {
        self.workspace_purse(workspace).unwrap_or_else(|| self.earlier())
    }

    fn workspace_purse(&self, known: Option<&Purse>) -> Option<PurseRef> {
        known.cloned().map(PurseRef::Known).or_else(|| self.purse_of(Source::Workspace))
    }

    /// What is kept under the profile's name.
    pub fn earlier(&self) -> PurseRef {
        PurseRef::Earlier { profile: self.name.clone() }
    }
}
