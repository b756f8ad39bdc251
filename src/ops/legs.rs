//! Searches with several values in a shell: the word to go where they are many, and what reading them takes.

use super::problem::{CommandProblem, Exit};
use lode_core::{ASKED_ABOVE, Query, counted, grouped};
use lode_engine::flow::search::legs::{legs_take, minutes};
use lode_engine::flow::search::walk::Walk;

/// Many searches at once run only with the word to go: nothing is sent without it.
pub(super) fn may_run(query: &Query, yes: bool) -> Result<(), CommandProblem> {
    if yes || query.leg_count() <= ASKED_ABOVE {
        return Ok(());
    }
    Err(CommandProblem::new(Exit::Usage, legs_take(query), "add `--yes` to run them, or give fewer values"))
}

/// `6 searches, 6,074 rows: 64 requests, less than 1 min`, once it is known.
pub(super) fn plan(walk: &Walk) -> Option<String> {
    let plan = walk.plan()?;
    let most = if walk.query().overlaps() { "up to " } else { "" };
    Some(format!(
        "{}, {most}{}: {}, {}",
        counted(walk.legs().1 as u64, "search"),
        counted(plan.rows, "row"),
        counted(plan.requests, "request"),
        minutes(plan.requests)
    ))
}

/// What of the legs a person should know at the end.
pub(super) fn left(walk: &Walk) -> String {
    let (begun, all) = walk.legs();
    let mut words = String::new();
    if begun < all {
        words.push_str(&format!(", {begun} of {} read", counted(all as u64, "search")));
    }
    if walk.met() > 0 {
        words.push_str(&format!(", {} came in more than one search", grouped(walk.met())));
    }
    words
}
