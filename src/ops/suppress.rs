//! `lode suppress`: the suppression lists of the shell. The same lists as on the screen; nothing is asked of a service.

use std::collections::BTreeSet;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueHint};
use serde_json::{Value, json};

use super::filters::corpus;
use super::input;
use super::input::{Csv, Given};
use super::operation::{Operation, Pipe, ScriptContext};
use super::output::{
    Format, HeldByShape, OutputLines, SuppressCheckLine, SuppressListLine, SuppressSummaryLine, SuppressSummaryShape,
    json, text,
};
use super::problem::{Code, CommandProblem, Exit};
use super::program::{Run, Script};
use lode_core::{Corpus, Side, Source, Staged, counted};
use lode_engine::effect::{Effect, FileCall, FileReply, StoreCall, StoreReply, SuppressEntry, Suppression, Ticket};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::Event;
use lode_engine::flow::unlock::{Lists, ShownFields, SuppressionCheck, crm, crm::contents};

#[derive(Clone, Debug, Args)]
pub struct SuppressArgs {
    #[command(subcommand)]
    pub act: SuppressAct,
}

/// How entries are held against rows; shown by `--help`.
pub const RULES: &str = "Contacts on a list are never unlocked. An entry matches:
  email   exactly; a masked row by domain, first letter and name
  domain  exactly; also its subdomains with --subdomains
  phone   by its digits, with or without the country code 1
  name    only together with the company; case, punctuation and the legal form are ignored
A masked row is clear only where it shows another domain, first letter, phone or name. One word of an address is not enough: at
smith.example `j7741@` may be each J. Rows that may be meant stay locked unless you accept them in the review, or with
`lode unlock --allow-unchecked`. `lode suppress check` names the entry.";

#[derive(Clone, Debug, Subcommand)]
pub enum SuppressAct {
    /// Add the entries of a CSV or .xlsx file to a list; columns for email, domain, phone, name and company are found by their headers
    #[command(after_help = format!("{RULES}\n\nExample:\n  lode suppress add crm nurses.csv"))]
    Add {
        /// Name of the list
        #[arg(value_name = "NAME", value_hint = ValueHint::Other)]
        name: String,
        /// CSV with any delimiter, or .xlsx; `-` or no file reads standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<String>,
        /// Include the subdomains of each domain
        #[arg(long)]
        subdomains: bool,
        /// End with a JSON line that counts the result
        #[arg(long)]
        summary: bool,
    },
    /// List the suppression lists and how many entries each has
    #[command(after_help = "Example:\n  lode suppress list --json")]
    List,
    /// Show the entries of a list
    #[command(after_help = "Example:\n  lode suppress show crm")]
    Show {
        #[arg(value_name = "NAME", value_hint = ValueHint::Other)]
        name: String,
    },
    /// Remove a list, or only the entries of a file from it
    #[command(after_help = "Examples:\n  lode suppress rm crm\n  echo dana@lakeside.example | lode suppress rm crm -")]
    Rm {
        #[arg(value_name = "NAME", value_hint = ValueHint::Other)]
        name: String,
        /// CSV or .xlsx file of the entries to remove; `-` reads standard input; without one the whole list is removed
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<String>,
        /// End with a JSON line that counts the result
        #[arg(long)]
        summary: bool,
    },
    /// Check Workspace rows against the lists: the basket, or JSON lines of `lode search` from standard input (`-`)
    #[command(after_help = "Example:\n  lode search --title nurse --limit 20 --json | lode suppress check -")]
    Check {
        /// Corpus of the rows
        #[arg(long, default_value = "us", value_parser = corpus())]
        corpus: Corpus,
        /// Ids, or `-` for standard input; without any, checks the basket
        #[arg(value_name = "ID", value_hint = ValueHint::Other)]
        ids: Vec<String>,
    },
}

pub struct SuppressScript {
    act: Act,
    format: Format,
    lists: Arc<Vec<Suppression>>,
    stage: Stage,
    /// What is said once the change is kept.
    told: String,
    /// The same as data, printed where that is wanted.
    done: SuppressSummaryShape,
    summary: bool,
}

#[derive(Debug, PartialEq)]
enum Stage {
    Reading,
    Basket(Ticket),
    File(Ticket),
    Changing(Ticket),
    Over,
}

impl SuppressScript {
    pub fn new(act: Act, format: Format) -> SuppressScript {
        SuppressScript {
            act,
            format,
            lists: Arc::default(),
            stage: Stage::Reading,
            told: String::new(),
            done: SuppressSummaryShape::default(),
            summary: false,
        }
    }

    /// The same with a line at the end that counts a change.
    pub fn with_summary(self, summary: bool) -> SuppressScript {
        SuppressScript { summary, ..self }
    }

