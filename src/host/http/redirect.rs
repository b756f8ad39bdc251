//! A redirect in words: where the answer points, and which address to set. It is never followed.

use reqwest::Url;
use secrecy::SecretString;

use lode_core::scrub_to;
use lode_engine::effect::{Failure, Refusal};

use super::ServiceAddress;
use super::secrets::Secrets;

const MOST: usize = 200;

/// The failure that a redirect is. Of its target only origin and path are named, and no path in which a key stands.
pub(super) fn failure(status: u16, location: Option<&str>, from: &Url, path: &str, secrets: &Secrets) -> Failure {
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
        failure(302, Some(location), &from, "/me", &secrets).words().to_owned()
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
