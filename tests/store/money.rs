//! Unlocks, from the intent to the receipt.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

use bytes::Bytes;
use lode_core::SeenOwned;
use lode_core::contact::*;
use lode_core::credits::Credits;
use lode_core::money::*;
use lode_core::purse::Purse;
use lode_core::time::*;
use lode_engine::effect::profile::*;
use lode_engine::effect::store::*;
use lode_engine::flow::ledger::sum;
use lode_engine::wire::rows::read_one;
use lode_host::store::Store;

use crate::bench::*;

/// A batch of these contacts whose line broke, and the intent that it was written down with.
fn lost(store: &mut Store, numbers: std::ops::RangeInclusive<i64>) -> (BatchIntent, OrderId, BatchId) {
    know(store);
    let first = intent(store, numbers);
    let (order, batch) = intend(store, first.clone(), at(0)).unwrap();
    store.perform(StoreCall::Lost { batch, words: String::new() }, at(1)).unwrap();
    (first, order, batch)
}

/// A free look showed that a contact is locked.
fn look(store: &mut Store, batch: BatchId, id: i64, now: Now) {
    let seen = Settlement { how: SettledBy::Look, ..settlement(batch, vec![settled(id, Outcome::Locked)]) };
    assert_eq!(store.perform(StoreCall::Settle(Box::new(seen)), now), Ok(StoreReply::Done(())));
}

