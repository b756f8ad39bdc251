//! The mark: a small file beside the ledger with its id and highest batch number. It distinguishes a new ledger from one
//! that is missing, empty, older or replaced, so that nothing is spent after a loss.
//!
//! The id is the application id in the head of the state file. A batch is in the mark before its request is sent.

use super::*;
use crate::system::files::identity;

/// The state file: money, basket, history. What doctor and the backups are named after.
pub const LEDGER_FILE: &str = "lode.sqlite3";
/// Beside it.
pub(super) const MARK: &str = "ledger.mark";
/// Beside it too: which file the ledger is.
const ORIGIN: &str = "ledger.origin";
const HEAD: &str = "lode ledger 1";
/// Always as long, so that writing it again needs no room on the disk.
const WIDTH: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// 0 for a ledger that has none yet.
    pub id: i64,
    /// The highest number a batch was ever given.
    pub batch: i64,
}

impl Mark {
    /// What the state file says of itself.
    pub(super) fn of(db: &Connection) -> Outcome<Mark> {
        let id = db.query_row("PRAGMA application_id", [], |row| row.get(0))?;
        let counted = "SELECT seq FROM sqlite_sequence WHERE name = 'batch'";
        let batch = db.query_row(counted, [], |row| row.get(0)).optional()?.unwrap_or(0);
        Ok(Mark { id, batch })
    }

    fn text(self) -> String {
        let words = format!("{HEAD} {:08x} {}", self.id, self.batch);
        let sum: String = digest(&SHA256, words.as_bytes()).as_ref()[..4].iter().map(|b| format!("{b:02x}")).collect();
        format!("{:<width$}\n", format!("{words} {sum}"), width = WIDTH - 1)
    }

    fn read(text: &str) -> Option<Mark> {
        let mut words = text.strip_prefix(HEAD)?.split_whitespace();
        let id = i64::from_str_radix(words.next()?, 16).ok()?;
        let mark = Mark { id, batch: words.next()?.parse().ok()? };
        (mark.text() == text).then_some(mark)
    }
}

/// The mark of a folder. None where there is none; an error where it cannot be read.
pub(super) fn read(dir: &Path) -> io::Result<Option<Mark>> {
    let damaged = || io::Error::new(io::ErrorKind::InvalidData, format!("{MARK} is damaged"));
    let text = if_there(fs::read_to_string(dir.join(MARK)))?;
    text.map(|text| Mark::read(&text).ok_or_else(damaged)).transpose()
}

/// Writes the mark where it says less than this. Durable when it returns.
pub(super) fn raise(dir: &Path, mark: Mark) -> io::Result<()> {
    write(dir, mark, |there| there.id != mark.id || there.batch < mark.batch)
}

/// Writes the mark, whatever it said before.
pub(super) fn set(dir: &Path, mark: Mark) -> io::Result<()> {
    write(dir, mark, |there| there != mark)
}

fn write(dir: &Path, mark: Mark, wanted: impl Fn(Mark) -> bool) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = open_private(options.create(true).truncate(false).read(true).write(true), &dir.join(MARK))?;
    // Several windows raise it.
    file.lock()?;
    let mut text = String::new();
    let there = (&file).read_to_string(&mut text).ok().and_then(|_| Mark::read(&text));
    if there.is_some_and(|there| !wanted(there)) {
        return Ok(());
    }
    write_at(&file, mark.text().as_bytes(), 0)?;
    file.set_len(WIDTH as u64)?;
    file.sync_all()?;
    if there.is_none() { sync_folder(dir) } else { Ok(()) }
}

/// Whether this ledger was copied here, by a program that is not lode: its origin names another file. One without an origin
/// counts as a copy.
pub(super) fn is_copy(dir: &Path) -> io::Result<bool> {
    let origin = if_there(fs::read_to_string(dir.join(ORIGIN)))?;
    Ok(origin != Some(identity(&dir.join(LEDGER_FILE))?))
}

/// Makes this file the original from here on.
pub(super) fn note_origin(dir: &Path) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let file = open_private(options.create(true).truncate(true).write(true), &dir.join(ORIGIN))?;
    write_at(&file, identity(&dir.join(LEDGER_FILE))?.as_bytes(), 0)?;
    file.sync_all()
}

/// An id for a ledger that has none.
pub(super) fn fresh_id() -> i64 {
    let mut chance = [0; 4];
    // Without chance every such ledger has the same id, and is told from an older one all the same.
    let _ = SystemRandom::new().fill(&mut chance);
    i64::from(i32::from_be_bytes(chance) & i32::MAX).max(1)
}

/// Where nothing is at the place of the ledger, or nothing in it: fails if there was one.
pub(super) fn expect_nothing(dir: &Path, answers: &Answers) -> Outcome<()> {
    let path = dir.join(LEDGER_FILE);
    let missing = |what: String| {
        let words = format!("the ledger is missing: {} is not there or is empty, but {what}", path.display());
        Err(StoreFailure::Lost(words).into())
    };
    match read(dir) {
        Ok(Some(mark)) if mark.batch > 0 => missing(format!("it held {}", batches(mark.batch))),
        Err(error) if error.kind() == io::ErrorKind::InvalidData => missing(format!("{error}")),
        _ => highest_answer(answers, 0)?.map_or(Ok(()), |batch| missing(format!("an answer to batch {batch} is kept"))),
    }
}

