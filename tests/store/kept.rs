//! What is kept besides money: history, snapshots, suppression lists, the place of the person, whose key it is.

use bytes::Bytes;
use lode_core::Account;
use lode_core::contact::*;
use lode_core::credits::Credits;
use lode_core::purse::{Purse, PurseRef};
use lode_core::suppress::{SuppressEntry, Suppression};
use lode_engine::effect::store::*;
use lode_host::store::{LEDGER_FILE, Store};

use crate::bench::*;

const TITLE: &str = "workspace/us&title=nurse";
const STATE: &str = "workspace/us&state=TX";

fn searched(store: &mut Store, canonical: &str, offset: u64, numbers: impl IntoIterator<Item = i64>, now: u64) {
    let call = StoreCall::Searched {
        purse: purse().into(),
        canonical: canonical.to_owned(),
        total: 4_870,
        offset,
        ids: ids(numbers),
        leg: false,
    };
    assert_eq!(store.perform(call, at(now)), Ok(StoreReply::Done(())));
}

fn shown(store: &mut Store, side: Side, numbers: impl IntoIterator<Item = i64>) -> Vec<(i64, Vec<(String, u64)>)> {
    let call = StoreCall::Shown { purses: vec![purse().into()], side, ids: ids(numbers) };
    let StoreReply::Shown(shown) = store.perform(call, at(0)).unwrap() else { panic!() };
    let plain = |shown: ShownIn| (shown.canonical, shown.offset);
    shown.into_iter().map(|(id, searches)| (id.0, searches.into_iter().map(plain).collect())).collect()
}

#[test]
fn for_each_id_the_searches_that_showed_it() {
    in_both(|mut store| {
        searched(&mut store, TITLE, 0, 0..100, 1);
        searched(&mut store, TITLE, 100, 100..200, 2);
        searched(&mut store, STATE, 300, (50..150).map(|id| id * 2), 3);
        searched(&mut store, "workspace/linkedin&title=nurse", 0, [7], 4);
        searched(&mut store, TITLE, 200, [3], 0);
        let found = shown(&mut store, US, [3, 120, 7, 9_999]);
        let at_title = |offset| (TITLE.to_owned(), offset);
        assert_eq!(found[0], (3, vec![at_title(200)]), "where it stood last");
        assert_eq!(
            found[1],
            (120, vec![at_title(100), (STATE.to_owned(), 300)]),
            "the search that ran last comes first"
        );
        assert_eq!(found[2], (7, vec![at_title(0)]), "an id of another corpus is another contact");
        assert_eq!(found[3], (9_999, vec![]));
    });
}

#[test]
fn pages_of_long_ago_go() {
    let dir = common::folder();
    let mut store = Store::open(dir.path(), window("first"));
    (1..=3_i64).for_each(|id| searched(&mut store, TITLE, id.unsigned_abs(), [id], 1));
    let books = rusqlite::Connection::open(dir.path().join(LEDGER_FILE)).unwrap();
    books.execute_batch("UPDATE shown SET seq = 50001 WHERE seq = 3").unwrap();
    searched(&mut store, TITLE, 4, [4], 2);
    let found = shown(&mut store, US, 1..=4);
    assert_eq!(found.iter().map(|(_, searches)| searches.len()).collect::<Vec<_>>(), [0, 0, 1, 1]);
}

#[test]
fn the_newest_searches_come_first_even_if_the_clock_goes_back() {
    in_both(|mut store| {
        searched(&mut store, TITLE, 0, [1], 1_000);
        searched(&mut store, STATE, 0, [2], 5);
        let recent = |store: &mut Store, most| {
            let call = StoreCall::Recent { purses: vec![purse().into()], most };
            let StoreReply::Recent(recent) = store.perform(call, at(0)).unwrap() else { panic!() };
            recent.into_iter().map(|past| past.canonical).collect::<Vec<_>>()
        };
        assert_eq!(recent(&mut store, 9), [STATE, TITLE]);
        searched(&mut store, TITLE, 0, [1], 6);
        assert_eq!(recent(&mut store, 9), [TITLE, STATE]);
        assert_eq!(recent(&mut store, 1), [TITLE]);
    });
}

