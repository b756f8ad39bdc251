//! The demo: the screen, or a shell, on a sandbox in this process.
//!
//! It has a folder of its own below the state folder, so that a demo comes back as it was left and never touches the real ledger. The
//! sandbox keeps its records there too: what it charged and what lode owns are always of one story. One demo has the folder at a time.

use super::*;

/// `lode demo`.
pub fn demo(args: &DemoArgs, theme: Option<&str>, linear: bool) -> Result<ExitCode, CommandProblem> {
    let user = Environment::read();
    let (config, _, mut told) = config::for_demo(&user);
    let linear = linear || is_linear() || config.linear == Some(true);
    if args.shell {
        return shell(DemoFolder::take(&user, args)?);
    }
    needs_a_terminal(linear)?;
    let folder = DemoFolder::take(&user, args)?;
    let mut shown = ChosenProfile::without_services(config::DEMO);
    shown.profile.live = false;
    let screen = prepare(&shown, &config, (theme, linear), &user, &folder.environment.state_dir, &mut told)?;
    let settings = SettingsFile::new(user.clone(), true);
    let open = move |_: Waiting<'_>| folder.open(&user);
    Ok(super::run(screen, told, Box::new(open), settings, linear))
}

/// The sandbox of `lode demo`, for a window that is open already.
pub(super) fn in_window(user: &Environment) -> Result<StartedRun, String> {
    let folder = DemoFolder::take(user, &DemoArgs::default());
    folder.map_err(|problem| format!("{}. {}.", capital(&problem.sentence), problem.hint))?.open(user)
}

/// What the demo answers about profiles: the list has its own, as an example.
pub(super) fn reply(call: &ProfileCall) -> ProfileReply {
    let words = "The demo has one profile, its own. Quit and run `lode` to add your keys.".to_owned();
    if !matches!(call, ProfileCall::Profiles) {
        return ProfileReply::Refused(words);
    }
    let services = Source::ALL.map(|source| (source, "sandbox".to_owned())).into();
    ProfileReply::Alone(words, Listed { name: config::DEMO.to_owned(), services, first: true, ..Listed::default() })
}

/// Says that the folder is the demo's, and with which rows and credits it began.
const BEGAN: &str = "sandbox.start";
const LOCK: &str = "lock";

/// The folder of the demo, which no other demo has while this one lives.
struct DemoFolder {
    environment: Environment,
    args: SandboxArgs,
    _lock: File,
}

