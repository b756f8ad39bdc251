//! The records of the service: who owns which contact, who has how many credits, who holds which key.
//!
//! They are a fold over `Event`s and nothing else, so that a sandbox can stop and continue from its journal. Credits are plain double
//! entry in whole numbers: a balance is never set, it is moved. The arithmetic is independent of the client's on purpose. What a
//! request *means* is decided elsewhere (`service`), as is the clock.

use std::collections::{BTreeMap, BTreeSet};

use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize, Serializer};
use strum::Display;

use crate::corpus::{CheckOutcome, CorpusKind};

/// One place per corpus.
#[derive(Clone, Debug, Default, Serialize)]
pub struct PerCorpus<T> {
    pub us: T,
    pub linkedin: T,
}

impl<T> PerCorpus<T> {
    pub fn of(&self, kind: CorpusKind) -> &T {
        [&self.us, &self.linkedin][kind as usize]
    }

    pub fn of_mut(&mut self, kind: CorpusKind) -> &mut T {
        if kind == CorpusKind::Us { &mut self.us } else { &mut self.linkedin }
    }
}

/// A contact that a workspace has paid for.
#[derive(Clone, Debug, Serialize)]
pub struct Purchase {
    pub verification: Option<CheckOutcome>,
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
    pub balance: i64,
    pub owned: PerCorpus<BTreeMap<u64, Purchase>>,
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
    hash: String,
    #[serde(skip)]
    pub(crate) next_saved: u64,
}

/// What can happen to the records: the lines of the journal. Read back in order they give the same records. `Reset` drops all that
/// went before it; the keys of the service follow from the number in `Founded`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum JournalEvent {
    Reset,
    Founded { identity: u64 },
    OrgFounded { id: String, name: String, plan: String },
    CreditsSet { at_ms: u64, org: String, credits: i64 },
    KeyMade { hash: String, name: String, prefix: String, org: String, scopes: Vec<String> },
    UserMade { hash: String, name: String },
    Revoked { name: String },
    Unlocked { at_ms: u64, org: String, by: String, call: u64, corpus: CorpusKind, contacts: Vec<Bought> },
    Spent { at_ms: u64, org: String, by: String, credits: i64 },
    Suppressed { corpus: CorpusKind, ids: Vec<u64> },
    Released { corpus: CorpusKind, ids: Vec<u64> },
    Pulled { user: String, corpus: CorpusKind, ids: Vec<u64> },
    Saved { user: String, id: u64, payload: serde_json::Value },
    SavedRemoved { user: String, ids: Vec<u64> },
}

/// One contact as it changed hands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Bought {
    pub id: u64,
    /// `None` if the check was turned off.
    pub verification: Option<CheckOutcome>,
    pub refunded: bool,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Display)]
#[strum(serialize_all = "lowercase")]
pub enum CreditAccount {
    /// Where credits come from: negative by as much as was ever granted.
    #[default]
    Issued,
    /// What a workspace can spend.
    #[strum(to_string = "credits:{0}")]
    Credits(String),
    /// What was spent and not returned.
    Sales,
}

impl Serialize for CreditAccount {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CreditKind {
    #[default]
    Grant,
    Withdrawal,
    /// One contact newly unlocked.
    Charge,
    /// One contact whose verification found it invalid or disposable.
    Refund,
    /// Spent elsewhere: another member, the web application.
    Spend,
}

/// One movement of credits between two accounts.
#[derive(Clone, Debug, Default, Serialize)]
pub struct CreditLine {
    /// 0 until it is posted.
    pub n: u64,
    pub at_ms: u64,
    pub from: CreditAccount,
    pub to: CreditAccount,
    pub amount: i64,
    pub what: CreditKind,
    pub org: String,
    /// Name of the key or member.
    pub by: String,
    /// Number of the request in the log; 0 where no request moved it.
    pub call: u64,
    pub corpus: Option<CorpusKind>,
    pub contact: Option<u64>,
}

#[derive(Clone, Debug, Default)]
pub struct Records {
    /// What the keys of this service follow from.
    pub(crate) identity: u64,
    pub(crate) orgs: BTreeMap<String, Org>,
    pub(crate) keys: Vec<Key>,
    pub(crate) users: Vec<User>,
    /// Put on the Do-Not-Sell list while the service runs, beside those who were on it from the start.
    pub suppressed: PerCorpus<BTreeSet<u64>>,
    lines: Vec<CreditLine>,
}

impl Records {
    pub fn org(&self, id: &str) -> Option<&Org> {
        self.orgs.get(id)
    }

    /// What a workspace can spend; 0 if there is none of this id.
    pub fn balance(&self, org: &str) -> i64 {
        self.org(org).map_or(0, |org| org.balance)
    }

    pub fn lines(&self) -> &[CreditLine] {
        &self.lines
    }

