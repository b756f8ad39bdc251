//! Moving in lists: whatever list has the keys.

use crate::effect::Effect;
use crate::keys::command::{List, Screen};
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::reader::{Part, Reader};
use crate::ui::model::Model;
use crate::ui::screens::jobs;
use crate::ui::screens::search::state::Pane;
use crate::ui::widgets::table;

use super::{counts, with_scene};

/// As far as the receipts may be scrolled.
const RECEIPT_LINES: usize = 500;

pub(super) fn travel(model: &mut Model, list: List, count: Option<u64>, fx: &mut Vec<Effect>) {
    match model.nav.dialogs.last_mut() {
        Some(Dialog::Reader(reader) | Dialog::Summary(reader)) => return reader.update(list, count.unwrap_or(1)),
        Some(Dialog::Receipts { top }) => {
            let mut reader = Reader { top: *top, parts: vec![Part::Gap; RECEIPT_LINES], ..Reader::default() };
            reader.update(list, count.unwrap_or(1));
            return *top = reader.top;
        }
        Some(Dialog::Contact { top }) => match list {
            List::PageDown | List::HalfDown => return *top += 10,
            List::PageUp | List::HalfUp => return *top = top.saturating_sub(10),
            _ => *top = 0,
        },
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
    if model.nav.screen == Screen::Counts {
        counts::list(model, list, count);
    }
    if model.nav.screen == Screen::Jobs {
        let rows = jobs::items(&model.session, &model.behind.sessions).len();
        model.jobs.at = table::moved(model.jobs.at, list, count, rows);
    }
    if model.nav.screen == Screen::Saved {
        let rows = model.session.shelf.entries().len();
        model.saved.at = table::moved(model.saved.at, list, count, rows);
    }
    if model.nav.screen == Screen::Basket {
        let rows = model.session.side(model.search.side).basket.len();
        model.basket.at = table::moved(model.basket.at, list, count, rows);
    }
    if model.nav.screen == Screen::Owned {
        let rows = model.owned.shown(&model.session).len();
        model.owned.at = table::moved(model.owned.at, list, count, rows);
    }
    if model.nav.screen != Screen::Search {
        return;
    }
    if model.search.pane == Pane::Filters && model.nav.dialogs.is_empty() {
        with_scene(model, fx, |search, scene| search.filter_list(list, count, scene));
        return;
    }
    let height = model.grid_height();
    with_scene(model, fx, |search, scene| search.list(list, count, height, scene));
}
