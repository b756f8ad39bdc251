//! What the commands of the Saved screen do, what saving from Search does, and what their flow tells.

use crate::dialogs::Dialog;
use crate::dialogs::ask::{Ask, Deed, many_searches};
use crate::dialogs::picker::{Pick, Picker};
use crate::dialogs::prompt::{Prompt, Purpose};
use crate::keys::command::Saved;
use crate::scene::{Handoff, Scene};
use lode_core::query::{ASKED_ABOVE, Query};
use lode_core::saved::Home;
use lode_core::shell_line;
use lode_engine::flow::saved::{Change, Refused, Told};

use super::facts::{line, sentence};
use super::state::State;

pub(super) fn command(state: &State, command: Saved, scene: &mut Scene<'_>) {
    let Some(entry) = state.entry(scene.session) else { return };
    match command {
        Saved::Run => run(&entry.name, false, scene),
        Saved::RunNew => run(&entry.name, true, scene),
        Saved::Rename => {
            let words = format!("New name of `{}`", entry.name);
            let prompt = Prompt::new("RENAME", words, Purpose::RenameSaved(entry.name.clone())).with(entry.name);
            scene.open(Dialog::Prompt(prompt));
        }
        Saved::Edit => match entry.query {
            Ok(query) => scene.hand(Handoff::EditSaved(entry.name, query)),
            Err(_) => scene.say("Its filters cannot be read, so they cannot be edited."),
        },
        Saved::Delete => {
            let words = match entry.home {
                Home::Local => format!("Deletes `{}` and the record of its last run.", entry.name),
                Home::Service => format!("Deletes `{}` on the service, where others may use it.", entry.name),
                Home::Both => format!("Deletes `{}` here and on the service.", entry.name),
            };
            let deeds = vec![("Delete".to_owned(), Deed::DeleteSaved(entry.name))];
            scene.open(Dialog::Ask(Ask::new("DELETE A SAVED SEARCH", words, "Cancel", deeds)));
        }
        Saved::CopyCommand => {
            let line = format!("lode saved run {}", shell_line::quoted(&entry.name));
            scene.copy_text(line.clone(), &line);
        }
        Saved::Find => {
            let entries = scene.session.shelf().entries();
            let items = entries.iter().enumerate().map(|(at, entry)| line(entry, Pick::Place(at)));
            let picker = Picker::new("FIND A SAVED SEARCH", items.collect());
            scene.open(Dialog::Picker(picker));
        }
    }
}

/// Runs a saved search. Many searches in one are asked about first.
pub fn run(name: &str, only_new: bool, scene: &mut Scene<'_>) {
    let query = scene.session.shelf().named(name).and_then(|entry| entry.query.ok());
    let Some(query) = query.filter(|query| query.leg_count() > ASKED_ABOVE && query.ready().is_ok()) else {
        return run_now(name, only_new, scene);
    };
    scene.open(Dialog::Ask(many_searches(&query, Deed::RunSaved(name.to_owned(), only_new))));
}

pub fn run_now(name: &str, only_new: bool, scene: &mut Scene<'_>) {
    match scene.session.run_saved(name, scene.now, scene.fx) {
        Ok(query) if scene.session.has(query.side.source) => {
            scene.hand(Handoff::ShowSaved { name: name.to_owned(), query, only_new });
        }
        Ok(query) => scene.say(format!("This profile has no key for {}. <everywhere.profiles> add one.", query.side)),
        Err(refused) => scene.say(sentence(&refused)),
    }
}

pub fn save(name: &str, query: Query, scene: &mut Scene<'_>) {
    let change = Change::Add { name: name.to_owned(), query };
    match scene.session.change_saved(change, scene.now, scene.fx) {
        Err(Refused::Taken(name)) => {
            let words = format!("`{name}` already exists. Values that stay are still compared with its last run.");
            let deeds = vec![("Replace".to_owned(), Deed::ReplaceSaved(name))];
            scene.open(Dialog::Ask(Ask::new("REPLACE A SAVED SEARCH", words, "Cancel", deeds)));
        }
        done => came_to(done, scene),
    }
}

pub fn replace(name: &str, query: Query, scene: &mut Scene<'_>) {
    let done = scene.session.replace_saved(name, query, scene.now, scene.fx);
    came_to(done, scene);
}

pub fn rename(old: String, new: &str, scene: &mut Scene<'_>) {
    if old != new {
        change(Change::Rename { old, new: new.to_owned() }, scene);
    }
}

pub fn change(change: Change, scene: &mut Scene<'_>) {
    let done = scene.session.change_saved(change, scene.now, scene.fx);
    came_to(done, scene);
}

/// A change that waits for no service is done at once.
fn came_to(done: Result<(), Refused>, scene: &mut Scene<'_>) {
    match done {
        Ok(()) => scene.session.told_of_saved().into_iter().for_each(|told| self::told(told, scene)),
        Err(refused) => scene.hand(Handoff::Alert(sentence(&refused))),
    }
}

pub fn told(told: Told, scene: &mut Scene<'_>) {
    match told {
        Told::Listed => {}
        Told::Forgotten(failure) => scene.warn(format!("Not saved: {failure}. Run lode doctor to find the cause.")),
        Told::Failed(failure) => scene.warn(format!("Nothing was changed: {failure}.")),
        Told::Refused(refused) => scene.warn(format!("Nothing was changed: {refused}.")),
        Told::Done { change, home, sentences } => {
            let lives = if home == Home::Both { "here and on the service" } else { "here" };
            let done = match &change {
                Change::Add { name, .. } => {
                    format!("Saved `{name}` {lives}.  <results.recall> recall  <everywhere.saved> list all")
                }
                Change::Rename { old, new } => format!("Renamed `{old}` to `{new}`, {lives}."),
                Change::Remove { name } => format!("Deleted `{name}`."),
            };
            if sentences.is_empty() {
                scene.say(done);
            } else {
                scene.warn(format!("{done} {}.", sentences.join("; ")));
            }
        }
    }
}
