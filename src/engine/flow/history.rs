//! What was searched: recent searches for recall, and which search showed which id, so that a free look for a contact with an unknown result
//! knows where to look. Kept by the store; here is only the list that a screen shows.

use super::*;

/// Searches that recall offers.
pub const MOST: u32 = 200;

#[derive(Clone, Debug, Default)]
pub struct History {
    /// All whose searches are shown.
    purses: Vec<PurseRef>,
    /// Newest first.
    pub recent: Vec<PastSearch>,
    begun: bool,
    asking: Option<Ticket>,
}

impl History {
    pub fn new(purses: Vec<PurseRef>) -> History {
        History { purses, ..History::default() }
    }

    pub fn start(&mut self, cx: &mut FlowContext<'_>) {
        let call = StoreCall::Recent { purses: self.purses.clone(), most: MOST };
        self.begun = true;
        self.asking = Some(cx.store(Owner::History, call));
    }

    /// `/me` named another purse than was known before: its searches are shown.
    pub fn belongs_to(&mut self, purses: Vec<PurseRef>, cx: &mut FlowContext<'_>) {
        if self.purses != purses {
            let begun = std::mem::replace(self, History::new(purses)).begun;
            if begun {
                self.start(cx);
            }
        }
    }

    /// A page was shown. The first one of a search moves it to the top of the list, unless it is a `leg` of another. A search with
    /// legs is opened without `ids`: its pages are kept under its legs.
    pub fn showed(
        &mut self,
        query: &Query,
        first: bool,
        (total, offset): (u64, u64),
        ids: Vec<RowId>,
        leg: bool,
        cx: &mut FlowContext<'_>,
    ) {
        let canonical = if leg || !ids.is_empty() { query.canonical() } else { query.written() };
        if first && !leg {
            self.recent.retain(|past| past.canonical != canonical);
            self.recent.insert(0, PastSearch { canonical: canonical.clone(), total, at: cx.now.wall });
            self.recent.truncate(MOST as usize);
        }
        let of_source = |purse: &&PurseRef| match purse {
            PurseRef::Known(purse) => purse.source() == query.side.source,
            PurseRef::Behind { .. } => query.side.source == Source::Workspace,
            PurseRef::Earlier { .. } => false,
        };
        if let Some(purse) = self.purses.iter().find(of_source).cloned() {
            cx.store(Owner::Memory, StoreCall::Searched { purse, canonical, total, offset, ids, leg });
        }
    }

    pub fn handle(&mut self, arrival: &Arrival) {
        if let Some(Ok(stored)) = arrival.stored::<Vec<PastSearch>>(&mut self.asking) {
            // What was searched before the store answered is newer than what it had.
            let is_known = |past: &&PastSearch| self.recent.iter().any(|fresh| fresh.canonical == past.canonical);
            let older: Vec<PastSearch> = stored.iter().filter(|past| !is_known(past)).cloned().collect();
            self.recent.extend(older);
        }
    }
}
