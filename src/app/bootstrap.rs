//! Builds what a run needs from the settings: the profile with its keys, the HTTP client, the store and the saved searches; for a
//! screen its themes and keys. Nothing is opened here; each opens when it is first used.

use tokio::runtime::Runtime;

use super::*;

/// A run that can begin.
pub struct StartedRun {
    pub profile: Profile,
    pub setup: perform::PerformerSetup,
    /// Services that are set up and cannot be used, and why.
    pub problems: Vec<(Source, ConfigProblem)>,
    /// What happened to the ledger on the way.
    pub told: Vec<String>,
    /// What has to live as long as the run: a sandbox in this process.
    pub held: Option<Box<dyn Send>>,
}

/// The profile in use. Where nothing names a service, one without any: what is local works all the same.
pub fn choose(environment: &Environment) -> Result<ChosenProfile, CommandProblem> {
    let chosen = config::load(environment).and_then(|config| config::choose(&config, environment, None));
    let chosen = chosen.map_err(|problem| CommandProblem::new(Code::Settings, problem.to_string(), problem.hint))?;
    Ok(chosen.unwrap_or_else(|| ChosenProfile::without_services(config::ENV)))
}

/// Fetches the keys of the services that are wanted, which may take as long as a keyring asks its owner.
pub fn begin(environment: &Environment, chosen: &ChosenProfile, wanted: &[Source], waiting: Waiting<'_>) -> StartedRun {
    with_keys(environment, chosen, secrets::open(chosen, wanted, store::fresh_window(), waiting))
}

/// With the keys in hand already.
pub fn with_keys(environment: &Environment, chosen: &ChosenProfile, ready: Ready) -> StartedRun {
    let mut ledger = place::settle(&environment.state_dir, &environment.data_dir);
    ledger.told.extend(ledger.refused.iter().map(|lost| format!("Nothing can be unlocked: {lost}.")));
    let here = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
    let (config, state) = (environment.config_dir.clone(), environment.state_dir.clone());
    let setup = perform::PerformerSetup {
        http: Http::new(ready.workspace, ready.data),
        store: Store::open(&ledger.dir, ready.profile.window.clone())
            .refusing(ledger.refused)
            .counting_for_the_machine(environment.runtime_dir.as_deref()),
        folders: Folders { here, config, state, own: environment.own_folders() },
        saved: SavedFiles::of(environment, &chosen.profile.name),
        profile: profiles::reader(environment, chosen, &ready.profile),
        log: Some(Log::new(&environment.state_dir, chosen.log)),
        network: Network::default(),
    };
    StartedRun { profile: ready.profile, setup, problems: ready.problems, told: ledger.told, held: None }
}

/// What runs the loop of a command, on this thread.
pub fn runtime() -> Result<Runtime, CommandProblem> {
    tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        let words = format!("the runtime could not be started: {error}");
        CommandProblem::new(Exit::Failed, words, "`lode doctor` checks the system")
    })
}

/// What the jitter of retries grows from.
pub fn seed() -> u64 {
    clock::now().wall.0.unsigned_abs() ^ u64::from(std::process::id()).rotate_left(32)
}

/// The themes of the config folder. `problems` gets a sentence with its line for each that cannot be used.
pub(super) fn own_themes(environment: &Environment, problems: &mut Vec<String>) -> Vec<Theme> {
    let mut themes = Vec::new();
    for path in config::theme_files(environment) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let text = std::fs::read_to_string(&path).map_err(|error| error.to_string());
        match text.and_then(|text| theme::read(&name, &text)) {
            Ok(theme) => themes.push(theme),
            Err(words) => problems.push(format!("{}, {words}", path.display())),
        }
    }
    themes
}

/// The name of the theme in the settings, if it names one that is there.
pub(super) fn theme(config: &Config, themes: &Themes) -> Result<Option<String>, ConfigProblem> {
    let Some((name, place)) = &config.theme else { return Ok(None) };
    themes.named(name).map_err(|error| ConfigProblem::at(place.clone(), error))?;
    Ok(Some(name.clone()))
}

/// The keys of the settings. `problems` gets a sentence with its line for each that cannot be bound.
pub(super) fn keymap(config: &Config, problems: &mut Vec<String>) -> Keymap {
    let (keymap, unbound) = Keymap::merged(&config.bindings);
    let (keymap, more) = keymap.with_own(&config.commands);
    let sentence = |(line, problem)| format!("{}, line {line}: {problem}", config.path.display());
    problems.extend(unbound.into_iter().chain(more).map(sentence));
    keymap
}
