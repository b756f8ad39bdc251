//! `lode suppress`: the suppression lists of the shell. The same lists as on the screen; nothing is asked of a service.

use super::*;
use lode_core::crm::{self, CrmFile};
use lode_core::suppress::{self, contents};
use lode_core::{Lists, ShownFields, SuppressEntry, Suppression, SuppressionCheck};

/// How entries are held against rows; shown by `--help`.
pub const RULES: &str = lode_assets::help::SUPPRESS.trim_ascii_end();

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

impl Operation for SuppressAct {
    /// The lists of the profile are local.
    fn needs(&self, _source: Source) -> bool {
        false
    }

    fn pipe(&self) -> Option<Pipe> {
        const NO_FILE: [&str; 2] = ["no file was given", "name a file, or pipe a CRM export to standard input"];
        const LIST: Pipe = Pipe { is_list: true, missing: NO_FILE };
        match self {
            SuppressAct::Add { file, .. } => file.as_deref().is_none_or(|file| file == "-").then_some(LIST),
            SuppressAct::Rm { file, .. } => (file.as_deref() == Some("-")).then_some(LIST),
            SuppressAct::Check { ids, .. } => ids.iter().any(|id| id == "-").then_some(Pipe { is_list: false, ..LIST }),
            SuppressAct::List | SuppressAct::Show { .. } => None,
        }
    }

    fn script(&self, pipe: Option<&str>) -> Result<Script, CommandProblem> {
        Ok(match self.clone() {
            SuppressAct::List => script(list),
            SuppressAct::Show { name } => script(move |console| show(console, name)),
            SuppressAct::Check { corpus, ids } => {
                let side = Side { source: Source::Workspace, corpus };
                let rows = if ids.is_empty() { None } else { Some(input::read(&ids, pipe, side, true)?) };
                script(move |console| check(console, corpus, rows))
            }
            SuppressAct::Add { name, file, subdomains, summary } => {
                let name = lode_core::scrub::name(&name);
                let hint = "use `lode suppress add NAME FILE`";
                CommandProblem::refuse_if(name.is_empty(), "the list needs a name", hint)?;
                let from = Csv::named(file.as_deref(), pipe);
                script(move |console| add(console, name, from, subdomains, summary))
            }
            SuppressAct::Rm { name, file, summary } => {
                let from = file.map(|file| Csv::named(Some(&file), pipe));
                script(move |console| remove(console, name, from, summary))
            }
        })
    }
}

const LISTS: &[OutputColumn<Suppression>] =
    &[text("LIST", 8, 32, |list| list.list.clone()), text("NAMES", 12, 60, |list| contents(&list.entries))];

const ENTRIES: &[OutputColumn<Entry>] = &[
    text("KIND", 7, 8, |(.., line)| line["kind"].as_str().unwrap_or_default().to_owned()),
    text("VALUE", 16, 60, |(shown, ..)| shown.clone()),
    text("NAME", 8, 32, |(_, name, _)| name.clone()),
];

