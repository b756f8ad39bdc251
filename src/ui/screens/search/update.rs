//! What the commands of the Search screen do. The router calls these.

use super::*;

/// Rows that one command reads in the background.
const FIRST_ROWS: u64 = 5_000;
/// Rows that one command stages at most: what a basket can hold and a person can mean.
const MOST_STAGED: u64 = 50_000;

impl State {
    pub fn results(&mut self, command: Results, scene: &mut Scene<'_>) {
        match command {
            Results::MainField => {
                self.edit_filter(Filter::of(self.side)[0], Becomes::All, scene);
                // A new search is the usual thing; Enter in the filter pane edits what is there.
                self.edit = self.edit.take().map(Edit::offering);
            }
            Results::PickFilter => scene.pick(self.filter_picker()),
            Results::ClearFilters => self.clear_filters(scene),
            Results::FilterByCell => self.filter_by_cell(scene),
            Results::ExcludeByCell => self.exclude_by_cell(scene),
            Results::Exclusions => scene.pick(self.exclusions()),
            Results::PerCompany => self.ask_per_company(scene),
            Results::HideOwned | Results::HidePulled => {
                let is_owned = command == Results::HideOwned;
                self.toggle(if is_owned { FilterLine::HideOwned } else { FilterLine::HidePulled }, scene);
                let draft = &self.grid().draft;
                let what = if is_owned { "Owned contacts" } else { "Pulled rows" };
                let hidden = if is_owned { draft.hide_owned } else { draft.hide_pulled };
                scene.say(format!("{what} are {}.", if hidden { "hidden" } else { "shown" }));
            }
            Results::MarkPulled => self.ask_mark_pulled(scene),
            Results::Stage => self.stage(scene),
            Results::Range if self.grid().anchor.is_some() => self.escape(scene),
            Results::Range => {
                self.grid_mut().anchor = Some(self.grid().cursor);
                scene.say_while(Holds::Range, "Range: move, then <results.stage> add it. <results.range> end.");
            }
            Results::StagePage => {
                let window = self.window(scene.session);
                let page = window.page_around(self.grid().index(self.grid().cursor));
                let indices = window.held_in(page.clone()).collect();
                self.stage_indices(indices, page.end - page.start, scene);
            }
            Results::StageAll => self.ask_stage_all(scene),
            Results::EmptyBasket => scene.empty_basket(),
            Results::Unlock | Results::UnlockRow => scene.hand(Intent::Unlock(command == Results::UnlockRow)),
            Results::ExcludeCompany => {
                let row = self.grid().row(self.window(scene.session));
                let company = row.map_or(String::new(), |row| row.known(Known::Company).to_owned());
                self.exclude(ExclusionKind::Company, &company, scene);
            }
            Results::Open => scene.open_contact(),
            Results::Columns => {
                let items = columns::items(&self.grid().columns);
                let list = Picker::new(format!("Columns of {}", self.side), items).finding();
                scene.open(Dialog::Columns(list.with_rule(columns::RULE).standing_at(self.grid().column)));
            }
            Results::Narrower | Results::Wider => self.widen(command == Results::Wider),
            Results::Order | Results::OrderBack => self.order(command == Results::OrderBack, scene),
            Results::ReadFirst => self.read_first(scene),
            Results::Views => self.pick_view(scene),
            Results::Save => {
                let name = self.saved_name.clone().unwrap_or_else(|| suggested_name(&self.grid().draft));
                let words = format!("{}\nName of the saved search:", self.grid().draft.words());
                scene.prompt("Save this search", words, Intent::SaveSearch(None), Field::offering(name));
            }
            Results::FetchAgain => {
                if scene.session.balance.failure.is_some() {
                    scene.session.balance.refresh(&mut scene.session.desk.at(scene.now, scene.fx));
                }
                if self.grid().draft == *self.window(scene.session).query() {
                    self.grid_mut().unsort();
                    scene.session.search_at(self.grid().draft.clone(), self.grid().cursor, scene.now, scene.fx);
                    scene.say_while(Holds::Fetching, "Refreshing…");
                } else {
                    self.run(scene);
                }
            }
            Results::Export => scene.hand(Intent::OfferExport),
            Results::Tag | Results::Note => self.ask_kept(command == Results::Note, scene),
            Results::Suppress => self.ask_suppress(scene),
        }
    }

    // The search itself: changed so that `u` brings it back, run and stopped, recalled, carried to another side; searches that come
    // from other screens.

    /// Runs what the filter pane says. What scans a whole corpus or is many searches at once is asked about first: it costs
    /// nothing but time, so Enter runs it.
    pub fn run(&mut self, scene: &mut Scene<'_>) {
        let draft = &self.grid().draft;
        let window = &scene.session.side(draft.side).window;
        if window.total().is_some() && draft.not != window.query().not && draft.asks_as(window.query()) {
            // The service would answer the same: nothing is asked.
            return scene.session.leave_out(draft.side, draft.not.clone(), scene.now, scene.fx);
        }
        let many = draft.leg_count() > ASKED_ABOVE;
        if draft.ready().is_err() || draft.speed() != Speed::Slow && !many {
            return self.run_now(scene);
        }
        if many {
            return scene.open(Dialog::Ask(FormDialog::many_searches(draft, Intent::RunSlow)));
        }
        let faster = if draft.side.source == Source::Data { "a keyword or an industry" } else { "an industry" };
        let query = draft.words();
        let words = format!("{query}. Searching by location or email type only can take minutes. Add {faster}.");
        scene.open(Dialog::Ask(FormDialog::going_on("Slow search", words, ("Search anyway", Intent::RunSlow))));
    }

    /// Runs it, however long it may take.
    pub fn run_now(&mut self, scene: &mut Scene<'_>) {
        self.grid_mut().rewind();
        scene.session.search_at(self.grid().draft.clone(), 0, scene.now, scene.fx);
    }

    /// Changes the search so that `u` brings it back, and runs it. Nothing happens where nothing changed.
    pub(super) fn change(&mut self, scene: &mut Scene<'_>, change: impl FnOnce(&mut Query)) {
        let before = self.grid().draft.clone();
        change(&mut self.grid_mut().draft);
        if self.grid().draft != before {
            self.did(UndoStep::Search(before));
            self.run(scene);
        }
    }

    /// The same where a value may not fit its filter: then that is said, and nothing changes.
    fn try_change(&mut self, scene: &mut Scene<'_>, edit: impl FnOnce(&mut Query) -> Result<(), QueryProblem>) -> bool {
        let mut draft = self.grid().draft.clone();
        let result = edit(&mut draft);
        match &result {
            Ok(()) => self.change(scene, |query| *query = draft),
            Err(problem) => scene.warn(format!("{}.", capital(&problem.to_string()))),
        }
        result.is_ok()
    }

