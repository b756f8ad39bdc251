//! The Match screen: a list of accounts in, contacts out, and nothing picked or staged but by the person's word.

use std::sync::Arc;
use std::time::Duration;

use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::filter::Filter;
use lode_core::row::{CellKind, ColumnNames, Row};
use lode_engine::effect::call::{Call, SearchCall};

use crate::pictures::scene;
use common::world::planned::{Plan, World};
use common::world::rest::Files;

/// One firm that is there, one that is asked for by a name alone, one that no row has.
const LIST: &str = "Account;Website;Owner\nLakeside Inc;lakeside.example;Ann\nLakesid;;Bob\nZzyzx;zzyzx.example;Cid\n";

/// Three contacts of Lakeside, whatever is asked for; at the Workspace under other ids.
fn lakeside(index: u64, call: &SearchCall) -> Row {
    let columns =
        ColumnNames::new(["id", "contact_name", "title", "company_name", "state", "email", "company_website"]);
    let name = ["Dana Whitfield", "Tom Beckett", "Ruth Abara"][index as usize % 3];
    let at_workspace = call.query.side.source == Source::Workspace;
    let id = if at_workspace { 900 + index as i64 } else { 1 + index as i64 };
    let domain = "lakeside.example";
    let letter = name.to_lowercase().chars().next().unwrap();
    let email = if at_workspace { format!("{letter}•••@{domain}") } else { format!("{letter}@{domain}") };
    let website = if at_workspace { "" } else { domain };
    let texts =
        [id.to_string(), name.into(), "Nurse".into(), "Lakeside, Inc.".into(), "TX".into(), email, website.into()];
    Row::new(Some(RowId(id)), false, Arc::new(columns), texts.each_ref().map(|text| (CellKind::Text, text.as_str())))
}

const DATA: Side = Side { source: Source::Data, corpus: Corpus::Us };
const WORKSPACE: Side = Side { source: Source::Workspace, corpus: Corpus::Us };

fn listed(world: &mut World) {
    listed_as(world, LIST);
}

fn listed_as(world: &mut World, list: &str) {
    world.row = lakeside;
    world.total = 3;
    world.files = Some(Files { list: Some(list.to_owned()), ..Files::default() });
    world.open().key("W").settle();
    world.key("F8 o").typed("accounts.csv").key("Enter").settle();
}

/// What was asked for of companies, in order.
fn asked(world: &World, source: Source) -> Vec<String> {
    let searches = world.sent.iter().filter_map(|call| match call {
        Call::Search(call) if call.query.side.source == source => Some(&call.query),
        _ => None,
    });
    let by = |query: &lode_core::query::Query| {
        [Filter::CompanyWebsite, Filter::CompanyName]
            .into_iter()
            .find_map(|filter| query.value(filter).map(str::to_owned))
    };
    searches.filter_map(by).collect()
}

#[test]
fn a_list_is_read_planned_and_matched_and_only_the_person_stages() {
    let mut world = World::new(120, 36);
    listed(&mut world);
    world.says("Match accounts.csv · 3 accounts");
    world.says("company_website, then company_name; 4 (all found) to 28 requests or more, less than 1 min. Nothing is sent yet.");
    assert_eq!(asked(&world, Source::Data), [""; 0], "nothing is sent before it starts");
    world.key("Enter").settle();
    world.says("1 matched · 1 ambiguous · 1 none · 3 contacts. Nothing spent.");
    world.says("Dana Whitfield · Nurse · d@lakeside.example");
    let basket = |world: &World, side: Side| world.model.session.side(side).basket.len();
    assert_eq!((basket(&world, DATA), basket(&world, WORKSPACE)), (0, 0), "nothing is staged by itself");
    world.key("j").says("Not picked:");
    world.key("Space").says("No contacts: this account is not matched");
    world.key("k Space").says("Added 3 contacts to the basket of Data · US (3)");
    assert_eq!((basket(&world, DATA), basket(&world, WORKSPACE)), (3, 0));
    world.key("u").settle();
    assert_eq!(basket(&world, DATA), 0, "and taken back");
}

