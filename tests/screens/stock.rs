//! Basket, Owned, receipts and suppression lists: what is here, and that none of it spends.

use std::time::Duration;

use lode_engine::effect::files::{FileCall, FileReply};
use lode_engine::effect::{Answer, Effect};
use lode_ui::msg::Msg;
use lode_ui::update::update;

use crate::pictures::scene;
use common::sandbox_engine;
use common::screen::planned::TestScreen;
use common::screen::sandboxed;

const MOMENT: Duration = Duration::from_millis(10);

/// Six rows of which one is owned, one risky; the domain of one is suppressed by hand.
fn mixed(screen: &mut TestScreen) {
    screen.open().key("Space Space Space Space Space Space x Down").settle();
    screen.key("Down Enter").settle();
    screen.key("F3").wait(MOMENT);
}

/// Ten contacts bought.
fn bought(screen: &mut TestScreen) {
    screen.open();
    screen.may_spend = true;
    screen.key("Space Space Space j Space Space Space").settle();
    screen.key("U").wait(MOMENT).pay("6").settle();
    screen.key("Esc").settle();
}

fn side(screen: &TestScreen) -> &lode_engine::flow::session::SideState {
    screen.model.session.side(screen.model.search.side)
}

#[test]
fn the_basket() {
    scene("basket", mixed);
}

#[test]
fn an_empty_basket() {
    scene("basket-empty", |screen| {
        screen.open().key("F3").wait(MOMENT);
    });
}

#[test]
fn owned() {
    scene("owned", |screen| {
        bought(screen);
        screen.key("F4 j t").typed("q4, west").key("Enter m").typed("call in May").key("Enter").wait(MOMENT);
    });
}

#[test]
fn an_owned_contact() {
    scene("owned-contact", |screen| {
        bought(screen);
        screen.key("F4").settle().key("Enter");
    });
}

#[test]
fn a_contact_is_the_same_card_on_each_screen_and_once_more_its_raw_fields() {
    let mut screen = TestScreen::new(120, 36);
    bought(&mut screen);
    screen.key("Space").settle();
    for (key, title, of_screen) in
        [("F3", "Contact 1 of 1 ", "As found when it was added."), ("F4", "Contact 1 of 19", "receipt")]
    {
        screen.key(key).settle().key("Enter").says(title);
        screen.says("☎ (512) ");
        screen.says(of_screen);
        let is_raw = |screen: &mut TestScreen| {
            screen.text().contains("contact_name  ") || screen.text().contains("first_name  ")
        };
        assert!(!is_raw(&mut screen), "{}", screen.text());
        screen.key("Enter").says("Raw fields of contact 1 of ");
        assert!(is_raw(&mut screen), "{}", screen.text());
        screen.key("Enter").says(title);
    }
    screen.key("j").says("Contact 2 of 19");
    screen.says("✉ person2@clinic.example  ● valid");
    // With the last row of the basket its card goes.
    screen.key("F3 Enter Space").settle().says("The basket is empty");
    assert!(screen.model.nav.dialogs.is_empty());
}

/// A long address took a third line and a long industry a second one: all below them moved with the cursor.
#[test]
fn from_contact_to_contact_the_lines_of_the_card_stay_where_they_are() {
    let mut screen = sandboxed::TestScreen::sized(sandbox_engine::small(|_| {}), 160, 48, false);
    let mut longest = 0;
    for _ in 0..40 {
        let text = screen.text();
        let card: Vec<&str> = text.lines().map(|line| line.rsplit('│').nth(1).unwrap_or("").trim()).collect();
        let email = card.iter().position(|line| line.starts_with('✉')).unwrap();
        longest = longest.max(card[email].chars().count() + card[email + 1].chars().count());
        let button = card.iter().position(|line| line.starts_with("U  Unlock")).unwrap();
        assert_eq!(button - email, 5, "{:#?}", &card[..button]);
        screen.key("j").settle();
    }
    assert!(longest > 50, "an address of two lines was among them: {longest}");
}

/// It said `never unlocked`, and offered it for a credit.
#[test]
fn what_a_list_names_is_offered_for_no_credit() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().says("Unlock for 1 credit");
    screen.key("x Down Enter").settle();
    screen.says("Suppressed: never unlocked");
    assert!(!screen.text().contains("1 credit "), "{}", screen.text());
}

#[test]
fn receipts() {
    scene("receipts", |screen| {
        bought(screen);
        screen.key("g r").wait(MOMENT);
    });
}

#[test]
fn suppression_lists() {
    scene("lists", |screen| {
        mixed(screen);
        screen.key("S");
    });
}

