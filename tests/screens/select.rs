//! Moving, choosing, undoing: what keys do to what one sees.

use std::time::Duration;

use crossterm::event::KeyCode;
use lode_core::contact::RowId;
use lode_core::credits::grouped;
use lode_core::filter::Filter;
use lode_core::needle::Needle;
use lode_engine::effect::call::Call;
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::store::StoreCall;
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::search::window::Slot;
use lode_ui::keys::chord::Chord;
use lode_ui::layout::Panes;
use lode_ui::msg::{Mouse, MouseWhat, Msg};
use lode_ui::update::update;

use common::screen::planned::{Plan, TestScreen, profile};

fn staged(screen: &TestScreen) -> Vec<RowId> {
    let basket = &screen.model.session.side(screen.model.search.side).basket;
    basket.rows().iter().map(|entry| entry.id()).collect()
}

fn ids(numbers: &[i64]) -> Vec<RowId> {
    numbers.iter().map(|id| RowId(*id)).collect()
}

fn searches(screen: &TestScreen) -> Vec<(u64, String)> {
    let searched = screen.sent.iter().filter_map(|call| match call {
        Call::Search(search) => Some((search.offset, search.query.canonical())),
        _ => None,
    });
    searched.collect()
}

#[test]
fn space_stages_and_moves_down_and_once_more_takes_out() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Space Space");
    assert_eq!(staged(&screen), ids(&[1, 2]));
    screen.says("Added 1 row. Basket: 2. Nothing spent.");
    screen.key("k Space");
    assert_eq!(staged(&screen), ids(&[1]));
    screen.key("u");
    assert_eq!(staged(&screen), ids(&[1, 2]));
    screen.key("u u");
    assert_eq!(staged(&screen), ids(&[]));
    screen.key("Ctrl-r");
    assert_eq!(staged(&screen).len(), 1);
}

#[test]
fn a_range_a_page_and_all_up_to_a_number() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("j v j j Space");
    assert_eq!(staged(&screen), ids(&[2, 3, 4]));
    screen.key("a");
    assert_eq!(staged(&screen).len(), 100);
    screen.says("97 added (6 owned) · 3 skipped (in basket). Basket: 100. Nothing spent.");
    screen.key("X");
    assert!(staged(&screen).is_empty());
    screen.key("u");
    assert_eq!(staged(&screen).len(), 100, "one undo brings all of them back");
    screen.key("X A").typed("250").key("Enter").settle();
    assert_eq!(staged(&screen).len(), 250);
    screen.says("Added 250 rows. Basket: 250. Nothing spent.");
}

/// Most of a long range is not loaded: its loaded rows are added, at its end as well as at its beginning.
#[test]
fn a_range_over_millions_of_rows_adds_those_that_are_loaded() {
    let mut screen = TestScreen::new(120, 36);
    screen.total = 80_000_000;
    screen.open().key("v").key("79999901G").settle();
    let window = &screen.model.session.side(screen.model.search.side).window;
    let loaded = window.fitting(0..79_999_901, |_| true).count();
    screen.key("Space");
    assert_eq!(staged(&screen).len(), loaded);
    assert!(staged(&screen).contains(&RowId(79_999_901)));
    screen.says(&format!(
        "{loaded} added (19 owned) · {} not loaded yet. Basket: {loaded}.",
        grouped(79_999_901 - loaded as u64)
    ));
}

#[test]
fn the_basket_survives_new_searches_and_restarts() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Space /").typed("nurse").key("Enter").settle().key("j j j").key("Space");
    assert_eq!(staged(&screen), ids(&[1, 5]).iter().map(|id| RowId(id.0.min(4))).collect::<Vec<_>>());
    // Another window on the same state.
    screen.key("Tab");
    let mut again = TestScreen::new(120, 36);
    again.store = screen.store_of_another();
    again.open();
    assert_eq!(staged(&again), staged(&screen));
    again.says("title nurse");
    assert_eq!(again.model.search.grid().draft.value(Filter::Title), Some("nurse"));
}

#[test]
fn a_far_row_costs_one_request() {
    let mut screen = TestScreen::new(120, 36);
    screen.total = 80_000_000;
    screen.open();
    let before = searches(&screen).len();
    screen.key("79999901G");
    assert_eq!(screen.model.search.grid().cursor, 79_999_900);
    screen.says("79,999,901");
    // The page that is looked at; a neighbor may be foreseen, nothing in between is read.
    let asked: Vec<u64> = searches(&screen)[before..].iter().map(|(offset, _)| *offset).collect();
    assert_eq!(asked[0], 79_999_900);
    assert!(asked.iter().all(|offset| *offset >= 79_999_700), "{asked:?}");
    screen.key("G");
    assert_eq!(screen.model.search.grid().cursor, 79_999_999);
    screen.key("g g");
    assert_eq!(screen.model.search.grid().cursor, 0);
}

