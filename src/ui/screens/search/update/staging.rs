//! Rows into the basket and out of it. Nothing here costs anything.

use std::collections::BTreeMap;

use crate::dialogs::Dialog;
use crate::dialogs::prompt::{Prompt, Purpose};
use crate::scene::Scene;
use crate::screens::search::state::{State, Step};
use lode_core::contact::Side;
use lode_core::credits::{counted, grouped};
use lode_core::row::Row;
use lode_engine::flow::search::legs::minutes;
use lode_engine::flow::search::window::Slot;

/// Rows that one command stages at most: what a basket can hold and a person can mean.
pub(super) const MOST_STAGED: u64 = 50_000;

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
        if self.seat().is_repeat(&state.window) {
            let first = row.id().and_then(|id| state.window.place(id));
            let place = first.map_or_else(|| "earlier".to_owned(), |at| format!("at row {}", grouped(at + 1)));
            return scene.say(format!("This contact was shown {place} already; it counts once."));
        }
        let query = state.window.leg_query(state.window.leg_at(self.seat().index(self.seat().cursor)).unwrap_or(0));
        match state.basket.toggle(row, query, &mut desk.at(scene.now, scene.fx)) {
            Some(true) => self.staged_words(side, "Added 1 row to the basket", scene),
            Some(false) => self.staged_words(side, "Removed 1 row from the basket", scene),
            None => return,
        }
        let count = self.seat().count(&scene.session.side(side).window);
        let seat = self.seat_mut();
        seat.cursor = (seat.cursor + 1).min(count.saturating_sub(1));
    }

    fn staged_words(&mut self, side: Side, did: &str, scene: &mut Scene<'_>) {
        self.did(Step::Basket(side));
        let staged = scene.session.side(side).basket.len() as u64;
        scene.say(format!("{did} ({}). Nothing spent.  <everywhere.undo> undo", grouped(staged)));
    }

    pub(super) fn stage_indices(&mut self, indices: Vec<u64>, scene: &mut Scene<'_>) {
        let side = self.side;
        let (state, taste) = (scene.session.side(side), scene.session.taste());
        let (mut here, mut missing, mut repeats) = (Vec::new(), 0usize, 0u64);
        for index in &indices {
            match state.window.slot(*index) {
                Slot::Row(row) => here.push(row),
                Slot::Again(_) => repeats += 1,
                _ => missing += 1,
            }
        }
        let (wanted, left) = state.wanted(here, taste);
        let skipped = left.words(taste.per_company);
        // Each row with the leg that shows it: that search finds it again.
        let mut legs: BTreeMap<usize, Vec<Row>> = BTreeMap::new();
        for row in wanted {
            let index = row.id().and_then(|id| state.window.place(id));
            let leg = index.and_then(|index| state.window.leg_at(index)).unwrap_or(0);
            legs.entry(leg).or_default().push(row.clone());
        }
        let (state, desk) = scene.session.side_mut(side);
        let mut added = 0;
        for (leg, rows) in legs {
            let (query, cx) = (state.window.leg_query(leg), &mut desk.at(scene.now, scene.fx));
            added += if added == 0 {
                state.basket.stage(&rows, query, cx)
            } else {
                state.basket.stage_more(&rows, query, cx)
            };
        }
        if added == 0 {
            scene.say(if !skipped.is_empty() {
                format!("Nothing added: {skipped}.")
            } else if missing > 0 {
                "These rows are not loaded yet; move there first.".to_owned()
            } else if repeats > 0 {
                "These contacts were shown in a search before this one; each counts once.".to_owned()
            } else {
                "All of them are already in the basket.".to_owned()
            });
            return;
        }
        let rows = counted(added as u64, "row");
        let mut gap =
            if missing > 0 { format!("; {} not loaded yet skipped", grouped(missing as u64)) } else { String::new() };
        if repeats > 0 {
            gap.push_str(&format!("; {} met before", grouped(repeats)));
        }
        let skipped = if skipped.is_empty() { skipped } else { format!("; left out: {skipped}") };
        self.staged_words(side, &format!("Added {rows} to the basket{gap}{skipped}"), scene);
    }

    pub fn empty_basket(&mut self, side: Side, scene: &mut Scene<'_>) {
        let (state, desk) = scene.session.side_mut(side);
        // What is still being read would fill it again.
        let stopped = state.stop_gathering(&mut desk.at(scene.now, scene.fx));
        let staged = state.basket.len();
        if staged == 0 {
            if stopped {
                scene.say("Stopped adding. The basket is empty; nothing spent.");
            }
            return;
        }
        state.basket.empty(&mut desk.at(scene.now, scene.fx));
        let stopped = if stopped { "; stopped adding" } else { "" };
        self.staged_words(side, &format!("Removed {} from the basket{stopped}", counted(staged as u64, "row")), scene);
    }

    pub(super) fn ask_stage_all(&mut self, scene: &mut Scene<'_>) {
        let window = &scene.session.side(self.side).window;
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
        let words = format!(
            "{most}{} match. How many to add, from the first? At most {}; {price}.",
            grouped(total),
            grouped(total.min(MOST_STAGED)),
        );
        scene.open(Dialog::Prompt(Prompt::new("ADD ALL TO THE BASKET", words, Purpose::StageAll)));
    }

    fn ask_stage_best(&self, total: u64, scene: &mut Scene<'_>) {
        let taste = scene.session.taste();
        let plan = scene.session.plan(self.side);
        let excludes = !scene.session.side(self.side).window.query().not.is_empty();
        let mut does = Vec::from_iter(excludes.then(|| "without excluded contacts".to_owned()));
        does.extend(taste.per_company.map(|limit| format!("at most {limit} of a company")));
        does.push(if taste.has_score() { "the best by score first" } else { "in the order of the service" }.to_owned());
        let words = format!(
            "{} match. Chooses among the first {} ({}, about {} min): {}. How many to add?",
            grouped(total),
            grouped(plan.among),
            counted(plan.requests, "free request"),
            grouped(plan.minutes),
            does.join(", ")
        );
        scene.open(Dialog::Prompt(Prompt::new("ADD THE BEST TO THE BASKET", words, Purpose::StageAll)));
    }

    /// The number typed for `A`.
    pub fn stage_all(&mut self, typed: &str, scene: &mut Scene<'_>) {
        let plain: String = typed.chars().filter(|c| !matches!(c, ',' | ' ' | '_')).collect();
        let Ok(most) = plain.parse::<u64>() else {
            return scene.warn(format!("`{typed}` is not a number."));
        };
        let side = self.side;
        let total = scene.session.side(side).window.total().unwrap_or(0);
        let most = most.min(total).min(MOST_STAGED);
        if most == 0 {
            return;
        }
        let among = scene.session.chooses(side).then(|| scene.session.taste().among().min(total));
        let (state, desk) = scene.session.side_mut(side);
        let cx = &mut desk.at(scene.now, scene.fx);
        let words = if let Some(among) = among {
            state.gather_best(usize::try_from(most).unwrap_or(usize::MAX), among, cx);
            format!("Reading {} to choose from", counted(among, "row"))
        } else {
            state.gather(most, cx);
            format!("Adding {} to the basket", counted(most, "row"))
        };
        self.did(Step::Basket(side));
        scene.say(format!("{words}. Nothing spent.  <everywhere.escape> stop"));
    }
}