#[test]
fn space_takes_out_and_u_brings_back() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("Space Space Space").settle().key("F3 j Space").settle();
    screen.says("Removed Priya Raman. Basket: 2. Nothing spent.  u undo");
    assert_eq!(side(&screen).basket.len(), 2);
    screen.key("u").settle();
    assert_eq!(side(&screen).basket.len(), 3);
    screen.key("X").settle();
    assert!(side(&screen).basket.is_empty());
    screen.says("The basket is empty");
    screen.key("u").settle();
    assert_eq!(side(&screen).basket.len(), 3);
}

#[test]
fn a_basket_is_reviewed_from_its_own_screen() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("Space Space").settle().key("F3 U").wait(MOMENT);
    screen.says("Maximum cost");
}

#[test]
fn a_list_from_a_file_keeps_its_people_out_of_the_review() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("Space Space Space").settle().key("F3 S Enter").typed("dnc.csv");
    // The file is read by the shell: here its text is handed over.
    let enter = lode_ui::keys::chord::Chord::plain(crossterm::event::KeyCode::Enter);
    let (effects, _) = update(&mut screen.model, Msg::Key(enter), screen.now);
    let ticket = effects.iter().find_map(|effect| match effect {
        Effect::File(ticket, FileCall::ReadList(path)) if path.ends_with("dnc.csv") => Some(*ticket),
        _ => None,
    });
    let text = "mail\nsomebody@elsewhere.example\n@lakesideregional.example\n".to_owned();
    screen.handle(Msg::Answered(Answer::Filed(ticket.expect("the file is asked for"), Ok(FileReply::Text(text)))));
    screen.settle();
    screen.key("S").says("dnc.csv");
    screen.says("1 email, 1 domain");
    screen.key("Esc U").wait(MOMENT);
    screen.says("dnc.csv  s lists");
    screen.says(" 2 ready");
    screen.painted().wait(Duration::from_millis(300)).key("s").says("Dana Whitfield (1)");
}

#[test]
fn forgetting_asks_and_leaves_the_receipt() {
    let mut screen = TestScreen::new(160, 48);
    bought(&mut screen);
    let bought =
        |screen: &TestScreen| screen.model.session.ledger.owned().filter(|owned| owned.order.is_some()).count();
    screen.key("F4").settle();
    assert_eq!(bought(&screen), 6);
    screen.key("D Enter").settle();
    assert_eq!(bought(&screen), 6, "the first answer changes nothing");
    screen.key("D j Enter").settle();
    assert_eq!(bought(&screen), 5);
    screen.key("g r").settle().says("6 requested, 6 charged");
}

#[test]
fn find_narrows_what_is_owned() {
    let mut screen = TestScreen::new(160, 48);
    bought(&mut screen);
    screen.key("F4 /").typed("person2@").key("Enter").settle();
    screen.says("1 with “person2@”");
    screen.key("/ Ctrl-u Enter").settle();
    screen.says("Person 1");
}

/// A page of a hundred has six contacts that the service shows as owned.
#[test]
fn what_a_search_shows_as_owned_is_owned_with_tags_and_without_a_receipt() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("F4").settle();
    let seen = screen.model.session.ledger.owned_count();
    assert!(seen >= 6, "{seen}");
    screen.says(&format!("Owned {seen}"));
    screen.says("not bought by lode");
    screen.key("t").typed("q4").key("Enter m").typed("call in May").key("Enter").settle();
    screen.says("note call in May");
    screen.key("g r").settle().says("Receipts");
    screen.key("Esc D j Enter").settle();
    assert_eq!(screen.model.session.ledger.owned_count(), seen - 1);
    // As the question says: a search brings it back.
    screen.key("g s R").settle();
    assert_eq!(screen.model.session.ledger.owned_count(), seen);
    let ledger = &screen.model.session.ledger;
    assert!(ledger.owned().all(|owned| owned.row.as_ref().is_some_and(|row| row.named("city") == Some("Austin"))));
    // On a new window they are there from the beginning.
    let mut again = TestScreen::new(160, 48);
    again.store = screen.store_of_another();
    again.open();
    assert_eq!(again.model.session.ledger.owned_count(), seen);
}

#[test]
fn the_review_covers_the_basket_as_stored_whatever_this_window_knew() {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let mut other = TestScreen::new(160, 48);
    other.store = screen.store_of_another();
    other.open().key("Space Space Space").settle();
    assert!(side(&screen).basket.is_empty(), "this window was not told");
    screen.key("j j j j U").settle();
    screen.says(" 3 ready");
    screen.key("Esc").settle();
    assert_eq!(side(&screen).basket.len(), 3);
}

