//! Windows and processes: how they begin, what is done with them, and how another profile is opened in one.

use std::collections::{BTreeMap, VecDeque};

use lode_engine::effect::files::FileCall;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::{IntentRefused, StoreCall};
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::session::Event;
use lode_engine::flow::unlock::OrderEnd;

use crate::referee::Who;
use crate::robot::Temper;
use crate::window::{Happened, Opening, Place, Window, profile};
use common::rng::{Key, Rng};

use super::{Happening, Simulation, scripts};

impl Simulation {
    pub(super) fn restart(&mut self, slot: usize) {
        if self.windows[slot].is_some() {
            return;
        }
        let run = numbered(&mut self.runs, slot);
        let mut rng = self.draws.next(Key::new("process").number(run));
        let shell = !self.calm && !self.settling && rng.per_mille(250);
        let script = match &self.plan {
            Some(_) => self.scripts.get_mut(slot).and_then(VecDeque::pop_front),
            None => shell.then(|| scripts::any(&mut rng)),
        };
        let place = self.place_for(slot, &mut rng);
        self.open(slot, run, place, script);
    }

    pub(super) fn open(&mut self, slot: usize, run: u64, place: Place, script: Option<scripts::Wanted>) {
        let generation = numbered(&mut self.openings, slot);
        let name = format!("r{run}.{generation}");
        let store = self.keeper.beside(WindowId(name.clone()));
        let key = Key::new("window").number(generation);
        let mut rng = self.draws.next(key);
        let seed = rng.roll();
        let now = self.at();
        let mut fx = Vec::new();
        let mut profile = profile(&name, &place, self.caps, self.batch);
        profile.choosing.per_company = self.limit;
        let window = Window::new(Opening { generation, run, place, profile, script, seed }, store, now, &mut fx);
        self.windows[slot] = Some(window);
        self.touch(slot, |_, effects| {
            effects.append(&mut fx);
            Vec::new()
        });
        if !self.calm {
            self.later(rng.between(100, 3_000), key, Happening::Robot { generation });
        }
    }

    /// `P`: another profile in the same process. What runs in the one before goes on behind it.
    pub(super) fn change_profile(&mut self, slot: usize, rng: &mut Rng) {
        let Some(window) = self.windows[slot].as_ref() else { return };
        if window.script.is_some() || window.leaving.is_some() {
            return;
        }
        let (run, here, works) = (window.run, window.place.clone(), window.is_working());
        let place = match self.temper {
            Temper::Divided => self.second_place(rng),
            _ => self.any_place(rng),
        };
        if place.key_name == here.key_name && place.counter == here.counter {
            return;
        }
        self.referee.marks.hit("another profile was opened");
        let back = self.of_run(run).into_iter().find(|behind| {
            self.windows[*behind].as_ref().is_some_and(|window| {
                *behind != slot && (&window.place.key_name, window.place.counter) == (&place.key_name, place.counter)
            })
        });
        let mut before = self.windows[slot].take().expect("it is there");
        if works {
            before.behind = true;
            self.referee.marks.hit("a job went on behind another profile");
            self.windows.push(Some(before));
        } else {
            self.drain(&mut before, || false);
            // What it has on the wire arrives after its slots were given back.
            self.strayed = Some(self.now);
        }
        match back {
            Some(behind) => {
                let mut window = self.windows[behind].take().expect("it is there");
                window.behind = false;
                let (generation, key) = (window.generation, window.key());
                self.windows[slot] = Some(window);
                self.later(500, key, Happening::Robot { generation });
            }
            None => self.open(slot, run, place, None),
        }
    }

    /// Everything that touches a window ends here: its effects are put on their way, its next wake-up is set.
    pub(super) fn touch(&mut self, slot: usize, what: impl FnOnce(&mut Window, &mut Vec<Effect>) -> Vec<Happened>) {
        let Some(window) = self.windows[slot].as_mut() else { return };
        let mut fx = Vec::new();
        let happened = what(window, &mut fx);
        for news in &happened {
            if let Happened::Event(event) = news {
                window.robot_hears(event);
            }
        }
        let who = window.who();
        for news in happened {
            self.news(&who, news);
        }
        for effect in fx {
            self.perform(slot, effect);
        }
        let Some(window) = self.windows[slot].as_ref() else { return };
        let run = window.run;
        if window.leaves {
            return self.leave(slot);
        }
        if window.leaving.is_some() && window.script.is_none() {
            return self.leave_when_done(run);
        }
        if window.behind && !window.is_working() && window.queue.is_empty() && !window.store_busy {
            // Nothing of it runs any more: it is let go.
            self.look_once_more();
            self.windows[slot] = None;
            self.strayed = Some(self.now);
            return;
        }
        self.set_alarm(slot);
    }

