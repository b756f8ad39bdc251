//! Files and folders that belong to one user alone, and what else a file system does in its own way.

use super::access::close;
use super::*;

/// Opens a file as `options` say. One that this makes can be read by its owner only.
pub fn open_private(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let file = options.open(path)?;
    if file.metadata()?.len() == 0 {
        // A disk without such lists has none: what must be private is looked at again before it is used.
        let _ = close(path, false);
    }
    Ok(file)
}

/// Makes a folder, and those above it that are missing, for its owner only. One that is there stays as it is.
pub fn make_private_dir(folder: &Path) -> io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    let missing: Vec<&Path> = folder.ancestors().take_while(|above| !above.is_dir()).collect();
    for folder in missing.into_iter().rev().filter(|folder| !folder.as_os_str().is_empty()) {
        match make_fresh_private_dir(folder) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Makes a folder for its owner only. Fails where something of that name is there.
pub fn make_fresh_private_dir(folder: &Path) -> io::Result<()> {
    DirBuilder::new().create(folder)?;
    let _ = close(folder, true);
    Ok(())
}

pub use super::access::is_open_to_others;

/// The command that closes a file or folder to others.
pub fn how_to_close(path: &Path) -> String {
    let inherits = if path.is_dir() { "(OI)(CI)" } else { "" };
    format!("`icacls \"{}\" /inheritance:r /grant:r %USERNAME%:{inherits}F`", path.display())
}

/// Whether `path` still names the open file.
pub fn names(path: &Path, file: &File) -> bool {
    let there = File::open(path).and_then(|there| number(&there));
    there.is_ok_and(|there| number(file).is_ok_and(|here| here == there))
}

/// A name of the file itself: a copy of it has another, the file under a new path has the same.
pub fn identity(path: &Path) -> io::Result<String> {
    let (volume, high, low) = number(&File::open(path)?)?;
    Ok(format!("{volume:x} {high:x} {low:x}"))
}

/// Whether the open file has another name than `path`, or `path` is only a link to it.
pub fn is_linked(path: &Path, file: &File) -> io::Result<bool> {
    let is_symlink = std::fs::symlink_metadata(path).is_ok_and(|there| there.is_symlink());
    Ok(is_symlink || about(file)?.nNumberOfLinks > 1)
}

/// What tells a file from every other of the machine.
fn number(file: &File) -> io::Result<(u32, u32, u32)> {
    let about = about(file)?;
    Ok((about.dwVolumeSerialNumber, about.nFileIndexHigh, about.nFileIndexLow))
}

fn about(file: &File) -> io::Result<BY_HANDLE_FILE_INFORMATION> {
    // SAFETY: A structure of numbers alone, which the call fills; the handle is open for as long as `file` is borrowed.
    unsafe {
        let mut about: BY_HANDLE_FILE_INFORMATION = zeroed();
        succeeded(GetFileInformationByHandle(file.as_raw_handle(), &raw mut about))?;
        Ok(about)
    }
}

pub fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let mut gone = 0;
    while gone < bytes.len() {
        match file.seek_write(&bytes[gone..], at + gone as u64)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => gone += written,
        }
    }
    Ok(())
}

/// Takes room on the disk for an empty file.
pub fn take_room(file: &File, bytes: u64) -> io::Result<()> {
    let zeros = vec![0; usize::try_from(bytes).unwrap_or(0)];
    let mut file = file;
    file.write_all(&zeros)
}

/// Windows keeps its folders by itself and syncs none on demand.
pub fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Room left for files of this user on the disk that holds `folder`.
pub fn room(folder: &Path) -> io::Result<u64> {
    let folder = wide(folder);
    let mut free = 0;
    // SAFETY: The path ends with a zero; what is not asked for may be null.
    succeeded(unsafe { GetDiskFreeSpaceExW(folder.as_ptr(), &raw mut free, null_mut(), null_mut()) })?;
    Ok(free)
}
