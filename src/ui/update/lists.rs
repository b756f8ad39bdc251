//! Moving in lists: whatever list has the keys.

use crate::effect::Effect;
use crate::keys::command::{List, Screen};
use crate::ui::dialogs::Dialog;
use crate::ui::model::{Model, facts};
use crate::ui::screens::jobs;
use crate::ui::screens::search::contact;
use crate::ui::screens::search::state::Pane;
use crate::ui::widgets::table;

use super::{counts, with_scene};

pub(super) fn travel(model: &mut Model, list: List, count: Option<u64>, fx: &mut Vec<Effect>) {
    if read_on(model, list, count.unwrap_or(1)) {
        return;
    }
    match model.nav.dialogs.last_mut() {
        // Moving on leads to the next contact, which is read from its beginning.
        Some(Dialog::Contact { top }) => *top = 0,
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
    let session = &model.session;
    match model.nav.screen {
        Screen::Counts => counts::list(model, list, count),
        Screen::Jobs => {
            let rows = jobs::items(session, &model.behind.sessions).len();
            model.jobs.at = table::moved(model.jobs.at, list, count, rows);
        }
        Screen::Saved => {
            model.saved.at = table::moved(model.saved.at, list, count, session.shelf.entries().len());
        }
        Screen::Basket => {
            let rows = session.side(model.search.side).basket.len();
            model.basket.at = table::moved(model.basket.at, list, count, rows);
        }
        Screen::Owned => {
            let rows = model.owned.shown(session).len();
            model.owned.at = table::moved(model.owned.at, list, count, rows);
        }
        Screen::Search if model.search.pane == Pane::Filters && model.nav.dialogs.is_empty() => {
            with_scene(model, fx, |search, scene| search.filter_list(list, count, scene));
        }
        Screen::Search => {
            let height = model.grid_height();
            with_scene(model, fx, |search, scene| search.list(list, count, height, scene));
        }
    }
}

/// Scrolls what is only read, where that has the keys. In a contact lines go to the next one, pages scroll.
pub(super) fn read_on(model: &mut Model, list: List, count: u64) -> bool {
    let over = model.over();
    let pages = matches!(list, List::PageDown | List::HalfDown | List::PageUp | List::HalfUp);
    let made = match model.nav.dialogs.last_mut() {
        Some(Dialog::Reader(reader) | Dialog::Summary(reader)) => {
            reader.update(list, count, over);
            return true;
        }
        Some(Dialog::Receipts { top }) => {
            let top = *top;
            Some(facts::receipts(model, top))
        }
        Some(Dialog::Contact { top }) if pages => {
            let top = *top;
            contact::reader(&model.search, &model.session, top)
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
