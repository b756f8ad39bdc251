//! Raw answers of unlock calls, from the moment they arrive until they are settled.
//!
//! Each sending of a batch has a file whose room on the disk is taken *before* it is sent, so that the answer to a call
//! that cost money can be kept even when the disk has filled up meanwhile. Once settled, an answer moves into the state
//! file for good.

use super::*;

/// A hundred contacts of two and a half kilobytes each; a real one is a tenth of that.
const ROOM: u64 = 256 * 1024;
/// The head says whether an answer is in the file at all, and whether it is whole.
const HEAD: usize = 128;
const MARK: &str = "lode answer";
/// The first form sums up the body alone; this one also its status, length and moment.
const FORM: u8 = 2;

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Answered {
    pub attempt: i64,
    pub status: u16,
    pub at: Wall,
    pub body: Bytes,
}

/// The folder that they are in.
pub(super) struct Answers(PathBuf);

impl Answers {
    pub(super) fn beside_ledger(dir: &Path) -> Answers {
        Answers(dir.join("answers"))
    }

    /// Takes the room for the response to one sending, and syncs that it is taken. Money rule 9, *responses are stored first*.
    pub(super) fn reserve(&self, batch: BatchId, attempt: i64) -> io::Result<()> {
        let dir = &self.0;
        if !dir.exists() {
            make_private_dir(dir)?;
            sync_folder(dir.parent().unwrap_or(dir))?;
        }
        let path = self.file(batch, attempt).0;
        // Room without an answer may be left from a crash. A stored answer stays, even if the number was given out again.
        if fs::read(&path).is_ok_and(|file| read(&file, attempt).is_some()) {
            let words = format!("an answer is kept as {}: `lode ledger check` looks at it", path.display());
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, words));
        }
        let file = open_private(OpenOptions::new().create(true).write(true).truncate(true), &path)?;
        let taken = take_room(&file, ROOM).and_then(|()| file.sync_all()).and_then(|()| sync_folder(dir));
        taken.inspect_err(|_| drop(fs::remove_file(&path)))
    }

    /// The room for the answer to one sending.
    pub(super) fn file(&self, batch: BatchId, attempt: i64) -> AnswerFile {
        AnswerFile(self.0.join(format!("{}-{attempt}.raw", batch.0)))
    }

    /// The whole answers that wait for one batch, in the order of their sendings.
    pub(super) fn of(&self, batch: BatchId) -> io::Result<Vec<Answered>> {
        let mut found = Vec::new();
        for ((_, attempt), path) in files(&self.0)?.into_iter().filter(|((of, _), _)| *of == batch) {
            found.extend(read(&fs::read(path)?, attempt));
        }
        Ok(found)
    }

    /// Batches that hold room or an answer.
    pub(super) fn batches(&self) -> io::Result<Vec<BatchId>> {
        let mut batches: Vec<BatchId> = files(&self.0)?.into_iter().map(|((batch, _), _)| batch).collect();
        batches.dedup();
        Ok(batches)
    }

    /// Gives the room back. Called once the answers are in the state file, or can no longer come.
    pub(super) fn release(&self, batch: BatchId) {
        for (_, path) in files(&self.0).unwrap_or_default().into_iter().filter(|((of, _), _)| *of == batch) {
            let _ = fs::remove_file(path);
        }
    }
}

/// The room for the answer to one sending, for who has no way to the store when it comes.
pub struct AnswerFile(PathBuf);

impl AnswerFile {
    /// Keeps an answer, synced.
    pub fn keep(&self, status: u16, body: &Bytes, at: Wall) -> io::Result<()> {
        // Not truncated: the room that was taken is the room it is written into.
        let file = open_private(OpenOptions::new().create(true).truncate(false).write(true), &self.0)?;
        let mut whole = head(FORM, status, body, at).into_bytes();
        whole.extend_from_slice(body);
        write_at(&file, &whole, 0)?;
        file.sync_data()
    }
}

/// The files of a folder with their batch and sending, in that order. Sendings of a batch are numbered from 1 without gaps in
/// the state file, but a file may be gone: look, do not count.
fn files(dir: &Path) -> io::Result<Vec<((BatchId, i64), PathBuf)>> {
    let mut files = Vec::new();
    let Some(entries) = if_there(fs::read_dir(dir))? else { return Ok(files) };
    let numbers = |name: &str| {
        let (batch, attempt) = name.strip_suffix(".raw")?.split_once('-')?;
        Some((BatchId(batch.parse().ok()?), attempt.parse().ok()?))
    };
    for entry in entries {
        let path = entry?.path();
        files.extend(path.file_name().and_then(OsStr::to_str).and_then(numbers).map(|numbers| (numbers, path.clone())));
    }
    files.sort();
    Ok(files)
}

