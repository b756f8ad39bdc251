//! `lode suppress`: the suppression lists of the shell. The same lists as on the screen; nothing is asked of a service.

use std::path::PathBuf;

use serde_json::{Value, json};

use crate::cli::args::suppress::SuppressAct;
use crate::cli::exit::Exit;
use crate::cli::input::Given;
use crate::cli::output::shapes::{SuppressCheckLine, SuppressListLine};
use crate::cli::output::table::{Column, text};
use crate::cli::output::{Format, Lines, json};
use crate::cli::program::{Run, Script};
use crate::cli::say::Problem;
use crate::domain::contact::{Corpus, Side, Source};
use crate::domain::credits::counted;
use crate::domain::money::Staged;
use crate::effect::files::{FileCall, FileReply};
use crate::effect::store::{StoreCall, StoreReply, SuppressEntry, Suppression};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::Heard;
use crate::flow::session::Event;
use crate::flow::unlock::crm;
use crate::flow::unlock::list::contents;
use crate::flow::unlock::suppress::{Check, Lists, Shown};

/// What is wanted of the lists.
#[derive(Debug)]
pub enum Act {
    Add {
        name: String,
        from: Csv,
        subdomains: bool,
    },
    List,
    Show(String),
    Remove(String),
    /// Of the basket where no rows are given.
    Check(Corpus, Option<Vec<Given>>),
}

/// Where the list comes from.
#[derive(Debug)]
pub enum Csv {
    File(PathBuf),
    Pipe(String),
}

pub struct Suppress {
    act: Act,
    format: Format,
    lists: Vec<Suppression>,
    stage: Stage,
    /// What is said once the change is kept.
    told: String,
}

#[derive(Debug, PartialEq)]
enum Stage {
    Reading(Ticket),
    Basket(Ticket),
    File(Ticket),
    Changing(Ticket),
    Over,
}

/// The act that the arguments mean; `given` reads rows and `pipe` is what standard input held.
pub fn act(
    act: &SuppressAct,
    pipe: Option<&str>,
    given: impl FnOnce(&[String], Side) -> Result<Vec<Given>, Problem>,
) -> Result<Act, Problem> {
    Ok(match act {
        SuppressAct::Add { name, file, subdomains } => {
            let name = crate::wire::scrub::name(name);
            if name.is_empty() {
                return Err(Problem::new(Exit::Usage, "the list needs a name", "use `lode suppress add NAME FILE`"));
            }
            let from = match file.as_deref().filter(|file| *file != "-") {
                Some(file) => Csv::File(PathBuf::from(file)),
                None => Csv::Pipe(pipe.unwrap_or_default().to_owned()),
            };
            Act::Add { name, from, subdomains: *subdomains }
        }
        SuppressAct::List => Act::List,
        SuppressAct::Show { name } => Act::Show(name.clone()),
        SuppressAct::Rm { name } => Act::Remove(name.clone()),
        SuppressAct::Check { corpus, ids } => {
            let side = Side { source: Source::Workspace, corpus: *corpus };
            let rows = if ids.is_empty() { None } else { Some(given(ids, side)?) };
            Act::Check(*corpus, rows)
        }
    })
}

impl Suppress {
    pub fn new(act: Act, format: Format) -> Suppress {
        Suppress { act, format, lists: Vec::new(), stage: Stage::Over, told: String::new() }
    }

    fn end(&mut self, run: &mut Run<'_>) {
        self.stage = Stage::Over;
        run.fx.push(Effect::Quit(Exit::Done.code()));
    }

    fn fail(&mut self, problem: &Problem, run: &mut Run<'_>) {
        self.stage = Stage::Over;
        problem.end(run.fx);
    }

    fn print<R>(
        &self,
        columns: Vec<Column>,
        rows: &[R],
        line: impl Fn(&R) -> String,
        cells: impl Fn(&R) -> Vec<String>,
        run: &mut Run<'_>,
    ) {
        Lines::new(self.format, columns).print(rows, line, cells, run.fx);
    }

    fn is_table(&self) -> bool {
        matches!(self.format, Format::Table { .. })
    }

