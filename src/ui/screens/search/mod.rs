//! The Search screen: filter pane, result grid, contact pane.
//!
//! ```text
//! ╭ FILTERS ───────╮╭ RESULTS 4,870 match · page 3 of 49 · rows 201–233 ─╮╭ CONTACT 211 of 4,870 ─╮
//! │ title /  nurse ││ title~nurse  state=TX                              ││ Tom Beckett           │
//! │                ││    NAME             TITLE              ST EMAIL    ││ Director of Nursing   │
//! │ corpus   us    ││ ●  Priya Raman      Director of Nurs…  TX p•••@st… ││ …                     │
//! ╰────────────────╯╰────────────────────────────────────────────────────╯╰───────────────────────╯
//! ```
//!
//! The rows themselves live in `flow::search::window`; here is only where one looks, what is being typed, and how the
//! columns stand.

mod caption;
pub mod columns;
pub mod contact;
pub mod edit;
pub mod empty_state;
mod facts;
pub mod filters;
pub mod find;
mod footer;
pub mod grid;
pub mod order;
pub mod state;
mod strip;
pub mod update;
mod view;

use ratatui::layout::Rect;

use crate::dialogs::subject::Subject;
use crate::keys::command::{Command, List, Results, Text};
use crate::keys::situation::{Context, chain};
use crate::layout;
use crate::scene::{Scene, SceneRef, Slice};
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::input;
use lode_core::contact::RowId;
use lode_core::row::Row;

pub use facts::range;
use state::{Pane, State};

impl Slice for State {
    fn chain(&self) -> &'static [Context] {
        match self.pane {
            _ if self.edit.is_some() => chain::TEXT,
            Pane::Filters => chain::FILTERS,
            Pane::Results | Pane::Contact => chain::RESULTS,
        }
    }

    fn view(&self, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
        view::view(self, scene, canvas, body);
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        self.row(scene).is_some()
    }

    fn row<'a>(&self, scene: SceneRef<'a>) -> Option<&'a Row> {
        self.seat().row(&scene.session.side(self.side).window)
    }

    fn row_to_unlock(&self, scene: SceneRef<'_>) -> Option<RowId> {
        self.row(scene).and_then(|row| row.id())
    }

    fn selection(&self, scene: SceneRef<'_>) -> Vec<Row> {
        range(self, scene.session)
    }

    fn exports(&self, scene: SceneRef<'_>) -> Vec<(Subject, String)> {
        facts::exports(self, scene.session)
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        match command {
            Command::Results(command) => self.results(command, scene),
            Command::Filters(command) => self.filters(command, scene),
            _ => {}
        }
    }

    fn list(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        if self.pane == Pane::Filters {
            return self.filter_list(list, count, scene);
        }
        self.travel(list, count, scene);
    }

    fn escape(&mut self, scene: &mut Scene<'_>) -> bool {
        self.end_one(scene)
    }

    fn click(&mut self, target: Target, double: bool, scene: &mut Scene<'_>) -> Option<Command> {
        self.clicked(target, scene);
        match target {
            Target::Row(_) if double => Some(Command::Results(Results::Open)),
            Target::Sign(_) => Some(Command::Results(Results::Stage)),
            _ => None,
        }
    }

    /// From the row where the mouse went down to the one where it is: a range, as `v` makes it. Beyond the first and the
    /// last visible row the list moves on.
    fn drag(&mut self, y: u16, scene: &mut Scene<'_>) {
        let Some(from) = self.pressed else { return };
        let (rows, top) = (self.lines(scene.body), self.seat().top);
        let (last, to) = (u64::from(rows.height.saturating_sub(1)), u64::from(y.saturating_sub(rows.y)));
        let to = if y < rows.y { top.saturating_sub(1) } else { top + to.min(last + 1) };
        self.range_to(from, to, scene);
    }

    fn wheel(&mut self, list: List, rows: u64, scene: &mut Scene<'_>) {
        if self.edit.is_none() {
            self.travel(list, Some(rows), scene);
        }
    }

    fn text(&mut self, text: Text, scene: &mut Scene<'_>) {
        let Some(edit) = &mut self.edit else { return };
        match text {
            Text::Submit => self.submit_edit(scene),
            Text::Leave => self.edit = None,
            Text::Next => edit.next(),
            Text::Previous => edit.previous(),
            Text::Complete => {
                edit.complete();
                edit.refresh();
            }
            other => {
                edit.offered = false;
                input::edit(&mut edit.input, other);
                edit.refresh();
            }
        }
    }

    fn typed(&mut self, words: &str) {
        if let Some(edit) = &mut self.edit {
            input::insert_over(&mut edit.input, &mut edit.offered, words);
            edit.refresh();
        }
    }

    fn next_pane(&mut self, forward: bool) {
        let at = PANES.iter().position(|pane| *pane == self.pane).unwrap_or(1);
        self.pane = PANES[if forward { (at + 1) % 3 } else { (at + 2) % 3 }];
    }

    fn look(&mut self, scene: &mut Scene<'_>) {
        self.look_at_rows(scene);
    }
}

const PANES: [Pane; 3] = [Pane::Filters, Pane::Results, Pane::Contact];

impl State {
    /// Where everything stands at this size.
    pub(crate) fn layout(&self, body: Rect) -> layout::Search {
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
