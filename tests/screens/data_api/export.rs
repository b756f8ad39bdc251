//! Exports from the screen, as jobs: what is exported, how far it is, how it ends.

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
use lode_ui::msg::Msg;

use common::brain;
use common::world::sandboxed::World;

fn world() -> World {
    sized(36)
}

fn sized(height: u16) -> World {
    let mut world = World::sized(brain::small(|_| ()), 120, height, true);
    world.key("W").settle().key("/").typed("nurse").key("Enter").settle();
    assert_eq!(world.model.search.side.source, Source::Data);
    world
}

/// Begins to export the whole result as contacts.
fn export(world: &mut World) {
    world.key("e");
    world.says("Export what?");
    world.key("/").typed("all results").key("Enter /").typed("contacts").key("Enter");
    world.says("Export to");
    world.key("Enter").settle();
}

fn streams(world: &World) -> Vec<lode_engine::effect::CallId> {
    world.held.iter().filter(|(_, call)| matches!(call, Call::Export { .. })).map(|(id, _)| *id).collect()
}

fn tells(world: &mut World, stream: usize, progress: Progress) {
    let id = streams(world)[stream];
    world.tell(Msg::Answered(Answer::Progress(id, progress)));
    world.settle();
}

fn moved(world: &mut World, rows: u64, bytes: u64) {
    let elapsed = Duration::from_secs(2);
    tells(world, 0, Progress { rows, bytes, elapsed, ..Progress::default() });
}

fn ends(world: &mut World, result: Result<Reply, Failure>) {
    let id = streams(world)[0];
    world.held.retain(|(held, _)| *held != id);
    world.tell(Msg::Answered(Answer::Replied(id, result)));
    world.settle();
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
    let mut world = world();
    export(&mut world);
    moved(&mut world, 40, 8_000);
    world.says("Exporting");
    world.key("g c").settle();
    world.says("Exporting");
    world.key("g j");
    world.says("40 of ");
    world.says("4.0 kB/s");
    ends(&mut world, whole(300));
    world.says("complete: us.csv");
    world.says("214 phone numbers preserved");
    assert!(world.done.iter().any(|effect| matches!(effect, Effect::Notify(words) if words.contains("/tmp/us.csv"))));
    assert!(world.done.contains(&Effect::Copy("/tmp/us.csv".to_owned())), "the path is copied");
    world.says("Exported · 300 rows");
    world.key("Esc Enter");
    world.says("search total");
}

#[test]
fn the_command_that_a_job_copies_does_the_same_in_a_shell() {
    let mut world = world();
    export(&mut world);
    world.key("F7 y c").settle();
    let line = "lode export --corpus us --format contacts --query nurse";
    assert_eq!(world.done.last(), Some(&Effect::Copy(line.to_owned())));
    ends(&mut world, whole(7));
    world.key("Esc y c").settle();
    assert_eq!(world.done.last(), Some(&Effect::Copy(line.to_owned())), "also once it is done");
    world.key("F2 Space e /").typed("basket").key("Enter /").typed("contacts").key("Enter Enter").settle();
    world.key("Esc F7 y c").settle();
    world.says("No shell command does this");
}

#[test]
fn canceling_asks_what_to_keep() {
    for (answer, keep) in [("Down Enter", true), ("Down Down Enter", false)] {
        let mut world = world();
        export(&mut world);
        moved(&mut world, 7, 900);
        world.key("g j c");
        world.says("Cancel the export");
        world.key("Enter");
        assert!(world.stopped.is_empty(), "the first answer lets it go on");
        world.key("c").key(answer).settle();
        assert_eq!(world.stopped.len(), 1);
        assert_eq!(world.stopped[0].1, keep);
        world.says(if keep { "incomplete: contacts.incomplete.csv" } else { "stopped, file deleted" });
        assert_eq!(world.model.session.exports.running(), 0);
    }
}

