//! From the arguments of a tool to the script that does it. Most tools are the shell commands themselves.

use serde_json::{Map, Value, json};

use crate::ops::console::script;
use crate::ops::counts::counts;
use crate::ops::export::{ExportArgs, LocalData, form};
use crate::ops::filters::{DataFilters, FilterArgs};
use crate::ops::input::{Csv, Given};
use crate::ops::operation::{Operation, ScriptContext};
use crate::ops::output::Format;
use crate::ops::owned::{OwnedArgs, owned};
use crate::ops::problem::{Code, CommandProblem, Exit};
use crate::ops::program::Script;
use crate::ops::receipts::receipts;
use crate::ops::saved::{Act as SavedAct, saved};
use crate::ops::unlock::unlock_granted;
use crate::ops::{basket, suppress};
use lode_core::{Corpus, Credits, Filter, Query, RowId, Side, Source};
use lode_engine::effect::{Form, Handle, Profile, SearchCall};
use lode_engine::flow::saved::SavedChange;

use super::answer::ToolAnswer;
use super::proposals::{Wanted, quote, status};
use super::search::{contact, find, first_of_each};
use super::tools::Tool;
use super::{Shared, USUAL};

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
    fn text(&self, name: &str) -> Read<Option<&'a str>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(wrong(format!("`{name}` is a text"))),
        }
    }

    fn needed(&self, name: &str) -> Read<&'a str> {
        self.text(name)?.ok_or_else(|| wrong(format!("`{name}` is needed")))
    }

    fn one_of(&self, name: &str, all: &[&'static str]) -> Read<Option<&'static str>> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let found = all.iter().find(|one| **one == text).copied();
        found.map(Some).ok_or_else(|| wrong(format!("`{name}` is one of {}", all.join(", "))))
    }

    fn number(&self, name: &str, from: u64, to: u64) -> Read<Option<u64>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_u64().filter(|number| (from..=to).contains(number)) {
                Some(number) => Ok(Some(number)),
                None => Err(wrong(format!("`{name}` is a whole number from {from} to {to}"))),
            },
        }
    }

    fn flag(&self, name: &str) -> Read<Option<bool>> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Bool(flag)) => Ok(Some(*flag)),
            Some(_) => Err(wrong(format!("`{name}` is true or false"))),
        }
    }

    fn list<T>(&self, name: &str, most: usize, read: impl Fn(&'a Value) -> Option<T>) -> Read<Vec<T>> {
        let values = match self.0.get(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::Array(values)) if values.len() <= most => values,
            Some(_) => return Err(wrong(format!("`{name}` is a list of at most {most}"))),
        };
        let all: Option<Vec<T>> = values.iter().map(read).collect();
        all.ok_or_else(|| wrong(format!("`{name}` has an entry of another type")))
    }

    fn ids(&self) -> Read<Vec<RowId>> {
        self.list("ids", 500, |value| value.as_i64().filter(|id| *id > 0).map(RowId))
    }

    fn texts(&self, name: &str, most: usize) -> Read<Vec<String>> {
        self.list(name, most, |value| value.as_str().map(str::to_owned))
    }

    fn corpus(&self) -> Read<Corpus> {
        Ok(self.one_of("corpus", &["us", "linkedin"])?.and_then(|name| name.parse().ok()).unwrap_or(USUAL))
    }

    fn page(&self) -> Read<(usize, usize)> {
        let limit = self.number("limit", 1, 50)?.unwrap_or(10);
        let offset = self.number("offset", 0, u64::from(u32::MAX))?.unwrap_or(0);
        Ok((limit as usize, offset as usize))
    }

    fn filters(&self) -> Read<FilterArgs> {
        let mut args =
            FilterArgs { exclude_unlocked: self.flag("exclude_owned")?.unwrap_or(false), ..FilterArgs::default() };
        let filters = match self.0.get("filters") {
            None | Some(Value::Null) => return Ok(args),
            Some(Value::Object(filters)) => filters,
            Some(_) => return Err(wrong("`filters` is an object")),
        };
        for (name, value) in filters {
            let filter = Filter::named(name).ok_or_else(|| wrong(format!("no filter has the name `{name}`")))?;
            let value = value.as_str().ok_or_else(|| wrong(format!("`{name}` is a text")))?;
            args.values.push((filter, value.to_owned()));
        }
        Ok(args)
    }

    fn query(&self, side: Side) -> Read<Query> {
        self.filters()?.query(side)
    }
}

