//! `lode suppress`.

use clap::{Args, Subcommand, ValueHint};

use lode_core::contact::Corpus;

use super::filters::corpus;

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
