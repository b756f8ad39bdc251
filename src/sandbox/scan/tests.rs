//! The engine against the plain reading of the rules: every row rendered, every rule asked of the text itself.

use std::borrow::Cow;

use proptest::prelude::*;

use crate::corpus::{CorpusKind, Person, SandboxCorpus};

use super::*;

const ALL_FIELDS: [ScanField; 22] = [
    "title", "industry", "company_name", "contact_name", "first_name", "last_name", "address", "city", "county",
    "state", "zip", "phone", "company_website", "sic_code", "naics_code", "email_address", "email_domain_type",
    "email_status", "title_level", "industry_group", "revenue", "employees",
];

/// The stored value of a column.
fn stored(field: ScanField, person: &Person) -> Cow<'_, str> {
    let text = match field {
        "contact_name" => return Cow::Owned(person.contact_name()),
        "title" => &person.title,
        "industry" => &person.industry,
        "company_name" => &person.company_name,
        "first_name" => &person.first_name,
        "last_name" => &person.last_name,
        "address" => &person.address,
        "city" => &person.city,
        "county" => &person.county,
        "state" => &person.state,
        "zip" => &person.zip,
        "phone" => &person.phone,
        "company_website" => &person.company_website,
        "sic_code" => &person.sic_code,
        "naics_code" => &person.naics_code,
        "email_address" => &person.email,
        "email_domain_type" => &person.email_domain_type,
        "email_status" => &person.email_status,
        "title_level" => &person.title_level,
        "industry_group" => &person.industry_group,
        "revenue" => &person.revenue,
        "employees" => &person.employees,
        other => unreachable!("{other} is not a column"),
    };
    Cow::Borrowed(text)
}

impl ScanQuery {
    /// Whether this row is asked for, suppression and ownership aside.
    pub fn meets(&self, person: &Person) -> bool {
        if self.dedup && person.original.is_some() {
            return false;
        }
        let words_occur = self.query.iter().flat_map(|query| query.split_whitespace()).all(|word| {
            let word = word.to_lowercase();
            let within = ["company_name", "first_name", "last_name", "title", "industry", "city", "county"];
            within.iter().any(|field| stored(field, person).to_lowercase().contains(&word))
                || person.state.to_lowercase() == word
        });
        words_occur
            && self.clauses.iter().all(|(field, values)| {
                let stored = stored(field, person);
                if matches_within(field) {
                    let stored = stored.to_lowercase();
                    values.iter().any(|value| stored.contains(&value.to_lowercase()))
                } else {
                    values.iter().any(|value| stored == value.as_str())
                }
            })
    }
}

fn never() -> bool {
    false
}

fn clause(field: ScanField, value: &str) -> (ScanField, Vec<String>) {
    (field, vec![value.to_owned()])
}

fn wanted(clauses: Vec<(ScanField, Vec<String>)>) -> ScanQuery {
    ScanQuery { clauses, ..ScanQuery::default() }
}

/// Every id that is wanted, the slow way.
fn plainly(corpus: &SandboxCorpus, people: &[Person], wanted: &ScanQuery, hidden: &[u64]) -> Vec<u64> {
    let shown =
        |person: &&Person| !corpus.suppressed(person.id) && !hidden.contains(&person.id) && wanted.meets(person);
    people.iter().filter(shown).map(|person| person.id).collect()
}

fn everyone(corpus: &SandboxCorpus) -> Vec<Person> {
    (1..=corpus.rows()).map(|id| corpus.person(id).unwrap()).collect()
}

/// A part of a text, cut between characters; the whole of it for `cut` 0.
fn part(text: &str, cut: u64) -> String {
    let letters: Vec<char> = text.chars().collect();
    if cut == 0 || letters.len() < 2 {
        return text.to_owned();
    }
    let from = cut as usize % (letters.len() - 1);
    let to = from + 1 + (cut as usize / 97) % (letters.len() - from);
    letters[from..to].iter().collect()
}

/// A filter with a match in the corpus, or nearly one.
fn filter() -> impl Strategy<Value = (usize, u64, u64, bool)> {
    (0..ALL_FIELDS.len(), 0..6_000u64, prop_oneof![Just(0), 1..100_000u64], any::<bool>())
}

