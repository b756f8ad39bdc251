//! A program on a pseudo-terminal: what is written to it, what it writes, what it costs.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

/// The benchmark starts itself with this to become the session on the new terminal, and then the program.
pub const LAUNCH: &str = "--launch";

fn launch(mut arguments: impl Iterator<Item = String>) -> ExitCode {
    let program = arguments.next().unwrap_or_default();
    let owned = rustix::process::setsid().and_then(|_| rustix::process::ioctl_tiocsctty(std::io::stdin()));
    if let Err(error) = owned {
        eprintln!("no terminal: {error}");
        return ExitCode::FAILURE;
    }
    eprintln!("{program}: {}", Command::new(&program).args(arguments).exec());
    ExitCode::FAILURE
}

/// The same for a program that stands for another machine: it computes only while other programs rest.
pub const ASIDE: &str = "--aside";

fn aside(mut arguments: impl Iterator<Item = String>) -> ExitCode {
    let program = arguments.next().unwrap_or_default();
    let _ = rustix::process::setsid();
    let _ = rustix::process::setpriority_process(None, 19);
    // Linux shares processor time among sessions first, where it is told to.
    let _ = std::fs::write("/proc/self/autogroup", "19");
    eprintln!("{program}: {}", Command::new(&program).args(arguments).exec());
    ExitCode::FAILURE
}

/// Runs as one of these where the benchmark started itself so.
pub fn helper() -> Option<ExitCode> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next()?.as_str() {
        LAUNCH => Some(launch(arguments)),
        ASIDE => Some(aside(arguments)),
        _ => None,
    }
}

/// What is started, and where.
#[derive(Clone, Debug)]
pub struct Start {
    pub program: OsString,
    pub arguments: Vec<OsString>,
    pub environment: Vec<(String, OsString)>,
    pub folder: PathBuf,
}

pub struct Terminal {
    master: OwnedFd,
    child: Child,
    pub began: Instant,
    screen: vt100::Parser,
    /// The end of what was written, for a query that is cut in two.
    tail: Vec<u8>,
    buffer: Vec<u8>,
}

/// How an answer came.
#[derive(Clone, Copy, Debug, Default)]
pub struct Answer {
    pub first: Option<Duration>,
    pub last: Option<Duration>,
    pub bytes: usize,
}

/// What a program has cost so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    pub cpu: Duration,
    pub switches: u64,
}

