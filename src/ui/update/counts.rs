//! Counts: asking for them, and what becomes of marks on the Search screen.

use crate::domain::contact::{Side, Source};
use crate::domain::filter::Filter;
use crate::effect::Effect;
use crate::keys::command::{Counts, List, Screen};
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::picker::{Item, Pick, Picker};
use crate::ui::model::{Model, place};
use crate::ui::screens::counts::sheet::Sheet;
use crate::ui::screens::counts::{View, has_room_for_map};

use super::{fail, say, with_scene};

/// The screen is entered, or shows another corpus.
pub(super) fn arrived(model: &mut Model, fx: &mut Vec<Effect>) {
    if model.session.profile.data.is_some() {
        let (corpus, now) = (model.search.side.corpus, model.now);
        model.session.count(corpus, false, now, fx);
    }
}

fn sheet(model: &Model) -> Option<Sheet> {
    model.session.totals(model.search.side.corpus).counts().map(Sheet::of)
}

pub(super) fn list(model: &mut Model, list: List, count: Option<u64>) {
    let Some(sheet) = sheet(model) else { return };
    let narrow = model.shell().is_none_or(|shell| !has_room_for_map(shell.body));
    model.counts.list(list, count, &sheet, narrow);
}

/// The line of a list was clicked or found: states first, then codes.
pub(super) fn pick(model: &mut Model, at: usize) {
    let Some(sheet) = sheet(model) else { return };
    if let Some(line) = sheet.states.get(at) {
        model.counts.state.clone_from(&line.code);
        if model.counts.view == View::Sic {
            model.counts.view = View::Map;
        }
    } else if at - sheet.states.len() < sheet.sics.len() {
        model.counts.sic = at - sheet.states.len();
        model.counts.view = View::Sic;
    }
}

/// A line of the view that is shown was clicked.
pub(super) fn click(model: &mut Model, at: usize) {
    let Some(sheet) = sheet(model) else { return };
    pick(model, if model.counts.view == View::Sic { sheet.states.len() + at } else { at });
}

pub(super) fn command(model: &mut Model, command: Counts, fx: &mut Vec<Effect>) {
    match command {
        Counts::View => model.counts.view = model.counts.view.next(),
        Counts::Again => {
            let (corpus, now) = (model.search.side.corpus, model.now);
            model.session.count(corpus, true, now, fx);
            say(model, "Counting again; the service may answer from its cache.", false);
        }
        Counts::Mark => {
            if let Some(sheet) = sheet(model) {
                model.counts.mark(&sheet);
            }
        }
        Counts::Find => {
            let Some(sheet) = sheet(model) else { return };
            let lines = sheet.states.iter().chain(&sheet.sics).enumerate();
            let items = lines.map(|(at, line)| {
                let count = crate::domain::credits::grouped(line.count);
                Item::new(format!("{}  {}", line.code, line.name), count, Pick::Place(at))
            });
            let picker = Picker::new("FIND A STATE OR A CODE", items.collect());
            model.nav.dialogs.push(Dialog::Picker(picker));
        }
        Counts::Apply => apply(model, fx),
    }
}

/// Marks become filters of the search as it is. A code is a filter of the Data API only.
fn apply(model: &mut Model, fx: &mut Vec<Effect>) {
    let Some(sheet) = sheet(model) else { return };
    let choice = model.counts.take(&sheet);
    let mut query = model.search.seat().wish.clone();
    if choice.sic.is_some() && query.side.source == Source::Workspace {
        query = query.on(Side { source: Source::Data, ..query.side });
    }
    for (filter, code) in [(Filter::State, &choice.state), (Filter::SicCode, &choice.sic)] {
        if let Some(code) = code
            && let Err(problem) = query.set(filter, code)
        {
            return fail(model, format!("{problem}."));
        }
    }
    let taken: Vec<String> = [choice.state, choice.sic].into_iter().flatten().collect();
    let left = model.counts.marked();
    model.nav.go(Screen::Search);
    with_scene(model, fx, |search, scene| search.recall(query, scene));
    place::keep(model, fx);
    if !left.is_empty() {
        let words = format!(
            "A search takes one state and one code: {} now. Still marked: {}. F6 and Enter take the next.",
            taken.join(" and "),
            left.join(", ")
        );
        say(model, words, false);
    }
}
