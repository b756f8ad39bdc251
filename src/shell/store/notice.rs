//! How the store wakes the windows of its folder: a file beside the ledger that is written when something waits for a person.
//!
//! It carries nothing; who sees it written reads the ledger.

use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::system::files::make_private_dir;

/// The file that is written.
pub fn path(dir: &Path) -> PathBuf {
    dir.join("notices").join("proposals")
}

/// Makes its folder, so that it can be watched.
pub fn prepare(dir: &Path) {
    let path = path(dir);
    let _ = path.parent().map(make_private_dir);
}

/// Wakes the windows. One that is not woken reads the ledger when it gets the focus.
pub(super) fn give(dir: &Path) {
    prepare(dir);
    let _ = fs::write(path(dir), b"");
}
