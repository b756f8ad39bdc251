//! What an export that is over still hears, and that each end is told once. Here the disk answers when the test lets it.

use common::sandbox_engine::Said;
use lode_core::Page;
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_engine::effect::files::{ExportTarget, FileCall, FileFailure, FileReply, Form};
use lode_engine::effect::{Answer, Effect, Ticket};
use lode_engine::flow::export::{ExportStage, From, JobId};
use lode_engine::flow::session::Event;

use crate::desktop::{DATA, Desktop};

/// A service that counts a thousand rows and says this of every stream.
fn service(stream: impl Fn() -> Said) -> impl FnMut(&Call, u64) -> Said {
    move |call, _| match call {
        Call::Export { .. } => stream(),
        Call::Search(search) => {
            let page = Page { total: 1_000, limit: search.limit, offset: 0, took_ms: Some(1), ..Page::default() };
            Said::Reply(Ok(Reply::Page(page)))
        }
        _ => Said::Reply(broken()),
    }
}

fn broken() -> Result<Reply, Failure> {
    Err(Failure::Refused { status: 422, why: Refusal::Request, words: "no such filter".to_owned() })
}

fn begin(desktop: &mut Desktop) -> JobId {
    let mut begun = None;
    desktop.act(|session, now, fx| {
        let mut query = Query::new(DATA);
        query.set(Filter::Query, "nurse").unwrap();
        let target = ExportTarget { path: None, form: Form::Raw, keep_incomplete: false, replace: false };
        let from = From::Stream(Box::new(query));
        begun = Some(session.exports.begin("nurse".to_owned(), from, target, &mut session.desk.at(now, fx)));
    });
    begun.unwrap()
}

/// The questions about the room on the disk that are not answered yet, in their order.
fn rooms(desktop: &Desktop) -> Vec<Ticket> {
    let asked = desktop.sim.others.iter().filter_map(|effect| match effect {
        Effect::File(ticket, FileCall::Room(_)) => Some(*ticket),
        _ => None,
    });
    asked.collect()
}

/// What the session makes of an answer of the disk.
fn files(desktop: &mut Desktop, ticket: Ticket, said: Result<FileReply, FileFailure>) -> Vec<Event> {
    let mut events = Vec::new();
    desktop.act(|session, now, fx| events = session.handle(Answer::Filed(ticket, said), now, fx));
    events
}

fn ended(desktop: &mut Desktop) -> Vec<JobId> {
    desktop.screen.session.exports.ended()
}

#[test]
fn a_disk_that_answers_after_the_end_ends_nothing_a_second_time() {
    for late in [Ok(FileReply::Room { free: 1 }), Err(FileFailure { words: "no such folder".to_owned() })] {
        let mut desktop = Desktop::new(1, service(|| Said::Reply(broken())));
        let job = begin(&mut desktop);
        desktop.until_quiet();
        assert_eq!(ended(&mut desktop), [job]);
        let room = rooms(&desktop)[0];
        let events = files(&mut desktop, room, late);
        // The owner of an export looks at its result: the shell would say the failure again, and quit again.
        assert!(!events.iter().any(|event| matches!(event, Event::Exports)), "{events:?}");
        assert_eq!(ended(&mut desktop), []);
        let stage = &desktop.screen.session.exports.job(job).unwrap().stage;
        assert!(matches!(stage, ExportStage::Failed(Failure::Refused { .. })), "{stage:?}");
    }
}

#[test]
fn what_is_too_large_before_its_stream_began_is_told_as_an_end() {
    // The first stream is not answered yet, so the second has no line of its own.
    let why = || Failure::Unclear { why: Unclear::Deadline, words: "no answer".to_owned() };
    let mut desktop = Desktop::new(1, service(move || Said::After(1_000_000, Err(why()))));
    let first = begin(&mut desktop);
    desktop.for_ms(500);
    let second = begin(&mut desktop);
    desktop.for_ms(5_000);
    assert_eq!(ended(&mut desktop), []);
    let room = rooms(&desktop)[1];
    files(&mut desktop, room, Ok(FileReply::Room { free: 100 }));
    assert_eq!(ended(&mut desktop), [second]);
    let exports = &desktop.screen.session.exports;
    let stage = &exports.job(second).unwrap().stage;
    assert!(matches!(stage, ExportStage::Failed(Failure::Disk { .. })), "{stage:?}");
    assert!(exports.job(first).unwrap().is_running());
}
