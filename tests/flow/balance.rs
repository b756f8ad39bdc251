//! The account and the balance: always a number the service said, with its age, and whose purse it is.

use std::cell::RefCell;
use std::time::Duration;

use common::sandbox_engine::Said;
use lode_core::credits::Credits;
use lode_core::purse::{Origin, Purse};
use lode_core::query::Query;
use lode_core::time::Now;
use lode_core::{Account, Page};
use lode_engine::effect::Effect;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Refusal, StoreFailure};
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::{Handle, NotGranted, StoreCall};
use lode_engine::flow::balance::Balance;
use lode_engine::flow::desk::{Arrival, Desk, Owner};
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::session::{Event, ProposalNews, Session};

use crate::desktop::{DATA, Desktop, US};
use common::flow_simulation::{profile, stores};

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
