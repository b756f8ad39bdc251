//! A small world in which every order of two events is possible: two windows, three contacts, one list, one cap. What waits for its
//! turn is each write of money, each request for an unlock and its answer, the end of a process; all else runs as it always does.

use std::fmt::Write as _;

use lode_core::contact::Corpus;
use lode_core::credits::Credits;
use lode_core::money::Caps;
use lode_engine::effect::CallId;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::Failure;

use crate::counter::kind;
use crate::digests;
use crate::network::{self, Fate, Garble, Said};
use crate::referee::PROMPT;
use crate::twists::TWISTS;

use super::disk::writes_money;
use super::guided::{Place, SHORT, TOO_OLD};
use super::windows::numbered;
use super::{Happening, Mangled, Simulation, scripts};

/// One step. The first number is a window, or a request among those that are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Move {
    /// The next command of a window begins.
    Begin(usize),
    /// What a window gave its store to do is done.
    Stored(usize),
    /// A request reaches the service, and its answer goes back.
    Arrives(usize),
    /// The answer reaches the window.
    Heard(usize),
    /// A process that was told to end has waited long enough.
    Leaves(usize),
    /// Where nothing else can happen, minutes pass.
    MinutesPass,
    /// The disk is full for this write, or until the window gives up.
    Full(usize),
    StaysFull(usize),
    /// It is done, and the process dies right after it.
    StoredAndDies(usize),
    Dies(usize),
    IsToldToEnd(usize),
    /// A request arrives, and this is answered in place of what the service said.
    Refused(usize, usize),
    /// A request arrives, and its answer is damaged on the way.
    Garbled(usize, usize),
    /// Only the first contact of a request is bought, and the line breaks.
    Part(usize),
    /// The network makes a copy of a request.
    Copied(usize),
    /// A proxy answers, and the request never arrives.
    Instead(usize, usize),
    /// The request never left.
    Unsent(usize),
    /// The line breaks. The request may arrive all the same.
    Breaks(usize),
    /// The next read of any window fails.
    ReadFails(usize),
    /// Seconds pass.
    SecondsPass,
    Listed,
    MemberBuys,
    KeyReplaced,
    CapSaved,
}

/// When it begins, on both clocks. All of it is over before the day is.
const START: u64 = 5_000_000_000_000;
const MIDNIGHT: i64 = 1_700_006_400_000;
/// The longest time in which a world ends.
const DAY: u64 = 86_400_000;

/// Contacts that the two windows want. Both buy; the first then finishes as well.
const WANTED: [&[i64]; 2] = [&[1, 2, 3], &[2, 3]];
const COMMANDS: [u64; 2] = [2, 1];

/// How they buy.
#[derive(Debug)]
pub struct ClosedWorld {
    pub name: &'static str,
    batch: u32,
    amounts: [i64; 2],
    cap: i64,
}

/// In the second one all together want more than the cap, and one window more than its amount.
pub const WORLDS: [ClosedWorld; 2] = [
    ClosedWorld { name: "pairs", batch: 2, amounts: [3, 2], cap: 3 },
    ClosedWorld { name: "singles", batch: 1, amounts: [3, 1], cap: 2 },
];

/// The cap that is saved later.
const LOWER_CAP: i64 = 1;
/// The contact that comes to the list, and that another member buys.
const MIDDLE: i64 = 2;

const REFUSALS: [u16; 11] = [301, 307, 401, 402, 403, 404, 409, 422, 429, 500, 502];

fn said(status: u16, documented: bool, retry_after: Option<u64>) -> Said {
    Said { status, retry_after, documented }
}

fn refusals() -> Vec<Said> {
    let of = |documented| REFUSALS.map(move |status| said(status, documented, None));
    of(true).into_iter().chain(of(false)).collect()
}

fn garbles() -> Vec<Garble> {
    [Garble::Page, Garble::Cut].into_iter().chain(TWISTS.iter().map(|twist| Garble::Twist(twist))).collect()
}

