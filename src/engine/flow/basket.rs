//! The basket of one side: rows put aside before anything is spent. It survives paging, searches and restarts, because every
//! change goes to the store at once; undo and redo go through the store as well, so that other windows see them.
//!
//! An id is in it once. Several windows may change it: a window that finds the version grown by more than its own change reads
//! it again. What its rows would cost and which are suppressed is said by the quote, not here.

use super::*;
use crate::flow::unlock::quote::{Basis, IdSource};
use crate::wire::rows;

#[derive(Clone, Debug, Default)]
pub struct Basket {
    /// None without a key for this side: nothing can be searched there, so nothing is kept.
    purse: Option<PurseRef>,
    side: Side,
    /// In the order in which they were put in: by `place`, ascending.
    rows: Vec<BasketEntry>,
    places: HashMap<RowId, u32>,
    next_place: u32,
    owned: usize,
    /// The steps to undo, the latest last.
    undo_steps: Vec<Change>,
    /// The steps to redo, the next one last.
    redo_steps: Vec<Change>,
    version: Option<u64>,
    /// What the store has not answered.
    asked: BTreeMap<Ticket, Asked>,
    /// Another window changed it: read it once our own changes are through.
    outdated: bool,
    /// The store failed to write a change: rows may be here that it does not have.
    diverged: bool,
    failure: Option<StoreFailure>,
}

impl Basket {
    pub fn new(purse: Option<PurseRef>, side: Side) -> Basket {
        Basket { purse, side, ..Basket::default() }
    }

    /// `/me` named the purse. `moved` where it is another one than before: nothing of that is taken along, not even to undo.
    pub fn belongs_to(&mut self, purse: PurseRef, moved: bool, cx: &mut FlowContext<'_>) {
        if self.purse.as_ref() == Some(&purse) && !moved {
            return;
        }
        // A basket that has not been read yet is not read for this.
        let begun = !self.asked.is_empty() || self.version.is_some() || self.failure.is_some();
        if moved {
            *self = Basket::new(Some(purse), self.side);
        } else {
            self.purse = Some(purse);
        }
        // Where the key had not been seen before, the store has merged two baskets.
        if begun {
            self.reload(cx);
        }
    }

    pub fn unstage(&mut self, ids: &[RowId], cx: &mut FlowContext<'_>) -> usize {
        let wanted: HashSet<RowId> = ids.iter().copied().filter(|id| self.places.contains_key(id)).collect();
        let taken = self.take_out(&wanted);
        self.store_removed(&taken, cx);
        self.record(Change::PutIn(taken))
    }

    /// In if it was out, out if it was in. Answers whether it is in now; none for a row without an id.
    pub fn toggle(&mut self, row: &Row, query: &Query, cx: &mut FlowContext<'_>) -> Option<bool> {
        let id = row.id()?;
        if self.contains(id) {
            self.unstage(&[id], cx);
            Some(false)
        } else {
            self.stage(0, [row], query, cx);
            Some(true)
        }
    }

    pub fn empty(&mut self, cx: &mut FlowContext<'_>) -> usize {
        let all: Vec<RowId> = self.rows.iter().map(BasketEntry::id).collect();
        self.unstage(&all, cx)
    }

    /// False if there is nothing to undo.
    pub fn undo(&mut self, cx: &mut FlowContext<'_>) -> bool {
        let Some(change) = self.undo_steps.pop() else { return false };
        let back = self.apply(change, cx);
        self.redo_steps.push(back);
        true
    }

    /// False if there is nothing to redo.
    pub fn redo(&mut self, cx: &mut FlowContext<'_>) -> bool {
        let Some(change) = self.redo_steps.pop() else { return false };
        let back = self.apply(change, cx);
        self.undo_steps.push(back);
        true
    }

    /// These contacts are owned now, or not to be had: the store took them out, and no undo brings them back.
    pub fn settled(&mut self, ids: &[RowId]) -> usize {
        let gone: HashSet<RowId> = ids.iter().copied().collect();
        for steps in [&mut self.undo_steps, &mut self.redo_steps] {
            steps.retain_mut(|change| {
                match change {
                    Change::PutIn(entries) => entries.retain(|entry| !gone.contains(&entry.id())),
                    Change::TakeOut(ids) => ids.retain(|id| !gone.contains(id)),
                }
                change.rows() > 0
            });
        }
        self.take_out(&gone).len()
    }

