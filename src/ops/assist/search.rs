//! Searching for an assistant: one page of a search, and the first rows of several companies.

use serde_json::{Map, Value, json};

use crate::ops::output::json;
use crate::ops::problem::{CommandProblem, Exit};
use crate::ops::program::{Run, Script};
use lode_core::{Known, Page, Query, Row};
use lode_engine::effect::{Call, CallId, Effect, Reply, SearchCall, StoreCall};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::Event;

use super::Shared;
use super::answer::fit;

/// A row in few fields, or in those that were asked for by the names of the service.
fn brief(row: &Row, fields: &[String]) -> Value {
    if !fields.is_empty() {
        let whole: Value = serde_json::from_str(&json::row(row)).unwrap_or_default();
        let kept = fields.iter().filter_map(|field| Some((field.clone(), whole.get(field)?.clone())));
        return Value::Object(kept.collect());
    }
    let mut brief = Map::new();
    brief.insert("id".to_owned(), json!(row.id().map(|id| id.0)));
    let known = [
        ("title", Known::Title),
        ("company", Known::Company),
        ("city", Known::City),
        ("state", Known::State),
        ("email", Known::Email),
        ("phone", Known::Phone),
        ("email_status", Known::EmailStatus),
    ];
    brief.insert("name".to_owned(), json!(row.name()));
    for (name, column) in known {
        let value = row.known(column);
        if !value.is_empty() {
            brief.insert(name.to_owned(), json!(value));
        }
    }
    brief.insert("owned".to_owned(), json!(row.unlocked()));
    Value::Object(brief)
}

/// One page.
pub(super) struct Find {
    pub(super) call: SearchCall,
    pub(super) fields: Vec<String>,
    pub(super) shared: Shared,
}

/// Remembers what a page showed: here for the ids, in the history for a free look later.
fn remember(call: &SearchCall, page: &Page, shared: &Shared, run: &mut Run<'_>) {
    let side = call.query.side;
    shared.saw(side, &page.rows);
    if let Some(purse) = run.session.purse_of(side.source) {
        run.store(StoreCall::Searched {
            purse,
            canonical: call.query.canonical(),
            total: page.total,
            offset: page.offset,
            ids: page.rows.iter().filter_map(|row| row.id()).collect(),
            leg: false,
        });
    }
}

impl Script for Find {
    fn start(&mut self, run: &mut Run<'_>) {
        let source = self.call.query.side.source;
        if !run.session.has(source) {
            return CommandProblem::no_key(source).end(run.fx);
        }
        run.ask(Call::Search(self.call.clone()));
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(Arrival::Reply(_, Call::Search(_), result)) = event else { return };
        match result {
            Ok(Reply::Page(page)) => {
                remember(&self.call, &page, &self.shared, run);
                // A service may send more than it was asked for.
                let wanted = usize::try_from(self.call.limit).unwrap_or(usize::MAX);
                let rows: Vec<Value> = page.rows.iter().take(wanted).map(|row| brief(row, &self.fields)).collect();
                let next = page.offset + rows.len() as u64;
                let mut answer = Map::new();
                let more = !rows.is_empty() && next < page.total;
                answer.insert("rows".to_owned(), Value::Array(rows));
                answer.insert("total".to_owned(), json!(page.total));
                answer.insert("next".to_owned(), if more { json!(next) } else { Value::Null });
                run.fx.push(Effect::Print(Value::Object(fit(answer)).to_string()));
                run.fx.push(Effect::Quit(Exit::Done.code()));
            }
            Ok(_) => run.fx.push(Effect::Quit(Exit::Failed.code())),
            Err(failure) => CommandProblem::of_call(self.call.query.side.source, &failure).end(run.fx),
        }
    }
}

/// One small search for each company.
pub(super) struct Match {
    companies: Vec<String>,
    calls: Vec<SearchCall>,
    asked: Vec<(CallId, usize)>,
    shared: Shared,
}

/// Rows of each company.
const FIRST: u64 = 3;

impl Match {
    pub(super) fn new(companies: Vec<String>, queries: Vec<Query>, shared: Shared) -> Match {
        let call = |query| SearchCall { query, offset: 0, limit: FIRST, mark_pulled: false };
        Match { companies, calls: queries.into_iter().map(call).collect(), asked: Vec::new(), shared }
    }
}

impl Script for Match {
    fn start(&mut self, run: &mut Run<'_>) {
        let source = self.calls[0].query.side.source;
        if !run.session.has(source) {
            return CommandProblem::no_key(source).end(run.fx);
        }
        self.asked = (0..self.calls.len()).map(|at| (run.ask(Call::Search(self.calls[at].clone())), at)).collect();
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(Arrival::Reply(id, _, result)) = event else { return };
        let Some(place) = self.asked.iter().position(|(asked, _)| *asked == id) else { return };
        let (_, at) = self.asked.remove(place);
        match result {
            Ok(Reply::Page(page)) => {
                remember(&self.calls[at], &page, &self.shared, run);
                let first: Vec<Value> = page.rows.iter().take(FIRST as usize).map(|row| brief(row, &[])).collect();
                let line = json!({"company": self.companies[at], "total": page.total, "first": first});
                run.fx.push(Effect::Print(line.to_string()));
                if self.asked.is_empty() {
                    run.fx.push(Effect::Quit(Exit::Done.code()));
                }
            }
            Ok(_) => run.fx.push(Effect::Quit(Exit::Failed.code())),
            Err(failure) => CommandProblem::of_call(self.calls[at].query.side.source, &failure).end(run.fx),
        }
    }
}
