//! Counts of the whole corpus: tile map of the states, bars, SIC table; marks become filters.
//!
//! ```text
//! ╭ Counts · US · whole corpus, cached by the service ────────────────────────────╮
//! │ view: [map] bars SIC        total 80,013,442        v next view   / find     │
//! │  OR0 ID0 MT0 WY0     SD0 WI1 MI2         NY6 NH0       shade and digit:      │
//! │▸ TX  6,912,440  8.6%                                                         │
//! ╰──────────────────────────────────────────────────────────────────────────────╯
//! ```
//!
//! The counts themselves are `flow::counts`'; what marks come to concerns Search, so it is handed over.

mod facts;
mod footer;
mod state;
mod update;
mod view;

use ratatui::layout::Rect;

use crate::keys::command::{Command, Counts, List};
use crate::keys::situation::{Context, chain};
use crate::scene::{Scene, SceneRef, Slice};
use crate::widgets::canvas::{Canvas, Target};
use lode_core::time::Mono;

pub use state::State;

impl Slice for State {
    fn chain(&self) -> &'static [Context] {
        chain::COUNTS
    }

    fn view(&self, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
        view::view(self, scene, canvas, body);
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        scene.session.totals(scene.side.corpus).counts().is_some()
    }

    fn command_line(&self, scene: SceneRef<'_>) -> Option<String> {
        Some(format!("lode counts --corpus {}", scene.side.corpus))
    }

    fn running_since(&self, scene: SceneRef<'_>) -> Option<Mono> {
        scene.session.totals(scene.side.corpus).running_since()
    }

    fn arrive(&mut self, scene: &mut Scene<'_>) {
        if scene.session.profile().data.is_some() {
            scene.session.count(scene.side.corpus, false, scene.now, scene.fx);
        }
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        if let Command::Counts(command) = command {
            update::command(self, command, scene);
        }
    }

    fn list(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        if let Some(sheet) = update::sheet(scene) {
            self.travel(list, count, &sheet, !facts::has_room_for_map(scene.body));
        }
    }

    fn escape(&mut self, scene: &mut Scene<'_>) -> bool {
        scene.session.stop_counting(scene.side.corpus, scene.now, scene.fx);
        false
    }

    fn click(&mut self, target: Target, double: bool, scene: &mut Scene<'_>) -> Option<Command> {
        if let (Target::Row(at), Some(sheet)) = (target, update::sheet(scene)) {
            self.click(usize::try_from(at).unwrap_or(0), &sheet);
        }
        double.then_some(Command::Counts(Counts::Mark))
    }

    fn pick(&mut self, at: usize, scene: &mut Scene<'_>) {
        if let Some(sheet) = update::sheet(scene) {
            self.pick(at, &sheet);
        }
    }
}
