//! The HTTP clients, built when first used: nothing of TLS is loaded before the first frame, and none at all for a service on
//! this machine.

use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reqwest::{Client, ClientBuilder};

use crate::effect::failure::Failure;

use super::Address;

#[derive(Default)]
pub(super) struct Clients {
    /// Plain http to this machine: no proxy, no certificates.
    plain: OnceLock<Result<Client, String>>,
    /// https to this machine: no proxy.
    near: OnceLock<Result<Client, String>>,
    /// https to anywhere else, through the system's proxy where there is one.
    far: OnceLock<Result<Client, String>>,
}

impl Clients {
    pub fn of(&self, address: &Address) -> Result<&Client, Failure> {
        let client = if address.is_plain_loopback() {
            self.plain.get_or_init(|| build(plain()))
        } else if address.is_loopback() {
            self.near.get_or_init(|| build(base().no_proxy().https_only(true)))
        } else {
            self.far.get_or_init(|| build(base().https_only(true)))
        };
        client.as_ref().map_err(|words| Failure::Unsent { words: words.clone() })
    }
}

fn base() -> ClientBuilder {
    // Another part of the program may have installed it before: that is the same one.
    let _ = rustls::crypto::ring::default_provider().install_default();
    Client::builder()
        .user_agent(concat!("lode/", env!("CARGO_PKG_VERSION")))
        .http1_only()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .referer(false)
        .connect_timeout(Duration::from_secs(10))
        .tcp_keepalive(Duration::from_secs(20))
        .tcp_nodelay(true)
        // Shorter than servers and balancers usually keep an idle line: a request on a line that is being closed would have
        // an unknown outcome.
        .pool_idle_timeout(Duration::from_secs(20))
        .pool_max_idle_per_host(4)
}

fn plain() -> ClientBuilder {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map(|config| config.with_root_certificates(rustls::RootCertStore::empty()).with_no_client_auth());
    // Whatever a hosts file says of it: plain text stays on this machine.
    let here = [SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), SocketAddr::from((Ipv6Addr::LOCALHOST, 0))];
    let client = base().no_proxy().resolve_to_addrs("localhost", &here);
    match tls {
        Ok(tls) => client.tls_backend_preconfigured(tls),
        Err(_) => client,
    }
}

fn build(client: ClientBuilder) -> Result<Client, String> {
    client.build().map_err(|error| format!("no connection can be made: {}", super::trouble::root(&error)))
}