    /// The search showed it as owned, without our buying it here.
    pub fn own(&mut self, id: RowId) {
        let Some(at) = self.position(id) else { return };
        if !std::mem::replace(&mut self.rows[at].owned, true) {
            self.owned += 1;
        }
    }

    /// Puts rows in. Those that are in already stay where they are; one without an id cannot be bought and stays out. Where `staged`
    /// rows were put in just before, they belong to one step, and one undo takes all of it back.
    pub fn stage<'a>(
        &mut self,
        staged: usize,
        rows: impl IntoIterator<Item = &'a Row>,
        query: &Query,
        cx: &mut FlowContext<'_>,
    ) -> usize {
        let search = Arc::new(query.canonical());
        let before = self.rows.len();
        let mut fresh = Vec::new();
        for row in rows {
            let Some(id) = row.id() else { continue };
            if self.places.contains_key(&id) && !put_back("staged-twice") {
                continue;
            }
            self.places.insert(id, self.next_place + fresh.len() as u32);
            fresh.push(row);
        }
        // The window forgets its pages as one goes on: a basket that shared its rows would be the one to keep them.
        for row in Rows::copies(fresh, self.rows.last().map(|entry| &entry.row)) {
            let entry = BasketEntry::new(self.next_place, row, Some(search.clone()));
            self.next_place += 1;
            self.owned += usize::from(entry.owned);
            self.rows.push(entry);
        }
        let added = &self.rows[before..];
        let ids: Vec<RowId> = added.iter().map(BasketEntry::id).collect();
        self.store_added(added.iter().map(BasketEntry::to_store).collect(), cx);
        match self.undo_steps.last_mut() {
            Some(Change::TakeOut(last)) if staged > 0 && self.redo_steps.is_empty() => last.extend(&ids),
            _ => return self.record(Change::TakeOut(ids)),
        }
        ids.len()
    }

    /// A new step, by what takes it back; what was undone before cannot be redone any more. A run without changes is not recorded.
    /// Returns how many rows it moved.
    fn record(&mut self, back: Change) -> usize {
        let count = back.rows();
        if count > 0 {
            self.redo_steps.clear();
            self.undo_steps.push(back);
            self.undo_steps.drain(..self.undo_steps.len().saturating_sub(MOST));
        }
        count
    }

    /// Makes the part of a change that still makes sense and returns what undoes it.
    fn apply(&mut self, change: Change, cx: &mut FlowContext<'_>) -> Change {
        match change {
            Change::PutIn(mut entries) => {
                entries.retain(|entry| !self.places.contains_key(&entry.id()));
                for entry in &entries {
                    self.places.insert(entry.id(), entry.place);
                    self.owned += usize::from(entry.owned);
                }
                let ids: Vec<RowId> = entries.iter().map(BasketEntry::id).collect();
                let kept = entries.iter().map(BasketEntry::to_store).collect();
                self.rows.extend(entries);
                self.rows.sort_by_key(|entry| entry.place);
                self.store_added(kept, cx);
                Change::TakeOut(ids)
            }
            Change::TakeOut(ids) => {
                let taken = self.take_out(&ids.into_iter().collect());
                self.store_removed(&taken, cx);
                Change::PutIn(taken)
            }
        }
    }

    fn take_out(&mut self, ids: &HashSet<RowId>) -> Vec<BasketEntry> {
        let taken: Vec<BasketEntry> = self.rows.extract_if(.., |entry| ids.contains(&entry.id())).collect();
        for entry in &taken {
            self.places.remove(&entry.id());
            self.owned -= usize::from(entry.owned);
        }
        taken
    }

    fn position(&self, id: RowId) -> Option<usize> {
        let place = self.places.get(&id)?;
        self.rows.binary_search_by_key(place, |entry| entry.place).ok()
    }

    pub fn contains(&self, id: RowId) -> bool {
        self.places.contains_key(&id)
    }

    pub fn get(&self, id: RowId) -> Option<&BasketEntry> {
        self.rows.get(self.position(id)?)
    }

    /// In the order in which they were put in.
    pub fn rows(&self) -> &[BasketEntry] {
        &self.rows
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many of the staged rows cost nothing.
    pub fn owned(&self) -> usize {
        self.owned
    }

    /// What a quote is made from: the rows, and the version under which the store has exactly them. None while a change is on
    /// its way, and without a usable store. Rows of an earlier quote are taken over where they are the same.
    pub fn settled_state(&self, earlier: Option<&Basis>) -> Option<(u64, Arc<Vec<Staged>>)> {
        let at_rest = self.asked.is_empty() && !self.outdated && !self.diverged && self.failure.is_none();
        let version = self.version.filter(|_| at_rest)?;
        let has_row = |(entry, row): (&BasketEntry, &Staged)| (entry.id(), entry.owned) == (row.id, row.owned);
        let is_same = |earlier: &&Basis| {
            let rows = &earlier.staged;
            earlier.origin == IdSource::Basket(version)
                && rows.len() == self.rows.len()
                && self.rows.iter().zip(rows.iter()).all(has_row)
        };
        let earlier = earlier.filter(is_same).map(|earlier| Arc::clone(&earlier.staged));
        let read = || Arc::new(self.rows.iter().map(BasketEntry::staged).collect());
        Some((version, earlier.unwrap_or_else(read)))
    }

    /// Why the store could not keep the last change: it is in this window only.
    pub fn failure(&self) -> Option<&StoreFailure> {
        self.failure.as_ref()
    }

    /// Reads it from the store.
    pub fn reload(&mut self, cx: &mut FlowContext<'_>) {
        self.outdated = !self.asked.is_empty();
        if !self.outdated {
            self.read_behind(0, Reading::default(), cx);
        }
    }

    /// Reads it again if another window changed it: on focus, before a review, after an order.
    pub fn check(&mut self, cx: &mut FlowContext<'_>) {
        match (self.version, &self.failure) {
            // A basket is read when it is first shown.
            (None, None) if self.asked.is_empty() => {}
            (None, _) | (_, Some(_)) => self.reload(cx),
            // A change that is on its way answers the version by itself, a reading does anyway.
            (Some(_), None) if self.asked.is_empty() => {
                self.ask(Asked::Version, |purse, side| StoreCall::BasketVersion { purse, side }, cx);
            }
            (Some(_), None) => {}
        }
    }

    /// Asks the store, where there is a purse to ask for.
    fn ask(&mut self, asked: Asked, call: impl FnOnce(PurseRef, Side) -> StoreCall, cx: &mut FlowContext<'_>) {
        if let Some(purse) = self.purse.clone() {
            let ticket = cx.store(Owner::Basket(self.side), call(purse, self.side));
            self.asked.insert(ticket, asked);
        }
    }

    pub fn handle(&mut self, arrival: &Arrival, cx: &mut FlowContext<'_>) {
        let Arrival::Stored(ticket, result) = arrival else { return };
        let Some(asked) = self.asked.remove(ticket) else { return };
        match (asked, result) {
            // It was read before a change that is still on its way.
            (Asked::Part(_), Ok(_)) if self.asked.values().any(|asked| matches!(asked, Asked::Change)) => {
                self.outdated = true;
            }
            (Asked::Part(reading), Ok(reply)) => {
                let (part, next) = BasketPart::read(reply);
                self.read_part(reading, part, *next, cx);
            }
            (Asked::Change, Ok(reply)) => self.changed(*u64::read(reply)),
            (Asked::Version, Ok(reply)) => self.outdated |= self.version != Some(*u64::read(reply)),
            (asked, Err(failure)) => {
                self.failure = Some(failure.clone());
                self.diverged |= matches!(asked, Asked::Change);
            }
        }
        if self.outdated && self.asked.is_empty() {
            self.reload(cx);
        }
    }

    /// A change of this window was written. One that grew the version by more than one step was not the only one.
    fn changed(&mut self, version: u64) {
        self.failure = None;
        self.outdated |= self.diverged || self.version.is_none_or(|known| version > known + 1);
        self.version = Some(version);
    }

    fn read_behind(&mut self, behind: u64, reading: Reading, cx: &mut FlowContext<'_>) {
        self.ask(Asked::Part(reading), |purse, side| StoreCall::BasketPart { purse, side, behind }, cx);
    }

    fn read_part(&mut self, mut reading: Reading, part: &BasketState, next: Option<u64>, cx: &mut FlowContext<'_>) {
        // It was changed between two parts.
        if *reading.version.get_or_insert(part.version) != part.version {
            self.outdated = true;
            return;
        }
        // Rows that are here already are kept as they are, which spares reading them once more.
        let is_new = |staged: &&Staged| !self.places.contains_key(&staged.id);
        let like = reading.kept.iter().rev().find_map(|kept| kept.row.as_ref());
        let mut rows = read(part.rows.iter().filter(is_new), self.side.source, like).into_iter();
        let mut search: Option<Arc<String>> = reading.kept.last().and_then(|kept| kept.search.clone());
        for staged in &part.rows {
            if search.as_deref().map(String::as_str) != staged.clue.search.as_deref() {
                search = staged.clue.search.clone().map(Arc::new);
            }
            let row = if is_new(&staged) { rows.next() } else { None };
            reading.kept.push(Kept { id: staged.id, owned: staged.owned, search: search.clone(), row });
        }
        if let Some(behind) = next { self.read_behind(behind, reading, cx) } else { self.adopt(reading, cx) }
    }

    fn adopt(&mut self, reading: Reading, cx: &mut FlowContext<'_>) {
        self.failure = None;
        self.version = reading.version;
        self.places.clear();
        let mut old: HashMap<RowId, BasketEntry> = self.rows.drain(..).map(|entry| (entry.id(), entry)).collect();
        let mut owned = 0;
        let mut last = None;
        for kept in reading.kept {
            // Places are never used twice: the steps of undo know rows by them.
            let known = old.remove(&kept.id);
            let place = known.as_ref().map(|entry| entry.place).filter(|place| last.is_none_or(|last| *place > last));
            let place = place.unwrap_or_else(|| self.next_place.max(last.map_or(0, |last| last + 1)));
            let entry = match (known, kept.row) {
                (Some(entry), _) => entry.moved_to(place, kept.owned),
                (None, Some(row)) => BasketEntry::new(place, row, kept.search).moved_to(place, kept.owned),
                // It was here, and left while the rest was read.
                (None, None) => {
                    self.outdated = true;
                    continue;
                }
            };
            self.next_place = self.next_place.max(place + 1);
            last = Some(place);
            owned += usize::from(entry.owned);
            self.places.insert(kept.id, place);
            self.rows.push(entry);
        }
        self.owned = owned;
        // What could not be written before is written now.
        if std::mem::take(&mut self.diverged) && !old.is_empty() {
            let mut unsaved: Vec<BasketEntry> = old.into_values().collect();
            unsaved.sort_by_key(|entry| entry.place);
            self.apply(Change::PutIn(unsaved), cx);
        }
    }

    fn store_added(&mut self, rows: Vec<Staged>, cx: &mut FlowContext<'_>) {
        if !rows.is_empty() {
            self.ask(Asked::Change, |purse, side| StoreCall::Stage { purse, side, rows }, cx);
        }
    }

    fn store_removed(&mut self, entries: &[BasketEntry], cx: &mut FlowContext<'_>) {
        if !entries.is_empty() {
            let ids = entries.iter().map(BasketEntry::id).collect();
            self.ask(Asked::Change, |purse, side| StoreCall::Unstage { purse, side, ids }, cx);
        }
    }
}

