//! The installer with the archive of a release: it verifies before it writes, refuses what is wrong, and says what it
//! could not verify. The signatures are real; who checks them is in `minisign`.
#![allow(clippy::disallowed_methods)] // Starts processes and writes the files of a release.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::minisign::{self, Key};
use super::packaging::Desk;

const NAME: &str = "lode-9.8.7-some-linux-musl";

/// A release in a folder of a machine that has no toolchain: one archive, its sum, and the signature of the sum.
struct Release {
    desk: Desk,
}

impl Release {
    fn new() -> Release {
        Release::on(Desk::with(&[("minisign", &minisign::script())]))
    }

    fn on(desk: Desk) -> Release {
        let release = Release { desk };
        let inside = release.file(NAME);
        std::fs::create_dir_all(inside.join("man")).unwrap();
        std::fs::create_dir_all(inside.join("completions")).unwrap();
        let script = include_str!("../../../install.sh");
        for (file, text) in [("lode", "#!/bin/sh\necho lode 9.8.7\n"), ("install.sh", script), ("man/lode.1", "page")] {
            std::fs::write(inside.join(file), text).unwrap();
        }
        for file in [
            "completions/lode.bash", "completions/_lode", "completions/lode.fish", "LICENSE", "LICENSE-APACHE",
            "LICENSE-MIT", "THIRD-PARTY.txt",
        ] {
            std::fs::write(inside.join(file), file).unwrap();
        }
        release.run("tar", &["-czf", &format!("{NAME}.tar.gz"), NAME]);
        release.sum();
        Key::of(1).sign(&release.file("SHA256SUMS"), "lode 9.8.7");
        release
    }

    fn file(&self, name: &str) -> PathBuf {
        self.desk.path("release").join(name)
    }

    fn archive(&self) -> PathBuf {
        self.file(&format!("{NAME}.tar.gz"))
    }

    fn run(&self, program: &str, arguments: &[&str]) -> Vec<u8> {
        let ran = Command::new(program).args(arguments).current_dir(self.desk.path("release")).output().unwrap();
        assert!(ran.status.success(), "{program}: {}", String::from_utf8_lossy(&ran.stderr));
        ran.stdout
    }

    fn sum(&self) {
        let sums = self.run("sha256sum", &[&format!("{NAME}.tar.gz")]);
        std::fs::write(self.file("SHA256SUMS"), sums).unwrap();
    }

    fn install(&self, more: &[&str]) -> (bool, String) {
        let (archive, key) = (self.archive(), Key::of(1).public());
        let given = ["--archive", archive.to_str().unwrap(), "--key", &key];
        self.desk.install(&[&given, more].concat())
    }

    /// Nothing of it is written, not even with `--unverified`.
    fn is_refused(&self, sentence: &str) {
        for more in [&[][..], &["--unverified"]] {
            let (done, words) = self.install(more);
            assert!(!done && words.contains(sentence) && words.contains("hint: "), "{words}");
            assert!(!self.desk.path("home").exists(), "{words}");
        }
    }

    /// Nothing is written, but with `--unverified` it is, and the same sentence says what was not verified.
    fn needs_a_word(&self, sentence: &str) {
        let (done, words) = self.install(&[]);
        assert!(!done && words.contains(sentence) && words.contains("--unverified"), "{words}");
        assert!(!self.desk.path("home").exists(), "{words}");
        let (done, words) = self.install(&["--unverified"]);
        assert!(done && words.contains(&format!("not verified: {sentence}")), "{words}");
        assert!(self.desk.path("home/.local/bin/lode").exists());
    }
}

fn change(file: &Path, change: impl FnOnce(&mut Vec<u8>)) {
    let mut bytes = std::fs::read(file).unwrap();
    change(&mut bytes);
    std::fs::write(file, bytes).unwrap();
}

#[test]
fn a_signed_archive_is_installed_and_says_what_was_verified() {
    let release = Release::new();
    let (done, words) = release.install(&[]);
    assert!(done && words.contains("lode 9.8.7") && !words.contains("not verified"), "{words}");
    assert!(words.contains(&format!("is by the key {}", Key::of(1).public())), "{words}");
    assert!(words.contains(&format!("The sum of {NAME}.tar.gz is the one in SHA256SUMS")), "{words}");
    assert!(release.desk.path("home/.local/share/man/man1/lode.1").exists());
    let (done, words) = release.desk.install(&["--remove"]);
    assert!(done && !release.desk.path("home/.local/bin/lode").exists(), "{words}");
}

