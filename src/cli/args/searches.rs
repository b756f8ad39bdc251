//! The commands that read the services: search, export, counts, saved searches.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};

use lode_core::contact::{Corpus, Side, Source};
use lode_engine::effect::files::{ExportTarget, Form};

use super::filters::{DataFilters, FilterArgs, corpus, source};

#[derive(Clone, Debug, Args)]
pub struct SideArgs {
    /// Service
    #[arg(long, default_value = "workspace", value_parser = source())]
    pub source: Source,
    /// Corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
}

impl SideArgs {
    pub fn side(&self) -> Side {
        Side { source: self.source, corpus: self.corpus }
    }
}

#[derive(Clone, Debug, Args)]
pub struct SearchArgs {
    #[command(flatten)]
    pub side: SideArgs,
    #[command(flatten)]
    pub filters: FilterArgs,
    /// Maximum number of rows
    #[arg(long, default_value_t = 100, value_name = "N", value_hint = ValueHint::Other)]
    pub limit: u64,
    /// All rows: says first how many requests that takes
    #[arg(long, conflicts_with = "limit")]
    pub all: bool,
    /// Run more than 10 searches at once
    #[arg(long)]
    pub yes: bool,
    /// Contacts of one company at most, the best first
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = clap::value_parser!(u32).range(1..))]
    pub per_company: Option<u32>,
    /// The best first, by the points of score.toml
    #[arg(long)]
    pub best: bool,
    /// Consider only the first N rows with --per-company, --best or an exclusion [default: 5000; 50000 with --all]
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = clap::value_parser!(u64).range(1..))]
    pub among: Option<u64>,
    /// End with a JSON line that counts the result
    #[arg(long)]
    pub summary: bool,
}

#[derive(Clone, Debug, Args)]
pub struct CountsArgs {
    /// Corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
}

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
    #[arg(long, default_value = "raw", value_hint = ValueHint::Other, value_parser = form)]
    pub form: Form,
    /// File to write; by default named after the search and the time
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub output: Option<PathBuf>,
    /// Replace the file if it is there
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

#[derive(Clone, Debug, Args)]
pub struct SavedArgs {
    #[command(subcommand)]
    pub act: SavedAct,
}

#[derive(Clone, Debug, Subcommand)]
pub enum SavedAct {
    /// Save a search
    #[command(after_help = "Example:\n  lode saved add directors --title director --state TX")]
    Add {
        name: String,
        #[command(flatten)]
        side: SideArgs,
        #[command(flatten)]
        filters: FilterArgs,
    },
    /// List saved searches, including those on the service
    #[command(after_help = "Example:\n  lode saved list --json")]
    List,
    /// Show a saved search
    #[command(after_help = "Example:\n  lode saved show nurses")]
    Show { name: String },
    /// Run a saved search: its rows, the total then and now, and what is new
    #[command(after_help = "Example:\n  lode saved run nurses --new --json")]
    Run {
        name: String,
        /// Only rows that are new since the last run
        #[arg(long)]
        new: bool,
        /// Maximum number of rows to read
        #[arg(long, default_value_t = 10_000, value_name = "N", value_hint = ValueHint::Other)]
        limit: u64,
        /// Run more than 10 searches at once
        #[arg(long)]
        yes: bool,
        /// End with a JSON line that counts the result
        #[arg(long)]
        summary: bool,
    },
    /// Rename a saved search
    #[command(after_help = "Example:\n  lode saved rename nurses nurses-tx")]
    Rename { old: String, new: String },
    /// Delete a saved search
    #[command(after_help = "Example:\n  lode saved rm nurses-tx")]
    Rm { name: String },
}

#[expect(clippy::unnecessary_wraps, reason = "the shape that clap asks for")]
fn form(word: &str) -> Result<Form, String> {
    Ok(match word {
        "raw" => Form::Raw,
        "contacts" => Form::Contacts,
        "jsonl" => Form::JsonLines,
        "xlsx" => Form::Xlsx,
        preset => Form::Preset(preset.to_owned()),
    })
}
