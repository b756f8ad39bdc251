//! Unlocks, exports and scans: what runs, what waits, what they came to.
//!
//! ```text
//!    JOB       WHAT                                   ROWS          SIZE    STATE
//! ▸ export    Data › us title~nurse · contacts       12,000 of 48,700  2.1 MB  1.2 MB/s, 17 s left
//! ```
//!
//! A job belongs to its flow; this is the one list of all of them, and which line is looked at.

pub mod facts;
mod footer;
mod line;
mod others;
mod own;
mod state;
pub mod update;
mod view;

use ratatui::layout::Rect;

use crate::keys::command::{Command, List};
use crate::keys::situation::{Context, chain};
use crate::scene::{Scene, SceneRef, Slice, numbered};
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::table;

pub use state::State;

impl Slice for State {
    fn chain(&self) -> &'static [Context] {
        chain::JOBS
    }

    fn view(&self, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
        view::view(self, scene, canvas, body);
    }

    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(facts::running(scene) as u64, "")
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        !state::items(scene.session, scene.behind).is_empty()
    }

    fn command_line(&self, scene: SceneRef<'_>) -> Option<String> {
        self.command_line(scene.session, scene.behind)
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        if let Command::Jobs(command) = command {
            update::command(self, command, scene);
        }
    }

    fn list(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        self.at = table::moved(self.at, list, count, state::items(scene.session, scene.behind).len());
    }

    fn click(&mut self, target: Target, _double: bool, _scene: &mut Scene<'_>) -> Option<Command> {
        table::clicked(&mut self.at, target);
        None
    }
}
