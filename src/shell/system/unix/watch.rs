//! What tells of changes to files: inotify on Linux, nothing yet elsewhere.

#[cfg(target_os = "linux")]
mod inotify {
    use std::collections::BTreeSet;
    use std::path::Path;

    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    use tokio::net::unix::pipe::Receiver;

    /// Tells when something beside a file was written. The system's notes are read as those of a pipe are, for that is the
    /// reader that needs no unsafe promise.
    pub struct Watch(Receiver);

    impl Watch {
        /// Watches the folder of the file, and of what it links to.
        pub fn on(path: &Path) -> Option<Watch> {
            let linked = std::fs::canonicalize(path).ok();
            let folders: BTreeSet<&Path> =
                [Some(path), linked.as_deref()].into_iter().flatten().filter_map(Path::parent).collect();
            let notes = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            // A file that is only made is not written yet.
            let flags = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::DELETE;
            let watched = folders.into_iter().filter(|folder| add_watch(&notes, *folder, flags).is_ok()).count();
            (watched > 0).then(|| Receiver::from_owned_fd_unchecked(notes).ok().map(Watch))?
        }

        /// Resolves when something was written there.
        pub async fn touched(&self) {
            let mut room = [0; 4096];
            loop {
                if self.0.readable().await.is_err() {
                    return std::future::pending().await;
                }
                // What was written is seen by looking at the file: the notes themselves are only taken away.
                if self.0.try_read(&mut room).is_ok() {
                    return;
                }
            }
        }
    }
}

#[cfg(target_os = "linux")]
pub use inotify::Watch;

/// Not available: the caller checks the file when the window gets the focus.
#[cfg(not(target_os = "linux"))]
pub enum Watch {}

#[cfg(not(target_os = "linux"))]
impl Watch {
    pub fn on(_: &std::path::Path) -> Option<Watch> {
        None
    }

    pub async fn touched(&self) {
        match *self {}
    }
}
