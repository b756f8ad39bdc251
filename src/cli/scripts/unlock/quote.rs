//! The quote in words: what should be known before anything is spent, and all of it for `--dry-run`.

use std::collections::BTreeSet;

use crate::cli::output::shapes::{QuoteLine, QuoteShape};
use crate::cli::output::{Format, json};
use crate::domain::credits::{Credits, contacts, counted};
use crate::effect::Effect;
use crate::flow::unlock::quote::Quote;
use crate::flow::unlock::suppress::HeldBy;

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
        let limit = quote.choice.per_company.unwrap_or(0);
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
    if !quote.basis.who.may_search {
        fx.push(Effect::Warn(CANNOT_SEARCH.to_owned()));
    }
    if !quote.choice.verify {
        fx.push(Effect::Warn("verification is off: no refunds are possible".to_owned()));
    }
}

/// The quote as data, for at most so many credits.
pub fn quote_shape(quote: &Quote, max_credits: Credits) -> QuoteShape {
    let cost = quote.most.min(max_credits);
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
        to_unlock: quote.to_unlock.len(),
        calls: quote.calls.clone(),
        locked,
        most: cost.0,
        likely_low: credits(quote.likely.map(|likely| likely.low)),
        likely_high: credits(quote.likely.map(|likely| likely.high)),
        max_credits: max_credits.0,
        balance: credits(balance),
        balance_after: credits(balance.map(|balance| balance - cost)),
        verify: quote.choice.verify,
    }
}

pub(super) fn tell_quote(quote: &Quote, max_credits: Credits, format: Format, fx: &mut Vec<Effect>) {
    let balance = quote.basis.balance.map(|(balance, _)| balance);
    let cost = quote.most.min(max_credits);
    let beyond = usize::try_from((quote.most - cost).0).unwrap_or(0);
    match format {
        Format::Json => {
            let quote = quote_shape(quote, max_credits);
            fx.push(Effect::Print(json::line(&QuoteLine { quote })));
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
            let requests = counted(quote.calls.len() as u64, "request");
            lines.push(format!("to unlock          {} in {requests}", quote.to_unlock.len()));
            lines.push(format!("maximum cost       {} (--max-credits {max_credits})", cost.words()));
            if beyond > 0 {
                lines.push(format!("stay locked        {beyond}, beyond --max-credits {max_credits}"));
            }
            if let Some(likely) = quote.likely {
                lines.push(format!("likely             {}–{} after refunds", likely.low, likely.high));
            }
            if let Some(balance) = balance {
                lines.push(format!("balance            {balance}, at least {} after", balance - cost));
            }
            lines.push("Nothing sent, nothing spent.".to_owned());
            fx.extend(lines.into_iter().map(Effect::Print));
        }
    }
}