    fn end(&mut self, run: &mut Run<'_>) {
        self.stage = Stage::Over;
        run.fx.push(Effect::Quit(Exit::Done.code()));
    }

    fn fail(&mut self, problem: &CommandProblem, run: &mut Run<'_>) {
        self.stage = Stage::Over;
        problem.end(run.fx);
    }

    /// The lists are here.
    fn go_on(&mut self, run: &mut Run<'_>) {
        match &self.act {
            Act::Take { name, .. } if !self.lists.iter().any(|list| list.list == *name) => {
                let problem = no_list(name);
                self.fail(&problem, run);
            }
            Act::Add { from: Csv::File(path), .. } | Act::Take { from: Csv::File(path), .. } => {
                self.stage = Stage::File(run.file(FileCall::ReadList(path.clone())));
            }
            Act::Add { from: Csv::Pipe(text), .. } | Act::Take { from: Csv::Pipe(text), .. } => {
                let text = text.clone();
                self.take_in(&text, run);
            }
            Act::List => {
                let columns = vec![text("LIST", 8, 32), text("NAMES", 12, 60)];
                let cells = |list: &Suppression| vec![list.list.clone(), contents(&list.entries)];
                let mut lines = OutputLines::new(self.format, columns);
                lines.print(&self.lists, summary, cells, run.fx);
                if lines.is_table() && self.lists.is_empty() {
                    run.fx.push(Effect::Warn(
                        "no suppression lists yet; add one with `lode suppress add NAME FILE`".to_owned(),
                    ));
                }
                self.end(run);
            }
            Act::Show(name) | Act::Remove(name) => {
                let Some(list) = self.lists.iter().find(|list| list.list == *name) else {
                    let problem = no_list(name);
                    return self.fail(&problem, run);
                };
                if let Act::Remove(_) = self.act {
                    self.told =
                        format!("removed {name} ({}). Its contacts can be unlocked again.", contents(&list.entries));
                    self.done = counts(name, &list.entries);
                    self.done.removed = list.entries.len() as u64;
                    let call = StoreCall::RemoveSuppression {
                        purses: run.session.purses(),
                        list: name.clone(),
                        entries: None,
                    };
                    self.stage = Stage::Changing(run.store(call));
                    return;
                }
                let columns = vec![text("KIND", 7, 8), text("VALUE", 16, 60), text("NAME", 8, 32)];
                let mut lines = OutputLines::new(self.format, columns);
                lines.print(&list.entries, |entry| described(entry).0, |entry| described(entry).1, run.fx);
                self.end(run);
            }
            Act::Check(corpus, rows) => match rows {
                Some(rows) => {
                    let rows: Vec<Staged> = rows.iter().map(Given::staged).collect();
                    self.check(*corpus, &rows, run);
                }
                None => {
                    let side = Side { source: Source::Workspace, corpus: *corpus };
                    let purse = run.session.purse_of(side.source).unwrap_or_else(|| run.session.profile().earlier());
                    let call = StoreCall::Basket { purse, side };
                    self.stage = Stage::Basket(run.store(call));
                }
            },
        }
    }

    /// The entries that were given are here.
    fn take_in(&mut self, text: &str, run: &mut Run<'_>) {
        let (name, subdomains, from) = match &self.act {
            Act::Add { name, subdomains, from } => (name, *subdomains, from),
            Act::Take { name, from } => (name, false, from),
            _ => return,
        };
        let found = match crm::read(text, subdomains) {
            Ok(found) => found,
            Err(unusable) => {
                let words = format!("{} cannot be used as a list: {unusable}", from.title());
                let hint = "`lode suppress add --help` shows which columns are read";
                return self.fail(&CommandProblem::new(Exit::Usage, words, hint), run);
            }
        };
        if let Act::Take { .. } = self.act {
            let name = name.clone();
            return self.take_out(&name, &found.entries, run);
        }
        let known: BTreeSet<String> = self.on_list(name).map(meant).collect();
        let new: Vec<SuppressEntry> =
            found.entries.iter().filter(|entry| !known.contains(&meant(entry))).cloned().collect();
        self.done = SuppressSummaryShape {
            added: new.len() as u64,
            unchanged: (found.entries.len() - new.len()) as u64,
            skipped: found.skipped.len() as u64,
            ..counts(name, &new)
        };
        let skipped = crm::lines_named(&found.skipped);
        let skipped = skipped.map(|lines| format!("; {lines} no usable value")).unwrap_or_default();
        self.told = format!(
            "added to {name}: {}{skipped}. Contacts on this list are never unlocked.",
            contents(&found.entries)
        );
        let (purse, list) = (run.session.list_purse(), name.clone());
        let call = StoreCall::Suppress { purse, list, entries: found.entries };
        self.stage = Stage::Changing(run.store(call));
    }

