//! What went wrong on the line, in words and by the one question that matters for money: can the service have seen it?

use std::error::Error;
use std::io;

use reqwest::Url;
use secrecy::SecretString;

use lode_core::scrub_to;
use lode_engine::effect::{Failure, Refusal, Unclear};

use super::ServiceAddress;
use super::secrets::Secrets;

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

/// Characters of an address that are shown.
const MOST: usize = 200;

/// A redirect is never followed: it is said where the answer points, and which address to set. Of its target only origin and path are named, and no path in which a key stands.
pub(super) fn of_redirect(status: u16, location: Option<&str>, from: &Url, path: &str, secrets: &Secrets) -> Failure {
    let to = location.filter(|location| !location.is_empty()).and_then(|location| from.join(location).ok());
    let Some(mut to) = to.filter(|to| matches!(to.scheme(), "http" | "https") && to.host().is_some()) else {
        let words = "the answer is a redirect that does not say where to".to_owned();
        return Failure::Refused { status, why: Refusal::Redirect, words };
    };
    if secrets.stand_in(to.path()) {
        to.set_path("/");
    }
    let named = |path: &str| scrub_to(&format!("{}{}", to.origin().ascii_serialization(), path), MOST);
    let mut words = format!("the answer is a redirect to {}", named(to.path()));
    let base = to.path().strip_suffix(path).filter(|_| (to.path(), to.origin()) != (from.path(), from.origin()));
    if let Some(base) = base.map(named)
        && ServiceAddress::new(&base, SecretString::from(String::new())).is_ok()
    {
        words.push_str(&format!("; set the address to {base}"));
    }
    Failure::Refused { status, why: Refusal::Redirect, words }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(location: &str) -> String {
        let from = Url::parse("https://api.example/api/v1/me?x=1").unwrap();
        let secrets = Secrets::new([SecretString::from("lk_live_abcdef")].into_iter());
        of_redirect(302, Some(location), &from, "/me", &secrets).words().to_owned()
    }

    #[test]
    fn the_address_to_set_is_the_target_without_the_request() {
        let to = "the answer is a redirect to";
        for (location, said) in [
            ("/v2/me?y=2#z", format!("{to} https://api.example/v2/me; set the address to https://api.example/v2")),
            ("https://www.example/me", format!("{to} https://www.example/me; set the address to https://www.example")),
            ("/login", format!("{to} https://api.example/login")),
            ("/api/v1/me", format!("{to} https://api.example/api/v1/me")),
            ("http://api.example/api/v1/me", format!("{to} http://api.example/api/v1/me")),
            ("/lk_live_abcdef/me", format!("{to} https://api.example/")),
            ("/%6Ck_live_abcdef/me", format!("{to} https://api.example/")),
            ("mailto:a@b.example", to.replace("redirect to", "redirect that does not say where to")),
        ] {
            assert_eq!(words(location), said);
        }
    }
}
