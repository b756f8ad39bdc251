//! Keys that others keep: a keyring that works, is locked for a while, refuses or is not there, and commands that print.

use common::asking::Small;
use std::path::Path;
use std::process::Command;

use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::ServiceSetup;

use common::terminal::{Terminal, lode};

/// Like `secret-tool`: attributes as arguments, the secret through pipes, kept beside the program.
const WORKS: &str = r#"
case "$1" in
store) shift 3; cat > "$here/kept-$(echo "$*" | tr ' /:' '___')" ;;
lookup) shift; cat "$here/kept-$(echo "$*" | tr ' /:' '___')" 2> /dev/null || exit 1 ;;
clear) shift; rm -f "$here/kept-$(echo "$*" | tr ' /:' '___')" ;;
esac"#;

/// A home with a keyring's program of its own.
struct Home {
    folder: tempfile::TempDir,
    sandbox: Sandbox,
}

impl Home {
    fn new(script: &str) -> Home {
        let sandbox =
            Sandbox::start(SandboxSettings { setup: ServiceSetup::small(), ..SandboxSettings::default() }).unwrap();
        let home = Home { folder: common::folder(), sandbox };
        let bin = home.path().join("bin");
        std::fs::create_dir(&bin).unwrap();
        let runs = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/as-script.sh");
        std::os::unix::fs::symlink(runs, bin.join("secret-tool")).unwrap();
        home.keyring(script);
        home
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn keyring(&self, script: &str) {
        std::fs::write(self.path().join("bin/script"), script).unwrap();
    }

    fn window(&self) -> Terminal {
        let mut command = lode(self.path(), &[]);
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path().join("bin").display()));
        Terminal::start(command, 110, 34)
    }

    /// What `lode me` ends with and complains of.
    fn me(&self) -> (Option<i32>, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_lode"));
        command.args(["me", "--json"]).env_clear().env("HOME", self.path());
        command.env("PATH", format!("{}:/usr/bin:/bin", self.path().join("bin").display()));
        command.env("LODE_STATE_DIR", self.path().join("state")).env("LODE_RUNTIME_DIR", self.path().join("runtime"));
        command.env("LODE_CONFIG_DIR", self.path().join("config"));
        let output = command.output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    }

    #[track_caller]
    fn me_fails(&self, sentence: &str) {
        let (code, said) = self.me();
        assert_eq!(code, Some(4), "{said}");
        assert!(said.contains(sentence) && said.contains("hint"), "{said}");
        assert!(!said.contains(&self.sandbox.workspace_key), "{said}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_keyring_keeps_the_key_and_its_troubles_are_told_apart() {
    let home = Home::new(WORKS);
    let key = home.sandbox.workspace_key.clone();
    let mut terminal = home.window();
    terminal.wait_for("Welcome to lode");
    terminal.send("a\r");
    terminal.wait_for("URL of the service");
    terminal.send(&format!("{}\r", home.sandbox.workspace_url));
    terminal.wait_for("API key (hidden; you can paste)");
    terminal.send(&format!("\x1b[200~{key}\x1b[201~"));
    terminal.wait_for(" characters");
    terminal.send("\r");
    terminal.wait_for("▌ t  the system keyring");
    terminal.send("\r");
    terminal.wait_for("A name for this profile");
    terminal.send("\x15acme\r");
    terminal.wait_for("Maximum credits per session");
    terminal.send("\r");
    terminal.wait_for("Maximum credits in any 24 hours");
    terminal.send("\r");
    terminal.wait_for("acme ● sandbox");
    terminal.wait_for("page 1/");
    assert!(!terminal.screen().contains("PRIVATE FILE"), "nothing stands in the header:\n{}", terminal.screen());
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    let config = std::fs::read_to_string(home.path().join("config/config.toml")).unwrap();
    assert!(config.contains("key = \"keyring\"") && !config.contains(&key), "{config}");
    assert_eq!(home.me().0, Some(0));

    // Locked until its owner has typed a password: why nothing happens is said, and then it goes on by itself.
    home.keyring(&format!("while [ ! -e \"$here/unlocked\" ]; do sleep 0.1; done\n{WORKS}"));
    let mut terminal = home.window();
    terminal.wait_for("Waiting for the system keyring, which may be asking for its password");
    std::fs::write(home.path().join("bin/unlocked"), "").unwrap();
    terminal.wait_for("page 1/");
    terminal.send("q");
    assert!(terminal.wait_exit().success());

    home.keyring("echo 'Cannot autolaunch D-Bus' >&2; exit 1");
    home.me_fails("the system keyring refused or is not running");
    let mut terminal = home.window();
    terminal.wait_for("The system keyring refused or is not running");
    // No newcomer: the profile is there, and can be tried again or given another key.
    terminal.wait_for("▌ a  acme [SANDBOX]  this window");
    assert!(!terminal.screen().contains("Welcome"), "{}", terminal.screen());
    home.keyring(WORKS);
    terminal.send("\r");
    terminal.wait_for("▌ u  Use it in this window");
    terminal.send("\r");
    terminal.wait_for("page 1/");
    terminal.send("q");
    assert!(terminal.wait_exit().success());
    home.keyring("exit 1");
    home.me_fails("the system keyring holds no Workspace key for http://127.0.0.1:");
    std::fs::remove_file(home.path().join("bin/secret-tool")).unwrap();
    home.me_fails("this system has no keyring that lode can use: `secret-tool` is not installed");
}

#[test]
fn a_key_command_has_a_sentence_for_each_of_its_troubles() {
    let home = Home::new(WORKS);
    let folder = home.path().join("config");
    std::fs::create_dir(&folder).unwrap();
    let prints = |line: &str| {
        let url = &home.sandbox.workspace_url;
        let table = format!("[profiles.acme.workspace]\nurl = \"{url}\"\nkey = {{ command = '''{line}''' }}\n");
        std::fs::write(folder.join("config.toml"), table).unwrap();
    };
    let key = &home.sandbox.workspace_key;
    prints(&format!("printf '{key}\\r\\n\\nuser: me\\n'"));
    assert_eq!(home.me(), (Some(0), String::new()), "a newline and what follows it are not the key");
    prints(&format!("echo {key}; exit 3"));
    home.me_fails("the key command failed with exit code 3");
    prints("echo");
    home.me_fails("the key command printed nothing on its first line");
    prints("no-such-program-here");
    home.me_fails("the key command failed with exit code 127");
}
