//! The loaded pages of a result, and the position of each id.
//!
//! Local indices never move. When rows leave the service's set because *we* unlocked or pulled them, the offsets of everything
//! behind them shrink while the page on the screen stays as it is; [`Pages::offset`] is the one place that knows the difference.
//! No requests are made here.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

use super::*;

/// What is to be drawn at an index of the result.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Slot<'a> {
    Row(&'a Row),
    /// Not read yet.
    Waiting,
    /// The contact of this row was shown by another leg of the search first.
    Again(&'a Row),
    /// The contact that belongs here is shown at another index already (S2).
    Elsewhere(u64),
    /// The service has no row here: the set shrank, or duplicates were collapsed.
    Vanished,
    /// The page could not be read.
    Failed(&'a Failure),
}

#[derive(Clone, Debug)]
pub struct Loaded {
    /// By position in the page. None where a row that is gone from the set stood when the page was read.
    rows: Vec<Option<Row>>,
    /// Positions whose contact stood elsewhere when the page came, ascending. Only these are looked up again: a find goes
    /// through a hundred thousand rows between two frames.
    twice: Vec<u32>,
    /// The size of the set by this answer, with what had left by our own doing put back.
    total: u64,
    arrived: Mono,
    /// It was read while the set was shrinking: shown until it is read again.
    stale: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Pages {
    /// The applied page size; zero before the first answer.
    pub(super) stride: u64,
    loaded: BTreeMap<u64, Loaded>,
    /// Rows that are loaded.
    pub(super) held: usize,
    /// The index of each loaded contact. A table of indices takes half the memory of a map: the id of an entry is that of the row at
    /// its index.
    places: HashTable<u64>,
    hashes: RandomState,
    /// Local indices of rows that left the set by our own doing, ascending.
    pub(super) gone: Vec<u64>,
}

fn row_at(loaded: &BTreeMap<u64, Loaded>, stride: u64, index: u64) -> Option<&Row> {
    let page = loaded.get(&(index / stride.max(1)))?;
    page.rows.get(usize::try_from(index % stride.max(1)).ok()?)?.as_ref()
}

impl Pages {
    /// Another page size forgets what was loaded, because pages are cut by it.
    pub fn set_stride(&mut self, stride: u64) {
        if stride != self.stride {
            self.stride = stride;
            self.loaded.clear();
            self.places.clear();
            self.held = 0;
        }
    }

    pub fn page_of(&self, index: u64) -> u64 {
        index / self.stride.max(1)
    }

    pub fn start_of(&self, page: u64) -> u64 {
        page.saturating_mul(self.stride)
    }

    /// How many rows have left the set by our own doing.
    pub fn gone(&self) -> u64 {
        self.gone.len() as u64
    }

    /// Where a local index stands in the service's set now.
    pub fn offset(&self, index: u64) -> u64 {
        index - self.gone.partition_point(|gone| *gone < index) as u64
    }

    pub fn is_loaded(&self, page: u64) -> bool {
        self.loaded.contains_key(&page)
    }

    /// Loaded, and nothing speaks against it.
    pub fn is_good(&self, page: u64) -> bool {
        self.loaded.get(&page).is_some_and(|loaded| !loaded.stale)
    }

    /// How many contacts of this page stood elsewhere already when it came.
    pub fn twice(&self, page: u64) -> u64 {
        self.loaded.get(&page).map_or(0, |loaded| loaded.twice.len() as u64)
    }

    /// The first place of this page whose contact stood elsewhere.
    pub fn first_twice(&self, page: u64) -> Option<u64> {
        let position = self.loaded.get(&page)?.twice.first()?;
        Some(self.start_of(page) + u64::from(*position))
    }

    /// How many of all pages did.
    pub fn all_twice(&self) -> u64 {
        self.loaded.values().map(|loaded| loaded.twice.len() as u64).sum()
    }

    /// How many rows a page came with.
    pub fn rows_of(&self, page: u64) -> u64 {
        self.loaded.get(&page).map_or(0, |loaded| loaded.rows.iter().flatten().count() as u64)
    }

    /// Puts contacts that stand nowhere yet into the places of those that came twice. Answers which.
    pub fn fill(&mut self, number: u64, answer: &[Row]) -> Vec<RowId> {
        let start = self.start_of(number);
        let Some(Loaded { rows, twice, .. }) = self.loaded.get_mut(&number) else { return Vec::new() };
        let mut twice = std::mem::take(twice);
        let mut fresh = Rows::copies(answer, rows.iter().flatten().next()).into_iter();
        let mut came = Vec::new();
        twice.retain(|position| {
            let index = start + u64::from(*position);
            // Where its other place was forgotten, the contact is shown here.
            let place = self.id_at(index).and_then(|id| self.place(id));
            if place.is_none_or(|place| place == index) {
                return true;
            }
            let new = fresh.find_map(|row| row.id().filter(|id| self.place(*id).is_none()).map(|id| (id, row)));
            let Some((id, row)) = new else { return true };
            self.set(index, row);
            self.claim(id, index);
            came.push(id);
            false
        });
        if let Some(page) = self.loaded.get_mut(&number) {
            page.twice = twice;
        }
        came
    }

    pub fn place(&self, id: RowId) -> Option<u64> {
        self.places.find(self.hashes.hash_one(Some(id)), |index| self.id_at(*index) == Some(id)).copied()
    }

    fn id_at(&self, index: u64) -> Option<RowId> {
        row_at(&self.loaded, self.stride, index).and_then(Row::id)
    }

    /// Puts another row at a place of a loaded page.
    fn set(&mut self, index: u64, row: Row) {
        let (page, position) = (self.page_of(index), usize::try_from(index % self.stride.max(1)));
        let rows = self.loaded.get_mut(&page).map(|page| &mut page.rows);
        if let Some((rows, position)) = rows.zip(position.ok()) {
            rows[position] = Some(row);
        }
    }

    /// Notes the index of a contact unless it has one already. Returns the one that counts.
    fn claim(&mut self, id: RowId, index: u64) -> u64 {
        if let Some(place) = self.place(id) {
            return place;
        }
        let Pages { loaded, stride, places, hashes, .. } = self;
        let hash = |index: &u64| hashes.hash_one(row_at(loaded, *stride, *index).and_then(Row::id));
        if places.len() == places.capacity() {
            // A new table: an old one keeps the room of what was taken out of it, and doubles in the end.
            let now = places.len();
            let mut next = HashTable::with_capacity(if now < LARGE { now + 1 } else { MOST_ROWS.max(now + 1) });
            for place in std::mem::take(places) {
                next.insert_unique(hash(&place), place, hash);
            }
            *places = next;
        }
        places.insert_unique(hashes.hash_one(Some(id)), index, hash);
        index
    }

    /// None where the page is not loaded.
    pub fn at(&self, index: u64) -> Option<Slot<'_>> {
        let page = self.loaded.get(&self.page_of(index))?;
        let position = usize::try_from(index % self.stride.max(1)).ok()?;
        let Some(row) = page.rows.get(position).and_then(Option::as_ref) else { return Some(Slot::Vanished) };
        Some(self.elsewhere(page, position, index, row).map_or(Slot::Row(row), Slot::Elsewhere))
    }

    fn elsewhere(&self, page: &Loaded, position: usize, index: u64, row: &Row) -> Option<u64> {
        page.twice.binary_search(&(position as u32)).ok()?;
        // Its other place may have been forgotten meanwhile.
        row.id().and_then(|id| self.place(id)).filter(|place| *place != index)
    }

    /// Loaded rows of these indices, each contact once.
    pub fn rows(&self, indices: Range<u64>) -> impl DoubleEndedIterator<Item = (u64, &Row)> {
        // A range that ends before it begins has no pages, and no way to ask for them.
        let pages =
            if indices.is_empty() { 0..0 } else { self.page_of(indices.start)..self.page_of(indices.end - 1) + 1 };
        self.loaded.range(pages).flat_map(move |(page, loaded)| {
            let indices = indices.clone();
            let start = self.start_of(*page);
            loaded.rows.iter().enumerate().filter_map(move |(position, row)| {
                let index = start + position as u64;
                let row = row.as_ref().filter(|_| indices.contains(&index))?;
                self.elsewhere(loaded, position, index, row).is_none().then_some((index, row))
            })
        })
    }

    /// Puts an answered page where it belongs. `gone` is how many rows had left when it was asked for.
    pub fn put(&mut self, number: u64, answer: Page, gone: u64, now: Mono) {
        let start = self.start_of(number);
        let replaced = self.forget(number);
        // Other holders of the response keep nothing of the window in memory; pages share their columns.
        let like = self.loaded.values().next_back().and_then(|page| page.rows.iter().flatten().next());
        let mut rows = Rows::copies(&answer.rows, like).into_iter();
        let mut slots: Vec<Option<Row>> = Vec::with_capacity(rows.len());
        let mut left = self.gone[self.gone.partition_point(|gone| *gone < start)..].iter().peekable();
        for index in start..start.saturating_add(self.stride) {
            if left.next_if(|gone| **gone == index).is_some() {
                slots.push(None);
            } else if let Some(row) = rows.next() {
                slots.push(Some(row));
            } else {
                break;
            }
        }
        slots.shrink_to_fit();
        self.held += slots.iter().flatten().count();
        let total = answer.total.saturating_add(gone);
        self.loaded.insert(number, Loaded { rows: slots, twice: Vec::new(), total, arrived: now, stale: false });
        if replaced {
            // Contacts that stood in the page as it was may now stand where they were `Elsewhere` before.
            self.places.clear();
            for page in self.loaded.keys().copied().collect::<Vec<_>>() {
                self.register(page);
            }
        } else {
            self.register(number);
        }
    }

    fn register(&mut self, number: u64) {
        let start = self.start_of(number);
        let Some(page) = self.loaded.get(&number) else { return };
        let ids: Vec<_> = page.rows.iter().map(|row| row.as_ref().and_then(Row::id)).collect();
        let stands = (start..).zip(ids).filter_map(|(index, id)| Some((index, id?)));
        let twice = stands.filter(|(index, id)| self.claim(*id, *index) != *index);
        let twice = twice.map(|(index, _)| (index - start) as u32).collect();
        if let Some(page) = self.loaded.get_mut(&number) {
            page.twice = twice;
        }
    }

    fn forget(&mut self, number: u64) -> bool {
        let Some(page) = self.loaded.remove(&number) else { return false };
        for (index, row) in (self.start_of(number)..).zip(&page.rows) {
            let Some(row) = row else { continue };
            self.held -= 1;
            if let Ok(entry) = self.places.find_entry(self.hashes.hash_one(row.id()), |place| *place == index) {
                entry.remove();
            }
        }
        true
    }

    /// Forgets the pages farthest from `page` until the bound on memory holds. The first `kept` pages stay.
    pub fn bound(&mut self, page: u64, kept: u64, most: usize) {
        while self.held > most {
            let mut others = self.loaded.range(kept..).map(|(number, _)| *number);
            let Some(first) = others.next() else { return };
            let last = others.next_back().unwrap_or(first);
            let farthest = if page.abs_diff(first) >= page.abs_diff(last) { first } else { last };
            if farthest == page {
                return;
            }
            self.forget(farthest);
        }
    }

    /// Puts another form of a row at its place.
    pub fn replace(&mut self, id: RowId, change: impl FnOnce(&Row) -> Row) -> Option<u64> {
        let index = self.place(id)?;
        let row = change(row_at(&self.loaded, self.stride, index)?);
        self.set(index, row);
        Some(index)
    }

    /// The row at this index left the service's set by our own doing.
    pub fn leave(&mut self, index: u64) {
        if let Err(at) = self.gone.binary_search(&index) {
            self.gone.insert(at, index);
        }
    }

    /// Pages behind `index` that arrived at this moment or later can have been read from a set in motion.
    pub fn distrust(&mut self, index: u64, since: Mono) {
        let stride = self.stride;
        for (number, page) in &mut self.loaded {
            let end = number.saturating_add(1).saturating_mul(stride);
            page.stale |= end > index && page.arrived >= since;
        }
    }

    /// The size of the set by a page that disagrees with `total`, if there is one.
    pub fn disagreeing(&self, total: u64) -> Option<u64> {
        self.loaded.values().find(|page| !page.stale && page.total != total).map(|page| page.total)
    }
}

/// Rows held at most; beyond it the pages farthest from the cursor are forgotten.
pub const MOST_ROWS: usize = 100_000;
/// A table of this size grows to hold a whole window at once: growing in between would take longer than a frame.
const LARGE: usize = 20_000;
