//! An answer that was paid for and cannot be stored: the shell prints its contacts before it ends.

use std::io::{BufRead, BufReader, Read};

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, OnceLock};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::cli::crooked::{Asked, Crooked, State, contact, done, framed};
use common::test_app::{Ran, TestApp};

#[test]
fn what_is_in_memory_only_is_printed_before_the_end() {
    let app = TestApp::new();
    app.fault("latency@unlock=1000+0");
    let mut child = app.command(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]).spawn().unwrap();
    while !app.sandbox.service().log().iter().any(|request| request.path.ends_with("unlock")) {
        std::thread::yield_now();
    }
    // The room for the answer goes while it is on its way.
    std::fs::rename(app.path("state/answers"), app.path("state/gone")).unwrap();
    std::fs::write(app.path("state/answers"), "not a folder").unwrap();
    while app.owned().is_empty() {
        std::thread::yield_now();
    }
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("stopping after this request"), "{line}");
    // The second signal ends it while it still tries to store the answer.
    let log = app.path("state/log/lode.log");
    while !std::fs::read_to_string(&log).is_ok_and(|log| log.contains(" failed: ")) {
        std::thread::yield_now();
    }
    kill_process(pid, Signal::TERM).unwrap();
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    let ran = Ran::of(child).ended(130);
    assert!(rest.contains("2 contacts were paid for and could not be stored: keep the lines above"), "{rest}");
    assert_eq!(ran.sorted_ids(), app.owned());
    for line in ran.lines() {
        assert_eq!(line["outcome"], "unknown");
        assert!(line["email"].as_str().unwrap().contains('@'), "{line}");
    }
}

/// Takes away the place where answers are stored.
fn remove_answers(folder: &Path) {
    std::fs::rename(folder.join("state/answers"), folder.join("gone")).unwrap();
    std::fs::write(folder.join("state/answers"), "not a folder").unwrap();
}

/// Carries every unlock out; while the response is on its way, the place to store it goes.
fn unstored(said: impl Fn(Value) -> Vec<u8> + Send + 'static) -> Crooked {
    let place: Arc<OnceLock<PathBuf>> = Arc::default();
    let folder = Arc::clone(&place);
    let crooked = Crooked::start(move |asked: &Asked, state: &mut State| {
        asked.is("/unlock").then(|| {
            remove_answers(folder.get().unwrap());
            said(state.apply(asked))
        })
    });
    place.set(crooked.path("")).unwrap();
    crooked
}

/// Each of the first contacts has one complete line.
#[track_caller]
fn holds_all(lines: &[Value], count: i64) {
    for id in 1..=count {
        let of_it: Vec<&Value> = lines.iter().filter(|line| line["id"] == id).collect();
        assert_eq!(of_it.len(), 1, "{id}: {lines:?}");
        for field in ["email", "phone", "contact_name", "company_name", "title", "verification"] {
            assert_eq!(of_it[0][field], contact(id)[field], "{id}: {lines:?}");
        }
    }
}

/// Money rule 9, *responses are stored first*.
#[test]
fn what_cannot_be_stored_is_printed_whole_at_the_end_of_the_run() {
    let crooked = unstored(|data| done(&data));
    let ran = crooked.unlock(5).failed(9);
    assert!(ran.err.contains("5 contacts were paid for and could not be stored: keep the lines above"), "{ran:?}");
    holds_all(&ran.lines(), 5);
    assert_eq!(ran.summary()["unknown"], 5, "{ran:?}");
}

/// `--fields` and `--csv` are about rows that can be read again.
#[test]
fn what_cannot_be_stored_is_printed_whole_also_where_some_fields_were_asked_for() {
    let crooked = unstored(|data| done(&data));
    let ran = crooked.run(&["unlock", "--corpus", "us", "--max-credits", "2", "--fields", "id", "1", "2"]).failed(9);
    holds_all(&ran.lines(), 2);
}

#[test]
fn what_cannot_be_stored_goes_to_the_error_stream_where_the_output_is_full() {
    let crooked = unstored(|data| done(&data));
    let mut command = crooked.command(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let ran = Ran::of(command.stdout(Stdio::from(full)).spawn().unwrap()).ended(9);
    let lines: Vec<Value> = ran.said.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    holds_all(&lines, 2);
}

#[test]
fn a_response_that_can_be_neither_stored_nor_read_is_printed_as_it_came() {
    let crooked = unstored(|data| {
        let body = json!({"ok": true, "data": data}).to_string();
        framed("200 OK", "content-type: application/json\r\n", &body.as_bytes()[..body.len() - 40])
    });
    let ran = crooked.unlock(2).failed(9);
    assert!(ran.out.contains("p1@quail.example") && ran.out.contains("p2@quail.example"), "{ran:?}");
}

/// Called owned before: this batch may have bought them.
#[test]
fn contacts_that_an_unstored_response_calls_owned_are_printed_too() {
    let crooked = unstored(|mut data| {
        data["already_unlocked"] = data["unlocked"].take();
        data["unlocked"] = json!([]);
        data["credits_charged"] = 0.into();
        done(&data)
    });
    holds_all(&crooked.unlock(2).failed(9).lines(), 2);
}
