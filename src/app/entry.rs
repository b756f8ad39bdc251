//! Parses the arguments, runs the command, and returns the exit code.

use std::ffi::OsString;

use clap::error::ErrorKind;
use clap::{Command, CommandFactory, FromArgMatches, Parser};

use super::run::{demo, opening};
use super::*;

pub fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    // The version is asked by scripts and installers: it is answered before anything is built to parse arguments with.
    if let [_, only] = arguments.as_slice()
        && (only == "--version" || only == "-V")
    {
        return headless::print(format!("lode {VERSION}\n").as_bytes());
    }
    // Before they are parsed: how a failure is told may not depend on whether they can be.
    let given =
        |flag| arguments.iter().skip(1).take_while(|argument| *argument != "--").any(|argument| argument == flag);
    output_mode::choose(given("--json"), given("--quiet"), given("--no-color"));
    let parsed = Lode::try_parse_from(&arguments).or_else(|error| match error.kind() {
        ErrorKind::UnknownArgument => {
            Lode::from_arg_matches(&with_negative_values(Lode::command()).try_get_matches_from(arguments)?)
        }
        _ => Err(error),
    });
    let lode = match parsed {
        Ok(lode) => lode,
        Err(error) => {
            if !error.use_stderr() {
                return headless::exit_code(error.print().and_then(|()| io::stdout().flush()));
            }
            if output_mode::speaks_data() {
                return output_mode::failed(&wrong_usage(&error));
            }
            drop(error.print());
            return ExitCode::from(Exit::Usage.code());
        }
    };
    let theme = lode.theme.as_deref();
    let ended = match &lode.command {
        None => opening::window(theme, lode.linear),
        Some(ShellCommand::Completions { shell }) => Ok(headless::print(&spec::completions(shell))),
        Some(ShellCommand::Man { command }) => spec::man(command.as_deref()).map(|page| headless::print(&page)),
        Some(ShellCommand::Sandbox(args)) => serve(args),
        Some(ShellCommand::Demo(args)) => demo::demo(args, theme, lode.linear),
        Some(ShellCommand::Doctor { online }) => form(&lode).and_then(|form| doctor::doctor(*online, form)),
        Some(ShellCommand::Ledger { act }) => form(&lode).and_then(|form| doctor::ledger(act, form)),
        Some(ShellCommand::Info) => form(&lode).map(doctor::info),
        Some(ShellCommand::Spec) => {
            let is_json = output_mode::format(lode.json) == Format::Json;
            let text = if is_json { json::line(&spec::spec()) + "\n" } else { spec::table() };
            Ok(headless::print(text.as_bytes()))
        }
        #[cfg(feature = "mcp")]
        Some(ShellCommand::Mcp { export_to }) => super::mcp::serve(export_to.as_deref()),
        Some(ShellCommand::Skill) => Ok(headless::print(spec::skill().as_bytes())),
        Some(command) => form(&lode).and_then(|form| run(command.operation(), form)),
    };
    ended.unwrap_or_else(|problem| output_mode::failed(&problem))
}

/// Takes the `-1` of `--limit -1` for a value, which is then refused. By default clap takes it for a flag, and advises to put
/// `--` before it. Only where parsing failed without: this goes through every argument of every command.
fn with_negative_values(command: Command) -> Command {
    let command = command.mut_args(|arg| {
        let takes_values = !arg.is_positional() && arg.get_action().takes_values();
        arg.allow_negative_numbers(takes_values)
    });
    command.mut_subcommands(with_negative_values)
}

