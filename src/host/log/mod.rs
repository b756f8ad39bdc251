//! The log file: effects and their answers, to find out later what went wrong.
//!
//! Nothing secret or personal can be in it, because of what is written rather than by searching through it: `line` makes a
//! line from the type of an effect or answer with its numbers, never from the fields of a contact, and keys are of a type that
//! has no text. The file opens with its first line, and rotates: a megabyte, and two older ones.

mod line;

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use lode_core::{Now, Wall};
use lode_engine::effect::{Answer, Effect};

use super::system::files::{make_private_dir, open_private};

/// A file is put aside when it would grow larger than this. Windows look before they write and not while another writes, so
/// that a line costs no lock: a file may be larger by one line for every other window.
const MOST: u64 = 1 << 20;
/// Files put aside that are kept.
const OLDER: u32 = 2;

/// How much is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What went wrong.
    Error,
    /// And every request with its answer.
    #[default]
    Info,
    /// And the work of store and files, and which searches were run.
    Debug,
}

impl Level {
    pub const ALL: [Level; 3] = [Level::Error, Level::Info, Level::Debug];

    pub fn name(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Info => "info",
            Level::Debug => "debug",
        }
    }
}

/// The log of one run. lode does not stop because a log cannot be written.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    level: Level,
    file: Mutex<Option<File>>,
}

/// Where the log of a state folder is.
pub fn path(state_dir: &Path) -> PathBuf {
    state_dir.join("log").join("lode.log")
}

impl Log {
    pub fn new(state_dir: &Path, level: Level) -> Log {
        Log { path: path(state_dir), level, file: Mutex::new(None) }
    }

    /// What is asked of the world.
    pub fn effect(&self, effect: &Effect, now: Now) {
        if let Some((level, words)) = line::of_effect(effect, self.level) {
            self.note(level, &words, now.wall);
        }
    }

    /// What it answered.
    pub fn answer(&self, answer: &Answer, now: Now) {
        if let Some((level, words)) = line::of_answer(answer, self.level) {
            self.note(level, &words, now.wall);
        }
    }

    /// A sentence of our own: no data of the services belongs here.
    pub fn note(&self, level: Level, words: &str, at: Wall) {
        if level > self.level {
            return;
        }
        let moment = jiff::Timestamp::from_millisecond(at.0).map_or_else(|_| at.0.to_string(), |at| format!("{at:.3}"));
        let words: String = words.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = format!("{moment} {} {:<5} {words}\n", std::process::id(), level.name());
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.append(&mut file, line.as_bytes());
    }

    /// One line, one write: lines of several windows do not mix.
    fn append(&self, file: &mut Option<File>, line: &[u8]) -> io::Result<()> {
        if file.as_ref().is_none_or(|file| file.metadata().is_ok_and(|about| about.len() + line.len() as u64 > MOST)) {
            *file = Some(self.fresh(line.len() as u64)?);
        }
        match file {
            Some(file) => file.write_all(line),
            None => Ok(()),
        }
    }

    /// The file to go on with: the one that is there, or a new one after it was put aside.
    fn fresh(&self, more: u64) -> io::Result<File> {
        make_private_dir(self.path.parent().unwrap_or(&self.path))?;
        // Two windows that find it full at the same time must not put the new one aside as well.
        let lock = open(&self.path.with_extension("lock"))?;
        lock.lock()?;
        let file = open(&self.path)?;
        if file.metadata()?.len() + more <= MOST {
            return Ok(file);
        }
        for number in (1..OLDER).rev() {
            let _ = fs::rename(aside(&self.path, number), aside(&self.path, number + 1));
        }
        fs::rename(&self.path, aside(&self.path, 1))?;
        open(&self.path)
    }
}

fn open(path: &Path) -> io::Result<File> {
    open_private(OpenOptions::new().create(true).read(true).append(true), path)
}

/// `lode.1.log` is the newest of those put aside.
fn aside(path: &Path, number: u32) -> PathBuf {
    path.with_extension(format!("{number}.log"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_engine::effect::CallId;
    use lode_engine::effect::call::{Call, Reply};
    use lode_engine::effect::failure::{Failure, Refusal};

    fn at(ms: i64) -> Now {
        Now { wall: Wall(1_800_000_000_000 + ms), ..Now::default() }
    }

    #[test]
    fn a_request_and_its_answer_are_two_lines() {
        let folder = tempfile::tempdir().unwrap();
        let log = Log::new(folder.path(), Level::Info);
        assert!(!log.path.exists(), "nothing is touched before the first line");
        log.effect(&Effect::Send(CallId(3), Call::Me), at(0));
        let refused = Failure::Refused { status: 401, why: Refusal::Key, words: "unknown\nkey".to_owned() };
        log.answer(&Answer::Replied(CallId(3), Err(refused)), at(12));
        log.answer(&Answer::Replied(CallId(4), Ok(Reply::SavedWritten)), at(13));
        log.note(Level::Debug, "not at this level", Wall(0));
        let text = fs::read_to_string(log.path).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 3, "{text}");
        assert!(lines[0].starts_with("2027-01-15T08:00:00.000Z ") && lines[0].ends_with("info  3 asks me"), "{text}");
        assert!(lines[1].ends_with("error 3 refused 401: unknown key"), "{text}");
    }

    #[test]
    fn it_rotates_and_keeps_every_line_of_several_windows() {
        let folder = tempfile::tempdir().unwrap();
        let long = "x".repeat(1_000);
        std::thread::scope(|scope| {
            for window in 0..4 {
                let (folder, long) = (&folder, &long);
                scope.spawn(move || {
                    let log = Log::new(folder.path(), Level::Info);
                    for round in 0..400 {
                        log.note(Level::Info, &format!("{window}.{round} {long}"), Wall(0));
                    }
                });
            }
        });
        let base = path(folder.path());
        let beside = 3 * (long.len() as u64 + 100);
        let mut lines = 0;
        for file in [base.clone(), aside(&base, 1), aside(&base, 2)] {
            let text = fs::read_to_string(&file).unwrap_or_default();
            assert!(text.len() as u64 <= MOST + beside, "{}", file.display());
            assert!(text.lines().all(|line| line.ends_with(&long)), "no line is torn");
            lines += text.lines().count();
        }
        assert_eq!(lines, 1_600);
        assert!(!aside(&base, 3).exists());
    }
}
