//! What a screen or a shell command may want to tell a person. The state itself is read from the machines.

use crate::effect::failure::{Failure, StoreFailure};
use crate::effect::store::Settled;
use crate::flow::balance::Switched;
use crate::flow::desk::Heard;
use crate::flow::saved;
use crate::flow::search::walk::End;
use crate::flow::search::window::{Marked, Moved};
use crate::flow::unlock::end::Summary;
use crate::flow::unlock::quote::{Choice, Quote};
use lode_core::contact::{Contact, Corpus, RowId, Side};

use super::assistant::Asked;
use super::left::Left;
use super::review::{NoReview, Subject};

#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// A page is here; the first of a search says so.
    Page {
        side: Side,
        first: bool,
    },
    /// A search has no result.
    SearchFailed {
        side: Side,
        failure: Failure,
    },
    /// A page that was looked at could not be read.
    PageFailed {
        side: Side,
        index: u64,
        failure: Failure,
    },
    /// The service's set is not the one the search began with.
    Moved {
        side: Side,
        moved: Moved,
    },
    /// An empty page before the end.
    Hole {
        side: Side,
        index: u64,
        total: u64,
    },
    /// Contacts of a page stand elsewhere already, in a set that did not move: others may have been skipped for them.
    Repeated {
        side: Side,
        index: u64,
        twice: u64,
        rows: u64,
    },
    /// What became of marking a page as pulled.
    Marked {
        side: Side,
        marked: Marked,
    },
    Coverage {
        side: Side,
    },
    /// `/me` answered, or failed: see the balance.
    Balance,
    /// `/me` named the purse: basket, history and lists are its own from here on. Where it is another one than before, nothing was
    /// moved.
    Purse(Option<Switched>),
    /// The basket is another one now, or has been read.
    Basket {
        side: Side,
    },
    /// The store could not keep the basket: it lives in this window only.
    BasketFailed {
        side: Side,
        failure: StoreFailure,
    },
    /// Rows that match go into the basket: how many so far, and the end once it is over.
    Gathered {
        side: Side,
        added: u64,
        end: Option<End>,
        /// What was not taken, where the best were chosen.
        left: Option<Left>,
    },
    History,
    /// The suppression lists were read, or could not be: see [`SuppressionLists`](crate::flow::lists::SuppressionLists).
    Lists(Result<(), StoreFailure>),
    /// The saved searches told something.
    Saved(saved::Told),
    /// A total of a saved search is known.
    Glanced,
    /// A saved search that ran is read as far as it will be: see [`SideState::watched`](super::SideState::watched).
    Watched {
        side: Side,
    },
    /// An export moved or ended: see [`Exports`](crate::flow::export::Exports).
    Exports,
    /// A command of the person's own ended: see [`OwnJobs`](crate::flow::own::OwnJobs).
    Own,
    /// A match of accounts moved: see [`Matching`](crate::flow::matching::Matching).
    Matching,
    /// The counts of a corpus are here, or could not be had.
    Counts(Corpus),
    /// The review that was asked for, or why there is none.
    Review(Result<Box<Quote>, NoReview>),
    /// At Enter something was another than in the review: nothing was sent, and it is to be shown again.
    ReviewAgain {
        subject: Subject,
        choice: Choice,
        words: String,
    },
    /// The outcome of these contacts is certain and durable; rows and basket know already.
    Settled {
        corpus: Corpus,
        contacts: Vec<Settled>,
    },
    /// Contacts that were owned already are complete now.
    Completed {
        corpus: Corpus,
        contacts: Vec<(RowId, Contact)>,
    },
    /// A batch has no outcome: there is something to recover.
    Unknown,
    /// An order came to its end.
    Finished(Box<Summary>),
    /// What is unknown was read again: see the recovery.
    Recovery,
    /// A free look came to its end.
    Looked {
        trouble: Option<Failure>,
    },
    /// The store failed at something that concerns money.
    StoreFailed(StoreFailure),
    /// Something that was only to be remembered could not be written.
    NotKept(StoreFailure),
    /// About the proposals of assistants.
    Requests(Asked),
    /// An answer to something the screen or the script asked for itself.
    Answered(Heard),
}
