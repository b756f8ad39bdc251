//! What can be done with a row: the menu beside it, and what it leads to outside of lode.

use lode_engine::effect::Effect;
use lode_ui::dialogs::{Dialog, Intent};
use lode_ui::keys::command::{Command, Results};
use lode_ui::msg::MouseWhat;

use crate::select::{mouse, place_of};
use common::screen::planned::TestScreen;
use common::screen::rest::Files;

/// The titles of the menu that is open.
fn actions(screen: &TestScreen) -> Vec<&str> {
    let list = screen.model.nav.top().and_then(Dialog::list).unwrap_or_else(|| panic!("no menu:\n{}", screen.text()));
    list.items.iter().map(|item| item.left.as_str()).collect()
}

/// Row 4 is owned, all others are locked.
#[test]
fn the_menu_lists_what_can_be_done_with_this_row() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("z");
    let locked = [
        "Add or remove row", "Unlock this contact", "Open the contact", "Suppress the contact", "Exclude this company",
        "Copy the email", "Copy the row",
    ];
    assert_eq!(actions(&screen), locked, "nothing of it is masked, or needs that it is owned");
    screen.key("q j j j z");
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
    assert_eq!(actions(&screen), owned);
    // A key of the table is the letter of its line.
    screen.says("m  Write a note");
    screen.key("t").says("Words separated by commas");
    // In mask mode nothing private leaves.
    screen.key("Esc g m z");
    assert!(!actions(&screen).contains(&"Write an email"));
    screen.key("q").key(":").typed("write an email").key("Enter").says("This row has no email, or a masked one.");
}

#[test]
fn a_right_click_opens_the_menu_of_that_row_beside_it() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    for (name, beside) in [("Elena Sorokina", 1), ("Elena Haddad", -9)] {
        // The card names colleagues too.
        let (x, y) = place_of(&screen, &format!("│    {name}"));
        mouse(&mut screen, (x + 5, y), MouseWhat::Menu);
        let menu = place_of(&screen, &format!("╭ {name}"));
        assert_eq!(i32::from(menu.1) - i32::from(y), beside, "{}", screen.text());
        // A line is taken like in any list.
        let line = place_of(&screen, "Exclude this company");
        mouse(&mut screen, line, MouseWhat::Press);
        assert_eq!(screen.model.nav.dialogs.len(), 1);
        screen.key("q");
    }
    screen.key("F3 F2 z").key("e").settle().says("Excluded company");
}

/// The basket holds another row; the review is of this one.
#[test]
fn one_contact_is_unlocked_through_the_review() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Space Space z");
    let list = screen.model.nav.top().and_then(Dialog::list).unwrap();
    assert!(list.items.iter().any(|item| item.pick == Intent::Command(Command::Results(Results::UnlockRow))));
    screen.key("u").settle();
    let Some(Dialog::Money(money)) = screen.model.nav.top() else { panic!("{}", screen.text()) };
    let ids: Vec<i64> = money.quote.iter().flat_map(|quote| quote.basis.staged.iter()).map(|row| row.id.0).collect();
    assert_eq!(ids, [3]);
}

#[test]
fn a_row_leads_outside_and_a_masked_one_does_not() {
    let mut screen = TestScreen::new(120, 36);
    screen.files = Some(Files::default());
    screen.open().key("g x").says("Nothing to open");
    screen.key("j j j g x").says("Phone");
    screen.key("e").settle().says("No browser here. Copied mailto:t.person@");
    let copied = screen.done.iter().find_map(|effect| match effect {
        Effect::Copy(text) => Some(text.as_str()),
        _ => None,
    });
    assert_eq!(copied, Some("mailto:t.person@quailrunhospital.example"));
    screen.key("g x p").settle();
    assert_eq!(screen.done.last(), Some(&Effect::Copy("tel:5125550142".to_owned())));
}
