//! The line between a window and the service, with all that can go wrong on it.

use common::asking::Askable;
use lode_core::contact::Corpus;
use lode_engine::effect::call::{Call, Outgoing, Reply};
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::effect::unlock::UnlockBody;
use lode_engine::effect::{Answer, CallId};
use lode_sandbox::service::{Delivery, ServiceAnswer as Answered};

use common::sandbox_engine;

use crate::counter::joined;
use crate::network::{self, Fate, Garble, Said, Weather};
use crate::robot::Temper;
use crate::twists::{ALARMING, SELDOM, twisted};

use super::{Happening, Mangled, Sender, Simulation, Underway};

/// Ids of one part, where a service does one part of an unlock after the other.
const PART: usize = 4;
/// All parts of a call are done within this.
const SPREAD: u64 = 12_000;

impl Simulation {
    pub(super) fn send(&mut self, slot: usize, id: CallId, request: Outgoing) {
        let call = request.record();
        let (storm, lies) = if self.settling { (0, 0) } else { (self.storm, self.lies) };
        let Some(window) = self.windows[slot].as_ref() else { return };
        let (who, place, generation) = (window.who(), window.place.clone(), window.generation);
        let in_parts = self.counters[place.counter].in_parts;
        // What is done in parts takes its time after it has arrived.
        let latest = if in_parts { self.latest - SPREAD } else { self.latest };
        let loses = self.temper == Temper::Hasty && !self.settling;
        let drags = loses || self.large_companies && !self.settling;
        let weather = Weather { storm, lies, latest, slow: self.slow, drags, loses };
        let window = window.key();
        let line = network::on_the_wire(&call);
        let key = self.draws.attempt(window.text(&line));
        self.requests.push((self.now, format!("g{generation} {} {} {line}", place.counter, place.key_name)));
        let is_read = !matches!(call, Call::Unlock(_));
        let fate = match (&mut self.plan, self.next_read.take_if(|_| is_read)) {
            (Some(plan), _) => plan.fate(&call),
            (None, Some(fate)) => fate,
            (None, None) => network::fate(&call, weather, &mut self.draws.at(key)),
        };
        if matches!(call, Call::Unlock(_)) {
            self.trace(|| format!("g{generation} {} {} sends {call:?}: {fate:?}", place.key_name, place.counter));
        }
        let mut sending = None;
        if let Call::Unlock(unlock) = &call {
            let flying: Vec<usize> =
                self.windows.iter().flatten().flat_map(|window| window.in_flight.values().copied()).collect();
            match self.referee.leaves(&who, unlock, &flying, self.now) {
                Ok(number) => {
                    sending = Some(number);
                    if let Some(window) = self.windows[slot].as_mut() {
                        window.in_flight.insert(id, number);
                    }
                }
                Err(words) => return self.judge(Err(words)),
            }
        }
        let from = Sender { generation, id, sending, place };
        let under = |call: &Call, down, mangled, stray| {
            let whole = Underway {
                key,
                from: from.clone(),
                call: call.clone(),
                down,
                mangled,
                stray,
                parts: Vec::new(),
                left: Vec::new(),
            };
            Happening::Arrive(Box::new(if in_parts { in_pieces(whole) } else { whole }))
        };
        let arrive = |call: &Call, down, mangled| under(call, down, mangled, false);
        let strays = |call: &Call| under(call, None, None, true);
        let now = self.now;
        let says =
            |result| Happening::Replied { generation, call: id, result, corpus: None, served: now, alarming: false };
        let fails = |failure: Failure| says(Box::new(Err(failure)));
        let unlock = sending.is_some();
        let mut mark = |what: &'static str| {
            if unlock {
                self.referee.marks.hit(what);
            }
        };
        match fate {
            Fate::Fine { up, down } => self.later(up, key, arrive(&call, Some(down), None)),
            Fate::Twice { up, down } => {
                mark("delivered twice");
                if let Some(sending) = sending.filter(|_| in_parts) {
                    self.referee.sendings[sending].copied = true;
                }
                self.later(up, key, arrive(&call, Some(down), None));
                // A copy of a call that was answered could still buy what its answer called out of credits, and no one on this side
                // of the line could know: that is left to the service.
                if self.balance_of(&from.place) > 1_000 {
                    self.later(up, key, strays(&call));
                }
            }
            Fate::Lost { broke } => {
                mark("request lost before arriving");
                self.later(broke, key, fails(sandbox_engine::broken(Unclear::Line)));
            }
            Fate::Deaf { up, broke, part, copy } => {
                mark(match (part, copy) {
                    (Some(_), _) => "applied in part and lost",
                    (None, Some(_)) => "copy arrived after its line broke",
                    (None, None) => "answer lost after charging",
                });
                let applied = part.map_or(call.clone(), |part| network::part_of(&call, 0, part as usize));
                self.later(up, key, arrive(&applied, None, None));
                if let Some(after) = copy {
                    self.later(broke + after, key, strays(&call));
                }
                self.later(broke, key, fails(sandbox_engine::broken(Unclear::Line)));
            }
            Fate::Late { broke, after } => {
                mark("request arrived after its line broke");
                self.later(broke, key, fails(sandbox_engine::broken(Unclear::Deadline)));
                self.later(broke + after, key, strays(&call));
            }
            Fate::Instead { at, said } => {
                mark(if said.status == 429 { "429" } else { "5xx before applying" });
                if !unlock && (300..400).contains(&said.status) {
                    self.referee.marks.hit("a read was redirected");
                }
                let result = Box::new(network::instead(&call, said));
                self.later(at, key, says(result));
            }
            Fate::Refused { up, down, said, topped } => {
                mark(refusal_mark(said));
                if said.documented {
                    mark("applied, then refused in the documented form");
                }
                self.later(up, key, arrive(&call, Some(down), Some(Mangled::Said { said, topped })));
            }
            Fate::Garbled { up, down, how } => {
                if !matches!(how, Garble::Twist(_)) {
                    mark("2xx that cannot be read");
                }
                self.later(up, key, arrive(&call, Some(down), Some(Mangled::Garbled(how))));
            }
            Fate::Unsent { at } => {
                mark("never left");
                if let Some(sending) = sending {
                    self.referee.sendings[sending].unsent = true;
                }
                let failure = Failure::Unsent { words: "no route".to_owned() };
                self.later(at, key, fails(failure));
            }
        }
        // It is given back if it turns out that it never left.
        if let Some(window) = self.windows[slot].as_mut().filter(|_| unlock) {
            window.requests.insert(id, request);
        }
    }

    pub(super) fn balance_of(&self, place: &crate::window::Place) -> i64 {
        self.counters[place.counter].service.balance(&Simulation::org_of(place), self.now)
    }

    pub(super) fn arrive(&mut self, mut under: Underway) {
        let from = &under.from;
        let request = sandbox_engine::request(&under.call, &from.place.key);
        let org = Simulation::org_of(&from.place);
        let (answer, taken) = self.counters[from.place.counter].handle(&request, &under.call, &org, self.now);
        // Where the disk fails a window counts for itself, and what it counted may leave a while later.
        let known = 61_000 + if self.trouble > 0 { 60_000 } else { 0 };
        if answer.status == 429 && self.strayed.is_none_or(|at| at + known < self.now) {
            self.judge(Err(format!("the service had to refuse by its limit at {}", self.now)));
        }
        for taken in taken {
            self.trace(|| format!("g{} charged {taken:?}", under.from.generation));
            let verdict = match from.sending {
                Some(sending) => self.referee.charged(sending, &taken, under.down.is_none(), self.now),
                None => Err("a charge that no order asked for".to_owned()),
            };
            self.judge(verdict);
        }
        if let Some(next) = (!under.left.is_empty()).then(|| under.left.remove(0)) {
            self.referee.marks.hit("carried out in parts");
            under.parts.push(answer);
            under.call = next;
            let (key, left) = (under.key, under.left.len() as u64);
            let wait = self.draws.at(key.text("part").number(left)).below(SPREAD / 8);
            return self.later(wait, key, Happening::Arrive(Box::new(under)));
        }
        let answer = if under.parts.is_empty() {
            answer
        } else {
            let mut parts = std::mem::take(&mut under.parts);
            parts.push(answer);
            joined(parts)
        };
        // The worst moment: what was bought is on its way here, and there is no room for it. A command has to print it.
        let is_command = self.living(from.generation).is_some_and(|window| window.script.is_some());
        let often = if is_command { 250 } else { 40 };
        let mut rng = self.draws.next(under.key.text("disk"));
        if from.sending.is_some() && self.trouble > 0 && !self.settling && rng.per_mille(often) {
            self.referee.marks.hit("the disk was full for a while");
            self.full_until = self.now + rng.between(15_000, 90_000);
        }
        self.answer(under, &answer);
    }

    /// The answer goes back, or what is made of it on the way.
    fn answer(&mut self, under: Underway, answer: &Answered) {
        let Some(mut down) = under.down else { return };
        // Of a call that was done in parts the window still knows the whole.
        let asked = &under.call;
        let mut alarming = false;
        let mut rng = self.draws.next(under.key.text("response"));
        let result = match under.mangled {
            None if answer.line == Delivery::Silent => {
                self.referee.marks.hit("a search that never answers");
                down = 60_000;
                Err(sandbox_engine::broken(Unclear::Deadline))
            }
            None => sandbox_engine::read(asked, answer),
            Some(Mangled::Said { said, topped }) => {
                if topped {
                    let (org, now) = (Simulation::org_of(&under.from.place), self.now);
                    let credits = self.balance_of(&under.from.place) + 10 + rng.below(60) as i64;
                    let counter = &mut self.counters[under.from.place.counter];
                    counter.service.set_credits(&org, credits, now);
                    counter.pass(now);
                    self.referee.marks.hit("credits were added before a refusal");
                }
                network::instead(asked, said)
            }
            Some(Mangled::Garbled(Garble::Page)) => network::page(asked),
            Some(Mangled::Garbled(Garble::Cut)) => sandbox_engine::read(asked, &network::cut(answer)),
            Some(Mangled::Garbled(Garble::Twist(twist))) => {
                let sent = under.from.sending.map(|sending| {
                    let batch = &self.referee.batches[&self.referee.sendings[sending].batch];
                    UnlockBody { corpus: batch.corpus, ids: batch.ids.clone(), verify: batch.verify }
                });
                let mut twists = vec![twist, ALARMING];
                if rng.per_mille(400) {
                    twists.insert(0, SELDOM);
                }
                let mut twists = twists.into_iter();
                let changed = sent
                    .and_then(|sent| twists.find_map(|twist| Some((twist, twisted(twist, &sent, answer, &mut rng)?))));
                if let Some((twist, _)) = &changed {
                    self.referee.marks.hit(twist);
                    alarming = *twist == ALARMING;
                }
                sandbox_engine::read(asked, changed.as_ref().map_or(answer, |(_, changed)| changed))
            }
        };
        let (generation, call, served) = (under.from.generation, under.from.id, self.now);
        let corpus = match asked {
            Call::Search(search) => Some(search.query.side.corpus),
            _ => None,
        };
        self.later(
            down,
            under.key,
            Happening::Replied { generation, call, result: Box::new(result), corpus, served, alarming },
        );
    }

    pub(super) fn reply(
        &mut self,
        (generation, call): (u64, CallId),
        result: Result<Reply, Failure>,
        corpus: Option<Corpus>,
        served: u64,
        alarming: bool,
    ) {
        let now = self.now;
        let Some(slot) = self.slot_of(generation) else { return };
        let Some(window) = self.windows[slot].as_mut() else { return };
        if window.canceled.contains(&call) {
            return;
        }
        let who = window.who();
        let (sent, request) = (window.in_flight.remove(&call), window.requests.remove(&call));
        if sent.is_some() {
            self.trace(|| format!("g{generation} hears {result:?}"));
        }
        if let Some(sending) = sent {
            match &result {
                Ok(Reply::Unlock { body, .. }) => {
                    let batch = self.referee.sendings[sending].batch;
                    let again = self.referee.sendings.iter().filter(|sent| sent.batch == batch).count() > 1;
                    self.referee.delivered(sending, body, alarming, now);
                    if again {
                        self.referee.marks.hit("the identical batch was answered");
                    }
                }
                Err(Failure::Unclear { why: Unclear::Line | Unclear::Deadline, .. }) => {
                    self.referee.broke([sending], now);
                }
                _ => {}
            }
        }
        if let (Ok(Reply::Page(page)), Some(corpus)) = (&result, corpus) {
            self.referee.shows(&who, corpus, page, served, now);
        }
        let answer = match request {
            Some(request) => Answer::of(call, request, result),
            None => Answer::Replied(call, result),
        };
        self.handle(slot, answer);
    }
}

/// The same request, to be carried out part by part.
fn in_pieces(whole: Underway) -> Underway {
    let Call::Unlock(unlock) = &whole.call else { return whole };
    let parts = unlock.ids.len().div_ceil(PART);
    if parts < 2 {
        return whole;
    }
    let part = |at: usize| network::part_of(&whole.call, at * PART, PART);
    Underway { call: part(0), left: (1..parts).map(part).collect(), ..whole }
}

fn refusal_mark(said: Said) -> &'static str {
    match said.status {
        300..=399 => "applied, then redirected",
        401 => "applied, then 401",
        403 => "applied, then 403",
        404 => "applied, then 404",
        409 => "applied, then 409",
        429 => "applied, then 429",
        500.. => "5xx after applying",
        _ => "applied, then another 4xx",
    }
}
