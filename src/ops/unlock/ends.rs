//! How an unlock ends when not all went as asked: one sentence, one hint, one exit code.

use crate::ops::code::Code;
use crate::ops::exit::Exit;
use crate::ops::program::Run;
use crate::ops::say::Problem;
use lode_core::contact::Source;
use lode_core::credits::{Credits, agree, contacts};
use lode_engine::effect::store::{CapKind, IntentRefused, NotGranted};
use lode_engine::flow::session::NoReview;
use lode_engine::flow::unlock::end::{End, Summary};
use lode_engine::flow::unlock::order::Declined;

pub(in crate::ops) fn declined_problem(declined: &Declined) -> Problem {
    let exit = match declined {
        Declined::ReadOnly => Exit::Scope,
        Declined::Cap { .. } | Declined::TooMuch { .. } | Declined::NoAmount | Declined::Whole { .. } => Exit::Capped,
        Declined::Balance { .. } => Exit::Credits,
        _ => Exit::Failed,
    };
    let hint = match declined {
        Declined::ReadOnly => "`lode me` shows the scopes of the key",
        Declined::PartOwned => "run `lode recover` to check again (free)",
        Declined::Whole { .. } => "`lode recover --finish --max-credits N` with the number it names",
        _ => "`lode unlock --dry-run` shows the quote",
    };
    Problem::new(exit, declined.to_string(), hint)
}

/// The end in the middle of an order: what was charged, and what a request that is still open may cost.
pub(in crate::ops) fn left_open(run: &mut Run<'_>) {
    let Some(job) = run.session.unlock().job() else { return };
    let (charged, unknown) = (job.tally().charged, job.held().0.unsigned_abs());
    let (exit, hint) = (Exit::Interrupted, "run `lode recover` to check the rest (free)");
    let sentence = format!("interrupted: {charged} charged, the result of {} is unknown", contacts(unknown as usize));
    Problem::new(exit, sentence, hint).spent(charged, unknown).say(run.fx);
}

/// Why there is no review, and so no order.
pub fn no_review(none: &NoReview) -> Problem {
    match none {
        NoReview::NoKey => Problem::no_key(Source::Workspace),
        NoReview::Unread(failure) => Problem::of_call(Source::Workspace, failure),
        NoReview::NoPurse => {
            let words = "the service did not identify the workspace of this key, so nothing can be unlocked";
            Problem::new(Exit::Network, words, "`lode me` shows what the service returns")
        }
        NoReview::Store(failure) => Problem::of_store(failure),
        NoReview::NoBatch => Problem::new(Exit::Failed, none.to_string(), "`lode recover` shows what is unknown"),
    }
}

const HAS_THEM: &str = ": another unlock is sending them";

/// Why the handle of an assistant does not lead to an unlock.
pub fn not_granted(why: NotGranted) -> Problem {
    const AGAIN: &str = "quote makes a new one";
    const ASK: &str = "ask the user to answer on the Basket screen of lode; then call unlock";
    let (sentence, hint) = match why {
        NotGranted::NoSuch => ("no quote has this handle, or it is about other contacts".to_owned(), AGAIN),
        NotGranted::Waiting => ("the user has not accepted this quote".to_owned(), ASK),
        NotGranted::Declined => ("the user declined this quote".to_owned(), "do not ask for the same again"),
        NotGranted::Expired => ("this quote expired".to_owned(), AGAIN),
        NotGranted::Used => ("this handle was used".to_owned(), AGAIN),
        NotGranted::TooMuch => ("this is more than was accepted".to_owned(), AGAIN),
        NotGranted::Standing { left } => (format!("the standing allowance leaves {}", left.words()), ASK),
    };
    Problem::new(Exit::Capped, sentence, hint).code(Code::NotAccepted)
}

