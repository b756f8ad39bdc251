//! Screens: each a component of its own, and how many files a new one touches.

use std::collections::BTreeSet;
use std::path::Path;

use crate::repository::tidy::sources::{Source, root, sources};

const SCREENS: &str = "src/ui/screens";

#[test]
fn every_screen_is_a_component_in_a_file_or_folder_of_its_own() {
    let folder = root().join(SCREENS);
    let list = std::fs::read_to_string(folder.join("mod.rs")).unwrap();
    let names: Vec<&str> = list.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).collect();
    assert!(names.len() >= 7, "{names:?}");
    for screen in names {
        let [file, start] = [format!("{screen}.rs"), format!("{screen}/mod.rs")].map(|path| folder.join(path));
        let code = std::fs::read_to_string(&file).or_else(|_| std::fs::read_to_string(start)).unwrap();
        assert!(code.contains("impl Component for State"), "{screen}");
    }
}

/// Which screen is shown is asked in one place: an arm per screen stands nowhere else.
#[test]
fn a_screen_is_found_by_its_name_in_one_place() {
    let arms =
        |source: &&Source| ["Saved", "Jobs"].iter().all(|name| source.code.contains(&format!("Screen::{name} =>")));
    let found: Vec<_> = sources().iter().filter(arms).map(|source| source.path.clone()).collect();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with(Path::new("src/ui/model/screens.rs")), "{found:?}");
}

/// What a new screen needs outside its folder: its name, keys, context, tab, module, state and place among the screens.
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
            // A function that another file calls is a feature of that screen; a new one needs the module and its types.
            let own = source.names.iter().any(|name| {
                let last = name.get(3).map(String::as_str);
                name.len() <= 4
                    && name.iter().take(3).eq(folder.iter())
                    && last.is_none_or(|last| last.starts_with(char::is_uppercase))
            });
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
