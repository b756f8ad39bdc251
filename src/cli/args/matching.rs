//! `lode match`.

use clap::{Args, ValueHint};

use lode_core::contact::{Corpus, Side, Source};

use super::filters::{MatchFilters, corpus, source};

/// How accounts are held against contacts; shown by `--help`.
pub const RULES: &str = "Each line of the list ends as one of three:
  matched    one company agrees, in name and domain where both are known; its contacts are printed, or staged with --basket.
             A contact with a private email agrees in the company's name alone: its `by` is `company`
  ambiguous  several companies fit, or one only in part; they are named, and none is picked
  none       nothing fits
Companies are compared without case, punctuation and legal form (Inc, LLC, GmbH …), domains without `www.` and address.
The Data API is asked by website, then by company, in the ways in which services write them. The Workspace cannot be searched by company: the search of the filters is
read whole and compared here, so at least one filter is needed. Nothing is spent. At most 120 requests a minute are sent. A run
that was cut off goes on where it was when the same command runs again.";

#[derive(Clone, Debug, Args)]
pub struct MatchArgs {
    /// A CSV or .xlsx file with a column of companies or domains; `-` reads standard input
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub file: String,
    /// Which service
    #[arg(long, default_value = "data", value_parser = source())]
    pub source: Source,
    /// Which corpus
    #[arg(long, default_value = "us", value_parser = corpus())]
    pub corpus: Corpus,
    /// Contacts of each account at most
    #[arg(long, default_value_t = 5, value_name = "N", value_hint = ValueHint::Other, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub per_company: u16,
    /// Put the contacts of matched accounts into the basket
    #[arg(long)]
    pub basket: bool,
    /// Say what it takes and stop
    #[arg(long)]
    pub dry_run: bool,
    /// End with a JSON line that counts the result
    #[arg(long)]
    pub summary: bool,
    #[command(flatten)]
    pub filters: MatchFilters,
}

impl MatchArgs {
    pub fn side(&self) -> Side {
        Side { source: self.source, corpus: self.corpus }
    }
}
