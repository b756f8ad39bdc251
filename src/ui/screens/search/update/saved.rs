//! Searches that come from other screens: saved ones, and the marks of the counts.

use crate::domain::contact::{Side, Source};
use crate::domain::filter::Filter;
use crate::domain::query::Query;
use crate::domain::row::Row;
use crate::keys::command::Screen;
use crate::ui::scene::{Handoff, Scene};
use crate::ui::screens::search::state::{Order, Pane, State};

impl State {
    /// A saved search that runs already is shown.
    pub fn show_saved(&mut self, name: String, query: Query, only_new: bool, scene: &mut Scene<'_>) {
        self.side = query.side;
        self.edit = None;
        self.pane = Pane::Results;
        let seat = self.seat_mut();
        seat.draft = query;
        seat.rewind();
        self.only_new = only_new;
        self.saved_name = Some(name);
        scene.hand(Handoff::Go(Screen::Search));
    }

    pub fn edit_saved(&mut self, name: String, query: Query, scene: &mut Scene<'_>) {
        self.side = query.side;
        self.seat_mut().draft = query;
        self.pane = Pane::Filters;
        scene.hand(Handoff::Go(Screen::Search));
        scene.say(format!("Change the filters; <results.fetch-again> run, <results.save> save as `{name}`."));
        self.saved_name = Some(name);
    }

    /// A saved search that ran is read: how much of it, and what is new.
    pub fn watched(&mut self, side: Side, scene: &mut Scene<'_>) {
        let state = scene.session.side(side);
        let Some(watch) = state.watched() else { return };
        let said = format!("`{}`: {}.", watch.name(), watch.sentence());
        if !std::mem::take(&mut self.only_new) || !watch.has_before() {
            return scene.say(said);
        }
        let new = |(_, row): &(u64, &Row)| row.id().is_some_and(|id| watch.is_new(id));
        let rows: Vec<u64> = state.window.loaded().filter(new).map(|(index, _)| index).collect();
        if rows.is_empty() {
            return scene.say(format!("{said} All rows are shown."));
        }
        let seat = self.seat_of_mut(side);
        seat.rewind();
        seat.order = Some(Order { column: seat.column, back: false, rows, only_new: true });
        scene.say(said);
    }

    /// The draft with these values instead of those that it had for their filters. A code is a filter of the Data API only.
    pub fn narrow(&mut self, values: Vec<(Filter, String)>, scene: &mut Scene<'_>) {
        let mut query = self.seat().draft.clone();
        let by_code = values.iter().any(|(filter, _)| *filter == Filter::SicCode);
        if by_code && query.side.source == Source::Workspace {
            query = query.on(Side { source: Source::Data, ..query.side });
        }
        values.iter().for_each(|(filter, _)| query.clear(*filter));
        for (filter, value) in values {
            if let Err(problem) = query.add(filter, &value) {
                return scene.warn(format!("{problem}."));
            }
        }
        scene.hand(Handoff::Go(Screen::Search));
        self.recall(query, scene);
    }
}
