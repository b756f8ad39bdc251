//! What an order came to, in words: the line for the message, and the whole of it.

use crate::domain::credits::{contacts, grouped};
use crate::domain::money::Tally;
use crate::effect::store::{CapKind, IntentRefused};
use crate::flow::unlock::end::{End, Summary};
use crate::ui::theme::Role;

use super::reader::{Part, Reader};

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
        End::Stopped => format!("Stopped after the call: {left} not sent, still in the basket, none of them charged."),
        End::OutOfCredits => {
            let balance = summary.said.balance.map_or("0".to_owned(), |balance| balance.to_string());
            format!(
                "Credits ran out: {} unlocked, balance {balance}, {left} still in the basket, none of them charged.",
                grouped(tally.charged)
            )
        }
        End::Refused { status, words, .. } => {
            format!("The service refused ({status}): {}. {left} not unlocked, none of them charged.", trimmed(words))
        }
        End::Withheld(refused) => {
            format!("Not sent: {}. {left} not unlocked, none of them charged.", withheld(refused))
        }
        End::Unknown(words) => format!(
            "No answer: {}. The outcome of {} is UNKNOWN; looking is free.",
            trimmed(words),
            contacts(tally.unknown as usize)
        ),
        End::Alarm(words) => {
            format!("{}. Nothing more was sent: {left} not unlocked, none of them charged.", capitalized(words))
        }
        End::Limit(words) => format!("The limit would last too long: {}. {left} not sent.", trimmed(words)),
        End::Unreached(words) => format!("The service cannot be reached: {}. {left} not sent.", trimmed(words)),
        End::Store(words) if tally.unknown > 0 => format!(
            "An answer could not be written down: {}. The result of {} is UNKNOWN; lode doctor looks for the cause.",
            trimmed(words),
            contacts(tally.unknown as usize)
        ),
        End::Store(words) => format!(
            "Nothing is sent without a record, and it could not be written: {}. lode doctor looks for the cause.",
            trimmed(words)
        ),
    })
}

/// What else has to be known of it: answers that do not add up, a balance that fell by more than the order explains.
pub fn notices(summary: &Summary) -> Vec<String> {
    let unexplained = summary.unexplained(summary.said.balance);
    summary.notices.iter().cloned().chain(unexplained).map(|words| format!("{}.", capitalized(&words))).collect()
}

fn capitalized(words: &str) -> String {
    let mut letters = words.trim_end_matches('.').chars();
    let first = letters.next();
    first.into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

fn withheld(refused: &IntentRefused) -> String {
    match refused {
        IntentRefused::Open(ids) => {
            format!("{} of these are in a batch without an outcome; clear that up first", grouped(ids.len() as u64))
        }
        IntentRefused::Cap { which, cap, used, held } => {
            let which = match which {
                CapKind::Call => "cap per call",
                CapKind::Session => "session cap",
                CapKind::Day => "day cap",
            };
            format!("the {which} of {cap} would be passed (used {used}, held {held})")
        }
        IntentRefused::Ceiling { ceiling, used, held } => {
            format!("the {ceiling} you typed would be passed (used {used}, held {held})")
        }
        IntentRefused::BasketChanged => "the basket was changed by another window".to_owned(),
        IntentRefused::OtherPurse => "the key belongs to another workspace".to_owned(),
        IntentRefused::Settled(_) => "another window cleared this batch up".to_owned(),
    }
}

pub fn reader(summary: &Summary) -> Reader {
    let tally = &summary.tally;
    let number = |count: u64| grouped(count);
    let mut parts = vec![Part::Words(line(summary), Role::Strong)];
    parts.extend(ending(summary).map(|words| Part::Words(words, Role::Warning)));
    parts.extend(notices(summary).into_iter().map(|words| Part::Words(words, Role::Warning)));
    parts.push(Part::Gap);
    parts.push(Part::pair("charged", number(tally.charged)));
    parts.push(Part::pair("refunded", number(tally.refunded)));
    parts.push(Part::Pair("net".to_owned(), number(tally.net()), Role::Strong));
    parts.push(Part::pair("already ours", number(tally.already)));
    parts.push(Part::pair("missing", number(tally.missing)));
    parts.push(Part::pair("not unlocked", number(tally.locked)));
    if summary.uncertain() > 0 {
        parts.push(Part::Pair("UNKNOWN".to_owned(), number(summary.uncertain()), Role::Danger));
    }
    if !summary.elsewhere.is_empty() {
        parts.push(Part::pair("another window", number(summary.elsewhere.len() as u64)));
    }
    if !summary.suppressed.is_empty() {
        parts.push(Part::pair("suppressed", format!("{}, never asked for", number(summary.suppressed.len() as u64))));
    }
    if !summary.unchecked.is_empty() {
        let count = number(summary.unchecked.len() as u64);
        parts.push(Part::pair(
            "not checked",
            format!("{count}, never asked for: the lists cannot be held against them"),
        ));
    }
    if !summary.verify {
        parts.push(Part::Pair("verification".to_owned(), "off: no refunds were possible".to_owned(), Role::Warning));
    }
    let said =
        |words: Option<crate::domain::credits::Credits>| words.map_or("–".to_owned(), |words| words.to_string());
    parts.push(Part::pair(
        "the service says",
        format!(
            "charged {}, refunded {}, balance {}",
            said(summary.said.charged),
            said(summary.said.refunded),
            said(summary.said.balance)
        ),
    ));
    parts.push(Part::Gap);
    parts.push(Part::Words(
        "e exports exactly these, free   g r receipts   g o all we own   Esc closes".to_owned(),
        Role::Dim,
    ));
    let title = match summary.order {
        Some(order) => format!("UNLOCKED  order {order}  {}", summary.corpus),
        None => "NOTHING WAS UNLOCKED".to_owned(),
    };
    Reader::new(title, parts)
}
