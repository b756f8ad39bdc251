//! The basket: kept by the store, shared by windows, undone and redone.

use std::sync::Arc;

use common::rng::Rng;
use common::sandbox_engine::Said;
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::query::Query;
use lode_core::row::{CellKind, ColumnNames, Known, Row};
use lode_engine::effect::failure::Failure;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::basket::Basket;
use lode_engine::flow::desk::FlowContext;
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::session::{Event, Session};
use lode_host::store::Store;

use crate::desktop::Desktop;
use common::flow_simulation::{FlowSimulation, Machine};
use common::flow_simulation::{profile, stores};

const US: Side = Side { source: Source::Workspace, corpus: Corpus::Us };
const OTHER: Side = Side { source: Source::Data, corpus: Corpus::Us };

fn rows(ids: std::ops::Range<i64>) -> Vec<Row> {
    let names = ["id", "first_name", "last_name", "title", "company_name", "email_address", "phone", "unlocked"];
    let columns = Arc::new(ColumnNames::new(names));
    let row = |id: i64| {
        let (number, owned) = (id.to_string(), id % 10 == 0);
        let values = [
            (CellKind::Json, number.as_str()),
            (CellKind::Text, "Dana"),
            (CellKind::Text, "Whit\"field, \\ é"),
            (CellKind::Text, "Director of Nursing"),
            (CellKind::Text, "Lakeside Regional"),
            (CellKind::Text, "d•••@lakeside.example"),
            (CellKind::Null, ""),
            (CellKind::Json, if owned { "true" } else { "false" }),
        ];
        Row::new(Some(RowId(id)), owned, columns.clone(), values)
    };
    ids.map(row).collect()
}

fn no_answer(_: &lode_engine::effect::call::Call, _: u64) -> Said {
    Said::Reply(Err(Failure::Unsent { words: "no network".to_owned() }))
}

fn stage(desktop: &mut Desktop, side: Side, ids: std::ops::Range<i64>) -> usize {
    let mut added = 0;
    desktop.act(|session, now, fx| {
        let (state, desk) = session.side_mut(side);
        added = state.basket.stage(0, &rows(ids), &Query::new(side), &mut desk.at(now, fx));
    });
    added
}

/// Staged rows that cost something, and those that do not.
fn counts(desktop: &Desktop) -> (usize, usize) {
    let basket = &desktop.screen.session.side(US).basket;
    (basket.len() - basket.owned(), basket.owned())
}

/// A step back or forth: by how many rows the basket grew. `None` if there is no such step.
fn take_step(basket: &mut Basket, back: bool, cx: &mut FlowContext<'_>) -> Option<isize> {
    let before = basket.len() as isize;
    let is_taken = if back { basket.undo(cx) } else { basket.redo(cx) };
    is_taken.then(|| basket.len() as isize - before)
}

/// The first rows of the search, however many pages that takes.
fn gather(desktop: &mut Desktop, rows: u64) {
    desktop.act(|session, now, fx| {
        let (state, desk) = session.side_mut(US);
        assert_eq!(state.gather(rows, None, &mut desk.at(now, fx)), None);
    });
    desktop.until_quiet();
}

fn unstage(desktop: &mut Desktop, ids: &[i64]) -> usize {
    let ids: Vec<RowId> = ids.iter().copied().map(RowId).collect();
    let mut removed = 0;
    desktop.act(|session, now, fx| {
        let (state, desk) = session.side_mut(US);
        removed = state.basket.unstage(&ids, &mut desk.at(now, fx));
    });
    removed
}

fn staged(session: &Session, side: Side) -> Vec<i64> {
    session.side(side).basket.rows().iter().map(|entry| entry.id().0).collect()
}

