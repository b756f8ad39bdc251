//! Batches whose first sending settled nothing, or not all: how they are looked for, and when they go out again.

use lode_engine::effect::store::BatchIntent;

use super::*;

/// An order for contacts 1 to 3 whose batch broke and rests, and that batch.
fn resting() -> (Desktop<'static>, Rc<RefCell<Service>>, BatchId) {
    let (mut desktop, service) = ordered(3, 100, &[Turn::Break]);
    until(&mut desktop, |job| job.rests().is_some());
    let batch = desktop.screen.session.unlock().at_work().unwrap();
    (desktop, service, batch)
}

/// Contacts 1 to `count`, which an order left unknown after these turns of the service.
fn left_unknown(count: i64, turns: &[Turn]) -> (Desktop<'static>, Rc<RefCell<Service>>) {
    let (mut desktop, service) = ordered(count, 100, turns);
    assert_eq!(summary(&mut desktop).tally.unknown, count as u64);
    (desktop, service)
}

/// Sends the one batch with an unknown result again.
fn send_again(desktop: &mut Desktop<'_>) -> OrderSummary {
    let batch = desktop.screen.session.recovery.batches().next().unwrap().batch;
    order(desktop, UnlockSubject::Again(batch));
    summary(desktop)
}

fn missing(unlocked: &[i64], missing: &[i64]) -> Turn {
    let unlocked: Vec<Value> = unlocked.iter().copied().map(contact).collect();
    Turn::Answer(json!({"unlocked": unlocked, "already_unlocked": [], "missing": missing,
        "credits_charged": unlocked.len(), "credits_refunded": 0, "balance": 990, "stopped_for_credits": false}))
}

fn unknown(words: &str) -> OrderEnd {
    OrderEnd::Unknown(words.to_owned())
}

const OWNED_NOW: &str = "some of its contacts are owned now, so it is not sent again";

/// Contacts that the store has as owned, with their email and the search that they were found by.
fn owned(desktop: &mut Desktop<'_>) -> Vec<(i64, String, Option<String>)> {
    let purse = intent(&desktop.sim.stores[0], "o", &[1]).purse;
    let now = desktop.sim.moment();
    let owned = desktop.sim.stores[0].perform(StoreCall::Owned { purse, corpus: None }, now);
    let Ok(StoreReply::Owned(owned)) = owned else { panic!("{owned:?}") };
    let mut owned: Vec<_> = owned.into_iter().map(|owned| (owned.id.0, owned.contact.email, owned.search)).collect();
    owned.sort();
    owned
}

/// Money rule 3, *same batch, same ids*: what another window settled is taken over, and the
/// rest of that batch stays unknown.
#[test]
fn a_batch_that_another_window_settled_does_not_go_out_again() {
    for (ids, end, unknown_left) in [(&[1][..], unknown(OWNED_NOW), 2), (&[1, 2, 3], OrderEnd::Done, 0)] {
        let (mut desktop, service, batch) = resting();
        let bought = |id: &i64| Settled {
            id: RowId(*id),
            outcome: Outcome::Unlocked,
            contact: Some(Box::new(Contact { email: format!("p{id}@b.example"), ..Contact::default() })),
            evidence: None,
        };
        let settlement = Settlement::by_look(batch, 1, ids.iter().map(bought).collect());
        elsewhere(&desktop, |_| StoreCall::Settle(Box::new(settlement)));
        let summary = summary(&mut desktop);
        assert_eq!((summary.end, summary.tally.unknown), (end, unknown_left));
        assert_eq!((summary.tally.charged, service.borrow().sent.len()), (ids.len() as u64, 1));
    }
}

/// Its contacts are unknown, and the other window will tell what became of them.
#[test]
fn a_batch_that_another_window_sends_again_is_left_to_it_at_once() {
    let (mut desktop, service, batch) = resting();
    let mut other = desktop.sim.stores[0].beside(WindowId("w1".to_owned()));
    let again = BatchIntent { again: Some(batch), sent: 1, ..intent(&other, "o", &[1, 2, 3]) };
    let written = other.perform(StoreCall::Intend(Box::new(again)), desktop.sim.moment());
    assert!(matches!(written, Ok(StoreReply::Intended(_))), "{written:?}");
    let summary = summary(&mut desktop);
    assert_eq!(summary.end, OrderEnd::Withheld(IntentRefused::Open([1, 2, 3].map(RowId).to_vec())));
    assert_eq!((summary.tally.unknown, summary.elsewhere.len(), summary.exit()), (3, 0, 9));
    assert_eq!(service.borrow().sent.len(), 1);
}

