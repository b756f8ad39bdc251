//! What must hold on a good day: full speed within the limit, and no contact lost from sight while one buys.

use lode_core::contact::{Corpus, RowId, Side};
use lode_core::credits::Credits;
use lode_core::money::Staged;
use lode_core::query::Query;
use lode_engine::flow::search::window::Slot;
use lode_engine::flow::session::{Event, UnlockSubject};
use lode_engine::flow::unlock::quote::{Quote, ReviewChoice};
use lode_sandbox::rate::busiest;
use lode_sandbox::service::ServiceSetup;

use crate::simulation::Simulation;

/// The way of a command: ids, and an amount that is named beforehand.
fn unlock(sim: &mut Simulation, ids: Vec<i64>) {
    let ceiling = Credits::for_contacts(ids.len());
    let rows = ids.into_iter().map(|id| Staged::by_id(RowId(id))).collect();
    let quote = review(sim, rows);
    sim.act(|session, now, fx| session.accept_within(&quote, ceiling, None, now, fx)).expect("nothing is in its way");
    sim.ordered(ceiling.0);
    sim.until(|session| !session.unlock().is_running());
}

fn review(sim: &mut Simulation, rows: Vec<Staged>) -> Box<Quote> {
    sim.act(|session, now, fx| {
        session.review(UnlockSubject::Rows(Corpus::Us, rows.into()), ReviewChoice::default(), now, fx)
    });
    loop {
        if let Some(Event::Review(review)) = sim.next_event() {
            break review.expect("nothing is in its way");
        }
    }
}

/// The way of the screen: the review, its number, the order.
pub fn review_and_accept(sim: &mut Simulation, rows: Vec<Staged>) {
    let quote = review(sim, rows);
    let typed = quote.most;
    let begun = sim.act(|session, now, fx| session.accept(&quote, typed, now, fx));
    assert_eq!(begun, Ok(()));
    sim.ordered(typed.0);
    sim.until(|session| !session.unlock().is_running() && !session.balance.is_asking());
}

/// 12,000 contacts with answers that take 2 s: at most 122 requests, at most 5 % longer than the answers themselves.
#[test]
fn twelve_thousand_contacts_go_at_the_speed_of_the_service() {
    let setup =
        ServiceSetup { us_rows: 12_000, linkedin_rows: 10, credits: 20_000, threads: 1, ..common::asking::full() };
    let mut sim = Simulation::calm(setup, 2_000);
    sim.until(|session| session.ledger.loaded && !session.balance.is_asking());
    let began = sim.clock();
    unlock(&mut sim, (1..=12_000).collect());
    let took = sim.clock() - began;
    sim.until(|session| !session.balance.is_asking());
    // What a command sends: the first `/me` of a window is none of it.
    let receipts: Vec<u64> = sim.receipts().into_iter().filter(|at| *at >= began).collect();
    let summary = sim.session().unlock().last().expect("it ended");
    println!("{} requests, {took} ms of virtual time, {:?}", receipts.len(), summary.tally);
    assert_eq!(summary.tally.asked, 12_000);
    assert_eq!(summary.tally.charged + summary.tally.missing, 12_000, "all but those on the Do-Not-Sell list");
    assert!(receipts.len() <= 122, "{} requests", receipts.len());
    assert!(took <= 120 * 2_000 * 105 / 100, "{took} ms");
    assert!(busiest(&receipts, 60_000) <= 120);
}

/// With `exclude_unlocked` on, unlocking a page and going on to the next shows every remaining contact exactly once (S2).
#[test]
fn unlocking_a_page_and_going_on_shows_every_other_contact_once() {
    let setup = ServiceSetup { us_rows: 640, linkedin_rows: 10, credits: 1_000, threads: 1, ..common::asking::full() };
    let mut sim = Simulation::calm(setup, 40);
    sim.until(|session| session.ledger.loaded && !session.balance.is_asking());
    let side = Side::default();
    let mut query = Query::new(side);
    query.hide_owned = true;
    sim.act(|session, now, fx| session.search_at(query, 0, now, fx));
    sim.until(|session| session.side(side).window.total().is_some());
    let mut shown: Vec<i64> = Vec::new();
    let mut bought = 0;
    let mut index = 0;
    while index < sim.session().side(side).window.total().expect("it was answered") {
        sim.act(|session, now, fx| {
            let (state, desk) = session.side_mut(side);
            state.window.set_viewport(index, 20, index, &mut desk.at(now, fx));
        });
        sim.until(|session| !matches!(session.side(side).window.slot(index), Slot::Waiting));
        if let Slot::Row(row) = sim.session().side(side).window.slot(index) {
            shown.push(row.id().expect("rows of this service have ids").0);
        }
        index += 1;
        // After each hundred rows that were read, thirty of them are bought.
        if shown.len().is_multiple_of(100) && bought < shown.len() {
            bought = shown.len();
            let rows = shown[shown.len() - 60..shown.len() - 30].iter().map(|id| Staged::by_id(RowId(*id))).collect();
            review_and_accept(&mut sim, rows);
        }
    }
    let mut different = shown.clone();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), shown.len(), "none is shown twice");
    let there = (1..=640).filter(|id| !different.contains(id)).collect::<Vec<i64>>();
    // The Do-Not-Sell list keeps a few out from the start.
    assert!(there.len() <= 2, "{there:?} were never shown");
}
