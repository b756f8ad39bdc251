//! What the loop waits for besides keys: the settings, its own deadline. Where there is nothing to wait for, the wait has no end.

use std::time::Duration;

use crate::domain::time::Mono;
use crate::shell::clock;
use crate::shell::system::watch::Watch;

use super::settings::SettingsFile;

/// Something beside the settings was written.
pub(super) async fn touched(settings: &mut Option<SettingsFile>) {
    match settings {
        Some(settings) => settings.touched().await,
        None => std::future::pending().await,
    }
}

/// Another process wrote that something waits for a person.
pub(super) async fn noticed(notices: &Option<Watch>) {
    match notices {
        Some(watch) => watch.touched().await,
        None => std::future::pending().await,
    }
}

pub(super) async fn sleep_until(deadline: Option<Mono>) {
    match deadline {
        Some(at) => tokio::time::sleep(Duration::from_millis(at.0.saturating_sub(clock::now().mono.0))).await,
        None => std::future::pending().await,
    }
}
