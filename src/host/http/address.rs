//! Where a service is and the key for it: the key is sent to this origin and to no other.

use reqwest::Url;
use secrecy::SecretString;

use crate::loopback::{AddressProblem, base_url, is_loopback};

#[derive(Clone, Debug)]
pub struct ServiceAddress {
    base: Url,
    key: SecretString,
}

impl ServiceAddress {
    /// The base address as the documents mean it, with or without a slash at its end.
    pub fn new(base: &str, key: SecretString) -> Result<ServiceAddress, AddressProblem> {
        Ok(ServiceAddress { base: base_url(base)?, key })
    }

    pub(super) fn key(&self) -> &SecretString {
        &self.key
    }

    /// Neither a proxy nor TLS stands between us and the service.
    pub(super) fn is_plain_loopback(&self) -> bool {
        self.base.scheme() == "http"
    }

    pub(super) fn is_loopback(&self) -> bool {
        is_loopback(&self.base)
    }

    /// Host and, where it is unusual, port: what an error may say.
    pub(super) fn host(&self) -> String {
        let host = self.base.host_str().unwrap_or_default();
        self.base.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    pub(super) fn url(&self, path: &str, query: &[(String, String)]) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(base: &str) -> Result<ServiceAddress, AddressProblem> {
        ServiceAddress::new(base, SecretString::from("lk_test_0123456789"))
    }

    #[test]
    fn a_slash_at_the_end_makes_no_difference() {
        for base in ["https://api.example/api/v1", "https://api.example/api/v1/"] {
            let query = [("title".to_owned(), "vp & co".to_owned())];
            let url = address(base).unwrap().url("/search", &query);
            assert_eq!(url.as_str(), "https://api.example/api/v1/search?title=vp+%26+co");
        }
        let bare = address("https://data.example").unwrap();
        assert_eq!(bare.url("/api/saved", &[]).as_str(), "https://data.example/api/saved");
    }

    #[test]
    fn plain_http_goes_to_this_machine_only() {
        for base in ["http://127.0.0.1:8080/api/v1", "http://localhost:1", "http://[::1]:9/x", "http://127.9.9.9"] {
            assert!(address(base).is_ok(), "{base}");
        }
        for base in ["http://api.example", "http://127.0.0.1.example", "http://localhost.example", "http://192.168.0.1"]
        {
            assert_eq!(address(base).unwrap_err(), AddressProblem::Plain, "{base}");
        }
    }

    #[test]
    fn odd_addresses_are_refused() {
        for base in ["", "api.example", "ftp://api.example", "file:///etc/passwd", "https://"] {
            assert_eq!(address(base).unwrap_err(), AddressProblem::NotOne, "{base}");
        }
        for base in ["https://me:word@api.example", "https://api.example/?api_key=1", "https://api.example/#x"] {
            assert_eq!(address(base).unwrap_err(), AddressProblem::Decorated, "{base}");
        }
    }

    #[test]
    fn a_key_is_not_in_the_debug_form() {
        assert!(!format!("{:?}", address("https://api.example").unwrap()).contains("0123456789"));
    }
}
