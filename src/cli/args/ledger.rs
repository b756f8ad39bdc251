//! `lode ledger`: the record of what was sent, charged and bought.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

#[derive(Clone, Debug, Args)]
pub struct LedgerArgs {
    #[command(subcommand)]
    pub act: LedgerAct,
}

#[derive(Clone, Debug, Subcommand)]
pub enum LedgerAct {
    /// Say whether everything in it adds up (exit 0 or 1)
    #[command(after_help = "Example:\n  lode ledger check")]
    Check,
    /// Write a copy of all of it into one file, also while lode runs
    #[command(after_help = "Example:\n  lode ledger backup ledger.backup")]
    Backup {
        /// The new file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
    },
    /// Put a backup in its place; the ledger that was there is kept
    #[command(after_help = "Example:\n  lode ledger restore ledger.backup")]
    Restore {
        /// A file that `lode ledger backup` wrote
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Also where the backup is older, or of another ledger
        #[arg(long)]
        force: bool,
    },
}