// One staged row in memory: the row as the search showed it, which says everything a screen, a quote or a free look asks.
// A basket of 50,000 stays small because the rows share their column names and their search.

#[derive(Clone, Debug)]
pub struct BasketEntry {
    place: u32,
    /// The search showed it as owned: unlocking it costs nothing.
    pub owned: bool,
    /// It has an id.
    pub row: Row,
    /// The canonical form of the search that showed it.
    pub search: Option<Arc<String>>,
}

impl BasketEntry {
    fn new(place: u32, row: Row, search: Option<Arc<String>>) -> BasketEntry {
        BasketEntry { place, owned: row.unlocked(), row, search }
    }

    /// A row of a search as if it were staged; none without an id.
    pub fn of(row: &Row, query: &Query) -> Option<BasketEntry> {
        row.id().map(|_| BasketEntry::new(0, row.clone(), Some(Arc::new(query.canonical()))))
    }

    /// The same row where the store has it now.
    fn moved_to(self, place: u32, owned: bool) -> BasketEntry {
        BasketEntry { place, owned: owned || self.owned, ..self }
    }

    pub fn id(&self) -> RowId {
        self.row.id().expect("only rows with an id are staged")
    }

    /// What the review and a free look need of it.
    pub fn staged(&self) -> Staged {
        self.staged_with(String::new())
    }

