//! Suppression lists: shown, added from a file, removed. What they name is never part of an unlock.

use std::path::PathBuf;

use crate::dialogs::Dialog;
use crate::dialogs::ask::{Ask, Deed};
use crate::dialogs::picker::{Item, Pick, Picker};
use crate::dialogs::prompt::{Prompt, Purpose};
use crate::model::Model;
use crate::model::errands::Errand;
use lode_engine::effect::Effect;
use lode_engine::effect::files::{FileCall, FileFailure, FileReply};
use lode_engine::flow::unlock::{crm, list};

use super::{fail, say};

/// The lists, and the way to another one.
pub(super) fn open(model: &mut Model) {
    let mut items = vec![Item::new("Add a file …", "a CSV or .xlsx file", Pick::AddList)];
    let lists = model.session.lists().all();
    items.extend(
        lists
            .iter()
            .map(|list| Item::new(list.list.clone(), list::contents(&list.entries), Pick::List(list.list.clone()))),
    );
    let rule = if lists.is_empty() {
        "No suppression lists yet. Contacts on a list are never unlocked."
    } else {
        "Contacts on a list are never unlocked. <text.submit> on a list removes it, after asking."
    };
    model.nav.dialogs.push(Dialog::Picker(Picker::new("Suppression lists", items).with_rule(rule)));
}

pub(super) fn ask_file(model: &mut Model) {
    let words = "Path of a CSV or .xlsx file, relative to the current folder. Emails and domains are found in any column, phones \
                 and names with companies by the heads. The list gets the name of the file.";
    model.nav.dialogs.push(Dialog::Prompt(Prompt::new("ADD A SUPPRESSION LIST", words, Purpose::SuppressionFile)));
}

pub(super) fn ask_remove(model: &mut Model, name: String) {
    let words = format!("Removes the list `{name}` from this profile. Its contacts can be unlocked again.");
    let deeds = vec![("Remove".to_owned(), Deed::RemoveList(name))];
    model.nav.dialogs.push(Dialog::Ask(Ask::new("Remove a suppression list", words, "Cancel", deeds)));
}

pub(super) fn read(model: &mut Model, path: &str, fx: &mut Vec<Effect>) {
    if path.is_empty() {
        say(model, "No file name; no list was added.", false);
        return;
    }
    let path = PathBuf::from(path);
    let name = path.file_name().map_or_else(|| "list".to_owned(), |name| name.to_string_lossy().into_owned());
    model.ask_file(Errand::List(name), FileCall::ReadList(path), fx);
}

/// The file is here, or cannot be read.
pub(super) fn added(model: &mut Model, list: String, result: Result<FileReply, FileFailure>, fx: &mut Vec<Effect>) {
    let text = match result {
        Ok(FileReply::Text(text)) => text,
        Ok(_) => return,
        Err(failure) => return fail(model, format!("No list was added: {}.", failure.words.trim_end_matches('.'))),
    };
    let (entries, skipped) = match crm::read_any(&text) {
        Ok(found) => (found.entries, crm::lines_named(&found.skipped)),
        Err(unusable) => return fail(model, format!("No list was added: {list} cannot be used: {unusable}.")),
    };
    let skipped = skipped.map(|lines| format!("; {lines} no usable value")).unwrap_or_default();
    let words = format!("Added {list}: {}{skipped}. Contacts on it are never unlocked.", list::contents(&entries));
    model.session.suppress(list, entries, model.now, fx);
    say(model, words, false);
}

pub(super) fn remove(model: &mut Model, list: String, fx: &mut Vec<Effect>) {
    let words = format!("Removed the list {list}.");
    model.session.remove_list(list, model.now, fx);
    say(model, words, false);
}
