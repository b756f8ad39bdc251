//! A terminal of our own: the binary runs in it, keys are typed, the screen is read.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, ExitStatus, MasterPty, PtySize, native_pty_system};

/// Long enough for a machine that does many other things.
const PATIENCE: Duration = Duration::from_secs(60);

struct Shown {
    parser: vt100::Parser,
    bytes: u64,
    /// All that was written, where a test reads it.
    kept: Option<Vec<u8>>,
    /// In the middle of a frame that is announced: a terminal shows it when it is whole.
    is_partial: bool,
    /// What comes is not read: the line fills.
    held: bool,
    ended: bool,
}

pub struct Terminal {
    /// None once the line is broken.
    master: Option<Box<dyn MasterPty + Send>>,
    writer: Box<dyn Write + Send>,
    child: Box<dyn Child + Send + Sync>,
    shown: Arc<(Mutex<Shown>, Condvar)>,
    reading: Option<JoinHandle<()>>,
    before: String,
}

/// A small demo that answers at once.
pub const DEMO: [&str; 7] = ["demo", "--us-rows", "60000", "--linkedin-rows", "20000", "--fault", "latency=0"];

pub fn lode(home: &Path, arguments: &[&str]) -> CommandBuilder {
    let mut command = CommandBuilder::new(crate::binary());
    command.args(arguments);
    environment(&mut command, home);
    command
}

pub fn environment(command: &mut CommandBuilder, home: &Path) {
    command.env_clear();
    command.env("PATH", "/usr/bin:/bin");
    command.env("TERM", "xterm-256color");
    command.env("LANG", "C.UTF-8");
    command.env("HOME", home);
    command.env("LODE_STATE_DIR", home.join("state"));
    command.env("LODE_RUNTIME_DIR", home.join("runtime"));
    command.env("LODE_CONFIG_DIR", home.join("config"));
    command.cwd(home);
}

/// Where a mark stands last.
fn last_of(bytes: &[u8], mark: &[u8]) -> Option<usize> {
    bytes.windows(mark.len()).rposition(|some| some == mark)
}

impl Terminal {
    pub fn start(command: CommandBuilder, columns: u16, rows: u16) -> Terminal {
        Terminal::begin(command, columns, rows, None, None)
    }

    /// One whose program draws elsewhere: what it draws is read there.
    pub fn drawn_elsewhere(command: CommandBuilder, columns: u16, rows: u16, screen: Box<dyn Read + Send>) -> Terminal {
        Terminal::begin(command, columns, rows, None, Some(screen))
    }

    /// One that keeps every byte that was written.
    pub fn keeping(command: CommandBuilder, columns: u16, rows: u16) -> Terminal {
        Terminal::begin(command, columns, rows, Some(Vec::new()), None)
    }

