//! Exclusions, scores and limits per company, as they are seen and used.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use lode_core::choose::Choosing;
use lode_core::exclude::ExclusionKind;
use lode_core::{ScoreField, ScoreRule, ScoreRules};
use lode_engine::effect::call::Call;
use lode_ui::msg::Msg;

use common::screen::planned::{TestScreen, profile};

fn scored(width: u16, height: u16) -> TestScreen {
    let mut card = ScoreRules::default();
    card.add(ScoreRule::new(ScoreField::Title, "director", 20).unwrap());
    card.add(ScoreRule::new(ScoreField::EmailStatus, "bounced", -40).unwrap());
    let mut mine = profile();
    mine.choosing = Choosing { card: Arc::new(card), ..Choosing::default() };
    let mut screen = TestScreen::new(width, height);
    screen.handle(Msg::Opened(Ok(Box::new(mine))));
    screen.settle();
    screen
}

fn searches(screen: &TestScreen) -> usize {
    screen.sent.iter().filter(|call| matches!(call, Call::Search(_))).count()
}

fn staged(screen: &TestScreen) -> Vec<i64> {
    screen.model.session.side(screen.model.search.side).basket.rows().iter().map(|entry| entry.id().0).collect()
}

fn companies(screen: &TestScreen) -> BTreeMap<String, usize> {
    let mut companies = BTreeMap::new();
    for entry in screen.model.session.side(screen.model.search.side).basket.rows() {
        let domain = entry.row.email_domain().unwrap_or_default().to_owned();
        *companies.entry(domain).or_default() += 1;
    }
    companies
}

#[test]
fn an_exclusion_dims_counts_and_is_skipped_without_a_request() {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let before = searches(&screen);
    screen.key("E t").typed("director; vp").key("Enter").settle();
    assert_eq!(searches(&screen), before, "nothing is asked");
    screen.says("Nothing sent.");
    screen.says("excluded: title has director");
    screen.says("│ –  ");
    let excluded_counts = screen.model.session.side(screen.model.search.side).excluded_counts.clone();
    assert!(
        excluded_counts.excluded() > 0 && excluded_counts.excluded() < excluded_counts.read(),
        "{excluded_counts:?}"
    );
    screen.says(&format!("{} of {} read excluded", excluded_counts.excluded(), excluded_counts.read()));
    screen.key("a");
    let side = screen.model.session.side(screen.model.search.side);
    assert!(side.basket.rows().iter().all(|entry| side.excluded(&entry.row).is_none()));
    assert!(!side.basket.rows().is_empty());
    screen.key("u u");
    assert!(screen.model.search.grid().draft.not.is_empty(), "undo brings everything back");
    assert!(!screen.text().contains("excluded:"), "{}", screen.text());
    assert_eq!(searches(&screen), before);
    screen.key("Ctrl-r");
    screen.says("excluded: title has director");
}

#[test]
fn a_cell_is_excluded_by_its_company_its_domain_or_words_of_its_title() {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let not = |screen: &TestScreen| -> Vec<(ExclusionKind, String)> {
        screen.model.search.grid().draft.not.iter().map(|(kind, value)| (kind, value.to_owned())).collect()
    };
    screen.key("l l -");
    assert!(matches!(not(&screen).as_slice(), [(ExclusionKind::Company, _)]), "{:?}", not(&screen));
    screen.key("j l l -");
    assert!(
        matches!(not(&screen).as_slice(), [(ExclusionKind::Company, _), (ExclusionKind::Domain, _)]),
        "{:?}",
        not(&screen)
    );
    screen.key("h h h -");
    screen.says("Exclude: word in title");
    screen.key("Esc Tab Tab");
    assert_eq!(not(&screen).len(), 2);
}

#[test]
fn all_takes_the_best_of_each_company_and_says_what_it_reads() {
    let mut screen = scored(160, 48);
    screen.total = 900;
    screen.key("R").settle().key("L").typed("2").key("Enter").key("E t").typed("charge").key("Enter").key("A");
    screen.says("lode reads the first 900 (9 free requests, about 1 min)");
    screen.says("at most 2 of a company");
    let before = searches(&screen);
    screen.typed("20").key("Enter").settle();
    assert_eq!(searches(&screen) - before, 9, "as announced");
    let companies = companies(&screen);
    assert!(companies.values().all(|count| *count <= 2) && companies.len() > 1, "{companies:?}");
    let session = &screen.model.session;
    let scores: Vec<i32> = session
        .side(screen.model.search.side)
        .basket
        .rows()
        .iter()
        .map(|entry| session.choice_rules.total(&entry.row))
        .collect();
    assert!(scores.is_sorted_by(|one, next| one >= next), "{scores:?}");
    screen.says("of 900 read · 180 excluded · 45 skipped (owned or in basket) · ");
    let taken = staged(&screen);
    screen.key("u");
    assert!(staged(&screen).is_empty(), "one undo takes all of them out");
    screen.key("Ctrl-r");
    assert_eq!(staged(&screen).len(), taken.len());
}

