//! A simulation in which a trace of the model decides what happens next. What the model calls a step waits until it is its turn: the
//! transaction of a batch, a request on its way, an answer on its way, what is kept and what is settled. All else runs as it always does.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

use common::sandbox_engine;
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::credits::Credits;
use lode_core::money::Caps;
use lode_core::suppress::SuppressEntry;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::Unclear;
use lode_engine::effect::store::{SettledBy, StoreCall};
use lode_sandbox::service::{Service, ServiceSetup};
use rusqlite::Connection;

use crate::counter::{Again, Counter, kind};
use crate::model::{Gate, Ids, Seen};
use common::rng::{Draws, Key};

use super::{Happening, Simulation, scripts};

/// How long the windows may go on by themselves after a step: a window that waits for another asks five times a second.
pub(super) const SHORT: u64 = 450;
/// After a broken line: the longest pause before the same batch goes out again.
const PAUSE: u64 = 4_000;
/// The facts behind a batch were read so long ago that they are read again before the request leaves. The same time makes two free checks
/// out of two looks.
pub(super) const TOO_OLD: u64 = 5_000;
/// Two free checks, one after the other.
const CHECKS: u64 = 6_000;
/// Until a free check has proved everything that it can.
const MINUTES: u64 = 200_000;
/// No line may be older than this where the model calls it young.
const YOUNG: u64 = 55_000;

pub(super) type Place = (u64, Key, u64);

impl Simulation {
    /// No window is open yet. `apart`: the second one spends from another service.
    pub fn guided(batch: u32, cap: i64, apart: bool) -> Simulation {
        let setup =
            ServiceSetup { us_rows: 12, linkedin_rows: 10, credits: 1_000, threads: 1, ..common::asking::full() };
        let elsewhere = ServiceSetup { seed: setup.seed + 1, ..setup.clone() };
        let setups = if apart { vec![setup, elsewhere] } else { vec![setup] };
        let counters = setups.into_iter().map(|setup| Counter::new(Service::new(setup), Again::Free, false)).collect();
        let mut sim = Simulation::empty(Draws::new(1), counters, 2);
        sim.found_places(apart);
        sim.batch = batch;
        sim.caps = Caps { day: Some(Credits(cap)), ..Caps::default() };
        let caps = sim.caps;
        sim.referee.begin(caps, true);
        sim
    }

    /// A process begins in a window.
    pub fn begin(&mut self, slot: usize, command: scripts::Wanted) {
        self.now += TOO_OLD;
        let place = self.places[self.place_of(slot)].clone();
        let run = super::windows::numbered(&mut self.runs, slot);
        self.open(slot, run, place, Some(command));
        self.goes_on(CHECKS);
    }

    fn place_of(&self, slot: usize) -> usize {
        if slot == 1 { self.places.len() - 1 } else { 0 }
    }

    /// Where a window waits.
    pub fn gate(&self, slot: usize) -> Gate {
        let Some(window) = self.windows[slot].as_ref() else { return Gate::Off };
        let at_work = window.session().unlock().at_work();
        match window.queue.front().map(|(_, call)| call) {
            Some(StoreCall::Intend(_)) => Gate::Write,
            Some(StoreCall::KeepAnswer { .. }) => Gate::Keep,
            Some(StoreCall::Settle(one)) if one.how == SettledBy::Answer && at_work == Some(one.batch) => Gate::Settle,
            _ if !window.in_flight.is_empty() => Gate::Wire,
            _ if window.session().unlock().job().is_some_and(|job| job.awaits_others().is_some()) => Gate::Others,
            _ => Gate::Quiet,
        }
    }

    /// Whether it waits for its turn.
    fn waits(&self, happening: &Happening) -> bool {
        match happening {
            Happening::Arrive(under) => under.from.sending.is_some(),
            Happening::Replied { generation, call, .. } => self.slot_of(*generation).is_some_and(|slot| {
                self.windows[slot].as_ref().is_some_and(|window| window.in_flight.contains_key(call))
            }),
            Happening::StoreStep { generation, .. } => {
                self.slot_of(*generation).is_some_and(|slot| match self.finely {
                    true => self.writes_money(slot),
                    false => matches!(self.gate(slot), Gate::Write | Gate::Keep | Gate::Settle),
                })
            }
            Happening::Leave { .. } => self.finely,
            Happening::Robot { .. } | Happening::Restart { .. } => true,
            _ => false,
        }
    }