#[test]
fn a_contact_of_two_lines_of_the_list_is_counted_once() {
    let mut world = World::new(120, 36);
    listed_as(&mut world, "Account;Website\nLakeside Inc;lakeside.example\nLAKESIDE LLC;www.lakeside.example\n");
    world.key("Enter").settle();
    world.says("2 matched · 0 ambiguous · 0 none · 3 contacts. Nothing spent.");
    world.says("Match done: 2 accounts matched, 3 contacts. Nothing spent.");
    world.key("A").says("Added 3 contacts");
}

#[test]
fn what_is_likely_the_same_in_the_workspace_is_shown_and_staged_only_by_the_person() {
    let mut world = World::new(120, 36);
    listed(&mut world);
    world.key("Enter").settle();
    let before = world.sent.len();
    world.key("+").says("Nothing found to add.");
    world.key("L").settle();
    let looked: Vec<String> = world.sent[before..]
        .iter()
        .map(|call| match call {
            Call::Search(call) => call.query.canonical(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(looked, ["workspace/us&title=Nurse&state=TX"; 3], "one free, narrow search each");
    world.says("likely the same: Tom Beckett · Nurse · t•••@lakeside.example");
    assert_eq!(world.model.session.side(WORKSPACE).basket.len(), 0, "shown, not staged");
    world.key("+").says("Added 3 contacts to the basket of Workspace · US (3). Nothing spent.");
    let basket = &world.model.session.side(WORKSPACE).basket;
    assert!(basket.contains(RowId(900)) && !basket.contains(RowId(1)), "by the ids of the Workspace");
    // Seen once, it is not asked for again.
    let sent = world.sent.len();
    world.key("L").settle();
    assert_eq!(world.sent.len(), sent);
}

#[test]
fn a_match_is_a_job_with_a_bar_that_stops_and_goes_on_where_it_was() {
    let mut world = World::new(120, 36);
    listed(&mut world);
    world.plan = Plan::Hold;
    world.key("Enter").wait(Duration::from_secs(1));
    let line =
        |world: &World| world.screen().lines().find(|line| line.contains("Matching 3 accounts")).map(str::to_owned);
    assert!(
        line(&world).is_some_and(|line| line.contains("of 4 requests") && line.contains("left")),
        "{}",
        world.screen()
    );
    world.release(0);
    world.wait(Duration::from_secs(1));
    assert!(line(&world).is_some_and(|line| line.contains("━")), "{}", world.screen());
    assert!(world.model.share().is_some_and(|share| (1..100).contains(&share)), "the terminal is told as well");
    world.key("g j").says("match");
    world.key("Enter").says("Match accounts.csv");
    world.key("Ctrl-c").says("Stopped. What was answered is kept.");
    assert_eq!(line(&world), None);
    world.held.clear();
    world.plan = Plan::Answer;
    world.key("Enter").settle();
    world.says("1 answered before");
    world.key("Enter").settle();
    world.says("1 matched · 1 ambiguous · 1 none");
    let mut asked = asked(&world, Source::Data);
    let all = asked.len();
    asked.sort();
    asked.dedup();
    assert!(all <= asked.len() + 2, "only what was on its way is asked again: {asked:?}");
}

#[test]
fn the_workspace_needs_a_filter_and_a_bad_list_says_why() {
    let mut world = World::new(120, 36);
    world.files = Some(Files { list: Some("Title;City\nCEO;Austin\n".to_owned()), ..Files::default() });
    world.open();
    world.key("F8").says("No list of accounts yet");
    let sent = world.sent.len();
    // Before a path is typed for nothing.
    world.key("o").settle();
    world.says("The Workspace cannot be searched by company. Set at least one filter");
    assert!(world.model.nav.dialogs.is_empty(), "{}", world.screen());
    world.key("F2 W").settle();
    let sent_there = world.sent.len();
    world.key("F8 o").typed("accounts.csv").key("Enter").settle();
    world.says("it has no usable column: its columns are `Title`, `City`");
    assert!(sent <= sent_there && world.sent.len() == sent_there, "nothing is sent for it");
}

#[test]
fn matched() {
    scene("match", |world| {
        listed(world);
        world.key("Enter").settle();
        world.key("L").settle();
    });
}

#[test]
fn before_a_match() {
    scene("match-empty", |world| {
        world.open().key("F8");
    });
}

#[test]
fn the_palette_tells_of_commands_of_ones_own() {
    let mut world = World::new(120, 36);
    world.open().key(":").typed("commands of").key("Enter");
    world.says("Your own commands");
    world.says("No shell reads them");
}