/// The result of a check is on the disk before the next batch leaves.
#[test]
fn a_broken_batch_that_was_carried_out_counts_as_bought_and_the_order_continues() {
    let (mut desktop, service) = ordered(30, 1_000, &[Turn::Break]);
    until(&mut desktop, RunningOrder::awaits_answer);
    service.borrow_mut().owned.extend(1..=25);
    until(&mut desktop, |job| job.batches().0 == 2);
    let ids: Vec<i64> = owned(&mut desktop).into_iter().map(|(id, ..)| id).collect();
    assert_eq!(ids, (1..=25).collect::<Vec<_>>(), "before the next batch");
    let summary = summary(&mut desktop);
    assert_eq!((summary.end, summary.tally.charged, summary.tally.unknown), (OrderEnd::Done, 30, 0));
    assert_eq!(service.borrow().sent.iter().map(Vec::len).collect::<Vec<_>>(), [25, 5]);
}

#[test]
fn a_broken_batch_of_which_a_part_was_bought_ends_its_order_without_another_try() {
    let (mut desktop, service) = ordered(3, 1_000, &[Turn::Break]);
    until(&mut desktop, RunningOrder::awaits_answer);
    service.borrow_mut().owned.insert(2);
    while let Some(job) = desktop.screen.session.unlock().job().filter(|_| desktop.sim.now < 1_000_000) {
        assert_eq!(job.rests(), None);
        desktop.for_ms(5);
    }
    let summary = summary(&mut desktop);
    assert_eq!((summary.end, summary.tally.charged, summary.tally.unknown), (unknown("the line broke"), 1, 2));
    assert_eq!(service.borrow().sent.len(), 1);
}

/// A key that was refused for one batch is refused for the next.
#[test]
fn a_refused_batch_that_was_carried_out_ends_its_order_all_the_same() {
    for (count, applied, charged) in [(30, 25, 25), (30, 0, 0), (3, 3, 3)] {
        let (mut desktop, service) = ordered(count, 1_000, &[Turn::Refuse(403, "no")]);
        until(&mut desktop, RunningOrder::awaits_answer);
        service.borrow_mut().owned.extend(1..=applied);
        let summary = summary(&mut desktop);
        let refused = matches!(summary.end, OrderEnd::Refused { status: 403, .. });
        assert_eq!((refused, summary.end == OrderEnd::Done), (count == 30, count == 3), "{:?}", summary.end);
        assert_eq!((summary.tally.charged, summary.tally.unknown), (charged, 0));
        assert_eq!((summary.tally.locked, service.borrow().sent.len()), (count as u64 - charged, 1));
    }
}

#[test]
fn a_refused_batch_of_which_a_part_was_bought_tells_why_the_rest_is_unknown() {
    let (mut desktop, service) = ordered(3, 1_000, &[Turn::Refuse(403, "no")]);
    until(&mut desktop, RunningOrder::awaits_answer);
    service.borrow_mut().owned.insert(2);
    let summary = summary(&mut desktop);
    assert_eq!(summary.end, unknown("the service refused it (no), but some of its contacts are owned"));
    assert_eq!((summary.tally.charged, summary.tally.unknown, service.borrow().sent.len()), (1, 2, 1));
}

/// Money rule 3, *same batch, same ids*: only a free check lets it go.
#[test]
fn a_batch_of_an_earlier_order_stays_unknown_where_its_check_fails_or_shows_a_contact_as_owned() {
    for fails in [true, false] {
        let (mut desktop, service) = left_unknown(3, &vec![Turn::Break; 4]);
        service.borrow_mut().refuses_searches = fails;
        service.borrow_mut().owned.extend([2].iter().filter(|_| !fails));
        let again = send_again(&mut desktop);
        let end = if fails { unknown("the free check failed: no search") } else { unknown(OWNED_NOW) };
        assert_eq!((again.end, service.borrow().sent.len()), (end, 4));
    }
}

