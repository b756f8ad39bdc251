//! What can go wrong between a client and the service, drawn by seeded dice or scripted for the next calls.
//!
//! A fault is a value with a name that can be typed (`--fault unlock-lost=0.2`). This module decides *whether* one happens; what
//! it does to an answer is done where answers are made (`service`), what it does to a connection where connections are
//! (`server`). `hostile` holds the strings and `flood` the bodies without end.

mod flood;
pub mod hostile;
pub mod rule;

pub use flood::Flood;
pub use rule::{Chance, FaultRule};

use crate::corpus::mix;

/// The calls of both services, so that a fault can be aimed at one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
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

impl Endpoint {
    pub const NAMES: [(Endpoint, &str); 8] = [
        (Endpoint::Search, "search"),
        (Endpoint::Unlock, "unlock"),
        (Endpoint::Me, "me"),
        (Endpoint::DataSearch, "data-search"),
        (Endpoint::Counts, "counts"),
        (Endpoint::Export, "export"),
        (Endpoint::Saved, "saved"),
        (Endpoint::Elsewhere, "elsewhere"),
    ];

    pub fn name(self) -> &'static str {
        Endpoint::NAMES[self as usize].1
    }
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
    /// The connection breaks at once, the unlock takes effect so much later.
    Late {
        ms: u64,
    },
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
    Flood {
        bytes: u64,
    },
    /// A small gzip body that unpacks to that many bytes.
    Bomb {
        bytes: u64,
    },
    /// So many bytes a second.
    Drip {
        bytes: u32,
    },
    /// So many bytes of the body, then silence.
    Stall {
        bytes: u64,
    },
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
        !matches!(self, Fault::Part | Fault::Late { .. }) || call == Endpoint::Unlock
    }
}

/// What the dice say about one request.
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

/// All rules in force, with the dice they are drawn by.
#[derive(Clone, Debug)]
pub struct Faults {
    pub rules: Vec<FaultRule>,
    pub dice: Dice,
}

impl Faults {
    pub fn new(seed: u64, rules: Vec<FaultRule>) -> Faults {
        Faults { rules, dice: Dice::new(seed) }
    }

    /// Scripted rules come before dice, earlier rules before later ones.
    pub fn draw(&mut self, call: Endpoint) -> DrawnFaults {
        let mut drawn = DrawnFaults::default();
        let mut order: Vec<usize> = (0..self.rules.len()).collect();
        order.sort_by_key(|at| matches!(self.rules[*at].chance, Chance::Dice(_)));
        for at in order {
            let rule = &mut self.rules[at];
            let fault = rule.fault;
            let aimed = rule.on.is_none_or(|on| on == call) && fault.fits(call);
            if !aimed || (!fault.is_weather() && drawn.act.is_some()) {
                continue;
            }
            let happens = match &mut rule.chance {
                Chance::Next(times) => {
                    let left = times.checked_sub(1);
                    *times = left.unwrap_or(0);
                    left.is_some()
                }
                Chance::Dice(chance) => self.dice.chance(*chance),
            };
            match fault {
                _ if !happens => {}
                Fault::Latency { ms, jitter_ms } => drawn.delay_ms += ms + self.dice.below(jitter_ms + 1),
                Fault::OddTotals => drawn.odd_total = Some(self.dice.roll()),
                weather if weather.is_weather() => drawn.weather.push(weather),
                other => drawn.act = Some(other),
            }
        }
        self.rules.retain(|rule| rule.chance != Chance::Next(0));
        drawn
    }
}

/// Numbers that look random and follow from a seed (splitmix64).
#[derive(Clone, Debug)]
pub struct Dice {
    state: u64,
}

impl Dice {
    pub fn new(seed: u64) -> Dice {
        Dice { state: seed ^ 0x6c6f_6465_6661_756c }
    }

    pub fn roll(&mut self) -> u64 {
        let rolled = mix(self.state);
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
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
            faults.dice = Dice::new(seed);
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
}
