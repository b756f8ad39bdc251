//! Commands that look at this machine without a session: `lode doctor` and `lode info`, which gather facts and say what needs a fix, and
//! `lode ledger check | backup FILE | restore FILE`.
//!
//! Nothing is changed by looking, except that a file is made and removed again to see whether one can be, and that the folder where
//! requests are counted is made.

use super::*;
use crate::ops::listing::{Answers, probe};
use lode_host::http::{newest_release, numbers};
use lode_host::system::terminal::ask;

/// Looks at everything, asks the services, and says what to fix. Fails where something needs a fix.
pub(super) fn doctor(online: bool, form: Form) -> Result<ExitCode, CommandProblem> {
    let environment = Environment::read();
    let (mut report, in_use) = examine(&environment, &output_mode::warn);
    let mut interrupted = false;
    if let Some((chosen, ready)) = in_use {
        let begun = bootstrap::with_keys(&environment, &chosen, ready);
        let answers = Answers::default();
        let program = Program::new(&begun.profile, bootstrap::seed(), probe(answers.clone()));
        interrupted = headless::run(program, begun.setup, None)? == Exit::Interrupted.code();
        for (source, answer) in answers.borrow().iter() {
            report.service(*source, answer.as_ref().map(String::as_str));
        }
    }
    if online {
        updates(environment.home.as_deref().unwrap_or(env!("CARGO_PKG_REPOSITORY")), &mut report)?;
    }
    let exit = match () {
        () if interrupted => Exit::Interrupted,
        () if report.grade() == Grade::Bad => Exit::Failed,
        () => Exit::Done,
    };
    Ok(conclude(&report.lines, exit, "something needs attention", form))
}

/// Asks the project's home for its newest release, which happens only with `--online`.
fn updates(home: &str, report: &mut Report) -> Result<(), CommandProblem> {
    const OWN: &str = env!("CARGO_PKG_VERSION");
    if home.is_empty() {
        report.note("updates", "this build does not name the project's page; LODE_HOME can");
        return Ok(());
    }
    match bootstrap::runtime()?.block_on(newest_release(home)) {
        Ok(newest) if Some(newest) > numbers(OWN) => {
            let newest = newest.map(|number| number.to_string()).join(".");
            report.note("updates", format!("{newest} is out, this is {OWN}: {home}/releases"));
        }
        Ok(_) => report.fine("updates", format!("{OWN} is the newest release")),
        Err(words) => report.bad("updates", words, "`lode doctor --online` tries again"),
    }
    Ok(())
}

/// Prints findings and ends.
fn conclude(lines: &[FindingLine], exit: Exit, trouble: &'static str, (format, pick): Form) -> ExitCode {
    let text: String = lines.iter().map(|line| written(line, format)).collect();
    headless::print_lines(&text, pick);
    output_mode::ended(exit.code(), |exit| match exit {
        Exit::Failed => CommandProblem::new(Code::Unhealthy, trouble, "the lines on standard output say what to do"),
        exit => output_mode::plain(exit),
    })
}

fn written(line: &FindingLine, format: Format) -> String {
    match format {
        Format::Json => format!("{}\n", json::line(line)),
        Format::Table { .. } => {
            let hint = line.hint.as_ref().map_or_else(String::new, |hint| format!("      {:<11} hint: {hint}\n", ""));
            format!("{:<5} {:<11} {}\n{hint}", line.grade, line.topic, line.words)
        }
    }
}

/// Show the paths, versions and settings in use.
pub(super) fn info((format, pick): Form) -> ExitCode {
    let environment = Environment::read();
    let config = config::load(&environment).ok();
    let chosen = config.and_then(|config| config::choose(&config, &environment, None).ok()?);
    let facts = facts(&environment, chosen.as_ref());
    let text = match format {
        Format::Json => {
            format!("{}\n", facts.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect::<Value>())
        }
        Format::Table { .. } => facts.into_iter().map(|(name, value)| format!("{name:<16} {value}\n")).collect(),
    };
    headless::print_lines(&text, pick)
}

