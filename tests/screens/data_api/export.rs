//! Exports from the screen, as jobs: what is exported, how far it is, how it ends.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use lode_core::contact::Source;
use lode_core::credits::counted;
use lode_core::filter::Filter;
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::effect::files::{ExportNotes, Exported, Progress};
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::export::ExportStage;
use lode_sandbox::variants::Variant;
use lode_ui::motion::Motion;
use lode_ui::msg::Msg;
use lode_ui::update::update;

use common::sandbox_engine;
use common::screen::sandboxed::TestScreen;

fn screen() -> TestScreen {
    sized(36)
}

fn sized(height: u16) -> TestScreen {
    let mut screen = TestScreen::sized(sandbox_engine::small(|_| ()), 120, height, true);
    screen.key("W").settle().key("/").typed("nurse").key("Enter").settle();
    assert_eq!(screen.model.search.side.source, Source::Data);
    screen
}

/// Begins to export the whole result as contacts.
fn export(screen: &mut TestScreen) {
    screen.key("e");
    screen.says("Export what?");
    screen.key("/").typed("all results").key("Enter /").typed("contacts").key("Enter");
    screen.says("Export to");
    screen.key("Enter").settle();
}

fn streams(screen: &TestScreen) -> Vec<lode_engine::effect::CallId> {
    screen.held.iter().filter(|(_, call)| matches!(call, Call::Export { .. })).map(|(id, _)| *id).collect()
}

fn tells(screen: &mut TestScreen, stream: usize, progress: Progress) {
    let id = streams(screen)[stream];
    screen.handle(Msg::Answered(Answer::Progress(id, progress)));
    screen.settle();
}

fn moved(screen: &mut TestScreen, rows: u64, bytes: u64) {
    let elapsed = Duration::from_secs(2);
    tells(screen, 0, Progress { rows, bytes, elapsed, ..Progress::default() });
}

fn ends(screen: &mut TestScreen, result: Result<Reply, Failure>) {
    let id = streams(screen)[0];
    screen.held.retain(|(held, _)| *held != id);
    screen.handle(Msg::Answered(Answer::Replied(id, result)));
    screen.settle();
}

fn whole(rows: u64) -> Result<Reply, Failure> {
    let lint = ExportNotes { formulas: 0, phones: rows.min(214), ..ExportNotes::default() };
    Ok(Reply::Exported(Exported {
        path: PathBuf::from("/tmp/us.csv"),
        rows,
        bytes: rows * 182,
        lint,
        head: Vec::new(),
    }))
}

fn cut() -> Result<Reply, Failure> {
    Err(Failure::Unclear { why: Unclear::Line, words: "the line broke; 12 rows had come, nothing is kept".to_owned() })
}

#[test]
fn a_stream_is_a_job_that_goes_on_whatever_screen_is_shown() {
    let mut screen = screen();
    export(&mut screen);
    moved(&mut screen, 40, 8_000);
    screen.says("Exporting");
    screen.key("g c").settle();
    screen.says("Exporting");
    screen.key("g j");
    screen.says("40 of ");
    screen.says("4.0 kB/s");
    ends(&mut screen, whole(300));
    screen.says("complete: us.csv");
    screen.says("214 phone numbers preserved");
    assert!(screen.done.iter().any(|effect| matches!(effect, Effect::Notify(words) if words.contains("/tmp/us.csv"))));
    assert!(screen.done.contains(&Effect::Copy("/tmp/us.csv".to_owned())), "the path is copied");
    screen.says("Exported · 300 rows");
    screen.key("Esc Enter");
    screen.says("search total");
}

#[test]
fn the_command_that_a_job_copies_does_the_same_in_a_shell() {
    let mut screen = screen();
    export(&mut screen);
    screen.key("F7 y c").settle();
    let line = "lode export --corpus us --format contacts --query nurse";
    assert_eq!(screen.done.last(), Some(&Effect::Copy(line.to_owned())));
    ends(&mut screen, whole(7));
    screen.key("Esc y c").settle();
    assert_eq!(screen.done.last(), Some(&Effect::Copy(line.to_owned())), "also once it is done");
    screen.key("F2 Space e /").typed("basket").key("Enter /").typed("contacts").key("Enter Enter").settle();
    screen.key("Esc F7 y c").settle();
    screen.says("No shell command does this");
}

