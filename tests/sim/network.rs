//! The line between a window and the service, and everything it does to a request and its answer.

use lode::effect::call::{Call, UnlockCall};
use lode::effect::failure::{Failure, Unclear};
use lode::sandbox::service::answer::Answer;
use lode::sandbox::service::request::Request;
use lode::wire;
use lode::wire::{Head, Method};

use crate::dice::Dice;

/// What becomes of one request. Times are milliseconds after it was sent.
#[derive(Clone, Debug)]
pub enum Fate {
    /// Arrives after `up`, and its answer after `down` more.
    Fine { up: u64, down: u64 },
    /// Arrives twice, one right after the other; the first answer counts.
    Twice { up: u64, down: u64 },
    /// Never arrives; the line breaks at `broke`.
    Lost { broke: u64 },
    /// Applied, answer lost at `broke`. `part`: only so many ids are applied. `copy`: another copy arrives that long after.
    Deaf { up: u64, broke: u64, part: Option<u64>, copy: Option<u64> },
    /// The line breaks first; the request arrives that long after.
    Late { broke: u64, after: u64 },
    /// Somebody in front of the service answers instead.
    Instead { at: u64, status: u16, retry_after: Option<u64> },
    /// Applied, and then somebody in front answers this.
    Garbled { up: u64, down: u64, status: u16, cut: bool },
    /// It never left.
    Unsent { at: u64 },
}

/// The longest that a call is under way after its line broke: what the documents' reader allows for.
pub const LATEST: u64 = 58_000;
const DEADLINE: u64 = 30_000;

pub fn fate(call: &Call, storm: u64, slow: Option<u64>, dice: &mut Dice) -> Fate {
    if let Some(slow) = slow {
        return Fate::Fine { up: 1, down: slow.saturating_sub(1) };
    }
    let (up, down) = (dice.between(2, 60), dice.between(5, 400));
    let unlock = matches!(call, Call::Unlock(_));
    let roll = dice.below(1_000) * 100 / storm.max(1);
    if storm == 0 {
        return Fate::Fine { up, down };
    }
    let broke = dice.between(60, 4_000);
    if !unlock {
        return match roll {
            0..30 => Fate::Lost { broke },
            30..45 => Fate::Instead { at: up, status: 502, retry_after: None },
            45..55 => Fate::Instead { at: up, status: 429, retry_after: Some(dice.between(1, 9)) },
            55..70 => Fate::Deaf { up, broke: broke.max(up + 1), part: None, copy: None },
            // Found early, told late.
            70..110 => Fate::Fine { up, down: dice.between(3_000, 25_000) },
            _ => Fate::Fine { up, down },
        };
    }
    let after = dice.below(LATEST);
    match roll {
        0..40 => Fate::Lost { broke },
        40..100 => Fate::Deaf { up, broke: broke.max(up + 1), part: None, copy: None },
        100..140 => Fate::Late { broke: if dice.per_mille(500) { DEADLINE } else { broke }, after },
        140..165 => Fate::Deaf { up, broke: broke.max(up + 1), part: Some(1 + dice.below(24)), copy: None },
        165..185 => Fate::Twice { up, down },
        185..205 => Fate::Deaf { up, broke: broke.max(up + 1), part: None, copy: Some(after) },
        205..235 => {
            let retry_after = dice.per_mille(700).then(|| dice.between(1, 30));
            Fate::Instead { at: up, status: 429, retry_after }
        }
        235..260 => Fate::Instead { at: up, status: *dice.pick(&[502, 503, 500]), retry_after: None },
        260..280 => Fate::Garbled { up, down, status: 502, cut: false },
        280..300 => Fate::Garbled { up, down, status: 200, cut: false },
        300..315 => Fate::Garbled { up, down, status: 200, cut: true },
        315..340 => Fate::Unsent { at: up },
        _ => Fate::Fine { up, down },
    }
}

pub fn request(call: &Call, key: &str) -> Request {
    let asked = wire::request(call);
    let method = match asked.method {
        Method::Get => "GET",
        Method::Post => "POST",
        Method::Delete => "DELETE",
    };
    let query: Vec<String> = asked.query.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    let mut request = Request::new(method, &format!("/api/v1{}?{}", asked.path, query.join("&"))).bearer(key);
    if let Some(body) = asked.body {
        request = request.header("content-type", "application/json");
        request.body = body;
    }
    request
}

/// The same unlock with fewer ids: what a service did that fell over in the middle.
pub fn part_of(call: &Call, count: u64) -> Call {
    let Call::Unlock(unlock) = call else { return call.clone() };
    let ids = unlock.ids.iter().copied().take(count as usize).collect();
    Call::Unlock(UnlockCall { ids, ..unlock.clone() })
}

fn encoded(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    value.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}

pub fn read(call: &Call, answer: &Answer) -> Result<lode::effect::call::Reply, Failure> {
    let head = Head {
        status: answer.status,
        retry_after: answer.header("retry-after").map(str::to_owned),
        content_type: answer.header("content-type").map(str::to_owned),
        ..Head::default()
    };
    wire::read(call, &head, &answer.bytes().unwrap_or_default())
}

pub fn instead(call: &Call, status: u16, retry_after: Option<u64>) -> Result<lode::effect::call::Reply, Failure> {
    let head = Head {
        status,
        retry_after: retry_after.map(|seconds| seconds.to_string()),
        content_type: Some("text/html".to_owned()),
        ..Head::default()
    };
    wire::read(call, &head, b"<html><body>Bad gateway</body></html>")
}

pub fn broken(why: Unclear) -> Failure {
    Failure::Unclear { why, words: "the line broke".to_owned() }
}
