//! The settings file of a window that runs: who edits it in another program sees it taken over, without a tick.
//!
//! The system tells when something in its folder was written; where it cannot, the file is looked at when the
//! window gets the focus. Only what is another file than the one that was read last is read again.

use lode_host::config::{self, Stamp, environment::Environment};
use lode_host::system::watch::Watch;

pub(super) struct SettingsFile {
    pub(super) environment: Environment,
    /// When it was last written, of what this window has read.
    stamp: Stamp,
    watch: Option<Watch>,
}

impl SettingsFile {
    pub(super) fn new(environment: Environment) -> SettingsFile {
        let mut file = SettingsFile { stamp: Stamp::default(), watch: None, environment };
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

    /// Resolves when something beside the file was written; never where the system does not tell.
    pub(super) async fn touched(&mut self) {
        if self.watch.is_none() {
            // On a first run the folder comes with the first profile.
            self.watch = Watch::on(&config::path(&self.environment));
            if self.watch.is_some() {
                // What was written before the watch began is seen by looking.
                return;
            }
        }
        match &self.watch {
            Some(watch) => watch.touched().await,
            None => std::future::pending().await,
        }
    }
}
