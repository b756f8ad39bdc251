//! Saved searches from the screen, against every habit that a service may have.

use lode::domain::contact::Source;
use lode::effect::call::Call;
use lode::sandbox::variants::Variant;

use crate::brain;
use crate::world::World;

const VARIANTS: [Variant; 4] = [Variant::A, Variant::B, Variant::C, Variant::D];

fn world(variant: Variant, data: bool) -> World {
    World::sized(brain::small(|setup| setup.variant = variant), 160, 48, data)
}

/// Saves what is on the screen under a name.
fn save(world: &mut World, name: &str) {
    world.key("s").instead(name).key("Enter").settle();
}

fn search(world: &mut World, title: &str) {
    world.key("g s /").instead(title).key("Enter").settle();
}

fn files(world: &World) -> Vec<String> {
    let folder = world.folder.path().join("config/saved/acme");
    let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_search_is_saved_listed_run_renamed_and_removed_with_every_service() {
    for variant in VARIANTS {
        for data in [true, false] {
            let mut world = world(variant, data);
            search(&mut world, "nurse");
            save(&mut world, "our nurses");
            world.says("Saved `our nurses`");
            assert_eq!(files(&world).len(), 1, "{variant:?} {data}");
            world.key("g v").settle();
            world.says("our nurses");
            world.says("title~nurse");
            world.key("Enter").settle();
            world.says("RESULTS");
            world.says("`our nurses`:");
            world.key("g v r").instead("nurses of ours").key("Enter").settle();
            world.says("nurses of ours");
            assert_eq!(files(&world).len(), 1, "{variant:?} {data}");
            world.restart().key("g v").settle();
            world.says("nurses of ours");
            world.key("D Down Enter").settle();
            assert!(files(&world).is_empty(), "{variant:?} {data}");
            world.key("g s g v").settle();
            assert!(!world.screen().contains("nurses of ours "), "{variant:?} {data}:\n{}", world.screen());
        }
    }
}

#[test]
fn nothing_is_removed_at_the_service_that_was_not_named() {
    for variant in VARIANTS {
        let mut world = world(variant, true);
        for name in ["one", "two", "three"] {
            search(&mut world, name);
            save(&mut world, name);
        }
        world.key("g v").settle();
        let before = world.model.session.shelf.entries().len();
        world.key("D Down Enter").settle();
        let after = world.model.session.shelf.entries();
        assert_eq!(after.len(), before - 1, "{variant:?}");
        assert!(world.sent.iter().all(|call| !matches!(call, Call::SavedRemove { id } if id.is_empty())));
        let Call::SavedList = Call::SavedList else { unreachable!() };
        for entry in after.iter().filter(|entry| entry.home.name() == "both") {
            assert!(entry.remote.is_some(), "{variant:?}: {} is still there", entry.name);
        }
    }
}

#[test]
fn a_name_that_is_taken_is_replaced_only_when_asked_for() {
    let mut world = world(Variant::A, true);
    search(&mut world, "nurse");
    save(&mut world, "mine");
    search(&mut world, "director");
    save(&mut world, "mine");
    world.says("REPLACE A SAVED SEARCH");
    world.key("Enter").settle();
    world.key("g v").settle();
    world.says("title~nurse");
    world.key("g s s").instead("mine").key("Enter Down Enter").settle();
    world.key("g v").settle();
    world.says("title~director");
    assert_eq!(files(&world).len(), 1);
}

#[test]
fn recalling_is_fuzzy_and_knows_saved_searches_first() {
    let mut world = world(Variant::A, true);
    search(&mut world, "nurse");
    save(&mut world, "hospital people");
    search(&mut world, "director");
    world.key("r");
    world.says("★ hospital people");
    world.typed("hsptl").key("Enter").settle();
    world.says("title~nurse");
}

#[test]
fn without_a_data_key_the_screen_says_where_searches_live() {
    let mut world = world(Variant::A, false);
    search(&mut world, "nurse");
    save(&mut world, "mine");
    world.key("g v").settle();
    world.says("local");
    world.says("there is no Data API key");
    assert!(world.sent.iter().all(|call| call.source() == Source::Workspace));
}

#[test]
fn a_saved_search_is_read_once_and_says_how_much() {
    let mut world = world(Variant::A, true);
    search(&mut world, "nurse");
    save(&mut world, "mine");
    world.key("g v Enter").settle();
    world.says("first run");
    let first = world.model.session.side(world.model.search.side).watched().unwrap().news().rows_read();
    assert!(first > 0);
    world.key("g v +").settle();
    world.says("0 new");
    world.says("So all of them are shown");
    let watch = world.model.session.side(world.model.search.side).watched().unwrap();
    assert_eq!(watch.news().rows_read(), first, "the same rows, each counted once");
}
