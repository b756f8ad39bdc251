//! Exports into files: whole under their name, or not there.

use common::asking::Small;
use std::io::Write;
use std::path::{Path, PathBuf};

use lode_core::contact::{Corpus, Side, Source};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::time::Wall;
use lode_engine::effect::call::{Call, Outgoing};
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::effect::files::{ExportTarget, Form, Progress};
use lode_host::export::{StreamEnd, stream};
use lode_host::files::Folders;
use lode_host::http::Http;
use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::variants::Variant;
use tokio::sync::oneshot;

use super::crooked::{Crooked, answer};
use super::honest::{http_of, wait};

pub fn folders(folder: &Path) -> Folders {
    let path = folder.to_owned();
    Folders { here: path.clone(), config: path.clone(), state: path, own: Vec::new() }
}

pub fn export(form: Form, keep_incomplete: bool) -> Outgoing {
    let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
    query.set(Filter::State, "TX").unwrap();
    let path = Some(PathBuf::from("leads.csv"));
    Call::Export { query, target: ExportTarget { path, form, keep_incomplete, replace: true } }
}

pub fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn run(http: &Http, call: &Outgoing, folder: &Path) -> Result<StreamEnd, Failure> {
    let (_stop, stopped) = oneshot::channel();
    wait(stream(http, call, &folders(folder), Wall(0), stopped, |_| {}))
}

fn csv(body: &[u8]) -> Crooked {
    Crooked::saying(answer("200 OK", "content-type: text/csv\r\n", body))
}

fn chunked(body: &[u8], end: &[u8]) -> Vec<u8> {
    let mut all = format!("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n", body.len()).into_bytes();
    all.extend_from_slice(body);
    all.extend_from_slice(b"\r\n");
    all.extend_from_slice(end);
    all
}

const MESSY: &[u8] = b"\xef\xbb\xbfid,\"na\nme\",phone,zip\r\n1,\"Smith, \"\"Bo\"\"\nJr\",+15125550133,01234\r\n\r\n2,=cmd|' /C calc'!A0,512,00501\r\n3,caf\xe9\x1b[31m,,";

#[test]
fn raw_passes_every_byte_and_counts_records() {
    for server in [csv(MESSY), Crooked::saying(chunked(MESSY, b"0\r\n\r\n"))] {
        let folder = common::folder();
        let Ok(StreamEnd::Whole(exported)) = run(&server.http(), &export(Form::Raw, false), folder.path()) else {
            panic!()
        };
        assert_eq!(std::fs::read(folder.path().join("leads.csv")).unwrap(), MESSY);
        assert_eq!((exported.rows, exported.bytes), (3, MESSY.len() as u64));
        assert_eq!((exported.lint.formulas, exported.lint.not_text), (0, 1));
        assert_eq!(names(folder.path()), ["leads.csv"]);
        assert!(server.heard()[0].contains("accept-encoding: identity\r\n"), "its end must be checkable");
    }
}

#[test]
fn forms_for_people_are_clean_and_exact() {
    let server = csv(MESSY);
    let folder = common::folder();
    let Ok(StreamEnd::Whole(exported)) = run(&server.http(), &export(Form::Contacts, false), folder.path()) else {
        panic!()
    };
    let text = std::fs::read_to_string(folder.path().join("leads.csv")).unwrap();
    assert_eq!(
        text,
        "id,na me,phone,zip\n1,\"Smith, \"\"Bo\"\" Jr\",+15125550133,01234\n2,'=cmd|' /C calc'!A0,512,00501\n3,caf\u{fffd}[31m,,\n"
    );
    assert_eq!(exported.rows, 3);
    assert_eq!(exported.lint.words(), "1 formula escaped, 2 phone numbers preserved, 1 cell not readable as text");
    let Ok(StreamEnd::Whole(_)) = run(&server.http(), &export(Form::JsonLines, false), folder.path()) else { panic!() };
    let text = std::fs::read_to_string(folder.path().join("leads.csv")).unwrap();
    let first: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    assert_eq!(
        first,
        serde_json::json!({"id": "1", "na me": "Smith, \"Bo\" Jr", "phone": "+15125550133", "zip": "01234"})
    );
}