#[test]
fn rows_survive_a_restart_whole_and_each_side_has_its_own() {
    let first = stores(1).remove(0);
    let next = first.beside(WindowId("later".to_owned()));
    let mut desktop = Desktop::on(vec![first], 1, no_answer);
    assert_eq!(stage(&mut desktop, US, 5..25), 20);
    assert_eq!(stage(&mut desktop, US, 20..30), 5, "those that are in already stay");
    assert_eq!(stage(&mut desktop, OTHER, 1..4), 3);
    assert_eq!(counts(&desktop), (23, 2));
    desktop.until_quiet();
    let before = desktop.screen.session.side(US).basket.rows().to_vec();
    drop(desktop);
    let mut desktop = Desktop::on(vec![next], 2, no_answer);
    desktop.until_quiet();
    let basket = &desktop.screen.session.side(US).basket;
    assert_eq!(staged(&desktop.screen.session, US), (5..30).collect::<Vec<_>>());
    assert_eq!(staged(&desktop.screen.session, OTHER), [1, 2, 3]);
    assert_eq!(counts(&desktop), (23, 2));
    for (entry, before) in basket.rows().iter().zip(&before) {
        assert_eq!(entry.row, before.row, "field by field as the search showed it");
        assert_eq!(entry.search.as_ref().map(|line| line.as_str()), Some("workspace/us"));
    }
    assert_eq!(basket.rows()[0].row.known(Known::LastName), "Whit\"field, \\ é");
}

#[test]
fn undo_and_redo_walk_through_every_step_and_the_store_follows() {
    let mut desktop = Desktop::new(1, no_answer);
    desktop.until_quiet();
    let steps: Vec<Vec<i64>> = vec![vec![], (1..6).collect(), vec![1, 3, 5], vec![1, 3, 5, 8], vec![]];
    stage(&mut desktop, US, 1..6);
    assert_eq!(unstage(&mut desktop, &[2, 4, 77]), 2);
    stage(&mut desktop, US, 8..9);
    desktop.act(|session, now, fx| {
        let (state, desk) = session.side_mut(US);
        assert_eq!(state.basket.empty(&mut desk.at(now, fx)), 4);
        assert_eq!(state.basket.empty(&mut desk.at(now, fx)), 0, "an empty step is no step");
    });
    let step = |desktop: &mut Desktop, back: bool| {
        let mut done = None;
        desktop.act(|session, now, fx| {
            let (state, desk) = session.side_mut(US);
            done = take_step(&mut state.basket, back, &mut desk.at(now, fx));
        });
        desktop.until_quiet();
        // What the store has is what is shown.
        let shown = staged(&desktop.screen.session, US);
        desktop.act(|session, now, fx| {
            let (state, desk) = session.side_mut(US);
            state.basket.reload(&mut desk.at(now, fx));
        });
        desktop.until_quiet();
        let mut stored = staged(&desktop.screen.session, US);
        let mut sorted = shown.clone();
        sorted.sort_unstable();
        stored.sort_unstable();
        assert_eq!(stored, sorted);
        (done, shown)
    };
    for at in (0..4).rev() {
        let (done, mut shown) = step(&mut desktop, true);
        shown.sort_unstable();
        assert_eq!(shown, steps[at]);
        assert_eq!(done.unwrap() > 0, steps[at].len() > steps[at + 1].len());
    }
    assert_eq!(step(&mut desktop, true).0, None);
    for expected in &steps[1..] {
        let (_, mut shown) = step(&mut desktop, false);
        shown.sort_unstable();
        assert_eq!(&shown, expected);
    }
    assert_eq!(step(&mut desktop, false).0, None);
    step(&mut desktop, true);
    stage(&mut desktop, US, 50..51);
    assert_eq!(step(&mut desktop, false).0, None, "after a new step there is nothing to redo");
    assert_eq!(step(&mut desktop, true).0, Some(-1));
}

#[test]
fn what_was_bought_leaves_the_basket_and_no_undo_brings_it_back() {
    let mut desktop = Desktop::new(1, no_answer);
    stage(&mut desktop, US, 1..6);
    unstage(&mut desktop, &[5]);
    desktop.act(|session, now, fx| {
        let (state, desk) = session.side_mut(US);
        assert_eq!(state.basket.settled(&[RowId(1), RowId(2), RowId(5)]), 2);
        let cx = &mut desk.at(now, fx);
        assert_eq!(take_step(&mut state.basket, true, cx), Some(-2), "the taking out of 5 is no step now");
        assert_eq!(take_step(&mut state.basket, false, cx), Some(2));
    });
    assert_eq!(staged(&desktop.screen.session, US), [3, 4]);
}

