//! Which accounts a row may be of: looked up by its domain and its name, so that a corpus is read once whatever the length of the
//! list.

use std::collections::{BTreeSet, HashMap};

use lode_core::firm;
use lode_core::row::{Known, Row};

use super::accounts::Account;
use super::judge::domain_of;

/// Places of accounts in the list.
#[derive(Clone, Debug, Default)]
pub struct Index {
    domains: HashMap<String, Vec<usize>>,
    spellings: HashMap<String, Vec<usize>>,
    /// By the first word of a name.
    words: HashMap<String, Vec<usize>>,
}

impl Index {
    pub fn of(accounts: &[Account]) -> Index {
        let mut index = Index::default();
        for (at, account) in accounts.iter().enumerate() {
            if let Some(domain) = &account.domain {
                index.domains.entry(firm::comparable(domain)).or_default().push(at);
            }
            if let Some(word) = account.normal.split(' ').next().filter(|word| !word.is_empty()) {
                index.words.entry(word.to_owned()).or_default().push(at);
                for spelling in firm::spellings(&account.normal) {
                    index.spellings.entry(spelling).or_default().push(at);
                }
            }
        }
        index
    }

    /// The accounts that a row is of, or is like.
    pub fn accounts(&self, row: &Row) -> BTreeSet<usize> {
        let name = firm::normal(row.known(Known::Company));
        let mut found = BTreeSet::new();
        let mut add = |places: Option<&Vec<usize>>| found.extend(places.into_iter().flatten().copied());
        add(domain_of(row).and_then(|domain| self.domains.get(&firm::comparable(&domain))));
        if !name.is_empty() {
            add(name.split(' ').next().and_then(|word| self.words.get(word)));
            for spelling in firm::spellings(&name) {
                add(self.spellings.get(&spelling));
            }
        }
        found
    }
}
