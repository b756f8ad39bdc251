//! The review before spending: what a person reads, and the number they type under it.
//!
//! The field starts empty and only the number of the estimate itself goes (*every spend is typed*). Keys from before the
//! review was on the terminal, and for a moment after, are dropped; so is an Enter that comes with the digits in one burst.
//! Nothing is decided here: what a number may do is `flow::unlock::order`.

mod review;

use std::collections::HashMap;
use std::time::Duration;

use crate::signs::Sign;
use lode_core::contact::RowId;
use lode_core::credits::{Credits, grouped};
use lode_core::money::Staged;
use lode_core::time::{Mono, Now};
use lode_engine::effect::store::Handle;
use lode_engine::flow::session::Subject;
use lode_engine::flow::unlock::quote::{Choice, Quote};
use lode_engine::flow::unlock::suppress::HeldBy;

use super::picker::{Item, Pick, Picker};

pub use review::view;

/// Keys are heard this long after the review stood on the terminal.
pub const SETTLED: Duration = Duration::from_millis(250);
/// A hand needs at least this long from the last digit to Enter.
pub const DELIBERATE: Duration = Duration::from_millis(150);
/// Digits of an amount: more is not an amount of credits but a cat.
const LONGEST: usize = 9;

#[derive(Clone, Debug)]
pub struct Money {
    pub subject: Subject,
    pub choice: Choice,
    /// None while balance, caps, basket and lists are read.
    pub quote: Option<Box<Quote>>,
    pub typed: String,
    /// Why the last number did not go, or what is to be typed now.
    pub words: Option<String>,
    /// The request of an assistant that is answered here, and the title that says so.
    pub request: Option<(Handle, String)>,
    painted: Option<Mono>,
    last_digit: Option<Mono>,
}

impl Money {
    pub fn new(subject: Subject, choice: Choice) -> Money {
        Money {
            subject,
            choice,
            quote: None,
            typed: String::new(),
            words: None,
            request: None,
            painted: None,
            last_digit: None,
        }
    }

    /// Another review is shown: its number has to be read and typed again.
    pub fn show(&mut self, quote: Box<Quote>, words: Option<String>) {
        self.choice = quote.choice.clone();
        self.quote = Some(quote);
        self.words = words;
        self.clear();
        self.painted = None;
    }

    /// Everything is read again.
    pub fn wait(&mut self, words: Option<String>) {
        self.quote = None;
        self.words = words;
        self.clear();
        self.painted = None;
    }

    /// A frame that shows it was flushed.
    pub fn painted(&mut self, now: Now) {
        if self.quote.is_some() && self.painted.is_none() {
            self.painted = Some(now.mono);
        }
    }

    /// Something else lies over it, or the screen cannot show it.
    pub fn covered(&mut self) {
        self.painted = None;
    }

    pub fn hears(&self, now: Now) -> bool {
        self.painted.is_some_and(|at| now.mono.since(at) >= SETTLED)
    }

    pub fn digit(&mut self, digit: char, now: Now) {
        if digit.is_ascii_digit() && self.typed.len() < LONGEST {
            self.typed.push(digit);
            self.last_digit = Some(now.mono);
            self.words = None;
        }
    }

    pub fn backspace(&mut self, now: Now) {
        self.typed.pop();
        self.last_digit = Some(now.mono);
    }

    pub fn clear(&mut self) {
        self.typed.clear();
        self.last_digit = None;
    }

    /// The amount that Enter confirms now. None where Enter came in one burst with the digits.
    pub fn amount(&self, now: Now) -> Option<Credits> {
        let deliberate = self.last_digit.is_some_and(|at| now.mono.since(at) >= DELIBERATE);
        self.typed.parse().ok().filter(|_| deliberate).map(Credits)
    }

    /// The rows that the lists hold back, each with the entry that does. One that cannot be checked can be accepted; one that
    /// an entry names cannot.
    pub fn held_back(&self) -> Option<Picker> {
        const NAMED: &str = "An entry names this contact: it is never unlocked. <basket.suppressions> on the Basket screen changes the lists.";
        let quote = self.quote.as_ref()?;
        let shown: HashMap<RowId, &Staged> = quote.basis.staged.iter().map(|row| (row.id, row)).collect();
        let item = |sign: &str, id: RowId, (by, more): (&HeldBy, usize), pick: Pick| {
            let name = shown.get(&id).map_or("", |row| row.name.as_str());
            let name = if name.is_empty() { id.to_string() } else { format!("{name} ({id})") };
            let more = if more > 0 { format!(" and {} more", grouped(more as u64)) } else { String::new() };
            let left = format!("{sign} {name}  {}{more}", by.entry);
            Item::new(left, by.list.clone(), pick)
        };
        let unchecked = quote.unchecked.iter().filter_map(|row| {
            let sign = if row.accepted { "[x]" } else { "[ ]" };
            let (by, more) = row.by.split_first()?;
            Some(item(sign, row.id, (by, more.len()), Pick::AcceptUnchecked(row.id)))
        });
        let named = quote.suppressed.iter();
        let named = named.map(|(id, by)| item(Sign::Suppressed.letter(), *id, (by, 0), Pick::Refused(NAMED)));
        let rule = match quote.unchecked.is_empty() {
            true => "Entries name these contacts. They stay in the basket and are never unlocked.",
            false => "[ ] may be on a list. <text.submit> accepts it for this unlock.",
        };
        Some(Picker::new("Held back by suppression lists", unchecked.chain(named).collect()).with_rule(rule))
    }
}
