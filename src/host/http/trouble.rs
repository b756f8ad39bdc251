//! What went wrong on the line, in words and by the one question that matters for money: can the service have seen it?

use std::error::Error;
use std::io;

use lode_core::scrub_to;
use lode_engine::effect::{Failure, Unclear};

use super::ServiceAddress;

/// The request failed before the head of an answer came. A failed connection proves that nothing was sent.
pub(super) fn in_sending(error: &reqwest::Error, address: &ServiceAddress) -> Failure {
    if error.is_builder() {
        return Failure::OurBug { words: "the request could not be made".to_owned() };
    }
    if error.is_connect() {
        return Failure::Unsent { words: format!("no connection to {}: {}", address.host(), reason(error)) };
    }
    let words = format!("the connection to {} broke before an answer came", address.host());
    Failure::Unclear { why: Unclear::Line, words }
}

/// The answer's body broke.
pub(super) fn in_body(error: &reqwest::Error) -> Failure {
    if error.is_decode() && !is_line(error) {
        let words = "the service's answer is compressed, but not whole".to_owned();
        return Failure::Unclear { why: Unclear::Unreadable, words };
    }
    let words = "the connection broke in the middle of the answer".to_owned();
    Failure::Unclear { why: Unclear::Line, words }
}

fn reason(error: &reqwest::Error) -> String {
    if error.is_timeout() {
        return "no connection within 10 s".to_owned();
    }
    if error.is_dns() {
        return "unknown host name".to_owned();
    }
    match chain(error).iter().find_map(|error| error.downcast_ref::<io::Error>()).map(io::Error::kind) {
        Some(io::ErrorKind::ConnectionRefused) => "connection refused".to_owned(),
        Some(io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable) => "no route to host".to_owned(),
        // Its own words would name the whole address.
        _ if error.source().is_none() => "the connection failed".to_owned(),
        _ => root(error),
    }
}

/// The innermost reason, in its own words.
pub(super) fn root(error: &(dyn Error + 'static)) -> String {
    scrub_to(&chain(error).last().map(ToString::to_string).unwrap_or_default(), 160)
}

/// An error and what caused it, outermost first.
fn chain<'e>(error: &'e (dyn Error + 'static)) -> Vec<&'e (dyn Error + 'static)> {
    let mut chain = vec![error];
    while let Some(cause) = chain[chain.len() - 1].source() {
        chain.push(cause);
    }
    chain
}

/// A broken line shows up inside the decompression as well, as an error of the stream below it.
fn is_line(error: &reqwest::Error) -> bool {
    chain(error).iter().any(|error| {
        let io = error.downcast_ref::<io::Error>().map(io::Error::kind);
        matches!(
            io,
            Some(io::ErrorKind::ConnectionReset | io::ErrorKind::ConnectionAborted | io::ErrorKind::BrokenPipe)
        ) || error.to_string().contains("connection closed before message completed")
            || error.to_string().contains("error reading a body from connection")
    })
}