const CHECKED: &[OutputColumn<Checked>] = &[
    text("ID", 4, 20, |(row, _)| row.id.to_string()),
    text("CHECK", 10, 10, |(_, line)| line.check.to_owned()),
    text("ENTRY", 8, 40, |(_, line)| line.by.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")),
    text("NAME", 18, 28, |(row, _)| row.name.clone()),
    text("COMPANY", 8, 32, |(row, _)| row.company.clone()),
];

pub(super) async fn list(console: Console) -> Ending {
    let lists = console.lists().await?;
    console.rows(LISTS, &lists, list_line);
    console.remark_if(lists.is_empty(), "no suppression lists yet; add one with `lode suppress add NAME FILE`");
    Ok(Exit::Done)
}

async fn show(console: Console, name: String) -> Ending {
    let entries: Vec<Entry> = named(&console.lists().await?, &name)?.entries.iter().map(described).collect();
    console.rows(ENTRIES, &entries, |(.., line)| line.clone());
    Ok(Exit::Done)
}

/// Checks rows, or the basket.
pub(super) async fn check(console: Console, corpus: Corpus, given: Option<Vec<Given>>) -> Ending {
    let lists = console.lists().await?;
    let side = Side { source: Source::Workspace, corpus };
    let rows = match given {
        Some(rows) => rows.iter().map(Given::staged).collect(),
        None => console.basket(console.with(|run| run.session.purse_or_earlier(side.source)), side).await?,
    };
    let lists = Lists::of(lists);
    let checked: Vec<Checked> = rows.into_iter().map(|row| held_against(&lists, side, row)).collect();
    console.rows(CHECKED, &checked, |(_, line)| line.clone());
    Ok(Exit::Done)
}

pub(super) async fn add(console: Console, name: String, from: Csv, subdomains: bool, summary: bool) -> Ending {
    let lists = console.lists().await?;
    let found = read(&console, from, subdomains).await?;
    let known: BTreeSet<_> = named(&lists, &name).map_or(&[][..], |list| &list.entries).iter().map(meant).collect();
    let new: Vec<_> = found.entries.iter().filter(|entry| !known.contains(&meant(entry))).cloned().collect();
    let (added, skipped) = (new.len() as u64, found.skipped.len() as u64);
    let unchanged = found.entries.len() as u64 - added;
    let done = SuppressSummaryShape { added, unchanged, skipped, ..counts(&name, &new) };
    let (all, left_out) = (contents(&found.entries), found.left_out());
    let told = format!("added to {name}: {all}{left_out}. Contacts on this list are never unlocked.");
    let purse = console.with(|run| run.session.purse_or_earlier(Source::Workspace));
    change(&console, StoreCall::Suppress { purse, list: name, entries: found.entries }, told, summary.then_some(done))
        .await
}

/// Removes a list, or only the entries of a file: those that say the same, whatever else stands beside them.
async fn remove(console: Console, name: String, from: Option<Csv>, summary: bool) -> Ending {
    let lists = console.lists().await?;
    let list = named(&lists, &name)?;
    let purses = console.with(|run| run.session.purses());
    let Some(from) = from else {
        let told = format!("removed {name} ({}). Its contacts can be unlocked again.", contents(&list.entries));
        let done = SuppressSummaryShape { removed: list.entries.len() as u64, ..counts(&name, &list.entries) };
        let call = StoreCall::RemoveSuppression { purses, list: name, entries: None };
        return change(&console, call, told, summary.then_some(done)).await;
    };
    let given: BTreeSet<String> = read(&console, from, false).await?.entries.iter().map(meant).collect();
    let entries: Vec<_> = list.entries.iter().filter(|entry| given.contains(&meant(entry))).cloned().collect();
    if entries.is_empty() {
        let words = format!("none of these entries is on the list `{name}`");
        return Err(CommandProblem::new(Exit::Failed, words, "`lode suppress show NAME` shows its entries"));
    }
    let gone: BTreeSet<String> = entries.iter().map(meant).collect();
    let (removed, unchanged) = (entries.len() as u64, given.difference(&gone).count() as u64);
    let done = SuppressSummaryShape { removed, unchanged, ..counts(&name, &entries) };
    let absent = match unchanged {
        0 => String::new(),
        count => format!("; {} not on it", counted(count, "entry")),
    };
    let told = format!("removed from {name}: {}{absent}. These can be unlocked again.", contents(&entries));
    let call = StoreCall::RemoveSuppression { purses, list: name, entries: Some(entries) };
    change(&console, call, told, summary.then_some(done)).await
}

/// Makes a change of a list, and says so once it is kept: in words, and as data if that is wanted.
async fn change(console: &Console, call: StoreCall, told: String, done: Option<SuppressSummaryShape>) -> Ending {
    console.store::<()>(call).await?;
    console.warn(told);
    done.into_iter().for_each(|summary| console.print(&SummaryOf { summary }));
    Ok(Exit::Done)
}

fn named<'a>(lists: &'a [Suppression], name: &str) -> Result<&'a Suppression, CommandProblem> {
    lists.iter().find(|list| list.list == name).ok_or_else(|| {
        let words = format!("no suppression list is named `{name}`");
        CommandProblem::new(Code::NotFound, words, "`lode suppress list` shows the lists")
    })
}

