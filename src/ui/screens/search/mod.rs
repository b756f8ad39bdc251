//! The Search screen: the search as pills, result grid, contact, filter pane.
//!
//! ```text
//!  ⌕ [title nurse ×] [state TX ×]  + f filter                        4,870 contacts
//! ╭────────────────────────────────────────────────────╮╭──────────────────────────╮
//! │    Name             Title              ST Email    ││ Tom Beckett              │
//! │ ●  Priya Raman      Director of Nurs…  TX p•••@st… ││ Director of Nursing      │
//! ╰─ 4 of 4,870 ──────────────────── owned 304 · 6 % ──╯╰──────────────────────────╯
//! ```
//!
//! The rows themselves live in `flow::search::window`; here is only where one looks, what is being typed, and how the
//! columns stand.

pub mod columns;
pub mod contact;
pub mod edit;
pub mod filters;
pub mod order;
mod pills;
pub mod state;
pub mod update;
pub mod view;
pub mod views;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::time::Duration;

use ratatui::{layout::Margin, style::Style};

use self::columns::{DOT, GridColumn, SIGNS};
use self::edit::{Becomes, Edit};
use self::state::{FindResult, GridState, Pane, SortedRows, State, UndoStep};
use self::{filters::FilterLine, order::Sorting, views::view_of};
use crate::card::{self, Card, joined};
use crate::layout::{self, Panes, SearchLayout};
use crate::scene::prelude::*;
use crate::widgets::share::{self, ColumnRequest, MEASURED, Need, Placed};
use crate::{dialogs::reader, keys::keymap::Keymap, widgets::bars::thin};
use lode_core::text::PHONE;
use lode_engine::flow::search::legs::{Legs, minutes};
use lode_engine::flow::search::window::{Slot, Status};
use lode_engine::{flow::desk::Waits, flow::export::effort};

