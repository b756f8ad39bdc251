//! The best of a result on their way into the basket: all that they are chosen from are read first.

use std::collections::HashMap;

use crate::flow::basket::Entry;
use crate::flow::choose::{Sieve, Taste};
use crate::flow::desk::{Cx, Heard};
use crate::flow::search::walk::End;
use lode_core::contact::RowId;
use lode_core::put_back::put_back;
use lode_core::row::Row;

use super::super::event::Event;
use super::super::left::Left;
use super::{Gathering, SideState};

/// What was read so far of what the best are chosen from.
#[derive(Clone, Debug)]
pub(super) struct Best {
    most: usize,
    /// Each with the leg that showed it.
    rows: Vec<(usize, Row)>,
}

impl SideState {
    /// Reads the first `among` rows of the result and puts the best `most` of them into the basket, none that is left out.
    pub fn gather_best(&mut self, most: usize, among: u64, cx: &mut Cx<'_>) -> Option<End> {
        self.gather_by(among, Some(Best { most, rows: Vec::new() }), cx)
    }

    pub(super) fn hear_best(&mut self, heard: &Heard, taste: &Taste, cx: &mut Cx<'_>, events: &mut Vec<Event>) {
        let Some(Gathering { walk, choice: Some(best), .. }) = &mut self.gathering else { return };
        let mut end = None;
        for step in walk.hear(heard, cx) {
            best.rows.extend(step.rows.into_iter().map(|row| (step.leg, row)));
            end = step.end.or(end);
        }
        if let Some(end) = end
            && let Some(gathering) = self.gathering.take()
        {
            self.take_best(&gathering, end, taste, cx, events);
        }
    }

    /// All was read, or could not be: then nothing is taken.
    fn take_best(&mut self, of: &Gathering, end: End, taste: &Taste, cx: &mut Cx<'_>, events: &mut Vec<Event>) {
        let Some(best) = of.choice.as_ref() else { return };
        // By the search that was read: another one may be shown by now.
        let not = if put_back("best-of-other-search") { &self.window.query().not } else { &of.walk.query().not };
        let sieve = Sieve::new(not, taste.lists());
        let kept: Vec<&Row> = best
            .rows
            .iter()
            .map(|(_, row)| row)
            .filter(|row| put_back("best-excluded") || sieve.why(self.side, row).is_none())
            .collect();
        let excluded = (best.rows.len() - kept.len()) as u64;
        let mut left = Left { read: of.walk.given(), excluded, ..Left::default() };
        let mut added = 0;
        if !matches!(end, End::Failed(_) | End::Stopped) {
            let read = kept.len();
            let new: Vec<&Row> = kept.into_iter().filter(|row| self.is_new(row)).collect();
            left.there = (read - new.len()) as u64;
            let chosen = taste.choose(new, best.most, self.basket.rows().iter().map(Entry::row));
            (left.duplicates, left.beyond) = (chosen.duplicates as u64, chosen.beyond as u64);
            // Each is staged with the leg that shows it, and they stay in their order.
            let leg_of: HashMap<Option<RowId>, usize> = best.rows.iter().map(|(leg, row)| (row.id(), *leg)).collect();
            let leg = |row: &Row| leg_of.get(&row.id()).copied().unwrap_or(0);
            let legs: Vec<(usize, &Row)> = chosen.items.into_iter().map(|row| (leg(row), row)).collect();
            for same in legs.chunk_by(|(one, _), (other, _)| one == other) {
                let (query, rows) = (of.walk.leg(same[0].0), same.iter().map(|(_, row)| *row));
                added += if added == 0 {
                    self.basket.stage(rows, query, cx)
                } else {
                    self.basket.stage_more(rows, query, cx)
                };
            }
        }
        events.push(Event::Gathered { side: self.side, added: added as u64, end: Some(end), left: Some(left) });
    }
}