struct Pair(Vec<Session>);

struct One<'a>(&'a mut Session);

impl Machine for One<'_> {
    fn handle(&mut self, answer: Answer, now: lode_core::time::Now, fx: &mut Vec<Effect>) {
        self.0.handle(answer, now, fx);
    }
    fn wake(&mut self, now: lode_core::time::Now, fx: &mut Vec<Effect>) {
        self.0.wake(now, fx);
    }
    fn deadline(&self) -> Option<lode_core::time::Mono> {
        self.0.deadline()
    }
}

impl Pair {
    fn run(&mut self, sim: &mut FlowSimulation, until: u64) {
        let [one, two] = &mut self.0[..] else { panic!("two windows") };
        sim.run(&mut [&mut One(one), &mut One(two)], until);
    }
}

#[test]
fn two_windows_on_one_basket_end_with_the_union_and_never_hold_an_id_twice() {
    for seed in 0..20 {
        let mut sim = FlowSimulation::new(seed, stores(2), no_answer);
        let mut pair = Pair(Vec::new());
        for peer in 0..2 {
            let mut fx = Vec::new();
            pair.0.push(Session::start(profile(&format!("w{peer}")), RetryPolicy::Window, seed, sim.moment(), &mut fx));
            sim.perform(peer, &mut fx);
        }
        let mut rng = Rng::new(seed);
        let mut expected: std::collections::BTreeSet<i64> = Default::default();
        for round in 0..60 {
            let peer = rng.below(2) as usize;
            let mut fx = Vec::new();
            let (state, desk) = pair.0[peer].side_mut(US);
            if rng.below(3) > 0 {
                let start = rng.below(60) as i64;
                // What a window believes to be in already it does not put in again.
                expected.extend((start..start + 5).filter(|id| !state.basket.contains(RowId(*id))));
                state.basket.stage(0, &rows(start..start + 5), &Query::new(US), &mut desk.at(sim.moment(), &mut fx));
            } else {
                let id = rng.below(60) as i64;
                // A window takes out only what it sees; the other may not have been told yet.
                if state.basket.unstage(&[RowId(id)], &mut desk.at(sim.moment(), &mut fx)) > 0 {
                    expected.remove(&id);
                }
            }
            sim.perform(peer, &mut fx);
            let pause = sim.now + rng.below(30);
            pair.run(&mut sim, pause);
            for session in &pair.0 {
                let mut ids = staged(session, US);
                let held = ids.len();
                ids.sort_unstable();
                ids.dedup();
                assert_eq!(ids.len(), held, "seed {seed}, round {round}");
            }
        }
        for peer in 0..2 {
            let mut fx = Vec::new();
            pair.0[peer].focused(sim.moment(), &mut fx);
            sim.perform(peer, &mut fx);
        }
        pair.run(&mut sim, u64::MAX);
        let expected: Vec<i64> = expected.into_iter().collect();
        for session in &pair.0 {
            let mut ids = staged(session, US);
            ids.sort_unstable();
            assert_eq!(ids, expected, "seed {seed}");
            assert!(session.side(US).basket.settled_state(None).is_some(), "and a review could be made from it");
        }
    }
}

