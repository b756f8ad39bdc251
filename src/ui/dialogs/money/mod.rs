//! The review before spending: what a person reads, and the number they type under it.
//!
//! The field starts empty and only the number of the estimate itself goes (*every spend is typed*). Keys from before the
//! review was on the terminal, and for a moment after, are dropped; so is an Enter that comes with the digits in one burst.
//! Nothing is decided here: what a number may do is `flow::unlock::order`.

mod review;

use std::time::Duration;

use crate::domain::credits::{Credits, grouped};
use crate::domain::time::{Mono, Now};
use crate::effect::store::Handle;
use crate::flow::session::Subject;
use crate::flow::unlock::quote::{Choice, Quote};
use crate::ui::theme::Role;

use super::reader::{Part, Reader};

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

    /// Which rows are suppressed, and by which list.
    pub fn suppressed(&self) -> Option<Reader> {
        const SHOWN: usize = 500;
        let quote = self.quote.as_ref()?;
        let name = |id| quote.basis.staged.iter().find(|row| row.id == id).map_or("", |row| row.name.as_str());
        let suppressed = quote.suppressed.iter().map(|(id, by)| (*id, by.to_string()));
        let unchecked = quote.unchecked.iter().map(|row| (row.id, format!("not checked: {}", row.why)));
        let named = suppressed.chain(unchecked);
        let mut parts: Vec<Part> =
            named.take(SHOWN).map(|(id, why)| Part::pair(why, format!("{} ({id})", name(id)))).collect();
        let count = quote.suppressed.len() + quote.unchecked.len();
        if count > SHOWN {
            parts.push(Part::words(format!("and {} more", grouped((count - SHOWN) as u64))));
        }
        parts.push(Part::Gap);
        parts.push(Part::Words(
            "They stay in the basket and are never unlocked. The lists are on the Basket screen: <basket.suppressions>."
                .to_owned(),
            Role::Dim,
        ));
        Some(Reader::new("Suppressed", parts))
    }
}
