//! Batches with an unknown result: when they are read, what a free look for their contacts is told and tells, and what it proves.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use lode_core::contact::{Contact, Corpus, RowId};
use lode_core::credits::Credits;
use lode_core::filter::Filter;
use lode_core::owned::SeenOwned;
use lode_core::purse::PurseRef;
use lode_core::query::Query;
use lode_core::time::Mono;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::{BatchIntent, StoreCall};
use lode_engine::flow::recovery::Recovery;
use lode_engine::flow::search::window::Slot;
use lode_engine::flow::session::ChangedElsewhere;
use lode_engine::flow::unlock::RunningOrder;

use crate::desktop::{Desktop, US, intent};
use crate::orders::{Service, accept, job, ordered, reviewed, until};

/// Windows that closed left batches of these contacts without a result. They are known from now on.
fn with_unknown(batches: &[(Corpus, &[i64])]) -> (Desktop<'static>, Rc<RefCell<Service>>) {
    let (mut desktop, service) = reviewed(&[]);
    for (corpus, ids) in batches {
        leave_unknown(&mut desktop, *corpus, ids);
    }
    assert!(desktop.screen.session.recovery.is_idle());
    refresh(&mut desktop);
    assert!(!desktop.screen.session.recovery.is_idle(), "it reads");
    desktop.for_ms(100);
    (desktop, service)
}

fn leave_unknown(desktop: &mut Desktop<'_>, corpus: Corpus, ids: &[i64]) {
    let mut gone = desktop.sim.stores[0].beside(WindowId("w1".to_owned()));
    let unknown = BatchIntent { corpus, profile: format!("profile {corpus}"), ..intent(&gone, "o", ids) };
    gone.perform(StoreCall::Intend(Box::new(unknown)), desktop.sim.moment()).unwrap();
}

fn refresh(desktop: &mut Desktop<'_>) {
    desktop.act(|session, now, fx| session.recovery.refresh(&mut session.desk.at(now, fx)));
}

/// Looks for what is unknown, for two seconds.
fn look(desktop: &mut Desktop<'_>) {
    desktop.act(|session, now, fx| assert!(session.recovery.check(&mut session.desk.at(now, fx))));
    desktop.for_ms(2_000);
}

fn recovery<'a>(desktop: &'a Desktop<'_>) -> &'a Recovery {
    &desktop.screen.session.recovery
}

/// How quiet the line had been at each sighting of the first contact.
fn sightings(desktop: &Desktop<'_>) -> Vec<Duration> {
    recovery(desktop).batches().next().unwrap().open[0].sightings.iter().map(|sighting| sighting.quiet).collect()
}

/// The ids of another corpus stay on hold, whatever is bought under the same numbers.
#[test]
fn a_batch_of_another_corpus_stays_unknown_while_an_order_runs() {
    let (mut desktop, _) = with_unknown(&[(Corpus::Linkedin, &[1, 2])]);
    let held = |desktop: &Desktop<'_>| recovery(desktop).unknown(Corpus::Linkedin).len();
    assert_eq!(held(&desktop), 2);
    accept(&mut desktop, 1..=60);
    until(&mut desktop, |job| job.contacts().0 > 0);
    assert_eq!(held(&desktop), 2);
}

#[test]
fn a_look_for_an_unknown_result_tells_how_far_it_is() {
    let told = |unknown: &[(Corpus, &[i64])]| {
        let (mut desktop, _) = with_unknown(unknown);
        let mut told = vec![recovery(&desktop).checking()];
        desktop.act(|session, now, fx| {
            session.recovery.check(&mut session.desk.at(now, fx));
            told.push(session.recovery.checking());
        });
        for _ in 0..2_000 {
            desktop.for_ms(1);
            told.push(recovery(&desktop).checking());
        }
        told.dedup();
        told
    };
    let ids = [1, 2].as_slice();
    assert_eq!(told(&[(Corpus::Us, ids)]), [None, Some((0, 2, 1)), None]);
    // The looks for contacts of each corpus are answered one after the other.
    let both = told(&[(Corpus::Us, ids), (Corpus::Linkedin, ids)]);
    assert_eq!(both, [None, Some((0, 4, 2)), Some((2, 4, 2)), None]);
}

#[test]
fn the_next_look_that_can_prove_something_is_after_a_minute_of_quiet_and_then_five_seconds_after_a_sighting() {
    let (mut desktop, _) = with_unknown(&[(Corpus::Us, &[1, 2])]);
    let broke = desktop.sim.now - 100;
    assert_eq!((recovery(&desktop).next_look(), recovery(&desktop).at_least()), (Some(Mono(broke + 60_000)), 2));
    desktop.for_ms(30_000);
    refresh(&mut desktop);
    desktop.for_ms(100);
    assert_eq!(recovery(&desktop).next_look(), Some(Mono(broke + 60_000)), "later readings change nothing");
    desktop.for_ms(30_000);
    look(&mut desktop);
    let seen = sightings(&desktop)[0].as_millis() as u64;
    assert_eq!(recovery(&desktop).next_look(), Some(Mono(broke + seen + 5_000)));
}

/// It may have seen a time at which the call was still on its way.
#[test]
fn a_look_that_began_before_the_line_was_quiet_for_a_minute_and_ended_later_is_not_recorded() {
    for (begins, recorded) in [(10_000, true), (59_899, true), (59_900, false), (59_950, false), (60_000, true)] {
        let (mut desktop, service) = with_unknown(&[(Corpus::Us, &[1])]);
        desktop.sim.up = Box::new(|_| 0);
        desktop.sim.down = Box::new(|_| 0);
        service.borrow_mut().search_takes = 100;
        desktop.for_ms(begins - 100);
        look(&mut desktop);
        let expected: Vec<_> = recorded.then(|| Duration::from_millis(begins + 100)).into_iter().collect();
        assert_eq!(sightings(&desktop), expected, "{begins}");
    }
}