#[test]
fn the_review_takes_the_best_of_each_company() {
    let mut screen = scored(120, 36);
    screen.key("a").key("L").typed("1").key("Enter").key("U").settle();
    screen.says("over limit");
    screen.says("at most 1 per company");
    let Some(lode_ui::dialogs::Dialog::Money(money)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
    let quote = money.quote.as_deref().unwrap();
    let choice_rules = &screen.model.session.choice_rules;
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
    let mut screen = scored(160, 48);
    screen.says("Score");
    screen.key("l O");
    screen.says("by score");
    let grid = screen.model.search.grid();
    let window = &screen.model.session.side(screen.model.search.side).window;
    let scores: Vec<i32> = (0..grid.count(window))
        .filter_map(|position| match window.slot(grid.index(position)) {
            lode_engine::flow::search::window::Slot::Row(row) => Some(screen.model.session.choice_rules.total(row)),
            _ => None,
        })
        .collect();
    assert!(scores.len() > 50 && scores.is_sorted_by(|one, next| one >= next), "{scores:?}");
    screen.says("score  20  ━━");
    screen.says("title director +20");
    screen.key("Enter");
    screen.says("score  20  ━━");
    screen.says("title director +20");
    let plain = {
        let mut screen = TestScreen::new(160, 48);
        screen.open();
        screen.text()
    };
    assert!(!plain.contains("Score"), "without rules there is none");
}

#[test]
fn exclusions_and_the_column_come_back_with_the_place() {
    let mut screen = scored(120, 36);
    screen.key("E c").typed("Quail Run Hospital").key("Enter").settle();
    let not = screen.model.search.grid().draft.not.clone();
    assert_eq!(not.iter().count(), 1);
    screen.key("Tab");
    let mut again = TestScreen::new(120, 36);
    again.store = screen.store_of_another();
    again.open();
    assert_eq!(again.model.search.grid().draft.not, not);
    assert!(!again.text().contains("Score"), "this window has no rules");
}

#[test]
fn clearing_the_filters_tells_of_the_exclusions_that_stay() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("/").typed("nurse").key("Enter").settle().key("E t").typed("charge; vp").key("Enter").settle();
    screen.key("F").settle().says("Filters cleared. 2 exclusions stay.");
    screen.key("F").settle().says("No filters. 2 exclusions stay.");
}

#[test]
fn the_service_s_order_comes_back_where_it_was_left() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("G").settle();
    let (cursor, top) = (screen.model.search.grid().cursor, screen.model.search.grid().top);
    assert!(cursor > 1_000);
    screen.key("o").settle().key("j j").settle();
    assert_eq!(screen.model.search.grid().cursor, 2);
    // The message takes a line for as long as it is there.
    screen.key("o").settle().wait(Duration::from_secs(7));
    assert_eq!((screen.model.search.grid().cursor, screen.model.search.grid().top), (cursor, top));
}

#[test]
fn the_limit_per_company_is_there_after_a_restart() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("L").typed("2").key("Enter").settle();
    let mut again = TestScreen::new(160, 48);
    again.store = screen.store_of_another();
    again.open();
    assert_eq!(again.model.session.choice_rules.per_company, Some(2));
    again.key("L").typed("0").key("Enter").settle();
    let mut third = TestScreen::new(160, 48);
    third.store = again.store_of_another();
    third.open();
    assert_eq!(third.model.session.choice_rules.per_company, None);
}

#[test]
fn settings_and_score_rules_are_found_by_their_names() {
    let mut screen = scored(120, 36);
    screen.key(":").typed("sett").key("Enter");
    for words in ["Settings", "~/.config/lode/config.toml", "limit per session"] {
        screen.says(words);
    }
    screen.key("Esc").key(":").typed("score").key("Enter");
    for words in ["title director", "+20", "email status bounced", "-40", "~/.config/lode/score.toml"] {
        screen.says(words);
    }
}
