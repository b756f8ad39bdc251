//! Screen settings: themes and keys.

use lode_ui::keys::keymap::Keymap;
use lode_ui::theme::{self, Theme, Themes};

use lode_host::config::environment::Environment;
use lode_host::config::file::Config;
use lode_host::config::{self, ConfigProblem};

/// The themes of the config folder, and a sentence with its line for each that cannot be used.
pub(super) fn own_themes(environment: &Environment) -> (Vec<Theme>, Vec<String>) {
    let (mut themes, mut problems) = (Vec::new(), Vec::new());
    for path in config::theme_files(environment) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        let read = std::fs::read_to_string(&path).map_err(|error| error.to_string()).and_then(|text| {
            theme::read(&name, &text).map_err(|mistake| format!("line {}: {}", mistake.line, mistake.words))
        });
        match read {
            Ok(theme) => themes.push(theme),
            Err(words) => problems.push(format!("{}, {words}", path.display())),
        }
    }
    (themes, problems)
}

/// The name of the theme in the settings, if it names one that is there.
pub(super) fn theme(config: &Config, themes: &Themes) -> Result<Option<String>, ConfigProblem> {
    let Some((name, place)) = &config.theme else { return Ok(None) };
    themes.named(name).map_err(|error| ConfigProblem::at(place.clone(), error.to_string()))?;
    Ok(Some(name.clone()))
}

/// The keys of the settings, and a sentence with its line for each that cannot be bound.
pub(super) fn keymap(config: &Config) -> (Keymap, Vec<String>) {
    let (keymap, mut problems) = Keymap::merged(&config.bindings);
    let (keymap, more) = keymap.with_own(&config.commands);
    problems.extend(more);
    let sentence = |(line, problem)| format!("{}, line {line}: {problem}", config.path.display());
    (keymap, problems.into_iter().map(sentence).collect())
}
