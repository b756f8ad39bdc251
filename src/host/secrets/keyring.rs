//! The system keyring: through the program that a system has for it, `secret-tool` (libsecret) or `security` (macOS), or
//! directly where there is none (the Credential Manager of Windows).
//!
//! Linking a client instead would bring D-Bus, its macros and some sixty crates for two calls a run. The key goes through
//! pipes, never through arguments, which every process can read.

use super::command::{CommandTimeout, Ran, run};
use super::*;

/// Long enough to type the keyring's password when it asks for it.
const PATIENCE: Duration = Duration::from_secs(30);
/// To keep a key a keyring may first have to be made, with a new password typed twice.
const PATIENCE_TO_KEEP: Duration = Duration::from_secs(120);
/// Whether there is one at all is answered without a question to the user.
const PATIENCE_TO_LOOK: Duration = Duration::from_secs(5);
const WAITING: &str = "waiting for the system keyring, which may be asking for its password";

const MAC: bool = cfg!(target_os = "macos");

/// The program that speaks with the keyring, and how long it may take.
struct Keyring<'a> {
    program: OsString,
    timeout: CommandTimeout<'a>,
}

/// None where the system is asked directly.
fn system(timeout: CommandTimeout<'_>) -> Option<Keyring<'_>> {
    vault::PROGRAM.map(|program| Keyring { program: program.into(), timeout })
}

/// The origin is part of the name: a key that was stored for one is not found for another.
fn account(owner: KeyOwner<'_>) -> String {
    format!("{}/{}@{}", owner.profile, owner.source, owner.origin)
}

pub(super) fn read(owner: KeyOwner<'_>, waiting: Waiting<'_>) -> Read<SecretString> {
    match system(CommandTimeout { most: PATIENCE, waiting: Some((waiting, WAITING)) }) {
        Some(keyring) => keyring.read(owner),
        None => {
            let key = vault::read(&name(owner)).map_err(trouble)?.ok_or_else(|| nothing(owner))?;
            text(key.expose_secret())
        }
    }
}

pub(super) fn write(owner: KeyOwner<'_>, key: &SecretString) -> Read<()> {
    match system(CommandTimeout::silent(PATIENCE_TO_KEEP)) {
        Some(keyring) => keyring.write(owner, key),
        None => {
            let key = SecretSlice::from(key.expose_secret().as_bytes().to_vec());
            vault::write(&name(owner), &key).map_err(trouble)
        }
    }
}

pub(super) fn remove(owner: KeyOwner<'_>) -> Read<()> {
    let ask_system = || vault::remove(&name(owner)).map_err(trouble);
    system(CommandTimeout::silent(PATIENCE)).map_or_else(ask_system, |keyring| keyring.remove(owner))
}

/// Whether the system keyring can be used at all, before it is offered.
pub fn works() -> Read<()> {
    let ask_system = || vault::works().map_err(trouble);
    system(CommandTimeout::silent(PATIENCE_TO_LOOK)).map_or_else(ask_system, |keyring| keyring.works())
}

/// The name under which a key stands where entries have no service beside their account.
fn name(owner: KeyOwner<'_>) -> String {
    format!("lode/{}", account(owner))
}

fn text(kept: &[u8]) -> Read<SecretString> {
    let text = String::from_utf8(kept.to_vec()).map_err(|_| problem("the keyring entry of lode is not text"))?;
    Ok(SecretString::from(text.trim_end().to_owned()))
}

fn nothing(owner: KeyOwner<'_>) -> ConfigProblem {
    problem(format!("the system keyring holds no {} key for {}", owner.source.title(), owner.origin))
}

fn trouble(error: std::io::Error) -> ConfigProblem {
    ConfigProblem { keyring_fails: true, ..problem(format!("the system keyring cannot be used: {error}")) }
}

impl Keyring<'_> {
    /// Runs the program with what it takes on this system.
    fn run(&self, mac: &[&str], linux: &[&str], input: Option<SecretSlice<u8>>) -> Ran {
        let mut command = Command::new(&self.program);
        command.args(if MAC { mac } else { linux });
        run(command, input, self.timeout)
    }

    fn read(&self, owner: KeyOwner<'_>) -> Read<SecretString> {
        let account = account(owner);
        let mac = ["find-generic-password", "-s", "lode", "-a", &account, "-w"];
        match self.run(&mac, &["lookup", "service", "lode", "account", &account], None) {
            Ran::Done { code: Some(0), out, .. } if !out.expose_secret().is_empty() => text(out.expose_secret()),
            // Nothing found is a silent failure of secret-tool and code 44 of security; a refusal says something.
            Ran::Done { code: Some(44), .. } | Ran::Done { complained: false, .. } => Err(nothing(owner)),
            other => Err(self.refusal(&other)),
        }
    }

    fn write(&self, owner: KeyOwner<'_>, key: &SecretString) -> Read<()> {
        let account = account(owner);
        let label = format!("lode: {} {} key", owner.profile, owner.source.title());
        let input = if MAC {
            format!("add-generic-password -U -s lode -a {} -w {}\n", quoted(&account), quoted(key.expose_secret()))
        } else {
            key.expose_secret().to_owned()
        };
        let input = SecretSlice::from(input.into_bytes());
        let linux = ["store", "--label", &label, "service", "lode", "account", &account];
        match self.run(&["-i"], &linux, Some(input)) {
            // What cannot be read back was not kept.
            Ran::Done { code: Some(0), .. } => match self.read(owner) {
                Ok(kept) if kept.expose_secret() == key.expose_secret() => Ok(()),
                _ => Err(problem("the system keyring stored the key but does not return it")),
            },
            other => Err(self.refusal(&other)),
        }
    }

    fn remove(&self, owner: KeyOwner<'_>) -> Read<()> {
        let account = account(owner);
        let mac = ["delete-generic-password", "-s", "lode", "-a", &account];
        match self.run(&mac, &["clear", "service", "lode", "account", &account], None) {
            Ran::Done { code: Some(0 | 44), .. } | Ran::Done { complained: false, .. } => Ok(()),
            other => Err(self.refusal(&other)),
        }
    }

    /// Asks for an entry that does not exist: a keyring that answers "no" works.
    fn works(&self) -> Read<()> {
        match self.run(&["default-keychain"], &["lookup", "service", "lode", "account", "missing"], None) {
            Ran::Done { code: Some(0), .. } | Ran::Done { complained: false, .. } => Ok(()),
            other => Err(self.refusal(&other)),
        }
    }

    fn refusal(&self, ran: &Ran) -> ConfigProblem {
        let program = vault::PROGRAM.unwrap_or_default();
        let most = self.timeout.most.as_secs();
        let words = match ran {
            Ran::NotStarted(error) if error.kind() == std::io::ErrorKind::NotFound => {
                format!("this system has no keyring that lode can use: `{program}` is not installed")
            }
            Ran::NotStarted(error) => format!("`{program}` could not be started: {error}"),
            Ran::TooSlow => format!("the system keyring is locked: it did not answer within {most} seconds"),
            Ran::Done { code, .. } => {
                let code = code.map_or_else(String::new, |code| format!(" ({program} exit code {code})"));
                format!("the system keyring refused or is not running{code}")
            }
        };
        ConfigProblem { keyring_fails: true, ..problem(words) }
    }
}

