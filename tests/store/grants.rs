//! What an assistant may spend, as the store holds it to that: whatever a program of the assistant asks for, the file decides.

use lode_core::contact::Corpus;
use lode_core::credits::Credits;
use lode_core::money::Outcome;
use lode_core::time::Now;
use lode_engine::effect::store::*;
use lode_host::store::Store;

use crate::bench::*;

const TEN_MINUTES: u64 = 600_000;

fn handle(name: &str) -> Handle {
    Handle(name.to_owned())
}

/// An assistant wants the contacts 1 to 4 for at most 4 credits.
fn propose(store: &mut Store, name: &str) -> StoreReply {
    let proposal = Proposal {
        handle: handle(name),
        purse: purse(),
        corpus: Corpus::Us,
        assistant: "helper".to_owned(),
        rows: (1..=4).map(staged).collect(),
        verify: true,
        ceiling: Credits(4),
        made_at: at(0).wall,
        expires_at: at(TEN_MINUTES).wall,
        state: ProposalState::Waiting,
    };
    store.perform(StoreCall::Propose(Box::new(proposal)), at(0)).unwrap()
}

fn answer(store: &mut Store, name: &str, verdict: Decision, now: Now) -> StoreReply {
    let call = StoreCall::Answer { purse: purse(), handle: handle(name), verdict };
    store.perform(call, now).unwrap()
}

fn accept(amount: i64, numbers: impl IntoIterator<Item = i64>) -> Decision {
    Decision::Accept { amount: Credits(amount), ids: ids(numbers), verify: true }
}

fn state(store: &mut Store, name: &str, now: Now) -> ProposalState {
    let call = StoreCall::ProposalOf { purse: purse(), handle: handle(name) };
    let StoreReply::Proposal(Some(found)) = store.perform(call, now).unwrap() else { panic!("it is there") };
    found.state
}

/// An order of the assistant for these contacts.
fn order(
    store: &Store,
    name: &str,
    standing: Option<StandingGrant>,
    numbers: impl IntoIterator<Item = i64>,
) -> BatchIntent {
    BatchIntent { grant: Some(Grant { handle: handle(name), standing }), ..intent(store, numbers) }
}

fn refused(store: &mut Store, intent: BatchIntent, now: Now) -> NotGranted {
    let before = spent(store, now);
    let why = match intend(store, intent, now) {
        Err(IntentRefused::NotGranted(why)) => why,
        other => panic!("{other:?}"),
    };
    assert_eq!(spent(store, now), before, "nothing is held for what is refused");
    why
}

#[test]
fn an_assistant_spends_only_what_was_accepted() {
    in_both(|mut store| {
        know(&mut store);
        let mut store = store.for_assistant();
        assert_eq!(propose(&mut store, "a"), StoreReply::Granted(Ok(())));
        let alone = intent(&store, 1..=2);
        assert_eq!(refused(&mut store, alone, at(1)), NotGranted::NoSuch, "an assistant never spends without a grant");
        let waiting = order(&store, "a", None, 1..=2);
        assert_eq!(refused(&mut store, waiting.clone(), at(1)), NotGranted::Waiting);

        assert_eq!(answer(&mut store, "a", accept(2, 1..=2), at(2)), StoreReply::Granted(Ok(())));
        let verify = true;
        assert_eq!(
            state(&mut store, "a", at(3)),
            ProposalState::Accepted { amount: Credits(2), ids: ids([1, 2]), verify }
        );
        let again = answer(&mut store, "a", accept(4, 1..=4), at(3));
        assert_eq!(again, StoreReply::Granted(Err(NotGranted::Used)), "an answer is given once");

        let more = BatchIntent { ceiling: Credits(3), ..waiting.clone() };
        let larger = BatchIntent { asked: 3, ..waiting.clone() };
        let unverified = BatchIntent { verify: false, ..waiting.clone() };
        for too_much in [more, larger, unverified] {
            assert_eq!(refused(&mut store, too_much, at(4)), NotGranted::TooMuch);
        }
        let others = order(&store, "a", None, [1, 3]);
        let elsewhere = BatchIntent { corpus: Corpus::Linkedin, ..waiting.clone() };
        let guessed = order(&store, "b", None, 1..=2);
        for other in [others, elsewhere, guessed] {
            assert_eq!(refused(&mut store, other, at(5)), NotGranted::NoSuch);
        }
        let mut person = store.beside(window("person"));
        let theirs = intent(&person, 8..=8);
        let (theirs, _) = intend(&mut person, theirs, at(5)).unwrap();
        let riding = BatchIntent { order: Some(theirs), ..waiting.clone() };
        assert_eq!(
            refused(&mut store, riding, at(5)),
            NotGranted::Used,
            "an order of a person is none of the assistant's"
        );

        let (order, batch) = intend(&mut store, waiting.clone(), at(6)).unwrap();
        assert_eq!(state(&mut store, "a", at(7)), ProposalState::Used(order));
        settle(&mut store, batch, vec![settled(1, Outcome::Locked), settled(2, Outcome::Locked)], at(8));
        assert_eq!(refused(&mut store, waiting, at(9)), NotGranted::Used, "a grant is one order");
    });
}