/// Everything that can be known without asking a service, and the profile in use with its keys. `waiting` hears of a key that lets
/// its owner wait.
pub fn examine(environment: &Environment, waiting: Waiting<'_>) -> (Report, Option<(ChosenProfile, Ready)>) {
    let mut report = Report::default();
    let (config, chosen) = settings(environment, &mut report);
    let in_use = chosen.map(|chosen| {
        let ready = secrets::open(&chosen, &Source::ALL, store::fresh_window(), waiting);
        (chosen, ready)
    });
    keys(in_use.as_ref(), &mut report);
    state(environment, &mut report);
    if let Some((chosen, _)) = &in_use {
        saved(environment, &chosen.profile.name, &mut report);
    }
    requests(environment, &mut report);
    terminal(&mut report, &config);
    report.fine("log", log::path(&environment.state_dir).display().to_string());
    (report, in_use)
}

/// Returns the settings, and the profile in use if they can be read and name one.
fn settings(environment: &Environment, report: &mut Report) -> (Config, Option<ChosenProfile>) {
    let path = config::path(environment);
    let config = match config::load(environment) {
        Ok(config) => config,
        Err(problem) => {
            report.bad("settings", problem.to_string(), problem.hint);
            return (Config::default(), None);
        }
    };
    let mut problems = Vec::new();
    let own = bootstrap::own_themes(environment, &mut problems);
    problems.drain(..).for_each(|problem| report.bad("theme", problem, "change the role in that file"));
    if let Err(problem) = bootstrap::theme(&config, &Themes { own, ..Themes::default() }) {
        report.bad("settings", problem.to_string(), "change `theme` in that file");
    }
    bootstrap::keymap(&config, &mut problems);
    problems.into_iter().for_each(|problem| report.bad("settings", problem, "change the key in that file"));
    if path.exists() {
        let profiles: Vec<&str> = config.profiles.iter().map(|profile| profile.name.as_str()).collect();
        let named = if profiles.is_empty() { "no profile".to_owned() } else { profiles.join(", ") };
        report.fine("settings", format!("{}: {named}", path.display()));
    } else {
        report.note("settings", format!("{} does not exist yet", path.display()));
    }
    match config::choose(&config, environment, None) {
        Ok(Some(chosen)) => {
            let live = if chosen.profile.live { "LIVE" } else { "SANDBOX" };
            let from = match chosen.profile.from_environment.as_slice() {
                [] => String::new(),
                names => format!(", with {}", names.join(", ")),
            };
            report.fine("profile", format!("{} [{live}]{from}", chosen.profile.name));
            chosen.said.iter().for_each(|said| report.note("profile", said.clone()));
            return (config, Some(chosen));
        }
        Ok(None) => {
            report.bad("profile", "no service is set up yet", "run `lode` to add a key; `lode demo` needs none");
        }
        Err(problem) => report.bad("profile", problem.to_string(), problem.hint),
    }
    (config, None)
}

fn keys(in_use: Option<&(ChosenProfile, Ready)>, report: &mut Report) {
    let mut asks_keyring = false;
    for (ready, access) in
        in_use.iter().flat_map(|(chosen, ready)| chosen.services().map(move |access| (ready, access)))
    {
        let topic = access.source.name();
        report.fine(topic, format!("address {}", access.base.url));
        asks_keyring |= matches!(access.key, KeySource::Stored(KeyPlace::Keyring));
        if let Some((_, problem)) = ready.problems.iter().find(|(source, _)| *source == access.source) {
            report.bad(topic, problem.words.clone(), problem.hint.clone());
            continue;
        }
        let shown = ready.profile.service(access.source).map_or("", |service| service.shown.as_str());
        let (grade, place) = match &access.key {
            KeySource::Given { from, .. } => (Grade::Fine, from.clone()),
            KeySource::Stored(KeyPlace::Keyring) => (Grade::Fine, "the system keyring".to_owned()),
            KeySource::Stored(KeyPlace::Command(_)) => (Grade::Fine, "a command".to_owned()),
            KeySource::Stored(KeyPlace::File(path)) => (Grade::Note, path.display().to_string()),
            KeySource::Missing(_) => continue,
        };
        report.say(grade, topic, format!("key {shown}… from {place}"), None);
    }
    // Where the keyring is used, fetching the key has said how it is.
    if !asks_keyring {
        match secrets::keyring_works() {
            Ok(()) => report.fine("keyring", "there is a system keyring"),
            Err(problem) => report.note("keyring", problem.words),
        }
    }
}

