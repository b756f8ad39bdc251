//! Effects become work and every piece of work is answered once.

use common::asking::Small;
use std::sync::Arc;

use lode_core::contact::Corpus;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::effect::files::{FileCall, FileFailure, FileReply, Form};
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::{StoreCall, StoreReply};
use lode_engine::effect::{Answer, CallId, Effect, Ticket};
use lode_host::config::environment::Environment;
use lode_host::http::Http;
use lode_host::perform::{Network, Performer, PerformerSetup};
use lode_host::saved::SavedFiles;
use lode_sandbox::server::{Sandbox, SandboxSettings};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::crooked::Crooked;
use super::honest::http_of;
use super::streams::{export, folders, names};

struct Stage {
    performer: Performer,
    answers: UnboundedReceiver<Answer>,
    folder: tempfile::TempDir,
}

fn stage(http: Http) -> Stage {
    let folder = common::folder();
    let (send, answers) = unbounded_channel();
    let setup = PerformerSetup {
        http,
        store: common::memory::store(WindowId("test".to_owned())),
        folders: folders(folder.path()),
        saved: SavedFiles::of(&Environment::default(), "test"),
        profile: Arc::new(|_| Err(FileFailure { words: "no settings".to_owned() })),
        log: None,
        network: Network::default(),
    };
    Stage { performer: Performer::new(setup, send), answers, folder }
}

impl Stage {
    fn next(&mut self) -> Answer {
        self.answers.blocking_recv().unwrap()
    }

    /// The next answer other than progress.
    fn settled(&mut self) -> Answer {
        loop {
            match self.next() {
                Answer::Progress(..) => {}
                answer => return answer,
            }
        }
    }
}

#[test]
fn what_only_the_owner_of_the_terminal_can_do_is_handed_back() {
    let mut stage = stage(Http::new(None, None));
    let effects = || [Effect::Copy("x".to_owned()), Effect::Print("x".to_owned()), Effect::Quit(3)];
    for (effect, same) in effects().into_iter().zip(effects()) {
        assert_eq!(stage.performer.perform(effect), Some(same));
    }
    stage.performer.perform(Effect::Send(CallId(1), Call::Me));
    assert!(matches!(stage.next(), Answer::Replied(CallId(1), Err(Failure::Unsent { .. }))));
}

#[test]
fn requests_and_the_store_are_answered_and_the_store_in_order() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let mut stage = stage(http_of(&sandbox));
    for call in 0..8 {
        stage.performer.perform(Effect::Send(CallId(call), Call::Counts(Corpus::Us)));
    }
    let mut answered: Vec<u64> = (0..8)
        .map(|_| match stage.next() {
            Answer::Replied(id, Ok(Reply::Counts(_))) => id.0,
            other => panic!("{other:?}"),
        })
        .collect();
    answered.sort_unstable();
    assert_eq!(answered, (0..8).collect::<Vec<_>>());
    for number in 0..50 {
        let call = StoreCall::Place { profile: "p".to_owned(), text: number.to_string() };
        stage.performer.perform(Effect::Store(Ticket(number), call));
    }
    stage.performer.perform(Effect::Store(Ticket(50), StoreCall::PlaceOf { profile: "p".to_owned() }));
    for number in 0..50 {
        assert_eq!(stage.next(), Answer::Stored(Ticket(number), Ok(StoreReply::Done(()))));
    }
    assert_eq!(stage.next(), Answer::Stored(Ticket(50), Ok(StoreReply::Place(Some("49".to_owned())))));
}

#[test]
fn a_canceled_call_is_not_answered() {
    let silent = Crooked::start(|_, line| drop(std::io::Read::read(line, &mut [0; 1])));
    let mut stage = stage(silent.http());
    stage.performer.perform(Effect::Send(CallId(1), Call::Me));
    stage.performer.perform(Effect::Cancel(CallId(1)));
    stage.performer.perform(Effect::Cancel(CallId(99)));
    stage.performer.perform(Effect::File(Ticket(1), FileCall::Room(None)));
    assert!(matches!(stage.next(), Answer::Filed(Ticket(1), Ok(FileReply::Room { free: 1.. }))));
    let Stage { performer, mut answers, .. } = stage;
    performer.finish();
    assert!(answers.blocking_recv().is_none(), "no answer, and no sender left");
}

fn endless() -> Crooked {
    Crooked::start(|_, line| {
        use std::io::Write;
        let mut open = line.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nid\n\r\n").is_ok();
        while open {
            open = line.write_all(b"6\r\n1\n2\n3\n\r\n").is_ok();
        }
    })
}

#[test]
fn an_export_is_stopped_as_the_person_says() {
    let server = endless();
    let mut stage = stage(server.http());
    stage.performer.perform(Effect::Send(CallId(1), export(Form::Raw, false)));
    while !matches!(stage.next(), Answer::Progress(CallId(1), progress) if progress.bytes > 0) {}
    let stop = |call| FileCall::StopExport { call: CallId(call), keep: true };
    stage.performer.perform(Effect::File(Ticket(5), stop(1)));
    match stage.settled() {
        Answer::Filed(Ticket(5), Ok(FileReply::Stopped { kept: Some(path), rows: 1.. })) => {
            assert!(path.ends_with("leads.incomplete.csv"));
        }
        other => panic!("{other:?}"),
    }
    stage.performer.perform(Effect::File(Ticket(6), stop(1)));
    assert!(matches!(stage.settled(), Answer::Filed(Ticket(6), Err(_))), "it is not running any more");
    assert_eq!(names(stage.folder.path()), ["leads.incomplete.csv"]);
}

#[test]
fn leaving_ends_an_export_tidily() {
    for keep in [false, true] {
        let server = endless();
        let mut stage = stage(server.http());
        stage.performer.perform(Effect::Send(CallId(1), export(Form::Raw, keep)));
        assert!(matches!(stage.next(), Answer::Progress(CallId(1), _)), "that it begins is told at once");
        let Stage { performer, folder, .. } = stage;
        performer.finish();
        assert_eq!(names(folder.path()), if keep { vec!["leads.incomplete.csv"] } else { vec![] });
    }
}

#[test]
fn a_broken_export_is_answered_as_its_call() {
    let server = Crooked::saying("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nid\n\r\n");
    let mut stage = stage(server.http());
    stage.performer.perform(Effect::Send(CallId(1), export(Form::Raw, false)));
    match stage.settled() {
        Answer::Replied(CallId(1), Err(Failure::Unclear { why: Unclear::Line, .. })) => {}
        other => panic!("{other:?}"),
    }
}
