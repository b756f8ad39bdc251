//! A running sandbox and a plain client for it.

use crate::asking::Small;
use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::rate::RateLimit;
use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::{Habit, Variant};
use reqwest::{Method, StatusCode};
use serde_json::Value;

pub struct Service {
    pub sandbox: Sandbox,
    pub variant: Variant,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub bytes: Vec<u8>,
    pub body: Value,
}

/// Small corpora, enough credits, no request limit.
pub fn setup(variant: Variant) -> ServiceSetup {
    ServiceSetup { variant, allowance: RateLimit { requests: 0, window_ms: 60_000 }, ..ServiceSetup::small() }
}

impl Answer {
    /// Rows of a search on either service.
    pub fn rows(&self) -> &[Value] {
        let rows = self.body["data"]["rows"].as_array().or_else(|| self.body["data"].as_array());
        rows.unwrap_or_else(|| panic!("no rows in {} {}", self.status, self.body))
    }

    pub fn ids(&self) -> Vec<u64> {
        self.rows().iter().map(|row| row["id"].as_u64().unwrap()).collect()
    }

    pub fn total(&self) -> u64 {
        self.body["data"]["total"].as_u64().or_else(|| self.body["pagination"]["total"].as_u64()).unwrap()
    }

    /// A failure of the workspace API: in the envelope, with words.
    pub fn is_refused(&self) -> &str {
        assert!(!self.status.is_success(), "{} {}", self.status, self.body);
        assert_eq!(self.body["ok"], false, "{} {}", self.status, self.body);
        assert!(self.body.get("data").is_none());
        let words = self.body["error"].as_str().unwrap();
        assert!(!words.is_empty());
        words
    }
}

/// An element of `already_unlocked` or `missing`, in whatever shape.
pub fn id_of(element: &Value) -> i64 {
    element
        .as_i64()
        .or_else(|| element.as_str()?.parse().ok())
        .or_else(|| element["id"].as_i64())
        .unwrap_or_else(|| panic!("no id in {element}"))
}

pub fn ids_of(list: &Value) -> Vec<i64> {
    list.as_array().unwrap().iter().map(id_of).collect()
}

impl Service {
    pub fn with(setup: ServiceSetup) -> Service {
        let variant = setup.variant;
        drop(rustls::crypto::ring::default_provider().install_default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let sandbox = Sandbox::start(SandboxSettings { setup, ..SandboxSettings::default() }).unwrap();
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Service { sandbox, variant, client, runtime }
    }

    /// A small service without a request limit.
    pub fn of(variant: Variant) -> Service {
        Service::with(setup(variant))
    }

    /// One per variant.
    /// Those whose rows keep their order.
    pub fn steady() -> impl Iterator<Item = Service> {
        Service::all().filter(|service| !service.variant.habits().has(Habit::Wavers))
    }

    pub fn all() -> impl Iterator<Item = Service> {
        Variant::ALL.into_iter().map(Service::of)
    }

    pub fn request(&self, method: Method, url: &str) -> reqwest::RequestBuilder {
        self.client.request(method, url)
    }

    pub fn send(&self, request: reqwest::RequestBuilder) -> Result<Answer, reqwest::Error> {
        self.runtime.block_on(async {
            let response = request.send().await?;
            let (status, headers) = (response.status(), response.headers().clone());
            let bytes = response.bytes().await?.to_vec();
            let body = serde_json::from_slice(&bytes).unwrap_or_default();
            Ok(Answer { status, headers, bytes, body })
        })
    }

    /// How many bytes an answer unpacks to before it ends or breaks.
    pub fn unpacked(&self, request: reqwest::RequestBuilder) -> usize {
        self.runtime.block_on(async {
            let mut response = request.send().await.unwrap();
            let mut count = 0;
            while let Ok(Some(piece)) = response.chunk().await {
                count += piece.len();
            }
            count
        })
    }

    /// GET on the workspace API with the default key.
    pub fn workspace(&self, target: &str) -> Answer {
        self.workspace_as(&self.sandbox.workspace_key, target)
    }

    pub fn workspace_as(&self, key: &str, target: &str) -> Answer {
        let url = format!("{}{target}", self.sandbox.workspace_url);
        self.send(self.request(Method::GET, &url).bearer_auth(key)).unwrap()
    }

    pub fn unlock(&self, body: &Value) -> Answer {
        self.unlock_as(&self.sandbox.workspace_key, body)
    }

    pub fn unlock_as(&self, key: &str, body: &Value) -> Answer {
        let url = format!("{}/unlock", self.sandbox.workspace_url);
        let request = self.request(Method::POST, &url).bearer_auth(key).header("content-type", "application/json");
        self.send(request.body(body.to_string())).unwrap()
    }

    pub fn credits(&self) -> i64 {
        self.workspace("/me").body["data"]["credits"].as_i64().unwrap()
    }

    /// The books as the keepers read them.
    pub fn books(&self) -> Value {
        self.keeper(Method::GET, "/books", &Value::Null)
    }

    /// Credit lines, in their order.
    pub fn lines(&self) -> Vec<Value> {
        self.books()["lines"].as_array().unwrap().clone()
    }

    pub fn keeper(&self, method: Method, what: &str, body: &Value) -> Value {
        let url = format!("{}{what}", self.sandbox.control_url);
        let body = if body.is_null() { String::new() } else { body.to_string() };
        let answer = self.send(self.request(method, &url).body(body)).unwrap();
        assert_eq!(answer.status, 200, "{what}: {}", answer.body);
        answer.body
    }

    /// The first ids of contacts that may be unlocked and whose check will find this.
    pub fn contacts(&self, kind: CorpusKind, found: CheckOutcome, many: usize) -> Vec<u64> {
        let engine = self.sandbox.service();
        let ids: Vec<u64> = (1..=2_000)
            .filter(|id| !engine.suppressed(kind, *id))
            .filter(|id| engine.person(kind, *id).is_some_and(|person| person.verification == found))
            .take(many)
            .collect();
        assert_eq!(ids.len(), many);
        ids
    }

    /// Ids of rows that are on the Do-Not-Sell list from the start.
    pub fn suppressed(&self, kind: CorpusKind) -> Vec<u64> {
        let engine = self.sandbox.service();
        (1..=3_000).filter(|id| engine.person(kind, *id).is_some() && engine.suppressed(kind, *id)).collect()
    }

    /// GET on the Data API with the default key in the header.
    pub fn data(&self, target: &str) -> Answer {
        let url = format!("{}{target}", self.sandbox.data_url);
        self.send(self.request(Method::GET, &url).header("x-api-key", &self.sandbox.data_key)).unwrap()
    }
}
