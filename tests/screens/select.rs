//! Moving, choosing, undoing: what keys do to what one sees.

use std::time::Duration;

use crossterm::event::KeyCode;
use lode_core::contact::RowId;
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

use common::world::planned::{Plan, World, profile};

fn staged(world: &World) -> Vec<RowId> {
    let basket = &world.model.session.side(world.model.search.side).basket;
    basket.rows().iter().map(|entry| entry.id()).collect()
}

fn ids(numbers: &[i64]) -> Vec<RowId> {
    numbers.iter().map(|id| RowId(*id)).collect()
}

fn searches(world: &World) -> Vec<(u64, String)> {
    let searched = world.sent.iter().filter_map(|call| match call {
        Call::Search(search) => Some((search.offset, search.query.canonical())),
        _ => None,
    });
    searched.collect()
}

#[test]
fn space_stages_and_moves_down_and_once_more_takes_out() {
    let mut world = World::new(120, 36);
    world.open().key("Space Space");
    assert_eq!(staged(&world), ids(&[1, 2]));
    world.says("Added 1 row to the basket (2). Nothing spent.");
    world.key("k Space");
    assert_eq!(staged(&world), ids(&[1]));
    world.key("u");
    assert_eq!(staged(&world), ids(&[1, 2]));
    world.key("u u");
    assert_eq!(staged(&world), ids(&[]));
    world.key("Ctrl-r");
    assert_eq!(staged(&world).len(), 1);
}

#[test]
fn a_range_a_page_and_all_up_to_a_number() {
    let mut world = World::new(120, 36);
    world.open().key("j v j j Space");
    assert_eq!(staged(&world), ids(&[2, 3, 4]));
    world.key("a");
    assert_eq!(staged(&world).len(), 100);
    world.key("X");
    assert!(staged(&world).is_empty());
    world.key("u");
    assert_eq!(staged(&world).len(), 100, "one undo brings all of them back");
    world.key("X A").typed("250").key("Enter").settle();
    assert_eq!(staged(&world).len(), 250);
    world.says("Added 250 rows to the basket");
}

#[test]
fn the_basket_survives_new_searches_and_restarts() {
    let mut world = World::new(120, 36);
    world.open().key("Space /").typed("nurse").key("Enter").settle().key("j j j").key("Space");
    assert_eq!(staged(&world), ids(&[1, 5]).iter().map(|id| RowId(id.0.min(4))).collect::<Vec<_>>());
    // Another window on the same state.
    world.key("Tab");
    let mut again = World::new(120, 36);
    again.store = world.store_of_another();
    again.open();
    assert_eq!(staged(&again), staged(&world));
    again.says("title nurse");
    assert_eq!(again.model.search.seat().draft.value(Filter::Title), Some("nurse"));
}

#[test]
fn a_far_row_costs_one_request() {
    let mut world = World::new(120, 36);
    world.total = 80_000_000;
    world.open();
    let before = searches(&world).len();
    world.key("79999901G");
    assert_eq!(world.model.search.seat().cursor, 79_999_900);
    world.says("79,999,901");
    // The page that is looked at; a neighbor may be foreseen, nothing in between is read.
    let asked: Vec<u64> = searches(&world)[before..].iter().map(|(offset, _)| *offset).collect();
    assert_eq!(asked[0], 79_999_900);
    assert!(asked.iter().all(|offset| *offset >= 79_999_700), "{asked:?}");
    world.key("G");
    assert_eq!(world.model.search.seat().cursor, 79_999_999);
    world.key("g g");
    assert_eq!(world.model.search.seat().cursor, 0);
}

#[test]
fn service_pages_and_counts() {
    let mut world = World::new(120, 36);
    world.open().key("]");
    assert_eq!(world.model.search.seat().cursor, 100);
    world.key("3]");
    assert_eq!(world.model.search.seat().cursor, 400);
    world.key("[ 10k 0");
    assert_eq!(world.model.search.seat().cursor, 290);
}

#[test]
fn a_cell_becomes_a_filter_and_undo_brings_the_search_back() {
    let mut world = World::new(120, 36);
    world.open().key("l l l = Enter").settle();
    assert_eq!(world.model.search.seat().draft.value(Filter::State), Some("TX"));
    world.key("u").settle();
    assert!(world.model.search.seat().draft.is_unfiltered());
}

