//! Tells `--version` which commit was built, for which system and how. Only release builds ask git: a development build would be compiled again after
//! every commit for the sake of seven letters.
#![allow(clippy::disallowed_methods)] // A build script has no shell to ask.

use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=LODE_COMMIT");
    let given = std::env::var("LODE_COMMIT").ok().filter(|commit| !commit.is_empty());
    let release = std::env::var("PROFILE").is_ok_and(|profile| profile == "release");
    let commit = given.or_else(|| release.then(commit_of_git).flatten());
    let known = |name: &str| std::env::var(name).ok();
    let build: Vec<String> = [commit, known("TARGET"), known("PROFILE")].into_iter().flatten().collect();
    println!("cargo::rustc-env=LODE_VERSION={} ({})", env!("CARGO_PKG_VERSION"), build.join(", "));
}

fn commit_of_git() -> Option<String> {
    for path in ["HEAD", "refs/heads"] {
        if let Some(file) = git(&["rev-parse", "--git-path", path]).filter(|file| Path::new(file).exists()) {
            println!("cargo::rerun-if-changed={file}");
        }
    }
    git(&["rev-parse", "--short=10", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    Some(String::from_utf8(output.stdout).ok()?.trim().to_owned()).filter(|line| !line.is_empty())
}
