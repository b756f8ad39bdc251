//! Whether a suppression list names a contact that is still masked.
//!
//! A masked row shows the first letter and the domain of its email, and the area code and last two digits of its phone. A domain
//! entry can therefore be decided; an email entry can where the names tell who is meant. What a mask hides is *unchecked*, and
//! is not bought unless a person allows it. Reading lists is `list`; comparing names and phones is `same`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt;
use std::hash::Hash;

use crate::domain::contact::{RowId, Side};
use crate::domain::money::Staged;
use crate::domain::row::{Known, Row};
use crate::effect::store::{SuppressEntry, Suppression};

use super::list::is_domain;
use super::same::{self, Same};

/// Why a contact cannot be checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Unchecked {
    NoRow,
    NoDomain,
    Email,
    Phone,
    Person,
}

impl fmt::Display for Unchecked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Unchecked::NoRow => "only the id is known",
            Unchecked::NoDomain => "the row shows no domain",
            Unchecked::Email => "the masked email may be one of the list",
            Unchecked::Phone => "the masked phone may be one of the list",
            Unchecked::Person => "the row lacks the name or the company",
        })
    }
}

/// What the lists say of a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check<'a> {
    Clear,
    /// The list that names it.
    Named(&'a str),
    Unchecked(Unchecked),
}

/// What a row shows of a contact.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'a> {
    pub id: RowId,
    pub email: &'a str,
    pub phone: &'a str,
    pub name: &'a str,
    pub company: &'a str,
}

impl<'a> Shown<'a> {
    pub fn of(row: &'a Staged) -> Shown<'a> {
        Shown { id: row.id, email: &row.email, phone: &row.phone, name: &row.name, company: &row.company }
    }
}

/// Suppression lists, made quick to ask. A list is its place among `names`.
#[derive(Clone, Debug, Default)]
pub struct Lists {
    names: Vec<String>,
    contacts: HashMap<(Side, RowId), usize>,
    /// With their subdomains.
    domains: HashMap<String, usize>,
    exact_domains: HashMap<String, usize>,
    /// Local part, name and list, by domain.
    emails: HashMap<String, Vec<(String, String, usize)>>,
    phones: BTreeMap<String, Vec<(String, usize)>>,
    /// By name and company.
    people: HashMap<(String, String), usize>,
    people_names: HashSet<String>,
    people_companies: HashSet<String>,
}

/// The first list that names something keeps it.
fn take<K: Eq + Hash>(into: &mut HashMap<K, usize>, key: K, list: usize) {
    into.entry(key).or_insert(list);
}

impl Lists {
    pub fn of(suppressions: &[Suppression]) -> Lists {
        let mut lists = Lists::default();
        for suppression in suppressions {
            let list = lists.names.len();
            lists.names.push(suppression.list.clone());
            for entry in &suppression.entries {
                lists.add(entry, list);
            }
        }
        lists
    }

    fn add(&mut self, entry: &SuppressEntry, list: usize) {
        let domain = |domain: &str| domain.trim_start_matches('@').to_lowercase();
        match entry {
            SuppressEntry::Domain(named) => take(&mut self.domains, domain(named), list),
            SuppressEntry::ExactDomain(named) => take(&mut self.exact_domains, domain(named), list),
            SuppressEntry::Email { email, name } => {
                if let Some((local, domain)) = email.to_lowercase().rsplit_once('@') {
                    let entry = (local.to_owned(), name.clone(), list);
                    self.emails.entry(domain.to_owned()).or_default().push(entry);
                }
            }
            SuppressEntry::Phone { digits, name } => {
                self.phones.entry(digits.clone()).or_default().push((name.clone(), list));
            }
            SuppressEntry::Person { name, company } => {
                let (name, company) = (same::folded(name), same::folded(company));
                self.people_names.insert(name.clone());
                self.people_companies.insert(company.clone());
                take(&mut self.people, (name, company), list);
            }
            SuppressEntry::Contact(side, id) => take(&mut self.contacts, (*side, *id), list),
        }
    }

    /// What they say of the contact that a row shows.
    pub fn check_row(&self, side: Side, row: &Row) -> Check<'_> {
        if self.is_empty() {
            return Check::Clear;
        }
        let id = row.id().unwrap_or(RowId(i64::MIN));
        let (email, phone, company) = (row.email(), row.known(Known::Phone), row.known(Known::Company));
        self.check(side, Shown { id, email, phone, name: &row.name(), company })
    }

    pub fn is_empty(&self) -> bool {
        self.contacts.is_empty() && !self.asks_more_than_ids()
    }

    fn asks_addresses(&self) -> bool {
        !(self.domains.is_empty() && self.exact_domains.is_empty() && self.emails.is_empty())
    }

    fn asks_more_than_ids(&self) -> bool {
        self.asks_addresses() || !self.phones.is_empty() || !self.people.is_empty()
    }