/// Runs an operation, which works on services, store and files. It does not start if its file cannot be written.
fn run(operation: &dyn Operation, (format, pick): Form) -> Result<ExitCode, CommandProblem> {
    let environment = Environment::read();
    crash::install(&environment.state_dir);
    let chosen = bootstrap::choose(&environment)?;
    let pipe = operation.pipe().map(read_pipe).transpose()?;
    chosen.said.iter().for_each(|said| output_mode::warn(said));
    let begun = bootstrap::begin(&environment, &chosen, operation.uses(&chosen.profile), &output_mode::warn);
    if let Some((_, problem)) = begun.problems.iter().find(|(source, _)| operation.needs(*source)) {
        return Err(CommandProblem::new(Code::NoKey, problem.words.clone(), problem.hint.clone()));
    }
    begun.told.iter().for_each(|words| output_mode::warn(words));
    for (_, problem) in &begun.problems {
        output_mode::warn(&format!("{}; going on without it", problem.words));
    }
    if let Some(target) = operation.file() {
        let folders = &begun.setup.folders;
        export::shape(&target.form, folders).map_err(|failure| {
            let hint = format!("your own formats are files in {}", folders.config.join("presets").display());
            CommandProblem::new(Exit::Usage, failure.words, hint)
        })?;
        export::refuse_own_target(&target, folders).map_err(|failure| CommandProblem::of_file(&failure))?;
        if let Some(path) = export::in_the_way(&target, folders) {
            let words = format!("{} exists already and was not replaced", path.display());
            return Err(CommandProblem::new(Code::File, words, "`--force` replaces it"));
        }
    }
    let script = operation.script(pipe.as_deref())?.printing(format);
    drop(pipe);
    let code = headless::run(Program::new(&begun.profile, bootstrap::seed(), script), begun.setup, pick)?;
    Ok(output_mode::ended(code, output_mode::plain))
}

/// What is read of standard input: rows of some hundred thousand contacts.
const MOST_PIPED: u64 = 256 << 20;

/// All of standard input; empty on a terminal.
fn read_pipe(pipe: Pipe) -> Result<String, CommandProblem> {
    let input = io::stdin();
    let unreadable = |why: &dyn std::fmt::Display, hint: &str| {
        CommandProblem::new(Exit::Usage, format!("standard input cannot be read: {why}"), hint)
    };
    let [sentence, hint] = pipe.missing;
    CommandProblem::refuse_if(input.is_terminal(), sentence, hint)?;
    if pipe.is_list {
        return list::read(input.lock()).map_err(|why| unreadable(&why, "pipe a CSV or .xlsx file of at most 64 MB"));
    }
    let mut text = String::new();
    let read = input.lock().take(MOST_PIPED + 1).read_to_string(&mut text);
    read.map_err(|why| unreadable(&why, "it has to be text in UTF-8"))?;
    let words = format!("standard input has more than {} MB", MOST_PIPED >> 20);
    CommandProblem::refuse_if(text.len() as u64 > MOST_PIPED, words, "split it and run the command for each part")?;
    Ok(text)
}

/// What the parser says of wrong usage, as a sentence with a hint.
fn wrong_usage(error: &clap::Error) -> CommandProblem {
    let text = error.render().to_string();
    let mut parts = text.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let sentence = parts.next().unwrap_or_default();
    let tip = parts.find_map(|part| part.strip_prefix("tip: ").map(str::to_owned));
    let hint = tip.unwrap_or_else(|| "`--help` after the command shows what it takes".to_owned());
    CommandProblem::new(Exit::Usage, sentence.trim_start_matches("error: "), hint)
}

/// `lode sandbox`: one line, then service until interrupted.
fn serve(args: &SandboxArgs) -> Result<ExitCode, CommandProblem> {
    // A real service would be on another machine, and take no core from the program that asks it.
    processes::step_back();
    let sandbox = Sandbox::start(opening::sandbox_settings(args)).map_err(|error| {
        let words = format!("the sandbox cannot listen on 127.0.0.1:{}: {error}", args.port);
        CommandProblem::new(Exit::Failed, words, "`lode sandbox --port 0` picks a free port")
    })?;
    let runtime = bootstrap::runtime()?;
    // The reader of the line may stop it at once.
    let mut interrupts = runtime.block_on(async { ExitSignals::listen() });
    headless::print(format!("{}\n", sandbox.line()).as_bytes());
    runtime.block_on(interrupts.recv());
    Ok(ExitCode::from(Exit::Interrupted.code()))
}
