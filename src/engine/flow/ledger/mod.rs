//! The ledger of this computer: owned contacts, receipts and spending of the workspace.
//!
//! Everything here is read from the store and belongs to one purse. What an answer means is in `reading`; nothing is bought here.

pub mod reading;

use std::cell::OnceCell;

use super::*;
use crate::wire::rows;

/// A contact that is owned from now on, with its row where a search showed it.
type OwnedNow = (RowId, Contact, Option<Row>);

#[derive(Clone, Debug, PartialEq)]
enum Asked {
    Owned,
    Receipts,
    Spent,
    /// Something that was changed here first.
    Change,
    /// Contacts that were shown as owned are being written. A reading that began before does not have them.
    Seeing(Corpus, Vec<SeenOwned>, Wall),
}

#[derive(Clone, Debug, Default)]
pub struct Ledger {
    window: WindowId,
    pub purse: Option<Purse>,
    owned: BTreeMap<(Corpus, RowId), Owned>,
    /// What is owned has been read.
    pub loaded: bool,
    pub receipts: Option<Vec<Receipt>>,
    pub spent: Option<Spent>,
    /// Not known as owned before the last reading: bought or seen elsewhere.
    pub(super) newly: Vec<(Corpus, RowId)>,
    asked: BTreeMap<Ticket, Asked>,
    /// Shown as owned, and not written: the purse of this ledger is not known yet, or the store could not.
    seen: Vec<(Corpus, SeenOwned)>,
    /// The last failure of the store, until it is told.
    pub(super) failure: Option<StoreFailure>,
    /// Grows with every change of what is owned.
    pub changes: u64,
    /// How many are owned in each state, once it was asked for since the last change.
    by_state: OnceCell<BTreeMap<(Corpus, String), u64>>,
    /// The people whose contacts are owned, likewise.
    people: OnceCell<Arc<OwnedPeople>>,
}

impl Ledger {
    pub fn new(window: WindowId) -> Ledger {
        Ledger { window, ..Ledger::default() }
    }

    /// The purse of this ledger (money rule 10, *one purse*). Reads what is owned and what was spent.
    pub fn begin(&mut self, purse: Purse, cx: &mut FlowContext<'_>) {
        if self.purse.as_ref() != Some(&purse) {
            // Contacts of another purse do not belong in the books of this one.
            let seen = if self.purse.is_none() { std::mem::take(&mut self.seen) } else { Vec::new() };
            let changes = self.changes + 1;
            *self = Ledger { purse: Some(purse), seen, changes, ..Ledger::new(self.window.clone()) };
        }
        self.refresh(cx);
        self.write_seen(cx);
    }

    /// Reads everything again that was read before.
    pub fn refresh(&mut self, cx: &mut FlowContext<'_>) {
        self.read_owned(cx);
        self.refresh_money(cx);
    }

    /// The same without what is owned.
    pub(crate) fn refresh_money(&mut self, cx: &mut FlowContext<'_>) {
        self.read_spent(cx);
        if self.receipts.is_some() {
            self.read_receipts(cx);
        }
    }

    fn read_owned(&mut self, cx: &mut FlowContext<'_>) {
        self.ask(Asked::Owned, |purse| StoreCall::Owned { purse, corpus: None }, cx);
    }

    /// What was spent, over all windows: before every review.
    pub fn read_spent(&mut self, cx: &mut FlowContext<'_>) {
        // What could not be read at the beginning is asked for again.
        if !self.loaded && !self.is_reading_owned() {
            self.read_owned(cx);
        }
        let window = self.window.clone();
        self.ask(Asked::Spent, |purse| StoreCall::Spent { purse, window }, cx);
    }

    /// All receipts.
    pub fn read_receipts(&mut self, cx: &mut FlowContext<'_>) {
        self.ask(Asked::Receipts, |purse| StoreCall::Receipts { purse, month: None }, cx);
    }

    /// Newly settled contacts, without reading everything again: rows of the Owned screen fill at once.
    pub(crate) fn take(&mut self, corpus: Corpus, contacts: Vec<OwnedNow>, at: Wall, order: Option<OrderId>) {
        self.changed();
        for (id, contact, row) in contacts {
            let new = || Owned { corpus, id, unlocked_at: at, order, ..Owned::default() };
            let owned = self.owned.entry((corpus, id)).or_insert_with(new);
            owned.contact.complete_with(&contact);
            owned.learn(row);
        }
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        let Arrival::Stored(ticket, result) = arrival else { unreachable!("only the store was asked") };
        // It was asked for another purse.
        let Some(asked) = self.asked.remove(ticket) else { return };
        match (&asked, result) {
            (Asked::Owned, Ok(reply)) => {
                let keyed = Vec::<Owned>::read(reply).iter().map(|owned| ((owned.corpus, owned.id), owned.clone()));
                let before = std::mem::replace(&mut self.owned, keyed.collect());
                self.newly.extend(self.owned.keys().filter(|key| !before.contains_key(key)));
                self.loaded = true;
                self.changed();
                for asked in self.asked.clone().into_values() {
                    if let Asked::Seeing(corpus, seen, at) = asked {
                        self.add_seen(corpus, &seen, at);
                    }
                }
                for (corpus, seen) in self.seen.clone() {
                    self.add_seen(corpus, &[seen], cx.now.wall);
                }
            }
            (Asked::Receipts, Ok(reply)) => self.receipts = Some(Vec::read(reply).clone()),
            (Asked::Spent, Ok(reply)) => self.spent = Some(*Spent::read(reply)),
            (Asked::Change | Asked::Seeing(..), Ok(_)) => {}
            (_, Err(failure)) => {
                self.failure = Some(failure.clone());
                let is_change = matches!(asked, Asked::Change | Asked::Seeing(..));
                if let Asked::Seeing(corpus, contacts, _) = asked {
                    self.seen.extend(contacts.into_iter().map(|seen| (corpus, seen)));
                }
                // What was changed here first is read again as it is there.
                if is_change {
                    self.refresh(cx);
                }
            }
        }
    }

