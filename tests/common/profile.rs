//! Profiles and services as a test opens them.

use lode_engine::effect::profile::{Allowance, KeyHash, Profile, ServiceProfile, Sizes, WindowId};

/// The address of a sandbox that is never asked.
pub const SANDBOX: &str = "http://127.0.0.1:7777";

pub fn service(origin: &str, key: &str, requests: Option<u32>, in_flight: u32) -> ServiceProfile {
    ServiceProfile {
        origin: origin.to_owned(),
        key: KeyHash(key.to_owned()),
        shown: "lk_li".to_owned(),
        allowance: Allowance { requests, window_ms: 60_000, in_flight },
    }
}

/// A profile as it is before a person sets anything.
pub fn profile(name: &str, workspace: Option<ServiceProfile>, data: Option<ServiceProfile>) -> Profile {
    Profile {
        name: name.to_owned(),
        live: false,
        demo: false,
        workspace,
        data,
        caps: Default::default(),
        sizes: Sizes { batch: 25, large_batch: 100, large_from: 250 },
        choosing: Default::default(),
        from_environment: Vec::new(),
        note: None,
        window: WindowId("one".to_owned()),
    }
}
