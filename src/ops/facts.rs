//! What a command costs, which lines it prints and how it may end: the facts that its arguments do not tell.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ops::exit::Exit;

/// What a command can cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Cost {
    Free,
    /// It can spend credits.
    Spends,
    /// It removes or replaces something that cannot be brought back.
    Destroys,
}

impl Cost {
    pub fn name(self) -> &'static str {
        match self {
            Cost::Free => "free",
            Cost::Spends => "spends",
            Cost::Destroys => "destroys",
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Fact {
    pub cost: Cost,
    pub output: &'static [&'static str],
    /// It asks a service.
    asks: bool,
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

/// The facts of a command by what is typed after `lode`. Panics for a command that is not listed: `lode spec` asks for all of them, so
/// that its test fails until a new command states its cost, its services and its output.
pub fn of(name: &str) -> Fact {
    use Cost::{Destroys, Free, Spends};
    const UNLOCK: &[&str] = &["unlock", "summary"];
    let (cost, asks, output): (Cost, bool, &'static [&'static str]) = match name {
        "" | "demo" | "mcp" => (Spends, true, &[]),
        "search" => (Free, true, &["row", "search_summary"]),
        "saved run" => (Free, true, &["row", "saved_summary"]),
        "match" => (Free, true, &["match", "match_summary", "match_plan"]),
        "unlock" => (Spends, true, &["unlock", "summary", "quote"]),
        "recover" => (Spends, true, UNLOCK),
        "owned" => (Free, true, &["owned"]),
        "receipts" => (Free, true, &["receipt"]),
        "basket" | "basket list" | "basket earlier" => (Free, true, &["basket"]),
        "basket add" | "basket rm" | "basket clear" => (Free, true, &[]),
        "export" => (Free, true, &["export"]),
        "counts" => (Free, true, &["count"]),
        "me" => (Free, true, &["me"]),
        "saved list" | "saved show" => (Free, true, &["saved"]),
        "saved add" | "saved rename" => (Free, false, &[]),
        "saved rm" => (Destroys, true, &[]),
        "suppress list" => (Free, false, &["suppress_list"]),
        "suppress show" => (Free, false, &["suppress_entry"]),
        "suppress check" => (Free, false, &["suppress_check"]),
        "suppress add" => (Free, false, &["suppress_summary"]),
        "suppress rm" => (Destroys, false, &["suppress_summary"]),
        "ledger backup" => (Free, false, &["ledger_summary"]),
        "ledger restore" => (Destroys, false, &["ledger_summary"]),
        "doctor" => (Free, true, &["finding"]),
        "ledger check" => (Free, false, &["finding"]),
        "info" => (Free, false, &["info"]),
        "sandbox" => (Free, false, &["sandbox"]),
        "spec" => (Free, false, &["spec"]),
        "skill" | "completions" | "man" => (Free, false, &[]),
        other => unreachable!("the cost and the services of `lode {other}` are not listed"),
    };
    Fact { cost, output, asks }
}

/// The environment variables that lode reads.
pub const ENVIRONMENT: &[(&str, &str)] = &[
    ("LODE_PROFILE", "Profile to use"),
    ("LODE_WORKSPACE_URL", "Address of the Workspace API"),
    ("LODE_WORKSPACE_KEY", "Key of the Workspace API"),
    ("LODE_DATA_URL", "Address of the Data API"),
    ("LODE_DATA_KEY", "Key of the Data API"),
    ("LODE_CONFIG_DIR", "Folder of config.toml, saved searches and presets"),
    ("LODE_STATE_DIR", "Folder of everything lode keeps"),
    ("LODE_LINEAR", "1: lines instead of a screen"),
    ("LODE_RUNTIME_DIR", "Folder where requests are counted"),
    ("NO_COLOR", "No color where it is set"),
];
