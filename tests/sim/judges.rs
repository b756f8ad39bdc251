//! The referees of lists, caps, settings and keys can fail: each is shown what it must not let pass, and what it must.

use common::flow_simulation::intent;
use lode_core::contact::{Corpus, RowId, Side};
use lode_core::credits::Credits;
use lode_core::money::{BatchId, Caps, OrderId};
use lode_core::purse::{Origin, Purse};
use lode_core::query::Query;
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_engine::effect::profile::{KeyHash, WindowId};
use lode_engine::effect::store::{BasketGuard, BatchIntent, StoreCall, StoreReply};
use lode_engine::effect::unlock::{UnlockBody, WrittenIntent};
use lode_engine::wire::{self, Head};

use crate::referee::{Ordered, Referee, Verdict, Wanted, Who};

fn who() -> Who {
    Who {
        generation: 1,
        run: 1,
        purse: 0,
        named: Purse::of_org(Origin::of("https://service.example"), "org"),
        searches: true,
        key: (0, "old".to_owned()),
        order: Some(Ordered { no: 1, typed: 9 }),
    }
}

/// A referee of a simulation where the disk is quick.
fn referee(caps: Caps) -> Referee {
    let mut referee = Referee::default();
    referee.begin(caps, false);
    referee
}

fn intend(referee: &mut Referee, batch: i64, ids: &[i64], basket: bool, at: u64) -> Verdict {
    let intent = BatchIntent {
        profile: "sim".to_owned(),
        ceiling: Credits(9),
        basket: basket.then_some(BasketGuard { version: None }),
        asked: 1,
        ..intent(who().named, KeyHash("k".to_owned()), WindowId("w".to_owned()), ids)
    };
    let body = UnlockBody { corpus: intent.corpus, ids: intent.ids.clone(), verify: true };
    let reply = StoreReply::Intended(WrittenIntent::new(OrderId(1), BatchId(batch), 1, body));
    referee.stored(&StoreCall::Intend(Box::new(intent)), &reply, &who(), at)
}

fn leaves(referee: &mut Referee, ids: &[i64], at: u64) -> Verdict {
    let call = UnlockBody { corpus: Corpus::Us, ids: ids.iter().copied().map(RowId).collect(), verify: true };
    referee.leaves(&who(), &call, &[], at).map(drop)
}

#[test]
fn the_referee_of_lists_can_fail() {
    let mut referee = referee(Caps::default());
    referee.listed(0, vec![(Corpus::Us, RowId(7))], 100);
    intend(&mut referee, 1, &[1, 7], false, 200).unwrap();
    assert!(leaves(&mut referee, &[1, 7], 210).unwrap_err().contains("on a list"));
    // Another workspace has its own lists, and a list that was removed holds nothing back.
    referee.forgiven(1);
    assert!(leaves(&mut referee, &[1, 7], 220).is_err());
    referee.forgiven(0);
    leaves(&mut referee, &[1, 7], 230).unwrap();
    // Listed after it was written down.
    referee.listed(0, vec![(Corpus::Us, RowId(8))], 300);
    intend(&mut referee, 2, &[8], false, 290).unwrap();
    leaves(&mut referee, &[8], 310).unwrap();
}

#[test]
fn the_referee_of_caps_can_fail() {
    let caps = |session| Caps { session: Some(Credits(session)), ..Caps::default() };
    let mut referee = referee(caps(4));
    intend(&mut referee, 1, &[1, 2], false, 100).unwrap();
    referee.caps_saved(caps(3), 200);
    // It may have been read just before.
    intend(&mut referee, 2, &[3, 4], false, 300).unwrap();
    assert!(intend(&mut referee, 3, &[5], false, 60_000).unwrap_err().contains("over its cap of 3"));
    let mut referee = self::referee(Caps { call: Some(Credits(1)), ..Caps::default() });
    assert!(intend(&mut referee, 1, &[1, 2], false, 60_000).unwrap_err().contains("over the cap per call"));
}

#[test]
fn the_referee_of_settings_can_fail() {
    let mut referee = referee(Caps::default());
    for id in [1, 2, 3] {
        let row = format!(r#"{{"id":{id},"company_name":"Quail Run","email_address":"p•••@quail.example"}}"#);
        let body = format!(r#"{{"ok":true,"data":{{"corpus":"us","total":3,"limit":1,"offset":0,"rows":[{row}]}}}}"#);
        let query = Query::new(Side::default());
        let search = Call::Search(SearchCall { query, offset: 0, limit: 1, mark_pulled: false });
        let Ok(Reply::Page(page)) = wire::read(&search, &Head::of(200), body.as_bytes()) else { panic!("{body}") };
        referee.shows(&who(), Corpus::Us, &page, 10, 20);
    }
    let shown = [1, 2, 3].map(RowId).to_vec();
    let wanted = Wanted { shown, per_company: None, bought: Vec::new(), at: 0, waited: Vec::new() };
    referee.accepted(1, wanted, 100);
    intend(&mut referee, 1, &[1], true, 200).unwrap();
    referee.limit_saved(Some(1), 300);
    // It may have been read just before.
    intend(&mut referee, 2, &[2], true, 400).unwrap();
    assert!(intend(&mut referee, 3, &[3], true, 60_000).unwrap_err().contains("1 were saved before"));
}

#[test]
fn the_referee_of_keys_can_fail() {
    let mut referee = referee(Caps::default());
    referee.key_replaced((0, "old".to_owned()), 100);
    intend(&mut referee, 1, &[1], false, 150).unwrap();
    leaves(&mut referee, &[1], 200).unwrap();
    let mut referee = self::referee(Caps::default());
    referee.key_replaced((0, "old".to_owned()), 100);
    intend(&mut referee, 1, &[1], false, 60_000).unwrap();
    assert!(leaves(&mut referee, &[1], 60_001).unwrap_err().contains("was replaced"));
}
