//! Layer 3: every operation of the shell and of `lode mcp`. The file of an operation holds its arguments and the script that does it
//! over the same session as the screen, with output as lines; [`listing`] holds those that only print what there is.
//!
//! Each declares its services and its script, an async function that a [`program`] runs. [`command`] says what may be typed. Which
//! operation that is, what it costs and the schemas of all lines stand below. `input` reads ids and rows from a pipe, `output` makes
//! lines of values, `problem` is how a command ends and what it says then, `spec` describes all of it to programs. Nothing here
//! touches a file, a clock or a socket: the loop that does is `app::headless`.

pub mod assist;
pub mod basket;
pub mod command;
pub mod export;
pub mod filters;
pub mod input;
pub mod listing;
pub mod matching;
pub mod output;
pub mod problem;
pub mod program;
pub mod recover;
pub mod saved;
pub mod search;
pub mod spec;
pub mod suppress;
pub mod unlock;

// What operations work with: each takes it by `use super::*`.
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use clap::{Args, Subcommand, ValueHint};
use schemars::{JsonSchema, Schema};
use serde::Serialize;
use serde_json::{Map, Value};
use strum::IntoStaticStr;

use command::ShellCommand;
use filters::{FilterArgs, SideArgs, corpus, credits};
use input::{Csv, Given};
use output::{MatchLine, MatchSummaryLine, RowLine, *};
use problem::{Code, CommandProblem, ErrorLine, Exit, WarningLine, seconds};
use program::{Console, Ending, Operation, Pipe, Run, Script, Turn, one, script};
use search::{Sifting, may_run, slow};
use spec::{SpecLine, of};

use lode_core::shell_line::flag;
use lode_core::{
    Contact, Corpus, Credits, ExclusionKind, HeldBy, Known, Mono, Now, Outcome, Query, Row, RowId, Side, Source,
    Staged, Verification, agree, contacts, counted, grouped,
};
use lode_engine::effect::{Effect, FileCall, FileReply, Settled, StoreCall, StoreReply};
use lode_engine::flow::desk::{Arrival, Owner};
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::search::walk::{Walk, WalkEnd};
use lode_engine::flow::session::{Event, Session};
use lode_engine::flow::unlock::{OrderEnd, OrderSummary};

/// What a command can cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema, IntoStaticStr)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Cost {
    Free,
    /// It can spend credits.
    Spends,
    /// It removes or replaces something that cannot be brought back.
    Destroys,
}

impl Cost {
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// What is said of a command before its arguments are known. Each operation lists one for each of its subcommands.
#[derive(Clone, Copy, Debug)]
pub struct Fact {
    /// What is typed after `lode`; empty for the screen.
    pub name: &'static str,
    pub cost: Cost,
    /// It asks a service.
    pub asks: bool,
    /// The schemas of its lines on standard output.
    pub output: &'static [&'static str],
}

impl Fact {
    pub fn exits(&self) -> Vec<Exit> {
        use Exit::*;
        let mut exits = vec![Done, Failed, Usage];
        if self.cost == Cost::Spends {
            exits.extend([Capped, Key, Scope, Credits, Rate, Network, Unknown]);
        } else if self.asks {
            exits.extend([Key, Scope, Rate, Network]);
        }
        exits.push(Interrupted);
        exits
    }
}