impl DemoFolder {
    fn take(user: &Environment, args: &DemoArgs) -> Result<DemoFolder, CommandProblem> {
        let environment = user.of_demo();
        let folder = &environment.state_dir;
        let elsewhere = "LODE_STATE_DIR=./demo lode demo uses another folder";
        let failed = |words: String| CommandProblem::new(Code::File, words, elsewhere);
        let unusable = |error: io::Error| failed(atomic::sentence(folder, &error));
        if folder.is_symlink() {
            return Err(failed(format!("{} is a link", folder.display())));
        }
        make_private_dir(folder).map_err(unusable)?;
        let lock = open_private(OpenOptions::new().create(true).append(true), &folder.join(LOCK)).map_err(unusable)?;
        let busy = || format!("another demo is running and uses {}: quit it first", folder.display());
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => failed(busy()),
            TryLockError::Error(error) => unusable(error),
        })?;
        let began = fs::read_to_string(folder.join(BEGAN)).ok();
        // One that died while it began may have left a part of the mark.
        let is_foreign = |entry: fs::DirEntry| !entry.file_name().to_string_lossy().starts_with(BEGAN);
        if began.is_none() && entries(folder).map_err(unusable)?.any(is_foreign) {
            return Err(failed(format!("{} holds files of another program", folder.display())));
        }
        if args.fresh {
            clear(folder).map_err(unusable)?;
        }
        let mut args = args.sandbox.clone();
        let is_usual = args.start() == DemoArgs::default().sandbox.start();
        match began.filter(|_| folder.join(BEGAN).exists()) {
            None => atomic::write_private(&folder.join(BEGAN), args.start().as_bytes()).map_err(failed)?,
            // Without flags it continues as it began.
            Some(began) if began == args.start() || is_usual && args.start_as(&began).is_some() => {}
            Some(began) => {
                let words = format!("the demo is kept as it began: {}", began.trim());
                let hint = "`--fresh` starts over; without these flags it continues";
                return Err(CommandProblem::new(Exit::Usage, words, hint));
            }
        }
        if !args.fault.iter().any(|rule| matches!(rule.fault, Fault::Latency { .. })) {
            args.fault.extend("latency=150".parse::<FaultRule>());
        }
        Ok(DemoFolder { environment, args, _lock: lock })
    }

    /// The sandbox, and lode on it.
    fn open(self, user: &Environment) -> Result<StartedRun, String> {
        let sandbox = self.serve()?;
        let services = services(&sandbox).map(|(url, key)| NamedService { url: Some(url), key: Some(key.into()) });
        let (_, choosing, _) = config::for_demo(user);
        let chosen = config::sandbox(services, choosing).map_err(|error| error.to_string())?;
        let mut opened = bootstrap::begin(&self.environment, &chosen, &Source::ALL, &|_| {});
        opened.setup.profile = profiles::of_demo(user, &opened.profile);
        // How an email begins and how a file is laid out.
        opened.setup.folders.config.clone_from(&user.config_dir);
        // The sandbox ends before its folder is free.
        opened.held = Some(Box::new((sandbox, self)));
        Ok(opened)
    }

    /// The sandbox with the records it kept, on the same port where that is free.
    fn serve(&self) -> Result<Sandbox, String> {
        let (args, state) = (&self.args, &self.environment.state_dir);
        let remembered = state.join(config::DEMO_PORT);
        let port = match args.port {
            0 => fs::read_to_string(&remembered).ok().and_then(|text| text.trim().parse().ok()).unwrap_or(0),
            port => port,
        };
        let journal = state.join("sandbox.journal");
        // The sandbox knows no private files: it goes on with the one that is there.
        open_private(File::options().create(true).append(true), &journal)
            .map_err(|error| atomic::sentence(&journal, &error))?;
        let settings = SandboxSettings { port, journal: Some(journal), ..opening::sandbox_settings(args) };
        let start = || {
            // What the services compute comes after the keys.
            processes::step_back();
            Sandbox::start(settings.clone()).or_else(|error| match args.port {
                0 if error.kind() != io::ErrorKind::InvalidData => {
                    Sandbox::start(SandboxSettings { port: 0, ..settings })
                }
                _ => Err(error),
            })
        };
        let sandbox = std::thread::scope(|scope| scope.spawn(start).join());
        let sandbox = sandbox.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let sandbox = sandbox.map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => {
                format!("The records of the sandbox cannot be read: {error}. `lode demo --fresh` starts over.")
            }
            _ => format!("The sandbox cannot listen on 127.0.0.1: {error}. `lode demo --port 0` picks a free port."),
        })?;
        if let Some(port) = sandbox.data_url.rsplit(':').next() {
            // Without it the next demo takes another port, that is all.
            let _ = fs::write(&remembered, port);
        }
        Ok(sandbox)
    }
}

/// Address and key of each service, in the order of [`Source::ALL`].
fn services(sandbox: &Sandbox) -> [(String, String); 2] {
    [(&sandbox.workspace_url, &sandbox.workspace_key), (&sandbox.data_url, &sandbox.data_key)]
        .map(|(url, key)| (url.clone(), key.clone()))
}

/// What is in the folder besides its lock.
fn entries(folder: &Path) -> io::Result<impl Iterator<Item = fs::DirEntry> + use<>> {
    Ok(fs::read_dir(folder)?.flatten().filter(|entry| entry.file_name() != LOCK))
}

/// Removes everything that a demo kept. The file that marks the folder as a demo's goes last: a run that dies on the way can be repeated.
fn clear(folder: &Path) -> io::Result<()> {
    for entry in entries(folder)?.filter(|entry| entry.file_name() != BEGAN) {
        if entry.file_type()?.is_dir() { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) }?;
    }
    if_there(fs::remove_file(folder.join(BEGAN))).map(drop)
}