    /// What the lists say of a row of this side.
    pub fn check(&self, side: Side, row: Shown<'_>) -> Check<'_> {
        if let Some(list) = self.contacts.get(&(side, row.id)) {
            return Check::Named(&self.names[*list]);
        }
        if !self.asks_more_than_ids() {
            return Check::Clear;
        }
        if [row.email, row.phone, row.name, row.company].into_iter().all(str::is_empty) {
            return Check::Unchecked(Unchecked::NoRow);
        }
        let checks = [self.by_address(row), self.by_phone(row), self.by_person(row)];
        let named = checks.iter().find(|check| matches!(check, Check::Named(_)));
        let found = named.or_else(|| checks.iter().find(|check| **check != Check::Clear));
        found.copied().unwrap_or(Check::Clear)
    }

    fn named(&self, list: Option<&usize>) -> Option<Check<'_>> {
        list.map(|list| Check::Named(&self.names[*list]))
    }

    fn by_address(&self, row: Shown<'_>) -> Check<'_> {
        if !self.asks_addresses() {
            return Check::Clear;
        }
        let email = row.email.trim().to_lowercase();
        let Some(Address { local, domain, whole_domain }) = Address::of(&email) else {
            return Check::Unchecked(Unchecked::NoDomain);
        };
        if let Some(named) = self.named(self.exact_domains.get(domain)) {
            return named;
        }
        // `mail.acme.example` is of `acme.example`.
        let parents = std::iter::successors(Some(domain), |rest| rest.split_once('.').map(|(_, parent)| parent));
        if let Some(named) = self.named(parents.into_iter().find_map(|parent| self.domains.get(parent))) {
            return named;
        }
        let mut found = if whole_domain { Check::Clear } else { Check::Unchecked(Unchecked::NoDomain) };
        for (entry, name, list) in self.emails.get(domain).into_iter().flatten() {
            match same::person(entry, name, local, row.name) {
                Same::Yes => return Check::Named(&self.names[*list]),
                Same::Perhaps => found = Check::Unchecked(Unchecked::Email),
                Same::No => {}
            }
        }
        found
    }

    fn by_phone(&self, row: Shown<'_>) -> Check<'_> {
        if self.phones.is_empty() || row.phone.is_empty() {
            return Check::Clear;
        }
        let Some((start, end)) = same::masked_phone(row.phone) else {
            let found = self.phones.get(&same::phone(row.phone));
            return found.and_then(|named| self.named(named.first().map(|(_, list)| list))).unwrap_or(Check::Clear);
        };
        let fitting = self.phones.range(start.clone()..).take_while(|(digits, _)| digits.starts_with(&start));
        let fits = |(digits, named): (&String, &Vec<(String, usize)>)| {
            let may_be = |name: &String| name.is_empty() || row.name.is_empty() || same::names(name, row.name);
            digits.len() >= start.len() + end.len()
                && digits.ends_with(&end)
                && named.iter().any(|(name, _)| may_be(name))
        };
        if fitting.into_iter().any(fits) { Check::Unchecked(Unchecked::Phone) } else { Check::Clear }
    }

    fn by_person(&self, row: Shown<'_>) -> Check<'_> {
        if self.people.is_empty() {
            return Check::Clear;
        }
        let (name, company) = (same::folded(row.name), same::folded(row.company));
        let lacks = match (name.is_empty(), company.is_empty()) {
            (true, true) => true,
            (true, false) => self.people_companies.contains(&company),
            (false, true) => self.people_names.contains(&name),
            (false, false) => false,
        };
        if lacks {
            return Check::Unchecked(Unchecked::Person);
        }
        self.named(self.people.get(&(name, company))).unwrap_or(Check::Clear)
    }
}

/// An email as far as its mask lets it be read, in lower case.
struct Address<'a> {
    local: &'a str,
    domain: &'a str,
    /// False where the mask ate the `@`, so that the domain may have begun earlier.
    whole_domain: bool,
}

impl Address<'_> {
    fn of(email: &str) -> Option<Address<'_>> {
        let (local, domain, whole_domain) = match email.rsplit_once('@') {
            Some((local, domain)) => (local, domain, true),
            None => {
                let (at, mask) = email.char_indices().rfind(|(_, c)| same::is_mask(*c))?;
                let end = at + mask.len_utf8();
                (&email[..end], &email[end..], false)
            }
        };
        is_domain(domain).then_some(Address { local, domain, whole_domain })
    }
}

