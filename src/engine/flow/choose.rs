//! Choosing contacts: what is left out, what a contact scores, and how many of one company are taken.
//!
//! All of it is decided on this side, for free, before a credit is spent. The rules themselves are plain values of the domain
//! (`domain::exclude`, `domain::score`, `domain::choose`); here is what they need to know besides: the suppression lists and
//! what is owned. The review applies the limit itself, in `flow::unlock::quote`.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use crate::effect::Suppression;
use crate::flow::unlock::{Lists, SuppressionCheck};
use lode_core::{
    Candidate, Choosing, ExclusionKind, ExclusionReason, Exclusions, Known, Owned, Phrase, Row, Score, Scorer,
    Selection, Side, Traits, choose::best, firm, money,
};

/// What this profile wants of contacts.
#[derive(Clone, Debug, Default)]
pub struct ChoiceRules {
    scorer: Scorer,
    /// Contacts of one company at most, as it was last set.
    pub per_company: Option<u32>,
    among: u64,
    lists: Arc<Vec<Suppression>>,
    /// Which reading of the ledger the owned companies are of.
    owned_as_of: Option<u64>,
}

impl ChoiceRules {
    pub fn new(choosing: &Choosing) -> ChoiceRules {
        let scorer = Scorer { card: Arc::clone(&choosing.card), ..Scorer::default() };
        ChoiceRules { scorer, per_company: choosing.per_company, among: choosing.among, ..ChoiceRules::default() }
    }

    /// The settings were changed. What was set by hand since then stays.
    pub fn set(&mut self, before: &Choosing, now: &Choosing) {
        if before.per_company != now.per_company {
            self.per_company = now.per_company;
        }
        self.among = now.among;
        self.scorer.card = Arc::clone(&now.card);
        self.owned_as_of = None;
    }

    pub fn merit(&self) -> &Scorer {
        &self.scorer
    }

    pub fn has_score(&self) -> bool {
        !self.scorer.card.is_empty()
    }

    pub fn score<'a>(&'a self, row: &Row) -> Score<'a> {
        self.scorer.score(&Traits::of(row))
    }

    pub fn total(&self, row: &Row) -> i32 {
        self.scorer.total(&Traits::of(row))
    }

    /// Of how many rows the best are chosen.
    pub fn among(&self) -> u64 {
        self.among.max(1)
    }

    pub fn lists(&self) -> &[Suppression] {
        &self.lists
    }

    pub fn set_lists(&mut self, lists: Arc<Vec<Suppression>>) {
        self.lists = lists;
    }

    /// Learns of which companies a contact is owned, if a rule asks for it and it has changed.
    pub fn set_owned<'a>(&mut self, as_of: u64, owned: impl Iterator<Item = &'a Owned>) {
        if self.owned_as_of == Some(as_of) || !self.scorer.card.asks_owned() {
            return;
        }
        self.owned_as_of = Some(as_of);
        let mut firms = HashSet::new();
        for owned in owned {
            let kind = owned.row.as_ref().map_or("", |row| row.known(Known::EmailDomainType));
            firms.extend(firm::key(&owned.contact.email, kind, &owned.contact.company_name));
            firms.extend(firm::key("", "", &owned.contact.company_name));
        }
        self.scorer.owned = Arc::new(firms);
    }

    /// Chooses up to `most` of these rows. `beside` are those that are in the basket already: each has a place of its company.
    pub fn choose<'a, 'b>(
        &self,
        rows: impl IntoIterator<Item = &'a Row>,
        most: usize,
        beside: impl IntoIterator<Item = &'b Row>,
    ) -> Selection<&'a Row> {
        let mut taken: HashMap<String, u32> = HashMap::new();
        if self.per_company.is_some() {
            for firm in beside.into_iter().filter_map(|row| Traits::of(row).firm()) {
                *taken.entry(firm).or_default() += 1;
            }
        }
        let candidate = |row: &'a Row| {
            let traits = Traits::of(row);
            Candidate { item: row, score: self.scorer.total(&traits), firm: traits.firm(), person: person(row) }
        };
        best(rows.into_iter().map(candidate).collect(), most, self.per_company, taken)
    }
}

/// The person of a row; two ids of one person are duplicates.
pub fn person(row: &Row) -> Option<[String; 3]> {
    money::person(&row.name(), row.known(Known::Company), row.email())
}

// Exclusions made quick to ask.

#[derive(Clone, Debug, Default)]
pub struct ExclusionFilter {
    of: Exclusions,
    phrases: Vec<(ExclusionKind, Phrase, String)>,
    /// By normalized name.
    companies: HashMap<String, String>,
    domains: HashMap<String, String>,
    /// Only those that are excluded.
    lists: Lists,
}