#[test]
fn a_broken_stream_is_never_presented_as_whole() {
    let cut = |end: &[u8]| Crooked::saying(chunked(MESSY, end));
    let short = Crooked::saying([&b"HTTP/1.1 200 OK\r\ncontent-length: 9999\r\n\r\n"[..], MESSY].concat());
    for server in [cut(b""), cut(b"ff\r\nhalf"), short] {
        let folder = common::folder();
        std::fs::write(folder.path().join("leads.csv"), "the last good one").unwrap();
        let Err(failure) = run(&server.http(), &export(Form::Raw, false), folder.path()) else { panic!() };
        assert!(matches!(failure, Failure::Unclear { why: Unclear::Line, .. }), "{failure:?}");
        assert!(failure.words().ends_with("nothing was kept"), "{failure:?}");
        assert_eq!(std::fs::read(folder.path().join("leads.csv")).unwrap(), b"the last good one");
        assert_eq!(names(folder.path()), ["leads.csv"]);

        let Err(failure) = run(&server.http(), &export(Form::Contacts, true), folder.path()) else { panic!() };
        assert!(failure.words().contains("leads.incomplete.csv"), "{failure:?}");
        assert_eq!(names(folder.path()), ["leads.csv", "leads.incomplete.csv"]);
    }
}

