//! Edits `config.toml` on request and keeps everything else in it, comments included.

use super::*;

/// What a new user's file says: everything explained, nothing set.
pub const TEMPLATE: &str = lode_assets::CONFIG;

/// One change: the address and key place of one service, whose profile is made if it is new; the caps or the name of a profile; a
/// profile that goes; and the one to start with.
#[derive(Clone, Debug, PartialEq)]
pub enum ConfigChange {
    Service { profile: String, source: Source, url: String, key: KeyPlace },
    Caps { profile: String, caps: Caps },
    Rename { from: String, to: String },
    Remove { profile: String },
    StartWith { profile: String },
}

/// Applies changes to the file, all or none. The result is read again before it replaces what was there.
pub fn apply(environment: &Environment, changes: &[ConfigChange]) -> Read<()> {
    let path = super::path(environment);
    let before = if_there(std::fs::read_to_string(&path));
    let before = before.map_err(|error| unwritable(atomic::sentence(&path, &error)))?;
    let after = applied(&path, before.as_deref().unwrap_or(TEMPLATE), changes)?;
    atomic::write_private(&path, after.as_bytes()).map_err(unwritable)
}

/// The text with the changes made.
pub fn applied(path: &Path, text: &str, changes: &[ConfigChange]) -> Read<String> {
    file::read(path, text)?;
    let mut document: DocumentMut =
        text.parse().map_err(|_| ConfigProblem::new("the settings cannot be read", "`lode doctor` shows where"))?;
    // A file of comments alone explains what follows: it stays on top.
    let explains = document.as_table().is_empty();
    if explains {
        document = DocumentMut::new();
    }
    for change in changes {
        make(&mut document, change)?;
    }
    let after = if explains { format!("{}\n\n{document}", text.trim_end()) } else { document.to_string() };
    let after = after.trim_start().to_owned();
    file::read(path, &after)?;
    Ok(after)
}

fn make(document: &mut DocumentMut, change: &ConfigChange) -> Read<()> {
    match change {
        ConfigChange::Service { profile, source, url, key } => {
            let service = table_in(profile_table(document, profile)?, source.name())?;
            let place = match key {
                KeyPlace::Keyring => Value::from("keyring"),
                KeyPlace::Command(command) => Value::from_iter([("command", command.as_str())]),
                KeyPlace::File(path) => Value::from_iter([("file", &*path.to_string_lossy())]),
            };
            set(service, "url", url.as_str());
            set(service, "key", place);
        }
        ConfigChange::Caps { profile, caps } => {
            let table = table_in(profile_table(document, profile)?, "caps")?;
            for (name, cap) in [("call", caps.call), ("session", caps.session), ("day", caps.day)] {
                match cap {
                    Some(cap) => set(table, name, cap.0),
                    None => drop(table.remove(name)),
                }
            }
        }
        ConfigChange::Rename { from, to } => {
            file::check_name(to).map_err(|words| ConfigProblem::new(words, "choose another name"))?;
            let profiles = table_in(document.as_table_mut(), "profiles")?;
            if profiles.contains_key(to) {
                return Err(ConfigProblem::new(format!("there is a profile `{to}` already"), "choose another name"));
            }
            let profile = profiles.remove(from).ok_or_else(|| missing(from))?;
            profiles.insert(to, profile);
            if document.get("profile").and_then(Item::as_str) == Some(from) {
                set(document, "profile", to.as_str());
            }
        }
        ConfigChange::Remove { profile } => {
            let profiles = table_in(document.as_table_mut(), "profiles")?;
            profiles.remove(profile).ok_or_else(|| missing(profile))?;
            if document.get("profile").and_then(Item::as_str) == Some(profile) {
                document.remove("profile");
            }
        }
        ConfigChange::StartWith { profile } => set(document, "profile", profile.as_str()),
    }
    Ok(())
}

fn missing(profile: &str) -> ConfigProblem {
    ConfigProblem::new(format!("no profile `{profile}` in the settings"), "`lode doctor` lists them")
}

/// Replaces a value and keeps the comments around it.
pub fn set(table: &mut Table, name: &str, to: impl Into<Value>) {
    let mut to = to.into();
    let there = table.entry(name).or_insert(Item::None);
    if let Some(before) = there.as_value() {
        *to.decor_mut() = before.decor().clone();
    }
    *there = Item::Value(to);
}

