//! How many rows a second the sandbox goes through, for the kinds of search it scans for: on one core and on all of them.
//!
//! `cargo bench --bench scan`; every sample is a search that was never made before, so nothing is remembered.

use divan::Bencher;
use divan::counter::ItemsCount;
use lode_sandbox::corpus::{CorpusKind, SandboxCorpus};
use lode_sandbox::scan::{Engine, ScanField, ScanQuery};

const ROWS: u64 = 80_000_000;

fn main() {
    divan::main();
}

fn clause(field: ScanField, value: &str) -> (ScanField, Vec<String>) {
    (field, vec![value.to_owned()])
}

fn keyword(words: &str) -> ScanQuery {
    ScanQuery { query: Some(words.to_owned()), ..ScanQuery::default() }
}

fn filters(clauses: Vec<(ScanField, Vec<String>)>) -> ScanQuery {
    ScanQuery { clauses, dedup: true, ..ScanQuery::default() }
}

fn threads() -> Vec<usize> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    if all == 1 { vec![1] } else { vec![1, all] }
}

fn first_page(bencher: Bencher, threads: usize, wanted: &ScanQuery) {
    let corpus = SandboxCorpus::new(CorpusKind::Us, 1, ROWS);
    bencher
        .counter(ItemsCount::new(ROWS))
        .with_inputs(|| Engine::new(corpus.clone(), threads))
        .bench_values(|engine| engine.find(wanted, &[], 0, 100, &|| false));
}

#[divan::bench(args = threads(), sample_count = 10)]
fn a_keyword(bencher: Bencher, threads: usize) {
    first_page(bencher, threads, &keyword("engineer"));
}

#[divan::bench(args = threads(), sample_count = 10)]
fn three_keywords_that_occur_everywhere(bencher: Bencher, threads: usize) {
    first_page(bencher, threads, &keyword("park an er"));
}

#[divan::bench(args = threads(), sample_count = 10)]
fn an_industry(bencher: Bencher, threads: usize) {
    first_page(bencher, threads, &filters(vec![("industry", vec!["hospital".into(), "clinic".into()])]));
}

#[divan::bench(args = threads(), sample_count = 10)]
fn a_state(bencher: Bencher, threads: usize) {
    first_page(bencher, threads, &filters(vec![clause("state", "TX")]));
}

#[divan::bench(args = threads(), sample_count = 10)]
fn a_company(bencher: Bencher, threads: usize) {
    first_page(bencher, threads, &filters(vec![clause("company_name", "lakeside")]));
}

#[divan::bench(args = threads(), sample_count = 10)]
fn title_industry_state_and_type(bencher: Bencher, threads: usize) {
    let wanted = filters(vec![
        clause("title", "director of nursing"),
        ("industry", vec!["hospital".into(), "clinic".into()]),
        clause("state", "TX"),
        clause("email_domain_type", "corporate"),
    ]);
    first_page(bencher, threads, &wanted);
}

#[divan::bench(args = threads(), sample_count = 10)]
fn counts(bencher: Bencher, threads: usize) {
    let corpus = SandboxCorpus::new(CorpusKind::Us, 1, ROWS);
    bencher
        .counter(ItemsCount::new(ROWS))
        .with_inputs(|| Engine::new(corpus.clone(), threads))
        .bench_values(|engine| engine.counts());
}

/// A page of a search that was counted before, anywhere in its result.
#[divan::bench(args = [0, 4_000_000], sample_count = 100)]
fn a_page_of_a_known_search(bencher: Bencher, offset: u64) {
    let engine = Engine::new(SandboxCorpus::new(CorpusKind::Us, 1, ROWS), 4);
    let wanted = keyword("engineer");
    engine.find(&wanted, &[], 0, 0, &|| false);
    bencher.bench(|| engine.find(&wanted, &[], offset, 100, &|| false));
}

#[divan::bench(sample_count = 100)]
fn the_far_end_of_everything(bencher: Bencher) {
    let engine = Engine::new(SandboxCorpus::new(CorpusKind::Us, 1, ROWS), 4);
    bencher.bench(|| engine.find(&ScanQuery::default(), &[], 79_900_000, 100, &|| false));
}

#[divan::bench(sample_count = 100)]
fn a_hundred_rows(bencher: Bencher) {
    let corpus = SandboxCorpus::new(CorpusKind::Us, 1, ROWS);
    bencher
        .counter(ItemsCount::new(100u64))
        .bench(|| (1_000_000..1_000_100).filter_map(|id| corpus.person(id)).count());
}