#[test]
fn service_pages_and_counts() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("]");
    assert_eq!(screen.model.search.grid().cursor, 100);
    screen.key("3]");
    assert_eq!(screen.model.search.grid().cursor, 400);
    screen.key("[ 10k 0");
    assert_eq!(screen.model.search.grid().cursor, 290);
}

#[test]
fn a_cell_becomes_a_filter_and_undo_brings_the_search_back() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("l l l = Enter").settle();
    assert_eq!(screen.model.search.grid().draft.value(Filter::State), Some("TX"));
    screen.key("u").settle();
    assert!(screen.model.search.grid().draft.is_unfiltered());
}

#[test]
fn masked_cells_are_no_filters() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("W").settle().key("/").typed("nurse").key("Enter").settle().key("$ =");
    screen.says("masked");
}

#[test]
fn each_side_keeps_its_search_place_and_basket() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Space j").key("w").settle();
    screen.says("Workspace · LinkedIn");
    assert!(staged(&screen).is_empty());
    screen.key("w").settle();
    assert_eq!(screen.model.search.grid().cursor, 2);
    assert_eq!(staged(&screen), ids(&[1]));
    screen.key("W").settle();
    screen.says("Data API needs");
    assert!(searches(&screen).iter().all(|(_, canonical)| canonical != "data/us"), "nothing unfiltered is sent there");
}

#[test]
fn ordering_and_finding_work_on_what_is_here() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("O");
    screen.says("rows read of 4,870 by name, Z to A");
    screen.key("o");
    screen.says("rows read of 4,870 by name ");
    screen.key("Esc");
    screen.says("4,870 contacts");
    screen.key("Ctrl-f").typed("ruth").key("Enter");
    assert_eq!(screen.model.search.grid().cursor % 8, 4);
    let first = screen.model.search.grid().cursor;
    screen.key("n");
    assert_eq!(screen.model.search.grid().cursor, first + 8);
    screen.key("N");
    assert_eq!(screen.model.search.grid().cursor, first);
    screen.key("Ctrl-f").typed("nobodyhere").key("Enter").says("No match for `");
}

/// This many rows are not in order before the next frame is due.
#[test]
fn keys_are_answered_while_many_rows_are_put_in_order() {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    for _ in 1..49 {
        screen.key("]").settle();
    }
    screen.key("O j j");
    assert!(screen.model.search.is_sorting());
    assert_eq!(screen.model.search.grid().cursor, 2);
    screen.says("4,870 contacts");
    screen.settle().says("sorted all 4,870 rows by name, Z to A");
    assert_eq!(screen.model.search.grid().cursor, 2, "where the keys have led");
    screen.key("o o").settle().says("4,870 contacts");
}

/// Whom the cursor stands on.
fn under_cursor(screen: &TestScreen) -> Option<RowId> {
    screen.model.search.grid().row(&screen.model.session.side(screen.model.search.side).window).and_then(|row| row.id())
}

#[test]
fn rows_that_are_read_while_others_are_sorted_move_nothing_until_the_key_sorts_them_in() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("5j o").settle().says("sorted 200 rows read of 4,870 by name ─");
    screen.says("o original order  + read the first 5,000");
    screen.key("9j");
    let (before, row) = (screen.model.search.grid().cursor, under_cursor(&screen));
    screen.key("+").settle().says("sorted 200 rows read of 4,870 by name · 4,670 more read, to sort in: o ─");
    screen.says("Here now: all 4,870 rows.  o sort  Ctrl-f find");
    assert_eq!((screen.model.search.grid().cursor, under_cursor(&screen)), (before, row));
    screen.key("Ctrl-f").says("Searches all fields of all 4,870 rows.");
    screen.key("Esc o").settle().says("sorted all 4,870 rows by name ─");
    assert_eq!(under_cursor(&screen), row, "the cursor stays on its row");
    // On a small screen too it is said of how many.
    for (width, label) in
        [(80, "sorted 200 rows read of 4,870 by name · 4,670 more read, to sort in: o"), (40, "sorted 200 of 4,870")]
    {
        let mut small = TestScreen::new(width, 24);
        small.open().key("o +").settle().says(label);
    }
    let grid = screen.model.search.grid();
    assert!(grid.cursor > before && grid.cursor - grid.top == before, "and the row where it was on the screen");
    // Once more: the service's order, where it was left.
    screen.key("o").settle().says("Sorted by the service.");
    assert_eq!(screen.model.search.grid().cursor, 5);
    screen.key("+").says("Already here: all 4,870 rows.");
}

