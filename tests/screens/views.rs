//! Named views of the grid: kept, found in the palette, applied, remembered by a saved search.

use lode_core::contact::RowId;

use common::brain;
use common::world::sandboxed::World;

fn world() -> World {
    let mut world = World::sized(brain::small(|setup| setup.us_rows = 20_000), 160, 48, false);
    world.key("g s /").instead("manager").key("Enter").settle();
    world
}

/// Keys, widths and sort of what the grid shows.
fn shown(world: &World) -> Vec<String> {
    let (mut columns, sort) = world.model.search.seat().view().written();
    columns.extend(sort.map(|sort| format!("by {sort}")));
    columns
}

fn file(world: &World) -> std::path::PathBuf {
    world.folder.path().join("state/saved/views.toml")
}

fn under_cursor(world: &World) -> Option<RowId> {
    world.model.search.seat().row(&world.model.session.side(world.model.search.side).window).and_then(|row| row.id())
}

const WEST: [&str; 6] = ["name", "company_name:18", "state", "email_address", "phone", "by -company_name"];

/// Without the title, the company narrower, the last companies first.
fn make_west(world: &mut World) {
    world.key("d").typed("title").key("Space Esc 0 l < O").settle();
    world.key(":").typed("view save west").says("save this view as `west`");
    world.key("Enter").settle().says("Saved view `west`.");
    world.key("Esc X").settle();
}

#[test]
fn a_view_is_kept_applied_by_its_name_and_deleted() {
    let mut world = world();
    let before = shown(&world);
    let column = world.model.search.seat().columns.iter().position(|column| &*column.key == "company_name").unwrap();
    world.model.search.seat_mut().columns[column].width = Some(20);
    make_west(&mut world);
    assert!(std::fs::read_to_string(file(&world)).unwrap().contains("[west]"));
    // Another look, then the view again: from the palette by its name, by the list, and after a restart.
    world.key("d X Esc").settle();
    assert_eq!(shown(&world), before);
    let row = under_cursor(&world);
    world.key(":").typed("view west").says("View west");
    world.key("Enter").settle().says("View: west");
    assert_eq!(shown(&world), WEST);
    world.says("by company, Z to A");
    world.key("V").says("shown · by company, Z to A · name");
    // The order of the service comes back where it was left.
    world.key("Esc Esc").settle();
    assert_eq!((shown(&world).len(), under_cursor(&world)), (5, row));
    world.key("V w").settle();
    assert_eq!(shown(&world), WEST);
    world.restart().settle();
    world.key("d X Esc V w").settle();
    assert_eq!(shown(&world), WEST);
    world.key(":").typed("view save").key("Enter").says("Name of the view:");
    world.key("Esc :").typed("view delete east").key("Enter").says("There is no view `east`.");
    world.key("V d w").settle().says("Deleted view `west`.");
    assert_eq!(shown(&world), WEST, "the grid stays as it is");
    assert!(!std::fs::read_to_string(file(&world)).unwrap().contains("west"));
    world.key("V").says("Save this view…");
    assert!(!world.screen().contains("Delete a view"), "{}", world.screen());
    world.key("s").typed("mine").key("Enter").settle().says("Saved view `mine`.");
}

#[test]
fn a_saved_search_remembers_its_view_and_sorts_what_its_run_has_read() {
    let mut world = world();
    let column = world.model.search.seat().columns.iter().position(|column| &*column.key == "company_name").unwrap();
    world.model.search.seat_mut().columns[column].width = Some(20);
    make_west(&mut world);
    world.key(":").typed("view west").key("Enter").settle();
    world.key("s").instead("western managers").key("Enter").settle();
    world.key("Esc d X Esc").settle();
    assert_ne!(shown(&world), WEST);
    world.restart().settle();
    world.key("g v").settle().says("View: west.");
    world.key("Enter");
    for _ in 0..40 {
        world.settle();
    }
    assert_eq!(shown(&world), WEST);
    let window = &world.model.session.side(world.model.search.side).window;
    assert!(world.model.search.seat().count(window) > 1_900, "{}", world.screen());
    // Its name follows a rename. Where the view is gone, that is said, and the search runs.
    world.key("g v r").instead("managers").key("Enter").settle().says("View: west.");
    world.key("g s V d w").settle().key("g v Enter");
    for _ in 0..40 {
        world.settle();
    }
    world.says("Its view `west` is gone.");
}

#[test]
fn a_view_that_cannot_be_read_is_a_warning_and_the_file_is_not_written_over() {
    let mut world = world();
    std::fs::create_dir_all(file(&world).parent().unwrap()).unwrap();
    std::fs::write(file(&world), "[west]\ncolumns = 7\n\n[mine]\ncolumns = [\"name\", \"city\", \"unknown\"]\n")
        .unwrap();
    world.restart().settle().says("A view cannot be read: ");
    world.says("line 1");
    world.key("V m").settle();
    assert_eq!(shown(&world), ["name", "city"]);
    std::fs::write(file(&world), "[west").unwrap();
    world.key(":").typed("view save mine").key("Enter").settle();
    world.says("Not saved: ");
    assert_eq!(std::fs::read_to_string(file(&world)).unwrap(), "[west");
}
