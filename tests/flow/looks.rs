//! Free looks for contacts of which nothing but the id is known, in a corpus that is not quite in the order of its ids.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use common::sandbox_engine::Said;
use lode_core::Page;
use lode_core::contact::{Corpus, RowId, Source};
use lode_core::filter::Filter;
use lode_core::money::Clue;
use lode_core::query::Query;
use lode_core::row::{ColumnNames, Row};
use lode_core::time::{Mono, Now};
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::store::{ShownIn, StoreReply};
use lode_engine::effect::{Answer, Effect, Ticket};
use lode_engine::flow::desk::{Arrival, Desk, Owner};
use lode_engine::flow::free_check::{FreeCheck, Observation, WantedContact, at_least};
use lode_engine::flow::retry::RetryPolicy;

use crate::desktop::{DATA, US};
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
    let clue = match filtered {
        Some(_) => Clue { title: "Nurse".to_owned(), state: "TX".to_owned(), ..Clue::default() },
        None => Clue::default(),
    };
    let wanted: Vec<_> =
        wanted.iter().map(|id| (*id, WantedContact { clue: clue.clone(), ..Default::default() })).collect();
    let looked = looks(&wanted, page, |query| match query.filters().count() {
        0 => corpus.to_vec(),
        filters => filtered.expect("nothing else is known of them")(filters).to_vec(),
    });
    (looked.seen, looked.requests)
}

#[derive(Debug)]
struct Looked {
    /// In the order of the contacts.
    seen: Vec<Observation>,
    requests: u32,
    /// What was searched for, and from which row on.
    searches: Vec<(String, u64)>,
    look: FreeCheck,
}

/// Looks for contacts, with what is known of each, in a service that finds these rows.
fn looks(wanted: &[(i64, WantedContact)], page: u64, finds: impl Fn(&Query) -> Vec<i64>) -> Looked {
    let looked = looks_at(wanted, page, |query| Ok(finds(query)));
    assert_eq!(looked.look.trouble, None);
    looked
}

/// The same in a service that may fail.
fn looks_at(wanted: &[(i64, WantedContact)], page: u64, finds: impl Fn(&Query) -> Result<Vec<i64>, Failure>) -> Looked {
    let columns = Arc::new(ColumnNames::new(["id"]));
    let row = |id: &i64| Row::new(Some(RowId(*id)), false, Arc::clone(&columns), []);
    let searches = RefCell::new(Vec::new());
    let service = |call: &Call, _| {
        let Call::Search(search) = call else { panic!("a look only searches") };
        assert_eq!(search.query.side, US);
        searches.borrow_mut().push((search.query.words(), search.offset));
        let ids = match finds(&search.query) {
            Ok(ids) => ids,
            Err(failure) => return Said::After(20, Err(failure)),
        };
        let limit = search.limit.min(page);
        let rows = ids.iter().skip(search.offset as usize).take(limit as usize).map(row).collect();
        let (total, offset) = (ids.len() as u64, search.offset);
        Said::After(20, Ok(Reply::Page(Page { total, uncounted: false, limit, offset, took_ms: Some(1), rows })))
    };
    let ids: BTreeMap<RowId, WantedContact> = wanted.iter().map(|(id, wanted)| (RowId(*id), wanted.clone())).collect();
    let mut looker = Looker {
        desk: Desk::new(&profile("w0"), RetryPolicy::Shell, 3),
        look: FreeCheck::new(Owner::Caller, Corpus::Us, ids),
    };
    let mut sim = FlowSimulation::new(1, stores(1), service);
    let mut fx = Vec::new();
    looker.look.go(&mut looker.desk.at(sim.moment(), &mut fx));
    assert_eq!(looker.look.is_over(), fx.is_empty());
    sim.perform(0, &mut fx);
    while sim.step(&mut [&mut looker], u64::MAX) {
        assert!(sim.in_flight.len() <= 4, "a look leaves room for others");
    }
    drop(sim);
    let (look, searches) = (looker.look, searches.into_inner());
    assert!(look.is_over());
    let seen: Vec<Observation> = wanted.iter().map(|(id, _)| look.seen(RowId(*id)).clone()).collect();
    let found = seen.iter().filter(|seen| **seen != Observation::Unseen).count();
    assert_eq!(look.progress(), (found, wanted.len()));
    Looked { seen, requests: searches.len() as u32, searches, look }
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
    assert_eq!(requests, 9, "three ways of three pages each");
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
    let clue = Clue { title: "Nurse".to_owned(), state: "TX".to_owned(), ..Clue::default() };
    for working in ["Nurse", "TX"] {
        let looked = looks(&[(102, WantedContact { clue: clue.clone(), ..WantedContact::default() })], 25, |query| {
            match (query.filters().count(), query.words().contains(working)) {
                (0, _) => corpus.clone(),
                (1, true) => vec![7, 8],
                _ => Vec::new(),
            }
        });
        assert_eq!(looked.seen[0], Observation::Unseen, "only the filter {working} returns rows");
    }
}