fn read(people: &[Person], (field, who, cut, upper): (usize, u64, u64, bool)) -> (ScanField, Vec<String>) {
    let field = ALL_FIELDS[field];
    let person = &people[who as usize % people.len()];
    let cut = if matches_within(field) || cut % 5 == 0 { cut } else { 0 };
    let text = part(&stored(field, person), cut);
    clause(field, &if upper && matches_within(field) { text.to_uppercase() } else { text })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn the_engine_finds_what_the_plain_reading_finds(
        seed in 0..3u64,
        rows in 1..6_000u64,
        filters in prop::collection::vec(filter(), 1..3),
        second_industry in 0..6_000u64,
        dedup in any::<bool>(),
        hidden in prop::collection::btree_set(1..7_000u64, 0..300),
    ) {
        let corpus = SandboxCorpus::new(CorpusKind::Us, seed, rows);
        let people = everyone(&corpus);
        let mut clauses: Vec<_> = filters.into_iter().map(|filter| read(&people, filter)).collect();
        for (field, values) in &mut clauses {
            if *field == "industry" {
                values.push(people[second_industry as usize % people.len()].industry.to_string());
            }
        }
        let wanted = ScanQuery { query: None, clauses, dedup };
        let hidden: Vec<u64> = hidden.into_iter().collect();
        let found = Engine::new(corpus.clone(), 2).find(&wanted, &hidden, 0, u64::MAX, &never).unwrap();
        let plain = plainly(&corpus, &people, &wanted, &hidden);
        prop_assert_eq!(found.total, plain.len() as u64);
        prop_assert_eq!(found.ids, plain);
    }

    #[test]
    fn every_word_of_a_query_occurs(
        who in 0..4_000u64,
        words in prop::collection::vec((0..6usize, prop_oneof![Just(0), 1..100_000u64]), 1..4),
        dedup in any::<bool>(),
    ) {
        let corpus = SandboxCorpus::new(CorpusKind::Linkedin, 1, 4_000);
        let people = everyone(&corpus);
        let person = &people[who as usize];
        let fields = ["title", "company_name", "contact_name", "industry", "city", "state"];
        let words: Vec<String> = words.iter().map(|(field, cut)| part(&stored(fields[*field], person), *cut)).collect();
        let wanted = ScanQuery { query: Some(words.join(" ")), clauses: Vec::new(), dedup };
        let found = Engine::new(corpus.clone(), 1).find(&wanted, &[], 0, u64::MAX, &never).unwrap();
        prop_assert_eq!(found.ids, plainly(&corpus, &people, &wanted, &[]));
    }
}

/// Each filter on its own, with the value of a row that must come back; and with a value that no row has.
#[test]
fn every_field_finds_its_own_row() {
    let corpus = SandboxCorpus::new(CorpusKind::Us, 3, 3_000);
    let people = everyone(&corpus);
    let engine = Engine::new(corpus.clone(), 2);
    for field in ALL_FIELDS {
        for person in people.iter().step_by(487).filter(|person| !corpus.suppressed(person.id)) {
            let wanted = wanted(vec![clause(field, &stored(field, person))]);
            let found = engine.find(&wanted, &[], 0, u64::MAX, &never).unwrap();
            assert!(found.ids.contains(&person.id), "{field:?} of {person:?}");
            assert_eq!(found.ids, plainly(&corpus, &people, &wanted, &[]), "{wanted:?}");
        }
        let none = wanted(vec![clause(field, "@@ no contact has this @@")]);
        assert_eq!(engine.find(&none, &[], 0, 10, &never), Some(Found { total: 0, ids: vec![] }));
    }
}

#[test]
fn pages_follow_each_other_without_gap_or_repetition() {
    let corpus = SandboxCorpus::new(CorpusKind::Us, 6, 140_000);
    let engine = Engine::new(corpus, 2);
    let wanted = wanted(vec![clause("title", "engineer")]);
    let hidden: Vec<u64> = (1..140_000).step_by(41).collect();
    let all = engine.find(&wanted, &hidden, 0, u64::MAX, &never).unwrap();
    assert!(all.total > 3_000 && all.total == all.ids.len() as u64);
    assert!(all.ids.is_sorted_by(|a, b| a < b));
    for limit in [97, 1_000, 65_536, u64::MAX] {
        let mut pages = Vec::new();
        while (pages.len() as u64) < all.total {
            let page = engine.find(&wanted, &hidden, pages.len() as u64, limit, &never).unwrap();
            assert!(!page.ids.is_empty() && page.ids.len() as u64 <= limit && page.total == all.total);
            pages.extend(page.ids);
        }
        assert_eq!(pages, all.ids);
    }
    let mut walked = Vec::new();
    engine.walk(&wanted, &hidden, &mut |ids| {
        walked.extend_from_slice(ids);
        true
    });
    assert_eq!(walked, all.ids);
}