fn state(environment: &Environment, report: &mut Report) {
    let ledger = place::locate(&environment.state_dir, &environment.data_dir);
    let (dir, shown) = (&ledger.dir, ledger.dir.display());
    if let Some(lost) = &ledger.refused {
        report.bad("ledger", lost.to_string(), "run `lode ledger check` to see what to do");
    }
    let hint = "LODE_STATE_DIR names another folder; `lode info` shows the one in use";
    if !dir.exists() {
        let above = dir.ancestors().find(|above| above.exists()).unwrap_or(dir);
        return match can_write(above) {
            Ok(()) => report.note("state", format!("{shown} does not exist yet")),
            Err(error) => {
                let words = format!("{shown} cannot be made, as {} cannot be written to ({error})", above.display());
                report.bad("state", words, hint);
            }
        };
    }
    if let Err(error) = can_write(dir) {
        let words = format!("{shown} cannot be written to ({error}): searching works, unlocking is refused");
        report.bad("state", words, hint);
    }
    if is_open_to_others(dir).unwrap_or(false) {
        let words = format!("{shown} is readable by other users");
        report.bad("state", words, format!("{} makes it yours alone", how_to_close(dir)));
    }
    if let Ok(free) = room(dir)
        && free < 64 << 20
    {
        report.bad("state", format!("the disk has {} MB left", free >> 20), "free some disk space");
    }
    match inspect(dir, clock::now().wall.0) {
        Err(failure) => report.bad("state", failure.to_string(), state_hint(&failure)),
        Ok(found) => {
            let Some(ledger) = found.ledger else { return report.note("state", format!("{shown}: empty so far")) };
            let size = ledger.bytes.div_ceil(1024);
            let windows = match found.windows {
                0 => String::new(),
                1 => ", one window open".to_owned(),
                several => format!(", {several} windows open"),
            };
            report.fine("state", format!("{shown}: sound, {size} kB{windows}"));
            for found in check(dir).unwrap_or_default().into_iter().filter(|found| !found.adds_up) {
                let hint = found.hint.unwrap_or_else(|| "run `lode ledger check` for a full check".to_owned());
                report.bad("ledger", found.words, hint);
            }
            if ledger.open > 0 {
                let open = ledger.open as usize;
                let words = format!("{} {} an unknown result", contacts(open), agree(open, "has", "have"));
                report.bad("state", words, "run `lode recover` to check them (free)");
            }
            if ledger.ahead_ms > 60_000 {
                let ahead = counted(ledger.ahead_ms.unsigned_abs() / 60_000, "minute");
                let words = format!("the last ledger entry is {ahead} in the future: the clock was set back");
                report.note("state", format!("{words}; the daily limit counts from that entry on"));
            }
            for backup in found.backups {
                report.note("state", format!("{backup} is a copy from before an update; you can delete it"));
            }
        }
    }
    let folder = crash::folder(&environment.state_dir);
    let crashes = fs::read_dir(&folder).into_iter().flatten().count();
    if crashes > 0 {
        report.note("crashes", format!("{} in {}", counted(crashes as u64, "report"), folder.display()));
    }
}

fn requests(environment: &Environment, report: &mut Report) {
    match folders::runtime(environment.runtime_dir.as_deref()) {
        Ok(folder) => {
            report.fine("requests", format!("shared in {} by every lode window of this user", folder.display()))
        }
        Err(error) => {
            let words = format!("counted for this state folder alone: {error}");
            report.bad("requests", words, "remove or rename it, or set LODE_RUNTIME_DIR to a private folder");
        }
    }
}

fn state_hint(failure: &StoreFailure) -> &'static str {
    match failure {
        StoreFailure::Newer => "install the lode that wrote it, or set LODE_STATE_DIR to another folder",
        StoreFailure::Corrupt(_) => RESTORE,
        StoreFailure::Lost(_) => "run `lode ledger check` to see what to do",
        StoreFailure::Locked => "close the other program and try `lode doctor` again",
        _ => "`lode info` shows the folder in use",
    }
}

fn can_write(dir: &Path) -> std::io::Result<()> {
    let probe = dir.join(format!(".probe-{}", std::process::id()));
    fs::OpenOptions::new().create_new(true).write(true).open(&probe)?;
    fs::remove_file(probe)
}

