//! What is under way, of every profile that is open.

use lode_engine::flow::unlock::Held;

use super::{Model, behind};

impl Model {
    /// An answer that was paid for is in memory only, of whichever profile.
    pub fn has_unsaved(&self) -> bool {
        std::iter::once(&self.session).chain(&self.behind.sessions).any(|session| session.unlock().has_unsaved())
    }

    /// Contacts whose answer is in memory only, of every profile.
    pub fn held(&self) -> Vec<Held> {
        let sessions = std::iter::once(&self.session).chain(&self.behind.sessions);
        sessions.flat_map(|session| session.unlock().held()).collect()
    }

    /// The text of every answer that is in memory only and cannot be read as contacts, of every profile.
    pub fn held_unread(&self) -> Vec<String> {
        let sessions = std::iter::once(&self.session).chain(&self.behind.sessions);
        sessions.flat_map(|session| session.unlock().held_unread()).collect()
    }

    /// How much of the unlock, export or match under way is done, in percent; `None` where nothing is, or no one knows of how much.
    pub fn share(&self) -> Option<u8> {
        let (done, of) = match self.session.unlock().job() {
            Some(job) => job.contacts(),
            None => match self.session.exports().jobs().find(|job| job.is_running()) {
                Some(job) => {
                    let rows = job.progress.as_ref().map_or(0, |progress| progress.rows);
                    (usize::try_from(rows).ok()?, usize::try_from(job.total?).ok()?)
                }
                None => {
                    let job = self.session.matching().job().filter(|_| self.session.matching().is_running())?;
                    let (done, of, _) = job.progress(self.now);
                    (usize::try_from(done).ok()?, usize::try_from(of).ok()?)
                }
            },
        };
        u8::try_from((done.min(of) * 100).checked_div(of)?).ok()
    }

    /// How many contacts are in a request whose result is not known yet.
    pub fn unresolved(&self) -> u64 {
        let sessions = std::iter::once(&self.session).chain(&self.behind.sessions);
        sessions.filter_map(|session| session.unlock().job()).map(|job| job.held().0.unsigned_abs()).sum()
    }

    /// Unlocks and exports that run, of whichever profile.
    pub fn running(&self) -> usize {
        behind::running(&self.session) + self.behind.running()
    }
}