/// What is said of every command, whatever its arguments are.
const FACTS: &[Fact] = &[
    Fact { name: "search", cost: Cost::Free, asks: true, output: &["row", "search_summary"] },
    Fact { name: "match", cost: Cost::Free, asks: true, output: &["match", "match_summary", "match_plan"] },
    Fact { name: "unlock", cost: Cost::Spends, asks: true, output: &["unlock", "summary", "quote"] },
    Fact { name: "recover", cost: Cost::Spends, asks: true, output: &["unlock", "summary"] },
    Fact { name: "owned", cost: Cost::Free, asks: true, output: &["owned"] },
    Fact { name: "receipts", cost: Cost::Free, asks: true, output: &["receipt"] },
    Fact { name: "basket", cost: Cost::Free, asks: true, output: &["basket"] },
    Fact { name: "basket list", cost: Cost::Free, asks: true, output: &["basket"] },
    Fact { name: "basket earlier", cost: Cost::Free, asks: true, output: &["basket"] },
    Fact { name: "basket add", cost: Cost::Free, asks: true, output: &[] },
    Fact { name: "basket rm", cost: Cost::Free, asks: true, output: &[] },
    Fact { name: "basket clear", cost: Cost::Free, asks: true, output: &[] },
    Fact { name: "export", cost: Cost::Free, asks: true, output: &["export"] },
    Fact { name: "counts", cost: Cost::Free, asks: true, output: &["count"] },
    Fact { name: "me", cost: Cost::Free, asks: true, output: &["me"] },
    Fact { name: "saved run", cost: Cost::Free, asks: true, output: &["row", "saved_summary"] },
    Fact { name: "saved list", cost: Cost::Free, asks: true, output: &["saved"] },
    Fact { name: "saved show", cost: Cost::Free, asks: true, output: &["saved"] },
    Fact { name: "saved add", cost: Cost::Free, asks: true, output: &[] },
    Fact { name: "saved rename", cost: Cost::Free, asks: true, output: &[] },
    Fact { name: "saved rm", cost: Cost::Destroys, asks: true, output: &[] },
    Fact { name: "suppress list", cost: Cost::Free, asks: false, output: &["suppress_list"] },
    Fact { name: "suppress show", cost: Cost::Free, asks: false, output: &["suppress_entry"] },
    Fact { name: "suppress check", cost: Cost::Free, asks: false, output: &["suppress_check"] },
    Fact { name: "suppress add", cost: Cost::Free, asks: false, output: &["suppress_summary"] },
    Fact { name: "suppress rm", cost: Cost::Destroys, asks: false, output: &["suppress_summary"] },
    Fact { name: "ledger check", cost: Cost::Free, asks: false, output: &["finding"] },
    Fact { name: "ledger backup", cost: Cost::Free, asks: false, output: &["ledger_summary"] },
    Fact { name: "ledger restore", cost: Cost::Destroys, asks: false, output: &["ledger_summary"] },
    Fact { name: "", cost: Cost::Spends, asks: true, output: &[] },
    Fact { name: "demo", cost: Cost::Spends, asks: true, output: &[] },
    Fact { name: "mcp", cost: Cost::Spends, asks: true, output: &[] },
    Fact { name: "doctor", cost: Cost::Free, asks: true, output: &["finding"] },
    Fact { name: "info", cost: Cost::Free, asks: false, output: &["info"] },
    Fact { name: "sandbox", cost: Cost::Free, asks: false, output: &["sandbox"] },
    Fact { name: "spec", cost: Cost::Free, asks: false, output: &["spec"] },
    Fact { name: "skill", cost: Cost::Free, asks: false, output: &[] },
    Fact { name: "completions", cost: Cost::Free, asks: false, output: &[] },
    Fact { name: "man", cost: Cost::Free, asks: false, output: &[] },
];

/// The fact of a command by what is typed after `lode`. Panics for one that is not listed: `lode spec` asks for all of them, so that
/// its test fails until a new command states its cost.
pub fn fact(name: &str) -> &'static Fact {
    let found = FACTS.iter().find(|fact| fact.name == name);
    found.unwrap_or_else(|| panic!("the cost and the services of `lode {name}` are not listed"))
}

impl ShellCommand {
    /// The operation of the command; none for what works without services, store and files.
    pub fn operation(&self) -> Option<&dyn Operation> {
        Some(match self {
            ShellCommand::Search(args) => args,
            ShellCommand::Unlock(args) => args,
            ShellCommand::Recover(args) => args,
            ShellCommand::Owned(args) => args,
            ShellCommand::Receipts(args) => args,
            ShellCommand::Basket(args) => args,
            ShellCommand::Export(args) => args,
            ShellCommand::Suppress(args) => args,
            ShellCommand::Match(args) => args,
            ShellCommand::Counts(args) => args,
            ShellCommand::Saved(args) => args,
            ShellCommand::Me => &listing::MeArgs,
            ShellCommand::Demo(_)
            | ShellCommand::Sandbox(_)
            | ShellCommand::Ledger(_)
            | ShellCommand::Doctor
            | ShellCommand::Info
            | ShellCommand::Spec
            | ShellCommand::Skill
            | ShellCommand::Completions(_)
            | ShellCommand::Man(_) => return None,
            #[cfg(feature = "mcp")]
            ShellCommand::Mcp(_) => return None,
        })
    }
}

/// Every line of output by the name of its schema.
pub fn line_schemas() -> Vec<(&'static str, Schema)> {
    vec![
        of::<ErrorLine>("error"),
        of::<WarningLine>("warning"),
        of::<RowLine>("row"),
        of::<UnlockLine>("unlock"),
        of::<UnstoredLine>("unstored"),
        of::<SummaryLine>("summary"),
        of::<QuoteLine>("quote"),
        of::<OwnedLine>("owned"),
        of::<ReceiptLine>("receipt"),
        of::<BasketLine>("basket"),
        of::<CountLine>("count"),
        of::<MeLine>("me"),
        of::<SavedLine>("saved"),
        of::<ExportLine>("export"),
        of::<FindingLine>("finding"),
        of::<InfoLine>("info"),
        of::<SuppressListLine>("suppress_list"),
        of::<SuppressEntryLine>("suppress_entry"),
        of::<SuppressCheckLine>("suppress_check"),
        of::<MatchLine>("match"),
        of::<MatchSummaryLine>("match_summary"),
        of::<MatchPlanLine>("match_plan"),
        of::<SearchSummaryLine>("search_summary"),
        of::<SavedSummaryLine>("saved_summary"),
        of::<SuppressSummaryLine>("suppress_summary"),
        of::<LedgerSummaryLine>("ledger_summary"),
        of::<SandboxLine>("sandbox"),
        of::<SpecLine>("spec"),
    ]
}