/// What is installed comes from the archive that was verified, not from the unpacked files, which may be others.
#[test]
fn an_unpacked_archive_is_installed_from_the_file_beside_it() {
    let release = Release::new();
    std::fs::write(release.file(NAME).join("lode"), "#!/bin/sh\necho another program\n").unwrap();
    let script = release.file(NAME).join("install.sh");
    let key = Key::of(1).public();
    let install = |more: &[&str]| release.desk.run(&script, &[&["--key", &key], more].concat());
    let (done, words) = install(&[]);
    assert!(done && words.contains("lode 9.8.7") && !words.contains("another program"), "{words}");
    assert!(release.desk.install(&["--remove"]).0);
    std::fs::remove_file(release.archive()).unwrap();
    let (done, words) = install(&[]);
    assert!(!done && words.contains("the archive of these files is not beside their folder"), "{words}");
    assert!(!release.desk.path("home/.local/bin/lode").exists(), "{words}");
    assert!(install(&["--unverified"]).0);
}

#[test]
fn a_wrong_signature_is_refused() {
    let release = Release::new();
    let signature = release.file("SHA256SUMS.minisig");
    let other = release.file("other");
    std::fs::write(&other, "another text").unwrap();
    Key::of(1).sign(&other, "lode 9.8.7");
    std::fs::rename(release.file("other.minisig"), &signature).unwrap();
    release.is_refused("not signed by the key of lode");
    // The comment is signed as well: another version's name on this signature is noticed.
    Key::of(1).sign(&release.file("SHA256SUMS"), "lode 9.8.7");
    let text = std::fs::read_to_string(&signature).unwrap().replace("lode 9.8.7", "lode 9.8.8");
    std::fs::write(&signature, text).unwrap();
    release.is_refused("not signed by the key of lode");
    std::fs::write(&signature, "no signature\n").unwrap();
    release.is_refused("not signed by the key of lode");
}

#[test]
fn a_wrong_key_is_refused() {
    let release = Release::new();
    Key::of(2).sign(&release.file("SHA256SUMS"), "lode 9.8.7");
    release.is_refused("not signed by the key of lode");
}

#[test]
fn a_missing_signature_is_refused_and_accepted_only_by_a_flag() {
    let release = Release::new();
    std::fs::remove_file(release.file("SHA256SUMS.minisig")).unwrap();
    release.needs_a_word("SHA256SUMS has no signature");
    let release = Release::new();
    std::fs::remove_file(release.file("SHA256SUMS")).unwrap();
    release.needs_a_word("there is no SHA256SUMS beside");
}

#[test]
fn a_truncated_or_changed_archive_is_refused() {
    let release = Release::new();
    change(&release.archive(), |bytes| bytes.truncate(bytes.len() - 1));
    release.is_refused("its sum differs");
    let release = Release::new();
    change(&release.archive(), |bytes| bytes[9] ^= 1);
    release.is_refused("its sum differs");
    let release = Release::new();
    std::fs::remove_file(release.archive()).unwrap();
    release.is_refused("cannot be read");
}

#[test]
fn a_replaced_checksum_file_is_refused() {
    let release = Release::new();
    change(&release.archive(), |bytes| bytes.push(0));
    release.sum();
    release.is_refused("not signed by the key of lode");
    // One that is signed, but for other files.
    let release = Release::new();
    std::fs::write(release.file("SHA256SUMS"), format!("{}  lode-9.8.6-other.tar.gz\n", "a1".repeat(32))).unwrap();
    Key::of(1).sign(&release.file("SHA256SUMS"), "lode 9.8.6");
    release.is_refused("SHA256SUMS does not name");
}

#[test]
fn a_machine_without_minisign_or_a_script_without_a_key_says_so() {
    Release::on(Desk::with(&[])).needs_a_word("nothing here can check the signature");
    let release = Release::new();
    let archive = release.archive();
    let (done, words) = release.desk.install(&["--archive", archive.to_str().unwrap()]);
    let empty = include_str!("../../../install.sh").contains("\nkey=\n");
    assert!(!done && (!empty || words.contains("names no key for the signature")), "{words}");
    assert!(!release.desk.path("home").exists());
}

#[test]
fn rsign_checks_the_signature_where_minisign_is_missing() {
    let script = format!("set -- -V \"$2\" \"$3\" \"$4\" \"$5\" -m \"$6\"\n{}", minisign::script());
    let machine = || Desk::with(&[("rsign", &script)]);
    assert!(Release::on(machine()).install(&[]).0);
    let release = Release::on(machine());
    Key::of(2).sign(&release.file("SHA256SUMS"), "lode 9.8.7");
    release.is_refused("not signed by the key of lode");
}

/// A key is in both places or in none, and then the page says so.
#[test]
fn the_page_on_security_names_the_key_of_the_installer() {
    let (script, page) = (include_str!("../../../install.sh"), include_str!("../../../SECURITY.md"));
    let key = script.lines().find_map(|line| line.strip_prefix("key=")).unwrap();
    assert_eq!(key.is_empty(), page.contains("no release has been signed"));
    assert!(page.contains(key) && page.contains("minisign -Vm SHA256SUMS -P"), "{key}");
}
