//! What a person stumbles over who uses lode for the first time.

use std::time::Duration;

use lode_core::contact::RowId;
use lode_core::filter::Filter;
use lode_engine::effect::Effect;
use lode_engine::effect::profile::Profile;
use lode_engine::effect::profile::{Listed, ProfileReply};
use lode_ui::dialogs::Dialog;
use lode_ui::keys::command::Screen;
use lode_ui::msg::Msg;
use lode_ui::unlock::summary;

use common::screen::planned::{TestScreen, made, profile};

fn demo(width: u16, height: u16) -> TestScreen {
    let mut screen = TestScreen::new(width, height);
    let demo = Profile { name: "demo".to_owned(), live: false, demo: true, ..profile() };
    screen.handle(Msg::Opened(Ok(Box::new(demo))));
    screen.settle();
    screen
}

/// On the smallest screen too, by letters as by arrows.
#[test]
fn the_first_run_offers_three_ways_on() {
    let mut screen = TestScreen::new(40, 10);
    let newcomer = Profile { workspace: None, data: None, name: "no profile".to_owned(), ..profile() };
    screen.handle(Msg::Opened(Ok(Box::new(newcomer))));
    screen.says("▌ t  Try the demo");
    for (keys, words) in [
        ("w", "under API keys"),
        ("Esc j j", "▌ w  Where do I get a key?"),
        ("a", "▌ w  Workspace key"),
        ("d", "Add a Data API key"),
        ("Esc Esc", "▌ t  Try the demo"),
        ("t", "Starting the sandbox"),
    ] {
        screen.key(keys).says(words);
    }
}

fn left(screen: &TestScreen) -> bool {
    screen.done.contains(&Effect::Quit(0))
}

/// The first letters of a value are enough where there is a fixed list of them.
#[test]
fn the_marked_value_of_a_fixed_list_wins_over_the_letters_typed() {
    for (typed, value) in [("corp", "corporate"), ("CORPORATE", "corporate"), ("pers", "personal")] {
        let mut screen = TestScreen::new(120, 36);
        screen.open().key("f d /").typed(typed).key("Enter").settle();
        assert_eq!(screen.model.search.grid().draft.value(Filter::EmailDomainType), Some(value), "{typed}");
    }
}

#[test]
fn commands_answer_to_the_names_people_try() {
    for words in ["q", "quit", "exit", "wq"] {
        let mut screen = TestScreen::new(120, 36);
        screen.open().key(":").typed(words).key("Enter");
        assert!(left(&screen), "{words}:\n{}", screen.text());
    }
    let mut screen = TestScreen::new(120, 36);
    screen.open().key(":").typed("cart").key("Enter");
    assert_eq!(screen.model.nav.screen, Screen::Basket);
    screen.key("q l l :").typed("sort").key("Enter");
    assert!(screen.model.search.grid().order.is_some());
}

#[test]
fn a_bare_number_goes_to_that_row() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key(":").typed("120").says("120");
    screen.key("Enter").settle();
    assert_eq!(screen.model.search.grid().cursor, 119);
}

#[test]
fn ctrl_c_cancels_a_field_and_does_not_leave() {
    for open in ["/", "f", ":", "s"] {
        let mut screen = TestScreen::new(120, 36);
        screen.open().key("Space").key(open).typed("nurse").key("Ctrl-c");
        assert!(screen.model.nav.dialogs.is_empty() && screen.model.search.edit.is_none(), "{open}");
        assert!(screen.model.search.grid().draft.is_unfiltered(), "what was typed is dropped");
        screen.key("Esc Ctrl-c");
        assert!(!left(&screen), "{open}");
        screen.key("Ctrl-c");
        assert!(left(&screen), "{open}");
    }
}

/// Twice means one after the other.
#[test]
fn another_key_between_two_ctrl_c_keeps_the_program() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Ctrl-c Esc Ctrl-c");
    assert!(!left(&screen));
}

#[test]
fn pages_of_the_service_have_keys_on_every_keyboard() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key(".");
    assert_eq!(screen.model.search.grid().cursor, 100);
    screen.key("3.").key(",");
    assert_eq!(screen.model.search.grid().cursor, 300);
}

