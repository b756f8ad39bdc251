//! What tests say to the services without a socket, and how they read what comes back.

use lode_sandbox::corpus::CorpusKind;
use lode_sandbox::rate::RateLimit;
use lode_sandbox::server::SandboxSettings;
use lode_sandbox::service::{Body, RequestWatch, Service, ServiceAnswer, ServiceRequest, ServiceSetup};
use lode_sandbox::variants::Variant;
use serde_json::Value;

/// Small corpora.
pub trait Small {
    fn small() -> Self;
}

/// A sandbox as `lode sandbox` starts it.
pub fn full() -> ServiceSetup {
    ServiceSetup {
        us_rows: 80_000_000,
        linkedin_rows: 46_800_000,
        credits: 1_204,
        seed: 1,
        identity: 1,
        allowance: RateLimit::default(),
        variant: Variant::A,
        max_page: None,
        faults: Vec::new(),
        threads: 4,
    }
}

impl Small for ServiceSetup {
    fn small() -> ServiceSetup {
        ServiceSetup { us_rows: 3_000, linkedin_rows: 2_000, threads: 1, ..full() }
    }
}

impl Small for SandboxSettings {
    fn small() -> SandboxSettings {
        SandboxSettings { setup: ServiceSetup::small(), ..SandboxSettings::default() }
    }
}

/// A request that a test makes.
pub trait Asking: Sized {
    fn new(method: &str, target: &str) -> Self;

    /// Names in lower case.
    fn header(self, name: &str, value: &str) -> Self;

    fn get(target: &str) -> Self {
        Self::new("GET", target)
    }

    /// A POST of this JSON.
    fn post(target: &str, body: &Value) -> Self;

    fn bearer(self, key: &str) -> Self {
        self.header("authorization", &format!("Bearer {key}"))
    }
}

impl Asking for ServiceRequest {
    fn new(method: &str, target: &str) -> ServiceRequest {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        ServiceRequest { method: method.into(), path: path.into(), query: query.into(), ..ServiceRequest::default() }
    }

    fn header(mut self, name: &str, value: &str) -> ServiceRequest {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

    fn post(target: &str, body: &Value) -> ServiceRequest {
        let request = ServiceRequest { body: body.to_string().into_bytes(), ..ServiceRequest::new("POST", target) };
        request.header("content-type", "application/json")
    }
}

/// An answer that a test reads.
pub trait Readable {
    fn header(&self, name: &str) -> Option<&str>;

    /// The body in one piece; None for a flood, which has no end worth waiting for.
    fn bytes(&self) -> Option<Vec<u8>>;

    /// The body as JSON, null where it is none.
    fn value(&self) -> Value {
        serde_json::from_slice(&self.bytes().unwrap_or_default()).unwrap_or_default()
    }
}

impl Readable for ServiceAnswer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    fn bytes(&self) -> Option<Vec<u8>> {
        match &self.body {
            Body::Bytes(bytes) => Some(bytes.clone()),
            Body::Export(export) => {
                let mut all = Vec::new();
                export.write(&mut |piece| {
                    all.extend_from_slice(&piece);
                    true
                });
                Some(all)
            }
            Body::Flood(_) => None,
        }
    }
}

/// A service that a test asks and looks into.
pub trait Askable {
    /// Its answer to a client that waits as long as it takes.
    fn answer(&self, request: &ServiceRequest, now_ms: u64) -> ServiceAnswer;

    fn balance(&self, org: &str, now_ms: u64) -> i64;

    /// Ids this workspace owns, ascending.
    fn owned(&self, org: &str, kind: CorpusKind, now_ms: u64) -> Vec<u64>;
}

impl Askable for Service {
    fn answer(&self, request: &ServiceRequest, now_ms: u64) -> ServiceAnswer {
        self.handle(request, now_ms, &RequestWatch { elapsed_ms: &|| 0, canceled: &|| false })
    }

    fn balance(&self, org: &str, now_ms: u64) -> i64 {
        self.read(now_ms, |records| records.balance(org))
    }

    fn owned(&self, org: &str, kind: CorpusKind, now_ms: u64) -> Vec<u64> {
        self.read(now_ms, |records| {
            records.org(org).map(|org| org.owned.of(kind).keys().copied().collect()).unwrap_or_default()
        })
    }
}
