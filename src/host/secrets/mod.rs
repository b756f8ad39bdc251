//! Keys: where each one is stored and how it is read, and what may be shown about it.
//!
//! A key is a [`SecretString`] from here to the request's header and is in no other type. Fetching may take seconds (a
//! keyring that asks, a command that runs) and blocks: it is done off the screen's thread. The places are tried as the
//! settings name them, and never a weaker one instead.

mod command;
mod keyring;

pub use keyring::works as keyring_works;

use std::ffi::OsString;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ring::digest::{SHA256, digest};
use secrecy::zeroize::Zeroize;
use secrecy::{ExposeSecret, SecretSlice, SecretString};

use super::config::{
    Access, ChosenProfile, ConfigProblem, KeySource, environment::key_name, file::KeyPlace, reader::Read,
};
use super::files::{atomic, if_there};
use super::system::files::{how_to_close, is_open_to_others};
use super::system::processes::{end_group, in_own_group, shell};
use super::user_command::{Attended, attend, without_keys};
use super::{address::ServiceAddress, system::vault};
use lode_core::{Source, agree};
use lode_engine::effect::{KeyHash, Profile, ServiceProfile, WindowId};

/// Whose key it is: the name under which it is kept, and the origin it is bound to.
#[derive(Clone, Copy, Debug)]
pub struct KeyOwner<'a> {
    pub profile: &'a str,
    pub source: Source,
    pub origin: &'a str,
}

/// The profile in use with its keys in hand.
#[derive(Clone, Debug)]
pub struct Ready {
    /// What the flows may know.
    pub profile: Profile,
    pub workspace: Option<ServiceAddress>,
    pub data: Option<ServiceAddress>,
    /// Services that are set up and cannot be used, and why.
    pub problems: Vec<(Source, ConfigProblem)>,
}

/// Is told in words when a key lets its owner wait.
pub type Waiting<'a> = &'a dyn Fn(&str);

/// Fetches the keys of a profile for the services that are wanted. One whose key cannot be had is left out and told; one that
/// is not wanted is left out.
pub fn open(chosen: &ChosenProfile, wanted: &[Source], window: WindowId, waiting: Waiting<'_>) -> Ready {
    let mut problems: Vec<(Source, ConfigProblem)> = Vec::new();
    let mut in_files = 0;
    let mut fetch_one = |access: &Option<Access>| {
        let access = access.as_ref().filter(|access| wanted.contains(&access.source))?;
        let owner = KeyOwner { profile: &chosen.profile.name, source: access.source, origin: &access.base.origin };
        let fetched = match (&access.key, problems.iter().find(|(_, problem)| problem.keyring_fails)) {
            // A keyring that timed out for one key is not asked for the next.
            (KeySource::Stored(KeyPlace::Keyring), Some((_, problem))) => Err(problem.clone()),
            (key, _) => fetch(key, owner, waiting),
        };
        match fetched {
            Ok(key) => {
                if matches!(access.key, KeySource::Stored(KeyPlace::File(_))) {
                    in_files += 1;
                }
                let service = ServiceProfile { shown: shown(&key), ..service_of(access, hash(&key)) };
                Some((ServiceAddress { base: access.base.clone(), key }, service))
            }
            Err(problem) => {
                problems.push((access.source, problem));
                None
            }
        }
    };
    let (workspace, workspace_service) = fetch_one(&chosen.workspace).unzip();
    let (data, data_service) = fetch_one(&chosen.data).unzip();
    let note = (in_files > 0).then(|| agree(in_files, "key in a file", "keys in files").to_owned());
    let profile = Profile { workspace: workspace_service, data: data_service, note, window, ..chosen.profile.clone() };
    Ready { profile, workspace, data, problems }
}

/// A service whose key is known by its hash alone.
pub(super) fn service_of(access: &Access, key: KeyHash) -> ServiceProfile {
    ServiceProfile { origin: access.base.origin.clone(), key, shown: String::new(), allowance: access.allowance }
}

/// Fetches one key from where the settings say it is.
pub fn fetch(from: &KeySource, owner: KeyOwner<'_>, waiting: Waiting<'_>) -> Read<SecretString> {
    let source = owner.source.title();
    let (key, place) = match from {
        KeySource::Given { from, key } => (key.clone(), from.clone()),
        KeySource::Stored(KeyPlace::Keyring) => (keyring::read(owner, waiting)?, "the keyring".to_owned()),
        KeySource::Stored(KeyPlace::File(path)) => (read_file(path, owner)?, path.display().to_string()),
        KeySource::Stored(KeyPlace::Command(line)) => {
            return check(command::read(line, waiting)?, &format!("what the {source} key command printed"));
        }
        KeySource::Missing(why) => {
            let hint = format!("`lode` asks for it on its first screen, or set {}", key_name(owner.source));
            return Err(ConfigProblem::new(why.clone(), hint));
        }
    };
    check(key, &format!("the {source} key in {place}"))
}

/// Puts a new key where its owner chose. A command keeps its key by itself.
pub fn keep(place: &KeyPlace, folder: &Path, owner: KeyOwner<'_>, key: &SecretString) -> Read<()> {
    match place {
        KeyPlace::Keyring => keyring::write(owner, key),
        KeyPlace::File(path) => write_file(&folder.join(path), owner, key),
        KeyPlace::Command(_) => Ok(()),
    }
}

