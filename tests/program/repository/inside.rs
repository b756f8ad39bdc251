//! packaging/inside.py, which reads the list of crates that a release binary carries. Building one takes cargo-auditable, so
//! here a program of these tests is given a list.
#![allow(clippy::disallowed_methods)] // Starts processes and reads their files.

use std::process::Command;

use tempfile::TempDir;

use super::licences::host;
use super::releasing::output;

/// A program in which the list of lode is, as cargo-auditable writes it; `change` is Python that changes `packages`.
fn with_list(folder: &TempDir, change: &str) -> String {
    let (list, binary) = (folder.path().join("list"), folder.path().join("lode"));
    let script = format!(
        r#"import json, re, subprocess, sys, zlib
tree = ["cargo", "tree", "--locked", "--package", "lode-prospect", "--target", "{}", "--prefix", "none", "--format", "{{p}}"]
lines = subprocess.run(tree + ["--edges", "normal,build"], check=True, stdout=subprocess.PIPE, text=True).stdout.split("\n")
found = sorted({{tuple(line.split(" ")[:2]) for line in lines if line}})
packages = [{{"name": name, "version": version[1:], "source": "local"}} for name, version in found]
{change}
open(sys.argv[1], "wb").write(zlib.compress(json.dumps({{"packages": packages}}, separators=(",", ":")).encode()))"#,
        host()
    );
    let mut python = Command::new("python3");
    python.args(["-c", &script]).arg(&list).current_dir(env!("CARGO_MANIFEST_DIR"));
    let (done, said) = output(&mut python);
    assert!(done, "{said}");
    let section = format!(".dep-v0={}", list.display());
    let copied = Command::new("objcopy").args(["--add-section", &section, "/bin/sh"]).arg(&binary).status();
    assert!(copied.unwrap().success());
    binary.display().to_string()
}

fn read(binary: &str) -> (bool, String) {
    output(Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/inside.py")).args([binary, &host()]))
}

/// Where Python or objcopy is missing this says nothing: `packaging/release.sh` runs the script on every binary.
fn can_run() -> bool {
    ["python3", "objcopy"].iter().all(|tool| Command::new(tool).arg("--version").output().is_ok())
}

#[test]
fn a_binary_lists_every_crate_that_is_in_it() {
    if !can_run() {
        return;
    }
    let folder = common::folder();
    let (done, said) = read(&with_list(&folder, ""));
    assert!(done && said.starts_with("The binary lists all "), "{said}");
    let (done, said) = read(&with_list(&folder, "packages = [one for one in packages if one['name'] != 'ring']"));
    assert!(!done && said.contains("ring 0.") && said.contains("is in it, but not listed"), "{said}");
    // A crate that only builds does not stand for one that is inside.
    let change = "[one.update(kind='build') for one in packages if one['name'] == 'serde_json']";
    let (done, said) = read(&with_list(&folder, change));
    assert!(!done && said.contains("serde_json 1."), "{said}");
    let (done, said) = read(&with_list(&folder, "packages.append({'name': 'ring', 'version': '9.9.9'})"));
    assert!(!done && said.contains("ring 9.9.9 is listed, but not in Cargo.lock"), "{said}");
    let (done, said) = read(env!("CARGO_BIN_EXE_lode"));
    assert!(!done && said.contains("has no list of crates"), "{said}");
}
