//! Which profiles there are: one workspace with several keys, another workspace, and another service behind the same name, which
//! knows the same key and calls its workspace the same.

use lode_core::purse::{Origin, Purse};

use crate::window::Place;

use common::rng::Rng;

use super::Simulation;

const SPELLINGS: [&[&str]; 2] = [
    &["http://127.0.0.1:4001", "http://localhost:4001", "http://LOCALHOST:4001", "http://[::1]:4001"],
    &["http://127.0.0.1:4002", "http://localhost:4002/"],
];

impl Simulation {
    /// Gives the simulation its profiles; only the first where it is a narrow one.
    pub(super) fn found_places(&mut self, wide: bool) {
        let service = &self.counters[0].service;
        let (org, key) = (service.org(), service.workspace_key());
        let mut places = vec![self.place(0, 0, &org, key.clone(), "default", "sim", true)];
        if wide {
            let now = self.now;
            let second = service.make_key(&org, "second", &["search", "unlock"]);
            let blind = service.make_key(&org, "blind", &["unlock"]);
            let other = service.found_org("Other Inc", 400, now);
            let others = service.make_key(&other, "others", &["search", "unlock"]);
            places.push(self.place(0, 0, &org, second, "second", "second", true));
            places.push(self.place(0, 0, &org, blind, "blind", "sim", false));
            places.push(self.place(0, 1, &other, others, "others", "others", true));
            // The same name, key and workspace id at another address.
            let elsewhere = &self.counters[1].service;
            assert_eq!((elsewhere.org(), elsewhere.workspace_key()), (org.clone(), key.clone()));
            places.push(self.place(1, 2, &org, key, "default", "sim", true));
            for counter in &mut self.counters {
                counter.pass(now);
            }
        }
        for (at, place) in places.iter_mut().enumerate() {
            place.at = at;
        }
        self.places = places;
    }

    #[allow(clippy::too_many_arguments)]
    fn place(
        &self,
        counter: usize,
        purse: usize,
        org: &str,
        key: String,
        key_name: &str,
        profile: &'static str,
        searches: bool,
    ) -> Place {
        let origin = SPELLINGS[counter][0].to_owned();
        let named = Purse::of_org(Origin::of(&origin), org);
        Place { at: 0, counter, purse, named, profile, origin, key, key_name: key_name.to_owned(), searches }
    }

    /// The organization of a place, as the service names it.
    pub(super) fn org_of(place: &Place) -> String {
        match &place.named.owner {
            lode_core::purse::PurseOwner::Org(org) => org.clone(),
            other => panic!("{other:?} is no organization"),
        }
    }

    /// Where a slot that is opened looks: mostly where it always does.
    pub(super) fn place_for(&mut self, slot: usize, rng: &mut Rng) -> Place {
        if self.settling {
            // Each purse is checked by one window, with a key that may look.
            let purse = self.watched.get(slot % self.watched.len().max(1)).copied().unwrap_or(0);
            let place = self.places.iter().find(|place| place.purse == purse && place.searches);
            return place.expect("every purse has a key that may search").clone();
        }
        if rng.per_mille(700) { self.spelled(0, rng) } else { self.any_place(rng) }
    }

    pub(super) fn any_place(&mut self, rng: &mut Rng) -> Place {
        let at = rng.place(self.places.len());
        self.spelled(at, rng)
    }

    /// One of the two profiles whose keys may search and unlock in the same workspace.
    pub(super) fn second_place(&mut self, rng: &mut Rng) -> Place {
        let at = rng.place(2);
        self.spelled(at, rng)
    }

    fn spelled(&mut self, at: usize, rng: &mut Rng) -> Place {
        let mut place = self.places[at].clone();
        place.origin = (*rng.pick(SPELLINGS[place.counter])).to_owned();
        if at > 0 {
            self.referee.marks.hit(match (place.key_name.split('-').next().unwrap_or_default(), place.counter) {
                ("second", _) => "a second key",
                ("blind", _) => "a key that may not search",
                ("others", _) => "a second organization",
                _ => "an edited address",
            });
        }
        place
    }

    pub(super) fn is_revoked(&self, place: &Place) -> bool {
        !self.places.iter().any(|living| living.key == place.key && living.counter == place.counter)
    }

    /// A key is replaced by a new one of the same workspace.
    pub(super) fn rotate(&mut self, rng: &mut Rng) {
        if self.places.len() == 1 {
            return;
        }
        let at = rng.place(self.places.len());
        self.counters[self.places[at].counter].service.revoke(&self.places[at].key_name);
        self.replace_key(at);
        self.referee.marks.hit("a key was rotated");
    }

    /// A profile gets a new key of its workspace; the old one stays as it is.
    pub(super) fn replace_key(&mut self, at: usize) {
        let place = self.places[at].clone();
        let (name, number) = place.key_name.split_once('-').unwrap_or((&place.key_name, "0"));
        let fresh = format!("{name}-{}", 1 + number.parse::<u64>().expect("the number of a key"));
        let scopes: &[&str] = if place.searches { &["search", "unlock"] } else { &["unlock"] };
        let key = self.counters[place.counter].service.make_key(&Simulation::org_of(&place), &fresh, scopes);
        self.referee.key_replaced((at, place.key.clone()), self.now);
        self.places[at] = Place { key, key_name: fresh, ..place };
    }
}