#[test]
fn an_interrupt_asks_about_the_newest_export_before_it_leaves_anything() {
    let mut world = world();
    export(&mut world);
    world.key("Ctrl-c");
    world.says("Cancel the export");
    assert!(world.stopped.is_empty() && !world.done.contains(&Effect::Quit(0)));
    world.key("Down Down Enter").settle();
    assert_eq!(world.stopped.len(), 1);
    world.key("Ctrl-c");
    world.says("Ctrl-c again within 2 s quits");
}

#[test]
fn what_failed_is_said_and_can_be_tried_again() {
    let mut world = world();
    export(&mut world);
    ends(&mut world, cut());
    world.says("The export failed: the line broke");
    world.key("g j");
    world.says("failed: the line broke");
    world.key("r").settle();
    ends(&mut world, whole(12));
    world.says("complete: us.csv");
}

#[test]
fn three_run_beside_each_other_and_a_search_waits_for_none_of_them() {
    let mut world = world();
    for _ in 0..5 {
        world.key("g s");
        export(&mut world);
    }
    assert_eq!(streams(&world).len(), 1, "until it is answered, the other line is for searches");
    let on_the_wire = |world: &World| world.model.session.desk.gauge(Source::Data, world.now).in_flight;
    for stream in 0..3 {
        assert_eq!(on_the_wire(&world), stream as u32 + 1);
        tells(&mut world, stream, Progress::default());
    }
    assert_eq!(on_the_wire(&world), 3);
    assert_eq!(streams(&world).len(), 3, "no more at once");
    for stream in 0..3 {
        let elapsed = Duration::from_secs(2);
        tells(&mut world, stream, Progress { rows: 40, bytes: 8_000, elapsed, ..Progress::default() });
    }
    world.key("g j");
    world.says("Jobs 5 running");
    assert_eq!(world.screen().matches("4.0 kB/s").count(), 3, "{}", world.screen());
    assert_eq!(world.screen().matches("queued").count(), 2, "{}", world.screen());
    world.key("g s /").instead("director").key("Enter").settle();
    world.says("query director");
    assert_eq!(streams(&world).len(), 3);
    for left in [4, 3, 2, 1, 0] {
        ends(&mut world, whole(1));
        assert_eq!(world.model.session.exports.running(), left);
        assert_eq!(streams(&world).len(), left.min(3), "the next ones went out");
        if left > 2 {
            tells(&mut world, 2, Progress::default());
        }
    }
    assert_eq!(on_the_wire(&world), 0);
}

#[test]
fn a_stream_that_stands_still_is_said_to() {
    let mut world = world();
    export(&mut world);
    let (elapsed, quiet) = (Duration::from_secs(20), Duration::from_secs(12));
    tells(&mut world, 0, Progress { rows: 40, bytes: 8_000, elapsed, quiet, of: None });
    world.says("nothing for 12 s");
    world.key("g j");
    world.says("no data for 12 s; c stop");
    assert!(!world.screen().contains("s left"), "{}", world.screen());
    moved(&mut world, 80, 16_000);
    world.says("8.0 kB/s");
}

#[test]
fn a_disk_that_cannot_hold_it_is_said_early() {
    let mut world = world();
    world.free = 100;
    export(&mut world);
    world.says("only 100 B are free on the disk: stopped, nothing was kept");
    assert_eq!(world.stopped.len(), 1);
    assert!(!world.stopped[0].1);
    let failed = world.model.session.exports.jobs().next().map(|job| job.stage.clone());
    assert!(matches!(failed, Some(ExportStage::Failed(Failure::Disk { .. }))));
}

