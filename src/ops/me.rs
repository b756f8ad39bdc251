//! `lode me`: workspace, key and credits, by one free call.

use super::console::{Console, Ending, script};
use super::operation::{Operation, ScriptContext};
use super::output::{Format, KeyShape, MeLine, OrgShape};
use super::problem::{CommandProblem, Exit};
use super::program::Script;
use lode_core::{Account, Source};
use lode_engine::effect::Effect;

/// The account as `lode me` prints it.
pub fn line(account: &Account) -> MeLine {
    MeLine {
        org: OrgShape { id: account.org_id.clone(), name: account.org_name.clone(), plan: account.plan.clone() },
        key: KeyShape {
            name: account.key_name.clone(),
            prefix: account.key_prefix.clone(),
            scopes: account.scopes.clone(),
        },
        credits: account.credits.map(|credits| credits.0),
    }
}

/// `lode me` takes no arguments.
pub struct MeArgs;

impl Operation for MeArgs {
    fn services(&self) -> &'static [Source] {
        &[Source::Workspace]
    }

    fn script(&self, ScriptContext { format, .. }: ScriptContext<'_>) -> Result<Script, CommandProblem> {
        Ok(script(move |console| me(console, format)))
    }
}

async fn me(console: Console, format: Format) -> Ending {
    let account = console.account().await?;
    if format.is_table() {
        let scopes = if account.scopes.is_empty() { "none".to_owned() } else { account.scopes.join(", ") };
        let credits = account.credits.map_or_else(|| "not said".to_owned(), |credits| credits.to_string());
        for line in [
            format!("workspace  {} ({}, plan {})", account.org_name, account.org_id, account.plan),
            format!("key        {} ({}…)", account.key_name, account.key_prefix),
            format!("scopes     {scopes}"),
            format!("credits    {credits}"),
        ] {
            console.say(Effect::Print(line));
        }
    } else {
        console.print(&line(&account));
    }
    Ok(Exit::Done)
}
