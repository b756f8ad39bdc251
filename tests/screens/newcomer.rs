//! What a person stumbles over who uses lode for the first time.

use std::time::Duration;

use lode_core::contact::RowId;
use lode_core::filter::Filter;
use lode_engine::effect::Effect;
use lode_engine::effect::profile::Profile;
use lode_engine::effect::profile::{Listed, ProfileReply};
use lode_ui::dialogs::{Dialog, summary};
use lode_ui::keys::command::Screen;
use lode_ui::msg::Msg;

use common::world::planned::{World, made, profile};

fn demo(width: u16, height: u16) -> World {
    let mut world = World::new(width, height);
    let demo = Profile { name: "demo".to_owned(), live: false, demo: true, ..profile() };
    world.tell(Msg::Opened(Ok(Box::new(demo))));
    world.settle();
    world
}

/// On the smallest screen too, by letters as by arrows.
#[test]
fn the_first_run_offers_three_ways_on() {
    let mut world = World::new(40, 10);
    let newcomer = Profile { workspace: None, data: None, name: "no profile".to_owned(), ..profile() };
    world.tell(Msg::Opened(Ok(Box::new(newcomer))));
    world.says("▸ t  Try the demo");
    for (keys, words) in [
        ("w", "under API keys"),
        ("Esc j j", "▸ w  Where do I get a key?"),
        ("a", "▸ w  Workspace key"),
        ("d", "Add a Data API key"),
        ("Esc Esc", "▸ t  Try the demo"),
        ("t", "Starting the sandbox"),
    ] {
        world.key(keys).says(words);
    }
}

fn left(world: &World) -> bool {
    world.done.contains(&Effect::Quit(0))
}

/// The first letters of a value are enough where there is a fixed list of them.
#[test]
fn the_marked_value_of_a_fixed_list_wins_over_the_letters_typed() {
    for (typed, value) in [("corp", "corporate"), ("CORPORATE", "corporate"), ("pers", "personal")] {
        let mut world = World::new(120, 36);
        world.open().key("f d /").typed(typed).key("Enter").settle();
        assert_eq!(world.model.search.seat().draft.value(Filter::EmailDomainType), Some(value), "{typed}");
    }
}

#[test]
fn commands_answer_to_the_names_people_try() {
    for words in ["q", "quit", "exit", "wq"] {
        let mut world = World::new(120, 36);
        world.open().key(":").typed(words).key("Enter");
        assert!(left(&world), "{words}:\n{}", world.screen());
    }
    let mut world = World::new(120, 36);
    world.open().key(":").typed("cart").key("Enter");
    assert_eq!(world.model.nav.screen, Screen::Basket);
    world.key("q l l :").typed("sort").key("Enter");
    assert!(world.model.search.seat().order.is_some());
}

#[test]
fn a_bare_number_goes_to_that_row() {
    let mut world = World::new(120, 36);
    world.open().key(":").typed("120").says("120");
    world.key("Enter").settle();
    assert_eq!(world.model.search.seat().cursor, 119);
}

#[test]
fn ctrl_c_cancels_a_field_and_does_not_leave() {
    for open in ["/", "f", ":", "s"] {
        let mut world = World::new(120, 36);
        world.open().key("Space").key(open).typed("nurse").key("Ctrl-c");
        assert!(world.model.nav.dialogs.is_empty() && world.model.search.edit.is_none(), "{open}");
        assert!(world.model.search.seat().draft.is_unfiltered(), "what was typed is dropped");
        world.key("Esc Ctrl-c");
        assert!(!left(&world), "{open}");
        world.key("Ctrl-c");
        assert!(left(&world), "{open}");
    }
}

/// Twice means one after the other.
#[test]
fn another_key_between_two_ctrl_c_keeps_the_program() {
    let mut world = World::new(120, 36);
    world.open().key("Ctrl-c Esc Ctrl-c");
    assert!(!left(&world));
}

#[test]
fn pages_of_the_service_have_keys_on_every_keyboard() {
    let mut world = World::new(120, 36);
    world.open().key(".");
    assert_eq!(world.model.search.seat().cursor, 100);
    world.key("3.").key(",");
    assert_eq!(world.model.search.seat().cursor, 300);
}