/// The store hands over a large basket in several parts, and another window changes it now and then meanwhile.
#[test]
fn a_large_basket_is_read_part_by_part_and_what_changes_meanwhile_is_in_it() {
    let mut in_one_go = 0;
    for steps in (0..36).step_by(6) {
        let mut sim = FlowSimulation::new(1, stores(2), no_answer);
        let mut fx = Vec::new();
        let mut open = |sim: &mut FlowSimulation, peer: usize| {
            let session = Session::start(profile(&format!("w{peer}")), RetryPolicy::Window, 7, sim.moment(), &mut fx);
            sim.perform(peer, &mut fx);
            session
        };
        let mut pair = Pair(vec![open(&mut sim, 0)]);
        let change = |pair: &mut Pair, sim: &mut FlowSimulation, side: Side, ids: std::ops::Range<i64>| {
            let mut fx = Vec::new();
            let (state, desk) = pair.0[0].side_mut(side);
            state.basket.stage(0, &rows(ids), &Query::new(side), &mut desk.at(sim.moment(), &mut fx));
            sim.perform(0, &mut fx);
        };
        for start in 0..9 {
            change(&mut pair, &mut sim, US, start * 500..start * 500 + 500);
            change(&mut pair, &mut sim, OTHER, start * 10..start * 10 + 10);
        }
        sim.run(&mut [&mut One(&mut pair.0[0])], u64::MAX);
        pair.0.push(open(&mut sim, 1));
        for _ in 0..steps {
            let [one, two] = &mut pair.0[..] else { panic!("two windows") };
            sim.step(&mut [&mut One(one), &mut One(two)], u64::MAX);
        }
        in_one_go += usize::from(pair.0[1].side(US).basket.len() == 4_500);
        change(&mut pair, &mut sim, US, 7_000..7_003);
        pair.run(&mut sim, u64::MAX);
        let mut fx = Vec::new();
        pair.0[1].focused(sim.moment(), &mut fx);
        sim.perform(1, &mut fx);
        pair.run(&mut sim, u64::MAX);
        let expected: Vec<i64> = (0..4_500).chain(7_000..7_003).collect();
        let [one, two] = &pair.0[..] else { panic!("two windows") };
        assert_eq!(staged(two, US), expected, "{steps}");
        assert_eq!(staged(two, OTHER), (0..90).collect::<Vec<_>>());
        let basket = |session: &Session| {
            session.side(US).basket.rows().iter().map(|entry| &entry.row).cloned().collect::<Vec<_>>()
        };
        assert!(basket(one) == basket(two), "field by field");
        assert_eq!(two.side(US).basket.owned(), one.side(US).basket.owned());
        assert_eq!(
            two.side(US).basket.settled_state(None),
            one.side(US).basket.settled_state(None),
            "and a review could be made from it"
        );
    }
    assert!((1..6).contains(&in_one_go), "{in_one_go} of 6 were read before the change: both happened");
}

#[test]
fn without_a_usable_store_the_basket_lives_in_this_window_and_says_so() {
    let broken = Store::open(std::path::Path::new("/dev/null/nowhere"), WindowId("w0".to_owned()));
    let mut desktop = Desktop::on(vec![broken], 1, no_answer);
    desktop.until_quiet();
    stage(&mut desktop, US, 1..4);
    desktop.until_quiet();
    assert_eq!(staged(&desktop.screen.session, US), [1, 2, 3]);
    assert!(desktop.screen.events.iter().any(|event| matches!(event, Event::BasketFailed { side, .. } if *side == US)));
    assert!(desktop.screen.session.side(US).basket.settled_state(None).is_none(), "nothing can be bought from it");
}

#[test]
fn what_the_store_could_not_write_is_written_once_it_can_again() {
    let store = stores(1).remove(0);
    let other = store.beside(WindowId("other".to_owned()));
    let mut desktop = Desktop::on(vec![store], 1, no_answer);
    stage(&mut desktop, US, 1..3);
    desktop.until_quiet();
    // The disk is full for a while.
    let broken = Store::open(std::path::Path::new("/dev/null/nowhere"), WindowId("w0".to_owned()));
    let whole = std::mem::replace(&mut desktop.sim.stores[0], broken);
    stage(&mut desktop, US, 10..12);
    desktop.until_quiet();
    assert!(desktop.screen.session.side(US).basket.failure().is_some());
    desktop.sim.stores[0] = whole;
    stage(&mut desktop, US, 20..21);
    desktop.until_quiet();
    assert!(desktop.screen.session.side(US).basket.failure().is_none());
    assert!(desktop.screen.session.side(US).basket.settled_state(None).is_some());
    let mut elsewhere = Desktop::on(vec![other], 2, no_answer);
    elsewhere.until_quiet();
    let mut stored = staged(&elsewhere.screen.session, US);
    stored.sort_unstable();
    assert_eq!(stored, [1, 2, 10, 11, 20]);
}

