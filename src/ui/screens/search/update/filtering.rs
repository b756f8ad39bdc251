//! What the filter pane does: a filter is picked, typed, taken from a cell, cleared.

use crate::dialogs::Dialog;
use crate::dialogs::picker::{Item, Pick, Picker};
use crate::keys::command::{Filters, List};
use crate::scene::{Holds, Scene};
use crate::screens::search::edit::{Becomes, Edit};
use crate::screens::search::filters;
use crate::screens::search::state::{Pane, State};
use lode_core::codes;
use lode_core::filter::{Filter, Match};
use lode_core::query::Query;

use lode_core::text::capital;

impl State {
    pub fn filters(&mut self, command: Filters, scene: &mut Scene<'_>) {
        let line = filters::lines(self.side).get(self.line).copied();
        match (command, line) {
            (Filters::ClearAll, _) => self.clear_filters(scene),
            (Filters::Edit, Some(filters::Line::Filter(filter))) => {
                let becomes = self.marked_value(filter).map_or(Becomes::All, Becomes::Instead);
                self.edit_becoming(filter, becomes, scene);
            }
            (Filters::AddValue, Some(filters::Line::Filter(filter))) => self.edit_filter(filter, true, scene),
            (Filters::AddValue, _) => self.edit_filter(Filter::Industry, true, scene),
            (Filters::Clear, Some(filters::Line::Filter(filter))) => match self.marked_value(filter) {
                Some(at) => self.put_value(Becomes::Instead(at), filter, "", scene),
                None => self.change(scene, |query| query.clear(filter)),
            },
            (Filters::Clear, Some(filters::Line::Exclude)) => self.exclude_none(scene),
            (Filters::Clear, Some(filters::Line::PerCompany)) => self.set_per_company("", scene),
            (Filters::Edit | Filters::Toggle, Some(line)) => self.toggle(line, scene),
            _ => {}
        }
    }

    pub fn toggle(&mut self, line: filters::Line, scene: &mut Scene<'_>) {
        match line {
            filters::Line::Corpus => self.other_corpus(scene),
            filters::Line::HideOwned => self.change(scene, |query| query.hide_owned = !query.hide_owned),
            filters::Line::HidePulled => self.change(scene, |query| query.hide_pulled = !query.hide_pulled),
            filters::Line::Dedup => self.change(scene, |query| query.dedup = !query.dedup),
            filters::Line::Exclude => scene.open(Dialog::Picker(self.exclusions())),
            filters::Line::PerCompany => self.ask_per_company(scene),
            filters::Line::Filter(filter) => self.edit_filter(filter, false, scene),
        }
    }

    /// Moving in the pane: from line to line, and sideways through the values of one that has several.
    pub fn filter_list(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        let last = filters::lines(self.side).len().saturating_sub(1);
        let times = usize::try_from(count.unwrap_or(1)).unwrap_or(usize::MAX);
        match list {
            List::Down => self.line = self.line.saturating_add(times).min(last),
            List::Up => self.line = self.line.saturating_sub(times),
            List::Top | List::PageUp | List::HalfUp => self.line = 0,
            List::Last | List::PageDown | List::HalfDown => self.line = last,
            List::Left | List::Right | List::FirstColumn | List::LastColumn => {
                return self.mark_value(list, times, scene);
            }
            _ => {}
        }
        self.value = None;
    }

    /// The value that is marked, where the filter has several.
    pub fn marked_value(&self, filter: Filter) -> Option<usize> {
        let several = self.seat().draft.values(filter).len();
        self.value.filter(|at| several > 1 && *at < several)
    }

    /// To the left of the first value stands the filter as a whole.
    fn mark_value(&mut self, list: List, times: usize, scene: &mut Scene<'_>) {
        let Some(filters::Line::Filter(filter)) = filters::lines(self.side).get(self.line).copied() else { return };
        let last = self.seat().draft.values(filter).len().saturating_sub(1);
        let here = self.marked_value(filter);
        let to = match list {
            List::Right => Some(here.map_or(times.saturating_sub(1), |at| at.saturating_add(times))),
            List::LastColumn => Some(last),
            List::Left => here.and_then(|at| at.checked_sub(times)),
            _ => None,
        };
        self.value = to.map(|at| at.min(last));
        self.say_value(filter, scene);
    }

    fn say_value(&self, filter: Filter, scene: &mut Scene<'_>) {
        if let Some(at) = self.marked_value(filter) {
            let value = &self.seat().draft.values(filter)[at];
            scene.say_while(
                Holds::Value,
                format!("{value}: <filters.clear> remove, <filters.edit> change, <filters.add-value> add another."),
            );
        }
    }

    /// A value was clicked: an only one opens its field, one of several is marked.
    pub fn chip(&mut self, filter: Filter, at: usize, scene: &mut Scene<'_>) {
        if self.seat().draft.values(filter).len() < 2 {
            return self.edit_filter(filter, false, scene);
        }
        self.edit = None;
        self.pane = Pane::Filters;
        self.stand_on(filter);
        self.value = Some(at);
        self.say_value(filter, scene);
    }

    fn stand_on(&mut self, filter: Filter) {
        let lines = filters::lines(self.side);
        self.line = lines.iter().position(|line| *line == filters::Line::Filter(filter)).unwrap_or(0);
        self.value = None;
    }

    /// Opens the field of a filter, or its list where the values are known.
    pub fn edit_filter(&mut self, filter: Filter, add: bool, scene: &mut Scene<'_>) {
        self.edit_becoming(filter, if add { Becomes::Another } else { Becomes::All }, scene);
    }