#[test]
fn searches_that_found_nothing_are_not_recalled() {
    let mut world = World::new(120, 36);
    world.total = 0;
    world.open().key("/").typed("nothing like it").key("Enter").settle();
    world.total = 40;
    world.key("/").typed("nurse").key("Enter").settle().key("r");
    let Some(Dialog::Picker(picker)) = world.model.nav.top() else { panic!("{}", world.screen()) };
    assert!(picker.items.iter().any(|item| item.left.contains("nurse")));
    assert!(!picker.items.iter().any(|item| item.left.contains("nothing like it")), "{:?}", picker.items);
}

#[test]
fn find_says_which_of_how_many_it_is() {
    let mut world = World::new(160, 48);
    world.open().key("Ctrl-f").typed("ruth").key("Enter").says("1 of 25");
    world.key("n").says("2 of 25");
    world.key("n n N").says("3 of 25");
    world.key("g g N").says("25 of 25");
    // In an order of our own they are counted as they stand on the screen.
    world.key("o g g n").says("1 of 37");
}

#[test]
fn an_export_asks_what_and_then_in_which_form() {
    let mut world = World::new(120, 36);
    world.open().key("Space v j e");
    let Some(Dialog::Picker(picker)) = world.model.nav.top() else { panic!("{}", world.screen()) };
    assert!(picker.items.len() <= 4, "{:?}", picker.items);
    world.key("/").typed("basket").key("Enter /");
    let Some(Dialog::Picker(picker)) = world.model.nav.top() else { panic!("{}", world.screen()) };
    assert!(picker.items.iter().any(|item| item.left.contains("hubspot")), "{:?}", picker.items);
    world.typed("jsonl").key("Enter").says("Export to");
    // Only one thing to export: nothing to ask.
    let mut world = World::new(120, 36);
    world.open().key("Space F3 e");
    let Some(Dialog::Picker(picker)) = world.model.nav.top() else { panic!("{}", world.screen()) };
    assert!(picker.items.iter().any(|item| item.left.contains("hubspot")), "{:?}", picker.items);
}

/// What is said of something that goes on is gone with it.
#[test]
fn a_line_about_a_state_ends_with_the_state() {
    let mut world = World::new(120, 36);
    world.open().key("v").says("Range:");
    world.key("Space");
    assert!(!world.screen().contains("Range:"));
    world.key("v F3");
    assert!(!world.screen().contains("Range:"), "another screen has lines of its own");
    world.key("q v Esc");
    assert!(!world.screen().contains("Range:"));
    world.key("Ctrl-c").says("again within 2 s");
    world.wait(Duration::from_millis(2_100));
    assert!(!world.screen().contains("again within 2 s"));
    world.plan = common::world::planned::Plan::Hold;
    world.key("R").says("Refreshing…");
    world.release(0);
    assert!(!world.screen().contains("Refreshing…"), "{}", world.screen());
}

#[test]
fn the_footer_of_a_list_to_read_names_what_works_there() {
    let mut world = World::new(160, 48);
    world.open().key("Enter");
    let footer = world.screen().lines().last().unwrap_or_default().to_owned();
    for dead in ["filter", "search", "recall"] {
        assert!(!footer.contains(dead), "{footer}");
    }
    // A field without suggestions has none to take.
    world.key("Esc s");
    let footer = world.screen().lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains("save") && !footer.contains("suggestion") && !footer.contains("next"), "{footer}");
    // A review in which nothing is risky has nothing to exclude.
    world.key("Esc U").settle();
    let footer = world.screen().lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains("unlock") && !footer.contains("risky"), "{footer}");
}

/// A key that does nothing yet stands in no footer, and the keys of the tabs are those of the tabs that are shown.
#[test]
fn an_empty_screen_names_only_keys_that_work() {
    let mut world = World::new(160, 48);
    world.open().says("g go");
    world.key("F7").says("No jobs yet");
    let footer = world.screen().lines().last().unwrap_or_default().to_owned();
    for dead in ["open", "cancel", "retry", "export"] {
        assert!(!footer.contains(dead), "{footer}");
    }
    world.key("F8").says("g go");
    world.says("o open a CSV");
    let footer = world.screen().lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains("o open a list") && !footer.contains("start") && !footer.contains("add"), "{footer}");
}

/// The card says how the email was verified in a word of its own.
#[test]
fn the_status_of_an_email_is_whole_in_the_pane_of_a_contact() {
    let mut world = World::new(120, 36);
    world.open().key("Tab");
    world.says("● valid");
}

