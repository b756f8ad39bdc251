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

struct Name {
    name: &'static str,
    /// What NUMBER is when it is left out.
    number: u64,
    make: fn(u64) -> Fault,
    on: Option<Endpoint>,
    help: &'static str,
}

const fn name(name: &'static str, number: u64, make: fn(u64) -> Fault, help: &'static str) -> Name {
    Name { name, number, make, on: None, help }
}

const LATENCY: &str = "answers take MS[+JITTER] milliseconds; also written =MS[+JITTER]";

const NAMES: &[Name] = &[
    name("latency", 200, |ms| Fault::Latency { ms, jitter_ms: 0 }, LATENCY),
    name("429", 2, |seconds| Fault::TooMany(RetryAfter::Seconds(seconds)), "too many requests, retry-after in seconds"),
    name("429-date", 2, |seconds| Fault::TooMany(RetryAfter::Date(seconds)), "the same with an HTTP date"),
    name("429-bare", 0, |_| Fault::TooMany(RetryAfter::Absent), "the same without retry-after"),
    name("500", 0, |_| Fault::Html(500), "an HTML error page"),
    name("502", 0, |_| Fault::Html(502), "an HTML error page"),
    name("503", 0, |_| Fault::Html(503), "an HTML error page"),
    name("html", 0, |_| Fault::Html(200), "a page of HTML with status 200"),
    name("reset", 0, |_| Fault::Reset, "connection reset before the service saw the request"),
    name("reset-mid", 0, |_| Fault::ResetMid, "connection reset in the middle of the body"),
    name("truncated", 0, |_| Fault::Truncated, "a body that ends early"),
    name("lost", 0, |_| Fault::Lost, "the request takes effect, the answer is lost"),
    Name {
        on: Some(Endpoint::Unlock),
        ..name("unlock-lost", 0, |_| Fault::Lost, "unlock applied and the answer lost")
    },
    name("unlock-part", 0, |_| Fault::Part, "unlock applied in part and the answer lost"),
    name("unlock-late", 5_000, |ms| Fault::Late { ms }, "line broken at once, unlock applied MS later"),
    name("members", 0, |_| Fault::Members, "other members spend and unlock"),
    name("suppress", 0, |_| Fault::Suppress, "rows just shown go on the Do-Not-Sell list"),
    name("hostile", 0, |_| Fault::Hostile, "malicious strings and numbers in rows, contacts and sheets"),
    name("odd-ids", 0, |_| Fault::OddIds, "some ids around 2^53 and 2^63, negative, or none"),
    name("odd-totals", 0, |_| Fault::OddTotals, "totals that a result can hardly have"),
    name("string-ids", 0, |_| Fault::StringIds, "row ids written as strings"),
    name("reorder", 0, |_| Fault::Reorder, "rows of a page in another order"),
    name("huge", 1_000_000_000, |bytes| Fault::Flood { bytes }, "a body of BYTES"),
    name("endless", 0, |_| Fault::Flood { bytes: 0 }, "a body that never ends"),
    name("gzip-bomb", 1_000_000_000, |bytes| Fault::Bomb { bytes }, "a small gzip body that unpacks to BYTES"),
    name("drip", 1, |bytes| Fault::Drip { bytes: bytes.clamp(1, 1 << 20) as u32 }, "BYTES a second"),
    name("stall", 100, |bytes| Fault::Stall { bytes }, "BYTES of a body, then silence on an open line"),
    name("redirect", 0, |_| Fault::Redirect, "redirect to another origin"),
    name("redirect-here", 0, |_| Fault::RedirectHere, "redirect within the origin"),
    name("echo", 0, |_| Fault::Echo, "an error text that repeats the request's headers"),
    name("empty", 0, |_| Fault::Empty, "200 without a body"),
    name("binary", 0, |_| Fault::Binary, "200 with bytes that are no text"),
];

/// Name and meaning of every fault, for `--help`.
pub fn names() -> impl Iterator<Item = (&'static str, &'static str)> {
    NAMES.iter().map(|name| (name.name, name.help))
}

impl FromStr for FaultRule {
    type Err = String;

    fn from_str(text: &str) -> Result<FaultRule, String> {
        let (head, value) = text.split_once('=').map_or((text, None), |(head, value)| (head, Some(value)));
        let (word, aim) = head.split_once('@').map_or((head, None), |(word, aim)| (word, Some(aim)));
        let known = NAMES.iter().find(|known| known.name == word).ok_or_else(|| {
            let all: Vec<&str> = NAMES.iter().map(|known| known.name).collect();
            format!("no fault is called {word:?}; there are {}", all.join(", "))
        })?;
        let on = match aim {
            None => known.on,
            Some(aim) => Some(call_named(aim)?),
        };
        if word == "latency" {
            // `WHEN:MS[+JITTER]` like every other fault, or the time alone.
            let (when, time) = match value {
                None => ("1", "200"),
                Some(value) if value.starts_with("next") && !value.contains(':') => (value, "200"),
                Some(value) => value.split_once(':').unwrap_or(("1", value)),
            };
            let (ms, jitter) = time.split_once('+').unwrap_or((time, "0"));
            let number = |text: &str| text.parse().map_err(|_| format!("latency is MS[+JITTER], got {text:?}"));
            let fault = Fault::Latency { ms: number(ms)?, jitter_ms: number(jitter)? };
            return Ok(FaultRule { fault, on, chance: when.parse()? });
        }
        let (when, number) = value.map_or(("1", None), |value| {
            value.split_once(':').map_or((value, None), |(when, number)| (when, Some(number)))
        });
        let number = match number {
            None => known.number,
            Some(text) => text.parse().map_err(|_| format!("{word}: {text:?} is not a whole number"))?,
        };
        Ok(FaultRule { fault: (known.make)(number), on, chance: when.parse()? })
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
