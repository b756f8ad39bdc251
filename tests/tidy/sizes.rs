//! Files are small and named by what they hold: past three hundred lines one becomes a folder, or says here why it does not.

use super::sources::{code_of, root, rust_files};

/// Lines of code, tests of the file not counted: about three hundred, with a little room to finish a thought in.
const MOST: usize = 320;
/// Tests and benches are lists of cases: they may be longer before it is hard to find one's way in them.
const MOST_CASES: usize = 500;

/// The files that may be longer, and why.
const LONGER: &[(&str, &str)] = &[
    ("src/keys/table.rs", "a catalog: one row for each command, and the only place where a key meets one"),
    (
        "src/shell/terminal/painter.rs",
        "one frame, one write: what is shown, where the cursor is and how the pen writes are one state that every step changes",
    ),
    (
        "src/shell/terminal/input.rs",
        "one reader of what terminals send: its tables and the sequences they explain are read beside each other",
    ),
    ("src/shell/run/mod.rs", "one loop: all that can happen to a window, in the order in which it is heard"),
    ("tests/contract/workspace.rs", "one test for each sentence of the document, in the order of the document"),
];

#[test]
fn files_are_small_or_say_why_not() {
    let mut found = Vec::new();
    for (folder, most) in [("src", MOST), ("benches", MOST_CASES), ("tests", MOST_CASES)] {
        for path in rust_files(folder) {
            let text = std::fs::read_to_string(&path).unwrap();
            let lines = code_of(&text).lines().count();
            let name = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
            if lines > most {
                found.push((lines, name));
            }
        }
    }
    found.sort_by(|a, b| b.cmp(a));
    for (lines, name) in &found {
        let why = LONGER.iter().find(|(longer, _)| longer == name).map_or("NO REASON GIVEN", |(_, why)| why);
        println!("{lines:>6}  {name}: {why}");
    }
    let without: Vec<_> = found.iter().filter(|(_, name)| LONGER.iter().all(|(longer, _)| longer != name)).collect();
    assert!(without.is_empty(), "too long: make each a folder named by what it holds: {without:#?}");
    let gone: Vec<_> = LONGER.iter().filter(|(longer, _)| !root().join(longer).exists()).collect();
    assert!(gone.is_empty(), "not there any more: take out of the list: {gone:#?}");
}
