//! Basket, Owned, receipts and suppression lists: what is here, and that none of it spends.

use std::time::Duration;

use lode_engine::effect::files::{FileCall, FileReply};
use lode_engine::effect::{Answer, Effect};
use lode_ui::msg::Msg;
use lode_ui::update::update;

use crate::pictures::scene;
use common::world::planned::World;

const MOMENT: Duration = Duration::from_millis(10);

/// Six rows of which one is owned, one risky; the domain of one is suppressed by hand.
fn mixed(world: &mut World) {
    world.open().key("Space Space Space Space Space Space x Down").settle();
    world.key("Down Enter").settle();
    world.key("F3").wait(MOMENT);
}

/// Ten contacts bought.
fn bought(world: &mut World) {
    world.open();
    world.may_spend = true;
    world.key("Space Space Space j Space Space Space").settle();
    world.key("U").wait(MOMENT).pay("6").settle();
    world.key("Esc").settle();
}

fn side(world: &World) -> &lode_engine::flow::session::SideState {
    world.model.session.side(world.model.search.side)
}

#[test]
fn the_basket() {
    scene("basket", mixed);
}

#[test]
fn an_empty_basket() {
    scene("basket-empty", |world| {
        world.open().key("F3").wait(MOMENT);
    });
}

#[test]
fn owned() {
    scene("owned", |world| {
        bought(world);
        world.key("F4 j t").typed("q4, west").key("Enter m").typed("call in May").key("Enter").wait(MOMENT);
    });
}

#[test]
fn an_owned_contact() {
    scene("owned-contact", |world| {
        bought(world);
        world.key("F4").settle().key("Enter");
    });
}

#[test]
fn a_contact_is_the_same_card_on_each_screen_and_once_more_its_raw_fields() {
    let mut world = World::new(120, 36);
    bought(&mut world);
    world.key("Space").settle();
    for (screen, title, of_screen) in
        [("F3", "Contact 1 of 1 ", "As found when it was added."), ("F4", "Contact 1 of 19", "receipt")]
    {
        world.key(screen).settle().key("Enter").says(title);
        world.says("☎ (512) ");
        world.says(of_screen);
        let is_raw =
            |world: &mut World| world.screen().contains("contact_name  ") || world.screen().contains("first_name  ");
        assert!(!is_raw(&mut world), "{}", world.screen());
        world.key("Enter").says("Raw fields of contact 1 of ");
        assert!(is_raw(&mut world), "{}", world.screen());
        world.key("Enter").says(title);
    }
    world.key("j").says("Contact 2 of 19");
    world.says("✉ person2@clinic.example  ● valid");
    // With the last row of the basket its card goes.
    world.key("F3 Enter Space").settle().says("The basket is empty");
    assert!(world.model.nav.dialogs.is_empty());
}

/// It said `never unlocked`, and offered it for a credit.
#[test]
fn what_a_list_names_is_offered_for_no_credit() {
    let mut world = World::new(120, 36);
    world.open().says("Unlock for 1 credit");
    world.key("x Down Enter").settle();
    world.says("Suppressed: never unlocked");
    assert!(!world.screen().contains("1 credit "), "{}", world.screen());
}

#[test]
fn receipts() {
    scene("receipts", |world| {
        bought(world);
        world.key("g r").wait(MOMENT);
    });
}

#[test]
fn suppression_lists() {
    scene("lists", |world| {
        mixed(world);
        world.key("S");
    });
}

#[test]
fn space_takes_out_and_u_brings_back() {
    let mut world = World::new(160, 48);
    world.open().key("Space Space Space").settle().key("F3 j Space").settle();
    world.says("Removed Priya Raman from the basket (2). Nothing spent.  u undo");
    assert_eq!(side(&world).basket.len(), 2);
    world.key("u").settle();
    assert_eq!(side(&world).basket.len(), 3);
    world.key("X").settle();
    assert!(side(&world).basket.is_empty());
    world.says("The basket is empty");
    world.key("u").settle();
    assert_eq!(side(&world).basket.len(), 3);
}

#[test]
fn a_basket_is_reviewed_from_its_own_screen() {
    let mut world = World::new(160, 48);
    world.open().key("Space Space").settle().key("F3 U").wait(MOMENT);
    world.says("Maximum cost");
}

