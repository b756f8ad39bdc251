//! The signals a window listens to: those that end it, the one that brings it back, the one that tells of a new size, and
//! in debug builds the one that says when it is to break.

use std::io;

use tokio::signal::unix::{Signal, SignalKind, signal};

pub(super) struct Signals {
    pub(super) end: End,
    pub(super) resumed: Signal,
    pub(super) resized: Signal,
    pub(super) broken: Broken,
}

/// Somebody wants this window gone.
pub(super) struct End([Signal; 3]);

impl End {
    pub(super) async fn recv(&mut self) {
        let [terminate, hangup, interrupt] = &mut self.0;
        tokio::select! {
            _ = terminate.recv() => {}
            _ = hangup.recv() => {}
            _ = interrupt.recv() => {}
        }
    }
}

impl Signals {
    pub(super) fn listen() -> io::Result<Signals> {
        let on = |kind| signal(kind);
        Ok(Signals {
            end: End([on(SignalKind::terminate())?, on(SignalKind::hangup())?, on(SignalKind::interrupt())?]),
            resumed: on(SignalKind::from_raw(rustix::process::Signal::CONT.as_raw()))?,
            resized: on(SignalKind::window_change())?,
            broken: Broken::listen()?,
        })
    }
}

/// Resolves where a debug build is asked to break on purpose.
#[cfg(debug_assertions)]
pub(super) struct Broken(Signal);

#[cfg(debug_assertions)]
impl Broken {
    fn listen() -> io::Result<Broken> {
        signal(SignalKind::user_defined1()).map(Broken)
    }

    /// The place that breaks from now on.
    pub(super) async fn recv(&mut self) -> &'static str {
        loop {
            self.0.recv().await;
            if let Some(place) = crate::shell::on_purpose::arm() {
                return place;
            }
        }
    }
}

#[cfg(not(debug_assertions))]
pub(super) struct Broken;

#[cfg(not(debug_assertions))]
impl Broken {
    fn listen() -> io::Result<Broken> {
        Ok(Broken)
    }

    pub(super) async fn recv(&mut self) -> &'static str {
        std::future::pending().await
    }
}
