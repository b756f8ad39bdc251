//! What the packages say of other people's work: THIRD-PARTY.txt names every crate that goes into the binary, with its
//! licence, where its source is, and the texts those licences ask to be handed on. A crate that comes in, changes its licence
//! or its text fails here; `UPDATE_NOTICES=1 cargo test --test program licences` writes the file again (it then asks the registry for
//! the crates of the other systems too). Nothing else here needs a network: what was built was downloaded.
#![allow(clippy::disallowed_methods)] // Reads the manifests of the crates, and asks cargo where they are.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const NOTICE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/THIRD-PARTY.txt");

/// One crate of the binary, as its own manifest names it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Crate {
    name: String,
    version: String,
    licence: String,
    /// Texts that have to go along: none where the Apache licence may be chosen, which is handed on once for all.
    texts: Vec<String>,
}

impl Crate {
    fn line(&self) -> String {
        let Crate { name, version, licence, .. } = self;
        format!("{name} {version}  {licence}  https://crates.io/crates/{name}/{version}")
    }

    /// The licences of which one has to be accepted, for each part of the expression.
    fn parts(&self) -> Vec<Vec<String>> {
        let plain = self.licence.replace('/', " OR ").replace(['(', ')'], "");
        let choices = |part: &str| part.split(" OR ").map(|one| one.trim().to_string()).collect();
        plain.split(" AND ").map(choices).collect()
    }

    fn read(package: &Value) -> Crate {
        let word = |field: &str| package[field].as_str().unwrap_or_default().to_string();
        let mut read =
            Crate { name: word("name"), version: word("version"), licence: word("license"), texts: Vec::new() };
        if read.parts().iter().all(|choices| choices.iter().any(|one| one == "Apache-2.0")) {
            return read;
        }
        let folder = Path::new(package["manifest_path"].as_str().unwrap()).parent().unwrap();
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        for file in files.iter().filter(|path| path.is_file()) {
            let name = file.file_name().unwrap().to_string_lossy().to_uppercase();
            if ["LICENSE", "LICENCE", "COPYING", "NOTICE"].iter().any(|begin| name.starts_with(begin)) {
                read.texts.push(tidied(&String::from_utf8_lossy(&std::fs::read(file).unwrap())));
            }
        }
        assert!(!read.texts.is_empty(), "{} carries no text of its licence, {}", read.name, read.licence);
        read
    }
}

/// The same words whatever their line ends: most of these texts differ in nothing else.
fn tidied(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_string()
}

/// The crates that go into the binary or make it, without those of the tests, as cargo resolves them for one system.
fn crates(system: &str, offline: bool) -> BTreeSet<Crate> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(env!("CARGO_MANIFEST_DIR"));
    cargo.args(["metadata", "--format-version", "1", "--locked", "--filter-platform", system]);
    let answer = cargo.args(offline.then_some("--offline")).output().unwrap();
    assert!(answer.status.success(), "{}", String::from_utf8_lossy(&answer.stderr));
    let all: Value = serde_json::from_slice(&answer.stdout).unwrap();
    let by_id = |list: &'static str| -> BTreeMap<&str, &Value> {
        let entries = if list == "packages" { &all["packages"] } else { &all["resolve"]["nodes"] };
        entries.as_array().unwrap().iter().map(|entry| (entry["id"].as_str().unwrap(), entry)).collect()
    };
    let (packages, nodes) = (by_id("packages"), by_id("nodes"));
    let root = all["resolve"]["root"].as_str().unwrap();
    let (mut seen, mut open) = (BTreeSet::new(), vec![root]);
    while let Some(id) = open.pop() {
        if seen.insert(id) {
            let needed = nodes[id]["deps"].as_array().unwrap().iter().filter(|dependency| {
                dependency["dep_kinds"].as_array().unwrap().iter().any(|kind| kind["kind"].as_str() != Some("dev"))
            });
            open.extend(needed.map(|dependency| dependency["pkg"].as_str().unwrap()));
        }
    }
    // Those of a registry: the others are lode's own.
    let others = seen.into_iter().map(|id| packages[id]).filter(|package| !package["source"].is_null());
    others.map(Crate::read).collect()
}