#[test]
fn a_list_from_a_file_keeps_its_people_out_of_the_review() {
    let mut world = World::new(160, 48);
    world.open().key("Space Space Space").settle().key("F3 S Enter").typed("dnc.csv");
    // The file is read by the shell: here its text is handed over.
    let enter = lode_ui::keys::chord::Chord::plain(crossterm::event::KeyCode::Enter);
    let (effects, _) = update(&mut world.model, Msg::Key(enter), world.now);
    let ticket = effects.iter().find_map(|effect| match effect {
        Effect::File(ticket, FileCall::ReadList(path)) if path.ends_with("dnc.csv") => Some(*ticket),
        _ => None,
    });
    let text = "mail\nsomebody@elsewhere.example\n@lakesideregional.example\n".to_owned();
    world.tell(Msg::Answered(Answer::Filed(ticket.expect("the file is asked for"), Ok(FileReply::Text(text)))));
    world.settle();
    world.key("S").says("dnc.csv");
    world.says("1 email, 1 domain");
    world.key("Esc U").wait(MOMENT);
    world.says("dnc.csv  s lists");
    world.says(" 2 ready");
    world.painted().wait(Duration::from_millis(300)).key("s").says("Dana Whitfield (1)");
}

#[test]
fn forgetting_asks_and_leaves_the_receipt() {
    let mut world = World::new(160, 48);
    bought(&mut world);
    let bought = |world: &World| world.model.session.ledger.owned().filter(|owned| owned.order.is_some()).count();
    world.key("F4").settle();
    assert_eq!(bought(&world), 6);
    world.key("D Enter").settle();
    assert_eq!(bought(&world), 6, "the first answer changes nothing");
    world.key("D j Enter").settle();
    assert_eq!(bought(&world), 5);
    world.key("g r").settle().says("6 requested, 6 charged");
}

#[test]
fn find_narrows_what_is_owned() {
    let mut world = World::new(160, 48);
    bought(&mut world);
    world.key("F4 /").typed("person2@").key("Enter").settle();
    world.says("1 with “person2@”");
    world.key("/ Ctrl-u Enter").settle();
    world.says("Person 1");
}

/// A page of a hundred has six contacts that the service shows as owned.
#[test]
fn what_a_search_shows_as_owned_is_owned_with_tags_and_without_a_receipt() {
    let mut world = World::new(160, 48);
    world.open().key("F4").settle();
    let seen = world.model.session.ledger.owned_count();
    assert!(seen >= 6, "{seen}");
    world.says(&format!("Owned {seen}"));
    world.says("not bought by lode");
    world.key("t").typed("q4").key("Enter m").typed("call in May").key("Enter").settle();
    world.says("note call in May");
    world.key("g r").settle().says("Receipts");
    world.key("Esc D j Enter").settle();
    assert_eq!(world.model.session.ledger.owned_count(), seen - 1);
    // As the question says: a search brings it back.
    world.key("g s R").settle();
    assert_eq!(world.model.session.ledger.owned_count(), seen);
    let ledger = &world.model.session.ledger;
    assert!(ledger.owned().all(|owned| owned.row.as_ref().is_some_and(|row| row.named("city") == Some("Austin"))));
    // On a new window they are there from the beginning.
    let mut again = World::new(160, 48);
    again.store = world.store_of_another();
    again.open();
    assert_eq!(again.model.session.ledger.owned_count(), seen);
}

#[test]
fn the_review_covers_the_basket_as_stored_whatever_this_window_knew() {
    let mut world = World::new(160, 48);
    world.open();
    let mut other = World::new(160, 48);
    other.store = world.store_of_another();
    other.open().key("Space Space Space").settle();
    assert!(side(&world).basket.is_empty(), "this window was not told");
    world.key("j j j j U").settle();
    world.says(" 3 ready");
    world.key("Esc").settle();
    assert_eq!(side(&world).basket.len(), 3);
}

