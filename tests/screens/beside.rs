//! A service that answers beside the question: what the person at the screen is told.

use lode_engine::flow::search::window::Slot;

use common::screen::planned::{TestScreen, person};

#[test]
fn rows_that_come_again_are_shown_once_and_it_is_said() {
    let mut screen = TestScreen::new(120, 36);
    // Whatever place is asked for, the first hundred come, under the offset that was asked for.
    screen.row = |index, search| person(index % 100, search);
    screen.open().key("4000G").settle();
    screen.says("each is shown once");
    screen.says("contacts skipped");
    let window = &screen.model.session.side(screen.model.search.side).window;
    assert!(matches!(window.slot(50), Slot::Row(_)));
    assert!(!matches!(window.slot(3_999), Slot::Row(_)), "{:?}", window.slot(3_999));
}

#[test]
fn another_page_is_not_a_repetition() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("4000G").settle();
    assert!(!screen.text().contains("once more"), "{}", screen.text());
}