#[test]
fn snapshots_and_place_come_back() {
    in_both(|mut store| {
        let profile = || "acme".to_owned();
        let packed = Bytes::from(lode_core::ids::pack((0..1_000_000).map(|n| RowId(n * 80))));
        assert!(packed.len() < 4_000_000);
        let snapshot = Snapshot { total: u64::MAX, at: at(0).wall, read: 1_000_000, ids: packed };
        let (name, query) = ("nurses".to_owned(), TITLE.to_owned());
        let keep =
            StoreCall::Snapshot { purse: purse().into(), profile: profile(), name, query, snapshot: snapshot.clone() };
        store.perform(keep, at(0)).unwrap();
        let asking = |name: &str, query: &str| StoreCall::SnapshotOf {
            purse: purse().into(),
            profile: profile(),
            name: name.into(),
            query: query.into(),
        };
        let of = |name: &str| asking(name, TITLE);
        let StoreReply::Snapshot(Some(back)) = store.perform(of("nurses"), at(0)).unwrap() else { panic!() };
        assert_eq!(
            (back.ids, back.total),
            (snapshot.ids, i64::MAX.unsigned_abs()),
            "an absurd total is held at the edge"
        );
        assert_eq!(
            store.perform(asking("nurses", STATE), at(0)),
            Ok(StoreReply::Snapshot(None)),
            "another search under this name had nothing yet"
        );
        let moved =
            |from: &str, to: &str| StoreCall::MoveSnapshot { profile: profile(), from: from.into(), to: to.into() };
        store.perform(moved("nurses", "carers"), at(0)).unwrap();
        assert_eq!(store.perform(of("nurses"), at(0)), Ok(StoreReply::Snapshot(None)));
        assert!(matches!(store.perform(of("carers"), at(0)), Ok(StoreReply::Snapshot(Some(_)))));
        store.perform(moved("carers", "nurses"), at(0)).unwrap();
        store.perform(moved("missing", "other"), at(0)).unwrap();
        store.perform(moved("nurses", "nurses"), at(0)).unwrap();
        assert!(matches!(store.perform(of("nurses"), at(0)), Ok(StoreReply::Snapshot(Some(_)))), "under its own name");
        let forget = StoreCall::ForgetSnapshot { profile: profile(), name: "nurses".to_owned() };
        store.perform(forget, at(0)).unwrap();
        assert_eq!(store.perform(of("nurses"), at(0)), Ok(StoreReply::Snapshot(None)));
        let place = || StoreCall::PlaceOf { profile: profile() };
        assert_eq!(store.perform(place(), at(0)), Ok(StoreReply::Place(None)));
        store.perform(StoreCall::Place { profile: profile(), text: "row 7".to_owned() }, at(0)).unwrap();
        assert_eq!(store.perform(place(), at(0)), Ok(StoreReply::Place(Some("row 7".to_owned()))));
    });
}

#[test]
fn suppression_lists_are_added_to_and_removed_whole() {
    in_both(|mut store| {
        let entries = vec![
            SuppressEntry::email("a@b.example"),
            SuppressEntry::Email { email: "c@b.example".to_owned(), name: "Cy Dee".to_owned() },
            SuppressEntry::Domain("quit.example".to_owned()),
            SuppressEntry::Contact(US, RowId(-7)),
            SuppressEntry::ExactDomain("quit.example".to_owned()),
            SuppressEntry::Phone { digits: "5125550142".to_owned(), name: String::new() },
            SuppressEntry::Person { name: "cy dee".to_owned(), company: "B".to_owned() },
        ];
        let add = |list: &str, entries: &[SuppressEntry]| StoreCall::Suppress {
            purse: purse().into(),
            list: list.to_owned(),
            entries: entries.to_vec(),
        };
        store.perform(add("dnc.csv", &entries[..2]), at(0)).unwrap();
        store.perform(add("dnc.csv", &entries), at(0)).unwrap();
        store.perform(add("by hand", &entries[3..]), at(0)).unwrap();
        let all = || StoreCall::Suppressions { purses: vec![purse().into()] };
        let by_hand = Suppression { list: "by hand".to_owned(), entries: entries[3..].to_vec() };
        let dnc = Suppression { list: "dnc.csv".to_owned(), entries: entries.clone() };
        assert_eq!(store.perform(all(), at(0)), Ok(StoreReply::Suppressions(vec![by_hand.clone(), dnc])));
        let remove =
            StoreCall::RemoveSuppression { purses: vec![purse().into()], list: "dnc.csv".to_owned(), entries: None };
        store.perform(remove, at(0)).unwrap();
        assert_eq!(store.perform(all(), at(0)), Ok(StoreReply::Suppressions(vec![by_hand])));
    });
}

#[test]
fn whose_key_it_is_is_remembered() {
    in_both(|mut store| {
        assert_eq!(
            store.perform(StoreCall::AccountOf { origin: purse().origin, key: key() }, at(0)),
            Ok(StoreReply::AccountOf(None))
        );
        let account = Account {
            org_id: "org_1".to_owned(),
            org_name: "Acme Inc".to_owned(),
            plan: "pro".to_owned(),
            key_name: "laptop".to_owned(),
            key_prefix: "ak_7f".to_owned(),
            scopes: vec!["search".to_owned(), "unlock".to_owned()],
            credits: Some(Credits(-3)),
        };
        let know = StoreCall::KeepAccount { key: key(), purse: purse(), account: account.clone() };
        store.perform(know, at(0)).unwrap();
        let known = store.perform(StoreCall::AccountOf { origin: purse().origin, key: key() }, at(0));
        assert_eq!(known, Ok(StoreReply::AccountOf(Some((purse(), account, at(0).wall)))));
    });
}