    /// Lets everything happen that is not a step of the model; timers for so long only.
    pub(super) fn goes_on(&mut self, most: u64) {
        self.goes_on_until(most, |_| false);
    }

    fn goes_on_until(&mut self, most: u64, is_there: impl Fn(&Simulation) -> bool) {
        let until = self.now + most;
        let is_next = |sim: &Simulation, at: u64, happening: &Happening| {
            !sim.waits(happening) && (at <= until || !matches!(happening, Happening::Wake { .. }))
        };
        // A check that is too old is seen before the request has left.
        let is_due = |sim: &Simulation, at: u64, happening: &Happening| {
            at <= sim.now + 1 && matches!(happening, Happening::Wake { .. })
        };
        while !is_there(self)
            && let Some(place) = self.find(is_due).or_else(|| self.find(is_next))
        {
            self.turn_of(place);
        }
    }

    pub(super) fn find(&self, which: impl Fn(&Simulation, u64, &Happening) -> bool) -> Option<Place> {
        self.heap.iter().find(|((at, ..), happening)| which(self, *at, happening)).map(|(place, _)| *place)
    }

    pub(super) fn turn_of(&mut self, place: Place) {
        let happening = self.heap.remove(&place).expect("just seen");
        self.now = self.now.max(place.0);
        self.steps += 1;
        self.happens(happening);
    }

    /// The call of the store that a window waits for.
    pub(super) fn store_call(&self, slot: usize) -> Option<Place> {
        let generation = self.windows[slot].as_ref()?.generation;
        self.find(
            |_, _, happening| matches!(happening, Happening::StoreStep { generation: of, .. } if *of == generation),
        )
    }

    pub fn store_turn(&mut self, slot: usize) {
        if self.gate(slot) == Gate::Write {
            self.now += TOO_OLD;
        }
        let place = self.store_call(slot).expect("the window waits for its store");
        if !self.is_mistaken(slot) {
            self.turn_of(place);
        } else if stops(|| self.turn_of(place)) {
            // To the others this looks as if the process had died.
            self.dies(slot);
        }
        self.goes_on(SHORT);
    }

    /// The disk is full until the window has given up.
    pub fn disk_is_full(&mut self, slot: usize) {
        self.full_until = u64::MAX;
        while let Some(place) = self.store_call(slot) {
            self.turn_of(place);
            self.goes_on_until(MINUTES, |sim| sim.gate(slot) == Gate::Off || sim.store_call(slot).is_some());
        }
        self.full_until = 0;
        self.goes_on(SHORT);
    }

    pub(super) fn generation(&self, slot: usize) -> u64 {
        self.windows[slot].as_ref().expect("the window is there").generation
    }

    /// The requests on their way to the service, the oldest first.
    pub(super) fn under_way(&self) -> Vec<Place> {
        let sending = |happening: &Happening| match happening {
            Happening::Arrive(under) => under.from.sending,
            _ => None,
        };
        let mut found: Vec<(usize, Place)> =
            self.heap.iter().filter_map(|(place, happening)| Some((sending(happening)?, *place))).collect();
        found.sort();
        found.into_iter().map(|(_, place)| place).collect()
    }

    pub fn requests_under_way(&self) -> usize {
        self.under_way().len()
    }

    pub fn is_answered(&self, slot: usize) -> bool {
        self.reply_to(slot).is_some()
    }

    pub fn arrives(&mut self, number: usize) {
        let place = self.under_way()[number];
        self.strayed = Some(self.now);
        self.turn_of(place);
        self.goes_on(SHORT);
    }

    /// The answer that is on its way to a window.
    pub(super) fn reply_to(&self, slot: usize) -> Option<Place> {
        let generation = self.generation(slot);
        self.find(|sim, _, happening| {
            matches!(happening, Happening::Replied { generation: of, .. } if *of == generation) && sim.waits(happening)
        })
    }

