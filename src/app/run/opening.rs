//! Work before the first frame, and work that can wait until after it.
//!
//! Before: the config and the size of the terminal. After, on a thread of its own: the keys (a keyring may ask for a
//! password), the sandbox of `lode demo`, the folders of the store.

use super::*;
use lode_sandbox::rate::RateLimit;
use lode_sandbox::service::ServiceSetup;

// The background of the terminal: asked for once a frame is shown, never waited for, and remembered for the next first frame.

/// Asks for its color (OSC 11), and for word of every later change (mode 2031). A terminal that knows neither says nothing.
pub(super) const BACKGROUND_QUESTION: &[u8] = b"\x1b[?2031h\x1b]11;?\x1b\\";

/// The background as lode was last told.
fn remembered_background(state: &Path) -> Option<Background> {
    std::fs::read_to_string(state.join("background")).ok()?.trim().parse().ok()
}

/// Keeps it for the first frame of the next time. Where it cannot be written, that frame has the terminal's own colors.
pub(super) fn remember_background(state: &Path, background: Background) {
    // The terminal may answer before anything else was written there.
    if remembered_background(state) != Some(background) && make_private_dir(state).is_ok() {
        let _ = std::fs::write(state.join("background"), <&str>::from(background));
    }
}

/// What may take its time: the keys, which may ask their owner, or a sandbox.
pub type Opener = Box<dyn FnOnce(Waiting<'_>) -> Result<StartedRun, String> + Send>;

/// `lode`: the screen on the profile in use.
pub fn window(theme: Option<&str>, linear: bool) -> Result<ExitCode, CommandProblem> {
    let environment = Environment::read();
    let failed = |error: ConfigProblem| CommandProblem::new(Exit::Usage, error.to_string(), error.hint);
    let config = config::load(&environment).map_err(failed)?;
    let linear = linear || is_linear() || config.linear == Some(true);
    needs_a_terminal(linear)?;
    let shown = config::choose(&config, &environment, None).map_err(failed)?.unwrap_or_else(without_profile);
    let mut told = shown.said.clone();
    let screen = prepare(&shown, &config, (theme, linear), &environment, &environment.state_dir, &mut told)?;
    let settings = SettingsFile::new(environment.clone(), false);
    let open = move |waiting: Waiting<'_>| Ok(bootstrap::begin(&environment, &shown, &Source::ALL, waiting));
    Ok(super::run(screen, told, Box::new(open), settings, linear))
}

/// What a window shows that has no profile yet.
pub fn without_profile() -> ChosenProfile {
    ChosenProfile::without_services("no profile")
}

/// Whether the environment asks for lines instead of a screen.
pub(super) fn is_linear() -> bool {
    std::env::var_os("LODE_LINEAR").is_some_and(|value| !matches!(value.to_str(), Some("" | "0")))
}

/// Lines can be read and printed anywhere; a screen needs a terminal.
pub(super) fn needs_a_terminal(linear: bool) -> Result<(), CommandProblem> {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
    let hint = "`lode --help` lists the commands for scripts";
    CommandProblem::refuse_if(!linear && !is_terminal, "the screen needs a terminal", hint)
}

/// The first frame of a window. `environment` is the one of the settings; the demo has another state folder.
pub(super) fn prepare(
    chosen: &ChosenProfile,
    config: &Config,
    (theme, linear): (Option<&str>, bool),
    environment: &Environment,
    state: &Path,
    told: &mut Vec<String>,
) -> Result<(Model, Painter, Capabilities), CommandProblem> {
    let own = bootstrap::own_themes(environment, told);
    let keymap = bootstrap::keymap(config, told);
    let variable = |name: &str| std::env::var_os(name).unwrap_or_default().to_string_lossy().into_owned();
    let term = Some(variable("TERM")).filter(|term| !term.is_empty()).unwrap_or_else(|| USUAL_TERM.to_owned());
    let no_color = output_mode::no_color();
    let depth = Depth::of(no_color, &variable("COLORTERM"), &term);
    let fewer_colors = depth == Depth::Palette;
    let mut themes = Themes { own, fewer_colors, stays: theme.is_some() || depth == Depth::None, ..Themes::default() };
    let unknown = |words: String| {
        CommandProblem::new(Exit::Usage, words, "`lode --theme sixteen` uses the terminal's own colors")
    };
    let wanted = match theme {
        Some(name) => Some(themes.named(name).map_err(unknown)?),
        None => {
            themes.set = match bootstrap::theme(config, &themes) {
                // The demo goes on without it.
                Err(problem) if *state != environment.state_dir => {
                    told.push(problem.to_string());
                    None
                }
                set => set.map_err(|problem| unknown(problem.to_string()))?,
            };
            themes.set.as_ref().and_then(|name| themes.named(name).ok())
        }
    };
    // With 256 colors or more, lode's own themes are used: dark or light, as the terminal answered last time.
    themes.follows = wanted.is_none() && matches!(depth, Depth::Palette | Depth::True);
    let theme = match wanted {
        Some(theme) => theme,
        None if depth == Depth::None => themes.named("plain").unwrap_or_else(|_| Theme::sixteen()),
        None => {
            let known = remembered_background(state).filter(|_| themes.follows);
            known.map_or_else(Theme::sixteen, |background| themes.on(background))
        }
    };
    let model = Model {
        themes,
        motion: Motion::new(linear || depth == Depth::None, config.is_still),
        size: if linear { linear::SIZE } else { modes::size().unwrap_or((80, 24)) },
        config_folder: environment.config_dir.join("").display().to_string(),
        log: Some(state.join("log").join("lode.log").display().to_string()),
        offset_minutes: jiff::Zoned::now().offset().seconds() / 60,
        ..Model::new(chosen.profile.clone(), keymap, theme, clock::now())
    };
    Ok((model, Painter::new(depth), Capabilities::new(term, variable("TERM_PROGRAM"), config.avoid.clone())))
}

/// What of the settings a window takes over that runs already, with what is wrong about it.
pub fn settings(
    environment: &Environment,
    profile: &str,
    is_of_demo: bool,
) -> Result<(WindowSettings, Vec<String>), ConfigProblem> {
    let (config, choosing, mut told) = if is_of_demo {
        config::for_demo(environment)
    } else {
        let config = config::load(environment)?;
        let choosing = config::choosing(&config, environment, profile)?;
        (config, choosing, Vec::new())
    };
    let own = bootstrap::own_themes(environment, &mut told);
    let keymap = bootstrap::keymap(&config, &mut told);
    let themes = Themes { own, ..Themes::default() };
    let theme = bootstrap::theme(&config, &themes).unwrap_or_else(|problem| {
        told.push(problem.to_string());
        None
    });
    let caps = config.named(profile).map(|table| table.caps);
    Ok((WindowSettings { keymap, theme, own_themes: themes.own, is_still: config.is_still, caps, choosing }, told))
}

/// How the flags describe a sandbox; keys that cannot be guessed, and the threads this machine has.
pub fn sandbox_settings(args: &SandboxArgs) -> SandboxSettings {
    let &SandboxArgs { port, us_rows, linkedin_rows, credits, seed, rate, variant, max_page, control, .. } = args;
    let (identity, faults) = (server::fresh_identity(), args.fault.clone());
    let allowance = RateLimit { requests: rate, ..RateLimit::default() };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let setup =
        ServiceSetup { us_rows, linkedin_rows, credits, seed, identity, allowance, variant, max_page, faults, threads };
    SandboxSettings { port, control, journal: None, setup }
}
