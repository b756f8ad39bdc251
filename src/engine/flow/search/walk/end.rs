//! How a walk ended, and what a person should know of it.

use crate::effect::failure::Failure;
use lode_core::credits::{counted, grouped};

#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// As many rows as were wanted.
    Enough,
    /// The whole result was read.
    All,
    /// An empty page before the end of the result.
    Hole {
        offset: u64,
        total: u64,
    },
    /// The service answered with rows from another place than was asked for.
    Elsewhere {
        asked: u64,
        sent: u64,
    },
    /// One page after the other brought only rows that were there already.
    Repeats {
        offset: u64,
    },
    /// The rows came in another order each time, and some never did.
    Short {
        seen: u64,
        total: u64,
    },
    Failed(Failure),
    Stopped,
}

impl End {
    /// What a person should know of a service that did not let the result be read to its end.
    pub fn cut_short(&self) -> Option<String> {
        let row = |offset: u64| grouped(offset.saturating_add(1));
        match self {
            End::Hole { offset, total } => Some(format!(
                "the service sent an empty page at row {}, although it counts {}: reading stopped there",
                row(*offset),
                grouped(*total)
            )),
            End::Elsewhere { asked, sent } => Some(format!(
                "row {} was requested, but the service sent row {}: reading stopped there",
                row(*asked),
                row(*sent)
            )),
            End::Repeats { offset } => {
                Some(format!("the service sent the same rows again at row {}: reading stopped there", row(*offset)))
            }
            End::Short { seen, total } => Some(format!(
                "the service sends its rows in a different order each time: only {} of {} were found after repeated reads",
                grouped(*seen),
                counted(*total, "row")
            )),
            _ => None,
        }
    }
}