    /// The key with this secret, unless it was revoked.
    pub fn key(&self, secret: &str) -> Option<&Key> {
        let hash = key_hash(secret);
        self.keys.iter().rfind(|key| key.hash == hash).filter(|key| !key.revoked)
    }

    /// The user with this secret, unless it was revoked.
    pub fn user(&self, secret: &str) -> Option<&User> {
        let hash = key_hash(secret);
        self.users.iter().rfind(|user| user.hash == hash).filter(|user| !user.revoked)
    }

    pub fn user_named(&self, name: &str) -> Option<&User> {
        self.users.iter().find(|user| user.name == name)
    }

    /// The only place that changes the records.
    pub fn apply(&mut self, event: JournalEvent) {
        match event {
            JournalEvent::Reset => *self = Records::default(),
            JournalEvent::Founded { identity } => self.identity = identity,
            JournalEvent::OrgFounded { id, name, plan } => {
                let org = Org { id: id.clone(), name, plan, owned: PerCorpus::default(), balance: 0 };
                self.orgs.entry(id).or_insert(org);
            }
            JournalEvent::CreditsSet { at_ms, org, credits } => {
                let by = credits - self.balance(&org);
                let (issued, account) = (CreditAccount::Issued, CreditAccount::Credits(org.clone()));
                let (what, from, to) = match by {
                    0 => return,
                    1.. => (CreditKind::Grant, issued, account),
                    _ => (CreditKind::Withdrawal, account, issued),
                };
                let (amount, by) = (by.abs(), "service".to_owned());
                self.post(CreditLine { at_ms, amount, what, from, to, org, by, ..CreditLine::default() });
            }
            JournalEvent::KeyMade { hash, name, prefix, org, scopes } => {
                self.keys.push(Key { hash, name, prefix, org, scopes, revoked: false });
            }
            JournalEvent::UserMade { hash, name } => {
                let (pulled, saved) = (PerCorpus::default(), BTreeMap::new());
                self.users.push(User { hash, name, revoked: false, pulled, saved, next_saved: 1 });
            }
            JournalEvent::Revoked { name } => {
                self.keys.iter_mut().filter(|key| key.name == name).for_each(|key| key.revoked = true);
                self.users.iter_mut().filter(|user| user.name == name).for_each(|user| user.revoked = true);
            }
            JournalEvent::Unlocked { at_ms, org, by, call, corpus, contacts } => {
                let order = CreditLine { at_ms, org: org.clone(), by: by.clone(), call, ..CreditLine::default() };
                let (credits, sales) = (CreditAccount::Credits(org.clone()), CreditAccount::Sales);
                for Bought { id, verification, refunded } in contacts {
                    let one = CreditLine { amount: 1, corpus: Some(corpus), contact: Some(id), ..order.clone() };
                    let (from, to) = (credits.clone(), sales.clone());
                    self.post(CreditLine { from, to, what: CreditKind::Charge, ..one.clone() });
                    if refunded {
                        let (from, to) = (sales.clone(), credits.clone());
                        self.post(CreditLine { from, to, what: CreditKind::Refund, ..one });
                    }
                    if let Some(org) = self.orgs.get_mut(&org) {
                        let purchase = Purchase { verification, refunded, at_ms, by: by.clone() };
                        let before = org.owned.of_mut(corpus).insert(id, purchase);
                        assert!(before.is_none(), "contact {corpus:?}/{id} charged twice");
                    }
                }
            }
            JournalEvent::Spent { at_ms, org, by, credits: amount } => {
                let (from, to) = (CreditAccount::Credits(org.clone()), CreditAccount::Sales);
                let what = CreditKind::Spend;
                self.post(CreditLine { at_ms, from, to, amount, what, org, by, ..CreditLine::default() });
            }
            JournalEvent::Suppressed { corpus, ids } => self.suppressed.of_mut(corpus).extend(ids),
            JournalEvent::Released { corpus, ids } => self.suppressed.of_mut(corpus).retain(|id| !ids.contains(id)),
            JournalEvent::Pulled { user, corpus, ids } => {
                self.change_user(&user, |user| user.pulled.of_mut(corpus).extend(ids));
            }
            JournalEvent::Saved { user, id, payload } => self.change_user(&user, |user| {
                user.saved.insert(id, payload);
                user.next_saved = user.next_saved.max(id + 1);
            }),
            JournalEvent::SavedRemoved { user, ids } => {
                self.change_user(&user, |user| user.saved.retain(|id, _| !ids.contains(id)));
            }
        }
    }

    fn change_user(&mut self, name: &str, change: impl FnOnce(&mut User)) {
        self.users.iter_mut().find(|user| user.name == name).map(change);
    }

