//! What an order came to, in words: the line for the message, how it ended, what else has to be known.

use lode_core::credits::{contacts, grouped};
use lode_core::money::Tally;
use lode_core::text::capital;
use lode_engine::effect::store::{CapKind, IntentRefused};
use lode_engine::flow::unlock::end::{End, Summary};

/// The line for the message.
pub fn line(summary: &Summary) -> String {
    Tally { unknown: summary.uncertain(), ..summary.tally }.sentence(summary.said.balance)
}

/// How it ended, where it did not simply end.
pub fn ending(summary: &Summary) -> Option<String> {
    let tally = &summary.tally;
    let left = grouped(tally.locked);
    let trimmed = |words: &str| words.trim().trim_end_matches('.').to_owned();
    Some(match &summary.end {
        End::Done if summary.elsewhere.is_empty() => return None,
        End::Done => {
            let left = contacts(summary.elsewhere.len());
            format!("{left} left to another window that is unlocking them now.")
        }
        End::Stopped => format!("Stopped: {left} not sent, not charged, still in the basket."),
        End::OutOfCredits => {
            let balance = summary.said.balance.map_or("0".to_owned(), |balance| balance.to_string());
            format!(
                "Credits ran out: {} unlocked, balance {balance}. {left} not charged, still in the basket.",
                grouped(tally.charged)
            )
        }
        End::Refused { status, words, .. } => {
            format!("The service refused the request ({status}): {}. {left} not unlocked, not charged.", trimmed(words))
        }
        End::Withheld(refused) => {
            format!("Not sent: {}. {left} not unlocked, not charged.", withheld(refused))
        }
        End::Unknown(words) => format!(
            "The result of {} is unknown: {}. Checking is free.",
            contacts(tally.unknown as usize),
            trimmed(words)
        ),
        End::Alarm(words) => {
            format!(
                "{}. Nothing more was sent: {left} not unlocked, not charged.",
                capital(words.trim_end_matches('.'))
            )
        }
        End::Limit(words) => format!("The rate limit lasts too long: {}. {left} not sent.", trimmed(words)),
        End::Unreached(words) => format!("The service cannot be reached: {}. {left} not sent.", trimmed(words)),
        End::Changed(words) if tally.unknown > 0 => format!(
            "Stopped: {}. The result of {} is unknown; checking is free.",
            trimmed(words),
            contacts(tally.unknown as usize)
        ),
        End::Changed(words) => format!("Stopped: {}. {left} not unlocked, not charged.", trimmed(words)),
        End::Store(words) if tally.unknown > 0 => format!(
            "A response could not be saved: {}. The result of {} is unknown. Run lode doctor to find the cause.",
            trimmed(words),
            contacts(tally.unknown as usize)
        ),
        End::Store(words) => format!(
            "Nothing was sent, because it could not be recorded: {}. Run lode doctor to find the cause.",
            trimmed(words)
        ),
    })
}

/// What else has to be known of it: answers that do not add up, a balance that fell by more than the order explains.
pub fn notices(summary: &Summary) -> Vec<String> {
    let unexplained = summary.unexplained(summary.said.balance);
    summary
        .notices
        .iter()
        .cloned()
        .chain(unexplained)
        .map(|words| format!("{}.", capital(words.trim_end_matches('.'))))
        .collect()
}

fn withheld(refused: &IntentRefused) -> String {
    match refused {
        IntentRefused::Open(ids) => {
            format!("{} of these are in a batch with an unknown result; check that first", grouped(ids.len() as u64))
        }
        IntentRefused::Cap { which, cap, used, held } => {
            let which = match which {
                CapKind::Call => "cap per call",
                CapKind::Session => "session cap",
                CapKind::Day => "day cap",
            };
            format!("this would exceed the {which} of {cap} ({used} used, {held} on hold)")
        }
        IntentRefused::Ceiling { ceiling, used, held } => {
            format!("this would exceed the {ceiling} you typed ({used} used, {held} on hold)")
        }
        IntentRefused::ListsChanged => "a suppression list was changed".to_owned(),
        IntentRefused::BasketChanged => "the basket was changed by another window".to_owned(),
        IntentRefused::NotGranted(_) => "no person has accepted it".to_owned(),
        IntentRefused::OtherPurse => "the key belongs to another workspace".to_owned(),
        IntentRefused::Settled(_) => "another window already has the result of this batch".to_owned(),
    }
}
