//! The commands around money and what was bought with it.

use clap::{Args, Subcommand, ValueHint};

use lode_core::contact::{Corpus, Side};
use lode_core::credits::Credits;
use lode_engine::effect::store::Month;

use super::filters::corpus;
use super::searches::SideArgs;

/// How many seconds an unlock waits in total when the service answers 429, if nothing else was asked for.
pub const MAX_WAIT: u64 = lode_engine::flow::retry::UNLOCK_PATIENCE.as_secs();

#[derive(Clone, Debug, Args)]
pub struct UnlockArgs {
    /// Corpus of the ids; not needed for rows of `lode search`
    #[arg(long, value_parser = corpus())]
    pub corpus: Option<Corpus>,
    /// Maximum cost of this run, before refunds
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = credits, required = true)]
    pub max_credits: Credits,
    /// Skip email verification (no refunds)
    #[arg(long)]
    pub no_verify: bool,
    /// Also unlock contacts that cannot be checked against the suppression lists: ids without a row, rows that an entry may mean
    #[arg(long)]
    pub allow_unchecked: bool,
    /// Contacts of one company at most, the best first; the rest stays locked
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = clap::value_parser!(u32).range(1..))]
    pub per_company: Option<u32>,
    /// Show the quote and stop; nothing is sent to unlock
    #[arg(long)]
    pub dry_run: bool,
    /// Maximum wait in seconds when the service answers 429 to the unlock
    #[arg(long, value_name = "SECONDS", value_hint = ValueHint::Other, default_value_t = MAX_WAIT)]
    pub max_wait: u64,
    /// Ids; without any, reads ids or JSON lines of `lode search` from standard input (also with `-`)
    #[arg(value_name = "ID", value_hint = ValueHint::Other)]
    pub ids: Vec<String>,
}

#[derive(Clone, Debug, Args)]
pub struct RecoverArgs {
    /// Send the identical batches again instead of only checking
    #[arg(long, requires = "max_credits")]
    pub finish: bool,
    /// Maximum cost of finishing, before refunds
    #[arg(long, value_name = "N", value_hint = ValueHint::Other, value_parser = credits, requires = "finish")]
    pub max_credits: Option<Credits>,
    /// Maximum wait in seconds when the service answers 429 to a batch that is sent again
    #[arg(long, value_name = "SECONDS", value_hint = ValueHint::Other, default_value_t = MAX_WAIT, requires = "finish")]
    pub max_wait: u64,
}

#[derive(Clone, Debug, Args)]
pub struct OwnedArgs {
    /// Only this corpus
    #[arg(long, value_parser = corpus())]
    pub corpus: Option<Corpus>,
    /// Only contacts that mention this: name, company, title, email, tag or note
    #[arg(long, value_name = "WORDS", value_hint = ValueHint::Other)]
    pub find: Option<String>,
}

#[derive(Clone, Debug, Args)]
pub struct ReceiptsArgs {
    /// Only this month
    #[arg(long, value_name = "YYYY-MM", value_hint = ValueHint::Other, value_parser = month)]
    pub month: Option<Month>,
}

#[derive(Clone, Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct BasketArgs {
    #[command(subcommand)]
    pub act: Option<BasketAct>,
    #[command(flatten)]
    pub side: SideArgs,
}

impl BasketArgs {
    /// The basket that is meant.
    pub fn side(&self) -> Side {
        let side = match &self.act {
            None => &self.side,
            Some(
                BasketAct::Add { side, .. }
                | BasketAct::Rm { side, .. }
                | BasketAct::Earlier { side, .. }
                | BasketAct::List { side }
                | BasketAct::Clear { side },
            ) => side,
        };
        side.side()
    }
}

#[derive(Clone, Debug, Subcommand)]
pub enum BasketAct {
    /// Add rows: ids, or ids and JSON lines of `lode search` from standard input
    #[command(after_help = "Example:\n  lode search --title nurse --limit 20 --json | lode basket add")]
    Add {
        #[command(flatten)]
        side: SideArgs,
        #[arg(value_name = "ID", value_hint = ValueHint::Other)]
        ids: Vec<String>,
    },
    /// Remove rows
    #[command(after_help = "Example:\n  lode basket rm 101 102")]
    Rm {
        #[command(flatten)]
        side: SideArgs,
        #[arg(value_name = "ID", value_hint = ValueHint::Other)]
        ids: Vec<String>,
    },
    /// List contacts from an earlier version whose workspace is not certain
    #[command(after_help = "Example:\n  lode basket earlier --assign")]
    Earlier {
        #[command(flatten)]
        side: SideArgs,
        /// Add them to the basket of the current workspace
        #[arg(long)]
        assign: bool,
    },
    /// List the basket
    #[command(after_help = "Example:\n  lode basket list --json")]
    List {
        #[command(flatten)]
        side: SideArgs,
    },
    /// Empty the basket
    #[command(after_help = "Example:\n  lode basket clear --corpus linkedin")]
    Clear {
        #[command(flatten)]
        side: SideArgs,
    },
}

fn credits(word: &str) -> Result<Credits, String> {
    match word.parse::<i64>() {
        Ok(number) if number >= 0 => Ok(Credits(number)),
        _ => Err("a whole number of credits, 0 or more".to_owned()),
    }
}

fn month(word: &str) -> Result<Month, String> {
    let read = || {
        let (year, month) = word.split_once('-').filter(|(year, month)| year.len() == 4 && month.len() == 2)?;
        let month = Month { year: year.parse().ok()?, month: month.parse().ok()? };
        (1..=12).contains(&month.month).then_some(month)
    };
    read().ok_or_else(|| "write the month as 2026-03".to_owned())
}
