//! Goal 8: how many rows a second the sandbox goes through on one core, by the kind of search. `cargo bench --bench scan` has more.

use lode_sandbox::corpus::{CorpusKind, SandboxCorpus};
use lode_sandbox::scan::{Engine, ScanQuery};

use super::said::{Goals, timed};

const ROWS: u64 = 80_000_000;
const TIMES: usize = 5;

pub fn measure(goals: &mut Goals) {
    let corpus = SandboxCorpus::new(CorpusKind::Us, 1, ROWS);
    let filter = |field, values: &[&str]| ScanQuery {
        clauses: vec![(field, values.iter().map(|value| (*value).to_owned()).collect())],
        dedup: true,
        ..ScanQuery::default()
    };
    let keyword = |words: &str| ScanQuery { query: Some(words.to_owned()), ..ScanQuery::default() };
    for (name, wanted) in [
        ("a state", filter("state", &["TX"])),
        ("an industry", filter("industry", &["hospital", "clinic"])),
        ("a keyword", keyword("engineer")),
        ("three keywords that occur everywhere", keyword("park an er")),
    ] {
        let best = (0..TIMES).map(|_| {
            // A new search: nothing is remembered.
            let engine = Engine::new(corpus.clone(), 1);
            let (found, took) = timed(|| engine.find(&wanted, &[], 0, 100, &|| false));
            assert!(found.is_some(), "the search was not canceled");
            took
        });
        let rows = best.min().map(|time| ROWS as f64 / time.as_secs_f64() / 1e6);
        goals.least(name, rows, 500.0, "million rows a second");
    }
}
