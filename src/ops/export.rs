//! `lode export`: the whole filtered set of the Data API, which is a job of its own, or local data written again for free.

use super::exported::report;
use super::exporting::Exporting;
use super::filters::{DataFilters, corpus};
use super::input::row_of;
use super::legs::may_run;
use super::operation;
use super::operation::{Operation, ScriptContext};
use super::output::Format;
use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use super::purse_lookup::Books;
use super::sifting::Sifting;
use clap::{Args, ValueEnum, ValueHint};
use lode_core::{Corpus, ExclusionKind, PurseRef, Query, Row, Side, Source, owned_rows};
use lode_engine::effect::{Effect, ExportTarget, FileCall, FileReply, Form, Profile, StoreCall, StoreReply, Ticket};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::Event;
use std::path::PathBuf;

/// Local data that can be exported again for free.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LocalData {
    Basket,
    Owned,
}

#[derive(Clone, Debug, Args)]
pub struct ExportArgs {
    /// Corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
    /// Export local data instead of the Data API: free, no request
    #[arg(long, value_enum)]
    pub from: Option<LocalData>,
    /// raw, contacts, xlsx, hubspot, salesforce, instantly, smartlead, jsonl, or your own preset
    #[arg(long, default_value = "raw", value_hint = ValueHint::Other, value_parser = |word: &str| Ok::<Form, String>(form(word)))]
    pub form: Form,
    /// File to write; by default named after the search and the time
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    pub force: bool,
    /// Read the pages of the search instead of the export: more requests, and certain for a keyword
    #[arg(long, conflicts_with = "from")]
    pub paged: bool,
    /// Run more than 10 searches at once
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub filters: DataFilters,
}

impl ExportArgs {
    pub fn target(&self) -> ExportTarget {
        ExportTarget { path: self.output.clone(), form: self.form.clone(), keep_incomplete: false, replace: self.force }
    }
}

/// The script that these arguments mean.
pub fn script(profile: &Profile, args: &ExportArgs, format: Format) -> Result<Box<dyn Script>, CommandProblem> {
    let target = args.target();
    let Some(from) = args.from else {
        let query = args.filters.0.query(Side { source: Source::Data, corpus: args.corpus })?;
        may_run(&query, args.yes)?;
        if !args.paged {
            streams(&query, &target)?;
        }
        let sifting = args.paged.then(|| Sifting::new(profile, &query));
        return Ok(Box::new(Exporting::new(query, sifting, target, format)));
    };
    if !args.filters.0.is_empty() {
        return Err(CommandProblem::new(
            Exit::Usage,
            "filters apply to the Data API, not to local data",
            "`lode export --help` shows both ways",
        ));
    }
    let (purse, corpus) = (profile.purse_of(Source::Workspace), args.corpus);
    let owned = Books::new(profile, move |purse| StoreCall::Owned { purse, corpus: Some(corpus) });
    Ok(Box::new(Local { from, purse, corpus, target, format, owned, asked: None, written: None }))
}

/// Whether exclusions can be held against the stream of the service.
fn streams(query: &Query, target: &ExportTarget) -> Result<(), CommandProblem> {
    if query.not.is_empty() {
        return Ok(());
    }
    if target.form == Form::Raw {
        let words = "the raw form copies what the service sends, so nothing can be left out";
        return Err(CommandProblem::new(Exit::Usage, words, "add `--form contacts`, another form, or `--paged`"));
    }
    if query.not.values(ExclusionKind::List).next().is_some() {
        let words = "a streamed export cannot leave out suppression lists";
        return Err(CommandProblem::new(Exit::Usage, words, "add `--paged`: the pages of the search are checked"));
    }
    Ok(())
}

/// From the basket or from what is owned.
struct Local {
    from: LocalData,
    purse: Option<PurseRef>,
    corpus: Corpus,
    target: ExportTarget,
    format: Format,
    owned: Books,
    asked: Option<Ticket>,
    written: Option<Ticket>,
}

impl Local {
    fn write(&mut self, rows: Vec<Row>, run: &mut Run<'_>) {
        if rows.is_empty() {
            let what = match self.from {
                LocalData::Basket => format!("the basket of {}", self.corpus),
                LocalData::Owned => format!("the owned contacts of {}", self.corpus),
            };
            run.fx.push(Effect::Warn(format!("nothing to export from {what}: no file was written")));
            run.fx.push(Effect::Quit(Exit::Done.code()));
            return;
        }
        self.written = Some(run.file(FileCall::WriteRows { target: self.target.clone(), rows }));
    }
}

impl Operation for ExportArgs {
    fn services(&self) -> &'static [Source] {
        match self.from {
            None => &[Source::Data],
            Some(LocalData::Owned | LocalData::Basket) => &[Source::Workspace],
        }
    }

    fn needs(&self, source: Source) -> bool {
        self.services().contains(&source) || source == Source::Workspace && self.filters.0.excludes_lists()
    }

    fn uses(&self, profile: &Profile) -> &'static [Source] {
        match self.from {
            None => operation::with_lists(Source::Data, self.filters.0.excludes_lists(), profile),
            Some(_) => self.services(),
        }
    }

    fn script(
        &self,
        ScriptContext { profile, format, .. }: ScriptContext<'_>,
    ) -> Result<Box<dyn Script>, CommandProblem> {
        script(profile, self, format)
    }
}

impl Script for Local {
    fn start(&mut self, run: &mut Run<'_>) {
        match self.from {
            LocalData::Basket => {
                let side = Side { source: Source::Workspace, corpus: self.corpus };
                let Some(purse) = self.purse.clone() else {
                    return CommandProblem::no_key(Source::Workspace).end(run.fx);
                };
                self.asked = Some(run.store(StoreCall::Basket { purse, side }));
            }
            LocalData::Owned => self.owned.start(run),
        }
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        if let LocalData::Owned = self.from
            && let Some(reply) = self.owned.handle(event.clone(), run)
        {
            return match reply {
                StoreReply::Owned(owned) => self.write(owned_rows(&owned), run),
                _ => run.fx.push(Effect::Quit(Exit::Failed.code())),
            };
        }
        let Event::Answered(arrival) = event else { return };
        match arrival {
            Arrival::Stored(ticket, result) if self.asked == Some(ticket) => match result {
                Ok(StoreReply::Basket(basket)) => {
                    let side = Side { source: Source::Workspace, corpus: self.corpus };
                    let rows = basket.rows.iter().map(|staged| row_of(side, staged)).collect();
                    self.write(rows, run);
                }
                Ok(_) => run.fx.push(Effect::Quit(Exit::Failed.code())),
                Err(failure) => CommandProblem::of_store(&failure).end(run.fx),
            },
            Arrival::Filed(ticket, result) if self.written == Some(ticket) => match result {
                Ok(FileReply::Written(exported)) => {
                    report(&exported, self.format, run.fx);
                    run.fx.push(Effect::Quit(Exit::Done.code()));
                }
                Ok(_) => run.fx.push(Effect::Quit(Exit::Failed.code())),
                Err(failure) => CommandProblem::of_file(&failure).end(run.fx),
            },
            _ => {}
        }
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        self.owned.advance(run);
    }
}

/// The form of a name. Whether a preset exists is known when the file is written: it may be the person's own.
pub fn form(word: &str) -> Form {
    match word {
        "raw" => Form::Raw,
        "contacts" => Form::Contacts,
        "jsonl" => Form::JsonLines,
        "xlsx" => Form::Xlsx,
        preset => Form::Preset(preset.to_owned()),
    }
}
