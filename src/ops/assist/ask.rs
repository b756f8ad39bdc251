//! From the arguments of a tool to the script that does it. Most tools are the shell commands themselves; those that prepare an
//! unlock or search for an assistant are below.

use clap::ValueEnum;

use super::tools::Tool;
use super::*;
use crate::ops::export::{ExportArgs, LocalData, form};
use crate::ops::listing::{OwnedArgs, counts, me_line, owned, receipts};
use crate::ops::unlock::{known_rows, not_granted, proposal_of, quote_shape, review, unlock_granted};
use lode_core::{Filter, Page};
use lode_engine::effect::{Call, Form, Handle, NotGranted, Proposal, ProposalState, Reply, SearchCall};
use lode_engine::flow::saved::SavedChange;
use lode_engine::flow::unlock::ReviewChoice;

/// A script, and how its lines become an answer.
pub struct ToolCall {
    pub script: Script,
    pub answer: ToolAnswer,
}

type Read<T> = Result<T, CommandProblem>;

fn wrong(words: impl Into<String>) -> CommandProblem {
    CommandProblem::new(Exit::Usage, words, "tools/list shows what each tool takes")
}

/// Arguments of one call.
struct Arguments<'a>(&'a Map<String, Value>);

impl<'a> Arguments<'a> {
    /// An argument as this reads it; null is the same as absent. `takes` is what it can be.
    fn read<T>(&self, name: &str, read: impl Fn(&'a Value) -> Option<T>, takes: &str) -> Read<Option<T>> {
        let given = self.0.get(name).filter(|value| !value.is_null());
        given.map(|value| read(value).ok_or_else(|| wrong(format!("`{name}` {takes}")))).transpose()
    }

    fn text(&self, name: &str) -> Read<Option<&'a str>> {
        self.read(name, Value::as_str, "is a text")
    }

