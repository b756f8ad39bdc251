//! Log lines of effects and answers: their kind and numbers. They never hold a field of a contact, a typed amount or the
//! content of a file; filters of a search appear at the most detailed level only.

use lode_core::{contacts, counted};
use lode_engine::effect::{Answer, Call, Effect, Failure, FileReply, Outgoing, Reply, StoreCall, StoreReply};

use super::Level;

pub(super) fn of_effect(effect: &Effect, level: Level) -> Option<(Level, String)> {
    Some(match effect {
        Effect::Send(id, call) => (Level::Info, format!("{} asks {}", id.0, of_call(call, level))),
        Effect::Cancel(id) => (Level::Info, format!("{} canceled", id.0)),
        // The allowance is asked for with every request: two lines of it would bury the one that counts.
        Effect::Store(_, StoreCall::Reserve { .. } | StoreCall::Release { .. }) => return None,
        Effect::Store(..) | Effect::File(..) if level < Level::Debug => return None,
        Effect::Store(ticket, call) => (Level::Debug, format!("store {} {}", ticket.0, of_store(call))),
        Effect::File(ticket, call) => (Level::Debug, format!("file {} {}", ticket.0, kind(&format!("{call:?}")))),
        Effect::Quit(code) => (Level::Info, format!("leaves with {code}")),
        _ => return None,
    })
}

pub(super) fn of_answer(answer: &Answer, level: Level) -> Option<(Level, String)> {
    Some(match answer {
        Answer::Replied(id, Ok(reply)) => (Level::Info, format!("{} answered: {}", id.0, of_reply(reply))),
        Answer::Replied(id, Err(failure)) => (Level::Error, format!("{} {}", id.0, of_failure(failure))),
        Answer::Unsent(id, _, words) => (Level::Error, format!("{} not sent: {words}", id.0)),
        Answer::Progress(..) => return None,
        Answer::Stored(ticket, Err(failure)) => (Level::Error, format!("store {} failed: {failure}", ticket.0)),
        Answer::Stored(ticket, Ok(StoreReply::IntentRefused(why))) => {
            (Level::Info, format!("store {} refused the intent: {}", ticket.0, kind(&format!("{why:?}"))))
        }
        Answer::Stored(ticket, Ok(StoreReply::Intended(written))) => {
            (Level::Info, format!("store {} wrote order {} batch {}", ticket.0, written.order, written.batch.0))
        }
        Answer::Stored(ticket, Ok(StoreReply::Outdated)) => {
            (Level::Info, format!("store {} took nothing: the batch has been sent again since", ticket.0))
        }
        Answer::Stored(..) if level < Level::Debug => return None,
        Answer::Stored(_, Ok(StoreReply::Reserved { .. } | StoreReply::Wait { .. } | StoreReply::Done)) => return None,
        Answer::Stored(ticket, Ok(_)) => (Level::Debug, format!("store {} answered", ticket.0)),
        Answer::Filed(ticket, Err(failure)) => (Level::Error, format!("file {} failed: {failure}", ticket.0)),
        Answer::Filed(ticket, Ok(FileReply::Written(exported))) => (
            Level::Info,
            format!(
                "file {} written: {}, {}",
                ticket.0,
                counted(exported.rows, "row"),
                counted(exported.bytes, "byte")
            ),
        ),
        Answer::Filed(ticket, Ok(_)) => (Level::Debug, format!("file {} done", ticket.0)),
    })
}

fn of_call(call: &Outgoing, level: Level) -> String {
    match call {
        Call::Me => "me".to_owned(),
        Call::Search(search) => {
            let side = search.query.side;
            let what = if level >= Level::Debug {
                search.query.canonical()
            } else {
                format!("{}/{}", side.source, side.corpus)
            };
            let marks = if search.mark_pulled { ", marks them as pulled" } else { "" };
            format!("search {what}: {} from {}{marks}", search.limit, search.offset)
        }
        Call::Unlock(unlock) => {
            let verify = if unlock.verify { "" } else { ", without verification" };
            format!("unlock workspace/{}: {}{verify}", unlock.corpus, contacts(unlock.ids.len()))
        }
        Call::Counts(corpus) => format!("counts {corpus}"),
        Call::SavedList => "saved searches".to_owned(),
        Call::SavedAdd { .. } => "to save a search".to_owned(),
        Call::SavedRestore { .. } => "to restore a saved search".to_owned(),
        Call::SavedRemove { .. } => "to remove a saved search".to_owned(),
        Call::Export { query, .. } => format!("export {}/{}", query.side.source, query.side.corpus),
    }
}

fn of_reply(reply: &Reply) -> String {
    match reply {
        Reply::Me(account) => format!("account, {} scopes", account.scopes.len()),
        Reply::Page(page) => {
            let took = page.took_ms.map_or_else(String::new, |ms| format!(" in {ms} ms"));
            format!("{} of {}, limit {}{took}", counted(page.rows.len() as u64, "row"), page.total, page.limit)
        }
        Reply::Unlock { status, body } => format!("unlock {status}, {}", counted(body.len() as u64, "byte")),
        Reply::Counts(counts) => format!("{} counts", counts.counts.len()),
        Reply::Saved(saved) => format!("{} saved searches", saved.len()),
        Reply::SavedWritten => "written".to_owned(),
        Reply::Exported(exported) => {
            format!("export, {}, {}", counted(exported.rows, "row"), counted(exported.bytes, "byte"))
        }
    }
}

fn of_failure(failure: &Failure) -> String {
    match failure {
        Failure::Later { wait, words } => {
            let wait = wait.map_or("it does not say when".to_owned(), |wait| format!("{} s", wait.as_secs()));
            format!("later ({wait}): {words}")
        }
        Failure::Refused { status, words, .. } => format!("refused {status}: {words}"),
        Failure::Unclear { why, words } => format!("unclear ({why:?}): {words}"),
        Failure::Unsent { words } => format!("not sent: {words}"),
        Failure::Disk { words } => format!("disk: {words}"),
        Failure::OurBug { words } => format!("a bug in lode: {words}"),
    }
}

fn of_store(call: &StoreCall) -> String {
    match call {
        StoreCall::Intend(intent) => {
            let again = intent.again.map_or_else(String::new, |batch| format!(" again batch {}", batch.0));
            format!("intend {}{again}", contacts(intent.ids.len()))
        }
        StoreCall::Heard { batch, status, body } => {
            format!("heard batch {}: {status}, {}", batch.0, counted(body.len() as u64, "byte"))
        }
        StoreCall::Lost { batch, .. } => format!("lost batch {}", batch.0),
        StoreCall::Withdraw { batch, .. } => format!("withdraw batch {}", batch.0),
        StoreCall::Settle(settlement) => {
            format!("settle batch {}: {}", settlement.batch.0, contacts(settlement.contacts.len()))
        }
        other => kind(&format!("{other:?}")),
    }
}

/// The name of a case without its fields.
fn kind(debug: &str) -> String {
    debug.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
}
