//! Free looks for contacts of which nothing but the id is known, in a corpus that is not quite in the order of its ids.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::Arc;

use common::sandbox_engine::Said;
use lode_core::Page;
use lode_core::contact::{Corpus, RowId};
use lode_core::money::Clue;
use lode_core::row::{ColumnNames, Row};
use lode_core::time::{Mono, Now};
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::desk::{Arrival, Desk, Owner};
use lode_engine::flow::free_check::{FreeCheck, Observation, WantedContact};
use lode_engine::flow::retry::RetryPolicy;

use common::flow_simulation::{FlowSimulation, Machine};
use common::flow_simulation::{profile, stores};

struct Looker {
    desk: Desk,
    look: FreeCheck,
}

impl Looker {
    fn take(&mut self, arrival: &Arrival, now: Now, fx: &mut Vec<Effect>) {
        self.look.handle(arrival, &mut self.desk.at(now, fx));
    }
}

impl Machine for Looker {
    fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) {
        if let Some((_, arrival)) = self.desk.handle(answer, now, fx) {
            self.take(&arrival, now, fx);
        }
    }

    fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) {
        for (_, arrival) in self.desk.wake(now, fx) {
            self.take(&arrival, now, fx);
        }
    }

    fn deadline(&self) -> Option<Mono> {
        self.desk.deadline()
    }
}

/// Looks for these ids in a service that has its contacts in this order. Returns what was seen, and how many requests it took.
fn look(corpus: &[i64], page: u64, wanted: &[i64]) -> (Vec<Observation>, u32) {
    look_for(corpus, page, wanted, None)
}

/// The same for contacts whose masked rows had a title and a state, where `filtered` answers a search with filters by their number.
fn look_for(
    corpus: &[i64],
    page: u64,
    wanted: &[i64],
    filtered: Option<fn(usize) -> &'static [i64]>,
) -> (Vec<Observation>, u32) {
    let columns = Arc::new(ColumnNames::new(["id"]));
    let row = |id: &i64| Row::new(Some(RowId(*id)), false, Arc::clone(&columns), []);
    let asked = Cell::new(0);
    let service = |call: &Call, _| {
        let Call::Search(search) = call else { panic!("a look only searches") };
        asked.set(asked.get() + 1);
        let ids = match search.query.filters().count() {
            0 => corpus,
            filters => filtered.expect("nothing else is known of them")(filters),
        };
        let limit = search.limit.min(page);
        let rows = ids.iter().skip(search.offset as usize).take(limit as usize).map(row).collect();
        let (total, offset) = (ids.len() as u64, search.offset);
        Said::After(20, Ok(Reply::Page(Page { total, uncounted: false, limit, offset, took_ms: Some(1), rows })))
    };
    let word = |word: &str| if filtered.is_some() { word.to_owned() } else { String::new() };
    let clue = Clue { title: word("Nurse"), state: word("TX"), ..Clue::default() };
    let wanted_contact = WantedContact { clue, ..WantedContact::default() };
    let ids: BTreeMap<RowId, WantedContact> = wanted.iter().map(|id| (RowId(*id), wanted_contact.clone())).collect();
    let mut looker = Looker {
        desk: Desk::new(&profile("w0"), RetryPolicy::Shell, 3),
        look: FreeCheck::new(Owner::Caller, Corpus::Us, ids),
    };
    let mut sim = FlowSimulation::new(1, stores(1), service);
    let mut fx = Vec::new();
    looker.look.go(&mut looker.desk.at(sim.moment(), &mut fx));
    sim.perform(0, &mut fx);
    sim.run(&mut [&mut looker], u64::MAX);
    drop(sim);
    assert!(looker.look.is_over() && looker.look.trouble.is_none());
    assert_eq!(looker.look.requests, asked.get());
    (wanted.iter().map(|id| looker.look.seen(RowId(*id)).clone()).collect(), asked.get())
}

/// Ascending ids, but here and there two neighbors change places, and 102 is gone.
fn nearly_ascending(many: i64) -> Vec<i64> {
    let mut ids: Vec<i64> = (1..=many).collect();
    for at in (99..many as usize - 1).step_by(3) {
        ids.swap(at, at + 1);
    }
    ids.retain(|id| *id != 102);
    ids
}

#[test]
fn a_contact_that_is_gone_keeps_no_other_from_being_found() {
    let corpus = nearly_ascending(40_000);
    let (seen, requests) = look(&corpus, 25, &[102, 161, 171, 30_171]);
    assert_eq!(seen[1..], [Observation::Locked, Observation::Locked, Observation::Locked]);
    assert_eq!(seen[0], Observation::Unseen, "where the order does not hold, nothing is proved");
    assert!(requests < 60, "{requests}");
}

#[test]
fn a_small_corpus_is_read_whole() {
    let corpus = nearly_ascending(178);
    let (seen, requests) = look(&corpus, 6, &[102, 161, 171]);
    assert!(
        matches!(&seen[0], Observation::Absent(evidence) if evidence.words.contains("read completely")),
        "{seen:?}"
    );
    assert_eq!(seen[1..], [Observation::Locked, Observation::Locked]);
    assert!(requests < 60, "{requests}");
}

#[test]
fn a_corpus_in_no_order_is_soon_given_up() {
    let mut corpus: Vec<i64> = (1..=40_000).collect();
    corpus.sort_by_key(|id| id * 7_919 % 40_009);
    let wanted: Vec<i64> = (1..=50).map(|at| at * 700).collect();
    let (_, requests) = look(&corpus, 25, &wanted);
    assert!(requests < 40, "{requests}");
}

/// A service whose index is down answers a filtered search with nothing. That does not prove that a contact is gone.
#[test]
fn an_empty_search_proves_that_a_contact_is_gone_only_where_its_filters_return_rows() {
    let mut corpus: Vec<i64> = (1..=40_000).collect();
    corpus.sort_by_key(|id| id * 7_919 % 40_009);
    let seen = |filtered| look_for(&corpus, 25, &[102], Some(filtered)).0.remove(0);
    assert_eq!(seen(|_| &[]), Observation::Unseen);
    let absent = seen(|filters| if filters == 2 { &[] } else { &[7, 8] });
    assert!(
        matches!(&absent, Observation::Absent(_)),
        "title and state each return rows, both together none: {absent:?}"
    );
    let absent = seen(|_| &[7, 8, 9]);
    assert!(matches!(&absent, Observation::Absent(_)), "other rows show that the search works: {absent:?}");
    assert_eq!(seen(|filters| if filters == 2 { &[] } else { &[102] }), Observation::Locked);
}
