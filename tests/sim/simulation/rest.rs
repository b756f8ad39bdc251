//! Coming to rest: nothing goes wrong any more, what is unknown is resolved, and the books are compared.

use std::collections::BTreeSet;

use lode_core::credits::Credits;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::{StoreCall, StoreReply};

use crate::counter::kind;
use crate::referee::Truth;
use crate::window::{Place, Window};

use common::rng::Key;

use super::{Happening, Simulation};

impl Simulation {
    /// From now on nothing goes wrong any more. Some go on as they are, some are told to end and are opened again.
    pub(super) fn settle(&mut self) {
        self.settling = true;
        let now = self.now;
        for place in &self.places {
            self.counters[place.counter].service.set_credits(&Simulation::org_of(place), 1_000_000, now);
        }
        for counter in &mut self.counters {
            counter.pass(now);
        }
        // Every purse that money was spent from needs a window that checks it.
        let open = self.windows.iter().flatten().map(|window| window.place.purse);
        let used: Vec<usize> =
            self.referee.purses().into_iter().chain(open).collect::<BTreeSet<_>>().into_iter().collect();
        let all = self.draws.next(Key::new("settle")).per_mille(300);
        for slot in 0..self.slots {
            let stays = |window: &Window| {
                let place = &window.place;
                window.script.is_some() || place.searches && !self.is_revoked(place) && used.len() < 2
            };
            if self.windows[slot].as_ref().is_some_and(|window| all || !stays(window)) {
                self.tell_to_end(slot);
            }
        }
        // What was left behind is in the way of a new slot; slots stand first.
        let behind = self.windows.split_off(self.slots);
        while self.slots < used.len() {
            self.windows.push(None);
            self.slots += 1;
        }
        self.windows.extend(behind);
        self.watched = used;
        for slot in 0..self.slots {
            self.restart(slot);
        }
    }

    pub(super) fn is_at_rest(&self) -> bool {
        let flying = self.heap.values().any(|happening| matches!(happening, Happening::Arrive(_)));
        let (slots, behind) = self.windows.split_at(self.slots);
        let looked_after = |purse: &usize| slots.iter().flatten().any(|window| window.place.purse == *purse);
        !flying
            && slots.iter().all(|window| window.as_ref().is_some_and(Window::is_at_rest))
            && behind.iter().all(Option::is_none)
            && self.watched.iter().all(looked_after)
    }

    pub(super) fn rest(&mut self) {
        self.referee.marks.hit("clear at rest");
        let verdict = self.referee.all_kept();
        self.judge(verdict);
        let purses: Vec<Place> = self.places.clone();
        for purse in self.referee.purses() {
            let place = purses.iter().find(|place| place.purse == purse).expect("it has a place");
            self.rest_of(place);
        }
    }

    fn rest_of(&mut self, place: &Place) {
        let now = self.at();
        let purse = place.named.clone();
        let owned = match self.keeper.perform(StoreCall::Owned { purse: purse.clone(), corpus: None }, now) {
            Ok(StoreReply::Owned(owned)) => owned,
            other => {
                self.broken = Some(format!("what we own cannot be read: {other:?}"));
                return;
            }
        };
        let spent = self.keeper.perform(StoreCall::Spent { purse, window: WindowId("keeper".to_owned()) }, now);
        if let Ok(StoreReply::Spent(spent)) = spent
            && spent.held != Credits::ZERO
        {
            self.broken.get_or_insert(format!("{} held at rest", spent.held));
        }
        let (service, org, at) = (&self.counters[place.counter].service, Simulation::org_of(place), self.now);
        let truth = Truth {
            address: &|corpus, id| {
                let person = service.person(kind(corpus), id.0 as u64);
                person.map(|person| (person.email.to_string(), person.phone.to_string())).unwrap_or_default()
            },
            suppressed: &|corpus, id| {
                service.read(at, |books| books.suppressed.of(kind(corpus)).contains(&(id.0 as u64)))
            },
            owned: &|corpus, id| {
                let owns = |books: &lode_sandbox::records::Records| {
                    books.org(&org).is_some_and(|org| org.owned.of(kind(corpus)).contains_key(&(id.0 as u64)))
                };
                service.read(at, owns)
            },
        };
        let verdict = self.referee.at_rest(place.purse, &owned, &truth);
        self.judge(verdict);
    }
}
