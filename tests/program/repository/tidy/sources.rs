//! The modules of all crates and what they name, read off the files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

pub struct Source {
    /// The folder of the crate, then the module path: `["ui", "screens", "search"]`. The program has no folder of its own.
    pub module: Vec<String>,
    /// Paths that it names outside its tests, each as segments from the folder of the crate; `super` and `self` are resolved.
    pub names: BTreeSet<Vec<String>>,
    pub path: PathBuf,
    /// Everything before the tests of the file.
    pub code: String,
}

/// Every file below a folder of the repository, in order.
pub fn rust_files(folder: &str) -> Vec<PathBuf> {
    fn gather(dir: &Path, out: &mut Vec<PathBuf>) {
        for entry in std::fs::read_dir(dir).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                gather(&path, out);
            } else if path.extension().is_some_and(|e| e == "rs") {
                out.push(path);
            }
        }
    }
    let mut files = Vec::new();
    gather(&root().join(folder), &mut files);
    files.sort();
    files
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn sources() -> Vec<Source> {
    let mut sources: Vec<Source> = rust_files("src")
        .into_iter()
        .filter(|path| !["main.rs", "lib.rs"].contains(&path.file_name().unwrap().to_str().unwrap()))
        .map(|path| {
            let text = std::fs::read_to_string(&path).unwrap();
            let relative = path.strip_prefix(root().join("src")).unwrap().with_extension("");
            let mut module: Vec<String> = relative.iter().map(|segment| segment.to_str().unwrap().to_owned()).collect();
            if module.last().is_some_and(|last| last == "mod") {
                module.pop();
            }
            let code = code_of(&text).to_owned();
            Source { names: named(&code, &module), module, path, code }
        })
        .collect();
    // A folder may take imports of its own folder: what it passes on is known before what is inside it.
    sources.sort_by_key(|source| source.module.len());
    let modules: BTreeSet<Vec<String>> = sources.iter().map(|source| source.module.clone()).collect();
    let mut offered: BTreeMap<Vec<String>, BTreeSet<Vec<String>>> = BTreeMap::new();
    for source in &mut sources {
        let mut all = source.names.clone();
        if takes_imports(&source.code) {
            let (own, folder) = (source.module.clone(), &source.module[..source.module.len() - 1]);
            let of_folder = offered.get(folder).into_iter().flatten();
            source.names.extend(taken(&source.code, &own, of_folder.clone()));
            all.extend(of_folder.cloned());
            let neighbors = modules.iter().filter(|module| module.split_last().is_some_and(|(_, of)| of == folder));
            source.names.extend(called(&source.code, &own, neighbors));
        }
        offered.insert(source.module.clone(), all);
    }
    for source in &mut sources {
        source.names = source.names.iter().map(|name| on_its_stair(name, &modules)).collect();
        source.module = on_its_stair(&source.module, &modules);
    }
    sources
}

/// Folders of `ui` that belong to two layers: their dialogs, and `mod.rs`, which changes the model.
const WIZARDS: [&str; 3] = ["export", "setup", "unlock"];

/// A dialog of a wizard as if it were in `dialogs`, and what follows as if it were in `update`.
fn on_its_stair(name: &[String], modules: &BTreeSet<Vec<String>>) -> Vec<String> {
    let (layer, rest) = name.split_at(1);
    if layer[0] != "ui" || rest.first().is_none_or(|wizard| !WIZARDS.contains(&wizard.as_str())) {
        return name.to_vec();
    }
    let is_dialog = name.get(..3).is_some_and(|name| modules.contains(name));
    [layer, &[if is_dialog { "dialogs" } else { "update" }.to_owned()], rest].concat()
}

fn takes_imports(code: &str) -> bool {
    code.contains("\nuse super::*;")
}

/// The modules among `neighbors` that a file names without importing them: `open::ledger(…)`.
fn called<'a>(code: &str, own: &[String], neighbors: impl Iterator<Item = &'a Vec<String>>) -> Vec<Vec<String>> {
    let code: String = code.lines().map(|line| line.split("//").next().unwrap_or(line)).collect::<Vec<_>>().join("\n");
    let is_called = |module: &&Vec<String>| {
        let start = format!("{}::", module.last().map_or("", String::as_str));
        let within =
            |at: usize| code[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || "_:".contains(c));
        code.match_indices(&start).any(|(at, _)| !within(at))
    };
    neighbors.filter(|module| *module != own).filter(is_called).cloned().collect()
}