/// The entries that were given.
async fn read(console: &Console, from: Csv, subdomains: bool) -> Result<CrmFile, CommandProblem> {
    let title = from.title();
    crm::read(&from.text(console).await?, subdomains).map_err(|unusable| {
        let words = format!("{title} cannot be used as a list: {unusable}");
        CommandProblem::new(Exit::Usage, words, "`lode suppress add --help` shows which columns are read")
    })
}

/// A row held against the lists, as a line and as cells.
type Checked = (Staged, SuppressCheckLine);

fn held_against(lists: &Lists, side: Side, row: Staged) -> Checked {
    let (check, list, why, by) = match lists.check(side, ShownFields::of(&row)) {
        SuppressionCheck::Clear => ("clear", None, None, Vec::new()),
        SuppressionCheck::Named(at) => ("suppressed", Some(lists.list(at).to_owned()), None, vec![lists.held_by(at)]),
        SuppressionCheck::Unchecked(why, may) => {
            ("unchecked", None, Some(why.to_string()), lists.may_be_held_by(&may).to_vec())
        }
    };
    let line = SuppressCheckLine { id: row.id.0, corpus: side.corpus.name(), check, list, why, by };
    (row, line)
}

// Lists and their entries as lines and cells.

/// What an entry names, without what only describes it.
fn meant(entry: &SuppressEntry) -> String {
    match entry {
        SuppressEntry::Email { email, .. } => format!("email {}", email.to_lowercase()),
        SuppressEntry::Domain(host) | SuppressEntry::ExactDomain(host) => format!("domain {}", host.to_lowercase()),
        SuppressEntry::Phone { digits, .. } => format!("phone {digits}"),
        SuppressEntry::Person { name, company } => format!("person {name}\t{company}").to_lowercase(),
        SuppressEntry::Contact(side, id) => format!("contact {side} {id}"),
    }
}

/// How many entries there are of each kind.
fn counts(list: &str, entries: &[SuppressEntry]) -> SuppressSummaryShape {
    let [emails, domains, phones, people, contacts] = suppress::counts(entries);
    let list = list.to_owned();
    SuppressSummaryShape { list, emails, domains, phones, people, contacts, ..SuppressSummaryShape::default() }
}

/// A list as one line.
fn list_line(list: &Suppression) -> SuppressListLine {
    let [emails, domains, phones, people, contacts] = suppress::counts(&list.entries);
    SuppressListLine { name: list.list.clone(), emails, domains, phones, people, contacts }
}

/// An entry of a list: its value and name as cells, and its line.
type Entry = (String, String, Value);

fn described(entry: &SuppressEntry) -> Entry {
    let named = |kind: &str, value: &str| json!({"kind": kind, "value": value});
    let at = |domain: &str, subdomains: bool| json!({"kind": "domain", "value": domain, "subdomains": subdomains});
    let (shown, name, mut line) = match entry {
        SuppressEntry::Email { email, name } => (email.clone(), Some(name), named("email", email)),
        SuppressEntry::Domain(domain) => (format!("*.{domain}"), None, at(domain, true)),
        SuppressEntry::ExactDomain(domain) => (domain.clone(), None, at(domain, false)),
        SuppressEntry::Phone { digits, name } => (digits.clone(), Some(name), named("phone", digits)),
        SuppressEntry::Person { name, company } => {
            (company.clone(), Some(name), json!({"kind": "person", "company_name": company}))
        }
        SuppressEntry::Contact(side, id) => {
            let (source, corpus) = (side.source.name(), side.corpus.name());
            (format!("{side} {id}"), None, json!({"kind": "contact", "source": source, "corpus": corpus, "id": id.0}))
        }
    };
    if let Some(name) = name {
        line["contact_name"] = json!(json::text(name));
    }
    (shown, name.cloned().unwrap_or_default(), line)
}
