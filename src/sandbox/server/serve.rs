//! Wraps the service in HTTP: bytes in, answer out, and on its way whatever the answer says about delay and line.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::extract::{ConnectInfo, Request as HttpRequest};
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use tokio::sync::mpsc;

use super::listener::Breaker;
use crate::service::{Body as Said, Delivery, RequestWatch, Service, ServiceAnswer, ServiceRequest};

/// More than any request needs.
const LARGEST_BODY: usize = 2 << 20;
/// How much of a body is read before the connection is given up.
const DRAINED: usize = 64 << 20;
/// Time for the first half of a body to get out before its connection is reset.
const BREATH: Duration = Duration::from_millis(30);

/// Milliseconds since 1970 that never go back while the sandbox runs.
#[derive(Clone, Copy)]
pub(super) struct Clock {
    started: Instant,
    started_ms: u64,
}

impl Clock {
    pub(super) fn start() -> Clock {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { started: Instant::now(), started_ms: since.as_millis() as u64 }
    }

    pub(super) fn now_ms(&self) -> u64 {
        self.started_ms + self.started.elapsed().as_millis() as u64
    }
}

pub(super) fn router(service: Arc<Service>, clock: Clock) -> Router {
    Router::new().fallback(move |ConnectInfo(breaker): ConnectInfo<Breaker>, request: HttpRequest| {
        let service = service.clone();
        async move { deliver(answer(service, read(request).await, clock).await, breaker).await }
    })
}

pub(super) async fn read(request: HttpRequest) -> ServiceRequest {
    let (parts, body) = request.into_parts();
    let mut pieces = body.into_data_stream();
    let (mut body, mut length) = (Vec::new(), 0);
    while let Some(Ok(piece)) = pieces.next().await {
        length += piece.len();
        if length > DRAINED {
            break;
        }
        // The service refuses what is longer than it likes; the rest is read all the same, so that the client gets to know.
        if body.len() < LARGEST_BODY {
            body.extend_from_slice(&piece);
        }
    }
    let text = |value: &HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let headers = parts.headers.iter().map(|(name, value)| (name.as_str().to_owned(), text(value))).collect();
    let (path, query) = (parts.uri.path().to_owned(), parts.uri.query().unwrap_or_default().to_owned());
    ServiceRequest { method: parts.method.as_str().to_owned(), path, query, headers, body }
}

async fn answer(service: Arc<Service>, request: ServiceRequest, clock: Clock) -> ServiceAnswer {
    let now_ms = clock.now_ms();
    let received = Instant::now();
    // Dropped with this future when the client has gone away.
    let waiting = Arc::new(());
    let client = Arc::downgrade(&waiting);
    let long = Service::may_take_long(&request);
    let handle = move || {
        let elapsed_ms = || received.elapsed().as_millis() as u64;
        let canceled = || client.strong_count() == 0;
        service.handle(&request, now_ms, &RequestWatch { elapsed_ms: &elapsed_ms, canceled: &canceled })
    };
    let answer = if long {
        tokio::task::spawn_blocking(handle).await.unwrap_or_else(|panic| {
            let words = format!("The sandbox has a bug: {panic}");
            ServiceAnswer::json(500, &serde_json::json!({"ok": false, "error": words, "message": words}))
        })
    } else {
        handle()
    };
    drop(waiting);
    answer
}

async fn deliver(answer: ServiceAnswer, breaker: Breaker) -> Response {
    if answer.delay_ms > 0 {
        tokio::time::sleep(Duration::from_millis(answer.delay_ms)).await;
    }
    let line = answer.line;
    if line == Delivery::Lost {
        breaker.reset();
        return Response::new(Body::empty());
    }
    if line == Delivery::Silent {
        return std::future::pending().await;
    }
    let body = match answer.body {
        Said::Bytes(bytes) if line == Delivery::Whole => Body::from(bytes),
        Said::Bytes(bytes) => {
            let (sender, receiver) = mpsc::channel(1);
            drop(sender.try_send(Bytes::from(bytes)));
            on_line(receiver, line, breaker)
        }
        Said::Export(export) => {
            let (sender, receiver) = mpsc::channel::<Bytes>(8);
            tokio::task::spawn_blocking(move || {
                export.write(&mut |piece| sender.blocking_send(Bytes::from(piece)).is_ok());
            });
            on_line(receiver, line, breaker)
        }
        Said::Flood(flood) => {
            Body::from_stream(stream::iter(flood.pieces().map(|piece| Ok::<_, Infallible>(Bytes::from(piece)))))
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in answer.headers {
        // Header values are written by lode, except an address that repeats what a client sent.
        if let Ok(value) = HeaderValue::from_str(&value) {
            response.headers_mut().append(HeaderName::from_static(name), value);
        }
    }
    response
}

/// The pieces of a body, and what the line does to them on their way.
fn on_line(pieces: mpsc::Receiver<Bytes>, line: Delivery, breaker: Breaker) -> Body {
    let left = if let Delivery::CutAfter(length) | Delivery::StallAfter(length) = line { length } else { usize::MAX };
    let state = (pieces, Bytes::new(), left);
    Body::from_stream(stream::unfold(Some(state), move |state| {
        let breaker = breaker.clone();
        async move {
            let (mut pieces, mut rest, left) = state?;
            if let Delivery::StallAfter(_) = line
                && left == 0
            {
                std::future::pending::<()>().await;
            }
            // A tenth of a second's share at a time, a byte at least.
            let share = if let Delivery::Drip(speed) = line { (speed / 10).max(1) as usize } else { usize::MAX };
            if rest.is_empty() {
                rest = pieces.recv().await.unwrap_or_default();
            } else if let Delivery::Drip(speed) = line {
                tokio::time::sleep(Duration::from_secs_f64(share as f64 / f64::from(speed.max(1)))).await;
            }
            let piece = rest.split_to(share.min(left).min(rest.len()));
            if piece.is_empty() {
                let Delivery::CutAfter(_) = line else { return None };
                tokio::time::sleep(BREATH).await;
                breaker.reset();
                return Some((Err(io::Error::from(io::ErrorKind::ConnectionReset)), None));
            }
            let left = left - piece.len();
            Some((Ok(piece), Some((pieces, rest, left))))
        }
    }))
}