#[test]
fn a_ceiling_that_just_covers_a_batch_of_an_earlier_order_lets_it_go_out_again() {
    let (mut desktop, service) = left_unknown(3, &vec![Turn::Break; 4]);
    let batch = desktop.screen.session.recovery.batches().next().unwrap().batch;
    desktop.act(|session, now, fx| {
        let declined = Err(Declined::Whole { most: Credits(3) });
        assert_eq!(session.finish(batch, Credits(2), now, fx), declined);
        assert_eq!(session.finish(batch, Credits(3), now, fx), Ok(()));
    });
    let again = summary(&mut desktop);
    assert_eq!((again.end, again.tally.charged, service.borrow().sent.len()), (OrderEnd::Done, 3, 5));
}

#[test]
fn a_batch_of_an_earlier_order_that_is_stopped_while_it_is_looked_for_does_not_go_out_again() {
    let (mut desktop, service) = left_unknown(3, &vec![Turn::Break; 4]);
    service.borrow_mut().search_takes = 1_000;
    let batch = desktop.screen.session.recovery.batches().next().unwrap().batch;
    order(&mut desktop, UnlockSubject::Again(batch));
    desktop.for_ms(500);
    desktop.act(|session, now, fx| session.stop_unlock(now, fx));
    let again = summary(&mut desktop);
    assert_eq!((&again.end, again.tally.unknown, service.borrow().sent.len()), (&OrderEnd::Stopped, 3, 4));
}

/// Others move at that moment: an answer, a key.
#[test]
fn a_batch_that_rests_does_not_go_out_again_before_its_time() {
    let (mut desktop, service, _) = resting();
    let rests = job(&desktop).rests();
    desktop.act(|session, now, fx| drop(session.wake(now, fx)));
    assert_eq!((job(&desktop).rests(), service.borrow().sent.len()), (rests, 1));
}

/// Money rule 3, *same batch, same ids*: it is not cut either.
#[test]
fn a_batch_with_a_contact_that_is_listed_by_now_does_not_go_out_again() {
    let (mut desktop, service, _) = resting();
    suppress_elsewhere(&desktop, SuppressEntry::Contact(US, RowId(2)));
    let summary = summary(&mut desktop);
    let words = "the batch is not sent again: 1 contact is on the suppression list dnc now";
    assert_eq!((summary.end, summary.tally.unknown), (OrderEnd::Changed(words.to_owned()), 3));
    assert_eq!(service.borrow().sent.len(), 1);
}

/// Locked is what the last check saw, and two of these prove something.
#[test]
fn what_a_check_of_an_order_sees_is_kept_for_the_next_check() {
    let (desktop, _) = left_unknown(3, &vec![Turn::Break; 4]);
    let batch = desktop.screen.session.recovery.batches().next().unwrap();
    assert_eq!(batch.open.iter().map(|open| open.sightings.len()).collect::<Vec<_>>(), [1, 1, 1]);
}

/// While an earlier sending may still be carried out, missing proves nothing.
#[test]
fn a_contact_that_is_missing_long_after_its_batch_broke_cannot_be_had_any_more() {
    for (rests, unreachable) in [(100, 0), (70_000, 1)] {
        let (mut desktop, service) = left_unknown(2, &vec![Turn::Break; 4]);
        service.borrow_mut().turns.push_back(missing(&[1], &[2]));
        desktop.for_ms(rests);
        let tally = send_again(&mut desktop).tally;
        assert_eq!((tally.charged, tally.unreachable, tally.unknown), (1, unreachable, 1 - unreachable));
    }
}

/// Once each sending is answered, what the last answer calls missing was never bought.
#[test]
fn an_answer_that_named_no_contact_counts_where_its_batch_goes_out_again() {
    let (mut desktop, service) = left_unknown(2, &[missing(&[], &[])]);
    service.borrow_mut().turns.push_back(missing(&[], &[1, 2]));
    let again = send_again(&mut desktop);
    assert_eq!((again.end, again.tally.missing, again.tally.unknown), (OrderEnd::Done, 2, 0));
    assert_eq!(service.borrow().sent.len(), 2);
}

/// The credits ran out, whichever way its contacts settle.
#[test]
fn a_check_of_a_batch_whose_credits_ran_out_is_written_down_as_such() {
    let (mut desktop, service) = ordered(3, 100, &[Turn::Break, sold(1, 1, 0, true)]);
    until(&mut desktop, |job| job.rests().is_some());
    let settlements = Rc::new(RefCell::new(Vec::new()));
    let noted = Rc::clone(&settlements);
    desktop.sim.fails = Box::new(move |call| {
        if let StoreCall::Settle(settlement) = call {
            noted.borrow_mut().push((settlement.how, settlement.stopped_for_credits));
        }
        false
    });
    until(&mut desktop, RunningOrder::awaits_answer);
    desktop.for_ms(60);
    // The first sending bought it.
    service.borrow_mut().owned.insert(2);
    let summary = summary(&mut desktop);
    assert_eq!((summary.tally.charged, summary.tally.unknown, service.borrow().sent.len()), (2, 1, 2));
    assert_eq!(*settlements.borrow(), [(SettledBy::Answer, true), (SettledBy::Look, true)]);
}

