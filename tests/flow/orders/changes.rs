//! Changes between a review and its order, or while the order runs: money rule 1, *shown is paid*.

use lode_core::choose::Choosing;
use lode_core::contact::Source;
use lode_core::time::Mono;
use lode_core::{ScoreField, ScoreRule, ScoreRules};
use lode_engine::effect::store::{Proposal, ProposalState, StandingGrant};

use super::*;

fn rows(ids: std::ops::RangeInclusive<i64>) -> UnlockSubject {
    let rows: Vec<Staged> = ids.map(|id| Staged::by_id(RowId(id))).collect();
    UnlockSubject::Rows(Corpus::Us, rows.into())
}

/// Why its review is shown again.
fn shown_again<'a>(desktop: &'a Desktop<'_>) -> Option<&'a str> {
    desktop.screen.events.iter().find_map(|event| match event {
        Event::ReviewAgain { words, .. } => Some(words.as_str()),
        _ => None,
    })
}

#[test]
fn an_order_whose_balance_is_another_at_enter_shows_its_review_again() {
    for (balance, words) in [(1_000, None), (990, Some("Something changed since this was shown. Review it again."))] {
        let (mut desktop, service) = reviewed(&[]);
        let quote = shown(&mut desktop, rows(1..=3));
        service.borrow_mut().balance = balance;
        desktop.act(|session, now, fx| assert_eq!(session.accept(&quote, Credits(3), now, fx), Ok(())));
        desktop.until_quiet();
        assert_eq!(shown_again(&desktop), words);
        assert_eq!(service.borrow().sent.len(), usize::from(words.is_none()));
    }
}

/// The balance is asked for at the same time.
#[test]
fn an_order_waits_for_its_settings_where_they_take_longer_than_the_balance() {
    let (mut desktop, service) = reviewed(&[]);
    desktop.sim.settings_take = 5_000;
    accept(&mut desktop, 1..=3);
    desktop.for_ms(4_000);
    assert!(service.borrow().sent.is_empty());
    let summary = summary(&mut desktop);
    assert_eq!((summary.end, summary.tally.charged), (OrderEnd::Done, 3));
}

/// Nothing is sent, and other windows are not asked about its contacts.
#[test]
fn a_basket_that_changes_before_the_first_batch_ends_its_order() {
    let (mut desktop, service) = reviewed(&[]);
    stage_elsewhere(&mut desktop, 60);
    service.borrow_mut().me_takes = 500;
    order(&mut desktop, UnlockSubject::Basket(Corpus::Us, None));
    unstage_elsewhere(&desktop, 60);
    let asked = Rc::new(Cell::new(0));
    let counted = Rc::clone(&asked);
    desktop.sim.fails = Box::new(move |call| {
        let asks = matches!(call, StoreCall::Intend(_) | StoreCall::ContactStatuses { .. });
        counted.set(counted.get() + u32::from(asks));
        false
    });
    let summary = summary(&mut desktop);
    assert_eq!((&summary.end, asked.get()), (&OrderEnd::Withheld(IntentRefused::BasketChanged), 1));
    assert_eq!((summary.tally.locked, summary.exit(), service.borrow().sent.len()), (60, 1, 0));
}

/// The store still has the same rows: only what a page of the search said is new.
#[test]
fn a_contact_that_is_seen_as_owned_after_the_review_is_not_bought_unseen() {
    let (mut desktop, service) = reviewed(&[]);
    stage_elsewhere(&mut desktop, 3);
    let quote = shown(&mut desktop, UnlockSubject::Basket(Corpus::Us, None));
    let id = quote.to_unlock[1].id;
    desktop.act(|session, now, fx| {
        session.side_mut(US).0.basket.own(id);
        let Err(Declined::Changed(now)) = session.accept(&quote, Credits(3), now, fx) else {
            panic!("it was accepted")
        };
        assert_eq!((&now.owned[..], now.most), (&[id][..], Credits(2)));
    });
    desktop.until_quiet();
    assert!(service.borrow().sent.is_empty());
}

