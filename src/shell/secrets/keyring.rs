//! The system keyring, through the program that each system has for it: `secret-tool` (libsecret) or `security` (macOS).
//!
//! Linking a client instead would bring D-Bus, its macros and some sixty crates for two calls a run. The key goes through
//! pipes, never through arguments, which every process can read.

use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;

use secrecy::{ExposeSecret, SecretSlice, SecretString};

use super::child::{Patience, Ran, run};
use super::{KeyProblem, Owner, Waiting};

/// Long enough to type the keyring's password when it asks for it.
const PATIENCE: Duration = Duration::from_secs(30);
/// To keep a key a keyring may first have to be made, with a new password typed twice.
const PATIENCE_TO_KEEP: Duration = Duration::from_secs(120);
/// Whether there is one at all is answered without asking anybody.
const PATIENCE_TO_LOOK: Duration = Duration::from_secs(5);
const WAITING: &str = "waiting for the system keyring, which may be asking for its password";

const MAC: bool = cfg!(target_os = "macos");
const PROGRAM: &str = if MAC { "security" } else { "secret-tool" };

/// The program that speaks with the keyring, and how long it may take.
struct Keyring<'a> {
    program: OsString,
    patience: Patience<'a>,
}

fn system(patience: Patience<'_>) -> Keyring<'_> {
    Keyring { program: PROGRAM.into(), patience }
}

/// The origin is part of the name: a key that was stored for one is not found for another.
fn account(owner: Owner<'_>) -> String {
    format!("{}/{}@{}", owner.profile, owner.source, owner.origin)
}

pub(super) fn read(owner: Owner<'_>, waiting: Waiting<'_>) -> Result<SecretString, KeyProblem> {
    system(Patience { most: PATIENCE, waiting: Some((waiting, WAITING)) }).read(owner)
}

pub(super) fn write(owner: Owner<'_>, key: &SecretString) -> Result<(), KeyProblem> {
    system(Patience::silent(PATIENCE_TO_KEEP)).write(owner, key)
}

pub(super) fn remove(owner: Owner<'_>) -> Result<(), KeyProblem> {
    system(Patience::silent(PATIENCE)).remove(owner)
}

pub(super) fn works() -> Result<(), KeyProblem> {
    system(Patience::silent(PATIENCE_TO_LOOK)).works()
}

impl Keyring<'_> {
    fn read(&self, owner: Owner<'_>) -> Result<SecretString, KeyProblem> {
        let mut command = Command::new(&self.program);
        let account = account(owner);
        if MAC {
            command.args(["find-generic-password", "-s", "lode", "-a", &account, "-w"]);
        } else {
            command.args(["lookup", "service", "lode", "account", &account]);
        }
        match run(command, None, self.patience) {
            Ran::Done { code: Some(0), printed, .. } if !printed.expose_secret().is_empty() => {
                let text = String::from_utf8(printed.expose_secret().to_vec());
                let text = text.map_err(|_| problem("what the keyring holds for lode is no text"))?;
                Ok(SecretString::from(text.trim_end().to_owned()))
            }
            // Nothing found is a silent failure of secret-tool and code 44 of security; a refusal says something.
            Ran::Done { code: Some(44), .. } | Ran::Done { complained: false, .. } => {
                Err(problem(format!("the system keyring holds no {} key for {}", owner.source.title(), owner.origin)))
            }
            other => Err(self.refusal(&other)),
        }
    }

    fn write(&self, owner: Owner<'_>, key: &SecretString) -> Result<(), KeyProblem> {
        let mut command = Command::new(&self.program);
        let account = account(owner);
        let input = if MAC {
            command.arg("-i");
            format!("add-generic-password -U -s lode -a {} -w {}\n", quoted(&account), quoted(key.expose_secret()))
        } else {
            let label = format!("lode: {} {} key", owner.profile, owner.source.title());
            command.args(["store", "--label", &label, "service", "lode", "account", &account]);
            key.expose_secret().to_owned()
        };
        match run(command, Some(&SecretSlice::from(input.into_bytes())), self.patience) {
            // What cannot be read back was not kept.
            Ran::Done { code: Some(0), .. } => match self.read(owner) {
                Ok(kept) if kept.expose_secret() == key.expose_secret() => Ok(()),
                _ => Err(problem("the system keyring took the key and does not give it back")),
            },
            other => Err(self.refusal(&other)),
        }
    }

    fn remove(&self, owner: Owner<'_>) -> Result<(), KeyProblem> {
        let mut command = Command::new(&self.program);
        let account = account(owner);
        if MAC {
            command.args(["delete-generic-password", "-s", "lode", "-a", &account]);
        } else {
            command.args(["clear", "service", "lode", "account", &account]);
        }
        match run(command, None, self.patience) {
            Ran::Done { code: Some(0 | 44), .. } | Ran::Done { complained: false, .. } => Ok(()),
            other => Err(self.refusal(&other)),
        }
    }

    /// Asks for an entry that nobody has: a keyring that answers "no" works.
    fn works(&self) -> Result<(), KeyProblem> {
        let mut command = Command::new(&self.program);
        if MAC {
            command.arg("default-keychain");
        } else {
            command.args(["lookup", "service", "lode", "account", "nobody"]);
        }
        match run(command, None, self.patience) {
            Ran::Done { code: Some(0), .. } | Ran::Done { complained: false, .. } => Ok(()),
            other => Err(self.refusal(&other)),
        }
    }

    fn refusal(&self, ran: &Ran) -> KeyProblem {
        let problem = match ran {
            Ran::NotStarted(error) if error.kind() == std::io::ErrorKind::NotFound => {
                problem(format!("this system has no keyring that lode can use: `{PROGRAM}` is not installed"))
            }
            Ran::NotStarted(error) => problem(format!("`{PROGRAM}` could not be started: {error}")),
            Ran::TooSlow => problem(format!(
                "the system keyring is locked: it did not answer within {} seconds",
                self.patience.most.as_secs()
            )),
            Ran::Done { code, .. } => {
                let code = code.map_or_else(String::new, |code| format!(" ({PROGRAM} exit code {code})"));
                problem(format!("the system keyring refused or is not running{code}"))
            }
        };
        KeyProblem { lasts: true, ..problem }
    }
}

