//! Exports on a real terminal, and everything that can end one: the line, the disk, the keys, death. Whatever happens, a file
//! under its final name is whole.

use common::asking::Small;
use std::time::Duration;

use lode_core::grouped;
use lode_sandbox::faults::FaultRule;
use lode_sandbox::rate::RateLimit;
use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::Variant;
use portable_pty::CommandBuilder;
use rustix::process::Signal;

use common::terminal::{Terminal, environment, lode};
use common::vast::Vast;

/// So slow that what is being exported takes minutes: whatever a test does meanwhile, it still runs.
const DRIP: &[&str] = &["drip@export=1:3000"];

struct TestApp {
    sandbox: Sandbox,
    home: tempfile::TempDir,
}

impl TestApp {
    fn new(rules: &[&str]) -> TestApp {
        TestApp::sized(ServiceSetup::small().us_rows, rules)
    }

    fn sized(us_rows: u64, rules: &[&str]) -> TestApp {
        TestApp::of(ServiceSetup { us_rows, ..ServiceSetup::small() }, rules)
    }

    fn of(setup: ServiceSetup, rules: &[&str]) -> TestApp {
        let setup = ServiceSetup { allowance: RateLimit { requests: 0, window_ms: 60_000 }, ..setup };
        let app = TestApp {
            sandbox: Sandbox::start(SandboxSettings { setup, ..SandboxSettings::default() }).unwrap(),
            home: common::folder(),
        };
        app.faults(rules);
        app
    }

    fn faults(&self, rules: &[&str]) {
        let rules: Vec<FaultRule> = rules.iter().map(|rule| rule.parse().unwrap()).collect();
        self.sandbox.service().state().faults.rules = rules;
    }

    /// The services are told to the window, whatever starts it.
    fn window_of(&self, mut command: CommandBuilder) -> Terminal {
        for (name, value) in [
            ("LODE_WORKSPACE_URL", &self.sandbox.workspace_url),
            ("LODE_WORKSPACE_KEY", &self.sandbox.workspace_key),
            ("LODE_DATA_URL", &self.sandbox.data_url),
            ("LODE_DATA_KEY", &self.sandbox.data_key),
        ] {
            command.env(name, value);
        }
        Terminal::start(command, 160, 48)
    }

    /// A window on a search of the Data API that matches something.
    fn window(&self) -> Terminal {
        let mut terminal = self.window_of(lode(self.home.path(), &[]));
        search(&mut terminal, "nurse");
        terminal
    }

    /// What lies where the window was started, but for its own folders.
    fn files(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.home.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.filter(|name| name.contains("leads")).collect();
        names.sort();
        names
    }

    /// The rows of a whole file, read as the CSV that it must be.
    fn rows(&self, name: &str) -> usize {
        let mut reader = csv::Reader::from_path(self.home.path().join(name)).unwrap();
        reader.records().map(Result::unwrap).count()
    }
}

fn search(terminal: &mut Terminal, words: &str) {
    terminal.wait_for("page 1/");
    terminal.send("W");
    terminal.wait_for("Data · US");
    terminal.send("/");
    terminal.wait_for("⌕ Query");
    terminal.send(&format!("{words}\r"));
    terminal.wait_for(&format!("query {words}"));
    terminal.wait_for("page 1/");
}

fn export(terminal: &mut Terminal, form: &str, name: &str) {
    terminal.send("e");
    terminal.wait_for("Export what?");
    terminal.send("/all results\r");
    terminal.wait_for("Export as");
    terminal.send(&format!("/{form}\r"));
    terminal.wait_for("Export to");
    terminal.send(&format!("{name}\r"));
    terminal.wait_gone("Export to");
}

#[test]
fn leaving_asks_and_keeps_what_has_come_under_a_name_that_says_so() {
    let app = TestApp::sized(60_000, DRIP);
    let mut terminal = app.window();
    export(&mut terminal, "raw", "leads.csv");
    terminal.wait_until("some rows", |screen| {
        let screen = screen.contents();
        screen.contains("Exporting") && !screen.contains("Exporting 0 of") && screen.contains("B/s")
    });
    terminal.send("q");
    terminal.wait_for("1 job is running.");
    terminal.send("\r");
    terminal.wait_gone("1 job is running.");
    terminal.wait_for("Exporting");
    terminal.send("q");
    terminal.wait_for("Quit and keep the partial file as .incomplete");
    terminal.send("\x1b[B\x1b[B\r");
    assert!(terminal.wait_exit().success());
    terminal.is_restored();
    assert_eq!(app.files(), ["leads.incomplete.csv"]);
}