    /// The lists are here.
    fn go_on(&mut self, run: &mut Run<'_>) {
        match &self.act {
            Act::Add { from: Csv::File(path), .. } => {
                self.stage = Stage::File(run.file(FileCall::ReadList(path.clone())));
            }
            Act::Add { from: Csv::Pipe(text), .. } => {
                let text = text.clone();
                self.add(&text, run);
            }
            Act::List => {
                let columns = vec![text("LIST", 8, 32), text("NAMES", 12, 60)];
                let cells = |list: &Suppression| vec![list.list.clone(), contents(&list.entries)];
                self.print(columns, &self.lists, summary, cells, run);
                if self.is_table() && self.lists.is_empty() {
                    run.fx.push(Effect::Warn(
                        "no suppression lists yet; add one with `lode suppress add NAME FILE`".to_owned(),
                    ));
                }
                self.end(run);
            }
            Act::Show(name) | Act::Remove(name) => {
                let Some(list) = self.lists.iter().find(|list| list.list == *name) else {
                    let words = format!("there is no suppression list `{name}`");
                    return self.fail(&Problem::new(Exit::Failed, words, "`lode suppress list` shows the lists"), run);
                };
                if let Act::Remove(_) = self.act {
                    self.told =
                        format!("removed {name} ({}). Its contacts can be unlocked again.", contents(&list.entries));
                    let call = StoreCall::RemoveSuppression { purses: run.session.purses(), list: name.clone() };
                    self.stage = Stage::Changing(run.store(call));
                    return;
                }
                let columns = vec![text("KIND", 7, 8), text("VALUE", 16, 60), text("NAME", 8, 32)];
                self.print(columns, &list.entries, |entry| described(entry).0, |entry| described(entry).1, run);
                self.end(run);
            }
            Act::Check(corpus, rows) => match rows {
                Some(rows) => {
                    let rows: Vec<Staged> = rows.iter().map(Given::staged).collect();
                    self.check(*corpus, &rows, run);
                }
                None => {
                    let side = Side { source: Source::Workspace, corpus: *corpus };
                    let purse = run.session.purse_of(side.source).unwrap_or_else(|| run.session.profile.earlier());
                    let call = StoreCall::Basket { purse, side };
                    self.stage = Stage::Basket(run.store(call));
                }
            },
        }
    }

    fn add(&mut self, text: &str, run: &mut Run<'_>) {
        let Act::Add { name, subdomains, from } = &self.act else { return };
        let found = match crm::read(text, *subdomains) {
            Ok(found) => found,
            Err(unusable) => {
                let what = match from {
                    Csv::File(path) => path.display().to_string(),
                    Csv::Pipe(_) => "standard input".to_owned(),
                };
                let words = format!("{what} cannot be used as a list: {unusable}");
                return self.fail(
                    &Problem::new(Exit::Usage, words, "`lode suppress add --help` shows which columns are read"),
                    run,
                );
            }
        };
        let skipped = if found.skipped > 0 {
            format!("; {} without a usable value", counted(found.skipped as u64, "line"))
        } else {
            String::new()
        };
        self.told = format!(
            "added to {name}: {}{skipped}. Contacts on this list are never unlocked.",
            contents(&found.entries)
        );
        let (purse, list) = (run.session.list_purse(), name.clone());
        let call = StoreCall::Suppress { purse, list, entries: found.entries };
        self.stage = Stage::Changing(run.store(call));
    }

    fn check(&mut self, corpus: Corpus, rows: &[Staged], run: &mut Run<'_>) {
        let lists = Lists::of(&self.lists);
        let side = Side { source: Source::Workspace, corpus };
        let said = |row: &Staged| match lists.check(side, Shown::of(row)) {
            Check::Clear => ("clear", None, None),
            Check::Named(list) => ("suppressed", Some(list.to_owned()), None),
            Check::Unchecked(why) => ("unchecked", None, Some(why.to_string())),
        };
        let line = |row: &Staged| {
            let (check, list, why) = said(row);
            json::line(&SuppressCheckLine { id: row.id.0, corpus: corpus.name(), check, list, why })
        };
        let cells = |row: &Staged| {
            let (check, list, why) = said(row);
            vec![
                row.id.to_string(),
                check.to_owned(),
                list.or(why).unwrap_or_default(),
                row.name.clone(),
                row.company.clone(),
            ]
        };
        let columns = vec![
            text("ID", 4, 20),
            text("CHECK", 10, 10),
            text("LIST", 8, 40),
            text("NAME", 18, 28),
            text("COMPANY", 8, 32),
        ];
        self.print(columns, rows, line, cells, run);
        self.end(run);
    }
}

