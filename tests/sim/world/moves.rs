//! What moves without us: other members, credits, the Do-Not-Sell list, the wall clock.

use lode::domain::contact::{Corpus, RowId};

use crate::window::Window;

use super::{Happening, ROWS, World, kind};

impl World {
    pub(super) fn moves(&mut self) {
        if self.settling {
            return;
        }
        let corpus = *self.dice.pick(&[Corpus::Us, Corpus::Linkedin]);
        let kind = kind(corpus);
        match self.dice.below(10) {
            0..3 => {
                let ids: Vec<u64> = (0..1 + self.dice.below(12)).map(|_| 1 + self.dice.below(ROWS)).collect();
                let doubts: Vec<RowId> = self.windows.iter().flatten().flat_map(Window::doubts).collect();
                let bought = self.service.member_unlocks(&self.org, kind, &ids, self.now);
                if bought.iter().any(|id| doubts.contains(&RowId(*id as i64))) {
                    self.referee.marks.hit("another member unlocked a contact in doubt");
                }
            }
            3 => drop(self.service.member_spends(&self.org, 1 + self.dice.below(30) as i64, self.now)),
            4..6 => {
                let credits = if self.dice.per_mille(300) { 0 } else { self.dice.below(80) as i64 };
                self.service.set_credits(&self.org, credits, self.now);
            }
            6 => self.service.set_credits(&self.org, 50_000, self.now),
            7 => {
                let doubts: Vec<u64> =
                    self.windows.iter().flatten().flat_map(Window::doubts).map(|id| id.0 as u64).collect();
                let id = if !doubts.is_empty() && self.dice.per_mille(600) {
                    *self.dice.pick(&doubts)
                } else {
                    1 + self.dice.below(ROWS)
                };
                self.service.suppress(kind, &[id]);
            }
            8 => {
                self.referee.marks.hit("the wall clock jumped");
                // A clock that jumps ahead ends the day, for lode as for its owner: then there is no cap to judge by.
                let jumps: &[i64] = match self.caps.day {
                    Some(_) => &[-90_000_000, -3_600_000],
                    None => &[-90_000_000, -3_600_000, 120_000, 90_000_000],
                };
                let jump = *self.dice.pick(jumps);
                self.skew += jump;
            }
            _ if self.trouble > 0 => {
                self.referee.marks.hit("the disk was full for a while");
                self.full_until = self.now + self.dice.between(1_000, 60_000);
            }
            _ => {}
        }
        self.books_read = self.service.read(self.now, |books| books.lines().len());
        let wait = self.dice.between(500, 20_000);
        self.later(wait, Happening::World);
    }
}
