//! Outcomes as they are counted and put into words, and when two rows show one person.

use lode_core::contact::{RowId, Verification};
use lode_core::credits::Credits;
use lode_core::money::*;

const ALL: [Outcome; 7] = [
    Outcome::Unlocked,
    Outcome::Refunded,
    Outcome::Already,
    Outcome::Missing,
    Outcome::Locked,
    Outcome::Unknown,
    Outcome::Unreachable,
];

#[test]
fn each_outcome_has_one_name_one_price_and_one_owner() {
    let of = |outcome: Outcome| (outcome.name(), outcome.gross().0, outcome.is_owned());
    let expected = [
        ("unlocked", 1, true),
        ("refunded", 1, true),
        ("already", 0, true),
        ("missing", 0, false),
        ("locked", 0, false),
        ("unknown", 0, false),
        ("unreachable", 0, false),
    ];
    assert_eq!(ALL.map(of), expected);
    assert_eq!(OrderId(12).to_string(), "#12");
}

#[test]
fn every_outcome_is_counted_once_and_a_refund_also_as_a_charge() {
    let mut tally = Tally::default();
    ALL.iter().for_each(|outcome| tally.count(*outcome));
    let once = Tally {
        asked: 7,
        charged: 2,
        refunded: 1,
        valid: 0,
        unverified: 0,
        already: 1,
        missing: 1,
        locked: 1,
        unknown: 1,
        unreachable: 1,
    };
    assert_eq!((tally, tally.net()), (once, 1));
}

#[test]
fn only_addresses_of_charged_contacts_count_as_verified_or_not() {
    let counted = |outcome, verification: Option<Verification>| {
        let mut tally = Tally::default();
        tally.count_verified(outcome, verification.as_ref());
        assert_eq!(tally.asked, 1);
        (tally.valid, tally.unverified)
    };
    assert_eq!(counted(Outcome::Unlocked, Some(Verification::Valid)), (1, 0));
    assert_eq!(counted(Outcome::Unlocked, Some(Verification::Unknown)), (0, 1));
    assert_eq!(counted(Outcome::Unlocked, None), (0, 0));
    assert_eq!(counted(Outcome::Refunded, Some(Verification::Invalid)), (0, 0));
    assert_eq!(counted(Outcome::Already, Some(Verification::Valid)), (0, 0), "it was not paid for here");
    assert_eq!(counted(Outcome::Already, Some(Verification::Unknown)), (0, 0));
}

#[test]
fn a_result_is_one_sentence_without_counts_of_nothing() {
    let of = |tally: Tally, balance: Option<i64>| tally.sentence(balance.map(Credits));
    assert_eq!(of(Tally::default(), None), "0 unlocked · 0 credits");
    let all = Tally { asked: 1, charged: 1, valid: 1, ..Tally::default() };
    assert_eq!(of(all, Some(9)), "1 unlocked · 1 credit · verified · balance 9");
    let some = Tally { asked: 2, charged: 2, valid: 1, ..Tally::default() };
    assert_eq!(of(some, None), "2 unlocked · 2 credits · 1 verified");
    let mixed = Tally { asked: 71, charged: 71, refunded: 5, valid: 62, unverified: 4, ..Tally::default() };
    assert_eq!(
        of(mixed, Some(1_138)),
        "71 unlocked · 66 credits (71 charged, 5 refunded) · 62 verified, 4 not verified · balance 1,138"
    );
    let rest = Tally { asked: 1_015, already: 1_000, missing: 2, locked: 3, unknown: 4, unreachable: 6, ..all };
    assert_eq!(
        of(rest, None),
        "1 unlocked · 1 credit · verified · 1,000 already owned · 2 not found · 3 not unlocked · 4 RESULT UNKNOWN · 6 UNREACHABLE"
    );
}

/// An id that shows a person of another id would cost a second credit for the same person.
#[test]
fn two_rows_show_one_person_however_they_are_written_and_none_where_too_little_is_shown() {
    let one = person("Ann Lee", "Quail Run, Inc.", "a@quail.example");
    assert!(one.is_some());
    assert_eq!(one, person("ANN LEE", "quail run", "A@quail.example"));
    for other in [
        person("Ann Li", "Quail Run", "a@quail.example"),
        person("Ann Lee", "Oak", "a@quail.example"),
        person("Ann Lee", "Quail Run", "b@quail.example"),
    ] {
        assert!(other.is_some() && other != one);
    }
    assert_eq!(person("", "Quail Run", "a@quail.example"), None);
    assert_eq!(person("Ann Lee", "Quail Run", ""), None);
}

#[test]
fn a_row_to_buy_is_the_same_row_but_not_owned() {
    let about = StagedFields { name: "Ann Lee".to_owned(), ..StagedFields::default() };
    let owned = Staged::new(RowId(7), true, about);
    let bought = owned.to_buy();
    assert_eq!((bought.id, bought.owned, bought.name.as_str()), (RowId(7), false, "Ann Lee"));
    assert_eq!(Staged::by_id(RowId(7)).name, "");
}
