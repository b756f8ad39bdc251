//! The quote in words: what should be known before anything is spent, and all of it for `--dry-run`.

use std::collections::BTreeSet;

use crate::ops::output::shapes::{QuoteLine, QuoteShape};
use crate::ops::output::{Format, json};
use lode_core::credits::{Credits, contacts, counted};
use lode_engine::effect::Effect;
use lode_engine::flow::unlock::quote::{Bound, Quote, Room};
use lode_engine::flow::unlock::suppress::HeldBy;

const CANNOT_SEARCH: &str = "this key cannot search, so an unknown result could not be checked";

/// What should be known before it is spent.
pub(super) fn warn(quote: &Quote, fx: &mut Vec<Effect>) {
    for (list, count) in quote.suppressed_by() {
        fx.push(Effect::Warn(format!("{} on the suppression list {list}: not unlocked", contacts(count))));
    }
    for (why, count) in quote.unchecked_because() {
        let then = if quote.choice.allow_unchecked { "unlocked anyway" } else { "not unlocked" };
        let rows = quote.unchecked.iter().filter(|row| row.why == why);
        let by: BTreeSet<&HeldBy> = rows.flat_map(|row| row.by.iter()).collect();
        let by = by.first().map(|first| first.with(by.len() - 1)).unwrap_or_default();
        fx.push(Effect::Warn(format!(
            "{} cannot be checked against the suppression lists: {why} ({by}); {then}",
            contacts(count)
        )));
    }
    if !quote.beyond.is_empty() {
        let limit = quote.per_company().unwrap_or(0);
        let words = format!("{} left out: at most {limit} of each company", contacts(quote.beyond.len()));
        fx.push(Effect::Warn(words));
    }
    if quote.risky_count() > 0 {
        let each: Vec<String> = quote.risky.iter().map(|(status, ids)| format!("{status} {}", ids.len())).collect();
        fx.push(Effect::Warn(format!(
            "{} with a risky email status: {}",
            contacts(quote.risky_count()),
            each.join(", ")
        )));
    }
    if !quote.duplicates.is_empty() {
        let words = "the same person, company and email as another contact: each costs a credit";
        fx.push(Effect::Warn(format!("{}, {words}", counted(quote.duplicates.len() as u64, "duplicate"))));
    }
    if !quote.basis.who.may_search {
        fx.push(Effect::Warn(CANNOT_SEARCH.to_owned()));
    }
    if !quote.choice.verify {
        fx.push(Effect::Warn("verification is off: no refunds are possible".to_owned()));
    }
}

/// The quote as data, up to a number of credits: what an order would really send and cost.
pub fn quote_shape(quote: &Quote, max_credits: Credits) -> QuoteShape {
    let (cost, by) = quote.bound(max_credits);
    let bounded_by = by.map(|by| bound_words(by, quote, max_credits));
    let likely = quote.likely_of(cost);
    let mut rest = usize::try_from(quote.within(max_credits).0).unwrap_or(0);
    let calls = quote.calls.iter().map(|call| {
        let sent = rest.min(*call);
        rest -= sent;
        sent
    });
    let balance = quote.basis.balance.map(|(balance, _)| balance);
    let credits = |credits: Option<Credits>| credits.map(|credits| credits.0);
    let beyond = usize::try_from((quote.most - cost).0).unwrap_or(0);
    let locked = quote.suppressed.len() + quote.held_unchecked().len() + quote.beyond.len() + beyond;
    let unchecked_because =
        quote.unchecked_because().into_iter().map(|(why, count)| (why.to_string(), count)).collect();
    QuoteShape {
        corpus: quote.basis.corpus.name(),
        asked: quote.staged,
        already: quote.owned.len(),
        unknown: quote.unknown.len(),
        suppressed: quote.suppressed.len(),
        unchecked: quote.unchecked.len(),
        unchecked_because,
        beyond_company: quote.beyond.len(),
        risky: quote.risky_count(),
        duplicates: quote.duplicates.len(),
        to_unlock: quote.to_unlock.len(),
        calls: calls.filter(|sent| *sent > 0).collect(),
        locked,
        most: cost.0,
        likely_low: credits(likely.map(|likely| likely.low)),
        likely_high: credits(likely.map(|likely| likely.high)),
        max_credits: max_credits.0,
        bounded_by: bounded_by.map(|(name, _)| name),
        balance: credits(balance),
        balance_after: credits(balance.map(|balance| balance - cost)),
        verify: quote.choice.verify,
    }
}

/// What bounds the cost, as a name for programs and in words.
fn bound_words(by: Bound, quote: &Quote, max_credits: Credits) -> (&'static str, String) {
    let room = |room: Option<Room>| room.map_or(String::new(), |room| format!("{}, {} left", room.cap, room.left));
    match by {
        Bound::Ceiling => ("max_credits", format!("--max-credits {max_credits}")),
        Bound::Call => ("call_cap", "the cap per call of 0".to_owned()),
        Bound::Session => ("session_cap", format!("the session cap of {}", room(quote.session))),
        Bound::Day => ("day_cap", format!("the day cap of {}", room(quote.day))),
        Bound::Balance => ("balance", "the balance".to_owned()),
    }
}

pub(super) fn tell_quote(quote: &Quote, max_credits: Credits, format: Format, fx: &mut Vec<Effect>) {
    let shape = quote_shape(quote, max_credits);
    match format {
        Format::Json => {
            fx.push(Effect::Print(json::line(&QuoteLine { quote: shape })));
        }
        Format::Table { .. } => {
            let line = |title: &str, count: usize| (count > 0).then(|| format!("{title:<18} {count}"));
            let mut lines = vec![format!("asked for          {}", quote.staged)];
            lines.extend(line("already owned", quote.owned.len()));
            lines.extend(line("result unknown", quote.unknown.len()));
            lines.extend(line("suppressed", quote.suppressed.len()));
            let reasons = quote.unchecked_because();
            lines.extend(reasons.iter().map(|(why, count)| format!("{:<18} {count}, {why}", "not checked")));
            lines.extend(line("over company limit", quote.beyond.len()));
            lines.extend(line("risky status", quote.risky_count()));
            lines.extend(line("duplicates", shape.duplicates));
            let requests = counted(shape.calls.len() as u64, "request");
            lines.push(format!("to unlock          {} in {requests}", shape.calls.iter().sum::<usize>()));
            let (cost, by) = quote.bound(max_credits);
            lines.push(format!("maximum cost       {} (--max-credits {max_credits})", cost.words()));
            if let Some(by) = by {
                let (_, words) = bound_words(by, quote, max_credits);
                lines.push(format!("stay locked        {}, beyond {words}", quote.most - cost));
            }
            if let (Some(low), Some(high)) = (shape.likely_low, shape.likely_high) {
                lines.push(format!("likely             {low}–{high} after refunds"));
            }
            if let (Some(balance), Some(after)) = (shape.balance, shape.balance_after) {
                lines.push(format!("balance            {balance}, at least {after} after"));
            }
            lines.push("Nothing sent, nothing spent.".to_owned());
            fx.extend(lines.into_iter().map(Effect::Print));
        }
    }
}
