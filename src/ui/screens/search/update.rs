//! What the commands of the Search screen do.

use crate::domain::codes;
use crate::domain::contact::{Corpus, RowId, Side, Source};
use crate::domain::credits::grouped;
use crate::domain::filter::{Filter, Match};
use crate::domain::query::{Query, Speed};
use crate::domain::row::Row;
use crate::flow::search::window::{Slot, Status};
use crate::keys::command::{Columns, Filters, List, Results};
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::ask::{Ask, Deed};
use crate::ui::dialogs::picker::{Item, Pick, Picker};
use crate::ui::dialogs::prompt::{Prompt, Purpose};
use crate::ui::scene::{Scene, Wish};

use super::edit::Edit;
use super::state::{Order, Pane, State, Step};
use super::{columns, copy, filters, find};

/// Rows that one command stages at most: what a basket can hold and a person can mean.
pub const MOST_STAGED: u64 = 50_000;

impl State {
    /// The rows that are visible, as the window wants to know them. Called after everything that may have moved them.
    pub fn look(&mut self, height: u64, scene: &mut Scene<'_>) {
        let side = self.side;
        let (state, desk) = scene.session.side_mut(side);
        let seat = self.seat_of_mut(side);
        // Before the first answer nothing is known of the size: a place that was kept from before stays.
        if state.window.total().is_some() {
            seat.settle(seat.count(&state.window), height);
        }
        if seat.order.is_none() {
            state.window.look_at(seat.top, height, seat.cursor, desk, scene.now, scene.fx);
        }
    }

    /// Runs what the filter pane says. A search that scans a whole corpus is asked about first: it costs nothing but time, so
    /// Enter runs it.
    pub fn run(&mut self, scene: &mut Scene<'_>) {
        let wish = &self.seat().wish;
        if wish.speed() != Speed::Slow || wish.ready().is_err() {
            return self.run_now(scene);
        }
        let faster = match wish.side.source {
            Source::Workspace => "An industry makes it fast.",
            Source::Data => "A keyword or an industry makes it fast.",
        };
        let words = format!(
            "{}: location or e-mail type alone makes the service scan the whole corpus. {faster}",
            wish.words()
        );
        let deeds = vec![("Run it: a clock runs, Esc stops it".to_owned(), Deed::RunSlow)];
        let mut ask = Ask::new("A SLOW SEARCH", words, "Not now: nothing is sent", deeds);
        ask.marked.at = 1;
        scene.open(Dialog::Ask(ask));
    }

    /// Runs it, however long it may take.
    pub fn run_now(&mut self, scene: &mut Scene<'_>) {
        let wish = self.seat().wish.clone();
        self.seat_mut().rewind();
        scene.session.search(wish, scene.now, scene.fx);
    }

    /// Changes the search so that `u` brings it back, and runs it. Nothing happens where nothing changed.
    fn change(&mut self, scene: &mut Scene<'_>, change: impl FnOnce(&mut Query)) {
        let before = self.seat().wish.clone();
        change(&mut self.seat_mut().wish);
        if self.seat().wish == before {
            return;
        }
        self.undo.push(Step::Wish(before));
        self.redo.clear();
        self.run(scene);
    }

    pub fn set_filter(&mut self, filter: Filter, value: &str, add: bool, scene: &mut Scene<'_>) {
        let mut wish = self.seat().wish.clone();
        let done = if add { wish.add(filter, value) } else { wish.set(filter, value) };
        if let Err(problem) = done {
            scene.warn(format!("{}.", capital(&problem.to_string())));
            return;
        }
        if !value.is_empty() {
            self.typed.retain(|known| *known != (filter, value.to_owned()));
            self.typed.insert(0, (filter, value.to_owned()));
            self.typed.truncate(200);
        }
        self.change(scene, |query| *query = wish);
    }