#[test]
fn a_grant_covers_every_batch_of_its_order_and_no_other_order() {
    in_both(|mut store| {
        know(&mut store);
        propose(&mut store, "a");
        let all = answer(&mut store, "a", accept(4, 1..=4), at(0));
        assert_eq!(all, StoreReply::Granted(Ok(())), "all that was asked for, in the moment it was asked for");
        let batch = |of, numbers| {
            let (asked, ceiling) = (4, Credits(4));
            BatchIntent { order: of, asked, ceiling, ..order(&store, "a", None, numbers) }
        };
        let (first, [riding, next]) = (batch(None, 1..=2), [3..=3, 4..=4].map(|numbers| batch(None, numbers)));
        let theirs = intent(&store, 8..=9);
        let (own, _) = intend(&mut store, first, at(1)).unwrap();
        let (other, _) = intend(&mut store, theirs, at(2)).unwrap();
        let riding = BatchIntent { order: Some(other), ..riding };
        assert_eq!(refused(&mut store, riding, at(3)), NotGranted::Used);
        assert!(intend(&mut store, BatchIntent { order: Some(own), ..next }, at(4)).is_ok());
    });
}

#[test]
fn an_answer_stays_within_what_was_asked_for() {
    in_both(|mut store| {
        know(&mut store);
        propose(&mut store, "a");
        for (amount, numbers) in [(5, 1..=4), (0, 1..=1), (-1, 1..=1), (1, 1..=2)] {
            let told = answer(&mut store, "a", accept(amount, numbers.clone()), at(1));
            assert_eq!(told, StoreReply::Granted(Err(NotGranted::TooMuch)), "{amount} credits for {numbers:?}");
        }
        let call = StoreCall::Answer { purse: purse(), handle: handle("a"), verdict: accept(2, [1, 9]) };
        assert!(store.perform(call, at(1)).is_err(), "the contact 9 was not asked for");
        assert_eq!(state(&mut store, "a", at(2)), ProposalState::Waiting, "half an answer is none");

        let late = at(TEN_MINUTES);
        assert_eq!(answer(&mut store, "a", accept(1, 1..=1), late), StoreReply::Granted(Err(NotGranted::Expired)));
        assert_eq!(state(&mut store, "a", late), ProposalState::Expired);
        let unknown = answer(&mut store, "b", accept(1, 1..=1), at(1));
        assert_eq!(unknown, StoreReply::Granted(Err(NotGranted::NoSuch)));
        assert_eq!(answer(&mut store, "a", Decision::Decline, at(2)), StoreReply::Granted(Ok(())));
        assert_eq!(answer(&mut store, "a", accept(1, 1..=1), at(3)), StoreReply::Granted(Err(NotGranted::Declined)));
        let declined = order(&store, "a", None, 1..=1);
        assert_eq!(refused(&mut store, declined, at(4)), NotGranted::Declined);
    });
}