/// Money rule 2, *intent before send*.
#[test]
fn an_unlock_from_intent_to_receipt() {
    in_both(|mut store| {
        know(&mut store);
        let version = stage(&mut store, 1..=4).version;
        let mut first = intent(&store, 1..=4);
        first.basket = Some(BasketGuard { version: Some(version) });
        first.clues = vec![(RowId(1), staged(1).clue.clone())];
        let (order, batch) = intend(&mut store, first, at(10)).unwrap();
        assert_eq!(spent(&mut store, at(10)).held, Credits(4));
        assert!(open_batches(&mut store, at(10))[0].in_flight);

        let body = Bytes::from_static(b"{\"ok\":true}");
        let heard = StoreCall::KeepAnswer { batch, status: 200, body: body.clone() };
        assert_eq!(store.perform(heard, at(20)), Ok(StoreReply::Done(())));
        assert_eq!(open_batches(&mut store, at(20))[0].heard, [(200, body)]);
        let contacts = vec![
            settled(1, Outcome::Unlocked),
            settled(2, Outcome::Refunded),
            settled(3, Outcome::Missing),
            settled(4, Outcome::Locked),
        ];
        settle(&mut store, batch, contacts, at(30));

        assert_eq!(open_batches(&mut store, at(30)), []);
        assert_eq!(basket(&mut store).rows, [staged(4)], "what is owned or missing leaves, what is locked stays");
        let now = spent(&mut store, at(30));
        assert_eq!((now.session, now.session_net, now.day, now.held), (Credits(2), Credits(1), Credits(2), Credits(0)));
        assert_eq!((now.charged_ever, now.refunded_ever), (2, 1));
        let owned = owned(&mut store);
        assert_eq!(owned.iter().map(|owned| owned.id.0).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(owned[0].order, Some(order));
        assert_eq!(owned[0].search.as_deref(), Some("workspace/us&title=director"));
        let receipts = store.perform(StoreCall::Receipts { purse: purse(), month: None }, at(40)).unwrap();
        let StoreReply::Receipts(receipts) = receipts else { panic!("{receipts:?}") };
        let tally = receipts[0].tally;
        assert_eq!((tally.asked, tally.charged, tally.refunded, tally.missing, tally.locked), (4, 2, 1, 1, 1));
        assert_eq!(receipts[0].calls, 1);
        let numbered = |first: u64| Tally {
            asked: first,
            charged: first + 1,
            refunded: first + 2,
            valid: first + 3,
            unverified: first + 4,
            already: first + 5,
            missing: first + 6,
            locked: first + 7,
            unknown: first + 8,
            unreachable: first + 9,
        };
        let receipts = [0, 100].map(|first| Receipt { tally: numbered(first), ..receipts[0].clone() });
        let all = sum(&receipts);
        let both = [
            (all.asked, all.charged, all.refunded, all.valid, all.unverified),
            (all.already, all.missing, all.locked, all.unknown, all.unreachable),
        ];
        assert_eq!(both, [(100, 102, 104, 106, 108), (110, 112, 114, 116, 118)]);
    });
}

#[test]
fn an_id_that_is_open_elsewhere_is_not_unlocked() {
    in_both(|mut store| {
        know(&mut store);
        let mut other = store.beside(window("other"));
        let first = intent(&store, 1..=3);
        let (_, batch) = intend(&mut store, first, at(0)).unwrap();
        let theirs = intent(&other, 2..=5);
        let refused = intend(&mut other, theirs.clone(), at(1)).unwrap_err();
        assert_eq!(refused, IntentRefused::Open(ids([2, 3])));
        let linkedin = BatchIntent { corpus: Corpus::Linkedin, ..theirs.clone() };
        assert!(intend(&mut other, linkedin, at(1)).is_ok(), "an id means something only with its corpus");
        settle(&mut store, batch, (1..=3).map(|id| settled(id, Outcome::Locked)).collect(), at(2));
        assert!(intend(&mut other, theirs, at(3)).is_ok());
    });
}

/// Money rule 2, *intent before send*.
#[test]
fn the_basket_must_be_the_one_that_was_quoted() {
    in_both(|mut store| {
        know(&mut store);
        let version = stage(&mut store, 1..=3).version;
        assert_eq!(stage(&mut store, 0..0).version, version, "nothing was added");
        let quoted =
            |version, range| BatchIntent { basket: Some(BasketGuard { version }), ..intent_of("first", range) };
        let mut other = store.beside(window("other"));
        stage(&mut other, 4..=4);
        let refused = intend(&mut store, quoted(Some(version), 1..=3), at(0)).unwrap_err();
        assert_eq!(refused, IntentRefused::BasketChanged);
        let unstage = StoreCall::Unstage { purse: purse().into(), side: US, ids: ids([2]) };
        other.perform(unstage, at(0)).unwrap();
        let now = basket(&mut other);
        assert_eq!(now.rows.iter().map(|row| row.id.0).collect::<Vec<_>>(), [1, 3, 4]);
        // A later batch asks only whether its ids are still there.
        assert_eq!(intend(&mut store, quoted(None, 1..=2), at(0)), Err(IntentRefused::BasketChanged));
        assert!(intend(&mut store, quoted(None, 3..=4), at(0)).is_ok());
        assert!(intend(&mut store, quoted(Some(now.version), 1..=1), at(0)).is_ok());
    });
}

/// Money rule 10, *one purse*.
#[test]
fn money_belongs_to_one_purse() {
    in_both(|mut store| {
        let unknown = intent(&store, 1..=1);
        assert_eq!(
            intend(&mut store, unknown.clone(), at(0)),
            Err(IntentRefused::OtherPurse),
            "the organization of the key is not known"
        );
        know(&mut store);
        let (order, batch) = intend(&mut store, unknown.clone(), at(0)).unwrap();
        let elsewhere = Purse::of_org(purse().origin, "org_2");
        let theirs = BatchIntent { purse: elsewhere.clone(), ..intent(&store, 9..=9) };
        assert_eq!(intend(&mut store, theirs.clone(), at(1)), Err(IntentRefused::OtherPurse));
        let other_key = KeyHash("ffff".to_owned());
        let account = lode_core::Account::default();
        let learn = StoreCall::KeepAccount { key: other_key.clone(), purse: elsewhere.clone(), account };
        store.perform(learn, at(1)).unwrap();
        let theirs = BatchIntent { key: other_key, ..theirs };
        let mix = BatchIntent { order: Some(order), ..theirs.clone() };
        assert_eq!(intend(&mut store, mix, at(1)), Err(IntentRefused::OtherPurse), "not in our order");
        let finish = BatchIntent { again: Some(batch), sent: 1, ids: ids([1]), ..theirs.clone() };
        assert_eq!(intend(&mut store, finish, at(1)), Err(IntentRefused::OtherPurse), "nor our batch");
        let same_id = BatchIntent { ids: ids([1]), ..theirs };
        assert!(intend(&mut store, same_id, at(1)).is_ok(), "another workspace's contact is another contact");
        let StoreReply::OpenBatches(open) = store.perform(StoreCall::OpenBatches { purse: elsewhere }, at(2)).unwrap()
        else {
            panic!()
        };
        assert_eq!(open.len(), 1, "and neither sees the other's");
        assert_eq!(open_batches(&mut store, at(2)).len(), 1);
    });
}

/// Money rule 8, *bounded*.
#[test]
fn the_typed_amount_bounds_the_whole_order() {
    in_both(|mut store| {
        know(&mut store);
        let ceiling = Credits(5);
        let (order, batch) = intend(&mut store, BatchIntent { ceiling, ..intent_of("first", 1..=3) }, at(0)).unwrap();
        let next = |range| BatchIntent { ceiling, order: Some(order), ..intent_of("first", range) };
        let refused = intend(&mut store, next(4..=6), at(1)).unwrap_err();
        assert_eq!(refused, IntentRefused::Ceiling { ceiling, used: Credits(0), held: Credits(3) });
        let became = [Outcome::Unlocked, Outcome::Missing, Outcome::Refunded];
        settle(&mut store, batch, (1..=3).zip(became).map(|(id, outcome)| settled(id, outcome)).collect(), at(2));
        assert!(intend(&mut store, next(4..=6), at(3)).is_ok(), "two of five are used: what was missing cost nothing");
        let refused = intend(&mut store, next(7..=7), at(4)).unwrap_err();
        assert_eq!(refused, IntentRefused::Ceiling { ceiling, used: Credits(2), held: Credits(3) });
        let alone = BatchIntent { ceiling: Credits(1), ..intent_of("first", 11..=12) };
        assert!(matches!(intend(&mut store, alone, at(5)), Err(IntentRefused::Ceiling { .. })));
    });
}

#[test]
fn an_unanswered_batch_is_sent_again_as_it_was() {
    in_both(|mut store| {
        know(&mut store);
        let first = intent(&store, 1..=3);
        let (order, batch) = intend(&mut store, first.clone(), at(0)).unwrap();
        let again = BatchIntent { again: Some(batch), sent: 1, order: Some(order), ..first };
        assert_eq!(intend(&mut store, again.clone(), at(1)), Err(IntentRefused::Open(ids(1..=3))), "still in flight");
        store.perform(StoreCall::Lost { batch, words: "the line broke".to_owned() }, at(5_000)).unwrap();
        let open = open_batches(&mut store, at(65_000));
        assert_eq!((open[0].sent, open[0].in_flight, open[0].quiet), (1, false, Duration::from_secs(60)));
        assert_eq!(open[0].broke_at, Some(at(5_000).wall));
        assert_eq!(intend(&mut store, again.clone(), at(66_000)), Ok((order, batch)), "the same order, the same batch");
        assert_eq!(spent(&mut store, at(66_000)).held, Credits(3), "held once");
        let open = open_batches(&mut store, at(66_000));
        assert_eq!((open[0].sent, open[0].in_flight, open[0].broke_at), (2, true, None));
        // A refusal of the second sending says nothing about the first.
        store.perform(StoreCall::Withdraw { batch, words: "key revoked".to_owned() }, at(67_000)).unwrap();
        let open = open_batches(&mut store, at(67_000));
        assert_eq!((open.len(), open[0].in_flight, open[0].open.len()), (1, false, 3));
        let became = [Outcome::Unlocked, Outcome::Refunded, Outcome::Locked];
        let became: Vec<Settled> = (1..=3).zip(became).map(|(id, outcome)| settled(id, outcome)).collect();
        let answered = Settlement { sent: 2, ..settlement(batch, became.clone()) };
        store.perform(StoreCall::Settle(Box::new(answered)), at(68_000)).unwrap();
        let Err(IntentRefused::Settled(told)) = intend(&mut store, again, at(69_000)) else {
            panic!("nothing is open")
        };
        let outcome = |settled: &Settled| (settled.id, settled.outcome, settled.contact.is_some());
        assert_eq!(
            told.iter().map(outcome).collect::<Vec<_>>(),
            [
                (RowId(1), Outcome::Unlocked, true),
                (RowId(2), Outcome::Refunded, true),
                (RowId(3), Outcome::Locked, false)
            ]
        );
    });
}

/// Money rule 3, *same batch, same ids*.
#[test]
fn a_batch_of_which_one_contact_is_known_is_not_sent_again() {
    in_both(|mut store| {
        let (first, order, batch) = lost(&mut store, 1..=2);
        look(&mut store, batch, 1, at(91_000));
        let again = BatchIntent { again: Some(batch), sent: 1, order: Some(order), ..first };
        let refused = intend(&mut store, again, at(92_000));
        assert_eq!(refused, Err(IntentRefused::Settled(vec![settled(1, Outcome::Locked)])));
    });
}

#[test]
fn room_is_kept_while_a_contact_is_in_flight_and_given_back_with_its_result() {
    let dir = common::folder();
    let mut store = Store::open(dir.path(), window("first"));
    know(&mut store);
    let rooms = || std::fs::read_dir(dir.path().join("answers")).unwrap().count();
    let wanted = intent(&store, 1..=2);
    let (_, batch) = intend(&mut store, wanted, at(0)).unwrap();
    let rooms = [1, 2].map(|id| {
        look(&mut store, batch, id, at(1));
        rooms()
    });
    assert_eq!(rooms, [1, 0]);
}

/// Money rule 9, *responses are stored first*.
#[test]
fn each_answer_to_a_sending_is_kept_once() {
    in_both(|mut store| {
        know(&mut store);
        let wanted = intent(&store, 1..=1);
        let (_, batch) = intend(&mut store, wanted, at(0)).unwrap();
        let answers = [(200, "{\"a\":1}"), (200, "{\"b\":2}"), (500, "{\"b\":2}")]
            .map(|(status, body)| (status, Bytes::from(body)));
        for (status, body) in answers.iter().chain(&answers[2..]).cloned() {
            store.perform(StoreCall::KeepAnswer { batch, status, body }, at(1)).unwrap();
        }
        assert_eq!(open_batches(&mut store, at(2))[0].heard, answers);
    });
}

#[test]
fn what_was_never_applied_is_free_again() {
    in_both(|mut store| {
        know(&mut store);
        stage(&mut store, 1..=2);
        let first = intent(&store, 1..=2);
        let (order, batch) = intend(&mut store, first.clone(), at(0)).unwrap();
        store.perform(StoreCall::Withdraw { batch, words: "no route".to_owned() }, at(1)).unwrap();
        assert_eq!(open_batches(&mut store, at(2)), []);
        assert_eq!(basket(&mut store).rows.len(), 2);
        assert_eq!(spent(&mut store, at(2)).held, Credits(0));
        let (_, second) = intend(&mut store, BatchIntent { order: Some(order), ..first }, at(3)).unwrap();
        assert_ne!(batch, second);
        settle(&mut store, second, vec![settled(1, Outcome::Unlocked)], at(4));
        let StoreReply::Receipts(receipts) =
            store.perform(StoreCall::Receipts { purse: purse(), month: None }, at(5)).unwrap()
        else {
            panic!()
        };
        let tally = receipts[0].tally;
        assert_eq!(
            (tally.asked, tally.charged, tally.valid, tally.unknown, tally.locked),
            (2, 1, 1, 1, 0),
            "each id once"
        );
        assert_eq!(receipts[0].calls, 2);
    });
}

#[test]
fn a_batch_closes_with_its_last_contact() {
    in_both(|mut store| {
        know(&mut store);
        let first = BatchIntent { clues: vec![(RowId(3), staged(3).clue.clone())], ..intent(&store, 1..=3) };
        let (_, batch) = intend(&mut store, first, at(0)).unwrap();
        let body = Bytes::from_static(b"{\"unlocked\":[1]}");
        store.perform(StoreCall::KeepAnswer { batch, status: 200, body: body.clone() }, at(1)).unwrap();
        settle(&mut store, batch, vec![settled(1, Outcome::Unlocked), settled(2, Outcome::Unknown)], at(2));
        let open = open_batches(&mut store, at(62_002));
        assert_eq!(open[0].open.iter().map(|contact| contact.id.0).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(open[0].open[1].clue, staged(3).clue.clone());
        assert_eq!(open[0].heard, [(200, body)], "the answer stays with what is unknown");
        assert_eq!(open[0].quiet, Duration::from_secs(62));

        let seen = vec![(RowId(2), CheckResult::Locked), (RowId(3), CheckResult::Absent)];
        store.perform(StoreCall::KeepCheckResults { batch, sent: 1, sightings: seen }, at(32_002)).unwrap();
        store
            .perform(
                StoreCall::KeepCheckResults { batch, sent: 1, sightings: vec![(RowId(2), CheckResult::Locked)] },
                at(70_002),
            )
            .unwrap();
        let open = open_batches(&mut store, at(70_002));
        let quiet: Vec<u64> = open[0].open[0].sightings.iter().map(|seen| seen.quiet.as_secs()).collect();
        assert_eq!(quiet, [32, 70]);
        assert_eq!(open[0].open[1].sightings[0].sight, CheckResult::Absent);

        let look = |contacts| Settlement { how: SettledBy::Look, ..settlement(batch, contacts) };
        let gone = Settled { evidence: Some("two searches".to_owned()), ..settled(3, Outcome::Unreachable) };
        store.perform(StoreCall::Settle(Box::new(look(vec![settled(2, Outcome::Locked), gone]))), at(71_000)).unwrap();
        assert_eq!(open_batches(&mut store, at(72_000)), []);
        // A late answer changes no outcome that was written, and completes what we own.
        settle(&mut store, batch, vec![settled(1, Outcome::Refunded), settled(2, Outcome::Unlocked)], at(73_000));
        // What can no longer be looked up may have been charged, so bounds count it.
        assert_eq!(spent(&mut store, at(74_000)).session, Credits(2));
    });
}

#[test]
fn sightings_before_a_new_sending_prove_nothing() {
    in_both(|mut store| {
        let (first, order, batch) = lost(&mut store, 1..=1);
        store
            .perform(
                StoreCall::KeepCheckResults { batch, sent: 1, sightings: vec![(RowId(1), CheckResult::Locked)] },
                at(90_000),
            )
            .unwrap();
        let again = BatchIntent { again: Some(batch), sent: 1, order: Some(order), ..first };
        intend(&mut store, again, at(91_000)).unwrap();
        store
            .perform(
                StoreCall::KeepCheckResults { batch, sent: 2, sightings: vec![(RowId(1), CheckResult::Locked)] },
                at(91_500),
            )
            .unwrap();
        store.perform(StoreCall::Lost { batch, words: String::new() }, at(92_000)).unwrap();
        // A look that had begun before the second sending and ended long after it.
        let before = StoreCall::KeepCheckResults { batch, sent: 1, sightings: vec![(RowId(1), CheckResult::Locked)] };
        assert_eq!(store.perform(before, at(93_000)), Ok(StoreReply::Outdated));
        let open = open_batches(&mut store, at(93_000));
        assert_eq!(open[0].open[0].sightings, [], "neither the ones before it nor those while it was in flight");
        // The wall clock jumps a day: the machine's own does not, and it counts.
        let jumped = Now { wall: Wall(at(94_000).wall.0 + 86_400_000), ..at(94_000) };
        assert_eq!(open_batches(&mut store, jumped)[0].quiet, Duration::from_secs(2));
        let mut other = store.beside(window("other"));
        assert_eq!(open_batches(&mut other, jumped)[0].quiet, Duration::from_secs(2), "and for every window");
    });
}

/// Found by the simulation: two windows looked for a batch, one sent it again and lost the answer, and the other one followed
/// on the look before.
#[test]
fn a_batch_that_was_sent_since_it_was_looked_for_does_not_leave() {
    in_both(|mut store| {
        know(&mut store);
        let first = intent(&store, 1..=2);
        let (order, batch) = intend(&mut store, first.clone(), at(0)).unwrap();
        let lost = StoreCall::Lost { batch, words: String::new() };
        store.perform(lost.clone(), at(1)).unwrap();
        let again = BatchIntent { again: Some(batch), sent: 1, order: Some(order), ..first };
        let mut other = store.beside(window("other"));
        let theirs = BatchIntent { window: other.window().clone(), ..again.clone() };
        intend(&mut other, theirs, at(70_000)).unwrap();
        other.perform(lost, at(70_100)).unwrap();
        let call = StoreCall::Intend(Box::new(again.clone()));
        assert_eq!(store.perform(call, at(70_200)), Ok(StoreReply::Outdated));
        assert_eq!(open_batches(&mut store, at(70_300))[0].sent, 2, "nothing was written down");
        assert_eq!(
            intend(&mut store, BatchIntent { sent: 2, ..again }, at(140_000)),
            Ok((order, batch)),
            "after another look"
        );
    });
}

#[test]
fn what_was_concluded_before_another_sending_is_not_taken() {
    in_both(|mut store| {
        let (first, order, batch) = lost(&mut store, 1..=2);
        // A window has proved both locked. Before it writes that down, another one sends the batch again.
        let locked = || vec![settled(1, Outcome::Locked), settled(2, Outcome::Locked)];
        intend(&mut store, BatchIntent { again: Some(batch), sent: 1, order: Some(order), ..first }, at(91_000))
            .unwrap();
        for how in [SettledBy::Look, SettledBy::Answer] {
            let late = Settlement { how, ..settlement(batch, locked()) };
            assert_eq!(store.perform(StoreCall::Settle(Box::new(late)), at(91_004)), Ok(StoreReply::Outdated));
        }
        let open = open_batches(&mut store, at(91_005));
        assert_eq!((open[0].sent, open[0].open.len(), open[0].in_flight), (2, 2, true), "its sending is still out");

        let bought = vec![settled(1, Outcome::Unlocked), settled(2, Outcome::Refunded)];
        let answered = Settlement { sent: 2, ..settlement(batch, bought) };
        assert_eq!(store.perform(StoreCall::Settle(Box::new(answered)), at(91_500)), Ok(StoreReply::Done(())));
        assert_eq!(open_batches(&mut store, at(91_600)), []);
        assert_eq!((spent(&mut store, at(91_600)).session, owned(&mut store).len()), (Credits(2), 2));
    });
}

#[test]
fn what_is_bought_is_completed_and_never_overwritten() {
    in_both(|mut store| {
        know(&mut store);
        let bare = Settled { contact: None, ..settled(1, Outcome::Already) };
        let first = intent(&store, 1..=2);
        let (order, batch) = intend(&mut store, first, at(0)).unwrap();
        settle(&mut store, batch, vec![bare, settled(2, Outcome::Unlocked)], at(1));
        assert_eq!(owned(&mut store).iter().find(|owned| owned.id.0 == 1).unwrap().contact.email, "");
        let seen =
            |email: &str| Contact { email: email.to_owned(), phone: "5125550199".to_owned(), ..Contact::default() };
        let own = |store: &mut Store, id, email: &str| {
            let search = Some("workspace/us".to_owned());
            let contacts = vec![SeenOwned { id: RowId(id), contact: seen(email), search, row: String::new() }];
            store.perform(StoreCall::Own { purse: purse().into(), corpus: Corpus::Us, contacts }, at(2)).unwrap();
        };
        own(&mut store, 1, "p•••@lakeside.example");
        own(&mut store, 1, "one@lakeside.example");
        own(&mut store, 2, "person@else.example");
        let all = owned(&mut store);
        let find = |id| all.iter().find(|owned| owned.id.0 == id).unwrap();
        assert_eq!((find(1).contact.email.as_str(), find(1).order), ("one@lakeside.example", None));
        assert_eq!((find(2).contact.email.as_str(), find(2).order), ("p2@lakeside.example", Some(order)));
        assert_eq!(find(1).search.as_deref(), Some("workspace/us"));

        let corpus = Corpus::Us;
        let tags = vec!["q4".to_owned(), "wést,".to_owned()];
        store.perform(StoreCall::Tag { purse: purse(), corpus, ids: ids([1, 2]), tags: tags.clone() }, at(3)).unwrap();
        store
            .perform(StoreCall::Note { purse: purse(), corpus, id: RowId(2), note: "call\nback".to_owned() }, at(3))
            .unwrap();
        let two = owned(&mut store).into_iter().find(|owned| owned.id.0 == 2).unwrap();
        assert_eq!((two.tags, two.note.as_str()), (tags, "call\nback"));
        store.perform(StoreCall::Forget { purse: purse(), corpus, ids: ids([2]) }, at(4)).unwrap();
        assert_eq!(owned(&mut store).len(), 1);
        assert_eq!(spent(&mut store, at(5)).session, Credits(1), "what was paid stays on the receipt");
    });
}

#[test]
fn an_owned_contact_keeps_the_row_that_was_shown_last() {
    in_both(|mut store| {
        know(&mut store);
        stage(&mut store, 1..=2);
        let wanted = intent(&store, 1..=2);
        let (_, batch) = intend(&mut store, wanted, at(0)).unwrap();
        settle(&mut store, batch, vec![settled(1, Outcome::Unlocked), settled(2, Outcome::Unlocked)], at(1));
        let seen =
            |id, row: &str| SeenOwned { id: RowId(id), contact: Contact::default(), search: None, row: row.to_owned() };
        let shown = r#"{"id":3,"title":"Nurse"}"#;
        let contacts = vec![seen(2, ""), seen(3, "{\"id\":3}"), seen(3, shown), seen(4, "cut off")];
        store.perform(StoreCall::Own { purse: purse().into(), corpus: Corpus::Us, contacts }, at(2)).unwrap();
        let mut rows: Vec<_> = owned(&mut store).into_iter().map(|owned| (owned.id.0, owned.row)).collect();
        rows.sort_by_key(|(id, _)| *id);
        let row = |text: &str| read_one(Source::Workspace, text).ok();
        let bought = |id| row(&staged(id).row);
        assert_eq!(rows, [(1, bought(1)), (2, bought(2)), (3, row(shown)), (4, None)]);
        assert!(rows[0].1.is_some());
    });
}

/// Money rule 4, *never twice*.
#[test]
fn what_is_owned_by_now_is_not_written_down_again() {
    in_both(|mut store| {
        know(&mut store);
        let first = intent(&store, 1..=2);
        let (_, batch) = intend(&mut store, first, at(10)).unwrap();
        settle(&mut store, batch, vec![settled(1, Outcome::Unlocked), settled(2, Outcome::Locked)], at(20));
        let second = intent(&store, 1..=3);
        let Err(IntentRefused::Settled(owned)) = intend(&mut store, second, at(30)) else {
            panic!("an owned contact was written down to be bought");
        };
        assert_eq!(
            owned.iter().map(|settled| (settled.id.0, settled.outcome)).collect::<Vec<_>>(),
            [(1, Outcome::Already)]
        );
        assert!(owned[0].contact.is_some());
        assert_eq!(open_batches(&mut store, at(30)), []);
    });
}

/// Money rule 12, *impossible stops*: such a batch is our own mistake. The program stops, and nothing was written for it.
#[test]
fn a_batch_that_cannot_be_stops_before_it_is_written() {
    in_both(|mut store| {
        know(&mut store);
        let first = intent(&store, 1..=3);
        let (order, batch) = intend(&mut store, first.clone(), at(0)).unwrap();
        store.perform(StoreCall::Lost { batch, words: "the line broke".to_owned() }, at(5_000)).unwrap();
        let before = (open_batches(&mut store, at(70_000)), spent(&mut store, at(70_000)));
        let again = BatchIntent { again: Some(batch), sent: 1, order: Some(order), ..first };
        for impossible in [
            BatchIntent { ids: ids(1..=2), ..again.clone() },
            BatchIntent { ids: ids([1, 3, 2]), ..again.clone() },
            BatchIntent { verify: false, ..again.clone() },
            BatchIntent { ids: Vec::new(), again: None, ..again },
        ] {
            let sent = catch_unwind(AssertUnwindSafe(|| intend(&mut store, impossible.clone(), at(70_000))));
            assert!(sent.is_err(), "{impossible:?}");
            assert_eq!((open_batches(&mut store, at(70_000)), spent(&mut store, at(70_000))), before);
        }
    });
}
