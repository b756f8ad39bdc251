//! Opening the two files: their folder, their permissions, their settings, and the copy that is made before a migration.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::system::files::{make_private_dir, open_private, sync_folder};
use lode_core::Now;
use lode_engine::effect::StoreFailure;

use super::answers::Answers;
use super::mark::{self, LEDGER_FILE, Mark};
use super::schema::Shape;
use super::sql::{Outcome, Trouble};
use super::{proposals, schema, slots};

/// The allowance of the keys.
pub const SLOTS: &str = "rate.sqlite3";

/// How long one window waits for another's transaction.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Opens the state file for writing, making it and bringing it up where needed.
pub(super) fn ledger(dir: &Path, shape: &Shape, patience: Duration) -> Outcome<Connection> {
    let _lock = file_lock(dir)?;
    let path = dir.join(LEDGER_FILE);
    let answers = Answers::Folder(dir.join("answers"));
    if is_nothing(&path) {
        mark::expect_nothing(dir, &answers)?;
    }
    make_file(&path)?;
    let mut db = connect(&path, patience)?;
    let version = schema::version(&db)?;
    if version > shape.version() {
        return Err(StoreFailure::Newer.into());
    }
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = 1;")?;
    if version < shape.version() {
        if version > 0 {
            back_up(&db, &path, version)?;
        }
        shape.bring_up(&mut db)?;
        write_back_on_close(&db)?;
        sync_folder(dir)?;
    }
    let mut here = Mark::of(&db)?;
    mark::expect(dir, here, &answers)?;
    if here.id == 0 {
        here.id = mark::fresh_id();
        db.execute_batch(&format!("PRAGMA application_id = {}", here.id))?;
    }
    mark::raise(dir, here)?;
    // Money rule 10, *one purse*: an approval in a copy may be used in the original.
    if mark::is_copy(dir)? {
        proposals::decline_open(&db)?;
        mark::note_origin(dir)?;
    }
    Ok(db)
}

/// Whether there is no state file, or one with nothing in it.
pub(super) fn is_nothing(path: &Path) -> bool {
    match fs::metadata(path) {
        Err(error) => error.kind() == io::ErrorKind::NotFound,
        Ok(about) if about.len() == 0 => true,
        // Emptied by a program that knows the format: it has no version then.
        Ok(_) => look_at(path).and_then(|db| schema::version(&db)).is_ok_and(|version| version == 0),
    }
}

/// One at a time makes, converts and migrates the files of a folder; the others find them ready.
pub(super) fn file_lock(dir: &Path) -> io::Result<File> {
    make_private_dir(dir)?;
    let lock = open_private(OpenOptions::new().create(true).read(true).append(true), &dir.join("open.lock"))?;
    lock.lock()?;
    Ok(lock)
}

/// Opens the state file for reading only, where nothing can be written.
pub(super) fn ledger_read_only(dir: &Path) -> Outcome<Connection> {
    let db = look_at(&dir.join(LEDGER_FILE))?;
    let current = Shape::current().version();
    match schema::version(&db)? {
        version if version == current => Ok(db),
        version if version > current => Err(StoreFailure::Newer.into()),
        _ => Err(StoreFailure::ReadOnly.into()),
    }
}

/// Opens a state file of any version without making, converting or mending anything.
pub(super) fn look_at(path: &Path) -> Outcome<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = Connection::open_with_flags(path, flags)?;
    db.busy_timeout(PATIENCE)?;
    // Where its side files cannot be made, it can be read only as an immutable file; nothing is missing from it when
    // nothing waits beside it.
    let [wal, _] = side_files(path);
    let waits = fs::metadata(wal).is_ok_and(|wal| wal.len() > 0);
    if schema::version(&db).is_err() && !waits {
        let plain = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        db = Connection::open_with_flags(format!("file:{plain}?immutable=1"), flags)?;
    }
    Ok(db)
}

pub(super) fn side_files(path: &Path) -> [PathBuf; 2] {
    ["-wal", "-shm"].map(|suffix| with_suffix(path, suffix))
}

pub(super) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

/// An empty state file in memory. Its shape is made once and then copied, which a simulation does a hundred thousand times.
pub(super) fn memory() -> Outcome<Connection> {
    static EMPTY: OnceLock<Vec<u8>> = OnceLock::new();
    let mut db = steady(Connection::open_in_memory()?)?;
    if let Some(empty) = EMPTY.get() {
        db.deserialize_read_exact("main", &empty[..], empty.len(), false)?;
    } else {
        Shape::current().bring_up(&mut db)?;
        let empty = db.serialize("main")?.to_vec();
        EMPTY.get_or_init(|| empty);
    }
    Ok(db)
}

/// The file of the allowance holds a minute of facts: a damaged one is replaced.
pub(super) fn slots(dir: &Path, boot: &str, now: Now) -> Outcome<Connection> {
    let _lock = file_lock(dir)?;
    let path = dir.join(SLOTS);
    match open_slots(&path, boot, now) {
        Err(Trouble::Sql(rusqlite::Error::SqliteFailure(error, _)))
            if matches!(error.code, rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase) =>
        {
            for file in side_files(&path).iter().chain([&path]) {
                let _ = fs::remove_file(file);
            }
            open_slots(&path, boot, now)
        }
        opened => opened,
    }
}

fn open_slots(path: &Path, boot: &str, now: Now) -> Outcome<Connection> {
    make_file(path)?;
    let mut slots = connect(path, PATIENCE)?;
    slots.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;")?;
    slots::open(&mut slots, boot, now)?;
    Ok(slots)
}

pub(super) fn slots_in_memory(boot: &str, now: Now) -> Outcome<Connection> {
    let mut slots = steady(Connection::open_in_memory()?)?;
    slots::open(&mut slots, boot, now)?;
    Ok(slots)
}

/// A connection that leaves its side files as they are when it closes: the next one goes on with them. Writing them back
/// would cost every shell command two syncs of the disk; [`write_back_on_close`] asks for it where it is worth that.
pub(super) fn connect(path: &Path, patience: Duration) -> Outcome<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = steady(Connection::open_with_flags(path, flags)?)?;
    connection.busy_timeout(patience)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    // In kilobytes. The system keeps the rest of the file, once for all windows.
    connection.pragma_update(None, "cache_size", -500)?;
    Ok(connection)
}

/// A connection that keeps its statements prepared. Without the second setting SQLite plans many of them again with each value
/// that is bound, which takes longer than doing what they say.
fn steady(connection: Connection) -> Outcome<Connection> {
    connection.set_prepared_statement_cache_capacity(128);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// After money was written the file is complete by itself once it is closed everywhere.
pub(super) fn write_back_on_close(db: &Connection) -> Outcome<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(())
}

/// A copy of the file as it was, beside it, before its shape changes. It stays until the person removes it.
fn back_up(db: &Connection, path: &Path, version: i64) -> Outcome<()> {
    let part = path.with_extension(format!("v{version}.part"));
    copy(db, &part)?;
    File::open(&part)?.sync_all()?;
    Ok(fs::rename(&part, path.with_extension(format!("v{version}.sqlite3")))?)
}

/// A whole copy of a state file, with what waits beside it.
pub(super) fn copy(from: &Connection, to: &Path) -> Outcome<()> {
    let _ = fs::remove_file(to);
    make_file(to)?;
    from.execute("VACUUM INTO ?1", [to.to_string_lossy()])?;
    Ok(())
}

/// An empty file that only its owner reads: SQLite gives its side files the same permissions.
pub(super) fn make_file(path: &Path) -> io::Result<()> {
    match open_private(OpenOptions::new().create_new(true).write(true), path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
