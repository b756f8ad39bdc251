//! What a screen handed over.

use crate::keys::command::Copy;
use crate::model::Model;
use crate::scene::Handoff;
use crate::screens::search::state::Step;
use lode_engine::effect::Effect;

use super::{exporting, fail, menus, requests, say, say_while, spending, suppression, with_search};

pub(super) fn take(model: &mut Model, handoff: Handoff, fx: &mut Vec<Effect>) {
    match handoff {
        Handoff::Say(words) => say(model, words, false),
        Handoff::SayWhile(holds, words) => say_while(model, holds, words),
        Handoff::Warn(words) => fail(model, words),
        Handoff::Alert(words) => say(model, words, true),
        Handoff::Open(dialog) => model.nav.dialogs.push(*dialog),
        Handoff::CloseDialog => {
            model.nav.dialogs.pop();
        }
        Handoff::Go(screen) => model.nav.go(screen),
        Handoff::Recall => menus::recall(model),
        Handoff::Unlock => spending::unlock(model, fx),
        Handoff::Export => exporting::offer(model, fx),
        Handoff::ExportRows(what, rows) => exporting::rows(model, what, rows, fx),
        Handoff::ExportLast => spending::export_last(model, fx),
        Handoff::Suppressions => suppression::open(model),
        Handoff::Request => requests::open(model, fx),
        Handoff::EmptyBasket => with_search(model, fx, |search, scene| search.empty_basket(scene.side, scene)),
        Handoff::Undoable(side) => model.search.did(Step::Basket(side)),
        Handoff::CopyCommandLine => match model.shown().command_line(model.scene_ref()) {
            Some(line) => {
                say(model, format!("Handed to the terminal's clipboard: {line}"), false);
                fx.push(Effect::Copy(line));
            }
            None => with_search(model, fx, |search, scene| search.copy(Copy::CommandLine, scene)),
        },
        Handoff::Narrow(values) => with_search(model, fx, |search, scene| search.narrow(values, scene)),
        Handoff::ShowSaved { name, query, only_new } => {
            with_search(model, fx, |search, scene| search.show_saved(name, query, only_new, scene));
        }
        Handoff::EditSaved(name, query) => {
            with_search(model, fx, |search, scene| search.edit_saved(name, query, scene));
        }
    }
}