    /// The same with the whole row, as the store keeps it.
    pub fn to_store(&self) -> Staged {
        self.staged_with(row_text(&self.row))
    }

    fn staged_with(&self, row: String) -> Staged {
        let mut about = StagedFields { row, ..StagedFields::of(&self.row) };
        about.clue.search = self.search.as_deref().cloned();
        Staged::new(self.id(), self.owned, about)
    }
}

/// The rows that the store kept, side by side.
fn read<'a>(kept: impl Iterator<Item = &'a Staged>, source: Source, like: Option<&Row>) -> Vec<Row> {
    let mut rows = like.map(|like| Rows::new(Arc::clone(like.columns())));
    for staged in kept {
        let row = rows::read_one(source, &staged.row).unwrap_or_else(|_| known_fields(staged));
        let values = row.fields().map(|(_, kind, text)| (kind, text));
        let rows = rows.get_or_insert_with(|| Rows::new(Arc::clone(row.columns())));
        rows.push(Some(staged.id), row.unlocked(), row.columns(), values);
    }
    rows.map(Rows::finish).unwrap_or_default()
}

/// A row of which the store kept no more than single fields, such as one that was added by its id.
fn known_fields(staged: &Staged) -> Row {
    let id = staged.id.to_string();
    let fields = [
        ("id", CellKind::Json, id.as_str()),
        ("contact_name", CellKind::Text, &staged.name),
        ("company_name", CellKind::Text, &staged.company),
        ("title", CellKind::Text, &staged.clue.title),
        ("title_level", CellKind::Text, &staged.clue.title_level),
        ("state", CellKind::Text, &staged.clue.state),
        ("industry", CellKind::Text, &staged.clue.industry),
        ("email", CellKind::Text, &staged.email),
        ("phone", CellKind::Text, &staged.phone),
        ("email_domain_type", CellKind::Text, &staged.clue.email_domain_type),
        ("email_status", CellKind::Text, &staged.email_status),
    ];
    let columns = ColumnNames::new(fields.iter().map(|(name, ..)| *name));
    Row::new(Some(staged.id), staged.owned, Arc::new(columns), fields.iter().map(|(_, kind, text)| (*kind, *text)))
}