impl Terminal {
    pub fn start(start: &Start, size: (u16, u16)) -> std::io::Result<Terminal> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        tcsetwinsize(&master, Winsize { ws_row: size.1, ws_col: size.0, ws_xpixel: 0, ws_ypixel: 0 })?;
        let name = ptsname(&master, Vec::new())?;
        let path = name.to_string_lossy().into_owned();
        let slave = std::fs::File::options().read(true).write(true).open(path)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.arg(LAUNCH).arg(&start.program).args(&start.arguments).current_dir(&start.folder);
        command.env_clear().envs(start.environment.iter().cloned());
        command.stdin(slave.try_clone()?).stdout(slave.try_clone()?).stderr(slave);
        let began = Instant::now();
        let child = command.spawn()?;
        let screen = vt100::Parser::new(size.1, size.0, 0);
        Ok(Terminal { master, child, began, screen, tail: Vec::new(), buffer: vec![0; 1 << 16] })
    }

    /// Reads once; zero where nothing came within `patience`.
    fn read(&mut self, patience: Duration) -> std::io::Result<usize> {
        let mut wanted = [PollFd::new(&self.master, PollFlags::IN)];
        let patience = Timespec { tv_sec: patience.as_secs() as i64, tv_nsec: i64::from(patience.subsec_nanos()) };
        if poll(&mut wanted, Some(&patience))? == 0 {
            return Ok(0);
        }
        Ok(rustix::io::read(&self.master, &mut self.buffer)?)
    }

    pub fn write(&self, mut bytes: &[u8]) -> std::io::Result<()> {
        while !bytes.is_empty() {
            let written = rustix::io::write(&self.master, bytes)?;
            bytes = &bytes[written..];
        }
        Ok(())
    }

    fn took(&mut self, read: usize) -> std::io::Result<()> {
        let bytes = self.buffer[..read].to_vec();
        self.takes(&bytes)
    }

    /// What was read goes to the emulator, and questions in it are answered as a terminal does.
    fn takes(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        let Terminal { screen, tail, .. } = self;
        screen.process(bytes);
        let before = tail.len();
        tail.extend_from_slice(bytes);
        let mut asked: Vec<(usize, &[u8])> = Vec::new();
        for (question, answer) in QUESTIONS {
            let from = before.saturating_sub(question.len() - 1);
            let places = tail[from..].windows(question.len()).enumerate().filter(|(_, part)| *part == question);
            asked.extend(places.map(|(at, _)| (from + at, answer)));
        }
        // In the order in which it was asked: a program may take the answer to its last question for the end of all.
        asked.sort_unstable_by_key(|(at, _)| *at);
        let answers: Vec<u8> = asked.into_iter().flat_map(|(_, answer)| answer).copied().collect();
        let keep = tail.len().saturating_sub(16);
        tail.drain(..keep);
        if answers.is_empty() { Ok(()) } else { self.write(&answers) }
    }

    /// Writes a key and reads until nothing came for `quiet`, at most `patience` for the first byte.
    pub fn press(&mut self, key: &[u8], quiet: Duration, patience: Duration) -> std::io::Result<Answer> {
        let mut answer = Answer::default();
        let mut all = Vec::new();
        let key = self.as_sent(key);
        let began = Instant::now();
        self.write(&key)?;
        loop {
            let read = self.read(if answer.first.is_some() { quiet } else { patience })?;
            if read == 0 {
                break;
            }
            let at = began.elapsed();
            answer.first.get_or_insert(at);
            answer.last = Some(at);
            answer.bytes += read;
            // The emulator takes its time: it gets the answer when no more of it is to come.
            all.extend_from_slice(&self.buffer[..read]);
        }
        self.takes(&all)?;
        Ok(answer)
    }

    /// From writing a key to the read that brought a screen as wanted, whatever else is drawn meanwhile.
    pub fn press_until(
        &mut self,
        key: &[u8],
        wanted: impl Fn(&vt100::Screen) -> bool,
        patience: Duration,
    ) -> std::io::Result<Option<Duration>> {
        let key = self.as_sent(key);
        let began = Instant::now();
        self.write(&key)?;
        loop {
            let read = self.read(patience.saturating_sub(began.elapsed()))?;
            if read == 0 {
                return Ok(None);
            }
            let at = began.elapsed();
            self.took(read)?;
            if wanted(self.screen.screen()) {
                return Ok(Some(at));
            }
        }
    }

    /// Arrows are sent otherwise to programs that asked for it.
    fn as_sent(&self, key: &[u8]) -> Vec<u8> {
        match key {
            [0x1b, b'[', letter @ (b'A'..=b'D' | b'F' | b'H')] if self.screen.screen().application_cursor() => {
                vec![0x1b, b'O', *letter]
            }
            _ => key.to_vec(),
        }
    }

    /// As [`Terminal::press`] for one key many times at once: the clock starts when the last one is written.
    pub fn flood(&mut self, key: &[u8], times: usize, quiet: Duration) -> std::io::Result<Answer> {
        let mut answer = Answer::default();
        let keys = self.as_sent(key).repeat(times);
        // A terminal holds four kilobytes that were not read.
        let mut chunks = keys.chunks(3_000).peekable();
        let mut began = Instant::now();
        while let Some(chunk) = chunks.next() {
            self.write(chunk)?;
            began = Instant::now();
            while chunks.peek().is_some() {
                let read = self.read(Duration::from_millis(1))?;
                if read == 0 {
                    break;
                }
                answer.bytes += read;
                self.took(read)?;
            }
        }
        loop {
            let read = self.read(quiet)?;
            if read == 0 {
                return Ok(answer);
            }
            answer.last = Some(began.elapsed());
            answer.bytes += read;
            self.took(read)?;
        }
    }

    /// Reads whatever comes for as long as this, and says how many bytes that were.
    pub fn listen(&mut self, time: Duration) -> std::io::Result<usize> {
        let end = Instant::now() + time;
        let mut bytes = 0;
        loop {
            let read = self.read(end.saturating_duration_since(Instant::now()))?;
            if read == 0 {
                return Ok(bytes);
            }
            bytes += read;
            self.took(read)?;
        }
    }

    /// When the screen first was as wanted, counted from the start.
    pub fn until(&mut self, wanted: impl Fn(&str) -> bool, patience: Duration) -> Option<Duration> {
        let end = Instant::now() + patience;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let read = self.read(left).ok().filter(|read| *read > 0)?;
            let at = self.began.elapsed();
            self.took(read).ok()?;
            if wanted(&self.screen()) {
                return Some(at);
            }
        }
    }

    /// Waits until the screen is as wanted, whether bytes come or not.
    pub fn shows(&mut self, words: &str, patience: Duration) -> bool {
        self.screen().contains(words) || self.until(|screen| screen.contains(words), patience).is_some()
    }

    pub fn screen(&self) -> String {
        self.screen.screen().contents()
    }

    /// Processor time and switches of all threads so far.
    pub fn cost(&self) -> Cost {
        let mut cost = Cost::default();
        let threads = std::fs::read_dir(format!("/proc/{}/task", self.child.id())).into_iter().flatten().flatten();
        for thread in threads {
            let file = |name| std::fs::read_to_string(thread.path().join(name)).unwrap_or_default();
            let nanos = file("schedstat").split(' ').next().and_then(|nanos| nanos.parse().ok()).unwrap_or(0);
            cost.cpu += Duration::from_nanos(nanos);
            let status = file("status");
            let status = fields(&status);
            let switches = status.iter().filter(|(name, _)| name.ends_with("ctxt_switches"));
            cost.switches += switches.map(|(_, count)| count).sum::<u64>();
        }
        cost
    }

    /// What the thread that reads the keys was on the processor for, and how long it waited for one.
    pub fn key_loop(&self) -> (Duration, Duration) {
        let process = self.child.id();
        let text = std::fs::read_to_string(format!("/proc/{process}/task/{process}/schedstat")).unwrap_or_default();
        let mut nanos = text.split_whitespace().map(|nanos| Duration::from_nanos(nanos.parse().unwrap_or(0)));
        (nanos.next().unwrap_or_default(), nanos.next().unwrap_or_default())
    }

    pub fn look<T>(&self, at: impl FnOnce(&vt100::Screen) -> T) -> T {
        at(self.screen.screen())
    }

    /// Resident memory in kilobytes.
    pub fn resident(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        fields(&status).get("VmRSS").copied().unwrap_or(0)
    }

    /// Of it what is its own, and what it has of files: of the program itself above all.
    pub fn kinds(&self) -> [u64; 2] {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let fields = fields(&status);
        ["RssAnon", "RssFile"].map(|name| fields.get(name).copied().unwrap_or(0))
    }

    /// Keys that nothing is measured of.
    pub fn types(&mut self, keys: &[&[u8]], gap: Duration) -> std::io::Result<()> {
        for key in keys {
            let key = self.as_sent(key);
            self.write(&key)?;
            self.listen(gap)?;
        }
        Ok(())
    }

    /// Ends it by its own keys, by force where it does not listen.
    pub fn leave(mut self, keys: &[u8]) {
        let _ = self.write(keys);
        let end = Instant::now() + Duration::from_secs(3);
        while Instant::now() < end {
            let _ = self.listen(Duration::from_millis(2));
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn fields(status: &str) -> BTreeMap<&str, u64> {
    let number = |words: &str| words.split_whitespace().next().and_then(|word| word.parse().ok());
    status
        .lines()
        .filter_map(|line| line.split_once(':'))
        .filter_map(|(name, words)| Some((name, number(words)?)))
        .collect()
}

/// What programs ask their terminal at the start, and what an xterm says.
const QUESTIONS: [(&[u8], &[u8]); 9] = [
    (b"\x1b[6n", b"\x1b[1;1R"),
    (b"\x1b[5n", b"\x1b[0n"),
    (b"\x1b[c", b"\x1b[?64;1;2;6;22c"),
    (b"\x1b[0c", b"\x1b[?64;1;2;6;22c"),
    (b"\x1b[>c", b"\x1b[>41;390;0c"),
    (b"\x1b[?u", b"\x1b[?0u"),
    (b"\x1b[?2026$p", b"\x1b[?2026;2$y"),
    (b"\x1b]10;?", b"\x1b]10;rgb:dddd/dddd/dddd\x1b\\"),
    (b"\x1b]11;?", b"\x1b]11;rgb:1010/1010/1010\x1b\\"),
];
