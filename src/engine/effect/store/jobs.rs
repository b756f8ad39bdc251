//! What windows and commands tell each other of their jobs.

use crate::effect::profile::WindowId;
use lode_core::time::Wall;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JobStage {
    Running,
    Done,
    Stopped,
    Failed,
}

/// A job as its own window sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobNote {
    pub profile: String,
    pub kind: String,
    /// Tells it from other jobs of its kind in its window.
    pub number: u64,
    pub what: String,
    /// Rows, contacts or requests, and of how many where that is known.
    pub done: u64,
    pub of: Option<u64>,
    pub stage: JobStage,
    /// What it came to.
    pub words: String,
}

/// A job of another window or of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobElsewhere {
    pub window: WindowId,
    pub note: JobNote,
    /// When it was last heard of.
    pub at: Wall,
    /// Its window is open. A job that runs in none was interrupted.
    pub lives: bool,
}

impl JobElsewhere {
    pub fn is_running(&self) -> bool {
        self.note.stage == JobStage::Running && self.lives
    }
}
