//! How many keys the usual ways take, counted from a window that has just opened.

use common::terminal::Terminal;

/// A hand that counts.
struct Hand {
    terminal: Terminal,
    pressed: usize,
}

impl Hand {
    fn press(&mut self, key: &str, wanted: &str) {
        self.terminal.send(key);
        self.pressed += 1;
        self.terminal.wait_for(wanted);
    }
}

fn demo(home: &std::path::Path) -> Hand {
    Hand { terminal: super::newcomer::demo(home), pressed: 0 }
}

#[test]
fn the_first_unlock_takes_3_keys() {
    let home = common::folder();
    let mut hand = demo(home.path());
    hand.press("U", "Maximum cost");
    // One digit and Enter, as often as it takes until they are heard: the review drops what comes too soon.
    let number = hand.terminal.pay();
    hand.pressed += number.len() + 1;
    hand.terminal.wait_for("Owned");
    assert_eq!(hand.pressed, 3);
}

#[test]
fn a_recall_takes_2_keys() {
    let home = common::folder();
    let mut hand = demo(home.path());
    hand.terminal.send("/nurse\r");
    hand.terminal.wait_for("title nurse");
    hand.terminal.wait_for("page 1/");
    hand.terminal.send("q");
    hand.terminal.wait_exit();
    let mut hand = demo(home.path());
    hand.press("r", "Recall a search");
    hand.press("\r", "title nurse");
    hand.terminal.wait_gone("Recall a search");
    assert_eq!(hand.pressed, 2);
}

#[test]
fn a_title_a_state_and_an_industry_take_at_most_17_keys() {
    let home = common::folder();
    let mut hand = demo(home.path());
    hand.press("/", "contains");
    for letter in ["n", "nu", "nur", "nurs", "nurse"] {
        hand.press(&letter[letter.len() - 1..], letter);
    }
    hand.press("\r", "title nurse");
    hand.press("f", "Filter by");
    hand.press("s", "Alabama");
    hand.press("t", "Tennessee");
    hand.press("x", "Texas");
    hand.press("\r", "state TX");
    // What may be picked is read from the rows.
    hand.terminal.wait_until("rows of Texas", |screen| {
        let screen = screen.contents();
        let mut rows = screen.lines().filter(|line| line.contains("•••@") && !line.contains("email "));
        rows.clone().count() > 9 && rows.all(|line| line.contains(" TX "))
    });
    hand.press("f", "Filter by");
    hand.press("i", "contains any of these");
    hand.press("h", "Hospital");
    hand.press("o", "▌ Ho");
    hand.press("\r", "industry Ho");
    assert!(hand.pressed <= 17, "{}", hand.pressed);
}