    /// `lies`: the answer names a charge above the batch.
    pub fn hears(&mut self, slot: usize, lies: bool) {
        let place = self.reply_to(slot).expect("an answer is on its way");
        if lies && let Some(Happening::Replied { result, alarming, .. }) = self.heap.get_mut(&place) {
            let Ok(Reply::Unlock { body, .. }) = result.as_mut() else { panic!("not an answer to an unlock") };
            let mut said: serde_json::Value = serde_json::from_slice(body).expect("an answer is JSON");
            said["data"]["credits_charged"] = 99.into();
            *body = said.to_string().into_bytes().into();
            *alarming = true;
        }
        self.turn_of(place);
        self.goes_on(SHORT);
    }

    /// The request may arrive all the same.
    pub fn line_breaks(&mut self, slot: usize) {
        let window = self.windows[slot].as_ref().expect("the window is there");
        let (generation, call) =
            (window.generation, *window.in_flight.keys().next().expect("a request is on the wire"));
        if let Some(place) = self.reply_to(slot) {
            self.heap.remove(&place);
        }
        self.forgets(generation);
        self.reply((generation, call), Err(sandbox_engine::broken(Unclear::Line)), None, self.now, false);
        self.goes_on(PAUSE);
    }

    /// Nothing that is under way for a window is answered any more.
    fn forgets(&mut self, generation: u64) {
        for happening in self.heap.values_mut() {
            if let Happening::Arrive(under) = happening
                && under.from.generation == generation
            {
                under.down = None;
            }
        }
    }

    pub fn dies(&mut self, slot: usize) {
        let window = self.windows[slot].take().expect("the window is there");
        self.note_crash(&window);
        self.forgets(window.generation);
        self.bury(window);
        self.goes_on(SHORT);
    }

    /// Whether a window is about to send other contacts again than were written down.
    fn is_mistaken(&self, slot: usize) -> bool {
        let front = self.windows[slot].as_ref().and_then(|window| window.queue.front());
        let Some((_, StoreCall::Intend(intent))) = front else { return false };
        intent.again.is_some_and(|batch| self.referee.batches[&batch].ids != intent.ids)
    }

    /// Of the batch that a window is about to send again the first contact is lost in memory.
    pub fn mistakes(&mut self, slot: usize) {
        let window = self.windows[slot].as_mut().expect("the window is there");
        let Some((_, StoreCall::Intend(intent))) = window.queue.front_mut() else { panic!("nothing is to be written") };
        intent.ids.remove(0);
    }

    pub fn lists(&mut self, slot: usize, id: i64) {
        let place = self.places[self.place_of(slot)].clone();
        let entry = SuppressEntry::Contact(Side { source: Source::Workspace, corpus: Corpus::Us }, RowId(id));
        let call = StoreCall::Suppress { purse: place.named.into(), list: "dnc".to_owned(), entries: vec![entry] };
        let now = self.at();
        self.keeper.perform(call, now).expect("the list is kept");
        self.referee.listed(place.purse, vec![(Corpus::Us, RowId(id))], self.now);
    }

    pub fn member_buys(&mut self, slot: usize, id: u64) {
        let place = self.places[self.place_of(slot)].clone();
        let (org, now) = (Simulation::org_of(&place), self.now);
        let counter = &mut self.counters[place.counter];
        counter.service.member_unlocks(&org, kind(Corpus::Us), &[id], now);
        counter.pass(now);
    }

    pub fn keys_are_replaced(&mut self) {
        for slot in 0..2 {
            if slot == 0 || self.place_of(slot) != 0 {
                self.replace_key(self.place_of(slot));
            }
        }
    }

    /// Minutes pass: what has not arrived by now never does.
    pub fn minutes_pass(&mut self) {
        for place in self.under_way() {
            self.heap.remove(&place);
        }
        let until = self.now + MINUTES;
        self.goes_on(MINUTES);
        self.now = self.now.max(until);
        self.minute = self.now;
    }

    pub fn no_line_is_young(&mut self) {
        self.minute = self.now;
    }

    /// A line that the model calls young may be older by now.
    pub fn takes_too_long(&self) -> bool {
        self.now - self.minute > YOUNG
    }

