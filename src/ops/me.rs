//! `lode me`: workspace, key and credits, by one free call.

use super::operation::{Operation, ScriptContext};
use super::output::{Format, KeyShape, MeLine, OrgShape, json};
use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use lode_core::{Account, Purse, Source};
use lode_engine::effect::{Call, Effect, Reply, StoreCall};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::Event;

pub struct MeScript {
    pub format: Format,
}

impl MeScript {
    fn lines(&self, account: &Account) -> Vec<String> {
        let credits = account.credits;
        match self.format {
            Format::Json => vec![json::line(&line(account))],
            Format::Table { .. } => vec![
                format!("workspace  {} ({}, plan {})", account.org_name, account.org_id, account.plan),
                format!("key        {} ({}…)", account.key_name, account.key_prefix),
                format!(
                    "scopes     {}",
                    if account.scopes.is_empty() { "none".into() } else { account.scopes.join(", ") }
                ),
                format!("credits    {}", credits.map_or_else(|| "not said".to_owned(), |credits| credits.to_string())),
            ],
        }
    }
}

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

    fn script(&self, ScriptContext { format, .. }: ScriptContext<'_>) -> Result<Box<dyn Script>, CommandProblem> {
        Ok(Box::new(MeScript { format }))
    }
}

impl Script for MeScript {
    fn start(&mut self, run: &mut Run<'_>) {
        if !run.session.has(Source::Workspace) {
            return CommandProblem::no_key(Source::Workspace).end(run.fx);
        }
        run.ask(Call::Me);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(arrival) = event else { return };
        let Arrival::Reply(_, Call::Me, result) = arrival else { return };
        let exit = match result {
            Ok(Reply::Me(account)) => {
                run.fx.extend(self.lines(&account).into_iter().map(Effect::Print));
                let profile = run.session.profile();
                if let Some(service) = &profile.workspace {
                    let purse = Purse::of_org(profile.purse_origin(service), &account.org_id);
                    let key = service.key.clone();
                    run.store(StoreCall::Know { key, purse, account });
                }
                Exit::Done
            }
            Ok(_) => Exit::Failed,
            Err(failure) => {
                let problem = CommandProblem::of_call(Source::Workspace, &failure);
                problem.say(run.fx);
                problem.exit
            }
        };
        run.fx.push(Effect::Quit(exit.code()));
    }
}