fn instead() -> [Said; 3] {
    [said(429, true, Some(2)), said(429, false, None), said(502, false, None)]
}

fn reads() -> [Fate; 3] {
    let [later, _, page] = instead();
    [Fate::Lost { broke: 400 }, Fate::Instead { at: 10, said: later }, Fate::Instead { at: 10, said: page }]
}

impl Move {
    /// Something goes wrong, or something changes from outside. The number of these is limited.
    pub fn is_deviation(&self) -> bool {
        *self > Move::MinutesPass
    }
}

impl Simulation {
    /// See [`crate::closed`].
    pub fn closed(world: &ClosedWorld) -> Simulation {
        let mut sim = Simulation::guided(world.batch, world.cap, false);
        sim.amounts = world.amounts;
        // Moments are numbers that nothing else is.
        (sim.now, sim.skew) = (START, MIDNIGHT - START as i64);
        sim.finely = true;
        sim.slow = Some(100);
        sim.referee.begin(sim.caps, false);
        sim
    }

    pub(super) fn writes_money(&self, slot: usize) -> bool {
        let front = self.windows[slot].as_ref().and_then(|window| window.queue.front());
        front.is_some_and(|(_, call)| writes_money(call))
    }

    /// How many commands a window has begun.
    fn begun(&self, slot: usize) -> u64 {
        self.runs.get(&slot).map_or(0, |number| number - 1_000_000 * slot as u64)
    }

    fn is_off(&self, slot: usize) -> bool {
        self.windows[slot].is_none()
    }

    fn has_write(&self, slot: usize) -> bool {
        self.writes_money(slot) && self.store_call(slot).is_some()
    }

    /// The window whose request this is, if it still waits for the answer.
    fn listener(&self, place: &Place) -> Option<usize> {
        let Happening::Arrive(under) = &self.heap[place] else { return None };
        let slot = self.slot_of(under.from.generation)?;
        let waits = self.windows[slot].as_ref().is_some_and(|window| window.in_flight.contains_key(&under.from.id));
        (waits && under.down.is_some()).then_some(slot)
    }

    /// Everything that can happen next.
    pub fn possible(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        let mut may = |possible: bool, next: Move| {
            if possible {
                moves.push(next);
            }
        };
        for (slot, commands) in COMMANDS.into_iter().enumerate() {
            may(self.is_off(slot) && self.begun(slot) < commands, Move::Begin(slot));
            may(self.has_write(slot), Move::Stored(slot));
            may(!self.is_off(slot) && self.reply_to(slot).is_some(), Move::Heard(slot));
            let leaving = self.windows[slot].as_ref().is_some_and(|window| window.leaving.is_some());
            may(leaving, Move::Leaves(slot));
            may(self.has_write(slot), Move::Full(slot));
            may(self.has_write(slot), Move::StaysFull(slot));
            may(self.has_write(slot), Move::StoredAndDies(slot));
            may(!self.is_off(slot), Move::Dies(slot));
            may(!self.is_off(slot) && !leaving, Move::IsToldToEnd(slot));
            may(self.windows[slot].as_ref().is_some_and(|window| !window.in_flight.is_empty()), Move::Breaks(slot));
        }
        let under_way = self.under_way();
        for (number, place) in under_way.iter().enumerate() {
            let is_heard = self.listener(place).is_some();
            may(true, Move::Arrives(number));
            (0..refusals().len()).for_each(|way| may(is_heard, Move::Refused(number, way)));
            (0..garbles().len()).for_each(|way| may(is_heard, Move::Garbled(number, way)));
            (0..instead().len()).for_each(|way| may(is_heard, Move::Instead(number, way)));
            may(is_heard, Move::Part(number));
            may(is_heard && under_way.len() < 2, Move::Copied(number));
            may(is_heard, Move::Unsent(number));
        }
        let rests = |slot: usize| !self.has_write(slot) && (self.is_off(slot) || self.reply_to(slot).is_none());
        let waits = (0..2).any(|slot| !self.is_off(slot)) || !under_way.is_empty();
        let no_listener = !under_way.iter().any(|place| self.listener(place).is_some());
        may(rests(0) && rests(1) && waits && no_listener, Move::MinutesPass);
        may((0..2).any(|slot| !self.is_off(slot)), Move::SecondsPass);
        let reads = (0..reads().len()).filter(|_| self.next_read.is_none());
        reads.for_each(|way| may(true, Move::ReadFails(way)));
        may(!self.referee.has_listed(), Move::Listed);
        may(!self.owned_there().contains(&(MIDDLE as u64)), Move::MemberBuys);
        may(self.places[0].key_name == "default", Move::KeyReplaced);
        may(self.caps.day != Some(Credits(LOWER_CAP)), Move::CapSaved);
        // An answer changes only its window: it makes no difference what others do before it.
        if let Some(heard) = moves.iter().copied().find(|next| matches!(next, Move::Heard(_))) {
            moves.retain(|next| *next == heard || next.is_deviation());
        }
        moves
    }

