//! Fields that open with words in them: the first letter replaces what is only offered, and moving in it keeps it.

use lode_ui::dialogs::Dialog;

use common::world::planned::World;

fn world() -> World {
    let mut world = World::new(120, 36);
    world.open();
    world
}

/// What stands in the field of the question that is open.
fn asked(world: &World) -> String {
    match world.model.nav.dialogs.last() {
        Some(Dialog::Ask(form)) => form.value().to_owned(),
        other => panic!("{other:?} is no question"),
    }
}

fn title(world: &World) -> String {
    world.model.search.edit.as_ref().expect("the field is open").input.value().to_owned()
}

#[test]
fn a_second_search_replaces_the_first_unless_one_moves_in_it() {
    let mut world = world();
    world.key("/").typed("nurse").key("Enter").settle();
    world.key("/");
    assert_eq!(title(&world), "nurse");
    world.typed("sur");
    assert_eq!(title(&world), "sur");
    world.typed("geon");
    assert_eq!(title(&world), "surgeon");
    world.key("Esc").key("/ End").typed(" manager");
    assert_eq!(title(&world), "nurse manager");
    world.key("Esc").key("/ Backspace");
    assert_eq!(title(&world), "nurs");
    // Nothing typed: the search stays what it was.
    world.key("Esc").key("/ Enter").settle();
    world.says("title nurse");
}

#[test]
fn a_filter_that_is_edited_in_its_pane_keeps_its_words() {
    let mut world = world();
    world.key("/").typed("nurse").key("Enter").settle();
    world.key("Shift-Tab Enter").typed("s");
    assert_eq!(title(&world), "nurses");
}

#[test]
fn a_paste_replaces_the_offer_as_a_letter_does() {
    let mut world = world();
    world.key("/").typed("nurse").key("Enter").settle();
    world.key("/").tell(lode_ui::msg::Msg::Paste("surgeon".to_owned()));
    assert_eq!(title(&world), "surgeon");
}

#[test]
fn the_words_found_before_and_the_name_of_a_search_are_offers() {
    let mut world = world();
    world.key("Ctrl-f").typed("ruth").key("Enter").key("Ctrl-f");
    assert_eq!(asked(&world), "ruth");
    world.typed("x");
    assert_eq!(asked(&world), "x");
    world.key("Esc Ctrl-f Left").typed("x");
    assert_eq!(asked(&world), "rutxh");
    world.key("Esc").key("/").typed("nurse").key("Enter").settle();
    world.key("s");
    assert_eq!(asked(&world), "nurse");
    world.typed("mine");
    assert_eq!(asked(&world), "mine");
}
