//! Chooses contacts: best first, the better one of duplicates, and a maximum per company. Choosing is free and comes before
//! anything is spent; the review applies the limit itself, in `flow::unlock::quote`.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::firm;
use super::money;
use super::owned::Owned;
use super::row::{Known, Row};
use super::score::{Score, ScoreRules, Scorer};
use super::suppress::Suppression;
use super::traits::Traits;

/// What the settings of a profile say about choosing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choosing {
    pub card: Arc<ScoreRules>,
    /// Contacts of one company at most.
    pub per_company: Option<u32>,
    /// Of how many rows, from the first, the best are chosen.
    pub among: u64,
}

/// Of how many rows the best are chosen where nothing else is set.
pub const AMONG: u64 = 5_000;

impl Default for Choosing {
    fn default() -> Choosing {
        Choosing { card: Arc::default(), per_company: None, among: AMONG }
    }
}

/// One that may be chosen.
#[derive(Clone, Debug)]
pub struct Candidate<T> {
    pub item: T,
    pub score: i32,
    /// `None` where its company is not known: it is never one too many.
    pub firm: Option<String>,
    /// Two of one person are duplicates.
    pub person: Option<[String; 3]>,
}

/// What was chosen, and how many were not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection<T> {
    /// The best first; among equals the earlier one.
    pub items: Vec<T>,
    pub duplicates: usize,
    /// More of a company than wanted.
    pub beyond: usize,
}

/// Chooses up to `most`. `taken` says how many of each company were chosen before.
pub fn best<T>(
    mut candidates: Vec<Candidate<T>>,
    most: usize,
    per_company: Option<u32>,
    mut taken: HashMap<String, u32>,
) -> Selection<T> {
    // Stable: among equals the earlier one stays before the later.
    candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.score));
    let mut chosen = Selection { items: Vec::new(), duplicates: 0, beyond: 0 };
    let mut people = HashSet::new();
    for Candidate { item, firm, person, .. } in candidates {
        if chosen.items.len() == most {
            break;
        }
        if person.as_ref().is_some_and(|person| people.contains(person)) {
            chosen.duplicates += 1;
            continue;
        }
        if let (Some(firm), Some(limit)) = (firm, per_company) {
            let count = taken.entry(firm).or_default();
            if *count >= limit {
                chosen.beyond += 1;
                continue;
            }
            *count += 1;
        }
        people.extend(person);
        chosen.items.push(item);
    }
    chosen
}

/// What this profile wants of contacts.
#[derive(Clone, Debug, Default)]
pub struct ChoiceRules {
    pub scorer: Scorer,
    /// Contacts of one company at most, as it was last set.
    pub per_company: Option<u32>,
    among: u64,
    pub lists: Arc<Vec<Suppression>>,
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

#[cfg(test)]
mod tests {
    use super::*;

    fn candidate(item: u32, score: i32, firm: &str, name: &str) -> Candidate<u32> {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let person = text(name).map(|name| [name, String::new(), String::new()]);
        Candidate { item, score, firm: text(firm), person }
    }

    #[test]
    fn the_best_come_first_and_no_company_too_often() {
        let all = vec![
            candidate(1, 5, "a", ""),
            candidate(2, 9, "a", ""),
            candidate(3, 5, "a", ""),
            candidate(4, 5, "b", "Dana"),
            candidate(5, 7, "b", "Dana"),
            candidate(6, 0, "", ""),
            candidate(7, 0, "", ""),
        ];
        let none = HashMap::new;
        let chosen = best(all.clone(), 9, Some(2), none());
        assert_eq!(chosen, Selection { items: vec![2, 5, 1, 6, 7], duplicates: 1, beyond: 1 });
        assert_eq!(best(all.clone(), 3, None, none()).items, [2, 5, 1]);
        let before = HashMap::from([("a".to_owned(), 2)]);
        assert_eq!(best(all, 9, Some(2), before).items, [5, 6, 7]);
    }
}
