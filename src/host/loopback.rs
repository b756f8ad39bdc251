//! Which addresses a service may have, and which of them lead to this very machine: only there may a key go without TLS, and only
//! there a service does not count as LIVE.

use std::net::IpAddr;

use reqwest::Url;

/// What a base address cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressProblem {
    #[error("the address is not a URL: it should look like https://api.example/api/v1")]
    NotOne,
    #[error("plain http would send the key unencrypted: use https")]
    Plain,
    #[error("a URL must not contain a user, a password, `?` or `#`")]
    Decorated,
}

/// The base address of a service, without a slash at its end.
pub fn base_url(text: &str) -> Result<Url, AddressProblem> {
    let mut url = Url::parse(text.trim()).map_err(|_| AddressProblem::NotOne)?;
    if !matches!(url.scheme(), "https" | "http") || url.host_str().is_none_or(str::is_empty) {
        return Err(AddressProblem::NotOne);
    }
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        return Err(AddressProblem::Decorated);
    }
    if url.scheme() == "http" && !is_loopback(&url) {
        return Err(AddressProblem::Plain);
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_names_and_numbers_of_this_machine_are_loopback() {
        for (address, expected) in [
            ("http://localhost:80", true),
            ("http://127.0.0.1", true),
            ("http://127.8.9.1:1", true),
            ("http://[::1]:9", true),
            ("http://localhost.example", false),
            ("http://127.0.0.1.example", false),
            ("http://10.0.0.1", false),
            ("http://[::2]", false),
            ("http://user@example.com#localhost", false),
        ] {
            assert_eq!(is_loopback(&Url::parse(address).unwrap()), expected, "{address}");
        }
    }
}
