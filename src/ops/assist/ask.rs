//! From the arguments of a tool to the script that does it. Most tools are the shell commands themselves; those that prepare an
//! unlock or search for an assistant are below.

use super::input::*;
use super::tools::BRIEF;
use super::*;
use crate::ops::export::{ExportArgs, LocalData};
use crate::ops::listing::{OwnedArgs, counts, me_line, owned, receipts};
use crate::ops::saved::RunArgs;
use crate::ops::unlock::{known_rows, not_granted, proposal_of, quote_shape, review, unlock_granted};
use lode_core::{Filter, Page};
use lode_engine::effect::{Call, Form, Granted, Handle, NotGranted, Proposal, ProposalState, Reply, SearchCall};
use lode_engine::flow::saved::SavedChange;
use lode_engine::flow::unlock::ReviewChoice;

/// A script, and how its lines become an answer.
pub type ToolCall = (Script, ToolAnswer);

/// The script of a call. `handle` names the proposal that it may make.
pub fn ask(name: &str, given: Map<String, Value>, shared: Shared, handle: Handle) -> Result<ToolCall, CommandProblem> {
    let workspace = |corpus: Option<Corpus>| Side { source: Source::Workspace, corpus: corpus.unwrap_or_default() };
    let check = |holds: bool, words: &str| if holds { Ok(()) } else { Err(wrong(words)) };
    let rows_of = |limit: Limit| limit.map_or(10, |Number(rows)| rows);
    let start_of = |offset: Offset| offset.map_or(0, |Number(rows)| rows);
    let page = |limit, offset| ToolAnswer::of_page(rows_of(limit) as usize, start_of(offset) as usize);
    Ok(match input::read(name, given)? {
        ToolInput::Search { source, corpus, limit, offset, fields, exclude_owned, filters } => {
            let side = Side { source: source.unwrap_or_default(), corpus: corpus.unwrap_or_default() };
            let exclude_unlocked = exclude_owned.unwrap_or(false);
            let query = FilterArgs { exclude_unlocked, ..filters.unwrap_or_default() }.query(side)?;
            let (offset, limit) = (start_of(offset).into(), rows_of(limit).into());
            let call = SearchCall { query, offset, limit, mark_pulled: false };
            let List(fields) = fields.unwrap_or_default();
            (script(move |console| find(console, call, fields, shared)), ToolAnswer::default())
        }
        ToolInput::Match { companies: List(companies), corpus, title } => {
            let side = Side { source: Source::Data, ..workspace(corpus) };
            let mut searches = Vec::new();
            for company in companies {
                let mut values = vec![(Filter::CompanyName, company.clone())];
                values.extend(title.clone().map(|title| (Filter::Title, title)));
                searches.push((company, FilterArgs { values, ..<FilterArgs>::default() }.query(side)?));
            }
            check(!searches.is_empty(), "`companies` names at least one company")?;
            (script(move |console| first_of_each(console, searches, shared)), page(None, None))
        }
        ToolInput::Counts { corpus, kind, limit } => {
            let only = kind.map(|kind| ("kind", json!(kind.name())));
            let answer = ToolAnswer { only, largest: Some("count"), ..page(limit, None) };
            (script(move |console| counts(console, corpus.unwrap_or_default())), answer)
        }
        ToolInput::Contact { corpus, id } => {
            let side = workspace(corpus);
            let row = shared.row(side, id);
            (script(move |console| contact(console, side.corpus, id, row)), ToolAnswer::default())
        }
        ToolInput::Basket { action, corpus, ids, limit, offset } => {
            let (side, List(ids)) = (workspace(corpus), ids.unwrap_or_default());
            let done = ToolAnswer { none: Some("done; nothing spent"), ..ToolAnswer::default() };
            match action {
                Staging::List => (script(move |console| basket::list(console, side)), page(limit, offset)),
                _ if ids.is_empty() => return Err(wrong("`ids` names at least one contact")),
                Staging::Add => {
                    let rows = shared.given(side, ids);
                    (script(move |console| basket::add(console, side, rows)), done)
                }
                Staging::Remove => (script(move |console| basket::remove(console, side, ids)), done),
            }
        }
        ToolInput::Suppress { action, corpus, ids, name, entries } => {
            let script = match action {
                Suppressing::List => script(suppress::list),
                Suppressing::Check => {
                    let (side, List(ids)) = (workspace(corpus), ids.unwrap_or_default());
                    let rows = (!ids.is_empty()).then(|| shared.given(side, ids));
                    script(move |console| suppress::check(console, side.corpus, rows))
                }
                Suppressing::Add => {
                    let name = lode_core::scrub::name(&name.unwrap_or_default());
                    let List(entries) = entries.unwrap_or_default();
                    check(!name.is_empty() && !entries.is_empty(), "`name` and `entries` are needed")?;
                    let from = Csv::Pipe(entries.join("\n"));
                    script(move |console| suppress::add(console, name, from, false, false))
                }
            };
            (script, ToolAnswer::of_page(50, 0))
        }
        ToolInput::Quote { corpus, ids, basket, max_credits, verify } => {
            let (side, List(ids), whole) = (workspace(corpus), ids.unwrap_or_default(), basket.unwrap_or(false));
            check(ids.is_empty() == whole, "give `ids`, or `basket`: true")?;
            let given = (!whole).then(|| shared.given(side, ids));
            // What is asked for is what the limit reaches: the person reads a number that is meant.
            let first = max_credits.map(|Number(most)| most as usize);
            let choice = ReviewChoice { first, verify: verify.unwrap_or(true), ..ReviewChoice::default() };
            let run = move |console| quote(console, side, given, choice, handle, shared.standing);
            (script(run), ToolAnswer::default())
        }
        ToolInput::Unlock { handle } => (unlock_granted(Handle(handle)), ToolAnswer::of_page(50, 0)),
        ToolInput::Owned { corpus, find, limit, offset, fields } => {
            let answer = ToolAnswer { fields: fields.unwrap_or_default().0, ..page(limit, offset) };
            (script(move |console| owned(console, OwnedArgs { corpus, find })), answer)
        }
        ToolInput::Receipts { limit, offset } => (script(move |console| receipts(console, None)), page(limit, offset)),
        ToolInput::Saved { action, name, corpus, limit, filters } => {
            let name = name.ok_or_else(|| wrong("`name` is needed"));
            let script = match action {
                Saving::List => script(saved::list),
                Saving::Run => {
                    let args = RunArgs { name: name?, limit: rows_of(limit).into(), ..RunArgs::default() };
                    script(move |console| saved::run(console, args))
                }
                Saving::Add => {
                    let query = filters.unwrap_or_default().query(workspace(corpus))?;
                    let change = SavedChange::Add { name: name?, query, view: None };
                    script(move |console| saved::change(console, change))
                }
            };
            (script, ToolAnswer { none: Some("done"), ..ToolAnswer::of_page(50, 0) })
        }
        ToolInput::Export { from, corpus, form: named, file, filters } => {
            let from = match from {
                RowsOf::Owned => Some(LocalData::Owned),
                RowsOf::Basket => Some(LocalData::Basket),
                RowsOf::Data => None,
            };
            let (corpus, filters) = (corpus.unwrap_or_default(), filters.unwrap_or_default());
            let form = named.map_or(Form::Contacts, |FormName(name)| Form::from(&*name));
            let output = Some(place(&file, &shared)?);
            let args = ExportArgs { corpus, from, form, output, filters, force: false, paged: false, yes: false };
            (args.script(None)?, ToolAnswer::default())
        }
        ToolInput::Status { handle } => {
            let run = move |console| status(console, handle.map(Handle), shared.standing);
            (script(run), ToolAnswer::default())
        }
    })
}

