//! How the rows are laid out: columns shown, ordered and widened, the loaded rows in an order of our own.

use std::borrow::Cow;
use std::ops::Range;

use crate::domain::credits::grouped;
use crate::flow::search::window::Window;
use crate::keys::command::Columns;
use crate::ui::scene::{Scene, Wish};
use crate::ui::screens::search::columns::{self, Column};
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
            Columns::Done => scene.wishes.push(Wish::CloseDialog),
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
            scene.say("The service's order.");
            return;
        }
        let by = &seat.columns[column];
        let rows = ordered(window, by, back);
        let words = format!(
            "{} loaded rows by {}; o or O again for the service's order.",
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

/// The loaded rows by what a column says, great and small letters alike. Rows without a value come last either way round:
/// they say nothing.
fn ordered(window: &Window, by: &Column, back: bool) -> Vec<u64> {
    // One text for all words, and the beginning of each as a number: a hundred thousand rows are in order before anybody
    // sees that they had to be sorted.
    let mut words = String::new();
    let mut keyed: Vec<(u64, Range<usize>, u64)> = Vec::with_capacity(window.held());
    for (index, row) in window.loaded() {
        let start = words.len();
        let text = if by.is_name() { Cow::Owned(row.name()) } else { Cow::Borrowed(by.value(row)) };
        words.push_str(&text.to_lowercase());
        let word = &words.as_bytes()[start..];
        let mut beginning = [0; 8];
        let known = word.len().min(beginning.len());
        beginning[..known].copy_from_slice(&word[..known]);
        keyed.push((u64::from_be_bytes(beginning), start..words.len(), index));
    }
    keyed.sort_unstable_by(|(head, word, index), (other, its, at)| {
        let order = head.cmp(other).then_with(|| words[word.clone()].cmp(&words[its.clone()]));
        let order = if back { order.reverse() } else { order };
        word.is_empty().cmp(&its.is_empty()).then(order).then(index.cmp(at))
    });
    keyed.into_iter().map(|(_, _, index)| index).collect()
}
