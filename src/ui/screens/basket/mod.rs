//! The basket: staged rows, what they would cost, which are suppressed, owned already, or the same person twice.
//!
//! The estimate is worked out from what is on this machine; the review (`U`) reads everything again before it counts.

mod facts;
mod footer;
mod state;
mod update;
mod view;

use ratatui::layout::Rect;

use crate::keys::command::{Basket, Command, List};
use crate::keys::situation::{Context, chain};
use crate::scene::{Scene, SceneRef, Slice, numbered};
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::table;
use lode_core::contact::Side;
use lode_core::row::Row;

pub use state::State;

impl Slice for State {
    fn chain(&self) -> &'static [Context] {
        chain::BASKET
    }

    fn view(&self, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
        view::view(self, scene, canvas, body);
    }

    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(scene.session.side(scene.side).basket.len() as u64, "")
    }

    fn command_line(&self, scene: SceneRef<'_>) -> Option<String> {
        let Side { source, corpus } = scene.side;
        Some(format!("lode basket --source {source} --corpus {corpus}"))
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        !scene.session.side(scene.side).basket.is_empty()
    }

    fn row<'a>(&self, scene: SceneRef<'a>) -> Option<&'a Row> {
        self.entry(scene.session, scene.side).map(|entry| entry.row())
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        if let Command::Basket(command) = command {
            update::command(self, command, scene);
        }
    }

    fn list(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        self.at = table::moved(self.at, list, count, scene.session.side(scene.side).basket.len());
    }

    fn click(&mut self, target: Target, double: bool, _scene: &mut Scene<'_>) -> Option<Command> {
        (table::clicked(&mut self.at, target) && double).then_some(Command::Basket(Basket::Open))
    }
}