/// Whether the ledger is the one that belongs here, with every batch it ever had. Money rule 10, *one purse*.
pub(super) fn expect(dir: &Path, ledger: Mark, answers: &Answers) -> Outcome<()> {
    let path = dir.join(LEDGER_FILE);
    let (shown, held) = (path.display(), batches(ledger.batch));
    let older = |but: String| {
        let words = format!("the ledger is older than it was: {shown} holds {held}, and {but}");
        Err(StoreFailure::Lost(words).into())
    };
    if let Ok(Some(mark)) = read(dir)
        && mark.batch > 0
    {
        if mark.id != ledger.id {
            let held = batches(mark.batch);
            let words = format!("{shown} is not the expected ledger, which held {held}");
            return Err(StoreFailure::Lost(words).into());
        }
        if mark.batch > ledger.batch {
            return older(format!("batch {} was sent", mark.batch));
        }
    }
    highest_answer(answers, ledger.batch)?.map_or(Ok(()), |batch| older(format!("an answer to batch {batch} is kept")))
}

fn batches(highest: i64) -> String {
    if highest == 0 { "no batch".to_owned() } else { format!("batches up to {highest}") }
}

/// The highest batch beyond `known` of which a whole answer is kept. Room without an answer says nothing.
fn highest_answer(answers: &Answers, known: i64) -> io::Result<Option<i64>> {
    for batch in answers.batches()?.into_iter().rev().take_while(|batch| batch.0 > known) {
        if !answers.of(batch)?.is_empty() {
            return Ok(Some(batch.0));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_only_rises_and_a_damaged_one_is_told() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(read(dir.path()).unwrap(), None);
        let mark = |batch| Mark { id: 0x7f3a, batch };
        raise(dir.path(), mark(12)).unwrap();
        raise(dir.path(), mark(3)).unwrap();
        assert_eq!(read(dir.path()).unwrap(), Some(mark(12)));
        set(dir.path(), mark(3)).unwrap();
        assert_eq!(read(dir.path()).unwrap(), Some(mark(3)));
        fs::write(dir.path().join(MARK), "lode ledger 1 00007f3a 4 00000000").unwrap();
        assert!(read(dir.path()).is_err());
        raise(dir.path(), mark(5)).unwrap();
        assert_eq!(read(dir.path()).unwrap(), Some(mark(5)));
        let other = Mark { id: 0x11, batch: 2 };
        raise(dir.path(), other).unwrap();
        assert_eq!(read(dir.path()).unwrap(), Some(other), "another ledger counts for itself");
    }

    #[test]
    fn a_mark_that_is_cut_or_changed_is_refused() {
        let text = Mark { id: 0x7f3a, batch: 12 }.text();
        assert_eq!(Mark::read(&text), Some(Mark { id: 0x7f3a, batch: 12 }));
        for length in 0..text.len() {
            assert_eq!(Mark::read(&text[..length]), None);
        }
        for at in 0..text.len() {
            let changed = format!("{}x{}", &text[..at], &text[at + 1..]);
            assert_eq!(Mark::read(&changed), None, "{changed}");
        }
        for words in ["lode ledger 1 zz 4 00000000", "lode ledger 1 7f3a many 00000000", "lode ledger 1"] {
            assert_eq!(Mark::read(words), None);
        }
    }

    #[test]
    fn a_ledger_is_missed_where_a_mark_or_an_answer_says_that_it_held_something() {
        let dir = tempfile::tempdir().unwrap();
        let answers = Answers::beside_ledger(dir.path());
        let missed = || match expect_nothing(dir.path(), &answers) {
            Ok(()) => None,
            Err(trouble) => Some(StoreFailure::from(trouble).to_string()),
        };
        assert_eq!(missed(), None);
        set(dir.path(), Mark { id: 0x7f3a, batch: 0 }).unwrap();
        assert_eq!(missed(), None, "it held nothing yet");
        set(dir.path(), Mark { id: 0x7f3a, batch: 2 }).unwrap();
        assert!(missed().is_some_and(|words| words.contains("but it held")), "{:?}", missed());
        fs::write(dir.path().join(MARK), "lode ledger 1 00007f3a 4 00000000").unwrap();
        assert!(missed().is_some(), "a damaged mark counts as well");
        fs::remove_file(dir.path().join(MARK)).unwrap();
        answers.reserve(BatchId(3), 1).unwrap();
        assert_eq!(missed(), None, "reserved room alone does not count");
        let kept = answers.file(BatchId(3), 1);
        kept.keep(200, &Bytes::from_static(b"{}"), Wall(1)).unwrap();
        assert!(answers.reserve(BatchId(3), 1).is_err(), "its room is not given out again");
        assert!(missed().is_some_and(|words| words.contains("an answer to batch 3 is kept")), "{:?}", missed());
    }
}
