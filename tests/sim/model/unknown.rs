//! Batches with an unknown result: answers that are kept, free checks, and what is sent again.

use super::order::Goes;
use super::play::Play;
use super::rules::Rule;
use super::state::{Command, Gate, Ids, Line, ModelBatch, count};

impl Play<'_> {
    /// Each process does this when it begins and when its order ends: answers that are kept and not read yet settle, for free.
    pub fn read_open_batches(&mut self, purse: Ids) -> bool {
        self.read_lines(purse);
        let mut is_incomplete = false;
        for at in 0..self.s.batches.len() {
            if self.s.batches[at].open & purse != 0 && self.s.batches[at].is_unknown() {
                is_incomplete |= self.read_answer(at);
                self.is_proved(at);
            }
        }
        is_incomplete
    }

    /// What two free checks saw locked is not unknown any more.
    pub fn is_proved(&mut self, at: usize) {
        let batch = &mut self.s.batches[at];
        if batch.proofs == 2 {
            batch.open = 0;
        }
    }

    /// The first who looks writes down that the line of a dead window is broken.
    pub fn read_lines(&mut self, purse: Ids) {
        let dead =
            |batch: &&mut ModelBatch| batch.by.is_none() && batch.line == Line::Flying && batch.open & purse != 0;
        for batch in self.s.batches.iter_mut().filter(dead) {
            batch.line = Line::Young;
        }
    }

    /// Settles an answer that is stored. What it calls owned before may have been bought by an earlier sending: then it stays open.
    /// Returns whether something is owned without an address.
    pub fn read_answer(&mut self, at: usize) -> bool {
        let Some(said) = self.s.batches[at].kept.take() else { return false };
        self.s.batches[at].line = Line::Young;
        self.becomes_owned(at, said.new, true);
        if self.s.batches[at].sent > 1 {
            return false;
        }
        self.becomes_owned(at, said.before, false);
        said.before != 0
    }

    pub fn becomes_owned(&mut self, at: usize, ids: Ids, charged: bool) {
        let batch = &mut self.s.batches[at];
        let ids = ids & batch.open;
        batch.open &= !ids;
        // *One purse*: without it the contacts of the other purse are taken for those of this one.
        let recorded = if self.world.lacks(Rule::Purse) { (ids | ids >> 4) & 0x0f } else { ids };
        self.s.recorded |= recorded;
        self.s.spent |= if charged { recorded } else { 0 };
    }

    /// A free look of an order. It settles nothing where another window has sent the batch again since.
    pub fn look_for_batch(&mut self, w: usize, at: usize) {
        if self.s.windows[w].knows == self.s.batches[at].sent {
            self.look(w, at);
        }
        self.s.recorded |= self.s.owned & self.world.purse(w);
    }

    /// What is owned settles as bought, and what else a look shows is known from here on.
    pub fn look(&mut self, w: usize, at: usize) {
        self.becomes_owned(at, self.s.owned, true);
        self.s.batches[at].is_seen_locked();
        self.s.recorded |= self.s.owned & self.world.purse(w);
    }

    /// `recover`: what is owned settles, what is locked is proved after a minute of quiet.
    pub fn look_for_unknown(&mut self, w: usize) {
        let purse = self.world.purse(w);
        let is_unknown = |at: &usize| self.s.batches[*at].is_unknown() && self.s.batches[*at].ids & purse != 0;
        let unknown: Vec<usize> = (0..self.s.batches.len()).filter(is_unknown).collect();
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
        match self.s.open_of(purse, ModelBatch::is_unknown) {
            0 => self.process_ends(w),
            _ => self.s.windows[w].at = Gate::Quiet,
        }
    }

    /// `--finish`: one batch after the other, each whole and under the typed amount.
    pub fn send_next_again(&mut self, w: usize) {
        loop {
            let (purse, tried) = (self.world.purse(w), &self.s.windows[w].tried);
            let is_next = |at: &usize| {
                let batch = &self.s.batches[*at];
                batch.is_unknown() && batch.ids & purse != 0 && !tried.contains(at)
            };
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
                // Its order ends before anything leaves.
                _ => {
                    self.read_open_batches(purse);
                }
            }
        }
    }
}