/// What a file takes from the imports of its folder by `use super::*`: those whose last word it says outside of comments.
fn taken<'a>(code: &str, own: &[String], imports: impl Iterator<Item = &'a Vec<String>>) -> Vec<Vec<String>> {
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(line));
    let words: BTreeSet<&str> = lines.flat_map(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    let is_taken = |name: &&Vec<String>| name.last().is_some_and(|last| words.contains(last.as_str()));
    imports.filter(is_taken).filter(|name| !name.starts_with(own)).cloned().collect()
}

/// A file without the tests it ends with.
pub fn code_of(text: &str) -> &str {
    text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or(text)
}

/// The layers that are crates, by folder.
const LAYERS: [&str; 5] = ["core", "engine", "host", "sandbox", "ui"];

/// Every path of a file that begins with `crate`, another crate of lode, `super` or `self`, with `{a, b::c}` groups expanded.
pub fn named(text: &str, module: &[String]) -> BTreeSet<Vec<String>> {
    let code: String = text
        .lines()
        .filter(|line| !line.trim_start().starts_with("//"))
        .map(|line| line.split(" //").next().unwrap_or(line))
        .collect::<Vec<_>>()
        .join("\n");
    let mut found = BTreeSet::new();
    let within = |at: usize| code[..at].chars().next_back().is_some_and(|c| c.is_alphanumeric() || "_:".contains(c));
    let own = module.first().filter(|layer| LAYERS.contains(&layer.as_str()));
    for (at, start) in code.match_indices("crate::").filter(|(at, _)| !within(*at)) {
        read_path(&code[at + start.len()..], &mut own.into_iter().cloned().collect(), &mut found);
    }
    for layer in LAYERS {
        let start = format!("lode_{layer}::");
        for (at, _) in code.match_indices(&start).filter(|(at, _)| !within(*at)) {
            read_path(&code[at + start.len()..], &mut vec![layer.to_owned()], &mut found);
        }
    }
    for (at, start) in code.match_indices("self::").filter(|(at, _)| !within(*at)) {
        read_path(&code[at + start.len()..], &mut module.to_vec(), &mut found);
    }
    for (at, _) in code.match_indices("super::").filter(|(at, _)| !within(*at)) {
        let (mut rest, mut above) = (&code[at..], module.to_vec());
        while let Some(inner) = rest.strip_prefix("super::") {
            rest = inner;
            above.pop();
        }
        read_path(rest, &mut above, &mut found);
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

#[test]
fn the_reader_of_paths_reads_groups_and_what_is_relative() {
    let here = ["engine", "flow", "unlock"].map(str::to_owned);
    let found = named(
        "use crate::flow::{retry, search::{Page, Rows}};\nuse super::desk::Desk;\nlet x = lode_core::time::Now;\n\
         self::order::end(); // crate::ui",
        &here,
    );
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    let expected = [
        "core::time::Now",
        "engine::flow::desk::Desk",
        "engine::flow::retry",
        "engine::flow::search::Page",
        "engine::flow::search::Rows",
        "engine::flow::unlock::order::end",
    ];
    assert_eq!(found, expected);
}

#[test]
fn what_a_file_takes_from_its_folder_is_named() {
    let path = |words: &str| words.split(' ').map(str::to_owned).collect::<Vec<String>>();
    let (own, imports) =
        (path("ui search view"), ["ui search state Pane", "ui search view draw", "ui motion Wait"].map(path));
    let code = "use super::*;\nlet pane = Pane::Grid; // Wait\ndraw(pane);";
    assert_eq!(taken(code, &own, imports.iter()), [path("ui search state Pane")]);
    let neighbors = ["ui search view", "ui search state", "ui search grid"].map(path);
    let code = "view::draw(); crate::ui::search::state::Pane; grid::Rows; // state::";
    assert_eq!(called(code, &own, neighbors.iter()), [path("ui search grid")]);
}
