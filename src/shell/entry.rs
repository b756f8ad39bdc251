//! From the arguments to the exit code: what is typed is parsed, and each command is handed to the room that does it.
#![allow(clippy::disallowed_methods)] // The shell reads arguments and the clock for everybody else.

use std::ffi::OsString;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Parser;

use crate::cli::args::sandbox::SandboxArgs;
use crate::cli::args::{Command, Lode, VERSION, pages};
use crate::cli::exit::Exit;
use crate::cli::say::Problem;
use crate::sandbox::server::{Sandbox, Settings, fresh_identity};

pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // The version is asked by scripts and installers: it is answered before anything is built to parse arguments with.
    if let [_, only] = arguments.as_slice()
        && (only == "--version" || only == "-V")
    {
        return print(format!("lode {VERSION}\n").as_bytes());
    }
    let lode = match Lode::try_parse_from(arguments) {
        Ok(lode) => lode,
        Err(error) => {
            // A closed pipe behind `--help | head` is no failure.
            drop(error.print());
            return ExitCode::from(if error.use_stderr() { Exit::Usage.code() } else { Exit::Done.code() });
        }
    };
    match lode.command {
        Some(Command::Completions(args)) => print(&pages::completions(&args)),
        Some(Command::Man(args)) => pages::man(&args).map_or_else(|problem| fail(&problem), |page| print(&page)),
        Some(Command::Sandbox(args)) => serve(&args),
        _ => ExitCode::FAILURE,
    }
}

fn print(bytes: &[u8]) -> ExitCode {
    let mut out = io::stdout().lock();
    drop(out.write_all(bytes).and_then(|()| out.flush()));
    ExitCode::SUCCESS
}

fn fail(problem: &Problem) -> ExitCode {
    for line in problem.lines() {
        eprintln!("{line}");
    }
    ExitCode::from(problem.exit.code())
}

/// `lode sandbox`: one line, then service until somebody interrupts.
fn serve(args: &SandboxArgs) -> ExitCode {
    let started = Sandbox::start(sandbox_settings(args)).and_then(|sandbox| {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok((sandbox, runtime))
    });
    let (sandbox, runtime) = match started {
        Ok(started) => started,
        Err(error) => {
            return fail(&Problem::new(
                Exit::Failed,
                format!("the sandbox cannot listen on 127.0.0.1:{}: {error}", args.port),
                "`lode sandbox --port 0` takes a free port",
            ));
        }
    };
    print(format!("{}\n", sandbox.line()).as_bytes());
    runtime.block_on(super::headless::interrupted());
    ExitCode::from(Exit::Interrupted.code())
}

/// How the flags describe a sandbox; keys that nobody can guess, and the threads this machine has.
pub(super) fn sandbox_settings(args: &SandboxArgs) -> Settings {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    Settings { port: args.port, control: args.control, journal: None, setup: args.setup(fresh_identity(), threads) }
}