    /// Another search as a whole: recalled, restored, from the counts.
    pub fn recall(&mut self, query: Query, scene: &mut Scene<'_>) {
        let before = self.take_over(query, Pane::Results, scene);
        self.did(UndoStep::Search(before));
        self.run(scene);
    }

    /// Shows another search on its side, which is not run yet. Returns the one before it.
    fn take_over(&mut self, query: Query, pane: Pane, scene: &mut Scene<'_>) -> Query {
        scene.nav.go(Screen::Search);
        (self.side, self.pane) = (query.side, pane);
        std::mem::replace(&mut self.grid_mut().draft, query)
    }

    /// Takes the last step back, or does it again.
    pub fn step(&mut self, undo: bool, scene: &mut Scene<'_>) {
        let steps = if undo { &mut self.undo } else { &mut self.redo };
        let Some(step) = steps.pop() else { return };
        let back = match step {
            UndoStep::Basket(side) => {
                let (state, desk) = scene.session.side_mut(side);
                let cx = &mut desk.at(scene.now, scene.fx);
                let _ = if undo { state.basket.undo(cx) } else { state.basket.redo(cx) };
                // After an unlock the basket is empty, and "nothing spent" would read as if that had been free.
                let staged = counted(state.basket.len() as u64, "contact");
                scene.say(format!("Basket of {side}: {staged}."));
                step
            }
            UndoStep::Search(query) => {
                let before = self.grid_of(query.side).draft.clone();
                self.side = query.side;
                scene.say(format!("Search: {}", query.words()));
                self.grid_mut().draft = query;
                self.run(scene);
                UndoStep::Search(before)
            }
        };
        if undo { &mut self.redo } else { &mut self.undo }.push(back);
    }

    /// The same draft on another side; each side keeps its own result, place and basket.
    pub fn switch(&mut self, to: Side, scene: &mut Scene<'_>) {
        if to == self.side {
            return;
        }
        let wanted = self.grid().draft.clone();
        let carried = wanted.on(to);
        self.side = to;
        self.edit = None;
        self.line = 0;
        // What was searched there stays, unless it was everything and here is something.
        let fresh = *scene.session.side(to).window.status() == Status::Empty;
        let bare = self.grid().draft.is_unfiltered() && self.grid().draft.waiting().next().is_none();
        if bare && (fresh || !wanted.is_unfiltered()) {
            self.grid_mut().draft = carried;
            self.run(scene);
        } else if fresh {
            // Remembered from the last time: as it was left.
            let grid = self.grid();
            if grid.draft.leg_count() > ASKED_ABOVE {
                return self.run(scene);
            }
            scene.session.search_at(grid.draft.clone(), grid.cursor, scene.now, scene.fx);
        }
        let waiting: Vec<&str> = self.grid().draft.waiting().map(|(filter, _)| filter.label()).collect();
        scene.say(if !waiting.is_empty() {
            format!("Switched to {to}. It has no filter for {}: kept, not sent.", waiting.join(", "))
        } else if to.source == Source::Data && !scene.session.profile().live {
            format!("{to}. Data API rows are shown as they arrive; nothing is verified.")
        } else {
            format!("Switched to {to}. Each source keeps its own search and basket.")
        });
    }

    pub fn other_corpus(&mut self, scene: &mut Scene<'_>) {
        let corpus = if self.side.corpus == Corpus::Us { Corpus::Linkedin } else { Corpus::Us };
        self.switch(Side { corpus, ..self.side }, scene);
    }

    pub fn other_source(&mut self, scene: &mut Scene<'_>) {
        let source = if self.side.source == Source::Workspace { Source::Data } else { Source::Workspace };
        self.switch(Side { source, ..self.side }, scene);
    }

    /// True where something was running.
    pub fn stop_query(&self, scene: &mut Scene<'_>) -> bool {
        let (state, desk) = scene.session.side_mut(self.side);
        let cx = &mut desk.at(scene.now, scene.fx);
        let words = if state.stop_gathering(cx) {
            format!("Stopped reading; the basket holds {}.", grouped(state.basket.len() as u64))
        } else if state.stop_reading(cx) {
            format!("Stopped reading: {}.", extent(state.window.held(), &state.window))
        } else if state.window.is_busy() {
            state.window.stop(cx);
            "Stopped. Nothing was spent.  <results.fetch-again> search again".to_owned()
        } else {
            return false;
        };
        scene.say(words);
        true
    }

    /// A saved search that runs already is shown.
    pub fn show_saved(&mut self, name: String, query: Query, only_new: bool, scene: &mut Scene<'_>) {
        self.take_over(query, Pane::Results, scene);
        self.edit = None;
        self.grid_mut().rewind();
        self.only_new = only_new;
        if let Some(view) = view_of(&name, scene.session).and_then(Result::ok) {
            self.apply_view(&view, scene);
        }
        self.saved_name = Some(name);
    }

    pub fn edit_saved(&mut self, name: String, query: Query, scene: &mut Scene<'_>) {
        self.take_over(query, Pane::Filters, scene);
        scene.say(format!("Change the filters; <results.fetch-again> run, <results.save> save as `{name}`."));
        self.saved_name = Some(name);
    }

    /// A saved search that ran is read: how much of it, and what is new.
    pub fn watched(&mut self, side: Side, scene: &mut Scene<'_>) {
        let state = scene.session.side(side);
        let Some(watch) = &state.watch else { return };
        let gone = match view_of(&watch.name, scene.session) {
            Some(Err(view)) => format!(" Its view `{view}` is gone."),
            _ => String::new(),
        };
        let said = format!("`{}`: {}.{gone}", watch.name, watch.sentence());
        if !std::mem::take(&mut self.only_new) || !watch.has_before() {
            return scene.say(said);
        }
        let new = |(_, row): &(u64, &Row)| row.id().is_some_and(|id| watch.is_new(id));
        let rows: Vec<u64> = state.window.loaded().filter(new).map(|(index, _)| index).collect();
        if rows.is_empty() {
            return scene.say(format!("Nothing new, so all rows are shown. {said}"));
        }
        let held = state.window.held();
        let grid = self.grid_of_mut(side);
        grid.rewind();
        grid.order = Some(SortedRows { column: grid.column, back: false, rows, held, only_new: true });
        scene.say(said);
    }

    /// The draft with these values instead of those that it had for their filters. A code is a filter of the Data API only.
    pub fn narrow(&mut self, values: Vec<(Filter, String)>, scene: &mut Scene<'_>) {
        let mut query = self.grid().draft.clone();
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
        self.recall(query, scene);
    }

    // What the filter pane does: a filter is picked, typed, taken from a cell, cleared.

