//! An answer as a value: its content, and what happens to it on the way.

use std::sync::Arc;

use super::Export;
use crate::faults::Flood;

pub const JSON: &str = "application/json";

#[derive(Clone, Debug)]
pub struct ServiceAnswer {
    pub status: u16,
    /// Names in lower case. Length and framing belong to the server.
    pub headers: Vec<(&'static str, String)>,
    pub body: Body,
    pub line: Delivery,
    /// How long the answer is under way.
    pub delay_ms: u64,
}

#[derive(Clone, Debug)]
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
    /// So many bytes a second.
    Drip(u32),
    /// So many bytes of the body, then silence on an open line.
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
}

pub(super) type Answered = Result<ServiceAnswer, Refusal>;

impl ServiceAnswer {
    pub fn json(status: u16, body: &serde_json::Value) -> ServiceAnswer {
        ServiceAnswer::text(status, JSON, body.to_string())
    }

    pub fn text(status: u16, content_type: &str, body: impl Into<Vec<u8>>) -> ServiceAnswer {
        ServiceAnswer {
            status,
            headers: vec![("content-type", content_type.to_owned())],
            body: Body::Bytes(body.into()),
            line: Delivery::Whole,
            delay_ms: 0,
        }
    }

    pub fn with_header(mut self, name: &'static str, value: impl Into<String>) -> ServiceAnswer {
        self.headers.push((name, value.into()));
        self
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }

    /// The body in one piece; None for a flood, which has no end worth waiting for.
    pub fn bytes(&self) -> Option<Vec<u8>> {
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

    /// The body as JSON, null where it is none.
    pub fn value(&self) -> serde_json::Value {
        let bytes = self.bytes().unwrap_or_default();
        serde_json::from_slice(&bytes).unwrap_or_default()
    }
}
