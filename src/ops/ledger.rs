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
    /// Check that everything adds up (exit 0 or 1)
    #[command(after_help = "Example:\n  lode ledger check")]
    Check,
    /// Write a full copy to one file, even while lode runs
    #[command(after_help = "Example:\n  lode ledger backup ledger.backup")]
    Backup {
        /// The new file
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// End with a JSON line that counts the result
        #[arg(long)]
        summary: bool,
    },
    /// Replace the ledger with a backup; the previous ledger is kept
    #[command(after_help = "Example:\n  lode ledger restore ledger.backup")]
    Restore {
        /// A file that `lode ledger backup` wrote
        #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
        file: PathBuf,
        /// Restore even if the backup is older or belongs to another ledger
        #[arg(long)]
        force: bool,
        /// End with a JSON line that counts the result
        #[arg(long)]
        summary: bool,
    },
}