fn saved(environment: &Environment, profile: &str, report: &mut Report) {
    match SavedFiles::of(environment, profile).perform(&SavedCall::List) {
        Ok(FileReply::Saved { saved, unreadable, views: (_, wrong), .. }) => {
            wrong.into_iter().for_each(|wrong| report.bad("saved", wrong, "fix the file in an editor, or remove it"));
            if !saved.is_empty() {
                report.fine("saved", counted(saved.len() as u64, "saved search"));
            }
            for Unreadable { file, why, .. } in unreadable {
                let hint = "fix the file in an editor, or `lode saved rm` it";
                report.bad("saved", format!("{file} cannot be read: {why}"), hint);
            }
        }
        Ok(_) => {}
        Err(failure) => report.bad("saved", failure.words, "`lode info` shows the folder in use"),
    }
}

/// The paths, versions and settings in use: name and value.
fn facts(environment: &Environment, chosen: Option<&ChosenProfile>) -> Vec<(&'static str, String)> {
    let ledger = place::locate(&environment.state_dir, &environment.data_dir).dir;
    let mut facts = vec![
        ("version", VERSION.to_owned()),
        ("settings", config::path(environment).display().to_string()),
        ("saved", environment.config_dir.join("saved").display().to_string()),
        ("state", environment.state_dir.display().to_string()),
        ("ledger", ledger.join(LEDGER_FILE).display().to_string()),
        ("log", log::path(&environment.state_dir).display().to_string()),
        ("crashes", crash::folder(&environment.state_dir).display().to_string()),
    ];
    if let Some(chosen) = chosen {
        facts.push(("profile", chosen.profile.name.clone()));
        facts.push(("live", chosen.profile.live.to_string()));
        facts.extend(chosen.services().map(|access| (access.source.name(), access.base.url.clone())));
        let cap = |cap: Option<Credits>| cap.map_or("none".to_owned(), |cap| cap.to_string());
        facts.push(("limit per request", cap(chosen.profile.caps.call)));
        facts.push(("limit per session", cap(chosen.profile.caps.session)));
        facts.push(("limit per day", cap(chosen.profile.caps.day)));
        if !chosen.profile.from_environment.is_empty() {
            facts.push(("environment", chosen.profile.from_environment.join(", ")));
        }
    }
    facts
}

/// For a terminal that answers late, as over a slow line: an answer after the end would be typed into the shell.
const ANSWERS_WITHIN: Duration = Duration::from_secs(1);

fn terminal(report: &mut Report, config: &Config) {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let term = set("TERM").unwrap_or_else(|| USUAL_TERM.to_owned());
    let mut words = if term.is_empty() { "TERM is not set".to_owned() } else { term.clone() };
    let around = [("TMUX", "in tmux"), ("STY", "in screen"), ("SSH_CONNECTION", "over SSH")];
    words.extend(around.into_iter().filter(|(name, _)| set(name).is_some()).map(|(_, said)| format!(", {said}")));
    let here = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    if here && let Some((columns, rows)) = size_of_output() {
        words.push_str(&format!(", {}×{}", columns, rows));
    }
    report.fine("terminal", words);
    let variable = |name: &str| set(name).unwrap_or_default();
    if here && !matches!(term.as_str(), "" | "dumb") {
        let answers = asked(Capabilities::new(term.clone(), variable("TERM_PROGRAM"), config.avoid.clone()));
        answers.into_iter().for_each(|words| report.fine("terminal", words));
    }
    let no_color = set("NO_COLOR").is_some();
    let depth = Depth::of(no_color, &variable("COLORTERM"), &term);
    report.fine("colors", colors(depth, no_color));
    report.fine("keyboard", keyboard(&term, set));
    let linear = config.linear == Some(true);
    let asked = set("LODE_LINEAR").is_some_and(|value| value != "0");
    report.fine("linear mode", linear_mode(asked, linear, &term));
    MISSING.iter().for_each(|words| report.note("system", *words));
}

/// What the terminal answers to the questions that the screen asks, on the screen that full-screen programs use.
fn asked(mut capabilities: Capabilities) -> Vec<String> {
    let questions = [b"\x1b[?1049h", &capabilities.ask(Instant::now())[..], b"\x1b[?1049l"].concat();
    let (mut parser, mut heard) = (Parser::default(), Vec::new());
    let is_asked = ask(&questions, ANSWERS_WITHIN, |bytes| {
        parser.take(bytes, Instant::now(), &mut heard);
        for input in heard.drain(..) {
            if let Input::Reply(reply) = &input {
                capabilities.take(reply);
            }
        }
        capabilities.answers_end().is_none()
    });
    if is_asked {
        capabilities.report()
    } else {
        vec!["lode did not ask what it can do, because something was typed ahead".to_owned()]
    }
}