/// `lode demo --shell`: the user's shell, in which every lode command works on the sandbox. It ends with the shell.
fn shell(folder: DemoFolder) -> Result<ExitCode, CommandProblem> {
    let failed = |words: String| CommandProblem::new(Exit::Failed, words, "`lode demo --fresh --shell` starts over");
    let sandbox = folder.serve().map_err(failed)?;
    let Environment { config_dir, state_dir, runtime_dir, .. } = &folder.environment;
    let rules = score::text_for_demo(&Environment::read());
    atomic::write_private(&score::path(&folder.environment), rules.as_bytes()).map_err(failed)?;
    let mut command = processes::users_shell();
    let own = |name: &std::ffi::OsString| name.to_string_lossy().starts_with("LODE_") && name != "LODE_LINEAR";
    for name in std::env::vars_os().map(|(name, _)| name).filter(own) {
        command.env_remove(name);
    }
    for (source, (url, key)) in Source::ALL.into_iter().zip(services(&sandbox)) {
        command.env(url_name(source), url).env(key_name(source), key);
    }
    command.env(environment::PROFILE, config::DEMO);
    command.env(environment::CONFIG_DIR, config_dir).env(environment::STATE_DIR, state_dir);
    command.envs(runtime_dir.iter().map(|folder| (environment::RUNTIME_DIR, folder)));
    command.envs(path_to_lode().map(|path| ("PATH", path)));
    eprintln!(
        "This shell is set up for the demo: every lode command here works on the sandbox, and nothing real is spent."
    );
    eprintln!("`exit` leaves it and stops the sandbox. Try: lode search --title nurse --state TX --limit 5");
    // What is typed to end a command of the shell does not end lode before it.
    let runtime = bootstrap::runtime()?;
    let _ends = runtime.block_on(async { ExitSignals::listen() });
    command.status().map_err(|error| {
        let words = format!("`{}` could not be started: {error}", command.get_program().display());
        CommandProblem::new(Exit::Failed, words, "SHELL=/bin/sh lode demo --shell uses another shell")
    })?;
    Ok(ExitCode::from(Exit::Done.code()))
}

/// The search path with this program first, unless it is what `lode` means already.
fn path_to_lode() -> Option<std::ffi::OsString> {
    let this = std::env::current_exe().ok()?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let name = this.file_name()?;
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    if found.is_some_and(|found| found.canonicalize().ok() == this.canonicalize().ok()) {
        return None;
    }
    std::env::join_paths(this.parent().map(Path::to_owned).into_iter().chain(std::env::split_paths(&path))).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(state: &Path, args: &DemoArgs) -> DemoFolder {
        DemoFolder::take(&Environment { state_dir: state.to_owned(), ..Environment::default() }, args).unwrap()
    }

    #[test]
    fn services_take_their_time_unless_a_flag_says_otherwise() {
        let state = tempfile::tempdir().unwrap();
        let faults = |args: &DemoArgs| taken(state.path(), args).args.fault;
        assert_eq!(faults(&DemoArgs::default()), ["latency=150".parse().unwrap()]);
        let mut given = DemoArgs::default();
        given.sandbox.fault = vec!["latency=0".parse().unwrap()];
        assert_eq!(faults(&given), given.sandbox.fault);
        given.sandbox.fault = vec!["502=0.1".parse().unwrap()];
        assert_eq!(faults(&given).len(), 2);
    }

    #[test]
    fn a_demo_that_died_while_it_started_over_can_start() {
        let state = tempfile::tempdir().unwrap();
        let mut fresh = DemoArgs { fresh: true, ..DemoArgs::default() };
        fresh.sandbox.credits = 7;
        drop(taken(state.path(), &fresh));
        let mark = state.path().join("demo").join(BEGAN);
        std::fs::rename(&mark, mark.with_extension("start.part")).unwrap();
        assert_eq!(taken(state.path(), &fresh).args.credits, 7);
        assert_eq!(taken(state.path(), &DemoArgs::default()).args.credits, 7, "it continues as it began");
    }
}