/// The row that its contact was shown in tells that a list does not name it.
#[test]
fn a_batch_of_contacts_whose_rows_no_list_names_goes_out_again() {
    let (mut desktop, service) = reviewed(&vec![Turn::Break; 4]);
    let [email, row] = ["p•••@lake.example", r#"{"id":1,"email_address":"p•••@lake.example"}"#].map(str::to_owned);
    let rows = vec![Staged::new(RowId(1), false, StagedFields { email, row, ..StagedFields::default() })];
    order(&mut desktop, UnlockSubject::Rows(Corpus::Us, rows.into()));
    assert_eq!(summary(&mut desktop).tally.unknown, 1);
    suppress_elsewhere(&desktop, SuppressEntry::Domain("river.example".to_owned()));
    let again = send_again(&mut desktop);
    assert_eq!((again.end, again.tally.charged, service.borrow().sent.len()), (OrderEnd::Done, 1, 5));
}

/// A row that shows an email is written down as the search found it; for one without, the search that staged it is kept.
#[test]
fn an_owned_contact_that_an_answer_names_without_its_email_is_completed_by_a_search() {
    for shows_emails in [true, false] {
        let answer = json!({"unlocked": [contact(1)], "already_unlocked": [2, 3], "missing": [], "credits_charged": 1,
            "credits_refunded": 0, "balance": 999, "stopped_for_credits": false});
        let (mut desktop, service) = reviewed(&[Turn::Answer(answer)]);
        service.borrow_mut().owned.extend([2, 3]);
        service.borrow_mut().shows_emails = shows_emails;
        let search = |id: i64| format!("workspace/us&title=t{id}");
        let row = |id| {
            let clue = Clue { search: Some(search(id)), ..Clue::default() };
            Staged::new(RowId(id), false, StagedFields { clue, ..StagedFields::default() })
        };
        order(&mut desktop, UnlockSubject::Rows(Corpus::Us, (1..=3).map(row).collect::<Vec<_>>().into()));
        let summary = summary(&mut desktop);
        assert_eq!((summary.end, summary.tally.charged, summary.tally.already), (OrderEnd::Done, 1, 2));
        let of = |id: i64| match shows_emails {
            true => (id, format!("p{id}@b.example"), Some("workspace/us".to_owned())),
            false => (id, String::new(), Some(search(id))),
        };
        assert_eq!(owned(&mut desktop)[1..], [of(2), of(3)]);
        let emails = summary.contacts.iter().filter(|of| of.contact.as_ref().is_some_and(|of| of.has_address()));
        assert_eq!(emails.count(), if shows_emails { 3 } else { 1 });
    }
}

#[test]
fn a_request_that_never_left_is_not_tried_again_after_a_stop() {
    let (mut desktop, service) = ordered(3, 100, &[Turn::Unsent]);
    until(&mut desktop, |_| service.borrow().turns.is_empty());
    desktop.act(|session, now, fx| session.stop_unlock(now, fx));
    let tally = summary(&mut desktop).tally;
    assert_eq!((tally.charged, tally.locked, tally.unknown, service.borrow().sent.len()), (0, 3, 0, 0));
}

/// The rest was bought, and still something is left to clear up.
#[test]
fn an_order_beside_contacts_with_an_unknown_result_ends_with_their_exit_code() {
    let (mut desktop, _) = left_unknown(2, &vec![Turn::Break; 4]);
    accept(&mut desktop, 1..=4);
    let summary = summary(&mut desktop);
    assert_eq!((summary.tally.charged, summary.tally.unknown, summary.exit()), (2, 0, 9));
}

#[test]
fn a_charge_above_the_batch_is_an_alarm_also_where_the_credits_ran_out() {
    let (mut desktop, _) = ordered(3, 1_000, &[sold(3, 9, 991, true)]);
    let end = summary(&mut desktop).end;
    assert!(matches!(end, OrderEnd::Alarm(_)), "{end:?}");
}
