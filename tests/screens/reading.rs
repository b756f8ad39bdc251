//! Dialogs that are only read: their end is an end, from which every key leads back.

use common::screen::planned::TestScreen;

fn scrolled(open: &str, keys: &[&str]) -> Vec<String> {
    let mut screen = TestScreen::new(60, 12);
    screen.open().key(open).settle();
    let first = screen.text();
    let mut screens = vec![first];
    for key in keys {
        screen.key(key);
        screens.push(screen.text());
    }
    screens
}

#[test]
fn from_the_end_the_first_key_up_moves() {
    let screens = scrolled("i", &["G", "k", "j", "g g"]);
    assert_ne!(screens[0], screens[1], "there is more than fits");
    assert_ne!(screens[1], screens[2], "one line up from the end");
    assert_eq!(screens[1], screens[3]);
    assert_eq!(screens[0], screens[4]);
}

#[test]
fn a_contact_is_paged_to_its_end_and_back() {
    let down = scrolled("Enter", &["PgDn"; 12]);
    assert_ne!(down[0], down[1]);
    assert_eq!(down[11], down[12], "the end");
    let back = scrolled("Enter", &["PgDn", "PgDn", "PgDn", "PgDn", "PgDn", "PgDn", "PgDn", "PgDn", "PgDn", "PgUp"]);
    assert_ne!(back[9], back[10], "one page up from the end");
}
