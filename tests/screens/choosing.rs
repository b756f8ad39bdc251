//! Exclusions, scores and limits per company, as they are seen and used.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lode_core::choose::Choosing;
use lode_core::exclude::ExclusionKind;
use lode_core::{ScoreField, ScoreRule, ScoreRules};
use lode_engine::effect::call::Call;
use lode_ui::msg::Msg;

use common::world::planned::{World, profile};

fn scored(width: u16, height: u16) -> World {
    let mut card = ScoreRules::default();
    card.add(ScoreRule::new(ScoreField::Title, "director", 20).unwrap());
    card.add(ScoreRule::new(ScoreField::EmailStatus, "bounced", -40).unwrap());
    let mut mine = profile();
    mine.choosing = Choosing { card: Arc::new(card), ..Choosing::default() };
    let mut world = World::new(width, height);
    world.tell(Msg::Opened(Ok(Box::new(mine))));
    world.settle();
    world
}

fn searches(world: &World) -> usize {
    world.sent.iter().filter(|call| matches!(call, Call::Search(_))).count()
}

fn staged(world: &World) -> Vec<i64> {
    world.model.session.side(world.model.search.side).basket.rows().iter().map(|entry| entry.id().0).collect()
}

fn companies(world: &World) -> BTreeMap<String, usize> {
    let mut companies = BTreeMap::new();
    for entry in world.model.session.side(world.model.search.side).basket.rows() {
        let domain = entry.row.email_domain().unwrap_or_default().to_owned();
        *companies.entry(domain).or_default() += 1;
    }
    companies
}

#[test]
fn an_exclusion_dims_counts_and_is_skipped_without_a_request() {
    let mut world = World::new(160, 48);
    world.open();
    let before = searches(&world);
    world.key("E t").typed("director; vp").key("Enter").settle();
    assert_eq!(searches(&world), before, "nothing is asked");
    world.says("Nothing sent.");
    world.says("excluded: title has director");
    world.says("│ –  ");
    let excluded_counts = world.model.session.side(world.model.search.side).excluded_counts.clone();
    assert!(
        excluded_counts.excluded() > 0 && excluded_counts.excluded() < excluded_counts.read(),
        "{excluded_counts:?}"
    );
    world.says(&format!("{} of {} read excluded", excluded_counts.excluded(), excluded_counts.read()));
    world.key("a");
    let side = world.model.session.side(world.model.search.side);
    assert!(side.basket.rows().iter().all(|entry| side.excluded(&entry.row).is_none()));
    assert!(!side.basket.rows().is_empty());
    world.key("u u");
    assert!(world.model.search.seat().draft.not.is_empty(), "undo brings everything back");
    assert!(!world.screen().contains("excluded:"), "{}", world.screen());
    assert_eq!(searches(&world), before);
    world.key("Ctrl-r");
    world.says("excluded: title has director");
}

#[test]
fn a_cell_is_excluded_by_its_company_its_domain_or_words_of_its_title() {
    let mut world = World::new(160, 48);
    world.open();
    let not = |world: &World| -> Vec<(ExclusionKind, String)> {
        world.model.search.seat().draft.not.iter().map(|(kind, value)| (kind, value.to_owned())).collect()
    };
    world.key("l l -");
    assert!(matches!(not(&world).as_slice(), [(ExclusionKind::Company, _)]), "{:?}", not(&world));
    world.key("j l l -");
    assert!(
        matches!(not(&world).as_slice(), [(ExclusionKind::Company, _), (ExclusionKind::Domain, _)]),
        "{:?}",
        not(&world)
    );
    world.key("h h h -");
    world.says("Exclude: word in title");
    world.key("Esc Tab Tab");
    assert_eq!(not(&world).len(), 2);
}

#[test]
fn all_takes_the_best_of_each_company_and_says_what_it_reads() {
    let mut world = scored(160, 48);
    world.total = 900;
    world.key("R").settle().key("L").typed("2").key("Enter").key("E t").typed("charge").key("Enter").key("A");
    world.says("lode reads the first 900 (9 free requests, about 1 min)");
    world.says("at most 2 of a company");
    let before = searches(&world);
    world.typed("20").key("Enter").settle();
    assert_eq!(searches(&world) - before, 9, "as announced");
    let companies = companies(&world);
    assert!(companies.values().all(|count| *count <= 2) && companies.len() > 1, "{companies:?}");
    let session = &world.model.session;
    let scores: Vec<i32> = session
        .side(world.model.search.side)
        .basket
        .rows()
        .iter()
        .map(|entry| session.choice_rules.total(&entry.row))
        .collect();
    assert!(scores.is_sorted_by(|one, next| one >= next), "{scores:?}");
    world.says("of 900 read (");
    let taken = staged(&world);
    world.key("u");
    assert!(staged(&world).is_empty(), "one undo takes all of them out");
    world.key("Ctrl-r");
    assert_eq!(staged(&world).len(), taken.len());
}

