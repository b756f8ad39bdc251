//! From a quote to an order: the typed amount, and everything checked again at that moment.
//!
//! An [`Order`] cannot be made in any other way, and `unlock` sends nothing without one. The store checks once more, over
//! all windows, when each batch is written down.

use std::time::Duration;

use crate::domain::credits::Credits;
use crate::domain::time::Now;
use crate::effect::store::CapKind;

use super::quote::{Basis, Choice, Quote};

/// A wish to spend that a person has confirmed.
#[derive(Clone, Debug, PartialEq)]
pub struct Order {
    quote: Quote,
    ceiling: Credits,
}

impl Order {
    #[must_use]
    pub fn quote(&self) -> &Quote {
        &self.quote
    }

    /// The amount that was typed, or `--max-credits`: never exceeded.
    #[must_use]
    pub fn ceiling(&self) -> Credits {
        self.ceiling
    }
}

/// What an amount leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Accepted {
    Order(Box<Order>),
    /// A smaller amount keeps the first so many: the review is shown again and its own number typed.
    Fewer(Box<Quote>),
}

/// Why nothing is ordered. Each is one sentence; nothing was spent.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Declined {
    #[error("this key cannot unlock: it lacks the scope `unlock`")]
    ReadOnly,
    #[error("there is nothing to unlock here")]
    Nothing,
    #[error("an amount of at least 1 is needed")]
    NoAmount,
    #[error("the review allows {most} at most, {typed} is more: type {most}")]
    TooMuch { typed: Credits, most: Credits },
    #[error("the balance is {balance}: type {balance} or less")]
    Balance { balance: Credits },
    #[error("{} leaves {left} of {cap}: type {left} or less", cap_words(.which))]
    Cap { which: CapKind, cap: Credits, left: Credits },
    #[error("an unanswered batch is sent whole or not at all: type {most}")]
    Whole { most: Credits },
    #[error("the balance was read too long ago")]
    Stale,
    #[error("something changed since this was shown: look again")]
    Changed(Box<Quote>),
    #[error("another unlock of this window is still running")]
    Running,
}

fn cap_words(which: &CapKind) -> &'static str {
    match which {
        CapKind::Call => "the cap per call",
        CapKind::Session => "the session cap",
        CapKind::Day => "the day cap",
    }
}

/// A balance older than this is read again before anything is paid from it.
pub const FRESH: Duration = Duration::from_secs(600);

/// Confirms what is on the screen with the number a person typed. `current` is what the same review would rest on now.
pub fn accept(shown: &Quote, typed: Credits, current: &Basis, now: Now) -> Result<Accepted, Declined> {
    let quote = recheck(shown, current)?;
    if typed <= Credits::ZERO {
        return Err(Declined::NoAmount);
    }
    if typed > quote.most {
        return Err(Declined::TooMuch { typed, most: quote.most });
    }
    if let Some((balance, read_at)) = current.balance {
        if now.mono.since(read_at) > FRESH {
            return Err(Declined::Stale);
        }
        if typed > balance {
            return Err(Declined::Balance { balance: balance.max(Credits::ZERO) });
        }
    }
    for (which, room) in [(CapKind::Session, quote.session), (CapKind::Day, quote.day)] {
        // What an unanswered batch may still cost is held already: sending it again asks for no further room.
        if let Some(room) = room.filter(|room| typed > room.left && quote.again().is_none()) {
            return Err(Declined::Cap { which, cap: room.cap, left: room.left });
        }
    }
    if typed < quote.most {
        if quote.again().is_some() {
            return Err(Declined::Whole { most: quote.most });
        }
        let first = usize::try_from(typed.0).ok();
        return Ok(Accepted::Fewer(Box::new(quote.choosing(Choice { first, ..quote.choice }))));
    }
    Ok(Accepted::Order(Box::new(Order { ceiling: typed, quote })))
}

/// The shell's way: `--max-credits` is the typed amount. What the ceiling or a cap does not reach is kept back by the
/// order's quote; whether the balance suffices is left to the service, which stops by itself.
pub fn accept_within(quote: &Quote, ceiling: Credits, current: &Basis) -> Result<Order, Declined> {
    let quote = recheck(quote, current)?;
    if quote.again().is_some() {
        return if ceiling < quote.most {
            Err(Declined::Whole { most: quote.most })
        } else {
            Ok(Order { ceiling: quote.most, quote })
        };
    }
    let rooms = [quote.session, quote.day].into_iter().flatten().map(|room| room.left);
    let most = rooms.fold(ceiling.min(quote.most), Credits::min).max(Credits::ZERO);
    let first = usize::try_from(most.0).ok();
    Ok(Order { ceiling: most, quote: quote.choosing(Choice { first, ..quote.choice }) })
}

fn recheck(shown: &Quote, current: &Basis) -> Result<Quote, Declined> {
    if !current.who.may_unlock {
        return Err(Declined::ReadOnly);
    }
    let quote = Quote::make(current.clone(), shown.choice);
    let same = quote.basis.who == shown.basis.who
        && quote.basis.corpus == shown.basis.corpus
        && quote.basis.origin == shown.basis.origin
        && quote.to_unlock == shown.to_unlock;
    if !same {
        return Err(Declined::Changed(Box::new(quote)));
    }
    if quote.to_unlock.is_empty() || current.caps.call.is_some_and(|cap| cap <= Credits::ZERO) {
        return Err(Declined::Nothing);
    }
    Ok(quote)
}
