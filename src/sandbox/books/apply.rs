//! What an event does to the books. The only place that changes them.

use std::collections::BTreeMap;

use super::event::{Bought, Event};
use super::lines::{Account, Line, What};
use super::{Books, Key, Org, Owned, PerCorpus, User};
use crate::corpus::Kind;

impl Books {
    pub fn apply(&mut self, event: &Event) {
        match event {
            Event::Reset => *self = Books::default(),
            Event::Founded { identity } => self.identity = *identity,
            Event::OrgFounded { id, name, plan } => {
                let org = Org {
                    id: id.clone(),
                    name: name.clone(),
                    plan: plan.clone(),
                    owned: PerCorpus::default(),
                    balance: 0,
                };
                self.orgs.entry(id.clone()).or_insert(org);
            }
            Event::CreditsSet { at_ms, org, credits } => {
                let by = credits - self.orgs.get(org).map_or(0, Org::balance);
                let (from, to) = (Account::Issued, Account::Credits(org.clone()));
                let line = Line { at_ms: *at_ms, amount: by.abs(), ..Line::of(org) };
                match by {
                    0 => {}
                    1.. => self.post(Line { from, to, what: What::Grant, ..line }),
                    _ => self.post(Line { from: to, to: from, what: What::Withdrawal, ..line }),
                }
            }
            Event::KeyMade { hash, name, prefix, org, scopes } => {
                self.key_by_hash.insert(hash.clone(), self.keys.len());
                self.keys.push(Key {
                    hash: hash.clone(),
                    name: name.clone(),
                    prefix: prefix.clone(),
                    org: org.clone(),
                    scopes: scopes.clone(),
                    revoked: false,
                });
            }
            Event::UserMade { hash, name } => {
                self.user_by_hash.insert(hash.clone(), self.users.len());
                self.users.push(User {
                    name: name.clone(),
                    revoked: false,
                    pulled: PerCorpus::default(),
                    saved: BTreeMap::new(),
                    next_saved: 1,
                });
            }
            Event::Revoked { name } => {
                self.keys.iter_mut().filter(|key| key.name == *name).for_each(|key| key.revoked = true);
                self.users.iter_mut().filter(|user| user.name == *name).for_each(|user| user.revoked = true);
            }
            Event::Unlocked { at_ms, org, by, call, corpus, contacts } => {
                self.unlocked(*at_ms, org, by, *call, *corpus, contacts);
            }
            Event::Spent { at_ms, org, by, credits } => self.post(Line {
                at_ms: *at_ms,
                from: Account::Credits(org.clone()),
                to: Account::Sales,
                amount: *credits,
                what: What::Spend,
                by: by.clone(),
                ..Line::of(org)
            }),
            Event::Suppressed { corpus, ids } => self.suppressed.of_mut(*corpus).extend(ids),
            Event::Released { corpus, ids } => self.suppressed.of_mut(*corpus).retain(|id| !ids.contains(id)),
            Event::Pulled { user, corpus, ids } => {
                let Some(user) = self.user_mut(user) else { return };
                user.pulled.of_mut(*corpus).extend(ids);
            }
            Event::Saved { user, id, payload } => {
                let Some(user) = self.user_mut(user) else { return };
                user.saved.insert(*id, payload.clone());
                user.next_saved = user.next_saved.max(id + 1);
            }
            Event::SavedRemoved { user, ids } => {
                let Some(user) = self.user_mut(user) else { return };
                user.saved.retain(|id, _| !ids.contains(id));
            }
        }
    }

    fn user_mut(&mut self, name: &str) -> Option<&mut User> {
        self.users.iter_mut().find(|user| user.name == name)
    }

    fn unlocked(&mut self, at_ms: u64, org: &str, by: &str, call: u64, kind: Kind, contacts: &[Bought]) {
        for contact in contacts {
            let (by, corpus) = (by.to_owned(), Some(kind));
            let line = Line { at_ms, by: by.clone(), call, corpus, contact: Some(contact.id), ..Line::of(org) };
            let (credits, sales) = (Account::Credits(org.to_owned()), Account::Sales);
            self.post(Line { from: credits.clone(), to: sales.clone(), what: What::Charge, ..line.clone() });
            if contact.refunded {
                self.post(Line { from: sales, to: credits, what: What::Refund, ..line });
            }
            let owned = Owned { verification: contact.verification, refunded: contact.refunded, at_ms, by };
            if let Some(org) = self.orgs.get_mut(org) {
                let before = org.owned.of_mut(kind).insert(contact.id, owned);
                assert!(before.is_none(), "contact {kind:?}/{} charged twice", contact.id);
            }
        }
    }

    fn post(&mut self, line: Line) {
        assert!(line.amount > 0, "a line moves something");
        for (account, amount) in [(&line.to, line.amount), (&line.from, -line.amount)] {
            if let Account::Credits(org) = account
                && let Some(org) = self.orgs.get_mut(org)
            {
                org.balance += amount;
            }
        }
        self.lines.push(Line { n: self.lines.len() as u64 + 1, ..line });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Verification;

    fn founded() -> Books {
        let mut books = Books::default();
        books.apply(&Event::OrgFounded { id: "org_1".into(), name: "Sandbox Inc".into(), plan: "demo".into() });
        books.apply(&Event::CreditsSet { at_ms: 1, org: "org_1".into(), credits: 10 });
        books
    }

    fn bought(id: u64, refunded: bool) -> Bought {
        Bought { id, verification: Some(Verification::Valid), refunded }
    }

    #[test]
    fn every_credit_charged_or_refunded_is_a_line() {
        let mut books = founded();
        books.apply(&Event::Unlocked {
            at_ms: 2,
            org: "org_1".into(),
            by: "key one".into(),
            call: 7,
            corpus: Kind::Us,
            contacts: vec![bought(5, false), bought(6, true), bought(7, false)],
        });
        let of = |what| books.lines().iter().filter(|line| line.what == what).count();
        assert_eq!((of(What::Charge), of(What::Refund), of(What::Grant)), (3, 1, 1));
        assert!(
            books.lines().iter().filter(|line| line.contact.is_some()).all(|line| line.amount == 1 && line.call == 7)
        );
        assert_eq!(books.org("org_1").unwrap().balance(), 8);
    }

    #[test]
    fn a_balance_is_the_sum_of_its_lines_and_all_accounts_sum_to_nothing() {
        let mut books = founded();
        books.apply(&Event::Spent { at_ms: 3, org: "org_1".into(), by: "a member".into(), credits: 4 });
        books.apply(&Event::CreditsSet { at_ms: 4, org: "org_1".into(), credits: 2 });
        books.apply(&Event::CreditsSet { at_ms: 5, org: "org_1".into(), credits: 2 });
        let credits = books.holds(&Account::Credits("org_1".into()));
        assert_eq!(credits, 2);
        assert_eq!(credits, books.org("org_1").unwrap().balance());
        assert_eq!(credits + books.holds(&Account::Issued) + books.holds(&Account::Sales), 0);
    }

    #[test]
    #[should_panic(expected = "charged twice")]
    fn a_contact_cannot_be_charged_twice() {
        let mut books = founded();
        let event = Event::Unlocked {
            at_ms: 2,
            org: "org_1".into(),
            by: "key one".into(),
            call: 7,
            corpus: Kind::Us,
            contacts: vec![bought(5, true)],
        };
        books.apply(&event);
        books.apply(&event);
    }
}
