//! Files and folders: paths, which of them belong to lode, and writing a file whole or not at all.

pub mod atomic;
pub mod list;

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use crate::system::files::{make_private_dir, names, open_private};
use lode_engine::effect::FileFailure;

/// Where files of the user live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Where the shell was started: exports without a path go there.
    pub here: PathBuf,
    pub config: PathBuf,
    pub state: PathBuf,
    /// Where only lode writes.
    pub own: Vec<PathBuf>,
}

impl Folders {
    /// A file that a person named: `~` is the home folder, and what does not begin at the root begins where the shell stood.
    pub fn named(&self, path: &Path) -> PathBuf {
        match (path.strip_prefix("~"), std::env::home_dir()) {
            (Ok(rest), Some(home)) => home.join(rest),
            _ => self.here.join(path),
        }
    }
}

/// The result of work on a file or folder. None if nothing has that name.
pub fn if_there<T>(done: io::Result<T>) -> io::Result<Option<T>> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        done => done.map(Some),
    }
}

/// Takes the lock of a file that is made where it is not there, with its folder: one window at a time has it.
pub(crate) fn locked(path: &Path) -> io::Result<File> {
    make_private_dir(atomic::folder_of(path))?;
    let file = open_private(OpenOptions::new().create(true).read(true).append(true), path)?;
    file.lock()?;
    Ok(file)
}

/// The first of `STEM.ENDING`, `STEM-2.ENDING` and so on that is free.
pub(crate) fn free_name(folder: &Path, stem: &str, ending: &str, is_free: impl Fn(&PathBuf) -> bool) -> PathBuf {
    let name = |number: u64| match number {
        1 => folder.join(format!("{stem}.{ending}")),
        number => folder.join(format!("{stem}-{number}.{ending}")),
    };
    (1..).map(name).find(is_free).unwrap_or_else(|| unreachable!("the numbers do not end"))
}

/// Refuses to write at a path that a person named if lode keeps a file there, by whatever name or link: `own` are its folders.
pub fn refuse_own(path: &Path, own: &[PathBuf]) -> Result<(), FileFailure> {
    let real = real(path);
    // A pipe is not even opened: that would wait for its other end.
    let file = if real.is_file() { File::open(&real).ok() } else { None };
    let is_own = |folder: &PathBuf| {
        let folder = self::real(folder);
        real.starts_with(&folder) || file.as_ref().is_some_and(|file| holds(&folder, file))
    };
    if own.iter().any(is_own) {
        let words = format!("{} is among lode's own files: choose another folder", path.display());
        return Err(FileFailure { words });
    }
    Ok(())
}

/// The path without links and `..`, also of a file that does not exist yet.
fn real(path: &Path) -> PathBuf {
    let folder = || Some(fs::canonicalize(atomic::folder_of(path)).ok()?.join(path.file_name()?));
    fs::canonicalize(path).ok().or_else(folder).unwrap_or_else(|| path.to_owned())
}

/// Whether the file is in the folder, under this name or another one.
fn holds(folder: &Path, file: &File) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).any(|path| match fs::symlink_metadata(&path) {
        Ok(there) if there.is_dir() => holds(&path, file),
        Ok(there) => there.is_file() && names(&path, file),
        Err(_) => false,
    })
}