fn by(values: &[(Filter, &str)]) -> Query {
    let mut query = Query::new(US);
    values.iter().for_each(|(filter, value)| query.set(*filter, value).unwrap());
    query
}

fn shown(query: &Query, offset: u64) -> ShownIn {
    ShownIn { canonical: query.canonical(), offset }
}

fn shown_in(searches: &[ShownIn]) -> WantedContact {
    WantedContact { shown: searches.to_vec(), ..WantedContact::default() }
}

/// The way to an id is guessed from those that were seen, and each guess is a request.
#[test]
fn where_ids_ascend_each_is_found_or_proved_to_be_gone_with_a_few_requests() {
    let even: Vec<i64> = (1..=40_000).map(|at| at * 10).collect();
    let mut odd: Vec<i64> = (1..=40_000).map(|at| at * at).collect();
    odd.extend([2_000_000_000, i64::MAX - 1]);
    for (corpus, wanted, takes) in [
        (&even, 10, 1),
        (&even, 400_000, 2),
        (&even, 123_450, 4),
        (&even, 399_990, 2),
        (&odd, 1, 1),
        (&odd, 40_000 * 40_000, 2),
        (&odd, 2_000_000_000, 2),
        (&odd, i64::MAX - 1, 2),
        (&odd, 20_000 * 20_000, 4),
    ] {
        let (seen, requests) = look(corpus, 25, &[wanted]);
        assert_eq!((&seen[0], requests), (&Observation::Locked, takes), "{wanted}");
    }
    for (corpus, gone, takes) in [
        (&even, 5, 1),
        (&even, 123_455, 4),
        (&even, 400_001, 2),
        (&odd, 20_000 * 20_000 + 1, 4),
        (&odd, 1_999_999_999, 2),
        (&odd, -7, 1),
    ] {
        let (seen, requests) = look(corpus, 25, &[gone]);
        let Observation::Absent(evidence) = &seen[0] else { panic!("{gone}: {seen:?}") };
        let words = format!("the unfiltered search lists the ids around {gone}, but not this one");
        assert_eq!((&evidence.words, evidence.wavers, requests), (&words, false, takes));
    }
}

#[test]
fn a_contact_is_looked_for_first_on_the_page_that_showed_it() {
    let nurses = by(&[(Filter::Title, "Nurse")]);
    let ids: Vec<i64> = (1..=200).collect();
    let on_page = shown_in(&[shown(&nurses, 100)]);
    let looked = looks(&[(101, on_page.clone()), (102, on_page.clone())], 25, |_| ids.clone());
    assert_eq!(looked.seen, [Observation::Locked, Observation::Locked]);
    assert_eq!(looked.searches, [(nurses.words(), 100)], "one request for both");
    // Where owned rows were hidden, or on another side, that page is another one.
    let mut hiding = nurses.clone();
    hiding.hide_owned = true;
    for elsewhere in [hiding, Query::new(DATA)] {
        let looked = looks(&[(101, shown_in(&[shown(&elsewhere, 100)]))], 25, |_| ids.clone());
        assert_eq!((&looked.seen[0], &looked.searches[0]), (&Observation::Locked, &("all contacts".to_owned(), 0)));
    }
    let gone = WantedContact { was_absent: true, ..on_page };
    let looked = looks(&[(101, gone)], 25, |_| ids.clone());
    assert_eq!(looked.searches[0], ("all contacts".to_owned(), 0), "the last check did not find it there");
}

