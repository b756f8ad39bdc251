//! What other windows and commands write into the folders of the profile that is looked at, as the system tells of it.
//!
//! Where the system does not tell (a network folder, a limit that is reached), this is said once, and the window looks by itself
//! at each key.

use crate::flow::session::Touched;
use crate::shell::perform::Setup;
use crate::shell::store::{BOOKS, SLOTS};
use crate::shell::system::files::make_private_dir;
use crate::shell::system::watch::Watch;

pub(super) struct Elsewhere {
    watch: Option<Watch>,
    /// Which of the folders hold saved searches: anything in them counts.
    saved_from: usize,
}

pub(super) const BY_ITSELF: &str =
    "The system does not tell what other windows change here: this window checks at each key and before each review.";

impl Elsewhere {
    pub(super) fn of(setup: &Setup) -> Elsewhere {
        let mut folders = Vec::new();
        if let Some((records, counters)) = setup.store.folders() {
            // The first call of the store makes the folder; a watch needs it now.
            drop(make_private_dir(&records));
            folders.push(records);
            folders.push(counters);
        }
        folders.dedup();
        let saved_from = folders.len();
        for folder in &setup.saved_folders {
            drop(make_private_dir(folder));
            folders.push(folder.clone());
        }
        // Hand-written searches may have no folder yet; the one of the records is what counts.
        folders.retain(|folder| folder.is_dir());
        let watch = if saved_from > 0 { Watch::over(&folders) } else { None };
        Elsewhere { watch, saved_from }
    }

    pub(super) fn is_told(&self) -> bool {
        self.watch.is_some()
    }

    fn what(&self, place: usize, name: &str) -> Touched {
        let (of_records, of_counters) = (name.starts_with(BOOKS), name.starts_with(SLOTS));
        match () {
            () if place >= self.saved_from => Touched { saved: true, ..Touched::default() },
            () if name.is_empty() => Touched { records: true, requests: true, saved: false },
            () => Touched { records: of_records, requests: of_counters, saved: false },
        }
    }

    async fn heard(&self) -> Touched {
        let Some(watch) = &self.watch else { return std::future::pending().await };
        loop {
            let mut all = Touched::default();
            for (place, name) in watch.heard().await {
                let what = self.what(place, &name);
                all.records |= what.records;
                all.requests |= what.requests;
                all.saved |= what.saved;
            }
            if all != Touched::default() {
                return all;
            }
        }
    }
}

/// Something was written there by anybody; for ever where nothing tells.
pub(super) async fn touched(elsewhere: &Option<Elsewhere>) -> Touched {
    match elsewhere {
        Some(elsewhere) => elsewhere.heard().await,
        None => std::future::pending().await,
    }
}
