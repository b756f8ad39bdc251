//! How the rows are laid out: columns shown, ordered and widened, the loaded rows in an order of our own.

use crate::keys::command::{Columns, Screen};
use crate::scene::{Handoff, Holds, Scene};
use crate::screens::search::columns;
use crate::screens::search::order::Sorting;
use crate::screens::search::state::{Order, State};
use lode_core::contact::Side;
use lode_core::credits::grouped;
use lode_core::row::Row;

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
        let seat = self.seat_mut();
        let wanted = (seat.column, back);
        let is_so = seat.order.as_ref().is_some_and(|order| (order.column, order.back) == wanted);
        let becomes_so = seat.sorting.as_ref().is_some_and(|sorting| (sorting.column, sorting.back) == wanted);
        if is_so || becomes_so {
            seat.cursor = seat.index(seat.cursor);
            seat.unsort();
            return scene.say("Sorted by the service.");
        }
        // At once: keys that are pressed before the order is there move from here.
        seat.cursor = 0;
        seat.top = 0;
        seat.anchor = None;
        seat.sorting = Some(Sorting::new(seat.column, back));
        self.sort_on(scene);
    }

    /// Goes on with what is being put in order, for about a millisecond.
    pub fn sort_on(&mut self, scene: &mut Scene<'_>) {
        let shown = self.side;
        for side in Side::ALL {
            let seat = self.seat_of_mut(side);
            let Some(mut sorting) = seat.sorting.take() else { continue };
            let Some(by) = seat.columns.get(sorting.column) else { continue };
            let (window, taste) = (&scene.session.side(side).window, scene.session.taste());
            let is_score = by.is_score();
            let rows = window.loaded_in(sorting.next().unwrap_or(u64::MAX)..u64::MAX);
            // Numbers of one length are in the order of their digits.
            let push = |row: &Row, text: &mut String| match is_score {
                true => text.push_str(&format!("{:05}", 50_000 + taste.total(row))),
                false => by.push(row, text),
            };
            if !sorting.step(rows, push) {
                seat.sorting = Some(sorting);
                continue;
            }
            let (column, back, by) = (sorting.column, sorting.back, by.head().to_lowercase());
            let rows = sorting.order();
            let (how, key) = if back { (", Z to A", "<results.order-back>") } else { ("", "<results.order>") };
            let words =
                format!("Sorted {} loaded rows by {by}{how}.  {key} original order", grouped(rows.len() as u64));
            seat.order = Some(Order { column, back, rows, only_new: false });
            // On another screen the key means something else.
            if side == shown {
                scene.say_while(Holds::Here(Screen::Search), words);
            }
        }
    }
}
