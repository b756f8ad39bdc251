//! Windows that are running. Each lode holds an OS lock on its own file until it ends: what a running window has in flight
//! is not an orphan; what an ended one had is.
//!
//! In memory, where all windows are values of one process, a set of names does the same.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use ring::rand::{SecureRandom, SystemRandom};

use crate::clock;
use crate::system::files::{make_private_dir, names, open_private};
use lode_engine::effect::WindowId;

/// A name that no other window of this run or of another one has, had or will have on this machine.
pub fn fresh_window() -> WindowId {
    static RUN: LazyLock<String> = LazyLock::new(|| {
        let mut chance = [0; 8];
        // Without chance there are still the process and the moment.
        let _ = SystemRandom::new().fill(&mut chance);
        let chance: String = chance.iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{}-{}-{chance}", std::process::id(), clock::now().mono.0)
    });
    static OPENED: AtomicU64 = AtomicU64::new(0);
    WindowId(format!("{}.{}", *RUN, OPENED.fetch_add(1, Ordering::Relaxed)))
}

#[derive(Debug)]
pub(super) enum Windows {
    Files {
        dir: PathBuf,
        /// Held until this window ends. None where it could not be taken: then other windows do not see that this one runs.
        lock: Option<File>,
        mine: WindowId,
    },
    Memory {
        living: Arc<Mutex<BTreeSet<WindowId>>>,
        mine: WindowId,
    },
}

impl Windows {
    /// Takes the lock of a window in a folder, or sees the others without being seen: where nothing can be written.
    pub(super) fn of_folder(dir: &Path, window: &WindowId) -> Windows {
        let dir = dir.join("windows");
        let lock = take_lock(&dir, window).ok();
        if lock.is_some() {
            sweep(&dir);
        }
        Windows::Files { dir, lock, mine: window.clone() }
    }

    /// Whether the others can see that this window lives. One that they cannot see must not have anything in flight.
    pub(super) fn are_seen(&self) -> bool {
        matches!(self, Windows::Memory { .. } | Windows::Files { lock: Some(_), .. })
    }

    pub(super) fn in_memory(living: Arc<Mutex<BTreeSet<WindowId>>>, window: &WindowId) -> Windows {
        living.lock().unwrap_or_else(PoisonError::into_inner).insert(window.clone());
        Windows::Memory { living, mine: window.clone() }
    }

    /// Whether that window runs. If that is not known, it does: nothing is taken from a window that may be alive.
    pub(super) fn lives(&self, window: &WindowId) -> bool {
        match self {
            Windows::Memory { living, .. } => living.lock().unwrap_or_else(PoisonError::into_inner).contains(window),
            Windows::Files { mine, .. } if mine == window => true,
            Windows::Files { dir, .. } => match File::open(lock_path(dir, window)) {
                Err(error) => error.kind() != io::ErrorKind::NotFound,
                // Shared, so that two who look at the same time do not take each other for the owner.
                Ok(file) => matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock | TryLockError::Error(_))),
            },
        }
    }
}

/// Removes the files of windows that ended.
fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        if let Ok(file) = File::open(entry.path())
            && file.try_lock().is_ok()
        {
            let _ = fs::remove_file(entry.path());
        }
    }
}

/// How many windows of a folder run, for who has none of his own there.
pub(super) fn living(dir: &Path) -> usize {
    let locked = |path: PathBuf| {
        File::open(path).is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
    };
    fs::read_dir(dir).into_iter().flatten().flatten().filter(|entry| locked(entry.path())).count()
}

impl Drop for Windows {
    fn drop(&mut self) {
        match self {
            Windows::Memory { living, mine } => {
                living.lock().unwrap_or_else(PoisonError::into_inner).remove(mine);
            }
            // While the lock is still held: no other window makes a file of this name.
            Windows::Files { lock: Some(_), dir, mine } => drop(fs::remove_file(lock_path(dir, mine))),
            Windows::Files { .. } => {}
        }
    }
}

fn lock_path(dir: &Path, window: &WindowId) -> PathBuf {
    let name: String = window.0.chars().map(|c| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' }).collect();
    dir.join(format!("{name}.lock"))
}

fn take_lock(dir: &Path, window: &WindowId) -> io::Result<File> {
    make_private_dir(dir)?;
    let path = lock_path(dir, window);
    loop {
        let file = open_private(OpenOptions::new().create(true).read(true).append(true), &path)?;
        file.lock()?;
        // Another window may have removed the file between its making and its locking.
        if names(&path, &file) {
            return Ok(file);
        }
    }
}
