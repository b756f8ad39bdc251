//! What can go wrong between a client and the service, drawn by a seeded generator or scripted for the next calls.
//!
//! A fault is a value with a name that can be typed (`--fault unlock-lost=0.2`). This module decides *whether* one happens; what
//! it does to an answer is done where answers are made (`service`), what it does to a connection where connections are
//! (`server`). `hostile` holds the strings and the bodies without end.
//!
//! Its written form is `NAME[@CALL][=WHEN[:NUMBER]]`. WHEN is a chance from 0 to 1 (1 if left out), `next` or `nextN`. NUMBER is
//! what the fault needs to know: seconds, bytes, milliseconds. The number of latency is `MS[+JITTER]`, and may stand alone:
//! `latency=250`.

pub mod hostile;

use std::fmt;
use std::str::FromStr;

use strum::{Display, EnumString, VariantNames};

use crate::corpus::mix;

pub use hostile::Flood;

/// The calls of both services, so that a fault can be aimed at one.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Display, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case", parse_err_ty = String, parse_err_fn = no_call)]
pub enum Endpoint {
    Search,
    Unlock,
    Me,
    DataSearch,
    Counts,
    Export,
    Saved,
    /// Any other address.
    Elsewhere,
}

/// How a 429 says when to come back.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RetryAfter {
    Seconds(u64),
    /// An HTTP date this many seconds from now.
    Date(u64),
    Absent,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The answer takes its time.
    Latency {
        ms: u64,
        jitter_ms: u64,
    },
    TooMany(RetryAfter),
    /// This status with a page of HTML, as a proxy in front of the service would send it.
    Html(u16),
    /// Connection reset before the service looked at the request.
    Reset,
    /// Connection reset in the middle of the body.
    ResetMid,
    /// The body ends early, properly framed.
    Truncated,
    /// The request takes effect, its answer is lost.
    Lost,
    /// An unlock takes effect for the first few ids, its answer is lost.
    Part,
    /// The connection breaks at once, the unlock takes effect this many milliseconds later.
    Late(u64),
    /// Another member of the workspace spends and unlocks.
    Members,
    /// A contact that was just shown goes on the Do-Not-Sell list.
    Suppress,
    /// Rows, contacts and sheets carry malicious text and numbers.
    Hostile,
    /// Some rows have ids at the ends of what numbers hold, or none.
    OddIds,
    /// Totals that a result can hardly have.
    OddTotals,
    /// Row ids are written as strings.
    StringIds,
    /// Rows of a page come in another order than last time.
    Reorder,
    /// A body of that many bytes; 0 never ends.
    Flood(u64),
    /// A small gzip body that unpacks to that many bytes.
    Bomb(u64),
    /// Bytes a second.
    Drip(u32),
    /// Bytes of the body, then silence.
    Stall(u64),
    /// To a server at another origin, which writes down what it is sent.
    Redirect,
    /// To another path of the same origin.
    RedirectHere,
    /// An error whose text repeats the headers of the request.
    Echo,
    /// 200 without a body.
    Empty,
    /// 200 with bytes that are no text.
    Binary,
}

impl Fault {
    /// Changes the answer or the records without being an answer of its own.
    fn is_weather(self) -> bool {
        use Fault::*;
        matches!(self, Latency { .. } | Members | Suppress | Hostile | OddIds | OddTotals | StringIds | Reorder)
    }

    fn fits(self, call: Endpoint) -> bool {
        !matches!(self, Fault::Part | Fault::Late(_)) || call == Endpoint::Unlock
    }
}

/// The drawn faults of one request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DrawnFaults {
    pub delay_ms: u64,
    weather: Vec<Fault>,
    /// What chooses a total that a result can hardly have.
    pub odd_total: Option<u64>,
    /// At most one fault that takes the place of the answer or of its delivery.
    pub act: Option<Fault>,
}

impl DrawnFaults {
    /// Whether this fault happens around the request.
    pub fn has(&self, weather: Fault) -> bool {
        self.weather.contains(&weather)
    }
}

/// All rules in force, with the generator that draws them.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    pub rules: Vec<FaultRule>,
    pub rng: Rng,
}

impl Faults {
    pub fn new(seed: u64, rules: Vec<FaultRule>) -> Faults {
        Faults { rules, rng: Rng::new(seed) }
    }

    /// Scripted rules come before drawn ones, earlier rules before later ones.
    pub fn draw(&mut self, call: Endpoint) -> DrawnFaults {
        let mut drawn = DrawnFaults::default();
        let mut rules: Vec<&mut FaultRule> = self.rules.iter_mut().collect();
        rules.sort_by_key(|rule| matches!(rule.chance, Chance::Rng(_)));
        for rule in rules {
            let fault = rule.fault;
            let aimed = rule.on.is_none_or(|on| on == call) && fault.fits(call);
            if !aimed || (!fault.is_weather() && drawn.act.is_some()) {
                continue;
            }
            let happens = match &mut rule.chance {
                Chance::Next(times) => times.checked_sub(1).map(|left| *times = left).is_some(),
                Chance::Rng(chance) => self.rng.chance(*chance),
            };
            match fault {
                _ if !happens => {}
                Fault::Latency { ms, jitter_ms } => drawn.delay_ms += ms + self.rng.below(jitter_ms + 1),
                Fault::OddTotals => drawn.odd_total = Some(self.rng.roll()),
                weather if weather.is_weather() => drawn.weather.push(weather),
                other => drawn.act = Some(other),
            }
        }
        self.rules.retain(|rule| rule.chance != Chance::Next(0));
        drawn
    }
}

