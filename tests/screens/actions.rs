//! What can be done with a row: the menu beside it, and what it leads to outside of lode.

use lode_engine::effect::Effect;
use lode_ui::dialogs::{Dialog, Intent};
use lode_ui::keys::command::{Command, Results};
use lode_ui::msg::MouseWhat;

use crate::select::{mouse, place_of};
use common::world::planned::World;
use common::world::rest::Files;

/// The titles of the menu that is open.
fn actions(world: &World) -> Vec<&str> {
    let list = world.model.nav.top().and_then(Dialog::list).unwrap_or_else(|| panic!("no menu:\n{}", world.screen()));
    list.items.iter().map(|item| item.left.as_str()).collect()
}

/// Row 4 is owned, all others are locked.
#[test]
fn the_menu_lists_what_can_be_done_with_this_row() {
    let mut world = World::new(120, 36);
    world.open().key("z");
    let locked = [
        "Add or remove row", "Unlock this contact", "Open the contact", "Suppress the contact", "Exclude this company",
        "Copy the email", "Copy the row",
    ];
    assert_eq!(actions(&world), locked, "nothing of it is masked, or needs that it is owned");
    world.key("q j j j z");
    let owned = [
        "Open the contact",
        "Tag the contact",
        "Write a note",
        "Suppress the contact",
        "Exclude this company",
        "Copy the email",
        "Copy the row",
        "Open in another program",
        "Write an email",
        "Call",
    ];
    assert_eq!(actions(&world), owned);
    // A key of the table is the letter of its line.
    world.says("m  Write a note");
    world.key("t").says("Words separated by commas");
    // In mask mode nothing private leaves.
    world.key("Esc g m z");
    assert!(!actions(&world).contains(&"Write an email"));
    world.key("q").key(":").typed("write an email").key("Enter").says("This row has no email, or a masked one.");
}

#[test]
fn a_right_click_opens_the_menu_of_that_row_beside_it() {
    let mut world = World::new(120, 36);
    world.open();
    for (name, beside) in [("Elena Sorokina", 1), ("Elena Haddad", -9)] {
        // The card names colleagues too.
        let (x, y) = place_of(&world, &format!("│    {name}"));
        mouse(&mut world, (x + 5, y), MouseWhat::Menu);
        let menu = place_of(&world, &format!("╭ {name}"));
        assert_eq!(i32::from(menu.1) - i32::from(y), beside, "{}", world.screen());
        // A line is taken like in any list.
        let line = place_of(&world, "Exclude this company");
        mouse(&mut world, line, MouseWhat::Press);
        assert_eq!(world.model.nav.dialogs.len(), 1);
        world.key("q");
    }
    world.key("F3 F2 z").key("e").settle().says("Excluded company");
}

/// The basket holds another row; the review is of this one.
#[test]
fn one_contact_is_unlocked_through_the_review() {
    let mut world = World::new(120, 36);
    world.open().key("Space Space z");
    let list = world.model.nav.top().and_then(Dialog::list).unwrap();
    assert!(list.items.iter().any(|item| item.pick == Intent::Command(Command::Results(Results::UnlockRow))));
    world.key("u").settle();
    let Some(Dialog::Money(money)) = world.model.nav.top() else { panic!("{}", world.screen()) };
    let ids: Vec<i64> = money.quote.iter().flat_map(|quote| quote.basis.staged.iter()).map(|row| row.id.0).collect();
    assert_eq!(ids, [3]);
}

#[test]
fn a_row_leads_outside_and_a_masked_one_does_not() {
    let mut world = World::new(120, 36);
    world.files = Some(Files::default());
    world.open().key("g x").says("Nothing to open");
    world.key("j j j g x").says("Phone");
    world.key("e").settle().says("There is no browser here. Copied mailto:t.person@");
    let copied = world.done.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(copied, Some("mailto:t.person@quailrunhospital.example"));
    world.key("g x p").settle();
    assert_eq!(world.done.last(), Some(&Effect::Copy("tel:5125550142".to_owned())));
}