#[test]
fn canceling_asks_what_to_keep() {
    for (answer, keep) in [("Down Enter", true), ("Down Down Enter", false)] {
        let mut screen = screen();
        export(&mut screen);
        moved(&mut screen, 7, 900);
        screen.key("g j c");
        screen.says("Cancel the export");
        screen.key("Enter");
        assert!(screen.stopped.is_empty(), "the first answer lets it go on");
        screen.key("c").key(answer).settle();
        assert_eq!(screen.stopped.len(), 1);
        assert_eq!(screen.stopped[0].1, keep);
        screen.says(if keep { "incomplete: contacts.incomplete.csv" } else { "stopped, file deleted" });
        assert_eq!(screen.model.session.exports.running(), 0);
    }
}

#[test]
fn an_interrupt_asks_about_the_newest_export_before_it_leaves_anything() {
    let mut screen = screen();
    export(&mut screen);
    screen.key("Ctrl-c");
    screen.says("Cancel the export");
    assert!(screen.stopped.is_empty() && !screen.done.contains(&Effect::Quit(0)));
    screen.key("Down Down Enter").settle();
    assert_eq!(screen.stopped.len(), 1);
    screen.key("Ctrl-c");
    screen.says("Ctrl-c again within 2 s quits");
}

#[test]
fn what_failed_is_said_and_can_be_tried_again() {
    let mut screen = screen();
    export(&mut screen);
    ends(&mut screen, cut());
    screen.says("The export failed: the line broke");
    screen.key("g j");
    screen.says("failed: the line broke");
    screen.key("r").settle();
    ends(&mut screen, whole(12));
    screen.says("complete: us.csv");
}

/// Each report of progress drew the whole screen, and so did the key after it.
#[test]
fn progress_is_drawn_over_the_shown_frame() {
    let mut screen = screen();
    export(&mut screen);
    screen.painted();
    screen.draws_each = true;
    for step in 1..9 {
        let progress = Progress {
            rows: step * 900,
            bytes: step * 90_000,
            elapsed: Duration::from_secs(step),
            ..Progress::default()
        };
        let id = streams(&screen)[0];
        screen.pass(Duration::from_millis(250));
        let (effects, _) = update(&mut screen.model, Msg::Answered(Answer::Progress(id, progress)), screen.now);
        assert!(screen.model.only_moved || !effects.is_empty(), "step {step}");
        screen.is_drawn_right();
        screen.perform(effects);
        screen.painted().key("j");
    }
    screen.says("Exporting 7,200");
}

/// The spinner of the Jobs tab turned between the keys, and each turn drew the whole screen.
#[test]
fn the_spinner_of_a_job_does_not_turn_at_each_key() {
    let mut screen = screen();
    screen.model.motion = Motion::new(false, false);
    export(&mut screen);
    screen.wait(Duration::from_secs(1)).painted();
    let spinner = |screen: &TestScreen| screen.text().lines().next().unwrap().split("Jobs").nth(1).unwrap().to_owned();
    let mut turns = HashSet::new();
    let mut over_shown = 0;
    for _ in 0..30 {
        screen.pass(Duration::from_millis(40));
        screen.key("j");
        over_shown += usize::from(screen.model.only_moved);
        screen.is_drawn_right();
        screen.painted();
        turns.insert(spinner(&screen));
        let due = screen.model.motion.deadline().expect("it turns again").since(screen.now.mono);
        assert!(due >= Duration::from_millis(25), "{due:?}");
    }
    assert!(over_shown >= 24, "{over_shown} of 30");
    assert!(turns.len() > 2, "it turns all the same: {turns:?}");
    let before = spinner(&screen);
    screen.wait(Duration::from_millis(200));
    assert_ne!(spinner(&screen), before);
}