    pub fn filters(&mut self, command: Filters, scene: &mut Scene<'_>) {
        match (command, self.filter_line()) {
            (Filters::Edit, Some(FilterLine::Filter(filter))) => {
                self.edit_filter(filter, self.marked_value(filter).map_or(Becomes::All, Becomes::Instead), scene);
            }
            (Filters::AddValue, Some(FilterLine::Filter(filter))) => self.edit_filter(filter, Becomes::Another, scene),
            (Filters::AddValue, _) => self.edit_filter(Filter::Industry, Becomes::Another, scene),
            (Filters::Clear, Some(FilterLine::Filter(filter))) => match self.marked_value(filter) {
                Some(at) => self.put_value(Becomes::Instead(at), filter, "", scene),
                None => self.change(scene, |query| query.clear(filter)),
            },
            (Filters::Clear, Some(FilterLine::Exclude)) => self.leave_out(Exclusions::default(), scene),
            (Filters::Clear, Some(FilterLine::PerCompany)) => self.set_per_company("", scene),
            (Filters::Edit | Filters::Toggle, Some(line)) => self.toggle(line, scene),
            _ => {}
        }
    }

    /// The line of the filter pane that is stood on.
    pub fn filter_line(&self) -> Option<FilterLine> {
        filters::lines(self.side).get(self.line).copied()
    }

    pub fn toggle(&mut self, line: FilterLine, scene: &mut Scene<'_>) {
        match line {
            FilterLine::Corpus => self.other_corpus(scene),
            FilterLine::HideOwned => self.change(scene, |query| query.hide_owned = !query.hide_owned),
            FilterLine::HidePulled => self.change(scene, |query| query.hide_pulled = !query.hide_pulled),
            FilterLine::Dedup => self.change(scene, |query| query.dedup = !query.dedup),
            FilterLine::Exclude => scene.pick(self.exclusions()),
            FilterLine::PerCompany => self.ask_per_company(scene),
            FilterLine::Filter(filter) => self.edit_filter(filter, Becomes::All, scene),
        }
    }

    /// Moving in the pane: from line to line, and sideways through the values of one that has several.
    pub fn filter_list(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        if matches!(list, List::Left | List::Right | List::FirstColumn | List::LastColumn) {
            let times = usize::try_from(count.unwrap_or(1)).unwrap_or(usize::MAX);
            return self.mark_value(list, times, scene);
        }
        // Lines have no numbers here, and a page is all of them.
        let times = count.filter(|_| list != List::Last);
        self.line = table::moved(self.line, list, times, filters::lines(self.side).len(), [usize::MAX; 2]);
        self.value = None;
    }

    /// The value that is marked, where the filter has several.
    pub fn marked_value(&self, filter: Filter) -> Option<usize> {
        let several = self.grid().draft.values(filter).len();
        self.value.filter(|at| several > 1 && *at < several)
    }