fn head(form: u8, status: u16, body: &[u8], at: Wall) -> String {
    let facts = format!("{status} {} {}", body.len(), at.0);
    let summed: &[&[u8]] = if form == 1 { &[body] } else { &[facts.as_bytes(), body] };
    let sum = digest(&SHA256, &summed.concat());
    let sum: String = sum.as_ref()[..16].iter().map(|byte| format!("{byte:02x}")).collect();
    let line = format!("{MARK} {form} {facts} {sum}");
    format!("{line:<width$}\n", width = HEAD - 1)
}

/// `None` if no complete response was written: then it was not reported as stored.
fn read(file: &[u8], attempt: i64) -> Option<Answered> {
    let (head_bytes, rest) = file.split_at_checked(HEAD)?;
    let line = std::str::from_utf8(head_bytes).ok()?;
    let mut words = line.strip_prefix(MARK)?.split_whitespace();
    let form = words.next()?.parse().ok().filter(|form| (1..=FORM).contains(form))?;
    let status = words.next()?.parse().ok()?;
    let length: usize = words.next()?.parse().ok()?;
    let at = Wall(words.next()?.parse().ok()?);
    let body = Bytes::copy_from_slice(rest.get(..length)?);
    (head(form, status, &body, at).as_bytes() == head_bytes).then_some(Answered { attempt, status, at, body })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(attempt: i64, body: &str) -> Answered {
        Answered { attempt, status: 200, at: Wall(1_700_000_000_123), body: Bytes::copy_from_slice(body.as_bytes()) }
    }

    fn keep(answers: &Answers, batch: i64, answered: &Answered) -> io::Result<()> {
        answers.file(BatchId(batch), answered.attempt).keep(answered.status, &answered.body, answered.at)
    }

    #[test]
    fn the_room_is_taken_before_and_filled_in_place() {
        let dir = tempfile::tempdir().unwrap();
        let answers = Answers(dir.path().join("answers"));
        answers.reserve(BatchId(4), 1).unwrap();
        assert_eq!(answers.of(BatchId(4)).unwrap(), []);
        let path = dir.path().join("answers/4-1.raw");
        let before = fs::metadata(&path).unwrap();
        assert!(std::os::unix::fs::MetadataExt::blocks(&before) * 512 >= ROOM, "the blocks are really there");
        keep(&answers, 4, &answered(1, "{\"ok\":true}")).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), before.len());
        assert_eq!(answers.of(BatchId(4)).unwrap(), [answered(1, "{\"ok\":true}")]);
        assert_eq!(answers.of(BatchId(44)).unwrap(), []);
        answers.release(BatchId(4));
        assert!(!path.exists());
    }

    #[test]
    fn an_answer_larger_than_the_room_is_kept_whole() {
        let dir = tempfile::tempdir().unwrap();
        let answers = Answers(dir.path().to_owned());
        answers.reserve(BatchId(1), 2).unwrap();
        let body = "x".repeat(ROOM as usize + 5);
        keep(&answers, 1, &answered(2, &body)).unwrap();
        assert_eq!(answers.of(BatchId(1)).unwrap()[0].body.len(), body.len());
    }

    #[test]
    fn a_torn_answer_is_not_an_answer() {
        let dir = tempfile::tempdir().unwrap();
        let answers = Answers(dir.path().to_owned());
        answers.reserve(BatchId(1), 1).unwrap();
        keep(&answers, 1, &answered(1, "abcdef")).unwrap();
        let file = OpenOptions::new().write(true).open(dir.path().join("1-1.raw")).unwrap();
        write_at(&file, b"?", HEAD as u64 + 3).unwrap();
        assert_eq!(answers.of(BatchId(1)).unwrap(), []);
    }

    /// A crash leaves a part of a file, a disk changes a byte: neither is an answer.
    #[test]
    fn a_file_that_is_cut_or_changed_holds_no_answer() {
        let body = b"{\"ok\":true}";
        let [earlier, whole] = [1, FORM].map(|form| [head(form, 200, body, Wall(7)).as_bytes(), body].concat());
        assert!(super::read(&earlier, 1).is_some());
        assert_eq!(super::read(&earlier, 1), super::read(&whole, 1));
        assert_eq!(super::read(&[head(3, 200, body, Wall(7)).as_bytes(), body].concat(), 1), None, "a later form");
        for length in 0..whole.len() {
            assert!(super::read(&whole[..length], 1).is_none(), "{length} of {}", whole.len());
        }
        for at in 0..whole.len() {
            for bits in [0x01, 0x10, 0x81] {
                let mut changed = whole.clone();
                changed[at] ^= bits;
                assert!(super::read(&changed, 1).is_none(), "{at}");
            }
        }
    }

    #[test]
    fn files_with_other_names_are_no_answers() {
        let dir = tempfile::tempdir().unwrap();
        let answers = Answers::beside_ledger(dir.path());
        answers.reserve(BatchId(2), 1).unwrap();
        for name in ["notes.txt", "3.raw", "x-1.raw", "3-x.raw", "3-1.raw.bak"] {
            std::fs::write(dir.path().join("answers").join(name), "x").unwrap();
        }
        assert_eq!(answers.batches().unwrap(), [BatchId(2)]);
    }
}
