//! The HTTP clients, built when first used: nothing of TLS is loaded before the first frame, and none at all for a service on
//! this machine.
//!
//! A client whose last request is a while ago is replaced by a fresh one. Servers close idle lines when they like, and a
//! request on a line that is just being closed would have an unknown outcome; a client that watched its idle lines by itself
//! would wake the machine for it for ever.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use reqwest::{Client, ClientBuilder};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;

use lode_engine::effect::Failure;

use super::ServiceAddress;

/// Shorter than servers and balancers usually keep an idle line.
const FRESH: Duration = Duration::from_secs(20);

#[derive(Default)]
pub(super) struct Clients {
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
        let client = if address.is_plain_loopback() {
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
            config.map(|config| http1(config.with_no_client_auth())).map_err(|error| super::failures::root(&error))
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
        _ => build()?.build().map_err(|error| super::failures::root(&error))?,
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
    match tls() {
        // The client wants some TLS even where none is spoken: this one trusts no certificate and reads no files.
        Ok(tls) => client.tls_backend_preconfigured(http1(
            tls.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth(),
        )),
        Err(_) => client,
    }
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