/// Where a file of this name goes: into the first folder that the user allowed, never elsewhere.
fn place(file: &str, shared: &Shared) -> Result<PathBuf, CommandProblem> {
    let Some(folder) = shared.folders.first() else {
        let hint = "the user adds `--export-to FOLDER` to `lode mcp`";
        return Err(CommandProblem::new(Exit::Usage, "no folder is allowed for exports", hint));
    };
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    if file.is_empty() || file.starts_with('.') || file.len() > 120 || !file.chars().all(plain) {
        return Err(wrong("`file` is a plain file name, such as nurses.csv"));
    }
    Ok(folder.join(file))
}

/// Proposes to unlock these contacts; without them the basket. `handle` names the proposal.
async fn quote(
    console: Console,
    side: Side,
    given: Option<Vec<Given>>,
    choice: ReviewChoice,
    handle: Handle,
    standing: Option<StandingGrant>,
) -> Ending {
    let purse = console.purse_of(side.source).ok_or_else(|| CommandProblem::no_key(side.source))?;
    let basket = console.basket(purse, side).await?;
    let rows = match given {
        Some(given) => known_rows(given, &basket),
        None => basket.into_iter().take(500).collect(),
    };
    let quote = review(&console, side.corpus, rows, choice).await?;
    let shape = quote_shape(&quote, quote.most);
    if quote.to_unlock.is_empty() {
        console.print(&json!({"quote": shape, "handle": null}));
        return Ok(Exit::Done);
    }
    let proposed = console.with(|run| run.session.propose(&quote, handle, run.now, run.fx));
    let Some((ticket, proposal)) = proposed else { return Ok(Exit::Failed) };
    console.stored::<Granted>(ticket).await?.map_err(|why| match why {
        NotGranted::TooMuch => {
            let words = "too many requests wait for the user already";
            CommandProblem::new(Exit::Capped, words, "wait until the user has answered them")
        }
        why => not_granted(why),
    })?;
    let next = if standing.is_some_and(|standing| proposal.ceiling <= standing.per_call) {
        "the user allows this much without asking: call unlock"
    } else {
        "ask the user to open lode and type `:request` on the Basket screen; then call unlock"
    };
    console.print(&json!({
        "handle": proposal.handle.0,
        "max_credits": proposal.ceiling.0,
        "expires_at": moment(proposal.expires_at),
        "quote": shape,
        "next": next,
    }));
    Ok(Exit::Done)
}

