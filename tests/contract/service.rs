//! A running sandbox and a plain client for it.

use lode::sandbox::server::{Sandbox, Settings};
use lode::sandbox::service::Setup;
use lode::sandbox::variants::Variant;
use reqwest::{Method, StatusCode};
use serde_json::Value;

pub struct Service {
    pub sandbox: Sandbox,
    pub variant: Variant,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

pub struct Answer {
    pub status: StatusCode,
    pub headers: reqwest::header::HeaderMap,
    pub bytes: Vec<u8>,
    pub body: Value,
}

impl Service {
    pub fn with(setup: Setup) -> Service {
        let variant = setup.variant;
        drop(rustls::crypto::ring::default_provider().install_default());
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let sandbox = Sandbox::start(Settings { setup, ..Settings::default() }).unwrap();
        let client = reqwest::Client::builder().no_proxy().redirect(reqwest::redirect::Policy::none()).build().unwrap();
        Service { sandbox, variant, client, runtime }
    }

    pub fn of(variant: Variant) -> Service {
        Service::with(Setup { variant, ..Setup::small() })
    }

    /// One per variant.
    pub fn all() -> impl Iterator<Item = Service> {
        Variant::ALL.into_iter().map(Service::of)
    }

    pub fn request(&self, method: Method, url: &str) -> reqwest::RequestBuilder {
        self.client.request(method, url)
    }

    pub fn send(&self, request: reqwest::RequestBuilder) -> Result<Answer, reqwest::Error> {
        self.runtime.block_on(async {
            let response = request.send().await?;
            let (status, headers) = (response.status(), response.headers().clone());
            let bytes = response.bytes().await?.to_vec();
            let body = serde_json::from_slice(&bytes).unwrap_or_default();
            Ok(Answer { status, headers, bytes, body })
        })
    }

    /// GET on the workspace API with the default key.
    pub fn workspace(&self, target: &str) -> Answer {
        self.workspace_as(&self.sandbox.workspace_key, target)
    }

    pub fn workspace_as(&self, key: &str, target: &str) -> Answer {
        let url = format!("{}{target}", self.sandbox.workspace_url);
        self.send(self.request(Method::GET, &url).bearer_auth(key)).unwrap()
    }

    pub fn unlock(&self, body: &Value) -> Answer {
        self.unlock_as(&self.sandbox.workspace_key, body)
    }

    pub fn unlock_as(&self, key: &str, body: &Value) -> Answer {
        let url = format!("{}/unlock", self.sandbox.workspace_url);
        let request = self.request(Method::POST, &url).bearer_auth(key).header("content-type", "application/json");
        self.send(request.body(body.to_string())).unwrap()
    }

    /// GET on the Data API with the default key in the header.
    pub fn data(&self, target: &str) -> Answer {
        let url = format!("{}{target}", self.sandbox.data_url);
        self.send(self.request(Method::GET, &url).header("x-api-key", &self.sandbox.data_key)).unwrap()
    }
}
