//! Folders and files at their simplest: where they live, how a file is written whole or not at all.

pub mod atomic;

use std::path::PathBuf;

/// Where files of the user live.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folders {
    /// Where the shell was started: exports without a path go there.
    pub here: PathBuf,
    pub config: PathBuf,
    pub state: PathBuf,
}
