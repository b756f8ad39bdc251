//! Settings: defaults, `config.toml`, the profile, the environment; later wins.
//!
//! [`load`] reads the file, [`choose`] makes of it and of the environment the one profile in use. Neither touches a key:
//! fetching one may take seconds and is done by `secrets`, after the first frame. Nothing is written here without being
//! asked for: `edit` does that.

pub mod edit;
pub mod environment;
pub mod file;
pub(crate) mod mail;
pub(crate) mod reader;
pub mod score;

use std::ffi::OsString;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use secrecy::SecretString;
use strum::VariantArray;
use toml_edit::{Document, DocumentMut, Item, Table, Value};

use super::address::{self, Base};
use super::files::{atomic, if_there};
use super::system::{Usual, folders};
use super::{log::Level, terminal::capabilities::Feature};
use lode_core::codes::nearest;
use lode_core::link::{FIELDS, unknown_field};
use lode_core::{
    Caps, Choosing, Credits, MOST_POINTS, MOST_RULES, MailTemplate, ScoreField, ScoreRule, ScoreRules, Source,
    choose::AMONG, scrub,
};
use lode_engine::effect::{Allowance, OwnCommand, Profile, RowsGiven, Sizes, StandingGrant, UserBinding};

use self::environment::{Environment, NamedService, key_name, url_name};
use self::file::{Config, KeyPlace, ProfileTable, ServiceTable};
use self::reader::{Read, Setting, bytes, parse};

pub use reader::{ConfigProblem, FilePlace};

/// What the documents say of the Workspace API: 120 requests in any minute, per key.
const WORKSPACE: Allowance = Allowance { requests: Some(120), window_ms: 60_000, in_flight: 8 };
/// The Data API states no limit: few at a time, and a 429 obeyed.
const DATA: Allowance = Allowance { requests: None, window_ms: 60_000, in_flight: 2 };

/// The name of a profile that is made of the environment alone.
pub const ENV: &str = "env";
/// The name of the demo's profile.
pub const DEMO: &str = "demo";
/// In the folder of a demo: the port of its sandbox.
pub const DEMO_PORT: &str = "sandbox.port";

/// The profile in use, complete but for the keys themselves.
#[derive(Clone, Debug, Default)]
pub struct ChosenProfile {
    /// Without services, as it can be shown before their keys are here.
    pub profile: Profile,
    pub workspace: Option<Access>,
    pub data: Option<Access>,
    /// What its owner should hear, such as an address that was completed.
    pub said: Vec<String>,
    /// How much the log says.
    pub log: Level,
    /// Whether the settings name it; else it is made of the environment alone.
    pub is_saved: bool,
}

/// A service and where its key is.
#[derive(Clone, Debug)]
pub struct Access {
    pub source: Source,
    pub base: Base,
    pub key: KeySource,
    pub allowance: Allowance,
}

#[derive(Clone, Debug)]
pub enum KeySource {
    /// Here already, from this variable of the environment, or from a sandbox that lode started.
    Given { from: String, key: SecretString },
    /// Where the settings say, with the whole path of a file.
    Stored(KeyPlace),
    /// Nowhere: why, in words.
    Missing(String),
}

/// Whether it is the same place. A key that is here already is never compared.
impl PartialEq for KeySource {
    fn eq(&self, other: &KeySource) -> bool {
        matches!((self, other), (KeySource::Stored(one), KeySource::Stored(other)) if one == other)
    }
}

pub fn path(environment: &Environment) -> PathBuf {
    environment.config_dir.join("config.toml")
}

/// The config file. One that is not there is an empty one.
pub fn load(environment: &Environment) -> Read<Config> {
    let path = path(environment);
    let Some(bytes) = reader::bytes(&path)? else { return Ok(Config::default()) };
    match String::from_utf8(bytes) {
        Ok(text) => file::read(&path, &text),
        Err(error) => {
            let before = error.utf8_error().valid_up_to();
            let text = String::from_utf8_lossy(error.as_bytes()).into_owned();
            Err(ConfigProblem::at(FilePlace::of(&path, &text, Some(before..before)), "this is not UTF-8 text"))
        }
    }
}

