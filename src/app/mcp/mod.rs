//! `lode mcp`: the tools of `cli::assist` over the Model Context Protocol, on standard input and output.
//!
//! Every call is a program of its own on a thread of its own, as a shell command is. Its session and its store belong to an
//! assistant: they make no order without a proposal that holds.

mod call;
mod server;
mod stdio;

use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

use rmcp::serve_server;
use rmcp::service::ServerInitializeError;
use tokio::sync::watch;

use crate::app::{bootstrap, crash, voice};
use crate::ops::assist::Shared;
use crate::ops::command::McpArgs;
use crate::ops::problem::{CommandProblem, Exit};
use lode_core::Source;
use lode_engine::effect::Allowance;
use lode_host::config::environment::Environment;
use lode_host::ends::Ends;
use lode_host::files::refuse_own;
use lode_host::secrets::Ready;
use lode_host::{flight, secrets, store};

use call::Inner;
use server::Server;
use stdio::Stdio;

/// Serves until the client closes standard input.
pub(super) fn serve(args: &McpArgs) -> Result<ExitCode, CommandProblem> {
    let environment = Environment::read();
    crash::install(&environment.state_dir, || {}, crash::aloud);
    let chosen = bootstrap::choose(&environment)?;
    let folders = args.export_to.iter().map(|folder| allowed(folder, &environment)).collect::<Result<_, _>>()?;
    let ready = behind_the_person(secrets::open(&chosen, &Source::ALL, store::fresh_window(), &voice::warn));
    for (_, problem) in &ready.problems {
        voice::warn(&format!("{}; going on without it", problem.words));
    }
    let shared = Shared::new(folders);
    let (active, mut calls) = watch::channel(0_usize);
    let (ending, _) = watch::channel(false);
    let inner = Arc::new(Inner { environment, profile: Mutex::new((chosen, ready)), shared, active, ending });
    let runtime = bootstrap::runtime()?;
    let exit = runtime.block_on(async {
        let mut signals = Ends::listen();
        let serving = async {
            let running = serve_server(Server(Arc::clone(&inner)), Stdio::open()).await?;
            let _ = running.waiting().await;
            Ok(())
        };
        // A signal ends it also while no client has spoken yet.
        let served: Result<Exit, ServerInitializeError> = tokio::select! {
            biased;
            () = signals.recv() => Ok(Exit::Interrupted),
            served = serving => served.map(|()| Exit::Done),
        };
        let exit = match served {
            Ok(exit) => exit,
            Err(error) => {
                let hint = "a client of the Model Context Protocol starts it";
                let problem = CommandProblem::new(Exit::Usage, format!("no client spoke to it: {error}"), hint);
                let _ = voice::failed(&problem);
                return problem.exit;
            }
        };
        // A call that spends is stopped after the request in flight, and its answer is waited for.
        inner.ending.send_replace(true);
        let landed = calls.wait_for(|count| *count == 0);
        let _ = tokio::time::timeout(flight::PATIENCE, landed).await;
        exit
    });
    // A read of standard input may still wait.
    runtime.shutdown_background();
    Ok(ExitCode::from(exit.code()))
}

/// The person's own requests go first: a quarter of the allowance is never taken by an assistant.
fn behind_the_person(mut ready: Ready) -> Ready {
    for service in [&mut ready.profile.workspace, &mut ready.profile.data].into_iter().flatten() {
        let allowance = service.allowance;
        let requests = allowance.requests.map(|requests| (requests - requests / 4).max(1));
        service.allowance =
            Allowance { requests, in_flight: allowance.in_flight.saturating_sub(1).max(1), ..allowance };
    }
    ready
}

/// A folder that exports may go to, by its real name.
fn allowed(folder: &Path, environment: &Environment) -> Result<std::path::PathBuf, CommandProblem> {
    let hint = "`--export-to` names a folder that exists and is not lode's own";
    refuse_own(folder, &environment.own_folders())
        .map_err(|failure| CommandProblem::new(Exit::Usage, failure.words, hint))?;
    let real = std::fs::canonicalize(folder).ok().filter(|folder| folder.is_dir());
    real.ok_or_else(|| {
        let words = format!("{} is no folder", folder.display());
        CommandProblem::new(Exit::Usage, words, hint)
    })
}
