//! Exclusions made quick to ask.

use std::collections::HashMap;
use std::sync::Arc;

use crate::effect::store::Suppression;
use crate::flow::unlock::suppress::{Check, Lists};
use lode_core::contact::Side;
use lode_core::exclude::{Exclusions, Kind, Why};
use lode_core::firm;
use lode_core::phrase::Phrase;
use lode_core::row::Row;
use lode_core::traits::Traits;

#[derive(Clone, Debug, Default)]
pub struct Sieve {
    of: Exclusions,
    phrases: Vec<(Kind, Phrase, String)>,
    /// By normalized name.
    companies: HashMap<String, String>,
    domains: HashMap<String, String>,
    /// Only those that are excluded.
    lists: Lists,
}

impl Sieve {
    pub fn new(of: &Exclusions, lists: &[Suppression]) -> Sieve {
        let mut sieve = Sieve { of: of.clone(), ..Sieve::default() };
        let mut named = Vec::new();
        for (kind, value) in of.iter() {
            let value = value.to_owned();
            match kind {
                Kind::Title | Kind::Word => {
                    sieve.phrases.extend(Phrase::new(&value).map(|phrase| (kind, phrase, value)));
                }
                Kind::Company => drop(sieve.companies.insert(firm::normal(&value), value)),
                Kind::Domain => drop(sieve.domains.insert(firm::comparable(&value), value)),
                Kind::List => named.extend(lists.iter().filter(|list| list.list == value).cloned()),
            }
        }
        sieve.lists = Lists::of(Arc::new(named));
        sieve
    }

    pub fn of(&self) -> &Exclusions {
        &self.of
    }

    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Why a row is left out; `None` where it is not.
    pub fn why(&self, side: Side, row: &Row) -> Option<Why<'_>> {
        if self.is_empty() {
            return None;
        }
        self.names(&Traits::of(row)).or_else(|| match self.lists.check_row(side, row) {
            Check::Named(at) => Some(Why { kind: Kind::List, value: self.lists.list(at) }),
            Check::Clear | Check::Unchecked(..) => None,
        })
    }

    /// The same for a contact of which only the plain facts are known: lists are not asked.
    pub fn names(&self, traits: &Traits<'_>) -> Option<Why<'_>> {
        let text = |kind: &Kind| if *kind == Kind::Title { traits.title } else { traits.company };
        let phrase = self.phrases.iter().find(|(kind, phrase, _)| phrase.is_in(text(kind)));
        if let Some((kind, _, value)) = phrase {
            return Some(Why { kind: *kind, value });
        }
        if !self.companies.is_empty()
            && let Some(value) = self.companies.get(&firm::normal(traits.company))
        {
            return Some(Why { kind: Kind::Company, value });
        }
        if self.domains.is_empty() {
            return None;
        }
        let found = [traits.email.rsplit_once('@').map_or("", |(_, domain)| domain), traits.website];
        let found =
            found.into_iter().filter_map(firm::domain).find_map(|domain| self.domain(&firm::comparable(&domain)));
        found.map(|value| Why { kind: Kind::Domain, value })
    }

    /// `mail.acme.example` is of `acme.example`.
    fn domain(&self, domain: &str) -> Option<&str> {
        let mut parents = std::iter::successors(Some(domain), |rest| rest.split_once('.').map(|(_, parent)| parent));
        parents.find_map(|parent| self.domains.get(parent)).map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::store::SuppressEntry;
    use lode_core::contact::RowId;
    use lode_core::row::{Columns, Kind as Json};

    #[test]
    fn a_row_is_left_out_by_each_kind_and_says_why() {
        let lists = vec![
            Suppression { list: "dnc".to_owned(), entries: vec![SuppressEntry::Domain("harbor.example".to_owned())] },
            Suppression { list: "other".to_owned(), entries: vec![SuppressEntry::Domain("quail.example".to_owned())] },
        ];
        let mut not = Exclusions::default();
        for (kind, value) in [
            (Kind::Title, "intern"),
            (Kind::Word, "staffing"),
            (Kind::Company, "The Lakeside Inc."),
            (Kind::Domain, "acme.example"),
            (Kind::Domain, "bücher.example"),
            (Kind::List, "dnc"),
        ] {
            not.add(kind, value).unwrap();
        }
        let sieve = Sieve::new(&not, &lists);
        let columns = Arc::new(Columns::new(["title", "company_name", "email_address", "company_website"]));
        for (values, expected) in [
            (["Nurse Intern", "Elm", "", ""], Some("excluded: title has intern")),
            (["Nurse", "Apex Staffing, LLC", "", ""], Some("excluded: company has staffing")),
            (["Nurse", "LAKESIDE", "", ""], Some("excluded: company The Lakeside Inc.")),
            (["Nurse", "Lakeside Regional", "", ""], None),
            (["Nurse", "Elm", "d•••@mail.acme.example", ""], Some("excluded: domain acme.example")),
            (["Nurse", "Elm", "d•••@notacme.example", ""], None),
            (["Nurse", "Elm", "", "https://www.acme.example/x"], Some("excluded: domain acme.example")),
            (["Nurse", "Elm", "d•••@xn--bcher-kva.example", ""], Some("excluded: domain bücher.example")),
            (["Nurse", "Elm", "d•••@harbor.example", ""], Some("excluded: list dnc")),
            (["Nurse", "Elm", "d•••@quail.example", ""], None),
        ] {
            let row = Row::new(Some(RowId(1)), false, Arc::clone(&columns), values.map(|value| (Json::Text, value)));
            let why = sieve.why(Side::default(), &row).map(|why| why.to_string());
            assert_eq!(why.as_deref(), expected, "{values:?}");
        }
    }
}
