//! Where an id must stand in the unfiltered corpus, if its rows come in ascending order of their ids.
//!
//! No document promises that order. It is therefore never assumed: each page must bear it out. While all do, a few requests
//! find any id among eighty million, and two neighbors with nothing between them prove that an id is not there. After a page
//! out of order nothing is proved any more; the way may still lead to a contact. Where such pages are the rule it leads nowhere:
//! that contact is given up, and after a few of them all are.

use std::collections::BTreeMap;

use lode_core::contact::RowId;
use lode_core::page::Page;

/// Probes for one contact before it is given up.
const PROBES: u32 = 14;
/// Contacts whose way leads nowhere before no other is tried.
const LOST: u32 = 3;

#[derive(Clone, Debug)]
pub(super) struct Place {
    targets: Vec<RowId>,
    /// Ids at the edges of the pages seen, by offset.
    edges: BTreeMap<u64, RowId>,
    /// Stretches seen whole, from the id at the first offset to the id at the last.
    stretches: Vec<(RowId, RowId)>,
    total: Option<u64>,
    probes: u32,
    /// Whether every page bore the order out.
    holds: bool,
    aimed: Option<RowId>,
    /// Pages on the way to the contact that is aimed at, and those of them that came out of order.
    pages: u32,
    disordered: u32,
    /// Contacts whose way led nowhere.
    lost: u32,
    /// Rows that the service puts on a page.
    page: u64,
}

impl Place {
    pub(super) fn new(targets: impl IntoIterator<Item = RowId>) -> Place {
        Place {
            targets: targets.into_iter().collect(),
            edges: BTreeMap::new(),
            stretches: Vec::new(),
            total: None,
            probes: 0,
            holds: true,
            aimed: None,
            pages: 0,
            disordered: 0,
            lost: 0,
            page: 25,
        }
    }

    pub(super) fn learn(&mut self, page: &Page) {
        // Rows that came or went shift every place behind them: what was learnt counts no more.
        if self.total.is_some_and(|total| total != page.total) {
            self.edges.clear();
        }
        self.total = Some(page.total);
        self.pages += 1;
        let ids: Option<Vec<RowId>> = page.rows.iter().map(|row| row.id()).collect();
        let Some(ids) = ids.filter(|ids| ids.is_sorted_by(|a, b| a < b)) else {
            self.note_disorder();
            return;
        };
        self.page = (ids.len() as u64).max(1).min(page.limit.max(1));
        if let (Some(first), Some(last)) = (ids.first(), ids.last()) {
            self.edges.insert(page.offset, *first);
            self.edges.insert(page.offset + ids.len() as u64 - 1, *last);
            let whole = page.offset == 0;
            let first = if whole { RowId(i64::MIN) } else { *first };
            let end = page.offset + ids.len() as u64 == page.total;
            self.stretches.push((first, if end { RowId(i64::MAX) } else { *last }));
        }
        if !self.edges.values().is_sorted_by(|a, b| a < b) {
            self.edges.clear();
            self.note_disorder();
        }
    }

    fn note_disorder(&mut self) {
        self.holds = false;
        self.disordered += 1;
    }

    /// Pages out of order now and then still lead to a contact; where they are the rule this leads nowhere.
    fn leads_nowhere(&self) -> bool {
        self.disordered > 2 && self.disordered * 2 > self.pages
    }

    /// Contacts that stand nowhere: a stretch seen whole goes past their id without them.
    pub(super) fn absent(&self, found: impl Fn(RowId) -> bool) -> Vec<(RowId, String)> {
        if !self.holds {
            return Vec::new();
        }
        let passed = |id: &&RowId| self.stretches.iter().any(|(first, last)| first < *id && *id < last);
        let absent = self.targets.iter().filter(passed).filter(|id| !found(**id));
        absent.map(|id| (*id, format!("the unfiltered search lists the ids around {id}, but not this one"))).collect()
    }

    /// The contact that the last probe aims at.
    pub(super) fn aimed(&self) -> Option<RowId> {
        self.aimed
    }

    /// The offset to read next; none when nothing more can be found this way.
    pub(super) fn probe(&mut self, found: impl Fn(RowId) -> bool) -> Option<u64> {
        if let Some(aimed) = self.aimed.filter(|id| self.leads_nowhere() && !found(*id)) {
            self.lost += 1;
            self.targets.retain(|id| *id != aimed);
        }
        let target = *self.targets.iter().find(|id| !found(**id)).filter(|_| self.lost < LOST)?;
        if self.aimed != Some(target) {
            (self.aimed, self.probes, self.pages, self.disordered) = (Some(target), 0, 0, 0);
        }
        self.probes += 1;
        if self.probes > PROBES {
            // Give this one up; the others may still have luck.
            self.targets.retain(|id| *id != target);
            return self.probe(found);
        }
        let Some(total) = self.total else { return Some(0) };
        let below = self.edges.iter().rev().find(|(_, id)| **id < target).map(|(offset, id)| (*offset, id.0));
        let above = self.edges.iter().find(|(_, id)| **id > target).map(|(offset, id)| (*offset, id.0));
        let guess = match (below, above) {
            (Some((low, low_id)), Some((high, high_id))) => {
                let share = (i128::from(target.0) - i128::from(low_id)) * i128::from(high - low);
                let step = share / (i128::from(high_id) - i128::from(low_id)).max(1);
                // Halfway every third time: ids need not be spread evenly.
                let step = if self.probes.is_multiple_of(3) { i128::from(high - low) / 2 } else { step };
                low.saturating_add(u64::try_from(step).unwrap_or(0))
            }
            (Some((low, low_id)), None) => {
                let beyond = u64::try_from(i128::from(target.0) - i128::from(low_id)).unwrap_or(u64::MAX);
                low.saturating_add(beyond)
            }
            (None, Some((high, _))) => high / 2,
            (None, None) => 0,
        };
        // A little before the place, so that the page reaches past it on both sides.
        Some(guess.min(total.saturating_sub(1)).saturating_sub((self.page / 2).min(12)))
    }
}
