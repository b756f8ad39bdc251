//! Requests to the two services and their read answers.

use super::*;

/// What a service is asked. As it stands it can be kept, copied and shown; only an [`Outgoing`] can be sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Call<U = UnlockBody> {
    /// The account, its balance and the scopes of the key.
    Me,
    /// One page of a search.
    Search(SearchCall),
    /// Buys contacts: the one request that costs.
    Unlock(U),
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

/// A call that may leave. An unlock among them holds the request of a written intent, so it leaves once (money rule 13, *one way out*).
pub type Outgoing = Call<UnlockCall>;

impl Outgoing {
    /// What stays known of the call once it has left.
    pub fn record(&self) -> Call {
        self.with_unlock(|request| UnlockBody::clone(request))
    }
}

impl<U> Call<U> {
    /// The same call. If it is an unlock, with this in place of its own.
    pub fn with_unlock<V>(&self, unlock: impl FnOnce(&U) -> V) -> Call<V> {
        match self {
            Call::Me => Call::Me,
            Call::Search(search) => Call::Search(search.clone()),
            Call::Unlock(own) => Call::Unlock(unlock(own)),
            Call::Counts(corpus) => Call::Counts(*corpus),
            Call::SavedList => Call::SavedList,
            Call::SavedAdd { name, query } => Call::SavedAdd { name: name.clone(), query: query.clone() },
            Call::SavedRestore { raw } => Call::SavedRestore { raw: raw.clone() },
            Call::SavedRemove { id } => Call::SavedRemove { id: id.clone() },
            Call::Export { query, target } => Call::Export { query: query.clone(), target: target.clone() },
        }
    }

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
    /// A 2xx answer of an unlock, as bytes: it is stored before it is interpreted (money rule 9, *responses are stored first*). Anything else
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