impl Component for State {
    fn row<'a>(&self, scene: SceneRef<'a>) -> Option<&'a Row> {
        self.grid().row(self.window(scene.session))
    }

    fn states(&self, scene: SceneRef<'_>, height: u16) -> RowStates {
        let (window, grid) = (self.window(scene.session), self.grid());
        let unknown = scene.session.recovery.unknown(self.side.corpus);
        let visible = grid.top..grid.count(window).min(grid.top + u64::from(height));
        let rows = visible.filter_map(|position| match window.slot(grid.index(position)) {
            Slot::Row(row) => Some((key_of(self.side, row)?, sign(self.side, scene, &unknown, row))),
            _ => None,
        });
        RowStates { total: 0, rows: rows.collect() }
    }

    fn is_loading(&self, scene: SceneRef<'_>) -> bool {
        let window = self.window(scene.session);
        (window.is_busy() || matches!(window.status(), Status::Running { .. })) && !self.has_row(scene)
    }

    fn contact_reader(&self, scene: SceneRef<'_>, raw: bool) -> Option<Reader> {
        contact::dialog(self, scene, raw)
    }

    /// The columns that are shown.
    fn line_of(&self, row: &Row) -> String {
        let shown = self.grid().columns.iter().filter(|column| column.shown);
        shown.map(|column| column.text(row)).collect::<Vec<_>>().join("\t")
    }

    /// The rows of the range that are here.
    fn selection(&self, scene: SceneRef<'_>) -> Vec<Row> {
        let (window, grid) = (self.window(scene.session), self.grid());
        let row = |at| if let Slot::Row(row) = window.slot(grid.index(at)) { Some(row.clone()) } else { None };
        grid.range().take(100_000).filter_map(row).collect()
    }

    /// The range, the whole result, what is loaded.
    fn exports(&self, scene: SceneRef<'_>) -> Vec<(ExportSubject, String)> {
        let (session, side, window) = (scene.session, self.side, self.window(scene.session));
        let mut subjects = Vec::new();
        if self.grid().anchor.is_some() {
            let rows = counted(self.selection(scene).len() as u64, "row");
            subjects.push((ExportSubject::Range, format!("range ({rows})")));
        }
        let query = window.query();
        let there = query.on(Side { source: Source::Data, ..side });
        if session.has(Source::Data) && there.ready().is_ok() {
            let most = if there.overlaps() { "up to " } else { "" };
            let count = match (side.source, window.total()) {
                (Source::Data, Some(total)) => format!("all results ({most}{})", counted(total, "row")),
                (Source::Data, None) => "all results".to_owned(),
                (Source::Workspace, _) => "all results (Data API)".to_owned(),
            };
            let keyword = !there.values(Filter::Query).is_empty();
            let mut without = there.clone();
            if let (true, Some(total)) = (keyword, window.total()) {
                // The document of the export lists only filters: pages of the search are certain, and so is what comes without the keyword.
                // How long a page takes is known only of the service that will send them.
                let took = session.side(there.side).window.took_ms();
                let each = Duration::from_millis(took.unwrap_or_default().max(LEAST_MS));
                let (requests, minutes) = effort(total, session.desk.page(Source::Data), each);
                let (rows, requests) = (counted(total, "row"), counted(requests, "request"));
                let words = format!("every page of the search ({rows}, {requests}, about {} min)", grouped(minutes));
                subjects.push((ExportSubject::Pages(Box::new(there.clone())), words));
            }
            let stops = if keyword { "; one file, stops if the service does not apply the keyword" } else { "" };
            subjects.push((ExportSubject::Whole(Box::new(there)), format!("{count}{stops}")));
            without.clear(Filter::Query);
            if keyword && without.ready().is_ok() && without.filters().next().is_some() {
                subjects.push((ExportSubject::Whole(Box::new(without)), "all results without the keyword".to_owned()));
            }
        }
        if window.held() > 0 {
            let out = if query.not.is_empty() { "" } else { ", without excluded contacts" };
            subjects.push((ExportSubject::Loaded, format!("rows read ({}{out})", grouped(window.held() as u64))));
        }
        subjects
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        match command {
            Command::Results(command) => self.results(command, scene),
            Command::Filters(command) => self.filters(command, scene),
            Command::Columns(command) => self.columns(command, scene),
            _ => {}
        }
    }

    fn list(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        if self.pane == Pane::Filters {
            return self.filter_list(list, count, scene);
        }
        self.travel(list, count, scene);
    }

    fn escape(&mut self, scene: &mut Scene<'_>) {
        if self.grid_mut().anchor.take().is_some() {
            return scene.say("Range ended.");
        }
        if self.stop_query(scene) {
            return;
        }
        if self.pane != Pane::Results {
            self.pane = Pane::Results;
        } else if self.grid().order.is_some() || self.grid().sorting.is_some() {
            self.unsort(scene);
        }
    }

    fn click(&mut self, target: Target, double: bool, scene: &mut Scene<'_>) -> Option<Command> {
        match target {
            Target::Row(position) => {
                self.stand_at(position);
                self.pressed = Some(position);
                return double.then_some(Command::Results(Results::Open));
            }
            Target::Sign(position) => {
                self.stand_at(position);
                self.grid_mut().anchor = None;
                return Some(Command::Results(Results::Stage));
            }
            Target::Head(column) => {
                let grid = self.grid_mut();
                let ordered = grid.order.as_ref().is_some_and(|order| order.column == column);
                grid.column = column;
                // Once forwards, once backwards, then as the service orders them.
                self.order(ordered, scene);
            }
            Target::Value(filter, at) => self.chip(filter, at, scene),
            Target::Remove(Some(filter)) => self.change(scene, |query| query.clear(filter)),
            Target::Remove(None) => self.leave_out(Exclusions::default(), scene),
            Target::FilterLine(at) => {
                self.edit = None;
                self.pane = Pane::Filters;
                self.line = at;
                if let Some(line) = self.filter_line() {
                    self.toggle(line, scene);
                }
            }
            Target::Line(at) => {
                if let Some(edit) = &mut self.edit {
                    edit.marked = Some(at);
                    self.submit_edit(scene);
                }
            }
            Target::Pane(at) => self.pane = PANES.get(at).copied().unwrap_or(self.pane),
            Target::Command(_) | Target::Dialog => {}
        }
        None
    }

    /// From the row where the mouse went down to the one where it is: a range, as `v` makes it. Beyond the first and the
    /// last visible row the list moves on.
    fn drag(&mut self, y: u16, scene: &mut Scene<'_>) {
        let Some(from) = self.pressed else { return };
        let (rows, top) = (self.lines(scene.body), self.grid().top);
        let (last, to) = (u64::from(rows.height.saturating_sub(1)), u64::from(y.saturating_sub(rows.y)));
        let to = if y < rows.y { top.saturating_sub(1) } else { top + to.min(last + 1) };
        let to = to.min(self.grid().count(self.window(scene.session)).saturating_sub(1));
        let grid = self.grid_mut();
        if grid.anchor.is_none() && to == from {
            return;
        }
        grid.anchor = Some(from);
        grid.cursor = to;
        let rows = counted(from.abs_diff(to) + 1, "row");
        scene.say_while(Holds::Range, format!("Range of {rows}: <results.stage> add it. <results.range> end."));
    }

    fn wheel(&mut self, list: List, rows: u64, scene: &mut Scene<'_>) {
        if self.edit.is_none() {
            self.travel(list, Some(rows), scene);
        }
    }

    fn text(&mut self, text: TextCommand, scene: &mut Scene<'_>) {
        let Some(edit) = &mut self.edit else { return };
        match text {
            TextCommand::Submit => self.submit_edit(scene),
            TextCommand::Leave => self.edit = None,
            other => edit.update(other),
        }
    }

    fn typed(&mut self, words: &str) {
        if let Some(edit) = &mut self.edit {
            edit.input.typed(words);
            edit.refresh();
        }
    }

    fn next_pane(&mut self, forward: bool) {
        let at = PANES.iter().position(|pane| *pane == self.pane).unwrap_or(1);
        self.pane = PANES[if forward { (at + 1) % 3 } else { (at + 2) % 3 }];
    }

    /// Tells the window which rows are visible.
    fn look(&mut self, scene: &mut Scene<'_>) {
        let height = self.height(scene.body);
        let side = self.side;
        let owned = scene.session.ledger.owned_count() as u64;
        let has_score = scene.session.choice_rules.has_score();
        let is_about_to_run = scene.session.to_run.is_some();
        let (state, desk) = scene.session.side_mut(side);
        let grid = self.grid_of_mut(side);
        grid.keep_score(has_score);
        grid.measure(&state.window, owned);
        // Before the first answer nothing is known of the size: a place that was kept from before stays.
        if state.window.total().is_some() {
            grid.settle(grid.count(&state.window), height);
        }
        let sorts = !is_about_to_run && state.window.held() > 0 && state.window.has_read_ahead();
        let sort_due = grid.sort_due.take_if(|_| sorts);
        if grid.order.is_none() {
            state.window.set_viewport(grid.top, height, grid.cursor, &mut desk.at(scene.now, scene.fx));
        }
        if let Some((key, back)) = sort_due {
            self.sort_by(&key, back, scene);
        }
    }
}