#[test]
fn masked_cells_are_no_filters() {
    let mut world = World::new(160, 48);
    world.open().key("W").settle().key("/").typed("nurse").key("Enter").settle().key("$ =");
    world.says("masked");
}

#[test]
fn each_side_keeps_its_search_place_and_basket() {
    let mut world = World::new(120, 36);
    world.open().key("Space j").key("w").settle();
    world.says("Workspace · LinkedIn");
    assert!(staged(&world).is_empty());
    world.key("w").settle();
    assert_eq!(world.model.search.seat().cursor, 2);
    assert_eq!(staged(&world), ids(&[1]));
    world.key("W").settle();
    world.says("Data API needs");
    assert!(searches(&world).iter().all(|(_, canonical)| canonical != "data/us"), "nothing unfiltered is sent there");
}

#[test]
fn ordering_and_finding_work_on_what_is_here() {
    let mut world = World::new(160, 48);
    world.open().key("O");
    world.says("rows read of 4,870 by name, Z to A");
    world.key("o");
    world.says("rows read of 4,870 by name ");
    world.key("Esc");
    world.says("4,870 contacts");
    world.key("Ctrl-f").typed("ruth").key("Enter");
    assert_eq!(world.model.search.seat().cursor % 8, 4);
    let first = world.model.search.seat().cursor;
    world.key("n");
    assert_eq!(world.model.search.seat().cursor, first + 8);
    world.key("N");
    assert_eq!(world.model.search.seat().cursor, first);
    world.key("Ctrl-f").typed("nobodyhere").key("Enter").says("No match for `");
}

/// This many rows are not in order before the next frame is due.
#[test]
fn keys_are_answered_while_many_rows_are_put_in_order() {
    let mut world = World::new(160, 48);
    world.open();
    for _ in 1..49 {
        world.key("]").settle();
    }
    world.key("O j j");
    assert!(world.model.search.is_sorting());
    assert_eq!(world.model.search.seat().cursor, 2);
    world.says("4,870 contacts");
    world.settle().says("sorted all 4,870 rows by name, Z to A");
    assert_eq!(world.model.search.seat().cursor, 2, "where the keys have led");
    world.key("o o").settle().says("4,870 contacts");
}

/// Whom the cursor stands on.
fn under_cursor(world: &World) -> Option<RowId> {
    world.model.search.seat().row(&world.model.session.side(world.model.search.side).window).and_then(|row| row.id())
}

#[test]
fn rows_that_are_read_while_others_are_sorted_move_nothing_until_the_key_sorts_them_in() {
    let mut world = World::new(160, 48);
    world.open().key("5j o").settle().says("sorted 200 rows read of 4,870 by name ─");
    world.says("o original order  + read the first 5,000");
    world.key("9j");
    let (before, row) = (world.model.search.seat().cursor, under_cursor(&world));
    world.key("+").settle().says("sorted 200 rows read of 4,870 by name · 4,670 more read, to sort in: o ─");
    world.says("Here now: all 4,870 rows.  o sort  Ctrl-f find");
    assert_eq!((world.model.search.seat().cursor, under_cursor(&world)), (before, row));
    world.key("Ctrl-f").says("Searches all fields of all 4,870 rows.");
    world.key("Esc o").settle().says("sorted all 4,870 rows by name ─");
    assert_eq!(under_cursor(&world), row, "the cursor stays on its row");
    // On a small screen too it is said of how many.
    for (width, label) in
        [(80, "sorted 200 rows read of 4,870 by name · 4,670 more read, to sort in: o"), (40, "sorted 200 of 4,870")]
    {
        let mut small = World::new(width, 24);
        small.open().key("o +").settle().says(label);
    }
    let seat = world.model.search.seat();
    assert!(seat.cursor > before && seat.cursor - seat.top == before, "and the row where it was on the screen");
    // Once more: the service's order, where it was left.
    world.key("o").settle().says("Sorted by the service.");
    assert_eq!(world.model.search.seat().cursor, 5);
    world.key("+").says("Already here: all 4,870 rows.");
}