#[test]
fn three_run_beside_each_other_and_a_search_waits_for_none_of_them() {
    let mut screen = screen();
    for _ in 0..5 {
        screen.key("g s");
        export(&mut screen);
    }
    assert_eq!(streams(&screen).len(), 1, "until it is answered, the other line is for searches");
    let on_the_wire = |screen: &TestScreen| screen.model.session.desk.gauge(Source::Data, screen.now).in_flight;
    for stream in 0..3 {
        assert_eq!(on_the_wire(&screen), stream as u32 + 1);
        tells(&mut screen, stream, Progress::default());
    }
    assert_eq!(on_the_wire(&screen), 3);
    assert_eq!(streams(&screen).len(), 3, "no more at once");
    for stream in 0..3 {
        let elapsed = Duration::from_secs(2);
        tells(&mut screen, stream, Progress { rows: 40, bytes: 8_000, elapsed, ..Progress::default() });
    }
    screen.key("g j");
    screen.says("Jobs 5 running");
    assert_eq!(screen.text().matches("4.0 kB/s").count(), 3, "{}", screen.text());
    assert_eq!(screen.text().matches("queued").count(), 2, "{}", screen.text());
    screen.key("g s /").instead("director").key("Enter").settle();
    screen.says("query director");
    assert_eq!(streams(&screen).len(), 3);
    for left in [4, 3, 2, 1, 0] {
        ends(&mut screen, whole(1));
        assert_eq!(screen.model.session.exports.running(), left);
        assert_eq!(streams(&screen).len(), left.min(3), "the next ones went out");
        if left > 2 {
            tells(&mut screen, 2, Progress::default());
        }
    }
    assert_eq!(on_the_wire(&screen), 0);
}

#[test]
fn a_stream_that_stands_still_is_said_to() {
    let mut screen = screen();
    export(&mut screen);
    let (elapsed, quiet) = (Duration::from_secs(20), Duration::from_secs(12));
    tells(&mut screen, 0, Progress { rows: 40, bytes: 8_000, elapsed, quiet });
    screen.says("nothing for 12 s");
    screen.key("g j");
    screen.says("no data for 12 s; c stop");
    assert!(!screen.text().contains("s left"), "{}", screen.text());
    moved(&mut screen, 80, 16_000);
    screen.says("8.0 kB/s");
}

#[test]
fn a_disk_that_cannot_hold_it_is_said_early() {
    let mut screen = screen();
    screen.free = 100;
    export(&mut screen);
    screen.says("only 100 B are free on the disk; nothing was kept");
    assert_eq!(screen.stopped.len(), 1);
    assert!(!screen.stopped[0].1);
    let failed = screen.model.session.exports.jobs().next().map(|job| job.stage.clone());
    assert!(matches!(failed, Some(ExportStage::Failed(Failure::Disk { .. }))));
}

#[test]
fn ten_gigabytes_are_not_begun_on_a_disk_of_nine_and_the_books_keep_their_room() {
    // 55,000,000 rows of 180 bytes each are just under ten gigabytes.
    for (free, fits) in [(9_000_000_000, false), (9_900_000_001, false), (10_000_000_000, true)] {
        let mut screen = screen();
        screen.free = free;
        screen.hold = |call| matches!(call, Call::Search(search) if search.limit == 1);
        export(&mut screen);
        let count = screen.held.iter().position(|(_, call)| matches!(call, Call::Search(_))).expect("the count");
        let (id, call) = screen.held.remove(count);
        let mut page = sandbox_engine::page(&screen.service, &call.record(), 0);
        page.total = 55_000_000;
        screen.handle(Msg::Answered(Answer::Replied(id, Ok(Reply::Page(page)))));
        screen.settle();
        assert_eq!(screen.stopped.is_empty(), fits, "{free}");
        if !fits {
            screen.says("it needs about 9.9 GB, but only ");
        }
    }
}

#[test]
fn leaving_while_one_runs_asks() {
    let mut screen = screen();
    export(&mut screen);
    screen.key("q");
    screen.says("Quit lode?");
    screen.key("Enter").settle();
    assert!(!screen.done.iter().any(|effect| matches!(effect, Effect::Quit(_))), "stay is the first answer");
    screen.key("q Down Down Enter").settle();
    assert_eq!(screen.stopped.iter().map(|(_, keep)| *keep).collect::<Vec<_>>(), [true]);
    assert!(screen.done.contains(&Effect::Quit(0)), "left once the file was in order");
}

