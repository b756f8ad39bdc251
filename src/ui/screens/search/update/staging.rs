//! Rows into the basket and out of it. Nothing here costs anything.

use crate::domain::contact::Side;
use crate::domain::credits::{counted, grouped};
use crate::domain::row::Row;
use crate::flow::search::window::Slot;
use crate::ui::dialogs::Dialog;
use crate::ui::dialogs::prompt::{Prompt, Purpose};
use crate::ui::scene::Scene;
use crate::ui::screens::search::state::{State, Step};

/// Rows that one command stages at most: what a basket can hold and a person can mean.
pub const MOST_STAGED: u64 = 50_000;

impl State {
    pub(super) fn stage(&mut self, scene: &mut Scene<'_>) {
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
        match state.basket.toggle(row, state.window.query(), &mut desk.at(scene.now, scene.fx)) {
            Some(true) => self.staged_words(side, "Added 1 row to the basket", scene),
            Some(false) => self.staged_words(side, "Removed 1 row from the basket", scene),
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
        scene.say(format!("{did} ({}). Nothing spent.  <everywhere.undo> undo", grouped(staged)));
    }

    pub(super) fn stage_indices(&mut self, indices: Vec<u64>, scene: &mut Scene<'_>) {
        let side = self.side;
        let (state, desk) = scene.session.side_mut(side);
        let window = &state.window;
        let here = indices.iter().filter_map(|index| match window.slot(*index) {
            Slot::Row(row) => Some(row),
            _ => None,
        });
        let here: Vec<&Row> = here.collect();
        let missing = indices.len() - here.len();
        let added = state.basket.stage(here, window.query(), &mut desk.at(scene.now, scene.fx));
        if added == 0 {
            scene.say(if missing > 0 {
                "These rows are not loaded yet; move there first."
            } else {
                "All of them are already in the basket."
            });
            return;
        }
        let rows = counted(added as u64, "row");
        let gap =
            if missing > 0 { format!("; {} not loaded yet skipped", grouped(missing as u64)) } else { String::new() };
        self.staged_words(side, &format!("Added {rows} to the basket{gap}"), scene);
    }

    pub fn empty_basket(&mut self, side: Side, scene: &mut Scene<'_>) {
        let staged = scene.session.side(side).basket.len();
        if staged == 0 {
            return;
        }
        let (state, desk) = scene.session.side_mut(side);
        state.basket.empty(&mut desk.at(scene.now, scene.fx));
        self.staged_words(side, &format!("Removed {} from the basket", counted(staged as u64, "row")), scene);
    }

    pub(super) fn ask_stage_all(&mut self, scene: &mut Scene<'_>) {
        let window = &scene.session.side(self.side).window;
        let total = window.total().unwrap_or(0);
        let stride = window.stride().max(1);
        let words = format!(
            "{} match. How many to add, from the first? At most {}; one free request per {}.",
            grouped(total),
            grouped(total.min(MOST_STAGED)),
            counted(stride, "row")
        );
        scene.open(Dialog::Prompt(Prompt::new("ADD ALL TO THE BASKET", words, Purpose::StageAll)));
    }

    /// The number typed for `A`.
    pub fn stage_all(&mut self, typed: &str, scene: &mut Scene<'_>) {
        let plain: String = typed.chars().filter(|c| !matches!(c, ',' | ' ' | '_')).collect();
        let Ok(most) = plain.parse::<u64>() else {
            scene.warn(format!("`{typed}` is not a number."));
            return;
        };
        let side = self.side;
        let total = scene.session.side(side).window.total().unwrap_or(0);
        let most = most.min(total).min(MOST_STAGED);
        if most == 0 {
            return;
        }
        let (state, desk) = scene.session.side_mut(side);
        state.gather(most, &mut desk.at(scene.now, scene.fx));
        self.undo.push(Step::Basket(side));
        self.redo.clear();
        scene.say(format!("Adding {} to the basket. Nothing spent.  <everywhere.escape> stop", counted(most, "row")));
    }
}