#[test]
fn all_that_match_go_into_the_basket_up_to_a_number_and_one_undo_takes_them_out() {
    let service = common::sandbox_engine::small(|setup| setup.us_rows = 900);
    service.state().max_page = Some(50);
    let mut desktop = Desktop::new(1, |call, now| common::sandbox_engine::ask(&service, call, now));
    desktop.search(&Query::new(US));
    desktop.for_ms(2_000);
    stage(&mut desktop, US, 5_000..5_002);
    gather(&mut desktop, 333);
    let basket = &desktop.screen.session.side(US).basket;
    assert_eq!(basket.len(), 335);
    assert!(desktop.screen.session.side(US).gathering().is_none());
    desktop.act(|session, now, fx| {
        let (state, desk) = session.side_mut(US);
        assert_eq!(take_step(&mut state.basket, true, &mut desk.at(now, fx)), Some(-333));
    });
    assert_eq!(staged(&desktop.screen.session, US), [5_000, 5_001]);
}

#[test]
fn a_staged_contact_that_a_later_search_shows_as_owned_counts_as_owned() {
    let service = common::sandbox_engine::small(|setup| setup.us_rows = 300);
    let mut desktop = Desktop::new(1, |call, now| common::sandbox_engine::ask(&service, call, now));
    desktop.search(&Query::new(US));
    desktop.for_ms(2_000);
    gather(&mut desktop, 40);
    assert_eq!(counts(&desktop), (40, 0));
    let ids: Vec<u64> = staged(&desktop.screen.session, US)[..15].iter().map(|id| *id as u64).collect();
    let charged = service.member_unlocks(&service.org(), lode_sandbox::corpus::CorpusKind::Us, &ids, desktop.sim.now);
    assert_eq!(charged.len(), 15);
    desktop.search(&Query::new(US));
    desktop.until_quiet();
    assert_eq!(counts(&desktop), (25, 15));
}

/// The window forgets pages as one goes on. A basket whose rows lay in them would be what keeps them.
#[test]
fn what_is_staged_keeps_no_page_of_the_window_in_memory() {
    let service = common::sandbox_engine::small(|setup| setup.us_rows = 300);
    let mut desktop = Desktop::new(1, |call, now| common::sandbox_engine::ask(&service, call, now));
    desktop.search(&Query::new(US));
    desktop.for_ms(2_000);
    desktop.act(|session, now, fx| {
        let (state, desk) = session.side_mut(US);
        let single = state.window.loaded().nth(70).unwrap().1.clone();
        assert_eq!(state.basket.toggle(&single, &Query::new(US), &mut desk.at(now, fx)), Some(true));
    });
    gather(&mut desktop, 40);
    for again in [false, true] {
        if again {
            desktop.search(&Query::new(US));
            desktop.until_quiet();
        }
        let side = desktop.screen.session.side(US);
        let shown: Vec<&Row> = side.window.loaded().map(|(_, row)| row).collect();
        let staged: Vec<&Row> = side.basket.rows().iter().map(|entry| &entry.row).collect();
        assert_eq!((shown.len(), staged.len()), (200, 41));
        assert_eq!((staged[0], &staged[1..]), (shown[70], &shown[..40]), "they say the same");
        assert!(!staged.iter().any(|staged| shown.iter().any(|shown| shown.shares_block(staged))));
        assert!(staged[1].shares_block(staged[40]), "what was staged at once is one block");
        assert!(shown[..100].iter().all(|row| row.shares_block(shown[0])), "a page is one block");
        assert!(!shown[100].shares_block(shown[0]), "and another one is another");
    }
}