/// Whether the screen is lines, and when it had better be.
fn linear_mode(asked: bool, set: bool, term: &str) -> &'static str {
    match (asked, set, term) {
        (true, ..) => "on: LODE_LINEAR is set",
        (_, true, _) => "on: `linear = true` in the settings",
        (_, _, "" | "dumb") => "off; this terminal draws no screens, so use `lode --linear`",
        _ => "off; `lode --linear` prints lines instead of a screen, for screen readers and logs",
    }
}

fn colors(depth: Depth, no_color: bool) -> &'static str {
    match depth {
        Depth::None if no_color => "none (NO_COLOR is set)",
        Depth::None => "none",
        Depth::Sixteen => "the terminal's own sixteen",
        Depth::Palette => "256",
        Depth::True => "all of them",
    }
}

/// By what the environment says: the screen works with and without unambiguous keys.
fn keyboard(term: &str, set: impl Fn(&str) -> Option<String>) -> &'static str {
    const OFFERING: [&str; 7] = ["kitty", "foot", "ghostty", "alacritty", "wezterm", "iterm", "rio"];
    if set("TMUX").is_some() || set("STY").is_some() {
        return "as the multiplexer passes keys on; Esc has no delay";
    }
    let named = [term, set("TERM_PROGRAM").unwrap_or_default().as_str()].map(str::to_lowercase);
    if set("KITTY_WINDOW_ID").is_some() || OFFERING.iter().any(|one| named.iter().any(|name| name.contains(one))) {
        "the kitty protocol, by its name: Esc and Ctrl keys are told apart at once"
    } else {
        "standard; Esc has no delay"
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    pub lines: Vec<FindingLine>,
}

impl Report {
    fn say(&mut self, grade: Grade, topic: &'static str, words: impl Into<String>, hint: Option<String>) {
        self.lines.push(FindingLine { grade, topic, words: words.into(), hint });
    }

    fn fine(&mut self, topic: &'static str, words: impl Into<String>) {
        self.say(Grade::Fine, topic, words, None);
    }

    /// Worth knowing; needs no fix.
    fn note(&mut self, topic: &'static str, words: impl Into<String>) {
        self.say(Grade::Note, topic, words, None);
    }

    fn bad(&mut self, topic: &'static str, words: impl Into<String>, hint: impl Into<String>) {
        self.say(Grade::Bad, topic, words, Some(hint.into()));
    }

    /// The worst of all lines.
    pub fn grade(&self) -> Grade {
        self.lines.iter().map(|line| line.grade).max().unwrap_or(Grade::Fine)
    }

    /// What a service said when it was asked: the words of a good answer, or why there is none.
    pub fn service(&mut self, source: Source, answered: Result<&str, &Failure>) {
        const NEW_KEY: &str =
            "run `lode` and type `:profiles` to store a new key; keys are made in the web application";
        const SCOPE: &str =
            "a key with that scope is made in the web application; run `lode` and type `:profiles` to store it";
        const AGAIN: &str = "`lode info` shows the address in use; `lode doctor` tries again";
        let topic = source.name();
        let failure = match answered {
            Ok(words) => return self.fine(topic, format!("reached: {words}")),
            Err(failure) => failure,
        };
        let (how, hint) = match failure {
            Failure::Refused { why: Refusal::Key, .. } => ("refused", NEW_KEY),
            Failure::Refused { why: Refusal::Scope, .. } => ("refused", SCOPE),
            Failure::Refused { why: Refusal::Address, .. } => ("refused", "`lode info` shows the address in use"),
            Failure::Refused { why: Refusal::Credits | Refusal::Request, .. } => ("refused", AGAIN),
            Failure::Later { .. } => ("busy", "`lode doctor` again, later"),
            _ => ("not reached", AGAIN),
        };
        self.bad(topic, format!("{how}: {}", failure.words()), hint);
    }
}

const CHECK: &str = "`lode ledger check` shows its state";

