//! What a screen wished for.

use crate::effect::Effect;
use crate::ui::model::Model;
use crate::ui::scene::Wish;

use super::{exporting, fail, menus, say, spending};

pub(super) fn fulfil(model: &mut Model, wish: Wish, fx: &mut Vec<Effect>) {
    match wish {
        Wish::Say(words) => say(model, words, false),
        Wish::Warn(words) => fail(model, words),
        Wish::Open(dialog) => model.nav.dialogs.push(*dialog),
        Wish::CloseDialog => {
            model.nav.dialogs.pop();
        }
        Wish::Go(screen) => model.nav.go(screen),
        Wish::Recall => menus::recall(model),
        Wish::Unlock => spending::unlock(model, fx),
        Wish::Export => exporting::offer(model, fx),
    }
}