#[test]
fn ten_gigabytes_are_not_begun_on_a_disk_of_nine_and_the_books_keep_their_room() {
    // 55,000,000 rows of 180 bytes each are just under ten gigabytes.
    for (free, fits) in [(9_000_000_000, false), (9_900_000_001, false), (10_000_000_000, true)] {
        let mut world = world();
        world.free = free;
        world.hold = |call| matches!(call, Call::Search(search) if search.limit == 1);
        export(&mut world);
        let count = world.held.iter().position(|(_, call)| matches!(call, Call::Search(_))).expect("the count");
        let (id, call) = world.held.remove(count);
        let mut page = brain::page(&world.service, &call.record(), 0);
        page.total = 55_000_000;
        world.tell(Msg::Answered(Answer::Replied(id, Ok(Reply::Page(page)))));
        world.settle();
        assert_eq!(world.stopped.is_empty(), fits, "{free}");
        if !fits {
            world.says("about 9.9 GB are needed, but only ");
        }
    }
}

#[test]
fn leaving_while_one_runs_asks() {
    let mut world = world();
    export(&mut world);
    world.key("q");
    world.says("Quit lode?");
    world.key("Enter").settle();
    assert!(!world.done.iter().any(|effect| matches!(effect, Effect::Quit(_))), "stay is the first answer");
    world.key("q Down Down Enter").settle();
    assert_eq!(world.stopped.iter().map(|(_, keep)| *keep).collect::<Vec<_>>(), [true]);
    assert!(world.done.contains(&Effect::Quit(0)), "left once the file was in order");
}

#[test]
fn rows_that_are_here_and_the_basket_are_written_at_once() {
    let mut world = world();
    world
        .key("Space Space e /")
        .typed("basket")
        .key("Enter /")
        .typed("contacts")
        .key("Enter")
        .typed("two.csv")
        .key("Enter")
        .settle();
    let path = world.folder.path().join("exports/two.csv");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    assert_eq!(text.lines().count(), 3, "{text}");
    world
        .key("Esc v j e /")
        .typed("range")
        .key("Enter /")
        .typed("jsonl")
        .key("Enter")
        .typed("range.jsonl")
        .key("Enter")
        .settle();
    let text = std::fs::read_to_string(world.folder.path().join("exports/range.jsonl")).expect("the file is there");
    assert_eq!(text.lines().count(), 2, "{text}");
    assert!(text.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()));
    assert!(streams(&world).is_empty(), "nothing was asked of a service");
}

#[test]
fn the_picture_of_the_readme_is_current() {
    let mut world = sized(20);
    world
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
        world.key("g s /").instead(words).key("Enter").settle();
        export(&mut world);
        let elapsed = Duration::from_secs(2);
        tells(&mut world, stream, Progress { rows, bytes, elapsed, ..Progress::default() });
    }
    ends(&mut world, whole(206));
    world.key("g j");
    crate::data_api::shot(&mut world, "jobs", "Exports as jobs");
    let world = std::cell::RefCell::new(world);
    common::svg::matrix("jobs", |size, theme| {
        let mut world = world.borrow_mut();
        (world.model.size, world.model.theme) = (size, theme.clone());
        world.frame()
    });
}

#[test]
fn forms_of_ones_own_are_offered_beside_the_others() {
    let mut world = world();
    let presets = world.folder.path().join("config/presets");
    std::fs::create_dir_all(&presets).unwrap();
    std::fs::write(presets.join("letters.toml"), "[columns]\n\"To\" = [\"email\", \"email_address\"]\n").unwrap();
    world.key("Space e /").typed("basket").key("Enter").settle();
    world.says("your own columns");
    world.key("/").typed("letters").key("Enter").typed("to.csv").key("Enter").settle();
    let text = std::fs::read_to_string(world.folder.path().join("exports/to.csv")).expect("the file is there");
    assert!(text.starts_with("To\n") && text.lines().count() == 2, "{text}");
}

/// A world on a service that does not hear the keyword in exports, after a search by keyword and state.
fn deaf() -> World {
    let service = brain::small(|setup| (setup.variant, setup.allowance.requests) = (Variant::D, 0));
    let mut world = World::sized(service, 160, 36, true);
    world.key("W").settle().key("/").typed("nurse").key("Enter").settle();
    world.key("f").typed("state").key("Enter").typed("tx").key("Enter").settle();
    world
}

