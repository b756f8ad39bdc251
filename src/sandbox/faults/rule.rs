//! The written form of a fault: `NAME[@CALL][=WHEN[:NUMBER]]`.
//!
//! WHEN is a chance from 0 to 1 (1 if left out), `next` or `nextN`. NUMBER is what the fault needs to know: seconds, bytes,
//! milliseconds. The number of latency is `MS[+JITTER]`, and may stand alone: `latency=250`.

use std::fmt;
use std::str::FromStr;

use super::{Endpoint, Fault, RetryAfter};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Chance {
    Dice(f64),
    /// The next calls that it fits, this many.
    Next(u32),
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FaultRule {
    pub fault: Fault,
    pub on: Option<Endpoint>,
    pub chance: Chance,
}

const LATENCY: &str = "answers take MS[+JITTER] milliseconds; also written =MS[+JITTER]";

/// The name that is typed, what NUMBER is when it is left out, what it makes, and its line in `--help`.
type NamedFault = (&'static str, u64, fn(u64) -> Fault, &'static str);

const NAMES: &[NamedFault] = &[
    ("latency", 200, |ms| Fault::Latency { ms, jitter_ms: 0 }, LATENCY),
    ("429", 2, |seconds| Fault::TooMany(RetryAfter::Seconds(seconds)), "too many requests, retry-after in seconds"),
    ("429-date", 2, |seconds| Fault::TooMany(RetryAfter::Date(seconds)), "the same with an HTTP date"),
    ("429-bare", 0, |_| Fault::TooMany(RetryAfter::Absent), "the same without retry-after"),
    ("500", 0, |_| Fault::Html(500), "an HTML error page"),
    ("502", 0, |_| Fault::Html(502), "an HTML error page"),
    ("503", 0, |_| Fault::Html(503), "an HTML error page"),
    ("html", 0, |_| Fault::Html(200), "a page of HTML with status 200"),
    ("reset", 0, |_| Fault::Reset, "connection reset before the service saw the request"),
    ("reset-mid", 0, |_| Fault::ResetMid, "connection reset in the middle of the body"),
    ("truncated", 0, |_| Fault::Truncated, "a body that ends early"),
    ("lost", 0, |_| Fault::Lost, "the request takes effect, the answer is lost"),
    ("unlock-lost", 0, |_| Fault::Lost, "unlock applied and the answer lost"),
    ("unlock-part", 0, |_| Fault::Part, "unlock applied in part and the answer lost"),
    ("unlock-late", 5_000, |ms| Fault::Late { ms }, "line broken at once, unlock applied MS later"),
    ("members", 0, |_| Fault::Members, "other members spend and unlock"),
    ("suppress", 0, |_| Fault::Suppress, "rows just shown go on the Do-Not-Sell list"),
    ("hostile", 0, |_| Fault::Hostile, "malicious strings and numbers in rows, contacts and sheets"),
    ("odd-ids", 0, |_| Fault::OddIds, "some ids around 2^53 and 2^63, negative, or none"),
    ("odd-totals", 0, |_| Fault::OddTotals, "totals that a result can hardly have"),
    ("string-ids", 0, |_| Fault::StringIds, "row ids written as strings"),
    ("reorder", 0, |_| Fault::Reorder, "rows of a page in another order"),
    ("huge", 1_000_000_000, |bytes| Fault::Flood { bytes }, "a body of BYTES"),
    ("endless", 0, |_| Fault::Flood { bytes: 0 }, "a body that never ends"),
    ("gzip-bomb", 1_000_000_000, |bytes| Fault::Bomb { bytes }, "a small gzip body that unpacks to BYTES"),
    ("drip", 1, |bytes| Fault::Drip { bytes: bytes.clamp(1, 1 << 20) as u32 }, "BYTES a second"),
    ("stall", 100, |bytes| Fault::Stall { bytes }, "BYTES of a body, then silence on an open line"),
    ("redirect", 0, |_| Fault::Redirect, "redirect to another origin"),
    ("redirect-here", 0, |_| Fault::RedirectHere, "redirect within the origin"),
    ("echo", 0, |_| Fault::Echo, "an error text that repeats the request's headers"),
    ("empty", 0, |_| Fault::Empty, "200 without a body"),
    ("binary", 0, |_| Fault::Binary, "200 with bytes that are no text"),
];

/// Name and meaning of every fault, for `--help`.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES.iter().map(|(name, .., help)| (*name, *help))
}

impl FromStr for FaultRule {
    type Err = String;

