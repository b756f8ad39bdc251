//! Backup and restore of the ledger, in one file.
//!
//! A backup holds what was kept in files as well: the answers that were not settled yet are written into it. Restoring sets the
//! ledger that was there aside and never reuses a batch number that was given out.

use super::mark::{LEDGER_FILE, Mark};
use super::open::{PATIENCE, connect, copy, file_lock, is_nothing, known_version, look_at, side_files, with_suffix};
use super::*;

fn said<T>(words: String) -> Outcome<T> {
    Err(Trouble::Said(StoreFailure::Other(words)))
}

/// How far a ledger has come: of two of one id, the one that has come less far is the older one.
#[derive(Clone, Copy, Debug)]
struct Reach {
    mark: Mark,
    attempts: i64,
    outcomes: i64,
}

impl Reach {
    fn of(db: &Connection) -> Outcome<Reach> {
        let attempts = db.value("SELECT count(*) FROM attempt", [])?;
        Ok(Reach { mark: Mark::of(db)?, attempts, outcomes: db.value("SELECT count(*) FROM outcome", [])? })
    }
}

/// Writes a whole copy of the ledger into one file, also while windows work on it.
pub fn back_up(dir: &Path, to: &Path) -> Result<(), StoreFailure> {
    Ok(write_backup(dir, to)?)
}

fn write_backup(dir: &Path, to: &Path) -> Outcome<()> {
    if to.exists() {
        return said(format!("{} already exists", to.display()));
    }
    let (path, answers) = (dir.join(LEDGER_FILE), Answers::beside_ledger(dir));
    if is_nothing(&path) {
        mark::expect_nothing(dir, &answers)?;
        return said(format!("no ledger in {} yet", dir.display()));
    }
    let _lock = file_lock(dir)?;
    let mut db = connect(&path, PATIENCE)?;
    known_version(&db)?;
    let part = with_suffix(to, ".part");
    // While this lasts nothing is settled, so that no answer leaves its file before it was copied.
    let still = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let copied = look_at(&path).and_then(|db| copy(&db, &part)).and_then(|()| {
        take_answers(&part, &answers)?;
        // Another backup may have been written here meanwhile: a link does not replace it. Not every disk has links.
        match fs::hard_link(&part, to) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Err(error.into()),
            Err(_) => fs::rename(&part, to)?,
            Ok(()) => {}
        }
        Ok(sync_folder(folder_of(to))?)
    });
    drop(still);
    let _ = fs::remove_file(&part);
    copied
}

/// Writes the answers that wait in files into a copy of their ledger, and syncs it.
pub(super) fn take_answers(copy: &Path, answers: &Answers) -> Outcome<()> {
    let mut whole = connect(copy, PATIENCE)?;
    let tx = whole.transaction()?;
    for batch in answers.batches()? {
        if tx.exists("SELECT 1 FROM batch WHERE id = ?1", [batch.0])? {
            batches::file_answers(&tx, answers, batch)?;
        }
    }
    tx.commit()?;
    drop(whole);
    Ok(File::open(copy)?.sync_all()?)
}

/// Puts a backup in the place of the ledger, and returns where the one that was there is now. `force` where what is forgotten by
/// it was read and accepted.
pub fn restore(dir: &Path, from: &Path, force: bool) -> Result<Option<PathBuf>, StoreFailure> {
    Ok(put_back(dir, from, force)?)
}

