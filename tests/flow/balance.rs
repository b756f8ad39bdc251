//! The account and the balance: always a number the service said, with its age, and whose purse it is.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use common::sandbox_engine::Said;
use lode_core::credits::Credits;
use lode_core::purse::{Origin, Purse};
use lode_core::query::Query;
use lode_core::time::{Now, Wall};
use lode_core::{Account, Page};
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Refusal, StoreFailure};
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::{Handle, NotGranted, StoreCall, StoreReply};
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::balance::Balance;
use lode_engine::flow::desk::{Arrival, Desk, Owner};
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::session::{Event, ProposalNews, Session};

use crate::desktop::{DATA, Desktop, Screen, US};
use common::flow_simulation::{FlowSimulation, profile, stores};

fn account(credits: i64, scopes: &[&str]) -> Account {
    Account {
        org_id: "org_1".to_owned(),
        org_name: "Acme Inc".to_owned(),
        scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(),
        credits: Some(Credits(credits)),
        ..Account::default()
    }
}

#[test]
fn a_reading_that_is_wanted_is_never_older_than_the_wish() {
    // The service answers with the balance at the moment it received the request, after a second.
    let balance = RefCell::new(100);
    let service =
        |_: &Call, _: u64| Said::After(1_000, Ok(Reply::Me(account(*balance.borrow(), &["search", "unlock"]))));
    let mut desktop = Desktop::new(1, service);
    desktop.for_ms(500);
    *balance.borrow_mut() = 60;
    // One was on its way before; its answer is not what was wished for.
    desktop.act(|session, now, fx| session.balance.refresh(&mut session.desk.at(now, fx)));
    desktop.for_ms(700);
    assert_eq!(desktop.screen.session.balance.credits, Some(Credits(100)));
    assert!(desktop.screen.session.balance.is_asking(), "that is the balance before the wish");
    desktop.for_ms(2_000);
    assert_eq!(desktop.screen.session.balance.credits, Some(Credits(60)));
    assert!(!desktop.screen.session.balance.is_asking());
}

#[test]
fn the_age_is_said_and_only_an_old_balance_is_read_again_on_focus() {
    let requests = RefCell::new(0);
    let service = |call: &Call, _: u64| {
        *requests.borrow_mut() += usize::from(*call == Call::Me);
        Said::Reply(Ok(Reply::Me(account(7, &["search"]))))
    };
    let mut desktop = Desktop::new(1, service);
    desktop.for_ms(1_000);
    desktop.act(|session, now, fx| session.focused(now, fx));
    desktop.for_ms(1_000);
    assert_eq!(*requests.borrow(), 1);
    desktop.for_ms(60_000);
    let age = desktop.screen.session.balance.age(desktop.sim.moment()).unwrap();
    assert!(age > Duration::from_secs(60) && age < Duration::from_secs(63));
    desktop.act(|session, now, fx| session.focused(now, fx));
    desktop.for_ms(1_000);
    assert_eq!(*requests.borrow(), 2);
}

#[test]
fn what_is_remembered_of_a_key_shows_its_scopes_but_names_no_purse_until_the_service_does() {
    let store = stores(1).remove(0);
    let later = store.beside(WindowId("later".to_owned()));
    let mut desktop =
        Desktop::on(vec![store], 1, |_: &Call, _: u64| Said::Reply(Ok(Reply::Me(account(7, &["search"])))));
    assert_eq!(desktop.screen.session.balance.may_unlock(), None, "no answer has said yet");
    desktop.until_quiet();
    let balance = &desktop.screen.session.balance;
    let purse = Purse::of_org(Origin::of("https://service.example"), "org_1");
    assert_eq!(balance.purse(), Some(purse.clone()));
    assert_eq!((balance.may_search(), balance.may_unlock()), (Some(true), Some(false)));
    drop(desktop);
    let refused = Failure::Refused { status: 401, why: Refusal::Key, words: "the key was revoked".to_owned() };
    let answer = refused.clone();
    let mut desktop = Desktop::on(vec![later], 2, move |_: &Call, _: u64| Said::Reply(Err(answer.clone())));
    desktop.until_quiet();
    let balance = &desktop.screen.session.balance;
    assert_eq!(balance.account.as_ref().map(|account| account.org_name.as_str()), Some("Acme Inc"));
    assert_eq!((balance.purse(), balance.credits), (None, None));
    assert_eq!(balance.failure.as_ref(), Some(&refused));
}