    /// All that is owned, by corpus and id.
    pub fn owned(&self) -> impl Iterator<Item = &Owned> {
        self.owned.values()
    }

    pub fn owned_count(&self) -> usize {
        self.owned.len()
    }

    /// How many contacts of a corpus are owned in a state.
    pub fn owned_in(&self, corpus: Corpus, state: &str) -> u64 {
        let by_state = self.by_state.get_or_init(|| {
            let mut by_state = BTreeMap::new();
            for owned in self.owned.values() {
                let state = owned.row.as_ref().map_or("", |row| row.known(Known::State)).to_ascii_uppercase();
                *by_state.entry((owned.corpus, state)).or_default() += 1;
            }
            by_state
        });
        by_state.get(&(corpus, state.to_owned())).copied().unwrap_or(0)
    }

    /// The people whose contacts are owned, in whichever corpus.
    pub fn owned_people(&self) -> Arc<OwnedPeople> {
        Arc::clone(self.people.get_or_init(|| Arc::new(OwnedPeople::of(self.owned.values()))))
    }

    fn changed(&mut self) {
        self.changes += 1;
        self.by_state.take();
        self.people.take();
    }

    pub fn contact(&self, corpus: Corpus, id: RowId) -> Option<&Owned> {
        self.owned.get(&(corpus, id))
    }

    /// Ids of one corpus that are owned, for a review.
    pub fn owned_ids(&self, corpus: Corpus) -> BTreeSet<RowId> {
        self.owned.keys().filter(|(of, _)| *of == corpus).map(|(_, id)| *id).collect()
    }

    /// Owned, without what was paid for: a free look completes them.
    pub fn incomplete(&self) -> impl Iterator<Item = &Owned> {
        self.owned.values().filter(|owned| !owned.contact.has_address())
    }

    /// Something is being read or written.
    pub fn is_reading(&self) -> bool {
        !self.asked.is_empty()
    }

    /// What is owned is being read: a review waits for it.
    pub fn is_reading_owned(&self) -> bool {
        self.asked.values().any(|asked| *asked == Asked::Owned)
    }

    /// What was spent is being read: a review waits for it.
    pub fn is_reading_spent(&self) -> bool {
        self.asked.values().any(|asked| *asked == Asked::Spent)
    }

    /// Asks the store, as soon as it is known whose books these are: until then it has nothing of them.
    fn ask(&mut self, asked: Asked, call: impl FnOnce(Purse) -> StoreCall, cx: &mut FlowContext<'_>) {
        if let Some(purse) = self.purse.clone() {
            self.asked.insert(cx.store(Owner::Ledger, call(purse)), asked);
        }
    }

    /// Contacts that a search showed as owned: they are in the ledger from here on, for free, also when a colleague bought them.
    pub fn see(&mut self, corpus: Corpus, seen: Vec<SeenOwned>, cx: &mut FlowContext<'_>) {
        let is_whole = |one: &Owned| one.contact.has_address() && one.row.as_ref().is_some_and(|row| row.unlocked());
        let is_new = |seen: &SeenOwned| !self.owned.get(&(corpus, seen.id)).is_some_and(is_whole);
        let before = self.seen.len();
        self.seen.extend(seen.into_iter().filter(is_new).map(|seen| (corpus, seen)));
        if self.seen.len() > before {
            self.write_seen(cx);
        }
    }

    /// Contacts that a search showed as owned, and that are not in the books yet.
    pub fn unwritten(&self) -> impl Iterator<Item = (Corpus, RowId)> {
        self.seen.iter().map(|(corpus, seen)| (*corpus, seen.id))
    }

