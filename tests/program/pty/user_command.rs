//! Commands of the person's own: rows go to a program, its end and what it printed are shown, and what rows say runs nothing.

use std::os::unix::fs::PermissionsExt;

use crate::pty::money::window;
use common::terminal::Terminal;
use common::test_app::TestApp;

/// Takes the rows; fails while there is a file `full`.
const CRM: &str = "#!/bin/sh
cat >> rows.jsonl
echo \"$1 took $(wc -l < rows.jsonl) rows\"
if test -e full; then rm full; echo 'the CRM is full' >&2; exit 3; fi
";

fn app() -> TestApp {
    let app = TestApp::new();
    let crm = app.path("crm");
    std::fs::write(&crm, CRM).unwrap();
    std::fs::set_permissions(&crm, std::fs::Permissions::from_mode(0o755)).unwrap();
    std::fs::create_dir_all(app.path("config")).unwrap();
    let run = format!("run = [\"{}\", \"$(touch owned);`touch owned`\"]", crm.display());
    let settings = format!(
        "[commands.results]\npush = {{ {run}, key = \"K\", rows = \"selection\" }}\nflood = {{ run = [\"yes\"] }}\n\
         [commands.basket]\nsend = {{ {run}, key = \"K\", rows = \"all\" }}\n"
    );
    std::fs::write(app.path("config/config.toml"), settings).unwrap();
    app.fault("hostile");
    app
}

fn rows(app: &TestApp) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(app.path("rows.jsonl")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What lies in the folder that the window was started in.
fn names(app: &TestApp) -> Vec<String> {
    let entries = std::fs::read_dir(app.path("")).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn leave(terminal: &mut Terminal) {
    terminal.send("q");
    terminal.wait_exit();
    terminal.is_restored();
}

#[test]
fn rows_go_to_a_program_and_hostile_rows_run_nothing() {
    let app = app();
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    let before = names(&app);
    terminal.send("K");
    terminal.wait_for("took 1 rows");
    // A range, and the whole basket from its screen.
    terminal.send("vjjK");
    terminal.wait_for("took 4 rows");
    terminal.send("\u{1b}   ");
    terminal.wait_for("Basket 3");
    terminal.send("gbK");
    terminal.wait_for("took 7 rows");
    let rows = rows(&app);
    assert_eq!(rows.len(), 7);
    assert_eq!(rows[..1], rows[1..2], "the row under the cursor begins the range");
    assert!(rows.iter().all(serde_json::Value::is_object));
    let mut after = names(&app);
    after.retain(|name| name != "rows.jsonl");
    assert_eq!(after, before, "nothing else was made: no shell read a row or a word");
    terminal.send("gs");
    leave(&mut terminal);
}

#[test]
fn a_failure_is_shown_and_can_be_tried_again_and_output_is_limited() {
    let app = app();
    std::fs::write(app.path("full"), "").unwrap();
    let mut terminal = window(&app);
    terminal.wait_for("page 1/");
    terminal.send("K");
    terminal.wait_for("push failed with exit code 3. the CRM is full");
    terminal.send("gj");
    terminal.wait_for("failed: exit code 3");
    terminal.send("\r");
    terminal.wait_for("the CRM is full");
    terminal.wait_for("took 1 rows");
    terminal.send("\u{1b}r");
    terminal.wait_for("push is done.");
    assert_eq!(rows(&app).len(), 2, "the same row once more");
    // One that prints without end is found in the palette, and stopped.
    terminal.send("gs:flood\r");
    terminal.wait_for("Running flood with 1 row");
    terminal.send("gjc");
    terminal.wait_for("flood was stopped");
    terminal.send("\r");
    terminal.wait_for("y");
    terminal.send("\u{1b}gs");
    leave(&mut terminal);
}
