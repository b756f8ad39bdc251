//! The settings file of a window that runs: who edits it in another program sees it taken over, without a tick.
//!
//! The system tells when something in its folder was written (inotify); where it cannot, the file is looked at when the
//! window gets the focus. Only what is another file than the one that was read last is read again.

use std::time::SystemTime;

use crate::shell::config::{self, environment::Environment};

pub(super) struct SettingsFile {
    pub(super) environment: Environment,
    /// When it was last written, as far as this window has read it.
    stamp: Option<(SystemTime, u64)>,
    watch: Option<watch::Watch>,
}

impl SettingsFile {
    pub(super) fn new(environment: Environment) -> SettingsFile {
        let mut file = SettingsFile { stamp: None, watch: None, environment };
        file.is_read();
        file
    }

    /// The window has read it as it is now, or has written it itself.
    pub(super) fn is_read(&mut self) {
        self.stamp = config::stamp(&self.environment);
    }

    /// Whether it is another than the one that was read; then it counts as read.
    pub(super) fn has_changed(&mut self) -> bool {
        let before = self.stamp;
        self.is_read();
        self.stamp != before
    }

    /// Resolves when something beside the file was written, for ever where the system does not tell.
    pub(super) async fn touched(&mut self) {
        if self.watch.is_none() {
            // On a first run the folder comes with the first profile.
            self.watch = watch::Watch::on(&config::path(&self.environment));
            if self.watch.is_some() {
                // What was written before anybody watched is seen by looking.
                return;
            }
        }
        match &self.watch {
            Some(watch) => watch.touched().await,
            None => std::future::pending().await,
        }
    }
}

#[cfg(target_os = "linux")]
mod watch {
    use std::collections::BTreeSet;
    use std::path::Path;

    use rustix::fs::inotify::{CreateFlags, WatchFlags, add_watch, init};
    use tokio::net::unix::pipe::Receiver;

    /// The notes of the system are read as those of a pipe are, for that is the reader that needs no unsafe promise.
    pub(super) struct Watch(Receiver);

    impl Watch {
        /// Watches the folder of the file, and of what it links to.
        pub(super) fn on(path: &Path) -> Option<Watch> {
            let linked = std::fs::canonicalize(path).ok();
            let folders: BTreeSet<&Path> =
                [Some(path), linked.as_deref()].into_iter().flatten().filter_map(Path::parent).collect();
            let notes = init(CreateFlags::NONBLOCK | CreateFlags::CLOEXEC).ok()?;
            // A file that is only made is not written yet.
            let flags = WatchFlags::CLOSE_WRITE | WatchFlags::MOVED_TO | WatchFlags::DELETE;
            let watched = folders.into_iter().filter(|folder| add_watch(&notes, *folder, flags).is_ok()).count();
            (watched > 0).then(|| Receiver::from_owned_fd_unchecked(notes).ok().map(Watch))?
        }

        pub(super) async fn touched(&self) {
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

#[cfg(not(target_os = "linux"))]
mod watch {
    pub(super) enum Watch {}

    impl Watch {
        pub(super) fn on(_: &std::path::Path) -> Option<Watch> {
            None
        }

        pub(super) async fn touched(&self) {
            match *self {}
        }
    }
}
