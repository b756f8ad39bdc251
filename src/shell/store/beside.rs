//! Other ways to hold a store: in memory, as another window of the same state, for an assistant.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::effect::profile::WindowId;

use super::answers::Answers;
use super::windows::Windows;
use super::{Books, Counters, MEMORY, Place, Shelf, Store, notice, open};

impl Store {
    /// One for an assistant: it writes no intent that rests on no proposal.
    pub fn for_assistant(self) -> Store {
        Store { for_assistant: true, ..self }
    }

    /// The file that is written when something waits for a person. Its folder is there from here on.
    pub fn notices(&self) -> Option<PathBuf> {
        let Place::Folder(dir) = &self.place else { return None };
        notice::prepare(dir);
        Some(notice::path(dir))
    }

    /// A store that lives as long as its last window.
    pub fn open_in_memory(window: WindowId) -> Store {
        let answers = Answers::Memory(Default::default());
        let shelf = Shelf { books: Books::Closed, slots: None, answers, bells: Default::default() };
        let place = Place::Memory(Default::default());
        Store {
            place,
            window,
            shelf: Arc::new(Mutex::new(shelf)),
            windows: None,
            refused: None,
            for_assistant: false,
            counters: Counters::Beside,
            counting: None,
            boot: MEMORY.to_owned(),
            patience: open::PATIENCE,
        }
        .begun()
    }

    /// Another window on the same state, as another process would open it.
    pub fn beside(&self, window: WindowId) -> Store {
        match &self.place {
            Place::Folder(dir) => Store { counters: self.counters.clone(), ..Store::open(dir, window) },
            Place::Memory(_) => {
                let (place, shelf) = (self.place.clone(), Arc::clone(&self.shelf));
                let (counters, counting, refused) = (Counters::Beside, None, None);
                let (boot, patience) = (self.boot.clone(), self.patience);
                let for_assistant = false;
                Store {
                    place,
                    window,
                    shelf,
                    windows: None,
                    refused,
                    for_assistant,
                    counters,
                    counting,
                    boot,
                    patience,
                }
                .begun()
            }
        }
    }

    /// In memory a window lives from its making; in a folder from its first call.
    fn begun(mut self) -> Store {
        if let Place::Memory(living) = &self.place {
            self.windows = Some(Windows::in_memory(Arc::clone(living), &self.window));
        }
        self
    }
}