    /// To the left of the first value stands the filter as a whole.
    fn mark_value(&mut self, list: List, times: usize, scene: &mut Scene<'_>) {
        let Some(FilterLine::Filter(filter)) = self.filter_line() else { return };
        let last = self.grid().draft.values(filter).len().saturating_sub(1);
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
            let keys = "<filters.clear> remove, <filters.edit> change, <filters.add-value> add another.";
            scene.say_while(Holds::Value, format!("{}: {keys}", self.grid().draft.values(filter)[at]));
        }
    }

    /// A value was clicked: an only one opens its field, one of several is marked.
    pub fn chip(&mut self, filter: Filter, at: usize, scene: &mut Scene<'_>) {
        if self.grid().draft.values(filter).len() < 2 {
            return self.edit_filter(filter, Becomes::All, scene);
        }
        self.edit = None;
        self.pane = Pane::Filters;
        self.stand_on(filter);
        self.value = Some(at);
        self.say_value(filter, scene);
    }

    fn stand_on(&mut self, filter: Filter) {
        let lines = filters::lines(self.side);
        self.line = lines.iter().position(|line| *line == FilterLine::Filter(filter)).unwrap_or(0);
        self.value = None;
    }

    /// Opens the field of a filter, or its list where the values are known.
    pub fn edit_filter(&mut self, filter: Filter, becomes: Becomes, scene: &mut Scene<'_>) {
        let values = self.grid().draft.values(filter);
        let now = match becomes {
            Becomes::All => values.first(),
            Becomes::Another => None,
            Becomes::Instead(at) => values.get(at),
        };
        let counts = scene.session.totals[self.side.corpus as usize].counts.as_ref();
        if let Some(picker) = value_picker(filter, values, now, counts) {
            self.picking = becomes;
            return scene.pick(picker);
        }
        let value = if becomes == Becomes::All { values.join(", ") } else { now.cloned().unwrap_or_default() };
        self.edit = Some(Edit::new(filter, becomes, value, &self.typed, self.window(scene.session)));
        self.stand_on(filter);
    }

    /// A value was picked from a list.
    pub fn picked(&mut self, filter: Filter, value: &str, scene: &mut Scene<'_>) {
        let becomes = std::mem::replace(&mut self.picking, Becomes::All);
        self.become_value(becomes, filter, value, scene);
    }

    /// Values were marked in a list: the filter has these and no others.
    pub fn set_values(&mut self, filter: Filter, values: &[String], scene: &mut Scene<'_>) {
        self.try_change(scene, |draft| {
            draft.clear(filter);
            values.iter().try_for_each(|value| draft.add(filter, value))
        });
    }

    fn become_value(&mut self, becomes: Becomes, filter: Filter, value: &str, scene: &mut Scene<'_>) {
        let values = self.grid().draft.values(filter);
        // All of several values, as the field offered them, stay as they are.
        let stays = || values.len() > 1 && filter.matching() != MatchKind::AnyOf && values.join(", ") == value;
        if becomes != Becomes::All || !stays() {
            self.put_value(becomes, filter, value, scene);
        }
    }

    fn put_value(&mut self, becomes: Becomes, filter: Filter, value: &str, scene: &mut Scene<'_>) {
        let is_valid = self.try_change(scene, |draft| match becomes {
            Becomes::All => draft.set(filter, value),
            Becomes::Another => draft.add(filter, value),
            Becomes::Instead(at) => draft.replace(filter, at, value),
        });
        if is_valid && !value.is_empty() && !matches!(becomes, Becomes::Instead(_)) {
            self.typed.retain(|known| *known != (filter, value.to_owned()));
            self.typed.insert(0, (filter, value.to_owned()));
            self.typed.truncate(200);
        }
    }

    /// Enter in the field.
    pub fn submit_edit(&mut self, scene: &mut Scene<'_>) {
        let Some(edit) = self.edit.take() else { return };
        let before = self.grid().draft.clone();
        self.become_value(edit.becomes, edit.filter, &edit.value(), scene);
        self.pane = Pane::Results;
        if self.grid().draft == before && scene.session.side(self.side).window.total().is_none() {
            self.run(scene);
        }
    }

    fn clear_filters(&mut self, scene: &mut Scene<'_>) {
        let draft = &self.grid().draft;
        let stay = match draft.not.iter().count() {
            0 => String::new(),
            count => format!(" {} {}.", counted(count as u64, "exclusion"), agree(count, "stays", "stay")),
        };
        if draft.is_unfiltered() && draft.waiting().next().is_none() {
            return scene.say(format!("No filters.{stay}"));
        }
        self.change(scene, Query::clear_all);
        scene.say(format!("Filters cleared.{stay}  <everywhere.undo> undo"));
    }

    pub fn filter_picker(&self) -> Picker {
        let items = Filter::of(self.side).iter().map(|filter| {
            let value = self.grid().draft.values(*filter).join(", ");
            let right = if value.is_empty() { filter.rule().to_owned() } else { value };
            let item = PickerItem::new(edit::label(*filter), right, Intent::Filter(*filter));
            PickerItem { hidden: filter.name().to_owned(), ..item.letter(filter.letter()) }
        });
        Picker::new("Filter by", items.collect())
    }

    fn filter_by_cell(&mut self, scene: &mut Scene<'_>) {
        let grid = self.grid();
        let Some(column) = grid.columns.get(grid.column) else { return };
        let Some(filter) = column.filter(self.side) else {
            return scene.say(format!("{} has no filter for {}.", self.side, column.head().to_lowercase()));
        };
        let Some(row) = grid.row(self.window(scene.session)) else { return };
        let value = column.text(row);
        if value.is_empty() || value.contains('•') {
            return scene.say("This cell is empty or masked, so it cannot be a filter.");
        }
        let value = if filter == Filter::Industry { value.replace(',', " ") } else { value };
        self.put_value(Becomes::All, filter, &value, scene);
    }

    // Choosing contacts: what is left out of the result, and how many contacts of one company are taken. Nothing here is asked of a
    // service and nothing costs anything.

    /// The menu of what can be left out, each with what is left out already.
    pub fn exclusions(&self) -> Picker {
        let items = ExclusionKind::ALL.into_iter().map(|kind| {
            let values = excluded_values(&self.grid().draft.not, kind);
            let right = if values.is_empty() { "none".to_owned() } else { values };
            PickerItem::new(kind.label(), right, Intent::Exclude(kind)).letter(kind.letter())
        });
        Picker::new("Exclude", items.collect())
    }

    /// One line of that menu.
    pub fn ask_exclude(&mut self, kind: ExclusionKind, scene: &mut Scene<'_>) {
        if kind == ExclusionKind::List {
            return self.ask_lists(scene);
        }
        self.prompt_exclude(kind, excluded_values(&self.grid().draft.not, kind), scene);
    }

    fn prompt_exclude(&self, kind: ExclusionKind, values: String, scene: &mut Scene<'_>) {
        let whom = match kind {
            ExclusionKind::Title => "contacts whose title has one of these words",
            ExclusionKind::Word => "contacts whose company has one of these words in its name",
            ExclusionKind::Company => "these companies, however their legal form is written",
            ExclusionKind::Domain => "contacts whose email or website is at one of these domains",
            ExclusionKind::List => "contacts on these lists",
        };
        let words = format!("Leave out {whom}. Separate several with a semicolon. No request, no credit.");
        scene.prompt(format!("Exclude: {}", kind.label()), words, Intent::Exclude(kind), Field::new(values));
    }

    fn ask_lists(&self, scene: &mut Scene<'_>) {
        let not = &self.grid().draft.not;
        let lists = scene.session.lists.all.iter().map(|list| {
            let on = not.values(ExclusionKind::List).any(|name| name == list.list);
            PickerItem::new(list.list.clone(), "", Intent::ExcludeList(list.list.clone())).marked(on)
        });
        let items: Vec<PickerItem> = lists.collect();
        if items.is_empty() {
            return scene.say("No suppression lists yet. <basket.suppressions> on the Basket screen adds one.");
        }
        scene.pick(Picker::new("Exclude: suppression list", items));
    }

    /// Values that were typed or marked for one kind take the place of what was there.
    pub fn set_excluded(&mut self, kind: ExclusionKind, values: &[&str], scene: &mut Scene<'_>) {
        let before = &self.grid().draft.not;
        let mut not = before.clone();
        before.values(kind).for_each(|value| _ = not.remove(kind, value));
        match values.iter().try_for_each(|value| not.add(kind, value).map(drop)) {
            Ok(()) => self.leave_out(not, scene),
            Err(problem) => scene.warn(format!("{}.", capital(&problem.to_string()))),
        }
    }

    pub fn toggle_excluded_list(&mut self, name: &str, scene: &mut Scene<'_>) {
        let mut not = self.grid().draft.not.clone();
        if not.remove(ExclusionKind::List, name) || not.add(ExclusionKind::List, name).is_ok() {
            self.leave_out(not, scene);
        }
    }

    /// The cell under the cursor: its company or its domain at once, of a title the words that are meant.
    fn exclude_by_cell(&mut self, scene: &mut Scene<'_>) {
        let grid = self.grid();
        let cell = grid.columns.get(grid.column).zip(grid.row(self.window(scene.session)));
        let Some((column, row)) = cell else { return };
        let not = &grid.draft.not;
        let traits = Traits::of(row);
        let (kind, value) = match &*column.key {
            "title" => {
                let known = excluded_values(not, ExclusionKind::Title);
                let title = traits.title.replace(';', " ");
                let values = if known.is_empty() { title } else { format!("{known}; {title}") };
                return self.prompt_exclude(ExclusionKind::Title, values, scene);
            }
            "email" | "email_address" if traits.firm().is_none_or(|firm| !firm.contains('.')) => {
                return scene.say("This is not a company's domain. Exclude the company instead.");
            }
            "email" | "email_address" => (ExclusionKind::Domain, firm::domain(traits.email).unwrap_or_default()),
            "company_website" => (ExclusionKind::Domain, row.known(Known::Website).to_owned()),
            "company_name" | "name" => (ExclusionKind::Company, traits.company.to_owned()),
            _ => {
                let words =
                    "Exclusions go by title, company, email domain or website.  <results.exclusions> all of them";
                return scene.say(words);
            }
        };
        self.exclude(kind, &value, scene);
    }

    fn exclude(&mut self, kind: ExclusionKind, value: &str, scene: &mut Scene<'_>) {
        let mut not = self.grid().draft.not.clone();
        match not.add(kind, value) {
            Ok(_) => self.leave_out(not, scene),
            Err(_) => scene.say("This cell is empty or masked, so it cannot be excluded."),
        }
    }

    pub(super) fn leave_out(&mut self, not: Exclusions, scene: &mut Scene<'_>) {
        let (side, before) = (self.side, self.grid().draft.not.clone());
        let added: Vec<String> = not.iter().filter(|new| !before.iter().any(|old| old == *new)).map(spelled).collect();
        self.change(scene, |query| query.not = not);
        let (now, sift) = (&self.grid().draft.not, &scene.session.side(side).excluded_counts);
        scene.say(if *now == before {
            let same = if now.is_empty() { "No exclusions." } else { "Already excluded.  <results.exclusions> edit" };
            same.to_owned()
        } else if now.is_empty() {
            "No exclusions left.  <everywhere.undo> undo".to_owned()
        } else {
            let what = if added.is_empty() { "Fewer exclusions" } else { &format!("Excluded {}", added.join(", ")) };
            let (out, read) = (grouped(sift.excluded()), counted(sift.read(), "row"));
            format!("{what}: {out} of {read} read. Nothing sent.  <everywhere.undo> undo")
        });
    }

    fn ask_per_company(&self, scene: &mut Scene<'_>) {
        let words = "Maximum contacts per company. Applies to <results.stage-page>, <results.stage-all> \
                     and the review. Empty or 0: no limit.";
        let now = scene.session.choice_rules.per_company.map_or_else(String::new, |limit| limit.to_string());
        scene.prompt("Limit per company", words, Intent::PerCompany, Field::offering(now));
    }

    /// The number that was typed for it.
    pub fn set_per_company(&mut self, typed: &str, scene: &mut Scene<'_>) {
        let typed = typed.trim();
        let number = if typed.is_empty() { "0" } else { typed };
        let Ok(limit) = number.parse::<u32>() else { return scene.warn(format!("`{typed}` is not a number.")) };
        let limit = Some(limit).filter(|limit| *limit > 0);
        scene.session.choice_rules.per_company = limit;
        scene.say(match limit {
            Some(limit) => format!("Limit: {} per company.", counted(u64::from(limit), "contact")),
            None => "No limit per company.".to_owned(),
        });
    }

    // Rows into the basket and out of it. Nothing here costs anything.

    fn stage(&mut self, scene: &mut Scene<'_>) {
        let side = self.side;
        if self.grid().anchor.is_some() {
            let grid = self.grid();
            let (first, last) = grid.range().into_inner();
            // Rows in an order of our own are all loaded. Of a long range in that of the service most are not.
            let indices = match grid.order {
                Some(_) => (first..=last).map(|position| grid.index(position)).collect(),
                None => self.window(scene.session).held_in(first..last + 1).collect(),
            };
            self.grid_mut().anchor = None;
            return self.stage_indices(indices, last + 1 - first, scene);
        }
        let (state, desk) = scene.session.side_mut(side);
        let Some(row) = self.grid().row(&state.window) else { return };
        if self.grid().is_repeat(&state.window) {
            let first = row.id().and_then(|id| state.window.place(id));
            let place = first.map_or_else(|| "earlier".to_owned(), |at| format!("at row {}", grouped(at + 1)));
            return scene.say(format!("This contact was shown {place} already; it counts once."));
        }
        let query = state.window.leg_query(state.window.leg_at(self.grid().index(self.grid().cursor)).unwrap_or(0));
        match state.basket.toggle(row, query, &mut desk.at(scene.now, scene.fx)) {
            Some(true) => scene.say_basket(side, "Added 1 row"),
            Some(false) => scene.say_basket(side, "Removed 1 row"),
            None => return,
        }
        self.travel(List::Down, None, scene);
    }

    /// Puts loaded rows into the basket; `asked` are all that were meant.
    fn stage_indices(&mut self, indices: Vec<u64>, asked: u64, scene: &mut Scene<'_>) {
        let side = self.side;
        let (state, choice_rules) = (scene.session.side(side), &scene.session.choice_rules);
        let (mut here, mut repeats) = (Vec::new(), 0);
        for index in &indices {
            match state.window.slot(*index) {
                Slot::Row(row) => here.push(row),
                Slot::Again(_) => repeats += 1,
                _ => {}
            }
        }
        let missing = asked - here.len() as u64 - repeats;
        let (wanted, left) = state.wanted(here, choice_rules);
        let skipped = left.words(choice_rules.per_company);
        // Each row with the leg that shows it: that search finds it again.
        let mut legs: BTreeMap<usize, Vec<Row>> = BTreeMap::new();
        for row in wanted {
            let index = row.id().and_then(|id| state.window.place(id));
            let leg = index.and_then(|index| state.window.leg_at(index)).unwrap_or(0);
            legs.entry(leg).or_default().push(row.clone());
        }
        let (state, desk) = scene.session.side_mut(side);
        let (mut added, meant) = (0, legs.values().map(Vec::len).sum::<usize>());
        for (leg, rows) in legs {
            let (query, cx) = (state.window.leg_query(leg), &mut desk.at(scene.now, scene.fx));
            added += state.basket.stage(added, &rows, query, cx);
        }
        if added == 0 {
            return scene.say(match (missing, repeats) {
                _ if !skipped.is_empty() => format!("Nothing added: {skipped}."),
                (1.., _) => "These rows are not loaded yet; move there first.".to_owned(),
                (0, 1..) => "These contacts were shown in a search before this one; each counts once.".to_owned(),
                (0, 0) => "All of them are already in the basket.".to_owned(),
            });
        }
        let count = |number: u64, what: &str| format!("{} {what}", grouped(number));
        let owned =
            scene.session.side(side).basket.rows().iter().rev().take(added).filter(|entry| entry.owned).count() as u64;
        let parts = [
            (owned == 0, count(added as u64, "added")),
            (owned > 0, format!("{} added ({} owned)", grouped(added as u64), grouped(owned))),
            (meant > added, count((meant - added) as u64, "skipped (in basket)")),
            (!skipped.is_empty(), skipped),
            (repeats > 0, count(repeats, "shown before")),
            (missing > 0, count(missing, "not loaded yet")),
        ];
        let said: Vec<String> = parts.into_iter().filter(|(is_said, _)| *is_said).map(|(_, words)| words).collect();
        scene.say_basket(side, &said.join(" · "));
    }

    fn ask_stage_all(&mut self, scene: &mut Scene<'_>) {
        let window = self.window(scene.session);
        let total = window.total().unwrap_or(0);
        let stride = window.stride().max(1);
        let (read, legs) = window.read();
        if read + window.failed_legs() < legs {
            return scene.say(format!("{read} of {} read: wait for the others.", counted(legs as u64, "search")));
        }
        if scene.session.chooses(self.side) {
            return self.ask_stage_best(total, scene);
        }
        let most = if window.query().overlaps() { "Up to " } else { "" };
        let price = if window.query().has_legs() {
            let requests = window.requests_for(total.min(MOST_STAGED));
            format!("all take {}, {}; all free", counted(requests, "request"), minutes(requests))
        } else {
            format!("one free request per {}", counted(stride, "row"))
        };
        let (total, limit) = (grouped(total), grouped(total.min(MOST_STAGED)));
        let words = format!("{most}{total} match. How many to add, from the first? At most {limit}; {price}.");
        scene.prompt("Add all to the basket", words, Intent::StageAll, Field::default());
    }

    fn ask_stage_best(&self, total: u64, scene: &mut Scene<'_>) {
        let choice_rules = &scene.session.choice_rules;
        let plan = scene.session.plan(self.side);
        let excludes = !scene.session.side(self.side).window.query().not.is_empty();
        let mut does = Vec::from_iter(excludes.then(|| "without excluded contacts".to_owned()));
        does.extend(choice_rules.per_company.map(|limit| format!("at most {limit} of a company")));
        let by_score = choice_rules.has_score();
        does.push(String::from(if by_score { "the best by score first" } else { "in the order of the service" }));
        let (total, among, does) = (grouped(total), grouped(plan.among), does.join(", "));
        let effort = format!("{}, about {} min", counted(plan.requests, "free request"), grouped(plan.minutes));
        let words = format!("{total} match. lode reads the first {among} ({effort}): {does}. How many to add?");
        scene.prompt("Add the best matches", words, Intent::StageAll, Field::default());
    }

    /// The number typed for `A`.
    pub fn stage_all(&mut self, typed: &str, scene: &mut Scene<'_>) {
        let plain: String = typed.chars().filter(|c| !matches!(c, ',' | ' ' | '_')).collect();
        let side = self.side;
        let total = scene.session.side(side).window.total().unwrap_or(0);
        let most = match plain.parse::<u64>().map(|most| most.min(total).min(MOST_STAGED)) {
            Err(_) if !plain.is_empty() => return scene.warn(format!("`{typed}` is not a number.")),
            Err(_) | Ok(0) => return,
            Ok(most) => most,
        };
        let among = scene.session.chooses(side).then(|| scene.session.choice_rules.among().min(total));
        let (state, desk) = scene.session.side_mut(side);
        let cx = &mut desk.at(scene.now, scene.fx);
        let words = if let Some(among) = among {
            state.gather(among, Some(usize::try_from(most).unwrap_or(usize::MAX)), cx);
            format!("Reading {} to choose from", counted(among, "row"))
        } else {
            state.gather(most, None, cx);
            format!("Adding {} to the basket", counted(most, "row"))
        };
        self.did(UndoStep::Basket(side));
        scene.say(format!("{words}. Nothing spent.  <everywhere.escape> stop"));
    }

    // How the rows are laid out: columns shown, ordered and widened, the loaded rows in an order of our own.

    fn widen(&mut self, wider: bool) {
        let grid = self.grid_mut();
        let Some(column) = grid.columns.get_mut(grid.column) else { return };
        let now = column.width.unwrap_or(16);
        column.width = Some(if wider { (now + 2).min(120) } else { now.saturating_sub(2).max(2) });
    }

    /// A command of the list of columns that is open.
    pub fn columns(&mut self, command: ColumnsCommand, scene: &mut Scene<'_>) {
        let Some(Dialog::Columns(list)) = scene.nav.dialogs.last_mut() else { return };
        let (side, place) = (self.side, list.place());
        let columns = &mut self.grid_mut().columns;
        let at = place.unwrap_or(0);
        let to = match command {
            ColumnsCommand::Later if place.is_some() => (at + 1).min(columns.len().saturating_sub(1)),
            ColumnsCommand::Earlier => at.saturating_sub(1),
            _ => at,
        };
        columns.swap(at, to);
        if command == ColumnsCommand::Reset {
            *columns = columns::defaults(side);
        }
        list.replace(columns::items(columns));
        list.stand_on(to);
        self.show_columns(scene);
    }

    /// Shows the columns that are marked in the list, one at least.
    pub fn show_columns(&mut self, scene: &mut Scene<'_>) {
        let Some(Dialog::Columns(list)) = scene.nav.dialogs.last_mut() else { return };
        let grid = self.grid_mut();
        if !list.items.iter().any(|item| item.mark == Some(true)) {
            let at = list.place().unwrap_or(0);
            list.items.iter_mut().skip(at).take(1).for_each(|item| item.mark = Some(true));
        }
        for (column, item) in grid.columns.iter_mut().zip(&list.items) {
            column.shown = item.mark == Some(true);
        }
        if !grid.columns.get(grid.column).is_some_and(|column| column.shown) {
            grid.column = grid.columns.iter().position(|column| column.shown).unwrap_or(0);
        }
    }

    /// Reads the first rows of the result in the background: what is sorted and searched then.
    fn read_first(&self, scene: &mut Scene<'_>) {
        let (state, desk) = scene.session.side_mut(self.side);
        let words = match state.read_first(FIRST_ROWS, &mut desk.at(scene.now, scene.fx)) {
            true => "Reading in the background, for free. What the cursor needs goes first.".to_owned(),
            false => format!("Already here: {}.", extent(state.window.held(), &state.window)),
        };
        scene.say(words);
    }

    /// Reading them is over.
    pub fn has_read(&self, side: Side, rows: u64, wanted: u64, scene: &mut Scene<'_>) {
        let window = &scene.session.side(side).window;
        let read = extent(window.held(), window);
        match (rows < wanted).then(|| window.slot(rows)) {
            Some(Slot::Failed(failure)) => {
                scene.warn(format!("Stopped at row {}: {}.", grouped(rows + 1), failure.reason()));
            }
            _ => scene.say(format!("Here now: {read}.  <results.order> sort  <lists.find> find")),
        }
    }

    /// Sorts the rows that were read by the column under the cursor. A second time it adds the rows read since; if there
    /// are none, it restores the service's order.
    pub fn order(&mut self, back: bool, scene: &mut Scene<'_>) {
        let held = self.window(scene.session).held();
        let grid = self.grid_mut();
        let wanted = (grid.column, back);
        let is_so = |order: &SortedRows| (order.column, order.back) == wanted && !order.only_new;
        let becomes_so = grid.sorting.as_ref().is_some_and(|sorting| (sorting.column, sorting.back) == wanted);
        match &grid.order {
            _ if becomes_so => self.unsort(scene),
            Some(order) if is_so(order) && order.held < held => {
                grid.anchor = None;
                grid.sorting = Some(Sorting::new(grid.column, back, held));
                self.sort_on(scene);
            }
            Some(order) if is_so(order) => self.unsort(scene),
            _ => self.begin_sort(Sorting::new(wanted.0, back, held), scene),
        }
    }

    /// Sorts the rows that were read by the column with this key, if it is there.
    pub(super) fn sort_by(&mut self, key: &str, back: bool, scene: &mut Scene<'_>) {
        if let Some(column) = self.grid().columns.iter().position(|column| &*column.key == key) {
            let mut sorting = Sorting::new(column, back, self.window(scene.session).held());
            sorting.quiet = true;
            self.begin_sort(sorting, scene);
        }
    }

    fn begin_sort(&mut self, sorting: Sorting, scene: &mut Scene<'_>) {
        let grid = self.grid_mut();
        if grid.order.is_none() && grid.sorting.is_none() {
            grid.before_order = Some((grid.cursor, grid.top));
        }
        // At once: keys that are pressed before the order is there move from here.
        (grid.cursor, grid.top, grid.anchor) = (0, 0, None);
        grid.sorting = Some(sorting);
        self.sort_on(scene);
    }

    /// The order of the service again; the cursor goes back to where it was before the sort.
    pub(super) fn unsort(&mut self, scene: &mut Scene<'_>) {
        let grid = self.grid_mut();
        let on = grid.index(grid.cursor);
        (grid.cursor, grid.top) = grid.unsort().unwrap_or((on, grid.top));
        scene.say("Sorted by the service.");
    }

    /// Goes on with what is being put in order, for about a millisecond.
    pub fn sort_on(&mut self, scene: &mut Scene<'_>) {
        let shown = self.side;
        for side in Side::ALL {
            let grid = self.grid_of_mut(side);
            let Some(mut sorting) = grid.sorting.take() else { continue };
            let Some(by) = grid.columns.get(sorting.column) else { continue };
            let (window, choice_rules) = (&scene.session.side(side).window, &scene.session.choice_rules);
            let is_score = by.is_score();
            let rows = window.fitting(sorting.next.unwrap_or(u64::MAX)..u64::MAX, |_| true);
            // Numbers of one length are in the order of their digits.
            let push = |row: &Row, text: &mut String| match is_score {
                true => text.push_str(&format!("{:05}", 50_000 + choice_rules.total(row))),
                false => by.push(row, text),
            };
            if !sorting.step(rows, push) {
                grid.sorting = Some(sorting);
                continue;
            }
            let (column, back, held, by) = (sorting.column, sorting.back, sorting.held, by.head().to_lowercase());
            let is_said = side == shown && !sorting.quiet;
            let rows = sorting.order();
            let (how, key) = if back { (", Z to A", "<results.order-back>") } else { ("", "<results.order>") };
            let mut words = format!("Sorted {} by {by}{how}.  {key} original order", extent(rows.len(), window));
            let is_reading = scene.session.side(side).reading().is_some();
            if !is_reading && (rows.len() as u64) < FIRST_ROWS.min(window.total().unwrap_or(0)) {
                words.push_str("  <results.read-first> read the first 5,000");
            }
            // Sorted once more, the cursor stays on its row.
            let again = grid.order.as_ref().is_some_and(|order| (order.column, order.back) == (column, back));
            let row = again.then(|| grid.index(grid.cursor));
            if let Some(at) = row.and_then(|row| rows.iter().position(|index| *index == row)) {
                let above = grid.cursor.saturating_sub(grid.top);
                grid.cursor = at as u64;
                grid.top = grid.cursor.saturating_sub(above);
            }
            grid.order = Some(SortedRows { column, back, rows, held, only_new: false });
            // On another screen the key means something else.
            if is_said {
                scene.say_while(Holds::Here(Screen::Search), words);
            }
        }
    }

    // Moving in the result grid by key and by mouse, what a click on the screen does, and telling the window which rows are looked at.

    /// Moving in the result grid.
    pub fn travel(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        let (height, window) = (self.height(scene.body), self.window(scene.session));
        let rows = self.grid().count(window);
        let (last, times) = (rows.saturating_sub(1), count.unwrap_or(1));
        let grid = self.grid_mut();
        let paged = matches!(list, List::PageDown | List::PageUp);
        let step = if paged { height.max(1) } else { (height / 2).max(1) }.saturating_mul(times);
        match list {
            List::Down => grid.cursor = grid.cursor.saturating_add(times).min(last),
            List::Up => grid.cursor = grid.cursor.saturating_sub(times),
            List::HalfDown | List::PageDown => {
                grid.cursor = grid.cursor.saturating_add(step).min(last);
                grid.top = grid.top.saturating_add(step).min(rows.saturating_sub(height));
            }
            List::HalfUp | List::PageUp => {
                grid.cursor = grid.cursor.saturating_sub(step);
                grid.top = grid.top.saturating_sub(step);
            }
            List::NextServicePage | List::PreviousServicePage => {
                let next = list == List::NextServicePage;
                let mut at = if next { grid.cursor } else { window.page_around(grid.cursor).start };
                for _ in 0..times.min(1_000) {
                    let page = window.page_around(if next { at } else { at.saturating_sub(1) });
                    at = if next { page.end } else { page.start };
                }
                grid.cursor = at.min(last);
                grid.top = grid.cursor;
            }
            List::Top => grid.cursor = 0,
            List::Last => {
                grid.cursor = count.map_or(last, |row| row.saturating_sub(1)).min(last);
                let (read, legs) = window.read();
                if read < legs {
                    scene.say(format!("{read} of {legs} read: this is the last row so far."));
                }
            }
            List::Left | List::Right | List::FirstColumn | List::LastColumn => move_column(grid, list, times),
            List::Find => {
                let before = self.find.clone().unwrap_or_default();
                let words = format!("Searches all fields of {}.", extent(window.held(), window));
                scene.prompt("Find in the rows read", words, Intent::Find, Field::offering(before));
            }
            List::FindNext => self.find_next(false, scene),
            List::FindPrevious => self.find_next(true, scene),
        }
    }

    pub(super) fn stand_at(&mut self, position: u64) {
        self.edit = None;
        self.pane = Pane::Results;
        self.grid_mut().cursor = position;
    }

    // What asks before it does something to a row: pulled, suppressed, tagged, a note.

    fn ask_mark_pulled(&mut self, scene: &mut Scene<'_>) {
        let ids = self.window(scene.session).page_ids(self.grid().index(self.grid().cursor));
        if ids.is_empty() {
            return scene.say("This page is still loading.");
        }
        let whom = contacts(ids.len());
        let words = format!(
            "Marks {whom} as pulled for the user of this key. This cannot be undone. Sends one request for this page."
        );
        scene.ask("Mark this page as pulled", words, "Cancel", vec![("Mark as pulled", Intent::MarkPulled)]);
    }

    fn ask_suppress(&mut self, scene: &mut Scene<'_>) {
        let Some(row) = self.grid().row(self.window(scene.session)) else { return };
        let mut intents = Vec::new();
        if let Some(id) = row.id() {
            let entry = SuppressEntry::Contact(self.side, id);
            intents.push((format!("Suppress {}", row.name()), Intent::Suppress(entry, row.name())));
        }
        if let Some(domain) = row.email_domain() {
            let small = domain.to_lowercase();
            let whom = format!("all contacts at {small}");
            let intent = Intent::Suppress(SuppressEntry::Domain(small), whom);
            intents.push((format!("Suppress all contacts at {domain}"), intent));
        }
        let words =
            "A suppressed contact is never unlocked. The lists are on the Basket screen: <basket.suppressions>.";
        scene.ask("Suppress", words, "Neither", intents);
    }

    /// Asks for the tags of the row under the cursor, or for its note.
    fn ask_kept(&self, note: bool, scene: &mut Scene<'_>) {
        let row = self.grid().row(self.window(scene.session));
        let Some(id) = row.and_then(|row| row.id()) else { return };
        let (key, owned) = (ContactKey { side: self.side, id }, scene.session.ledger.contact(self.side.corpus, id));
        let (tags, words) = owned.map(|owned| (owned.tags.join(", "), owned.note.clone())).unwrap_or_default();
        if note {
            return scene.prompt("Note", "Kept on this computer only.", Intent::Note(key), Field::new(words));
        }
        scene.prompt("Tag", "Words separated by commas; empty removes them.", Intent::Tag(key), Field::new(tags));
    }

    // Finding in the rows that were read: only what is here is searched, and the line says how much that is.

    /// What was typed for `Ctrl-f`: goes to the first hit at or after the cursor.
    pub fn begin_find(&mut self, wanted: &str, scene: &mut Scene<'_>) {
        self.find = Some(wanted.to_owned()).filter(|wanted| !wanted.is_empty());
        self.seek(false, true, scene);
    }

    pub fn find_next(&mut self, backwards: bool, scene: &mut Scene<'_>) {
        if self.find.is_none() {
            return scene.say("Nothing to find yet. <lists.find> search in the rows read.");
        }
        self.seek(backwards, false, scene);
    }

    /// Goes to the next hit, from the other end where none lies ahead.
    fn seek(&mut self, backwards: bool, at_cursor: bool, scene: &mut Scene<'_>) {
        let Some(words) = self.find.clone() else { return };
        let (grid, window) = (self.grid(), self.window(scene.session));
        let order = grid.order.as_ref().map(|order| (order.column, order.back, order.only_new, order.rows.len()));
        let (held, mut hasher) = (window.held(), DefaultHasher::new());
        // What is bought appears in the rows.
        (&words, window.query(), held, scene.session.ledger.changes, order).hash(&mut hasher);
        let mark = hasher.finish();
        let cursor = grid.cursor + u64::from(!backwards && !at_cursor);
        let found = self.found.take().filter(|found| found.mark == mark);
        let found = found.unwrap_or_else(|| FindResult::of(mark, &words, self.grid(), self.window(scene.session)));
        let (hits, wanted) = (&found.positions, words.to_lowercase());
        let split = hits.partition_point(|position| *position < cursor);
        let (ahead, farthest) = match backwards {
            true => (split.checked_sub(1), hits.len().saturating_sub(1)),
            false => (Some(split).filter(|at| *at < hits.len()), 0),
        };
        let at = ahead.unwrap_or(farthest);
        let read = extent(held, self.window(scene.session));
        if let Some(position) = hits.get(at) {
            self.grid_mut().cursor = *position;
            let from = if ahead.is_none() { ", from the other end" } else { "" };
            let (at, of) = (grouped(at as u64 + 1), grouped(found.all as u64));
            scene.say(format!("`{wanted}` {at} of {of} in {read}{from}"));
        } else {
            scene.say(format!("No match for `{wanted}` in {read}.  <results.main-field> search all"));
        }
        self.found = Some(found);
    }
}