#[test]
fn the_first_rows_are_read_behind_what_is_looked_at_with_a_bar_and_stop_on_a_key() {
    let offsets = |world: &World| searches(world).into_iter().map(|(offset, _)| offset).collect::<Vec<_>>();
    for (stop, width, bar) in [("Esc", 160, "Ctrl-c stop"), ("Ctrl-c", 80, "Reading 300 of 4,870  ━")] {
        let mut world = World::new(width, 36);
        world.open().plan = Plan::Hold;
        world.key("+").says("Reading 200 of 4,870 ");
        world.says("━");
        assert_eq!(offsets(&world).last(), Some(&200), "one page after the other");
        world.release(0);
        world.says(bar);
        assert_eq!((offsets(&world).last(), world.held.len()), (Some(&300), 1));
        // What the cursor needs is asked for at once, beside it.
        world.key("4000G");
        assert!(offsets(&world).contains(&3_900) || offsets(&world).contains(&4_000), "{:?}", offsets(&world));
        world.plan = Plan::Answer;
        while !world.held.is_empty() {
            let at = world.held.len() - 1;
            world.release(at);
            if world.held.len() <= 1 && offsets(&world).len() > 12 {
                break;
            }
        }
        world.plan = Plan::Hold;
        world.key(stop).settle();
        let asked = offsets(&world).len();
        assert!(world.model.session.side(world.model.search.side).reading().is_none());
        world.key("j k").settle();
        assert_eq!(offsets(&world).len(), asked, "nothing is read any more");
        assert!(!world.screen().contains("━━"), "{}", world.screen());
    }
}

#[test]
fn reading_that_fails_says_where_and_what_was_read_stays() {
    let mut world = World::new(160, 48);
    world.open().plan = Plan::Hold;
    world.key("+");
    world.release(0);
    world.plan = Plan::Fail(Failure::Refused { status: 400, why: Refusal::Request, words: "no deeper".to_owned() });
    let (id, call) = world.held.remove(0);
    let Plan::Fail(failure) = world.plan.clone() else { unreachable!() };
    world.tell(Msg::Answered(Answer::of(id, call, Err(failure))));
    world.settle().says("Stopped at row 301: ");
    assert!(world.model.session.side(world.model.search.side).reading().is_none());
    world.plan = Plan::Answer;
    world.key("o").settle().says("sorted 300 rows read of 4,870");
}

#[test]
fn finding_goes_on_at_the_other_end_in_both_directions_and_in_any_order() {
    let mut world = World::new(160, 48);
    world.total = 96;
    world.open();
    world.key("Ctrl-f").typed("RUTH").key("Enter");
    for order in ["", "O"] {
        if !order.is_empty() {
            world.key(order);
        }
        world.key("g g").key("Ctrl-f").key("Enter");
        let first = world.model.search.seat().cursor;
        world.key("Ctrl-f").key("Enter");
        assert_eq!(world.model.search.seat().cursor, first, "what was typed may stand in the row of the cursor");
        world.key("N").says("from the other end");
        let last = world.model.search.seat().cursor;
        assert!(last > first, "{first} {last}");
        world.key("n").says("from the other end");
        assert_eq!(world.model.search.seat().cursor, first);
        let mut seen = vec![first];
        loop {
            world.key("n");
            let cursor = world.model.search.seat().cursor;
            if cursor == first {
                break;
            }
            assert!(Some(&cursor) > seen.last(), "{cursor} after {seen:?}");
            seen.push(cursor);
        }
        assert_eq!(seen.last(), Some(&last));
        for place in seen.iter().rev() {
            assert_eq!(world.key("N").model.search.seat().cursor, *place);
        }
    }
}

