//! What the commands of the Jobs screen do.

use crate::effect::Effect;
use crate::flow::export::{Job, JobId, Stage};
use crate::keys::command::Jobs;
use crate::ui::dialogs::ask::{Ask, Deed};
use crate::ui::dialogs::reader::{Part, Reader};
use crate::ui::dialogs::{Dialog, summary};
use crate::ui::model::Model;
use crate::ui::screens::jobs::{Item, is_cleared_up};

use super::{exporting, owned, say, spending};

pub(super) fn command(model: &mut Model, command: Jobs, fx: &mut Vec<Effect>) {
    let Some(item) = model.jobs.item(&model.session, &model.behind.sessions) else { return };
    if let Item::Elsewhere(at) = item {
        return elsewhere(model, at);
    }
    match command {
        Jobs::Open => open(model, item, fx),
        Jobs::Cancel => cancel(model, item, fx),
        Jobs::Retry => retry(model, item, fx),
        Jobs::Export => match item {
            Item::LastUnlock => spending::export_last(model, fx),
            Item::Export(id) => copy_path(model, id, fx),
            Item::Unlock | Item::Gathering(_) | Item::Scan(_) | Item::Elsewhere(_) => {
                say(model, "It is still running: its result can be exported when it is there.", false);
            }
        },
    }
}

fn open(model: &mut Model, item: Item, fx: &mut Vec<Effect>) {
    match item {
        Item::LastUnlock if is_cleared_up(&model.session) => owned::receipts(model, fx),
        Item::LastUnlock => {
            if let Some(last) = model.session.unlock.last() {
                let dialog = Dialog::Summary(summary::reader(last));
                model.nav.dialogs.push(dialog);
            }
        }
        Item::Unlock => say(model, "The line above the keys shows how far it is. c stops it after this call.", false),
        Item::Gathering(_) | Item::Scan(_) => say(model, "It goes on until it is read. c stops it.", false),
        Item::Elsewhere(at) => elsewhere(model, at),
        Item::Export(id) => {
            let Some(job) = model.session.exports.job(id) else { return };
            let parts = parts(job);
            model.nav.dialogs.push(Dialog::Reader(Reader::new("EXPORT", parts)));
        }
    }
}

fn parts(job: &Job) -> Vec<Part> {
    let mut parts = vec![Part::pair("what", job.what.clone())];
    match &job.stage {
        Stage::Whole(exported) => {
            parts.push(Part::pair("file", exported.path.display().to_string()));
            parts.push(Part::pair("rows", crate::domain::credits::grouped(exported.rows)));
            parts.push(Part::pair("size", crate::flow::export::bytes(exported.bytes)));
            parts.push(Part::pair("cells", exported.lint.words()));
        }
        _ => parts.push(Part::pair("state", exporting::sentence(job).0)),
    }
    if let Some(total) = job.total {
        parts.push(Part::pair("the search counts", crate::domain::credits::grouped(total)));
    }
    parts
}

/// Asks what to keep of the newest export. False where none is running.
pub(super) fn cancel_newest(model: &mut Model, fx: &mut Vec<Effect>) -> bool {
    let streaming = |job: &&Job| matches!(job.stage, Stage::Streaming(_));
    let Some(id) = model.session.exports.jobs().find(streaming).map(|job| job.id) else { return false };
    cancel(model, Item::Export(id), fx);
    true
}

fn cancel(model: &mut Model, item: Item, fx: &mut Vec<Effect>) {
    let now = model.now;
    match item {
        Item::Unlock => {
            let session = &mut model.session;
            session.unlock.stop(&mut session.desk.at(now, fx));
            say(model, "Stopping after the call that is out. What has not left stays in the basket.", false);
        }
        Item::Gathering(side) => {
            let (state, desk) = model.session.side_mut(side);
            state.stop_gathering(&mut desk.at(now, fx));
            say(model, "Stopped reading. What is in the basket stays.", false);
        }
        Item::Scan(side) => {
            let (state, desk) = model.session.side_mut(side);
            state.window.read_ahead(0, &mut desk.at(now, fx));
            say(model, "Stopped reading ahead.", false);
        }
        Item::Export(id) => {
            let Some(job) = model.session.exports.job(id) else { return };
            if !matches!(job.stage, Stage::Streaming(_)) {
                let words = if job.is_running() { "It is ending already." } else { "It is over." };
                return say(model, words, false);
            }
            let rows = job.progress.as_ref().map_or(0, |progress| progress.rows);
            let words = format!(
                "{}\n{} rows have come. There is no resuming: another export begins at the beginning.",
                job.what,
                crate::domain::credits::grouped(rows)
            );
            let deeds = vec![
                ("Stop and keep what has come, as .incomplete".to_owned(), Deed::CancelJob { job: id.0, keep: true }),
                ("Stop and delete what has come".to_owned(), Deed::CancelJob { job: id.0, keep: false }),
            ];
            model.nav.dialogs.push(Dialog::Ask(Ask::new("CANCEL THE EXPORT", words, "Let it go on", deeds)));
        }
        Item::LastUnlock => say(model, "It is over.", false),
        Item::Elsewhere(at) => elsewhere(model, at),
    }
}

/// A job of another profile is managed there.
fn elsewhere(model: &mut Model, at: usize) {
    let Some(other) = model.behind.sessions.get(at) else { return };
    let words = format!("It is a job of {0}, and goes on.  P goes to {0}", other.profile.name);
    say(model, words, false);
}

fn retry(model: &mut Model, item: Item, fx: &mut Vec<Effect>) {
    match item {
        Item::Export(id) => {
            let now = model.now;
            let session = &mut model.session;
            let begun = session.exports.retry(id, &mut session.desk.at(now, fx));
            say(
                model,
                if begun { "Exporting again, from the beginning." } else { "There is nothing to retry." },
                false,
            );
        }
        // What is left of an order is in the basket, and the basket is spent from its review only.
        Item::LastUnlock => spending::unlock(model, fx),
        Item::Unlock | Item::Gathering(_) | Item::Scan(_) | Item::Elsewhere(_) => say(model, "It is running.", false),
    }
}

/// Where the file is, for the clipboard.
fn copy_path(model: &mut Model, id: JobId, fx: &mut Vec<Effect>) {
    match model.session.exports.job(id).map(|job| &job.stage) {
        Some(Stage::Whole(exported)) => {
            let path = exported.path.display().to_string();
            say(model, format!("Handed to the terminal's clipboard: {path}"), false);
            fx.push(Effect::Copy(path));
        }
        _ => say(model, "There is no whole file of it.", false),
    }
}
