//! The sandbox without its server behind the real wire mapping, as the service of a simulation.

use crate::asking::{Askable, Asking, Readable, Small};
use std::rc::Rc;

use lode_core::contact::Source;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::wire::{self, Head};
use lode_sandbox::rate::RateLimit;
use lode_sandbox::service::{Delivery, Service, ServiceAnswer, ServiceRequest, ServiceSetup};

pub fn small(change: impl FnOnce(&mut ServiceSetup)) -> Rc<Service> {
    let mut setup = ServiceSetup { allowance: RateLimit { requests: 120, window_ms: 60_000 }, ..ServiceSetup::small() };
    change(&mut setup);
    Rc::new(Service::new(setup))
}

/// What a service does with a request.
pub enum Said {
    Reply(Result<Reply, Failure>),
    /// Takes so long before the answer leaves.
    After(u64, Result<Reply, Failure>),
}

pub fn ask(service: &Service, call: &Call, now: u64) -> Said {
    let key = match wire::request(call).source {
        Source::Workspace => service.workspace_key(),
        Source::Data => service.data_key(),
    };
    let answer = service.answer(&request(call, &key), now);
    let result = match answer.line {
        Delivery::Whole => read(call, &answer),
        Delivery::Silent => Err(broken(Unclear::Deadline)),
        _ => Err(broken(Unclear::Line)),
    };
    Said::After(answer.delay_ms, result)
}

/// An answer of the service as the program reads it.
pub fn read(call: &Call, answer: &ServiceAnswer) -> Result<Reply, Failure> {
    let head = Head {
        status: answer.status,
        retry_after: answer.header("retry-after").map(str::to_owned),
        content_type: answer.header("content-type").map(str::to_owned),
        ..Head::default()
    };
    wire::read(call, &head, &answer.bytes().unwrap_or_default())
}

pub fn broken(why: Unclear) -> Failure {
    Failure::Unclear { why, words: "the line broke".to_owned() }
}

/// The answer at once, past every network: what a test holds the flows against.
pub fn page(service: &Service, call: &Call, now: u64) -> lode_core::Page {
    match ask(service, call, now) {
        Said::Reply(Ok(Reply::Page(page))) | Said::After(_, Ok(Reply::Page(page))) => page,
        Said::Reply(other) | Said::After(_, other) => panic!("{other:?}"),
    }
}

/// A call as it arrives at the service, with this key.
pub fn request(call: &Call, key: &str) -> ServiceRequest {
    let asked = wire::request(call);
    let query: Vec<String> = asked.query.iter().map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    let base = if asked.source == Source::Workspace { "/api/v1" } else { "" };
    let request = ServiceRequest::new(asked.method, &format!("{base}{}?{}", asked.path, query.join("&")));
    let mut request = match asked.source {
        Source::Workspace => request.bearer(key),
        Source::Data => request.header("x-api-key", key),
    };
    if let Some(body) = asked.body {
        request = request.header("content-type", "application/json");
        request.body = body;
    }
    request
}

fn encoded(value: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
    value.bytes().map(|byte| if plain(byte) { char::from(byte).to_string() } else { format!("%{byte:02X}") }).collect()
}