/// Two ids of one person would cost two credits.
#[test]
fn the_review_names_duplicates_and_excludes_them_on_request() {
    let mut world = World::new(120, 36);
    world.may_spend = true;
    // The rows repeat after 8·7·5·6 at the latest; here every second one is the first person.
    world.row = |index, search| made(index, search, "Dana", "Whitfield", "Nurse", ["Elm", "Oak"][(index % 2) as usize]);
    world.open().key("Space Space Space U").settle();
    world.says("duplicates");
    let Some(Dialog::Money(money)) = world.model.nav.top() else { panic!("{}", world.screen()) };
    let quote = money.quote.as_ref().unwrap();
    assert_eq!((quote.duplicates.len(), quote.to_unlock.len()), (1, 3));
    world.painted().wait(Duration::from_millis(300)).key("d");
    let Some(Dialog::Money(money)) = world.model.nav.top() else { panic!("{}", world.screen()) };
    assert_eq!(money.quote.as_ref().unwrap().to_unlock.len(), 2);
    world.pay("2").settle();
    assert_eq!(world.spent.len(), 1);
    assert_eq!(world.spent[0].ids.len(), 2, "shown is paid");
}

/// Where both services show an address, the difference is what the credit buys.
#[test]
fn the_sandbox_says_what_differs_between_its_services() {
    let mut world = demo(260, 60);
    world.key("W").settle().says("nothing is verified");
    let mut live = World::new(260, 60);
    live.open().key("W").settle();
    assert!(!live.screen().contains("nothing is verified"), "nothing is inferred of a service that lode does not know");
}

#[test]
fn the_demo_shows_its_one_profile_calmly() {
    let mut world = demo(120, 36);
    world.key("P");
    let listed = Listed { name: "demo".to_owned(), first: true, ..Listed::default() };
    world.tell(Msg::Managed(ProfileReply::Alone("The demo has one profile.".to_owned(), listed)));
    world.says("The demo has one profile.");
    world.says("demo [SANDBOX]  this window");
    assert!(world.model.messages.last_error.is_none() && !world.screen().contains("add a profile"));
    world.key("Enter");
    assert!(world.model.nav.dialogs.is_empty());
}

/// Up to three letters are the beginning of a value that is shown; more are words to look for.
#[test]
fn an_industry_is_picked_by_two_letters() {
    let mut world = World::new(120, 36);
    world.open().key("f i").typed("ho").key("Enter").settle();
    assert_eq!(industries(&world), ["Hospital & Health Care"]);
    let mut world = World::new(120, 36);
    world.open().key("f i").typed("hospital").key("Enter").settle();
    assert_eq!(industries(&world), ["hospital"]);
    let mut world = World::new(120, 36);
    world.open().key("f i").typed("ho").key("Up Enter").settle();
    assert_eq!(industries(&world), ["ho"], "as typed");
}

fn industries(world: &World) -> Vec<String> {
    world.model.search.seat().draft.values(Filter::Industry).to_vec()
}

/// What another window is unlocking is under way, not uncertain.
#[test]
fn what_another_window_has_under_way_is_not_called_unknown() {
    let mut world = World::new(120, 36);
    world.may_spend = true;
    world.open().key("Space Space Space U").settle().pay("3").settle();
    let mut summary = world.model.session.unlock().last().unwrap().clone();
    summary.elsewhere = vec![RowId(2), RowId(3)];
    summary.tally.unknown = 2;
    let words = [summary::line(&summary), summary::ending(&summary).unwrap_or_default()].join(" ");
    assert!(!words.contains("UNKNOWN"), "{words}");
    assert!(words.contains("2 contacts skipped: another window"), "{words}");
}

#[test]
fn what_was_said_about_a_screen_goes_with_the_screen() {
    let mut world = demo(120, 36);
    world.open().key("g b").key("U").says("The basket is empty");
    world.key("g j");
    let screen = world.screen();
    assert!(!screen.contains("The basket is empty"), "said of another screen:\n{screen}");
}

#[test]
fn help_names_every_key_of_a_place_in_full_on_a_usual_terminal() {
    for place in ["g s", "g b", "g o", "g j", "g a"] {
        let mut world = demo(120, 36);
        world.open().key(place).key("?");
        let screen = world.screen();
        let cut: Vec<&str> = screen.lines().filter(|line| line.starts_with("││") && line.contains('…')).collect();
        assert!(cut.is_empty(), "after `{place}`:\n{}", cut.join("\n"));
    }
}
