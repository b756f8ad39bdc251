//! What the loop waits for: keys, answers, the settings, its own deadline. Where there is nothing to wait for, the wait has no end.
#![allow(clippy::disallowed_methods)] // The thread of the keys, and the clock.

use std::io;
use std::time::{Duration, Instant};

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use crate::domain::time::Mono;
use crate::shell::clock;
use crate::shell::terminal::events::Reader;
use crate::ui::msg::Msg;

use super::settings::SettingsFile;

/// Something beside the settings was written.
pub(super) async fn touched(settings: &mut Option<SettingsFile>) {
    match settings {
        Some(settings) => settings.touched().await,
        None => std::future::pending().await,
    }
}

pub(super) async fn sleep_until(deadline: Option<Mono>) {
    match deadline {
        Some(at) => tokio::time::sleep(Duration::from_millis(at.0.saturating_sub(clock::now().mono.0))).await,
        None => std::future::pending().await,
    }
}

/// Keys, pastes, the mouse and new sizes, from a thread that does nothing else.
pub(super) fn read_keys() -> io::Result<UnboundedReceiver<Msg>> {
    let (tell, keys) = unbounded_channel();
    std::thread::Builder::new().name("keys".into()).spawn(move || {
        let mut reader = Reader::default();
        while let Ok(event) = crossterm::event::read() {
            for msg in reader.read_both(event, Instant::now()).into_iter().flatten() {
                if tell.send(msg).is_err() {
                    return;
                }
            }
        }
    })?;
    Ok(keys)
}
