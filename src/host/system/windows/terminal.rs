//! The console's two ends. Neither its reading nor its writing can be done without waiting, so each has a thread of its own,
//! and the loop sees what there is to read, and when there is room to write.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crossterm::event::{
    DisableMouseCapture, EnableMouseCapture, Event, KeyCode, KeyEventKind, KeyModifiers, MouseEventKind, poll, read,
};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use unicode_width::UnicodeWidthChar;

use super::*;

/// What the console tells.
pub struct Reading {
    events: UnboundedReceiver<Vec<Event>>,
    here: Vec<Event>,
}

impl Reading {
    pub fn open() -> io::Result<Reading> {
        let (tell, events) = unbounded_channel();
        // It waits in the console until the process ends.
        std::thread::Builder::new().name("console".into()).spawn(move || {
            while let Ok(events) = here() {
                if events.iter().any(|event| matches!(event, Event::Resize(..))) {
                    RESIZED.notify_one();
                }
                if tell.send(with_pastes(events)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Reading { events, here: Vec::new() })
    }

    /// Until there is something to read.
    pub async fn readable(&mut self) -> io::Result<()> {
        while self.here.is_empty() {
            self.here = self.events.recv().await.ok_or(io::ErrorKind::UnexpectedEof)?;
        }
        Ok(())
    }

    pub fn try_read(&mut self, _: &mut [u8]) -> io::Result<Came> {
        let mut events = std::mem::take(&mut self.here);
        while let Ok(more) = self.events.try_recv() {
            events.extend(more);
        }
        match events.is_empty() {
            false => Ok(Came::Events(events)),
            true if self.events.is_closed() => Ok(Came::Bytes(0)),
            true => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    /// Nothing more: no byte waits for others here.
    pub fn read_now(&self, _: &mut [u8]) -> io::Result<usize> {
        Err(io::ErrorKind::WouldBlock.into())
    }
}

/// Waits for an event, and takes along all that came with it.
fn here() -> io::Result<Vec<Event>> {
    let mut events = vec![read()?];
    while poll(Duration::ZERO)? {
        events.push(read()?);
    }
    Ok(events)
}

/// A console does not say what was pasted: its letters come like typed ones, but all at once. That many in one piece are a
/// paste.
const PASTED: usize = 8;

/// The events that came at once, with one in the place of the letters that were pasted. Moves of the mouse are left out, because
/// nothing here follows them.
fn with_pastes(events: Vec<Event>) -> Vec<Event> {
    let mut all = Vec::new();
    let mut rest = events.as_slice();
    while let [first, behind @ ..] = rest {
        let typed: Vec<Option<char>> = rest.iter().map_while(typed).collect();
        let text: String = typed.iter().flatten().collect();
        if text.chars().count() >= PASTED {
            all.push(Event::Paste(text));
            rest = &rest[typed.len()..];
            continue;
        }
        if !matches!(first, Event::Mouse(mouse) if mouse.kind == MouseEventKind::Moved) {
            all.push(first.clone());
        }
        rest = behind;
    }
    all
}

/// What an event adds to a text: nothing for a key release. None if it is not a letter.
fn typed(event: &Event) -> Option<Option<char>> {
    let Event::Key(key) = event else { return None };
    if key.kind == KeyEventKind::Release {
        return Some(None);
    }
    let plain = (key.modifiers - KeyModifiers::SHIFT).is_empty();
    match key.code {
        KeyCode::Char(c) if plain => Some(Some(c)),
        KeyCode::Enter if plain => Some(Some('\n')),
        KeyCode::Tab if plain => Some(Some('\t')),
        _ => None,
    }
}

/// The way to the console.
pub struct Writing(Arc<Said>);

#[derive(Default)]
struct Said {
    state: Mutex<State>,
    changed: Condvar,
    done: Notify,
}

#[derive(Default)]
struct State {
    /// What the thread writes just now.
    going: Option<Vec<u8>>,
    broken: Option<io::ErrorKind>,
}

impl Writing {
    pub fn open() -> io::Result<Writing> {
        if !crossterm::ansi_support::supports_ansi() {
            let words = "this console knows no sequences: Windows 10 or later is needed, best with Windows Terminal";
            return Err(io::Error::new(io::ErrorKind::Unsupported, words));
        }
        let said = Arc::new(Said::default());
        let thread = Arc::clone(&said);
        std::thread::Builder::new().name("screen".into()).spawn(move || thread.write_on())?;
        Ok(Writing(said))
    }

    /// Hands everything to the thread that writes, once it has written what it was given before.
    pub fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = lock(&self.0.state);
        if let Some(kind) = state.broken {
            return Err(kind.into());
        }
        if state.going.is_some() {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        state.going = Some(bytes.to_vec());
        self.0.changed.notify_all();
        Ok(bytes.len())
    }

    /// Waits for the console to take more.
    pub fn waiter(&self) -> io::Result<Waiter> {
        Ok(Waiter(Arc::clone(&self.0)))
    }

    /// Writes everything, for no longer than `patience`, from whatever thread.
    pub fn insist(&self, bytes: &[u8], patience: Duration) {
        let end = Instant::now() + patience;
        let mut state = self.0.wait(lock(&self.0.state), patience);
        if state.going.is_some() {
            return;
        }
        state.going = Some(bytes.to_vec());
        self.0.changed.notify_all();
        drop(self.0.wait(state, end.saturating_duration_since(Instant::now())));
    }
}

impl Said {
    /// Waits for the thread to have nothing to write.
    fn wait<'a>(&'a self, state: MutexGuard<'a, State>, patience: Duration) -> MutexGuard<'a, State> {
        let waited = self.changed.wait_timeout_while(state, patience, |state| state.going.is_some());
        waited.unwrap_or_else(PoisonError::into_inner).0
    }

    fn write_on(&self) {
        loop {
            let state = lock(&self.state);
            let state = self.changed.wait_while(state, |state| state.going.is_none());
            let bytes = state.unwrap_or_else(PoisonError::into_inner).going.clone().unwrap_or_default();
            let mut out = io::stdout().lock();
            let written = out.write_all(&bytes).and_then(|()| out.flush());
            drop(out);
            let mut state = lock(&self.state);
            state.broken = written.err().map(|error| error.kind());
            state.going = None;
            self.changed.notify_all();
            self.done.notify_one();
        }
    }
}

/// Tells when the console takes more.
pub struct Waiter(Arc<Said>);

impl Waiter {
    pub async fn writable(&self) -> io::Result<()> {
        while lock(&self.0.state).going.is_some() {
            self.0.done.notified().await;
        }
        Ok(())
    }

    pub fn try_write(&self, to: &Writing, bytes: &[u8]) -> io::Result<usize> {
        to.write(bytes)
    }
}

/// The console answers through its events, so it is not asked here.
pub fn ask(_: &[u8], _: Duration, _: impl FnMut(&[u8]) -> bool) -> bool {
    false
}

/// Keeps other threads from writing between two pieces. The same thread may take it again. The thread that writes holds
/// standard output, so it is not that.
pub fn alone() -> StderrLock<'static> {
    io::stderr().lock()
}

/// A console that is read by events tells of the mouse when it is asked by a call.
pub fn capture_mouse(on: bool) -> io::Result<()> {
    use crossterm::Command;
    if on { EnableMouseCapture.execute_winapi() } else { DisableMouseCapture.execute_winapi() }
}

/// Columns and rows of the console.
pub fn size() -> Option<(u16, u16)> {
    crossterm::terminal::size().ok()
}

/// Columns and rows of the console that standard output is.
pub fn size_of_output() -> Option<(u16, u16)> {
    size().filter(|(columns, _)| *columns > 0)
}

/// What stands for `TERM` where nothing set it: a console since Windows 10 shows every color.
pub const USUAL_TERM: &str = "windows-direct";

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What is typed is not shown.
static HIDDEN: AtomicBool = AtomicBool::new(false);

/// Whether the console shows what is typed, where lines are read.
pub fn echo(on: bool) {
    HIDDEN.store(!on, Ordering::SeqCst);
}

/// The lines that are typed, or that come through a pipe. A console that reads lines by itself decides when a line begins
/// whether it shows it, which is too early for a secret: so its keys are read, and shown here.
pub fn typed_lines() -> Box<dyn Iterator<Item = io::Result<String>>> {
    if io::stdin().is_terminal() {
        Box::new(std::iter::from_fn(|| typed_line().transpose()))
    } else {
        Box::new(io::stdin().lines())
    }
}

/// One line from the console; `None` at Ctrl-Z or Ctrl-D on an empty one.
fn typed_line() -> io::Result<Option<String>> {
    let mut line = String::new();
    loop {
        let Event::Key(key) = read()? else { continue };
        if key.kind == KeyEventKind::Release {
            continue;
        }
        // Ctrl and Alt together are AltGr, which types letters.
        let ctrl = key.modifiers & (KeyModifiers::CONTROL | KeyModifiers::ALT) == KeyModifiers::CONTROL;
        match key.code {
            KeyCode::Enter => {
                show("\r\n")?;
                return Ok(Some(line));
            }
            KeyCode::Char('z' | 'd') if ctrl && line.is_empty() => return Ok(None),
            KeyCode::Char(letter) if !ctrl => {
                line.push(letter);
                if !HIDDEN.load(Ordering::SeqCst) {
                    show(letter.encode_utf8(&mut [0; 4]))?;
                }
            }
            KeyCode::Backspace => {
                let width = line.pop().map_or(0, |letter| letter.width().unwrap_or(0));
                if !HIDDEN.load(Ordering::SeqCst) {
                    show(&"\x08 \x08".repeat(width))?;
                }
            }
            _ => {}
        }
    }
}

fn show(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(text.as_bytes())?;
    out.flush()
}