#[test]
fn an_account_is_written_again_only_if_its_newest_write_failed() {
    let mut desk = Desk::new(&profile("w0"), RetryPolicy::Window, 1);
    let mut balance = Balance::new(&profile("w0"));
    let mut answered = |balance: &mut Balance, org: &str| {
        let (account, mut fx) = (Account { org_id: org.to_owned(), ..account(7, &["search"]) }, Vec::new());
        balance.answered(&account, &mut desk.at(Now::default(), &mut fx));
        fx.into_iter().find_map(|effect| match effect {
            Effect::Store(ticket, StoreCall::KeepAccount { .. }) => Some(ticket),
            _ => None,
        })
    };
    let first = answered(&mut balance, "org_1").expect("it is new");
    let second = answered(&mut balance, "org_2").expect("it is another");
    let mut desk = Desk::new(&profile("w0"), RetryPolicy::Window, 1);
    let mut fail = |balance: &mut Balance, ticket| {
        let arrival = Arrival::Stored(ticket, Err(StoreFailure::Full));
        balance.handle(&arrival, &mut desk.at(Now::default(), &mut Vec::new()))
    };
    fail(&mut balance, first);
    assert_eq!(answered(&mut balance, "org_2"), None, "that of the first organization no longer counts");
    fail(&mut balance, second);
    assert!(answered(&mut balance, "org_2").is_some());
}

/// A service may stop naming the workspace while a request of an assistant waits.
#[test]
fn a_request_is_not_answered_while_the_workspace_is_unknown_and_that_is_said() {
    let (now, mut fx) = (Now::default(), Vec::new());
    let mut session = Session::start(profile("w0"), RetryPolicy::Window, 7, now, &mut fx);
    fx.clear();
    session.decline(&Handle("h1".to_owned()), &mut fx);
    assert!(fx.is_empty(), "{fx:?}");
    let events = session.wake(now, &mut fx);
    let refused = Event::Requests(ProposalNews::Refused(NotGranted::NoSuch));
    assert!(events.contains(&refused), "{events:?}");
}

/// Another success on the key shows that `/me` can be read again.
#[test]
fn a_me_that_failed_is_asked_again_after_the_next_success_and_not_more_than_once_a_minute() {
    let asked = RefCell::new(0);
    let service = |call: &Call, _: u64| {
        if *call == Call::Me {
            *asked.borrow_mut() += 1;
            let words = "not now".to_owned();
            return Said::Reply(Err(Failure::Refused { status: 404, why: Refusal::Request, words }));
        }
        Said::Reply(Ok(Reply::Page(Page { limit: 100, ..Page::default() })))
    };
    let mut desktop = Desktop::new(1, service);
    let search = |desktop: &mut Desktop<'_>, side| {
        desktop.act(|session, now, fx| {
            let cx = &mut session.desk.at(now, fx);
            cx.search(Owner::Caller, Query::new(side), 0, 100, Priority::Person);
        });
        desktop.for_ms(1_000);
        *asked.borrow()
    };
    desktop.for_ms(1_000);
    assert_eq!(*asked.borrow(), 1);
    assert_eq!(search(&mut desktop, DATA), 1, "the other service shows nothing of this key");
    assert_eq!(search(&mut desktop, US), 2);
    assert_eq!(search(&mut desktop, US), 2, "it was asked just now");
    desktop.for_ms(60_000);
    assert_eq!(*asked.borrow(), 2, "time alone does not ask again");
    assert_eq!(search(&mut desktop, US), 3);
}

