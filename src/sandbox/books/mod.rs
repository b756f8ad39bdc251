//! The service's books: who owns which contact, who has how many credits, who holds which key.
//!
//! State is a fold over `Event`s and nothing else, so that a sandbox can be put down and taken up again from its journal.
//! Credits are plain double entry in whole numbers (`lines`): a balance is never set, it is moved. The arithmetic is
//! independent of the client's on purpose. What a request *means* is decided elsewhere (`service`), as is the clock.

mod apply;
pub mod event;
pub mod keys;
pub mod lines;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Serialize;

use crate::corpus::{Kind, Verification};
use lines::{Account, Line};

/// One place per corpus.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PerCorpus<T> {
    us: T,
    linkedin: T,
}

impl<T> PerCorpus<T> {
    pub fn new(us: T, linkedin: T) -> Self {
        PerCorpus { us, linkedin }
    }
    pub fn of(&self, kind: Kind) -> &T {
        match kind {
            Kind::Us => &self.us,
            Kind::Linkedin => &self.linkedin,
        }
    }
    pub fn of_mut(&mut self, kind: Kind) -> &mut T {
        match kind {
            Kind::Us => &mut self.us,
            Kind::Linkedin => &mut self.linkedin,
        }
    }
}

/// A contact that a workspace has paid for.
#[derive(Clone, Debug, Serialize)]
pub struct Owned {
    pub verification: Option<Verification>,
    pub refunded: bool,
    pub at_ms: u64,
    pub by: String,
}

#[derive(Clone, Debug, Serialize)]
pub struct Org {
    pub id: String,
    pub name: String,
    pub plan: String,
    /// Kept beside the lines because summing them on every answer would cost; a test compares the two.
    #[serde(rename = "credits")]
    balance: i64,
    pub owned: PerCorpus<BTreeMap<u64, Owned>>,
}

impl Org {
    pub fn balance(&self) -> i64 {
        self.balance
    }
}

/// A key of the workspace API as it is stored: the secret only as a hash.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Key {
    pub hash: String,
    pub name: String,
    pub prefix: String,
    pub org: String,
    pub scopes: Vec<String>,
    pub revoked: bool,
}

impl Key {
    pub fn may(&self, scope: &str) -> bool {
        self.scopes.iter().any(|known| known == scope)
    }
}

/// The user behind a key of the Data API, with the ledger of pulled rows and the saved searches.
#[derive(Clone, Debug, Serialize)]
pub struct User {
    pub name: String,
    pub revoked: bool,
    pub pulled: PerCorpus<BTreeSet<u64>>,
    pub saved: BTreeMap<u64, serde_json::Value>,
    #[serde(skip)]
    next_saved: u64,
}

impl User {
    pub fn next_saved(&self) -> u64 {
        self.next_saved
    }
}

#[derive(Clone, Debug, Default)]
pub struct Books {
    identity: u64,
    orgs: BTreeMap<String, Org>,
    keys: Vec<Key>,
    users: Vec<User>,
    key_by_hash: HashMap<String, usize>,
    user_by_hash: HashMap<String, usize>,
    /// Put on the Do-Not-Sell list while the service runs, beside those who were on it from the start.
    pub suppressed: PerCorpus<BTreeSet<u64>>,
    lines: Vec<Line>,
}

impl Books {
    /// What the keys of this service follow from.
    pub fn identity(&self) -> u64 {
        self.identity
    }

    pub fn org(&self, id: &str) -> Option<&Org> {
        self.orgs.get(id)
    }

    pub fn orgs(&self) -> impl Iterator<Item = &Org> {
        self.orgs.values()
    }

    pub fn keys(&self) -> &[Key] {
        &self.keys
    }

    pub fn users(&self) -> &[User] {
        &self.users
    }

    pub fn lines(&self) -> &[Line] {
        &self.lines
    }

    /// The living key with this secret.
    pub fn key(&self, secret: &str) -> Option<&Key> {
        let key = &self.keys[*self.key_by_hash.get(&keys::hash(secret))?];
        (!key.revoked).then_some(key)
    }

    /// The living user with this secret, as an index that `user_at` takes.
    pub fn user(&self, secret: &str) -> Option<&User> {
        let user = &self.users[*self.user_by_hash.get(&keys::hash(secret))?];
        (!user.revoked).then_some(user)
    }

    pub fn user_named(&self, name: &str) -> Option<&User> {
        self.users.iter().find(|user| user.name == name)
    }

    /// What an account holds, summed over the lines.
    pub fn holds(&self, account: &Account) -> i64 {
        self.lines
            .iter()
            .map(|line| match (&line.to == account, &line.from == account) {
                (true, false) => line.amount,
                (false, true) => -line.amount,
                _ => 0,
            })
            .sum()
    }
}
