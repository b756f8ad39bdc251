//! The one list of the dialogs: short ones take letters, long ones are filtered by what is typed, several lines can be marked.

use lode_core::filter::Filter;
use lode_engine::effect::call::Call;
use lode_ui::dialogs::profiles::Profiles;
use lode_ui::dialogs::{Dialog, ExportSubject, Intent};
use lode_ui::msg::MouseWhat;

use crate::select::{mouse, place_of};
use common::brain;
use common::world::planned::World;
use common::world::sandboxed;

/// The text of the line under the cursor.
fn here(world: &World) -> &str {
    let list = world.model.nav.top().and_then(Dialog::list).unwrap_or_else(|| panic!("no list:\n{}", world.screen()));
    &list.items[list.place()].left
}

fn states(world: &World) -> Vec<&str> {
    world.model.search.seat().draft.values(Filter::State).iter().map(String::as_str).collect()
}

#[test]
fn short_lists_take_letters_and_move_with_j_and_k() {
    let mut world = World::new(120, 36);
    world.open();
    // A menu, a question, a choice, a wizard: each opened, moved in, and left or answered by a letter.
    for (open, second, letter) in
        [("f", "Industry", "q"), ("x", "Suppress Dana Whitfield", "n"), ("E", "word in company", "q")]
    {
        world.key(open);
        let first = here(&world).to_owned();
        world.key("j");
        assert!(here(&world).starts_with(second), "{open}: {}", here(&world));
        world.key("k");
        assert_eq!(here(&world), first);
        world.key(letter);
        assert!(world.model.nav.dialogs.is_empty(), "{open}:\n{}", world.screen());
    }
    world.key("f t").says("⌕ Title");
    world.key("Esc Space v j e");
    let list = world.model.nav.top().and_then(Dialog::list).unwrap();
    assert_eq!(list.items.last().map(|item| &item.pick), Some(&Intent::ExportOf(ExportSubject::Basket)));
    world.key("b").says("Export as");
    world.key("q").model.nav.dialogs.push(Dialog::Profiles(Box::new(Profiles::welcome())));
    world.says("t  Try the demo");
    world.key("j Enter d").says("Add a Data API key");
}

#[test]
fn a_long_list_is_filtered_by_what_is_typed_and_a_short_one_after_a_slash() {
    let mut world = World::new(120, 36);
    world.open().key("f s").typed("jersey");
    assert_eq!(here(&world), "NJ  New Jersey");
    world.key("Esc f /").typed("indus");
    assert_eq!(here(&world), "Industry");
    world.key("Esc d").typed("phone");
    assert!(world.screen().contains("Columns of Workspace · US · "), "{}", world.screen());
    assert_eq!(here(&world), "Phone");
    let shown = |world: &World| world.model.search.seat().columns.iter().filter(|column| column.shown).count();
    let before = shown(&world);
    world.key("Space");
    assert_eq!(shown(&world), before - 1);
}

#[test]
fn several_values_are_marked_and_marks_survive_a_filter() {
    let mut world = World::new(120, 36);
    world.open().key("f s").typed("tx").key("Space").says("State · 1 of 51");
    world.key("Ctrl-u").typed("oklah").key("Space Enter Enter").settle();
    assert_eq!(states(&world), ["OK", "TX"], "in the order of the list");
    // The second Enter agrees to a search that scans the corpus. What is set is marked when the list opens again; unless a mark
    // changes, Enter takes the line under the cursor.
    world.key("f s").says("State · 2 of 51");
    world.typed("ohio").key("Enter Enter").settle();
    assert_eq!(states(&world), ["OH"]);
    world.key("f s").typed("ohio").key("Space Enter").settle();
    assert!(states(&world).is_empty(), "no value is marked any more");
    // A short list: letters pick, Space marks.
    world.key("f d j Space j Space Enter Enter").settle();
    let kinds = world.model.search.seat().draft.values(Filter::EmailDomainType);
    assert_eq!(kinds, ["corporate", "edu"]);
}

#[test]
fn values_show_the_counts_that_are_known_and_none_are_asked_for() {
    let mut world = sandboxed::World::sized(brain::small(|_| ()), 120, 36, true);
    let texas = |world: &mut sandboxed::World| {
        world.key("f s").typed("texas");
        let line = world.screen().lines().find(|line| line.contains("TX  Texas")).unwrap().to_owned();
        world.key("Esc");
        line.chars().any(|c| c.is_ascii_digit())
    };
    assert!(!texas(&mut world), "{}", world.screen());
    assert!(!world.sent.iter().any(|call| matches!(call, Call::Counts(_))));
    world.key("g c").settle().key("g s");
    assert!(texas(&mut world), "{}", world.screen());
}

#[test]
fn a_click_stands_on_a_line_and_a_second_one_takes_it() {
    let mut world = World::new(120, 36);
    world.open().key("f");
    let at = place_of(&world, "State");
    mouse(&mut world, at, MouseWhat::Press);
    assert_eq!(here(&world), "State");
    mouse(&mut world, at, MouseWhat::WheelUp);
    assert_eq!(here(&world), "Industry");
    mouse(&mut world, at, MouseWhat::Press);
    mouse(&mut world, at, MouseWhat::Double);
    world.says("State · 51");
    mouse(&mut world, at, MouseWhat::WheelDown);
    assert_ne!(here(&world), "(any)");
}