fn profile_table<'t>(document: &'t mut DocumentMut, profile: &str) -> Read<&'t mut Table> {
    file::check_name(profile).map_err(|words| ConfigProblem::new(words, "choose another name"))?;
    let profiles = table_in(document.as_table_mut(), "profiles")?;
    table_in(profiles, profile)
}

/// A table under a table, made without a head of its own where it is new.
fn table_in<'t>(table: &'t mut Table, name: &str) -> Read<&'t mut Table> {
    let item = table.entry(name).or_insert_with(|| {
        let mut new = Table::new();
        new.set_implicit(true);
        Item::Table(new)
    });
    // `acme = { … }` is as good as `[profiles.acme]`, but only a table of its own can grow lines.
    if let Some(inline) = item.as_inline_table() {
        *item = Item::Table(inline.clone().into_table());
    }
    item.as_table_mut().ok_or_else(|| {
        ConfigProblem::new(format!("`{name}` in the settings is not a table"), "`lode doctor` shows where")
    })
}

fn unwritable(words: String) -> ConfigProblem {
    ConfigProblem::new(words, "`lode doctor` shows which folder is used and who may write there")
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::credits::Credits;

    fn after(text: &str, changes: &[ConfigChange]) -> String {
        applied(Path::new("config.toml"), text, changes).unwrap()
    }

    fn service(profile: &str, key: KeyPlace) -> ConfigChange {
        ConfigChange::Service {
            profile: profile.to_owned(),
            source: Source::Workspace,
            url: "https://api.example/api/v1".to_owned(),
            key,
        }
    }

    #[test]
    fn a_first_profile_goes_into_the_commented_file() {
        let caps = Caps { session: Some(Credits(200)), ..Caps::default() };
        let changes = [
            service("acme prod", KeyPlace::Command("pass show acme \"x\"".to_owned())),
            ConfigChange::Caps { profile: "acme prod".to_owned(), caps },
            ConfigChange::StartWith { profile: "acme prod".to_owned() },
        ];
        let text = after(TEMPLATE, &changes);
        assert!(text.starts_with("# Settings of lode."), "the comments stay on top:\n{text}");
        let config = file::read(Path::new("config.toml"), &text).unwrap();
        assert_eq!(config.profile.as_deref(), Some("acme prod"));
        let profile = config.named("acme prod").unwrap();
        assert_eq!(profile.caps, caps);
        let workspace = profile.workspace.as_ref().unwrap();
        assert_eq!(workspace.key, Some(KeyPlace::Command("pass show acme \"x\"".to_owned())));
    }

    #[test]
    fn what_its_owner_wrote_stays() {
        let text = "profile = \"a\" # mine\n\n[profiles.a.workspace]\n# the one in Texas\nurl = \"https://api.example/api/v1\"\nkey = \"keyring\"\n";
        let renamed = after(text, &[ConfigChange::Rename { from: "a".to_owned(), to: "b".to_owned() }]);
        assert!(renamed.starts_with("profile = \"b\" # mine"), "{renamed}");
        assert!(renamed.contains("[profiles.b.workspace]") && renamed.contains("# the one in Texas"), "{renamed}");
        let two = after(text, &[service("z", KeyPlace::Keyring)]);
        let config = file::read(Path::new("x"), &two).unwrap();
        assert_eq!(config.profiles.iter().map(|profile| profile.name.as_str()).collect::<Vec<_>>(), ["a", "z"]);
        let gone = after(&two, &[ConfigChange::Remove { profile: "a".to_owned() }]);
        assert_eq!(file::read(Path::new("x"), &gone).unwrap().profiles.len(), 1);
        assert!(!gone.contains("profile = \"a\""));
    }

    #[test]
    fn a_change_that_cannot_be_read_back_is_not_made() {
        let bad = ConfigChange::StartWith { profile: "missing".to_owned() };
        assert!(applied(Path::new("x"), TEMPLATE, &[bad]).is_err());
        let taken = [service("a", KeyPlace::Keyring), service("b", KeyPlace::Keyring)];
        let text = after(TEMPLATE, &taken);
        let clash = ConfigChange::Rename { from: "a".to_owned(), to: "b".to_owned() };
        assert!(applied(Path::new("x"), &text, &[clash]).is_err());
    }
}
