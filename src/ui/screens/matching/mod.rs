//! Accounts in, contacts out: a list of companies held against a service, account by account.
//!
//! ```text
//!    Line  Account              Result     Company                               Contacts
//! ▸     2  LAKESIDE LLC         matched    Lakeside Regional                            3
//!       3  quail                ambiguous  Quail Run (quail.example); Quail Hill
//! ```
//!
//! The list and what each account comes to belong to `flow::matching`, the same as for `lode match`. Here is only which account is
//! looked at, and what goes into a basket.

mod facts;
mod footer;
mod state;
mod update;
mod view;

use ratatui::layout::Rect;

use crate::keys::command::{Command, List, Match};
use crate::keys::situation::{Context, chain};
use crate::scene::{Scene, SceneRef, Slice, numbered};
use crate::widgets::canvas::{Canvas, Target};
use crate::widgets::table;
use lode_core::row::Row;
use lode_core::time::Mono;
use lode_engine::flow::matching::Stage;

pub use state::State;

impl Slice for State {
    fn chain(&self) -> &'static [Context] {
        chain::MATCH
    }

    fn view(&self, scene: SceneRef<'_>, canvas: &mut Canvas<'_>, body: Rect) {
        view::view(self, scene, canvas, body);
    }

    /// Accounts of the list.
    fn number(&self, scene: SceneRef<'_>) -> String {
        numbered(facts::accounts(scene.session) as u64, "")
    }

    fn has_row(&self, scene: SceneRef<'_>) -> bool {
        facts::accounts(scene.session) > 0
    }

    /// The contacts of the account under the cursor.
    fn selection(&self, scene: SceneRef<'_>) -> Vec<Row> {
        self.rows(scene.session).to_vec()
    }

    fn command_line(&self, scene: SceneRef<'_>) -> Option<String> {
        facts::command_line(scene.session)
    }

    /// The time left is counted down.
    fn running_since(&self, scene: SceneRef<'_>) -> Option<Mono> {
        scene.session.matching().job().filter(|job| *job.stage() == Stage::Running).and_then(|job| job.began())
    }

    fn command(&mut self, command: Command, scene: &mut Scene<'_>) {
        if let Command::Match(command) = command {
            update::command(self, command, scene);
        }
    }

    fn list(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        self.at = table::moved(self.at, list, count, facts::accounts(scene.session));
    }

    fn click(&mut self, target: Target, double: bool, _scene: &mut Scene<'_>) -> Option<Command> {
        (table::clicked(&mut self.at, target) && double).then_some(Command::Match(Match::Start))
    }

    fn pick(&mut self, at: usize, _scene: &mut Scene<'_>) {
        self.at = at;
    }
}