    /// Another search as a whole: recalled, restored, from the counts.
    pub fn recall(&mut self, query: Query, scene: &mut Scene<'_>) {
        self.side = query.side;
        let before = self.seat().wish.clone();
        self.undo.push(Step::Wish(before));
        self.redo.clear();
        self.seat_mut().wish = query;
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
                    state.basket.undo(desk, scene.fx);
                } else {
                    state.basket.redo(desk, scene.fx);
                }
                let staged = scene.session.side(side).basket.len();
                scene.say(format!("The basket of {side} holds {}. Nothing spent.", grouped(staged as u64)));
                Step::Basket(side)
            }
            Step::Wish(query) => {
                let before = self.seat_of(query.side).wish.clone();
                self.side = query.side;
                scene.say(format!("Search: {}", query.words()));
                self.seat_mut().wish = query;
                self.run(scene);
                Step::Wish(before)
            }
        }
    }

    /// The same wish on another side; each side keeps its own result, place and basket.
    pub fn switch(&mut self, to: Side, scene: &mut Scene<'_>) {
        if to == self.side {
            return;
        }
        let wanted = self.seat().wish.clone();
        let carried = wanted.on(to);
        self.side = to;
        self.edit = None;
        self.line = 0;
        // What was searched there stays, unless it was everything and here is something.
        let fresh = *scene.session.side(to).window.status() == Status::Empty;
        let bare = self.seat().wish.is_unfiltered() && self.seat().wish.waiting().next().is_none();
        if fresh || (bare && !wanted.is_unfiltered()) {
            self.seat_mut().wish = carried;
            self.run(scene);
        }
        let waiting: Vec<&str> = self.seat().wish.waiting().map(|(filter, _)| filter.label()).collect();
        if waiting.is_empty() {
            scene.say(format!("{to}. Each side keeps its search, place and basket."));
        } else {
            scene.say(format!("{to} has no filter for {}: kept, not sent.", waiting.join(", ")));
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

    /// Moving in the result grid. `height` rows are visible.
    pub fn list(&mut self, list: List, count: Option<u64>, height: u64, scene: &mut Scene<'_>) {
        let side = self.side;
        let window = &scene.session.side(side).window;
        let rows = self.seat().count(window);
        let last = rows.saturating_sub(1);
        let times = count.unwrap_or(1);
        let seat = self.seat_mut();
        let half = (height / 2).max(1);
        match list {
            List::Down => seat.cursor = seat.cursor.saturating_add(times).min(last),
            List::Up => seat.cursor = seat.cursor.saturating_sub(times),
            List::HalfDown | List::PageDown => {
                let step = if list == List::PageDown { height.max(1) } else { half }.saturating_mul(times);
                seat.cursor = seat.cursor.saturating_add(step).min(last);
                seat.top = seat.top.saturating_add(step).min(rows.saturating_sub(height));
            }
            List::HalfUp | List::PageUp => {
                let step = if list == List::PageUp { height.max(1) } else { half }.saturating_mul(times);
                seat.cursor = seat.cursor.saturating_sub(step);
                seat.top = seat.top.saturating_sub(step);
            }
            List::NextServicePage => {
                let mut at = seat.cursor;
                for _ in 0..times.min(1_000) {
                    at = window.page_around(at).end;
                }
                seat.cursor = at.min(last);
                seat.top = seat.cursor;
            }
            List::PreviousServicePage => {
                let mut at = window.page_around(seat.cursor).start;
                for _ in 0..times.min(1_000) {
                    at = window.page_around(at.saturating_sub(1)).start;
                }
                seat.cursor = at;
                seat.top = at;
            }
            List::Top => seat.cursor = 0,
            List::Last => seat.cursor = count.map_or(last, |row| row.saturating_sub(1)).min(last),
            List::Left | List::Right | List::FirstColumn | List::LastColumn => move_column(seat, list, times),
            List::Find => {
                let before = self.find.clone().unwrap_or_default();
                let words =
                    format!("Among the {} rows that are here, in all their fields.", grouped(window.held() as u64));
                let prompt = Prompt::new("FIND IN LOADED ROWS", words, Purpose::Find).with(before);
                scene.open(Dialog::Prompt(prompt));
            }
            List::FindNext => find::next(self, false, scene),
            List::FindPrevious => find::next(self, true, scene),
        }
    }

    pub fn results(&mut self, command: Results, height: u64, scene: &mut Scene<'_>) {
        let side = self.side;
        match command {
            Results::MainField => self.edit_filter(Filter::of(side)[0], false, scene),
            Results::PickFilter => scene.open(Dialog::Picker(self.filter_picker())),
            Results::ClearFilters => self.clear_filters(scene),
            Results::FilterByCell => self.filter_by_cell(scene),
            Results::HideOurs => {
                self.change(scene, |query| query.hide_owned = !query.hide_owned);
                let on = self.seat().wish.hide_owned;
                scene.say(if on { "Contacts we own are hidden." } else { "Contacts we own are shown." });
            }
            Results::HidePulled => {
                self.change(scene, |query| query.hide_pulled = !query.hide_pulled);
                let on = self.seat().wish.hide_pulled;
                scene.say(if on { "Pulled rows are hidden." } else { "Pulled rows are shown." });
            }
            Results::MarkPulled => self.ask_mark_pulled(scene),
            Results::Stage => self.stage(scene),
            Results::Range => {
                let seat = self.seat_mut();
                seat.anchor = if seat.anchor.is_some() { None } else { Some(seat.cursor) };
                let words = if seat.anchor.is_some() {
                    "Range: move, then Space stages it. v or Esc ends it."
                } else {
                    "No range."
                };
                scene.say(words);
            }
            Results::StagePage => {
                let window = &scene.session.side(side).window;
                let page = window.page_around(self.seat().index(self.seat().cursor));
                self.stage_indices(page.collect(), scene);
            }
            Results::StageAll => self.ask_stage_all(scene),
            Results::EmptyBasket => self.empty_basket(side, scene),
            Results::Unlock => scene.wishes.push(Wish::Unlock),
            Results::Open => scene.open(Dialog::Contact { top: 0 }),
            Results::Columns => scene.open(Dialog::Columns { at: self.seat().column }),
            Results::Narrower | Results::Wider => self.widen(command == Results::Wider),
            Results::Order | Results::OrderBack => self.order(command == Results::OrderBack, scene),
            Results::Save => {
                let name = self.saved_name.clone().unwrap_or_else(|| suggested_name(&self.seat().wish));
                let words = format!("{}\nUnder which name?", self.seat().wish.words());
                scene.open(Dialog::Prompt(Prompt::new("SAVE THIS SEARCH", words, Purpose::SaveSearch).with(name)));
            }
            Results::Recall => scene.wishes.push(Wish::Recall),
            Results::FetchAgain => {
                if self.seat().wish == *scene.session.side(side).window.query() {
                    self.seat_mut().order = None;
                    let (wish, at) = (self.seat().wish.clone(), self.seat().cursor);
                    scene.session.search_at(wish, at, scene.now, scene.fx);
                    scene.say("Fetching again.");
                } else {
                    self.run(scene);
                }
            }
            Results::Export => scene.wishes.push(Wish::Export),
            Results::Tag => self.ask_tag(scene),
            Results::Note => self.ask_note(scene),
            Results::Suppress => self.ask_suppress(scene),
            Results::Copy(what) => copy::copy(self, what, scene),
        }
        let _ = height;
    }

    pub fn filters(&mut self, command: Filters, scene: &mut Scene<'_>) {
        let line = filters::lines(self.side).get(self.line).copied();
        match (command, line) {
            (Filters::ClearAll, _) => self.clear_filters(scene),
            (Filters::Edit, Some(filters::Line::Filter(filter))) => self.edit_filter(filter, false, scene),
            (Filters::AddValue, Some(filters::Line::Filter(filter))) => {
                if filter.matching() == Match::AnyOf {
                    self.edit_filter(filter, true, scene);
                } else {
                    scene.say(format!("{} takes one value; only industry takes several.", capital(filter.label())));
                }
            }
            (Filters::AddValue, _) => self.edit_filter(Filter::Industry, true, scene),
            (Filters::Clear, Some(filters::Line::Filter(filter))) => self.change(scene, |query| query.clear(filter)),
            (Filters::Edit | Filters::Toggle, Some(line)) => self.toggle(line, scene),
            _ => {}
        }
    }

    pub fn toggle(&mut self, line: filters::Line, scene: &mut Scene<'_>) {
        match line {
            filters::Line::Corpus => self.other_corpus(scene),
            filters::Line::HideOurs => self.change(scene, |query| query.hide_owned = !query.hide_owned),
            filters::Line::HidePulled => self.change(scene, |query| query.hide_pulled = !query.hide_pulled),
            filters::Line::Dedup => self.change(scene, |query| query.dedup = !query.dedup),
            filters::Line::Filter(filter) => self.edit_filter(filter, false, scene),
        }
    }

    pub fn filter_list(&mut self, list: List, count: Option<u64>) {
        let last = filters::lines(self.side).len().saturating_sub(1);
        let times = usize::try_from(count.unwrap_or(1)).unwrap_or(usize::MAX);
        match list {
            List::Down => self.line = self.line.saturating_add(times).min(last),
            List::Up => self.line = self.line.saturating_sub(times),
            List::Top | List::PageUp | List::HalfUp => self.line = 0,
            List::Last | List::PageDown | List::HalfDown => self.line = last,
            _ => {}
        }
    }

    /// Opens the field of a filter, or its list where the values are known.
    pub fn edit_filter(&mut self, filter: Filter, add: bool, scene: &mut Scene<'_>) {
        if let Some(picker) = value_picker(filter, self.seat().wish.value(filter)) {
            scene.open(Dialog::Picker(picker));
            return;
        }
        let add = add && filter.matching() == Match::AnyOf;
        let value = if add { String::new() } else { self.seat().wish.values(filter).join(", ") };
        self.edit = Some(Edit::new(filter, add, value, &self.typed, &scene.session.side(self.side).window));
        let lines = filters::lines(self.side);
        self.line = lines.iter().position(|line| *line == filters::Line::Filter(filter)).unwrap_or(0);
    }

    /// Enter in the field.
    pub fn submit_edit(&mut self, scene: &mut Scene<'_>) {
        let Some(edit) = self.edit.take() else { return };
        let before = self.seat().wish.clone();
        self.set_filter(edit.filter, &edit.value(), edit.add, scene);
        self.pane = Pane::Results;
        if self.seat().wish == before && scene.session.side(self.side).window.total().is_none() {
            self.run(scene);
        }
    }

    fn clear_filters(&mut self, scene: &mut Scene<'_>) {
        if self.seat().wish.is_unfiltered() && self.seat().wish.waiting().next().is_none() {
            scene.say("No filter is set.");
            return;
        }
        self.change(scene, Query::clear_all);
        scene.say("All filters cleared.  u brings them back");
    }

    #[must_use]
    pub fn filter_picker(&self) -> Picker {
        let items = Filter::of(self.side)
            .iter()
            .map(|filter| {
                let value = self.seat().wish.values(*filter).join(", ");
                let right = if value.is_empty() { filter.rule().to_owned() } else { value };
                let mut item = Item::new(filter.label(), right, Pick::Filter(*filter));
                filter.name().clone_into(&mut item.hidden);
                item
            })
            .collect();
        Picker::new("FILTER", items).with_rule("Pick a field, then a value.")
    }

    fn filter_by_cell(&mut self, scene: &mut Scene<'_>) {
        let seat = self.seat();
        let Some(column) = seat.columns.get(seat.column) else { return };
        let Some(filter) = column.filter(self.side) else {
            scene.say(format!("{} has no filter for {}.", self.side, column.head().to_lowercase()));
            return;
        };
        let Some(row) = seat.row(&scene.session.side(self.side).window) else { return };
        let value = column.text(row);
        if value.is_empty() || value.contains('•') {
            scene.say("This cell is empty or masked, so it cannot be a filter.");
            return;
        }
        let value = if filter == Filter::Industry { value.replace(',', " ") } else { value };
        self.set_filter(filter, &value, false, scene);
    }

    fn widen(&mut self, wider: bool) {
        let seat = self.seat_mut();
        let Some(column) = seat.columns.get_mut(seat.column) else { return };
        let now = column.width.unwrap_or(16);
        column.width = Some(if wider { (now + 2).min(120) } else { now.saturating_sub(2).max(2) });
    }

    pub fn columns(&mut self, command: Columns, at: &mut usize, scene: &mut Scene<'_>) {
        let side = self.side;
        let columns = &mut self.seat_mut().columns;
        let last = columns.len().saturating_sub(1);
        *at = (*at).min(last);
        match command {
            Columns::Toggle => {
                let others = columns.iter().enumerate().any(|(place, column)| place != *at && column.shown);
                if let Some(column) = columns.get_mut(*at).filter(|column| !column.shown || others) {
                    column.shown = !column.shown;
                }
            }
            Columns::Later if *at < last => {
                columns.swap(*at, *at + 1);
                *at += 1;
            }
            Columns::Earlier if *at > 0 => {
                columns.swap(*at, *at - 1);
                *at -= 1;
            }
            Columns::Later | Columns::Earlier => {}
            Columns::Reset => *columns = columns::defaults(side),
            Columns::Done => scene.wishes.push(Wish::CloseDialog),
        }
        let seat = self.seat_mut();
        if !seat.columns.get(seat.column).is_some_and(|column| column.shown) {
            seat.column = seat.columns.iter().position(|column| column.shown).unwrap_or(0);
        }
    }

    /// Orders the loaded rows by the column under the cursor; once more gives the service's order back.
    pub fn order(&mut self, back: bool, scene: &mut Scene<'_>) {
        let side = self.side;
        let window = &scene.session.side(side).window;
        let seat = self.seat_of_mut(side);
        let column = seat.column;
        let at = seat.index(seat.cursor);
        if seat.order.as_ref().is_some_and(|order| order.column == column && order.back == back) {
            seat.order = None;
            seat.cursor = at;
            scene.say("The service's order.");
            return;
        }
        let by = &seat.columns[column];
        let mut keyed: Vec<(String, u64)> =
            window.loaded().map(|(index, row)| (by.text(row).to_lowercase(), index)).collect();
        // Rows without a value come last either way round: they say nothing.
        keyed.sort_unstable_by(|a, b| {
            let order = if back { b.0.cmp(&a.0) } else { a.0.cmp(&b.0) };
            a.0.is_empty().cmp(&b.0.is_empty()).then(order).then(a.1.cmp(&b.1))
        });
        let rows: Vec<u64> = keyed.into_iter().map(|(_, index)| index).collect();
        let words = format!(
            "{} loaded rows by {}; o or O again for the service's order.",
            grouped(rows.len() as u64),
            by.head().to_lowercase()
        );
        seat.cursor = 0;
        seat.top = 0;
        seat.anchor = None;
        seat.order = Some(Order { column, back, rows, only_new: false });
        scene.say(words);
    }

    // The basket.

    fn stage(&mut self, scene: &mut Scene<'_>) {
        let side = self.side;
        if self.seat().anchor.is_some() {
            let range = self.seat().range();
            let most = range.clone().take(MOST_STAGED as usize);
            let indices = most.map(|position| self.seat().index(position)).collect();
            self.stage_indices(indices, scene);
            self.seat_mut().anchor = None;
            return;
        }
        let (state, desk) = scene.session.side_mut(side);
        let Some(row) = self.seat().row(&state.window) else { return };
        match state.basket.toggle(row, state.window.query(), desk, scene.fx) {
            Some(true) => self.staged_words(side, "Added 1 row to the basket", scene),
            Some(false) => self.staged_words(side, "Took 1 row out of the basket", scene),
            None => return,
        }
        let count = self.seat().count(&scene.session.side(side).window);
        let seat = self.seat_mut();
        seat.cursor = (seat.cursor + 1).min(count.saturating_sub(1));
    }

    fn staged_words(&mut self, side: Side, did: &str, scene: &mut Scene<'_>) {
        self.undo.push(Step::Basket(side));
        self.redo.clear();
        let staged = scene.session.side(side).basket.len() as u64;
        scene.say(format!("{did} ({}). Nothing spent.  u undoes", grouped(staged)));
    }

    fn stage_indices(&mut self, indices: Vec<u64>, scene: &mut Scene<'_>) {
        let side = self.side;
        let (state, desk) = scene.session.side_mut(side);
        let window = &state.window;
        let here = indices.iter().filter_map(|index| match window.slot(*index) {
            Slot::Row(row) => Some(row),
            _ => None,
        });
        let here: Vec<&Row> = here.collect();
        let missing = indices.len() - here.len();
        let added = state.basket.stage(here, window.query(), desk, scene.fx);
        if added == 0 {
            scene.say(if missing > 0 {
                "These rows are not read yet; move there first."
            } else {
                "All of them are in the basket already."
            });
            return;
        }
        let rows = if added == 1 { "1 row".to_owned() } else { format!("{} rows", grouped(added as u64)) };
        let gap = if missing > 0 {
            format!("; {} not read yet were left out", grouped(missing as u64))
        } else {
            String::new()
        };
        self.staged_words(side, &format!("Added {rows} to the basket{gap}"), scene);
    }

    pub fn empty_basket(&mut self, side: Side, scene: &mut Scene<'_>) {
        let staged = scene.session.side(side).basket.len();
        if staged == 0 {
            return;
        }
        let (state, desk) = scene.session.side_mut(side);
        state.basket.empty(desk, scene.fx);
        self.staged_words(side, &format!("Took {} rows out of the basket", grouped(staged as u64)), scene);
    }

    fn ask_stage_all(&mut self, scene: &mut Scene<'_>) {
        let window = &scene.session.side(self.side).window;
        let total = window.total().unwrap_or(0);
        let stride = window.stride().max(1);
        let words = format!(
            "{} match. How many of them, from the first on? At most {}; each {} rows cost one free request.",
            grouped(total),
            grouped(total.min(MOST_STAGED)),
            grouped(stride)
        );
        scene.open(Dialog::Prompt(Prompt::new("PUT ALL IN THE BASKET", words, Purpose::StageAll)));
    }

    /// The number typed for `A`.
    pub fn stage_all(&mut self, typed: &str, scene: &mut Scene<'_>) {
        let plain: String = typed.chars().filter(|c| !matches!(c, ',' | ' ' | '_')).collect();
        let Ok(most) = plain.parse::<u64>() else {
            scene.warn(format!("`{typed}` is not a number. A asks again."));
            return;
        };
        let side = self.side;
        let total = scene.session.side(side).window.total().unwrap_or(0);
        let most = most.min(total).min(MOST_STAGED);
        if most == 0 {
            return;
        }
        let (state, desk) = scene.session.side_mut(side);
        state.gather(most, desk, scene.now, scene.fx);
        self.undo.push(Step::Basket(side));
        self.redo.clear();
        scene.say(format!("Reading {} rows into the basket. Nothing spent.  Esc stops", grouped(most)));
    }

    // Questions.

    fn ask_mark_pulled(&mut self, scene: &mut Scene<'_>) {
        let side = self.side;
        let index = self.seat().index(self.seat().cursor);
        let ids = scene.session.side(side).window.page_ids(index);
        if ids.is_empty() {
            scene.say("This page is not read yet.");
            return;
        }
        let words = format!(
            "Records these {} ids as pulled for this key's user; cannot be undone. One request for exactly this page is sent.",
            ids.len()
        );
        let ask = Ask::new(
            "MARK THIS PAGE AS PULLED",
            words,
            "No, leave it",
            vec![("Record them".to_owned(), Deed::MarkPulled)],
        );
        scene.open(Dialog::Ask(ask));
    }

    fn ask_suppress(&mut self, scene: &mut Scene<'_>) {
        let Some(row) = self.seat().row(&scene.session.side(self.side).window) else { return };
        let mut deeds = Vec::new();
        if row.id.is_some() {
            deeds.push((format!("Suppress {}", row.name()), Deed::SuppressContact));
        }
        if let Some(domain) = row.email_domain() {
            deeds.push((format!("Suppress everybody at {domain}"), Deed::SuppressDomain));
        }
        let words =
            "A suppressed contact is never part of an unlock. S in the Basket shows the lists and removes them.";
        scene.open(Dialog::Ask(Ask::new("SUPPRESS", words, "Neither", deeds)));
    }

    fn current_id(&self, scene: &Scene<'_>) -> Option<(RowId, bool)> {
        let row = self.seat().row(&scene.session.side(self.side).window)?;
        row.id.map(|id| (id, row.unlocked))
    }

    fn ask_tag(&mut self, scene: &mut Scene<'_>) {
        let side = self.side;
        match self.current_id(scene) {
            Some((id, true)) => {
                let key = crate::domain::contact::ContactKey { side, id };
                let tags = scene.session.ledger.contact(side.corpus, id).map(|owned| owned.tags.join(", "));
                let words = "Words separated by commas; empty removes them.";
                let prompt = Prompt::new("TAG", words, Purpose::Tag(vec![key])).with(tags.unwrap_or_default());
                scene.open(Dialog::Prompt(prompt));
            }
            _ => scene.say("Tags and notes are kept for contacts that are ours."),
        }
    }

    fn ask_note(&mut self, scene: &mut Scene<'_>) {
        match self.current_id(scene) {
            Some((id, true)) => {
                let note = scene.session.ledger.contact(self.side.corpus, id).map(|owned| owned.note.clone());
                let prompt = Prompt::new("NOTE", "Kept here only.", Purpose::Note(id)).with(note.unwrap_or_default());
                scene.open(Dialog::Prompt(prompt));
            }
            _ => scene.say("Tags and notes are kept for contacts that are ours."),
        }
    }
}

fn move_column(seat: &mut super::state::Seat, list: List, times: u64) {
    let shown: Vec<usize> = (0..seat.columns.len()).filter(|at| seat.columns[*at].shown).collect();
    let Some(last) = shown.len().checked_sub(1) else { return };
    let here = shown.iter().position(|at| *at == seat.column).unwrap_or(0);
    let times = usize::try_from(times).unwrap_or(usize::MAX);
    let to = match list {
        List::Left => here.saturating_sub(times),
        List::Right => here.saturating_add(times).min(last),
        List::FirstColumn => 0,
        _ => last,
    };
    seat.column = shown[to];
}

/// The list of a filter whose values are known; none where it is typed.
#[must_use]
pub fn value_picker(filter: Filter, now: Option<&str>) -> Option<Picker> {
    let title = filter.label().to_uppercase();
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
    let rule = format!("{}; type to find, or a value that is not in the list", filter.rule());
    Some(Picker::new(title, items).with_rule(rule).free(filter).marked_at(at.unwrap_or(0)))
}

fn named(filter: Filter, codes: impl Iterator<Item = (&'static str, &'static str)>) -> Vec<Item> {
    codes.map(|(code, name)| Item::new(format!("{code}  {name}"), "", Pick::Value(filter, code.to_owned()))).collect()
}

fn capital(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// A name for a search, from its own values.
fn suggested_name(query: &Query) -> String {
    let values: Vec<&str> = query.filters().flat_map(|(_, values)| values.iter().map(String::as_str)).collect();
    let name: String = values.join(" ").chars().take(60).collect();
    if name.is_empty() { query.side.corpus.name().to_owned() } else { name }
}