fn problem(words: impl Into<String>) -> ConfigProblem {
    let other_ways = "a command that prints it, or a private file";
    ConfigProblem::new(words, format!("run `lode` and type `:profiles` to store the key another way: {other_ways}"))
}

/// One word of the little language that `security -i` reads.
fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use lode_core::contact::Source;

    const PROGRAM: &str = vault::PROGRAM.unwrap();

    /// A keyring of its own, as `script` has it. Kept with its folder. The program is a link to a read-only one:
    /// an executable that was just written may be busy in another test's fork.
    fn keyring(script: &str) -> (Keyring<'static>, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let program = folder.path().join("tool");
        let runs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/data/as-script.sh");
        std::os::unix::fs::symlink(runs, &program).unwrap();
        std::fs::write(folder.path().join("script"), script).unwrap();
        (Keyring { program: program.into(), timeout: CommandTimeout::silent(Duration::from_secs(20)) }, folder)
    }

    fn owner(origin: &str) -> KeyOwner<'_> {
        KeyOwner { profile: "acme prod", source: Source::Workspace, origin }
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
        let absent = Keyring { program: "no-such-keyring-program".into(), timeout: CommandTimeout::silent(PATIENCE) };
        let words = |result: Read<()>| {
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
        locked.timeout = CommandTimeout::silent(Duration::from_millis(100));
        assert!(words(locked.works()).starts_with("the system keyring is locked: it did not answer"));
        let (forgetful, _folder) = keyring("cat > /dev/null; echo something else");
        let kept = forgetful.write(owner("https://api.example"), &key);
        assert_eq!(words(kept), "the system keyring stored the key but does not return it");
    }
}
