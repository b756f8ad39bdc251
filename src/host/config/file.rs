//! `config.toml` as it is written: read with line-precise errors. An unknown setting is an error, because a cap with a
//! spelling mistake would be no cap.

use std::path::{Path, PathBuf};

use toml_edit::{Item, Key, TableLike, Value};

use lode_core::{Caps, Credits, Source, likely::nearest, scrub};
use lode_engine::effect::{OwnCommand, StandingGrant, UserBinding};

use crate::log::Level;

use super::address::{self, Base};
use super::choose;
use super::own;
use super::problem::{ConfigProblem, FilePlace};
use super::reader::{Read, Reader, parse};

impl AssistantTable {
    /// What may be spent without being asked.
    pub fn standing(&self) -> Option<StandingGrant> {
        let (per_day, per_call) = self.per_day.zip(self.per_call)?;
        Some(StandingGrant { per_day, per_call })
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The profile to start with.
    pub profile: Option<String>,
    /// A name and where the file has it. Only the screen needs it, so a name that does not exist does not refuse the file.
    pub theme: Option<(String, FilePlace)>,
    /// Lines instead of a screen.
    pub linear: Option<bool>,
    /// How much the log says.
    pub log: Option<Level>,
    /// In the order of the file.
    pub profiles: Vec<ProfileTable>,
    pub path: PathBuf,
    pub bindings: Vec<UserBinding>,
    pub commands: Vec<OwnCommand>,
    /// What assistants may do.
    pub assistant: AssistantTable,
    /// Contacts of one company at most.
    pub per_company: Option<u32>,
    /// Of how many rows the best are chosen.
    pub among: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssistantTable {
    /// Credits over 24 hours without being asked. Both are needed.
    pub per_day: Option<Credits>,
    pub per_call: Option<Credits>,
    /// The client may ask in place of the Basket screen.
    pub elicitation: bool,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProfileTable {
    pub name: String,
    pub workspace: Option<ServiceTable>,
    pub data: Option<ServiceTable>,
    pub caps: Caps,
    pub batch: Option<u32>,
    pub large_batch: Option<u32>,
    pub large_from: Option<u32>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ServiceTable {
    pub base: Option<Base>,
    pub key: Option<KeyPlace>,
    /// Only for an address of this machine.
    pub requests: Option<u32>,
    /// Only for an address of this machine.
    pub window_ms: Option<u64>,
}

/// Where the file says that a key is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyPlace {
    Keyring,
    /// Its first line of output is the key.
    Command(String),
    /// Relative to the config folder.
    File(PathBuf),
}

/// Reads the text of a config file. `path` is only for what is said about it.
pub fn read(path: &Path, text: &str) -> Result<Config, ConfigProblem> {
    parse(path, text, |reader, table| reader.config(table))
}

impl Reader<'_> {
    fn assistant(&self, table: &dyn TableLike) -> Read<AssistantTable> {
        let mut assistant = AssistantTable::default();
        for (key, item) in self.entries(table) {
            match key.get() {
                "per_day" => assistant.per_day = Some(Credits(self.number(key, item, 0, i64::MAX)?)),
                "per_call" => assistant.per_call = Some(Credits(self.number(key, item, 0, i64::MAX)?)),
                "elicitation" => assistant.elicitation = self.flag(key, item)?,
                _ => return self.unknown(key, "per_day, per_call, elicitation"),
            }
        }
        if assistant.per_day.is_some() != assistant.per_call.is_some() {
            let first =
                table.iter().next().and_then(|(name, _)| table.get_key_value(name)).and_then(|(_, item)| item.span());
            return Err(self.wrong(first, "`per_day` and `per_call` belong together: set both or none"));
        }
        Ok(assistant)
    }

    fn config(&self, table: &dyn TableLike) -> Read<Config> {
        let mut config = Config { path: self.path.to_owned(), ..Config::default() };
        let mut named = None;
        for (key, item) in self.entries(table) {
            match key.get() {
                "profile" => {
                    config.profile = Some(self.name(key, item)?);
                    named = item.span();
                }
                "theme" => {
                    config.theme = Some((self.name(key, item)?, self.place(item.span())));
                }
                "linear" => config.linear = Some(self.flag(key, item)?),
                "log" => {
                    let level =
                        item.as_str().and_then(|name| Level::ALL.into_iter().find(|level| level.name() == name));
                    config.log = Some(
                        level.ok_or_else(|| self.wrong(item.span(), "`log` is \"error\", \"info\" or \"debug\""))?,
                    );
                }
                "profiles" => {
                    for (key, item) in self.entries(self.table(key, item)?) {
                        config.profiles.push(self.profile(key, self.table(key, item)?)?);
                    }
                }
                "assistant" => config.assistant = self.assistant(self.table(key, item)?)?,
                "keys" => self.bindings(self.table(key, item)?, &mut config.bindings)?,
                "commands" => own::read(self, self.table(key, item)?, &mut config.commands)?,
                "choose" => (config.per_company, config.among) = choose::read(self, self.table(key, item)?)?,
                _ => {
                    return self
                        .unknown(key, "profile, theme, linear, log, profiles, assistant, keys, commands, choose");
                }
            }
        }
        if let Some(name) = config.profile.as_ref().filter(|name| config.profiles.iter().all(|p| p.name != **name)) {
            let known: Vec<&str> = config.profiles.iter().map(|profile| profile.name.as_str()).collect();
            let near = nearest(name, &known).map_or(String::new(), |near| format!(". Did you mean `{near}`?"));
            return Err(self.wrong(named, format!("there is no profile `{name}` in this file{near}")));
        }
        Ok(config)
    }

    fn profile(&self, key: &Key, table: &dyn TableLike) -> Read<ProfileTable> {
        let name = key.get().to_owned();
        if let Err(words) = check_name(&name) {
            return Err(self.wrong(key.span(), words));
        }
        let mut profile = ProfileTable { name, ..ProfileTable::default() };
        for (key, item) in self.entries(table) {
            match key.get() {
                "workspace" => {
                    profile.workspace = Some(self.service(Source::Workspace, self.table(key, item)?)?);
                }
                "data" => profile.data = Some(self.service(Source::Data, self.table(key, item)?)?),
                "caps" => profile.caps = self.caps(self.table(key, item)?)?,
                "unlock" => self.unlock(self.table(key, item)?, &mut profile)?,
                _ => return self.unknown(key, "workspace, data, caps, unlock"),
            }
        }
        Ok(profile)
    }

    fn caps(&self, table: &dyn TableLike) -> Read<Caps> {
        let mut caps = Caps::default();
        for (key, item) in self.entries(table) {
            let cap = match key.get() {
                "call" => &mut caps.call,
                "session" => &mut caps.session,
                "day" => &mut caps.day,
                _ => return self.unknown(key, "call, session, day"),
            };
            *cap = Some(Credits(self.number(key, item, 0, i64::MAX)?));
        }
        Ok(caps)
    }

    fn unlock(&self, table: &dyn TableLike, profile: &mut ProfileTable) -> Read<()> {
        for (key, item) in self.entries(table) {
            match key.get() {
                "batch" => profile.batch = Some(self.number(key, item, 1, 100)? as u32),
                "large_batch" => profile.large_batch = Some(self.number(key, item, 1, 100)? as u32),
                "large_from" => profile.large_from = Some(self.number(key, item, 1, i64::from(u32::MAX))? as u32),
                _ => return self.unknown(key, "batch, large_batch, large_from"),
            }
        }
        Ok(())
    }

    fn service(&self, source: Source, table: &dyn TableLike) -> Read<ServiceTable> {
        let mut service = ServiceTable::default();
        let mut tuned = None;
        for (key, item) in self.entries(table) {
            match key.get() {
                "url" => {
                    let base = address::read(source, &self.string(key, item)?);
                    service.base = Some(base.map_err(|words| self.wrong(item.span(), words))?);
                }
                "key" => service.key = Some(self.key_place(item)?),
                "requests" => {
                    service.requests = Some(self.number(key, item, 1, 1_000_000)? as u32);
                    tuned = Some(key);
                }
                "window_ms" => {
                    service.window_ms = Some(self.number(key, item, 1, 3_600_000)?.unsigned_abs());
                    tuned = Some(key);
                }
                _ => return self.unknown(key, "url, key"),
            }
        }
        match tuned {
            Some(key) if !service.base.as_ref().is_some_and(|base| base.loopback) => {
                let words = format!(
                    "`{}` is decided by the service: it can be set only for addresses on this machine",
                    key.get()
                );
                Err(self.wrong(key.span(), words))
            }
            _ => Ok(service),
        }
    }

    fn key_place(&self, item: &Item) -> Read<KeyPlace> {
        const PLACES: &str = r#"a key is never written here: "keyring", { command = "…" } or { file = "…" }"#;
        let wrong = || self.wrong(item.span(), PLACES);
        if let Some(text) = item.as_str() {
            return if text == "keyring" { Ok(KeyPlace::Keyring) } else { Err(wrong()) };
        }
        let table = item.as_table_like().ok_or_else(wrong)?;
        match self.entries(table).as_slice() {
            [(key, item)] if key.get() == "command" => Ok(KeyPlace::Command(self.string(key, item)?)),
            [(key, item)] if key.get() == "file" => Ok(KeyPlace::File(PathBuf::from(self.string(key, item)?))),
            _ => Err(wrong()),
        }
    }

    fn bindings(&self, table: &dyn TableLike, bindings: &mut Vec<UserBinding>) -> Read<()> {
        for (context, item) in self.entries(table) {
            for (command, item) in self.entries(self.table(context, item)?) {
                let wrong =
                    || self.wrong(item.span(), format!("`{}` is a list of keys: [\"x\", \"g s\"]", command.get()));
                let keys = match item.as_value() {
                    Some(Value::String(one)) => vec![one.value().clone()],
                    Some(Value::Array(list)) => {
                        let keys: Option<Vec<String>> =
                            list.iter().map(|key| key.as_str().map(str::to_owned)).collect();
                        keys.ok_or_else(wrong)?
                    }
                    _ => return Err(wrong()),
                };
                let clean = |text: &str| scrub(text).into_owned();
                bindings.push(UserBinding {
                    context: clean(context.get()),
                    name: clean(command.get()),
                    keys: keys.iter().map(|key| clean(key)).collect(),
                    line: self.line(command.span()),
                });
            }
        }
        Ok(())
    }
}

/// A profile's name is also a folder's and a keyring entry's.
pub fn check_name(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    if name.is_empty()
        || name.len() > 64
        || !name.chars().all(plain)
        || name.starts_with(['.', ' '])
        || name.ends_with(' ')
    {
        return Err("a profile name contains only letters, digits, - _ and ., at most 64".to_owned());
    }
    Ok(())
}

impl Config {
    pub fn named(&self, name: &str) -> Option<&ProfileTable> {
        self.profiles.iter().find(|profile| profile.name == name)
    }
}
