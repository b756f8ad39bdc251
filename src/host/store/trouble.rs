//! What can go wrong below the store, and the one place where it becomes a [`StoreFailure`] that a person can read.

use std::io;
use std::path::Path;

use rusqlite::ErrorCode;

use crate::system::files::room;
use lode_engine::effect::StoreFailure;

/// Inside the store: an error of SQLite, of a file, or one that is already worded.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub(super) enum Trouble {
    Sql(#[from] rusqlite::Error),
    File(#[from] io::Error),
    Said(#[from] StoreFailure),
}

pub(super) type Outcome<T> = Result<T, Trouble>;

impl From<Trouble> for StoreFailure {
    fn from(trouble: Trouble) -> StoreFailure {
        match trouble {
            Trouble::Said(failure) => failure,
            Trouble::File(error) => of_file(&error),
            Trouble::Sql(rusqlite::Error::SqliteFailure(error, words)) => {
                let words = words.unwrap_or_else(|| error.to_string());
                match error.code {
                    ErrorCode::DiskFull => StoreFailure::Full,
                    ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreFailure::ReadOnly,
                    ErrorCode::CannotOpen => StoreFailure::Other(words),
                    ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreFailure::Locked,
                    ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreFailure::Corrupt(words),
                    _ if words.starts_with("no such ") => StoreFailure::Corrupt(words),
                    _ => StoreFailure::Other(words),
                }
            }
            // Values that are not what this lode writes: a foreign file, or a damaged one.
            Trouble::Sql(
                error @ (rusqlite::Error::FromSqlConversionFailure(..)
                | rusqlite::Error::InvalidColumnType(..)
                | rusqlite::Error::IntegralValueOutOfRange(..)
                | rusqlite::Error::Utf8Error(..)),
            ) => StoreFailure::Corrupt(error.to_string()),
            Trouble::Sql(error) => StoreFailure::Other(error.to_string()),
        }
    }
}

/// The same, knowing the folder: SQLite says no more than "I/O error" where a side file found no room.
pub(super) fn in_folder(trouble: Trouble, dir: &Path) -> StoreFailure {
    /// Less than the smallest side file.
    const NO_ROOM: u64 = 64 * 1024;
    let io = matches!(&trouble, Trouble::Sql(rusqlite::Error::SqliteFailure(error, _))
        if error.code == ErrorCode::SystemIoFailure);
    if io && room(dir).is_ok_and(|free| free < NO_ROOM) {
        return StoreFailure::Full;
    }
    trouble.into()
}

pub(super) fn of_file(error: &io::Error) -> StoreFailure {
    match error.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreFailure::Full,
        io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreFailure::ReadOnly,
        _ => StoreFailure::Other(error.to_string()),
    }
}