const PANES: [Pane; 3] = [Pane::Filters, Pane::Results, Pane::Contact];

impl State {
    /// The contexts in which the next key is looked up.
    pub fn chain(&self) -> Chain {
        match self.pane {
            _ if self.edit.is_some() => chain::TEXT,
            Pane::Filters => chain::FILTERS,
            Pane::Results | Pane::Contact => chain::RESULTS,
        }
    }

    /// Where everything stands at this size.
    pub(crate) fn layout(&self, body: Rect) -> layout::SearchLayout {
        layout::search(body, self.panes[layout::class(body.width)])
    }

    /// The lines of the grid.
    fn lines(&self, body: Rect) -> Rect {
        self.layout(body).grid.rows
    }

    /// How many rows are visible.
    fn height(&self, body: Rect) -> u64 {
        u64::from(self.lines(body).height.max(1))
    }
}

// What is said of rows and of the search: the sign of a row, what can be exported, the searches of lately.

/// The state of a row as its sign. What changes what may be done comes first. `unknown` holds the contacts without a result.
fn sign(side: Side, scene: SceneRef<'_>, unknown: &BTreeSet<RowId>, row: &Row) -> Option<Sign> {
    let refunded = || matches!(row.known(Known::Verification), "invalid" | "disposable");
    Some(match row.id() {
        _ if matches!(scene.session.lists.check(side, row), SuppressionCheck::Named(_)) => Sign::Suppressed,
        Some(id) if side.source == Source::Workspace && unknown.contains(&id) => Sign::Unknown,
        Some(id) if scene.session.side(side).basket.contains(id) => Sign::Basket,
        _ if scene.session.side(side).excluded(row).is_some() => Sign::Excluded,
        _ if !row.unlocked() => return None,
        _ if refunded() => Sign::Refunded,
        _ => Sign::Owned,
    })
}

fn key_of(side: Side, row: &Row) -> Option<ContactKey> {
    row.id().map(|id| ContactKey { side, id })
}

/// `1,250 rows read of 241,682`, or `all 96 rows`.
pub(crate) fn extent(read: usize, window: &Legs) -> String {
    let rows = counted(read as u64, "row");
    match window.total() {
        Some(total) if (read as u64) < total => format!("{rows} read of {}", grouped(total)),
        _ => format!("all {rows}"),
    }
}

/// A request takes at least so long, whatever the service says of its own part.
const LEAST_MS: u64 = 100;