    fn from_str(text: &str) -> Result<FaultRule, String> {
        let (head, value) = text.split_once('=').map_or((text, None), |(head, value)| (head, Some(value)));
        let (word, aim) = head.split_once('@').map_or((head, None), |(word, aim)| (word, Some(aim)));
        let (_, default, make, _) = NAMES.iter().find(|(name, ..)| *name == word).ok_or_else(|| {
            let all: Vec<&str> = names().map(|(name, _)| name).collect();
            format!("no fault is called {word:?}; there are {}", all.join(", "))
        })?;
        let on = match aim {
            None => (word == "unlock-lost").then_some(Endpoint::Unlock),
            Some(aim) => Some(call_named(aim)?),
        };
        let (when, number) = match value.map(|value| (value, value.split_once(':'))) {
            None => ("1", None),
            Some((_, Some((when, number)))) => (when, Some(number)),
            // The time of a latency may stand alone.
            Some((value, None)) if word == "latency" && !value.starts_with("next") => ("1", Some(value)),
            Some((value, None)) => (value, None),
        };
        let mut fault = make(*default);
        if let Fault::Latency { ms, jitter_ms } = &mut fault {
            let (time, jitter) = number.map_or(("200", "0"), |number| number.split_once('+').unwrap_or((number, "0")));
            let number = |text: &str| text.parse().map_err(|_| format!("latency is MS[+JITTER], got {text:?}"));
            (*ms, *jitter_ms) = (number(time)?, number(jitter)?);
        } else if let Some(text) = number {
            fault = make(text.parse().map_err(|_| format!("{word}: {text:?} is not a whole number"))?);
        }
        Ok(FaultRule { fault, on, chance: when.parse()? })
    }
}

fn call_named(name: &str) -> Result<Endpoint, String> {
    let call = Endpoint::NAMES.into_iter().find(|(_, known)| *known == name).map(|(call, _)| call);
    call.ok_or_else(|| format!("no call is named {name:?}: search, unlock, me, data-search, counts, export, saved"))
}

impl FromStr for Chance {
    type Err = String;

    fn from_str(text: &str) -> Result<Chance, String> {
        if let Some(times) = text.strip_prefix("next") {
            let times = if times.is_empty() { Some(1) } else { times.parse().ok() };
            return times.map(Chance::Next).ok_or_else(|| format!("{text:?} is not next or nextN"));
        }
        match text.parse::<f64>() {
            Ok(chance) if (0.0..=1.0).contains(&chance) => Ok(Chance::Dice(chance)),
            _ => Err(format!("{text:?} is neither a chance from 0 to 1 nor next or nextN")),
        }
    }
}

impl fmt::Display for FaultRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FaultRule { fault, on, chance } = self;
        write!(f, "{fault:?}")?;
        if let Some(call) = on {
            write!(f, " on {}", call.name())?;
        }
        match chance {
            Chance::Dice(chance) => write!(f, ", {chance} of the time"),
            Chance::Next(times) => write!(f, ", next {times}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rule(text: &str) -> FaultRule {
        text.parse().unwrap()
    }

    #[test]
    fn a_rule_reads_as_it_is_typed() {
        assert_eq!(rule("502"), FaultRule { fault: Fault::Html(502), on: None, chance: Chance::Dice(1.0) });
        assert_eq!(
            rule("429@search=0.5:30"),
            FaultRule {
                fault: Fault::TooMany(RetryAfter::Seconds(30)),
                on: Some(Endpoint::Search),
                chance: Chance::Dice(0.5)
            }
        );
        assert_eq!(
            rule("unlock-lost=next"),
            FaultRule { fault: Fault::Lost, on: Some(Endpoint::Unlock), chance: Chance::Next(1) }
        );
        assert_eq!(rule("latency=100+50").fault, Fault::Latency { ms: 100, jitter_ms: 50 });
        for (text, chance) in [
            ("latency@search=1:2500", Chance::Dice(1.0)),
            ("latency@search=0.5:2500", Chance::Dice(0.5)),
            ("latency@search=next2:2500+0", Chance::Next(2)),
        ] {
            let fault = Fault::Latency { ms: 2500, jitter_ms: 0 };
            assert_eq!(rule(text), FaultRule { fault, on: Some(Endpoint::Search), chance }, "{text}");
        }
        assert_eq!(rule("latency=next").chance, Chance::Next(1));
        assert_eq!(rule("drip=next3:10").chance, Chance::Next(3));
    }

    #[test]
    fn a_line_that_is_not_a_rule_is_refused_with_words() {
        for (text, word) in [
            ("502=2", "chance"),
            ("nothing", "unlock-lost"),
            ("502@moon", "no call"),
            ("huge=1:x", "whole"),
            ("latency=a", "MS"),
        ] {
            let error = text.parse::<FaultRule>().unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn every_name_can_be_typed() {
        for (name, _) in names() {
            rule(name);
        }
    }
}