/// Requests of `/me`, and of what the store remembers of the key.
#[test]
fn an_account_that_is_asked_for_twice_at_a_moment_is_read_once_and_what_is_known_is_not_looked_up_again() {
    let (asked, looked_up) = (Cell::new(0), Rc::new(Cell::new(0)));
    let service = |call: &Call, _: u64| {
        asked.set(asked.get() + u32::from(*call == Call::Me));
        Said::Reply(Ok(Reply::Me(account(7, &["search"]))))
    };
    let mut desktop = Desktop::new(1, service);
    let looking = Rc::clone(&looked_up);
    desktop.sim.fails = Box::new(move |call| {
        looking.set(looking.get() + u32::from(matches!(call, StoreCall::AccountOf { .. })));
        false
    });
    for times in 1..=2 {
        for _ in 0..2 {
            desktop.act(|session, now, fx| session.balance.refresh(&mut session.desk.at(now, fx)));
        }
        desktop.until_quiet();
        assert_eq!((asked.get(), looked_up.get()), (times, 1));
    }
}

/// A search that works shows that the key may search by now.
#[test]
fn a_key_that_may_not_search_is_asked_about_again_once_a_search_works() {
    for (scopes, times) in [(&["unlock"][..], 2), (&["search", "unlock"], 1)] {
        let asked = Cell::new(0);
        let service = |call: &Call, _: u64| {
            if *call == Call::Me {
                asked.set(asked.get() + 1);
                return Said::Reply(Ok(Reply::Me(account(7, scopes))));
            }
            Said::Reply(Ok(Reply::Page(Page { limit: 100, ..Page::default() })))
        };
        let mut desktop = Desktop::new(1, service);
        desktop.for_ms(1_000);
        desktop.act(|session, now, fx| {
            let cx = &mut session.desk.at(now, fx);
            cx.search(Owner::Caller, Query::new(US), 0, 100, Priority::Person);
        });
        desktop.until_quiet();
        assert_eq!(asked.get(), times, "{scopes:?}");
    }
}

#[test]
fn a_key_that_belongs_to_another_workspace_than_before_is_told_whichever_answer_comes_first() {
    for is_late in [false, true] {
        for (org, is_told) in [("org_1", false), ("org_2", true), ("", false)] {
            let sim =
                FlowSimulation::new(1, stores(1), |_: &Call, _| Said::Reply(Ok(Reply::Me(account(7, &["search"])))));
            let session = Session::at_rest(profile("w0"), RetryPolicy::Window, 1);
            let mut desktop = Desktop { sim, screen: Screen { session, events: Vec::new() } };
            let mut looking_up = None;
            desktop.act(|session, now, fx| {
                session.balance.refresh(&mut session.desk.at(now, fx));
                looking_up =
                    fx.extract_if(.., |effect| matches!(effect, Effect::Store(_, StoreCall::AccountOf { .. }))).next();
            });
            let Some(Effect::Store(ticket, _)) = looking_up else { panic!("the store is asked") };
            if is_late {
                desktop.until_quiet();
            }
            let before = Account { org_id: org.to_owned(), org_name: "Elm Inc".to_owned(), ..Account::default() };
            let known = (Purse::of_org(Origin::of("https://service.example"), org), before, Wall(1));
            let answer = Answer::Stored(ticket, Ok(StoreReply::AccountOf(Some(known))));
            let mut events = Vec::new();
            desktop.act(|session, now, fx| events = session.handle(answer, now, fx));
            desktop.until_quiet();
            events.append(&mut desktop.screen.events);
            let told = events.into_iter().filter_map(|event| match event {
                Event::Purse(words) => words,
                _ => None,
            });
            let words = "This key now belongs to Acme Inc. Its own basket and records are used; those of Elm Inc are unchanged.";
            assert_eq!(told.collect::<Vec<_>>(), vec![words; usize::from(is_told)], "{org} {is_late}");
        }
    }
}
