//! Moving in lists: whatever list has the keys.

use crate::dialogs::Dialog;
use crate::keys::command::List;
use crate::model::{Model, facts};
use crate::screens::search::contact;
use lode_engine::effect::Effect;

use super::{on_screen, with_search};

pub(super) fn travel(model: &mut Model, list: List, count: Option<u64>, fx: &mut Vec<Effect>) {
    if read_on(model, list, count.unwrap_or(1)) {
        return;
    }
    match model.nav.dialogs.last_mut() {
        // Moving on leads to the next contact, which is read from its beginning.
        Some(Dialog::Contact { top }) => {
            *top = 0;
            return with_search(model, fx, |search, scene| search.travel(list, count, scene));
        }
        Some(Dialog::Columns { at }) => {
            let last = model.search.seat().columns.len().saturating_sub(1);
            match list {
                List::Down => *at = (*at + 1).min(last),
                List::Up => *at = at.saturating_sub(1),
                List::Top | List::PageUp | List::HalfUp => *at = 0,
                List::Last | List::PageDown | List::HalfDown => *at = last,
                _ => {}
            }
            return;
        }
        _ => {}
    }
    on_screen(model, fx, |screen, scene| screen.list(list, count, scene));
}

/// Scrolls what is only read, where that has the keys. In a contact lines go to the next one, pages scroll.
pub(super) fn read_on(model: &mut Model, list: List, count: u64) -> bool {
    let over = model.over();
    let pages = matches!(list, List::PageDown | List::HalfDown | List::PageUp | List::HalfUp);
    let made = match model.nav.dialogs.last_mut() {
        Some(Dialog::Reader(reader)) => {
            reader.update(list, count, over);
            return true;
        }
        Some(Dialog::Receipts { top }) => {
            let top = *top;
            Some(facts::receipts(model, top))
        }
        Some(Dialog::Contact { top }) if pages => {
            let top = *top;
            contact::reader(&model.search, model.scene_ref(), top)
        }
        _ => None,
    };
    let Some(mut reader) = made else { return false };
    reader.update(list, count, over);
    if let Some(Dialog::Receipts { top } | Dialog::Contact { top }) = model.nav.dialogs.last_mut() {
        *top = reader.top;
    }
    true
}
