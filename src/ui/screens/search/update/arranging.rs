//! How the rows are laid out: columns shown, ordered and widened, the loaded rows in an order of our own.

use crate::domain::credits::grouped;
use crate::flow::search::legs::Legs;
use crate::keys::command::Columns;
use crate::ui::scene::{Handoff, Scene};
use crate::ui::screens::search::columns::{self, Column};
use crate::ui::screens::search::order::Words;
use crate::ui::screens::search::state::{Order, State};

impl State {
    pub(super) fn widen(&mut self, wider: bool) {
        let seat = self.seat_mut();
        let Some(column) = seat.columns.get_mut(seat.column) else { return };
        let now = column.width.unwrap_or(16);
        column.width = Some(if wider { (now + 2).min(120) } else { now.saturating_sub(2).max(2) });
    }

    pub fn columns(&mut self, command: Columns, at: &mut usize, scene: &mut Scene<'_>) {
        let side = self.side;
        let columns = &mut self.seat_mut().columns;
        let last = columns.len().saturating_sub(1);
        *at = (*at).min(last);
        match command {
            Columns::Toggle => {
                let others = columns.iter().enumerate().any(|(place, column)| place != *at && column.shown);
                if let Some(column) = columns.get_mut(*at).filter(|column| !column.shown || others) {
                    column.shown = !column.shown;
                }
            }
            Columns::Later if *at < last => {
                columns.swap(*at, *at + 1);
                *at += 1;
            }
            Columns::Earlier if *at > 0 => {
                columns.swap(*at, *at - 1);
                *at -= 1;
            }
            Columns::Later | Columns::Earlier => {}
            Columns::Reset => *columns = columns::defaults(side),
            Columns::Done => scene.hand(Handoff::CloseDialog),
        }
        let seat = self.seat_mut();
        if !seat.columns.get(seat.column).is_some_and(|column| column.shown) {
            seat.column = seat.columns.iter().position(|column| column.shown).unwrap_or(0);
        }
    }

    /// Orders the loaded rows by the column under the cursor; once more gives the service's order back.
    pub fn order(&mut self, back: bool, scene: &mut Scene<'_>) {
        let side = self.side;
        let window = &scene.session.side(side).window;
        let seat = self.seat_of_mut(side);
        let column = seat.column;
        let at = seat.index(seat.cursor);
        if seat.order.as_ref().is_some_and(|order| order.column == column && order.back == back) {
            seat.order = None;
            seat.cursor = at;
            scene.say("Sorted by the service.");
            return;
        }
        let by = &seat.columns[column];
        let rows = ordered(window, by, back);
        let words = format!(
            "Sorted {} loaded rows by {}; press <results.order> again for the service's order.",
            grouped(rows.len() as u64),
            by.head().to_lowercase()
        );
        seat.cursor = 0;
        seat.top = 0;
        seat.anchor = None;
        seat.order = Some(Order { column, back, rows, only_new: false });
        scene.say(words);
    }
}

/// The loaded rows by what a column says.
fn ordered(window: &Legs, by: &Column, back: bool) -> Vec<u64> {
    let mut words = Words::default();
    for (index, row) in window.loaded() {
        words.add(index, |text| by.push(row, text));
    }
    words.in_order(back)
}