async fn status(console: Console, handle: Option<Handle>, standing: Option<StandingGrant>) -> Ending {
    let mut line = json!(me_line(&console.account().await?));
    let allows = |standing: StandingGrant| json!({"per_day": standing.per_day.0, "per_call": standing.per_call.0});
    line["standing_allowance"] = json!(standing.map(allows));
    if let Some(handle) = handle {
        line["proposal"] = state(&proposal_of(&console, handle).await?);
    }
    console.print(&line);
    Ok(Exit::Done)
}

/// A proposal in words.
fn state(proposal: &Proposal) -> Value {
    let accepted = if let ProposalState::Accepted { amount, .. } = &proposal.state { Some(amount.0) } else { None };
    json!({
        "state": <&str>::from(&proposal.state),
        "accepted_credits": accepted,
        "max_credits": proposal.ceiling.0,
        "contacts": proposal.rows.len(),
        "expires_at": moment(proposal.expires_at),
    })
}

/// Accepts a proposal for an amount: what a person answered in their client, where the settings allow that.
pub fn accept(handle: Handle, amount: Credits) -> ToolCall {
    let script = script(async move |console| {
        let proposal = proposal_of(&console, handle).await?;
        let answered = console.with(move |run| run.session.accept_elicited(&proposal, amount, run.fx));
        console.stored::<Granted>(answered).await?.map_err(not_granted)?;
        console.print(&json!({"accepted": amount.0}));
        Ok(Exit::Done)
    });
    (script, ToolAnswer::default())
}

/// A row in few fields, or in those that were asked for by the names of the service.
fn brief(row: &Row, fields: &[String]) -> Value {
    if !fields.is_empty() {
        return cut(serde_json::from_str(&json::row(row)).unwrap_or_default(), fields);
    }
    let mut brief = json!({"id": row.id().map(|id| id.0), "name": row.name()});
    for (name, column) in BRIEF {
        let value = row.known(column);
        if !value.is_empty() {
            brief[name] = json!(value);
        }
    }
    brief["owned"] = json!(row.unlocked());
    brief
}

/// Remembers what a page showed: here for the ids, in the history for a free look later.
async fn remember(call: &SearchCall, page: &Page, shared: &Shared, console: &Console) {
    let side = call.query.side;
    shared.saw(side, &page.rows);
    if let Some(purse) = console.purse_of(side.source) {
        let (canonical, &Page { total, offset, .. }) = (call.query.canonical(), page);
        let ids = page.rows.iter().filter_map(|row| row.id()).collect();
        console.with(|run| run.store(StoreCall::Searched { purse, canonical, total, offset, ids, leg: false }));
    }
}

/// One page.
async fn find(console: Console, call: SearchCall, fields: Vec<String>, shared: Shared) -> Ending {
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
    console.print(&fit(json!({"rows": rows, "total": page.total, "next": next})));
    Ok(Exit::Done)
}

/// Rows of each company.
const FIRST: u64 = 3;

/// One small search for each company, all at once.
async fn first_of_each(console: Console, searches: Vec<(String, Query)>, shared: Shared) -> Ending {
    console.needs(searches[0].1.side.source)?;
    let mut asked = Vec::new();
    for (company, query) in searches {
        let call = SearchCall { query, offset: 0, limit: FIRST, mark_pulled: false };
        asked.push((console.with(|run| run.ask(Call::Search(call.clone()))), company, call));
    }
    while !asked.is_empty() {
        let Event::Answered(Arrival::Reply(id, _, result)) = console.event().await else { continue };
        let Some(place) = asked.iter().position(|(asked, ..)| *asked == id) else { continue };
        let (_, company, call) = asked.remove(place);
        let reply = result.map_err(|failure| CommandProblem::of_call(call.query.side.source, &failure))?;
        let Reply::Page(page) = reply else { unreachable!("a search answers with a page") };
        remember(&call, &page, &shared, &console).await;
        let first: Vec<Value> = page.rows.iter().take(FIRST as usize).map(|row| brief(row, &[])).collect();
        console.print(&json!({"company": company, "total": page.total, "first": first}));
    }
    Ok(Exit::Done)
}

/// One contact: whole where it is owned, else the row that a search of this server showed.
async fn contact(console: Console, corpus: Corpus, id: RowId, row: Option<Row>) -> Ending {
    let owned = console.owned(Some(corpus)).await?;
    if let Some(owned) = owned.iter().find(|owned| owned.id == id) {
        console.print(&json::owned(owned));
    } else if let Some(row) = row {
        console.say(Effect::Print(json::row(&row)));
    } else {
        let words = format!("contact {id} is not owned, and no search has shown it");
        return Err(CommandProblem::new(Code::NotFound, words, "search shows it first"));
    }
    Ok(Exit::Done)
}
