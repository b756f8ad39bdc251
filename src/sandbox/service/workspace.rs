//! The workspace API: search and me. (Unlock has a room of its own.)

use serde_json::{Value, json};

use super::answer::{Answer, Line};
use super::arrival::Refusal;
use super::params::{Params, quoted};
use super::{Service, State, Ticket, Watch};
use crate::books::Key;
use crate::corpus::Kind;
use crate::faults::{Fault, hostile};
use crate::json::{ok, rows, with};
use crate::scan::{Field, Wanted, Window};

/// Every parameter the document names.
const PARAMETERS: &[&str] = &[
    "corpus",
    "title",
    "industry",
    "state",
    "email_domain_type",
    "title_level",
    "exclude_unlocked",
    "limit",
    "offset",
];

impl Service {
    pub(super) fn search(&self, ticket: &Ticket<'_>, key: &Key, watch: &Watch<'_>) -> Result<Answer, Refusal> {
        let habits = ticket.habits;
        let invalid = |words: String| Refusal::new(habits.invalid, words);
        let params = Params::read(&ticket.request.query).map_err(invalid)?;
        if habits.strict_parameters
            && let Some(unknown) = params.names().find(|name| !PARAMETERS.contains(name))
        {
            return Err(invalid(format!("Unknown parameter {}", quoted(unknown))));
        }
        let kind = corpus(&params, habits.corpus_required).map_err(invalid)?;
        let asked = params.whole("limit", 1).map_err(invalid)?;
        let offset = params.whole("offset", 0).map_err(invalid)?.unwrap_or(0);
        let exclude = params.switch("exclude_unlocked").map_err(invalid)?;
        let mut wanted = Wanted::default();
        for (name, field) in [
            ("title", Field::Title),
            ("state", Field::State),
            ("email_domain_type", Field::EmailDomainType),
            ("title_level", Field::TitleLevel),
        ] {
            if let Some(value) = params.get(name) {
                if name == "title_level" && kind == Kind::Us {
                    if habits.strict_parameters {
                        return Err(invalid("title_level filters the linkedin corpus only".into()));
                    }
                    continue;
                }
                wanted.clauses.push((field, vec![value.to_owned()]));
            }
        }
        let industries = params.list("industry");
        if !industries.is_empty() {
            wanted.clauses.push((Field::Industry, industries));
        }

        if let Some((name, value)) = habits.never_answers
            && wanted.clauses.len() == 1
            && params.get(name) == Some(value)
        {
            return Ok(Answer { line: Line::Silent, ..Answer::text(200, super::answer::JSON, "") });
        }

        let org = &key.org;
        let (hidden, limit) = {
            let state = self.state();
            let most = state.max_page.unwrap_or(habits.max_page);
            let hidden = hidden(&state, kind, if exclude { Some(org) } else { None });
            let asked = asked.unwrap_or(habits.default_page.min(most));
            if habits.refuses_large_search && asked > most {
                return Err(invalid(format!("limit must be 1 to {most}, got {asked}")));
            }
            (hidden, asked.min(most))
        };
        let engine = self.workspace.of(kind);
        let window = Window { offset, limit, wavers: habits.wavers && self.state().wavers() };
        let found = engine.page(&wanted, &hidden, window, watch.canceled).ok_or_else(called_off)?;

        let mut state = self.state();
        let owned = state.books.org(org).map(|org| org.owned.of(kind));
        let mut list: Vec<Value> = Vec::with_capacity(found.ids.len());
        for id in &found.ids {
            let Some(person) = engine.corpus().person(*id) else { continue };
            let owned = owned.and_then(|owned| owned.get(id));
            let mut row = rows::search_row(kind, &person, owned, habits.more_columns);
            hostile::befall(&mut row, *id, &ticket.drawn);
            list.push(Value::Object(row));
        }
        if ticket.drawn.has(Fault::Reorder) {
            list.reverse();
        }
        state.shown.insert(org.clone(), (kind, found.ids));
        drop(state);
        let senseless = habits.senseless_totals && wanted.clauses.len() > 1;
        let total = if senseless { json!(-1) } else { json!(found.total) };
        let page = json!({
            "corpus": kind,
            "total": ticket.drawn.odd_total.map_or(total, hostile::odd_total),
            "limit": limit,
            "offset": offset,
            "took_ms": (watch.elapsed_ms)(),
        });
        let data = with(page, "rows", Value::Array(list));
        Ok(Answer::text(200, super::answer::JSON, hostile::with_marks(ok(data).to_string())))
    }

    pub(super) fn me(&self, ticket: &Ticket<'_>, key: &Key) -> Answer {
        let state = self.state();
        let org = state.books.org(&key.org);
        let poisoned = ticket.drawn.has(Fault::Hostile).then(hostile::name);
        let poisoned = poisoned.as_deref();
        Answer::json(
            200,
            &ok(json!({
                "org": {
                    "id": key.org,
                    "name": poisoned.or(org.map(|org| org.name.as_str())),
                    "plan": org.map(|org| org.plan.as_str()),
                },
                "key": {"name": poisoned.unwrap_or(&key.name), "prefix": key.prefix, "scopes": key.scopes},
                "credits": org.map_or(0, |org| org.balance()),
            })),
        )
    }
}

pub(super) fn corpus(params: &Params, required: bool) -> Result<Kind, String> {
    match params.get("corpus") {
        Some(word) => Kind::named(word).ok_or_else(|| format!("corpus must be us or linkedin, got {}", quoted(word))),
        None if required => Err("corpus is required: us or linkedin".into()),
        None => Ok(Kind::Us),
    }
}

/// Ids to leave out, ascending: put on the Do-Not-Sell list meanwhile, and those this workspace owns where they are not wanted.
fn hidden(state: &State, kind: Kind, without_owned_by: Option<&str>) -> Vec<u64> {
    let mut hidden: Vec<u64> = state.books.suppressed.of(kind).iter().copied().collect();
    if let Some(org) = without_owned_by.and_then(|org| state.books.org(org)) {
        hidden.extend(org.owned.of(kind).keys());
        hidden.sort_unstable();
        hidden.dedup();
    }
    hidden
}

pub(super) fn called_off() -> Refusal {
    Refusal::new(503, "The search was called off")
}
