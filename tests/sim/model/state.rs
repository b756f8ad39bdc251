//! What the model remembers: the windows, the batches, the wire, the service and the books.

use super::rules::Rule;

/// Contacts as bits. The low four belong to the first purse, the high four to the second.
pub type Ids = u8;

/// What the person at a window asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Command {
    /// `lode unlock --max-credits`
    #[default]
    Buy,
    /// `lode recover`
    Recover,
    /// `lode recover --finish --max-credits`
    Finish,
}

/// Where a window waits for the next step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Gate {
    /// No process runs.
    #[default]
    Off,
    /// A batch was checked, and is to be written down.
    Write,
    /// Its request is on the wire.
    Wire,
    /// The answer is here, and is to be kept as bytes.
    Keep,
    /// The answer is kept, and is to be settled.
    Settle,
    /// Another window sends what this one wants too.
    Others,
    /// Nothing can be proved before the minute is over.
    Quiet,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ModelWindow {
    pub at: Gate,
    /// Processes that began here.
    pub begun: u8,
    pub command: Command,
    /// The amount that was typed, what is left of it, and what has left the machine under it.
    pub typed: u8,
    pub left: u8,
    pub sent: u8,
    /// Batches that are not begun, the next one first.
    pub queue: Vec<Ids>,
    /// The batch at work, and its number once it is written down.
    pub ids: Ids,
    pub batch: Option<usize>,
    /// How often it left in this process, and how often in all, by what this window knows.
    pub sends: u8,
    pub knows: u8,
    /// A free check found all of it locked since it left last.
    pub checked: bool,
    /// Lists as the last check read them, and the key of this process.
    pub lists: Ids,
    pub key: u8,
    /// What another window had in an open batch.
    pub elsewhere: Ids,
    pub rounds: u8,
    pub gave_up: bool,
    /// What the service answered, until it is kept.
    pub heard: Option<Said>,
    /// The service charged more than was sent.
    pub alarm: bool,
    /// Batches that this process sent again or could not.
    pub tried: Vec<usize>,
    /// A mistake of our own: the batch in memory is not the one that was written down.
    pub mistaken: bool,
}

/// The answer to an unlock: who is new, who was owned before, and whether its sums are too high.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Said {
    pub new: Ids,
    pub before: Ids,
    pub lies: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Line {
    /// It was sent, and no end of it is written down.
    Flying,
    /// It broke less than a minute ago.
    Young,
    Old,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelBatch {
    pub ids: Ids,
    /// Without an outcome.
    pub open: Ids,
    /// How often it was written down to be sent, and how often it left.
    pub sent: u8,
    pub left: u8,
    /// The window that sent it last, while that process lives.
    pub by: Option<usize>,
    pub line: Line,
    /// Free checks that saw all of it locked after the quiet, and whether the last was only seconds ago.
    pub proofs: u8,
    pub is_fresh: bool,
    /// The answer that is stored and not settled.
    pub kept: Option<Said>,
}

impl ModelBatch {
    /// It was just written down, and its request leaves.
    pub fn written(ids: Ids, by: usize) -> ModelBatch {
        let line = Line::Flying;
        ModelBatch { ids, open: ids, sent: 1, left: 0, by: Some(by), line, proofs: 0, is_fresh: false, kept: None }
    }

    /// A window that lives does not have it in flight: any other may look for its outcome.
    pub fn is_unknown(&self) -> bool {
        self.open != 0 && (self.by.is_none() || self.line != Line::Flying)
    }

    /// A free check saw locked what is open of it. Two of them, seconds apart and after the quiet, prove it.
    pub fn is_seen_locked(&mut self) {
        if self.line == Line::Old && self.open != 0 && (self.proofs == 0 || !self.is_fresh) {
            self.proofs = 2.min(self.proofs + 1);
            self.is_fresh = true;
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ModelRequest {
    pub ids: Ids,
    /// The window that waits for the answer.
    pub listener: Option<usize>,
    /// Set once the service has carried it out.
    pub said: Option<Said>,
}

/// How often each thing may still go wrong: this keeps the world finite.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Budget {
    pub crashes: u8,
    pub breaks: u8,
    pub fulls: u8,
    pub lies: u8,
    pub lists: u8,
    pub members: u8,
    pub keys: u8,
    pub clocks: u8,
    pub mistakes: u8,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct ModelState {
    pub windows: [ModelWindow; 2],
    pub batches: Vec<ModelBatch>,
    pub wire: Vec<ModelRequest>,
    /// At the service: who is owned, and who was charged to us.
    pub owned: Ids,
    pub charged: Ids,
    /// In our books: who is owned, and who counts as charged.
    pub recorded: Ids,
    pub spent: Ids,
    /// The suppression list, and the number of the saved key.
    pub listed: Ids,
    pub key: u8,
    pub budget: Budget,
}

/// A small world to walk through.
#[derive(Clone, Debug)]
pub struct World {
    pub name: &'static str,
    /// Contacts in a batch.
    pub batch: usize,
    /// What each window wants to buy, and the amount that is typed for it.
    pub wants: [Ids; 2],
    pub amounts: [u8; 2],
    /// Processes in each window.
    pub processes: u8,
    /// Credits a day, for each purse.
    pub cap: u32,
    /// Which contacts can come to the list, and which another member can buy.
    pub may_list: Ids,
    pub may_be_bought: Ids,
    pub budget: Budget,
    /// The rule that is left out, to see that something notices.
    pub weak: Option<Rule>,
}

impl World {
    pub fn lacks(&self, rule: Rule) -> bool {
        self.weak == Some(rule)
    }

    pub fn purse(&self, window: usize) -> Ids {
        if self.wants[window] > 0x0f { 0xf0 } else { 0x0f }
    }

    pub fn is_apart(&self) -> bool {
        self.purse(0) != self.purse(1)
    }

    pub fn start(&self) -> ModelState {
        ModelState { budget: self.budget, ..ModelState::default() }
    }
}

pub fn count(ids: Ids) -> u8 {
    ids.count_ones() as u8
}

/// Cuts contacts into batches, the first ones first.
pub fn chunks(mut ids: Ids, size: usize) -> Vec<Ids> {
    let mut chunks = Vec::new();
    while ids != 0 {
        let chunk = first(ids, size);
        chunks.push(chunk);
        ids &= !chunk;
    }
    chunks
}

pub fn first(ids: Ids, most: usize) -> Ids {
    (0..8).map(|bit| 1 << bit).filter(|bit| ids & bit != 0).take(most).fold(0, |all, bit| all | bit)
}