    /// Writes what waits to be written: as soon as it is known whose books these are, and before every review.
    pub fn write_seen(&mut self, cx: &mut FlowContext<'_>) {
        if self.purse.is_none() {
            return;
        }
        let mut seen: BTreeMap<Corpus, Vec<SeenOwned>> = BTreeMap::new();
        for (corpus, one) in self.seen.drain(..) {
            seen.entry(corpus).or_default().push(one);
        }
        for (corpus, contacts) in seen {
            self.add_seen(corpus, &contacts, cx.now.wall);
            let asked = Asked::Seeing(corpus, contacts.clone(), cx.now.wall);
            self.ask(asked, |purse| StoreCall::Own { purse: purse.into(), corpus, contacts }, cx);
        }
    }

    fn add_seen(&mut self, corpus: Corpus, seen: &[SeenOwned], at: Wall) {
        let contacts = seen.iter().map(|seen| {
            let row = rows::read_one(Source::Workspace, &seen.row).ok();
            (seen.id, seen.contact.clone(), row)
        });
        self.take(corpus, contacts.collect(), at, None);
        for seen in seen {
            if let Some(owned) = self.owned.get_mut(&(corpus, seen.id)) {
                owned.search = owned.search.take().or_else(|| seen.search.clone());
            }
        }
    }

    pub fn tag(&mut self, corpus: Corpus, ids: Vec<RowId>, tags: Vec<String>, cx: &mut FlowContext<'_>) {
        for id in &ids {
            if let Some(owned) = self.owned.get_mut(&(corpus, *id)) {
                owned.tags.clone_from(&tags);
            }
        }
        self.change(|purse| StoreCall::Tag { purse, corpus, ids, tags }, cx);
    }

    pub fn note(&mut self, corpus: Corpus, id: RowId, note: String, cx: &mut FlowContext<'_>) {
        if let Some(owned) = self.owned.get_mut(&(corpus, id)) {
            owned.note.clone_from(&note);
        }
        self.change(|purse| StoreCall::Note { purse, corpus, id, note }, cx);
    }

    /// Takes contacts off this machine. The workspace owns them all the same; receipts stay.
    pub fn forget(&mut self, corpus: Corpus, ids: Vec<RowId>, cx: &mut FlowContext<'_>) {
        for id in &ids {
            self.owned.remove(&(corpus, *id));
        }
        self.change(|purse| StoreCall::Forget { purse, corpus, ids }, cx);
    }

    /// Writes what was changed here first.
    fn change(&mut self, call: impl FnOnce(Purse) -> StoreCall, cx: &mut FlowContext<'_>) {
        self.changed();
        self.ask(Asked::Change, call, cx);
    }
}

/// The sum of several receipts: a session, a month.
pub fn sum<'a>(receipts: impl IntoIterator<Item = &'a Receipt>) -> Tally {
    let mut sum = Tally::default();
    for receipt in receipts {
        let tally = &receipt.tally;
        sum.asked += tally.asked;
        sum.charged += tally.charged;
        sum.refunded += tally.refunded;
        sum.valid += tally.valid;
        sum.unverified += tally.unverified;
        sum.already += tally.already;
        sum.missing += tally.missing;
        sum.locked += tally.locked;
        sum.unknown += tally.unknown;
        sum.unreachable += tally.unreachable;
    }
    sum
}

/// Receipts by the run of the program that wrote them, newest first: the sessions.
pub fn by_session(receipts: &[Receipt]) -> Vec<(&str, Wall, Tally)> {
    let mut sessions: BTreeMap<&str, Vec<&Receipt>> = BTreeMap::new();
    for receipt in receipts {
        sessions.entry(receipt.window.run()).or_default().push(receipt);
    }
    let of_run = |(run, receipts): (_, Vec<&Receipt>)| {
        let began = receipts.iter().map(|receipt| receipt.opened_at).min().unwrap_or_default();
        (run, began, sum(receipts))
    };
    let mut sessions: Vec<(&str, Wall, Tally)> = sessions.into_iter().map(of_run).collect();
    sessions.sort_by_key(|(_, began, _)| std::cmp::Reverse(*began));
    sessions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn receipts_are_summed_by_the_run_that_wrote_them_newest_first() {
        let receipt = |window: &str, opened_at: i64, charged: u64, unknown: u64| Receipt {
            order: OrderId(1),
            corpus: Corpus::Us,
            profile: "acme".to_owned(),
            window: WindowId(window.to_owned()),
            assistant: None,
            opened_at: Wall(opened_at),
            ceiling: Credits(9),
            verify: true,
            calls: 1,
            tally: Tally { charged, unknown, ..Tally::default() },
            said: StatedSums::default(),
            stopped_for_credits: false,
        };
        let receipts = [receipt("a", 30, 3, 0), receipt("b", 50, 1, 1), receipt("a", 20, 4, 2)];
        let sums = |found: Vec<(&str, Wall, Tally)>| {
            found.into_iter().map(|(run, at, tally)| (run.to_owned(), at.0, tally.charged, tally.unknown)).collect()
        };
        let found: Vec<(String, i64, u64, u64)> = sums(by_session(&receipts));
        assert_eq!(found, [("b".to_owned(), 50, 1, 1), ("a".to_owned(), 20, 7, 2)]);
        assert_eq!(by_session(&[]), []);
    }
}
