//! The HTTP client for both services: adds address and key to a request of `wire`, sends it, and returns the bytes.
//!
//! The keys live here and in no text that leaves this module: what a service echoes is cut before it is read. The client
//! repeats nothing by itself, follows no redirect, and reads no more of an answer than its kind may be long. What is retried, and when, is decided by `flow::desk`; streams into files are in `host::export`.

mod client;
mod limits;
mod releases;
mod secrets;

use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::header::{self, HeaderMap, HeaderValue};
use reqwest::{Client, ClientBuilder, Method, Response, Url};
use secrecy::{ExposeSecret, SecretString};

use super::clock;
use lode_core::{Source, scrub_to};
use lode_engine::effect::{Call, Failure, Outgoing, Refusal, Reply, Unclear};
use lode_engine::wire::{self, Head, Request};

use self::client::{in_body, in_sending, of_redirect};
use self::limits::Timeouts;
use self::secrets::{CutStream, Secrets};

pub use super::address::ServiceAddress;
pub(super) use client::Clients;
pub use releases::{newest_release, numbers};

/// What a stream asks for.
const CSV: &str = "text/csv";
/// How much is read of an answer other than a success: enough for its words.
const MOST_REFUSAL: usize = 64 * 1024;

/// Both services as this run may reach them. Making one costs nothing: sockets and TLS come with the first request.
pub struct Http {
    /// In the order of [`Source::ALL`].
    services: [Option<ServiceAddress>; 2],
    secrets: Arc<Secrets>,
    clients: Arc<Clients>,
}

impl Http {
    pub fn new(workspace: Option<ServiceAddress>, data: Option<ServiceAddress>) -> Http {
        let services = [workspace, data];
        let secrets = Secrets::new(services.iter().flatten().map(|address| address.key.clone()));
        Http { services, secrets: Arc::new(secrets), clients: Arc::default() }
    }

    /// The same over connections that others use too.
    pub(super) fn over(self, clients: Arc<Clients>) -> Http {
        Http { clients, ..self }
    }

    /// One call, whole. An export goes through [`Http::open`] instead.
    pub async fn send(&self, call: &Outgoing) -> Result<Reply, Failure> {
        self.exchange(call).await.map_err(|failure| self.cut(failure))
    }

    /// Sends and returns the answer, with its body still to come.
    pub(super) async fn open(&self, call: &Outgoing) -> Result<Opened, Failure> {
        let (mut timeouts, _) = limits::of(call);
        let (response, _) = self.begin(call, &mut timeouts).await.map_err(|failure| self.cut(failure))?;
        Ok(Opened { response, timeouts, body: CutStream::new(Arc::clone(&self.secrets)) })
    }

    /// A failure of a stream in words that may be shown.
    pub(super) fn cut(&self, failure: Failure) -> Failure {
        self.secrets.cut(failure)
    }

    async fn exchange(&self, call: &Outgoing) -> Result<Reply, Failure> {
        let (mut timeouts, most) = limits::of(call);
        let (mut response, head) = self.begin(call, &mut timeouts).await?;
        let words = format!("the service's answer is larger than the {} MB that are read", most >> 20);
        let too_large = Failure::Unclear { why: Unclear::TooLarge, words };
        let announced = response.content_length().unwrap_or(0);
        if announced > most as u64 {
            return Err(too_large);
        }
        let mut body = Vec::with_capacity(announced as usize);
        while let Some(chunk) = chunk(&mut response, &mut timeouts).await? {
            // Counted as it comes out of the decompression, so that a bomb ends here as well.
            if body.len() + chunk.len() > most {
                return Err(too_large);
            }
            body.extend_from_slice(&chunk);
        }
        read(call.record(), head, self.secrets.cut_body(body)).await
    }

