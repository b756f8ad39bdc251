//! Pulled rows: recorded by one confirmed request for exactly the page on the screen, and by nothing else.

use std::collections::BTreeSet;

use lode_core::contact::{RowId, Source};
use lode_engine::effect::call::Call;

use common::brain;
use common::world::sandboxed::World;

fn world() -> World {
    let mut world = World::sized(brain::small(|_| ()), 120, 36, true);
    world.key("W").settle().key("/").typed("manager").key("Enter").settle();
    assert_eq!(world.model.search.side.source, Source::Data);
    world
}

fn marks(world: &World) -> usize {
    world.sent.iter().filter(|call| matches!(call, Call::Search(search) if search.mark_pulled)).count()
}

fn page(world: &World) -> Vec<RowId> {
    let window = &world.model.session.side(world.model.search.side).window;
    let seat = world.model.search.seat();
    window.page_ids(seat.index(seat.cursor))
}

#[test]
fn marking_asks_first_and_sends_one_request_for_exactly_this_page() {
    let mut world = world();
    let ids = page(&world);
    assert_eq!(ids.len(), 100);
    world.key("M");
    world.says("Marks 100 contacts as pulled for the user of this key");
    world.key("Enter").settle();
    assert_eq!(marks(&world), 0, "the first answer leaves it");
    world.key("M Down Enter").settle();
    assert_eq!(marks(&world), 1);
    world.says("Marked 100 contacts as pulled.");
    let total = world.model.session.side(world.model.search.side).window.total().unwrap();
    world.key("p").settle();
    let left = world.model.session.side(world.model.search.side).window.total().unwrap();
    assert_eq!(left, total - 100);
    let window = &world.model.session.side(world.model.search.side).window;
    assert!(ids.iter().all(|id| window.place(*id).is_none()), "exactly those are hidden");
}

#[test]
fn nothing_else_ever_marks() {
    let mut world = world();
    world.key("M Down Enter").settle();
    world.key("] ] G Ctrl-u R").settle().key("p").settle().key("p").settle().key("g s 250G").settle();
    assert_eq!(marks(&world), 1);
    world.restart().key("W").settle().key("R").settle().key("]").settle();
    assert_eq!(marks(&world), 1, "a program that starts again repeats nothing");
}

#[test]
fn a_lost_answer_is_explained_and_not_repeated() {
    let mut world = world();
    let ids = page(&world);
    world.lose = |call| matches!(call, Call::Search(search) if search.mark_pulled);
    world.key("M Down Enter").settle();
    world.wait(std::time::Duration::from_secs(120)).settle();
    assert_eq!(marks(&world), 1, "never sent again by itself");
    world.lose = |_| false;
    world.key("g e");
    world.says("may have been marked as pulled");
    world.key("Esc p").settle();
    let window = &world.model.session.side(world.model.search.side).window;
    assert!(ids.iter().all(|id| window.place(*id).is_none()), "hiding them shows that they were recorded");
}

#[test]
fn hiding_and_marking_page_after_page_shows_every_row_exactly_once() {
    let mut world = world();
    let total = world.model.session.side(world.model.search.side).window.total().unwrap();
    world.key("p").settle();
    let mut seen: Vec<RowId> = Vec::new();
    for _ in 0..=total / 100 {
        let ids = page(&world);
        if ids.is_empty() {
            break;
        }
        seen.extend(&ids);
        world.key("M Down Enter").settle().key("]").settle();
    }
    let unique: BTreeSet<RowId> = seen.iter().copied().collect();
    assert_eq!(seen.len(), unique.len(), "none twice");
    assert_eq!(unique.len() as u64, total, "none left out");
}
