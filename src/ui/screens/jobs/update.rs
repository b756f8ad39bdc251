//! What the commands of the Jobs screen do.

use crate::dialogs::Dialog;
use crate::dialogs::ask::{Ask, Deed};
use crate::dialogs::paid::Paid;
use crate::dialogs::reader::Reader;
use crate::keys::command::{Jobs, Screen};
use crate::scene::{Handoff, Scene};
use lode_core::credits::counted;
use lode_engine::flow::export::{JobId, Stage};

use super::facts::{is_cleared_up, parts};
use super::state::{Item, State};
use super::{others, own};

pub(super) fn command(state: &State, command: Jobs, scene: &mut Scene<'_>) {
    match (command, state.item(scene.session, scene.behind)) {
        (_, Some(Item::Elsewhere(at))) => elsewhere(at, scene),
        (_, Some(Item::Others(at))) => others::manage(at, scene),
        (Jobs::CopyCommand, _) => match state.command_line(scene.session, scene.behind) {
            Some(_) => scene.hand(Handoff::CopyCommandLine),
            None => scene.say("No shell command does this: its rows were chosen on screen."),
        },
        (_, None) => {}
        (Jobs::Open, Some(item)) => open(item, scene),
        (Jobs::Cancel, Some(item)) => cancel(item, scene),
        (Jobs::Retry, Some(item)) => retry(item, scene),
        (Jobs::Export, Some(item)) => match item {
            Item::LastUnlock => scene.hand(Handoff::ExportLast),
            Item::Export(id) => copy_path(id, scene),
            Item::Own(_) => scene.say("A command has no result to export. <jobs.open> show its output."),
            Item::Matching => scene.say("Its contacts are exported from its own screen.  <everywhere.match> open"),
            _ => scene.say("It is still running. Export its result when it is done."),
        },
    }
}

fn open(item: Item, scene: &mut Scene<'_>) {
    match item {
        Item::LastUnlock if is_cleared_up(scene.session) => scene.open_receipts(),
        Item::LastUnlock => {
            if let Some(last) = scene.session.unlock().last() {
                let ledger = &scene.session.ledger();
                let paid = Paid::of(last, |id| ledger.contact(last.corpus, id), scene.masked);
                scene.open(Dialog::Summary(Box::new(paid)));
            }
        }
        Item::Unlock => scene.say("Progress is shown above the keys. <jobs.cancel> stop after this request."),
        Item::Gathering(_) | Item::Scan(_) => scene.say("It runs until everything is read. <jobs.cancel> stop."),
        Item::Matching => scene.hand(Handoff::Go(Screen::Match)),
        Item::Own(id) => {
            let Some(job) = scene.session.own_jobs().job(id) else { return };
            let reader = Reader::new(job.name.clone(), own::parts(job));
            scene.open(Dialog::Reader(reader));
        }
        Item::Export(id) => {
            let Some(job) = scene.session.exports().job(id) else { return };
            let parts = parts(job);
            scene.open(Dialog::Reader(Reader::new("Export", parts)));
        }
        Item::Elsewhere(_) | Item::Others(_) => {}
    }
}

/// Asks what to keep of the newest export. False where none is running.
pub fn cancel_newest(scene: &mut Scene<'_>) -> bool {
    if scene.session.matching().is_running() {
        cancel(Item::Matching, scene);
        return true;
    }
    let Some(id) = scene.session.exports().jobs().find(|job| job.can_stop()).map(|job| job.id) else { return false };
    cancel(Item::Export(id), scene);
    true
}

fn cancel(item: Item, scene: &mut Scene<'_>) {
    match item {
        Item::Unlock => {
            scene.session.stop_unlock(scene.now, scene.fx);
            scene.say("Stopping after the current request. The rest stays in the basket.");
        }
        Item::Gathering(side) => {
            let (state, desk) = scene.session.side_mut(side);
            state.stop_gathering(&mut desk.at(scene.now, scene.fx));
            scene.say("Stopped reading. The basket is unchanged.");
        }
        Item::Scan(side) => {
            let (state, desk) = scene.session.side_mut(side);
            state.window.read_ahead(0, &mut desk.at(scene.now, scene.fx));
            scene.say("Stopped reading ahead.");
        }
        Item::Export(id) => {
            let Some(job) = scene.session.exports().job(id) else { return };
            if !job.can_stop() {
                let words = if job.is_running() { "It is already stopping." } else { "It has ended." };
                return scene.say(words);
            }
            let rows = job.progress.as_ref().map_or(0, |progress| progress.rows);
            let words = format!(
                "{}\n{} received. An export cannot be resumed; a new one starts from the beginning.",
                job.what,
                counted(rows, "row")
            );
            let deeds = vec![
                ("Stop and keep the partial file as .incomplete".to_owned(), Deed::CancelJob { job: id.0, keep: true }),
                ("Stop and delete the partial file".to_owned(), Deed::CancelJob { job: id.0, keep: false }),
            ];
            scene.open(Dialog::Ask(Ask::new("Cancel the export", words, "Continue the export", deeds)));
        }
        Item::Matching => {
            let running = scene.session.matching().is_running();
            scene.session.stop_match(scene.now, scene.fx);
            scene.say(if running { "Stopped. What was answered is kept." } else { "It has ended." });
        }
        Item::Own(id) => {
            let stopped = scene.session.stop_own(id, scene.now, scene.fx);
            scene.say(if stopped { "Stopping it with everything it started." } else { "It has ended." });
        }
        Item::LastUnlock => scene.say("It has ended."),
        Item::Elsewhere(_) | Item::Others(_) => {}
    }
}

/// A job of another profile is managed there.
fn elsewhere(at: usize, scene: &mut Scene<'_>) {
    let Some(other) = scene.behind.get(at) else { return };
    let words = format!("It is a job of {0} and keeps running.  <everywhere.profiles> open {0}", other.profile().name);
    scene.say(words);
}

fn retry(item: Item, scene: &mut Scene<'_>) {
    match item {
        Item::Export(id) => {
            let begun = scene.session.retry_export(id, scene.now, scene.fx);
            scene.say(if begun { "Exporting again from the beginning." } else { "Nothing to retry." });
        }
        Item::Own(id) => {
            let begun = scene.session.retry_own(id, scene.now, scene.fx);
            scene.say(if begun { "Running it again with the same rows." } else { "It is running." });
        }
        Item::Matching => scene.session.repeat_match(scene.now, scene.fx),
        // What is left of an order is in the basket, and the basket is spent from its review only.
        Item::LastUnlock => scene.hand(Handoff::Unlock),
        _ => scene.say("It is running."),
    }
}

/// Where the file is, for the clipboard.
fn copy_path(id: JobId, scene: &mut Scene<'_>) {
    match scene.session.exports().job(id).map(|job| &job.stage) {
        Some(Stage::Whole(exported)) => {
            let path = exported.path.display().to_string();
            scene.copy_text(path.clone(), &path);
        }
        _ => scene.say("The export did not complete."),
    }
}