#[test]
fn what_a_look_takes_at_least_is_told_before() {
    let (nurses, doctors) = (by(&[(Filter::Title, "Nurse")]), by(&[(Filter::Title, "Doctor")]));
    let clue = Clue { title: "Nurse".to_owned(), ..Clue::default() };
    let narrow = WantedContact { clue, ..WantedContact::default() };
    let cost = |wanted: &[(i64, WantedContact)]| {
        let wanted = wanted.iter().map(|(id, wanted)| (RowId(*id), wanted.clone())).collect();
        at_least(Corpus::Us, &wanted)
    };
    assert_eq!(cost(&[]), 0);
    assert_eq!(cost(&[(1, WantedContact::default()), (2, WantedContact::default())]), 2);
    assert_eq!(cost(&[(1, narrow.clone()), (2, narrow.clone())]), 1, "one search for both");
    let (first, second) = (shown_in(&[shown(&nurses, 0)]), shown_in(&[shown(&doctors, 0)]));
    let all = [(1, first.clone()), (2, first), (3, second), (4, narrow), (5, WantedContact::default())];
    assert_eq!(cost(&all), 4, "two pages, a narrow search and a way through all contacts");
}

#[test]
fn a_narrow_search_asks_for_all_that_the_masked_row_said() {
    let clue = Clue {
        title: "Nurse".to_owned(),
        title_level: "Manager".to_owned(),
        state: "TX".to_owned(),
        industry: "Hospitals, Clinics".to_owned(),
        email_domain_type: "Business".to_owned(),
        search: None,
    };
    let wanted = WantedContact { clue, ..WantedContact::default() };
    let looked = looks(&[(7, wanted)], 25, |_| vec![7]);
    let words = &looked.searches[0].0;
    // A level is searched for among contacts of LinkedIn only.
    assert_eq!(words, "title: Nurse · industry: Hospitals or Clinics · state: TX · type: Business");
    assert_eq!((&looked.seen[0], looked.requests), (&Observation::Locked, 1));
}

/// Rows of other people show that the search works, and a search of two pages needs a request more.
#[test]
fn a_narrow_search_is_read_whole_only_where_its_contact_has_requests_enough_for_that() {
    let corpus: Vec<i64> = (1..=40_000).map(|at| at * 7_919 % 40_009).collect();
    let clue = Clue { title: "Nurse".to_owned(), ..Clue::default() };
    let seen = |found: i64, taken: u32| {
        let wanted = WantedContact { clue: clue.clone(), spent: taken, ..WantedContact::default() };
        let nurses = move |query: &Query| {
            if query.is_unfiltered() { corpus.clone() } else { (50_000..50_000 + found).collect() }
        };
        let looked = looks(&[(50_000 - 1, wanted)], 10, nurses);
        let spent: Vec<_> = looked.look.spent().collect();
        assert_eq!(spent.len(), 1);
        let narrow = looked.searches.iter().filter(|(words, _)| words.contains("Nurse")).count();
        assert!(looked.requests <= 10 - taken, "{} after {taken}", looked.requests);
        (matches!(looked.seen[0], Observation::Absent(_)), narrow, spent[0].1)
    };
    let seen = |found, spent| seen.clone()(found, spent);
    assert_eq!(seen(30, 0), (true, 3, 3));
    assert_eq!(seen(100, 0), (true, 10, 10));
    assert_eq!(seen(30, 7), (true, 3, 10), "what earlier looks took counts");
    assert_eq!(seen(31, 7), (false, 1, 10), "one more than it has");
    assert_eq!(seen(30, 10), (false, 0, 10));
}