#[test]
fn a_window_that_is_killed_leaves_nothing_under_the_final_name_and_the_next_one_takes_over() {
    let app = TestApp::sized(60_000, DRIP);
    let mut terminal = app.window();
    export(&mut terminal, "raw", "leads.csv");
    terminal.wait_for("B/s");
    terminal.signal(Signal::KILL);
    terminal.wait_exit();
    assert_eq!(app.files(), ["leads.csv.part"]);

    app.faults(&[]);
    let mut terminal = app.window_of(lode(app.home.path(), &[]));
    terminal.wait_for("query nurse");
    terminal.wait_for("page 1/");
    export(&mut terminal, "raw", "leads.csv");
    terminal.wait_for("Nothing spent; the path is copied.");
    assert_eq!(app.files(), ["leads.csv"]);
    assert!(app.rows("leads.csv") > 50);
    terminal.send("\x1b");
    terminal.wait_gone("the path is copied.");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn a_cut_line_is_said_and_trying_again_brings_the_whole() {
    let app = TestApp::sized(60_000, &["reset-mid@export=next"]);
    let mut terminal = app.window();
    export(&mut terminal, "contacts", "leads.csv");
    terminal.wait_for("The export failed:");
    assert_eq!(app.files(), ["leads.incomplete.csv"]);
    terminal.send("gj");
    terminal.wait_for("failed: ");
    terminal.send("r");
    terminal.wait_for("complete: leads.csv");
    terminal.wait_for("phone numbers preserved");
    assert_eq!(app.files(), ["leads.csv", "leads.incomplete.csv"]);
    assert!(app.rows("leads.csv") > 1_000);
    terminal.send("gs");
    terminal.wait_for(" contacts");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
}

#[test]
fn a_stream_that_stands_still_is_shown_and_canceled() {
    let app = TestApp::new(&["stall@export=next:2000"]);
    let mut terminal = app.window();
    export(&mut terminal, "raw", "leads.csv");
    terminal.send("gj");
    terminal.wait_for("Jobs 1 running");
    terminal.wait_for("nothing for ");
    terminal.send("c");
    terminal.wait_for("Cancel the export");
    terminal.send("\x1b[B\x1b[B\r");
    terminal.wait_for("stopped, file deleted");
    assert_eq!(app.files(), [""; 0]);
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
}

#[test]
fn a_disk_that_is_full_ends_it_with_a_sentence_and_the_last_good_file_stays() {
    let app = TestApp::sized(600_000, &[]);
    std::fs::write(app.home.path().join("leads.csv"), "the last good one").unwrap();
    // A limit on the size of files stands for a disk that takes no more: room for the books, not for the export. Shells count
    // it in halves of a kilobyte or in whole ones.
    let mut command = CommandBuilder::new("sh");
    let script = format!("ulimit -f 2000; exec {}", env!("CARGO_BIN_EXE_lode"));
    command.args(["-c", &script]);
    environment(&mut command, app.home.path());
    let mut terminal = app.window_of(command);
    search(&mut terminal, "nurse");
    export(&mut terminal, "raw", "leads.csv");
    terminal.wait_for("already exists");
    terminal.send("j\r");
    terminal.wait_for("The export failed:");
    terminal.wait_for("leads.csv cannot be written");
    assert_eq!(app.files(), ["leads.csv"]);
    assert_eq!(std::fs::read(app.home.path().join("leads.csv")).unwrap(), b"the last good one");
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
}

#[test]
fn what_no_disk_can_hold_is_refused_politely() {
    let app = TestApp::new(&[]);
    let vast = Vast::start();
    let mut command = lode(app.home.path(), &[]);
    command.env("LODE_WORKSPACE_URL", &app.sandbox.workspace_url);
    command.env("LODE_WORKSPACE_KEY", &app.sandbox.workspace_key);
    command.env("LODE_DATA_URL", &vast.url);
    command.env("LODE_DATA_KEY", "any_key");
    let mut terminal = Terminal::start(command, 160, 48);
    terminal.wait_for("page 1/");
    terminal.send("W");
    terminal.wait_for("Data · US");
    // With a filter alone the service is asked for the file at once.
    for keys in ["f", "title\r", "nurse\r"] {
        terminal.send(keys);
    }
    terminal.wait_for("title nurse");
    terminal.wait_for("page 1/");
    export(&mut terminal, "raw", "leads.csv");
    // The list asks for each of its rows here, so the total may have to wait for the next minute of the allowance. What each of them
    // says may take the place of the message: the jobs keep theirs.
    terminal.send("gj");
    let refused = |screen: &vt100::Screen| screen.contents().contains(", but only");
    terminal.wait_within(Duration::from_secs(150), "the refusal", refused);
    terminal.wait_for("; nothing was kept");
    assert_eq!(app.files(), [""; 0]);
    terminal.send("gs");
    terminal.wait_for("page 1/");
    terminal.send("q");
    assert!(terminal.wait_exit().success(), "nothing runs any more, so nothing is asked");
    terminal.is_restored();
}

#[test]
fn two_stream_beside_each_other_while_a_search_goes_on() {
    let app = TestApp::sized(60_000, DRIP);
    let mut terminal = app.window();
    export(&mut terminal, "raw", "leads-one.csv");
    terminal.wait_for("Exporting");
    export(&mut terminal, "contacts", "leads-two.csv");
    terminal.send("gj");
    terminal.wait_for("Jobs 2 running");
    terminal.wait_until("both of them", |screen| screen.contents().matches("B/s").count() >= 2);
    terminal.send("gs");
    terminal.send("/");
    terminal.wait_for("⌕ Query");
    terminal.send("\x15director\r");
    terminal.wait_for("query director");
    terminal.wait_for("page 1/");
    terminal.wait_for("and 1 more");
    terminal.signal(Signal::TERM);
    terminal.wait_exit();
    let kept = ["leads-one.incomplete.csv", "leads-two.incomplete.csv"];
    assert_eq!(app.files(), kept, "nothing is under a final name");
}

/// Its end is not drawn between two keys, and is not lost: it is told once keys pause.
#[test]
fn an_export_that_ends_while_keys_come_is_told_once_they_pause() {
    let app = TestApp::sized(60_000, &["drip@export=1:400000"]);
    let mut terminal = app.window();
    export(&mut terminal, "raw", "leads.csv");
    terminal.wait_for("Exporting");
    let is_told = |screen: &str| screen.contains("╭ Exported · ");
    let (mut row, mut more) = (1, 5);
    // A few more keys after the file is whole. On a busy machine they may be so far apart that it is told between two of them.
    while more > 0 && !is_told(&terminal.screen()) {
        row += 1;
        more -= usize::from(app.files() == ["leads.csv"]);
        terminal.send("j");
        let moved = format!("╰─ {} of ", grouped(row));
        terminal.wait_until("the next row, or the end", |screen| {
            let screen = screen.contents();
            screen.contains(&moved) || is_told(&screen)
        });
    }
    assert!(row > 6, "keys came while it was running");
    terminal.wait_for("╭ Exported · ");
    terminal.wait_gone("Exporting");
    assert!(app.rows("leads.csv") > 0);
}

#[test]
fn a_keyword_that_the_service_ignores_is_noticed_and_its_pages_are_certain() {
    let app = TestApp::of(ServiceSetup { variant: Variant::D, ..ServiceSetup::small() }, &[]);
    let mut terminal = app.window();
    export(&mut terminal, "raw", "leads.csv");
    terminal.wait_for("ignores the keyword in exports");
    assert_eq!(app.files(), Vec::<String>::new());
    terminal.send("e");
    terminal.wait_for("every page of the search (");
    terminal.send("/every page\r");
    terminal.wait_for("Export as");
    terminal.send("/raw\r");
    terminal.wait_for("Export to");
    terminal.send("leads.csv\r");
    terminal.wait_for("The path is copied. Nothing was spent.");
    assert_eq!(app.files(), ["leads.csv"]);
    let text = std::fs::read_to_string(app.home.path().join("leads.csv")).unwrap();
    assert!(
        text.lines().skip(1).count() > 10 && text.lines().skip(1).all(|line| line.to_lowercase().contains("nurse"))
    );
    terminal.send("\x1bq");
    terminal.wait_exit();
    terminal.is_restored();
}
