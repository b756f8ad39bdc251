//! The search itself: changed so that `u` brings it back, run and stopped, recalled, carried to another side; searches that come
//! from other screens.

use crate::dialogs::Dialog;
use crate::dialogs::ask::{Ask, Deed, many_searches};
use crate::keys::command::Screen;
use crate::scene::{Handoff, Scene};
use crate::screens::search::state::{Order, Pane, State, Step};
use lode_core::contact::{Corpus, Side, Source};
use lode_core::credits::grouped;
use lode_core::filter::Filter;
use lode_core::query::{ASKED_ABOVE, Query, Speed};
use lode_core::row::Row;
use lode_engine::flow::search::window::Status;

impl State {
    /// Runs what the filter pane says. What scans a whole corpus or is many searches at once is asked about first: it costs
    /// nothing but time, so Enter runs it.
    pub fn run(&mut self, scene: &mut Scene<'_>) {
        let draft = &self.seat().draft;
        let window = &scene.session.side(draft.side).window;
        if window.total().is_some() && draft.not != window.query().not && draft.asks_as(window.query()) {
            // The service would answer the same: nothing is asked.
            let (side, not) = (draft.side, draft.not.clone());
            return scene.session.leave_out(side, not, scene.now, scene.fx);
        }
        let many = draft.leg_count() > ASKED_ABOVE;
        if draft.ready().is_err() || draft.speed() != Speed::Slow && !many {
            return self.run_now(scene);
        }
        if many {
            return scene.open(Dialog::Ask(many_searches(draft, Deed::RunSlow)));
        }
        let faster = match draft.side.source {
            Source::Workspace => "Add an industry to make it fast.",
            Source::Data => "Add a keyword or an industry to make it fast.",
        };
        let words = format!(
            "{}: location or email type alone makes the service scan the whole corpus. {faster}",
            draft.words()
        );
        let deeds = vec![("Run it (<everywhere.escape> stops it)".to_owned(), Deed::RunSlow)];
        let mut ask = Ask::new("Slow search", words, "Cancel", deeds);
        ask.marked.at = 1;
        scene.open(Dialog::Ask(ask));
    }

    /// Runs it, however long it may take.
    pub fn run_now(&mut self, scene: &mut Scene<'_>) {
        let draft = self.seat().draft.clone();
        self.seat_mut().rewind();
        scene.session.search(draft, scene.now, scene.fx);
    }

    /// Changes the search so that `u` brings it back, and runs it. Nothing happens where nothing changed.
    pub(super) fn change(&mut self, scene: &mut Scene<'_>, change: impl FnOnce(&mut Query)) {
        let before = self.seat().draft.clone();
        change(&mut self.seat_mut().draft);
        if self.seat().draft == before {
            return;
        }
        self.did(Step::Search(before));
        self.run(scene);
    }

    /// Another search as a whole: recalled, restored, from the counts.
    pub fn recall(&mut self, query: Query, scene: &mut Scene<'_>) {
        self.side = query.side;
        let before = self.seat().draft.clone();
        self.did(Step::Search(before));
        self.seat_mut().draft = query;
        self.pane = Pane::Results;
        self.run(scene);
    }

    pub fn undo(&mut self, scene: &mut Scene<'_>) {
        if let Some(step) = self.undo.pop() {
            let back = self.take(step, scene, true);
            self.redo.push(back);
        }
    }

    pub fn redo(&mut self, scene: &mut Scene<'_>) {
        if let Some(step) = self.redo.pop() {
            let back = self.take(step, scene, false);
            self.undo.push(back);
        }
    }

