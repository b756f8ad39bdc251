//! The terminal's two ends, opened so that neither reading nor writing blocks.
//!
//! Standard input and output are shared with the parent process, and would not block for them either if they did not for us:
//! so the terminal is opened once more, by its own name first. `/dev/tty` comes second because macOS cannot wait for it: there
//! `poll` and `kqueue` refuse that name on every version, while `kqueue`, which tokio waits with, takes the device itself.
//! Where neither name exists, as in a folder without `/dev`, the shared end itself does not wait until lode leaves.

use std::ffi::OsStr;
use std::io::StdoutLock;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use tokio::net::unix::pipe::{Receiver, Sender};

use super::*;

/// The lines that are typed, or that come through a pipe.
pub fn typed_lines() -> impl Iterator<Item = io::Result<String>> {
    io::stdin().lines()
}

/// Whether the terminal shows what is typed, where lines are read.
pub fn echo(on: bool) {
    use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
    let Ok(mut modes) = tcgetattr(io::stdin()) else { return };
    modes.local_modes.set(LocalModes::ECHO, on);
    // A pipe shows nothing anyway.
    let _ = tcsetattr(io::stdin(), OptionalActions::Now, &modes);
}

/// What the terminal sends.
pub struct Reading(Receiver);

impl Reading {
    pub fn open() -> io::Result<Reading> {
        let open = |path: &Path| OpenOptions::new().read(true).custom_flags(flags()).open(path);
        // A terminal is not a pipe, but all that is asked of either is to be readable and not to block.
        Receiver::from_file_unchecked(named(io::stdin().as_fd(), &open)?).map(Reading)
    }

    /// Until there is something to read.
    pub async fn readable(&mut self) -> io::Result<()> {
        self.0.readable().await
    }

    pub fn try_read(&mut self, buffer: &mut [u8]) -> io::Result<Came> {
        self.0.try_read(buffer).map(Came::Bytes)
    }

    /// Asks the system itself, also where the runtime has not heard yet that there is something to read.
    pub fn read_now(&self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(rustix::io::read(&self.0, buffer)?)
    }
}

impl Drop for Reading {
    /// An end that is shared waits again, as the program that started lode expects.
    fn drop(&mut self) {
        if let Ok(flags) = fcntl_getfl(&self.0) {
            let _ = fcntl_setfl(&self.0, flags - OFlags::NONBLOCK);
        }
    }
}

/// The way to the terminal.
pub struct Writing(OwnedFd);

impl Writing {
    pub fn open() -> io::Result<Writing> {
        let open = |path: &Path| OpenOptions::new().write(true).custom_flags(flags()).open(path);
        named(io::stdout().as_fd(), &open).map(|file| Writing(file.into()))
    }

    /// Writes as much as the terminal takes at once.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        Ok(rustix::io::write(&self.0, bytes)?)
    }

    /// Waits for the terminal to take more.
    pub fn waiter(&self) -> io::Result<Waiter> {
        // A terminal is not a pipe, but all that is asked of either is to say when it takes more.
        Sender::from_file_unchecked(File::from(self.0.try_clone()?)).map(Waiter)
    }

    /// Writes everything, for no longer than `patience`, from whatever thread.
    pub fn insist(&self, bytes: &[u8], patience: Duration) {
        let end = Instant::now() + patience;
        let mut gone = 0;
        while gone < bytes.len() {
            match rustix::io::write(&self.0, &bytes[gone..]) {
                Ok(0) | Err(Errno::AGAIN) => {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() || !wait_to_write(self.0.as_fd(), left) {
                        return;
                    }
                }
                Ok(written) => gone += written,
                Err(Errno::INTR) => {}
                Err(_) => return,
            }
        }
    }
}

/// Tells when the terminal takes more.
pub struct Waiter(Sender);

impl Waiter {
    pub async fn writable(&self) -> io::Result<()> {
        self.0.writable().await
    }

