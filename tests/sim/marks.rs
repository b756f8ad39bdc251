//! What a simulation must have come through to have proved anything. A run whose seeds miss a mark fails as vacuous.

use std::collections::BTreeMap;

use crate::twists::TWISTS;

/// Reached at least once over the seeds of the ordinary test.
pub const REQUIRED: &[&str] = &[
    "answer lost after charging",
    "request lost before arriving",
    "request arrived after its line broke",
    "copy arrived after its line broke",
    "applied in part and lost",
    "delivered twice",
    "429",
    "5xx before applying",
    "5xx after applying",
    "2xx that cannot be read",
    "never left",
    "crash between intent and sending",
    "crash while in flight",
    "crash between answer and settlement",
    "crash with work of the store under way",
    "store failed at an intent",
    "store failed at keeping an answer",
    "store failed at a settlement",
    "the disk was full for a while",
    "what could not be stored was printed",
    "credits ran out within a batch",
    "refunded",
    "already owned",
    "missing",
    "the identical batch was answered",
    "look found a contact of an unanswered batch",
    "look saw a contact locked",
    "locked was proved",
    "unreachable was named",
    "finish through the dialog",
    "stopped after a call",
    "a smaller amount kept the first",
    "the best were chosen",
    "rows were left out of what was chosen",
    "a contact came in two legs",
    "a company had more than wanted",
    "a cap held an order back",
    "the basket changed under a quote",
    "the basis changed under a quote",
    "two windows wanted the same contact",
    "a batch in flight elsewhere was not sent again",
    "a conclusion came too late",
    "an answer was kept after its order had ended",
    "another member unlocked a contact with an unknown result",
    "the wall clock jumped",
    "completed by a look",
    "a search showed a contact as owned",
    "a search that never answers",
    "a script came to its end",
    "a script was interrupted",
    "a contact was put on a list",
    "a domain was put on a list",
    "caps were saved",
    "a limit per company was saved",
    "a limit was saved while an order bought several contacts of a company",
    "a key was replaced",
    "something changed before Enter",
    "a change stopped an order",
    "a change took contacts out of an order",
    "clear at rest",
    "an orderly exit",
    "an orderly exit with an unlock on the wire",
    "an exit that could not wait for its answer",
    "another profile was opened",
    "a job went on behind another profile",
    "an edited address",
    "a second key",
    "a key that may not search",
    "a second organization",
    "a key was rotated",
    "credits were added",
    "credits were added before a refusal",
    "a read was redirected",
    "applied, then redirected",
    "applied, then 401",
    "applied, then 403",
    "applied, then 404",
    "applied, then 409",
    "applied, then 429",
    "applied, then another 4xx",
    "applied, then refused in the documented form",
    "an alarm ended an order",
    "carried out in parts",
    "a service that charges again",
    "a service that charges again and does not say so",
];

/// Too rare for few seeds: `tests/store/money.rs` shows it by itself.
const RARE: &str = "a batch in flight elsewhere was not sent again";
const MANY: u64 = 10_000;

#[derive(Clone, Debug, Default)]
pub struct Marks(BTreeMap<&'static str, u64>);

impl Marks {
    pub fn hit(&mut self, mark: &'static str) {
        *self.0.entry(mark).or_default() += 1;
    }

    pub fn merge(&mut self, other: &Marks) {
        for (mark, hits) in &other.0 {
            *self.0.entry(mark).or_default() += hits;
        }
    }

    pub fn missed(&self, seeds: u64) -> Vec<&'static str> {
        let required = REQUIRED.iter().chain(TWISTS).copied().filter(|mark| seeds >= MANY || *mark != RARE);
        required.filter(|mark| !self.0.contains_key(mark)).collect()
    }

    pub fn lines(&self) -> String {
        self.0.iter().map(|(mark, hits)| format!("{hits:>9}  {mark}\n")).collect()
    }
}
