//! What a click on a place of the screen does.

use crate::ui::scene::Scene;
use crate::ui::screens::search::state::{Pane, State};
use crate::ui::screens::search::{PANES, filters};
use crate::ui::widgets::canvas::Target;

impl State {
    pub(in crate::ui::screens::search) fn clicked(&mut self, target: Target, scene: &mut Scene<'_>) {
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