    pub fn try_write(&self, _: &Writing, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }
}

/// Waits a while; whether it is worth another try.
#[cfg(not(target_os = "macos"))]
fn wait_to_write(to: BorrowedFd<'_>, left: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let wait = Timespec::try_from(left).ok();
    matches!(poll(&mut [PollFd::from_borrowed_fd(to, PollFlags::OUT)], wait.as_ref()), Ok(1..) | Err(Errno::INTR))
}

/// `poll` refuses terminals on some versions, and what works on all of them needs an unsafe promise: for the last words of a
/// program it will do to try again.
#[cfg(target_os = "macos")]
fn wait_to_write(_: BorrowedFd<'_>, left: Duration) -> bool {
    std::thread::sleep(left.min(Duration::from_millis(5)));
    true
}

fn flags() -> i32 {
    (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed()
}

fn named(shared: BorrowedFd<'_>, open: &dyn Fn(&Path) -> io::Result<File>) -> io::Result<File> {
    let named = rustix::termios::ttyname(shared, Vec::new())
        .map_err(io::Error::from)
        .and_then(|name| open(Path::new(OsStr::from_bytes(name.as_bytes()))));
    // Its name may belong to another room of the machine, or to who logged in before us.
    match named.or_else(|_| open(Path::new("/dev/tty"))) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && rustix::termios::isatty(shared) => {
            let end = shared.try_clone_to_owned()?;
            fcntl_setfl(&end, fcntl_getfl(&end)? | OFlags::NONBLOCK)?;
            Ok(end.into())
        }
        opened => opened,
    }
}

/// Writes questions to the terminal and hands on what it answers, until `take` returns true or `patience` is over. False where
/// nothing was asked: no terminal, or keys that were typed ahead, which belong to the shell.
pub fn ask(questions: &[u8], patience: Duration, mut take: impl FnMut(&[u8]) -> bool) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let open = |path: &Path| OpenOptions::new().read(true).write(true).custom_flags(flags()).open(path);
    let Ok(line) = named(io::stdin().as_fd(), &open) else { return false };
    let is_readable = |wait: Duration| {
        let wait = Timespec::try_from(wait).ok();
        matches!(poll(&mut [PollFd::new(&line, PollFlags::IN)], wait.as_ref()), Ok(1..))
    };
    if is_readable(Duration::ZERO) || crossterm::terminal::enable_raw_mode().is_err() {
        return false;
    }
    // What was typed before this line was given over letter by letter counts as typed ahead too.
    let is_asked = !is_readable(Duration::ZERO) && rustix::io::write(&line, questions) == Ok(questions.len());
    let (end, mut buffer) = (Instant::now() + patience, [0; 1024]);
    loop {
        let left = end.saturating_duration_since(Instant::now());
        if !is_asked || left.is_zero() || !is_readable(left) {
            break;
        }
        match rustix::io::read(&line, &mut buffer) {
            Ok(read @ 1..) if !take(&buffer[..read]) => {}
            Err(Errno::INTR) => {}
            _ => break,
        }
    }
    let _ = crossterm::terminal::disable_raw_mode();
    is_asked
}

/// Keeps other threads from writing between two pieces. The same thread may take it again.
pub fn alone() -> StdoutLock<'static> {
    io::stdout().lock()
}

/// Reports of the mouse are asked for with sequences alone.
pub fn capture_mouse(_: bool) -> io::Result<()> {
    Ok(())
}

/// Columns and rows, if the terminal knows them.
pub fn size() -> Option<(u16, u16)> {
    let size = crossterm::terminal::window_size().ok()?;
    Some((size.columns, size.rows))
}

/// What stands for `TERM` where nothing set it: a terminal of which nothing is known.
pub const USUAL_TERM: &str = "";

/// Columns and rows of the terminal that standard output is.
pub fn size_of_output() -> Option<(u16, u16)> {
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some((size.ws_col, size.ws_row))
}
