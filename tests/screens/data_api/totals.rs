//! Totals that cannot be, on the screen: the rows are shown, and their number is said to be unknown.

use lode_sandbox::variants::Variant;

use common::brain;
use common::world::sandboxed::World;

#[test]
fn a_page_with_rows_and_a_senseless_total_is_shown() {
    let service = brain::small(|setup| (setup.variant, setup.allowance.requests) = (Variant::D, 0));
    let mut world = World::sized(service, 160, 36, true);
    world.key("/").typed("manager").key("Enter").settle().key("f s").typed("tx").key("Enter").settle();
    world.says("state TX");
    let screen = world.screen();
    assert!(!screen.contains("No matches"), "{screen}");
    assert!(screen.lines().filter(|line| line.contains(" TX ")).count() > 10, "{screen}");
    // To the last of them.
    world.key("G").settle().key("G").settle().key("G").settle();
    let side = world.model.search.side;
    let all = world.model.session.side(side).window.loaded().count();
    assert!(all > 20, "{all} of more than a page:\n{}", world.screen());
}
