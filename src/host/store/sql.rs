//! Statements in one expression each, how the words of the business are written into the state file and read back, and what can
//! go wrong, with the one place where it becomes a [`StoreFailure`] that a person can read.

use super::*;

/// Statements that stay prepared, so that the next one of the same text costs no planning.
pub(super) trait Sql {
    fn connection(&self) -> &Connection;

    fn run(&self, sql: &str, with: impl Params) -> Outcome<()> {
        self.change(sql, with).map(|_| ())
    }

    /// Changes rows, and returns how many.
    fn change(&self, sql: &str, with: impl Params) -> Outcome<usize> {
        Ok(self.connection().prepare_cached(sql)?.execute(with)?)
    }

    /// All rows, as `read` reads each.
    fn read<T>(
        &self,
        sql: &str,
        with: impl Params,
        mut read: impl FnMut(&mut Columns<'_>) -> Outcome<T>,
    ) -> Outcome<Vec<T>> {
        let mut query = self.connection().prepare_cached(sql)?;
        let (mut rows, mut found) = (query.query(with)?, Vec::new());
        while let Some(row) = rows.next()? {
            found.push(read(&mut Columns { row, at: 0 })?);
        }
        Ok(found)
    }

    /// All rows.
    fn list<T: Column>(&self, sql: &str, with: impl Params) -> Outcome<Vec<T>> {
        self.read(sql, with, T::take)
    }

    /// The first row, if there is one.
    fn find<T: Column>(&self, sql: &str, with: impl Params) -> Outcome<Option<T>> {
        let mut query = self.connection().prepare_cached(sql)?;
        query.query(with)?.next()?.map(|row| T::take(&mut Columns { row, at: 0 })).transpose()
    }

    /// The one row.
    fn value<T: Column>(&self, sql: &str, with: impl Params) -> Outcome<T> {
        self.find(sql, with)?.ok_or_else(|| rusqlite::Error::QueryReturnedNoRows.into())
    }

    fn exists(&self, sql: &str, with: impl Params) -> Outcome<bool> {
        Ok(self.connection().prepare_cached(sql)?.exists(with)?)
    }
}

impl Sql for Connection {
    fn connection(&self) -> &Connection {
        self
    }
}

/// The columns of a row, read one after the other.
pub(super) struct Columns<'r> {
    row: &'r Row<'r>,
    at: usize,
}

impl Columns<'_> {
    pub(super) fn next<T: Column>(&mut self) -> Outcome<T> {
        T::take(self)
    }

    /// The bytes of a column, without a copy.
    pub(super) fn blob(&mut self) -> Outcome<&[u8]> {
        self.at += 1;
        Ok(self.row.get_ref(self.at - 1)?.as_blob().unwrap_or_default())
    }

    fn raw<T: FromSql>(&mut self) -> Outcome<T> {
        self.at += 1;
        Ok(self.row.get(self.at - 1)?)
    }
}

