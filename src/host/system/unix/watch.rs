//! Watches files with inotify.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
use tokio::net::unix::pipe::Receiver;

/// Tells when something in a folder was written. The system's notes are read as those of a pipe are, for that is the
/// reader that needs no unsafe promise.
pub struct Watch {
    notes: Receiver,
    /// What the system calls the folders.
    folders: Vec<i32>,
}

/// Bytes of a note before its name: which folder, what happened, a cookie, the length of the name.
const HEAD: usize = 16;

/// File systems of other machines, whose changes the system does not hear of.
const REMOTE: [u64; 8] = [
    0x6969,      // NFS
    0x517b,      // SMB
    0xff53_4d42, // CIFS
    0xfe53_4d42, // SMB 2
    0x5346_414f, // AFS
    0x7375_7245, // Coda
    0x0102_1997, // 9P
    0x6573_5546, // FUSE, such as sshfs
];

impl Watch {
    /// Watches the folder of the file, and of what it links to; and another folder, where it is there.
    pub fn on(path: &Path, folder: &Path) -> Option<Watch> {
        // This is called in every round of the loop until the folder exists, so it must be cheap.
        path.parent().filter(|parent| parent.is_dir())?;
        let linked = std::fs::canonicalize(path).ok();
        let folders: BTreeSet<&Path> =
            [Some(path), linked.as_deref()].into_iter().flatten().filter_map(Path::parent).chain([folder]).collect();
        // A file that is only made is not written yet.
        let flags = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::DELETE;
        let notes = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        let folders: Vec<_> = folders.into_iter().filter_map(|folder| add_watch(&notes, folder, flags).ok()).collect();
        let watched = !folders.is_empty();
        watched.then(|| Some(Watch { notes: Receiver::from_owned_fd_unchecked(notes).ok()?, folders }))?
    }

    /// Watches folders in which files are written that stay open. None where the system does not tell of one of them.
    pub fn over(folders: &[PathBuf]) -> Option<Watch> {
        let flags = WatchFlags::MODIFY | WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::DELETE;
        let notes = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
        let watched = |folder: &PathBuf| {
            let is_remote = rustix::fs::statfs(folder).is_ok_and(|about| REMOTE.contains(&kind(about.f_type)));
            if is_remote { None } else { add_watch(&notes, folder, flags).ok() }
        };
        let folders = folders.iter().map(watched).collect::<Option<_>>()?;
        Some(Watch { notes: Receiver::from_owned_fd_unchecked(notes).ok()?, folders })
    }

    /// Resolves when something was written there.
    pub async fn touched(&self) {
        drop(self.heard().await);
    }

    /// Resolves with what was written: the place of its folder in the list, and its name. An empty name: more happened there
    /// than the system could note.
    pub async fn heard(&self) -> Vec<(usize, String)> {
        loop {
            if self.notes.readable().await.is_err() {
                return std::future::pending().await;
            }
            let mut room = [0; 4096];
            if let Ok(length) = self.notes.try_read(&mut room) {
                return self.read(&room[..length]);
            }
        }
    }

    fn read(&self, mut notes: &[u8]) -> Vec<(usize, String)> {
        let mut all = Vec::new();
        while let Some((head, rest)) = notes.split_at_checked(HEAD) {
            let word = |at: usize| head[at..at + 4].try_into().map(u32::from_ne_bytes).unwrap_or_default();
            let length = (word(12) as usize).min(rest.len());
            let (name, behind) = rest.split_at(length);
            notes = behind;
            let name = name.split(|byte| *byte == 0).next().unwrap_or_default();
            let folder = word(0).cast_signed();
            match self.folders.iter().position(|known| *known == folder) {
                Some(place) => all.push((place, String::from_utf8_lossy(name).into_owned())),
                // Notes were lost: anything may have happened.
                None if folder < 0 => all.extend((0..self.folders.len()).map(|place| (place, String::new()))),
                None => {}
            }
        }
        all
    }
}

/// The kind of a file system as the kernel numbers it, whatever type the C library gives it.
#[allow(clippy::unnecessary_cast)]
fn kind(number: rustix::fs::FsWord) -> u64 {
    number as u64 & 0xffff_ffff
}
