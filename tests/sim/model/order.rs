//! An order of a window, batch by batch.

use super::play::Play;
use super::rules::{Rule, broken_by_request};
use super::state::{Command, Gate, Ids, Line, ModelBatch, ModelRequest, chunks, count, first};

/// Whether an order goes on after a check.
#[derive(PartialEq)]
pub enum Goes {
    On,
    Empty,
    /// What pays changed, or a batch to be sent again holds a listed contact.
    Changed,
}

impl Play<'_> {
    /// The next batch of an order, or its end.
    pub fn next_batch(&mut self, w: usize) {
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
    pub fn check(&mut self, w: usize) -> Goes {
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

    pub fn goes(&mut self, w: usize, goes: Goes) {
        match goes {
            Goes::On => self.is_checked(w),
            Goes::Empty => self.next_batch(w),
            Goes::Changed => self.is_stopped(w),
        }
    }

    pub fn is_checked(&mut self, w: usize) {
        self.s.windows[w].at = Gate::Write;
        if self.world.lacks(Rule::Intent) {
            self.leaves(w, None);
        }
    }

    /// *Intent before send*: the conditional transaction.
    pub fn write(&mut self, w: usize) {
        let (world, purse) = (self.world, self.world.purse(w));
        self.time_passes();
        if self.s.windows[w].lists != self.s.listed && !world.lacks(Rule::Shown) {
            self.s.windows[w].mistaken = false;
            let goes = self.check(w);
            return self.goes(w, goes);
        }
        let ids = self.s.windows[w].ids;
        if let Some(batch) = self.s.windows[w].batch {
            return self.write_again(w, batch);
        }
        if !world.lacks(Rule::Twice) {
            // *Never twice*. Another order of this purse has these, or they are owned by now.
            let open = self.s.open_of(ids, |_| true);
            let taken = if open != 0 { open } else { self.s.recorded & ids };
            if taken != 0 {
                let window = &mut self.s.windows[w];
                window.elsewhere |= open;
                window.ids &= !taken;
                let goes = if window.ids == 0 { Goes::Empty } else { self.check(w) };
                return self.goes(w, goes);
            }
        }
        // *Bounded*, with *holds*.
        if u32::from(count(ids)) > self.room(purse, Rule::Holds) && !world.lacks(Rule::Bounded) {
            return self.order_ends(w, false);
        }
        self.s.batches.push(ModelBatch::written(ids, w));
        let at = self.s.batches.len() - 1;
        self.s.windows[w].batch = Some(at);
        if self.is_overtaken(w) {
            self.s.batches[at].open = 0;
            return self.is_stopped(w);
        }
        self.leaves(w, Some(at));
    }

    /// *Same batch, same ids*: it goes out whole, or not at all.
    pub fn write_again(&mut self, w: usize, at: usize) {
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
        if batch.open != batch.ids || batch.ids & self.s.recorded != 0 {
            self.look_for_batch(w, at);
            return if self.s.batches[at].open == 0 { self.next_batch(w) } else { self.order_ends(w, false) };
        }
        let flies_elsewhere = batch.line == Line::Flying && batch.by.is_some();
        if flies_elsewhere || batch.sent > window.knows {
            return self.order_ends(w, false);
        }
        let batch = &mut self.s.batches[at];
        *batch = ModelBatch { sent: batch.sent + 1, left: batch.left, ..ModelBatch::written(batch.ids, w) };
        if self.is_overtaken(w) {
            self.s.batches[at].line = Line::Young;
            return self.is_stopped(w);
        }
        self.leaves(w, Some(at));
    }

    /// Written down, and checked once more before it leaves: lists cannot be others than in the transaction, the key can.
    pub fn is_overtaken(&self, w: usize) -> bool {
        self.s.windows[w].key != self.s.key
    }

    /// What the cap of a purse leaves. Holds count as spent.
    pub fn room(&self, purse: Ids, asks: Rule) -> u32 {
        let held = if self.world.lacks(asks) { 0 } else { self.s.open_of(purse, |_| true) };
        self.world.cap.saturating_sub(count((self.s.spent | held) & purse).into())
    }

    /// A request leaves.
    pub fn leaves(&mut self, w: usize, batch: Option<usize>) {
        let window = &mut self.s.windows[w];
        // What is sent again by itself was counted when it left first.
        window.sent += if window.sends == 0 { count(window.ids) } else { 0 };
        window.sends += 1;
        window.at = Gate::Wire;
        let (window, written) = (&self.s.windows[w], batch.map(|at| &self.s.batches[at]));
        let is_cut = self.world.lacks(Rule::Same) && written.is_some_and(|batch| batch.sent > 1);
        let ids = if window.mistaken || is_cut { window.ids & !first(window.ids, 1) } else { window.ids };
        self.broken = self.broken.or(broken_by_request(ids, window, written, &self.s));
        let copies = if self.world.lacks(Rule::OneWay) { 2 } else { 1 };
        for copy in 0..copies {
            let listener = (copy == 0).then_some(w);
            self.s.wire.push(ModelRequest { ids, listener, said: None });
        }
        self.s.windows[w].checked = false;
        if let Some(at) = batch {
            self.s.batches[at].left += copies;
            self.s.windows[w].knows = self.s.batches[at].sent;
        }
    }

    /// *Partial is normal*: contact by contact.
    pub fn settle(&mut self, w: usize) {
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

    /// *Unknown is a state*: a free check follows, and decides whether the batch goes out again.
    pub fn line_breaks(&mut self, w: usize) {
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
        let goes = self.check(w);
        self.goes(w, goes);
    }

    /// Something changed before the batch left. `--finish` tries the next one if nothing of this one has left.
    pub fn is_stopped(&mut self, w: usize) {
        if self.s.windows[w].command != Command::Finish || self.s.windows[w].sends > 0 {
            return self.order_ends(w, false);
        }
        self.read_open_batches(self.world.purse(w));
        self.send_next_again(w);
    }

    /// `well`: nothing of it is unknown, and nothing was refused.
    pub fn order_ends(&mut self, w: usize, well: bool) {
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
    pub fn process_ends(&mut self, w: usize) {
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
    pub fn is_pending(&self, w: usize) -> bool {
        let (pending, free) = self.others(w);
        pending != 0 && (free == 0 || self.s.windows[w].rounds == 3)
    }

    /// Of what is wanted elsewhere: what a living window has, and what is free again.
    pub fn others(&self, w: usize) -> (Ids, Ids) {
        let elsewhere = self.s.windows[w].elsewhere;
        let open = self.s.open_of(elsewhere, |_| true);
        let pending = self.s.open_of(elsewhere, |batch| batch.by.is_some_and(|by| by != w));
        (pending, elsewhere & !open & !self.s.recorded)
    }

    pub fn ask_others(&mut self, w: usize) {
        let (_, free) = self.others(w);
        let recorded = self.s.recorded;
        let window = &mut self.s.windows[w];
        window.elsewhere &= !(free | recorded);
        if free != 0 && window.rounds < 3 {
            window.rounds += 1;
            window.queue = chunks(free, self.world.batch);
        } else {
            window.gave_up = true;
        }
        self.next_batch(w);
    }
}
