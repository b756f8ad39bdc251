//! What can happen in the model, and where.

use std::fmt;

use super::state::{Gate, Ids, ModelState, ModelWindow, World, count};

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
        let rests = |window: &ModelWindow| matches!(window.at, Gate::Off | Gate::Others | Gate::Quiet);
        may(left.clocks > 0 && self.windows.iter().all(rests), What::Clock, 0);
        steps
    }
}
