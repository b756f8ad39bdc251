//! The HTTP clients, built when first used: nothing of TLS is loaded before the first frame, and none at all for a service on
//! this machine.
//!
//! A client whose last request is a while ago is replaced by a fresh one. Servers close idle lines when they like, and a
//! request on a line that is just being closed would have an unknown outcome; a client that watched its idle lines by itself
//! would wake the machine for it for ever.
//!
//! What went wrong on the line is said in words, and by the one question that matters for money: can the service have seen it?

use std::error::Error;
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};

use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;

use super::*;

/// Shorter than servers and balancers usually keep an idle line.
const FRESH: Duration = Duration::from_secs(20);

#[derive(Default)]
pub(crate) struct Clients {
    /// Plain http to this machine: no proxy, no certificates.
    plain: Slot,
    /// https to this machine: no proxy.
    near: Slot,
    /// https to anywhere else, through the system's proxy where there is one.
    far: Slot,
    /// With the certificates that the system trusts, read once.
    tls: OnceLock<Result<ClientConfig, String>>,
}

type Slot = Mutex<Option<(Client, Instant)>>;

impl Clients {
    pub(super) fn of(&self, address: &ServiceAddress) -> Result<Client, Failure> {
        // Plain text goes only to this machine: neither a proxy nor TLS stands between us and the service.
        let client = if address.base.url.starts_with("http:") {
            fresh(&self.plain, || Ok(plain()))
        } else if address.base.loopback {
            fresh(&self.near, || Ok(self.secure()?.no_proxy()))
        } else {
            fresh(&self.far, || self.secure())
        };
        client.map_err(|words| Failure::Unsent { words: format!("no connection can be made: {words}") })
    }

    fn secure(&self) -> Result<ClientBuilder, String> {
        let tls = self.tls.get_or_init(|| {
            let config = tls().and_then(|config| config.with_platform_verifier());
            config.map(|config| http1(config.with_no_client_auth())).map_err(|error| root(&error))
        });
        Ok(base().https_only(true).tls_backend_preconfigured(tls.clone()?))
    }
}

fn fresh(slot: &Slot, build: impl FnOnce() -> Result<ClientBuilder, String>) -> Result<Client, String> {
    // What a panic left behind is still a client.
    let mut slot = slot.lock().unwrap_or_else(PoisonError::into_inner);
    let now = Instant::now();
    let client = match slot.take() {
        Some((client, used)) if now.duration_since(used) < FRESH => client,
        _ => build()?.build().map_err(|error| root(&error))?,
    };
    *slot = Some((client.clone(), now));
    Ok(client)
}

fn base() -> ClientBuilder {
    Client::builder()
        .user_agent(concat!("lode/", env!("CARGO_PKG_VERSION")))
        .http1_only()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(Duration::from_secs(10))
        .tcp_keepalive(FRESH)
        .tcp_nodelay(true)
        .pool_idle_timeout(None)
        .pool_max_idle_per_host(4)
}

fn plain() -> ClientBuilder {
    // Whatever a hosts file says of it: plain text stays on this machine.
    let here = [SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), SocketAddr::from((Ipv6Addr::LOCALHOST, 0))];
    let client = base().no_proxy().resolve_to_addrs("localhost", &here);
    let Ok(tls) = tls() else { return client };
    // The client wants some TLS even where none is spoken: this one trusts no certificate and reads no files.
    let tls = tls.with_root_certificates(rustls::RootCertStore::empty());
    client.tls_backend_preconfigured(http1(tls.with_no_client_auth()))
}

type Unverified = rustls::ConfigBuilder<ClientConfig, rustls::WantsVerifier>;

fn tls() -> Result<Unverified, rustls::Error> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions()
}

fn http1(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    config
}

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
    let kind = chain(error).iter().find_map(|error| error.downcast_ref::<io::Error>()).map(io::Error::kind);
    let words = match kind {
        _ if error.is_timeout() => "no connection within 10 s",
        _ if error.is_dns() => "unknown host name",
        Some(io::ErrorKind::ConnectionRefused) => "connection refused",
        Some(io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable) => "no route to host",
        // Its own words would name the whole address.
        _ if error.source().is_none() => "the connection failed",
        _ => return root(error),
    };
    words.to_owned()
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
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    chain(error).iter().any(|error| {
        let (kind, words) = (error.downcast_ref::<io::Error>().map(io::Error::kind), error.to_string());
        matches!(kind, Some(ConnectionReset | ConnectionAborted | BrokenPipe))
            || words.contains("connection closed before message completed")
            || words.contains("error reading a body from connection")
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