impl ExclusionFilter {
    pub fn new(of: &Exclusions, lists: &[Suppression]) -> ExclusionFilter {
        let mut exclusion_filter = ExclusionFilter { of: of.clone(), ..ExclusionFilter::default() };
        let mut named = Vec::new();
        for (kind, value) in of.iter() {
            let value = value.to_owned();
            match kind {
                ExclusionKind::Title | ExclusionKind::Word => {
                    exclusion_filter.phrases.extend(Phrase::new(&value).map(|phrase| (kind, phrase, value)));
                }
                ExclusionKind::Company => drop(exclusion_filter.companies.insert(firm::normal(&value), value)),
                ExclusionKind::Domain => drop(exclusion_filter.domains.insert(firm::comparable(&value), value)),
                ExclusionKind::List => named.extend(lists.iter().filter(|list| list.list == value).cloned()),
            }
        }
        exclusion_filter.lists = Lists::of(Arc::new(named));
        exclusion_filter
    }

    pub fn of(&self) -> &Exclusions {
        &self.of
    }

    pub fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    /// Why a row is left out; `None` where it is not.
    pub fn why(&self, side: Side, row: &Row) -> Option<ExclusionReason<'_>> {
        if self.is_empty() {
            return None;
        }
        self.names(&Traits::of(row)).or_else(|| match self.lists.check_row(side, row) {
            SuppressionCheck::Named(at) => {
                Some(ExclusionReason { kind: ExclusionKind::List, value: self.lists.list(at) })
            }
            SuppressionCheck::Clear | SuppressionCheck::Unchecked(..) => None,
        })
    }

    /// The same for a contact of which only the plain facts are known: lists are not asked.
    pub fn names(&self, traits: &Traits<'_>) -> Option<ExclusionReason<'_>> {
        let text = |kind: &ExclusionKind| if *kind == ExclusionKind::Title { traits.title } else { traits.company };
        let phrase = self.phrases.iter().find(|(kind, phrase, _)| phrase.is_in(text(kind)));
        if let Some((kind, _, value)) = phrase {
            return Some(ExclusionReason { kind: *kind, value });
        }
        if !self.companies.is_empty()
            && let Some(value) = self.companies.get(&firm::normal(traits.company))
        {
            return Some(ExclusionReason { kind: ExclusionKind::Company, value });
        }
        if self.domains.is_empty() {
            return None;
        }
        let found = [traits.email.rsplit_once('@').map_or("", |(_, domain)| domain), traits.website];
        let found =
            found.into_iter().filter_map(firm::domain).find_map(|domain| self.domain(&firm::comparable(&domain)));
        found.map(|value| ExclusionReason { kind: ExclusionKind::Domain, value })
    }

    /// `mail.acme.example` is of `acme.example`.
    fn domain(&self, domain: &str) -> Option<&str> {
        let mut parents = std::iter::successors(Some(domain), |rest| rest.split_once('.').map(|(_, parent)| parent));
        parents.find_map(|parent| self.domains.get(parent)).map(String::as_str)
    }
}

// How many of the rows that were read are left out: counted page by page, as they come.

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExcludedCounts {
    /// Rows and how many of them are left out, by the leg and where the page begins in it. A page that is read again counts once.
    pages: BTreeMap<(usize, u64), (u64, u64)>,
}

impl ExcludedCounts {
    pub fn page(&mut self, page: (usize, u64), rows: u64, excluded: u64) {
        self.pages.insert(page, (rows, excluded));
    }

    pub fn read(&self) -> u64 {
        self.pages.values().map(|(rows, _)| rows).sum()
    }

    pub fn excluded(&self) -> u64 {
        self.pages.values().map(|(_, excluded)| excluded).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::effect::store::SuppressEntry;
    use lode_core::contact::RowId;
    use lode_core::row::{CellKind as Json, ColumnNames};

    #[test]
    fn a_row_is_left_out_by_each_kind_and_says_why() {
        let lists = vec![
            Suppression { list: "dnc".to_owned(), entries: vec![SuppressEntry::Domain("harbor.example".to_owned())] },
            Suppression { list: "other".to_owned(), entries: vec![SuppressEntry::Domain("quail.example".to_owned())] },
        ];
        let mut not = Exclusions::default();
        for (kind, value) in [
            (ExclusionKind::Title, "intern"),
            (ExclusionKind::Word, "staffing"),
            (ExclusionKind::Company, "The Lakeside Inc."),
            (ExclusionKind::Domain, "acme.example"),
            (ExclusionKind::Domain, "bücher.example"),
            (ExclusionKind::List, "dnc"),
        ] {
            not.add(kind, value).unwrap();
        }
        let exclusion_filter = ExclusionFilter::new(&not, &lists);
        let columns = Arc::new(ColumnNames::new(["title", "company_name", "email_address", "company_website"]));
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
            let why = exclusion_filter.why(Side::default(), &row).map(|why| why.to_string());
            assert_eq!(why.as_deref(), expected, "{values:?}");
        }
    }
}
