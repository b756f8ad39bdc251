//! Marking a page as pulled (Data): the one search that changes something. It is sent once, for exactly the page on the screen,
//! only by this confirmed command, and never again by itself (S3).

use crate::effect::CallId;
use crate::effect::call::{Call, Reply, SearchCall};
use crate::effect::failure::{Failure, Refusal};
use crate::flow::desk::{Cx, Owner};
use crate::flow::limiter::Priority;
use lode_core::contact::{RowId, Source};
use lode_core::time::Mono;

use super::{News, Slot, Window};

#[derive(Clone, Debug)]
pub(super) struct Marking {
    id: CallId,
    shown: Vec<RowId>,
    since: Mono,
    canonical: String,
}

/// What became of marking a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Marked {
    /// The service returned, and so recorded, these ids. `shown` were on the screen and not among them, `unseen` the other way.
    Recorded { ids: Vec<RowId>, shown: Vec<RowId>, unseen: Vec<RowId> },
    /// Refused: nothing was recorded.
    Refused(Failure),
    /// Not known. Hiding pulled rows and reading again shows which are.
    Unclear { ids: Vec<RowId>, failure: Failure },
}

impl Window {
    /// The ids that [`Window::mark_pulled`] would send for, as the confirmation names them.
    pub fn page_ids(&self, index: u64) -> Vec<RowId> {
        self.page_around(index)
            .filter_map(|index| match self.slot(index) {
                Slot::Row(row) => row.id(),
                _ => None,
            })
            .collect()
    }

    /// Records the page around `index` as pulled. False where there is nothing to mark or a marking is on its way.
    pub fn mark_pulled(&mut self, index: u64, cx: &mut Cx<'_>) -> bool {
        let shown = self.page_ids(index);
        if self.query.side.source != Source::Data || self.marking.is_some() || shown.is_empty() {
            return false;
        }
        let offset = self.pages.offset(self.page_around(index).start);
        let call = SearchCall { query: self.query.clone(), offset, limit: self.pages.stride(), mark_pulled: true };
        let id = cx.ask(Owner::Window(self.query.side), Call::Search(call), Priority::Person);
        self.marking = Some(Marking { id, shown, since: cx.now.mono, canonical: self.query.canonical() });
        true
    }

    pub(super) fn hear_marking(&mut self, id: CallId, result: &Result<Reply, Failure>, cx: &mut Cx<'_>) -> bool {
        let Some(marking) = self.marking.take_if(|marking| marking.id == id) else { return false };
        let news = match result {
            Ok(Reply::Page(page)) => {
                let ids: Vec<RowId> = page.rows.iter().filter_map(|row| row.id()).collect();
                let shown = marking.shown.iter().copied().filter(|id| !ids.contains(id)).collect();
                let unseen = ids.iter().copied().filter(|id| !marking.shown.contains(id)).collect();
                if self.query.hide_pulled && marking.canonical == self.query.canonical() {
                    for index in ids.iter().filter_map(|id| self.pages.place(*id)).collect::<Vec<_>>() {
                        self.pages.leave(index);
                    }
                    self.reread_since(marking.since, cx);
                }
                Marked::Recorded { ids, shown, unseen }
            }
            Ok(_) => {
                let failure = Failure::OurBug { words: "unexpected response to a search".to_owned() };
                Marked::Unclear { ids: marking.shown, failure }
            }
            Err(failure) => match failure {
                // The page may have been recorded before the answer pointed elsewhere.
                Failure::Refused { why: Refusal::Redirect, .. }
                | Failure::Unclear { .. }
                | Failure::OurBug { .. }
                | Failure::Disk { .. } => Marked::Unclear { ids: marking.shown, failure: failure.clone() },
                Failure::Later { .. } | Failure::Refused { .. } | Failure::Unsent { .. } => {
                    Marked::Refused(failure.clone())
                }
            },
        };
        self.news.push(News::Marked(news));
        true
    }
}
