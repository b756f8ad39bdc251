//! Reads `config.toml` and names the line of each error. An unknown setting is an error, because a misspelled cap would not
//! limit anything.

use super::*;

impl ProfileTable {
    /// A profile of which the settings say nothing.
    pub(super) fn named(name: &str) -> ProfileTable {
        ProfileTable { name: name.to_owned(), ..ProfileTable::default() }
    }
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The profile to start with.
    pub profile: Option<String>,
    /// A name and where the file has it. Only the screen needs it, so a name that does not exist does not refuse the file.
    pub theme: Option<(String, FilePlace)>,
    /// Nothing moves on the screen.
    pub is_still: bool,
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
    /// How contacts are chosen. The score rules have a file of their own.
    pub choosing: Choosing,
    /// What this terminal gets wrong.
    pub avoid: Vec<Feature>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AssistantTable {
    /// What may be spent without being asked.
    pub standing: Option<StandingGrant>,
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
pub fn read(path: &Path, text: &str) -> Read<Config> {
    parse(path, text, config)
}

/// Reads a setting if it is there.
fn optional<'t, T>(setting: &Option<Setting<'t>>, read: impl Fn(&Setting<'t>) -> Read<T>) -> Read<Option<T>> {
    setting.as_ref().map(read).transpose()
}

const LEVELS: [(&str, Level); 3] = [("error", Level::Error), ("info", Level::Info), ("debug", Level::Debug)];
const ROWS: [(&str, RowsGiven); 2] = [("selection", RowsGiven::Selection), ("all", RowsGiven::All)];

fn config(file: &Setting<'_>) -> Read<Config> {
    let [profile, theme, motion, linear, log, profiles, assistant, keys, commands, choose, terminal] =
        file.fields([
            "profile", "theme", "motion", "linear", "log", "profiles", "assistant", "keys", "commands", "choose",
            "terminal",
        ])?;
    let config = Config {
        profile: optional(&profile, Setting::clean_string)?,
        theme: optional(&theme, |theme| Ok((theme.clean_string()?, theme.place())))?,
        is_still: optional(&motion, |motion| choice(motion, &[("full", false), ("none", true)]))?.unwrap_or_default(),
        linear: optional(&linear, Setting::flag)?,
        log: optional(&log, |log| choice(log, &LEVELS))?,
        profiles: each(&profiles, |profile| Ok(vec![profile_table(profile)?]))?,
        path: file.place().path,
        bindings: each(&keys, bindings)?,
        commands: each(&commands, own_commands)?,
        assistant: optional(&assistant, assistant_table)?.unwrap_or_default(),
        choosing: optional(&choose, choosing)?.unwrap_or_default(),
        avoid: optional(&terminal, avoided)?.unwrap_or_default(),
    };
    if let (Some(name), Some(setting)) = (&config.profile, &profile)
        && config.named(name).is_none()
    {
        let known: Vec<&str> = config.profiles.iter().map(|profile| profile.name.as_str()).collect();
        let near = nearest(name, &known).map_or(String::new(), |near| format!(". Did you mean `{near}`?"));
        return Err(setting.wrong(format!("no profile `{name}` in this file{near}")));
    }
    Ok(config)
}

/// What the entries of a table say, one after the other. Nothing if there is no table.
fn each<'t, T>(table: &Option<Setting<'t>>, read: impl Fn(&Setting<'t>) -> Read<Vec<T>>) -> Read<Vec<T>> {
    let entries = optional(table, Setting::entries)?.unwrap_or_default();
    let lists: Vec<Vec<T>> = entries.iter().map(read).collect::<Read<_>>()?;
    Ok(lists.into_iter().flatten().collect())
}

/// One of some words, by what it means.
fn choice<T: Copy>(setting: &Setting<'_>, choices: &[(&str, T)]) -> Read<T> {
    let chosen = setting.item.as_str().and_then(|word| choices.iter().find(|(known, _)| *known == word));
    chosen.map(|(_, meant)| *meant).ok_or_else(|| {
        let names: Vec<String> = choices.iter().map(|(name, _)| format!("\"{name}\"")).collect();
        let (last, others) = names.split_last().expect("a choice is of several");
        setting.wrong(format!("`{}` is {} or {last}", setting.name, others.join(", ")))
    })
}

fn credits(setting: &Setting<'_>) -> Read<Credits> {
    setting.number(0, i64::MAX).map(Credits)
}

/// `[terminal] avoid = ["sync", "osc8"]`: what the terminal gets wrong.
fn avoided(table: &Setting<'_>) -> Read<Vec<Feature>> {
    let [Some(avoid)] = table.fields(["avoid"])? else { return Ok(Vec::new()) };
    let known = avoid.strings().and_then(|names| names.iter().map(|name| name.parse().ok()).collect());
    known.ok_or_else(|| {
        let names = Feature::VARIANTS.iter().map(|feature| format!("\"{feature}\"")).collect::<Vec<_>>().join(", ");
        avoid.wrong(format!("`avoid` is a list of {names}"))
    })
}

/// `[choose] per_company = 2, among = 5000`: whom to buy of those that match.
fn choosing(table: &Setting<'_>) -> Read<Choosing> {
    let [per_company, among] = table.fields(["per_company", "among"])?;
    let per_company = optional(&per_company, |most| most.number(1, 1_000))?;
    let among = optional(&among, |most| most.number(1, 50_000))?.unwrap_or(AMONG);
    Ok(Choosing { per_company, among, ..Choosing::default() })
}

fn assistant_table(table: &Setting<'_>) -> Read<AssistantTable> {
    let [per_day, per_call, elicitation] = table.fields(["per_day", "per_call", "elicitation"])?;
    if let (Some(one), None) | (None, Some(one)) = (&per_day, &per_call) {
        let first = table.entries()?.into_iter().next().unwrap_or_else(|| one.clone());
        return Err(first.wrong("`per_day` and `per_call` belong together: set both or none"));
    }
    let standing = optional(&per_day, credits)?.zip(optional(&per_call, credits)?);
    Ok(AssistantTable {
        standing: standing.map(|(per_day, per_call)| StandingGrant { per_day, per_call }),
        elicitation: optional(&elicitation, Setting::flag)?.unwrap_or_default(),
    })
}

fn profile_table(table: &Setting<'_>) -> Read<ProfileTable> {
    check_name(table.name).map_err(|words| table.wrong_name(words))?;
    let [workspace, data, caps, unlock] = table.fields(["workspace", "data", "caps", "unlock"])?;
    let unlock = optional(&unlock, |unlock| unlock.fields(["batch", "large_batch", "large_from"]))?;
    let [batch, large_batch, large_from] = unlock.unwrap_or_default();
    Ok(ProfileTable {
        name: table.name.to_owned(),
        workspace: optional(&workspace, |table| service(Source::Workspace, table))?,
        data: optional(&data, |table| service(Source::Data, table))?,
        caps: optional(&caps, caps_table)?.unwrap_or_default(),
        batch: optional(&batch, |size| size.number(1, 100))?,
        large_batch: optional(&large_batch, |size| size.number(1, 100))?,
        large_from: optional(&large_from, |size| size.number(1, i64::from(u32::MAX)))?,
    })
}

fn caps_table(table: &Setting<'_>) -> Read<Caps> {
    let [call, session, day] = table.fields(["call", "session", "day"])?;
    Ok(Caps { call: optional(&call, credits)?, session: optional(&session, credits)?, day: optional(&day, credits)? })
}

fn service(source: Source, table: &Setting<'_>) -> Read<ServiceTable> {
    let [url, key, requests, window_ms] = table.fields(["url", "key", "requests", "window_ms"])?;
    let base = |url: &Setting<'_>| address::read(source, &url.string()?).map_err(|words| url.wrong(words));
    let service = ServiceTable {
        base: optional(&url, base)?,
        key: optional(&key, key_place)?,
        requests: optional(&requests, |number| number.number(1, 1_000_000))?,
        window_ms: optional(&window_ms, |number| number.number(1, 3_600_000))?,
    };
    if let Some(tuned) = window_ms.or(requests)
        && !service.base.as_ref().is_some_and(|base| base.loopback)
    {
        let words = "is decided by the service: it can be set only for addresses on this machine";
        return Err(tuned.wrong_name(format!("`{}` {words}", tuned.name)));
    }
    Ok(service)
}

fn key_place(setting: &Setting<'_>) -> Read<KeyPlace> {
    const PLACES: &str = r#"a key is never written here: "keyring", { command = "…" } or { file = "…" }"#;
    if setting.item.as_str() == Some("keyring") {
        return Ok(KeyPlace::Keyring);
    }
    match setting.entries().unwrap_or_default().as_slice() {
        [one] if one.name == "command" => Ok(KeyPlace::Command(one.string()?)),
        [one] if one.name == "file" => Ok(KeyPlace::File(PathBuf::from(one.string()?))),
        _ => Err(setting.wrong(PLACES)),
    }
}

/// `[keys.results] stage = ["Space", "x"]`: the bindings of one context.
fn bindings(context: &Setting<'_>) -> Read<Vec<UserBinding>> {
    let clean = |text: &str| scrub(text).into_owned();
    let binding = |command: &Setting<'_>| {
        let one = command.item.as_str().map(|key| vec![key.to_owned()]);
        let keys = one.or_else(|| command.strings());
        let words = || format!("`{}` is a list of keys: [\"x\", \"g s\"]", command.name);
        Ok(UserBinding {
            context: clean(context.name),
            name: clean(command.name),
            keys: keys.ok_or_else(|| command.wrong(words()))?.iter().map(|key| clean(key)).collect(),
            line: command.line(),
        })
    };
    context.entries()?.iter().map(binding).collect()
}

/// `[commands.results] push = { run = ["crm", "push"], key = "K", rows = "selection" }`: the person's own commands.
fn own_commands(context: &Setting<'_>) -> Read<Vec<OwnCommand>> {
    let contexts = ["results", "basket", "owned"];
    if !contexts.contains(&context.name) {
        return Err(context.unknown(&contexts));
    }
    let command = |command: &Setting<'_>| {
        let [run, key, rows] = command.fields(["run", "key", "rows"])?;
        let name = scrub(command.name).into_owned();
        let missing = || command.wrong(format!("`{name}` needs `run`, a list of words: [\"crm\", \"push\"]"));
        Ok(OwnCommand {
            context: context.name.to_owned(),
            run: optional(&run, program)?.ok_or_else(missing)?,
            key: optional(&key, Setting::clean_string)?,
            rows: optional(&rows, |rows| choice(rows, &ROWS))?.unwrap_or(RowsGiven::Selection),
            line: command.line(),
            name,
        })
    };
    context.entries()?.iter().map(command).collect()
}

/// A list of words, the program first. One text would have to be taken apart by a shell.
fn program(setting: &Setting<'_>) -> Read<Vec<String>> {
    let words = setting.strings().filter(|words| words.first().is_some_and(|program| !program.trim().is_empty()));
    words.ok_or_else(|| setting.wrong("`run` is a list of words, the program first: [\"crm\", \"push\"]"))
}

/// A profile's name is also a folder's and a keyring entry's.
pub fn check_name(name: &str) -> Result<(), String> {
    let plain = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | ' ');
    let has_odd_end = name.starts_with(['.', ' ']) || name.ends_with(' ');
    if (1..=64).contains(&name.len()) && name.chars().all(plain) && !has_odd_end {
        return Ok(());
    }
    Err("a profile name contains only letters, digits, - _ and ., at most 64".to_owned())
}

impl Config {
    pub fn named(&self, name: &str) -> Option<&ProfileTable> {
        self.profiles.iter().find(|profile| profile.name == name)
    }
}