#[test]
fn the_first_rows_are_read_behind_what_is_looked_at_with_a_bar_and_stop_on_a_key() {
    let offsets = |screen: &TestScreen| searches(screen).into_iter().map(|(offset, _)| offset).collect::<Vec<_>>();
    for (stop, width, bar) in [("Esc", 160, "Ctrl-c stop"), ("Ctrl-c", 80, "Reading 300 of 4,870  ━")] {
        let mut screen = TestScreen::new(width, 36);
        screen.open().plan = Plan::Hold;
        screen.key("+").says("Reading 200 of 4,870 ");
        screen.says("━");
        assert_eq!(offsets(&screen).last(), Some(&200), "one page after the other");
        screen.release(0);
        screen.says(bar);
        assert_eq!((offsets(&screen).last(), screen.held.len()), (Some(&300), 1));
        // What the cursor needs is asked for at once, beside it.
        screen.key("4000G");
        assert!(offsets(&screen).contains(&3_900) || offsets(&screen).contains(&4_000), "{:?}", offsets(&screen));
        screen.plan = Plan::Answer;
        while !screen.held.is_empty() {
            let at = screen.held.len() - 1;
            screen.release(at);
            if screen.held.len() <= 1 && offsets(&screen).len() > 12 {
                break;
            }
        }
        screen.plan = Plan::Hold;
        screen.key(stop).settle();
        let asked = offsets(&screen).len();
        assert!(screen.model.session.side(screen.model.search.side).reading().is_none());
        screen.key("j k").settle();
        assert_eq!(offsets(&screen).len(), asked, "nothing is read any more");
        assert!(!screen.text().contains("━━"), "{}", screen.text());
    }
}

#[test]
fn reading_that_fails_says_where_and_what_was_read_stays() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().plan = Plan::Hold;
    screen.key("+");
    screen.release(0);
    screen.plan = Plan::Fail(Failure::Refused { status: 400, why: Refusal::Request, words: "no deeper".to_owned() });
    let (id, call) = screen.held.remove(0);
    let Plan::Fail(failure) = screen.plan.clone() else { unreachable!() };
    screen.handle(Msg::Answered(Answer::of(id, call, Err(failure))));
    screen.settle().says("Stopped at row 301: ");
    assert!(screen.model.session.side(screen.model.search.side).reading().is_none());
    screen.plan = Plan::Answer;
    screen.key("o").settle().says("sorted 300 rows read of 4,870");
}

#[test]
fn finding_goes_on_at_the_other_end_in_both_directions_and_in_any_order() {
    let mut screen = TestScreen::new(160, 48);
    screen.total = 96;
    screen.open();
    screen.key("Ctrl-f").typed("RUTH").key("Enter");
    for order in ["", "O"] {
        if !order.is_empty() {
            screen.key(order);
        }
        screen.key("g g").key("Ctrl-f").key("Enter");
        let first = screen.model.search.grid().cursor;
        screen.key("Ctrl-f").key("Enter");
        assert_eq!(screen.model.search.grid().cursor, first, "what was typed may stand in the row of the cursor");
        screen.key("N").says("from the other end");
        let last = screen.model.search.grid().cursor;
        assert!(last > first, "{first} {last}");
        screen.key("n").says("from the other end");
        assert_eq!(screen.model.search.grid().cursor, first);
        let mut seen = vec![first];
        loop {
            screen.key("n");
            let cursor = screen.model.search.grid().cursor;
            if cursor == first {
                break;
            }
            assert!(Some(&cursor) > seen.last(), "{cursor} after {seen:?}");
            seen.push(cursor);
        }
        assert_eq!(seen.last(), Some(&last));
        for place in seen.iter().rev() {
            assert_eq!(screen.key("N").model.search.grid().cursor, *place);
        }
    }
}

