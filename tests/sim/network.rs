//! The line between a window and the service, and everything it does to a request and its answer.

use common::asking::Readable;
use common::rng::Rng;
use common::sandbox_engine;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::Failure;
use lode_engine::effect::unlock::UnlockBody;
use lode_engine::wire;
use lode_engine::wire::Head;
use lode_sandbox::service::ServiceAnswer;

use crate::twists::TWISTS;

/// What becomes of one request. Times are milliseconds after it was sent.
#[derive(Clone, Debug)]
pub enum Fate {
    /// Arrives after `up`, and its answer after `down` more.
    Fine { up: u64, down: u64 },
    /// Arrives twice, one right after the other; the first answer counts.
    Twice { up: u64, down: u64 },
    /// Never arrives; the line breaks at `broke`.
    Lost { broke: u64 },
    /// Applied, answer lost at `broke`. `part`: only this many ids are applied. `copy`: another copy arrives that long after.
    Deaf { up: u64, broke: u64, part: Option<u64>, copy: Option<u64> },
    /// The line breaks first; the request arrives that long after.
    Late { broke: u64, after: u64 },
    /// A proxy in front of the service answers instead.
    Instead { at: u64, said: Said },
    /// Applied, and then something else is answered, by service or proxy. `topped`: and credits are added in between.
    Refused { up: u64, down: u64, said: Said, topped: bool },
    /// Applied, and the answer contradicts itself, or breaks off.
    Garbled { up: u64, down: u64, how: Garble },
    /// It never left.
    Unsent { at: u64 },
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Garble {
    /// A web page with status 200.
    Page,
    /// The first half.
    Cut,
    /// By its name among the contradictions.
    Twist(&'static str),
}

/// What is answered in place of the service's own answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Said {
    pub status: u16,
    pub retry_after: Option<u64>,
    /// In the form that the documents show, as the service itself would.
    pub documented: bool,
}

/// The longest that a call is under way after its line broke: what the documents' reader allows for.
pub const LATEST: u64 = 58_000;
/// Where a service does not keep to that.
pub const TOO_LATE: u64 = 75_000;
const DEADLINE: u64 = 30_000;

/// Statuses that a proxy in front of a service, or the service, answers after the call was carried out.
const REFUSALS: &[u16] = &[
    301, 302, 303, 307, 307, 308, 400, 401, 401, 402, 403, 403, 404, 404, 405, 408, 409, 409, 410, 413, 422, 425, 429,
    429, 429, 429, 451, 500, 502, 503, 504,
];

/// How rough a simulation is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Weather {
    pub storm: u64,
    /// How often, of a thousand, an unlock is refused after it was carried out, or its answer contradicts itself.
    pub lies: u64,
    /// How late a call may be applied.
    pub latest: u64,
    pub slow: Option<u64>,
    /// Unlocks are on the wire for seconds.
    pub drags: bool,
    /// Many unlocks never arrive: what one window has on the wire, another wants to send.
    pub loses: bool,
}