/// Takes a key away from where lode put it.
pub fn discard(place: &KeyPlace, folder: &Path, owner: KeyOwner<'_>) -> Read<()> {
    match place {
        KeyPlace::Keyring => keyring::remove(owner),
        KeyPlace::File(path) => remove_file(&folder.join(path)),
        KeyPlace::Command(_) => Ok(()),
    }
}

/// A key is sent in a header: visible characters, one line.
fn check(key: SecretString, what: &str) -> Read<SecretString> {
    let text = key.expose_secret().trim();
    let hint = "`lode doctor` shows where each key comes from";
    if text.is_empty() {
        return Err(ConfigProblem::new(format!("{what} is empty"), hint));
    }
    if text.len() > 4096 || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
        let words = format!("{what} is not a key: it has spaces or unprintable characters in it");
        return Err(ConfigProblem::new(words, hint));
    }
    Ok(SecretString::from(text.to_owned()))
}

/// Identifies a key without being it.
pub fn hash(key: &SecretString) -> KeyHash {
    let sum = digest(&SHA256, key.expose_secret().as_bytes());
    KeyHash(sum.as_ref()[..8].iter().map(|byte| format!("{byte:02x}")).collect())
}

/// What may be shown of a key: never more than its first five characters, and never more than a quarter of it.
pub fn shown(key: &SecretString) -> String {
    let text = key.expose_secret();
    text.chars().take(5.min(text.chars().count() / 4)).collect()
}

// A key in a private file: readable by its owner alone, and bound to the origin it was stored for. The first line is the key, the
// second `for ORIGIN`. A file made by hand may have the first line only.

fn read_file(path: &Path, owner: KeyOwner<'_>) -> Read<SecretString> {
    let shown = path.display();
    let failed = |error: std::io::Error| {
        let (what, hint) = match error.kind() {
            ErrorKind::NotFound => {
                ("does not exist".to_owned(), "run `lode` and type `:profiles` to store the key again")
            }
            _ => (format!("cannot be read: {error}"), "`lode doctor` shows who may read it"),
        };
        ConfigProblem::new(format!("the key file {shown} {what}"), hint)
    };
    if is_open_to_others(path).map_err(failed)? {
        let hint = format!("{} makes it yours alone", how_to_close(path));
        return Err(ConfigProblem::new(format!("the key file {shown} can be read by others"), hint));
    }
    let mut text = std::fs::read_to_string(path).map_err(failed)?;
    let mut lines = text.lines().map(str::trim);
    let key = SecretString::from(lines.next().unwrap_or_default().to_owned());
    let bound = lines.find_map(|line| line.strip_prefix("for ").map(str::to_owned));
    text.zeroize();
    let Some(bound) = bound.filter(|bound| bound != owner.origin) else { return Ok(key) };
    let words = format!("the key in {shown} belongs to {bound}, not to {}", owner.origin);
    Err(ConfigProblem::new(words, "run `lode` and type `:profiles` to store the key of this address"))
}

fn write_file(path: &Path, owner: KeyOwner<'_>, key: &SecretString) -> Read<()> {
    let mut text = format!("{}\nfor {}\n", key.expose_secret(), owner.origin);
    let written = atomic::write_private(path, text.as_bytes());
    text.zeroize();
    written.map_err(|words| ConfigProblem::new(words, "`lode doctor` shows the folders"))
}

fn remove_file(path: &Path) -> Read<()> {
    let removed = if_there(std::fs::remove_file(path));
    removed.map(drop).map_err(|error| {
        let words = format!("{} cannot be removed: {error}", path.display());
        ConfigProblem::new(words, "`lode doctor` shows the folders")
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn key(text: &str) -> SecretString {
        SecretString::from(text.to_owned())
    }

    #[test]
    fn a_key_is_known_by_half_its_sum_and_five_characters() {
        assert_eq!(hash(&key("abc")).0, "ba7816bf8f01cfea");
        assert_eq!(shown(&key("ak_7f0123456789abcdef")), "ak_7f");
        assert_eq!(shown(&key("short")), "s");
        assert_eq!(shown(&key("")), "");
    }

    #[test]
    fn a_key_that_no_header_can_carry_is_refused() {
        assert_eq!(check(key(" ak_1 \n"), "it").unwrap().expose_secret(), "ak_1");
        for bad in ["", "  ", "two words", "k\u{e9}y", "a\nb", "a\u{1b}b"] {
            let problem = check(key(bad), "it").unwrap_err();
            assert!(bad.trim().is_empty() || !problem.words.contains(bad.trim()), "the key is not repeated");
        }
    }

    fn owner(origin: &str) -> KeyOwner<'_> {
        KeyOwner { profile: "acme", source: Source::Workspace, origin }
    }

    #[test]
    fn a_key_file_is_private_and_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/acme.key");
        let key = key("ak_live_1");
        write_file(&path, owner("https://api.example"), &key).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(read_file(&path, owner("https://api.example")).unwrap().expose_secret(), "ak_live_1");
        let elsewhere = read_file(&path, owner("https://evil.example")).unwrap_err();
        assert!(elsewhere.words.ends_with("belongs to https://api.example, not to https://evil.example"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(read_file(&path, owner("https://api.example")).unwrap_err().words.ends_with("can be read by others"));
        remove_file(&path).unwrap();
        assert!(read_file(&path, owner("https://api.example")).unwrap_err().words.ends_with("does not exist"));
    }
}