/// More rows than are looked at one by one, in every order: the cursor goes where a walk from row to row would end.
#[test]
fn a_find_goes_where_a_walk_from_row_to_row_would() {
    let mut screen = TestScreen::new(160, 48);
    screen.total = 2_400;
    screen.open();
    for _ in 1..24 {
        screen.key("]").wait(Duration::from_secs(1));
    }
    let side = screen.model.search.side;
    assert_eq!(screen.model.session.side(side).window.held(), 2_400);
    for order in ["", "o", "l O"] {
        screen.key(order);
        for words in ["ruth", "2399", "77", "bounced", "nobodyhere"] {
            let needle = Needle::new(words);
            let window = &screen.model.session.side(side).window;
            let grid = screen.model.search.grid();
            let is_hit = |place: &u64| matches!(window.slot(grid.index(*place)), Slot::Row(row) if needle.is_in(row));
            let hits: Vec<u64> = (0..2_400).filter(is_hit).collect();
            screen.key("g g").key("Ctrl-f").key("Ctrl-u").typed(words).key("Enter");
            for from in [0, 1, 700, 1_399, 1_400, 2_398, 2_399] {
                let forth = hits.iter().find(|hit| **hit > from).or(hits.first()).copied().unwrap_or(from);
                let back = hits.iter().rfind(|hit| **hit < from).or(hits.last()).copied().unwrap_or(from);
                for (key, place) in [("n", forth), ("N", back)] {
                    screen.model.search.grid_mut().cursor = from;
                    assert_eq!(screen.key(key).model.search.grid().cursor, place, "{key} {words} from {from} {order}");
                }
            }
        }
    }
}

#[test]
fn paste_types_and_never_runs() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    screen.handle(Msg::Paste("Space U 5 Enter\nq".to_owned()));
    assert!(staged(&screen).is_empty(), "outside a field a paste does nothing");
    screen.key("/");
    let before = screen.sent.len();
    screen.handle(Msg::Paste("director\nof nursing".to_owned()));
    screen.says("director of nursing");
    assert_eq!(screen.sent.len(), before, "a line break in a paste is no Enter");
}

#[test]
fn a_picker_takes_names_for_codes() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("f s").typed("texas").key("Enter").settle();
    assert_eq!(screen.model.search.grid().draft.value(Filter::State), Some("TX"));
}

#[test]
fn what_cannot_be_done_says_why() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("p");
    screen.says("Only the Data API has pulled rows.");
    screen.key(":").typed("hide pulled").key("Enter").says("Only the Data API has pulled rows.");
}

#[test]
fn copying_hands_over_what_is_shown() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("y n");
    assert!(screen.done.contains(&Effect::Copy("Dana Whitfield".to_owned())));
    screen.key("y c");
    assert!(screen.done.contains(&Effect::Copy("lode search --source workspace --corpus us".to_owned())));
}

#[test]
fn clicks_do_what_stands_there() {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let (x, y) = place_of(&screen, "Elena Sorokina");
    mouse(&mut screen, (x, y), MouseWhat::Press);
    assert_eq!(screen.model.search.grid().cursor, 2);
    mouse(&mut screen, (x - 3, y), MouseWhat::Press);
    assert_eq!(staged(&screen), ids(&[3]), "the sign column is the basket");
    mouse(&mut screen, (x, y), MouseWhat::Double);
    screen.says("╰─ 3 of 4,870");
    screen.key("Esc");
    let basket = place_of(&screen, "Basket");
    mouse(&mut screen, basket, MouseWhat::Press);
    screen.says("Basket · Workspace");
    screen.key("q");
    let company = place_of(&screen, "Company");
    mouse(&mut screen, company, MouseWhat::Press);
    screen.says("rows read of 4,870 by company");
    for _ in 0..5 {
        mouse(&mut screen, company, MouseWhat::WheelDown);
    }
    assert_eq!(screen.model.search.grid().cursor, 15);
}

#[test]
fn what_is_picked_in_the_palette_reaches_the_terminal() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key(":").typed("mouse");
    let (_, shelled) = update(&mut screen.model, Msg::Key(Chord::plain(KeyCode::Enter)), screen.now);
    assert_eq!((screen.model.mouse, shelled.mouse), (false, Some(false)));
}

#[test]
fn the_screen_is_repainted_while_a_number_or_a_text_is_typed_too() {
    for (keys, opens) in [("", false), ("/ n u", true), (": t h", true), ("Space U", true)] {
        let mut screen = TestScreen::new(120, 36);
        screen.open().key(keys).settle();
        let over = screen.model.search.edit.is_some() || screen.model.nav.top().is_some();
        assert_eq!(over, opens, "after {keys}");
        let before = screen.text();
        let (_, shelled) = update(&mut screen.model, Msg::Key(Chord::ctrl('l')), screen.now);
        assert!(shelled.repaint, "after {keys}");
        assert_eq!(screen.text(), before, "nothing else changes");
    }
}