/// It was in the basket when it was written down, and holds what it may still cost.
#[test]
fn a_batch_that_goes_out_again_is_not_held_against_the_basket() {
    let (mut desktop, service) = reviewed(&[Turn::Break]);
    stage_elsewhere(&mut desktop, 3);
    let guards = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&guards);
    desktop.sim.fails = Box::new(move |call| {
        if let StoreCall::Intend(intent) = call {
            noted.borrow_mut().push(intent.basket.is_some());
        }
        false
    });
    order(&mut desktop, UnlockSubject::Basket(Corpus::Us, None));
    until(&mut desktop, |job| job.rests().is_some());
    unstage_elsewhere(&desktop, 2);
    let summary = summary(&mut desktop);
    assert_eq!((summary.end, summary.tally.charged, service.borrow().sent.len()), (OrderEnd::Done, 3, 2));
    assert_eq!(*guards.borrow(), [true, false]);
}

/// The rest of the company waits in the second batch.
#[test]
fn a_limit_per_company_that_is_saved_while_an_order_runs_takes_contacts_out() {
    let (mut desktop, service) = reviewed(&[]);
    service.borrow_mut().takes = 1_000;
    let row = |id: i64| {
        let [name, company] = [format!("Person {id}"), "Lakeside".to_owned()];
        Staged::new(RowId(id), false, StagedFields { name, company, ..StagedFields::default() })
    };
    order(&mut desktop, UnlockSubject::Rows(Corpus::Us, (1..=30).map(row).collect::<Vec<_>>().into()));
    until(&mut desktop, RunningOrder::awaits_answer);
    desktop.sim.saved.as_mut().unwrap().choosing.per_company = Some(27);
    let summary = summary(&mut desktop);
    assert_eq!((summary.left_out, summary.tally.charged, summary.exit()), (3, 27, 3));
    assert_eq!(summary.notices, ["left out: 3 contacts are more than the limit per company now allows"]);
    assert_eq!(service.borrow().sent.iter().map(Vec::len).collect::<Vec<_>>(), [25, 2]);
}

/// Its settings are read before each batch, whatever they said when the program of the assistant started.
#[test]
fn an_allowance_that_the_settings_took_back_buys_nothing() {
    let (mut desktop, service) = reviewed(&[]);
    let (intent, now) = (intent(&desktop.sim.stores[0], "o", &[1]), desktop.sim.moment());
    let proposal = Proposal {
        handle: Handle("p-1".to_owned()),
        purse: intent.purse,
        corpus: Corpus::Us,
        assistant: "helper".to_owned(),
        rows: (1..=3).map(|id| Staged::by_id(RowId(id))).collect(),
        verify: true,
        ceiling: Credits(3),
        made_at: now.wall,
        expires_at: common::flow_simulation::at(desktop.sim.now + 600_000).wall,
        state: ProposalState::Waiting,
    };
    let handle = proposal.handle.clone();
    desktop.sim.stores[0].perform(StoreCall::Propose(Box::new(proposal)), now).unwrap();
    let standing = Some(StandingGrant { per_day: Credits(100), per_call: Credits(100) });
    let stand_in = Session::start(profile("w0"), RetryPolicy::Window, 7, now, &mut Vec::new());
    let session = std::mem::replace(&mut desktop.screen.session, stand_in);
    desktop.screen.session = session.for_assistant(Assistant { name: "helper".to_owned(), standing });
    let quote = shown(&mut desktop, rows(1..=3));
    desktop.act(|session, now, fx| {
        assert_eq!(session.accept_within(&quote, Credits(3), Some(handle), now, fx), Ok(()));
    });
    let end = summary(&mut desktop).end;
    assert_eq!(end, OrderEnd::Withheld(IntentRefused::NotGranted(NotGranted::Waiting)));
    assert!(service.borrow().sent.is_empty());
}

