//! All operations: which one a command is, and what is said of each command.

use super::command::Command;
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

impl Command {
    /// The operation of the command; none for what works without services, store and files.
    pub fn operation(&self) -> Option<&dyn Operation> {
        Some(match self {
            Command::Search(args) => args,
            Command::Unlock(args) => args,
            Command::Recover(args) => args,
            Command::Owned(args) => args,
            Command::Receipts(args) => args,
            Command::Basket(args) => args,
            Command::Export(args) => args,
            Command::Suppress(args) => args,
            Command::Match(args) => args,
            Command::Counts(args) => args,
            Command::Saved(args) => args,
            Command::Me => &me::MeArgs,
            Command::Demo(_)
            | Command::Sandbox(_)
            | Command::Ledger(_)
            | Command::Doctor
            | Command::Info
            | Command::Spec
            | Command::Skill
            | Command::Completions(_)
            | Command::Man(_) => return None,
            #[cfg(feature = "mcp")]
            Command::Mcp(_) => return None,
        })
    }
}
