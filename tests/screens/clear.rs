//! What a person reads without knowing the program: sums that add up, costs before they are spent, keys that say what they do.

use std::time::Duration;

use lode_ui::dialogs::Dialog;

use common::sandbox_engine;
use common::screen::planned::TestScreen;
use common::screen::sandboxed;

const MOMENT: Duration = Duration::from_millis(10);

/// The first line that has these words.
fn line(screen: &TestScreen, words: &str) -> String {
    let text = screen.text();
    let found = text.lines().find(|line| line.contains(words));
    found.unwrap_or_else(|| panic!("no {words:?} in\n{text}")).to_owned()
}

fn footer(screen: &TestScreen) -> String {
    screen.text().lines().last().unwrap_or_default().trim().to_owned()
}

#[test]
fn the_parts_of_the_review_add_up_to_the_basket() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Space Space Space Space Space").settle();
    screen.key("U").wait(MOMENT).painted();
    screen.says("5 in basket");
    screen.says("4 ready");
    screen.says("1 owned");
    screen.says("of them 1 risky");
    assert!(line(&screen, "of them").contains("r exclude"));
    screen.wait(Duration::from_millis(300)).key("r").painted();
    screen.says("3 ready");
    screen.says("1 owned");
    screen.says("1 risky");
    assert!(line(&screen, "risky").contains("skipped  r include"));
    assert!(!screen.text().contains("of them"), "{}", screen.text());
}

#[test]
fn what_is_above_the_typed_number_is_not_counted_among_the_ready() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Space Space Space Space Space").settle();
    screen.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("1");
    screen.wait(Duration::from_millis(200)).key("Enter").painted();
    screen.says("1 ready");
    screen.says("3 kept");
    assert!(!screen.text().contains("of them"), "the only one that is ready is not risky:\n{}", screen.text());
}

#[test]
fn the_button_of_a_card_names_the_cost_that_basket_and_review_name() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().says("Unlock for 1 credit");
    screen.key("Space Space Space Space Space").settle();
    screen.says("Unlock basket for 4 credits");
    screen.key("F3").wait(MOMENT).says("up to 4 credits");
    screen.key("U").wait(MOMENT).painted().says("4 credits");
}

#[test]
fn the_basket_names_the_company_at_80_columns() {
    let mut screen = TestScreen::new(80, 24);
    screen.open().key("Space Space F3").wait(MOMENT);
    screen.says("Company");
    screen.says("Lakeside Regional");
    screen.says("1 of 2");
    screen.key("j").says("2 of 2");
}

#[test]
fn a_group_of_the_help_is_not_torn_over_two_columns() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("?");
    let text = screen.text();
    let heads = ["Choose", "Search", "Move", "Screens"];
    let top = text.lines().skip(3).find(|line| line.contains("Choose")).unwrap();
    assert!(heads.iter().all(|head| top.contains(head)), "each column begins with a heading:\n{text}");
    assert!(!text.contains("comm…"), "{text}");
}

#[test]
fn the_footer_says_what_enter_does_in_each_field() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    for (keys, enter) in [
        ("/", "Enter search"),
        ("f t", "Enter search"),
        (":", "Enter run"),
        ("f s", "Enter choose"),
        ("s", "Enter save"),
        ("Ctrl-f", "Enter find"),
        ("L", "Enter apply"),
        ("E w", "Enter exclude"),
        ("A", "Enter add"),
        ("F3 S a", "Enter add"),
    ] {
        screen.key(keys).wait(MOMENT);
        assert!(footer(&screen).starts_with(enter), "{keys}: {}\n{}", footer(&screen), screen.text());
        screen.key("Esc").key("Esc").key("F2").wait(MOMENT);
    }
}

#[test]
fn an_article_finds_no_commands() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key(":").typed("the");
    let list = |screen: &TestScreen| {
        let list = screen.model.nav.top().and_then(Dialog::list).unwrap().clone();
        let lines = list.matches.iter().map(|at| list.items[*at as usize].left.clone());
        lines.collect::<Vec<String>>()
    };
    assert_eq!(list(&screen), ["Choose a theme", "Open in another program"]);
    screen.key("Ctrl-u").typed("open the con");
    assert_eq!(list(&screen), ["Open the contact"]);
    screen.key("Ctrl-u").typed("mask");
    assert_eq!(list(&screen), ["Mask owned contacts"], "lines that only resemble it are left out");
    screen.key("Ctrl-u").typed("spend");
    assert!(!list(&screen).is_empty(), "a word of a sentence still finds its command");
}

#[test]
fn keys_of_a_dialog_stand_in_its_lower_border() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Enter").wait(MOMENT);
    assert!(line(&screen, "Enter raw fields").contains('╰'), "{}", screen.text());
    screen.may_spend = true;
    screen.key("Esc Space U").wait(MOMENT).pay("1").settle();
    assert!(line(&screen, "r receipt · Esc close").contains('╰'), "{}", screen.text());
}

/// A dialog that is nearly as wide as the screen has no pieces of the borders behind it at its sides.
#[test]
fn nothing_of_the_panes_shows_beside_a_wide_dialog() {
    let mut screen = TestScreen::new(80, 24);
    screen.open().key("?");
    assert!(!screen.text().contains("││") && !screen.text().contains("├│"), "{}", screen.text());
    assert!(matches!(screen.model.nav.top(), Some(Dialog::Help(_))));
}

#[test]
fn a_list_of_one_line_shows_the_line_under_the_cursor_and_counts_say_which_of_how_many() {
    let mut screen = sandboxed::TestScreen::sized(sandbox_engine::small(|_| {}), 80, 24, true);
    screen.key("g c").settle();
    screen.says("2 of 51");
    let bar = screen.text().lines().filter(|line| line.contains('━')).map(str::to_owned).collect::<Vec<_>>();
    assert!(bar.iter().any(|line| line.contains("Texas")), "{}", screen.text());
    screen.key("v v j").says("2 of ");
}

#[test]
fn an_exclusion_stands_alone_in_the_line_of_filters() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().says("no filters");
    screen.key("-").says("not Lakeside Regional");
    assert!(!screen.text().contains("no filters"), "{}", screen.text());
}