/// Money rule 10, *one purse*: the original may use the approval too.
#[test]
fn what_was_accepted_does_not_hold_in_a_copy_of_the_ledger() {
    let folder = common::folder();
    let here = folder.path().join("here");
    let mut store = Store::open(&here, window("one"));
    know(&mut store);
    propose(&mut store, "a");
    propose(&mut store, "b");
    answer(&mut store, "a", accept(2, 1..=2), at(1));
    drop(store);
    let copied = folder.path().join("copied");
    std::fs::create_dir(&copied).unwrap();
    for entry in std::fs::read_dir(&here).unwrap().map(Result::unwrap).filter(|entry| entry.path().is_file()) {
        std::fs::copy(entry.path(), copied.join(entry.file_name())).unwrap();
    }
    let moved = folder.path().join("moved");
    std::fs::rename(&here, &moved).unwrap();

    let mut copy = Store::open(&copied, window("two"));
    let wanted = order(&copy, "a", None, 1..=2);
    assert_eq!(refused(&mut copy, wanted, at(3)), NotGranted::Declined);
    assert_eq!(state(&mut copy, "b", at(3)), ProposalState::Declined, "what waits for an answer is void too");
    let mut original = Store::open(&moved, window("three"));
    assert!(matches!(state(&mut original, "a", at(5)), ProposalState::Accepted { .. }), "it was only moved");
}

#[test]
fn what_was_accepted_does_not_outlive_its_time() {
    in_both(|mut store| {
        know(&mut store);
        propose(&mut store, "a");
        answer(&mut store, "a", accept(2, 1..=2), at(1));
        let accepted = order(&store, "a", None, 1..=2);
        assert_eq!(refused(&mut store, accepted.clone(), at(TEN_MINUTES)), NotGranted::Expired);
        let mut before = at(0);
        before.wall.0 -= 1;
        assert_eq!(
            refused(&mut store, accepted, before),
            NotGranted::Expired,
            "a clock that was set back helps nothing"
        );
    });
}

/// Money rule 8, *bounded*.
#[test]
fn a_standing_allowance_counts_over_all_orders() {
    in_both(|mut store| {
        know(&mut store);
        let allowed = Some(StandingGrant { per_day: Credits(3), per_call: Credits(2) });
        for name in ["a", "b", "c"] {
            propose(&mut store, name);
        }
        let large = order(&store, "a", allowed, 1..=3);
        assert_eq!(refused(&mut store, large, at(1)), NotGranted::Standing { left: Credits(2) });
        let first = order(&store, "a", allowed, 1..=2);
        let (_, batch) = intend(&mut store, first, at(2)).unwrap();
        // What is on its way counts as spent.
        let second = order(&store, "b", allowed, 3..=4);
        assert_eq!(refused(&mut store, second.clone(), at(3)), NotGranted::Standing { left: Credits(1) });
        settle(&mut store, batch, vec![settled(1, Outcome::Unlocked), settled(2, Outcome::Refunded)], at(4));
        assert_eq!(
            refused(&mut store, second, at(5)),
            NotGranted::Standing { left: Credits(1) },
            "a refund gives nothing back"
        );
        let single = order(&store, "c", allowed, [3]);
        assert!(intend(&mut store, single, at(6)).is_ok());
        let next = order(&store, "b", allowed, [4]);
        assert_eq!(refused(&mut store, next, at(7)), NotGranted::Standing { left: Credits(0) });
    });
}

#[test]
fn twenty_proposals_wait_at_most() {
    in_both(|mut store| {
        know(&mut store);
        for number in 0..20 {
            assert_eq!(propose(&mut store, &number.to_string()), StoreReply::Granted(Ok(())));
        }
        assert_eq!(propose(&mut store, "one more"), StoreReply::Granted(Err(NotGranted::TooMuch)));
        answer(&mut store, "7", Decision::Decline, at(1));
        assert_eq!(propose(&mut store, "one more"), StoreReply::Granted(Ok(())));
    });
}