    fn post(&mut self, line: CreditLine) {
        assert!(line.amount > 0, "a line moves something");
        for (account, amount) in [(&line.to, line.amount), (&line.from, -line.amount)] {
            if let CreditAccount::Credits(org) = account
                && let Some(org) = self.orgs.get_mut(org)
            {
                org.balance += amount;
            }
        }
        self.lines.push(CreditLine { n: self.lines.len() as u64 + 1, ..line });
    }
}

// Keys are made once, shown once and kept only as a hash.

/// Every key of the workspace API begins with this.
const LIVE_PREFIX: &str = "lk_live_";
/// How many leading characters `key.prefix` shows.
const SHOWN: usize = LIVE_PREFIX.len() + 4;

pub(crate) fn key_hash(secret: &str) -> String {
    digest(&SHA256, secret.as_bytes()).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(crate) fn shown_part(secret: &str) -> String {
    secret.chars().take(SHOWN).collect()
}

/// A key of the workspace API that follows from `identity` and `name`: the same sandbox has the same keys after a restart.
pub(crate) fn workspace_key(identity: u64, name: &str) -> String {
    format!("{LIVE_PREFIX}{}", secret_characters(identity, "workspace", name))
}

pub(crate) fn data_key(identity: u64, name: &str) -> String {
    format!("dk_{}", secret_characters(identity, "data", name))
}

pub(crate) fn org_id(identity: u64, name: &str) -> String {
    format!("org_{}", secret_characters(identity, "org", name)[..10].to_lowercase())
}

fn secret_characters(identity: u64, service: &str, name: &str) -> String {
    const LETTERS: &[u8] = b"abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let bytes = digest(&SHA256, format!("{identity}/{service}/{name}").as_bytes());
    bytes.as_ref().iter().map(|byte| LETTERS[usize::from(*byte) % LETTERS.len()] as char).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held(records: &Records, account: &CreditAccount) -> i64 {
        let amount = |line: &CreditLine| match (&line.to == account, &line.from == account) {
            (true, false) => line.amount,
            (false, true) => -line.amount,
            _ => 0,
        };
        records.lines.iter().map(amount).sum()
    }

    fn founded() -> Records {
        let mut records = Records::default();
        records.apply(JournalEvent::OrgFounded { id: "org_1".into(), name: "Sandbox Inc".into(), plan: "demo".into() });
        records.apply(JournalEvent::CreditsSet { at_ms: 1, org: "org_1".into(), credits: 10 });
        records
    }

    fn bought(id: u64, refunded: bool) -> Bought {
        Bought { id, verification: Some(CheckOutcome::Valid), refunded }
    }

    #[test]
    fn every_credit_charged_or_refunded_is_a_line() {
        let mut records = founded();
        records.apply(JournalEvent::Unlocked {
            at_ms: 2,
            org: "org_1".into(),
            by: "key one".into(),
            call: 7,
            corpus: CorpusKind::Us,
            contacts: vec![bought(5, false), bought(6, true), bought(7, false)],
        });
        let of = |what| records.lines().iter().filter(|line| line.what == what).count();
        assert_eq!((of(CreditKind::Charge), of(CreditKind::Refund), of(CreditKind::Grant)), (3, 1, 1));
        assert!(
            records.lines().iter().filter(|line| line.contact.is_some()).all(|line| line.amount == 1 && line.call == 7)
        );
        assert_eq!(records.org("org_1").unwrap().balance, 8);
    }

    #[test]
    fn a_balance_is_the_sum_of_its_lines_and_all_accounts_sum_to_nothing() {
        let mut records = founded();
        records.apply(JournalEvent::Spent { at_ms: 3, org: "org_1".into(), by: "a member".into(), credits: 4 });
        records.apply(JournalEvent::CreditsSet { at_ms: 4, org: "org_1".into(), credits: 2 });
        records.apply(JournalEvent::CreditsSet { at_ms: 5, org: "org_1".into(), credits: 2 });
        let credits = held(&records, &CreditAccount::Credits("org_1".into()));
        assert_eq!(credits, 2);
        assert_eq!(credits, records.org("org_1").unwrap().balance);
        assert_eq!(credits + held(&records, &CreditAccount::Issued) + held(&records, &CreditAccount::Sales), 0);
    }

    #[test]
    #[should_panic(expected = "charged twice")]
    fn a_contact_cannot_be_charged_twice() {
        let mut records = founded();
        let event = JournalEvent::Unlocked {
            at_ms: 2,
            org: "org_1".into(),
            by: "key one".into(),
            call: 7,
            corpus: CorpusKind::Us,
            contacts: vec![bought(5, true)],
        };
        records.apply(event.clone());
        records.apply(event.clone());
    }

    #[test]
    fn a_key_begins_with_the_live_prefix_and_shows_its_leading_characters_only() {
        let key = workspace_key(1, "default");
        assert!(key.starts_with("lk_live_") && key.len() == 40);
        assert!(key.starts_with(&shown_part(&key)) && shown_part(&key).len() == 12);
        assert_eq!(key, workspace_key(1, "default"));
        assert_ne!(key, workspace_key(2, "default"));
        assert!(!key_hash(&key).contains(&key[8..]));
    }
}
