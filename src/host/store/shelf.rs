//! What a store holds while it is open: its files, its counters, and how it tells of changes.

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use lode_engine::effect::{StoreFailure, WindowId};

use super::answers::Answers;
use super::bell::Bells;

#[derive(Clone, Debug)]
pub(super) enum Place {
    Folder(PathBuf),
    Memory(Arc<Mutex<BTreeSet<WindowId>>>),
}

/// Where the requests of a key are counted.
#[derive(Clone, Debug)]
pub(super) enum Counters {
    /// Beside the money: for the windows of this folder only.
    Beside,
    /// In the folder of this machine and user, or where a variable moves it.
    Shared(Option<PathBuf>),
    /// The folder that was found.
    Folder(PathBuf),
}

#[derive(Debug)]
pub(super) struct Shelf {
    pub(super) books: Books,
    pub(super) slots: Option<Connection>,
    pub(super) answers: Answers,
    pub(super) bells: Bells,
}

#[derive(Debug)]
pub(super) enum Books {
    Closed,
    Open(Connection),
    /// Nothing can be written: reads are served from the file as it is, or from an empty one where it cannot be read.
    Degraded(Connection, StoreFailure),
    /// The file is there and cannot be trusted: nothing is read from it and nothing is put in its place.
    Unusable(StoreFailure),
}

impl Books {
    /// The file, where it can be written.
    pub(super) fn written(&self) -> Option<&Connection> {
        if let Books::Open(books) = self { Some(books) } else { None }
    }
}
