//! Whether a row on the screen is on a suppression list. Asked for every visible row of every frame, so the common answer
//! (no) is found by two look-ups; the careful comparison of `flow::unlock::suppress` runs only where a list knows the domain.

use std::collections::HashSet;

use crate::domain::contact::{RowId, Side};
use crate::domain::money::{Clue, Staged};
use crate::domain::row::{Known, Row};
use crate::effect::store::{SuppressEntry, Suppression};
use crate::flow::unlock::suppress::Lists;

#[derive(Clone, Debug, Default)]
pub struct Suppressed {
    lists: Vec<Suppression>,
    domains: HashSet<String>,
    contacts: HashSet<(Side, RowId)>,
}

impl Suppressed {
    pub fn of(lists: Vec<Suppression>) -> Suppressed {
        let mut domains = HashSet::new();
        let mut contacts = HashSet::new();
        for entry in lists.iter().flat_map(|list| &list.entries) {
            match entry {
                SuppressEntry::Domain(domain) => {
                    domains.insert(domain.trim_start_matches('@').to_lowercase());
                }
                SuppressEntry::Email(email) => {
                    domains.extend(email.rsplit_once('@').map(|(_, domain)| domain.to_lowercase()));
                }
                SuppressEntry::Contact(side, id) => {
                    contacts.insert((*side, *id));
                }
            }
        }
        Suppressed { lists, domains, contacts }
    }

    pub fn lists(&self) -> &[Suppression] {
        &self.lists
    }

    pub fn names(&self, side: Side, row: &Row) -> bool {
        if self.lists.is_empty() {
            return false;
        }
        if row.id.is_some_and(|id| self.contacts.contains(&(side, id))) {
            return true;
        }
        let Some(domain) = row.email_domain().map(str::to_lowercase) else { return false };
        let mut rest = domain.as_str();
        loop {
            if self.domains.contains(rest) {
                break;
            }
            match rest.split_once('.') {
                Some((_, parent)) => rest = parent,
                None => return false,
            }
        }
        let staged = Staged {
            id: row.id.unwrap_or(RowId(i64::MIN)),
            ours: row.unlocked,
            email: row.email().to_owned(),
            phone: String::new(),
            name: row.name(),
            company: String::new(),
            email_status: row.known(Known::EmailStatus).to_owned(),
            clue: Clue::default(),
            row: String::new(),
        };
        Lists::of(&self.lists, side).naming(&staged).is_some()
    }
}
