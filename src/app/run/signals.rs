//! The signals a window handles: those that end it, the one that resumes it, a new terminal size, and in debug builds the
//! one that breaks it for a test.

use std::io;

use lode_host::ends::Ends;
use lode_host::system::SystemEvent;
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
            interrupted: linear.then(|| signals::listen(SystemEvent::Interrupted)).transpose()?,
            stopped: signals::listen(SystemEvent::Stopped)?,
            resumed: signals::listen(SystemEvent::Resumed)?,
            resized: signals::listen(SystemEvent::Resized)?,
            broken: Broken::listen()?,
        })
    }
}

/// Resolves where a debug build is asked to break on purpose.
pub(super) struct Broken(Option<Told>);

impl Broken {
    fn listen() -> io::Result<Broken> {
        cfg!(debug_assertions).then(|| signals::listen(SystemEvent::AskedToBreak)).transpose().map(Broken)
    }

    /// The place that breaks from now on.
    pub(super) async fn recv(&mut self) -> &'static str {
        let Some(told) = &mut self.0 else { return std::future::pending().await };
        loop {
            told.recv().await;
            if let Some(place) = lode_host::failpoint::arm() {
                return place;
            }
        }
    }
}