fn industries(screen: &TestScreen) -> Vec<String> {
    screen.model.search.grid().draft.values(Filter::Industry).to_vec()
}

/// Where these words stand on the screen.
pub(crate) fn place_of(screen: &TestScreen, words: &str) -> (u16, u16) {
    let text = screen.text();
    let (y, line) = text.lines().enumerate().find(|(_, line)| line.contains(words)).unwrap();
    (line[..line.find(words).unwrap()].chars().count() as u16, y as u16)
}

pub(crate) fn mouse(screen: &mut TestScreen, (x, y): (u16, u16), what: MouseWhat) {
    screen.handle(Msg::Mouse(Mouse { x, y, what }));
}

#[test]
fn one_of_several_industries_is_taken_out_changed_and_joined_by_another() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("f i").typed("hospital, clinic, dental").key("Enter").settle();
    assert_eq!(industries(&screen), ["hospital", "clinic", "dental"]);
    // The pane, its industry line, the second of its values.
    screen.key("Shift-Tab Home j j l l").says("clinic: Backspace remove");
    screen.key("Backspace").settle();
    assert_eq!(industries(&screen), ["hospital", "dental"]);
    screen.key("Enter").says("dental");
    screen.key("Ctrl-u").typed("nursing").key("Enter").settle();
    assert_eq!(industries(&screen), ["hospital", "nursing"]);
    screen.key("Shift-Tab a").typed("pharmacy").key("Enter").settle();
    assert_eq!(industries(&screen), ["hospital", "nursing", "pharmacy"]);
    screen.key("u").settle();
    assert_eq!(industries(&screen), ["hospital", "nursing"]);
    // Left of the first value stands the filter as a whole.
    screen.key("Shift-Tab h h h Backspace").settle();
    assert!(industries(&screen).is_empty());
}

#[test]
fn a_clicked_industry_is_the_one_that_is_marked() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("f i").typed("hospital, clinic").key("Enter").settle();
    let chip = place_of(&screen, ", clinic");
    mouse(&mut screen, (chip.0 + 3, chip.1), MouseWhat::Press);
    screen.says("clinic: Backspace remove");
    screen.key("Backspace").settle();
    assert_eq!(industries(&screen), ["hospital"]);
    let chip = place_of(&screen, "industry hospital");
    mouse(&mut screen, chip, MouseWhat::Press);
    assert!(screen.model.search.edit.is_some(), "an only value opens its field");
}

#[test]
fn the_cross_of_a_pill_takes_its_part_out_of_the_search() {
    let mut screen = TestScreen::new(160, 48);
    screen.open().key("/").typed("nurse").key("Enter").settle().key("E t").typed("vp").key("Enter H").settle();
    for (pill, left) in
        [("not owned ×", "title nurse × "), ("not vp ×", "title nurse × "), ("title nurse ×", "no filters")]
    {
        let (x, y) = place_of(&screen, pill);
        mouse(&mut screen, (x + pill.chars().count() as u16 - 1, y), MouseWhat::Press);
        screen.settle();
        let line = screen.text().lines().nth(1).unwrap_or_default().to_owned();
        assert!(line.contains(left) && !line.contains(pill), "{pill}: {line}");
    }
    screen.key("u").settle().says("title nurse ×");
}

#[test]
fn dragging_makes_a_range() {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let (x, y) = place_of(&screen, "Priya Raman");
    mouse(&mut screen, (x, y), MouseWhat::Press);
    mouse(&mut screen, (x, y), MouseWhat::Drag);
    assert_eq!(screen.model.search.grid().anchor, None, "a hand that trembles is no range");
    mouse(&mut screen, (x, y + 3), MouseWhat::Drag);
    screen.says("Range of 4 rows");
    mouse(&mut screen, (x, y + 2), MouseWhat::Drag);
    mouse(&mut screen, (x, y + 2), MouseWhat::Release);
    mouse(&mut screen, (x, y + 9), MouseWhat::Drag);
    screen.key("Space");
    assert_eq!(staged(&screen), ids(&[2, 3, 4]));
}