#[test]
fn a_basket_in_parts_is_the_whole_basket() {
    let other = Side { source: Source::Data, corpus: Corpus::Us };
    in_both(|mut store| {
        for start in (0..5_000).step_by(500) {
            stage(&mut store, start..start + 500);
            let rows = (start..start + 100).map(staged).collect();
            store.perform(StoreCall::Stage { purse: purse().into(), side: other, rows }, at(0)).unwrap();
            let elsewhere = Purse::of_org(purse().origin, "org_2").into();
            let rows = (start..start + 100).map(staged).collect();
            store.perform(StoreCall::Stage { purse: elsewhere, side: US, rows }, at(0)).unwrap();
        }
        let gone = ids((0..5_000).filter(|id| id % 7 == 0));
        store.perform(StoreCall::Unstage { purse: purse().into(), side: US, ids: gone }, at(0)).unwrap();
        let whole = basket(&mut store);
        let (mut rows, mut behind, mut parts) = (Vec::new(), Some(0), 0);
        while let Some(place) = behind {
            let call = StoreCall::BasketPart { purse: purse().into(), side: US, behind: place };
            let StoreReply::BasketPart((part, next)) = store.perform(call, at(0)).unwrap() else { panic!() };
            assert_eq!(part.version, whole.version);
            rows.extend(part.rows);
            (behind, parts) = (next, parts + 1);
        }
        assert_eq!(rows, whole.rows);
        assert!(parts > 1, "{parts}");
    });
}

#[test]
fn a_profile_takes_what_an_earlier_version_kept_under_its_name_to_its_new_one() {
    in_both(|mut store| {
        stage(&mut store, 1..=2);
        let earlier = |profile: &str| PurseRef::Earlier { profile: profile.to_owned() };
        let rows = vec![staged(7)];
        store.perform(StoreCall::Stage { purse: earlier("acme"), side: US, rows }, at(0)).unwrap();
        let rename = StoreCall::RenameProfile { from: "acme".to_owned(), to: "acme prod".to_owned() };
        store.perform(rename, at(0)).unwrap();
        assert_eq!(basket(&mut store).rows.len(), 2, "what belongs to a purse is under no profile's name");
        for (name, rows) in [("acme", 0), ("acme prod", 1)] {
            let there = StoreCall::Basket { purse: earlier(name), side: US };
            let StoreReply::Basket(there) = store.perform(there, at(0)).unwrap() else { panic!() };
            assert_eq!(there.rows.len(), rows, "{name}");
        }
    });
}

/// What a match was answered is kept per purse and job until it is done, and what is not resumed goes after a month.
#[test]
fn answers_of_a_match_are_kept_until_it_is_done() {
    let mut store = common::memory::store(window("one"));
    know(&mut store);
    let job = |name: &str| name.to_owned();
    let keep = |name: &str, step: &str, answer: &str| StoreCall::MatchStep {
        purse: purse().into(),
        job: job(name),
        step: step.to_owned(),
        answer: answer.to_owned(),
    };
    let steps = |store: &mut Store, name: &str| {
        let call = StoreCall::MatchSteps { purse: purse().into(), job: job(name) };
        match store.perform(call, at(0)).unwrap() {
            StoreReply::MatchSteps(steps) => steps.into_iter().map(|step| (step.step, step.answer)).collect::<Vec<_>>(),
            other => panic!("{other:?}"),
        }
    };
    for (name, step, answer, when) in
        [("a", "one", "old", 1), ("a", "two", "2", 2), ("a", "one", "new", 3), ("b", "one", "other", 4)]
    {
        store.perform(keep(name, step, answer), at(when)).unwrap();
    }
    let pair = |step: &str, answer: &str| (step.to_owned(), answer.to_owned());
    assert_eq!(steps(&mut store, "a"), [pair("two", "2"), pair("one", "new")], "in the order in which they came");
    let month = 31 * 24 * 3_600 * 1_000;
    store.perform(keep("late", "one", "kept"), at(month)).unwrap();
    store.perform(StoreCall::MatchDone { purse: purse().into(), job: job("a") }, at(month)).unwrap();
    assert_eq!(steps(&mut store, "a"), []);
    assert_eq!(steps(&mut store, "b"), [], "it was not resumed");
    assert_eq!(steps(&mut store, "late"), [pair("one", "kept")]);
}
