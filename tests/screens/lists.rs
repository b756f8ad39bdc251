//! The one list of the dialogs: short ones take letters, long ones are filtered by what is typed, several lines can be marked.

use lode_core::filter::Filter;
use lode_engine::effect::call::Call;
use lode_ui::dialogs::{Dialog, ExportSubject, Intent};
use lode_ui::msg::MouseWhat;
use lode_ui::setup::profiles::Profiles;

use crate::select::{mouse, place_of};
use common::sandbox_engine;
use common::screen::planned::TestScreen;
use common::screen::sandboxed;

/// The text of the line under the cursor.
fn here(screen: &TestScreen) -> &str {
    let list = screen.model.nav.top().and_then(Dialog::list).unwrap_or_else(|| panic!("no list:\n{}", screen.text()));
    &list.items[list.place().unwrap()].left
}

fn states(screen: &TestScreen) -> Vec<&str> {
    screen.model.search.grid().draft.values(Filter::State).iter().map(String::as_str).collect()
}

#[test]
fn short_lists_take_letters_and_move_with_j_and_k() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    // A menu, a question, a choice, a wizard: each opened, moved in, and left or answered by a letter.
    for (open, second, letter) in
        [("f", "Industry", "q"), ("x", "Suppress Dana Whitfield", "n"), ("E", "word in company", "q")]
    {
        screen.key(open);
        let first = here(&screen).to_owned();
        screen.key("j");
        assert!(here(&screen).starts_with(second), "{open}: {}", here(&screen));
        screen.key("k");
        assert_eq!(here(&screen), first);
        screen.key(letter);
        assert!(screen.model.nav.dialogs.is_empty(), "{open}:\n{}", screen.text());
    }
    screen.key("f t").says("⌕ Title");
    screen.key("Esc Space v j e");
    let list = screen.model.nav.top().and_then(Dialog::list).unwrap();
    assert_eq!(list.items.last().map(|item| &item.pick), Some(&Intent::ExportOf(ExportSubject::Basket)));
    screen.key("b").says("Export as");
    screen.key("q").model.nav.dialogs.push(Dialog::Profiles(Box::new(Profiles::welcome())));
    screen.says("t  Try the demo");
    screen.key("j Enter d").says("Add a Data API key");
}

#[test]
fn a_long_list_is_filtered_by_what_is_typed_and_a_short_one_after_a_slash() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("f s").typed("jersey");
    assert_eq!(here(&screen), "NJ  New Jersey");
    screen.key("Esc f /").typed("indus");
    assert_eq!(here(&screen), "Industry");
    screen.key("Esc d").typed("phone");
    assert!(screen.text().contains("Columns of Workspace · US · "), "{}", screen.text());
    assert_eq!(here(&screen), "Phone");
    let shown = |screen: &TestScreen| screen.model.search.grid().columns.iter().filter(|column| column.shown).count();
    let before = shown(&screen);
    screen.key("Space");
    assert_eq!(shown(&screen), before - 1);
}

#[test]
fn several_values_are_marked_and_marks_survive_a_filter() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("f s").typed("tx").key("Space").says("State · 1 of 51");
    screen.key("Ctrl-u").typed("oklah").key("Space Enter Enter").settle();
    assert_eq!(states(&screen), ["OK", "TX"], "in the order of the list");
    // The second Enter agrees to a search that scans the corpus. What is set is marked when the list opens again; unless a mark
    // changes, Enter takes the line under the cursor.
    screen.key("f s").says("State · 2 of 51");
    screen.typed("ohio").key("Enter Enter").settle();
    assert_eq!(states(&screen), ["OH"]);
    screen.key("f s").typed("ohio").key("Space Enter").settle();
    assert!(states(&screen).is_empty(), "no value is marked any more");
    // A short list: letters pick, Space marks.
    screen.key("f d j Space j Space Enter Enter").settle();
    let kinds = screen.model.search.grid().draft.values(Filter::EmailDomainType);
    assert_eq!(kinds, ["corporate", "edu"]);
}

#[test]
fn values_show_the_counts_that_are_known_and_none_are_asked_for() {
    let mut screen = sandboxed::TestScreen::sized(sandbox_engine::small(|_| ()), 120, 36, true);
    let texas = |screen: &mut sandboxed::TestScreen| {
        screen.key("f s").typed("texas");
        let line = screen.text().lines().find(|line| line.contains("TX  Texas")).unwrap().to_owned();
        screen.key("Esc");
        line.chars().any(|c| c.is_ascii_digit())
    };
    assert!(!texas(&mut screen), "{}", screen.text());
    assert!(!screen.sent.iter().any(|call| matches!(call, Call::Counts(_))));
    screen.key("g c").settle().key("g s");
    assert!(texas(&mut screen), "{}", screen.text());
}

#[test]
fn a_click_stands_on_a_line_and_a_second_one_takes_it() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("f");
    let at = place_of(&screen, "State");
    mouse(&mut screen, at, MouseWhat::Press);
    assert_eq!(here(&screen), "State");
    mouse(&mut screen, at, MouseWhat::WheelUp);
    assert_eq!(here(&screen), "Industry");
    mouse(&mut screen, at, MouseWhat::Press);
    mouse(&mut screen, at, MouseWhat::Double);
    screen.says("State · 51");
    mouse(&mut screen, at, MouseWhat::WheelDown);
    assert_ne!(here(&screen), "(any)");
}
