//! `lode saved`: searches kept under a name. The local files are the truth; what the service makes of them is said on the
//! error stream and changes no exit code.

use serde_json::{Map, Value, json};

use crate::cli::exit::Exit;
use crate::cli::output::table::{number, text};
use crate::cli::output::{Format, Lines, json, moment};
use crate::cli::program::Errand;
use crate::cli::say::Problem;
use crate::domain::contact::Source;
use crate::domain::credits::grouped;
use crate::domain::query::Query;
use crate::domain::time::Now;
use crate::effect::profile::Profile;
use crate::effect::store::{StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::{Desk, Heard};
use crate::flow::limiter::Priority;
use crate::flow::saved::merge::Entry;
use crate::flow::saved::news::News;
use crate::flow::saved::{Change, Refused, Remote, Shelf, Told};
use crate::flow::search::walk::{End, Step, Walk};

use super::search::{cells, columns, has_key, keep, slow, warnings};

/// What is wanted of the saved searches.
#[derive(Clone, Debug, PartialEq)]
pub enum Act {
    Add { name: String, query: Query },
    List,
    Show { name: String },
    Run { name: String, only_new: bool, limit: u64 },
    Rename { old: String, new: String },
    Remove { name: String },
}

pub struct Saved {
    profile: Profile,
    act: Act,
    format: Format,
    shelf: Shelf,
    run: Option<Run>,
    begun: bool,
    /// What was asked for is done: left once the disk has it.
    leaving: Option<Exit>,
    over: bool,
}

/// A saved search at work.
struct Run {
    entry: Entry,
    query: Query,
    snapshot: Option<Ticket>,
    walk: Walk,
    news: News,
    lines: Lines,
    writing: Vec<Ticket>,
    end: Option<End>,
}

impl Saved {
    #[must_use]
    pub fn new(profile: &Profile, act: Act, format: Format) -> Saved {
        Saved {
            shelf: Shelf::new(profile),
            profile: profile.clone(),
            act,
            format,
            run: None,
            begun: false,
            leaving: None,
            over: false,
        }
    }

    /// Goes on once both lists were read, as far as they can be.
    fn advance(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        for told in self.shelf.told() {
            match told {
                Told::Loaded | Told::Listed => {}
                Told::Done { change, sentences } => {
                    fx.extend(sentences.into_iter().map(Effect::Warn));
                    if let Format::Table { .. } = self.format {
                        fx.push(Effect::Warn(done(&change)));
                    }
                    self.leaving = Some(Exit::Done);
                }
                Told::Forgotten(failure) => fx.push(Effect::Warn(format!("not remembered: {failure}"))),
                Told::Failed { failure, .. } => return self.fail(&Problem::of_file(&failure), fx),
            }
        }
        if let Some(exit) = self.leaving.filter(|_| !self.shelf.is_busy()) {
            return self.leave(exit, fx);
        }
        if self.begun || !self.shelf.is_loaded() || matches!(self.shelf.remote(), Remote::Asked(_)) {
            return;
        }
        self.begun = true;
        if let Some(failure) = self.shelf.failure() {
            let problem = Problem::of_file(failure);
            return self.fail(&problem, fx);
        }
        if let Remote::Failed(failure) = self.shelf.remote() {
            fx.push(Effect::Warn(format!("the service's list cannot be read: {}", failure.words())));
        }
        match self.act.clone() {
            Act::List => {
                self.list(&self.shelf.entries(), fx);
                self.leave(Exit::Done, fx);
            }
            Act::Show { name } => match self.shelf.named(&name) {
                Some(entry) => {
                    self.show(&entry, fx);
                    self.leave(Exit::Done, fx);
                }
                None => self.refuse(&Refused::Unknown(name), fx),
            },
            Act::Run { name, limit, .. } => match self.shelf.named(&name) {
                Some(entry) => self.begin_run(entry, limit, desk, fx),
                None => self.refuse(&Refused::Unknown(name), fx),
            },
            Act::Add { name, query } => self.change(Change::Add { name, query }, desk, now, fx),
            Act::Rename { old, new } => self.change(Change::Rename { old, new }, desk, now, fx),
            Act::Remove { name } => self.change(Change::Remove { name }, desk, now, fx),
        }
    }

    fn change(&mut self, change: Change, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if let Err(refused) = self.shelf.change(change, desk, now, fx) {
            return self.refuse(&refused, fx);
        }
        self.advance(desk, now, fx);
    }

    fn refuse(&mut self, refused: &Refused, fx: &mut Vec<Effect>) {
        let hint = match refused {
            Refused::Taken(_) => "`lode saved rm` or `lode saved rename` makes room for it",
            _ => "`lode saved list` shows what there is",
        };
        self.fail(&Problem::new(Exit::Failed, refused.to_string(), hint), fx);
    }

    fn leave(&mut self, exit: Exit, fx: &mut Vec<Effect>) {
        self.over = true;
        fx.push(Effect::Quit(exit.code()));
    }

    fn fail(&mut self, problem: &Problem, fx: &mut Vec<Effect>) {
        self.over = true;
        problem.end(fx);
    }

    fn list(&self, entries: &[Entry], fx: &mut Vec<Effect>) {
        let columns = vec![
            text("NAME", 6, 32),
            text("SEARCH", 10, 18),
            text("FILTERS", 10, 60),
            text("WHERE", 7, 7),
            number("TOTAL"),
            text("LAST RUN", 10, 20),
        ];
        let mut lines = Lines::new(self.format, columns);
        lines.print(entries, line, entry_cells, fx);
        if lines.is_table() && entries.is_empty() {
            fx.push(Effect::Warn("nothing saved yet; `lode saved add --help` shows how".to_owned()));
        }
    }

    fn show(&self, entry: &Entry, fx: &mut Vec<Effect>) {
        if let Format::Json = self.format {
            return fx.push(Effect::Print(line(entry)));
        }
        let mut say = |title: &str, what: String| fx.push(Effect::Print(format!("{title:<10} {what}")));
        say("name", entry.name.clone());
        say("lives", entry.home.name().to_owned());
        match &entry.query {
            Some(query) => {
                say("search", query.side.to_string());
                say("filters", query.words());
                say("command", command_line(query));
            }
            None => say("unreadable", entry.trouble.clone().unwrap_or_default()),
        }
        if let Some(total) = entry.total {
            say("total", grouped(total));
        }
        if let Some(at) = entry.last_run {
            say("last run", moment(at));
        }
    }

    fn begin_run(&mut self, entry: Entry, limit: u64, desk: &mut Desk, fx: &mut Vec<Effect>) {
        let Some(query) = entry.query.clone() else {
            return self.refuse(&Refused::Unreadable(entry.name), fx);
        };
        if !has_key(&self.profile, query.side.source) {
            return self.fail(&Problem::no_key(query.side.source), fx);
        }
        let call = StoreCall::SnapshotOf { profile: self.profile.name.clone(), name: entry.name.clone() };
        self.run = Some(Run {
            snapshot: Some(desk.store(call, fx)),
            walk: Walk::new(query.clone(), limit, Priority::Person),
            news: News::default(),
            lines: Lines::new(self.format, columns()),
            writing: Vec::new(),
            end: None,
            entry,
            query,
        });
    }

    fn hear_run(&mut self, heard: &Heard, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(run) = &mut self.run else { return };
        match heard {
            Heard::Stored(ticket, result) if run.snapshot == Some(*ticket) => {
                run.snapshot = None;
                match result {
                    Ok(StoreReply::Snapshot(snapshot)) => run.news = News::since(snapshot.as_ref()),
                    Ok(_) => {}
                    Err(failure) => {
                        fx.push(Effect::Warn(format!("what the last run had cannot be read: {failure}")));
                    }
                }
                if let Some(warning) = slow(&run.query) {
                    fx.push(Effect::Warn(warning));
                }
                run.walk.start(desk, now, fx);
                if let Some(end) = run.walk.end().cloned() {
                    run.end = Some(end);
                    self.end_run(desk, now, fx);
                }
            }
            Heard::Stored(ticket, result) => {
                let known = run.writing.len();
                run.writing.retain(|writing| writing != ticket);
                if let (true, Err(failure)) = (run.writing.len() < known, result) {
                    fx.push(Effect::Warn(format!("this run is not remembered: {failure}")));
                }
                self.leave_run(fx);
            }
            heard => {
                if let Some(step) = run.walk.hear(heard, desk, now, fx) {
                    let only_new = matches!(self.act, Act::Run { only_new: true, .. });
                    run.print(&step, only_new, fx);
                    if !step.rows.is_empty() {
                        run.writing.push(keep(&self.profile.name, &run.query, &step, desk, fx));
                    }
                    if step.end.is_some() {
                        run.end = step.end;
                        self.end_run(desk, now, fx);
                    }
                }
            }
        }
    }

    /// The rows are read: what they were is kept for the next time, unless reading failed in the middle.
    fn end_run(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        let Some(run) = &mut self.run else { return };
        let total = run.walk.total().unwrap_or(0);
        if !matches!(run.end, Some(End::Failed(_))) {
            let call = StoreCall::Snapshot {
                profile: self.profile.name.clone(),
                name: run.entry.name.clone(),
                snapshot: run.news.snapshot(total, now.wall),
            };
            run.writing.push(desk.store(call, fx));
            let name = run.entry.name.clone();
            self.shelf.ran(&name, total, desk, now, fx);
        }
        self.leave_run(fx);
    }

    fn leave_run(&mut self, fx: &mut Vec<Effect>) {
        let Some(run) = self.run.as_ref().filter(|run| run.writing.is_empty()) else { return };
        let Some(end) = &run.end else { return };
        fx.push(Effect::Status(String::new()));
        fx.extend(warnings(&run.walk, end).into_iter().map(Effect::Warn));
        if let End::Failed(failure) = end {
            let problem = Problem::of_call(run.query.side.source, failure);
            return self.fail(&problem, fx);
        }
        fx.push(Effect::Warn(run.news.sentence(run.walk.total().unwrap_or(0))));
        self.run = None;
        self.leaving = Some(Exit::Done);
    }
}

impl Run {
    fn print(&mut self, step: &Step, only_new: bool, fx: &mut Vec<Effect>) {
        let rows: Vec<_> = step.rows.iter().filter(|row| self.news.read(row.id) || !only_new).cloned().collect();
        fx.push(Effect::Status(String::new()));
        self.lines.print(&rows, json::row, cells, fx);
        let wanted = step.total.min(self.walk.wanted());
        fx.push(Effect::Status(format!("{} of {} rows read", grouped(self.walk.given()), grouped(wanted))));
    }
}

impl Errand for Saved {
    fn start(&mut self, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        self.shelf.load(desk, fx);
        self.shelf.ask_service(desk, now, fx);
    }

    fn hear(&mut self, heard: Heard, desk: &mut Desk, now: Now, fx: &mut Vec<Effect>) {
        if self.over {
            return;
        }
        if !self.shelf.hear(&heard, desk, now, fx) {
            self.hear_run(&heard, desk, now, fx);
        }
        if !self.over {
            self.advance(desk, now, fx);
        }
    }
}

fn done(change: &Change) -> String {
    match change {
        Change::Add { name, .. } => format!("saved `{name}`; `lode saved run {name}` runs it"),
        Change::Rename { old, new } => format!("`{old}` is `{new}` now"),
        Change::Remove { name } => format!("removed `{name}`"),
    }
}

fn filters(query: &Query) -> Value {
    let fields = query.params().into_iter().map(|(name, value)| (name.to_owned(), Value::from(value)));
    Value::Object(fields.collect::<Map<_, _>>())
}

fn line(entry: &Entry) -> String {
    let side = entry.query.as_ref().map(|query| query.side);
    let mut fields = vec![
        ("name", json!(entry.name)),
        ("source", json!(side.map(|side| side.source.name()))),
        ("corpus", json!(side.map(|side| side.corpus.name()))),
        ("filters", entry.query.as_ref().map_or(Value::Null, filters)),
        ("where", json!(entry.home.name())),
        ("total", json!(entry.total)),
        ("last_run", json!(entry.last_run.map(moment))),
    ];
    if let Some(trouble) = &entry.trouble {
        fields.push(("unreadable", json!(trouble)));
    }
    json::object(fields)
}

fn entry_cells(entry: &Entry) -> Vec<String> {
    let (search, filters) = match &entry.query {
        Some(query) => (query.side.to_string(), query.words()),
        None => (String::new(), format!("unreadable: {}", entry.trouble.as_deref().unwrap_or(""))),
    };
    vec![
        entry.name.clone(),
        search,
        filters,
        entry.home.name().to_owned(),
        entry.total.map_or_else(String::new, grouped),
        entry.last_run.map_or_else(String::new, moment),
    ]
}

/// The shell command that asks the same.
#[must_use]
pub fn command_line(query: &Query) -> String {
    let mut line = format!("lode search --source {} --corpus {}", query.side.source, query.side.corpus);
    for (filter, values) in query.filters() {
        line.push_str(&format!(" --{} {}", crate::cli::args::filters::flag(filter), quoted(&values.join(","))));
    }
    let switches = match query.side.source {
        Source::Workspace => [(query.hide_owned, " --exclude-unlocked"), (false, "")],
        Source::Data => [(query.hide_pulled, " --exclude-pulled"), (!query.dedup, " --no-dedup")],
    };
    switches.iter().filter(|(set, _)| *set).for_each(|(_, flag)| line.push_str(flag));
    line
}

/// A word that a shell reads as one.
fn quoted(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-,/@:+".contains(c);
    if !text.is_empty() && text.chars().all(plain) && !text.starts_with('-') {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contact::{Corpus, Side};
    use crate::domain::filter::Filter;

    #[test]
    fn a_saved_search_can_be_copied_as_a_command() {
        let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
        query.set(Filter::Title, "director of nursing's").unwrap();
        query.set(Filter::State, "TX").unwrap();
        query.set(Filter::Industry, "hospital, clinic").unwrap();
        query.dedup = false;
        assert_eq!(
            command_line(&query),
            r"lode search --source data --corpus us --title 'director of nursing'\''s' --industry hospital,clinic --state TX --no-dedup"
        );
    }
}
