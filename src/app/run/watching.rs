//! Changes made by other programs: edits of the settings file, and what other windows and commands write into the folders
//! of the shown profile.
//!
//! Where the system does not tell (a network folder, a limit that is reached), the settings file is looked at when the window
//! gets the focus; of the folders this is said once, and the window looks by itself at each key.

use std::path::PathBuf;

use lode_engine::flow::session::ChangedElsewhere;
use lode_host::config::{self, Stamp, environment::Environment};
use lode_host::failpoint;
use lode_host::perform::PerformerSetup;
use lode_host::store::changes;
use lode_host::system::files::make_private_dir;
use lode_host::system::watch::Watch;

pub(super) struct FolderWatch {
    watch: Option<Watch>,
    /// Which of the folders hold saved searches: anything in them counts.
    saved_from: usize,
}

pub(super) const BY_ITSELF: &str =
    "The system does not tell what other windows change here: this window checks at each key and before each review.";

impl FolderWatch {
    pub(super) fn of(setup: &PerformerSetup) -> FolderWatch {
        FolderWatch::over(setup.store.folders(), &setup.saved_folders)
    }

    /// `written` is the folder of the records and the one where requests are counted.
    fn over(written: Option<(PathBuf, PathBuf)>, saved: &[PathBuf]) -> FolderWatch {
        let mut folders = Vec::new();
        if let Some((records, counters)) = written {
            // The first call of the store makes the folder; a watch needs it now.
            drop(make_private_dir(&records));
            folders.push(records);
            folders.push(counters);
        }
        folders.dedup();
        let saved_from = folders.len();
        for folder in saved {
            drop(make_private_dir(folder));
            folders.push(folder.clone());
        }
        // Hand-written searches may have no folder yet; the one of the records is what counts.
        folders.retain(|folder| folder.is_dir());
        let told = saved_from > 0 && !failpoint::lacks("watch");
        let watch = if told { Watch::over(&folders) } else { None };
        FolderWatch { watch, saved_from }
    }

    pub(super) fn is_told(&self) -> bool {
        self.watch.is_some()
    }

    fn what(&self, place: usize, name: &str) -> ChangedElsewhere {
        if place >= self.saved_from {
            return ChangedElsewhere { saved: true, ..ChangedElsewhere::default() };
        }
        // Without a name more happened there than the system could note.
        let written = |file: &str| name == file || name.is_empty();
        ChangedElsewhere {
            records: written(changes::OF_LEDGER),
            requests: written(changes::OF_SLOTS),
            proposals: written(changes::OF_PROPOSALS),
            saved: false,
        }
    }

    /// Something was written there by anybody; for ever where nothing tells.
    pub(super) async fn heard(&mut self) -> ChangedElsewhere {
        let Some(watch) = &self.watch else { return std::future::pending().await };
        loop {
            let mut all = ChangedElsewhere::default();
            for (place, name) in watch.heard().await {
                let what = self.what(place, &name);
                all.records |= what.records;
                all.requests |= what.requests;
                all.proposals |= what.proposals;
                all.saved |= what.saved;
            }
            if all != ChangedElsewhere::default() {
                return all;
            }
        }
    }
}

/// The settings file and the themes. Only what is another file than the one that was read last is read again.
pub struct SettingsFile {
    pub(super) environment: Environment,
    /// The demo reads them and has a profile of its own.
    pub(super) is_of_demo: bool,
    /// When it was last written, of what this window has read.
    stamp: Stamp,
    watch: Option<Watch>,
}

impl SettingsFile {
    pub(super) fn new(environment: Environment, is_of_demo: bool) -> SettingsFile {
        let mut file = SettingsFile { stamp: Stamp::default(), watch: None, environment, is_of_demo };
        file.is_read();
        file
    }

    /// The window has read it as it is now, or has written it itself.
    pub(super) fn is_read(&mut self) {
        self.stamp = config::stamp(&self.environment);
    }

    /// Whether it is another than the one that was read; then it counts as read.
    pub(super) fn has_changed(&mut self) -> bool {
        let before = std::mem::take(&mut self.stamp);
        self.is_read();
        self.stamp != before
    }

    /// Resolves when something beside the file was written; never where the system does not tell.
    pub(super) async fn touched(&mut self) {
        if self.watch.is_none() {
            // On a first run the folder comes with the first profile.
            let themes = config::theme_folder(&self.environment);
            self.watch = Watch::on(&config::path(&self.environment), &themes);
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

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::sync::mpsc::sync_channel;
    use std::time::Duration;

    use super::*;
    use lode_core::purse::PurseRef;
    use lode_engine::effect::store::{StoreCall, StoreReply};
    use lode_host::clock;
    use lode_host::store::{Store, fresh_window};

    /// Found in a test with two windows: the files are written before their change can be read, and nothing was written once it
    /// could. Who looked in between missed it for good.
    #[tokio::test]
    async fn a_window_that_is_told_of_a_change_can_read_it() {
        let folder = tempfile::tempdir().unwrap();
        let mut reader = Store::open(folder.path(), fresh_window());
        let mut writer = reader.beside(fresh_window());
        let mut lists = || match reader.perform(StoreCall::Changes { purse: None }, clock::now()) {
            Ok(StoreReply::Changes(changes)) => changes.lists,
            other => unreachable!("{other:?}"),
        };
        assert_eq!(lists(), 0);
        let mut watch = FolderWatch::over(writer.folders(), &[]);
        let (go, next) = sync_channel::<()>(0);
        let writes = std::thread::spawn(move || {
            for () in next {
                let purse = PurseRef::Earlier { profile: "acme".to_owned() };
                let call = StoreCall::Suppress { purse, list: "customers".to_owned(), entries: Vec::new() };
                writer.perform(call, clock::now()).unwrap();
            }
        });
        for change in 1..=100 {
            go.send(()).unwrap();
            while lists() < change {
                let told = tokio::time::timeout(Duration::from_secs(10), watch.heard()).await;
                assert!(told.is_ok(), "change {change} was told before it could be read, and never again");
            }
        }
        drop(go);
        writes.join().unwrap();
    }
}
