//! Opening the two files: their folder, their permissions, their settings, the shape of the state file and how an older one is
//! brought up to it, after a copy is made. What needs code for that: the spelling of addresses, and which purse the rows of a profile
//! belong to.

use super::mark::{LEDGER_FILE, Mark};
use super::purses::{move_lists, move_rows};
use super::*;

/// The allowance of the keys.
pub const SLOTS: &str = "rate.sqlite3";

/// How long one window waits for another's transaction.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Opens the state file for writing, making it and bringing it up where needed.
pub(super) fn ledger(dir: &Path, shape: &Shape, patience: Duration) -> Outcome<Connection> {
    let _lock = file_lock(dir)?;
    let path = dir.join(LEDGER_FILE);
    let answers = Answers::beside_ledger(dir);
    if is_nothing(&path) {
        mark::expect_nothing(dir, &answers)?;
    }
    make_file(&path)?;
    let mut db = connect(&path, patience)?;
    let version = version(&db)?;
    if version > shape.version() {
        return Err(StoreFailure::Newer.into());
    }
    db.execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = 1;")?;
    if version < shape.version() {
        if version > 0 {
            back_up(&db, &path, version)?;
        }
        shape.bring_up(&mut db)?;
        write_durably(&db)?;
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
        Ok(_) => look_at(path).and_then(|db| version(&db)).is_ok_and(|version| version == 0),
    }
}

/// One at a time makes, converts and migrates the files of a folder; the others find them ready.
pub(super) fn file_lock(dir: &Path) -> io::Result<File> {
    locked(&dir.join("open.lock"))
}

/// Opens the state file for reading only, where nothing can be written.
pub(super) fn ledger_read_only(dir: &Path) -> Outcome<Connection> {
    let db = look_at(&dir.join(LEDGER_FILE))?;
    let is_current = known_version(&db)? == Shape::current().version();
    if is_current { Ok(db) } else { Err(StoreFailure::ReadOnly.into()) }
}