#[test]
fn a_contact_that_no_search_returns_is_gone_after_two_of_them_and_never_after_one_that_returns_nothing() {
    let (nurses, doctors) = (by(&[(Filter::Title, "Nurse")]), by(&[(Filter::Title, "Doctor")]));
    // No order to go by, and too many to read whole.
    let corpus: Vec<i64> = (1..=40_000).map(|at| at * 7_919 % 40_009).collect();
    let seen = |shown: &[ShownIn], nurse: &[i64], doctor: &[i64]| {
        let looked = looks(&[(50_000, shown_in(shown))], 25, |query| match query.words() {
            words if words.contains("Nurse") => nurse.to_vec(),
            words if words.contains("Doctor") => doctor.to_vec(),
            _ => corpus.clone(),
        });
        match &looked.seen[0] {
            Observation::Absent(evidence) => Some(evidence.words.clone()),
            Observation::Unseen => None,
            other => panic!("{other:?}"),
        }
    };
    let (one, both) = ([shown(&nurses, 0)], [shown(&nurses, 0), shown(&doctors, 0)]);
    let long: Vec<i64> = (100_000..110_000).collect();
    assert_eq!(seen(&one, &[1, 2], &[]).unwrap(), "read completely without finding it: title: Nurse");
    assert!(seen(&both, &[1, 2], &[3]).unwrap().contains("title: Nurse"));
    assert!(seen(&both, &[1, 2], &[3]).unwrap().contains("title: Doctor"));
    assert_eq!(seen(&both, &[1, 2], &long), None, "one may be the wrong one, and the other was not read to its end");
    assert_eq!(seen(&one, &[], &[]), None, "a service whose index is down");
    assert!(seen(&both, &[], &[3]).is_some(), "one of both returned rows");
    assert!(seen(&[shown(&nurses, 0), shown(&nurses, 100)], &[1, 2], &[]).is_some(), "that is one search");
    let narrower = [shown(&by(&[(Filter::Title, "Nurse"), (Filter::State, "TX")]), 0)];
    assert_eq!(seen(&narrower, &[], &[]), None);
    assert!(
        seen(&[shown(&Query::new(DATA), 0), both[0].clone()], &[1, 2], &[]).is_some(),
        "and that of another side none"
    );
}

/// The facts of a masked row make a search of their own.
#[test]
fn a_narrow_search_that_is_too_long_proves_nothing_beside_another() {
    let doctors = by(&[(Filter::Title, "Doctor")]);
    let corpus: Vec<i64> = (1..=40_000).map(|at| at * 7_919 % 40_009).collect();
    let clue = Clue { title: "Nurse".to_owned(), ..Clue::default() };
    let wanted = WantedContact { clue, ..shown_in(&[shown(&doctors, 0)]) };
    let seen = |nurses: i64, doctors: &[i64]| {
        let looked = looks(&[(50_000, wanted.clone())], 10, |query| match query.words() {
            words if words.contains("Nurse") => (60_000..60_000 + nurses).collect(),
            words if words.contains("Doctor") => doctors.to_vec(),
            _ => corpus.clone(),
        });
        looked.seen[0].clone()
    };
    assert_eq!(seen(500, &[1, 2]), Observation::Unseen);
    let long: Vec<i64> = (70_000..70_045).chain([50_000]).collect();
    assert_eq!(seen(500, &long), Observation::Locked, "a search that showed it is read as far as its requests go");
}

#[test]
fn a_contact_that_one_of_its_searches_returns_is_not_gone_whatever_the_others_say() {
    let titles = ["Nurse", "Doctor", "Pilot"].map(|title| by(&[(Filter::Title, title)]));
    let wanted = shown_in(&titles.each_ref().map(|query| shown(query, 0)));
    let corpus: Vec<i64> = (1..=40_000).map(|at| at * 7_919 % 40_009).collect();
    for last in ["Nurse", "Doctor", "Pilot"] {
        let looked = looks(&[(50_000, wanted.clone())], 10, |query| match query.words() {
            words if words.contains(last) => (60_000..60_045).chain([50_000]).collect(),
            words if words.contains("title") => vec![1, 2],
            _ => corpus.clone(),
        });
        assert_eq!(looked.seen[0], Observation::Locked, "{last}");
    }
}

/// Looks for a contact that a search for nurses showed. It answers with these rows each time.
fn wavering(rows: impl Fn(u32) -> Vec<i64>) -> Looked {
    let nurses = by(&[(Filter::Title, "Nurse")]);
    let corpus: Vec<i64> = (1..=40_000).map(|at| at * 7_919 % 40_009).collect();
    let times = std::cell::Cell::new(0);
    looks(&[(50_000, shown_in(&[shown(&nurses, 0)]))], 10, |query| {
        if query.is_unfiltered() {
            return corpus.clone();
        }
        times.set(times.get() + 1);
        rows(times.get())
    })
}

/// Rows that change places while they are read can be missed: what is proved that way is told apart.
#[test]
fn a_proof_by_searches_that_waver_says_so() {
    // On its second page the first rows stand once more.
    let looked = wavering(|time| if time == 2 { (3..=12).chain([1, 2]).collect() } else { (1..=12).collect() });
    assert!(matches!(&looked.seen[0], Observation::Absent(evidence) if evidence.wavers), "{looked:?}");
}

