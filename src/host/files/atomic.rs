//! A file under its final name is whole. It grows beside its place as `NAME.part`, is synced, renamed, and its folder synced; what
//! a crash leaves behind is a `.part` that the next writer of that name takes over.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::system::files::{is_linked, make_private_dir, names, open_private, sync_folder};

/// A file in the making. Dropping it leaves nothing behind.
#[derive(Debug)]
pub struct PartialFile {
    pub(crate) file: File,
    part: PathBuf,
    pub(crate) target: PathBuf,
    settled: bool,
}

impl PartialFile {
    /// Begins the file that will stand at `target`. The lock on the part keeps two writers apart.
    pub fn create(target: &Path) -> io::Result<PartialFile> {
        // A link keeps pointing where it points: what it names is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        let invalid = |words: &str| io::Error::new(io::ErrorKind::InvalidInput, words);
        if fs::metadata(&target).is_ok_and(|there| !there.is_file()) {
            return Err(invalid("it exists and is not a regular file"));
        }
        let mut part_name = target.file_name().ok_or_else(|| invalid("it is not a file name"))?.to_owned();
        part_name.push(".part");
        let part = target.with_file_name(part_name);
        loop {
            let file = open_private(OpenOptions::new().write(true).create(true).truncate(false), &part)?;
            if is_linked(&part, &file)? {
                return Err(invalid(&format!("{} is a link: remove it", part.display())));
            }
            let busy = || io::Error::new(io::ErrorKind::ResourceBusy, "another lode window is writing it");
            file.try_lock().map_err(|error| match error {
                TryLockError::WouldBlock => busy(),
                TryLockError::Error(error) => error,
            })?;
            // The writer before us may have renamed it between our opening and our locking: then it is not a partial file any more.
            if names(&part, &file) {
                file.set_len(0)?;
                return Ok(PartialFile { file, part, target, settled: false });
            }
        }
    }

    /// Synced, renamed, durable: the file now stands under its name.
    pub fn finish(mut self) -> io::Result<PathBuf> {
        self.settle(self.target.clone())
    }

    /// What there is so far, under a name that says so.
    pub fn keep_incomplete(mut self) -> io::Result<PathBuf> {
        self.settle(incomplete_name(&self.target))
    }

    fn settle(&mut self, target: PathBuf) -> io::Result<PathBuf> {
        self.file.sync_all()?;
        fs::rename(&self.part, &target)?;
        self.settled = true;
        sync_folder(folder_of(&target))?;
        Ok(target)
    }
}

impl Drop for PartialFile {
    fn drop(&mut self) {
        if !self.settled {
            let _ = fs::remove_file(&self.part);
        }
    }
}

/// `leads.csv` becomes `leads.incomplete.csv`.
pub fn incomplete_name(target: &Path) -> PathBuf {
    let mut name = target.file_stem().unwrap_or_default().to_owned();
    name.push(".incomplete");
    if let Some(extension) = target.extension() {
        name.push(".");
        name.push(extension);
    }
    target.with_file_name(name)
}

/// The folder a file stands in.
pub fn folder_of(target: &Path) -> &Path {
    target.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// The whole file or none.
pub fn write_whole(target: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    let mut part = PartialFile::create(target)?;
    part.file.write_all(bytes)?;
    part.finish()
}

/// The whole file or none, in a folder that is made for its owner alone where it is missing. Fails with a sentence.
pub fn write_private(target: &Path, bytes: &[u8]) -> Result<(), String> {
    let written = make_private_dir(folder_of(target)).and_then(|()| write_whole(target, bytes));
    written.map(drop).map_err(|error| sentence(target, &error))
}

/// What happened, in one sentence.
pub fn sentence(path: &Path, error: &io::Error) -> String {
    use io::ErrorKind::*;
    let path = path.display();
    match error.kind() {
        StorageFull | QuotaExceeded => format!("the disk is full: {path} was not written"),
        PermissionDenied | ReadOnlyFilesystem => format!("{path} cannot be written: no permission"),
        NotFound => format!("{path} cannot be written: the folder does not exist"),
        FileTooLarge => format!("{path} cannot be written: the file is too large for this disk"),
        _ => format!("{path} cannot be written: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn listed(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_whole_or_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("leads.csv");
        fs::write(&target, "old").unwrap();
        let mut part = PartialFile::create(&target).unwrap();
        part.file.write_all(b"half").unwrap();
        assert_eq!(listed(folder.path()), ["leads.csv", "leads.csv.part"]);
        drop(part);
        assert_eq!(fs::read(&target).unwrap(), b"old");
        assert_eq!(listed(folder.path()), ["leads.csv"]);
        write_whole(&target, b"new").unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"new");
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(listed(folder.path()), ["leads.csv"]);
    }

    #[test]
    fn what_was_stopped_is_kept_under_a_name_that_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut part = PartialFile::create(&folder.path().join("leads.csv")).unwrap();
        part.file.write_all(b"half").unwrap();
        assert!(part.keep_incomplete().unwrap().ends_with("leads.incomplete.csv"));
        assert_eq!(listed(folder.path()), ["leads.incomplete.csv"]);
    }

    #[test]
    fn two_writers_of_one_name_are_kept_apart_and_leavings_taken_over() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("leads.csv");
        fs::write(folder.path().join("leads.csv.part"), "left by a crash, longer than what comes").unwrap();
        let mut first = PartialFile::create(&target).unwrap();
        assert_eq!(PartialFile::create(&target).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        first.file.write_all(b"whole").unwrap();
        first.finish().unwrap();
        assert_eq!(fs::read(&target).unwrap(), b"whole");
        assert!(PartialFile::create(&target).is_ok());
    }

    #[test]
    fn only_ordinary_files_are_replaced() {
        let folder = tempfile::tempdir().unwrap();
        assert!(PartialFile::create(folder.path()).is_err());
        assert!(PartialFile::create(Path::new("/dev/null")).is_err());
        assert!(PartialFile::create(&folder.path().join("no/such/folder.csv")).is_err());
        let (link, real) = (folder.path().join("link.csv"), folder.path().join("real.csv"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink(&real, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert_eq!(fs::read(&real).unwrap(), b"new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    }
}