#[test]
fn rows_that_are_here_and_the_basket_are_written_at_once() {
    let mut screen = screen();
    screen
        .key("Space Space e /")
        .typed("basket")
        .key("Enter /")
        .typed("contacts")
        .key("Enter")
        .typed("two.csv")
        .key("Enter")
        .settle();
    let path = screen.folder.path().join("exports/two.csv");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    assert_eq!(text.lines().count(), 3, "{text}");
    screen
        .key("Esc v j e /")
        .typed("range")
        .key("Enter /")
        .typed("jsonl")
        .key("Enter")
        .typed("range.jsonl")
        .key("Enter")
        .settle();
    let text = std::fs::read_to_string(screen.folder.path().join("exports/range.jsonl")).expect("the file is there");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    assert!(streams(&screen).is_empty(), "nothing was asked of a service");
}

#[test]
fn the_picture_of_the_readme_is_current() {
    let mut screen = sized(20);
    screen
        .key("Space Space Space e /")
        .typed("basket")
        .key("Enter /")
        .typed("hubspot")
        .key("Enter")
        .typed("three.csv")
        .key("Enter")
        .settle();
    for (stream, (words, rows, bytes)) in
        [("director", 140, 25_000), ("manager", 310, 55_000), ("engineer", 52, 9_000)].into_iter().enumerate()
    {
        screen.key("g s /").instead(words).key("Enter").settle();
        export(&mut screen);
        let elapsed = Duration::from_secs(2);
        tells(&mut screen, stream, Progress { rows, bytes, elapsed, ..Progress::default() });
    }
    ends(&mut screen, whole(206));
    screen.key("g j");
    crate::data_api::shot(&mut screen, "jobs", "Exports as jobs");
    let screen = std::cell::RefCell::new(screen);
    common::svg::matrix("jobs", |size, theme| {
        let mut screen = screen.borrow_mut();
        (screen.model.size, screen.model.theme) = (size, theme.clone());
        screen.frame()
    });
}

#[test]
fn forms_of_ones_own_are_offered_beside_the_others() {
    let mut screen = screen();
    let presets = screen.folder.path().join("config/presets");
    std::fs::create_dir_all(&presets).unwrap();
    std::fs::write(presets.join("letters.toml"), "[columns]\n\"To\" = [\"email\", \"email_address\"]\n").unwrap();
    screen.key("Space e /").typed("basket").key("Enter").settle();
    screen.says("your own columns");
    screen.key("/").typed("letters").key("Enter").typed("to.csv").key("Enter").settle();
    let text = std::fs::read_to_string(screen.folder.path().join("exports/to.csv")).expect("the file is there");
    assert!(text.starts_with("To\n") && text.lines().count() == 2, "{text}");
}

/// A screen on a service that does not hear the keyword in exports, after a search by keyword and state.
fn deaf() -> TestScreen {
    let service = sandbox_engine::small(|setup| (setup.variant, setup.allowance.requests) = (Variant::D, 0));
    let mut screen = TestScreen::sized(service, 160, 36, true);
    screen.key("W").settle().key("/").typed("nurse").key("Enter").settle();
    screen.key("f").typed("state").key("Enter").typed("tx").key("Enter").settle();
    screen
}

fn total(screen: &TestScreen) -> u64 {
    screen.model.session.side(screen.model.search.side).window.total().expect("the search was counted")
}

