//! Screen settings: theme and keys.

use lode_ui::keys::keymap::Keymap;
use lode_ui::theme::Theme;

use lode_host::config::ConfigProblem;
use lode_host::config::file::Config;

/// The theme of the settings, if they name one.
pub(super) fn theme(config: &Config) -> Result<Option<Theme>, ConfigProblem> {
    let Some((name, place)) = &config.theme else { return Ok(None) };
    let theme = Theme::named(name).map_err(|error| ConfigProblem::at(place.clone(), error.to_string()))?;
    Ok(Some(theme))
}

/// The keys of the settings, and a sentence with its line for each that cannot be bound.
pub(super) fn keymap(config: &Config) -> (Keymap, Vec<String>) {
    let (keymap, mut problems) = Keymap::merged(&config.bindings);
    let (keymap, more) = keymap.with_own(&config.commands);
    problems.extend(more);
    let sentence = |(line, problem)| format!("{}, line {line}: {problem}", config.path.display());
    (keymap, problems.into_iter().map(sentence).collect())
}