/// Numbers that look random and follow from a seed (splitmix64).
#[derive(Clone, Debug, Default)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed ^ 0x6c6f_6465_6661_756c)
    }

    pub fn roll(&mut self) -> u64 {
        let rolled = mix(self.0);
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        rolled
    }

    /// 0..end; 0 where end is 0.
    pub fn below(&mut self, end: u64) -> u64 {
        if end == 0 { 0 } else { self.roll() % end }
    }

    pub fn chance(&mut self, chance: f64) -> bool {
        ((self.roll() >> 11) as f64) < chance * (1u64 << 53) as f64
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Chance {
    Rng(f64),
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
    ("unlock-late", 5_000, Fault::Late, "line broken at once, unlock applied MS later"),
    ("members", 0, |_| Fault::Members, "other members spend and unlock"),
    ("suppress", 0, |_| Fault::Suppress, "rows just shown go on the Do-Not-Sell list"),
    ("hostile", 0, |_| Fault::Hostile, "malicious strings and numbers in rows, contacts and sheets"),
    ("odd-ids", 0, |_| Fault::OddIds, "some ids around 2^53 and 2^63, negative, or none"),
    ("odd-totals", 0, |_| Fault::OddTotals, "totals that a result can hardly have"),
    ("string-ids", 0, |_| Fault::StringIds, "row ids written as strings"),
    ("reorder", 0, |_| Fault::Reorder, "rows of a page in another order"),
    ("huge", 1_000_000_000, Fault::Flood, "a body of BYTES"),
    ("endless", 0, |_| Fault::Flood(0), "a body that never ends"),
    ("gzip-bomb", 1_000_000_000, Fault::Bomb, "a small gzip body that unpacks to BYTES"),
    ("drip", 1, |bytes| Fault::Drip(bytes.clamp(1, 1 << 20) as u32), "BYTES a second"),
    ("stall", 100, Fault::Stall, "BYTES of a body, then silence on an open line"),
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
            Some(aim) => Some(aim.parse()?),
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

fn no_call(name: &str) -> String {
    format!("no call is named {name:?}: search, unlock, me, data-search, counts, export, saved")
}

impl FromStr for Chance {
    type Err = String;

    fn from_str(text: &str) -> Result<Chance, String> {
        if let Some(times) = text.strip_prefix("next") {
            let times = if times.is_empty() { Some(1) } else { times.parse().ok() };
            return times.map(Chance::Next).ok_or_else(|| format!("{text:?} is not next or nextN"));
        }
        match text.parse::<f64>() {
            Ok(chance) if (0.0..=1.0).contains(&chance) => Ok(Chance::Rng(chance)),
            _ => Err(format!("{text:?} is neither a chance from 0 to 1 nor next or nextN")),
        }
    }
}

impl fmt::Display for FaultRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FaultRule { fault, on, chance } = self;
        write!(f, "{fault:?}")?;
        if let Some(call) = on {
            write!(f, " on {call}")?;
        }
        match chance {
            Chance::Rng(chance) => write!(f, ", {chance} of the time"),
            Chance::Next(times) => write!(f, ", next {times}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(rules: &[&str]) -> Faults {
        Faults::new(1, rules.iter().map(|rule| rule.parse().unwrap()).collect())
    }

    #[test]
    fn the_same_seed_draws_the_same_faults() {
        let drawn = |seed| {
            let mut faults = faults(&["502=0.3", "latency=10+90", "members=0.5"]);
            faults.rng = Rng::new(seed);
            (0..200).map(|_| faults.draw(Endpoint::Search)).collect::<Vec<_>>()
        };
        assert_eq!(drawn(7), drawn(7));
        assert_ne!(drawn(7), drawn(8));
    }

    #[test]
    fn a_scripted_fault_happens_so_often_and_to_its_call_only() {
        let mut faults = faults(&["reset@unlock=next2"]);
        let acts: Vec<bool> = [Endpoint::Search, Endpoint::Unlock, Endpoint::Me, Endpoint::Unlock, Endpoint::Unlock]
            .into_iter()
            .map(|call| faults.draw(call).act.is_some())
            .collect();
        assert_eq!(acts, [false, true, false, true, false]);
        assert!(faults.rules.is_empty());
    }

    #[test]
    fn dice_come_up_about_as_often_as_asked() {
        let mut faults = faults(&["502=0.25"]);
        let hits = (0..10_000).filter(|_| faults.draw(Endpoint::Me).act.is_some()).count();
        assert!((2_300..2_700).contains(&hits), "{hits}");
    }

    fn rule(text: &str) -> FaultRule {
        text.parse().unwrap()
    }

    #[test]
    fn a_rule_reads_as_it_is_typed() {
        assert_eq!(rule("502"), FaultRule { fault: Fault::Html(502), on: None, chance: Chance::Rng(1.0) });
        assert_eq!(
            rule("429@search=0.5:30"),
            FaultRule {
                fault: Fault::TooMany(RetryAfter::Seconds(30)),
                on: Some(Endpoint::Search),
                chance: Chance::Rng(0.5)
            }
        );
        assert_eq!(
            rule("unlock-lost=next"),
            FaultRule { fault: Fault::Lost, on: Some(Endpoint::Unlock), chance: Chance::Next(1) }
        );
        assert_eq!(rule("latency=100+50").fault, Fault::Latency { ms: 100, jitter_ms: 50 });
        for (text, chance) in [
            ("latency@search=1:2500", Chance::Rng(1.0)),
            ("latency@search=0.5:2500", Chance::Rng(0.5)),
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
