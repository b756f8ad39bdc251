//! Whether something of a session is under way.

use super::Session;

impl Session {
    /// Whether money or files are on their way: that goes on while another profile is looked at.
    pub fn is_working(&self) -> bool {
        self.unlock.is_running()
            || self.unlock.has_unsaved()
            || self.exports.running() > 0
            || self.own.running() > 0
            || self.matching.is_running()
    }
}
