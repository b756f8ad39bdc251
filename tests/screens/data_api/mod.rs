//! The Data API on the screen: real keys into the real model, its effects into the real store, real files in a temporary
//! folder, and every request through the real mapping to the sandbox without its server.
#![allow(clippy::disallowed_methods)] // Tests read their pictures and files.

mod counts;
mod export;
mod filters;
mod legs;
mod memory;
mod pulled;
mod saved;
mod totals;

/// Keeps what is on the screen as a picture of the README.
fn shot(screen: &mut common::screen::sandboxed::TestScreen, name: &str, title: &str) {
    screen.model.theme = lode_ui::theme::Theme::named("dark").unwrap();
    common::svg::keep(name, &screen.frame(), title);
}

/// Compares a screen with its picture in `tests/screens/data_api`; `UPDATE_SCREENS=1` draws it again, to be looked at.
fn picture(name: &str, screen: &str) {
    let path: std::path::PathBuf = common::root().join(format!("tests/screens/data_api/{name}.txt"));
    if std::env::var_os("UPDATE_SCREENS").is_some() {
        std::fs::write(&path, screen).unwrap();
        return;
    }
    let kept = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(kept == screen, "{name} looks different now (UPDATE_SCREENS=1 keeps it):\n{screen}");
}