    /// The entries of a list.
    fn on_list(&self, name: &str) -> impl Iterator<Item = &SuppressEntry> {
        self.lists.iter().filter(move |list| list.list == name).flat_map(|list| &list.entries)
    }

    /// Takes entries out of a list: those that say the same, whatever else stands beside them.
    fn take_out(&mut self, name: &str, given: &[SuppressEntry], run: &mut Run<'_>) {
        let given: BTreeSet<String> = given.iter().map(meant).collect();
        let entries: Vec<SuppressEntry> =
            self.on_list(name).filter(|entry| given.contains(&meant(entry))).cloned().collect();
        if entries.is_empty() {
            let words = format!("none of these entries is on the list `{name}`");
            let hint = "`lode suppress show NAME` shows its entries";
            return self.fail(&CommandProblem::new(Exit::Failed, words, hint), run);
        }
        let gone: BTreeSet<String> = entries.iter().map(meant).collect();
        let absent = given.difference(&gone).count();
        self.done =
            SuppressSummaryShape { removed: entries.len() as u64, unchanged: absent as u64, ..counts(name, &entries) };
        let absent = match absent {
            0 => String::new(),
            count => format!("; {} not on it", counted(count as u64, "entry")),
        };
        self.told = format!("removed from {name}: {}{absent}. These can be unlocked again.", contents(&entries));
        let (purses, list) = (run.session.purses(), name.to_owned());
        self.stage = Stage::Changing(run.store(StoreCall::RemoveSuppression { purses, list, entries: Some(entries) }));
    }

    fn check(&mut self, corpus: Corpus, rows: &[Staged], run: &mut Run<'_>) {
        let lists = Lists::of(self.lists.clone());
        let side = Side { source: Source::Workspace, corpus };
        let said = |row: &Staged| match lists.check(side, ShownFields::of(row)) {
            SuppressionCheck::Clear => ("clear", None, None, Vec::new()),
            SuppressionCheck::Named(at) => {
                ("suppressed", Some(lists.list(at).to_owned()), None, vec![lists.held_by(at)])
            }
            SuppressionCheck::Unchecked(why, may) => {
                ("unchecked", None, Some(why.to_string()), lists.may_be_held_by(&may).to_vec())
            }
        };
        let line = |row: &Staged| {
            let (check, list, why, by) = said(row);
            let by = by.into_iter().map(|by| HeldByShape { list: by.list, entry: by.entry }).collect();
            json::line(&SuppressCheckLine { id: row.id.0, corpus: corpus.name(), check, list, why, by })
        };
        let cells = |row: &Staged| {
            let (check, _, _, by) = said(row);
            let by: Vec<String> = by.iter().map(ToString::to_string).collect();
            vec![row.id.to_string(), check.to_owned(), by.join("; "), row.name.clone(), row.company.clone()]
        };
        let columns = vec![
            text("ID", 4, 20),
            text("CHECK", 10, 10),
            text("ENTRY", 8, 40),
            text("NAME", 18, 28),
            text("COMPANY", 8, 32),
        ];
        OutputLines::new(self.format, columns).print(rows, line, cells, run.fx);
        self.end(run);
    }
}

impl Operation for SuppressArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Workspace]
    }

    /// The lists of the profile are local.
    fn needs(&self, _source: Source) -> bool {
        false
    }

    fn pipe(&self) -> Option<Pipe> {
        const LIST: Pipe = Pipe {
            is_list: true,
            missing: ["no file was given", "name a file, or pipe a CRM export to standard input"],
        };
        match &self.act {
            SuppressAct::Add { file, .. } => file.as_deref().is_none_or(|file| file == "-").then_some(LIST),
            SuppressAct::Rm { file, .. } => (file.as_deref() == Some("-")).then_some(LIST),
            SuppressAct::Check { ids, .. } => ids.iter().any(|id| id == "-").then_some(Pipe { is_list: false, ..LIST }),
            SuppressAct::List | SuppressAct::Show { .. } => None,
        }
    }

    fn script(&self, ScriptContext { pipe, format, .. }: ScriptContext<'_>) -> Result<Box<dyn Script>, CommandProblem> {
        let summary =
            matches!(self.act, SuppressAct::Add { summary: true, .. } | SuppressAct::Rm { summary: true, .. });
        Ok(Box::new(SuppressScript::new(act(&self.act, pipe)?, format).with_summary(summary)))
    }
}

