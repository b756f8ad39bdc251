//! What a fault does to an answer: stands in its place, or spoils it on its way.

use std::time::{Duration, UNIX_EPOCH};

use super::State;
use super::answer::{Answer, Body, Line};
use super::arrival::{Arrival, MOVED};
use super::request::Request;
use crate::faults::flood::Flood;
use crate::faults::{Fault, RetryAfter};
use crate::variants::Habits;

/// What is answered in place of the service, if this fault stands in front of it.
pub(super) fn instead(
    act: Fault,
    arrival: &Arrival<'_>,
    request: &Request,
    habits: &Habits,
    state: &State,
    now_ms: u64,
) -> Option<Answer> {
    let target =
        |path: &str| if request.query.is_empty() { path.to_owned() } else { format!("{path}?{}", request.query) };
    Some(match act {
        Fault::TooMany(after) => {
            let answer = arrival.refuse(habits, 429, "Too many requests");
            match after {
                RetryAfter::Absent => answer,
                RetryAfter::Seconds(seconds) => answer.with_header("retry-after", seconds.to_string()),
                RetryAfter::Date(seconds) => {
                    let at = UNIX_EPOCH + Duration::from_millis(now_ms) + Duration::from_secs(seconds);
                    answer.with_header("retry-after", httpdate::fmt_http_date(at))
                }
            }
        }
        Fault::Html(status) => Answer::text(status, "text/html; charset=utf-8", page(status)),
        Fault::Reset => Answer { line: Line::Lost, ..Answer::text(0, "text/plain", "") },
        Fault::Flood { bytes } => {
            Answer { body: Body::Flood(Flood::plain(bytes)), ..Answer::text(200, "application/json", "") }
        }
        Fault::Bomb { bytes } => {
            Answer { body: Body::Flood(Flood::gzip(bytes)), ..Answer::text(200, "application/json", "") }
                .with_header("content-encoding", "gzip")
        }
        Fault::Redirect => {
            let path = target(&request.path);
            Answer::text(307, "text/plain", "")
                .with_header("location", format!("{}{path}", state.stranger.trim_end_matches('/')))
        }
        Fault::RedirectHere if !arrival.moved => {
            Answer::text(307, "text/plain", "").with_header("location", target(&format!("{MOVED}{}", request.path)))
        }
        Fault::Echo => {
            let headers: Vec<String> = request.headers.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            let words =
                format!("Cannot handle {} {} with {}", request.method, target(&request.path), headers.join("; "));
            arrival.refuse(habits, 400, &words)
        }
        Fault::Empty => Answer::text(200, "application/json", ""),
        Fault::Binary => Answer::text(200, "application/json", (0..=255).cycle().take(2_000).collect::<Vec<u8>>()),
        _ => return None,
    })
}

/// What the line does to an answer that the service has made.
pub(super) fn spoil(answer: &mut Answer, act: Fault) {
    match act {
        Fault::Lost | Fault::Part => answer.line = Line::Lost,
        Fault::ResetMid => {
            answer.line = Line::CutAfter(match &answer.body {
                Body::Bytes(bytes) => bytes.len() / 2,
                _ => 100_000,
            })
        }
        Fault::Truncated => match &mut answer.body {
            Body::Bytes(bytes) => bytes.truncate(bytes.len() / 2),
            // A stream cannot end early and be properly framed at once without saying so: it breaks.
            _ => answer.line = Line::CutAfter(100_000),
        },
        Fault::Drip { bytes } => answer.line = Line::Drip(bytes),
        Fault::Stall { bytes } => answer.line = Line::StallAfter(usize::try_from(bytes).unwrap_or(usize::MAX)),
        _ => {}
    }
}

fn page(status: u16) -> String {
    let words = match status {
        502 => "502 Bad Gateway",
        503 => "503 Service Temporarily Unavailable",
        500 => "500 Internal Server Error",
        _ => "Welcome",
    };
    format!(
        "<html>\r\n<head><title>{words}</title></head>\r\n<body>\r\n<center><h1>{words}</h1></center>\r\n\
         <hr><center>gateway</center>\r\n</body>\r\n</html>\r\n"
    )
}