#[test]
fn searches_that_found_nothing_are_not_recalled() {
    let mut screen = TestScreen::new(120, 36);
    screen.total = 0;
    screen.open().key("/").typed("nothing like it").key("Enter").settle();
    screen.total = 40;
    screen.key("/").typed("nurse").key("Enter").settle().key("r");
    let Some(Dialog::Picker(picker)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
    assert!(picker.items.iter().any(|item| item.left.contains("nurse")));
    assert!(!picker.items.iter().any(|item| item.left.contains("nothing like it")), "{:?}", picker.items);
}

#[test]
fn find_says_which_of_how_many_it_is() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("Ctrl-f").typed("ruth").key("Enter").says("1 of 25");
    screen.key("n").says("2 of 25");
    screen.key("n n N").says("3 of 25");
    screen.key("g g N").says("25 of 25");
    // In an order of our own they are counted as they stand on the screen.
    screen.key("o g g n").says("1 of 37");
}

#[test]
fn an_export_asks_what_and_then_in_which_form() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Space v j e");
    let Some(Dialog::Picker(picker)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
    assert!(picker.items.len() <= 4, "{:?}", picker.items);
    screen.key("/").typed("basket").key("Enter /");
    let Some(Dialog::Picker(picker)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
    assert!(picker.items.iter().any(|item| item.left.contains("hubspot")), "{:?}", picker.items);
    screen.typed("jsonl").key("Enter").says("Export to");
    // Only one thing to export: nothing to ask.
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Space F3 e");
    let Some(Dialog::Picker(picker)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
    assert!(picker.items.iter().any(|item| item.left.contains("hubspot")), "{:?}", picker.items);
}

/// What is said of something that goes on is gone with it.
#[test]
fn a_line_about_a_state_ends_with_the_state() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("v").says("Range:");
    screen.key("Space");
    assert!(!screen.text().contains("Range:"));
    screen.key("v F3");
    assert!(!screen.text().contains("Range:"), "another screen has lines of its own");
    screen.key("q v Esc");
    assert!(!screen.text().contains("Range:"));
    screen.key("Ctrl-c").says("again within 2 s");
    screen.wait(Duration::from_millis(2_100));
    assert!(!screen.text().contains("again within 2 s"));
    screen.plan = common::screen::planned::Plan::Hold;
    screen.key("R").says("Refreshing…");
    screen.release(0);
    assert!(!screen.text().contains("Refreshing…"), "{}", screen.text());
}

#[test]
fn the_footer_of_a_list_to_read_names_what_works_there() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("Enter");
    let footer = screen.text().lines().last().unwrap_or_default().to_owned();
    for dead in ["filter", "search", "recall"] {
        assert!(!footer.contains(dead), "{footer}");
    }
    // A field without suggestions has none to take.
    screen.key("Esc s");
    let footer = screen.text().lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains("save") && !footer.contains("suggestion") && !footer.contains("next"), "{footer}");
    // A review in which nothing is risky has nothing to exclude.
    screen.key("Esc U").settle();
    let footer = screen.text().lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains("unlock") && !footer.contains("risky"), "{footer}");
}

/// A key that does nothing yet stands in no footer, and the keys of the tabs are those of the tabs that are shown.
#[test]
fn an_empty_screen_names_only_keys_that_work() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().says("g go");
    screen.key("F7").says("No jobs yet");
    let footer = screen.text().lines().last().unwrap_or_default().to_owned();
    for dead in ["open", "cancel", "retry", "export"] {
        assert!(!footer.contains(dead), "{footer}");
    }
    screen.key("F8").says("g go");
    screen.says("o open a CSV");
    let footer = screen.text().lines().last().unwrap_or_default().to_owned();
    assert!(footer.contains("o open a list") && !footer.contains("start") && !footer.contains("add"), "{footer}");
}

/// The card says how the email was verified in a word of its own.
#[test]
fn the_status_of_an_email_is_whole_in_the_pane_of_a_contact() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Tab");
    screen.says("● valid");
}

