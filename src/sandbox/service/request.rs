//! A request as the service sees it, with the parameters of its query, the answer to it, and the log of both: no socket, no header
//! map, nothing that depends on an HTTP library.

use std::collections::VecDeque;

use serde::Serialize;

use super::*;
use crate::scan::ScanField;

#[derive(Clone, Debug, Default)]
pub struct ServiceRequest {
    pub method: String,
    /// Decoded nowhere: routes are plain ASCII.
    pub path: String,
    /// As it arrived, still percent-encoded, without the question mark.
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl ServiceRequest {
    pub fn header_value(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(super) fn bearer_key(&self) -> Option<&str> {
        let (scheme, key) = self.header_value("authorization")?.split_once(' ')?;
        scheme.eq_ignore_ascii_case("bearer").then(|| key.trim()).filter(|key| !key.is_empty())
    }

    /// The key of the Data API: the header, else the query parameter.
    pub(super) fn data_key(&self) -> Option<String> {
        let header = self.header_value("x-api-key").map(str::to_owned);
        header.or_else(|| self.query.split('&').find_map(|pair| percent_decoded(pair.strip_prefix("api_key=")?).ok()))
    }

    /// The query as it may be written down: the log names how a key came, never the key.
    pub(super) fn query_without_key(&self) -> String {
        let cut = |pair: &str| if pair.starts_with("api_key=") { "api_key=(cut)".to_owned() } else { pair.to_owned() };
        self.query.split('&').filter(|pair| !pair.is_empty()).map(cut).collect::<Vec<_>>().join("&")
    }

    /// How the key came, in the words of the log.
    pub(super) fn key_in(&self) -> &'static str {
        match (self.header_value("authorization"), self.header_value("x-api-key")) {
            (Some(_), _) => "bearer",
            (None, Some(_)) => "header",
            (None, None) if self.query.split('&').any(|pair| pair.starts_with("api_key=")) => "query",
            (None, None) => "none",
        }
    }
}

/// Pairs in their order. A parameter without a value counts as absent, the last of several wins.
pub(super) struct Params {
    pairs: Vec<(String, String)>,
    /// Status of a refusal.
    invalid: u16,
}

impl Params {
    pub(super) fn read(query: &str, invalid: u16) -> Result<Params, Refusal> {
        let decoded = |text| percent_decoded(text).map_err(|words| Refusal::new(invalid, words));
        let pairs = query.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((decoded(name)?, decoded(value)?))
        });
        Ok(Params { pairs: pairs.collect::<Result<_, Refusal>>()?, invalid })
    }

    pub(super) fn refuse<T>(&self, words: impl Into<String>) -> Result<T, Refusal> {
        Err(Refusal::new(self.invalid, words))
    }

    /// Refuses where this is so.
    pub(super) fn refuse_if(&self, wrong: bool, words: impl Into<String>) -> Result<(), Refusal> {
        Refusal::check(wrong, self.invalid, words)
    }

    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let last = self.pairs.iter().rev().find(|(known, _)| known == name);
        last.map(|(_, value)| value.trim()).filter(|value| !value.is_empty())
    }

    /// Refuses a parameter that is not known.
    pub(super) fn only(&self, known: impl Fn(&str) -> bool) -> Result<(), Refusal> {
        match self.pairs.iter().find(|(name, _)| !known(name)) {
            Some((unknown, _)) => self.refuse(format!("Unknown parameter {}", quoted(unknown))),
            None => Ok(()),
        }
    }

    pub(super) fn corpus(&self, required: bool) -> Result<CorpusKind, Refusal> {
        match self.get("corpus").map(|word| (word, word.parse())) {
            Some((_, Ok(kind))) => Ok(kind),
            Some((word, Err(_))) => self.refuse(format!("corpus must be us or linkedin, got {}", quoted(word))),
            None if required => self.refuse("corpus is required: us or linkedin"),
            None => Ok(CorpusKind::Us),
        }
    }

    /// `1` sets a switch; `0` and absence leave it off.
    pub(super) fn switch(&self, name: &str) -> Result<bool, Refusal> {
        Ok(self.choice(name, &["0", "1"])?.is_some_and(|value| value == "1"))
    }

    pub(super) fn choice(&self, name: &str, of: &[&str]) -> Result<Option<&str>, Refusal> {
        match self.get(name) {
            Some(value) if !of.contains(&value) => {
                self.refuse(format!("{name} must be one of {}, got {}", of.join(", "), quoted(value)))
            }
            other => Ok(other),
        }
    }

    pub(super) fn whole(&self, name: &str, least: u64) -> Result<Option<u64>, Refusal> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match value.parse::<u64>() {
            Ok(number) if number >= least => Ok(Some(number)),
            _ => self.refuse(format!("{name} must be a whole number of at least {least}, got {}", quoted(value))),
        }
    }

    /// Comma-separated values, any of which may match.
    pub(super) fn list(&self, name: &str) -> Vec<String> {
        let value = self.get(name).unwrap_or_default();
        value.split(',').map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
    }

    /// A clause of a search for each of these filters that is set, and for the industries.
    pub(super) fn clauses(&self, filters: impl IntoIterator<Item = ScanField>) -> Vec<(ScanField, Vec<String>)> {
        let set = |name| Some((name, vec![self.get(name)?.to_owned()]));
        let clauses = filters.into_iter().filter_map(set).chain([("industry", self.list("industry"))]);
        clauses.filter(|(_, values)| !values.is_empty()).collect()
    }
}

