//! What a dialog came to, and what follows from it.

use crate::dialogs::ask::Deed;
use crate::dialogs::picker::Pick;
use crate::dialogs::prompt::Purpose;
use crate::dialogs::{Dialog, Outcome};
use crate::keys::command::{Command, List};
use crate::model::Model;
use crate::screens::owned;
use crate::screens::saved;
use crate::screens::search::edit::Becomes;
use crate::screens::search::update::value_picker;
use lode_core::credits::counted;
use lode_core::filter::{Filter, Match};
use lode_engine::effect::Effect;
use lode_engine::flow::saved::Change;

use super::{
    Shelled, behind, exporting, given, leaving, lists, matching, on_screen, quit, requests, say, setup, spending,
    suppression, with_search,
};

pub(super) fn came_to(model: &mut Model, outcome: Outcome, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    match outcome {
        Outcome::Stay => {}
        Outcome::Close => {
            model.nav.dialogs.pop();
        }
        Outcome::Picked(pick) => {
            model.nav.dialogs.pop();
            picked(model, pick, fx, shelled);
        }
        Outcome::Typed(purpose, words) => {
            model.nav.dialogs.pop();
            typed(model, purpose, &words, fx);
        }
        Outcome::Chosen(deed) => {
            model.nav.dialogs.pop();
            chosen(model, deed, fx);
        }
        Outcome::Call(call) => setup::call(model, call),
        Outcome::Open(dialog) => model.nav.dialogs.push(*dialog),
    }
}

fn picked(model: &mut Model, pick: Pick, fx: &mut Vec<Effect>, shelled: &mut Shelled) {
    match pick {
        Pick::Command(Command::Text(_)) => {}
        Pick::Place(at) => on_screen(model, fx, |screen, scene| screen.pick(at, scene)),
        Pick::Row(row) => lists::travel(model, List::Last, Some(row), fx),
        Pick::ExportOf(what) => exporting::ask_form(model, &what, fx),
        Pick::Export(what, form) => exporting::ask_name(model, what, form),
        Pick::Saved(name) => with_search(model, fx, |_, scene| saved::run(&name, false, scene)),
        Pick::Command(command) => given(model, command, fx, shelled),
        Pick::Exclude(kind) => with_search(model, fx, |search, scene| search.ask_exclude(kind, scene)),
        Pick::ExcludeList(name) => with_search(model, fx, |search, scene| search.toggle_excluded_list(&name, scene)),
        Pick::AcceptUnchecked(id) => spending::accept_unchecked(model, id),
        Pick::AddList => suppression::ask_file(model),
        Pick::List(name) => suppression::ask_remove(model, name),
        Pick::Refused(reason) => say(model, reason, false),
        Pick::Filter(filter) => {
            let value = model.search.seat().draft.value(filter).map(str::to_owned);
            model.search.picking = Becomes::All;
            match value_picker(filter, value.as_deref()) {
                Some(picker) => model.nav.dialogs.push(Dialog::Picker(picker)),
                None => {
                    let add = filter.matching() == Match::AnyOf && filter == Filter::Industry && value.is_some();
                    with_search(model, fx, |search, scene| search.edit_filter(filter, add, scene));
                }
            }
        }
        Pick::Value(filter, value) => {
            with_search(model, fx, |search, scene| search.picked(filter, &value, scene));
        }
        Pick::Query(query) => {
            model.nav.go(crate::keys::command::Screen::Search);
            with_search(model, fx, |search, scene| search.recall(*query, scene));
        }
    }
}

fn typed(model: &mut Model, purpose: Purpose, words: &str, fx: &mut Vec<Effect>) {
    match purpose {
        Purpose::Exclude(kind) => with_search(model, fx, |search, scene| search.set_excluded(kind, words, scene)),
        Purpose::PerCompany => with_search(model, fx, |search, scene| search.set_per_company(words, scene)),
        Purpose::Find => with_search(model, fx, |search, scene| search.begin_find(words, scene)),
        Purpose::StageAll => with_search(model, fx, |search, scene| search.stage_all(words, scene)),
        Purpose::Tag(key) => {
            let tags: Vec<String> =
                words.split(',').map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
            let said =
                if tags.is_empty() { "Tags removed.".to_owned() } else { format!("Tagged: {}.", tags.join(", ")) };
            model.session.tag(key.side.corpus, vec![key.id], tags, model.now, fx);
            say(model, said, false);
        }
        Purpose::Note(key) => {
            model.session.note(key.side.corpus, key.id, words.to_owned(), model.now, fx);
            say(model, "Note saved.", false);
        }
        Purpose::SuppressionFile => suppression::read(model, words, fx),
        Purpose::Accounts => matching::open(model, words, fx),
        Purpose::ListFind => model.owned.find_by(words),
        Purpose::SaveSearch => {
            with_search(model, fx, |search, scene| saved::save(words, search.seat().draft.clone(), scene))
        }
        Purpose::RenameSaved(old) => on_screen(model, fx, |_, scene| saved::rename(old, words, scene)),
        Purpose::ExportTo(what, form) => exporting::named(model, what, form, words, fx),
    }
}

fn chosen(model: &mut Model, deed: Deed, fx: &mut Vec<Effect>) {
    let side = model.search.side;
    match deed {
        Deed::Quit => quit(fx),
        Deed::StopAfterCallAndQuit => {
            model.leave_after = true;
            leaving::stop_unlocks(model, fx);
            if !model.is_unlocking() {
                quit(fx);
            } else {
                say(model, "Quitting as soon as the current request has its response.", false);
            }
        }
        Deed::RunSlow => with_search(model, fx, |search, scene| search.run_now(scene)),
        Deed::MarkPulled => {
            let index = model.search.seat().index(model.search.seat().cursor);
            let (state, desk) = model.session.side_mut(side);
            let ids = state.window.page_ids(index).len() as u64;
            if state.window.mark_pulled(index, &mut desk.at(model.now, fx)) {
                say(model, format!("Marking {} as pulled…", counted(ids, "contact")), false);
            }
        }
        Deed::Suppress(entry, whom) => {
            model.session.suppress("by hand".to_owned(), vec![entry], model.now, fx);
            say(model, format!("Suppressed {whom}."), false);
        }
        Deed::ForgetOwned(key) => on_screen(model, fx, |_, scene| owned::forget(key, scene)),
        Deed::ReviewRequest(handle) => requests::review(model, &handle, fx),
        Deed::DeclineRequest(handle) => model.session.decline(&handle, fx),
        Deed::RemoveList(name) => suppression::remove(model, name, fx),
        Deed::DeleteSaved(name) => on_screen(model, fx, |_, scene| saved::change(Change::Remove { name }, scene)),
        Deed::RunSaved(name, only_new) => on_screen(model, fx, |_, scene| saved::run_now(&name, only_new, scene)),
        Deed::ReplaceSaved(name) => {
            with_search(model, fx, |search, scene| saved::replace(&name, search.seat().draft.clone(), scene))
        }
        Deed::CancelJob { job, keep } => exporting::stop(model, job, keep, fx),
        Deed::ReplaceFile(export) => {
            let (what, form, path) = *export;
            exporting::begin(model, what, form, Some((path, true)), fx);
        }
        Deed::KeepAndQuit => {
            behind::keep_exports(model);
            exporting::keep_and_quit(model, fx);
        }
        Deed::Nothing => {}
    }
}