/// Two ids of one person would cost two credits. The person at Oak is owned already, under another id.
#[test]
fn the_review_names_duplicates_and_excludes_them_on_request() {
    let mut screen = TestScreen::new(120, 36);
    screen.may_spend = true;
    // The rows repeat after 8·7·5·6 at the latest; here every second one is the first person.
    screen.row =
        |index, search| made(index, search, "Dana", "Whitfield", "Nurse", ["Elm", "Oak"][(index % 2) as usize]);
    screen.open().key("Space Space Space U").settle();
    screen.says("duplicates");
    let Some(Dialog::Money(money)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
    let quote = money.quote.as_ref().unwrap();
    assert_eq!((quote.duplicates.len(), quote.owned_people, quote.to_unlock.len()), (2, 1, 3));
    screen.painted().wait(Duration::from_millis(300)).key("d");
    let Some(Dialog::Money(money)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
    assert_eq!(money.quote.as_ref().unwrap().to_unlock.len(), 1);
    screen.pay("1").settle();
    assert_eq!(screen.spent.len(), 1);
    assert_eq!(screen.spent[0].ids.len(), 1, "shown is paid");
}

/// Where both services show an address, the difference is what the credit buys.
#[test]
fn the_sandbox_says_what_differs_between_its_services() {
    let mut screen = demo(260, 60);
    screen.key("W").settle().says("nothing is verified");
    let mut live = TestScreen::new(260, 60);
    live.open().key("W").settle();
    assert!(!live.text().contains("nothing is verified"), "nothing is inferred of a service that lode does not know");
}

#[test]
fn the_demo_shows_its_one_profile_calmly() {
    let mut screen = demo(120, 36);
    screen.key("P");
    let listed = Listed { name: "demo".to_owned(), first: true, ..Listed::default() };
    screen.handle(Msg::Managed(ProfileReply::Alone("The demo has one profile.".to_owned(), listed)));
    screen.says("The demo has one profile.");
    screen.says("demo [SANDBOX]  this window");
    assert!(screen.model.messages.last_error.is_none() && !screen.text().contains("add a profile"));
    screen.key("Enter");
    assert!(screen.model.nav.dialogs.is_empty());
}

/// Up to three letters are the beginning of a value that is shown; more are words to look for.
#[test]
fn an_industry_is_picked_by_two_letters() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("f i").typed("ho").key("Enter").settle();
    assert_eq!(industries(&screen), ["Hospital & Health Care"]);
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("f i").typed("hospital").key("Enter").settle();
    assert_eq!(industries(&screen), ["hospital"]);
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("f i").typed("ho").key("Up Enter").settle();
    assert_eq!(industries(&screen), ["ho"], "as typed");
}

fn industries(screen: &TestScreen) -> Vec<String> {
    screen.model.search.grid().draft.values(Filter::Industry).to_vec()
}

/// What another window is unlocking is under way, not uncertain.
#[test]
fn what_another_window_has_under_way_is_not_called_unknown() {
    let mut screen = TestScreen::new(120, 36);
    screen.may_spend = true;
    screen.open().key("Space Space Space U").settle().pay("3").settle();
    let mut summary = screen.model.session.unlock().last().unwrap().clone();
    summary.elsewhere = vec![RowId(2), RowId(3)];
    summary.tally.unknown = 2;
    let words = [summary::line(&summary), summary::ending(&summary).unwrap_or_default()].join(" ");
    assert!(!words.contains("UNKNOWN"), "{words}");
    assert!(words.contains("2 contacts skipped: another window"), "{words}");
}

#[test]
fn what_was_said_about_a_screen_goes_with_the_screen() {
    let mut screen = demo(120, 36);
    screen.open().key("g b").key("U").says("The basket is empty");
    screen.key("g j");
    let text = screen.text();
    assert!(!text.contains("The basket is empty"), "said of another text:\n{text}");
}

#[test]
fn help_names_every_key_of_a_place_in_full_on_a_usual_terminal() {
    for place in ["g s", "g b", "g o", "g j", "g a"] {
        let mut screen = demo(120, 36);
        screen.open().key(place).key("?");
        let text = screen.text();
        let cut: Vec<&str> = text.lines().filter(|line| line.starts_with("││") && line.contains('…')).collect();
        assert!(cut.is_empty(), "after `{place}`:\n{}", cut.join("\n"));
    }
}