/// More rows than are looked at one by one, in every order: the cursor goes where a walk from row to row would end.
#[test]
fn a_find_goes_where_a_walk_from_row_to_row_would() {
    let mut world = World::new(160, 48);
    world.total = 2_400;
    world.open();
    for _ in 1..24 {
        world.key("]").wait(Duration::from_secs(1));
    }
    let side = world.model.search.side;
    assert_eq!(world.model.session.side(side).window.held(), 2_400);
    for order in ["", "o", "l O"] {
        world.key(order);
        for words in ["ruth", "2399", "77", "bounced", "nobodyhere"] {
            let needle = Needle::new(words);
            let window = &world.model.session.side(side).window;
            let seat = world.model.search.seat();
            let is_hit = |place: &u64| matches!(window.slot(seat.index(*place)), Slot::Row(row) if needle.is_in(row));
            let hits: Vec<u64> = (0..2_400).filter(is_hit).collect();
            world.key("g g").key("Ctrl-f").key("Ctrl-u").typed(words).key("Enter");
            for from in [0, 1, 700, 1_399, 1_400, 2_398, 2_399] {
                let forth = hits.iter().find(|hit| **hit > from).or(hits.first()).copied().unwrap_or(from);
                let back = hits.iter().rfind(|hit| **hit < from).or(hits.last()).copied().unwrap_or(from);
                for (key, place) in [("n", forth), ("N", back)] {
                    world.model.search.seat_mut().cursor = from;
                    assert_eq!(world.key(key).model.search.seat().cursor, place, "{key} {words} from {from} {order}");
                }
            }
        }
    }
}

#[test]
fn paste_types_and_never_runs() {
    let mut world = World::new(120, 36);
    world.open();
    world.tell(Msg::Paste("Space U 5 Enter\nq".to_owned()));
    assert!(staged(&world).is_empty(), "outside a field a paste does nothing");
    world.key("/");
    let before = world.sent.len();
    world.tell(Msg::Paste("director\nof nursing".to_owned()));
    world.says("director of nursing");
    assert_eq!(world.sent.len(), before, "a line break in a paste is no Enter");
}

#[test]
fn a_picker_takes_names_for_codes() {
    let mut world = World::new(120, 36);
    world.open().key("f s").typed("texas").key("Enter").settle();
    assert_eq!(world.model.search.seat().draft.value(Filter::State), Some("TX"));
}

#[test]
fn what_cannot_be_done_says_why() {
    let mut world = World::new(120, 36);
    world.open().key("p");
    world.says("Only the Data API has pulled rows.");
    world.key(":").typed("hide pulled").key("Enter").says("Only the Data API has pulled rows.");
}

#[test]
fn copying_hands_over_what_is_shown() {
    let mut world = World::new(120, 36);
    world.open().key("y n");
    assert!(world.done.contains(&Effect::Copy("Dana Whitfield".to_owned())));
    world.key("y c");
    assert!(world.done.contains(&Effect::Copy("lode search --source workspace --corpus us".to_owned())));
}

#[test]
fn clicks_do_what_stands_there() {
    let mut world = World::new(160, 48);
    world.open();
    let (x, y) = place_of(&world, "Elena Sorokina");
    mouse(&mut world, (x, y), MouseWhat::Press);
    assert_eq!(world.model.search.seat().cursor, 2);
    mouse(&mut world, (x - 3, y), MouseWhat::Press);
    assert_eq!(staged(&world), ids(&[3]), "the sign column is the basket");
    mouse(&mut world, (x, y), MouseWhat::Double);
    world.says("╰─ 3 of 4,870");
    world.key("Esc");
    let basket = place_of(&world, "Basket");
    mouse(&mut world, basket, MouseWhat::Press);
    world.says("Basket · Workspace");
    world.key("q");
    let company = place_of(&world, "Company");
    mouse(&mut world, company, MouseWhat::Press);
    world.says("rows read of 4,870 by company");
    for _ in 0..5 {
        mouse(&mut world, company, MouseWhat::WheelDown);
    }
    assert_eq!(world.model.search.seat().cursor, 15);
}

#[test]
fn what_is_picked_in_the_palette_reaches_the_terminal() {
    let mut world = World::new(120, 36);
    world.open().key(":").typed("mouse");
    let (_, shelled) = update(&mut world.model, Msg::Key(Chord::plain(KeyCode::Enter)), world.now);
    assert_eq!((world.model.mouse, shelled.mouse), (false, Some(false)));
}