    fn begin(
        command: CommandBuilder,
        columns: u16,
        rows: u16,
        kept: Option<Vec<u8>>,
        screen: Option<Box<dyn Read + Send>>,
    ) -> Terminal {
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let before = format!("{:?}", pair.master.get_termios());
        let child = pair.slave.spawn_command(command).unwrap();
        // The other side keeps the terminal's settings readable after the program is gone.
        std::mem::forget(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        if let Some(screen) = screen {
            let mut beside = std::mem::replace(&mut reader, screen);
            std::thread::spawn(move || std::io::copy(&mut beside, &mut std::io::sink()));
        }
        let writer = pair.master.take_writer().unwrap();
        let parser = vt100::Parser::new(rows, columns, 0);
        let shown = Arc::new((
            Mutex::new(Shown { parser, bytes: 0, kept, is_partial: false, held: false, ended: false }),
            Condvar::new(),
        ));
        let told = Arc::clone(&shown);
        let reading = std::thread::spawn(move || {
            // No more than the system hands over at once anyway, so that a held line takes no more than that.
            let mut buffer = [0; 4096];
            let mut recent = Vec::new();
            loop {
                let read = reader.read(&mut buffer).unwrap_or(0);
                let shown = told.0.lock().unwrap();
                let mut shown = told.1.wait_while(shown, |shown| shown.held && !shown.ended).unwrap();
                if shown.ended {
                    return;
                }
                shown.parser.process(&buffer[..read]);
                recent.extend_from_slice(&buffer[..read]);
                let [begun, ended] = [b"\x1b[?2026h", b"\x1b[?2026l"].map(|mark| last_of(&recent, mark));
                shown.is_partial = if begun == ended { shown.is_partial } else { begun > ended };
                recent.drain(..recent.len().saturating_sub(7));
                shown.bytes += read as u64;
                if let Some(kept) = &mut shown.kept {
                    kept.extend_from_slice(&buffer[..read]);
                }
                shown.ended = read == 0;
                told.1.notify_all();
                if read == 0 {
                    return;
                }
            }
        });
        Terminal { master: Some(pair.master), writer, child, shown, reading: Some(reading), before }
    }

    /// From here on what the program writes is not read, until `go_on`: keys still go to it.
    pub fn hold(&self) {
        self.shown.0.lock().unwrap().held = true;
    }

    pub fn go_on(&self) {
        self.shown.0.lock().unwrap().held = false;
        self.shown.1.notify_all();
    }

    /// The line breaks while it is held: there is no terminal any more.
    pub fn hang_up(&mut self) {
        let mut shown = self.shown.0.lock().unwrap();
        assert!(shown.held, "a reader that waits for the line cannot let go of it");
        shown.ended = true;
        drop(shown);
        self.shown.1.notify_all();
        self.reading.take().unwrap().join().unwrap();
        self.writer = Box::new(std::io::sink());
        self.master = None;
    }

    pub fn send(&mut self, keys: &str) {
        self.writer.write_all(keys.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Waits until the program has read every byte that was sent to it.
    pub fn wait_read(&self) {
        let line = self.master.as_ref().and_then(|master| master.tty_name()).expect("the line has a name");
        let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::NOCTTY | rustix::fs::OFlags::NONBLOCK;
        let line = rustix::fs::open(line, flags, rustix::fs::Mode::empty()).unwrap();
        let end = Instant::now() + PATIENCE;
        while rustix::io::ioctl_fionread(&line).unwrap() > 0 {
            assert!(Instant::now() < end, "what was sent is not read");
            std::thread::yield_now();
        }
    }

    pub fn screen(&self) -> String {
        self.shown.0.lock().unwrap().parser.screen().contents()
    }

    pub fn look(&self, at: impl FnOnce(&vt100::Screen)) {
        at(self.shown.0.lock().unwrap().parser.screen());
    }

    /// What was written so far.
    pub fn written(&self) -> Vec<u8> {
        self.shown.0.lock().unwrap().kept.clone().unwrap_or_default()
    }

    pub fn bytes(&self) -> u64 {
        self.shown.0.lock().unwrap().bytes
    }

    /// Waits until the screen is as wanted.
    pub fn wait_until(&self, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        self.wait_within(PATIENCE, what, wanted);
    }

    /// Waits until these bytes were written, in a terminal that keeps them.
    pub fn wait_written(&self, bytes: &[u8]) {
        let written =
            |shown: &Shown| shown.kept.as_ref().is_some_and(|kept| kept.windows(bytes.len()).any(|some| some == bytes));
        self.wait_shown(PATIENCE, &format!("{bytes:?}"), written);
    }

    pub fn wait_within(&self, patience: Duration, what: &str, wanted: impl Fn(&vt100::Screen) -> bool) {
        self.wait_shown(patience, what, |shown| !shown.is_partial && wanted(shown.parser.screen()));
    }

    fn wait_shown(&self, patience: Duration, what: &str, wanted: impl Fn(&Shown) -> bool) {
        let end = Instant::now() + patience;
        let mut shown = self.shown.0.lock().unwrap();
        while !wanted(&shown) {
            let left = end.saturating_duration_since(Instant::now());
            let screen = || shown.parser.screen().contents();
            assert!(!left.is_zero(), "{what} did not come:\n{}", screen());
            shown = self.shown.1.wait_timeout(shown, left).unwrap().0;
        }
    }

    /// Whether a byte comes within this time.
    pub fn changes_within(&self, time: Duration) -> bool {
        let shown = self.shown.0.lock().unwrap();
        let before = shown.bytes;
        let (shown, _) = self.shown.1.wait_timeout_while(shown, time, |shown| shown.bytes == before).unwrap();
        shown.bytes != before
    }

    pub fn wait_for(&self, words: &str) {
        self.wait_until(words, |screen| screen.contents().contains(words));
    }

    /// Waits for this number of jobs in the header; a spinner may stand before it.
    pub fn wait_for_jobs(&self, number: usize) {
        let count = format!("Jobs {number}");
        let is_shown = |screen: &vt100::Screen| {
            let text = screen.contents();
            let header = text.lines().next().unwrap_or_default();
            header.replace(|letter| ('⠀'..='⣿').contains(&letter), "").contains(&count)
        };
        self.wait_until(&count, is_shown);
    }

    /// Waits for words on a screen that was drawn after this many bytes.
    pub fn wait_redrawn(&self, bytes: u64, words: &str) {
        let drawn = |shown: &Shown| {
            !shown.is_partial && shown.bytes > bytes && shown.parser.screen().contents().contains(words)
        };
        self.wait_shown(PATIENCE, &format!("{words} once more"), drawn);
    }

    pub fn wait_gone(&self, words: &str) {
        self.wait_until(&format!("the end of {words}"), |screen| !screen.contents().contains(words));
    }

    /// Presses a key until the screen shows that it was heard: some keys are dropped on purpose when they come too soon.
    pub fn press_until(&mut self, key: &str, wanted: impl Fn(&str) -> bool) {
        let end = Instant::now() + PATIENCE;
        loop {
            self.send(key);
            let again = Instant::now() + Duration::from_secs(2);
            let mut shown = self.shown.0.lock().unwrap();
            while Instant::now() < again {
                if !shown.is_partial && wanted(&shown.parser.screen().contents()) {
                    return;
                }
                shown = self.shown.1.wait_timeout(shown, Duration::from_millis(100)).unwrap().0;
            }
            assert!(Instant::now() < end, "{key:?} was not heard:\n{}", shown.parser.screen().contents());
        }
    }

    /// Types the number that the review wants, as a hand does, and confirms it.
    pub fn pay(&mut self) -> String {
        self.wait_for("to unlock   ▏");
        let screen = self.screen();
        let words = screen.split("Maximum cost").nth(1).unwrap_or_default();
        let number = words.split_whitespace().next().unwrap_or_default().to_owned();
        for (at, digit) in number.char_indices() {
            let typed = format!("▏ {}", &number[..=at]);
            self.press_until(&digit.to_string(), |screen| screen.contains(&typed));
        }
        self.press_until("\r", |screen| !screen.contains("Maximum cost"));
        number
    }

    pub fn resize(&self, columns: u16, rows: u16) {
        self.shown.0.lock().unwrap().parser.screen_mut().set_size(rows, columns);
        let size = PtySize { rows, cols: columns, pixel_width: 0, pixel_height: 0 };
        self.master.as_ref().unwrap().resize(size).unwrap();
    }

    pub fn pid(&self) -> rustix::process::Pid {
        let id = self.child.process_id().unwrap();
        rustix::process::Pid::from_raw(i32::try_from(id).unwrap()).unwrap()
    }

    /// How often any thread of the program went to sleep so far.
    pub fn switches(&self) -> u64 {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.pid().as_raw_nonzero())).unwrap();
        let of = |path: std::path::PathBuf| {
            let status = std::fs::read_to_string(path.join("status")).unwrap_or_default();
            let count = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
            count.and_then(|count| count.trim().parse::<u64>().ok()).unwrap_or(0)
        };
        tasks.map(|task| of(task.unwrap().path())).sum()
    }

    pub fn signal(&self, signal: rustix::process::Signal) {
        rustix::process::kill_process(self.pid(), signal).unwrap();
    }

    pub fn wait_exit(&mut self) -> ExitStatus {
        let end = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < end, "it did not end:\n{}", self.screen());
            // The reader tells when the screen changes; a program that ends changes it.
            let shown = self.shown.0.lock().unwrap();
            drop(self.shown.1.wait_timeout(shown, Duration::from_millis(5)).unwrap());
        }
    }

    /// Every mode that a program can leave behind is as it was before.
    pub fn is_restored(&self) {
        self.wait_until("the terminal as it was", |screen| {
            !screen.alternate_screen()
                && !screen.bracketed_paste()
                && !screen.hide_cursor()
                && screen.mouse_protocol_mode() == vt100::MouseProtocolMode::None
        });
        let now = self.master.as_ref().unwrap().get_termios();
        assert_eq!(format!("{now:?}"), self.before, "line settings");
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
    }
}
