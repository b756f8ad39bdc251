//! The workspace API: search and me. (Unlock has a file of its own.)

use std::ops::Range;

use super::*;
use crate::json::{search_row, with};

/// Every parameter the document names.
const PARAMETERS: [&str; 9] =
    ["corpus", "title", "industry", "state", "email_domain_type", "title_level", "exclude_unlocked", "limit", "offset"];

impl Service {
    pub(super) fn search(&self, ticket: &Ticket<'_>, key: &Key) -> Answered {
        let habits = ticket.habits;
        let params = Params::read(&ticket.request.query, habits.invalid)?;
        if habits.has(Habit::StrictParameters) {
            params.only(|name| PARAMETERS.contains(&name))?;
        }
        let kind = params.corpus(habits.has(Habit::CorpusRequired))?;
        let asked = params.whole("limit", 1)?;
        let offset = params.whole("offset", 0)?.unwrap_or(0);
        let exclude = params.switch("exclude_unlocked")?;
        let mut filters = vec!["title", "state", "email_domain_type"];
        match kind {
            CorpusKind::Linkedin => filters.push("title_level"),
            CorpusKind::Us if habits.has(Habit::StrictParameters) && params.get("title_level").is_some() => {
                return params.refuse("title_level filters the linkedin corpus only");
            }
            CorpusKind::Us => {}
        }
        let wanted = ScanQuery { clauses: params.clauses(filters), ..ScanQuery::default() };

        if let Some((name, value)) = habits.never_answers
            && wanted.clauses.len() == 1
            && params.get(name) == Some(value)
        {
            return Ok(ServiceAnswer { line: Delivery::Silent, ..ServiceAnswer::text(200, JSON, "") });
        }

        let org = &key.org;
        let (hidden, limit, wavers) = {
            let mut state = self.state();
            let most = state.max_page.unwrap_or(habits.max_page);
            let limit = asked.unwrap_or(habits.default_page.min(most));
            let is_large = habits.has(Habit::RefusesLargeSearch) && limit > most;
            params.refuse_if(is_large, format!("limit must be 1 to {most}, got {limit}"))?;
            (hidden(&state, kind, exclude.then_some(org)), limit.min(most), habits.has(Habit::Wavers) && state.wavers())
        };
        let engine = self.workspace.of(kind);
        let (start, most) = if wavers { (offset.saturating_sub(1), limit.saturating_add(2)) } else { (offset, limit) };
        let mut found = engine.find(&wanted, &hidden, start, most, ticket.watch.canceled).ok_or_else(called_off)?;
        if wavers {
            found.ids = swapped(&found.ids, start, offset..offset.saturating_add(limit));
        }

        let mut state = self.state();
        let owned = state.records.org(org).map(|org| org.owned.of(kind));
        let list = ticket.page(engine.corpus(), &found.ids, |person| {
            search_row(kind, person, owned.and_then(|owned| owned.get(&person.id)), habits.has(Habit::MoreColumns))
        });
        state.shown.insert(org.clone(), (kind, found.ids));
        drop(state);
        let senseless = habits.has(Habit::SenselessTotals) && wanted.clauses.len() > 1;
        let total = if senseless { json!(-1) } else { json!(found.total) };
        let page = json!({
            "corpus": kind,
            "total": ticket.total(total),
            "limit": limit,
            "offset": offset,
            "took_ms": (ticket.watch.elapsed_ms)(),
        });
        Ok(ServiceAnswer::text(200, JSON, hostile::with_marks(ok(with(page, "rows", list.into())).to_string())))
    }

    pub(super) fn me(&self, ticket: &Ticket<'_>, key: &Key) -> ServiceAnswer {
        let state = self.state();
        let org = state.records.org(&key.org);
        let poisoned = ticket.drawn.has(Fault::Hostile).then(hostile::name);
        let name = poisoned.as_ref().or(org.map(|org| &org.name));
        let me = json!({
            "org": {"id": key.org, "name": name, "plan": org.map(|org| &org.plan)},
            "key": {"name": poisoned.as_ref().unwrap_or(&key.name), "prefix": key.prefix, "scopes": key.scopes},
            "credits": org.map_or(0, |org| org.balance),
        });
        ServiceAnswer::json(200, &ok(me))
    }
}

/// The ids at these places, with the second and third in each other's place, the fourth and fifth, and so on, across the borders of
/// pages too. `ids` are those from `start` on.
fn swapped(ids: &[u64], start: u64, places: Range<u64>) -> Vec<u64> {
    let at = |place: u64| ids.get((place - start) as usize).copied();
    let swapped = |place: u64| match place {
        0 => at(0),
        odd if odd % 2 == 1 => at(odd + 1).or_else(|| at(odd)),
        even => at(even - 1).filter(|_| at(even).is_some()),
    };
    places.map_while(swapped).collect()
}

/// Ids to leave out, ascending: put on the Do-Not-Sell list meanwhile, and those this workspace owns where they are not wanted.
fn hidden(state: &ServiceState, kind: CorpusKind, without_owned_by: Option<&String>) -> Vec<u64> {
    let mut hidden: Vec<u64> = state.records.suppressed.of(kind).iter().copied().collect();
    if let Some(org) = without_owned_by.and_then(|org| state.records.org(org)) {
        hidden.extend(org.owned.of(kind).keys());
        hidden.sort_unstable();
        hidden.dedup();
    }
    hidden
}

pub(super) fn called_off() -> Refusal {
    Refusal::new(503, "The search was called off")
}
