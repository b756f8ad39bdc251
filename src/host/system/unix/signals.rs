//! The signals lode handles: those that end it, the one that resumes it, a new terminal size, and the one that a test
//! sends.

use tokio::signal::unix::{SignalKind, signal};

use super::*;

/// Ctrl-C, SIGTERM and SIGHUP. Where one cannot be listened to, the system's own way ends us.
pub struct End([Option<Signal>; 3]);

impl End {
    /// `to_ctrl_c` is false where Ctrl-C is read as a key.
    pub fn listen(to_ctrl_c: bool) -> End {
        // A file that grows beyond `ulimit -f` ends a program, unless it listens: then the write fails, and that can be told.
        drop(signal(SignalKind::from_raw(libc::SIGXFSZ)));
        let interrupt = to_ctrl_c.then(SignalKind::interrupt);
        End([interrupt, Some(SignalKind::terminate()), Some(SignalKind::hangup())].map(|kind| heard(kind?)))
    }

    /// Resolves with the next of them. Of two that are here, the one that someone sent comes first.
    pub async fn recv(&mut self) -> ExitCause {
        let [interrupt, terminate, hangup] = &mut self.0;
        tokio::select! {
            biased;
            Some(()) = async { interrupt.as_mut()?.recv().await } => ExitCause::Asked,
            Some(()) = async { terminate.as_mut()?.recv().await } => ExitCause::Asked,
            Some(()) = async { hangup.as_mut()?.recv().await } => ExitCause::Closed,
            else => std::future::pending().await,
        }
    }
}

fn heard(kind: SignalKind) -> Option<Signal> {
    // `nohup` starts a program that is to survive its terminal: listening would undo that.
    if kind == SignalKind::hangup() && is_ignored(kind) { None } else { signal(kind).ok() }
}

#[allow(unsafe_code)]
fn is_ignored(kind: SignalKind) -> bool {
    // SAFETY: nothing is changed, and all the system writes is the action it is given room for, of which zeros are a valid one.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        let asked = libc::sigaction(kind.as_raw_value(), std::ptr::null(), &raw mut action);
        asked == 0 && action.sa_sigaction == libc::SIG_IGN
    }
}

pub use tokio::signal::unix::Signal;

pub fn listen(to: SystemEvent) -> io::Result<Signal> {
    use rustix::process::Signal as Number;
    signal(match to {
        SystemEvent::Interrupted => SignalKind::interrupt(),
        SystemEvent::Stopped => SignalKind::from_raw(Number::TSTP.as_raw()),
        SystemEvent::Resumed => SignalKind::from_raw(Number::CONT.as_raw()),
        SystemEvent::Resized => SignalKind::window_change(),
        SystemEvent::AskedToBreak => SignalKind::user_defined1(),
    })
}