fn deny() -> toml::Table {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/deny.toml");
    toml::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn words(list: &toml::Value) -> Vec<String> {
    list.as_array().unwrap().iter().map(|word| word.as_str().unwrap().to_string()).collect()
}

pub(super) fn host() -> String {
    let answer = Command::new("rustc").arg("-vV").output().unwrap();
    let said = String::from_utf8(answer.stdout).unwrap();
    said.lines().find_map(|line| line.strip_prefix("host: ")).expect("rustc names its host").to_string()
}

fn notice(crates: &BTreeSet<Crate>) -> String {
    let mut text = String::from(
        "lode is made with the work of others, used as they published it, without changes. Each line: the crate and its\n\
         version, its licence, and where its source is. Where the Apache License 2.0 is one of a choice, it is the one taken;\n\
         its text is in LICENSE-APACHE, as is that of the standard library of Rust, which is under the same choice. The texts\n\
         that the other licences ask to be handed on follow the list. SQLite, which comes with libsqlite3-sys, is in the\n\
         public domain.\n\n",
    );
    for one in crates {
        writeln!(text, "{}", one.line()).unwrap();
    }
    let mut users: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for one in crates {
        for words in &one.texts {
            users.entry(words).or_default().insert(&one.name);
        }
    }
    let mut texts: Vec<(Vec<&str>, &str)> =
        users.into_iter().map(|(words, names)| (names.into_iter().collect(), words)).collect();
    texts.sort();
    for (names, words) in texts {
        write!(text, "\n\n==== {}\n\n{words}\n", names.join(", ")).unwrap();
    }
    text
}

#[test]
fn the_notice_names_every_crate_of_the_binary_with_its_licence_and_its_text() {
    if std::env::var_os("UPDATE_NOTICES").is_some() {
        let systems = words(&deny()["graph"]["targets"]);
        let all = systems.iter().flat_map(|system| crates(system, false)).collect();
        std::fs::write(NOTICE, notice(&all)).unwrap();
        return;
    }
    let said = std::fs::read_to_string(NOTICE).unwrap();
    let lines: BTreeSet<&str> = said.lines().collect();
    let mut missing = Vec::new();
    for one in crates(&host(), true) {
        let line = one.line();
        if !lines.contains(line.as_str()) || one.texts.iter().any(|text| !said.contains(text.as_str())) {
            missing.push(line);
        }
    }
    assert!(missing.is_empty(), "run UPDATE_NOTICES=1 cargo test --test program licences: {missing:#?}");
}

#[test]
fn the_notice_names_nothing_that_is_not_there() {
    let lock = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.lock")).unwrap();
    let said = std::fs::read_to_string(NOTICE).unwrap();
    let named: Vec<&str> = said.lines().filter(|line| line.contains("  https://crates.io/crates/")).collect();
    assert!(named.len() > 100, "the list is gone");
    for line in named {
        let (name, version) = line.split_once("  ").unwrap().0.split_once(' ').unwrap();
        let entry = format!("name = \"{name}\"\nversion = \"{version}\"\n");
        assert!(lock.contains(&entry), "{line}: run UPDATE_NOTICES=1 cargo test --test program licences");
    }
}

#[test]
fn every_licence_is_one_that_deny_toml_accepts() {
    let deny = deny();
    let allowed = words(&deny["licenses"]["allow"]);
    let exceptions: BTreeMap<String, Vec<String>> =
        deny["licenses"]["exceptions"].as_array().unwrap().iter().fold(BTreeMap::new(), |mut all, exception| {
            all.insert(exception["crate"].as_str().unwrap().to_string(), words(&exception["allow"]));
            all
        });
    let here = crates(&host(), true);
    for one in &here {
        let accepted = |licence: &String| {
            allowed.contains(licence) || exceptions.get(&one.name).is_some_and(|more| more.contains(licence))
        };
        for choices in one.parts() {
            assert!(choices.iter().any(accepted), "{} is under {}", one.name, one.licence);
        }
    }
    // An exception that is no longer needed is removed.
    for name in exceptions.keys() {
        assert!(here.iter().any(|one| one.name == *name), "{name} is not used any more: take its exception away");
    }
}