/// A name for a search, from its own values.
fn suggested_name(query: &Query) -> String {
    let name: String = filters::values(query).chars().take(60).collect();
    if name.is_empty() { query.side.corpus.name().to_owned() } else { name }
}

/// The list of a filter whose values are known, those that it has marked; none where it is typed. `now`: where the cursor stands.
fn value_picker(filter: Filter, set: &[String], now: Option<&String>, counts: Option<&Counts>) -> Option<Picker> {
    let named = |(code, name): (&str, &str)| (format!("{code}  {name}"), code.to_owned());
    let mut values: Vec<(String, String)> = match (filter.matching(), filter) {
        (MatchKind::OneOf(values), _) => values.iter().map(|name| ((*name).to_owned(), (*name).to_owned())).collect(),
        (_, Filter::State) => codes::states().map(named).collect(),
        (_, Filter::SicCode) => codes::sic().map(named).collect(),
        (_, Filter::NaicsCode) => codes::naics().map(named).collect(),
        _ => return None,
    };
    // What was typed stays, though it is in no list.
    let typed: Vec<&String> = set.iter().filter(|value| !values.iter().any(|(_, known)| known == *value)).collect();
    values.splice(0..0, typed.into_iter().map(|value| (value.clone(), value.clone())));
    let kind = match filter {
        Filter::State => Some(CountKind::State),
        Filter::SicCode => Some(CountKind::Sic),
        _ => None,
    };
    let known = counts.map_or(&[][..], |counts| &counts.counts).iter().filter(|count| Some(count.kind) == kind);
    let known: HashMap<&str, u64> = known.map(|count| (count.code.as_str(), count.count)).collect();
    let mut items = vec![PickerItem::new("(any)", "", Intent::Value(filter, String::new()))];
    items.extend(values.into_iter().map(|(words, value)| {
        let (count, is_set) = (known.get(value.as_str()).copied(), set.contains(&value));
        PickerItem::new(words, count.map_or_else(String::new, grouped), Intent::Value(filter, value)).marked(is_set)
    }));
    let at = items.iter().position(|item| matches!(&item.pick, Intent::Value(_, value) if Some(value) == now));
    let rule = format!("{}; type or pick a value. <text.mark> marks several.", filter.rule());
    Some(Picker::new(edit::label(filter), items).with_rule(rule).free(filter).standing_at(at.unwrap_or(0)))
}

fn excluded_values(not: &Exclusions, kind: ExclusionKind) -> String {
    not.values(kind).collect::<Vec<_>>().join("; ")
}

fn spelled((kind, value): (ExclusionKind, &str)) -> String {
    format!("{} {value}", kind.label())
}

fn move_column(grid: &mut GridState, list: List, times: u64) {
    let shown: Vec<usize> = (0..grid.columns.len()).filter(|at| grid.columns[*at].shown).collect();
    let Some(last) = shown.len().checked_sub(1) else { return };
    let here = shown.iter().position(|at| *at == grid.column).unwrap_or(0);
    let times = usize::try_from(times).unwrap_or(usize::MAX);
    let to = match list {
        List::Left => here.saturating_sub(times),
        List::Right => here.saturating_add(times).min(last),
        List::FirstColumn => 0,
        _ => last,
    };
    grid.column = shown[to];
}