pub fn fate(call: &Call, weather: Weather, rng: &mut Rng) -> Fate {
    if let Some(slow) = weather.slow {
        return Fate::Fine { up: 1, down: slow.saturating_sub(1) };
    }
    let unlock = matches!(call, Call::Unlock(_));
    let (up, down) =
        (rng.between(2, 60), if unlock && weather.drags { rng.between(2_000, 20_000) } else { rng.between(5, 400) });
    if unlock && rng.per_mille(weather.lies) {
        return lie(up, down, rng);
    }
    if unlock && weather.loses && rng.per_mille(500) {
        return Fate::Lost { broke: rng.between(5_000, DEADLINE) };
    }
    let roll = rng.below(1_000) * 100 / weather.storm.max(1);
    if weather.storm == 0 {
        return Fate::Fine { up, down };
    }
    let broke = rng.between(60, 4_000);
    let page = |status, retry_after| Said { status, retry_after, documented: false };
    if !unlock {
        return match roll {
            0..30 => Fate::Lost { broke },
            30..42 => Fate::Instead { at: up, said: page(502, None) },
            42..45 => Fate::Instead { at: up, said: page(*rng.pick(&[302, 307]), None) },
            45..55 => Fate::Instead { at: up, said: page(429, Some(rng.between(1, 9))) },
            55..70 => Fate::Deaf { up, broke: broke.max(up + 1), part: None, copy: None },
            // Found early, told late.
            70..110 => Fate::Fine { up, down: rng.between(3_000, 25_000) },
            _ => Fate::Fine { up, down },
        };
    }
    let after = rng.below(weather.latest);
    match roll {
        0..40 => Fate::Lost { broke },
        40..100 => Fate::Deaf { up, broke: broke.max(up + 1), part: None, copy: None },
        100..140 => Fate::Late { broke: if rng.per_mille(500) { DEADLINE } else { broke }, after },
        140..165 => Fate::Deaf { up, broke: broke.max(up + 1), part: Some(1 + rng.below(24)), copy: None },
        165..185 => Fate::Twice { up, down },
        185..205 => Fate::Deaf { up, broke: broke.max(up + 1), part: None, copy: Some(after) },
        205..235 => {
            let retry_after = rng.per_mille(700).then(|| rng.between(1, 30));
            Fate::Instead { at: up, said: Said { status: 429, retry_after, documented: rng.per_mille(500) } }
        }
        235..260 => Fate::Instead { at: up, said: page(*rng.pick(&[502, 503, 500]), None) },
        260..280 => Fate::Refused { up, down, said: page(502, None), topped: false },
        280..300 => Fate::Garbled { up, down, how: Garble::Page },
        300..315 => Fate::Garbled { up, down, how: Garble::Cut },
        315..340 => Fate::Unsent { at: up },
        _ => Fate::Fine { up, down },
    }
}

/// Carried out, and something else is said.
fn lie(up: u64, down: u64, rng: &mut Rng) -> Fate {
    if rng.per_mille(500) {
        return Fate::Garbled { up, down, how: Garble::Twist(rng.pick::<&'static str>(TWISTS)) };
    }
    let status = *rng.pick(REFUSALS);
    let retry_after = (status == 429 && rng.per_mille(500)).then(|| rng.between(1, 30));
    let said = Said { status, retry_after, documented: rng.per_mille(500) };
    Fate::Refused { up, down, said, topped: rng.per_mille(300) }
}

/// A request as one line, without its key: what names it in the draws.
pub fn on_the_wire(call: &Call) -> String {
    let request = sandbox_engine::request(call, "");
    let target = [request.path, request.query].join("?");
    format!("{} {} {}", request.method, target.trim_end_matches('?'), String::from_utf8_lossy(&request.body))
}

/// The same unlock with some of its ids: what a service did that fell over in the middle, or does one part after the other.
pub fn part_of(call: &Call, from: usize, count: usize) -> Call {
    let Call::Unlock(unlock) = call else { return call.clone() };
    let ids = unlock.ids.iter().copied().skip(from).take(count).collect();
    Call::Unlock(UnlockBody { ids, ..unlock.clone() })
}

pub fn instead(call: &Call, said: Said) -> Result<Reply, Failure> {
    let (kind, body): (&str, &[u8]) = match said.documented {
        true => ("application/json", br#"{"ok":false,"error":"Not now"}"#),
        false => ("text/html", b"<html><body>Bad gateway</body></html>"),
    };
    let head = Head {
        status: said.status,
        retry_after: said.retry_after.map(|seconds| seconds.to_string()),
        content_type: Some(kind.to_owned()),
        ..Head::default()
    };
    wire::read(call, &head, body)
}

/// A web page where the answer should be.
pub fn page(call: &Call) -> Result<Reply, Failure> {
    instead(call, Said { status: 200, retry_after: None, documented: false })
}

/// The first half of an answer.
pub fn cut(answer: &ServiceAnswer) -> ServiceAnswer {
    let mut cut = answer.clone();
    let mut body = answer.bytes().unwrap_or_default();
    body.truncate(body.len() / 2);
    cut.body = lode_sandbox::service::Body::Bytes(body);
    cut
}
