//! Folders and files at their simplest: where they live, how a file is written whole or not at all, how much room is left.

pub mod atomic;

use std::io;
use std::path::{Path, PathBuf};

/// Where files of the user live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Where the shell was started: exports without a path go there.
    pub here: PathBuf,
    pub config: PathBuf,
    pub state: PathBuf,
}

/// Room left for files of this user on the disk that holds `folder`.
pub fn room(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// A folder that is its owner's alone, where lode makes it: settings name commands that print keys.
pub fn make_private_dir(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt;
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}
