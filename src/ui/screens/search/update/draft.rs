//! The search itself: changed so that `u` brings it back, run, recalled, carried to another side.

use crate::domain::contact::{Corpus, Side, Source};
use crate::domain::credits::grouped;
use crate::domain::filter::Filter;
use crate::domain::query::{ASKED_ABOVE, Query, Speed};
use crate::flow::search::window::Status;
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::ask::{Ask, Deed, many_searches};
use crate::ui::scene::Scene;
use crate::ui::screens::search::state::{Pane, State, Step};

use crate::ui::widgets::text::capital;

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
        self.undo.push(Step::Search(before));
        self.redo.clear();
        self.run(scene);
    }

    pub fn set_filter(&mut self, filter: Filter, value: &str, add: bool, scene: &mut Scene<'_>) {
        let mut draft = self.seat().draft.clone();
        let done = if add { draft.add(filter, value) } else { draft.set(filter, value) };
        if let Err(problem) = done {
            scene.warn(format!("{}.", capital(&problem.to_string())));
            return;
        }
        if !value.is_empty() {
            self.typed.retain(|known| *known != (filter, value.to_owned()));
            self.typed.insert(0, (filter, value.to_owned()));
            self.typed.truncate(200);
        }
        self.change(scene, |query| *query = draft);
    }

    /// Another search as a whole: recalled, restored, from the counts.
    pub fn recall(&mut self, query: Query, scene: &mut Scene<'_>) {
        self.side = query.side;
        let before = self.seat().draft.clone();
        self.undo.push(Step::Search(before));
        self.redo.clear();
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
}
