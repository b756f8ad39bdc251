//! Moving in the result grid by key and by mouse, what a click on the screen does, and telling the window which rows are looked at.

use crate::dialogs::Dialog;
use crate::dialogs::prompt::{Prompt, Purpose};
use crate::keys::command::List;
use crate::scene::{Holds, Scene};
use crate::screens::search::state::{Pane, Seat, State};
use crate::screens::search::{PANES, filters, find};
use crate::widgets::canvas::Target;
use lode_core::credits::counted;

impl State {
    /// The rows that are visible, as the window wants to know them. Called after everything that may have moved them.
    pub(in crate::screens::search) fn look_at_rows(&mut self, scene: &mut Scene<'_>) {
        let height = self.height(scene.body);
        let side = self.side;
        let owned = scene.session.ledger().owned_count() as u64;
        let has_score = scene.session.taste().has_score();
        let (state, desk) = scene.session.side_mut(side);
        let seat = self.seat_of_mut(side);
        seat.keep_score(has_score);
        seat.measure(&state.window, owned);
        // Before the first answer nothing is known of the size: a place that was kept from before stays.
        if state.window.total().is_some() {
            seat.settle(seat.count(&state.window), height);
        }
        if seat.order.is_none() {
            state.window.look_at(seat.top, height, seat.cursor, &mut desk.at(scene.now, scene.fx));
        }
    }

    /// A range between two rows; the cursor stands at its end.
    pub fn range_to(&mut self, from: u64, to: u64, scene: &mut Scene<'_>) {
        let last = self.seat().count(&scene.session.side(self.side).window).saturating_sub(1);
        let to = to.min(last);
        let seat = self.seat_mut();
        if seat.anchor.is_none() && to == from {
            return;
        }
        seat.anchor = Some(from);
        seat.cursor = to;
        let rows = counted(from.abs_diff(to) + 1, "row");
        scene.say_while(Holds::Range, format!("Range of {rows}: <results.stage> add it. <results.range> end."));
    }

    /// Moving in the result grid.
    pub fn travel(&mut self, list: List, count: Option<u64>, scene: &mut Scene<'_>) {
        let height = self.height(scene.body);
        let side = self.side;
        let window = &scene.session.side(side).window;
        let rows = self.seat().count(window);
        let last = rows.saturating_sub(1);
        let times = count.unwrap_or(1);
        let seat = self.seat_mut();
        let half = (height / 2).max(1);
        match list {
            List::Down => seat.cursor = seat.cursor.saturating_add(times).min(last),
            List::Up => seat.cursor = seat.cursor.saturating_sub(times),
            List::HalfDown | List::PageDown => {
                let step = if list == List::PageDown { height.max(1) } else { half }.saturating_mul(times);
                seat.cursor = seat.cursor.saturating_add(step).min(last);
                seat.top = seat.top.saturating_add(step).min(rows.saturating_sub(height));
            }
            List::HalfUp | List::PageUp => {
                let step = if list == List::PageUp { height.max(1) } else { half }.saturating_mul(times);
                seat.cursor = seat.cursor.saturating_sub(step);
                seat.top = seat.top.saturating_sub(step);
            }
            List::NextServicePage => {
                let mut at = seat.cursor;
                for _ in 0..times.min(1_000) {
                    at = window.page_around(at).end;
                }
                seat.cursor = at.min(last);
                seat.top = seat.cursor;
            }
            List::PreviousServicePage => {
                let mut at = window.page_around(seat.cursor).start;
                for _ in 0..times.min(1_000) {
                    at = window.page_around(at.saturating_sub(1)).start;
                }
                seat.cursor = at;
                seat.top = at;
            }
            List::Top => seat.cursor = 0,
            List::Last => {
                seat.cursor = count.map_or(last, |row| row.saturating_sub(1)).min(last);
                let (read, legs) = window.read();
                if read < legs {
                    scene.say(format!("{read} of {legs} read: this is the last row so far."));
                }
            }
            List::Left | List::Right | List::FirstColumn | List::LastColumn => move_column(seat, list, times),
            List::Find => {
                let before = self.find.clone().unwrap_or_default();
                let words = format!("Searches all fields of {}.", counted(window.held() as u64, "loaded row"));
                let prompt = Prompt::new("Find in loaded rows", words, Purpose::Find).offering(before);
                scene.open(Dialog::Prompt(prompt));
            }
            List::FindNext => find::next(self, false, scene),
            List::FindPrevious => find::next(self, true, scene),
        }
    }

    pub(in crate::screens::search) fn clicked(&mut self, target: Target, scene: &mut Scene<'_>) {
        match target {
            Target::Row(position) => {
                self.stand_at(position);
                self.pressed = Some(position);
            }
            Target::Sign(position) => {
                self.stand_at(position);
                self.seat_mut().anchor = None;
            }
            Target::Head(column) => {
                let seat = self.seat_mut();
                let ordered = seat.order.as_ref().is_some_and(|order| order.column == column);
                seat.column = column;
                // Once forwards, once backwards, then as the service orders them.
                self.order(ordered, scene);
            }
            Target::Value(filter, at) => self.chip(filter, at, scene),
            Target::FilterLine(at) => {
                let line = filters::lines(self.side).get(at).copied();
                self.edit = None;
                self.pane = Pane::Filters;
                self.line = at;
                if let Some(line) = line {
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
    }

    fn stand_at(&mut self, position: u64) {
        self.edit = None;
        self.pane = Pane::Results;
        self.seat_mut().cursor = position;
    }
}

fn move_column(seat: &mut Seat, list: List, times: u64) {
    let shown: Vec<usize> = (0..seat.columns.len()).filter(|at| seat.columns[*at].shown).collect();
    let Some(last) = shown.len().checked_sub(1) else { return };
    let here = shown.iter().position(|at| *at == seat.column).unwrap_or(0);
    let times = usize::try_from(times).unwrap_or(usize::MAX);
    let to = match list {
        List::Left => here.saturating_sub(times),
        List::Right => here.saturating_add(times).min(last),
        List::FirstColumn => 0,
        _ => last,
    };
    seat.column = shown[to];
}
