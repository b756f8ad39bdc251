//! How a step leads from one state to the next.

use super::rules::{Rule, broken_in};
use super::state::{Command, Gate, Ids, Line, ModelBatch, ModelState, Said, World, chunks, first};
use super::steps::{Step, What};

impl ModelState {
    /// What follows from a step, and the rule that it breaks.
    pub fn after(&self, world: &World, step: Step) -> (ModelState, Option<Rule>) {
        let mut play = Play { world, s: self.clone(), broken: None };
        play.take(step);
        while let Some(w) = (0..2).find(|w| play.s.windows[*w].at == Gate::Others && !play.is_pending(*w)) {
            play.ask_others(w);
        }
        let broken = play.broken.or(broken_in(&play.s, world));
        (play.s, broken)
    }

    /// What is open of these contacts in some batches.
    pub fn open_of(&self, ids: Ids, which: impl Fn(&ModelBatch) -> bool) -> Ids {
        self.batches.iter().filter(|batch| which(batch)).fold(0, |all, batch| all | batch.open & ids)
    }
}

/// A step on its way.
pub struct Play<'a> {
    pub world: &'a World,
    pub s: ModelState,
    pub broken: Option<Rule>,
}

impl Play<'_> {
    pub fn take(&mut self, Step(what, number): Step) {
        let (w, contact) = (usize::from(number), 1 << number);
        let budget = &mut self.s.budget;
        match what {
            What::Buy => self.begin(w, Command::Buy),
            What::Recover => self.begin(w, Command::Recover),
            What::Finish => self.begin(w, Command::Finish),
            What::Write => self.write(w),
            What::Arrive => self.arrive(w),
            What::Hear => self.hear(w, false),
            What::Lie => {
                budget.lies -= 1;
                self.hear(w, true);
            }
            What::Break => {
                budget.breaks -= 1;
                self.line_breaks(w);
            }
            What::Keep => {
                let window = &mut self.s.windows[w];
                window.at = Gate::Settle;
                let batch = window.batch.expect("a batch was sent");
                self.s.batches[batch].kept = window.heard;
            }
            // It is printed, whole. The batch stays open.
            What::Full => {
                budget.fulls -= 1;
                self.time_passes();
                self.read_lines(self.world.purse(w));
                self.process_ends(w);
            }
            What::Settle => self.settle(w),
            What::Crash => {
                budget.crashes -= 1;
                self.process_ends(w);
            }
            What::Mistake => {
                budget.mistakes -= 1;
                self.s.windows[w].mistaken = true;
            }
            What::List => {
                budget.lists -= 1;
                self.s.listed |= contact;
            }
            What::Member => {
                budget.members -= 1;
                self.s.owned |= contact;
            }
            What::Key => {
                budget.keys -= 1;
                self.s.key += 1;
            }
            What::Clock => {
                budget.clocks -= 1;
                self.minutes_pass();
            }
        }
    }

    pub fn begin(&mut self, w: usize, command: Command) {
        let (world, purse) = (self.world, self.world.purse(w));
        self.time_passes();
        let typed = match command {
            Command::Buy => world.amounts[w],
            Command::Recover => 0,
            Command::Finish => world.batch as u8,
        };
        if self.read_open_batches(purse) && command != Command::Buy {
            self.s.recorded |= self.s.owned & purse;
        }
        let (lists, key) = (self.s.listed, self.s.key);
        let window = &mut self.s.windows[w];
        let begun = window.begun + 1;
        *window = Default::default();
        (window.begun, window.command, window.typed, window.left) = (begun, command, typed, typed);
        (window.lists, window.key) = (lists, key);
        if command != Command::Buy {
            return self.look_for_unknown(w);
        }
        // The quote: what is owned, unknown or listed costs nothing and is not asked for.
        let unknown = self.s.open_of(purse, ModelBatch::is_unknown);
        let wanted = world.wants[w] & !(self.s.recorded | unknown | lists);
        let room = if world.lacks(Rule::Bounded) { typed.into() } else { self.room(purse, Rule::Bounded) };
        self.s.windows[w].queue = chunks(first(wanted, room.min(typed.into()) as usize), world.batch);
        self.next_batch(w);
    }

    /// Seconds pass.
    pub fn time_passes(&mut self) {
        self.s.batches.iter_mut().for_each(|batch| batch.is_fresh = false);
    }

    /// The service carries a request out. What is owned costs nothing.
    pub fn arrive(&mut self, number: usize) {
        let waiting = self.s.wire.iter().enumerate().filter(|(_, request)| request.said.is_none());
        let (at, request) = waiting.map(|(at, request)| (at, request.clone())).nth(number).expect("it is under way");
        let said = Said { new: request.ids & !self.s.owned, before: request.ids & self.s.owned, lies: false };
        self.s.owned |= said.new;
        self.s.charged |= said.new;
        match request.listener {
            Some(_) => self.s.wire[at].said = Some(said),
            None => drop(self.s.wire.remove(at)),
        }
    }

    pub fn hear(&mut self, w: usize, lies: bool) {
        let at = self.s.wire.iter().position(|request| request.listener == Some(w)).expect("it has a request");
        let said = self.s.wire.remove(at).said.expect("it is answered");
        let window = &mut self.s.windows[w];
        window.heard = Some(Said { lies, ..said });
        window.at = if self.world.lacks(Rule::Stored) { Gate::Settle } else { Gate::Keep };
    }

    pub fn minutes_pass(&mut self) {
        self.s.wire.retain(|request| request.listener.is_some());
        for batch in self.s.batches.iter_mut().filter(|batch| batch.line == Line::Young) {
            batch.line = Line::Old;
        }
        for w in (0..2).filter(|w| self.s.windows[*w].at == Gate::Quiet).collect::<Vec<_>>() {
            let purse = self.world.purse(w);
            // It looks for what it remembers, also where another window has settled that meanwhile.
            self.s.recorded |= self.s.owned & purse;
            self.read_open_batches(purse);
            for batch in self.s.batches.iter_mut().filter(|batch| batch.line == Line::Young) {
                batch.line = Line::Old;
            }
            self.look_for_unknown(w);
        }
    }
}
