//! A request as the brain sees it: no socket, no header map, nothing that depends on an HTTP library.

use super::params::percent_decoded;

#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: String,
    /// Decoded nowhere: routes are plain ASCII.
    pub path: String,
    /// As it arrived, still percent-encoded, without the question mark.
    pub query: String,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn new(method: &str, target: &str) -> Request {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Request { method: method.into(), path: path.into(), query: query.into(), ..Request::default() }
    }

    pub fn get(target: &str) -> Request {
        Request::new("GET", target)
    }

    /// A POST of this JSON.
    pub fn post(target: &str, body: &serde_json::Value) -> Request {
        let request = Request { body: body.to_string().into_bytes(), ..Request::new("POST", target) };
        request.header("content-type", "application/json")
    }

    pub fn bearer(self, key: &str) -> Request {
        self.header("authorization", &format!("Bearer {key}"))
    }

    pub fn header(mut self, name: &str, value: &str) -> Request {
        self.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        self
    }

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
}
