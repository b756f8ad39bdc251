//! The installer as a person runs it: what it checks before it builds, what it puts where, and that it takes it away again.
//! Building itself is what runs this test, so the `cargo` of these tests hands over the binary that is there.
#![allow(clippy::disallowed_methods)] // Starts processes and reads their files.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

pub(super) struct Desk {
    folder: TempDir,
}

impl Desk {
    /// A machine on which these programs are, each with the script that it is.
    pub(super) fn with(programs: &[(&str, &str)]) -> Desk {
        let desk = Desk { folder: common::folder() };
        std::fs::create_dir(desk.path("bin")).unwrap();
        for tool in
            ["dirname", "basename", "sed", "cut", "printf", "sort", "head", "mkdir", "mktemp", "rm", "rmdir", "awk"]
        {
            desk.link(tool);
        }
        ["cp", "chmod", "mv", "ln", "tar", "gzip", "sha256sum"].into_iter().for_each(|tool| desk.link(tool));
        for (name, script) in programs {
            let path = desk.path("bin").join(name);
            std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        desk
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn link(&self, tool: &str) {
        let found =
            ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(tool)).into_iter().find(|path| path.exists());
        std::os::unix::fs::symlink(found.unwrap(), self.path("bin").join(tool)).unwrap();
    }

    pub(super) fn install(&self, arguments: &[&str]) -> (bool, String) {
        self.run(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/install.sh")), arguments)
    }

    /// An installer, such as the one of an archive, on this machine.
    pub(super) fn run(&self, script: &Path, arguments: &[&str]) -> (bool, String) {
        let mut command = Command::new("/bin/sh");
        command.arg(script).args(arguments).env_clear();
        command.env("PATH", self.path("bin")).env("HOME", self.path("home"));
        command.env("CARGO_TARGET_DIR", self.path("target")).env("LODE_BUILT", env!("CARGO_BIN_EXE_lode"));
        let Output { status, stdout, stderr } = command.output().unwrap();
        (status.success(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
    }
}

const RUSTC: (&str, &str) = ("rustc", "echo 'rustc 1.99.0 (abcdef 2027-01-01)'");
const CC: (&str, &str) = ("cc", "exit 0");
const CARGO: (&str, &str) = (
    "cargo",
    r#"[ "$*" = "build --profile dist --locked" ] || exit 64
mkdir -p "$CARGO_TARGET_DIR/dist" && ln -sf "$LODE_BUILT" "$CARGO_TARGET_DIR/dist/lode""#,
);

#[test]
fn it_puts_the_program_its_pages_and_completions_and_takes_them_away_again() {
    let desk = Desk::with(&[RUSTC, CC, CARGO]);
    let (done, words) = desk.install(&[]);
    assert!(done && words.contains("lode demo"), "{words}");
    let home = desk.path("home/.local");
    for file in [
        "bin/lode",
        "share/man/man1/lode.1",
        "share/man/man1/lode-unlock.1",
        "share/bash-completion/completions/lode",
        "share/zsh/site-functions/_lode",
        "share/fish/vendor_completions.d/lode.fish",
        "share/doc/lode/LICENSE",
        "share/doc/lode/LICENSE-APACHE",
        "share/doc/lode/LICENSE-MIT",
        "share/doc/lode/THIRD-PARTY.txt",
    ] {
        assert!(std::fs::metadata(home.join(file)).is_ok_and(|about| about.len() > 0), "{file}: {words}");
    }
    let version = Command::new(home.join("bin/lode")).arg("--version").output().unwrap();
    assert!(version.status.success() && version.stdout.starts_with(b"lode "));
    // Once more over what is there, then away with it.
    assert!(desk.install(&[]).0);
    std::fs::write(home.join("share/other"), "another program's").unwrap();
    let (done, words) = desk.install(&["--remove"]);
    assert!(done, "{words}");
    assert!(!home.join("bin/lode").exists() && !home.join("share/man/man1/lode.1").exists());
    assert!(home.join("share/other").exists() && !home.join("share/doc/lode").exists());
    assert!(!desk.install(&["--remove"]).0, "there is nothing left to remove");
}

#[test]
fn another_prefix_is_taken() {
    let desk = Desk::with(&[RUSTC, CC, CARGO]);
    let prefix = desk.path("elsewhere");
    let (done, words) = desk.install(&["--prefix", prefix.to_str().unwrap()]);
    assert!(done && prefix.join("bin/lode").exists() && !desk.path("home").exists(), "{words}");
}

#[test]
fn what_is_missing_is_said_before_anything_is_built() {
    let old = ("rustc", "echo 'rustc 1.60.0 (abcdef 2022-04-04)'");
    let never = ("cargo", "echo built >&2; exit 1");
    for (programs, sentence) in [
        (&[CC][..], "there is no Rust toolchain"),
        (&[RUSTC, never], "there is no C compiler"),
        (&[old, CC, never], "Rust 1.60.0 is too old; lode needs"),
    ] {
        let desk = Desk::with(programs);
        let (done, words) = desk.install(&[]);
        assert!(!done && words.contains(sentence) && words.contains("hint: "), "{words}");
        assert!(!words.contains("built"), "{words}");
    }
    let desk = Desk::with(&[RUSTC, CC, never]);
    std::fs::write(desk.path("file"), "").unwrap();
    let (done, words) = desk.install(&["--prefix", desk.path("file").to_str().unwrap()]);
    assert!(!done && words.contains("cannot be written"), "{words}");
    let (done, words) = desk.install(&["--perfix", "x"]);
    assert!(!done && words.contains("--perfix is not known here"), "{words}");
}

/// The manifests of package managers name one version and one home, and only archives that are there.
#[test]
fn manifests_are_filled_from_one_version_and_one_home() {
    let folder = common::folder();
    let linux = "lode-9.8.7-x86_64-unknown-linux-musl.tar.gz";
    let arm = "lode-9.8.7-aarch64-unknown-linux-musl.tar.gz";
    let windows = "lode-9.8.7-x86_64-pc-windows-gnu.zip";
    std::fs::write(
        folder.path().join("SHA256SUMS"),
        format!("{}  {linux}\n{}  {arm}\n{}  {windows}\n", "a1".repeat(32), "c3".repeat(32), "b2".repeat(32)),
    )
    .unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/manifests.sh");
    let ran =
        Command::new("bash").arg(script).args(["9.8.7", "https://home.example/lode/"]).arg(folder.path()).output();
    let ran = ran.unwrap();
    let said = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert!(ran.status.success(), "{said}");
    let read = |name: &str| std::fs::read_to_string(folder.path().join("manifests").join(name));
    for (name, address, sum) in [
        ("PKGBUILD", "$url/releases", "a1"),
        ("scoop-lode.json", windows, "b2"),
        ("winget.installer.yaml", windows, "b2"),
    ] {
        let text = read(name).unwrap();
        assert!(text.contains(address) && text.contains(&sum.repeat(32)), "{name}: {text}");
        assert!(
            text.contains("https://home.example/lode/releases") || text.contains("url=\"https://home.example/lode\""),
            "{text}"
        );
        assert!(text.contains("9.8.7") && !text.contains('@'), "{name}: {text}");
    }
    serde_json::from_str::<serde_json::Value>(&read("scoop-lode.json").unwrap()).unwrap();
    assert!(
        read("lode.rb").is_err() && said.contains("no lode.rb, as there is no lode-9.8.7-aarch64-apple-darwin"),
        "{said}"
    );
}