/// What to say at the end, where not all went as asked. The graver thing is said.
pub(in crate::ops) fn problem_of(summary: &Summary, max_credits: Credits) -> Option<Problem> {
    let tally = &summary.tally;
    let unknown = tally.unknown as usize + summary.unknown.len();
    if unknown > 0 {
        let why = match &summary.end {
            _ if tally.unknown as usize > summary.elsewhere.len() && summary.why_unknown().is_some() => {
                format!(": {}", summary.why_unknown().unwrap_or_default())
            }
            End::Withheld(IntentRefused::Open(_)) => HAS_THEM.to_owned(),
            _ if summary.elsewhere.len() == unknown => HAS_THEM.to_owned(),
            _ if !summary.elsewhere.is_empty() => {
                format!(": another unlock is sending {} of them", summary.elsewhere.len())
            }
            _ => String::new(),
        };
        let sentence = format!("the result of {} is unknown{why}", contacts(unknown));
        return Some(Problem::new(Exit::Unknown, sentence, "run `lode recover` to check it (free)"));
    }
    if let End::Withheld(IntentRefused::NotGranted(why)) = &summary.end {
        return Some(not_granted(*why));
    }
    let left = tally.locked as usize + summary.kept_back.len() + summary.unchecked.len() + summary.beyond.len();
    let rest = format!("{} {} locked and not charged", contacts(left), agree(left, "stays", "stay"));
    let mut exit = Exit::of(summary.exit());
    if matches!(exit, Exit::Done | Exit::Rate | Exit::Network)
        && !(summary.kept_back.is_empty() && summary.unchecked.is_empty() && summary.beyond.is_empty())
    {
        exit = Exit::Capped;
    }
    let (sentence, hint) = match (&summary.end, exit) {
        (_, Exit::Done) => return None,
        (End::OutOfCredits, _) => {
            (format!("credits ran out: {} unlocked, {rest}", tally.charged), "`lode me` shows the balance")
        }
        (End::Done | End::Stopped, Exit::Capped) if summary.left_out > 0 => (
            format!(
                "{} left out, because a list or a limit changed while this ran: {rest}",
                contacts(summary.left_out)
            ),
            "`lode unlock --dry-run` shows the quote as it is now",
        ),
        (End::Done | End::Stopped, Exit::Capped) if summary.kept_back.is_empty() && summary.unchecked.is_empty() => (
            format!("the limit per company leaves out {}: {rest}", contacts(summary.beyond.len())),
            "a larger `--per-company` unlocks more of each company",
        ),
        (End::Done | End::Stopped, Exit::Capped) if summary.kept_back.is_empty() => (
            format!(
                "{} cannot be checked against the suppression lists and {} locked, not charged",
                contacts(summary.unchecked.len()),
                agree(summary.unchecked.len(), "stays", "stay")
            ),
            "`lode suppress check -` shows the entries; add `--allow-unchecked` to unlock them anyway, or pipe `lode search --json` rows",
        ),
        (End::Done | End::Stopped, Exit::Capped) if summary.ceiling < max_credits => (
            format!("a cap of this profile allows only {}: {rest}", summary.ceiling.words()),
            "`lode info` shows where the caps are set",
        ),
        (End::Done | End::Stopped, Exit::Capped) => {
            (format!("--max-credits {max_credits} was reached: {rest}"), "run `lode unlock` again with the rest")
        }
        (End::Stopped | End::Done, _) => (format!("interrupted: {rest}"), "run `lode unlock` again with the rest"),
        (End::Refused { words, .. }, Exit::Credits) => {
            let words = words.trim_end_matches('.');
            let sentence =
                format!("credits ran out: {} unlocked, {rest}; reported by the service: {words}", tally.charged);
            (sentence, "`lode me` shows the balance")
        }
        (End::Refused { words, .. }, Exit::Key) => {
            (format!("the Workspace API refused the key: {words}; {rest}"), "`lode doctor` checks the keys")
        }
        (End::Refused { words, .. }, Exit::Scope) => {
            (format!("the key lacks the scope for this: {words}; {rest}"), "`lode me` shows its scopes")
        }
        (End::Refused { words, .. }, _) => {
            (format!("the Workspace API refused the request: {words}; {rest}"), "`lode me` shows the key")
        }
        (End::Withheld(refused), _) => {
            (format!("{}; {rest}", withheld(refused)), "`lode unlock --dry-run` shows the quote")
        }
        (End::Limit(words), _) => (format!("the rate limit: {words}; {rest}"), "run `lode unlock` again later"),
        (End::Unreached(words), _) => {
            (format!("the Workspace API cannot be reached: {words}; {rest}"), "`lode doctor` checks the services")
        }
        (End::Changed(words), _) => {
            (format!("{words}; {rest}"), "`lode doctor` checks settings and keys; then run it again")
        }
        (End::Store(words), _) => (format!("{words}; {rest}"), "`lode doctor` checks the state folder"),
        (End::Alarm(words), _) => (
            format!("{words}: nothing more was sent; {rest}"),
            "`lode receipts` shows the numbers; ask the service about them",
        ),
        (End::Unknown(words), _) => (words.clone(), "run `lode recover` to check it (free)"),
    };
    Some(Problem::new(exit, sentence, hint))
}

fn withheld(refused: &IntentRefused) -> String {
    match refused {
        IntentRefused::Open(ids) => {
            format!("{} {} in an unlock without a result yet", contacts(ids.len()), agree(ids.len(), "is", "are"))
        }
        IntentRefused::Cap { which, cap, used, held } => {
            let which = match which {
                CapKind::Call => "call",
                CapKind::Session => "session",
                CapKind::Day => "day",
            };
            format!("this would exceed the cap of {} per {which} ({used} used, {held} on hold)", cap.words())
        }
        IntentRefused::Ceiling { ceiling, used, held } => {
            format!("this would exceed --max-credits {ceiling} ({used} used, {held} on hold)")
        }
        IntentRefused::ListsChanged => "a suppression list was changed in the meantime".to_owned(),
        IntentRefused::BasketChanged => "the basket changed in the meantime".to_owned(),
        IntentRefused::Settled(_) => "another window has its result already".to_owned(),
        IntentRefused::OtherPurse => "the key now belongs to another workspace".to_owned(),
        IntentRefused::NotGranted(why) => not_granted(*why).sentence,
    }
}
