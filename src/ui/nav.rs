//! Where one is: a screen, and what lies over it.

use crate::keys::command::Screen;

use super::dialogs::Dialog;

#[derive(Clone, Debug, Default)]
pub struct Nav {
    pub screen: Screen,
    /// Screens that were left for the present one, for `q`.
    pub back: Vec<Screen>,
    pub dialogs: Vec<Dialog>,
}

impl Nav {
    pub fn go(&mut self, to: Screen) {
        self.dialogs.clear();
        if to == self.screen {
            return;
        }
        self.back.retain(|screen| *screen != to);
        self.back.push(self.screen);
        if to == Screen::Search {
            // Search is home: `q` leaves from there, however one came.
            self.back.clear();
        }
        self.screen = to;
    }

    /// False where there is nothing to go back to: Search is where everything begins and ends.
    pub fn back(&mut self) -> bool {
        if self.screen == Screen::Search {
            self.back.clear();
            return false;
        }
        self.screen = self.back.pop().unwrap_or_default();
        true
    }

    pub fn top(&self) -> Option<&Dialog> {
        self.dialogs.last()
    }
}
