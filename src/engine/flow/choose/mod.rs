//! Whom to buy: what is left out, what a contact scores, and how many of one company are taken.
//!
//! All of it is decided on this side, for free, before a credit is spent. The rules themselves are plain values of the domain
//! (`domain::exclude`, `domain::score`, `domain::choose`); here is what they need to know besides: the suppression lists and
//! what is owned. The review applies the limit itself, in `flow::unlock::quote`.

mod sieve;
mod sift;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use crate::effect::store::Suppression;
use lode_core::choose::{Candidate, Choosing, Chosen, best};
use lode_core::firm;
use lode_core::money;
use lode_core::owned::Owned;
use lode_core::row::{Known, Row};
use lode_core::score::{Merit, Score};
use lode_core::traits::Traits;

pub use sieve::Sieve;
pub use sift::Sift;

/// What this profile wants of contacts.
#[derive(Clone, Debug, Default)]
pub struct Taste {
    merit: Merit,
    /// Contacts of one company at most, as it was last set.
    pub per_company: Option<u32>,
    among: u64,
    lists: Arc<Vec<Suppression>>,
    /// Which reading of the ledger the owned companies are of.
    owned_as_of: Option<u64>,
}

impl Taste {
    pub fn new(choosing: &Choosing) -> Taste {
        let merit = Merit { card: Arc::clone(&choosing.card), ..Merit::default() };
        Taste { merit, per_company: choosing.per_company, among: choosing.among, ..Taste::default() }
    }

    /// The settings were changed. What was set by hand since then stays.
    pub fn set(&mut self, before: &Choosing, now: &Choosing) {
        if before.per_company != now.per_company {
            self.per_company = now.per_company;
        }
        self.among = now.among;
        self.merit.card = Arc::clone(&now.card);
        self.owned_as_of = None;
    }

    pub fn merit(&self) -> &Merit {
        &self.merit
    }

    pub fn has_score(&self) -> bool {
        !self.merit.card.is_empty()
    }

    pub fn score<'a>(&'a self, row: &Row) -> Score<'a> {
        self.merit.score(&Traits::of(row))
    }

    pub fn total(&self, row: &Row) -> i32 {
        self.merit.total(&Traits::of(row))
    }

    /// Of how many rows the best are chosen.
    pub fn among(&self) -> u64 {
        self.among.max(1)
    }

    pub fn lists(&self) -> &[Suppression] {
        &self.lists
    }

    pub fn know_lists(&mut self, lists: Arc<Vec<Suppression>>) {
        self.lists = lists;
    }

    /// Learns of which companies a contact is owned, if a rule asks for it and it has changed.
    pub fn know_owned<'a>(&mut self, as_of: u64, owned: impl Iterator<Item = &'a Owned>) {
        if self.owned_as_of == Some(as_of) || !self.merit.card.asks_owned() {
            return;
        }
        self.owned_as_of = Some(as_of);
        let mut firms = HashSet::new();
        for owned in owned {
            let kind = owned.row.as_ref().map_or("", |row| row.known(Known::EmailDomainType));
            firms.extend(firm::key(&owned.contact.email, kind, &owned.contact.company_name));
            firms.extend(firm::key("", "", &owned.contact.company_name));
        }
        self.merit.owned = Arc::new(firms);
    }

    /// Chooses up to `most` of these rows. `beside` are those that are in the basket already: each has a place of its company.
    pub fn choose<'a, 'b>(
        &self,
        rows: impl IntoIterator<Item = &'a Row>,
        most: usize,
        beside: impl IntoIterator<Item = &'b Row>,
    ) -> Chosen<&'a Row> {
        let mut taken: HashMap<String, u32> = HashMap::new();
        if self.per_company.is_some() {
            for firm in beside.into_iter().filter_map(|row| Traits::of(row).firm()) {
                *taken.entry(firm).or_default() += 1;
            }
        }
        let candidate = |row: &'a Row| {
            let traits = Traits::of(row);
            Candidate { item: row, score: self.merit.total(&traits), firm: traits.firm(), person: person(row) }
        };
        best(rows.into_iter().map(candidate).collect(), most, self.per_company, taken)
    }
}

/// The person of a row; two ids of one person are duplicates.
pub fn person(row: &Row) -> Option<[String; 3]> {
    money::person(&row.name(), row.known(Known::Company), row.email())
}
