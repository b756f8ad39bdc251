//! Folders and files at their simplest: where they live, how a file is written whole or not at all.

pub mod atomic;

use std::path::{Path, PathBuf};

/// Where files of the user live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Where the shell was started: exports without a path go there.
    pub here: PathBuf,
    pub config: PathBuf,
    pub state: PathBuf,
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