/// Opens a state file of any version without making, converting or mending anything.
pub(super) fn look_at(path: &Path) -> Outcome<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut db = steady(Connection::open_with_flags(path, flags)?)?;
    db.busy_timeout(PATIENCE)?;
    // Where its side files cannot be made, it can be read only as an immutable file; nothing is missing from it when
    // nothing waits beside it.
    let [wal, _] = side_files(path);
    let waits = fs::metadata(wal).is_ok_and(|wal| wal.len() > 0);
    if version(&db).is_err() && !waits {
        let plain = path.to_string_lossy().replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = flags | OpenFlags::SQLITE_OPEN_URI;
        db = steady(Connection::open_with_flags(format!("file:{plain}?immutable=1"), flags)?)?;
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
    #[cfg(test)]
    let connection = super::steps::watched(connection);
    connection.set_prepared_statement_cache_capacity(128);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// What is written from here on is on the disk when its call is answered. After money was written the file is complete by itself
/// once it is closed everywhere.
pub(super) fn write_durably(db: &Connection) -> Outcome<()> {
    db.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    Ok(db.execute_batch("PRAGMA synchronous = FULL")?)
}

/// What is written from here on may be lost in a power cut.
pub(super) fn write_in_passing(db: &Connection) -> Outcome<()> {
    Ok(db.execute_batch("PRAGMA synchronous = NORMAL")?)
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
    from.run("VACUUM INTO ?1", [to.to_string_lossy()])
}

/// An empty file that only its owner reads: SQLite gives its side files the same permissions.
pub(super) fn make_file(path: &Path) -> io::Result<()> {
    match open_private(OpenOptions::new().create_new(true).write(true), path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// The numbered sections of the schema, oldest first.
#[derive(Clone, Debug)]
pub(super) struct Shape(Vec<&'static str>);

impl Shape {
    /// What this lode writes.
    pub(super) fn current() -> Shape {
        let sections = lode_assets::SCHEMA.split("-- migration ").skip(1);
        Shape(sections.map(|section| section.split_once('\n').map_or("", |(_, sql)| sql)).collect())
    }

    pub(super) fn version(&self) -> i64 {
        self.0.len() as i64
    }

    /// Brings the file up to this shape, whole or not at all. The caller has made a copy of an older one.
    pub(super) fn bring_up(&self, db: &mut Connection) -> Outcome<()> {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let from = version(&tx)?;
        if from > self.version() {
            return Err(StoreFailure::Newer.into());
        }
        for (before, section) in self.0.iter().enumerate().skip(from.max(0).unsigned_abs() as usize) {
            tx.execute_batch(section)?;
            if before == 2 {
                to_purses(&tx)?;
            }
        }
        tx.execute_batch(&format!("PRAGMA user_version = {}", self.version()))?;
        Ok(tx.commit()?)
    }

    /// What an earlier lode wrote.
    #[cfg(test)]
    pub(super) fn of_version(version: usize) -> Shape {
        Shape(Shape::current().0.into_iter().take(version).collect())
    }

    #[cfg(test)]
    pub(super) fn and(mut self, section: &'static str) -> Shape {
        self.0.push(section);
        self
    }
}

/// Which shape a file has; 0 is one that has none yet.
pub(super) fn version(db: &Connection) -> Outcome<i64> {
    Ok(db.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

/// Fails with what is damaged in a file. `pragma` is the check that SQLite is to make.
pub(super) fn expect_sound(db: &Connection, pragma: &str) -> Outcome<()> {
    let sound: String = db.value(&format!("PRAGMA {pragma}(1)"), [])?;
    if sound == "ok" { Ok(()) } else { Err(StoreFailure::Corrupt(sound).into()) }
}

/// The shape of a file, if this lode knows it.
pub(super) fn known_version(db: &Connection) -> Outcome<i64> {
    let version = version(db)?;
    if version > Shape::current().version() { Err(StoreFailure::Newer.into()) } else { Ok(version) }
}

/// To version 3: origins get their one spelling, so that purses that differed only by it become one; the rows of a profile
/// with exactly one known purse move there.
fn to_purses(tx: &Transaction<'_>) -> Outcome<()> {
    spell_origins(tx)?;
    let select = "SELECT e.id, max(k.purse) FROM purse e JOIN profile_purse k ON k.profile = e.owner
         WHERE e.kind = 3 GROUP BY e.id HAVING count(DISTINCT k.purse) = 1";
    let certain: Vec<(i64, i64)> = tx.list(select, [])?;
    for (earlier, purse) in certain {
        move_rows(tx, earlier, purse, Source::Workspace)?;
        move_lists(tx, earlier, purse)?;
    }
    Ok(tx.execute_batch("DROP TABLE profile_purse")?)
}

fn spell_origins(tx: &Transaction<'_>) -> Outcome<()> {
    let select = "SELECT id, origin, owner FROM purse WHERE kind = 0 ORDER BY id";
    let purses: Vec<(i64, String, String)> = tx.list(select, [])?;
    // A batch and its outcomes are never changed; here they only learn the one name of their purse.
    tx.execute_batch("DROP TRIGGER batch_stays; DROP TRIGGER outcome_stays;")?;
    for (id, written, org) in purses {
        let origin = if is_demo(tx, id)? { Origin::demo() } else { Origin::of(&written) };
        tx.execute("UPDATE OR REPLACE known_key SET origin = ?1 WHERE purse = ?2", (origin.as_str(), id))?;
        let same = "SELECT id FROM purse WHERE kind = 0 AND origin = ?1 AND owner = ?2 AND id <> ?3";
        match tx.find(same, (origin.as_str(), &org, id))? {
            Some(same) => fuse(tx, id, same)?,
            None => drop(tx.execute("UPDATE purse SET origin = ?1 WHERE id = ?2", (origin.as_str(), id))?),
        }
    }
    Ok(tx.execute_batch(
        "CREATE TRIGGER batch_stays BEFORE UPDATE ON batch BEGIN SELECT RAISE(ABORT, 'a batch is never changed'); END;
         CREATE TRIGGER outcome_stays BEFORE UPDATE ON outcome BEGIN SELECT RAISE(ABORT, 'an outcome is never changed'); END;",
    )?)
}

/// The demo's own sandbox was a purse of its own for every port it listened on.
fn is_demo(tx: &Transaction<'_>, purse: i64) -> Outcome<bool> {
    let select = "SELECT EXISTS (SELECT 1 FROM profile_purse WHERE purse = ?1 AND profile = 'demo')
         AND NOT EXISTS (SELECT 1 FROM profile_purse WHERE purse = ?1 AND profile <> 'demo')
         AND EXISTS (SELECT 1 FROM purse WHERE id = ?1 AND origin LIKE 'http://127.0.0.1:%')";
    tx.value(select, [purse])
}

/// Two purses that turned out to be one. A contact that is open in both stays open in both: each batch needs its own result.
fn fuse(tx: &Transaction<'_>, from: i64, to: i64) -> Outcome<()> {
    for table in ["orders", "batch", "open_contact", "outcome", "owned", "label", "known_key", "profile_purse"] {
        tx.execute(&format!("UPDATE OR IGNORE {table} SET purse = ?2 WHERE purse = ?1"), [from, to])?;
    }
    for table in ["owned", "label", "profile_purse"] {
        tx.execute(&format!("DELETE FROM {table} WHERE purse = ?1"), [from])?;
    }
    tx.run("DELETE FROM purse WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM open_contact WHERE purse = ?1)", [from])
}
