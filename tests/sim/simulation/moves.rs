//! What moves without us: other members, credits, keys, the Do-Not-Sell list, the wall clock.

use common::asking::Askable;
use lode_core::contact::{Corpus, RowId};

use crate::counter::kind;
use crate::window::Window;

use common::rng::Key;

use super::{Happening, ROWS, Simulation};

impl Simulation {
    pub(super) fn moves(&mut self) {
        if self.settling {
            return;
        }
        let key = Key::new("world");
        let mut rng = self.draws.next(key);
        let wait = rng.between(500, 20_000);
        let corpus = *rng.pick(&[Corpus::Us, Corpus::Linkedin]);
        let kind = kind(corpus);
        let place = self.any_place(&mut rng);
        let (org, now) = (Simulation::org_of(&place), self.now);
        let unknown: Vec<RowId> = self
            .windows
            .iter()
            .flatten()
            .filter(|window| window.place.purse == place.purse)
            .flat_map(Window::unknown)
            .collect();
        let service = &self.counters[place.counter].service;
        match rng.below(12) {
            0..3 => {
                let ids: Vec<u64> = (0..1 + rng.below(12)).map(|_| 1 + rng.below(ROWS)).collect();
                let bought = service.member_unlocks(&org, kind, &ids, now);
                if bought.iter().any(|id| unknown.contains(&RowId(*id as i64))) {
                    self.referee.marks.hit("another member unlocked a contact with an unknown result");
                }
            }
            3 => drop(service.state().member_spends(&org, 1 + rng.below(30) as i64, now)),
            4..6 => {
                let credits = if rng.per_mille(300) { 0 } else { rng.below(80) as i64 };
                service.set_credits(&org, credits, now);
            }
            6 => service.set_credits(&org, 50_000, now),
            7 => {
                let id = if !unknown.is_empty() && rng.per_mille(600) {
                    rng.pick(&unknown).0 as u64
                } else {
                    1 + rng.below(ROWS)
                };
                service.suppress(kind, &[id]);
            }
            8 => {
                self.referee.marks.hit("the wall clock jumped");
                // A clock that jumps ahead ends the day, for lode as for its owner: then there is no cap to judge by.
                let jumps: &[i64] = match self.caps.day {
                    Some(_) => &[-90_000_000, -3_600_000],
                    None => &[-90_000_000, -3_600_000, 120_000, 90_000_000],
                };
                let jump = *rng.pick(jumps);
                self.skew += jump;
            }
            9 => {
                let credits = service.balance(&org, now) + 1 + rng.below(60) as i64;
                service.set_credits(&org, credits, now);
                self.referee.marks.hit("credits were added");
            }
            10 => self.rotate(&mut rng),
            _ if self.trouble > 0 => {
                self.referee.marks.hit("the disk was full for a while");
                self.full_until = self.now + rng.between(1_000, 60_000);
            }
            _ => {}
        }
        for counter in &mut self.counters {
            counter.pass(now);
        }
        self.later(wait, key, Happening::Simulation);
    }
}
