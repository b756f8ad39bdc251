//! The requests in the order in which the service received them. Tests of the limiter and of the filters read it.

use std::collections::VecDeque;

use serde::Serialize;

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
    entries: VecDeque<Received>,
    next: u64,
}

impl RequestLog {
    /// Writes down a request and gives it its number.
    pub(super) fn receive(&mut self, mut entry: Received) -> u64 {
        self.next += 1;
        entry.n = self.next;
        if self.entries.len() == KEPT {
            self.entries.pop_front();
        }
        self.entries.push_back(entry);
        self.next
    }

    /// Changes the entry of a request that has not fallen out yet.
    pub(super) fn entry(&mut self, n: u64, change: impl FnOnce(&mut Received)) {
        let at = self.entries.front().and_then(|first| n.checked_sub(first.n));
        if let Some(entry) = at.and_then(|at| self.entries.get_mut(at as usize)) {
            change(entry);
        }
    }

    pub fn entries(&self) -> impl Iterator<Item = &Received> {
        self.entries.iter()
    }

    /// When the requests of one key were received.
    pub fn receipts(&self, key: &str) -> Vec<u64> {
        self.entries.iter().filter(|entry| entry.key.as_deref() == Some(key)).map(|entry| entry.at_ms).collect()
    }
}