#[test]
fn what_another_window_does_is_shown_when_the_system_tells() {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let mut other = TestScreen::new(160, 48);
    other.store = screen.store_of_another();
    bought(&mut other);
    other.key("Space Space").settle();
    let seen = screen.model.session.ledger.owned_count();
    screen.handle(Msg::Elsewhere(lode_engine::flow::session::ChangedElsewhere::ALL));
    screen.settle();
    assert_eq!(screen.model.session.ledger.owned_count(), seen + 6);
    assert_eq!(side(&screen).basket.len(), 2);
    // The balance is the one that the other window heard, and the rows are filled in where they stand.
    screen.says("1,199 credits");
    let row = side(&screen).row(lode_core::contact::RowId(1)).unwrap();
    assert_eq!(row.email(), "person1@clinic.example");
}

/// Found in review: with a key of the Data API alone the first change was only taken as the state of things.
#[test]
fn the_first_change_elsewhere_is_shown_whatever_keys_there_are() {
    fn open(screen: &mut TestScreen) -> &mut TestScreen {
        let alone = lode_engine::effect::profile::Profile { workspace: None, ..common::screen::planned::profile() };
        screen.handle(Msg::Opened(Ok(Box::new(alone))));
        screen.settle()
    }
    let mut screen = TestScreen::new(160, 48);
    open(&mut screen);
    let mut other = TestScreen::new(160, 48);
    other.store = screen.store_of_another();
    open(&mut other).key("/ n u r s e Enter").settle().key("Space Space").settle();
    assert_eq!((side(&screen).basket.len(), side(&other).basket.len()), (0, 2));
    screen.handle(Msg::Elsewhere(lode_engine::flow::session::ChangedElsewhere::ALL));
    screen.settle();
    assert_eq!(side(&screen).basket.len(), 2);
}

#[test]
fn a_file_that_is_there_is_replaced_only_after_a_question() {
    let mut screen = TestScreen::new(160, 48);
    screen.files = Some(common::screen::rest::Files::default());
    bought(&mut screen);
    let written = |screen: &TestScreen| screen.model.session.exports.jobs().count();
    screen.key("F4 e Enter").settle().typed("there.csv").key("Enter").settle();
    screen.says("there.csv already exists");
    assert_eq!(written(&screen), 0);
    screen.key("Enter").settle();
    assert_eq!(written(&screen), 0, "the first answer changes nothing");
    screen.key("e Enter").settle().typed("there.csv").key("Enter").settle().key("j Enter").settle();
    assert_eq!(written(&screen), 1);
    screen.key("Esc e Enter").settle().typed("free.csv").key("Enter").settle();
    assert_eq!(written(&screen), 2, "a free name needs no question");
}

#[test]
fn mask_mode_reaches_copies_is_remembered_and_stands_in_the_header() {
    let mut screen = TestScreen::new(160, 48);
    bought(&mut screen);
    screen.key("g m F4 y e").settle().says("MASKED");
    screen.key("y p y r y j").settle();
    let copied: Vec<&str> = screen
        .done
        .iter()
        .filter_map(|effect| match effect {
            Effect::Copy(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(copied.len(), 4);
    for text in copied {
        assert!(text.contains("•••") && !text.contains("person1@") && !text.contains("5125550142"), "{text}");
    }
    let mut again = TestScreen::new(160, 48);
    again.store = screen.store_of_another();
    again.open().settle();
    again.says("MASKED");
    again.key("g m").settle();
    assert!(!again.text().contains("MASKED"));
}

#[test]
fn the_copied_command_is_that_of_the_screen() {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    for (keys, line) in [
        ("F4 y c", "lode owned"),
        ("/ n u r s e Enter y c", "lode owned --find nurse"),
        ("F7 y c", "lode receipts"),
        ("F3 y c", "lode basket --source workspace --corpus us"),
        ("F2 y c", "lode search --source workspace --corpus us"),
    ] {
        screen.key(keys).settle();
        assert_eq!(screen.done.last(), Some(&Effect::Copy(line.to_owned())), "{keys}");
    }
}

#[test]
fn the_last_error_is_told_in_full() {
    use lode_engine::effect::failure::{Failure, Refusal};
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let words = "the index is being rebuilt".to_owned();
    screen.plan = common::screen::planned::Plan::Fail(Failure::Refused { status: 418, why: Refusal::Request, words });
    screen.key("R").settle();
    screen.plan = common::screen::planned::Plan::Answer;
    screen.key("g e");
    for told in ["GET /search", "418", "the index is being rebuilt", "when", "corpus"] {
        screen.says(told);
    }
    screen.key("Esc i");
    for told in ["Last request", "status", "418"] {
        screen.says(told);
    }
}
