//! The log file: effects and their answers, to find out later what went wrong.
//!
//! Nothing secret or personal can be in it, because of what is written rather than by searching through it: a line
//! is made from the type of an effect or answer with its numbers, never from the fields of a contact, and keys are of a type that
//! has no text. The file opens with its first line, and rotates: a megabyte, and two older ones.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use strum::Display;

use lode_core::{Now, Wall, contacts, counted};
use lode_engine::effect::{Answer, Call, Effect, Failure, FileReply, Outgoing, Reply, StoreCall, StoreReply};

use super::system::files::{make_private_dir, open_private};

/// A file is put aside when it would grow larger than this. Windows look before they write and not while another writes, so
/// that a line costs no lock: a file may be larger by one line for every other window.
const MOST: u64 = 1 << 20;
/// Files put aside that are kept.
const OLDER: u32 = 2;

/// How much is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Display)]
#[strum(serialize_all = "lowercase")]
pub enum Level {
    /// What went wrong.
    Error,
    /// And every request with its answer.
    #[default]
    Info,
    /// And the work of store and files, and which searches were run.
    Debug,
}

/// The log of one run. lode does not stop because a log cannot be written.
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
        if let Some((level, words)) = of_effect(effect, self.level) {
            self.note(level, &words, now.wall);
        }
    }

    /// What it answered.
    pub fn answer(&self, answer: &Answer, now: Now) {
        if let Some((level, words)) = of_answer(answer, self.level) {
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
        let line = format!("{moment} {} {level:<5} {words}\n", std::process::id());
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = self.append(&mut file, line.as_bytes());
    }

    /// One line, one write: lines of several windows do not mix.
    fn append(&self, file: &mut Option<File>, line: &[u8]) -> io::Result<()> {
        let is_full = |file: &File| file.metadata().is_ok_and(|about| about.len() + line.len() as u64 > MOST);
        match file {
            Some(file) if !is_full(file) => file.write_all(line),
            _ => file.insert(self.fresh(line.len() as u64)?).write_all(line),
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

fn of_effect(effect: &Effect, level: Level) -> Option<(Level, String)> {
    Some(match effect {
        Effect::Send(id, call) => (Level::Info, format!("{} asks {}", id.0, of_call(call, level))),
        Effect::Cancel(id) => (Level::Info, format!("{} canceled", id.0)),
        // The allowance is asked for with every request: two lines of it would bury the one that counts.
        Effect::Store(_, StoreCall::Reserve { .. } | StoreCall::Release { .. }) => return None,
        Effect::Store(..) | Effect::File(..) if level < Level::Debug => return None,
        Effect::Store(ticket, call) => (Level::Debug, format!("store {} {}", ticket.0, of_store(call))),
        Effect::File(ticket, call) => (Level::Debug, format!("file {} {}", ticket.0, kind(&format!("{call:?}")))),
        Effect::Quit(code) => (Level::Info, format!("leaves with {code}")),
        _ => return None,
    })
}

fn of_answer(answer: &Answer, level: Level) -> Option<(Level, String)> {
    Some(match answer {
        Answer::Replied(id, Ok(reply)) => (Level::Info, format!("{} answered: {}", id.0, of_reply(reply))),
        Answer::Replied(id, Err(failure)) => (Level::Error, format!("{} {}", id.0, of_failure(failure))),
        Answer::Unsent(id, _, words) => (Level::Error, format!("{} not sent: {words}", id.0)),
        Answer::Progress(..) => return None,
        Answer::Stored(ticket, done) => {
            let words = match done {
                Err(failure) => return Some((Level::Error, format!("store {} failed: {failure}", ticket.0))),
                Ok(StoreReply::IntentRefused(why)) => format!("refused the intent: {}", kind(&format!("{why:?}"))),
                Ok(StoreReply::Intended(written)) => format!("wrote order {} batch {}", written.order, written.batch.0),
                Ok(StoreReply::Outdated) => "took nothing: the batch has been sent again since".to_owned(),
                Ok(_) if level < Level::Debug => return None,
                Ok(StoreReply::Reserved { .. } | StoreReply::Wait { .. } | StoreReply::Done(())) => return None,
                Ok(_) => return Some((Level::Debug, format!("store {} answered", ticket.0))),
            };
            (Level::Info, format!("store {} {words}", ticket.0))
        }
        Answer::Filed(ticket, Err(failure)) => (Level::Error, format!("file {} failed: {failure}", ticket.0)),
        Answer::Filed(ticket, Ok(FileReply::Written(file))) => {
            let (rows, bytes) = (counted(file.rows, "row"), counted(file.bytes, "byte"));
            (Level::Info, format!("file {} written: {rows}, {bytes}", ticket.0))
        }
        Answer::Filed(ticket, Ok(_)) => (Level::Debug, format!("file {} done", ticket.0)),
    })
}

fn of_call(call: &Outgoing, level: Level) -> String {
    match call {
        Call::Me => "me".to_owned(),
        Call::Search(search) => {
            let side = search.query.side;
            let what = match level {
                Level::Debug => search.query.canonical(),
                Level::Info | Level::Error => format!("{}/{}", side.source, side.corpus),
            };
            let marks = if search.mark_pulled { ", marks them as pulled" } else { "" };
            format!("search {what}: {} from {}{marks}", search.limit, search.offset)
        }
        Call::Unlock(unlock) => {
            let verify = if unlock.verify { "" } else { ", without verification" };
            format!("unlock workspace/{}: {}{verify}", unlock.corpus, contacts(unlock.ids.len()))
        }
        Call::Counts(corpus) => format!("counts {corpus}"),
        Call::SavedList => "saved searches".to_owned(),
        Call::SavedAdd { .. } => "to save a search".to_owned(),
        Call::SavedRestore { .. } => "to restore a saved search".to_owned(),
        Call::SavedRemove { .. } => "to remove a saved search".to_owned(),
        Call::Export { query, .. } => format!("export {}/{}", query.side.source, query.side.corpus),
    }
}

fn of_reply(reply: &Reply) -> String {
    match reply {
        Reply::Me(account) => format!("account, {} scopes", account.scopes.len()),
        Reply::Page(page) => {
            let took = page.took_ms.map_or_else(String::new, |ms| format!(" in {ms} ms"));
            format!("{} of {}, limit {}{took}", counted(page.rows.len() as u64, "row"), page.total, page.limit)
        }
        Reply::Unlock { status, body } => format!("unlock {status}, {}", counted(body.len() as u64, "byte")),
        Reply::Counts(counts) => format!("{} counts", counts.counts.len()),
        Reply::Saved(saved) => format!("{} saved searches", saved.len()),
        Reply::SavedWritten => "written".to_owned(),
        Reply::Exported(file) => format!("export, {}, {}", counted(file.rows, "row"), counted(file.bytes, "byte")),
    }
}

fn of_failure(failure: &Failure) -> String {
    match failure {
        Failure::Later { wait, words } => {
            let wait = wait.map_or("it does not say when".to_owned(), |wait| format!("{} s", wait.as_secs()));
            format!("later ({wait}): {words}")
        }
        Failure::Refused { status, words, .. } => format!("refused {status}: {words}"),
        Failure::Unclear { why, words } => format!("unclear ({why:?}): {words}"),
        Failure::Unsent { words } => format!("not sent: {words}"),
        Failure::Disk { words } => format!("disk: {words}"),
        Failure::OurBug { words } => format!("a bug in lode: {words}"),
    }
}

fn of_store(call: &StoreCall) -> String {
    match call {
        StoreCall::Intend(intent) => {
            let again = intent.again.map_or_else(String::new, |batch| format!(" again batch {}", batch.0));
            format!("intend {}{again}", contacts(intent.ids.len()))
        }
        StoreCall::KeepAnswer { batch, status, body } => {
            format!("heard batch {}: {status}, {}", batch.0, counted(body.len() as u64, "byte"))
        }
        StoreCall::Lost { batch, .. } => format!("lost batch {}", batch.0),
        StoreCall::Withdraw { batch, .. } => format!("withdraw batch {}", batch.0),
        StoreCall::Settle(known) => format!("settle batch {}: {}", known.batch.0, contacts(known.contacts.len())),
        other => kind(&format!("{other:?}")),
    }
}

/// The name of a case without its fields.
fn kind(debug: &str) -> String {
    debug.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
}

#[cfg(test)]
mod tests {
    use lode_engine::effect::CallId;
    use lode_engine::effect::call::{Call, Reply};
    use lode_engine::effect::failure::{Failure, Refusal};

    use super::*;

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
