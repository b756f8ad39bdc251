//! Pulled rows: recorded by one confirmed request for exactly the page on the screen, and by nothing else.

use std::collections::BTreeSet;

use lode_core::contact::{RowId, Source};
use lode_engine::effect::call::Call;

use common::sandbox_engine;
use common::screen::sandboxed::TestScreen;

fn screen() -> TestScreen {
    let mut screen = TestScreen::sized(sandbox_engine::small(|_| ()), 120, 36, true);
    screen.key("W").settle().key("/").typed("manager").key("Enter").settle();
    assert_eq!(screen.model.search.side.source, Source::Data);
    screen
}

fn marks(screen: &TestScreen) -> usize {
    screen.sent.iter().filter(|call| matches!(call, Call::Search(search) if search.mark_pulled)).count()
}

fn page(screen: &TestScreen) -> Vec<RowId> {
    let window = &screen.model.session.side(screen.model.search.side).window;
    let grid = screen.model.search.grid();
    window.page_ids(grid.index(grid.cursor))
}

#[test]
fn marking_asks_first_and_sends_one_request_for_exactly_this_page() {
    let mut screen = screen();
    let ids = page(&screen);
    assert_eq!(ids.len(), 100);
    screen.key("M");
    screen.says("Marks 100 contacts as pulled for the user of this key");
    screen.key("Enter").settle();
    assert_eq!(marks(&screen), 0, "the first answer leaves it");
    screen.key("M Down Enter").settle();
    assert_eq!(marks(&screen), 1);
    screen.says("Marked 100 contacts as pulled.");
    let total = screen.model.session.side(screen.model.search.side).window.total().unwrap();
    screen.key("p").settle();
    let left = screen.model.session.side(screen.model.search.side).window.total().unwrap();
    assert_eq!(left, total - 100);
    let window = &screen.model.session.side(screen.model.search.side).window;
    assert!(ids.iter().all(|id| window.place(*id).is_none()), "exactly those are hidden");
}

#[test]
fn nothing_else_ever_marks() {
    let mut screen = screen();
    screen.key("M Down Enter").settle();
    screen.key("] ] G Ctrl-u R").settle().key("p").settle().key("p").settle().key("g s 250G").settle();
    assert_eq!(marks(&screen), 1);
    screen.restart().key("W").settle().key("R").settle().key("]").settle();
    assert_eq!(marks(&screen), 1, "a program that starts again repeats nothing");
}

#[test]
fn a_lost_answer_is_explained_and_not_repeated() {
    let mut screen = screen();
    let ids = page(&screen);
    screen.lose = |call| matches!(call, Call::Search(search) if search.mark_pulled);
    screen.key("M Down Enter").settle();
    screen.wait(std::time::Duration::from_secs(120)).settle();
    assert_eq!(marks(&screen), 1, "never sent again by itself");
    screen.lose = |_| false;
    screen.key("g e");
    screen.says("may have been marked as pulled");
    screen.key("Esc p").settle();
    let window = &screen.model.session.side(screen.model.search.side).window;
    assert!(ids.iter().all(|id| window.place(*id).is_none()), "hiding them shows that they were recorded");
}

#[test]
fn hiding_and_marking_page_after_page_shows_every_row_exactly_once() {
    let mut screen = screen();
    let total = screen.model.session.side(screen.model.search.side).window.total().unwrap();
    screen.key("p").settle();
    let mut seen: Vec<RowId> = Vec::new();
    for _ in 0..=total / 100 {
        let ids = page(&screen);
        if ids.is_empty() {
            break;
        }
        seen.extend(&ids);
        screen.key("M Down Enter").settle().key("]").settle();
    }
    let unique: BTreeSet<RowId> = seen.iter().copied().collect();
    assert_eq!(seen.len(), unique.len(), "none twice");
    assert_eq!(unique.len() as u64, total, "none left out");
}