    fn needed(&self, name: &str) -> Read<&'a str> {
        self.text(name)?.ok_or_else(|| wrong(format!("`{name}` is needed")))
    }

    fn one_of(&self, name: &str, all: &[&'static str]) -> Read<Option<&'static str>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let found = all.iter().find(|one| **one == text).copied();
        found.map(Some).ok_or_else(|| wrong(format!("`{name}` is one of {}", all.join(", "))))
    }

    fn needed_one_of(&self, name: &str, all: &[&'static str]) -> Read<&'static str> {
        self.one_of(name, all)?.ok_or_else(|| wrong(format!("`{name}` is needed")))
    }

    fn number(&self, name: &str, from: u64, to: u64) -> Read<Option<u64>> {
        let read = |value: &Value| value.as_u64().filter(|number| (from..=to).contains(number));
        self.read(name, read, &format!("is a whole number from {from} to {to}"))
    }

    fn flag(&self, name: &str) -> Read<Option<bool>> {
        self.read(name, Value::as_bool, "is true or false")
    }

    fn list<T>(&self, name: &str, most: usize, read: impl Fn(&'a Value) -> Option<T>) -> Read<Vec<T>> {
        let short = |value: &'a Value| value.as_array().filter(|values| values.len() <= most);
        let values = self.read(name, short, &format!("is a list of at most {most}"))?;
        let all: Option<Vec<T>> = values.into_iter().flatten().map(read).collect();
        all.ok_or_else(|| wrong(format!("`{name}` has an entry of another type")))
    }

    fn ids(&self) -> Read<Vec<RowId>> {
        self.list("ids", 500, |value| value.as_i64().filter(|id| *id > 0).map(RowId))
    }

    fn texts(&self, name: &str, most: usize) -> Read<Vec<String>> {
        self.list(name, most, |value| value.as_str().map(str::to_owned))
    }

    fn filters<const SEARCH: bool, const DATA: bool>(&self) -> Read<FilterArgs<SEARCH, DATA>> {
        let exclude_unlocked = self.flag("exclude_owned")?.unwrap_or(false);
        let mut args = FilterArgs { exclude_unlocked, ..FilterArgs::default() };
        for (name, value) in self.read("filters", Value::as_object, "is an object")?.into_iter().flatten() {
            let filter = Filter::named(name).ok_or_else(|| wrong(format!("no filter has the name `{name}`")))?;
            let value = value.as_str().ok_or_else(|| wrong(format!("`{name}` is a text")))?;
            args.values.push((filter, value.to_owned()));
        }
        Ok(args)
    }

    fn query(&self, side: Side) -> Read<Query> {
        self.filters::<true, false>()?.query(side)
    }
}

/// The script of a call. `handle` names the proposal that it may make.
pub fn ask(name: &str, arguments: &Map<String, Value>, shared: &Shared, handle: Handle) -> Read<ToolCall> {
    let tool = Tool::named(name).ok_or_else(|| wrong(format!("`{name}` is not a tool of lode")))?;
    let schema = tool.schema();
    if let Some(unknown) = arguments.keys().find(|key| schema["properties"].get(key.as_str()).is_none()) {
        return Err(wrong(format!("`{name}` takes no `{unknown}`")));
    }
    let given = Arguments(arguments);
    let corpus = given.one_of("corpus", &["us", "linkedin"])?.and_then(|name| name.parse().ok()).unwrap_or_default();
    let workspace = Side { source: Source::Workspace, corpus };
    let limit = given.number("limit", 1, 50)?.unwrap_or(10);
    let offset = given.number("offset", 0, u64::from(u32::MAX))?.unwrap_or(0);
    let page = ToolAnswer::of_page(limit as usize, offset as usize);
    let paged = ToolAnswer { fields: given.texts("fields", 30)?, ..page };
    let rows = |ids: Vec<RowId>| -> Vec<Given> {
        ids.into_iter().map(|id| Given { id, row: shared.row(workspace, id).map(Box::new) }).collect()
    };
    let (script, answer) = match tool.name {
        "search" => {
            let source = given.one_of("source", &["workspace", "data"])?.and_then(|name| name.parse().ok());
            let query = given.query(Side { source: source.unwrap_or(Source::Workspace), corpus })?;
            let call = SearchCall { query, offset, limit, mark_pulled: false };
            let (fields, shared) = (paged.fields, shared.clone());
            (script(move |console| find(console, call, fields, shared)), ToolAnswer::default())
        }
        "match" => {
            let mut searches = Vec::new();
            for company in given.texts("companies", 10)? {
                let mut values = vec![(Filter::CompanyName, company.clone())];
                values.extend(given.text("title")?.map(|title| (Filter::Title, title.to_owned())));
                let side = Side { source: Source::Data, corpus };
                searches.push((company, FilterArgs { values, ..<FilterArgs>::default() }.query(side)?));
            }
            if searches.is_empty() {
                return Err(wrong("`companies` names at least one company"));
            }
            let shared = shared.clone();
            (script(move |console| first_of_each(console, searches, shared)), ToolAnswer::of_page(10, 0))
        }
        "counts" => {
            let only = given.one_of("kind", &["state", "sic"])?.map(|kind| ("kind", json!(kind)));
            let answer = ToolAnswer { only, largest: Some("count"), ..ToolAnswer::of_page(limit as usize, 0) };
            (script(move |console| counts(console, corpus)), answer)
        }
        "contact" => {
            let id = given.number("id", 1, i64::MAX as u64)?.ok_or_else(|| wrong("`id` is needed"))?;
            let id = RowId(id as i64);
            let row = shared.row(workspace, id);
            (script(move |console| contact(console, corpus, id, row)), ToolAnswer::default())
        }
        "basket" => {
            let ids = given.ids()?;
            let done = ToolAnswer { none: Some("done; nothing spent"), ..ToolAnswer::default() };
            match given.needed_one_of("action", &["list", "add", "remove"])? {
                "list" => (script(move |console| basket::list(console, workspace)), paged),
                _ if ids.is_empty() => return Err(wrong("`ids` names at least one contact")),
                "add" => {
                    let rows = rows(ids);
                    (script(move |console| basket::add(console, workspace, rows)), done)
                }
                _ => (script(move |console| basket::remove(console, workspace, ids)), done),
            }
        }
        "suppress" => {
            let listed = ToolAnswer::of_page(50, 0);
            match given.needed_one_of("action", &["list", "check", "add"])? {
                "list" => (script(suppress::list), listed),
                "check" => {
                    let ids = given.ids()?;
                    let rows = (!ids.is_empty()).then(|| rows(ids));
                    (script(move |console| suppress::check(console, corpus, rows)), listed)
                }
                _ => {
                    let name = lode_core::scrub::name(given.needed("name")?);
                    let entries = given.texts("entries", 500)?;
                    if name.is_empty() || entries.is_empty() {
                        return Err(wrong("`name` and `entries` are needed"));
                    }
                    let from = Csv::Pipe(entries.join("\n"));
                    (script(move |console| suppress::add(console, name, from, false, false)), listed)
                }
            }
        }
        "quote" => {
            let ids = given.ids()?;
            let whole = given.flag("basket")?.unwrap_or(false);
            if ids.is_empty() != whole {
                return Err(wrong("give `ids`, or `basket`: true"));
            }
            let most = given.number("max_credits", 1, 1_000_000)?.map(|most| Credits(most as i64));
            let verify = given.flag("verify")?.unwrap_or(true);
            let ids = (!whole).then(|| rows(ids));
            let (wanted, standing) = (Wanted { corpus, ids, most, verify, handle }, shared.standing);
            (script(move |console| quote(console, wanted, standing)), ToolAnswer::default())
        }
        "unlock" => {
            let handle = Handle(given.needed("handle")?.to_owned());
            (unlock_granted(handle), ToolAnswer::of_page(50, 0))
        }
        "owned" => {
            let corpus = given.text("corpus")?.is_some().then_some(corpus);
            let args = OwnedArgs { corpus, find: given.text("find")?.map(str::to_owned) };
            (script(move |console| owned(console, args)), paged)
        }
        "receipts" => (script(move |console| receipts(console, None)), paged),
        "saved" => {
            let answer = ToolAnswer { none: Some("done"), ..ToolAnswer::of_page(50, 0) };
            let action = given.needed_one_of("action", &["list", "run", "add"])?;
            if action == "list" {
                return Ok(ToolCall { script: script(saved::list), answer });
            }
            let name = given.needed("name")?.to_owned();
            if action == "run" {
                (script(move |console| saved::run(console, name, (limit, false), (false, false))), answer)
            } else {
                let change = SavedChange::Add { name, query: given.query(workspace)?, view: None };
                (script(move |console| saved::change(console, change)), answer)
            }
        }
        "export" => {
            let from = given.needed_one_of("from", &["owned", "basket", "data"])?;
            let form = given.text("form")?.map_or(Form::Contacts, form);
            let output = Some(place(given.needed("file")?, shared)?);
            let from = LocalData::from_str(from, false).ok();
            let filters = given.filters()?;
            let args = ExportArgs { corpus, from, form, output, filters, force: false, paged: false, yes: false };
            (args.script(None)?, ToolAnswer::default())
        }
        _ => {
            let handle = given.text("handle")?.map(|handle| Handle(handle.to_owned()));
            let standing = shared.standing;
            (script(move |console| status(console, handle, standing)), ToolAnswer::default())
        }
    };
    Ok(ToolCall { script, answer })
}

/// Where a file of this name goes: into the first folder that the user allowed, never elsewhere.
fn place(file: &str, shared: &Shared) -> Read<std::path::PathBuf> {
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

/// What is asked for.
struct Wanted {
    corpus: Corpus,
    /// None takes the whole basket.
    ids: Option<Vec<Given>>,
    most: Option<Credits>,
    verify: bool,
    /// The name of the proposal.
    handle: Handle,
}

async fn quote(console: Console, wanted: Wanted, standing: Option<StandingGrant>) -> Ending {
    let side = Side { source: Source::Workspace, corpus: wanted.corpus };
    let purse = console.purse_of(side.source).ok_or_else(|| CommandProblem::no_key(side.source))?;
    let basket = console.basket(purse, side).await?;
    let rows = match wanted.ids {
        Some(given) => known_rows(given, &basket),
        None => basket.into_iter().take(500).collect(),
    };
    let choice = ReviewChoice { verify: wanted.verify, ..ReviewChoice::default() };
    let quote = review(&console, side.corpus, rows, choice).await?;
    // What is asked for is what the limit reaches: the person reads a number that is meant.
    let first = wanted.most.and_then(|most| usize::try_from(most.0).ok());
    let quote = quote.choosing(ReviewChoice { first, ..quote.choice.clone() });
    let shape = quote_shape(&quote, quote.most);
    if quote.to_unlock.is_empty() {
        console.print(&json!({"quote": shape, "handle": null}));
        return Ok(Exit::Done);
    }
    let proposed = console.with(|run| run.session.propose(&quote, wanted.handle, run.now, run.fx));
    let Some((ticket, proposal)) = proposed else { return Ok(Exit::Failed) };
    match console.stored(ticket).await? {
        StoreReply::NotGranted(NotGranted::TooMuch) => {
            let words = "too many requests wait for the user already";
            return Err(CommandProblem::new(Exit::Capped, words, "wait until the user has answered them"));
        }
        StoreReply::NotGranted(why) => return Err(not_granted(why)),
        _ => {}
    }
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
    let account = console.account().await?;
    let mut line = json!(me_line(&account));
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
    let (state, accepted) = match &proposal.state {
        ProposalState::Waiting => ("waiting", None),
        ProposalState::Accepted { amount, .. } => ("accepted", Some(amount.0)),
        ProposalState::Declined => ("declined", None),
        ProposalState::Expired => ("expired", None),
        ProposalState::Used(_) => ("used", None),
    };
    json!({
        "state": state,
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
        if let StoreReply::NotGranted(why) = console.stored(answered).await? {
            return Err(not_granted(why));
        }
        console.print(&json!({"accepted": amount.0}));
        Ok(Exit::Done)
    });
    ToolCall { script, answer: ToolAnswer::default() }
}

/// A row in few fields, or in those that were asked for by the names of the service.
fn brief(row: &Row, fields: &[String]) -> Value {
    if !fields.is_empty() {
        return cut(serde_json::from_str(&json::row(row)).unwrap_or_default(), fields);
    }
    let mut brief = json!({"id": row.id().map(|id| id.0), "name": row.name()});
    let known = [
        ("title", Known::Title),
        ("company", Known::Company),
        ("city", Known::City),
        ("state", Known::State),
        ("email", Known::Email),
        ("phone", Known::Phone),
        ("email_status", Known::EmailStatus),
    ];
    for (name, column) in known {
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