impl Script for SuppressScript {
    fn start(&mut self, run: &mut Run<'_>) {
        run.session.read_lists(run.now, run.fx);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let arrival = match event {
            Event::Answered(arrival) => arrival,
            Event::Lists(Ok(())) if self.stage == Stage::Reading => {
                self.lists = run.session.lists().all().clone();
                return self.go_on(run);
            }
            Event::Lists(Err(failure)) if self.stage == Stage::Reading => {
                return self.fail(&CommandProblem::of_store(&failure), run);
            }
            _ => return,
        };
        match arrival {
            Arrival::Stored(_, Err(failure)) if self.stage != Stage::Over => {
                self.fail(&CommandProblem::of_store(&failure), run)
            }
            Arrival::Stored(ticket, Ok(StoreReply::Basket(basket))) if self.stage == Stage::Basket(ticket) => {
                if let Act::Check(corpus, _) = self.act {
                    self.check(corpus, &basket.rows, run);
                }
            }
            Arrival::Stored(ticket, Ok(_)) if self.stage == Stage::Changing(ticket) => {
                run.fx.push(Effect::Warn(std::mem::take(&mut self.told)));
                if self.summary {
                    let summary = std::mem::take(&mut self.done);
                    run.fx.push(Effect::Print(json::line(&SuppressSummaryLine { summary })));
                }
                self.end(run);
            }
            Arrival::Filed(ticket, result) if self.stage == Stage::File(ticket) => match result {
                Ok(FileReply::Text(text)) => self.take_in(&text, run),
                Ok(_) => {}
                Err(failure) => self.fail(&CommandProblem::of_file(&failure), run),
            },
            _ => {}
        }
    }
}

// What is wanted of the suppression lists, as the arguments say it.

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
    /// Single entries of a list.
    Take {
        name: String,
        from: Csv,
    },
    /// Of the basket where no rows are given.
    Check(Corpus, Option<Vec<Given>>),
}

/// The act that the arguments mean; `pipe` is what standard input held.
pub fn act(act: &SuppressAct, pipe: Option<&str>) -> Result<Act, CommandProblem> {
    Ok(match act {
        SuppressAct::Add { name, file, subdomains, .. } => {
            let name = lode_core::scrub::name(name);
            if name.is_empty() {
                return Err(CommandProblem::new(
                    Exit::Usage,
                    "the list needs a name",
                    "use `lode suppress add NAME FILE`",
                ));
            }
            Act::Add { name, from: Csv::named(file.as_deref(), pipe), subdomains: *subdomains }
        }
        SuppressAct::List => Act::List,
        SuppressAct::Show { name } => Act::Show(name.clone()),
        SuppressAct::Rm { name, file: None, .. } => Act::Remove(name.clone()),
        SuppressAct::Rm { name, file, .. } => Act::Take { name: name.clone(), from: Csv::named(file.as_deref(), pipe) },
        SuppressAct::Check { corpus, ids } => {
            let side = Side { source: Source::Workspace, corpus: *corpus };
            let rows = if ids.is_empty() { None } else { Some(input::read(ids, pipe, side, true)?) };
            Act::Check(*corpus, rows)
        }
    })
}

// Lists and their entries as lines and cells.

fn no_list(name: &str) -> CommandProblem {
    let words = format!("there is no suppression list `{name}`");
    CommandProblem::new(Exit::Failed, words, "`lode suppress list` shows the lists").code(Code::NotFound)
}

/// What an entry names, without what only describes it.
fn meant(entry: &SuppressEntry) -> String {
    match entry {
        SuppressEntry::Email { email, .. } => format!("email {}", email.to_lowercase()),
        SuppressEntry::Domain(domain) | SuppressEntry::ExactDomain(domain) => {
            format!("domain {}", domain.to_lowercase())
        }
        SuppressEntry::Phone { digits, .. } => format!("phone {digits}"),
        SuppressEntry::Person { name, company } => format!("person {name}\t{company}").to_lowercase(),
        SuppressEntry::Contact(side, id) => format!("contact {side} {id}"),
    }
}

/// How many entries there are of each kind.
fn counts(list: &str, entries: &[SuppressEntry]) -> SuppressSummaryShape {
    let count = |kind: fn(&SuppressEntry) -> bool| entries.iter().filter(|entry| kind(entry)).count() as u64;
    SuppressSummaryShape {
        list: list.to_owned(),
        emails: count(|entry| matches!(entry, SuppressEntry::Email { .. })),
        domains: count(|entry| matches!(entry, SuppressEntry::Domain(_) | SuppressEntry::ExactDomain(_))),
        phones: count(|entry| matches!(entry, SuppressEntry::Phone { .. })),
        people: count(|entry| matches!(entry, SuppressEntry::Person { .. })),
        contacts: count(|entry| matches!(entry, SuppressEntry::Contact(..))),
        ..SuppressSummaryShape::default()
    }
}

/// A list as one line.
fn summary(list: &Suppression) -> String {
    let SuppressSummaryShape { list: name, emails, domains, phones, people, contacts, .. } =
        counts(&list.list, &list.entries);
    json::line(&SuppressListLine { name, emails, domains, phones, people, contacts })
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