fn problem(words: impl Into<String>) -> KeyProblem {
    KeyProblem::new(words, "`lode` then P keeps the key elsewhere: a command that prints it, or a private file")
}

/// One word of the little language that `security -i` reads.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::contact::Source;

    /// A keyring of its own, as `script` has it. Kept with its folder. The program is a link to one that nobody writes to:
    /// an executable that was just written may be busy in another test's fork.
    fn keyring(script: &str) -> (Keyring<'static>, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("tool");
        let runs = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/as-script.sh");
        std::os::unix::fs::symlink(runs, &program).unwrap();
        std::fs::write(folder.path().join("script"), script).unwrap();
        (Keyring { program: program.into(), patience: Patience::silent(Duration::from_secs(20)) }, folder)
    }

    fn owner(origin: &str) -> Owner<'_> {
        Owner { profile: "acme prod", source: Source::Workspace, origin }
    }

    /// Like `secret-tool`: attributes as arguments, the secret through pipes.
    const TOOL: &str = r#"
echo "$@" >> "$here/arguments"
case "$1" in
store) shift 3; cat > "$here/$(echo "$*" | tr ' /:' '___')" ;;
lookup) shift; cat "$here/$(echo "$*" | tr ' /:' '___')" 2> /dev/null || exit 1 ;;
clear) shift; rm -f "$here/$(echo "$*" | tr ' /:' '___')" ;;
esac"#;

    #[test]
    #[cfg(not(target_os = "macos"))]
    fn a_key_comes_back_for_its_origin_only_and_is_in_no_argument() {
        let (keyring, folder) = keyring(TOOL);
        keyring.works().unwrap();
        let key = SecretString::from("ak_live_0123456789".to_owned());
        keyring.write(owner("https://api.example"), &key).unwrap();
        assert_eq!(keyring.read(owner("https://api.example")).unwrap().expose_secret(), "ak_live_0123456789");
        let other = keyring.read(owner("https://evil.example")).unwrap_err();
        assert_eq!(other.words, "the system keyring holds no Workspace key for https://evil.example");
        let arguments = std::fs::read_to_string(folder.path().join("arguments")).unwrap();
        assert!(arguments.contains("acme prod/workspace@https://api.example") && !arguments.contains("0123456789"));
        keyring.remove(owner("https://api.example")).unwrap();
        assert!(keyring.read(owner("https://api.example")).is_err());
    }

    #[test]
    fn absent_locked_and_refusing_each_have_their_sentence() {
        let absent = Keyring { program: "no-such-keyring-program".into(), patience: Patience::silent(PATIENCE) };
        let words = |result: Result<(), KeyProblem>| {
            let problem = result.unwrap_err();
            assert!(problem.hint.contains("`lode`"), "{}", problem.hint);
            problem.words
        };
        let said = format!("this system has no keyring that lode can use: `{PROGRAM}` is not installed");
        assert_eq!(words(absent.works()), said);
        let (refusing, _folder) = keyring("echo 'no D-Bus here' >&2; exit 1");
        assert_eq!(
            words(refusing.works()),
            format!("the system keyring refused or is not running ({PROGRAM} exit code 1)")
        );
        let key = SecretString::from("ak".to_owned());
        assert!(words(refusing.write(owner("https://api.example"), &key)).contains("refused or is not running"));
        let (mut locked, _folder) = keyring("sleep 600");
        locked.patience = Patience::silent(Duration::from_millis(100));
        assert!(words(locked.works()).starts_with("the system keyring is locked: it did not answer"));
        let (forgetful, _folder) = keyring("cat > /dev/null; echo something else");
        let kept = forgetful.write(owner("https://api.example"), &key);
        assert_eq!(words(kept), "the system keyring took the key and does not give it back");
    }
}
