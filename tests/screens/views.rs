//! Named views of the grid: kept, found in the palette, applied, remembered by a saved search.

use lode_core::contact::RowId;

use common::sandbox_engine;
use common::screen::sandboxed::TestScreen;

fn screen() -> TestScreen {
    let mut screen = TestScreen::sized(sandbox_engine::small(|setup| setup.us_rows = 20_000), 160, 48, false);
    screen.key("g s /").instead("manager").key("Enter").settle();
    screen
}

/// Keys, widths and sort of what the grid shows.
fn shown(screen: &TestScreen) -> Vec<String> {
    let (mut columns, sort) = screen.model.search.grid().view().written();
    columns.extend(sort.map(|sort| format!("by {sort}")));
    columns
}

fn file(screen: &TestScreen) -> std::path::PathBuf {
    screen.folder.path().join("state/saved/views.toml")
}

fn under_cursor(screen: &TestScreen) -> Option<RowId> {
    screen.model.search.grid().row(&screen.model.session.side(screen.model.search.side).window).and_then(|row| row.id())
}

const WEST: [&str; 6] = ["name", "company_name:18", "state", "email_address", "phone", "by -company_name"];

/// Without the title, the company narrower, the last companies first.
fn make_west(screen: &mut TestScreen) {
    screen.key("d").typed("title").key("Space Esc 0 l < O").settle();
    screen.key(":").typed("view save west").says("save this view as `west`");
    screen.key("Enter").settle().says("Saved view `west`.");
    screen.key("Esc X").settle();
}

#[test]
fn a_view_is_kept_applied_by_its_name_and_deleted() {
    let mut screen = screen();
    let before = shown(&screen);
    let column = screen.model.search.grid().columns.iter().position(|column| &*column.key == "company_name").unwrap();
    screen.model.search.grid_mut().columns[column].width = Some(20);
    make_west(&mut screen);
    assert!(std::fs::read_to_string(file(&screen)).unwrap().contains("[west]"));
    // Another look, then the view again: from the palette by its name, by the list, and after a restart.
    screen.key("d X Esc").settle();
    assert_eq!(shown(&screen), before);
    let row = under_cursor(&screen);
    screen.key(":").typed("view west").says("View west");
    screen.key("Enter").settle().says("View: west");
    assert_eq!(shown(&screen), WEST);
    screen.says("by company, Z to A");
    screen.key("V").says("shown · by company, Z to A · name");
    // The order of the service comes back where it was left.
    screen.key("Esc Esc").settle();
    assert_eq!((shown(&screen).len(), under_cursor(&screen)), (5, row));
    screen.key("V w").settle();
    assert_eq!(shown(&screen), WEST);
    screen.restart().settle();
    screen.key("d X Esc V w").settle();
    assert_eq!(shown(&screen), WEST);
    screen.key(":").typed("view save").key("Enter").says("Name of the view:");
    screen.key("Esc :").typed("view delete east").key("Enter").says("No view is named `east`.");
    screen.key("V d w").settle().says("Deleted view `west`.");
    assert_eq!(shown(&screen), WEST, "the grid stays as it is");
    assert!(!std::fs::read_to_string(file(&screen)).unwrap().contains("west"));
    screen.key("V").says("Save this view…");
    assert!(!screen.text().contains("Delete a view"), "{}", screen.text());
    screen.key("s").typed("mine").key("Enter").settle().says("Saved view `mine`.");
}

#[test]
fn a_saved_search_remembers_its_view_and_sorts_what_its_run_has_read() {
    let mut screen = screen();
    let column = screen.model.search.grid().columns.iter().position(|column| &*column.key == "company_name").unwrap();
    screen.model.search.grid_mut().columns[column].width = Some(20);
    make_west(&mut screen);
    screen.key(":").typed("view west").key("Enter").settle();
    screen.key("s").instead("western managers").key("Enter").settle();
    screen.key("Esc d X Esc").settle();
    assert_ne!(shown(&screen), WEST);
    screen.restart().settle();
    screen.key("g v").settle().says("View: west.");
    screen.key("Enter");
    for _ in 0..40 {
        screen.settle();
    }
    assert_eq!(shown(&screen), WEST);
    let window = &screen.model.session.side(screen.model.search.side).window;
    assert!(screen.model.search.grid().count(window) > 1_900, "{}", screen.text());
    // Its name follows a rename. Where the view is gone, that is said, and the search runs.
    screen.key("g v r").instead("managers").key("Enter").settle().says("View: west.");
    screen.key("g s V d w").settle().key("g v Enter");
    for _ in 0..40 {
        screen.settle();
    }
    screen.says("Its view `west` is gone.");
}

#[test]
fn a_view_that_cannot_be_read_is_a_warning_and_the_file_is_not_written_over() {
    let mut screen = screen();
    std::fs::create_dir_all(file(&screen).parent().unwrap()).unwrap();
    std::fs::write(file(&screen), "[west]\ncolumns = 7\n\n[mine]\ncolumns = [\"name\", \"city\", \"unknown\"]\n")
        .unwrap();
    screen.restart().settle().says("A view cannot be read: ");
    screen.says("line 1");
    screen.key("V m").settle();
    assert_eq!(shown(&screen), ["name", "city"]);
    std::fs::write(file(&screen), "[west").unwrap();
    screen.key(":").typed("view save mine").key("Enter").settle();
    screen.says("Not saved: ");
    assert_eq!(std::fs::read_to_string(file(&screen)).unwrap(), "[west");
}

#[test]
fn no_column_is_hidden_or_moved_where_none_matches() {
    let mut screen = screen();
    let before = shown(&screen);
    screen.key("d").typed("jjj").says("No matches.");
    screen.key("J K Space Esc");
    assert_eq!(shown(&screen), before);
}
