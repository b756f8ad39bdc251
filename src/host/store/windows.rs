//! Windows that are running. Each lode holds an OS lock on its own file until it ends: what a running window has in flight
//! is not an orphan; what an ended one had is.
//!
//! They tell each other about changes: revisions in the shared records, and one byte in a file that is written once a change can
//! be read. The files of SQLite are written before their change can be read, and not when it can: watching them tells too early.

use super::*;
use crate::system::files::names;

/// A name that no other window of this run or of another one has, had or will have on this machine.
pub fn fresh_window() -> WindowId {
    static RUN: LazyLock<String> = LazyLock::new(|| {
        let mut chance = [0; 8];
        // Without chance there are still the process and the moment.
        let _ = SystemRandom::new().fill(&mut chance);
        let chance: String = chance.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{}-{chance}", std::process::id(), clock::now().mono.0)
    });
    static OPENED: AtomicU64 = AtomicU64::new(0);
    WindowId(format!("{}.{}", *RUN, OPENED.fetch_add(1, Ordering::Relaxed)))
}

pub(super) struct Windows {
    dir: PathBuf,
    /// Held until this window ends. None where it could not be taken: then other windows do not see that this one runs.
    lock: Option<File>,
    mine: WindowId,
}

impl Windows {
    /// Takes the lock of a window in a folder, or sees the others without being seen: where nothing can be written.
    pub(super) fn of_folder(dir: &Path, window: &WindowId) -> Windows {
        let dir = dir.join("windows");
        let lock = take_lock(&dir, window).ok();
        if lock.is_some() {
            sweep(&dir);
        }
        Windows { dir, lock, mine: window.clone() }
    }

    /// Whether the others can see that this window lives. One that they cannot see must not have anything in flight.
    pub(super) fn are_seen(&self) -> bool {
        self.lock.is_some()
    }

    /// Whether that window runs. If that is not known, it does: nothing is taken from a window that may be alive.
    pub(super) fn lives(&self, window: &WindowId) -> bool {
        *window == self.mine
            || match File::open(lock_path(&self.dir, window)) {
                Err(error) => error.kind() != io::ErrorKind::NotFound,
                // Shared, so that two who look at the same time do not take each other for the owner.
                Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock | TryLockError::Error(_))),
            }
    }
}

/// Removes the files of windows that ended.
fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// How many windows of a folder run, for who has none of his own there.
pub(super) fn living(dir: &Path) -> usize {
    let locked = |path: PathBuf| {
        File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    };
    fs::read_dir(dir).into_iter().flatten().flatten().filter(|entry| locked(entry.path())).count()
}

impl Drop for Windows {
    fn drop(&mut self) {
        // While the lock is still held: no other window makes a file of this name.
        if self.lock.is_some() {
            let _ = fs::remove_file(lock_path(&self.dir, &self.mine));
        }
    }
}

fn lock_path(dir: &Path, window: &WindowId) -> PathBuf {
    let name: String = window.0.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    dir.join(format!("{name}.lock"))
}

fn take_lock(dir: &Path, window: &WindowId) -> io::Result<File> {
    let path = lock_path(dir, window);
    loop {
        let file = locked(&path)?;
        // Another window may have removed the file between its making and its locking.
        if names(&path, &file) {
            return Ok(file);
        }
    }
}

/// Written when something in the ledger changed.
pub const OF_LEDGER: &str = "lode.changed";
/// Written when requests were counted.
pub const OF_SLOTS: &str = "rate.changed";
/// Written when something begins or stops waiting for a person.
pub const OF_PROPOSALS: &str = "proposals.changed";

/// The files that were written so far, open.
#[derive(Default)]
pub(super) struct Notifier(BTreeMap<&'static str, File>);

impl Notifier {
    /// Wakes all windows that watch the folder. Others look before spending anyway.
    pub(super) fn notify(&mut self, folder: &Path, name: &'static str) {
        if !self.0.contains_key(name) {
            let file = open_private(OpenOptions::new().create(true).write(true), &folder.join(name));
            self.0.extend(file.ok().map(|file| (name, file)));
        }
        if let Some(file) = self.0.get(name) {
            let _ = write_at(file, b".", 0);
        }
    }
}

/// Kinds of records of which it is counted how often any window changed them.
pub(super) const OWNED: &str = "owned";
pub(super) const MONEY: &str = "money";
pub(super) const LISTS: &str = "lists";
pub(super) const JOBS: &str = "jobs";

/// How often a kind of records was changed.
pub(super) fn revision(db: &Connection, kind: &str) -> Outcome<u64> {
    Ok(db.find("SELECT number FROM revision WHERE kind = ?1", [kind])?.unwrap_or(0))
}

/// Writes down that records of this kind were changed.
pub(super) fn raise(db: &Connection, kind: &str) -> Outcome<()> {
    db.run("INSERT INTO revision (kind, number) VALUES (?1, 1) ON CONFLICT DO UPDATE SET number = number + 1", [kind])
}

/// The revisions, and the last balance of a purse.
pub(super) fn changes(db: &Connection, purse: Option<i64>) -> Outcome<Changes> {
    // In memory all windows share one connection: then every change counts as that of another window.
    let in_file = db.path().is_some_and(|path| !path.is_empty());
    let stamp = if in_file { "PRAGMA data_version" } else { "SELECT total_changes()" };
    let select = "SELECT s.balance, s.at FROM settlement s JOIN orders o ON o.id = s.order_id
         WHERE o.purse = ?1 AND s.balance IS NOT NULL ORDER BY s.seq DESC LIMIT 1";
    let balance = db.find(select, [purse])?;
    let stamp = db.query_row(stamp, [], |row| row.get(0))?;
    // One read: all are of one moment.
    let numbers: BTreeMap<String, u64> = db.list("SELECT kind, number FROM revision", [])?.into_iter().collect();
    let [owned, money, lists, jobs] = [OWNED, MONEY, LISTS, JOBS].map(|kind| numbers.get(kind).copied().unwrap_or(0));
    Ok(Changes { stamp, owned, money, lists, jobs, balance })
}