pub(super) fn ledger(act: &LedgerAct, (format, pick): Form) -> Result<ExitCode, CommandProblem> {
    let environment = Environment::read();
    // To look is not a reason to move it.
    let find = if matches!(act, LedgerAct::Check) { place::locate } else { place::settle };
    let LedgerLocation { dir, told, refused } = find(&environment.state_dir, &environment.data_dir);
    told.iter().for_each(|words| output_mode::warn(words));
    let failed = |failure: &StoreFailure, hint| CommandProblem::new(Exit::Failed, sentence_of(failure), hint);
    match (act, refused) {
        (LedgerAct::Check, refused) => {
            let stopped = stop::reason(&environment.state_dir);
            // Which ledger is meant must be known before its check can lift a stop.
            let refused = refused.filter(|failure| Some(failure) != stopped.clone().map(StoreFailure::Lost).as_ref());
            let mut found = match refused {
                Some(failure) => vec![LedgerFinding::bad(sentence_of(&failure))],
                None => check(&dir)
                    .map_err(|failure| failed(&failure, "`lode ledger restore FILE` brings a backup back"))?,
            };
            if let Some(reason) = stopped {
                found.push(lift_stop(&environment.state_dir, reason, found.iter().all(|found| found.adds_up)));
            }
            let exit = if found.iter().all(|found| found.adds_up) { Exit::Done } else { Exit::Failed };
            let lines: Vec<FindingLine> = found.into_iter().map(finding).collect();
            Ok(conclude(&lines, exit, "the ledger does not add up", (format, pick)))
        }
        (LedgerAct::Restore { file, force, summary }, _) => {
            let replaced = backup::restore(&dir, file, *force).map_err(|failure| match failure {
                StoreFailure::Lost(_) => failed(&failure, "add `--force` to accept the loss"),
                _ => failed(&failure, "nothing was changed: close every lode window, or name another backup"),
            })?;
            stop::lift(&environment.state_dir)
                .map_err(|error| CommandProblem::new(Exit::Failed, error.to_string(), CHECK))?;
            let replaced = replaced.map(|path| path.display().to_string());
            let (file, ledger) = (file.display().to_string(), dir.display().to_string());
            let kept = replaced.iter().map(|path| format!(" The one that was there is kept in {path}."));
            let words = format!("Restored {file} to {ledger}.{}", kept.collect::<String>());
            let told = LedgerSummaryShape { act: "restore", file, bytes: None, ledger, replaced };
            Ok(done(words, told, *summary, (format, pick)))
        }
        (_, Some(failure)) => Err(failed(&failure, CHECK)),
        (LedgerAct::Backup { file, summary }, None) => {
            refuse_own(file, &environment.own_folders()).map_err(|failure| CommandProblem::of_file(&failure))?;
            backup::back_up(&dir, file).map_err(|failure| failed(&failure, CHECK))?;
            let bytes = std::fs::metadata(file).ok().map(|file| file.len());
            let (file, ledger) = (file.display().to_string(), dir.display().to_string());
            let words = format!("The ledger is backed up in {file}.");
            let told = LedgerSummaryShape { act: "backup", file, bytes, ledger, replaced: None };
            Ok(done(words, told, *summary, (format, pick)))
        }
    }
}

/// After a stop of the money code: spending is allowed again if the ledger adds up.
fn lift_stop(state_dir: &Path, reason: String, adds_up: bool) -> LedgerFinding {
    if !adds_up {
        return LedgerFinding::bad(format!("Nothing can be unlocked: {reason}.")).hinting(RESTORE);
    }
    match stop::lift(state_dir) {
        Ok(()) => {
            LedgerFinding::good(format!("Everything adds up, so contacts can be unlocked again. Before, {reason}."))
        }
        Err(error) => {
            let words = format!("Nothing can be unlocked: {reason}. This cannot be undone ({error}).");
            LedgerFinding::bad(words).hinting("make the state folder writable, then check again")
        }
    }
}

/// Prints what was done: in words for a person, and as data for a program or where that is wanted.
fn done(words: String, summary: LedgerSummaryShape, summed: bool, (format, pick): Form) -> ExitCode {
    let words = if format == Format::Json { String::new() } else { words + "\n" };
    let summed = summed || format == Format::Json;
    let data = if summed { json::line(&SummaryOf { summary }) + "\n" } else { String::new() };
    headless::print_lines(&(words + &data), pick)
}

/// What is wrong, as the sentence that was made for it.
fn sentence_of(failure: &StoreFailure) -> String {
    match failure {
        StoreFailure::Other(words) | StoreFailure::Lost(words) => words.clone(),
        failure => failure.to_string(),
    }
}

fn finding(LedgerFinding { adds_up, words, hint }: LedgerFinding) -> FindingLine {
    FindingLine { grade: if adds_up { Grade::Fine } else { Grade::Bad }, topic: "ledger", words, hint }
}