#[test]
fn the_screen_is_repainted_while_a_number_or_a_text_is_typed_too() {
    for (keys, opens) in [("", false), ("/ n u", true), (": t h", true), ("Space U", true)] {
        let mut world = World::new(120, 36);
        world.open().key(keys).settle();
        let over = world.model.search.edit.is_some() || world.model.nav.top().is_some();
        assert_eq!(over, opens, "after {keys}");
        let before = world.screen();
        let (_, shelled) = update(&mut world.model, Msg::Key(Chord::ctrl('l')), world.now);
        assert!(shelled.repaint, "after {keys}");
        assert_eq!(world.screen(), before, "nothing else changes");
    }
}

fn industries(world: &World) -> Vec<String> {
    world.model.search.seat().draft.values(Filter::Industry).to_vec()
}

/// Where these words stand on the screen.
pub(crate) fn place_of(world: &World, words: &str) -> (u16, u16) {
    let screen = world.screen();
    let (y, line) = screen.lines().enumerate().find(|(_, line)| line.contains(words)).unwrap();
    (line[..line.find(words).unwrap()].chars().count() as u16, y as u16)
}

pub(crate) fn mouse(world: &mut World, (x, y): (u16, u16), what: MouseWhat) {
    world.tell(Msg::Mouse(Mouse { x, y, what }));
}

#[test]
fn one_of_several_industries_is_taken_out_changed_and_joined_by_another() {
    let mut world = World::new(160, 48);
    world.open().key("f i").typed("hospital, clinic, dental").key("Enter").settle();
    assert_eq!(industries(&world), ["hospital", "clinic", "dental"]);
    // The pane, its industry line, the second of its values.
    world.key("Shift-Tab Home j j l l").says("clinic: Backspace remove");
    world.key("Backspace").settle();
    assert_eq!(industries(&world), ["hospital", "dental"]);
    world.key("Enter").says("dental");
    world.key("Ctrl-u").typed("nursing").key("Enter").settle();
    assert_eq!(industries(&world), ["hospital", "nursing"]);
    world.key("Shift-Tab a").typed("pharmacy").key("Enter").settle();
    assert_eq!(industries(&world), ["hospital", "nursing", "pharmacy"]);
    world.key("u").settle();
    assert_eq!(industries(&world), ["hospital", "nursing"]);
    // Left of the first value stands the filter as a whole.
    world.key("Shift-Tab h h h Backspace").settle();
    assert!(industries(&world).is_empty());
}

#[test]
fn a_clicked_industry_is_the_one_that_is_marked() {
    let mut world = World::new(160, 48);
    world.open().key("f i").typed("hospital, clinic").key("Enter").settle();
    let chip = place_of(&world, ", clinic");
    mouse(&mut world, (chip.0 + 3, chip.1), MouseWhat::Press);
    world.says("clinic: Backspace remove");
    world.key("Backspace").settle();
    assert_eq!(industries(&world), ["hospital"]);
    let chip = place_of(&world, "industry hospital");
    mouse(&mut world, chip, MouseWhat::Press);
    assert!(world.model.search.edit.is_some(), "an only value opens its field");
}

#[test]
fn the_cross_of_a_pill_takes_its_part_out_of_the_search() {
    let mut world = World::new(160, 48);
    world.open().key("/").typed("nurse").key("Enter").settle().key("E t").typed("vp").key("Enter H").settle();
    for (pill, left) in
        [("not owned ×", "title nurse × "), ("not vp ×", "title nurse × "), ("title nurse ×", "no filters")]
    {
        let (x, y) = place_of(&world, pill);
        mouse(&mut world, (x + pill.chars().count() as u16 - 1, y), MouseWhat::Press);
        world.settle();
        let line = world.screen().lines().nth(1).unwrap_or_default().to_owned();
        assert!(line.contains(left) && !line.contains(pill), "{pill}: {line}");
    }
    world.key("u").settle().says("title nurse ×");
}

