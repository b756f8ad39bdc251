//! The suppression lists of a session: until they are read they hold nothing back and clear nothing.

use lode_core::contact::RowId;
use lode_core::suppress::{ShownFields, SuppressEntry, Suppression, SuppressionCheck};
use lode_core::time::Now;
use lode_engine::effect::Effect;
use lode_engine::effect::store::StoreReply;
use lode_engine::flow::desk::{Arrival, Desk};
use lode_engine::flow::lists::SuppressionLists;
use lode_engine::flow::retry::RetryPolicy;

use crate::desktop::US;
use common::flow_simulation::{profile, staged};

/// Lists that were asked for and answered with these entries of one list.
fn read(entries: Vec<SuppressEntry>) -> SuppressionLists {
    let mut desk = Desk::new(&profile("w0"), RetryPolicy::Window, 1);
    let (mut lists, mut fx) = (SuppressionLists::default(), Vec::new());
    assert!(!lists.is_wanted() && !lists.is_reading());
    lists.read(Vec::new(), &mut desk.at(Now::default(), &mut fx));
    assert!(lists.is_wanted() && lists.is_reading() && lists.index().is_none());
    let Some(Effect::Store(ticket, _)) = fx.pop() else { panic!("they are read") };
    let all = vec![Suppression { list: "dnc".to_owned(), entries }];
    assert_eq!(lists.handle(&Arrival::Stored(ticket, Ok(StoreReply::Suppressions(all)))), Some(Ok(())));
    assert!(lists.is_wanted() && !lists.is_reading());
    lists
}

#[test]
fn lists_are_known_once_they_were_read() {
    let lists = read(vec![SuppressEntry::Contact(US, RowId(7))]);
    assert!(lists.index().is_some_and(|index| !index.is_empty()));
}

#[test]
fn of_several_entries_that_may_hold_a_row_back_the_first_is_named_and_the_others_are_counted() {
    let phone = |digits: &str| SuppressEntry::Phone { digits: digits.to_owned(), name: String::new() };
    let lists = read(vec![phone("5125550142"), phone("5125550242"), phone("5125550342")]);
    let row = staged(1);
    let held = |phone: &str| {
        let row = ShownFields { phone, ..ShownFields::of(&row) };
        let check = lists.index().unwrap().check(US, row);
        lists.held_by(&check).map(|(by, more)| (by.entry, more))
    };
    assert_eq!(held("512•••42"), Some(("5125550142".to_owned(), 2)));
    assert_eq!(held("(512) 555-0242"), Some(("5125550242".to_owned(), 0)));
    assert_eq!((held("512•••43"), lists.held_by(&SuppressionCheck::Clear)), (None, None));
}
