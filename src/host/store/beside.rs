//! Other ways to hold a store: in memory, as another window of the same state, for an assistant.

use std::sync::{Arc, PoisonError};

use lode_engine::effect::WindowId;

use super::answers::Answers;
use super::windows::Windows;
use super::{Books, MEMORY, Place, Store};

impl Store {
    /// One for an assistant: it writes no intent that rests on no proposal.
    pub fn for_assistant(self) -> Store {
        Store { for_assistant: true, ..self }
    }

    /// A store that lives as long as its last window.
    pub fn open_in_memory(window: WindowId) -> Store {
        let (place, answers) = (Place::Memory(Default::default()), Answers::Memory(Default::default()));
        Store::of(place, answers, MEMORY.to_owned(), window).begun()
    }

    /// Another window on the same state, as another process would open it.
    pub fn beside(&self, window: WindowId) -> Store {
        match &self.place {
            Place::Folder(dir) => Store { counters: self.counters.clone(), ..Store::open(dir, window) },
            Place::Memory(_) => Store {
                shelf: Arc::clone(&self.shelf),
                patience: self.patience,
                ..Store::of(self.place.clone(), Answers::Memory(Default::default()), self.boot.clone(), window)
            }
            .begun(),
        }
    }

    /// The ledger as one SQLite file, where it is kept in memory and open.
    pub fn image(&self) -> Option<Vec<u8>> {
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        match (&self.place, &mut shelf.books) {
            (Place::Memory(_), Books::Open(books)) => Some(books.serialize("main").ok()?.to_vec()),
            _ => None,
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