#[test]
fn with_a_keyword_what_is_certain_is_offered_with_its_cost() {
    let mut screen = deaf();
    let total = total(&screen);
    assert!(total > 0);
    screen.key("e").settle();
    let page = screen.model.session.desk.page(Source::Data);
    screen.says(&format!(
        "every page of the search ({total} rows, {}, about 1 min)",
        counted(total.div_ceil(page), "request")
    ));
    screen.says(&format!("all results ({total} rows); one file, stops if the service does not apply the keyword"));
    let mut all = screen.model.session.side(screen.model.search.side).window.query().clone();
    all.clear(Filter::Query);
    let call = SearchCall { query: all, offset: 0, limit: 1, mark_pulled: false };
    let without = sandbox_engine::page(&screen.service, &Call::Search(call), 0).total;
    assert!(without > total);
    screen.says(&format!("all results without the keyword ({without} rows)"));

    // By pages: a job like any other, whole at its end.
    screen
        .key("/")
        .typed("every page")
        .key("Enter /")
        .typed("jsonl")
        .key("Enter")
        .typed("pages.jsonl")
        .key("Enter")
        .settle();
    screen.says(&format!("{total} rows"));
    let path = screen.folder.path().join("exports/pages.jsonl");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    assert_eq!(text.lines().count() as u64, total);
    assert!(text.lines().all(|line| line.to_lowercase().contains("nurse")), "{text}");
    assert!(streams(&screen).is_empty(), "nothing was streamed");
    screen.key("Esc g j");
    screen.says("complete: pages.jsonl");
    screen.key("y c");
    screen.says("--paged");
}

#[test]
fn pages_that_are_stopped_are_kept_under_a_name_that_says_so() {
    let service = sandbox_engine::small(|setup| (setup.variant, setup.allowance.requests) = (Variant::D, 0));
    let mut screen = TestScreen::sized(service, 160, 36, true);
    screen.key("W").settle().key("/").typed("manager").key("Enter").settle();
    let total = total(&screen);
    assert!(total > 200, "three pages of 100: {total}");
    screen.key("e /").typed("every page").key("Enter /").typed("jsonl").key("Enter").typed("some.jsonl");
    screen.hold = |call| matches!(call, Call::Search(search) if search.offset >= 200);
    screen.key("Enter").settle().key("g j");
    screen.says("page 2 of ");
    screen.says(&format!("200 of {total}"));
    screen.key("c");
    screen.says("Cancel the export");
    screen.key("j Enter").settle();
    screen.says("incomplete: some.incomplete.jsonl");
    let folder = screen.folder.path().join("exports");
    assert!(!folder.join("some.jsonl").exists());
    let text = std::fs::read_to_string(folder.join("some.incomplete.jsonl")).expect("the file is there");
    assert_eq!(text.lines().count(), 200);
    // Once more, to the end.
    screen.hold = |_| false;
    screen.key("r").settle();
    screen.says("complete: some.jsonl");
    let text = std::fs::read_to_string(folder.join("some.jsonl")).expect("the file is there");
    assert_eq!(text.lines().count() as u64, total);
}

/// A file that is there is not replaced without a yes, and without it the typed name can be changed.
#[test]
fn a_name_that_is_taken_can_be_changed() {
    let mut screen = screen();
    let folder = screen.folder.path().join("exports");
    std::fs::create_dir_all(&folder).unwrap();
    let taken = folder.join("taken.csv");
    std::fs::write(&taken, "mine").unwrap();
    screen.key("e").key("r").key("Enter").typed("taken.csv").key("Enter").settle();
    screen.says("already exists.");
    screen.key("Esc").says("taken.csv");
    screen.says("Export to");
    screen.key("Enter").settle();
    screen.key("r").settle();
    assert_ne!(std::fs::read_to_string(&taken).unwrap(), "mine");
    assert!(!screen.text().contains("Export to"), "{}", screen.text());
}

#[test]
fn in_mask_mode_the_result_of_an_export_shows_no_line_of_its_file() {
    for masked in [false, true] {
        let mut screen = screen();
        screen.model.search.masked = masked;
        export(&mut screen);
        let Ok(Reply::Exported(exported)) = whole(300) else { unreachable!() };
        let head = vec!["id,email".to_owned(), "1,one@first.example".to_owned()];
        ends(&mut screen, Ok(Reply::Exported(Exported { head, ..exported })));
        screen.says("Exported · 300 rows");
        assert_eq!(screen.text().contains("Mask mode hides its first lines."), masked);
        assert_eq!(screen.text().contains("one@first.example"), !masked, "{}", screen.text());
    }
}
