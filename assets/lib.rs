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
/// The states as tiles of a map, roughly where they lie.
pub const TILES: &str = include_str!("codes/tiles.txt");
/// Industries by SIC code.
pub const SIC: &str = include_str!("codes/sic.txt");
/// Industries by NAICS code.
pub const NAICS: &str = include_str!("codes/naics.txt");
/// Forms of a company that say nothing about which company it is.
pub const LEGAL_FORMS: &str = include_str!("codes/legal_forms.txt");
/// Hosts of mail providers: an address there says nothing about an employer.
pub const MAIL_HOSTS: &str = include_str!("codes/mail_hosts.txt");
/// Words of addresses that belong to an office and not to a person, so that they contradict no name.
pub const ROLES: &str = include_str!("codes/roles.txt");
/// Accented letters with the plain one that stands for them.
pub const LETTERS: &str = include_str!("codes/letters.txt");
/// Letters of other scripts with the key of an English keyboard where they are.
pub const KEYBOARDS: &str = include_str!("codes/keyboards.txt");
/// Columns of contacts with the other names that programs give them.
pub const COLUMNS: &str = include_str!("codes/columns.txt");
/// Columns of a list that a person keeps, by their heads.
pub const HEADS: &str = include_str!("codes/heads.txt");

/// The column maps of export forms.
pub const PRESETS: &str = include_str!("presets.toml");

/// Pages that commands print.
pub mod help {
    /// How `lode suppress` holds entries against rows.
    pub const SUPPRESS: &str = include_str!("help/suppress.txt");
    /// How `lode match` holds accounts against contacts.
    pub const MATCH: &str = include_str!("help/match.txt");
    /// The environment variables that lode reads.
    pub const ENVIRONMENT: &str = include_str!("help/environment.txt");
    /// A command of a person's own, as written in `config.toml`.
    pub const OWN_COMMAND: &str = include_str!("help/own-command.toml");
    /// How such a command works: for the page of the keys and for the palette.
    pub const OWN_COMMANDS: &str = include_str!("help/own-commands.txt");
    /// The beginning of the guide for assistants.
    pub const SKILL: &str = include_str!("help/skill.txt");
}

/// What the rows of the sandbox are made of.
pub mod sandbox {
    pub const CITIES: &str = include_str!("sandbox/cities.txt");
    pub const COMPANY_STEMS: &str = include_str!("sandbox/company_stems.txt");
    pub const FIRST_NAMES: &str = include_str!("sandbox/first_names.txt");
    pub const LAST_NAMES: &str = include_str!("sandbox/last_names.txt");
    pub const SECTORS: &str = include_str!("sandbox/sectors.txt");
    pub const SIZES: &str = include_str!("sandbox/sizes.txt");
    pub const STATES: &str = include_str!("sandbox/states.txt");
    pub const STATUSES: &str = include_str!("sandbox/statuses.txt");
    pub const STREETS: &str = include_str!("sandbox/streets.txt");
    pub const TITLES: &str = include_str!("sandbox/titles.txt");
    pub const TRADES: &str = include_str!("sandbox/trades.txt");
}