    pub fn take(&mut self, next: Move) {
        match next {
            Move::Begin(slot) => {
                let (ids, amount) = (WANTED[slot], self.amounts[slot]);
                let command = if self.begun(slot) == 0 {
                    scripts::buying_within(ids, amount)
                } else {
                    scripts::finishing(amount)
                };
                let run = numbered(&mut self.runs, slot);
                self.open(slot, run, self.places[0].clone(), Some(command));
                self.goes_on(SHORT);
            }
            Move::Stored(slot) => self.write(slot),
            Move::Full(slot) => {
                self.full_until = u64::MAX;
                self.write(slot);
                self.full_until = 0;
            }
            Move::StaysFull(slot) => self.disk_is_full(slot),
            Move::StoredAndDies(slot) => {
                let place = self.store_call(slot).expect("it writes");
                self.turn_of(place);
                if !self.is_off(slot) {
                    self.dies(slot);
                }
            }
            Move::Arrives(number) => self.arrives(number),
            Move::Heard(slot) => self.hears(slot, false),
            Move::Leaves(slot) => {
                let run = self.windows[slot].as_ref().expect("it is there").run;
                let leave = |_: &Simulation, _, happening: &Happening| matches!(happening, Happening::Leave { run: of } if *of == run);
                let place = self.find(leave).expect("it was told");
                self.turn_of(place);
                self.goes_on(SHORT);
            }
            Move::MinutesPass => self.minutes_pass(),
            Move::Dies(slot) => self.dies(slot),
            Move::IsToldToEnd(slot) => {
                self.tell_to_end(slot);
                self.goes_on(SHORT);
            }
            Move::Refused(number, way) => {
                self.arrives_mangled(number, Mangled::Said { said: refusals()[way], topped: false })
            }
            Move::Garbled(number, way) => self.arrives_mangled(number, Mangled::Garbled(garbles()[way])),
            Move::Part(number) => {
                let place = self.under_way()[number];
                let slot = self.listener(&place).expect("a window waits for it");
                if let Some(Happening::Arrive(under)) = self.heap.get_mut(&place) {
                    under.call = network::part_of(&under.call, 0, 1);
                    under.down = None;
                }
                self.turn_of(place);
                self.line_breaks(slot);
            }
            Move::Copied(number) => {
                let (at, key, _) = self.under_way()[number];
                let Some(Happening::Arrive(under)) = self.heap.get(&self.under_way()[number]) else { return };
                let copy = super::Underway { down: None, stray: true, ..(**under).clone() };
                self.referee.sendings[copy.from.sending.expect("it is an unlock")].copied = true;
                self.later(at.saturating_sub(self.now), key, Happening::Arrive(Box::new(copy)));
            }
            Move::Instead(number, way) => {
                let (slot, call, asked) = self.never_arrives(number);
                self.fails(slot, call, network::instead(&asked, instead()[way]));
            }
            Move::Unsent(number) => {
                let (slot, id, _) = self.never_arrives(number);
                let window = self.windows[slot].as_mut().expect("it waits");
                let sending = window.in_flight[&id];
                self.referee.sendings[sending].unsent = true;
                self.fails(slot, id, Err(Failure::Unsent { words: "no route".to_owned() }));
            }
            Move::Breaks(slot) => self.line_breaks(slot),
            Move::ReadFails(way) => self.next_read = Some(reads()[way].clone()),
            Move::SecondsPass => {
                self.now += TOO_OLD;
                self.goes_on(SHORT);
            }
            Move::Listed => self.lists(0, MIDDLE),
            Move::MemberBuys => self.member_buys(0, MIDDLE as u64),
            Move::KeyReplaced => {
                self.keys_are_replaced();
                self.is_read();
            }
            Move::CapSaved => {
                self.caps = Caps { day: Some(Credits(LOWER_CAP)), ..self.caps };
                self.referee.caps_saved(self.caps, self.now);
                self.is_read();
            }
        }
    }

