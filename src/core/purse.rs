//! Purses: whose money it is. Records of money, baskets, history and suppression lists belong to a purse, never to a profile
//! or a key: keys are replaced, profiles renamed, addresses spelled in other ways, and the credits stay where they are.

use std::fmt;
use std::net::{Ipv4Addr, Ipv6Addr};

use super::contact::Source;
use super::credits::Credits;

/// A service's address in the one spelling that records are kept under: scheme and host in lower case, no default port, no
/// path, and `localhost` for every name of this machine.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Origin(String);

impl Origin {
    /// The origin of an address.
    pub fn of(address: &str) -> Origin {
        let (scheme, rest) = address.trim().split_once("://").unwrap_or(("https", address.trim()));
        let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or("");
        let authority = authority.rsplit_once('@').map_or(authority, |(_, authority)| authority);
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if port.chars().all(|c| c.is_ascii_digit()) => (host, port.trim_start_matches('0')),
            _ => (authority, ""),
        };
        let scheme = scheme.to_ascii_lowercase();
        let host = host.to_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host);
        let host = if is_loopback(host) { "localhost" } else { host };
        let default = if scheme == "http" { "80" } else { "443" };
        let port = if ["", default].contains(&port) { String::new() } else { format!(":{port}") };
        Origin(format!("{scheme}://{host}{port}"))
    }

    /// The sandbox of `lode demo`, whatever port it listens on.
    pub fn demo() -> Origin {
        Origin("lode demo".to_owned())
    }

    /// An origin as the ledger has it.
    pub fn recorded(text: String) -> Origin {
        Origin(text)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    let mapped = |ip: Ipv6Addr| ip.to_ipv4_mapped().is_some_and(|ip| ip.is_loopback());
    host == "localhost"
        || bare.parse::<Ipv4Addr>().is_ok_and(|ip| ip.is_loopback())
        || bare.parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback() || mapped(ip))
}

/// Identifies a key without being it: the first half of its SHA-256, in hex.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyHash(pub String);

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyHash({}…)", self.0.get(..6).unwrap_or(""))
    }
}

/// A purse: an organization of a Workspace, or a key of a Data API, which does not say whose key it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Purse {
    pub origin: Origin,
    pub owner: PurseOwner,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PurseOwner {
    /// `org.id` of `/me`.
    Org(String),
    DataKey(KeyHash),
}

impl Purse {
    pub fn of_org(origin: Origin, org: &str) -> Purse {
        Purse { origin, owner: PurseOwner::Org(org.to_owned()) }
    }

    /// Service the rows of the purse come from.
    pub fn source(&self) -> Source {
        match self.owner {
            PurseOwner::Org(_) => Source::Workspace,
            PurseOwner::DataKey(_) => Source::Data,
        }
    }
}

/// How a purse is named before it is certain.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PurseRef {
    /// A purse that was named.
    Known(Purse),
    /// The purse that `/me` last named for this Workspace key. For a key that `/me` has not answered for: a provisional one,
    /// which is merged into the purse that `/me` names.
    Behind { origin: Origin, key: KeyHash },
    /// What is kept under the name of a profile: rows of the first version, where it is not certain which purse they belong to,
    /// and suppression lists, which apply to every purse of the profile.
    Earlier { profile: String },
}

impl From<Purse> for PurseRef {
    fn from(purse: Purse) -> PurseRef {
        PurseRef::Known(purse)
    }
}

/// The account behind a Workspace key, as `/me` reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Account {
    pub org_id: String,
    pub org_name: String,
    pub plan: String,
    pub key_name: String,
    pub key_prefix: String,
    pub scopes: Vec<String>,
    pub credits: Option<Credits>,
}

impl Account {
    pub fn may_search(&self) -> bool {
        self.scopes.iter().any(|scope| scope == "search")
    }

    pub fn may_unlock(&self) -> bool {
        self.scopes.iter().any(|scope| scope == "unlock")
    }
}
