//! Folders of tests.

use std::path::Path;
use std::sync::LazyLock;

use rustix::fs::{StatVfsMountFlags, statvfs};
use tempfile::TempDir;

/// Shared memory, where Linux has it: no test waits for a disk there, which took a tenth of the time of the program's tests.
const IN_MEMORY: &str = "/dev/shm";
/// A container may give it 64 MiB; all folders at once take less than this.
const LEAST: u64 = 1 << 30;

/// A new folder, which goes with the value.
pub fn folder() -> TempDir {
    static PARENT: LazyLock<Option<&Path>> = LazyLock::new(|| {
        let told = statvfs(IN_MEMORY).ok()?;
        // Some tests start programs from their folder.
        let can_start = !told.f_flag.contains(StatVfsMountFlags::NOEXEC);
        (can_start && told.f_bavail * told.f_frsize >= LEAST).then_some(Path::new(IN_MEMORY))
    });
    PARENT.map_or_else(TempDir::new, TempDir::new_in).expect("a folder for a test")
}