    /// Settings are files: they count once a window had the time to read them, and a write that waits was made before.
    fn is_read(&mut self) {
        if !(0..2).any(|slot| self.has_write(slot)) {
            self.now += PROMPT;
            self.goes_on(SHORT);
        }
    }

    /// Nothing goes wrong any more. Everything comes to rest, and the books are compared.
    pub fn ends(&mut self) -> Result<(), String> {
        self.settling = true;
        self.watched = vec![0];
        (0..self.slots).for_each(|slot| self.restart(slot));
        self.come_to_rest();
        self.broken.take().map_or(Ok(()), Err)
    }

    fn write(&mut self, slot: usize) {
        let place = self.store_call(slot).expect("the window waits for its store");
        self.turn_of(place);
        self.goes_on(SHORT);
    }

    fn arrives_mangled(&mut self, number: usize, how: Mangled) {
        let place = self.under_way()[number];
        if let Some(Happening::Arrive(under)) = self.heap.get_mut(&place) {
            under.mangled = Some(how);
        }
        self.arrives(number);
    }

    fn never_arrives(&mut self, number: usize) -> (usize, CallId, Call) {
        let place = self.under_way()[number];
        let slot = self.listener(&place).expect("a window waits for it");
        let Some(Happening::Arrive(under)) = self.heap.remove(&place) else { unreachable!("it is under way") };
        (slot, under.from.id, under.call)
    }

    fn fails(&mut self, slot: usize, call: CallId, result: Result<Reply, Failure>) {
        let generation = self.generation(slot);
        self.reply((generation, call), result, None, self.now, false);
        self.goes_on(SHORT);
    }

    /// All that decides what can happen from here on, as text. Moments count by where they are between the limits that the program
    /// knows, as seen from now.
    pub fn state(&mut self) -> String {
        let mut text = String::new();
        for slot in 0..2 {
            let begun = self.begun(slot);
            let Some(window) = self.windows[slot].as_ref() else {
                let _ = writeln!(text, "{slot} off {begun}");
                continue;
            };
            let _ = writeln!(
                text,
                "{slot} {begun} {:?} {} {:?} {:?} {:?} {:?}",
                window.leaving,
                window.interrupted,
                window.queue,
                window.in_flight,
                window.deadline(),
                window.lines,
            );
            let session = window.session();
            let _ = writeln!(text, "{:?}", session.profile().caps);
            text.push_str(&without(&format!("{:?}\n", session.unlock()), &["tally: Tally {", "said: StatedSums {"]));
            let _ = writeln!(text, "{:?}", session.recovery);
            let _ = writeln!(text, "{:?} {:?}", session.balance.credits, session.lists.all);
        }
        for ((at, ..), happening) in &self.heap {
            let _ = writeln!(text, "{at} {}", self.described(happening));
        }
        let _ = writeln!(text, "{:?} {:?} {}", self.next_read, self.caps.day, self.places[0].key_name);
        text.push_str(&self.referee.state());
        if let Some(image) = self.keeper.image() {
            if self.books.0 != image {
                self.books.1 = what_counts(&digests::ledger(&image));
                self.books.0 = image;
            }
            text.push_str(&self.books.1);
        }
        let _ = writeln!(text, "{:?}", self.owned_there());
        self.as_of_now(&text)
    }

