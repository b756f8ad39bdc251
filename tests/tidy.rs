//! Rules of the house that a reader should be able to rely on, kept by a test because convention does not hold.
//!
//! The floors: imports go down only, rooms of one floor form no cycle, `ui` keeps its own stairs, screens never import
//! each other, nothing is re-exported at the crate root.
#![allow(clippy::disallowed_methods)] // The rules are read off the sources.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// Rooms from ground to roof. A room may import rooms of a lower floor, and of its own floor as long as no cycle appears.
const FLOORS: &[&[&str]] =
    &[&["domain"], &["effect"], &["flow", "wire", "keys"], &["ui", "sandbox", "cli"], &["shell"]];

/// The stairs inside `ui`, lowest first.
const UI_STAIRS: &[&[&str]] = &[
    &["theme"],
    &["widgets"],
    &["layout"],
    &["screens", "dialogs", "scene"],
    &["model", "msg", "nav"],
    &["update", "view"],
];

struct Source {
    /// Module path without `crate`, e.g. `["ui", "screens", "search"]`.
    module: Vec<String>,
    /// Paths of the crate it names, each as segments without `crate`.
    names: BTreeSet<Vec<String>>,
    path: PathBuf,
}

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

fn sources() -> Vec<Source> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    rust_files(&root, &mut files);
    files.sort();
    files
        .into_iter()
        .filter(|path| !["main.rs", "lib.rs"].contains(&path.file_name().unwrap().to_str().unwrap()))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let relative = path.strip_prefix(&root).unwrap().with_extension("");
            let mut module: Vec<String> = relative.iter().map(|segment| segment.to_str().unwrap().to_owned()).collect();
            if module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            Source { module, names: crate_paths(&text), path }
        })
        .collect()
}

/// Every `crate::…` path of a file, with `{a, b::c}` groups expanded to their first segments.
fn crate_paths(text: &str) -> BTreeSet<Vec<String>> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| line.split(" //").next().unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        read_path(&code[at + "crate::".len()..], &mut Vec::new(), &mut found);
    }
    found
}

fn read_path(rest: &str, prefix: &mut Vec<String>, found: &mut BTreeSet<Vec<String>>) {
    let mut chars = rest.char_indices();
    let end = chars.find(|(_, c)| !(c.is_alphanumeric() || *c == '_')).map_or(rest.len(), |(at, _)| at);
    let word = &rest[..end];
    if !word.is_empty() {
        prefix.push(word.to_owned());
        if let Some(tail) = rest[end..].strip_prefix("::") {
            read_path(tail, prefix, found);
        } else {
            found.insert(prefix.clone());
        }
        prefix.pop();
    } else if let Some(group) = rest.strip_prefix('{') {
        let mut depth = 0usize;
        let mut start = 0;
        for (at, c) in group.char_indices() {
            match c {
                '{' => depth += 1,
                '}' if depth == 0 => {
                    read_path(group[start..at].trim_start(), prefix, found);
                    return;
                }
                '}' => depth -= 1,
                ',' if depth == 0 => {
                    read_path(group[start..at].trim_start(), prefix, found);
                    start = at + 1;
                }
                _ => {}
            }
        }
    } else if !prefix.is_empty() {
        found.insert(prefix.clone());
    }
}

fn floor(room: &str) -> Option<usize> {
    FLOORS.iter().position(|rooms| rooms.contains(&room))
}

fn stair(part: &str) -> Option<usize> {
    UI_STAIRS.iter().position(|parts| parts.contains(&part))
}

#[test]
fn imports_go_down_only() {
    let mut wrong = Vec::new();
    for source in sources() {
        let room = &source.module[0];
        let here = floor(room).unwrap_or_else(|| panic!("{room} stands on no floor: add it to FLOORS"));
        for name in &source.names {
            let Some(there) = floor(&name[0]) else { continue };
            if there > here {
                wrong.push(format!("{}: {} is on a higher floor", source.path.display(), name.join("::")));
            }
            if room == "sandbox" && name[0] != "sandbox" && name[0] != "domain" {
                wrong.push(format!("{}: the sandbox shares nothing with {}", source.path.display(), name.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "upward arrows:\n{}", wrong.join("\n"));
}

#[test]
fn rooms_form_no_cycle() {
    let mut arrows: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for source in sources() {
        for name in source.names.iter().filter(|name| floor(&name[0]).is_some() && name[0] != source.module[0]) {
            arrows.entry(source.module[0].clone()).or_default().insert(name[0].clone());
        }
    }
    for start in arrows.keys() {
        let mut seen = BTreeSet::new();
        let mut open: Vec<&String> = arrows[start].iter().collect();
        while let Some(room) = open.pop() {
            assert!(room != start, "{start} imports itself through other rooms: {arrows:?}");
            if seen.insert(room) {
                open.extend(arrows.get(room).into_iter().flatten());
            }
        }
    }
}

#[test]
fn ui_keeps_its_stairs_and_screens_keep_apart() {
    let mut wrong = Vec::new();
    for source in sources().iter().filter(|source| source.module[0] == "ui" && source.module.len() > 1) {
        let part = &source.module[1];
        let here = stair(part).unwrap_or_else(|| panic!("ui::{part} stands on no stair: add it to UI_STAIRS"));
        for name in source.names.iter().filter(|name| name[0] == "ui" && name.len() > 1) {
            let Some(there) = stair(&name[1]) else { continue };
            if there > here {
                wrong.push(format!("{}: {} is higher up", source.path.display(), name.join("::")));
            }
            let other_screen = part == "screens"
                && name[1] == "screens"
                && source.module.len() > 2
                && name.len() > 2
                && name[2] != source.module[2];
            if other_screen {
                wrong.push(format!("{}: a screen imports {}", source.path.display(), name.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn nothing_is_re_exported_at_the_root() {
    let root = std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs")).unwrap();
    assert!(!root.contains("pub use"), "src/lib.rs re-exports: name things where they live");
}

#[test]
fn the_reader_of_paths_reads_groups() {
    let found = crate_paths("use crate::flow::{retry, search::{Page, Rows}};\nlet x = crate::domain::time::Now;");
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["domain::time::Now", "flow::retry", "flow::search::Page", "flow::search::Rows"]);
}

/// *One place spends*: the request that costs is built in one function, which is reached from an accepted quote only.
#[test]
fn one_place_makes_an_unlock_call() {
    let mut makers = Vec::new();
    let mut orders = Vec::new();
    for source in sources() {
        let text = std::fs::read_to_string(&source.path).unwrap();
        let text = text.split("#[cfg(test)]").next().unwrap_or(&text);
        for line in text.lines().map(str::trim).filter(|line| !line.starts_with("//")) {
            if line.contains("UnlockCall {") && !line.starts_with("pub struct") && !line.starts_with("impl") {
                makers.push(format!("{}: {line}", source.module.join("::")));
            }
            // An order is made where a quote is accepted, and nowhere else: its fields are private to that file.
            if line.contains("Order { ") && source.module.starts_with(&["flow".to_owned(), "unlock".to_owned()]) {
                orders.push(source.module.join("::"));
            }
        }
    }
    assert_eq!(makers.len(), 1, "an unlock call is made in one place only: {makers:#?}");
    assert!(makers[0].starts_with("flow::unlock::sending"), "{makers:?}");
    assert!(orders.iter().all(|module| module == "flow::unlock::order"), "{orders:?}");
}
