//! Saved searches: what the commands of their screen do, saving and recalling from Search, and what their flow tells.

use crate::domain::contact::Side;
use crate::domain::credits::grouped;
use crate::domain::query::Query;
use crate::domain::saved::Home;
use crate::domain::shell_line;
use crate::effect::Effect;
use crate::flow::saved::{Change, Refused, Told};
use crate::keys::command::{Saved, Screen};
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::ask::{Ask, Deed};
use crate::ui::dialogs::picker::{Item, Pick, Picker};
use crate::ui::dialogs::prompt::{Prompt, Purpose};
use crate::ui::model::{Model, place};
use crate::ui::screens::search::state::{Order, Pane};

use super::{fail, say};

/// The screen is entered: both lists are read again, and what each search comes to now is asked behind everything else.
pub(super) fn arrived(model: &mut Model, fx: &mut Vec<Effect>) {
    let now = model.now;
    model.session.read_saved(now, fx);
    model.session.glance_at_saved(now, fx);
}

pub(super) fn command(model: &mut Model, command: Saved, fx: &mut Vec<Effect>) {
    let Some(entry) = model.saved.entry(&model.session) else { return };
    match command {
        Saved::Run => run(model, &entry.name, false, fx),
        Saved::RunNew => run(model, &entry.name, true, fx),
        Saved::Rename => {
            let words = format!("`{}` is to be called", entry.name);
            let prompt = Prompt::new("RENAME", words, Purpose::RenameSaved(entry.name.clone())).with(entry.name);
            model.nav.dialogs.push(Dialog::Prompt(prompt));
        }
        Saved::Edit => match entry.query {
            Some(query) => edit(model, entry.name, query),
            None => say(model, "Its filters cannot be read here, so they cannot be edited.", false),
        },
        Saved::Delete => {
            let words = match &entry.home {
                Home::Local => format!("Removes `{}` and what is remembered of its last run.", entry.name),
                Home::Service { .. } => {
                    format!("Removes `{}` from the service's list, where others may use it.", entry.name)
                }
                Home::Both { .. } => format!("Removes `{}` here and from the service's list.", entry.name),
            };
            let deeds = vec![("Remove it".to_owned(), Deed::DeleteSaved(entry.name))];
            model.nav.dialogs.push(Dialog::Ask(Ask::new("DELETE A SAVED SEARCH", words, "Keep it", deeds)));
        }
        Saved::CopyCommand => {
            let line = format!("lode saved run {}", shell_line::quoted(&entry.name));
            say(model, format!("Handed to the terminal's clipboard: {line}"), false);
            fx.push(Effect::Copy(line));
        }
        Saved::Find => {
            let entries = model.session.shelf.entries();
            let items = entries.iter().enumerate().map(|(at, entry)| line(entry, Pick::Place(at)));
            let picker = Picker::new("FIND A SAVED SEARCH", items.collect());
            model.nav.dialogs.push(Dialog::Picker(picker));
        }
    }
}

fn line(entry: &crate::flow::saved::merge::Entry, pick: Pick) -> Item {
    let total = entry.total.map_or(String::new(), |total| format!("{} then", grouped(total)));
    let mut item = Item::new(entry.name.clone(), total, pick);
    item.hidden = entry.query.as_ref().map_or(String::new(), |query| format!("{} {}", query.side, query.words()));
    item
}

/// The saved searches as lines of the recall, before those that were only run.
pub(super) fn recallable(model: &Model) -> Vec<Item> {
    let entries = model.session.shelf.entries();
    let runnable = entries.iter().filter(|entry| entry.query.is_some());
    runnable
        .map(|entry| {
            let mut item = line(entry, Pick::Saved(entry.name.clone()));
            item.left = format!("★ {}", item.left);
            item
        })
        .collect()
}

pub(super) fn run(model: &mut Model, name: &str, only_new: bool, fx: &mut Vec<Effect>) {
    let query = match model.session.run_saved(name, fx) {
        Ok(query) => query,
        Err(refused) => return say(model, format!("{}.", sentence(&refused)), false),
    };
    let side = query.side;
    if !model.session.has(side.source) {
        return say(model, format!("There is no key for {side} here. P adds one."), false);
    }
    model.search.side = side;
    model.search.edit = None;
    model.search.pane = Pane::Results;
    let seat = model.search.seat_mut();
    seat.wish = query;
    seat.rewind();
    model.search.only_new = only_new;
    model.search.saved_name = Some(name.to_owned());
    model.nav.go(Screen::Search);
    place::keep(model, fx);
}

