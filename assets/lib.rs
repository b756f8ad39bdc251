//! The files that lode is built with: settings, themes, the schema of the ledger, codes, export formats and the words of the sandbox.
//!
//! They are a crate because the layers are packaged one by one, and a package holds no files of another folder.

/// The settings that lode writes on the first start.
pub const CONFIG: &str = include_str!("config.toml");
/// An example of a score.
pub const SCORE: &str = include_str!("score.toml");
/// The tables of the ledger.
pub const SCHEMA: &str = include_str!("schema.sql");
/// All themes: name and file, in the order in which they are listed.
pub const THEMES: [(&str, &str); 12] = [
    ("dark", include_str!("themes/dark.toml")),
    ("light", include_str!("themes/light.toml")),
    ("catppuccin-mocha", include_str!("themes/catppuccin-mocha.toml")),
    ("catppuccin-latte", include_str!("themes/catppuccin-latte.toml")),
    ("gruvbox", include_str!("themes/gruvbox.toml")),
    ("nord", include_str!("themes/nord.toml")),
    ("tokyo-night", include_str!("themes/tokyo-night.toml")),
    ("rose-pine", include_str!("themes/rose-pine.toml")),
    ("solarized-dark", include_str!("themes/solarized-dark.toml")),
    ("solarized-light", include_str!("themes/solarized-light.toml")),
    ("sixteen", include_str!("themes/sixteen.toml")),
    ("plain", include_str!("themes/plain.toml")),
];
/// States of the United States with their codes.
pub const STATES: &str = include_str!("codes/states.txt");
/// Industries by SIC code.
pub const SIC: &str = include_str!("codes/sic.txt");
/// Industries by NAICS code.
pub const NAICS: &str = include_str!("codes/naics.txt");

/// The column maps of export forms.
pub const PRESETS: &str = include_str!("presets.toml");

/// What the rows of the sandbox are made of.
pub mod sandbox {
    pub const CITIES: &str = include_str!("sandbox/cities.txt");
    pub const COMPANY_STEMS: &str = include_str!("sandbox/company_stems.txt");
    pub const FIRST_NAMES: &str = include_str!("sandbox/first_names.txt");
    pub const LAST_NAMES: &str = include_str!("sandbox/last_names.txt");
    pub const SECTORS: &str = include_str!("sandbox/sectors.txt");
    pub const STATES: &str = include_str!("sandbox/states.txt");
    pub const STREETS: &str = include_str!("sandbox/streets.txt");
    pub const TITLES: &str = include_str!("sandbox/titles.txt");
    pub const TRADES: &str = include_str!("sandbox/trades.txt");
}