    /// The same text with each moment as where it is from now.
    fn as_of_now(&self, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(|c: char| c.is_ascii_digit()) {
            out.push_str(&rest[..at]);
            rest = &rest[at..];
            let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
            let (digits, after) = rest.split_at(end);
            let number = digits.parse().unwrap_or(u64::MAX);
            // A number that only tells one request from the next, and chance.
            if ["Ticket(", "CallId(", "Jitter("].iter().any(|name| out.ends_with(name)) {
                rest = after;
                continue;
            }
            let since = [START, MIDNIGHT as u64].into_iter().find(|start| (*start..*start + DAY).contains(&number));
            match since {
                Some(start) => {
                    let finely = out.ends_with("at: Mono(");
                    out.push_str(from(start + self.now - START, number, finely));
                }
                None => out.push_str(digits),
            }
            rest = after;
        }
        out.push_str(rest);
        out
    }

    fn owned_there(&self) -> Vec<u64> {
        let org = Simulation::org_of(&self.places[0]);
        self.counters[0].service.read(self.now, |books| {
            let org = books.org(&org).expect("it was founded");
            org.owned.of(kind(Corpus::Us)).keys().copied().collect()
        })
    }

    fn described(&self, happening: &Happening) -> String {
        let slot = |generation: &u64| self.slot_of(*generation);
        match happening {
            Happening::Arrive(under) => {
                let (from, call, is_heard) = (&under.from, &under.call, under.down.is_some());
                format!("arrives {:?} {:?} {call:?} {is_heard} {}", slot(&from.generation), from.sending, under.stray)
            }
            Happening::Replied { generation, result, .. } => format!("reply {:?} {result:?}", slot(generation)),
            Happening::Stored { generation, result, .. } => format!("stored {:?} {result:?}", slot(generation)),
            Happening::Wake { generation } => format!("wakes {:?}", slot(generation)),
            Happening::Leave { run } => format!("leaves {:?}", self.of_run(*run)),
            _ => String::new(),
        }
    }
}

/// Where a moment is, seen from now. `finely`: also whether it is so long ago that facts of then are read again.
fn from(now: u64, at: u64, finely: bool) -> &'static str {
    match (at.saturating_sub(now), now.saturating_sub(at)) {
        (1..=SHORT, _) => "next",
        (1..=60_000, _) => "soon",
        (1.., _) => "later",
        (_, ..=TOO_OLD) if finely => "now",
        (_, ..=60_000) => "young",
        _ => "old",
    }
}

/// The lines of a ledger that decide what happens from now on: of a batch that is settled only its outcomes.
fn what_counts(lines: &[String]) -> String {
    let open: Vec<&str> =
        lines.iter().filter(|line| line.starts_with("open ")).filter_map(|line| line.rsplit(' ').next()).collect();
    let counts = |line: &&String| {
        let (table, row) = line.split_once(' ').unwrap_or_default();
        let of = row.trim_start_matches("end ").split(' ').next().unwrap_or_default();
        match table {
            "batch" | "asked" | "attempt" | "answer" | "settlement" | "sighting" => open.contains(&of),
            "order" | "row" => false,
            _ => true,
        }
    };
    lines.iter().filter(counts).map(|line| line.clone() + "\n").collect()
}

/// A text without these parts, each up to its closing brace.
fn without(text: &str, parts: &[&str]) -> String {
    let mut text = text.to_owned();
    for part in parts {
        while let Some(from) = text.find(part) {
            let end = text[from..].find('}').map_or(text.len(), |end| from + end + 1);
            text.replace_range(from..end, "");
        }
    }
    text
}