/// The profile to use: the one asked for, else `LODE_PROFILE`, else the file's, else its first, else the environment alone.
/// None where nothing names a service.
pub fn choose(config: &Config, environment: &Environment, asked: Option<&str>) -> Read<Option<ChosenProfile>> {
    let in_environment = Source::ALL.into_iter().any(|source| environment.url(source).is_some());
    let named = asked.or(environment.profile.as_deref()).or(config.profile.as_deref());
    let found = named.map_or(config.profiles.first(), |name| config.named(name));
    let table = match (found, named) {
        (Some(table), _) => table.clone(),
        (None, named) if config.profiles.is_empty() && in_environment => {
            let name = named.unwrap_or(ENV);
            file::check_name(name).map_err(|words| ConfigProblem::new(words, "set LODE_PROFILE to such a name"))?;
            ProfileTable::named(name)
        }
        (None, Some(name)) => return Err(no_profile(config, name)),
        (None, None) => return Ok(None),
    };
    let mut chosen = complete(&table, config, environment)?;
    chosen.profile.demo = !chosen.is_saved && is_demo(&chosen, environment);
    Ok(Some(chosen))
}

/// Whether this is the sandbox that a demo in this folder serves, as in the shell of a demo: the purse is the one of its screen.
fn is_demo(chosen: &ChosenProfile, environment: &Environment) -> bool {
    let port = std::fs::read_to_string(environment.state_dir.join(DEMO_PORT)).unwrap_or_default();
    let serves = |access: &Access| access.base.loopback && access.base.origin.ends_with(&format!(":{port}"));
    !port.is_empty() && chosen.profile.name == DEMO && chosen.services().all(serves)
}

/// The profile that was chosen before, as it is now. None where the settings had it and no longer do: another one never takes
/// its place.
pub fn as_saved(config: &Config, environment: &Environment, chosen: &ChosenProfile) -> Read<Option<ChosenProfile>> {
    let table = match config.named(&chosen.profile.name) {
        Some(table) => table.clone(),
        None if chosen.is_saved => return Ok(None),
        None => ProfileTable::named(&chosen.profile.name),
    };
    complete(&table, config, environment).map(Some)
}

/// What a profile says about choosing: `score.toml`, and `[choose]` of the settings.
pub fn choosing(config: &Config, environment: &Environment, profile: &str) -> Read<Choosing> {
    let card = Arc::new(score::load(environment, profile)?);
    Ok(Choosing { card, ..config.choosing.clone() })
}

fn no_profile(config: &Config, name: &str) -> ConfigProblem {
    let known: Vec<&str> = config.profiles.iter().map(|profile| profile.name.as_str()).collect();
    let words = match nearest(name, &known) {
        _ if known.is_empty() => format!("unknown profile `{name}`: none is set up yet"),
        Some(near) => format!("unknown profile `{name}`. Did you mean `{near}`?"),
        None => format!("unknown profile `{name}`; profiles: {}", known.join(", ")),
    };
    ConfigProblem::new(words, "run `lode` and type `:profiles` to add one; `lode doctor` shows what is set")
}

impl ChosenProfile {
    /// Those that it has.
    pub fn services(&self) -> impl Iterator<Item = &Access> {
        self.workspace.iter().chain(&self.data)
    }

    /// A profile with no service at all.
    pub fn without_services(name: &str) -> ChosenProfile {
        ChosenProfile::of(&ProfileTable::named(name))
    }

    /// What the settings say of a profile besides its services.
    fn of(table: &ProfileTable) -> ChosenProfile {
        let profile = Profile {
            name: table.name.clone(),
            live: true,
            caps: table.caps,
            sizes: Sizes {
                batch: table.batch.unwrap_or(25),
                large_batch: table.large_batch.unwrap_or(100),
                large_from: table.large_from.unwrap_or(250),
            },
            ..Profile::default()
        };
        ChosenProfile { profile, ..ChosenProfile::default() }
    }

