//! Addresses of the services as people write them, brought to the one form the rest of lode knows (E9): which addresses a
//! service may have, and which of them lead to this very machine. Only there may a key go without TLS, and only there a service
//! does not count as LIVE.

use std::net::IpAddr;

use reqwest::Url;
use secrecy::SecretString;

use lode_core::Source;

/// A service's base address: requests are made under `url`, keys and money belong to `origin`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// Without a slash at its end.
    pub url: String,
    /// Scheme, host and port.
    pub origin: String,
    /// On this machine.
    pub loopback: bool,
    /// What was changed about the address as it was written, in words for its owner.
    pub said: Option<String>,
}

/// Where a service is and the key for it: the key is sent to this origin and to no other.
#[derive(Clone, Debug)]
pub struct ServiceAddress {
    pub base: Base,
    pub key: SecretString,
}

/// What the Workspace address ends in; the documents say so.
const VERSION: &str = "/api/v1";

/// Reads an address. The error is a sentence about it.
pub fn read(source: Source, text: &str) -> Result<Base, String> {
    let mut url = parsed(text, source)?;
    if source == Source::Data || url.path().ends_with(VERSION) {
        return Ok(Base::of(&url));
    }
    url.set_path(&format!("{}{VERSION}", url.path().trim_end_matches('/')));
    let said = Some(format!("the Workspace address ends in {VERSION}: using {url}"));
    Ok(Base { said, ..Base::of(&url) })
}

/// The base address of a service, without a slash at its end.
fn parsed(text: &str, source: Source) -> Result<Url, String> {
    let text = text.trim();
    let url = Url::parse(text).ok();
    let of_the_web =
        |url: &Url| matches!(url.scheme(), "https" | "http") && url.host_str().is_some_and(|host| !host.is_empty());
    let Some(mut url) = url.filter(of_the_web) else {
        let is_data = source == Source::Data;
        let example = if is_data { "https://data.example" } else { "https://api.example/api/v1" };
        return Err(format!("`{text}` is not a URL: it should look like {example}"));
    };
    if !url.username().is_empty() || url.password().is_some() || url.query().is_some() || url.fragment().is_some() {
        // The address itself may be the secret here, so it is not repeated.
        return Err("a URL must not contain a user, a password, `?` or `#`; the key is entered separately".to_owned());
    }
    if url.scheme() == "http" && !is_loopback(&url) {
        return Err(format!("`{text}` would send the key unencrypted: use https"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']');
    host == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

impl Base {
    fn of(url: &Url) -> Base {
        let origin = url.origin().ascii_serialization();
        Base { url: url.as_str().trim_end_matches('/').to_owned(), origin, loopback: is_loopback(url), said: None }
    }
}

impl ServiceAddress {
    /// The base address as the documents mean it, with or without a slash at its end.
    pub fn new(base: &str, key: SecretString) -> Result<ServiceAddress, String> {
        Ok(ServiceAddress { base: Base::of(&parsed(base, Source::Workspace)?), key })
    }

    /// Host and, where it is unusual, port: what an error may say.
    pub(crate) fn host(&self) -> &str {
        self.base.origin.split_once("://").map_or("", |(_, host)| host)
    }

    pub(crate) fn url(&self, path: &str, query: &[(String, String)]) -> Url {
        let mut url = Url::parse(&self.base.url).unwrap_or_else(|_| unreachable!("it was a URL before"));
        url.set_path(&format!("{}{path}", url.path().trim_end_matches('/')));
        if !query.is_empty() {
            url.query_pairs_mut().extend_pairs(query);
        }
        url
    }
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

    #[test]
    fn slash_or_not_and_the_version_is_added_and_said() {
        for text in ["https://api.example/api/v1", " https://api.example/api/v1/ ", "https://api.example:443/api/v1//"]
        {
            let base = read(Source::Workspace, text).unwrap();
            assert_eq!((base.url.as_str(), base.said), ("https://api.example/api/v1", None));
            assert_eq!(base.origin, "https://api.example");
        }
        let base = read(Source::Workspace, "https://api.example").unwrap();
        assert_eq!(base.url, "https://api.example/api/v1");
        assert_eq!(base.said.unwrap(), "the Workspace address ends in /api/v1: using https://api.example/api/v1");
        let data = read(Source::Data, "https://data.example:8443/").unwrap();
        assert_eq!(
            (data.url.as_str(), data.origin.as_str()),
            ("https://data.example:8443", "https://data.example:8443")
        );
    }

    #[test]
    fn plain_http_is_for_this_machine() {
        for text in ["http://127.0.0.1:4000/api/v1", "http://localhost:1/api/v1", "http://[::1]:9/api/v1"] {
            assert!(read(Source::Workspace, text).unwrap().loopback, "{text}");
        }
        for text in ["http://api.example", "http://127.0.0.1.example", "http://10.0.0.1/api/v1"] {
            assert!(read(Source::Workspace, text).unwrap_err().ends_with("use https"), "{text}");
        }
        assert!(!read(Source::Data, "https://data.example").unwrap().loopback);
    }

    #[test]
    fn a_secret_in_an_address_is_not_repeated() {
        for text in
            ["https://me:secret@api.example", "https://api.example/?api_key=secret", "https://api.example/#secret"]
        {
            assert!(!read(Source::Data, text).unwrap_err().contains("secret"));
        }
        for text in ["", "api.example", "ftp://x.example", "https://"] {
            assert!(read(Source::Data, text).unwrap_err().contains("is not a URL"), "{text}");
        }
    }

    fn address(base: &str) -> Result<ServiceAddress, String> {
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
            assert!(address(base).unwrap_err().ends_with("use https"), "{base}");
        }
    }

    #[test]
    fn odd_addresses_are_refused() {
        for base in ["", "api.example", "ftp://api.example", "file:///etc/passwd", "https://"] {
            assert!(address(base).unwrap_err().contains("is not a URL"), "{base}");
        }
        for base in ["https://me:word@api.example", "https://api.example/?api_key=1", "https://api.example/#x"] {
            assert!(address(base).unwrap_err().contains("must not contain"), "{base}");
        }
    }

    #[test]
    fn a_key_is_not_in_the_debug_form() {
        assert!(!format!("{:?}", address("https://api.example").unwrap()).contains("0123456789"));
    }
}
