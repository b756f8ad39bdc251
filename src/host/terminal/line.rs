//! Writes to the terminal without blocking lode: a slow line takes the bytes late, a frozen window never.
//!
//! Nothing here waits, so that keys are heard, answers booked and signals obeyed while the terminal does not read. What the terminal does not
//! take at once is kept, and while anything is kept no frame is drawn: there is never more than one on its way, and the one
//! after it shows how things stand by then. Of what is said beside frames only the newest of each kind is kept. What is said
//! is decided elsewhere; only the last words, when the terminal is given back, may wait a moment.

use super::*;
use crate::in_flight;
use crate::system::terminal::{Waiter, Writing, alone};

/// The terminal once more, opened so that writing does not block. A panic in any thread speaks its last words here.
static OUT: OnceLock<Writing> = OnceLock::new();
/// Something went only in part: what comes next must not be read as its rest.
static CUT: AtomicBool = AtomicBool::new(false);

/// When the last frame went out, in microseconds. Zero before the first.
static LAST_FRAME: AtomicU64 = AtomicU64::new(0);
/// For how long after a frame a terminal may need a core to show it.
const SHOWING: Duration = Duration::from_millis(1);

/// Waits while the terminal shows the frame that was just sent. Work that keeps a core busy calls this often: the terminal is a
/// program of its own, and where all cores are busy it gets one only after their turns.
pub fn let_terminal_show() {
    if let Some(rest) = rest_of_showing(LAST_FRAME.load(Ordering::Relaxed), micros()) {
        std::thread::sleep(rest);
    }
}

fn rest_of_showing(frame: u64, now: u64) -> Option<Duration> {
    let since = Duration::from_micros(now.saturating_sub(frame));
    SHOWING.checked_sub(since).filter(|_| frame > 0)
}

/// Never zero.
fn micros() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_micros() as u64 + 1
}

/// How long the last words wait for a terminal that does not read.
const PATIENCE: Duration = Duration::from_secs(1);
/// Ends a sequence that was cut, and a link that was open.
const AFTER_A_CUT: &[u8] = b"\x18\x1b]8;;\x07";

/// What is said beside frames, in the order in which it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aside {
    /// lode has the screen again.
    Modes,
    /// What the terminal is asked.
    Question,
    Mouse,
    Clipboard,
    Notice,
    Progress,
}

/// The default is that of a window that prints lines instead of drawing.
#[derive(Default)]
pub struct TerminalLine {
    /// None where nothing is drawn: everything is taken at once and goes nowhere.
    to: Option<&'static Writing>,
    /// What is left of what is on its way.
    going: Vec<u8>,
    asides: [Option<Vec<u8>>; 6],
    /// Only while something waits: a terminal that reads wakes nothing.
    ready: Option<Waiter>,
}

impl TerminalLine {
    pub fn open() -> io::Result<TerminalLine> {
        if OUT.get().is_none() {
            let _ = OUT.set(Writing::open()?);
        }
        Ok(TerminalLine { to: OUT.get(), ..TerminalLine::default() })
    }

    /// Whether the terminal took all there was.
    pub fn is_clear(&self) -> bool {
        self.going.is_empty() && self.asides.iter().all(Option::is_none)
    }

    /// Sends a frame. For a line that is clear: what a frame changes was reckoned from the one before.
    pub fn frame(&mut self, bytes: &[u8]) -> io::Result<()> {
        debug_assert!(self.is_clear());
        let gone = self.write(bytes)?;
        self.going.extend_from_slice(&bytes[gone..]);
        self.mark();
        LAST_FRAME.store(micros(), Ordering::Relaxed);
        // A kernel worker delivers the frame and waits for this processor: let it run now.
        std::thread::yield_now();
        Ok(())
    }

    /// Says something beside the frames. The newest of a kind takes the place of one that has not begun to go.
    pub fn say(&mut self, aside: Aside, bytes: Vec<u8>) -> io::Result<()> {
        self.asides[aside as usize] = Some(bytes);
        self.go()
    }

    /// Sends on as much as the terminal takes.
    pub fn go(&mut self) -> io::Result<()> {
        while !self.is_clear() {
            if self.going.is_empty() {
                self.going = self.asides.iter_mut().find_map(Option::take).unwrap_or_default();
            }
            let gone = self.write(&self.going)?;
            self.going.drain(..gone);
            if !self.going.is_empty() {
                break;
            }
        }
        self.mark();
        Ok(())
    }

    /// Until the terminal may take some of what waits for it. Without an end where nothing waits.
    pub async fn flow(&mut self) -> io::Result<()> {
        let Some(to) = self.to.filter(|_| !self.is_clear()) else { return std::future::pending().await };
        let ready = self.ready.take().map_or_else(|| to.waiter(), Ok)?;
        self.ready.insert(ready).writable().await?;
        self.go()
    }

    /// Until the terminal took everything.
    pub async fn drain(&mut self) -> io::Result<()> {
        while !self.is_clear() {
            self.flow().await?;
        }
        Ok(())
    }

    /// Drops what has not gone yet: it was for a screen that lode has left.
    pub fn abandon(&mut self) {
        *self = TerminalLine { to: self.to, ..TerminalLine::default() };
    }

    /// How much the terminal took, piece by piece until it takes no more.
    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let Some(to) = self.to else { return Ok(bytes.len()) };
        // Alone with the last words, also of another thread.
        let _alone = alone();
        // Another thread broke and gave the terminal back: a frame on top of that would be the last thing to be seen.
        if in_flight::is_falling() {
            return Ok(bytes.len());
        }
        let mut gone = 0;
        while gone < bytes.len() {
            let rest = &bytes[gone..];
            match self.ready.as_ref().map_or_else(|| to.write(rest), |ready| ready.try_write(to, rest)) {
                Ok(0) => break,
                Ok(written) => gone += written,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(gone)
    }

    fn mark(&mut self) {
        CUT.store(!self.going.is_empty(), Ordering::SeqCst);
        if self.going.is_empty() {
            self.ready = None;
        }
    }
}

/// Writes what gives the terminal back, from whatever thread. One that does not read is not waited for longer than a moment.
pub fn last_words(words: &[u8]) {
    let Some(to) = OUT.get() else { return };
    let _alone = alone();
    let before = if CUT.swap(false, Ordering::SeqCst) { AFTER_A_CUT } else { b"" };
    to.insist(&[before, words].concat(), PATIENCE);
}

/// Whether what goes to the error stream goes to the terminal that the frames go to: it may not read, so [`last_words`] is the way.
pub fn is_error_stream() -> bool {
    OUT.get().is_some() && io::stderr().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_waits_only_within_a_millisecond_of_a_frame() {
        let rest = |frame, now| rest_of_showing(frame, now).map(|rest| rest.as_micros());
        assert_eq!(rest(0, 1), None, "before the first frame");
        assert_eq!([rest(5_000, 5_000), rest(5_000, 5_400)], [Some(1_000), Some(600)]);
        assert_eq!(rest(5_000, 6_001), None);
        assert_eq!(rest(5_000, 4_999), Some(1_000), "the frame went out while it was asked");
    }
}