    /// How a service is reached, if it is set up.
    fn access(&mut self, source: Source, table: Option<&ServiceTable>, env: &Environment) -> Read<Option<Access>> {
        let table = table.cloned().unwrap_or_default();
        let (url, key) = (url_name(source), key_name(source));
        let base = match env.url(source) {
            Some(text) => {
                self.profile.from_environment.push(url.to_owned());
                let wrong = |words| ConfigProblem::new(format!("{url}: {words}"), "`lode doctor` shows what is set");
                Some(address::read(source, text).map_err(wrong)?)
            }
            None => table.base.clone(),
        };
        let Some(base) = base else {
            if env.key(source).is_some() {
                self.said.push(format!("{key} is set, but no address for it: set {url} as well"));
            }
            return Ok(None);
        };
        self.said.extend(base.said.clone());
        let key = match (env.key(source), &table.key) {
            (Some(given), _) => {
                self.profile.from_environment.push(key.to_owned());
                KeySource::Given { from: key.to_owned(), key: given.clone() }
            }
            // A key goes to the origin it was stored for, and to no other.
            (None, Some(_)) if table.base.as_ref().is_none_or(|stored| stored.origin != base.origin) => {
                let stored = table.base.as_ref().map_or("no address", |base| base.origin.as_str());
                let new = &base.origin;
                KeySource::Missing(format!(
                    "the stored key belongs to {stored}, and {url} names {new}: set {key} as well"
                ))
            }
            (None, Some(KeyPlace::File(path))) => KeySource::Stored(KeyPlace::File(env.config_dir.join(path))),
            (None, Some(place)) => KeySource::Stored(place.clone()),
            (None, None) => KeySource::Missing(format!("no key is set for the {} API", source.title())),
        };
        let mut allowance = if source == Source::Workspace { WORKSPACE } else { DATA };
        if base.loopback {
            allowance.requests = table.requests.or(allowance.requests);
            allowance.window_ms = table.window_ms.unwrap_or(allowance.window_ms);
        }
        Ok(Some(Access { source, base, key, allowance }))
    }
}

fn complete(table: &ProfileTable, config: &Config, environment: &Environment) -> Read<ChosenProfile> {
    let mut chosen = with_services(table, environment)?;
    chosen.profile.choosing = choosing(config, environment, &table.name)?;
    chosen.is_saved = config.named(&table.name).is_some();
    chosen.log = config.log.unwrap_or_default();
    Ok(chosen)
}

fn with_services(table: &ProfileTable, environment: &Environment) -> Read<ChosenProfile> {
    let mut chosen = ChosenProfile::of(table);
    chosen.workspace = chosen.access(Source::Workspace, table.workspace.as_ref(), environment)?;
    chosen.data = chosen.access(Source::Data, table.data.as_ref(), environment)?;
    chosen.profile.live = chosen.services().next().is_none() || chosen.services().any(|access| !access.base.loopback);
    Ok(chosen)
}

/// The profile of the demo's sandbox.
pub fn sandbox(services: [NamedService; 2], choosing: Choosing) -> Read<ChosenProfile> {
    let environment = Environment { services, ..Environment::default() };
    let mut chosen = with_services(&ProfileTable::named(DEMO), &environment)?;
    chosen.profile.from_environment.clear();
    (chosen.profile.demo, chosen.profile.choosing) = (true, choosing);
    Ok(chosen)
}

/// The settings that the demo takes over from its user: theme, keys and the rules for choosing. Never a profile, a cap, a command or
/// an assistant. Without score rules it has those of the example. With them, a sentence for each file that cannot be read.
pub fn for_demo(environment: &Environment) -> (Config, Choosing, Vec<String>) {
    let mut told = Vec::new();
    let mut unread = |problem: ConfigProblem| told.push(format!("{problem}. The demo ignores this file."));
    let all = load(environment).map_err(&mut unread).unwrap_or_default();
    let Config { theme, is_still, linear, log, path, bindings, choosing, avoid, .. } = all;
    let own = Config { theme, is_still, linear, log, path, bindings, choosing, avoid, ..Config::default() };
    let card = score::load(environment, DEMO).map_err(unread).unwrap_or_default();
    let card = if card.is_empty() { score::sample() } else { card };
    let choosing = Choosing { card: Arc::new(card), ..own.choosing.clone() };
    (own, choosing, told)
}

/// When `config.toml`, `score.toml` and the themes were last written. Another value than before means: load them again.
pub fn stamp(environment: &Environment) -> Stamp {
    let files = [path(environment), score::path(environment)].into_iter().chain(theme_files(environment));
    let written = |path: PathBuf| {
        let about = std::fs::metadata(&path).ok()?;
        Some((path, about.modified().ok()?, about.len()))
    };
    files.filter_map(written).collect()
}

pub type Stamp = Vec<(PathBuf, SystemTime, u64)>;

/// The folder of the themes that their owner wrote.
pub fn theme_folder(environment: &Environment) -> PathBuf {
    environment.config_dir.join("themes")
}

/// The files in it, by name.
pub fn theme_files(environment: &Environment) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(theme_folder(environment)).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();
    files
}
