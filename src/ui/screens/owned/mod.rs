//! Every contact that is owned, with its verification, refund, receipt and source search.

mod facts;
mod footer;
mod state;
pub mod update;
mod view;

use ratatui::layout::Rect;

use crate::dialogs::subject::Subject;
use crate::keys::command::{Command, List, Owned};
use crate::keys::situation::{Context, chain};
use crate::scene::{Scene, SceneRef, Slice, numbered};
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::table;
use lode_core::credits::counted;
use lode_core::export::local::owned_rows;
use lode_core::row::Row;
use lode_core::shell_line::quoted;

pub use state::State;

impl Slice for State {
    fn chain(&self) -> &'static [Context] {
        chain::OWNED
    }

    fn view(&self, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
        view::view(self, scene, canvas, body);
    }

    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(scene.session.ledger().owned_count() as u64, "")
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        self.contact(scene.session).is_some()
    }

    fn command_line(&self, _: SceneRef<'_>) -> Option<String> {
        let line = "lode owned".to_owned();
        Some(if self.find.is_empty() { line } else { format!("{line} --find {}", quoted(&self.find)) })
    }

    fn selection(&self, scene: SceneRef<'_>) -> Vec<Row> {
        self.contact(scene.session).map(|owned| owned_rows(std::slice::from_ref(owned))).unwrap_or_default()
    }

    fn exports(&self, scene: SceneRef<'_>) -> Vec<(Subject, String)> {
        let count = scene.session.ledger().owned_count() as u64;
        let owned = (Subject::Owned, format!("owned ({})", counted(count, "contact")));
        if count > 0 { vec![owned] } else { Vec::new() }
    }

    /// The receipts are read, which the contacts point at.
    fn arrive(&mut self, scene: &mut Scene<'_>) {
        if scene.session.ledger().receipts().is_none() {
            scene.session.read_receipts(scene.now, scene.fx);
        }
    }

    fn look(&mut self, scene: &mut Scene<'_>) {
        self.settle(scene.session);
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        if let Command::Owned(command) = command {
            update::command(self, command, scene);
        }
    }

    fn list(&mut self, list: List, count: Option<u64>, _: &mut Scene<'_>) {
        self.at = table::moved(self.at, list, count, self.count());
    }

    fn click(&mut self, target: Target, double: bool, _scene: &mut Scene<'_>) -> Option<Command> {
        (table::clicked(&mut self.at, target) && double).then_some(Command::Owned(Owned::Open))
    }
}