/// Money rule 4, *never twice*.
#[test]
fn contacts_that_another_window_bought_since_the_review_are_left_out_and_cost_nothing() {
    for (bought, sent) in [(&[2][..], vec![vec![1, 3]]), (&[1, 2, 3], vec![])] {
        let (mut desktop, service) = reviewed(&[]);
        service.borrow_mut().me_takes = 500;
        accept(&mut desktop, 1..=3);
        let contact = |id: &i64| Contact { email: format!("p{id}@b.example"), ..Contact::default() };
        let owned = |id: &i64| SeenOwned { id: RowId(*id), contact: contact(id), search: None, row: String::new() };
        let contacts = bought.iter().map(owned).collect();
        elsewhere(&desktop, |purse| StoreCall::Own { purse, corpus: Corpus::Us, contacts });
        let summary = summary(&mut desktop);
        let tally = summary.tally;
        assert_eq!((summary.end, &service.borrow().sent), (OrderEnd::Done, &sent));
        assert_eq!((tally.already, tally.charged), (bought.len() as u64, 3 - bought.len() as u64));
    }
}

/// Only the contact goes: the batch that is written down stays.
#[test]
fn a_contact_of_a_later_batch_that_is_listed_does_not_withdraw_the_batch_that_waits_for_a_slot() {
    let (mut desktop, service) = reviewed(&[]);
    service.borrow_mut().me_takes = 500;
    accept(&mut desktop, 1..=60);
    put_off(&mut desktop, &service);
    until(&mut desktop, RunningOrder::awaits_answer);
    let batch = desktop.screen.session.unlock().at_work();
    suppress_elsewhere(&desktop, SuppressEntry::Contact(US, RowId(60)));
    desktop.for_ms(10_000);
    assert!(job(&desktop).awaits_answer());
    assert_eq!((desktop.screen.session.unlock().at_work(), job(&desktop).wanted().count()), (batch, 59));
    let summary = summary(&mut desktop);
    assert_eq!((summary.left_out, summary.tally.charged), (1, 59));
}

/// A command reports that as an order of zero contacts.
#[test]
fn a_review_of_owned_contacts_orders_nothing() {
    let (mut desktop, service) = ordered(3, 100, &[]);
    assert_eq!(summary(&mut desktop).tally.charged, 3);
    let quote = shown(&mut desktop, rows(1..=3));
    assert_eq!((quote.owned.len(), quote.most), (3, Credits(0)));
    desktop.act(|session, now, fx| {
        assert_eq!(session.accept(&quote, Credits(1), now, fx), Err(Declined::Nothing));
        assert_eq!(session.accept_within(&quote, Credits(5), None, now, fx), Ok(()));
    });
    let again = summary(&mut desktop);
    assert_eq!((&again.end, again.contacts.len(), again.exit()), (&OrderEnd::Done, 0, 0));
    assert_eq!(service.borrow().sent.len(), 1);
}

/// Such a batch is never cut, so it waits for another cap.
#[test]
fn a_cap_per_call_of_zero_lets_no_batch_go_out_again() {
    let (mut desktop, service) = ordered(3, 100, &[Turn::Break]);
    until(&mut desktop, |job| job.rests().is_some());
    desktop.sim.saved.as_mut().unwrap().caps.call = Some(Credits(0));
    assert_eq!(summary(&mut desktop).tally.unknown, 3);
    let batch = desktop.screen.session.recovery.batches().next().unwrap().batch;
    let quote = shown(&mut desktop, UnlockSubject::Again(batch));
    desktop.act(|session, now, fx| {
        assert_eq!(session.accept(&quote, Credits(3), now, fx), Err(Declined::Nothing));
        assert_eq!(session.accept_within(&quote, Credits(3), None, now, fx), Err(Declined::Nothing));
    });
    assert_eq!(service.borrow().sent.len(), 1);
}

