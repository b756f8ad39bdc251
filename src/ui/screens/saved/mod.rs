//! Saved searches: where each lives, its total then and now, and what is new since it last ran.
//!
//! ```text
//!    NAME            SEARCH          FILTERS                     LIVES    THEN    NOW   NEW  LAST RUN
//! ▸ nurses in TX     Workspace › us  title~nurse  state=TX       both    4,870  4,882   +12  yesterday
//! ```
//!
//! The searches themselves are `flow::saved`'s business; here is only which one is looked at and how the list is drawn.

pub mod facts;
mod footer;
mod state;
pub mod update;
mod view;

use ratatui::layout::Rect;

use crate::keys::command::{Command, List, Saved};
use crate::keys::situation::{Context, chain};
use crate::scene::{Scene, SceneRef, Slice, numbered};
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::table;

pub use state::State;

impl Slice for State {
    fn chain(&self) -> &'static [Context] {
        chain::SAVED
    }

    fn view(&self, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
        view::view(self, scene, canvas, body);
    }

    /// Rows of saved searches that ran here which their last run did not have.
    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(scene.session.glance().new_rows(), " new")
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        !scene.session.shelf().entries().is_empty()
    }

    /// Both lists are read again, and what each search comes to now is asked behind everything else.
    fn arrive(&mut self, scene: &mut Scene<'_>) {
        scene.session.read_saved(scene.now, scene.fx);
        scene.session.glance_at_saved(scene.now, scene.fx);
    }

    fn leave(&mut self, scene: &mut Scene<'_>) {
        scene.session.leave_glance();
    }

    fn saved_listed(&mut self, scene: &mut Scene<'_>) {
        scene.session.glance_at_saved(scene.now, scene.fx);
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        if let Command::Saved(command) = command {
            update::command(self, command, scene);
        }
    }

    fn list(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        self.at = table::moved(self.at, list, count, scene.session.shelf().entries().len());
    }

    fn click(&mut self, target: Target, double: bool, _scene: &mut Scene<'_>) -> Option<Command> {
        (table::clicked(&mut self.at, target) && double).then_some(Command::Saved(Saved::Run))
    }

    fn pick(&mut self, at: usize, _scene: &mut Scene<'_>) {
        self.at = at;
    }
}