    fn news(&mut self, who: &Who, news: Happened) {
        let marks = &mut self.referee.marks;
        match news {
            Happened::Mark(mark) => marks.hit(mark),
            Happened::Takes(corpus, ids, not) => self.referee.takes(who, corpus, &ids, &not),
            Happened::Chooses(corpus, not) => self.referee.chooses(who, corpus, not),
            Happened::Accepts(wanted) => {
                self.referee.accepted(who.order.expect("an amount was typed").no, wanted, self.now);
            }
            Happened::Event(Event::Finished(summary)) => match &summary.end {
                OrderEnd::OutOfCredits => marks.hit("credits ran out within a batch"),
                OrderEnd::Stopped => marks.hit("stopped after a call"),
                OrderEnd::Alarm(_) => marks.hit("an alarm ended an order"),
                OrderEnd::Changed(_) => marks.hit("a change stopped an order"),
                _ if summary.left_out > 0 => marks.hit("a change took contacts out of an order"),
                OrderEnd::Withheld(IntentRefused::Cap { .. }) => marks.hit("a cap held an order back"),
                OrderEnd::Withheld(IntentRefused::BasketChanged) => marks.hit("the basket changed under a quote"),
                OrderEnd::Withheld(IntentRefused::Open(_)) => marks.hit("two windows wanted the same contact"),
                _ => {}
            },
            Happened::Event(Event::ReviewAgain { .. }) => marks.hit("something changed before Enter"),
            Happened::Event(Event::Gathered { left: Some(left), .. }) if left.excluded > 0 => {
                marks.hit("rows were left out of what was chosen");
            }
            Happened::Event(event) if self.calm => self.told.push_back(event),
            Happened::Event(_) => {}
        }
    }

    fn perform(&mut self, slot: usize, effect: Effect) {
        let Some(window) = self.windows[slot].as_mut() else { return };
        match effect {
            Effect::Store(ticket, call) => {
                if let StoreCall::Stage { side, rows, .. } = &call {
                    self.referee.staged(&window.who(), side.corpus, rows);
                }
                window.queue.push_back((ticket, call));
                self.kick_store(slot);
            }
            Effect::Send(id, call) => self.send(slot, id, call),
            Effect::Cancel(id) => drop(window.canceled.insert(id)),
            Effect::File(ticket, FileCall::ReadProfile { .. }) => {
                let (generation, key) = (window.generation, window.key().text("settings"));
                let result = Box::new(self.read_profile(slot));
                let wait = if self.calm { 0 } else { self.draws.next(key).below(4) };
                self.later(wait, key, Happening::Filed { generation, ticket, result });
            }
            Effect::Quit(_) => window.leaves = true,
            Effect::PrintWhole(line) => window.printed.push_str(&line),
            Effect::Print(_) | Effect::Warn(_) => window.lines += 1,
            _ => {}
        }
    }

    pub(super) fn handle(&mut self, slot: usize, answer: Answer) {
        let now = self.at();
        let generation = self.windows[slot].as_ref().map(|window| window.generation);
        self.touch(slot, |window, fx| window.handle(answer, now, fx));
        if generation.is_some() && self.windows[slot].as_ref().map(|window| window.generation) == generation {
            self.kick_store(slot);
        }
    }

    pub(super) fn wake(&mut self, generation: u64) {
        let now = self.at();
        let Some(slot) = self.slot_of(generation) else { return };
        let Some(window) = self.windows[slot].as_mut() else { return };
        if window.wakes_at.is_none_or(|at| at > now.mono.0) {
            return;
        }
        window.wakes_at = None;
        self.touch(slot, |window, fx| window.wake(now, fx));
    }

    pub(super) fn set_alarm(&mut self, slot: usize) {
        let now = self.now;
        let Some(window) = self.windows[slot].as_mut() else { return };
        let Some(at) = window.deadline().map(|at| at.0.max(now + 1)) else { return };
        if window.wakes_at.is_none_or(|set| set > at || set <= now) {
            window.wakes_at = Some(at);
            let (generation, key) = (window.generation, window.key().text("wakes"));
            self.later(at - now, key, Happening::Wake { generation });
        }
    }

    pub(super) fn robot(&mut self, generation: u64) {
        let now = self.at();
        let (settling, temper) = (self.settling, self.temper);
        let Some(slot) = self.slot_of(generation) else { return };
        let Some(window) = self.windows[slot].as_ref() else { return };
        let key = window.key();
        let mut rng = self.draws.next(key.text("robot"));
        let slowest = match temper {
            Temper::Curious => 9_000,
            Temper::Hasty => 1_500,
            _ => 4_000,
        };
        let pause = rng.between(200, slowest);
        if window.script.is_some() {
            if rng.per_mille(if settling { 0 } else { 60 }) {
                self.touch(slot, |window, fx| window.interrupt(now, fx));
            }
            self.later(1_000, key, Happening::Robot { generation });
            return;
        }
        if window.behind {
            return;
        }
        if !settling && window.leaving.is_none() {
            if self.is_revoked(&window.place.clone()) && rng.per_mille(200) {
                self.tell_to_end(slot);
                return;
            }
            if self.places.len() > 1 && rng.per_mille(if temper == Temper::Divided { 300 } else { 40 }) {
                self.change_profile(slot, &mut rng);
            }
        }
        let Some(slot) = self.slot_of(generation) else { return };
        self.touch(slot, |window, fx| {
            if window.behind || window.leaving.is_some() {
                return Vec::new();
            }
            if !window.is_ready() {
                window.session.focused(now, fx);
                return Vec::new();
            }
            if settling { window.settle(&mut rng, now, fx) } else { window.wander(temper, &mut rng, now, fx) }
        });
        let wait = if settling { 2_000 } else { pause };
        self.later(wait, key, Happening::Robot { generation });
    }
}

/// The next number of a slot. It depends on what happened in this slot only.
pub(super) fn numbered(numbers: &mut BTreeMap<usize, u64>, slot: usize) -> u64 {
    let number = numbers.entry(slot).or_insert(1_000_000 * slot as u64);
    *number += 1;
    *number
}