/// What a client sent, short enough for an error text.
pub(super) fn quoted(value: &str) -> String {
    let short: String = value.chars().take(40).collect();
    let more = if short.len() < value.len() { "…" } else { "" };
    format!("{:?}", short + more)
}

/// At most this many bytes, whole characters only.
pub(super) fn clipped(text: &str, bytes: usize) -> String {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    text[..end].to_owned()
}

pub(super) fn percent_decoded(text: &str) -> Result<String, String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let mut digit = || rest.next().and_then(|digit| (digit as char).to_digit(16));
                let code = digit().zip(digit()).map(|(high, low)| (high * 16 + low) as u8);
                code.ok_or_else(|| format!("{} is not percent-encoded", quoted(text)))?
            }
            other => other,
        });
    }
    String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", quoted(text)))
}

pub const JSON: &str = "application/json";

#[derive(Clone)]
pub struct ServiceAnswer {
    pub status: u16,
    /// Names in lower case. Length and framing belong to the server.
    pub headers: Vec<(&'static str, String)>,
    pub body: Body,
    pub line: Delivery,
    /// How long the answer is under way.
    pub delay_ms: u64,
}

#[derive(Clone)]
pub enum Body {
    Bytes(Vec<u8>),
    /// Made while it is sent: the whole of a filtered set.
    Export(Arc<Export>),
    /// More than a client should read.
    Flood(Flood),
}

/// What becomes of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivery {
    Whole,
    /// The connection is reset before the first byte of the answer.
    Lost,
    /// Nothing comes, and the connection stays open.
    Silent,
    /// The connection is reset after that many bytes of the body.
    CutAfter(usize),
    /// Bytes a second.
    Drip(u32),
    /// Bytes of the body, then silence on an open line.
    StallAfter(usize),
}

/// Why a resource does not do what it is asked.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) status: u16,
    pub(super) words: String,
}

impl Refusal {
    pub(super) fn new(status: u16, words: impl Into<String>) -> Refusal {
        Refusal { status, words: words.into() }
    }

    /// Refuses where something is wrong.
    pub(super) fn check(wrong: bool, status: u16, words: impl Into<String>) -> Result<(), Refusal> {
        if wrong { Err(Refusal::new(status, words)) } else { Ok(()) }
    }
}

pub(super) type Answered = Result<ServiceAnswer, Refusal>;

impl ServiceAnswer {
    pub fn json(status: u16, body: &serde_json::Value) -> ServiceAnswer {
        ServiceAnswer::text(status, JSON, body.to_string())
    }

    pub fn text(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> ServiceAnswer {
        let headers = vec![("content-type", content_type.to_owned())];
        ServiceAnswer { status, headers, body: Body::Bytes(body.into()), line: Delivery::Whole, delay_ms: 0 }
    }

    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> ServiceAnswer {
        self.headers.push((name, value.into()));
        self
    }
}

/// Older entries fall out, so that a long soak does not fill the memory.
const KEPT: usize = 50_000;

#[derive(Clone, Debug, Default, Serialize)]
pub struct Received {
    pub n: u64,
    pub at_ms: u64,
    /// `workspace`, `data` or `elsewhere`.
    pub service: &'static str,
    /// Name of the key, never the key.
    pub key: Option<String>,
    /// How it came: `bearer`, `header`, `query` or `none`.
    pub key_in: &'static str,
    pub method: String,
    pub path: String,
    pub query: String,
    pub body: String,
    /// 0 while the request is at work.
    pub status: u16,
    pub fault: Option<String>,
}

#[derive(Debug, Default)]
pub struct RequestLog {
    pub(super) entries: VecDeque<Received>,
}

impl RequestLog {
    /// Writes down a request and gives it its number.
    pub(super) fn receive(&mut self, entry: Received) -> u64 {
        let n = self.entries.back().map_or(1, |last| last.n + 1);
        if self.entries.len() == KEPT {
            self.entries.pop_front();
        }
        self.entries.push_back(Received { n, ..entry });
        n
    }

    /// Changes the entry of a request that has not fallen out yet.
    pub(super) fn entry(&mut self, n: u64, change: impl FnOnce(&mut Received)) {
        let at = self.entries.front().and_then(|first| n.checked_sub(first.n));
        if let Some(entry) = at.and_then(|at| self.entries.get_mut(at as usize)) {
            change(entry);
        }
    }

    /// When the requests of one key were received.
    pub fn receipts(&self, key: &str) -> Vec<u64> {
        self.entries.iter().filter(|entry| entry.key.as_deref() == Some(key)).map(|entry| entry.at_ms).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_decoded_and_the_last_wins() {
        let params = Params::read("title=a%20b+c&title=d%2Ce&empty=&flag", 400).unwrap();
        assert_eq!(params.get("title"), Some("d,e"));
        assert_eq!(params.get("empty"), None);
        assert_eq!(params.list("title"), ["d", "e"]);
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let refused = |query| Params::read(query, 422).err().unwrap();
        assert!(refused("title=%zz").words.contains("percent") && refused("title=%zz").status == 422);
        assert!(refused("title=%ff").words.contains("UTF-8"));
        let params = Params::read("limit=-5&offset=x&dedup=2", 400).unwrap();
        assert_eq!(
            params.whole("limit", 1).unwrap_err().words,
            "limit must be a whole number of at least 1, got \"-5\""
        );
        assert!(params.whole("offset", 0).is_err());
        assert!(params.switch("dedup").is_err());
    }
}
