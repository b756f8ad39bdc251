//! Where the ledger is. The first version kept it in the state folder, which people clear; it moves to the data folder once.
//!
//! The move is done under the open lock of the old folder and inside one transaction of the old file, so that no window of any
//! version writes meanwhile: a backup is made, synced and checked, and only then does the transaction turn the old file into
//! a stub, whose version the first version refuses as newer. A crash before that leaves the old place in force; a crash
//! after it leaves a whole copy, which the next start puts in place.

use super::backup::take_answers;
use super::mark::{LEDGER_FILE, MARK, Mark};
use super::open::{PATIENCE, connect, copy, file_lock, is_nothing, look_at, version};
use super::*;

/// The version of the file that stays behind.
const MOVED: i64 = 1_000_000;
const MOVING: &str = "lode.sqlite3.moving";
const ANSWERS: &str = "answers";

/// Where the ledger is, and what there is to say about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LedgerLocation {
    pub dir: PathBuf,
    pub told: Vec<String>,
    /// Why nothing may be spent from it.
    pub refused: Option<StoreFailure>,
}

impl LedgerLocation {
    fn at(dir: &Path) -> LedgerLocation {
        LedgerLocation { dir: dir.to_owned(), told: Vec::new(), refused: None }
    }
}

/// What is at a place where a ledger may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum There {
    Nothing,
    /// No ledger, but the traces of one: its mark or its answers.
    Traces,
    Stub,
    Ledger,
}

fn there(dir: &Path) -> There {
    let path = dir.join(LEDGER_FILE);
    if is_nothing(&path) {
        let answers = fs::read_dir(dir.join(ANSWERS)).is_ok_and(|mut entries| entries.next().is_some());
        return if dir.join(MARK).exists() || answers { There::Traces } else { There::Nothing };
    }
    match look_at(&path).and_then(|db| version(&db)) {
        Ok(MOVED) => There::Stub,
        // A file that cannot be read counts as a ledger, to be safe.
        _ => There::Ledger,
    }
}

/// Finds the ledger, and moves it where it is still at its old place.
pub fn settle(old: &Path, new: &Path) -> LedgerLocation {
    find(old, new, true)
}

/// Finds the ledger and changes nothing.
pub fn locate(old: &Path, new: &Path) -> LedgerLocation {
    find(old, new, false)
}

fn find(old: &Path, new: &Path, moves: bool) -> LedgerLocation {
    let location = find_ledger(old, new, moves);
    let refused = location.refused.clone().or_else(|| stop::reason(old).map(StoreFailure::Lost));
    LedgerLocation { refused, ..location }
}

fn find_ledger(old: &Path, new: &Path, moves: bool) -> LedgerLocation {
    if old == new {
        return LedgerLocation::at(new);
    }
    let lost = |words| LedgerLocation { refused: Some(StoreFailure::Lost(words)), ..LedgerLocation::at(new) };
    let (old_file, new_file) = (old.join(LEDGER_FILE), new.join(LEDGER_FILE));
    let (old_file, new_file) = (old_file.display(), new_file.display());
    match (there(old), there(new)) {
        (There::Ledger, There::Ledger | There::Stub) => {
            lost(format!("there are two ledgers, {old_file} and {new_file}: move away the one you do not want"))
        }
        (There::Ledger | There::Traces, There::Nothing | There::Traces) if !moves => LedgerLocation::at(old),
        (There::Ledger, There::Nothing | There::Traces) => move_ledger(old, new),
        // Without its ledger there is nothing to move; what is missing is said where it is missing.
        (There::Traces, There::Nothing) => LedgerLocation::at(old),
        (There::Stub, There::Nothing | There::Traces) if new.join(MOVING).exists() => {
            if moves && let Err(trouble) = file_lock(new).map_err(Into::into).and_then(|_lock| finish(new)) {
                return lost(format!("the ledger cannot be moved: {}", StoreFailure::from(trouble)));
            }
            LedgerLocation::at(new)
        }
        (There::Stub, There::Nothing | There::Traces) => {
            lost(format!("the ledger is missing: it was moved to {new_file}, and is not there"))
        }
        _ => LedgerLocation::at(new),
    }
}

fn move_ledger(old: &Path, new: &Path) -> LedgerLocation {
    let told = |dir: &Path, words| LedgerLocation { told: vec![words], ..LedgerLocation::at(dir) };
    let stays = |why: String| told(old, format!("The ledger stays in {}: {why}.", old.display()));
    let Ok(_lock) = file_lock(old) else { return LedgerLocation::at(old) };
    // Another window may have moved it before this one had the lock.
    if there(old) != There::Ledger {
        return find_ledger(old, new, false);
    }
    if windows::living(&old.join("windows")) > 0 {
        return stays("a window of an earlier version is open".to_owned());
    }
    match carry_over(old, new) {
        Ok(()) => told(new, format!("The ledger moved from {} to {}.", old.display(), new.display())),
        Err(trouble) => stays(format!("it cannot be moved to {} ({})", new.display(), StoreFailure::from(trouble))),
    }
}

fn carry_over(old: &Path, new: &Path) -> Outcome<()> {
    let _lock = file_lock(new)?;
    let (path, answers) = (old.join(LEDGER_FILE), Answers::beside_ledger(old));
    let mut db = connect(&path, PATIENCE)?;
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // A ledger that has lost something stays where that is missed.
    mark::expect(old, Mark::of(&tx)?, &answers)?;
    let part = new.join(MOVING);
    copy(&look_at(&path)?, &part)?;
    same(&tx, &look_at(&part)?)?;
    take_answers(&part, &answers)?;
    if let Some(mark) = mark::read(old)? {
        mark::set(new, mark)?;
    }
    sync_folder(new)?;
    failpoint::dying("copied");
    let tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'";
    let drops = tx.list::<String>(tables, [])?.iter().map(|name| format!("DROP TABLE \"{name}\";")).collect::<String>();
    tx.execute_batch(&drops)?;
    tx.execute_batch(&format!("CREATE TABLE moved (place TEXT NOT NULL); PRAGMA user_version = {MOVED};"))?;
    tx.execute("INSERT INTO moved VALUES (?1)", [new.to_string_lossy()])?;
    tx.commit()?;
    failpoint::dying("stubbed");
    finish(new)?;
    // The old file says so by itself from here on, without what waits beside it.
    let _ = db.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()));
    let _ = fs::remove_file(old.join(MARK));
    Ok(())
}

/// Puts the copy in its place.
fn finish(new: &Path) -> Outcome<()> {
    let (part, answers) = (new.join(MOVING), new.join(ANSWERS));
    if part.exists() {
        if answers.exists() {
            // Of no ledger: there was none here.
            fs::rename(&answers, new.join("answers.found"))?;
        }
        fs::rename(part, new.join(LEDGER_FILE))?;
    }
    Ok(sync_folder(new)?)
}

/// Whether the copy is whole: sound, of the same version, and with as much in every table.
pub(super) fn same(old: &Connection, new: &Connection) -> Outcome<()> {
    let differs = |what: &str| Err(StoreFailure::Other(format!("the copy differs in {what}")).into());
    let sound: String = new.value("PRAGMA integrity_check(1)", [])?;
    if sound != "ok" || version(old)? != version(new)? {
        return differs("its file");
    }
    for name in old.list::<String>("SELECT name FROM sqlite_schema WHERE type = 'table'", [])? {
        let count = format!("SELECT count(*) FROM \"{name}\"");
        if old.value::<i64>(&count, [])? != new.value::<i64>(&count, [])? {
            return differs(&name);
        }
    }
    Ok(())
}
