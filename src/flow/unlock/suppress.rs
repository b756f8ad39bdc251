//! Whether a suppression list names a contact that is still masked.
//!
//! A masked row shows its first letter and its whole domain. A domain entry can therefore be decided; an e-mail entry can
//! when letter and domain agree and the entry's local part speaks of the same person. Reading lists is `list`.

use std::collections::BTreeMap;

use crate::domain::contact::{RowId, Side};
use crate::domain::money::Staged;
use crate::effect::store::{SuppressEntry, Suppression};

/// The lists of a profile, made quick to ask.
pub struct Lists<'a> {
    domains: BTreeMap<String, &'a str>,
    /// Local parts and lists, by domain.
    emails: BTreeMap<String, Vec<(String, &'a str)>>,
    contacts: BTreeMap<RowId, &'a str>,
}

impl<'a> Lists<'a> {
    pub fn of(suppressions: &'a [Suppression], side: Side) -> Lists<'a> {
        let mut lists = Lists { domains: BTreeMap::new(), emails: BTreeMap::new(), contacts: BTreeMap::new() };
        for suppression in suppressions {
            for entry in &suppression.entries {
                let list = suppression.list.as_str();
                match entry {
                    SuppressEntry::Domain(domain) => {
                        lists.domains.entry(domain.trim_start_matches('@').to_lowercase()).or_insert(list);
                    }
                    SuppressEntry::Email(email) => {
                        if let Some((local, domain)) = email.to_lowercase().rsplit_once('@') {
                            lists.emails.entry(domain.to_owned()).or_default().push((local.to_owned(), list));
                        }
                    }
                    SuppressEntry::Contact(on, id) if *on == side => {
                        lists.contacts.entry(*id).or_insert(list);
                    }
                    SuppressEntry::Contact(..) => {}
                }
            }
        }
        lists
    }

    /// The first list that names the row.
    pub fn naming(&self, row: &Staged) -> Option<&'a str> {
        if let Some(list) = self.contacts.get(&row.id) {
            return Some(list);
        }
        let email = row.email.to_lowercase();
        let (local, domain) = email.rsplit_once('@')?;
        // `mail.acme.example` is of `acme.example`.
        let mut rest = domain;
        loop {
            if let Some(list) = self.domains.get(rest) {
                return Some(list);
            }
            match rest.split_once('.') {
                Some((_, parent)) => rest = parent,
                None => break,
            }
        }
        let named = self.emails.get(domain)?.iter().find(|(entry, _)| same_person(entry, local, &row.name));
        named.map(|(_, list)| *list)
    }
}

fn same_person(entry: &str, local: &str, name: &str) -> bool {
    if !local.contains('•') {
        return entry == local;
    }
    let letter = local.chars().next();
    if entry.chars().next() != letter || letter == Some('•') {
        return false;
    }
    let name = name.to_lowercase();
    name.split(|c: char| !c.is_alphanumeric()).any(|part| part.chars().count() > 2 && entry.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::unlock::quote::known_by_id;

    fn lists() -> Vec<Suppression> {
        vec![
            Suppression {
                list: "customers.csv".to_owned(),
                entries: vec![
                    SuppressEntry::Domain("Lakeside.example".to_owned()),
                    SuppressEntry::Email("Tom.Beckett@quailrun.example".to_owned()),
                ],
            },
            Suppression {
                list: "dnc.csv".to_owned(),
                entries: vec![SuppressEntry::Contact(Side::default(), RowId(9))],
            },
        ]
    }

    fn named(id: i64, email: &str, name: &str) -> Option<String> {
        let row = Staged { email: email.to_owned(), name: name.to_owned(), ..known_by_id(RowId(id)) };
        Lists::of(&lists(), Side::default()).naming(&row).map(str::to_owned)
    }

    #[test]
    fn a_masked_row_is_known_by_its_domain() {
        assert_eq!(named(1, "d•••@lakeside.example", "Dana Whitfield").as_deref(), Some("customers.csv"));
        assert_eq!(named(1, "d•••@mail.lakeside.example", "Dana Whitfield").as_deref(), Some("customers.csv"));
        assert_eq!(named(1, "d•••@notlakeside.example", "Dana Whitfield"), None);
    }

    #[test]
    fn a_masked_row_is_known_by_letter_domain_and_name() {
        assert_eq!(named(1, "t•••@quailrun.example", "Tom Beckett").as_deref(), Some("customers.csv"));
        assert_eq!(named(1, "t•••@quailrun.example", "Tara Olsen"), None, "another t at the same house");
        assert_eq!(named(1, "tom.beckett@quailrun.example", "").as_deref(), Some("customers.csv"));
        assert_eq!(named(1, "tara@quailrun.example", "Tom Beckett"), None, "whole addresses are compared whole");
    }

    #[test]
    fn a_contact_can_be_named_itself() {
        assert_eq!(named(9, "", "").as_deref(), Some("dnc.csv"));
        assert_eq!(named(8, "", ""), None);
    }
}