#[test]
fn what_another_window_does_is_shown_when_the_system_tells() {
    let mut world = World::new(160, 48);
    world.open();
    let mut other = World::new(160, 48);
    other.store = world.store_of_another();
    bought(&mut other);
    other.key("Space Space").settle();
    let seen = world.model.session.ledger.owned_count();
    world.tell(Msg::Elsewhere(lode_engine::flow::session::ChangedElsewhere::ALL));
    world.settle();
    assert_eq!(world.model.session.ledger.owned_count(), seen + 6);
    assert_eq!(side(&world).basket.len(), 2);
    // The balance is the one that the other window heard, and the rows are filled in where they stand.
    world.says("1,199 credits");
    let row = side(&world).row(lode_core::contact::RowId(1)).unwrap();
    assert_eq!(row.email(), "person1@clinic.example");
}

/// Found in review: with a key of the Data API alone the first change was only taken as the state of things.
#[test]
fn the_first_change_elsewhere_is_shown_whatever_keys_there_are() {
    fn open(world: &mut World) -> &mut World {
        let alone = lode_engine::effect::profile::Profile { workspace: None, ..common::world::planned::profile() };
        world.tell(Msg::Opened(Ok(Box::new(alone))));
        world.settle()
    }
    let mut world = World::new(160, 48);
    open(&mut world);
    let mut other = World::new(160, 48);
    other.store = world.store_of_another();
    open(&mut other).key("/ n u r s e Enter").settle().key("Space Space").settle();
    assert_eq!((side(&world).basket.len(), side(&other).basket.len()), (0, 2));
    world.tell(Msg::Elsewhere(lode_engine::flow::session::ChangedElsewhere::ALL));
    world.settle();
    assert_eq!(side(&world).basket.len(), 2);
}

#[test]
fn a_file_that_is_there_is_replaced_only_after_a_question() {
    let mut world = World::new(160, 48);
    world.files = Some(common::world::rest::Files::default());
    bought(&mut world);
    let written = |world: &World| world.model.session.exports.jobs().count();
    world.key("F4 e Enter").settle().typed("there.csv").key("Enter").settle();
    world.says("there.csv already exists");
    assert_eq!(written(&world), 0);
    world.key("Enter").settle();
    assert_eq!(written(&world), 0, "the first answer changes nothing");
    world.key("e Enter").settle().typed("there.csv").key("Enter").settle().key("j Enter").settle();
    assert_eq!(written(&world), 1);
    world.key("Esc e Enter").settle().typed("free.csv").key("Enter").settle();
    assert_eq!(written(&world), 2, "a free name needs no question");
}

#[test]
fn mask_mode_reaches_copies_is_remembered_and_stands_in_the_header() {
    let mut world = World::new(160, 48);
    bought(&mut world);
    world.key("g m F4 y e").settle().says("MASKED");
    world.key("y p y r y j").settle();
    let copied: Vec<&str> = world
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
    let mut again = World::new(160, 48);
    again.store = world.store_of_another();
    again.open().settle();
    again.says("MASKED");
    again.key("g m").settle();
    assert!(!again.screen().contains("MASKED"));
}

#[test]
fn the_copied_command_is_that_of_the_screen() {
    let mut world = World::new(160, 48);
    world.open();
    for (keys, line) in [
        ("F4 y c", "lode owned"),
        ("/ n u r s e Enter y c", "lode owned --find nurse"),
        ("F7 y c", "lode receipts"),
        ("F3 y c", "lode basket --source workspace --corpus us"),
        ("F2 y c", "lode search --source workspace --corpus us"),
    ] {
        world.key(keys).settle();
        assert_eq!(world.done.last(), Some(&Effect::Copy(line.to_owned())), "{keys}");
    }
}

#[test]
fn the_last_error_is_told_in_full() {
    use lode_engine::effect::failure::{Failure, Refusal};
    let mut world = World::new(160, 48);
    world.open();
    let words = "the index is being rebuilt".to_owned();
    world.plan = common::world::planned::Plan::Fail(Failure::Refused { status: 418, why: Refusal::Request, words });
    world.key("R").settle();
    world.plan = common::world::planned::Plan::Answer;
    world.key("g e");
    for told in ["GET /search", "418", "the index is being rebuilt", "when", "corpus"] {
        world.says(told);
    }
    world.key("Esc i");
    for told in ["Last request", "status", "418"] {
        world.says(told);
    }
}