fn edit(model: &mut Model, name: String, query: Query) {
    model.search.side = query.side;
    model.search.seat_mut().wish = query;
    model.search.pane = Pane::Filters;
    model.search.saved_name = Some(name.clone());
    model.nav.go(Screen::Search);
    say(model, format!("Change the filters; R runs them, s saves them as `{name}` again."), false);
}

pub(super) fn save(model: &mut Model, name: &str, fx: &mut Vec<Effect>) {
    let query = model.search.seat().wish.clone();
    let now = model.now;
    let session = &mut model.session;
    let change = Change::Add { name: name.to_owned(), query };
    match session.shelf.change(change, &mut session.desk.at(now, fx)) {
        Ok(()) => drain(model),
        Err(Refused::Taken(name)) => {
            let words = format!("`{name}` is saved already. Replacing it forgets what its last run had.");
            let deeds = vec![("Replace it with this search".to_owned(), Deed::ReplaceSaved(name))];
            model.nav.dialogs.push(Dialog::Ask(Ask::new("REPLACE A SAVED SEARCH", words, "Keep the old one", deeds)));
        }
        Err(refused) => say(model, format!("{}.", sentence(&refused)), true),
    }
}

pub(super) fn replace(model: &mut Model, name: &str, fx: &mut Vec<Effect>) {
    let query = model.search.seat().wish.clone();
    let now = model.now;
    let session = &mut model.session;
    let done = session.shelf.replace(name, query, &mut session.desk.at(now, fx));
    came_to(model, done);
}

pub(super) fn rename(model: &mut Model, old: String, new: &str, fx: &mut Vec<Effect>) {
    if old == new {
        return;
    }
    let now = model.now;
    let session = &mut model.session;
    let change = Change::Rename { old, new: new.to_owned() };
    let done = session.shelf.change(change, &mut session.desk.at(now, fx));
    came_to(model, done);
}

pub(super) fn remove(model: &mut Model, name: String, fx: &mut Vec<Effect>) {
    let now = model.now;
    let session = &mut model.session;
    let done = session.shelf.change(Change::Remove { name }, &mut session.desk.at(now, fx));
    came_to(model, done);
}

fn came_to(model: &mut Model, done: Result<(), Refused>) {
    match done {
        Ok(()) => drain(model),
        Err(refused) => say(model, format!("{}.", sentence(&refused)), true),
    }
}

/// A change that needed nobody is done at once.
fn drain(model: &mut Model) {
    for told in model.session.shelf.told() {
        self::told(model, told);
    }
}

fn sentence(refused: &Refused) -> String {
    let words = refused.to_string();
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

pub(super) fn told(model: &mut Model, told: Told) {
    match told {
        Told::Loaded | Told::Listed => {}
        Told::Forgotten(failure) => fail(model, format!("Not remembered: {failure}. lode doctor looks for the cause.")),
        Told::Failed { failure, .. } => fail(model, format!("Nothing was changed: {failure}.")),
        Told::Done { change, sentences } => {
            let lives = |name: &str| match model.session.shelf.named(name).map(|entry| entry.home) {
                Some(Home::Both { .. }) => "here and with the service",
                _ => "here",
            };
            let done = match &change {
                Change::Add { name, .. } => format!("Saved `{name}` {}.  r recalls it, F5 lists all", lives(name)),
                Change::Rename { old, new } => format!("`{old}` is `{new}` now, {}.", lives(new)),
                Change::Remove { name } => format!("Removed `{name}`."),
            };
            if sentences.is_empty() {
                say(model, done, false);
            } else {
                fail(model, format!("{done} {}.", sentences.join("; ")));
            }
        }
    }
}

/// A saved search that ran is read: how much of it, and what is new.
pub(super) fn watched(model: &mut Model, side: Side) {
    let state = model.session.side(side);
    let Some(watch) = state.watched() else { return };
    let said = format!("`{}`: {}.", watch.name(), watch.sentence());
    if std::mem::take(&mut model.search.only_new) {
        let new = |(_, row): &(u64, &crate::domain::row::Row)| row.id.is_some_and(|id| watch.is_new(id));
        let rows: Vec<u64> = state.window.loaded().filter(new).map(|(index, _)| index).collect();
        if watch.news().then().is_none() {
            say(model, said, false);
            return;
        }
        if rows.is_empty() {
            say(model, format!("{said} So all of them are shown."), false);
            return;
        }
        let seat = model.search.seat_of_mut(side);
        seat.rewind();
        seat.order = Some(Order { column: seat.column, back: false, rows, only_new: true });
    }
    say(model, said, false);
}
