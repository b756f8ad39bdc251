//! Fields that open with words in them: the first letter replaces what is only offered, and moving in it keeps it.

use lode_ui::dialogs::Dialog;

use common::screen::planned::TestScreen;

fn screen() -> TestScreen {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    screen
}

/// What stands in the field of the question that is open.
fn asked(screen: &TestScreen) -> String {
    match screen.model.nav.dialogs.last() {
        Some(Dialog::Ask(form)) => form.value().to_owned(),
        other => panic!("{other:?} is no question"),
    }
}

fn title(screen: &TestScreen) -> String {
    screen.model.search.edit.as_ref().expect("the field is open").input.value().to_owned()
}

#[test]
fn a_second_search_replaces_the_first_unless_one_moves_in_it() {
    let mut screen = screen();
    screen.key("/").typed("nurse").key("Enter").settle();
    screen.key("/");
    assert_eq!(title(&screen), "nurse");
    screen.typed("sur");
    assert_eq!(title(&screen), "sur");
    screen.typed("geon");
    assert_eq!(title(&screen), "surgeon");
    screen.key("Esc").key("/ End").typed(" manager");
    assert_eq!(title(&screen), "nurse manager");
    screen.key("Esc").key("/ Backspace");
    assert_eq!(title(&screen), "nurs");
    // Nothing typed: the search stays what it was.
    screen.key("Esc").key("/ Enter").settle();
    screen.says("title nurse");
}

#[test]
fn a_filter_that_is_edited_in_its_pane_keeps_its_words() {
    let mut screen = screen();
    screen.key("/").typed("nurse").key("Enter").settle();
    screen.key("Shift-Tab Enter").typed("s");
    assert_eq!(title(&screen), "nurses");
}

#[test]
fn a_paste_replaces_the_offer_as_a_letter_does() {
    let mut screen = screen();
    screen.key("/").typed("nurse").key("Enter").settle();
    screen.key("/").handle(lode_ui::msg::Msg::Paste("surgeon".to_owned()));
    assert_eq!(title(&screen), "surgeon");
}

#[test]
fn the_words_found_before_and_the_name_of_a_search_are_offers() {
    let mut screen = screen();
    screen.key("Ctrl-f").typed("ruth").key("Enter").key("Ctrl-f");
    assert_eq!(asked(&screen), "ruth");
    screen.typed("x");
    assert_eq!(asked(&screen), "x");
    screen.key("Esc Ctrl-f Left").typed("x");
    assert_eq!(asked(&screen), "rutxh");
    screen.key("Esc").key("/").typed("nurse").key("Enter").settle();
    screen.key("s");
    assert_eq!(asked(&screen), "nurse");
    screen.typed("mine");
    assert_eq!(asked(&screen), "mine");
}

/// The list shrank and grew with each letter, and the screen was drawn again each time.
#[test]
fn the_list_under_a_field_keeps_its_height_while_one_types() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("/").painted();
    screen.draws_each = true;
    // The last line of the list; that of the grid is further down.
    let height = |screen: &TestScreen| screen.text().lines().position(|line| line.contains('╰')).filter(|y| *y < 20);
    assert_eq!(height(&screen), None, "{}", screen.text());
    screen.typed("n");
    assert!(screen.model.only_moved, "the list is drawn over the shown frame");
    screen.painted();
    let open = height(&screen).expect("a list drops down");
    for letter in ["u", "r", "s", "e", "x"] {
        screen.typed(letter);
        assert!(screen.model.only_moved, "{letter} is drawn over the shown frame");
        assert_eq!(height(&screen), Some(open), "{}", screen.text());
        screen.painted();
    }
    screen.says("No suggestions.");
    for _ in 0..6 {
        screen.key("Backspace").painted();
    }
    assert_eq!(height(&screen), None, "{}", screen.text());
}

/// A field reaches over half of the screen. What a letter leaves as it is, is neither drawn nor compared.
#[test]
fn a_letter_draws_only_the_columns_that_its_field_fills() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("/").painted();
    for (keys, filled) in
        [("z", 1), ("q", 2), ("山", 4), ("Left", 4), ("Backspace", 4), ("x", 4), ("Ctrl-u", 4), ("e", 3)]
    {
        screen.key(keys);
        let changes = screen.draw_over_shown().1.frame.changes.expect("it is drawn over the shown frame");
        let drawn: usize = changes.iter().map(ExactSizeIterator::len).sum();
        // And the cell before it, where a wide letter could begin.
        assert_eq!(drawn, filled + 1, "{keys}");
        screen.is_drawn_right();
        screen.painted();
    }
}

#[test]
fn a_letter_draws_only_the_suggestions_that_it_changes() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("/ n").painted();
    let lines = |screen: &TestScreen| {
        let edit = screen.model.search.edit.as_ref().expect("the field is open");
        let marked = |at| edit.marked == Some(at);
        (0..edit.lines).map(|at| (edit.suggestions.get(at).cloned(), marked(at))).collect::<Vec<_>>()
    };
    let mut kept = 0;
    for keys in ["u", "Down", "Down", "Up", "r", "s", "e", "Backspace", "x", "Backspace", "Tab"] {
        let before = lines(&screen);
        screen.key(keys);
        let after = lines(&screen);
        let changes = screen.draw_over_shown().1.frame.changes.expect("it is drawn over the shown frame");
        let differ = before.iter().zip(&after).filter(|(before, after)| before != after).count();
        let drawn = changes.iter().skip(usize::from(screen.model.shell().unwrap().body.y) + 1).take(after.len() + 2);
        assert_eq!(drawn.filter(|columns| !columns.is_empty()).count(), differ, "{keys}: {before:?} {after:?}");
        kept += after.len() - differ;
        screen.is_drawn_right();
        screen.painted();
    }
    assert!(kept > 20, "{kept} lines were kept");
}