/// Only the facts of the masked row itself must still hold: an old search may have been for others.
#[test]
fn an_empty_search_that_once_showed_a_contact_is_not_tried_by_halves() {
    let nurses = by(&[(Filter::Title, "Nurse"), (Filter::State, "TX")]);
    let corpus: Vec<i64> = (1..=40_000).map(|at| at * 7_919 % 40_009).collect();
    let looked = looks(&[(50_000, shown_in(&[shown(&nurses, 0)]))], 25, |query| match query.filters().count() {
        0 => corpus.clone(),
        1 => vec![7, 8],
        _ => Vec::new(),
    });
    assert_eq!(looked.seen, [Observation::Unseen]);
    let searches: std::collections::BTreeSet<_> = looked.searches.iter().map(|(words, _)| words.as_str()).collect();
    assert_eq!(searches.into_iter().collect::<Vec<_>>(), ["all contacts", nurses.words().as_str()]);
}

/// The last of twelve rows comes only on the third reading, and each reading before shows one more.
#[test]
fn a_search_that_wavers_is_read_as_long_as_each_reading_shows_more() {
    let looked = wavering(|time| {
        let second = match time {
            1..=3 => [1, 2],
            4..=5 => [1, 11],
            _ => [11, 12],
        };
        (1..=10).chain(second).collect()
    });
    assert!(matches!(&looked.seen[0], Observation::Absent(evidence) if evidence.wavers), "{looked:?}");
}

/// Rows of three pages change places, but most pages on the way come in order.
#[test]
fn a_way_on_which_few_pages_are_out_of_order_leads_to_its_contact() {
    let corpus: Vec<i64> = (1..=40_000_i64).map(|at| at * at).collect();
    let times = std::cell::Cell::new(0);
    let looked = looks(&[(30_000 * 30_000, WantedContact::default())], 25, |_| {
        times.set(times.get() + 1);
        let mut rows = corpus.clone();
        if [4, 6, 7].contains(&times.get()) {
            rows.chunks_mut(2).for_each(|two| two.reverse());
        }
        rows
    });
    assert_eq!((&looked.seen[0], looked.requests), (&Observation::Locked, 11));
}

#[test]
fn a_look_ends_where_the_service_refuses_the_key_or_asks_to_wait_and_goes_on_after_any_other_trouble() {
    let wanted: Vec<_> = ["Nurse", "Doctor", "Pilot", "Cook", "Clerk", "Judge"]
        .iter()
        .enumerate()
        .map(|(at, title)| (at as i64 + 1, shown_in(&[shown(&by(&[(Filter::Title, title)]), 0)])))
        .collect();
    let looked = |failure: Failure| {
        let looked = looks_at(&wanted, 25, |query| match query.words().contains("Clerk") {
            true => Err(failure.clone()),
            false if query.is_unfiltered() => Ok((1..=6).collect()),
            false => Ok(vec![7]),
        });
        assert_eq!(looked.look.trouble, Some(failure));
        looked.seen.iter().filter(|seen| **seen == Observation::Locked).count()
    };
    let words = || "no".to_owned();
    let refused = |why| Failure::Refused { status: 422, why, words: words() };
    assert_eq!(looked(refused(Refusal::Redirect)), 6, "they are found elsewhere");
    let later = Failure::Later { wait: Some(Duration::from_secs(60)), words: words() };
    assert!(looked(later) < 6);
    assert!(looked(Failure::Unsent { words: words() }) < 6);
}

#[test]
fn a_look_that_is_stopped_calls_its_requests_off_and_hears_nothing_of_others() {
    let mut desk = Desk::new(&profile("w0"), RetryPolicy::Shell, 3);
    let ids = (1..=9).map(|id| (RowId(id), WantedContact::default())).collect();
    let mut look = FreeCheck::new(Owner::Caller, Corpus::Us, ids);
    let mut fx = Vec::new();
    look.go(&mut desk.at(Now::default(), &mut fx));
    let waits = |desk: &Desk| desk.gauge(Source::Workspace, Now::default()).queued;
    assert_eq!((waits(&desk), look.is_over()), (1, false));
    let others = Arrival::Stored(Ticket(99), Ok(StoreReply::Done(())));
    assert!(!look.handle(&others, &mut desk.at(Now::default(), &mut fx)));
    look.stop(&mut desk.at(Now::default(), &mut fx));
    assert_eq!((waits(&desk), look.is_over()), (0, true));
}