#[test]
fn what_calls_itself_something_else_or_marks_no_end_is_kept_as_incomplete() {
    let head = |head: &str| Crooked::saying(format!("HTTP/1.1 200 OK\r\n{head}\r\n\r\nid\n1\n"));
    for server in [
        head("content-type: text/html\r\ncontent-length: 5"),
        head("content-type: application/json\r\ncontent-length: 5"),
        head("connection: close"),
    ] {
        let folder = common::folder();
        let Err(failure) = run(&server.http(), &export(Form::Raw, true), folder.path()) else { panic!() };
        assert!(matches!(failure, Failure::Unclear { why: Unclear::Unreadable, .. }), "{failure:?}");
        assert_eq!(names(folder.path()), ["leads.incomplete.csv"]);
    }
    let enormous = head("content-length: 9000000000000000000");
    let folder = common::folder();
    let Err(failure) = run(&enormous.http(), &export(Form::Raw, true), folder.path()) else { panic!() };
    assert!(matches!(failure, Failure::Disk { .. }), "{failure:?}");
    let refused = Crooked::saying(answer("404 x", "", br#"{"message":"Wrong API key"}"#));
    assert!(matches!(run(&refused.http(), &export(Form::Raw, true), folder.path()), Err(Failure::Refused { .. })));
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn every_variant_of_the_service_exports_in_every_form() {
    for variant in [Variant::A, Variant::B, Variant::C, Variant::D] {
        let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
        sandbox.service().state().variant = variant;
        let http = http_of(&sandbox);
        let mut rows = None;
        for form in [Form::Raw, Form::Contacts, Form::Preset("hubspot".to_owned()), Form::JsonLines] {
            let folder = common::folder();
            let outcome = run(&http, &export(form.clone(), false), folder.path());
            let Ok(StreamEnd::Whole(exported)) = outcome else { panic!("{variant:?} {form:?} {outcome:?}") };
            assert_eq!(*rows.get_or_insert(exported.rows), exported.rows, "{variant:?} {form:?}");
            let text = std::fs::read_to_string(folder.path().join("leads.csv")).unwrap();
            if form == Form::Preset("hubspot".to_owned()) {
                let mut reader = csv::Reader::from_reader(text.as_bytes());
                let first = reader.records().next().unwrap().unwrap();
                let filled = first.iter().filter(|cell| !cell.is_empty()).count();
                assert!(filled >= 8, "{variant:?}: {first:?}");
            }
        }
        assert!(rows.unwrap() > 0);
    }
}

#[test]
fn progress_is_told_and_a_person_can_stop() {
    for keep in [false, true] {
        let server = Crooked::start(|_, line| {
            let mut open =
                line.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nid\n\r\n").is_ok();
            while open {
                open = line.write_all(b"6\r\n1\n2\n3\n\r\n").is_ok();
            }
        });
        let folder = common::folder();
        let (stop, stopped) = oneshot::channel();
        let (told, mut heard) = tokio::sync::mpsc::unbounded_channel::<Progress>();
        let report = move |progress| drop(told.send(progress));
        let http = server.http();
        let (call, folders) = (export(Form::Raw, !keep), folders(folder.path()));
        let outcome = wait(async {
            let streaming = stream(&http, &call, &folders, Wall(0), stopped, report);
            let stopping = async {
                assert_eq!(heard.recv().await.unwrap().bytes, 0, "that it begins is told at once");
                let mut progress = Progress::default();
                while progress.rows == 0 {
                    progress = heard.recv().await.unwrap();
                }
                assert!(progress.bytes > progress.rows);
                stop.send(keep).unwrap();
            };
            tokio::join!(streaming, stopping).0
        });
        let Ok(StreamEnd::Stopped { kept, rows }) = outcome else { panic!("{outcome:?}") };
        assert!(rows > 0);
        assert_eq!(kept.is_some(), keep);
        assert_eq!(names(folder.path()), if keep { vec!["leads.incomplete.csv"] } else { vec![] });
    }
}

#[test]
fn a_stream_that_stands_still_is_told_and_can_be_ended() {
    let server = Crooked::start(|_, line| {
        drop(line.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n6\r\nid\n1\n2\r\n"));
        // Until the other side gives up.
        drop(std::io::copy(line, &mut std::io::sink()));
    });
    let folder = common::folder();
    let (stop, stopped) = oneshot::channel();
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel::<Progress>();
    let report = move |progress| drop(told.send(progress));
    let http = server.http();
    let (call, folders) = (export(Form::Raw, false), folders(folder.path()));
    let outcome = wait(async {
        let streaming = stream(&http, &call, &folders, Wall(0), stopped, report);
        let stopping = async {
            let mut quiet = std::time::Duration::ZERO;
            while quiet < std::time::Duration::from_millis(600) {
                let progress = heard.recv().await.unwrap();
                // The line that has not ended waits for its end.
                quiet = if progress.bytes == 5 { progress.quiet } else { quiet };
            }
            stop.send(false).unwrap();
        };
        tokio::join!(streaming, stopping).0
    });
    assert!(matches!(outcome, Ok(StreamEnd::Stopped { kept: None, .. })), "{outcome:?}");
    assert_eq!(names(folder.path()), [""; 0]);
}

#[test]
fn a_quote_that_is_never_closed_ends_in_a_sentence_and_not_in_all_of_the_memory() {
    let body = [b"id,name\n1,Tom\n2,\"Al".to_vec(), b"la la la\n".repeat(2 << 20)].concat();
    let server = csv(&body);
    let folder = common::folder();
    let Err(failure) = run(&server.http(), &export(Form::Contacts, true), folder.path()) else { panic!() };
    assert!(failure.words().contains("a record is longer than 16 MB"), "{failure:?}");
    assert_eq!(names(folder.path()), [""; 0]);
    let Ok(StreamEnd::Whole(exported)) = run(&server.http(), &export(Form::Raw, true), folder.path()) else { panic!() };
    assert_eq!(exported.bytes, body.len() as u64, "raw holds no record in its hands");
}

#[test]
fn cells_beyond_the_head_and_columns_of_one_name_are_not_lost_in_silence() {
    let server = csv(b"id,mail,mail\n1,a@one.example,b@two.example\n2,c@one.example,,\n3,d@one.example,,more\n");
    let folder = common::folder();
    let Ok(StreamEnd::Whole(exported)) = run(&server.http(), &export(Form::JsonLines, false), folder.path()) else {
        panic!()
    };
    let text = std::fs::read_to_string(folder.path().join("leads.csv")).unwrap();
    assert_eq!(text.lines().next(), Some(r#"{"id":"1","mail":"a@one.example","mail_2":"b@two.example"}"#));
    assert!(exported.lint.words().ends_with(", 1 row longer than the header"), "{}", exported.lint.words());
}

#[test]
fn ten_thousand_columns_arrive_in_every_form() {
    let cell = |at: usize| match at % 4 {
        0 => format!("c{at}"),
        1 => format!("\"c, {at}\""),
        2 => format!("\"c\"\"{at}\""),
        _ => String::new(),
    };
    let line = |make: &dyn Fn(usize) -> String| (0..10_000).map(make).collect::<Vec<_>>().join(",");
    let head = line(&|at| if at == 5_000 { "phone".to_owned() } else { format!("column {at}") });
    let body = format!(
        "{head}\r\n{}\r\n{}\r\n",
        line(&cell),
        line(&|at| if at == 5_000 { "+15125550133".into() } else { cell(at) })
    );
    let server = csv(body.as_bytes());
    for form in [Form::Raw, Form::Contacts, Form::JsonLines, Form::Preset("hubspot".to_owned())] {
        let folder = common::folder();
        let outcome = run(&server.http(), &export(form.clone(), false), folder.path());
        let Ok(StreamEnd::Whole(exported)) = outcome else { panic!("{form:?} {outcome:?}") };
        assert_eq!(exported.rows, 2, "{form:?}");
        let text = std::fs::read_to_string(folder.path().join("leads.csv")).unwrap();
        match form {
            Form::Raw => assert_eq!(text, body),
            Form::Contacts => {
                let mut reader = csv::Reader::from_reader(text.as_bytes());
                assert_eq!(reader.headers().unwrap().len(), 10_000);
                let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
                assert_eq!((&rows[0][1], &rows[0][2], &rows[1][5_000]), ("c, 1", "c\"2", "+15125550133"));
            }
            Form::JsonLines => {
                let rows: Vec<serde_json::Value> =
                    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
                assert_eq!(rows[1].as_object().unwrap().len(), 10_000);
                assert_eq!(rows[1]["phone"], "+15125550133");
            }
            Form::Preset(_) => assert!(text.lines().nth(2).unwrap().contains("+15125550133"), "{text}"),
            Form::Xlsx => unreachable!("its cells are read in the tests of the shell commands"),
        }
    }
}
