//! Which searches a look makes: pure functions of what is known about the contacts.

use std::collections::{BTreeMap, BTreeSet};

use lode_core::contact::{RowId, Side};
use lode_core::filter::Filter;
use lode_core::money::Clue;
use lode_core::query::Query;

use super::Wanted;
use super::reading::{Extent, Reading};

/// Pages of a narrow search: a title in a trade in a state.
const NARROW: u32 = 30;
/// Pages of a search that a person made, which may be anything.
pub(super) const WHOLE: u32 = 60;

pub(super) fn unfiltered(side: Side) -> Query {
    Query::new(side)
}

/// The pages on which the contacts were shown, each once. Where a search hid what is owned, or belongs to another side, its
/// offsets mean nothing here. A contact that the last check found nowhere is not on its page any more.
pub(super) fn pages(side: Side, wanted: &BTreeMap<RowId, Wanted>) -> Vec<Reading> {
    let mut pages: BTreeMap<(String, u64), (Query, BTreeSet<RowId>)> = BTreeMap::new();
    for (id, wanted) in wanted.iter().filter(|(_, wanted)| !wanted.was_absent) {
        let page = wanted.shown.iter().find_map(|shown| {
            let query = Query::from_canonical(&shown.canonical)?;
            (query.side == side && !query.hide_owned).then_some((query, shown))
        });
        if let Some((query, shown)) = page {
            let known = pages.entry((shown.canonical.clone(), shown.offset));
            known.or_insert_with(|| (query, BTreeSet::new())).1.insert(*id);
        }
    }
    let readings = pages.into_iter().map(|((_, offset), (query, ids))| Reading::new(query, offset, Extent::Page, ids));
    readings.collect()
}

/// The search by what the masked row itself said; none where it said nothing.
pub(super) fn narrow_of(side: Side, clue: &Clue) -> Option<Query> {
    let mut query = Query::new(side);
    for (filter, value) in [
        (Filter::Title, &clue.title),
        (Filter::TitleLevel, &clue.title_level),
        (Filter::State, &clue.state),
        (Filter::EmailDomainType, &clue.email_domain_type),
    ] {
        if !value.is_empty() && Filter::of(side).contains(&filter) {
            query.set(filter, value).ok()?;
        }
    }
    // A comma in an industry would be read as two, which finds too much and misses nothing.
    if !clue.industry.is_empty() {
        query.set(Filter::Industry, &clue.industry).ok()?;
    }
    (!query.is_unfiltered()).then_some(query)
}

pub(super) fn narrow(side: Side, wanted: &BTreeMap<RowId, Wanted>) -> Vec<Reading> {
    gather(wanted, NARROW, |wanted| narrow_of(side, &wanted.clue).into_iter().collect())
}

/// The searches that showed the contact, without what would hide it.
pub(super) fn searches_of(side: Side, wanted: &Wanted) -> Vec<Query> {
    let lines = wanted.shown.iter().map(|shown| shown.canonical.as_str()).chain(wanted.clue.search.as_deref());
    let mut searches: Vec<Query> = Vec::new();
    // What a search with legs showed, one of its legs did.
    for mut query in lines.filter_map(Query::from_canonical).flat_map(|query| query.legs()) {
        query.hide_owned = false;
        if query.side == side && !searches.contains(&query) {
            searches.push(query);
        }
    }
    searches
}

/// Where the corpus is small enough to be read whole, it is read for a contact that no search is known to have shown.
pub(super) fn searches(side: Side, wanted: &BTreeMap<RowId, Wanted>, is_small: bool) -> Vec<Reading> {
    gather(wanted, WHOLE, |wanted| match searches_of(side, wanted) {
        none if none.is_empty() && is_small => vec![unfiltered(side)],
        searches => searches,
    })
}

/// Equal searches become one.
fn gather(wanted: &BTreeMap<RowId, Wanted>, most: u32, of: impl Fn(&Wanted) -> Vec<Query>) -> Vec<Reading> {
    let mut searches: BTreeMap<String, (Query, BTreeSet<RowId>)> = BTreeMap::new();
    for (id, wanted) in wanted {
        for query in of(wanted) {
            let known = searches.entry(query.canonical());
            known.or_insert_with(|| (query, BTreeSet::new())).1.insert(*id);
        }
    }
    let whole = Extent::Whole { most };
    searches.into_values().map(|(query, ids)| Reading::new(query, 0, whole, ids)).collect()
}

/// Requests that are needed even if every first page finds what it should.
pub(super) fn at_least(side: Side, wanted: &BTreeMap<RowId, Wanted>) -> usize {
    let pages = pages(side, wanted);
    let on_pages: BTreeSet<RowId> = pages.iter().flat_map(|reading| reading.wanted.iter().copied()).collect();
    let others = wanted.iter().filter(|(id, _)| !on_pages.contains(id));
    let others: BTreeMap<RowId, Wanted> = others.map(|(id, wanted)| (*id, wanted.clone())).collect();
    let without_clue = others.values().filter(|wanted| narrow_of(side, &wanted.clue).is_none()).count();
    pages.len() + narrow(side, &others).len() + without_clue
}