/// What is read from one column, or from several side by side.
pub(super) trait Column: Sized {
    fn take(row: &mut Columns<'_>) -> Outcome<Self>;
}

/// None if the first column is empty. A value of several columns must be the last one then.
impl<T: Column> Column for Option<T> {
    fn take(row: &mut Columns<'_>) -> Outcome<Option<T>> {
        if row.row.get_ref(row.at)? == ValueRef::Null {
            row.at += 1;
            return Ok(None);
        }
        row.next().map(Some)
    }
}

/// Types that are read from the columns of a row: their fields, in this order.
macro_rules! record {
    ($($type:ident { $($field:tt),+ })+) => { $(
        impl $crate::store::sql::Column for $type {
            fn take(row: &mut $crate::store::sql::Columns<'_>) -> $crate::store::sql::Outcome<$type> {
                Ok($type { $($field: row.next()?),+ })
            }
        }
    )+ };
}
pub(super) use record;

/// Types that are read from one column: from a value that SQLite knows.
macro_rules! column {
    ($($($type:ty),+: $read:expr;)+) => { $($(
        impl Column for $type {
            fn take(row: &mut Columns<'_>) -> Outcome<$type> {
                row.raw().and_then($read)
            }
        }
    )+)+ };
}

column! {
    i64, u32, u16, bool, String: Ok;
    u64: |number: i64| Ok(number.unsigned_abs());
    Duration: |ms: i64| Ok(Duration::from_millis(ms.unsigned_abs()));
    Bytes: |bytes: Vec<u8>| Ok(bytes.into());
    Corpus, Source, CheckResult: decoded;
    Verification: |word: String| Ok(Verification::read(&word));
    Became, JobStage: |name: String| name.parse().map_err(|_| unknown(&name));
    // Words in one text: scopes, tags.
    Vec<String>: |text: String| Ok(serde_json::from_str(&text).unwrap_or_default());
    // What a free look starts from, as a JSON list of its fields.
    Clue: |text: String| {
        let fields = serde_json::from_str(&text).map_err(|_| unknown(&text))?;
        let (title, title_level, state, industry, email_domain_type, search) = fields;
        Ok(Clue { title, title_level, state, industry, email_domain_type, search })
    };
}

record! {
    BatchId { 0 }
    Credits { 0 }
    Handle { 0 }
    Mono { 0 }
    OrderId { 0 }
    RowId { 0 }
    Wall { 0 }
    WindowId { 0 }
    Side { source, corpus }
}

impl<A: Column, B: Column> Column for (A, B) {
    fn take(row: &mut Columns<'_>) -> Outcome<(A, B)> {
        Ok((row.next()?, row.next()?))
    }
}

impl<A: Column, B: Column, C: Column> Column for (A, B, C) {
    fn take(row: &mut Columns<'_>) -> Outcome<(A, B, C)> {
        Ok((row.next()?, row.next()?, row.next()?))
    }
}

/// A value that this lode does not write.
fn unknown(value: impl Display) -> Trouble {
    StoreFailure::Corrupt(format!("the value {value} is unknown")).into()
}

/// What the file holds as a number: its place in the list, for good.
pub(super) trait Coded: Copy + Debug + PartialEq + Sized + 'static {
    const CODES: &'static [Self];

    fn code(self) -> i64 {
        let place = Self::CODES.iter().position(|one| *one == self);
        place.unwrap_or_else(|| unreachable!("{self:?} has no code")) as i64
    }
}

fn decoded<T: Coded>(code: i64) -> Outcome<T> {
    let found = usize::try_from(code).ok().and_then(|code| T::CODES.get(code));
    found.copied().ok_or_else(|| unknown(code))
}

impl Coded for Corpus {
    const CODES: &'static [Corpus] = &[Corpus::Us, Corpus::Linkedin];
}

impl Coded for Source {
    const CODES: &'static [Source] = &[Source::Workspace, Source::Data];
}

impl Coded for CheckResult {
    const CODES: &'static [CheckResult] = &[CheckResult::Locked, CheckResult::Absent];
}

/// The two columns of a side.
pub(super) fn side_codes(side: Side) -> (i64, i64) {
    (side.source.code(), side.corpus.code())
}

pub(super) fn clue_text(clue: &Clue) -> String {
    let Clue { title, title_level, state, industry, email_domain_type, search } = clue;
    json(&(title, title_level, state, industry, email_domain_type, search))
}

/// As JSON: words in one text (scopes, tags), and several numbers as the parameter of `json_each`.
pub(super) fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The same of ids.
pub(super) fn ids_text(ids: &[RowId]) -> String {
    json(&ids.iter().map(|id| id.0).collect::<Vec<_>>())
}

/// Counts of the service reach up to `u64`; the file holds `i64`. Nothing real is lost at the edge.
pub(super) fn count(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

pub(super) fn amount(credits: Option<Credits>) -> Option<i64> {
    credits.map(|credits| credits.0)
}

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
            Trouble::File(error) => match error.kind() {
                io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => StoreFailure::Full,
                io::ErrorKind::ReadOnlyFilesystem | io::ErrorKind::PermissionDenied => StoreFailure::ReadOnly,
                _ => StoreFailure::Other(error.to_string()),
            },
            Trouble::Sql(rusqlite::Error::SqliteFailure(error, words)) => {
                let words = words.unwrap_or_else(|| error.to_string());
                match error.code {
                    ErrorCode::DiskFull => StoreFailure::Full,
                    ErrorCode::ReadOnly | ErrorCode::PermissionDenied => StoreFailure::ReadOnly,
                    ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => StoreFailure::Locked,
                    ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => StoreFailure::Corrupt(words),
                    _ if words.starts_with("no such ") => StoreFailure::Corrupt(words),
                    _ => StoreFailure::Other(words),
                }
            }
            // The same with the statement, which is nothing to read.
            Trouble::Sql(rusqlite::Error::SqlInputError { error, msg, .. }) => {
                Trouble::from(rusqlite::Error::SqliteFailure(error, Some(msg))).into()
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
