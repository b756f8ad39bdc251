//! Which addresses lead to this very machine: only there may a key go without TLS, and only there a service does not count as LIVE.

use std::net::IpAddr;

use reqwest::Url;

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