fn total(world: &World) -> u64 {
    world.model.session.side(world.model.search.side).window.total().expect("the search was counted")
}

#[test]
fn with_a_keyword_what_is_certain_is_offered_with_its_cost() {
    let mut world = deaf();
    let total = total(&world);
    assert!(total > 0);
    world.key("e").settle();
    let page = world.model.session.desk.page(Source::Data);
    world.says(&format!(
        "every page of the search ({total} rows, {}, about 1 min)",
        counted(total.div_ceil(page), "request")
    ));
    world.says(&format!("all results ({total} rows); one file, stops if the service does not apply the keyword"));
    let mut all = world.model.session.side(world.model.search.side).window.query().clone();
    all.clear(Filter::Query);
    let call = SearchCall { query: all, offset: 0, limit: 1, mark_pulled: false };
    let without = brain::page(&world.service, &Call::Search(call), 0).total;
    assert!(without > total);
    world.says(&format!("all results without the keyword ({without} rows)"));

    // By pages: a job like any other, whole at its end.
    world
        .key("/")
        .typed("every page")
        .key("Enter /")
        .typed("jsonl")
        .key("Enter")
        .typed("pages.jsonl")
        .key("Enter")
        .settle();
    world.says(&format!("{total} rows"));
    let path = world.folder.path().join("exports/pages.jsonl");
    let text = std::fs::read_to_string(&path).expect("the file is there");
    assert_eq!(text.lines().count() as u64, total);
    assert!(text.lines().all(|line| line.to_lowercase().contains("nurse")), "{text}");
    assert!(streams(&world).is_empty(), "nothing was streamed");
    world.key("Esc g j");
    world.says("complete: pages.jsonl");
    world.key("y c");
    world.says("--paged");
}

#[test]
fn pages_that_are_stopped_are_kept_under_a_name_that_says_so() {
    let service = brain::small(|setup| (setup.variant, setup.allowance.requests) = (Variant::D, 0));
    let mut world = World::sized(service, 160, 36, true);
    world.key("W").settle().key("/").typed("manager").key("Enter").settle();
    let total = total(&world);
    assert!(total > 200, "three pages of 100: {total}");
    world.key("e /").typed("every page").key("Enter /").typed("jsonl").key("Enter").typed("some.jsonl");
    world.hold = |call| matches!(call, Call::Search(search) if search.offset >= 200);
    world.key("Enter").settle().key("g j");
    world.says("page 2 of ");
    world.says(&format!("200 of {total}"));
    world.key("c");
    world.says("Cancel the export");
    world.key("j Enter").settle();
    world.says("incomplete: some.incomplete.jsonl");
    let folder = world.folder.path().join("exports");
    assert!(!folder.join("some.jsonl").exists());
    let text = std::fs::read_to_string(folder.join("some.incomplete.jsonl")).expect("the file is there");
    assert_eq!(text.lines().count(), 200);
    // Once more, to the end.
    world.hold = |_| false;
    world.key("r").settle();
    world.says("complete: some.jsonl");
    let text = std::fs::read_to_string(folder.join("some.jsonl")).expect("the file is there");
    assert_eq!(text.lines().count() as u64, total);
}

/// A file that is there is not replaced without a yes, and without it the typed name can be changed.
#[test]
fn a_name_that_is_taken_can_be_changed() {
    let mut world = world();
    let folder = world.folder.path().join("exports");
    std::fs::create_dir_all(&folder).unwrap();
    let taken = folder.join("taken.csv");
    std::fs::write(&taken, "mine").unwrap();
    world.key("e").key("r").key("Enter").typed("taken.csv").key("Enter").settle();
    world.says("already exists.");
    world.key("Esc").says("taken.csv");
    world.says("Export to");
    world.key("Enter").settle();
    world.key("r").settle();
    assert_ne!(std::fs::read_to_string(&taken).unwrap(), "mine");
    assert!(!world.screen().contains("Export to"), "{}", world.screen());
}
