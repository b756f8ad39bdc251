//! The facts of the profile in use, as the shell found them: addresses, hashes of keys, bounds. The keys themselves never
//! leave the shell.

use std::fmt;

use crate::domain::credits::Credits;
use crate::domain::money::Caps;

/// Identifies a key without being it: the first half of its SHA-256, in hex.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyHash(pub String);

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyHash({}…)", self.0.get(..6).unwrap_or(""))
    }
}

/// One running lode: while its OS lock is held, what it has in flight is no orphan.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WindowId(pub String);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Service {
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
    pub workspace: Option<Service>,
    pub data: Option<Service>,
    pub caps: Caps,
    /// Ids in one unlock call.
    pub batch: u32,
    /// Ids in one unlock call when many are staged.
    pub large_batch: u32,
    /// Staged rows above which `large_batch` is used.
    pub large_from: u32,
    /// Names of the environment variables that set something of this profile: said in the header.
    pub from_environment: Vec<String>,
    /// A standing note of the header, such as a key kept in a private file.
    pub note: Option<String>,
    pub window: WindowId,
}

impl Profile {
    pub fn session_cap(&self) -> Option<Credits> {
        self.caps.session
    }
}
