//! How many rows of each block a search wants, remembered for the latest searches, so that a deep page does not scan again.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::wanted::{Field, Wanted};

/// Searches remembered. At full size one takes 5 KB.
const MOST: usize = 256;

#[derive(Default)]
pub(super) struct Kept {
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    counts: HashMap<Wanted, (u64, Arc<[u32]>)>,
    uses: u64,
}

impl Kept {
    pub(super) fn get(&self, wanted: &Wanted) -> Option<Arc<[u32]>> {
        let mut inner = self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        inner.uses += 1;
        let now = inner.uses;
        let (used, counts) = inner.counts.get_mut(wanted)?;
        *used = now;
        Some(counts.clone())
    }

    pub(super) fn keep(&self, wanted: Wanted, counts: Arc<[u32]>) {
        let mut inner = self.inner.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        inner.uses += 1;
        let now = inner.uses;
        inner.counts.insert(wanted, (now, counts));
        if inner.counts.len() > MOST {
            let oldest = inner.counts.iter().min_by_key(|(_, (used, _))| *used).map(|(wanted, _)| wanted.clone());
            if let Some(oldest) = oldest {
                inner.counts.remove(&oldest);
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
            kept.keep(search(&nth.to_string()), Arc::from([nth as u32]));
        }
        assert!(kept.get(&search("0")).is_some());
        kept.keep(search("one more"), Arc::from([1]));
        assert!(kept.get(&search("0")).is_some());
        assert!(kept.get(&search("1")).is_none());
        assert!(kept.get(&search("one more")).is_some());
    }
}
