//! The Match screen: a list of accounts in, contacts out, and nothing picked or staged but by the person's word.

use std::sync::Arc;
use std::time::Duration;

use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::filter::Filter;
use lode_core::row::{CellKind, ColumnNames, Row};
use lode_engine::effect::call::{Call, SearchCall};

use crate::pictures::scene;
use common::screen::planned::{Plan, TestScreen};
use common::screen::rest::Files;

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

fn listed(screen: &mut TestScreen) {
    listed_as(screen, LIST);
}

fn listed_as(screen: &mut TestScreen, list: &str) {
    screen.row = lakeside;
    screen.total = 3;
    screen.files = Some(Files { list: Some(list.to_owned()), ..Files::default() });
    screen.open().key("W").settle();
    screen.key("F8 o").typed("accounts.csv").key("Enter").settle();
}

/// What was asked for of companies, in order.
fn asked(screen: &TestScreen, source: Source) -> Vec<String> {
    let searches = screen.sent.iter().filter_map(|call| match call {
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
    let mut screen = TestScreen::new(120, 36);
    listed(&mut screen);
    screen.says("Match accounts.csv · 3 accounts");
    screen.says("company_website, then company_name; 4 (all found) to 28 requests or more, less than 1 min. Nothing is sent yet.");
    assert_eq!(asked(&screen, Source::Data), [""; 0], "nothing is sent before it starts");
    screen.key("Enter").settle();
    screen.says("1 matched · 1 ambiguous · 1 none · 3 contacts. Nothing spent.");
    screen.says("Dana Whitfield · Nurse · d@lakeside.example");
    let basket = |screen: &TestScreen, side: Side| screen.model.session.side(side).basket.len();
    assert_eq!((basket(&screen, DATA), basket(&screen, WORKSPACE)), (0, 0), "nothing is staged by itself");
    screen.key("j").says("Not picked:");
    screen.key("Space").says("No contacts: this account is not matched");
    screen.key("k Space").says("Added 3 contacts to Data · US. Basket: 3.");
    assert_eq!((basket(&screen, DATA), basket(&screen, WORKSPACE)), (3, 0));
    screen.key("u").settle();
    assert_eq!(basket(&screen, DATA), 0, "and taken back");
}

#[test]
fn a_contact_of_two_lines_of_the_list_is_counted_once() {
    let mut screen = TestScreen::new(120, 36);
    listed_as(&mut screen, "Account;Website\nLakeside Inc;lakeside.example\nLAKESIDE LLC;www.lakeside.example\n");
    screen.key("Enter").settle();
    screen.says("2 matched · 0 ambiguous · 0 none · 3 contacts. Nothing spent.");
    screen.says("Match done: 2 accounts matched, 3 contacts. Nothing spent.");
    screen.key("A").says("Added 3 contacts");
}

#[test]
fn what_is_likely_the_same_in_the_workspace_is_shown_and_staged_only_by_the_person() {
    let mut screen = TestScreen::new(120, 36);
    listed(&mut screen);
    screen.key("Enter").settle();
    let before = screen.sent.len();
    screen.key("+").says("Nothing found to add.");
    screen.key("L").settle();
    let looked: Vec<String> = screen.sent[before..]
        .iter()
        .map(|call| match call {
            Call::Search(call) => call.query.canonical(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(looked, ["workspace/us&title=Nurse&state=TX"; 3], "one free, narrow search each");
    screen.says("likely the same: Tom Beckett · Nurse · t•••@lakeside.example");
    assert_eq!(screen.model.session.side(WORKSPACE).basket.len(), 0, "shown, not staged");
    screen.key("+").says("Added 3 contacts to Workspace · US. Basket: 3. Nothing spent.");
    let basket = &screen.model.session.side(WORKSPACE).basket;
    assert!(basket.contains(RowId(900)) && !basket.contains(RowId(1)), "by the ids of the Workspace");
    // Seen once, it is not asked for again.
    let sent = screen.sent.len();
    screen.key("L").settle();
    assert_eq!(screen.sent.len(), sent);
}

#[test]
fn a_match_is_a_job_with_a_bar_that_stops_and_goes_on_where_it_was() {
    let mut screen = TestScreen::new(120, 36);
    listed(&mut screen);
    screen.plan = Plan::Hold;
    screen.key("Enter").wait(Duration::from_secs(1));
    let line = |screen: &TestScreen| {
        screen.text().lines().find(|line| line.contains("Matching 3 accounts")).map(str::to_owned)
    };
    assert!(
        line(&screen).is_some_and(|line| line.contains("of 4 requests") && line.contains("left")),
        "{}",
        screen.text()
    );
    screen.release(0);
    screen.wait(Duration::from_secs(1));
    assert!(line(&screen).is_some_and(|line| line.contains("━")), "{}", screen.text());
    assert!(screen.model.share().is_some_and(|share| (1..100).contains(&share)), "the terminal is told as well");
    screen.key("g j").says("match");
    screen.key("Enter").says("Match accounts.csv");
    screen.key("Ctrl-c").says("Stopped. What was answered is kept.");
    assert_eq!(line(&screen), None);
    // It counted requests, which are no rows, and what ended can be run again but not canceled.
    screen.key("g j").says("stopped:");
    screen.says("r retry");
    let jobs = screen.text();
    assert!(!jobs.contains(" of 4") && !jobs.contains("c cancel"), "{jobs}");
    screen.key("c").says("Finished.");
    screen.key("Enter");
    screen.held.clear();
    screen.plan = Plan::Answer;
    screen.key("Enter").settle();
    screen.says("1 answered before");
    screen.key("Enter").settle();
    screen.says("1 matched · 1 ambiguous · 1 none");
    let mut asked = asked(&screen, Source::Data);
    let all = asked.len();
    asked.sort();
    asked.dedup();
    assert!(all <= asked.len() + 2, "only what was on its way is asked again: {asked:?}");
}

#[test]
fn the_workspace_needs_a_filter_and_a_bad_list_says_why() {
    let mut screen = TestScreen::new(120, 36);
    screen.files = Some(Files { list: Some("Title;City\nCEO;Austin\n".to_owned()), ..Files::default() });
    screen.open();
    screen.key("F8").says("No list of accounts yet");
    let sent = screen.sent.len();
    // Before a path is typed for nothing.
    screen.key("o").settle();
    screen.says("The Workspace cannot be searched by company. Set at least one filter");
    assert!(screen.model.nav.dialogs.is_empty(), "{}", screen.text());
    screen.key("F2 W").settle();
    let sent_there = screen.sent.len();
    screen.key("F8 o").typed("accounts.csv").key("Enter").settle();
    screen.says("it has no usable column: its columns are `Title`, `City`");
    assert!(sent <= sent_there && screen.sent.len() == sent_there, "nothing is sent for it");
}

#[test]
fn matched() {
    scene("match", |screen| {
        listed(screen);
        screen.key("Enter").settle();
        screen.key("L").settle();
    });
}

#[test]
fn before_a_match() {
    scene("match-empty", |screen| {
        screen.open().key("F8");
    });
}

#[test]
fn the_palette_tells_of_commands_of_ones_own() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key(":").typed("commands of").key("Enter");
    screen.says("Your own commands");
    screen.says("No shell reads them");
}
