//! Which contacts to take of many: the best first, of duplicates the better one, so many of each company at most.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::score::ScoreRules;

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