#[test]
fn the_review_takes_the_best_of_each_company() {
    let mut world = scored(120, 36);
    world.key("a").key("L").typed("1").key("Enter").key("U").settle();
    world.says("over limit");
    world.says("at most 1 per company");
    let Some(lode_ui::dialogs::Dialog::Money(money)) = world.model.nav.top() else { panic!("{}", world.screen()) };
    let quote = money.quote.as_deref().unwrap();
    let choice_rules = &world.model.session.choice_rules;
    let firm = |staged: &lode_core::money::Staged| lode_core::Traits::staged(staged).firm();
    for bought in &quote.to_unlock {
        let score = |staged| choice_rules.scorer.total(&lode_core::Traits::staged(staged));
        let fellows = quote.basis.staged.iter().filter(|other| firm(other) == firm(bought) && !other.owned);
        assert!(fellows.map(score).all(|other| other <= score(bought)), "{bought:?}");
    }
    let firms: Vec<_> = quote.to_unlock.iter().map(firm).collect();
    let mut once = firms.clone();
    once.dedup();
    assert_eq!(firms.len(), once.len());
    assert_eq!(quote.to_unlock.len() + quote.beyond.len() + quote.owned.len(), quote.staged);
}

#[test]
fn the_score_is_a_column_that_sorts_and_the_contact_says_its_parts() {
    let mut world = scored(160, 48);
    world.says("Score");
    world.key("l O");
    world.says("by score");
    let seat = world.model.search.seat();
    let window = &world.model.session.side(world.model.search.side).window;
    let scores: Vec<i32> = (0..seat.count(window))
        .filter_map(|position| match window.slot(seat.index(position)) {
            lode_engine::flow::search::window::Slot::Row(row) => Some(world.model.session.choice_rules.total(row)),
            _ => None,
        })
        .collect();
    assert!(scores.len() > 50 && scores.is_sorted_by(|one, next| one >= next), "{scores:?}");
    world.says("score  20  ━━");
    world.says("title director +20");
    world.key("Enter");
    world.says("score  20  ━━");
    world.says("title director +20");
    let plain = {
        let mut world = World::new(160, 48);
        world.open();
        world.screen()
    };
    assert!(!plain.contains("Score"), "without rules there is none");
}

#[test]
fn exclusions_and_the_column_come_back_with_the_place() {
    let mut world = scored(120, 36);
    world.key("E c").typed("Quail Run Hospital").key("Enter").settle();
    let not = world.model.search.seat().draft.not.clone();
    assert_eq!(not.iter().count(), 1);
    world.key("Tab");
    let mut again = World::new(120, 36);
    again.store = world.store_of_another();
    again.open();
    assert_eq!(again.model.search.seat().draft.not, not);
    assert!(!again.screen().contains("Score"), "this window has no rules");
}

#[test]
fn clearing_the_filters_tells_of_the_exclusions_that_stay() {
    let mut world = World::new(160, 48);
    world.open().key("/").typed("nurse").key("Enter").settle().key("E t").typed("charge; vp").key("Enter").settle();
    world.key("F").settle().says("Filters cleared. 2 exclusions stay.");
    world.key("F").settle().says("No filters. 2 exclusions stay.");
}

#[test]
fn the_service_s_order_comes_back_where_it_was_left() {
    let mut world = World::new(160, 48);
    world.open().key("G").settle();
    let (cursor, top) = (world.model.search.seat().cursor, world.model.search.seat().top);
    assert!(cursor > 1_000);
    world.key("o").settle().key("j j").settle();
    assert_eq!(world.model.search.seat().cursor, 2);
    // The message takes a line for as long as it is there.
    world.key("o").settle().wait(Duration::from_secs(7));
    assert_eq!((world.model.search.seat().cursor, world.model.search.seat().top), (cursor, top));
}

#[test]
fn the_limit_per_company_is_there_after_a_restart() {
    let mut world = World::new(160, 48);
    world.open().key("L").typed("2").key("Enter").settle();
    let mut again = World::new(160, 48);
    again.store = world.store_of_another();
    again.open();
    assert_eq!(again.model.session.choice_rules.per_company, Some(2));
    again.key("L").typed("0").key("Enter").settle();
    let mut third = World::new(160, 48);
    third.store = again.store_of_another();
    third.open();
    assert_eq!(third.model.session.choice_rules.per_company, None);
}

#[test]
fn settings_and_score_rules_are_found_by_their_names() {
    let mut world = scored(120, 36);
    world.key(":").typed("sett").key("Enter");
    for words in ["Settings", "~/.config/lode/config.toml", "limit per session"] {
        world.says(words);
    }
    world.key("Esc").key(":").typed("score").key("Enter");
    for words in ["title director", "+20", "email status bounced", "-40", "~/.config/lode/score.toml"] {
        world.says(words);
    }
}
