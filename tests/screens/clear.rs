//! What a person reads without knowing the program: sums that add up, costs before they are spent, keys that say what they do.

use std::time::Duration;

use lode_ui::dialogs::Dialog;

use common::brain;
use common::world::planned::World;
use common::world::sandboxed;

const MOMENT: Duration = Duration::from_millis(10);

/// The first line that has these words.
fn line(world: &World, words: &str) -> String {
    let screen = world.screen();
    let found = screen.lines().find(|line| line.contains(words));
    found.unwrap_or_else(|| panic!("no {words:?} in\n{screen}")).to_owned()
}

fn footer(world: &World) -> String {
    world.screen().lines().last().unwrap_or_default().trim().to_owned()
}

#[test]
fn the_parts_of_the_review_add_up_to_the_basket() {
    let mut world = World::new(120, 36);
    world.open().key("Space Space Space Space Space").settle();
    world.key("U").wait(MOMENT).painted();
    world.says("5 in basket");
    world.says("4 ready");
    world.says("1 owned");
    world.says("of them 1 risky");
    assert!(line(&world, "of them").contains("r exclude"));
    world.wait(Duration::from_millis(300)).key("r").painted();
    world.says("3 ready");
    world.says("1 owned");
    world.says("1 risky");
    assert!(line(&world, "risky").contains("skipped  r include"));
    assert!(!world.screen().contains("of them"), "{}", world.screen());
}

#[test]
fn what_is_above_the_typed_number_is_not_counted_among_the_ready() {
    let mut world = World::new(120, 36);
    world.open().key("Space Space Space Space Space").settle();
    world.key("U").wait(MOMENT).painted().wait(Duration::from_millis(300)).typed("1");
    world.wait(Duration::from_millis(200)).key("Enter").painted();
    world.says("1 ready");
    world.says("3 kept");
    assert!(!world.screen().contains("of them"), "the only one that is ready is not risky:\n{}", world.screen());
}

#[test]
fn the_button_of_a_card_names_the_cost_that_basket_and_review_name() {
    let mut world = World::new(120, 36);
    world.open().says("Unlock for 1 credit");
    world.key("Space Space Space Space Space").settle();
    world.says("Unlock basket for 4 credits");
    world.key("F3").wait(MOMENT).says("up to 4 credits");
    world.key("U").wait(MOMENT).painted().says("4 credits");
}

#[test]
fn the_basket_names_the_company_at_80_columns() {
    let mut world = World::new(80, 24);
    world.open().key("Space Space F3").wait(MOMENT);
    world.says("Company");
    world.says("Lakeside Regional");
    world.says("1 of 2");
    world.key("j").says("2 of 2");
}

#[test]
fn a_group_of_the_help_is_not_torn_over_two_columns() {
    let mut world = World::new(120, 36);
    world.open().key("?");
    let screen = world.screen();
    let heads = ["Choose", "Search", "Move", "Screens"];
    let top = screen.lines().skip(3).find(|line| line.contains("Choose")).unwrap();
    assert!(heads.iter().all(|head| top.contains(head)), "each column begins with a heading:\n{screen}");
    assert!(!screen.contains("comm…"), "{screen}");
}

#[test]
fn the_footer_says_what_enter_does_in_each_field() {
    let mut world = World::new(120, 36);
    world.open();
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
        world.key(keys).wait(MOMENT);
        assert!(footer(&world).starts_with(enter), "{keys}: {}\n{}", footer(&world), world.screen());
        world.key("Esc").key("Esc").key("F2").wait(MOMENT);
    }
}

#[test]
fn an_article_finds_no_commands() {
    let mut world = World::new(120, 36);
    world.open().key(":").typed("the");
    let list = |world: &World| {
        let list = world.model.nav.top().and_then(Dialog::list).unwrap().clone();
        let lines = list.matches.iter().map(|at| list.items[*at as usize].left.clone());
        lines.collect::<Vec<String>>()
    };
    assert_eq!(list(&world), ["Choose a theme", "Open in another program"]);
    world.key("Ctrl-u").typed("open the con");
    assert_eq!(list(&world), ["Open the contact"]);
    world.key("Ctrl-u").typed("mask");
    assert_eq!(list(&world), ["Mask owned contacts"], "lines that only resemble it are left out");
    world.key("Ctrl-u").typed("spend");
    assert!(!list(&world).is_empty(), "a word of a sentence still finds its command");
}

#[test]
fn keys_of_a_dialog_stand_in_its_lower_border() {
    let mut world = World::new(120, 36);
    world.open().key("Enter").wait(MOMENT);
    assert!(line(&world, "Enter raw fields").contains('╰'), "{}", world.screen());
    world.may_spend = true;
    world.key("Esc Space U").wait(MOMENT).pay("1").settle();
    assert!(line(&world, "r receipt · Esc close").contains('╰'), "{}", world.screen());
}

/// A dialog that is nearly as wide as the screen has no pieces of the borders behind it at its sides.
#[test]
fn nothing_of_the_panes_shows_beside_a_wide_dialog() {
    let mut world = World::new(80, 24);
    world.open().key("?");
    assert!(!world.screen().contains("││") && !world.screen().contains("├│"), "{}", world.screen());
    assert!(matches!(world.model.nav.top(), Some(Dialog::Help(_))));
}

#[test]
fn a_list_of_one_line_shows_the_line_under_the_cursor_and_counts_say_which_of_how_many() {
    let mut world = sandboxed::World::sized(brain::small(|_| {}), 80, 24, true);
    world.key("g c").settle();
    world.says("2 of 51");
    let bar = world.screen().lines().filter(|line| line.contains('━')).map(str::to_owned).collect::<Vec<_>>();
    assert!(bar.iter().any(|line| line.contains("Texas")), "{}", world.screen());
    world.key("v v j").says("2 of ");
}

#[test]
fn an_exclusion_stands_alone_in_the_line_of_filters() {
    let mut world = World::new(120, 36);
    world.open().says("no filters");
    world.key("-").says("not Lakeside Regional");
    assert!(!world.screen().contains("no filters"), "{}", world.screen());
}
