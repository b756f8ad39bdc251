//! `lode suppress`.

use clap::{Args, Subcommand, ValueHint};

use crate::domain::contact::Corpus;

use super::filters::corpus;

#[derive(Clone, Debug, Args)]
pub struct SuppressArgs {
    #[command(subcommand)]
    pub act: SuppressAct,
}

/// How entries are held against rows; shown by `--help`.
pub const RULES: &str = "What a list names is never unlocked:
  email   exact. A masked row is matched by domain, first letter and name
  domain  exact; with its subdomains where --subdomains was given
  phone   by its digits, with or without the country code 1
  name    only together with the company; case and punctuation do not matter
What a mask hides counts as unchecked: it stays locked unless `lode unlock --allow-unchecked` is given.";

#[derive(Clone, Debug, Subcommand)]
pub enum SuppressAct {
    /// Add what a CSV names to a list: its columns of email, domain, phone, name and company are found by their heads
    #[command(after_help = format!("{RULES}\n\nExample:\n  lode suppress add crm nurses.csv"))]
    Add {
        /// Name of the list
        #[arg(value_name = "NAME", value_hint = ValueHint::Other)]
        name: String,
        /// A CSV with any delimiter; `-` or nothing reads standard input
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: Option<String>,
        /// Domains count with their subdomains
        #[arg(long)]
        subdomains: bool,
    },
    /// The lists and how much each names
    #[command(after_help = "Example:\n  lode suppress list --json")]
    List,
    /// What a list names
    #[command(after_help = "Example:\n  lode suppress show crm")]
    Show {
        #[arg(value_name = "NAME", value_hint = ValueHint::Other)]
        name: String,
    },
    /// Remove a list
    #[command(after_help = "Example:\n  lode suppress rm crm")]
    Rm {
        #[arg(value_name = "NAME", value_hint = ValueHint::Other)]
        name: String,
    },
    /// Hold the lists against rows of the Workspace: those of the basket, or JSON lines of `lode search` from standard input (`-`)
    #[command(after_help = "Example:\n  lode search --title nurse --limit 20 --json | lode suppress check -")]
    Check {
        /// Corpus of the rows
        #[arg(long, default_value = "us", value_parser = corpus())]
        corpus: Corpus,
        /// Row ids, or `-`; the basket without any
        #[arg(value_name = "ID", value_hint = ValueHint::Other)]
        ids: Vec<String>,
    },
}