// The basket and the store: every change goes there at once, and what other windows changed comes back from there.

/// What the store was asked for.
#[derive(Clone, Debug)]
enum Asked {
    Part(Reading),
    Version,
    /// A change of this window.
    Change,
}

/// The basket on its way from the store, part by part: all of it at once, as the store has it, would be several times what it
/// is here, and would be read while the user waits for a frame.
#[derive(Clone, Debug, Default)]
struct Reading {
    version: Option<u64>,
    kept: Vec<Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    id: RowId,
    owned: bool,
    search: Option<Arc<String>>,
    /// None where it is here already.
    row: Option<Row>,
}

// Steps back and forth over what was put into a basket and taken out. Rows that were bought leave the steps for good.
//
// A step is kept as what it takes to go it. What is in the basket is known there by its id, so only rows that are out are
// kept here: a basket of 50,000 is in memory once.

/// Steps that are kept.
const MOST: usize = 200;

/// What is to be done to the basket.
#[derive(Clone, Debug)]
enum Change {
    PutIn(Vec<BasketEntry>),
    TakeOut(Vec<RowId>),
}

impl Change {
    fn rows(&self) -> usize {
        match self {
            Change::PutIn(entries) => entries.len(),
            Change::TakeOut(ids) => ids.len(),
        }
    }
}
