//! What packaging/release.sh hands out, and packaging/rebuild.sh, which builds it once more and compares. What compiles
//! is left to cargo: here it hands over a program that is there, with a sum of one source file in it.
#![allow(clippy::disallowed_methods)] // Starts processes and reads their files.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use tempfile::TempDir;

use super::minisign::{self, Key};

pub(super) const VERSION: &str = env!("CARGO_PKG_VERSION");
const TARGET: &str = "one-linux-musl";

pub(super) struct Workshop {
    folder: TempDir,
}

impl Workshop {
    pub(super) fn new() -> Workshop {
        let workshop = Workshop { folder: common::folder() };
        std::fs::create_dir(workshop.path("bin")).unwrap();
        workshop.program("lode", r#"case $1 in --help) printf 'Commands:\n  search  x\n\n' ;; *) echo "$@" ;; esac"#);
        workshop.program(
            "cargo",
            r#"[ "$1" != cyclonedx ] || { printf '"serialNumber": 1\nin %s\n' "$PWD" >"$9.json"; exit; }
first=$1
while [ $# -gt 0 ]; do case $1 in --target) t=$2 ;; --target-dir) d=$2 ;; esac; shift; done
mkdir -p "$d/$t/dist" && { cat "$(dirname "$0")/lode"; echo ": $first $TZ $LC_ALL $(sha256sum <src/lib.rs)"; } >"$d/$t/dist/lode"
chmod +x "$d/$t/dist/lode"
[ -z "$TRY_LEAK" ] || (eval "echo : $TRY_LEAK") >>"$d/$t/dist/lode"
[ -z "$TRY_C" ] || { unpacked=$CARGO_HOME/registry/src && mkdir -p "$unpacked" && cd "$unpacked" && echo 'int one;' >one.c
cc -g $CFLAGS -c one.c -o "$d/one.o" && echo ": $(sha256sum <"$d/one.o")" >>"$d/$t/dist/lode"; }"#,
        );
        workshop.program("minisign", &minisign::script());
        // Who reads the list in a binary has a test of its own: `inside`.
        workshop.program("python3", "");
        workshop
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(super) fn program(&self, name: &str, script: &str) {
        let path = self.path("bin").join(name);
        std::fs::write(&path, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
    }

    /// A clean clone in a folder of this name.
    fn cloned(&self, folder: &str) -> PathBuf {
        let source = self.path(folder);
        let cloned =
            Command::new("git").args(["clone", "-q", "--shared", env!("CARGO_MANIFEST_DIR")]).arg(&source).status();
        assert!(cloned.unwrap().success());
        source
    }

    /// A clone with one more commit, in which a file reads otherwise; it is as old as the commit before it.
    pub(super) fn changed(&self, folder: &str, file: &str, now: &str, then: &str) -> PathBuf {
        let source = self.cloned(folder);
        let text = std::fs::read_to_string(source.join(file)).unwrap();
        assert!(text.contains(now), "{file} has no {now}");
        std::fs::write(source.join(file), text.replacen(now, then, 1)).unwrap();
        let date = output(Command::new("git").args(["log", "-1", "--format=%cI"]).current_dir(&source)).1;
        let who = ["-c", "user.name=one", "-c", "user.email=one@example.com", "commit", "-qam", "Change"];
        let mut commit = Command::new("git");
        commit.args(who).current_dir(&source).env("GIT_COMMITTER_DATE", date.trim());
        assert!(output(&mut commit).0);
        source
    }

    /// One of the scripts, on this machine: a command without any variable that its user may have set.
    pub(super) fn script(&self, source: &Path, name: &str) -> Command {
        let mut command = Command::new("bash");
        command.arg(source.join(name)).env("LODE_WITHOUT_SBOM", "1");
        command.env("PATH", format!("{}:{}", self.path("bin").display(), std::env::var("PATH").unwrap()));
        for variable in [
            "LODE_HOME", "LODE_SIGNING_KEY", "LODE_BUILDER", "BUILD_PROFILE", "TAG", "TRY_C", "TRY_LEAK", "TAP",
            "BUCKET", "AUR",
        ] {
            command.env_remove(variable);
        }
        command.env("CARGO_TARGET_DIR", source.with_extension("target")).env("CROSS_HOME", self.path("cross"));
        command.env("TMPDIR", self.folder.path());
        command
    }

    /// A release of a clone, and what was said about it.
    fn release(&self, source: &Path, targets: &[&str], variables: &[(&str, &str)]) -> (bool, String, PathBuf) {
        let out = PathBuf::from(format!("{} out", source.display()));
        let mut command = self.script(source, "packaging/release.sh");
        let (done, said) = output(command.arg(&out).args(targets).envs(variables.iter().copied()));
        (done, said, out)
    }
}

/// Whether it ended well, and all that it printed.
pub(super) fn output(command: &mut Command) -> (bool, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.success(), format!("{}{}", String::from_utf8_lossy(&stdout), String::from_utf8_lossy(&stderr)))
}

fn archive(out: &Path, target: &str) -> PathBuf {
    out.join(format!("lode-{VERSION}-{target}.tar.gz"))
}

/// The archives hold what was committed and nothing of the folder, the clock or the user.
#[test]
fn a_release_has_the_same_bytes_from_two_folders() {
    let workshop = Workshop::new();
    let release = |folder: &str| {
        let (done, said, out) = workshop.release(&workshop.cloned(folder), &[TARGET, "two-apple-darwin"], &[]);
        assert!(done && said.contains("no signature, as LODE_SIGNING_KEY names no key"), "{said}");
        assert!(!out.join("SHA256SUMS.minisig").exists());
        assert!(!out.join("manifests").exists(), "no home, no manifest that would name one");
        (std::fs::read_to_string(out.join("SHA256SUMS")).unwrap(), out)
    };
    let (sums, out) = release("here");
    assert_eq!(sums.lines().count(), 4, "{sums}");
    assert_eq!(release("deep-below-there").0, sums);
    let archive = archive(&out, TARGET);
    let (_, listed) = output(Command::new("tar").arg("-tzf").arg(&archive));
    for file in [
        "lode", "man/lode.1", "man/lode-search.1", "completions/lode.nu", "completions/lode.ps1", "THIRD-PARTY.txt",
        "install.sh",
    ] {
        assert!(listed.contains(&format!("lode-{VERSION}-{TARGET}/{file}\n")), "{file}: {listed}");
    }

    // The provenance says which bytes came from which commit.
    let told = out.join(format!("lode-{VERSION}-{TARGET}.provenance.json"));
    let told: Value = serde_json::from_str(&std::fs::read_to_string(told).unwrap()).unwrap();
    let (_, head) = output(Command::new("git").args(["rev-parse", "HEAD"]).current_dir(workshop.path("here")));
    let sum = told["subject"][0]["digest"]["sha256"].as_str().unwrap();
    assert!(sums.contains(&format!("{sum}  lode-{VERSION}-{TARGET}.tar.gz\n")), "{told} {sums}");
    assert_eq!(told["_type"], "https://in-toto.io/Statement/v1");
    assert_eq!(told["predicateType"], "https://slsa.dev/provenance/v1");
    let built = &told["predicate"]["buildDefinition"];
    assert_eq!(built["resolvedDependencies"][0]["digest"]["gitCommit"], head.trim());
    assert!(built["internalParameters"]["rustc"].as_str().unwrap().starts_with("rustc 1."), "{told}");
    assert_eq!(told["predicate"]["runDetails"]["builder"]["id"], "urn:lode:by-hand");

    // The installer of the archive puts what lies beside it, with no toolchain, and takes it away again.
    assert!(Command::new("tar").arg("-xzf").arg(&archive).arg("-C").arg(workshop.path("")).status().unwrap().success());
    let prefix = workshop.path("prefix");
    let install = |more: &[&str]| {
        let mut command = Command::new("sh");
        command.arg(workshop.path(&format!("lode-{VERSION}-{TARGET}/install.sh"))).arg("--prefix").arg(&prefix);
        let (done, said) = output(command.arg("--unverified").args(more).env("HOME", workshop.path("")));
        assert!(done, "{said}");
    };
    let files = ["bin/lode", "share/man/man1/lode-search.1", "share/fish/vendor_completions.d/lode.fish"];
    install(&[]);
    files.iter().for_each(|file| assert!(prefix.join(file).exists(), "{file}"));
    install(&["--remove"]);
    files.iter().for_each(|file| assert!(!prefix.join(file).exists(), "{file}"));
}

/// A signed release is one that its own installer takes; the lists of what is inside are made by tools that are
/// installed.
#[test]
fn a_release_is_signed_by_the_key_that_its_installer_names() {
    let workshop = Workshop::new();
    workshop.program("cargo-auditable", "");
    workshop.program("cargo-cyclonedx", "");
    let (key, other) = (workshop.path("one.key"), workshop.path("two.key"));
    std::fs::write(&key, "1").unwrap();
    std::fs::write(&other, "2").unwrap();
    let signed = [("LODE_SIGNING_KEY", key.to_str().unwrap()), ("LODE_WITHOUT_SBOM", "")];
    let installer = include_str!("../../../install.sh");
    let line = installer.lines().find(|line| line.starts_with("key=")).unwrap();
    let none = workshop.changed("none", "install.sh", line, "key= # none");
    let (done, said, out) = workshop.release(&none, &[TARGET], &signed);
    assert!(!done && !out.join("SHA256SUMS.minisig").exists(), "{said}");

    let public = Key::of(1).public();
    let source = workshop.changed("lode", "install.sh", line, &format!("key={public}"));
    let wrong = [("LODE_SIGNING_KEY", other.to_str().unwrap()), ("LODE_WITHOUT_SBOM", "")];
    let (done, said, out) = workshop.release(&source, &[TARGET], &wrong);
    assert!(!done && said.contains("install.sh names another key than LODE_SIGNING_KEY"), "{said}");
    assert!(!out.join("SHA256SUMS.minisig").exists(), "{said}");

    let (done, said, out) = workshop.release(&source, &[TARGET], &signed);
    assert!(done && !said.contains("no signature") && !said.contains("is not installed"), "{said}");
    let contents = std::fs::read_to_string(out.join(format!("lode-{VERSION}-{TARGET}.cdx.json"))).unwrap();
    assert_eq!(contents, "in /lode\n", "neither the number that is drawn nor the folder");
    let mut command = Command::new("sh");
    command.arg(source.join("install.sh")).arg("--archive").arg(archive(&out, TARGET));
    command.arg("--prefix").arg(workshop.path("prefix"));
    command.env("PATH", format!("{}:/usr/bin:/bin", workshop.path("bin").display()));
    let (done, said) = output(&mut command);
    assert!(done && said.contains(&format!("is by the key {public}")) && !said.contains("not verified"), "{said}");
    let lode = std::fs::read_to_string(workshop.path("prefix/bin/lode")).unwrap();
    assert!(lode.contains(": auditable UTC C "), "{lode}");

    // Archives of several machines are signed together, by the job that makes the draft.
    std::fs::remove_file(out.join("SHA256SUMS.minisig")).unwrap();
    workshop.program("gh", r#"echo "gh $@""#);
    let tag = format!("v{VERSION}");
    let draft = |tag: &str, secret: &str| {
        let mut command = workshop.script(&source, ".ci/draft");
        output(command.arg(&out).env("TAG", tag).env("SIGNING_SECRET", secret))
    };
    let (done, said) = draft("v0.0.0", "1");
    assert!(!done && said.contains("the tag is v0.0.0") && !said.contains("gh release"), "{said}");
    let (done, said) = draft(&tag, "2");
    assert!(!done && said.contains("install.sh names another key") && !said.contains("gh release"), "{said}");
    let (done, said) = draft(&tag, "1");
    assert!(done && said.contains(&format!("gh release create {tag} --draft --verify-tag")), "{said}");
    assert!(said.contains("/SHA256SUMS.minisig") && said.contains(".provenance.json"), "{said}");
    std::fs::remove_file(out.join("SHA256SUMS.minisig")).unwrap();
    let (done, said) = draft(&tag, "");
    assert!(done && said.contains("no signature") && said.contains("--draft"), "{said}");
}

#[test]
fn a_release_without_the_lists_of_what_is_inside_says_so_before_it_builds() {
    let workshop = Workshop::new();
    let (done, said, out) = workshop.release(&workshop.cloned("lode"), &[TARGET], &[("LODE_WITHOUT_SBOM", "")]);
    assert!(!done && said.contains("is not installed"), "{said}");
    assert!(!archive(&out, TARGET).exists(), "{said}");
}

/// The archives for Linux and Windows are built by pinned tools or not at all.
#[test]
fn a_release_for_linux_needs_the_pinned_tools() {
    let workshop = Workshop::new();
    let source = workshop.cloned("lode");
    let (done, said, out) = workshop.release(&source, &["x86_64-unknown-linux-musl"], &[]);
    assert!(!done && said.contains("run packaging/cross.sh setup first"), "{said}");
    assert!(!archive(&out, "x86_64-unknown-linux-musl").exists(), "{said}");

    // A Rust of the same version whose sums are others.
    let root = workshop.path("rust");
    let manifest = "lib/rustlib/multirust-channel-manifest.toml";
    std::fs::create_dir_all(root.join(manifest).parent().unwrap()).unwrap();
    std::fs::create_dir_all(workshop.path("cross/py/bin")).unwrap();
    workshop.program("rustup", "echo x86_64-unknown-linux-musl");
    workshop.program("rustc", &format!("case $* in *sysroot*) echo {} ;; *) echo rustc 9.9 ;; esac", root.display()));
    workshop.program("../cross/py/bin/python", "echo 0.0");
    let pinned = std::fs::read_to_string(source.join("packaging/pinned")).unwrap();
    let sums = |std: &str| {
        let sum = |name: &str| pinned.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim().to_string();
        let rustc = sum("rustc-x86_64-unknown-linux-gnu ");
        format!(
            "[pkg.rustc.target.x86_64-unknown-linux-gnu]\nxz_hash = \"{rustc}\"\n\n\
             [pkg.rust-std.target.x86_64-unknown-linux-musl]\nxz_hash = \"{std}\"\n"
        )
    };
    let tools = || {
        let mut command = workshop.script(&source, "packaging/cross.sh");
        output(command.args(["tools", "x86_64-unknown-linux-musl"]))
    };
    std::fs::write(root.join(manifest), sums(&"0".repeat(64))).unwrap();
    let (done, said) = tools();
    assert!(!done && said.contains("is not the one of packaging/pinned"), "{said}");
    let std = pinned.lines().find_map(|line| line.strip_prefix("rust-std-x86_64-unknown-linux-musl ")).unwrap();
    std::fs::write(root.join(manifest), sums(std)).unwrap();
    let (done, said) = tools();
    assert!(!done && said.contains("zig is not "), "{said}");
    let zig = pinned.lines().find_map(|line| line.strip_prefix("ziglang ")).unwrap().split(' ').next().unwrap();
    workshop.program("../cross/py/bin/python", &format!("echo {zig}"));
    let (done, said) = tools();
    assert!(done && said.starts_with(&format!("rustc 9.9\nzig {zig}\n")), "{said}");
}

#[test]
fn a_rebuilt_release_is_equal_or_says_what_differs() {
    let workshop = Workshop::new();
    let source = workshop.cloned("lode");
    let rebuild_with = |from: &Path, arguments: &[&str], leak: &str| {
        let mut command = workshop.script(from, "packaging/rebuild.sh");
        output(command.args(arguments).env("TZ", "America/St_Johns").env("TRY_LEAK", leak))
    };
    let rebuild = |from: &Path, arguments: &[&str]| rebuild_with(from, arguments, "");
    // Two clones, two homes, two time zones; what a C compiler writes down of its folder is the same as well.
    let mut twice = workshop.script(&source, "packaging/rebuild.sh");
    let (done, said) = output(twice.arg("HEAD").env("TRY_C", "1"));
    assert!(done && said.matches("equal: lode-").count() == 2 && !said.contains("differs"), "{said}");

    assert!(said.contains("built with: \"rustc\": \"rustc 1."), "{said}");
    // What a build writes down of its user, clock or folder is noticed.
    for leak in ["$(id -u)", "$HOME $USER $(date +%s%N)"] {
        let (done, said) = rebuild_with(&source, &["HEAD", TARGET], leak);
        let excused = leak == "$(id -u)" && said.contains("one user only");
        assert!(done == excused && (excused || said.contains("/lode differ")), "{leak}: {said}");
    }

    let (_, said, out) = workshop.release(&source, &[TARGET], &[]);
    let given = archive(&out, TARGET);
    let name = given.file_name().unwrap().to_string_lossy().into_owned();
    assert!(given.exists(), "{said}");
    let (done, said) = rebuild(&source, &["HEAD", given.to_str().unwrap()]);
    assert!(done && said.starts_with(&format!("equal: {name} ")), "{said}");

    // One byte of one source file, and nothing else.
    let other = workshop.changed("other", "src/lib.rs", "\n", " \n");
    let (done, said) = rebuild(&other, &["HEAD", given.to_str().unwrap()]);
    let folder = format!("lode-{VERSION}-{TARGET}");
    assert!(!done && said.contains(&format!("differs: {name}\n")), "{said}");
    assert!(said.contains(&format!("Files given/{folder}/lode and rebuilt/{folder}/lode differ")), "{said}");
    assert_eq!(said.matches("  Files ").count(), 1, "{said}");
    // The commit before it is still the one that was handed out.
    let (done, said) = rebuild(&other, &["HEAD~1", given.to_str().unwrap()]);
    assert!(done && said.starts_with("equal: "), "{said}");

    // Other tools are named, if the provenance is at hand.
    let told = out.join(format!("{folder}.provenance.json"));
    let text = std::fs::read_to_string(&told).unwrap().replace("\"rustc 1.", "\"rustc 0.");
    std::fs::write(&told, text).unwrap();
    let (done, said) = rebuild(&other, &["HEAD", given.to_str().unwrap()]);
    assert!(!done && said.contains("\"rustc 0.") && said.contains("\"rustc 1."), "{said}");

    std::fs::write(&given, &std::fs::read(&given).unwrap()[..99]).unwrap();
    let (done, said) = rebuild(&source, &["HEAD", given.to_str().unwrap()]);
    assert!(!done && said.contains("it cannot be unpacked"), "{said}");
    let (done, said) = rebuild(&source, &["9.9.9"]);
    assert!(!done && said.contains("9.9.9 is neither a version with a tag nor a commit"), "{said}");
}
