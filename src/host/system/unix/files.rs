//! Files and folders that belong to one user alone, and what else a file system does in its own way.

use rustix::fs::{FallocateFlags, fallocate};

use super::*;

/// Opens a file as `options` say. One that this makes can be read by its owner only.
pub fn open_private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    options.mode(0o600).open(path)
}

/// Makes a folder, and those above it that are missing, for its owner only. One that is there stays as it is.
pub fn make_private_dir(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes a folder for its owner only. Fails where something of that name is there.
pub fn make_fresh_private_dir(folder: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o700).create(folder)
}

/// Whether others can look into the file or folder.
pub fn is_open_to_others(path: &Path) -> io::Result<bool> {
    Ok(fs::metadata(path)?.mode() & 0o077 != 0)
}

/// The command that closes a file or folder to others.
pub fn how_to_close(path: &Path) -> String {
    let mode = if path.is_dir() { 700 } else { 600 };
    format!("`chmod {mode} {}`", path.display())
}

/// Whether `path` still names the open file.
pub fn names(path: &Path, file: &File) -> bool {
    let same = |there: fs::Metadata, here: fs::Metadata| there.ino() == here.ino() && there.dev() == here.dev();
    fs::metadata(path).is_ok_and(|there| file.metadata().is_ok_and(|here| same(there, here)))
}

/// A name of the file itself: a copy of it has another, the file under a new path has the same.
pub fn identity(path: &Path) -> io::Result<String> {
    let there = fs::metadata(path)?;
    let born = there.created().ok().and_then(|born| born.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    Ok(format!("{:x} {:x}", there.ino(), born.as_nanos()))
}

/// Whether the open file has another name than `path`, or `path` is only a link to it.
pub fn is_linked(path: &Path, file: &File) -> io::Result<bool> {
    Ok(file.metadata()?.nlink() > 1 || fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink()))
}

pub fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    file.write_all_at(bytes, at)
}

/// Takes blocks on the disk for an empty file. Where the file system cannot promise that, zeros are written.
pub fn take_room(file: &File, bytes: u64) -> io::Result<()> {
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Err(Errno::OPNOTSUPP | Errno::NOSYS) => {
            let zeros = vec![0; usize::try_from(bytes).unwrap_or(0)];
            (&*file).write_all(&zeros)
        }
        taken => Ok(taken?),
    }
}

/// Makes what was added to, renamed in or removed from a folder durable. Some file systems cannot sync a folder: there the
/// change itself is all there is.
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        Err(error) if !matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Err(error),
        _ => Ok(()),
    }
}

/// Room left for files of this user on the disk that holds `folder`.
pub fn room(folder: &Path) -> io::Result<u64> {
    let disk = rustix::fs::statvfs(folder)?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