/// Money rule 3, *same batch, same ids*: as long as one of its contacts is open the batch may go out again, with the others.
#[test]
fn contacts_of_a_batch_are_called_locked_only_together() {
    let (mut desktop, _) = with_unknown(&[(Corpus::Us, &[1, 200])]);
    desktop.for_ms(60_000);
    look(&mut desktop);
    desktop.for_ms(5_000);
    look(&mut desktop);
    assert_eq!(sightings(&desktop).len(), 2, "contact 1 is locked for sure");
    assert_eq!(recovery(&desktop).unknown(Corpus::Us).len(), 2, "the other may still be withheld for a moment");
    desktop.for_ms(60_000);
    look(&mut desktop);
    assert!(recovery(&desktop).is_clear());
}

#[test]
fn a_change_while_unknown_results_are_read_is_read_after_that() {
    let (mut desktop, _) = with_unknown(&[]);
    refresh(&mut desktop);
    let Desktop { sim, screen } = &mut desktop;
    assert!(sim.step(&mut [screen], u64::MAX), "the store reads them");
    leave_unknown(&mut desktop, Corpus::Us, &[1]);
    refresh(&mut desktop);
    desktop.for_ms(100);
    assert_eq!(recovery(&desktop).unknown(Corpus::Us).len(), 1);
}

/// Also under the names of profiles: the first version kept them there.
#[test]
fn a_look_asks_where_its_contacts_were_shown_in_the_workspace_and_in_the_profiles_of_their_batches() {
    let (mut desktop, _) = with_unknown(&[(Corpus::Us, &[1]), (Corpus::Linkedin, &[2])]);
    let asked = Rc::new(RefCell::new(Vec::new()));
    let asking = Rc::clone(&asked);
    desktop.sim.fails = Box::new(move |call| {
        if let StoreCall::Shown { purses, side, ids } = call {
            asking.borrow_mut().push((side.corpus, ids.clone(), purses.clone()));
        }
        false
    });
    look(&mut desktop);
    let workspace: PurseRef = intent(&desktop.sim.stores[0], "o", &[1]).purse.into();
    let earlier = |profile: &str| PurseRef::Earlier { profile: profile.to_owned() };
    let purses = |of: &str| vec![workspace.clone(), earlier(of), earlier("test")];
    let expected = [
        (Corpus::Us, vec![RowId(1)], purses("profile us")),
        (Corpus::Linkedin, vec![RowId(2)], purses("profile linkedin")),
    ];
    assert_eq!(*asked.borrow(), expected);
}

/// A page that no longer showed it would be asked for in vain.
#[test]
fn a_contact_that_the_last_look_found_is_looked_for_first_on_the_page_that_showed_it() {
    let (mut desktop, service) = reviewed(&[]);
    let mut nurses = Query::new(US);
    nurses.set(Filter::Title, "nurse").unwrap();
    desktop.search(&nurses);
    desktop.look(US, 0, 20, 0);
    desktop.for_ms(1_000);
    leave_unknown(&mut desktop, Corpus::Us, &[1]);
    refresh(&mut desktop);
    desktop.for_ms(100);
    for seen in 1..=2 {
        service.borrow_mut().searched.clear();
        look(&mut desktop);
        assert_eq!((&service.borrow().searched[..], sightings(&desktop).len()), (&[nurses.clone()][..], seen));
    }
}

#[test]
fn contacts_that_a_running_order_settles_are_not_unknown_between_its_batches() {
    let (mut desktop, _) = ordered(60, 1_000, &[]);
    until(&mut desktop, RunningOrder::awaits_answer);
    desktop.act(|session, now, fx| session.focused(now, fx));
    desktop.for_ms(100);
    assert_eq!(recovery(&desktop).unknown(Corpus::Us).len(), 25, "those on the wire");
    until(&mut desktop, |job| job.contacts().0 == 25);
    assert!(recovery(&desktop).unknown(Corpus::Us).is_empty() && recovery(&desktop).is_clear());
    let bought = desktop.screen.session.ledger.contact(Corpus::Us, RowId(25)).expect("it is owned at once");
    assert_eq!((bought.order, bought.order.is_some()), (job(&desktop).id, true));
    let balance = &desktop.screen.session.balance;
    assert_eq!(
        (balance.credits, balance.age(desktop.sim.moment()) < Some(Duration::from_millis(10))),
        (Some(Credits(975)), true)
    );
}

#[test]
fn a_contact_that_another_window_shows_as_owned_fills_in_here() {
    let (mut desktop, _) = reviewed(&[]);
    desktop.search(&Query::new(US));
    desktop.look(US, 0, 20, 0);
    desktop.for_ms(1_000);
    let email = |desktop: &Desktop<'_>| match desktop.slot(US, 4) {
        Slot::Row(row) => row.email().to_owned(),
        other => panic!("{other:?}"),
    };
    assert_eq!(email(&desktop), "a•••@b.example");
    let mut other = desktop.sim.stores[0].beside(WindowId("w1".to_owned()));
    let purse = intent(&other, "o", &[1]).purse.into();
    let contact = Contact { email: "p5@b.example".to_owned(), ..Contact::default() };
    let seen = SeenOwned { id: RowId(5), contact, search: None, row: String::new() };
    let call = StoreCall::Own { purse, corpus: Corpus::Us, contacts: vec![seen] };
    other.perform(call, desktop.sim.moment()).unwrap();
    desktop.act(|session, now, fx| session.touched(ChangedElsewhere::ALL, now, fx));
    desktop.for_ms(1_000);
    assert_eq!(email(&desktop), "p5@b.example");
}
