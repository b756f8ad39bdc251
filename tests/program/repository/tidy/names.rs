//! A public type name has one meaning.

use std::collections::{BTreeMap, BTreeSet};

use crate::repository::tidy::sources::sources;

/// Public types by name, with the modules that define them.
fn public_types() -> BTreeMap<String, Vec<Vec<String>>> {
    let mut types: BTreeMap<String, Vec<Vec<String>>> = BTreeMap::new();
    for source in sources() {
        for line in source.code.lines() {
            let Some(item) = line.trim_start().strip_prefix("pub ") else { continue };
            // An associated type of an `impl` is not a name of its own.
            let kinds: &[&str] =
                if line.starts_with(' ') { &["struct ", "enum "] } else { &["struct ", "enum ", "trait ", "type "] };
            let Some(rest) = kinds.iter().find_map(|kind| item.strip_prefix(kind)) else { continue };
            let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
            // A macro's placeholder names nothing.
            if name.is_empty() {
                continue;
            }
            types.entry(name).or_default().push(source.module.clone());
        }
    }
    types
}

/// Two types share a name only in sibling modules, where they are the same kind of thing: the `State` of each screen, a terminal on
/// either system.
#[test]
fn a_public_type_name_is_defined_once() {
    let types = public_types();
    assert!(types.len() > 500, "{} types were found", types.len());
    let mut twice = Vec::new();
    for (name, modules) in types.iter().filter(|(_, modules)| modules.len() > 1) {
        let parents: BTreeSet<&[String]> = modules.iter().map(|module| parent(module)).collect();
        if parents.len() > 1 {
            let listed: Vec<String> = modules.iter().map(|module| module.join("::")).collect();
            twice.push(format!("{name}: {}", listed.join(", ")));
        }
    }
    assert!(twice.is_empty(), "{} names with more than one meaning:\n{}", twice.len(), twice.join("\n"));
}

/// The module that a module's siblings share. The systems are siblings by their folders, and a screen in a folder is a
/// sibling of those in one file.
fn parent(module: &[String]) -> &[String] {
    if let Some(at) = module.iter().position(|part| part == "unix" || part == "windows") {
        return &module[..at];
    }
    if let ["ui", "screens", ..] = module.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        return &module[..2];
    }
    &module[..module.len().saturating_sub(1)]
}