/// Whether an email shows its domain, masked or whole.
pub fn shows_domain(email: &str) -> bool {
    Address::of(&email.trim().to_lowercase()).is_some_and(|address| address.whole_domain)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::money::About;
    use crate::flow::unlock::quote::known_by_id;

    fn lists() -> Lists {
        let customers = vec![
            SuppressEntry::Domain("Lakeside.example".to_owned()),
            SuppressEntry::ExactDomain("elm.example".to_owned()),
            SuppressEntry::email("Tom.Beckett@quailrun.example"),
            SuppressEntry::Email { email: "ops@quailrun.example".to_owned(), name: "Olga Petrov".to_owned() },
            SuppressEntry::Phone { digits: "5125550142".to_owned(), name: String::new() },
            SuppressEntry::Phone { digits: "7135550188".to_owned(), name: "Ruth Abara".to_owned() },
            SuppressEntry::Person { name: "Priya Raman".to_owned(), company: "St. Brendan Clinic".to_owned() },
        ];
        let dnc = vec![SuppressEntry::Contact(Side::default(), RowId(9))];
        let list = |list: &str, entries| Suppression { list: list.to_owned(), entries };
        Lists::of(&[list("customers", customers), list("dnc", dnc)])
    }

    fn check(row: &Staged) -> Result<Option<String>, Unchecked> {
        match lists().check(Side::default(), Shown::of(row)) {
            Check::Clear => Ok(None),
            Check::Named(list) => Ok(Some(list.to_owned())),
            Check::Unchecked(why) => Err(why),
        }
    }

    fn about(email: &str, name: &str) -> About {
        About { email: email.to_owned(), name: name.to_owned(), ..About::default() }
    }

    fn told(about: About) -> Staged {
        Staged::new(RowId(1), false, about)
    }

    fn row(email: &str, name: &str) -> Staged {
        told(about(email, name))
    }

    const CUSTOMERS: Result<Option<&str>, Unchecked> = Ok(Some("customers"));

    #[track_caller]
    fn is(row: &Staged, expected: Result<Option<&str>, Unchecked>) {
        assert_eq!(check(row), expected.map(|list| list.map(str::to_owned)), "{row:?}");
    }

    #[test]
    fn a_masked_row_is_known_by_its_domain() {
        is(&row("d•••@lakeside.example", "Dana Whitfield"), CUSTOMERS);
        is(&row("d•••@mail.lakeside.example", "Dana Whitfield"), CUSTOMERS);
        is(&row("d•••@notlakeside.example", "Dana Whitfield"), Ok(None));
        is(&row("d•••@elm.example", "Dana Whitfield"), CUSTOMERS);
        is(&row("d•••@mail.elm.example", "Dana Whitfield"), Ok(None));
    }

    #[test]
    fn a_masked_row_is_known_by_letter_domain_and_name() {
        is(&row("t•••@quailrun.example", "Tom Beckett"), CUSTOMERS);
        is(&row("t***@quailrun.example", "Tom Beckett"), CUSTOMERS);
        is(&row("t•••@quailrun.example", "Tara Olsen"), Ok(None));
        is(&row("t•••@quailrun.example", ""), Err(Unchecked::Email));
        is(&row("tom.beckett@quailrun.example", ""), CUSTOMERS);
        is(&row("tara@quailrun.example", "Tom Beckett"), Ok(None));
        is(&row("o•••@quailrun.example", "Olga Petrov"), CUSTOMERS);
        is(&row("o•••@quailrun.example", "Otto Klein"), Ok(None));
    }

    #[test]
    fn a_mask_without_a_domain_is_not_checked_and_may_still_be_named() {
        for email in ["", "d•••", "•••", "d•••@", "d•••@•••.example", "d•••@localhost", "d•••other.example"]
        {
            is(&row(email, "Dana Whitfield"), Err(Unchecked::NoDomain));
        }
        is(&row("d•••lakeside.example", "Dana Whitfield"), CUSTOMERS);
        is(&row("", ""), Err(Unchecked::NoRow));
    }

    #[test]
    fn a_phone_is_known_by_its_digits_and_a_masked_one_that_fits_is_not_checked() {
        let phone = |phone: &str, name: &str| {
            told(About { phone: phone.to_owned(), ..about("x•••@other.example", name) })
        };
        is(&phone("+1 (512) 555-0142", "Dana Whitfield"), CUSTOMERS);
        is(&phone("5125550143", "Dana Whitfield"), Ok(None));
        is(&phone("512•••42", "Dana Whitfield"), Err(Unchecked::Phone));
        is(&phone("512•••43", "Dana Whitfield"), Ok(None));
        is(&phone("713•••88", "Ruth Abara"), Err(Unchecked::Phone));
        is(&phone("713•••88", "Dana Whitfield"), Ok(None));
        is(&phone("713•••88", ""), Err(Unchecked::Phone));
    }

    #[test]
    fn a_name_counts_only_together_with_its_company() {
        let at = |name: &str, company: &str| {
            told(About { company: company.to_owned(), ..about("x•••@other.example", name) })
        };
        is(&at("PRIYA  Raman", "St Brendan Clinic"), CUSTOMERS);
        is(&at("Priya Raman", "Harbor Point"), Ok(None));
        is(&at("Priya Raman", ""), Err(Unchecked::Person));
        is(&at("", "St. Brendan Clinic"), Err(Unchecked::Person));
    }

    #[test]
    fn a_contact_can_be_named_itself() {
        is(&known_by_id(RowId(9)), Ok(Some("dnc")));
        let by_hand = SuppressEntry::Contact(Side::default(), RowId(9));
        let lists = Lists::of(&[Suppression { list: "by hand".to_owned(), entries: vec![by_hand] }]);
        assert_eq!(
            lists.check(Side::default(), Shown::of(&known_by_id(RowId(8)))),
            Check::Clear,
            "ids alone need no row"
        );
        assert!(!lists.is_empty() && Lists::default().is_empty());
    }
}
