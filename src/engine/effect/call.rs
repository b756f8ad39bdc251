//! Requests to the two services and their read answers.

use bytes::Bytes;

use lode_core::{Account, Corpus, Counts, Page, Query, RemoteSaved, Source};

use super::files::{ExportTarget, Exported};
use super::unlock::UnlockCall;

#[derive(Clone, Debug, PartialEq)]
pub enum Call {
    /// The account, its balance and the scopes of the key.
    Me,
    /// One page of a search.
    Search(SearchCall),
    /// Buys contacts: the one request that costs.
    Unlock(UnlockCall),
    /// Totals of the Data API per state and industry.
    Counts(Corpus),
    /// The saved searches of the service.
    SavedList,
    /// Saves a search at the service.
    SavedAdd { name: String, query: Query },
    /// Puts an entry back that vanished: the body exactly as the list showed it.
    SavedRestore { raw: String },
    /// Removes a saved search from the service.
    SavedRemove { id: String },
    /// Streams the whole filtered set of the Data API into a file.
    Export { query: Query, target: ExportTarget },
}

#[derive(Clone, Debug, PartialEq)]
pub struct SearchCall {
    pub query: Query,
    pub offset: u64,
    pub limit: u64,
    /// `mark_pulled=1`: changes state on a GET, so only ever by a confirmed command (S3).
    pub mark_pulled: bool,
}

impl Call {
    /// Service, and so which key and which allowance.
    pub fn source(&self) -> Source {
        match self {
            Call::Me | Call::Unlock(_) => Source::Workspace,
            Call::Search(search) => search.query.side.source,
            _ => Source::Data,
        }
    }

    /// Free and without consequence: may be sent again by itself.
    pub fn is_free_read(&self) -> bool {
        match self {
            Call::Me | Call::Counts(_) | Call::SavedList => true,
            Call::Search(search) => !search.mark_pulled,
            _ => false,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// To [`Call::Me`].
    Me(Account),
    /// To [`Call::Search`].
    Page(Page),
    /// A 2xx answer of an unlock, as bytes: it is stored before anybody interprets it (money rule 9, *responses are stored first*). Anything else
    /// than 2xx arrives as a failure, which also carries its body's words.
    Unlock { status: u16, body: Bytes },
    /// To [`Call::Counts`].
    Counts(Counts),
    /// To [`Call::SavedList`].
    Saved(Vec<RemoteSaved>),
    /// A write to the saved searches was answered with success. Whether it took is found by reading back.
    SavedWritten,
    /// To [`Call::Export`]: the whole file.
    Exported(Exported),
}
