//! Whole journeys, from the first frame to coming back tomorrow.

use common::terminal::{DEMO, Terminal, lode};

#[test]
fn without_a_key_the_first_frame_says_how_to_go_on() {
    let home = common::folder();
    let mut terminal = Terminal::start(lode(home.path(), &[]), 120, 36);
    terminal.wait_for("Welcome to lode");
    terminal.wait_for("no key needed");
    terminal.send("\x1b");
    terminal.wait_gone("Welcome to lode");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
}

#[test]
fn the_last_row_of_eighty_million() {
    let home = common::folder();
    let mut terminal = Terminal::start(lode(home.path(), &["demo"]), 160, 48);
    terminal.wait_for("● sandbox");
    terminal.wait_for("page 1/");
    let total = |screen: &str| {
        let words = screen.split(" contacts").next()?.rsplit(' ').next()?;
        words.replace(',', "").parse::<u64>().ok()
    };
    let rows = total(&terminal.screen()).expect("a total");
    assert!((79_000_000..=80_000_000).contains(&rows), "{rows}");
    terminal.send("G");
    let last = lode_core::credits::grouped(rows);
    terminal.wait_for(&format!("╰─ {last} of "));
    terminal.wait_until("its email", |screen| screen.contents().contains("Unlock for 1 credit"));
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn tomorrow_is_the_same_search_place_and_basket() {
    let home = common::folder();
    let mut terminal = Terminal::start(lode(home.path(), &DEMO), 160, 48);
    terminal.wait_for("page 1/");
    terminal.send("/");
    terminal.wait_for("contains");
    terminal.send("nurse\r");
    terminal.wait_for("title nurse");
    terminal.wait_for("page 1/");
    terminal.send("30G");
    terminal.wait_for("╰─ 30 of ");
    terminal.send(" ");
    terminal.wait_for("Added 1 row. Basket: 1. Nothing spent.");
    terminal.wait_for("╰─ 31 of ");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();

    let mut terminal = Terminal::start(lode(home.path(), &DEMO), 160, 48);
    terminal.wait_for("title nurse");
    terminal.wait_for("╰─ 31 of ");
    terminal.wait_for("Basket 1");
    terminal.wait_for("Basket 1");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn resize_storms_end_in_a_whole_screen() {
    let home = common::folder();
    let mut terminal = Terminal::start(lode(home.path(), &DEMO), 160, 48);
    terminal.wait_for("page 1/");
    for step in 0..60u16 {
        terminal.resize(30 + step * 7 % 150, 6 + step * 5 % 60);
    }
    terminal.resize(100, 30);
    terminal.wait_until("a whole screen of 100x30", |screen| {
        let rows: Vec<String> = screen.rows(0, 100).collect();
        rows.len() == 30
            && rows[1].contains(" contacts")
            && rows.iter().any(|row| row.starts_with('╭') && row.trim_end().ends_with('╮'))
            && rows.iter().any(|row| row.starts_with('╰') && row.trim_end().ends_with('╯'))
            && rows.last().is_some_and(|row| row.contains("? help"))
    });
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

/// Reading in the background has a bar, stops on a key, and what was read is what is sorted.
#[test]
fn the_first_five_thousand_are_read_stopped_and_sorted() {
    let home = common::folder();
    // With the latency of the demo, so that it can be seen.
    let mut terminal = Terminal::start(lode(home.path(), &DEMO[..5]), 160, 48);
    terminal.wait_for("page 1/");
    terminal.send("+");
    terminal.wait_for(" of 5,000  ━");
    terminal.send("\x03");
    terminal.wait_for("Stopped reading: ");
    terminal.wait_gone(" of 5,000  ");
    terminal.send("+");
    terminal.wait_for(" of 5,000  ");
    terminal.wait_for("Here now: 5,000 rows read of ");
    terminal.send("o");
    terminal.wait_for("sorted 5,000 rows read of ");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}