#[test]
fn walking_stops_when_told() {
    let engine = Engine::new(SandboxCorpus::new(CorpusKind::Us, 6, 200_000), 1);
    let mut blocks = 0;
    engine.walk(&ScanQuery::default(), &[], &mut |_| {
        blocks += 1;
        blocks < 2
    });
    assert_eq!(blocks, 2);
}

#[test]
fn the_far_end_of_the_full_corpus_is_near() {
    let corpus = SandboxCorpus::new(CorpusKind::Us, 1, 80_000_000);
    let engine = Engine::new(corpus.clone(), 1);
    for dedup in [false, true] {
        let everything = ScanQuery { dedup, ..ScanQuery::default() };
        // One row of each 32 repeats another; whether the last, shorter stretch has one depends on the seed.
        let strides = corpus.rows() / 32;
        let repeats = |id: u64| corpus.person(id).unwrap().original.is_some();
        let repeated = strides + (strides * 32 + 1..=corpus.rows()).filter(|id| repeats(*id)).count() as u64;
        let total = 80_000_000 - if dedup { repeated } else { 0 };
        let found = engine.find(&everything, &[], total - 100, 1_000, &never).unwrap();
        assert_eq!((found.total, found.ids.len()), (total, 100));
        let left_out = |id: &u64| corpus.suppressed(*id) || dedup && repeats(*id);
        let mut last: Vec<u64> = (1..=corpus.rows()).rev().filter(|id| !left_out(id)).take(100).collect();
        last.reverse();
        assert_eq!(found.ids, last);
        let beyond = engine.find(&everything, &[], 90_000_000, 100, &never).unwrap();
        assert_eq!((beyond.total, beyond.ids.len()), (total, 0));
    }
}

#[test]
fn hidden_ids_leave_the_result_and_the_total() {
    let corpus = SandboxCorpus::new(CorpusKind::Us, 2, 100_000);
    let engine = Engine::new(corpus, 1);
    let wanted = wanted(vec![clause("state", "TX")]);
    let all = engine.find(&wanted, &[], 0, u64::MAX, &never).unwrap();
    // The same id twice, ids that do not match and ids that do not exist change nothing.
    let mut hidden: Vec<u64> = all.ids.iter().copied().step_by(2).chain([1, 2, 3, 100_001, u64::MAX]).collect();
    hidden.push(hidden[0]);
    hidden.sort();
    let left = engine.find(&wanted, &hidden, 0, u64::MAX, &never).unwrap();
    let expected: Vec<u64> = all.ids.iter().copied().filter(|id| hidden.binary_search(id).is_err()).collect();
    assert_eq!(left.total, expected.len() as u64);
    assert_eq!(left.ids, expected);
}

#[test]
fn counts_are_those_of_searching_without_dedup() {
    for rows in [0, 1, 5_000, 65_536, 150_000] {
        let corpus = SandboxCorpus::new(CorpusKind::Linkedin, 5, rows);
        let engine = Engine::new(corpus, 3);
        let counts = engine.counts();
        assert_eq!(counts.total, engine.find(&ScanQuery::default(), &[], 0, 0, &never).unwrap().total);
        assert_eq!(counts.states.len(), 51);
        for (field, listed) in [("state", &counts.states), ("sic_code", &counts.sic)] {
            assert_eq!(listed.iter().map(|(_, _, rows)| rows).sum::<u64>(), counts.total);
            for (code, _, rows) in listed.iter().step_by(7) {
                let found = engine.find(&wanted(vec![clause(field, code)]), &[], 0, 0, &never).unwrap();
                assert_eq!(found.total, *rows, "{field:?} {code}");
            }
        }
    }
}

