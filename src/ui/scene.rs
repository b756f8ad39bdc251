//! What a screen's update is given besides its own state, and what it may wish for in return.
//!
//! A screen changes itself and drives the session; everything that concerns the rest of the program (a dialog, another
//! screen, a message) is a wish that the router fulfils.

use crate::domain::time::Now;
use crate::effect::Effect;
use crate::flow::session::Session;
use crate::keys::command::Screen;

use super::dialogs::Dialog;

pub struct Scene<'a> {
    pub session: &'a mut Session,
    pub now: Now,
    pub fx: &'a mut Vec<Effect>,
    pub wishes: Vec<Wish>,
}

#[derive(Debug)]
pub enum Wish {
    /// One sentence for the message line.
    Say(String),
    Warn(String),
    Open(Box<Dialog>),
    CloseDialog,
    Go(Screen),
    /// Review and unlock what is staged on this side, or these rows where nothing is.
    Unlock,
    /// The export dialog of the screen that asked.
    Export,
    /// The sentence of a state that was taken back or done again.
    Recall,
}

impl Scene<'_> {
    pub fn say(&mut self, words: impl Into<String>) {
        self.wishes.push(Wish::Say(words.into()));
    }

    pub fn warn(&mut self, words: impl Into<String>) {
        self.wishes.push(Wish::Warn(words.into()));
    }

    pub fn open(&mut self, dialog: Dialog) {
        self.wishes.push(Wish::Open(Box::new(dialog)));
    }
}
