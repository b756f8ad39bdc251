//! Searching for an assistant: one page of a search, the first rows of several companies, and one contact.

use serde_json::{Map, Value, json};

use crate::ops::console::{Console, Ending};
use crate::ops::output::json;
use crate::ops::problem::{Code, CommandProblem, Exit};
use lode_core::{Corpus, Known, Page, Query, Row, RowId};
use lode_engine::effect::{Call, Effect, Reply, SearchCall, StoreCall};
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

/// Remembers what a page showed: here for the ids, in the history for a free look later.
async fn remember(call: &SearchCall, page: &Page, shared: &Shared, console: &Console) {
    let side = call.query.side;
    shared.saw(side, &page.rows);
    if let Some(purse) = console.purse_of(side.source) {
        let searched = StoreCall::Searched {
            purse,
            canonical: call.query.canonical(),
            total: page.total,
            offset: page.offset,
            ids: page.rows.iter().filter_map(|row| row.id()).collect(),
            leg: false,
        };
        console.with(|run| run.store(searched));
    }
}

/// One page.
pub(super) async fn find(console: Console, call: SearchCall, fields: Vec<String>, shared: Shared) -> Ending {
    console.needs(call.query.side.source)?;
    let Reply::Page(page) = console.ask(Call::Search(call.clone())).await? else {
        unreachable!("a search answers with a page");
    };
    remember(&call, &page, &shared, &console).await;
    // A service may send more than it was asked for.
    let wanted = usize::try_from(call.limit).unwrap_or(usize::MAX);
    let rows: Vec<Value> = page.rows.iter().take(wanted).map(|row| brief(row, &fields)).collect();
    let next = page.offset + rows.len() as u64;
    let next = (!rows.is_empty() && next < page.total).then_some(next);
    let answer = [("rows", json!(rows)), ("total", json!(page.total)), ("next", json!(next))];
    console.print(&fit(answer.map(|(name, value)| (name.to_owned(), value)).into_iter().collect()));
    Ok(Exit::Done)
}

/// Rows of each company.
const FIRST: u64 = 3;

/// One small search for each company, all at once.
pub(super) async fn first_of_each(console: Console, searches: Vec<(String, Query)>, shared: Shared) -> Ending {
    console.needs(searches[0].1.side.source)?;
    let mut asked = Vec::new();
    for (company, query) in searches {
        let call = SearchCall { query, offset: 0, limit: FIRST, mark_pulled: false };
        let wanted = Call::Search(call.clone());
        asked.push((console.with(|run| run.ask(wanted)), company, call));
    }
    while !asked.is_empty() {
        let Event::Answered(Arrival::Reply(id, _, result)) = console.event().await else { continue };
        let Some(place) = asked.iter().position(|(asked, ..)| *asked == id) else { continue };
        let (_, company, call) = asked.remove(place);
        let page = match result {
            Ok(Reply::Page(page)) => page,
            Ok(other) => unreachable!("a search answers with a page: {other:?}"),
            Err(failure) => return Err(CommandProblem::of_call(call.query.side.source, &failure)),
        };
        remember(&call, &page, &shared, &console).await;
        let first: Vec<Value> = page.rows.iter().take(FIRST as usize).map(|row| brief(row, &[])).collect();
        console.print(&json!({"company": company, "total": page.total, "first": first}));
    }
    Ok(Exit::Done)
}

/// One contact: whole where it is owned, else the row that a search of this server showed.
pub(super) async fn contact(console: Console, corpus: Corpus, id: RowId, row: Option<Row>) -> Ending {
    let owned = console.owned(Some(corpus)).await?;
    if let Some(owned) = owned.iter().find(|owned| owned.id == id) {
        console.print(&json::owned(owned));
    } else if let Some(row) = row {
        console.say(Effect::Print(json::row(&row)));
    } else {
        let words = format!("contact {id} is not owned, and no search has shown it");
        return Err(CommandProblem::new(Exit::Failed, words, "search shows it first").code(Code::NotFound));
    }
    Ok(Exit::Done)
}