    /// Sends the request and returns the answer once its head says success; any other answer is read and classed.
    async fn begin(&self, call: &Outgoing, timeouts: &mut Timeouts) -> Result<(Response, Head), Failure> {
        let record = call.record();
        let request = wire::request(&record);
        let keyless = || Failure::Unsent { words: format!("no key is set for the {} API", request.source.title()) };
        let address = self.services[request.source as usize].as_ref().ok_or_else(keyless)?;
        let client = self.clients.of(address)?;
        let url = address.url(request.path, &request.query);
        let accept = if let Call::Export { .. } = call { CSV } else { "application/json" };
        let headers = headers(address, &request, accept)?;
        let method = Method::from_bytes(request.method.as_bytes()).expect("wire names a method");
        let mut sending = client.request(method, url.clone()).headers(headers);
        if let Some(body) = request.body {
            sending = sending.body(body);
        }
        let sent = timeouts.head(sending.send()).await?;
        let mut response = sent.map_err(|error| in_sending(&error, address))?;
        let status = response.status();
        if status.is_redirection() {
            let location = response.headers().get(header::LOCATION).and_then(|value| value.to_str().ok());
            return Err(of_redirect(status.as_u16(), location, &url, request.path, &self.secrets));
        }
        let head = head(&response, &self.secrets);
        if head.is_success() {
            return Ok((response, head));
        }
        let mut body = Vec::new();
        // Its status counts even where its body breaks off.
        while body.len() < MOST_REFUSAL
            && let Ok(Some(chunk)) = chunk(&mut response, timeouts).await
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(MOST_REFUSAL);
        Err(wire::refused(&record, &head, &self.secrets.cut_body(body)))
    }
}

/// An answer whose body is still to be read.
pub(super) struct Opened {
    pub response: Response,
    timeouts: Timeouts,
    body: CutStream,
}

impl Opened {
    /// The next part of the body, whole lines where it has lines; `None` at its end. Dropping the future loses nothing.
    pub(super) async fn chunk(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            if let Some(part) = self.body.pop() {
                return Ok(Some(part));
            }
            let chunk = chunk(&mut self.response, &mut self.timeouts).await?;
            let Some(chunk) = chunk else { return Ok(self.body.rest()) };
            self.timeouts.came(chunk.len());
            self.body.push(chunk);
        }
    }
}

/// The next piece of a body; `None` at its end.
async fn chunk(response: &mut Response, timeouts: &mut Timeouts) -> Result<Option<Bytes>, Failure> {
    timeouts.chunk(response.chunk()).await?.map_err(|error| in_body(&error))
}

/// A large answer is read on a thread of its own, so that no other answer waits for it.
async fn read(call: Call, head: Head, body: Bytes) -> Result<Reply, Failure> {
    if let Call::Unlock(_) = call {
        return Ok(Reply::Unlock { status: head.status, body });
    }
    if body.len() < 256 * 1024 {
        return wire::read(&call, &head, &body);
    }
    let read = tokio::task::spawn_blocking(move || wire::read(&call, &head, &body)).await;
    read.unwrap_or_else(|_| Err(Failure::OurBug { words: "reading the service's answer failed".to_owned() }))
}

fn head(response: &Response, secrets: &Secrets) -> Head {
    let text = |name| {
        let value: Option<&HeaderValue> = response.headers().get(name);
        value.map(|value| secrets.cut_text(String::from_utf8_lossy(value.as_bytes()).into_owned()))
    };
    let [retry_after, content_type, date] = [header::RETRY_AFTER, header::CONTENT_TYPE, header::DATE].map(text);
    Head { status: response.status().as_u16(), retry_after, content_type, date, at: clock::now().wall }
}

fn headers(address: &ServiceAddress, request: &Request, accept: &'static str) -> Result<HeaderMap, Failure> {
    let key = address.key.expose_secret();
    let (name, value) = match request.source {
        Source::Workspace => (header::AUTHORIZATION, format!("Bearer {key}")),
        Source::Data => (header::HeaderName::from_static("x-api-key"), key.to_owned()),
    };
    let mut value = HeaderValue::from_str(&value).map_err(|_| Failure::Unsent {
        words: format!("the key of the {} API holds characters that cannot be sent", request.source.title()),
    })?;
    value.set_sensitive(true);
    let mut headers = HeaderMap::new();
    headers.insert(name, value);
    headers.insert(header::ACCEPT, HeaderValue::from_static(accept));
    if accept == CSV {
        // Compressed, neither its length nor its end could be checked against what the service announced.
        headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    }
    if request.body.is_some() {
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    }
    Ok(headers)
}
