//! All operations: which one a command is, and what is said of each command.

use super::command::ShellCommand;
use super::operation::{Cost, Fact, Operation};
use super::{basket, counts, export, ledger, matching, me, owned, receipts, recover, saved, search, suppress, unlock};

/// The facts of all operations, and of the commands that are none.
const FACTS: [&[Fact]; 14] = [
    search::FACTS,
    matching::FACTS,
    unlock::FACTS,
    recover::FACTS,
    owned::FACTS,
    receipts::FACTS,
    basket::FACTS,
    export::FACTS,
    counts::FACTS,
    me::FACTS,
    saved::FACTS,
    suppress::FACTS,
    ledger::FACTS,
    OTHERS,
];

const OTHERS: &[Fact] = &[
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
    let found = FACTS.into_iter().flatten().find(|fact| fact.name == name);
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
            ShellCommand::Me => &me::MeArgs,
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
