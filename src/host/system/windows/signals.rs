//! Events of the console and the system: Ctrl-C and Ctrl-Break, a closed console, a log-off, a shutdown, a new size.
//!
//! After a closed console, a log-off and a shutdown Windows gives a program about five seconds to come to an end.

use tokio::signal::windows::{
    CtrlBreak, CtrlC, CtrlClose, CtrlLogoff, CtrlShutdown, ctrl_break, ctrl_c, ctrl_close, ctrl_logoff, ctrl_shutdown,
};

use super::*;

/// The reader of the console tells of a new size here.
pub(super) static RESIZED: Notify = Notify::const_new();

/// Everything that ends lode in order. Where one cannot be listened to, the system's own way ends us.
pub struct End {
    c: Option<CtrlC>,
    cut: Option<CtrlBreak>,
    close: Option<CtrlClose>,
    logoff: Option<CtrlLogoff>,
    shutdown: Option<CtrlShutdown>,
}

impl End {
    /// Ctrl-C is among them in any case: it ends a console that reads lines.
    pub fn listen(_to_ctrl_c: bool) -> End {
        let (c, cut) = (ctrl_c().ok(), ctrl_break().ok());
        let (close, logoff, shutdown) = (ctrl_close().ok(), ctrl_logoff().ok(), ctrl_shutdown().ok());
        End { c, cut, close, logoff, shutdown }
    }

    /// Resolves with the next of them.
    pub async fn recv(&mut self) -> ExitCause {
        let End { c, cut, close, logoff, shutdown } = self;
        tokio::select! {
            Some(()) = async { c.as_mut()?.recv().await } => ExitCause::Asked,
            Some(()) = async { cut.as_mut()?.recv().await } => ExitCause::Asked,
            Some(()) = async { close.as_mut()?.recv().await } => ExitCause::Closed,
            Some(()) = async { logoff.as_mut()?.recv().await } => ExitCause::Closed,
            Some(()) = async { shutdown.as_mut()?.recv().await } => ExitCause::Closed,
            else => std::future::pending().await,
        }
    }
}

/// Something that is told again and again, or never.
pub struct Signal(Option<&'static Notify>);

impl Signal {
    /// Resolves with the next one.
    pub async fn recv(&mut self) {
        match self.0 {
            Some(notify) => notify.notified().await,
            None => std::future::pending().await,
        }
    }
}

/// Ctrl-C is one of those that end a window here, nothing is ever suspended, and there is no signal that a test could send.
pub fn listen(to: SystemEvent) -> io::Result<Signal> {
    Ok(Signal((to == SystemEvent::Resized).then_some(&RESIZED)))
}
