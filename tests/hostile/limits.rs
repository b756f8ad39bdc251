//! A machine that gives little.

use crate::house::House;
use crate::terminal::Terminal;
use crate::window::command;

#[test]
fn sixty_four_open_files_are_enough_for_a_session() {
    let house = House::new();
    let mut terminal =
        Terminal::start(command(&house, &["/bin/sh", "-c", "ulimit -n 64; exec \"$0\" \"$@\""]), 160, 48);
    terminal.wait_for("page 1 of ");
    terminal.send(&" ".repeat(30));
    terminal.wait_for("Basket(30)");
    terminal.send("U");
    terminal.pay();
    terminal.wait_for("30 asked: ");
    terminal.send("e");
    terminal.wait_for("Nothing spent; the path is copied.");
    terminal.send("\x1b");
    for (keys, sign) in [("gc", "COUNTS"), ("gv", "SAVED"), ("go", "OWNED 30"), ("gs", "RESULTS ")] {
        terminal.send(keys);
        terminal.wait_for(sign);
    }
    let limits = std::fs::read_to_string(format!("/proc/{}/limits", terminal.pid().as_raw_nonzero())).unwrap();
    let files = limits.lines().find(|line| line.starts_with("Max open files")).unwrap();
    assert_eq!(files.split_whitespace().nth(3), Some("64"), "{files}");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
    assert_eq!(house.owned().len(), 30);
}