/// A list as one line.
fn summary(list: &Suppression) -> String {
    let count = |kind: fn(&SuppressEntry) -> bool| list.entries.iter().filter(|entry| kind(entry)).count();
    json::line(&SuppressListLine {
        name: list.list.clone(),
        emails: count(|entry| matches!(entry, SuppressEntry::Email { .. })),
        domains: count(|entry| matches!(entry, SuppressEntry::Domain(_) | SuppressEntry::ExactDomain(_))),
        phones: count(|entry| matches!(entry, SuppressEntry::Phone { .. })),
        people: count(|entry| matches!(entry, SuppressEntry::Person { .. })),
        contacts: count(|entry| matches!(entry, SuppressEntry::Contact(..))),
    })
}

/// An entry as a line and as cells.
fn described(entry: &SuppressEntry) -> (String, Vec<String>) {
    let (kind, value, name, company, subdomains) = match entry {
        SuppressEntry::Email { email, name } => ("email", email.clone(), name.as_str(), "", false),
        SuppressEntry::Domain(domain) => ("domain", domain.clone(), "", "", true),
        SuppressEntry::ExactDomain(domain) => ("domain", domain.clone(), "", "", false),
        SuppressEntry::Phone { digits, name } => ("phone", digits.clone(), name.as_str(), "", false),
        SuppressEntry::Person { name, company } => ("person", company.clone(), name.as_str(), company.as_str(), false),
        SuppressEntry::Contact(side, id) => ("contact", format!("{side} {id}"), "", "", false),
    };
    let or_null = |text: &str| if text.is_empty() { Value::Null } else { json!(text) };
    let mut fields = vec![("kind", json!(kind))];
    match entry {
        SuppressEntry::Person { .. } => fields.push(("company_name", json!(company))),
        SuppressEntry::Contact(side, id) => {
            let side =
                [("source", json!(side.source.name())), ("corpus", json!(side.corpus.name())), ("id", json!(id.0))];
            fields.extend(side);
        }
        _ => fields.push(("value", json!(value))),
    }
    if kind == "domain" {
        fields.push(("subdomains", json!(subdomains)));
    }
    if matches!(kind, "email" | "phone" | "person") {
        fields.push(("contact_name", or_null(name)));
    }
    let shown = if subdomains { format!("*.{value}") } else { value };
    (json::object(fields), vec![kind.to_owned(), shown, name.to_owned()])
}

impl Script for Suppress {
    fn start(&mut self, run: &mut Run<'_>) {
        let call = StoreCall::Suppressions { purses: run.session.purses() };
        self.stage = Stage::Reading(run.store(call));
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(heard) = event else { return };
        match heard {
            Heard::Stored(_, Err(failure)) if self.stage != Stage::Over => self.fail(&Problem::of_store(&failure), run),
            Heard::Stored(ticket, Ok(StoreReply::Suppressions(lists))) if self.stage == Stage::Reading(ticket) => {
                self.lists = lists;
                self.go_on(run);
            }
            Heard::Stored(ticket, Ok(StoreReply::Basket(basket))) if self.stage == Stage::Basket(ticket) => {
                if let Act::Check(corpus, _) = self.act {
                    self.check(corpus, &basket.rows, run);
                }
            }
            Heard::Stored(ticket, Ok(_)) if self.stage == Stage::Changing(ticket) => {
                run.fx.push(Effect::Warn(std::mem::take(&mut self.told)));
                self.end(run);
            }
            Heard::Filed(ticket, result) if self.stage == Stage::File(ticket) => match result {
                Ok(FileReply::Text(text)) => self.add(&text, run),
                Ok(_) => {}
                Err(failure) => self.fail(&Problem::of_file(&failure), run),
            },
            _ => {}
        }
    }
}