    /// What the service and the ledger say now.
    pub fn seen(&mut self) -> Seen {
        // Before the first command there is no ledger.
        let books = self.keeper.image().map(|image| {
            let mut books = Connection::open_in_memory().expect("a database in memory");
            books.deserialize_read_exact("main", &image[..], image.len(), true).expect("the image of a ledger");
            books
        });
        // By what the rows are of: contacts as bits.
        let bits = |sql: &str| -> BTreeMap<i64, Ids> {
            let mut found = BTreeMap::new();
            let Some(books) = &books else { return found };
            let mut rows = books.prepare(sql).expect("a table of the ledger");
            let read = |row: &rusqlite::Row<'_>| Ok((row.get(0)?, row.get::<_, String>(1)?, row.get(2)?));
            for row in rows.query_map([], read).expect("rows") {
                let (of, origin, id) = row.expect("a row");
                *found.entry(of).or_default() |= bit(origin.contains(":4002"), id);
            }
            found
        };
        let ids = bits(
            "SELECT a.batch, p.origin, a.id FROM asked a JOIN batch b ON b.id = a.batch JOIN purse p ON p.id = b.purse",
        );
        let open = bits("SELECT o.batch, p.origin, o.id FROM open_contact o JOIN purse p ON p.id = o.purse");
        let sent = |batch: i64| {
            let books = books.as_ref().expect("it has a batch");
            books
                .query_row("SELECT count(*) FROM attempt WHERE batch = ?1", [batch], |row| row.get(0))
                .expect("a number")
        };
        let all = |found: BTreeMap<i64, Ids>| found.values().fold(0, |all, ids| all | ids);
        let (mut owned, mut charged) = (0, 0);
        for (at, counter) in self.counters.iter().enumerate() {
            let place = self.places.iter().find(|place| place.counter == at).expect("each service has a place");
            let org = Simulation::org_of(place);
            counter.service.read(self.now, |records| {
                let of = records.org(&org).expect("it was founded");
                owned |= of.owned.of(kind(Corpus::Us)).keys().fold(0, |all, id| all | bit(at > 0, *id as i64));
            });
            charged |= self.referee.charged_ids(place.purse).fold(0, |all, id| all | bit(at > 0, id as i64));
        }
        Seen {
            gates: [self.gate(0), self.gate(1)],
            under_way: self.under_way().iter().map(|place| ids_of(&self.heap[place])).collect(),
            batches: ids.into_iter().map(|(at, ids)| (ids, open.get(&at).copied().unwrap_or(0), sent(at))).collect(),
            owned,
            charged,
            recorded: all(bits("SELECT 0, p.origin, o.id FROM owned o JOIN purse p ON p.id = o.purse")),
            spent: all(bits(
                "SELECT 0, p.origin, o.id FROM outcome o JOIN purse p ON p.id = o.purse
                 WHERE o.outcome IN ('unlocked', 'refunded', 'unreachable')",
            )),
        }
    }

    /// The rule that the referee saw broken.
    pub fn broken(&self) -> Option<&str> {
        self.broken.as_deref()
    }
}

thread_local! {
    static MAY_STOP: Cell<bool> = const { Cell::new(false) };
}

/// Whether an assertion stops this. Nothing is printed of it.
fn stops(what: impl FnOnce()) -> bool {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            if !MAY_STOP.get() {
                usual(panic);
            }
        }));
    });
    MAY_STOP.set(true);
    let stopped = catch_unwind(AssertUnwindSafe(what)).is_err();
    MAY_STOP.set(false);
    stopped
}

fn ids_of(happening: &Happening) -> Ids {
    let Happening::Arrive(under) = happening else { return 0 };
    let Call::Unlock(unlock) = &under.call else { return 0 };
    unlock.ids.iter().fold(0, |all, id| all | bit(under.from.place.counter > 0, id.0))
}

/// A contact of the first or the second purse; none that the model does not know.
fn bit(second: bool, id: i64) -> Ids {
    if (1..=4).contains(&id) { 1 << (id - 1 + 4 * i64::from(second)) } else { 0 }
}