fn put_back(dir: &Path, from: &Path, force: bool) -> Outcome<Option<PathBuf>> {
    let backup = reach_of_backup(from)?;
    let _lock = file_lock(dir)?;
    match windows::living(&dir.join("windows")) {
        0 => {}
        1 => return said("a lode window is using this ledger: close it first".to_owned()),
        several => return said(format!("{several} lode windows are using this ledger: close them first")),
    }
    let path = dir.join(LEDGER_FILE);
    let present = if is_nothing(&path) { None } else { look_at(&path).and_then(|db| Reach::of(&db)).ok() };
    let mark = mark::read(dir).ok().flatten();
    if !force && let Some(words) = forgets(backup, present, mark) {
        return Err(Trouble::Said(StoreFailure::Lost(words)));
    }
    let part = dir.join("lode.sqlite3.restoring");
    copy(&look_at(from)?, &part)?;
    let given = [Some(backup.mark), present.map(|present| present.mark), mark].into_iter().flatten();
    let highest = given.clone().map(|mark| mark.batch).max().unwrap_or(0);
    let id = if backup.mark.id == 0 { mark::fresh_id() } else { backup.mark.id };
    {
        let whole = connect(&part, PATIENCE)?;
        open::expect_sound(&whole, "integrity_check")?;
        whole.execute_batch(&format!(
            "PRAGMA application_id = {id};
             INSERT INTO sqlite_sequence (name, seq) SELECT 'batch', 0
                WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'batch');
             UPDATE sqlite_sequence SET seq = max(seq, {highest}) WHERE name = 'batch';"
        ))?;
        // Money rule 10, *one purse*: an approval in a backup may have been used since. Earlier versions have no such table.
        let has_proposals = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'proposal')";
        if whole.value(has_proposals, [])? {
            proposals::decline_open(&whole)?;
        }
    }
    File::open(&part)?.sync_all()?;
    // From here until the end a crash leaves no ledger and its mark: nothing is spent, and restoring again goes on.
    let replaced = set_aside(dir, &path)?;
    let foreign = given.clone().any(|mark| mark.id != backup.mark.id);
    let answers = dir.join("answers");
    if foreign && answers.exists() {
        // They answer batches of the other ledger, which has the same numbers.
        fs::rename(&answers, free_name(dir, "answers.replaced"))?;
    }
    fs::rename(&part, &path)?;
    sync_folder(dir)?;
    mark::set(dir, Mark { id, batch: highest })?;
    Ok(replaced)
}

fn reach_of_backup(from: &Path) -> Outcome<Reach> {
    if is_nothing(from) {
        return said(format!("{} does not exist or is empty", from.display()));
    }
    let db = look_at(from)?;
    let reach = known_version(&db).and_then(|_| Reach::of(&db));
    reach.or_else(|trouble| match StoreFailure::from(trouble) {
        StoreFailure::Newer => Err(StoreFailure::Newer.into()),
        why => said(format!("{} is not a backup of a ledger: {why}", from.display())),
    })
}

/// What is lost by going back to this backup.
fn forgets(backup: Reach, present: Option<Reach>, mark: Option<Mark>) -> Option<String> {
    let known = present.map(|present| present.mark).or(mark).filter(|known| known.batch > 0)?;
    if known.id != backup.mark.id {
        let held = known.batch;
        return Some(format!("the backup belongs to another ledger; the current one holds batches up to {held}"));
    }
    let highest = known.batch.max(mark.map_or(0, |mark| mark.batch));
    let last = backup.mark.batch;
    if last < highest {
        return Some(format!("the backup is older: it ends at batch {last}, and batch {highest} was sent"));
    }
    let older = present.is_some_and(|now| backup.attempts < now.attempts || backup.outcomes < now.outcomes);
    older.then(|| "the backup is older: results that are known here are not in it".to_owned())
}

/// Moves the ledger out of the way, with what waits beside it.
fn set_aside(dir: &Path, path: &Path) -> Outcome<Option<PathBuf>> {
    if !path.exists() {
        return Ok(None);
    }
    if let Ok(db) = connect(path, PATIENCE) {
        let _ = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    }
    let aside = free_name(dir, "lode.sqlite3.replaced");
    fs::rename(path, &aside)?;
    for (from, to) in side_files(path).into_iter().zip(side_files(&aside)) {
        if_there(fs::rename(from, to))?;
    }
    Ok(Some(aside))
}

fn free_name(dir: &Path, stem: &str) -> PathBuf {
    (1_u32..).map(|number| dir.join(format!("{stem}-{number}"))).find(|path| !path.exists()).unwrap_or_default()
}
