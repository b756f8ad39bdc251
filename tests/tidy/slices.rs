//! Screens: folders of one shape, and how many files a new one touches.

use std::collections::BTreeSet;
use std::path::Path;

use crate::sources::{Source, root, sources};

const SCREENS: &str = "src/ui/screens";

/// Beside `mod.rs`; the first of a screen with much to do may be a folder.
const PARTS: [&str; 5] = ["state", "update", "view", "facts", "footer"];

fn screens() -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(root().join(SCREENS))
        .unwrap()
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
fn every_screen_is_a_folder_of_the_same_shape() {
    let mut missing = Vec::new();
    for screen in screens() {
        let folder = root().join(SCREENS).join(&screen);
        let is_there =
            |part: &str| folder.join(part).join("mod.rs").exists() || folder.join(part).with_extension("rs").exists();
        missing.extend(PARTS.iter().filter(|part| !is_there(part)).map(|part| format!("{screen}: {part}")));
        let code = std::fs::read_to_string(folder.join("mod.rs")).unwrap();
        if !code.contains("impl Slice for State") {
            missing.push(format!("{screen}: impl Slice for State"));
        }
    }
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// Which screen is shown is asked in one place: an arm per screen stands nowhere else.
#[test]
fn a_screen_is_found_by_its_name_in_one_place() {
    let arms =
        |source: &&Source| ["Saved", "Jobs"].iter().all(|name| source.code.contains(&format!("Screen::{name} =>")));
    let found: Vec<_> = sources().iter().filter(arms).map(|source| source.path.clone()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with(Path::new("src/ui/model/slices.rs")), "{found:?}");
}

/// What a new screen needs outside its folder: its name, keys, context, tab, module, state and place among the slices.
#[test]
fn a_new_screen_touches_at_most_seven_files() {
    for screen in ["Jobs", "Counts"] {
        let module = screen.to_lowercase();
        let names = |source: &&Source| {
            let inside = source.module.starts_with(&["ui".to_owned(), "screens".to_owned(), module.clone()]);
            let marks = [
                format!("Screen::{screen}"),
                format!("Command::{screen}"),
                format!("Context::{screen}"),
                format!("{screen}({screen})"),
            ];
            let folder = ["ui", "screens", module.as_str()];
            let own = source.names.iter().any(|name| name.len() <= 4 && name.iter().take(3).eq(folder.iter()));
            let own = own || source.module == folder[..2] && source.code.contains(&format!("pub mod {module};"));
            // The same word may name a reply of a service or a shell command: a screen lives in the interface.
            let in_interface = source.module[0] == "ui";
            in_interface && !inside && (own || marks.iter().any(|mark| source.code.contains(mark)))
        };
        let files: BTreeSet<_> = sources().iter().filter(names).map(|source| source.path.clone()).collect();
        println!("{screen}: {files:#?}");
        assert!(files.len() <= 7, "{screen}: {files:#?}");
    }
}