    /// Does a step and returns the one that takes it back.
    fn take(&mut self, step: Step, scene: &mut Scene<'_>, undo: bool) -> Step {
        match step {
            Step::Basket(side) => {
                let (state, desk) = scene.session.side_mut(side);
                if undo {
                    state.basket.undo(&mut desk.at(scene.now, scene.fx));
                } else {
                    state.basket.redo(&mut desk.at(scene.now, scene.fx));
                }
                let staged = scene.session.side(side).basket.len();
                scene.say(format!("Basket of {side}: {}. Nothing spent.", grouped(staged as u64)));
                Step::Basket(side)
            }
            Step::Search(query) => {
                let before = self.seat_of(query.side).draft.clone();
                self.side = query.side;
                scene.say(format!("Search: {}", query.words()));
                self.seat_mut().draft = query;
                self.run(scene);
                Step::Search(before)
            }
        }
    }

    /// The same draft on another side; each side keeps its own result, place and basket.
    pub fn switch(&mut self, to: Side, scene: &mut Scene<'_>) {
        if to == self.side {
            return;
        }
        let wanted = self.seat().draft.clone();
        let carried = wanted.on(to);
        self.side = to;
        self.edit = None;
        self.line = 0;
        // What was searched there stays, unless it was everything and here is something.
        let fresh = *scene.session.side(to).window.status() == Status::Empty;
        let bare = self.seat().draft.is_unfiltered() && self.seat().draft.waiting().next().is_none();
        if bare && (fresh || !wanted.is_unfiltered()) {
            self.seat_mut().draft = carried;
            self.run(scene);
        } else if fresh {
            // Remembered from the last time: as it was left.
            let seat = self.seat();
            if seat.draft.leg_count() > ASKED_ABOVE {
                return self.run(scene);
            }
            scene.session.search_at(seat.draft.clone(), seat.cursor, scene.now, scene.fx);
        }
        let waiting: Vec<&str> = self.seat().draft.waiting().map(|(filter, _)| filter.label()).collect();
        if waiting.is_empty() && to.source == Source::Data && !scene.session.profile().live {
            scene.say(format!("{to}. Rows come in full, not verified; the Workspace verifies what it unlocks."));
        } else if waiting.is_empty() {
            scene.say(format!("Switched to {to}. Each source keeps its own search and basket."));
        } else {
            scene.say(format!("Switched to {to}. It has no filter for {}: kept, not sent.", waiting.join(", ")));
        }
    }

    pub fn other_corpus(&mut self, scene: &mut Scene<'_>) {
        let corpus = if self.side.corpus == Corpus::Us { Corpus::Linkedin } else { Corpus::Us };
        self.switch(Side { corpus, ..self.side }, scene);
    }

    pub fn other_source(&mut self, scene: &mut Scene<'_>) {
        let source = if self.side.source == Source::Workspace { Source::Data } else { Source::Workspace };
        self.switch(Side { source, ..self.side }, scene);
    }

    /// True where there was something to end.
    pub(in crate::screens::search) fn end_one(&mut self, scene: &mut Scene<'_>) -> bool {
        if self.seat_mut().anchor.take().is_some() {
            scene.say("Range ended.");
            return true;
        }
        if self.stop_query(scene) {
            return true;
        }
        if self.pane != Pane::Results {
            self.pane = Pane::Results;
            return true;
        }
        let seat = self.seat_mut();
        if seat.order.is_none() && seat.sorting.is_none() {
            return false;
        }
        seat.cursor = seat.index(seat.cursor);
        seat.unsort();
        scene.say("Sorted by the service.");
        true
    }

    /// True where something was running.
    pub fn stop_query(&self, scene: &mut Scene<'_>) -> bool {
        let (state, desk) = scene.session.side_mut(self.side);
        if state.stop_gathering(&mut desk.at(scene.now, scene.fx)) {
            let staged = state.basket.len() as u64;
            scene.say(format!("Stopped reading; the basket holds {}.", grouped(staged)));
            return true;
        }
        let waited_for = state.window.is_busy();
        if waited_for {
            state.window.stop(&mut desk.at(scene.now, scene.fx));
            scene.say("Stopped. Nothing was spent.  <results.fetch-again> search again");
        }
        waited_for
    }

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
