//! The signals a window listens to: those that end it, the one that brings it back, the one that tells of a new size, and
//! in debug builds the one that says when it is to break.

use std::io;

use lode_host::ends::Ends;
use lode_host::system::signals::{self, Told};

pub(super) struct Signals {
    pub(super) end: Ends,
    /// Ctrl-C, where lines are read and the terminal makes a signal of it.
    pub(super) interrupted: Option<Told>,
    pub(super) stopped: Told,
    pub(super) resumed: Told,
    pub(super) resized: Told,
    pub(super) broken: Broken,
}

impl Signals {
    /// In `linear` mode Ctrl-C is a key that comes as a signal.
    pub(super) fn listen(linear: bool) -> io::Result<Signals> {
        Ok(Signals {
            end: if linear { Ends::listen_but_to_ctrl_c() } else { Ends::listen() },
            interrupted: linear.then(signals::interrupted).transpose()?,
            stopped: signals::stopped()?,
            resumed: signals::resumed()?,
            resized: signals::resized()?,
            broken: Broken::listen()?,
        })
    }
}

/// Resolves where a debug build is asked to break on purpose.
#[cfg(debug_assertions)]
pub(super) struct Broken(Told);

#[cfg(debug_assertions)]
impl Broken {
    fn listen() -> io::Result<Broken> {
        signals::asked_to_break().map(Broken)
    }

    /// The place that breaks from now on.
    pub(super) async fn recv(&mut self) -> &'static str {
        loop {
            self.0.recv().await;
            if let Some(place) = lode_host::failpoint::arm() {
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