    fn edit_becoming(&mut self, filter: Filter, becomes: Becomes, scene: &mut Scene<'_>) {
        let values = self.seat().draft.values(filter);
        let now = match becomes {
            Becomes::All => values.first(),
            Becomes::Another => None,
            Becomes::Instead(at) => values.get(at),
        };
        if let Some(picker) = value_picker(filter, now.map(String::as_str)) {
            self.picking = becomes;
            return scene.open(Dialog::Picker(picker));
        }
        let value = if becomes == Becomes::All { values.join(", ") } else { now.cloned().unwrap_or_default() };
        self.edit = Some(Edit::new(filter, becomes, value, &self.typed, &scene.session.side(self.side).window));
        self.stand_on(filter);
    }

    /// A value was picked from a list.
    pub fn picked(&mut self, filter: Filter, value: &str, scene: &mut Scene<'_>) {
        let becomes = std::mem::replace(&mut self.picking, Becomes::All);
        self.become_value(becomes, filter, value, scene);
    }

    fn become_value(&mut self, becomes: Becomes, filter: Filter, value: &str, scene: &mut Scene<'_>) {
        let values = self.seat().draft.values(filter);
        // All of several values, as the field offered them, stay as they are.
        let stays = || values.len() > 1 && filter.matching() != Match::AnyOf && values.join(", ") == value;
        if becomes != Becomes::All || !stays() {
            self.put_value(becomes, filter, value, scene);
        }
    }

    fn put_value(&mut self, becomes: Becomes, filter: Filter, value: &str, scene: &mut Scene<'_>) {
        let mut draft = self.seat().draft.clone();
        let done = match becomes {
            Becomes::All => draft.set(filter, value),
            Becomes::Another => draft.add(filter, value),
            Becomes::Instead(at) => draft.replace(filter, at, value),
        };
        if let Err(problem) = done {
            return scene.warn(format!("{}.", capital(&problem.to_string())));
        }
        if !value.is_empty() && !matches!(becomes, Becomes::Instead(_)) {
            self.typed.retain(|known| *known != (filter, value.to_owned()));
            self.typed.insert(0, (filter, value.to_owned()));
            self.typed.truncate(200);
        }
        self.change(scene, |query| *query = draft);
    }

    /// Enter in the field.
    pub fn submit_edit(&mut self, scene: &mut Scene<'_>) {
        let Some(edit) = self.edit.take() else { return };
        let before = self.seat().draft.clone();
        self.become_value(edit.becomes, edit.filter, &edit.value(), scene);
        self.pane = Pane::Results;
        if self.seat().draft == before && scene.session.side(self.side).window.total().is_none() {
            self.run(scene);
        }
    }

    pub(super) fn clear_filters(&mut self, scene: &mut Scene<'_>) {
        if self.seat().draft.is_unfiltered() && self.seat().draft.waiting().next().is_none() {
            return scene.say("No filters.");
        }
        self.change(scene, Query::clear_all);
        scene.say("All filters cleared.  <everywhere.undo> undo");
    }

    pub fn filter_picker(&self) -> Picker {
        let items = Filter::of(self.side)
            .iter()
            .map(|filter| {
                let value = self.seat().draft.values(*filter).join(", ");
                let right = if value.is_empty() { filter.rule().to_owned() } else { value };
                let mut item = Item::new(filters::label(*filter), right, Pick::Filter(*filter));
                filter.name().clone_into(&mut item.hidden);
                item
            })
            .collect();
        let letters = Filter::of(self.side).iter().map(|filter| filter.letter()).collect();
        Picker::new("Filter by", items).with_letters(letters)
    }

    pub(super) fn filter_by_cell(&mut self, scene: &mut Scene<'_>) {
        let seat = self.seat();
        let Some(column) = seat.columns.get(seat.column) else { return };
        let Some(filter) = column.filter(self.side) else {
            return scene.say(format!("{} has no filter for {}.", self.side, column.head().to_lowercase()));
        };
        let Some(row) = seat.row(&scene.session.side(self.side).window) else { return };
        let value = column.text(row);
        if value.is_empty() || value.contains('•') {
            return scene.say("This cell is empty or masked, so it cannot be a filter.");
        }
        let value = if filter == Filter::Industry { value.replace(',', " ") } else { value };
        self.put_value(Becomes::All, filter, &value, scene);
    }
}

/// The list of a filter whose values are known; none where it is typed.
pub fn value_picker(filter: Filter, now: Option<&str>) -> Option<Picker> {
    let title = filters::label(filter);
    let any = Item::new("(any)", "", Pick::Value(filter, String::new()));
    let items: Vec<Item> = match (filter.matching(), filter) {
        (Match::OneOf(values), _) => {
            values.iter().map(|value| Item::new(*value, "", Pick::Value(filter, (*value).to_owned()))).collect()
        }
        (_, Filter::State) => named(filter, codes::states()),
        (_, Filter::SicCode) => named(filter, codes::sic()),
        (_, Filter::NaicsCode) => named(filter, codes::naics()),
        _ => return None,
    };
    let items: Vec<Item> = std::iter::once(any).chain(items).collect();
    let at = items.iter().position(|item| matches!(&item.pick, Pick::Value(_, value) if Some(value.as_str()) == now));
    let rule = format!("{}; type or pick a value · <filters.add-value> in the filters adds another", filter.rule());
    Some(Picker::new(title, items).with_rule(rule).free(filter).marked_at(at.unwrap_or(0)))
}

fn named(filter: Filter, codes: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Item> {
    codes.map(|(code, name)| Item::new(format!("{code}  {name}"), "", Pick::Value(filter, code.to_owned()))).collect()
}