/// A batch that goes out again stays as it was, whatever the score of its contacts.
#[test]
fn a_review_shows_the_contacts_with_the_highest_score_first() {
    let (mut desktop, _) = reviewed(&vec![Turn::Break; 4]);
    let subject = |ids: [i64; 4]| {
        let row = |(at, id): (usize, i64)| {
            let title = if at % 2 == 0 { "Nurse" } else { "Director" };
            let clue = Clue { title: title.to_owned(), ..Clue::default() };
            Staged::new(RowId(id), false, StagedFields { clue, ..StagedFields::default() })
        };
        UnlockSubject::Rows(Corpus::Us, ids.into_iter().enumerate().map(row).collect::<Vec<_>>().into())
    };
    let ids = |quote: &Quote| quote.to_unlock.iter().map(|line| line.id.0).collect::<Vec<_>>();
    let quote = shown(&mut desktop, subject([1, 2, 3, 4]));
    assert_eq!(ids(&quote), [1, 2, 3, 4], "as they were staged");
    desktop.act(|session, now, fx| assert_eq!(session.accept(&quote, Credits(4), now, fx), Ok(())));
    assert_eq!(summary(&mut desktop).tally.unknown, 4);
    let mut card = ScoreRules::default();
    card.add(ScoreRule::new(ScoreField::Title, "director", 20).unwrap());
    let choosing = Choosing { card: card.into(), ..Choosing::default() };
    desktop.act(|session, _, _| session.set_choosing(choosing.clone()));
    assert_eq!(ids(&shown(&mut desktop, subject([5, 6, 7, 8]))), [6, 8, 5, 7]);
    let batch = desktop.screen.session.recovery.batches().next().unwrap().batch;
    let mut basis = shown(&mut desktop, UnlockSubject::Again(batch)).basis.clone();
    basis.scorer.card = choosing.card;
    let again = Quote::make(basis, ReviewChoice::default());
    assert_eq!((ids(&again), again.to_unlock[1].clue.title.as_str()), (vec![1, 2, 3, 4], "Director"));
}

/// An order of a command whose batch broke, to be looked for. The service puts searches off, or the minute is used up.
fn looked_for(minute: bool) -> (Desktop<'static>, Rc<RefCell<Service>>) {
    let (mut desktop, service) = waiting(RetryPolicy::Shell, &[Turn::Break]);
    service.borrow_mut().takes = 3_000;
    accept(&mut desktop, 1..=3);
    until(&mut desktop, RunningOrder::awaits_answer);
    if minute {
        desktop.act(|session, now, fx| {
            let cx = &mut session.desk.at(now, fx);
            for _ in 0..120 {
                cx.search(Owner::Caller, Query::new(US), 0, 100, Priority::Person);
            }
        });
    } else {
        put_off(&mut desktop, &service);
    }
    until(&mut desktop, |job| job.checking().is_some());
    desktop.for_ms(1_000);
    (desktop, service)
}

#[test]
fn a_command_that_is_stopped_leaves_a_check_that_waits_for_the_next_minute() {
    let (mut desktop, service) = looked_for(true);
    let gauge = desktop.screen.session.desk.gauge(Source::Workspace, desktop.sim.moment());
    assert!(gauge.paused.is_none() && gauge.next_send.is_some(), "{gauge:?}");
    desktop.act(|session, now, fx| session.stop_unlock(now, fx));
    desktop.for_ms(1);
    assert!(!desktop.screen.session.unlock().is_running());
    let summary = summary(&mut desktop);
    let end = OrderEnd::Unknown("the line broke".to_owned());
    assert_eq!((summary.end, summary.tally.unknown, service.borrow().sent.len()), (end, 3, 1));
}

#[test]
fn a_command_that_is_stopped_waits_for_a_check_that_may_leave_at_this_moment() {
    let (mut desktop, _) = looked_for(false);
    let Mono(at) = desktop.screen.session.desk.gauge(Source::Workspace, desktop.sim.moment()).next_send.unwrap();
    desktop.for_ms(at - 1 - desktop.sim.now);
    desktop.sim.now = at;
    desktop.act(|session, now, fx| session.stop_unlock(now, fx));
    desktop.for_ms(1);
    assert!(desktop.screen.session.unlock().is_running());
    assert_eq!(summary(&mut desktop).tally.unknown, 3);
}
