//! How an order ended, and what it came to.

use crate::effect::failure::Refusal;
use crate::effect::store::{IntentRefused, Said, Settled};
use lode_core::contact::{Corpus, RowId};
use lode_core::credits::Credits;
use lode_core::money::{OrderId, Tally};
use lode_core::time::Wall;

/// How an order came to its end.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// Every batch was answered.
    Done,
    /// A person stopped it after a call.
    Stopped,
    /// The balance ran out.
    OutOfCredits,
    /// The service said no.
    Refused { status: u16, why: Refusal, words: String },
    /// The store would not let the next batch go: a cap, a change of the basket, another window.
    Withheld(IntentRefused),
    /// A batch stayed without an answer, or without an answer that settles it.
    Unknown(String),
    /// The service says that it charged more than was asked for: nothing more is sent.
    Alarm(String),
    /// The limit would have had to be waited for too long.
    Limit(String),
    /// It never left: the service cannot be reached.
    Unreached(String),
    /// The store could not write: nothing more is sent.
    Store(String),
    /// Key, profile or settings are others than the order was accepted for, or a batch to send again holds a contact that is
    /// not allowed any more: nothing more is sent.
    Changed(String),
}

/// What an order came to. Counted by us (M7); the service's own figures stand beside.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    pub order: Option<OrderId>,
    pub corpus: Corpus,
    pub ended: Wall,
    pub end: End,
    pub verify: bool,
    pub ceiling: Credits,
    /// Each contact that was to be unlocked, in the order of the review.
    pub contacts: Vec<Settled>,
    pub tally: Tally,
    pub said: Said,
    /// Of these, what another unlock had already sending when this order reached them.
    pub elsewhere: Vec<RowId>,
    /// What the review left aside: owned already, unknown, suppressed, not checked against the lists, beyond the amount.
    pub owned: Vec<RowId>,
    pub unknown: Vec<RowId>,
    pub suppressed: Vec<RowId>,
    pub unchecked: Vec<RowId>,
    pub kept_back: Vec<RowId>,
    /// More of their company than wanted.
    pub beyond: Vec<RowId>,
    /// What the person has to be told of the service's answers.
    pub notices: Vec<String>,
    /// As it was read before the first batch.
    pub balance_before: Option<Credits>,
    /// How many of the contacts a list or a limit took out while the order ran.
    pub left_out: usize,
}

impl Summary {
    /// Contacts whose result is not certain. What another unlock has under way is not among them: that one will say.
    pub fn uncertain(&self) -> u64 {
        self.tally.unknown.saturating_sub(self.elsewhere.len() as u64)
    }

    /// The service said that the balance does not suffice, in whichever form.
    pub fn is_out_of_credits(&self) -> bool {
        matches!(self.end, End::OutOfCredits | End::Refused { why: Refusal::Credits, .. })
    }

    /// By how much the balance fell beyond what this order can explain, in a sentence. Others share the balance: it is a hint (M5).
    pub fn unexplained(&self, after: Option<Credits>) -> Option<String> {
        let fell = self.balance_before? - after?;
        let explained = self.tally.charged + self.tally.unknown + self.tally.unreachable;
        let explained = Credits(i64::try_from(explained).unwrap_or(i64::MAX));
        (fell > explained).then(|| {
            format!(
                "the balance fell by {fell}, but this order explains only {explained}: other keys share it, or more was charged"
            )
        })
    }

    /// Why contacts of it are unknown, where that is known.
    pub fn why_unknown(&self) -> Option<&str> {
        let words = match &self.end {
            End::Unknown(words)
            | End::Alarm(words)
            | End::Store(words)
            | End::Limit(words)
            | End::Unreached(words)
            | End::Changed(words)
            | End::Refused { words, .. } => words,
            End::Stopped => "stopped before the result was known",
            End::Done | End::OutOfCredits | End::Withheld(_) => return None,
        };
        Some(words.trim().trim_end_matches('.')).filter(|words| !words.is_empty())
    }

    /// The exit code of the shell command: unknown before credits before ceilings before the rest.
    pub fn exit(&self) -> u8 {
        if self.tally.unknown > 0 || !self.unknown.is_empty() {
            return 9;
        }
        match &self.end {
            End::Unknown(_) => 9,
            End::OutOfCredits | End::Refused { why: Refusal::Credits, .. } => 6,
            End::Withheld(IntentRefused::Cap { .. } | IntentRefused::Ceiling { .. } | IntentRefused::NotGranted(_)) => {
                3
            }
            End::Withheld(IntentRefused::Open(_)) => 9,
            End::Refused { why: Refusal::Key, .. } => 4,
            End::Refused { why: Refusal::Scope, .. } => 5,
            End::Limit(_) => 7,
            End::Unreached(_) | End::Alarm(_) => 8,
            End::Done | End::Stopped
                if !(self.kept_back.is_empty() && self.unchecked.is_empty() && self.beyond.is_empty())
                    || self.left_out > 0 =>
            {
                3
            }
            End::Done => 0,
            End::Stopped => 130,
            End::Refused { .. } | End::Withheld(_) | End::Store(_) | End::Changed(_) => 1,
        }
    }
}
