//! How an unlock ends when not all went as asked: one sentence, one hint, one exit code.

use crate::cli::exit::Exit;
use crate::cli::program::Run;
use crate::cli::say::Problem;
use crate::domain::credits::{Credits, contacts};
use crate::effect::store::{CapKind, IntentRefused};
use crate::flow::unlock::end::{End, Summary};
use crate::flow::unlock::order::Declined;

pub(in crate::cli::errands) fn declined_problem(declined: &Declined) -> Problem {
    let exit = match declined {
        Declined::ReadOnly => Exit::Scope,
        Declined::Cap { .. } | Declined::TooMuch { .. } | Declined::NoAmount | Declined::Whole { .. } => Exit::Capped,
        Declined::Balance { .. } => Exit::Credits,
        _ => Exit::Failed,
    };
    let hint = match declined {
        Declined::ReadOnly => "`lode me` shows the scopes of the key",
        Declined::PartOwned => "`lode recover` looks again, for free",
        Declined::Whole { .. } => "`lode recover --finish --max-credits N` with the number it names",
        _ => "`lode unlock --dry-run` shows the quote",
    };
    Problem::new(exit, declined.to_string(), hint)
}

/// The end in the middle of an order: what was charged, and what a request that is still open may cost.
pub(in crate::cli::errands) fn left_open(run: &mut Run<'_>) {
    let Some(job) = run.session.unlock.job() else { return };
    let (charged, unknown) = (job.tally().charged, job.held().0.unsigned_abs());
    let (exit, hint) = (Exit::Interrupted, "`lode recover` checks for free what became of the rest");
    let sentence = format!("interrupted: {charged} charged, the result of {unknown} is UNKNOWN");
    Problem::new(exit, sentence, hint).spent(charged, unknown).say(run.fx);
}

const HAS_THEM: &str = ": another unlock has them under way";

/// What to say at the end, where not all went as asked. The graver thing is said.
pub(in crate::cli::errands) fn problem_of(summary: &Summary, max_credits: Credits) -> Option<Problem> {
    let tally = &summary.tally;
    let doubt = tally.unknown as usize + summary.in_doubt.len();
    if doubt > 0 {
        let why = match &summary.end {
            _ if tally.unknown as usize > summary.elsewhere.len() && summary.why_unknown().is_some() => {
                format!(": {}", summary.why_unknown().unwrap_or_default())
            }
            End::Withheld(IntentRefused::Open(_)) => HAS_THEM.to_owned(),
            _ if summary.elsewhere.len() == doubt => HAS_THEM.to_owned(),
            _ if !summary.elsewhere.is_empty() => {
                format!(": another unlock has {} of them under way", summary.elsewhere.len())
            }
            _ => String::new(),
        };
        let sentence = format!("the outcome of {} is UNKNOWN{why}", contacts(doubt));
        return Some(Problem::new(Exit::Unknown, sentence, "`lode recover` clears it up by reading, for free"));
    }
    let left = tally.locked as usize + summary.kept_back.len() + summary.unchecked.len();
    let rest = format!("{} stay{} locked, none of them charged", contacts(left), if left == 1 { "s" } else { "" });
    let mut exit = Exit::of(summary.exit());
    if matches!(exit, Exit::Done | Exit::Rate | Exit::Network)
        && !(summary.kept_back.is_empty() && summary.unchecked.is_empty())
    {
        exit = Exit::Capped;
    }
    let (sentence, hint) = match (&summary.end, exit) {
        (_, Exit::Done) => return None,
        (End::OutOfCredits, _) => {
            (format!("credits ran out: {} unlocked, {rest}", tally.charged), "`lode me` shows the balance")
        }
        (End::Done | End::Stopped, Exit::Capped) if summary.kept_back.is_empty() => (
            format!(
                "{} cannot be checked against the suppression lists and stay{} locked, none of them charged",
                contacts(summary.unchecked.len()),
                if summary.unchecked.len() == 1 { "s" } else { "" }
            ),
            "`lode unlock --allow-unchecked` unlocks them as well; `lode search --json` rows can be checked",
        ),
        (End::Done | End::Stopped, Exit::Capped) if summary.ceiling < max_credits => (
            format!("a cap of this profile left room for {} credits: {rest}", summary.ceiling),
            "`lode info` shows where the caps are set",
        ),
        (End::Done | End::Stopped, Exit::Capped) => {
            (format!("--max-credits {max_credits} was reached: {rest}"), "`lode unlock` with the rest goes on")
        }
        (End::Stopped | End::Done, _) => (format!("interrupted: {rest}"), "`lode unlock` with the rest goes on"),
        (End::Refused { words, .. }, Exit::Credits) => {
            let words = words.trim_end_matches('.');
            let sentence = format!("credits ran out: {} unlocked, {rest}; the service says: {words}", tally.charged);
            (sentence, "`lode me` shows the balance")
        }
        (End::Refused { words, .. }, Exit::Key) => {
            (format!("the Workspace API refused the key: {words}; {rest}"), "`lode doctor` checks the keys")
        }
        (End::Refused { words, .. }, _) => {
            (format!("the Workspace API refused it: {words}; {rest}"), "`lode me` shows the key")
        }
        (End::Withheld(refused), _) => {
            (format!("{}; {rest}", withheld(refused)), "`lode unlock --dry-run` shows the quote")
        }
        (End::Limit(words), _) => (format!("the rate limit: {words}; {rest}"), "`lode unlock` again later goes on"),
        (End::Unreached(words), _) => {
            (format!("the Workspace API cannot be reached: {words}; {rest}"), "`lode doctor` checks the services")
        }
        (End::Store(words), _) => (format!("{words}; {rest}"), "`lode doctor` checks the state folder"),
        (End::Alarm(words), _) => (
            format!("{words}: nothing more was sent; {rest}"),
            "`lode receipts` keeps the figures; ask the service about them",
        ),
        (End::Unknown(words), _) => (words.clone(), "`lode recover` clears it up by reading, for free"),
    };
    Some(Problem::new(exit, sentence, hint))
}

fn withheld(refused: &IntentRefused) -> String {
    match refused {
        IntentRefused::Open(ids) => format!("{} of the ids are in an unlock that is not settled yet", ids.len()),
        IntentRefused::Cap { which, cap, used, held } => {
            let which = match which {
                CapKind::Call => "call",
                CapKind::Session => "session",
                CapKind::Day => "day",
            };
            format!("the cap of {cap} credits per {which} would be passed ({used} used, {held} held)")
        }
        IntentRefused::Ceiling { ceiling, used, held } => {
            format!("--max-credits {ceiling} would be passed ({used} used, {held} held)")
        }
        IntentRefused::BasketChanged => "the basket changed meanwhile".to_owned(),
        IntentRefused::Settled(_) => "it was settled meanwhile, by another window".to_owned(),
        IntentRefused::OtherPurse => "the key belongs to another workspace than before".to_owned(),
    }
}
