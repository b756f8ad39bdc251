//! Totals that cannot be, on the screen: the rows are shown, and their number is said to be unknown.

use lode_sandbox::variants::Variant;

use common::sandbox_engine;
use common::screen::sandboxed::TestScreen;

#[test]
fn a_page_with_rows_and_a_senseless_total_is_shown() {
    let service = sandbox_engine::small(|setup| (setup.variant, setup.allowance.requests) = (Variant::D, 0));
    let mut screen = TestScreen::sized(service, 160, 36, true);
    screen.key("/").typed("manager").key("Enter").settle().key("f s").typed("tx").key("Enter").settle();
    screen.says("state TX");
    let text = screen.text();
    assert!(!text.contains("No matches"), "{text}");
    assert!(text.lines().filter(|line| line.contains(" TX ")).count() > 10, "{text}");
    // To the last of them.
    screen.key("G").settle().key("G").settle().key("G").settle();
    let side = screen.model.search.side;
    let all = screen.model.session.side(side).window.loaded().count();
    assert!(all > 20, "{all} of more than a page:\n{}", screen.text());
}
