//! Addresses of the services as people write them, brought to the one form the rest of lode knows (E9).

use crate::loopback::{AddressProblem, base_url, is_loopback};
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

/// What the Workspace address ends in; the documents say so.
const VERSION: &str = "/api/v1";

/// Reads an address. The error is a sentence about it.
pub fn read(source: Source, text: &str) -> Result<Base, String> {
    let text = text.trim();
    let mut url = base_url(text).map_err(|problem| match problem {
        AddressProblem::NotOne => format!("`{text}` is not a URL: it should look like {}", example(source)),
        // The address itself may be the secret here, so it is not repeated.
        AddressProblem::Decorated => format!("{problem}; the key is entered separately"),
        AddressProblem::Plain => format!("`{text}` would send the key unencrypted: use https"),
    })?;
    let mut said = None;
    if source == Source::Workspace && !url.path().ends_with(VERSION) {
        url.set_path(&format!("{}{VERSION}", url.path().trim_end_matches('/')));
        said = Some(format!("the Workspace address ends in {VERSION}: using {url}"));
    }
    let loopback = is_loopback(&url);
    let origin = url.origin().ascii_serialization();
    Ok(Base { url: url.as_str().trim_end_matches('/').to_owned(), origin, loopback, said })
}

fn example(source: Source) -> &'static str {
    match source {
        Source::Workspace => "https://api.example/api/v1",
        Source::Data => "https://data.example",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
