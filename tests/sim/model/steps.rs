//! What can happen in the model, and what follows from it.

use std::fmt;

use super::state::{Command, Gate, Ids, Line, ModelBatch, ModelRequest, ModelState, Rule, Said, World, chunks, count, first};

/// One step. What it names is a window, a contact, or the number of a request among those that are under way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Step(pub What, pub u8);

macro_rules! steps {
    ($($what:ident $word:literal $doc:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum What { $(#[doc = $doc] $what,)* }

        /// The word of each step in a trace.
        const WORDS: &[(What, &str)] = &[$((What::$what, $word),)*];
    };
}

steps! {
    Buy "buy" "A window buys what it wants.",
    Recover "recover" "A window checks for free what is unknown.",
    Finish "finish" "The same, and sends again what is locked.",
    Write "write" "The transaction of a batch: it is written down and leaves, or it is refused.",
    Arrive "arrive" "A request reaches the service, which carries it out.",
    Hear "hear" "Its answer reaches the window.",
    Lie "lie" "The same, and the answer names a charge above the batch.",
    Break "break" "The line of a request breaks.",
    Keep "keep" "The answer is kept as bytes.",
    Full "full" "It cannot be kept: the disk is full.",
    Settle "settle" "The answer is settled.",
    Crash "crash" "The process of a window dies.",
    Mistake "mistake" "The batch that a window is about to send again lost its first contact in memory.",
    List "list" "A contact comes to the suppression list.",
    Member "member" "Another member buys a contact.",
    Key "key" "The key of the profile is replaced.",
    Clock "clock" "Minutes pass. What did not arrive by now never does.",
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = WORDS.iter().find(|(what, _)| *what == self.0).expect("each step has a word").1;
        write!(f, "{word}{}", self.1)
    }
}

impl Step {
    pub fn read(text: &str) -> Option<Step> {
        let (word, number) = text.split_at(text.len().checked_sub(1)?);
        let (what, _) = WORDS.iter().find(|(_, known)| *known == word)?;
        Some(Step(*what, number.parse().ok()?))
    }
}

impl ModelState {
    /// Every step that is possible here.
    pub fn steps(&self, world: &World) -> Vec<Step> {
        let (mut steps, left) = (Vec::new(), self.budget);
        let mut may = |possible: bool, what, number: usize| {
            if possible {
                steps.push(Step(what, number as u8));
            }
        };
        for (w, window) in self.windows.iter().enumerate() {
            let begins = window.at == Gate::Off && window.begun < world.processes;
            may(begins && window.begun == 0, What::Buy, w);
            may(begins && window.begun > 0, What::Recover, w);
            may(begins && window.begun > 0, What::Finish, w);
            may(window.at == Gate::Write, What::Write, w);
            let again = window.batch.is_some() && count(window.ids) > 1 && !window.mistaken;
            may(window.at == Gate::Write && again && left.mistakes > 0, What::Mistake, w);
            let said = self.wire.iter().find(|request| request.listener == Some(w)).and_then(|request| request.said);
            may(window.at == Gate::Wire && said.is_some(), What::Hear, w);
            let sums = said.is_some_and(|said| said.before == 0 && said.new != 0);
            may(window.at == Gate::Wire && sums && left.lies > 0, What::Lie, w);
            may(window.at == Gate::Wire && left.breaks > 0, What::Break, w);
            may(window.at == Gate::Keep, What::Keep, w);
            may(window.at == Gate::Keep && left.fulls > 0, What::Full, w);
            may(window.at == Gate::Settle, What::Settle, w);
            may(window.at != Gate::Off && left.crashes > 0, What::Crash, w);
        }
        for number in 0..self.wire.iter().filter(|request| request.said.is_none()).count() {
            may(true, What::Arrive, number);
        }
        for contact in 0..8 {
            let may_be = |among: Ids, not: Ids| among & !not & 1 << contact != 0;
            may(left.lists > 0 && may_be(world.may_list, self.listed), What::List, contact);
            may(left.members > 0 && may_be(world.may_be_bought, self.owned), What::Member, contact);
        }
        may(left.keys > 0, What::Key, 0);
        // No line is silent for minutes, and no disk.
        let rests = |window: &super::state::ModelWindow| matches!(window.at, Gate::Off | Gate::Others | Gate::Quiet);
        may(left.clocks > 0 && self.windows.iter().all(rests), What::Clock, 0);
        steps
    }

    /// What follows from a step, and the rule that it breaks.
    pub fn after(&self, world: &World, step: Step) -> (ModelState, Option<Rule>) {
        let mut play = Play { world, s: self.clone(), broken: None };
        play.take(step);
        while let Some(w) = (0..2).find(|w| play.s.windows[*w].at == Gate::Others && !play.is_pending(*w)) {
            play.ask_others(w);
        }
        let broken = play.broken.or(play.s.broken(world));
        (play.s, broken)
    }

    /// The rule that cannot hold in this state.
    fn broken(&self, world: &World) -> Option<Rule> {
        let open = self.batches.iter().fold(0, |all, batch| all | batch.open);
        let is_open_twice = self.batches.iter().map(|batch| u32::from(count(batch.open))).sum::<u32>() > open.count_ones();
        let over = |purse: Ids| ((self.spent | open) & purse).count_ones() > world.cap;
        let rules = [
            (Rule::Twice, is_open_twice),
            // Holds count like charges.
            (Rule::Bounded, over(0x0f) || over(0xf0)),
            // What was charged to us is in the books as charged, or it is still looked for.
            (Rule::Unknown, self.charged & !(open | self.spent) != 0),
            (Rule::Purse, self.ours & !self.owned != 0),
            (Rule::Typed, self.windows.iter().any(|window| window.sent > window.typed)),
            (Rule::OneWay, self.batches.iter().any(|batch| batch.left > batch.sent)),
        ];
        rules.into_iter().find_map(|(rule, broken)| broken.then_some(rule))
    }
}

/// Whether an order goes on after a check.
#[derive(PartialEq)]
enum Goes {
    On,
    Empty,
    /// What pays changed, or a batch to be sent again holds a listed contact.
    Changed,
}

/// A step on its way from one state to the next.
struct Play<'a> {
    world: &'a World,
    s: ModelState,
    broken: Option<Rule>,
}

impl Play<'_> {
    fn take(&mut self, Step(what, number): Step) {
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

    fn begin(&mut self, w: usize, command: Command) {
        let (world, purse) = (self.world, self.world.purse(w));
        self.time_passes();
        let typed = match command {
            Command::Buy => world.amounts[w],
            Command::Recover => 0,
            Command::Finish => world.batch as u8,
        };
        if self.read_open_batches(purse) && command != Command::Buy {
            self.s.ours |= self.s.owned & purse;
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
        let unknown = self.open_of(purse, |batch| batch.by.is_none() || batch.line != Line::Flying);
        let wanted = world.wants[w] & !(self.s.ours | unknown | lists);
        let room = if world.lacks(Rule::Bounded) { typed.into() } else { self.room(purse, Rule::Bounded) };
        self.s.windows[w].queue = chunks(first(wanted, room.min(typed.into()) as usize), world.batch);
        self.next_batch(w);
    }

    fn open_of(&self, purse: Ids, which: impl Fn(&ModelBatch) -> bool) -> Ids {
        self.s.batches.iter().filter(|batch| which(batch)).fold(0, |all, batch| all | batch.open & purse)
    }

    /// What the cap of a purse leaves. Holds count as spent.
    fn room(&self, purse: Ids, asks: Rule) -> u32 {
        let held = if self.world.lacks(asks) { 0 } else { self.open_of(purse, |_| true) };
        self.world.cap.saturating_sub(count((self.s.spent | held) & purse).into())
    }

    /// Each process does this when it begins and when its order ends: answers that are kept and not read yet settle, for free.
    fn read_open_batches(&mut self, purse: Ids) -> bool {
        self.read_lines(purse);
        let mut is_incomplete = false;
        for at in 0..self.s.batches.len() {
            if self.s.batches[at].ids & purse != 0 && self.s.batches[at].line != Line::Flying {
                is_incomplete |= self.read_answer(at);
                self.is_proved(at);
            }
        }
        is_incomplete
    }

    /// What two free checks saw locked is not unknown any more.
    fn is_proved(&mut self, at: usize) {
        let batch = &mut self.s.batches[at];
        if batch.proofs == 2 {
            batch.open = 0;
        }
    }

    /// Seconds pass.
    fn time_passes(&mut self) {
        self.s.batches.iter_mut().for_each(|batch| batch.is_fresh = false);
    }

    /// The first who looks writes down that the line of a dead window is broken.
    fn read_lines(&mut self, purse: Ids) {
        let dead = |batch: &&mut ModelBatch| batch.by.is_none() && batch.line == Line::Flying && batch.open & purse != 0;
        for batch in self.s.batches.iter_mut().filter(dead) {
            batch.line = Line::Young;
        }
    }

    /// The next batch of an order, or its end.
    fn next_batch(&mut self, w: usize) {
        loop {
            let window = &mut self.s.windows[w];
            (window.batch, window.ids, window.checked, window.sends, window.knows) = (None, 0, false, 0, 0);
            if window.alarm && !self.world.lacks(Rule::Partial) {
                return self.order_ends(w, false);
            }
            if window.queue.is_empty() {
                return match window.elsewhere != 0 && !window.gave_up {
                    true => self.s.windows[w].at = Gate::Others,
                    false => self.order_ends(w, true),
                };
            }
            window.ids = window.queue.remove(0);
            match self.check(w) {
                Goes::On => return self.is_checked(w),
                Goes::Empty => {}
                Goes::Changed => return self.is_stopped(w),
            }
        }
    }

    /// *Shown is paid*: what the batch rests on is read again.
    fn check(&mut self, w: usize) -> Goes {
        let (listed, key) = (self.s.listed, self.s.key);
        let window = &mut self.s.windows[w];
        if window.key != key {
            return Goes::Changed;
        }
        if !self.world.lacks(Rule::Shown) {
            window.lists = listed;
        }
        if window.batch.is_some() {
            return if window.ids & window.lists == 0 { Goes::On } else { Goes::Changed };
        }
        window.ids &= !window.lists;
        for ids in &mut window.queue {
            *ids &= !window.lists;
        }
        window.queue.retain(|ids| *ids != 0);
        if window.ids == 0 { Goes::Empty } else { Goes::On }
    }

    fn is_checked(&mut self, w: usize) {
        self.s.windows[w].at = Gate::Write;
        if self.world.lacks(Rule::Intent) {
            self.leaves(w, None);
        }
    }

    /// *Intent before send*: the conditional transaction.
    fn write(&mut self, w: usize) {
        let (world, purse) = (self.world, self.world.purse(w));
        self.time_passes();
        if self.s.windows[w].lists != self.s.listed && !world.lacks(Rule::Shown) {
            self.s.windows[w].mistaken = false;
            return match self.check(w) {
                Goes::On => self.is_checked(w),
                Goes::Empty => self.next_batch(w),
                Goes::Changed => self.is_stopped(w),
            };
        }
        let ids = self.s.windows[w].ids;
        if let Some(batch) = self.s.windows[w].batch {
            return self.write_again(w, batch);
        }
        if !world.lacks(Rule::Twice) {
            // *Never twice*. Another order of this purse has these, or they are owned by now.
            let open = self.open_of(purse, |_| true) & ids;
            let taken = if open != 0 { open } else { self.s.ours & ids };
            if taken != 0 {
                let window = &mut self.s.windows[w];
                window.elsewhere |= open;
                window.ids &= !taken;
                let goes = if window.ids == 0 { Goes::Empty } else { self.check(w) };
                return match goes {
                    Goes::On => self.is_checked(w),
                    Goes::Empty => self.next_batch(w),
                    Goes::Changed => self.is_stopped(w),
                };
            }
        }
        // *Bounded*, with *holds*.
        if u32::from(count(ids)) > self.room(purse, Rule::Holds) && !world.lacks(Rule::Bounded) {
            return self.order_ends(w, false);
        }
        self.s.batches.push(ModelBatch {
            ids,
            open: ids,
            sent: 1,
            left: 0,
            by: Some(w),
            line: Line::Flying,
            proofs: 0,
            is_fresh: false,
            kept: None,
        });
        let at = self.s.batches.len() - 1;
        self.s.windows[w].batch = Some(at);
        if self.is_overtaken(w) {
            self.s.batches[at].open = 0;
            return self.is_stopped(w);
        }
        self.leaves(w, Some(at));
    }

    /// *Same batch, same ids*: it goes out whole, or not at all.
    fn write_again(&mut self, w: usize, at: usize) {
        let window = &self.s.windows[w];
        // *Impossible stops*: what is to be sent is not what was written down.
        if window.mistaken && !self.world.lacks(Rule::Impossible) {
            return self.process_ends(w);
        }
        let batch = &self.s.batches[at];
        if batch.open == 0 {
            // Another window has cleared it up.
            return self.next_batch(w);
        }
        if batch.open != batch.ids || batch.ids & self.s.ours != 0 {
            self.look_for_batch(w, at);
            return if self.s.batches[at].open == 0 { self.next_batch(w) } else { self.order_ends(w, false) };
        }
        let flies_elsewhere = batch.line == Line::Flying && batch.by.is_some();
        if flies_elsewhere || batch.sent > window.knows {
            return self.order_ends(w, false);
        }
        let batch = &mut self.s.batches[at];
        batch.sent += 1;
        (batch.by, batch.line, batch.proofs, batch.is_fresh) = (Some(w), Line::Flying, 0, false);
        if self.is_overtaken(w) {
            self.s.batches[at].line = Line::Young;
            return self.is_stopped(w);
        }
        self.leaves(w, Some(at));
    }

    /// Written down, and checked once more before it leaves: lists cannot be others than in the transaction, the key can.
    fn is_overtaken(&self, w: usize) -> bool {
        self.s.windows[w].key != self.s.key
    }

    /// A request leaves. Here the rules of the wire are held against it.
    fn leaves(&mut self, w: usize, batch: Option<usize>) {
        let window = &mut self.s.windows[w];
        let mut ids = window.ids;
        let written = batch.map(|at| &self.s.batches[at]);
        let is_again = written.is_some_and(|batch| batch.sent > 1);
        if window.mistaken || is_again && self.world.lacks(Rule::Same) {
            ids &= !first(ids, 1);
        }
        // What is sent again by itself was counted when it left first.
        window.sent += if window.sends == 0 { count(window.ids) } else { 0 };
        window.sends += 1;
        window.at = Gate::Wire;
        let is_other = written.is_some_and(|batch| batch.ids != ids);
        let rules = [
            (Rule::Intent, written.is_none()),
            (Rule::Shown, ids & self.s.listed != 0),
            (Rule::Impossible, is_other && window.mistaken),
            (Rule::Same, is_other || is_again && !window.checked || window.sends > 4),
            (Rule::Twice, ids & self.s.ours != 0),
            (Rule::Partial, window.alarm),
        ];
        self.broken = rules.into_iter().find_map(|(rule, broken)| broken.then_some(rule)).or(self.broken);
        window.checked = false;
        let copies = if self.world.lacks(Rule::OneWay) { 2 } else { 1 };
        for copy in 0..copies {
            let listener = (copy == 0).then_some(w);
            self.s.wire.push(ModelRequest { ids, listener, said: None });
        }
        if let Some(at) = batch {
            self.s.batches[at].left += copies;
            self.s.windows[w].knows = self.s.batches[at].sent;
        }
    }

    /// The service carries a request out. What is owned costs nothing.
    fn arrive(&mut self, number: usize) {
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

    fn hear(&mut self, w: usize, lies: bool) {
        let at = self.s.wire.iter().position(|request| request.listener == Some(w)).expect("it has a request");
        let said = self.s.wire.remove(at).said.expect("it is answered");
        let window = &mut self.s.windows[w];
        window.heard = Some(Said { lies, ..said });
        window.at = if self.world.lacks(Rule::Stored) { Gate::Settle } else { Gate::Keep };
    }

    /// *Partial is normal*: contact by contact.
    fn settle(&mut self, w: usize) {
        let window = &self.s.windows[w];
        let (at, heard) = (window.batch.expect("a batch was sent"), window.heard.expect("it was answered"));
        // *Responses are stored first*.
        if self.s.batches[at].kept.is_none() {
            self.broken = Some(Rule::Stored);
            self.s.batches[at].kept = Some(heard);
        }
        self.read_answer(at);
        if heard.before != 0 {
            // Without an address, or perhaps bought by an earlier sending: a free look tells.
            self.look_for_batch(w, at);
        }
        let window = &mut self.s.windows[w];
        (window.heard, window.alarm) = (None, window.alarm || heard.lies);
        self.next_batch(w);
    }

    /// Settles an answer that is stored. What it calls owned before may have been bought by an earlier sending: then it stays open.
    /// Returns whether something is owned without an address.
    fn read_answer(&mut self, at: usize) -> bool {
        let Some(said) = self.s.batches[at].kept.take() else { return false };
        self.s.batches[at].line = Line::Young;
        self.becomes_owned(at, said.new, true);
        if self.s.batches[at].sent > 1 {
            return false;
        }
        self.becomes_owned(at, said.before, false);
        said.before != 0
    }

    fn becomes_owned(&mut self, at: usize, ids: Ids, charged: bool) {
        let batch = &mut self.s.batches[at];
        let ids = ids & batch.open;
        batch.open &= !ids;
        // *One purse*: without it the other purse's contacts are taken for ours.
        let ours = if self.world.lacks(Rule::Purse) { (ids | ids >> 4) & 0x0f } else { ids };
        self.s.ours |= ours;
        self.s.spent |= if charged { ours } else { 0 };
    }

    /// *Unknown is a state*: a free check follows, and decides whether the batch goes out again.
    fn line_breaks(&mut self, w: usize) {
        let at = self.s.wire.iter().position(|request| request.listener == Some(w)).expect("it has a request");
        match self.s.wire[at].said {
            Some(_) => drop(self.s.wire.remove(at)),
            None => self.s.wire[at].listener = None,
        }
        let Some(batch) = self.s.windows[w].batch else { return self.order_ends(w, false) };
        self.s.batches[batch].line = Line::Young;
        if self.world.lacks(Rule::Unknown) {
            self.s.batches[batch].open = 0;
            return self.order_ends(w, false);
        }
        self.look_for_batch(w, batch);
        let ModelBatch { ids, open, .. } = self.s.batches[batch];
        if open == 0 {
            return self.next_batch(w);
        }
        if open != ids || self.s.windows[w].sends > 3 {
            return self.order_ends(w, false);
        }
        self.s.windows[w].checked = true;
        match self.check(w) {
            Goes::On => self.is_checked(w),
            Goes::Empty | Goes::Changed => self.is_stopped(w),
        }
    }

    /// A free look of an order. It settles nothing where another window has sent the batch again since.
    fn look_for_batch(&mut self, w: usize, at: usize) {
        if self.s.windows[w].knows == self.s.batches[at].sent {
            self.look(w, at);
        }
        self.s.ours |= self.s.owned & self.world.purse(w);
    }

    /// What is owned settles as bought, and what else a look shows is known from here on.
    fn look(&mut self, w: usize, at: usize) {
        self.becomes_owned(at, self.s.owned, true);
        self.s.batches[at].is_seen_locked();
        self.s.ours |= self.s.owned & self.world.purse(w);
    }

    /// `recover`: what is owned settles, what is locked is proved after a minute of quiet.
    fn look_for_unknown(&mut self, w: usize) {
        let purse = self.world.purse(w);
        let unknown: Vec<usize> = (0..self.s.batches.len()).filter(|at| self.is_unknown(*at, w)).collect();
        if unknown.is_empty() {
            return self.process_ends(w);
        }
        for at in unknown {
            self.look(w, at);
            if self.s.windows[w].command == Command::Recover {
                // It looks once more, seconds later.
                self.time_passes();
                self.look(w, at);
            }
            self.is_proved(at);
        }
        if self.s.windows[w].command == Command::Finish || self.world.lacks(Rule::Typed) {
            return self.send_next_again(w);
        }
        let is_clear = self.open_of(purse, |batch| batch.by.is_none() || batch.line != Line::Flying) == 0;
        if is_clear {
            return self.process_ends(w);
        }
        self.s.windows[w].at = Gate::Quiet;
    }

    /// Whether a window sees a batch as unknown: another one that lives may have it in flight.
    fn is_unknown(&self, at: usize, w: usize) -> bool {
        let batch = &self.s.batches[at];
        batch.open & self.world.purse(w) != 0 && (batch.by.is_none() || batch.line != Line::Flying)
    }

    /// `--finish`: one batch after the other, each whole and under the typed amount.
    fn send_next_again(&mut self, w: usize) {
        loop {
            let is_next = |at: &usize| self.is_unknown(*at, w) && !self.s.windows[w].tried.contains(at);
            let Some(at) = (0..self.s.batches.len()).find(is_next) else { return self.process_ends(w) };
            let ModelBatch { ids, open, sent, .. } = self.s.batches[at];
            let typed = self.world.lacks(Rule::Typed) || count(open) <= self.s.windows[w].left;
            if open != ids || !typed {
                return self.process_ends(w);
            }
            let window = &mut self.s.windows[w];
            window.tried.push(at);
            (window.batch, window.ids, window.checked, window.sends, window.knows) = (Some(at), ids, true, 0, sent);
            // What is owned by now is not sent again.
            self.look_for_batch(w, at);
            let open = self.s.batches[at].open;
            match open {
                0 => return self.order_ends(w, true),
                _ if open != ids => return self.process_ends(w),
                _ if self.check(w) == Goes::On => return self.is_checked(w),
                _ => {}
            }
        }
    }

    /// Something changed before the batch left. `--finish` tries the next one if nothing of this one has left.
    fn is_stopped(&mut self, w: usize) {
        if self.s.windows[w].command != Command::Finish || self.s.windows[w].sends > 0 {
            return self.order_ends(w, false);
        }
        self.read_open_batches(self.world.purse(w));
        self.send_next_again(w);
    }

    /// `well`: it came to its end with nothing unknown and nothing refused.
    fn order_ends(&mut self, w: usize, well: bool) {
        self.read_open_batches(self.world.purse(w));
        let window = &mut self.s.windows[w];
        if window.command == Command::Buy || !well {
            return self.process_ends(w);
        }
        let bought = window.tried.last().map_or(0, |at| self.s.batches[*at].ids & self.s.spent);
        window.left = window.left.saturating_sub(count(bought));
        self.send_next_again(w);
    }

    /// The process is over, in order or not. What it had on the wire has no listener any more.
    fn process_ends(&mut self, w: usize) {
        let begun = self.s.windows[w].begun;
        self.s.windows[w] = Default::default();
        self.s.windows[w].begun = begun;
        for batch in self.s.batches.iter_mut().filter(|batch| batch.by == Some(w)) {
            batch.by = None;
        }
        self.s.wire.retain(|request| request.listener != Some(w) || request.said.is_none());
        for request in self.s.wire.iter_mut().filter(|request| request.listener == Some(w)) {
            request.listener = None;
        }
    }

    /// Whether another window has something of it under way, and nothing else is left to do.
    fn is_pending(&self, w: usize) -> bool {
        let (pending, free) = self.others(w);
        pending != 0 && (free == 0 || self.s.windows[w].rounds == 3)
    }

    /// Of what is wanted elsewhere: what a living window has, and what is free again.
    fn others(&self, w: usize) -> (Ids, Ids) {
        let elsewhere = self.s.windows[w].elsewhere;
        let open = self.open_of(elsewhere, |_| true);
        let pending = self.open_of(elsewhere, |batch| batch.by.is_some_and(|by| by != w));
        (pending, elsewhere & !open & !self.s.ours)
    }

    fn ask_others(&mut self, w: usize) {
        let (_, free) = self.others(w);
        let ours = self.s.ours;
        let window = &mut self.s.windows[w];
        window.elsewhere &= !(free | ours);
        if free != 0 && window.rounds < 3 {
            window.rounds += 1;
            window.queue = chunks(free, self.world.batch);
        } else {
            window.gave_up = true;
        }
        self.next_batch(w);
    }

    fn minutes_pass(&mut self) {
        self.s.wire.retain(|request| request.listener.is_some());
        for batch in self.s.batches.iter_mut().filter(|batch| batch.line == Line::Young) {
            batch.line = Line::Old;
        }
        for w in (0..2).filter(|w| self.s.windows[*w].at == Gate::Quiet).collect::<Vec<_>>() {
            self.read_open_batches(self.world.purse(w));
            for batch in self.s.batches.iter_mut().filter(|batch| batch.line == Line::Young) {
                batch.line = Line::Old;
            }
            self.look_for_unknown(w);
        }
    }
}