#[test]
fn a_scan_can_be_called_off() {
    let engine = Engine::new(SandboxCorpus::new(CorpusKind::Us, 1, 80_000_000), 2);
    let asked = std::cell::Cell::new(0);
    let canceled = || {
        asked.set(asked.get() + 1);
        asked.get() > 2
    };
    assert_eq!(engine.find(&wanted(vec![clause("state", "TX")]), &[], 0, 100, &canceled), None);
    assert_eq!(asked.get(), 3);
}

#[test]
fn a_known_search_is_not_scanned_again() {
    let engine = Engine::new(SandboxCorpus::new(CorpusKind::Us, 1, 500_000), 1);
    let asked = std::cell::Cell::new(0);
    let counting = || {
        asked.set(asked.get() + 1);
        false
    };
    let search = |offset| {
        asked.set(0);
        engine.find(&wanted(vec![clause("title", "nurse")]), &[], offset, 100, &counting).unwrap();
        asked.get()
    };
    let first = search(0);
    let second = search(10_000);
    assert!(first >= 8 && second <= 2, "asked {first} times, then {second}");
}

/// A filter of a megabyte must not keep a thread busy: no text of the corpora is that long.
#[test]
fn absurdly_long_values_find_nothing_at_once() {
    let engine = Engine::new(SandboxCorpus::new(CorpusKind::Us, 1, 80_000_000), 1);
    for value in [" ".repeat(1 << 20), "a ".repeat(1 << 19), format!("{}@inbox.example", "a".repeat(1 << 20))] {
        for field in ALL_FIELDS {
            let found =
                engine.find(&wanted(vec![clause(field, &value)]), &[], 0, 10, &|| panic!("nothing to scan for"));
            assert_eq!(found, Some(Found { total: 0, ids: vec![] }), "{field:?}");
        }
    }
}

#[test]
fn the_first_searches_people_try_find_something() {
    let engine = Engine::new(SandboxCorpus::new(CorpusKind::Us, 1, 200_000), 2);
    let nurses =
        wanted(vec![clause("title", "director of nursing"), ("industry", vec!["hospital".into(), "clinic".into()])]);
    let engineers = wanted(vec![clause("title", "engineer")]);
    let software = ScanQuery { query: Some("software engineer".into()), ..ScanQuery::default() };
    for (wanted, least) in [(nurses, 40), (engineers, 5_000), (software, 400)] {
        let found = engine.find(&wanted, &[], 0, 0, &never).unwrap();
        assert!(found.total >= least, "{wanted:?}: {}", found.total);
    }
}

#[test]
fn the_same_search_in_other_words_is_the_same() {
    let one = ScanQuery {
        query: Some(" Nurse  austin nurse".into()),
        clauses: vec![("title", vec!["Director".into()]), ("state", vec!["TX".into()])],
        dedup: true,
    };
    let other = ScanQuery {
        query: Some("AUSTIN nurse".into()),
        clauses: vec![("state", vec!["TX".into()]), ("title", vec!["director".into()])],
        dedup: true,
    };
    assert_eq!(one.canonical(), other.canonical());
    assert_ne!(one.canonical(), ScanQuery { dedup: false, ..other }.canonical());
}

#[test]
fn codes_keep_their_case() {
    let lower = ScanQuery { clauses: vec![("state", vec!["tx".into()])], ..ScanQuery::default() };
    let upper = ScanQuery { clauses: vec![("state", vec!["TX".into()])], ..ScanQuery::default() };
    assert_ne!(lower.canonical(), upper.canonical());
}

#[test]
fn the_search_that_was_not_used_for_longest_is_forgotten() {
    let engine = Engine::new(SandboxCorpus::new(CorpusKind::Us, 1, 100), 1);
    let search = |nth: usize| {
        let wanted = ScanQuery { query: Some(format!("a{nth}")), ..ScanQuery::default() };
        Arc::as_ptr(&engine.known(&wanted.canonical(), &never).unwrap())
    };
    let first = search(0);
    let second = search(1);
    (2..MOST_RECENT).for_each(|nth| assert!(!search(nth).is_null()));
    assert_eq!(search(0), first);
    search(MOST_RECENT);
    assert_eq!(search(0), first);
    let remembered = engine.recent.lock().unwrap();
    assert!(remembered.len() == MOST_RECENT && remembered.iter().all(|(_, known)| Arc::as_ptr(known) != second));
}