/// The script of a call. `handle` names the proposal that it may make.
pub fn ask(
    name: &str,
    arguments: &Map<String, Value>,
    profile: &Profile,
    shared: &Shared,
    handle: Handle,
) -> Read<ToolCall> {
    let tool = Tool::named(name).ok_or_else(|| wrong(format!("there is no tool `{name}`")).code(Code::Usage))?;
    let schema = tool.schema();
    if let Some(unknown) = arguments.keys().find(|key| schema["properties"].get(key.as_str()).is_none()) {
        return Err(wrong(format!("`{name}` takes no `{unknown}`")));
    }
    let given = Arguments(arguments);
    let corpus = given.corpus()?;
    let workspace = Side { source: Source::Workspace, corpus };
    let (limit, offset) = given.page()?;
    let paged = ToolAnswer { fields: given.texts("fields", 30)?, ..ToolAnswer::of_page(limit, offset) };
    let rows = |ids: Vec<RowId>| -> Vec<Given> {
        ids.into_iter().map(|id| Given { id, row: shared.row(workspace, id).map(Box::new) }).collect()
    };
    let asked = |script: Script, answer: ToolAnswer| Ok(ToolCall { script, answer });
    match tool.name {
        "search" => {
            let source = given.one_of("source", &["workspace", "data"])?.and_then(|name| name.parse().ok());
            let query = given.query(Side { source: source.unwrap_or(Source::Workspace), corpus })?;
            let call = SearchCall { query, offset: offset as u64, limit: limit as u64, mark_pulled: false };
            let (fields, shared) = (paged.fields, shared.clone());
            asked(script(move |console| find(console, call, fields, shared)), ToolAnswer::default())
        }
        "match" => {
            let mut searches = Vec::new();
            for company in given.texts("companies", 10)? {
                let mut values = vec![(Filter::CompanyName, company.clone())];
                values.extend(given.text("title")?.map(|title| (Filter::Title, title.to_owned())));
                let side = Side { source: Source::Data, corpus };
                searches.push((company, FilterArgs { values, ..FilterArgs::default() }.query(side)?));
            }
            if searches.is_empty() {
                return Err(wrong("`companies` names at least one company"));
            }
            let shared = shared.clone();
            asked(script(move |console| first_of_each(console, searches, shared)), ToolAnswer::of_page(10, 0))
        }
        "counts" => {
            let only = given.one_of("kind", &["state", "sic"])?.map(|kind| ("kind", json!(kind)));
            let answer = ToolAnswer { only, largest: Some("count"), ..ToolAnswer::of_page(limit, 0) };
            asked(script(move |console| counts(console, corpus, Format::Json)), answer)
        }
        "contact" => {
            let id = given.number("id", 1, i64::MAX as u64)?.ok_or_else(|| wrong("`id` is needed"))?;
            let id = RowId(id as i64);
            let row = shared.row(workspace, id);
            asked(script(move |console| contact(console, corpus, id, row)), ToolAnswer::default())
        }
        "basket" => {
            let ids = given.ids()?;
            let done = ToolAnswer { none: Some("done; nothing spent"), ..ToolAnswer::default() };
            match given.one_of("action", &["list", "add", "remove"])? {
                Some("list") => asked(script(move |console| basket::list(console, workspace, Format::Json)), paged),
                Some(_) if ids.is_empty() => Err(wrong("`ids` names at least one contact")),
                Some("add") => {
                    let rows = rows(ids);
                    asked(script(move |console| basket::add(console, workspace, rows, Format::Json)), done)
                }
                Some(_) => asked(script(move |console| basket::remove(console, workspace, ids, Format::Json)), done),
                None => Err(wrong("`action` is needed")),
            }
        }
        "suppress" => {
            let listed = ToolAnswer::of_page(50, 0);
            match given.one_of("action", &["list", "check", "add"])? {
                Some("list") => asked(script(move |console| suppress::list(console, Format::Json)), listed),
                Some("check") => {
                    let ids = given.ids()?;
                    let rows = (!ids.is_empty()).then(|| rows(ids));
                    asked(script(move |console| suppress::check(console, corpus, rows, Format::Json)), listed)
                }
                Some(_) => {
                    let name = lode_core::scrub::name(given.needed("name")?);
                    let entries = given.texts("entries", 500)?;
                    if name.is_empty() || entries.is_empty() {
                        return Err(wrong("`name` and `entries` are needed"));
                    }
                    let from = Csv::Pipe(entries.join("\n"));
                    asked(script(move |console| suppress::add(console, name, from, false, false)), listed)
                }
                None => Err(wrong("`action` is needed")),
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
            asked(script(move |console| quote(console, wanted, standing)), ToolAnswer::default())
        }
        "unlock" => {
            let handle = Handle(given.needed("handle")?.to_owned());
            asked(unlock_granted(handle), ToolAnswer::of_page(50, 0))
        }
        "owned" => {
            let corpus = given.text("corpus")?.is_some().then_some(corpus);
            let args = OwnedArgs { corpus, find: given.text("find")?.map(str::to_owned) };
            asked(script(move |console| owned(console, args, Format::Json)), paged)
        }
        "receipts" => asked(script(move |console| receipts(console, None, Format::Json)), paged),
        "saved" => {
            let act = match given.one_of("action", &["list", "run", "add"])? {
                Some("list") => SavedAct::List,
                Some("run") => {
                    let name = given.needed("name")?.to_owned();
                    SavedAct::Run { name, only_new: false, limit: limit as u64, yes: false, summary: false }
                }
                Some(_) => {
                    let name = given.needed("name")?.to_owned();
                    SavedAct::Change(SavedChange::Add { name, query: given.query(workspace)?, view: None })
                }
                None => return Err(wrong("`action` is needed")),
            };
            let answer = ToolAnswer { none: Some("done"), ..ToolAnswer::of_page(50, 0) };
            asked(script(move |console| saved(console, act, Format::Json)), answer)
        }
        "export" => {
            let from = given.one_of("from", &["owned", "basket", "data"])?.ok_or_else(|| wrong("`from` is needed"))?;
            let form = given.text("form")?.map_or(Form::Contacts, form);
            let output = Some(place(given.needed("file")?, shared)?);
            let from = match from {
                "owned" => Some(LocalData::Owned),
                "basket" => Some(LocalData::Basket),
                _ => None,
            };
            let filters = given.filters()?;
            let args = ExportArgs {
                corpus,
                from,
                form,
                output,
                filters: DataFilters(filters),
                force: false,
                paged: false,
                yes: false,
            };
            let context = ScriptContext { profile, pipe: None, format: Format::Json };
            asked(args.script(context)?, ToolAnswer::default())
        }
        _ => {
            let handle = given.text("handle")?.map(|handle| Handle(handle.to_owned()));
            let standing = shared.standing;
            asked(script(move |console| status(console, handle, standing)), ToolAnswer::default())
        }
    }
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
