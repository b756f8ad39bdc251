//! What is known of the latest searches, so that a deep page of one of them neither asks the dictionaries nor scans again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::plan::Plan;
use super::wanted::{Field, Wanted};

/// Searches remembered. At full size one takes 5 KB, and 8 KB for each axis that each of its words concerns.
const MOST: usize = 64;

/// A search once it was made.
pub(super) struct Known {
    pub(super) plan: Plan,
    /// How many rows of each block are wanted.
    pub(super) counts: Vec<u32>,
}

#[derive(Default)]
pub(super) struct Kept {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    known: HashMap<Wanted, (u64, Arc<Known>)>,
    uses: u64,
}

impl Kept {
    pub(super) fn get(&self, wanted: &Wanted) -> Option<Arc<Known>> {
        let mut inner = self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        inner.uses += 1;
        let now = inner.uses;
        let (used, known) = inner.known.get_mut(wanted)?;
        *used = now;
        Some(known.clone())
    }

    pub(super) fn keep(&self, wanted: Wanted, known: Arc<Known>) {
        let mut inner = self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        inner.uses += 1;
        let now = inner.uses;
        inner.known.insert(wanted, (now, known));
        if inner.known.len() > MOST {
            let oldest = inner.known.iter().min_by_key(|(_, (used, _))| *used).map(|(wanted, _)| wanted.clone());
            if let Some(oldest) = oldest {
                inner.known.remove(&oldest);
            }
        }
    }
}

/// The same search always in the same words, however it was written.
pub(super) fn canonical(wanted: &Wanted) -> Wanted {
    let mut words: Vec<String> =
        wanted.query.iter().flat_map(|query| query.split_whitespace()).map(str::to_lowercase).collect();
    words.sort();
    words.dedup();
    let mut clauses: Vec<(Field, Vec<String>)> = wanted
        .clauses
        .iter()
        .map(|(field, values)| {
            let same = |value: &String| if field.matches_within() { value.to_lowercase() } else { value.clone() };
            let mut values: Vec<String> = values.iter().map(same).collect();
            values.sort();
            values.dedup();
            (*field, values)
        })
        .collect();
    clauses.sort();
    clauses.dedup();
    Wanted { query: (!words.is_empty()).then(|| words.join(" ")), clauses, dedup: wanted.dedup }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn search(query: &str) -> Wanted {
        Wanted { query: Some(query.to_owned()), ..Wanted::default() }
    }

    fn known(rows: u32) -> Arc<Known> {
        Arc::new(Known { plan: Plan::All, counts: vec![rows] })
    }

    #[test]
    fn the_same_search_in_other_words_is_the_same() {
        let one = Wanted {
            query: Some(" Nurse  austin nurse".into()),
            clauses: vec![(Field::Title, vec!["Director".into()]), (Field::State, vec!["TX".into()])],
            dedup: true,
        };
        let other = Wanted {
            query: Some("AUSTIN nurse".into()),
            clauses: vec![(Field::State, vec!["TX".into()]), (Field::Title, vec!["director".into()])],
            dedup: true,
        };
        assert_eq!(canonical(&one), canonical(&other));
        assert_ne!(canonical(&one), canonical(&Wanted { dedup: false, ..other }));
    }

    #[test]
    fn codes_keep_their_case() {
        let lower = Wanted { clauses: vec![(Field::State, vec!["tx".into()])], ..Wanted::default() };
        let upper = Wanted { clauses: vec![(Field::State, vec!["TX".into()])], ..Wanted::default() };
        assert_ne!(canonical(&lower), canonical(&upper));
    }

    #[test]
    fn what_was_not_used_for_longest_is_forgotten() {
        let kept = Kept::default();
        for nth in 0..MOST {
            kept.keep(search(&nth.to_string()), known(nth as u32));
        }
        assert!(kept.get(&search("0")).is_some());
        kept.keep(search("one more"), known(1));
        assert!(kept.get(&search("0")).is_some());
        assert!(kept.get(&search("1")).is_none());
        assert!(kept.get(&search("one more")).is_some());
    }
}
