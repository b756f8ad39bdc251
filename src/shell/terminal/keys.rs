//! The keyboard's end of the line, read by the loop itself: from a key to the work for it no thread has to wake another.

use std::ffi::OsStr;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Instant;

use rustix::fs::OFlags;
use tokio::net::unix::pipe::Receiver;

use super::input::Input;
use crate::ui::msg::Msg;

/// Reads between two frames: what comes faster than this is drawn in between.
const READS: usize = 16;
/// A person's keys are a few bytes. Where so few came there are no more, as a rule, and nothing is lost where there are.
const FEW: usize = 64;

pub struct Keys {
    /// None once the terminal is gone. A signal ends the program then.
    line: Option<Receiver>,
    input: Input,
    heard: Vec<Msg>,
}

impl Keys {
    pub fn listen() -> io::Result<Keys> {
        // A terminal is no pipe, but all that is asked of either is to be readable and not to block.
        let line = Receiver::from_file_unchecked(named(io::stdin().as_fd(), &reading)?)?;
        Ok(Keys { line: Some(line), input: Input::default(), heard: Vec::new() })
    }

    /// Until something was heard.
    pub async fn wait(&mut self) {
        while self.heard.is_empty() {
            let ready = match &self.line {
                Some(line) => line.readable().await.is_ok(),
                None => false,
            };
            if !ready {
                std::future::pending::<()>().await;
            }
            self.read();
        }
    }

    /// Everything that is here, without waiting.
    pub fn heard(&mut self) -> Vec<Msg> {
        if self.heard.is_empty() {
            self.read();
        }
        std::mem::take(&mut self.heard)
    }

    /// That there is nothing more is found out when the next is waited for: the answer to a key need not wait for it. Only
    /// for an Escape it is all the difference.
    fn read(&mut self) {
        let mut buffer = [0; 4096];
        for _ in 0..READS {
            let Some(line) = &self.line else { break };
            match line.try_read(&mut buffer) {
                Ok(read @ 1..) => {
                    self.input.take(&buffer[..read], Instant::now(), &mut self.heard);
                    if read < FEW && self.input.is_whole() {
                        break;
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.input.paused(&mut self.heard);
                    break;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => self.line = None,
            }
        }
    }
}

fn reading(path: &Path) -> io::Result<File> {
    let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}

/// The terminal once more, for ourselves: standard input and output are shared with whoever started us, and would not block for
/// them either if they did not for us. By its own name first, as not every system can wait for `/dev/tty`.
pub(super) fn named(shared: BorrowedFd<'_>, open: &dyn Fn(&Path) -> io::Result<File>) -> io::Result<File> {
    let named = rustix::termios::ttyname(shared, Vec::new())
        .map_err(io::Error::from)
        .and_then(|name| open(Path::new(OsStr::from_bytes(name.as_bytes()))));
    // Its name may belong to another room of the machine, or to who logged in before us.
    named.or_else(|_| open(Path::new("/dev/tty")))
}