#[test]
fn dragging_beyond_the_edge_moves_on() {
    let mut screen = TestScreen::new(160, 48);
    screen.open();
    let (x, y) = place_of(&screen, "Priya Raman");
    mouse(&mut screen, (x, y), MouseWhat::Press);
    let bottom = u64::from(screen.draw().1.frame.list.unwrap().area.height);
    for _ in 0..3 {
        mouse(&mut screen, (x, 47), MouseWhat::Drag);
    }
    assert_eq!(screen.model.search.grid().cursor, bottom + 2);
    let top = screen.draw().1.frame.list.unwrap().top;
    for _ in 0..2 {
        mouse(&mut screen, (x, 0), MouseWhat::Drag);
    }
    assert_eq!(screen.model.search.grid().cursor, top - 2);
    mouse(&mut screen, (x, 0), MouseWhat::Release);
    // A drag that begins beside the rows selects nothing.
    screen.key("Esc");
    let head = place_of(&screen, "Company");
    mouse(&mut screen, head, MouseWhat::Press);
    mouse(&mut screen, (x, y + 5), MouseWhat::Drag);
    assert_eq!(screen.model.search.grid().anchor, None);
}

/// The store answers after the first keys: what they did stays.
#[test]
fn a_late_place_does_not_undo_what_was_typed_meanwhile() {
    let mut before = TestScreen::new(120, 36);
    before.open().key("/").typed("doctor").key("Enter").settle().key("w").settle();
    before.key("/ Ctrl-u").typed("pilot").key("Enter");
    before.settle().key("w j j").key("F9");
    let mut screen = TestScreen::new(120, 36);
    screen.store = before.store_of_another();
    let (effects, _) = update(&mut screen.model, Msg::Opened(Ok(Box::new(profile()))), screen.now);
    let late = |effect: &Effect| matches!(effect, Effect::Store(_, StoreCall::PlaceOf { .. }));
    let (place, others): (Vec<Effect>, Vec<Effect>) = effects.into_iter().partition(late);
    assert_eq!(place.len(), 1);
    screen.perform(others);
    screen.key("/").typed("nurse").key("Enter");
    let sent = searches(&screen).len();
    screen.perform(place);
    screen.settle();
    let grid = screen.model.search.grid();
    assert_eq!((grid.draft.value(Filter::Title), grid.cursor), (Some("nurse"), 0));
    assert_eq!(screen.model.search.panes[2], Panes::Grid, "an untouched width class stays as it was left");
    assert!(searches(&screen)[sent..].iter().all(|(_, canonical)| !canonical.contains("doctor")));
    screen.key("w").settle();
    assert_eq!(screen.model.search.grid().draft.value(Filter::Title), Some("pilot"));
}

/// A key that comes just when the place is due is answered first.
#[test]
fn a_key_does_not_wait_for_the_place_to_be_written() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    let place = |(effects, _): (Vec<Effect>, _)| {
        effects.iter().any(|effect| matches!(effect, Effect::Store(_, StoreCall::Place { .. })))
    };
    let step = || Msg::Key("j".parse().unwrap());
    assert!(!place(update(&mut screen.model, step(), screen.now)));
    assert!(!place(update(&mut screen.model, Msg::Painted, screen.now)));
    let due = screen.model.place_due.expect("the cursor moved");
    let mut later = screen.now;
    later.mono = due;
    assert!(!place(update(&mut screen.model, step(), later)));
    assert!(place(update(&mut screen.model, Msg::Painted, later)));
}

#[test]
fn ctrl_c_stops_a_query_and_twice_leaves() {
    let mut screen = TestScreen::new(120, 36);
    screen.open();
    screen.plan = Plan::Hold;
    screen.key("/").typed("nurse").key("Enter Ctrl-c");
    assert!(screen.held.is_empty(), "the request is dropped");
    screen.says("Search stopped");
    screen.key("Ctrl-c");
    assert!(!screen.done.contains(&Effect::Quit(0)));
    screen.wait(Duration::from_secs(3));
    screen.key("Ctrl-c");
    assert!(!screen.done.contains(&Effect::Quit(0)), "the first was too long ago");
    screen.key("Ctrl-c");
    assert!(screen.done.contains(&Effect::Quit(0)));
}

#[test]
fn escape_never_quits() {
    let mut screen = TestScreen::new(120, 36);
    screen.open().key("Esc Esc Esc Esc Esc");
    assert!(screen.done.is_empty());
    screen.key("q");
    assert!(screen.done.contains(&Effect::Quit(0)));
}
