//! A key in a private file: readable by its owner alone, and bound to the origin it was stored for.
//!
//! The first line is the key, the second `for ORIGIN`. A file made by hand may have the first line only.

use std::io::ErrorKind;
use std::path::Path;

use secrecy::zeroize::Zeroize;
use secrecy::{ExposeSecret, SecretString};

use crate::files::{atomic, if_there};
use crate::system::files::{how_to_close, is_open_to_others};

use super::{KeyOwner, KeyProblem};

pub(super) fn read(path: &Path, owner: KeyOwner<'_>) -> Result<SecretString, KeyProblem> {
    let shown = path.display();
    let failed = |error: &std::io::Error| match error.kind() {
        ErrorKind::NotFound => KeyProblem::new(
            format!("the key file {shown} does not exist"),
            "run `lode` and type `:profiles` to store the key again",
        ),
        _ => KeyProblem::new(
            format!("the key file {shown} cannot be read: {error}"),
            "`lode doctor` shows who may read it",
        ),
    };
    if is_open_to_others(path).map_err(|error| failed(&error))? {
        return Err(KeyProblem::new(
            format!("the key file {shown} can be read by others"),
            format!("{} makes it yours alone", how_to_close(path)),
        ));
    }
    let mut text = std::fs::read_to_string(path).map_err(|error| failed(&error))?;
    let mut lines = text.lines().map(str::trim);
    let key = SecretString::from(lines.next().unwrap_or_default().to_owned());
    let bound = lines.find_map(|line| line.strip_prefix("for ").map(str::to_owned));
    text.zeroize();
    match bound.filter(|bound| bound != owner.origin) {
        Some(bound) => Err(KeyProblem::new(
            format!("the key in {shown} belongs to {bound}, not to {}", owner.origin),
            "run `lode` and type `:profiles` to store the key of this address",
        )),
        None => Ok(key),
    }
}

pub(super) fn write(path: &Path, owner: KeyOwner<'_>, key: &SecretString) -> Result<(), KeyProblem> {
    let mut text = format!("{}\nfor {}\n", key.expose_secret(), owner.origin);
    let written = atomic::write_private(path, text.as_bytes());
    text.zeroize();
    written.map_err(|words| KeyProblem::new(words, "`lode doctor` shows the folders"))
}

pub(super) fn remove(path: &Path) -> Result<(), KeyProblem> {
    let removed = if_there(std::fs::remove_file(path));
    removed.map(drop).map_err(|error| {
        let words = format!("{} cannot be removed: {error}", path.display());
        KeyProblem::new(words, "`lode doctor` shows the folders")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::Source;
    use std::os::unix::fs::PermissionsExt;

    fn owner(origin: &str) -> KeyOwner<'_> {
        KeyOwner { profile: "acme", source: Source::Workspace, origin }
    }

    #[test]
    fn a_key_file_is_private_and_bound() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/acme.key");
        let key = SecretString::from("ak_live_1".to_owned());
        write(&path, owner("https://api.example"), &key).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(read(&path, owner("https://api.example")).unwrap().expose_secret(), "ak_live_1");
        let elsewhere = read(&path, owner("https://evil.example")).unwrap_err();
        assert!(elsewhere.words.ends_with("belongs to https://api.example, not to https://evil.example"));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(read(&path, owner("https://api.example")).unwrap_err().words.ends_with("can be read by others"));
        remove(&path).unwrap();
        assert!(read(&path, owner("https://api.example")).unwrap_err().words.ends_with("does not exist"));
    }
}