#[test]
fn dragging_makes_a_range() {
    let mut world = World::new(160, 48);
    world.open();
    let (x, y) = place_of(&world, "Priya Raman");
    mouse(&mut world, (x, y), MouseWhat::Press);
    mouse(&mut world, (x, y), MouseWhat::Drag);
    assert_eq!(world.model.search.seat().anchor, None, "a hand that trembles is no range");
    mouse(&mut world, (x, y + 3), MouseWhat::Drag);
    world.says("Range of 4 rows");
    mouse(&mut world, (x, y + 2), MouseWhat::Drag);
    mouse(&mut world, (x, y + 2), MouseWhat::Release);
    mouse(&mut world, (x, y + 9), MouseWhat::Drag);
    world.key("Space");
    assert_eq!(staged(&world), ids(&[2, 3, 4]));
}

#[test]
fn dragging_beyond_the_edge_moves_on() {
    let mut world = World::new(160, 48);
    world.open();
    let (x, y) = place_of(&world, "Priya Raman");
    mouse(&mut world, (x, y), MouseWhat::Press);
    let bottom = u64::from(world.draw().1.frame.list.unwrap().area.height);
    for _ in 0..3 {
        mouse(&mut world, (x, 47), MouseWhat::Drag);
    }
    assert_eq!(world.model.search.seat().cursor, bottom + 2);
    let top = world.draw().1.frame.list.unwrap().top;
    for _ in 0..2 {
        mouse(&mut world, (x, 0), MouseWhat::Drag);
    }
    assert_eq!(world.model.search.seat().cursor, top - 2);
    mouse(&mut world, (x, 0), MouseWhat::Release);
    // A drag that begins beside the rows selects nothing.
    world.key("Esc");
    let head = place_of(&world, "Company");
    mouse(&mut world, head, MouseWhat::Press);
    mouse(&mut world, (x, y + 5), MouseWhat::Drag);
    assert_eq!(world.model.search.seat().anchor, None);
}

/// The store answers after the first keys: what they did stays.
#[test]
fn a_late_place_does_not_undo_what_was_typed_meanwhile() {
    let mut before = World::new(120, 36);
    before.open().key("/").typed("doctor").key("Enter").settle().key("w").settle();
    before.key("/ Ctrl-u").typed("pilot").key("Enter");
    before.settle().key("w j j").key("F9");
    let mut world = World::new(120, 36);
    world.store = before.store_of_another();
    let (effects, _) = update(&mut world.model, Msg::Opened(Ok(Box::new(profile()))), world.now);
    let late = |effect: &Effect| matches!(effect, Effect::Store(_, StoreCall::PlaceOf { .. }));
    let (place, others): (Vec<Effect>, Vec<Effect>) = effects.into_iter().partition(late);
    assert_eq!(place.len(), 1);
    world.perform(others);
    world.key("/").typed("nurse").key("Enter");
    let sent = searches(&world).len();
    world.perform(place);
    world.settle();
    let seat = world.model.search.seat();
    assert_eq!((seat.draft.value(Filter::Title), seat.cursor), (Some("nurse"), 0));
    assert_eq!(world.model.search.panes[2], Panes::Grid, "an untouched width class stays as it was left");
    assert!(searches(&world)[sent..].iter().all(|(_, canonical)| !canonical.contains("doctor")));
    world.key("w").settle();
    assert_eq!(world.model.search.seat().draft.value(Filter::Title), Some("pilot"));
}

#[test]
fn ctrl_c_stops_a_query_and_twice_leaves() {
    let mut world = World::new(120, 36);
    world.open();
    world.plan = Plan::Hold;
    world.key("/").typed("nurse").key("Enter Ctrl-c");
    assert!(world.held.is_empty(), "the request is dropped");
    world.says("Search stopped");
    world.key("Ctrl-c");
    assert!(!world.done.contains(&Effect::Quit(0)));
    world.wait(Duration::from_secs(3));
    world.key("Ctrl-c");
    assert!(!world.done.contains(&Effect::Quit(0)), "the first was too long ago");
    world.key("Ctrl-c");
    assert!(world.done.contains(&Effect::Quit(0)));
}

#[test]
fn escape_never_quits() {
    let mut world = World::new(120, 36);
    world.open().key("Esc Esc Esc Esc Esc");
    assert!(world.done.is_empty());
    world.key("q");
    assert!(world.done.contains(&Effect::Quit(0)));
}
