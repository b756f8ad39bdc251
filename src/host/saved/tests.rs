//! The files of saved searches in a folder of their own: names, clashes, what another program wrote there.

use super::*;
use lode_core::{Corpus, Filter, GridView, Query, Side, Source, Wall};

struct Bench {
    folder: tempfile::TempDir,
    shelf: SavedFiles,
}

fn bench() -> Bench {
    let folder = tempfile::tempdir().unwrap();
    let shelf = SavedFiles::of(&environment(&folder), "acme");
    Bench { folder, shelf }
}

fn environment(folder: &tempfile::TempDir) -> Environment {
    Environment {
        config_dir: folder.path().join("config"),
        state_dir: folder.path().join("state"),
        data_dir: folder.path().join("state"),
        ..Environment::default()
    }
}

fn saved(name: &str, state: &str) -> SavedSearch {
    let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
    query.set(Filter::State, state).unwrap();
    query.set(Filter::Industry, "hospital, clinic").unwrap();
    query.dedup = false;
    SavedSearch::new(name.to_owned(), query)
}

fn list(shelf: &SavedFiles) -> (Vec<SavedSearch>, Vec<Unreadable>, Vec<String>) {
    match shelf.perform(&SavedCall::List).unwrap() {
        FileReply::Saved { saved, unreadable, hidden, .. } => (saved, unreadable, hidden),
        other => panic!("{other:?}"),
    }
}

fn done(shelf: &SavedFiles, call: SavedCall) {
    assert_eq!(shelf.perform(&call).unwrap(), FileReply::Done);
}

#[test]
fn searches_come_back_as_they_were_saved() {
    let bench = bench();
    assert_eq!(list(&bench.shelf), (vec![], vec![], vec![]));
    let mut first = saved("Clinics in Texas", "TX");
    first.id = Some("17".to_owned());
    first.total = Some(4_870);
    first.last_run = Some(Wall(1_800_000_000_000));
    done(&bench.shelf, SavedCall::Add(first.clone()));
    done(&bench.shelf, SavedCall::Add(saved("another", "OK")));
    assert_eq!(list(&bench.shelf).0, [saved("another", "OK"), first]);
    let text = fs::read_to_string(bench.folder.path().join("config/saved/acme/clinics-in-texas.toml")).unwrap();
    let expected = "name = \"Clinics in Texas\"\nsource = \"data\"\ncorpus = \"us\"\ndedup = false\n\n[filters]\n\
                    industry = [\"hospital\", \"clinic\"]\nstate = \"TX\"\n";
    assert_eq!(text, expected, "no run, no total: nothing that changes by itself");
}

#[test]
fn odd_names_live_side_by_side() {
    let bench = bench();
    let names = ["a/b", "a b", "A-B", "..", "", "日本 語", "\u{1F600}", "x".repeat(300).as_str(), "con\nrow", "\"'\\"]
        .map(str::to_owned);
    for name in names.iter().filter(|name| !name.is_empty()) {
        done(&bench.shelf, SavedCall::Add(saved(name, "TX")));
        assert_eq!(bench.shelf.perform(&SavedCall::Add(saved(name, "OK"))).unwrap(), FileReply::Taken);
    }
    assert!(bench.shelf.perform(&SavedCall::Add(saved("\u{7}\u{202e}", "TX"))).is_err());
    let mut listed: Vec<String> = list(&bench.shelf).0.into_iter().map(|saved| saved.name).collect();
    // A name is kept as it is shown.
    let shown = names.into_iter().map(|name| name.replace('\n', " "));
    let mut wanted: Vec<String> = shown.filter(|name| !name.is_empty()).collect();
    listed.sort();
    wanted.sort();
    assert_eq!(listed, wanted);
}

#[test]
fn renaming_and_removing_touch_the_named_one_only() {
    let bench = bench();
    for name in ["one", "two"] {
        done(&bench.shelf, SavedCall::Add(saved(name, "TX")));
    }
    let path = bench.folder.path().join("config/saved/acme/one.toml");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, format!("# seen at the fair\n{text}\n[mine]\nnote = 1\n")).unwrap();
    done(&bench.shelf, SavedCall::Rename { from: "one".to_owned(), to: saved("three", "CA") });
    let moved = fs::read_to_string(path.with_file_name("three.toml")).unwrap();
    assert!(moved.starts_with("# seen at the fair\nname = \"three\"") && moved.contains("[mine]"), "{moved}");
    assert!(!path.exists());
    let taken = SavedCall::Rename { from: "three".to_owned(), to: saved("two", "CA") };
    assert_eq!(bench.shelf.perform(&taken).unwrap(), FileReply::Taken);
    done(&bench.shelf, SavedCall::Remove { name: "two".to_owned() });
    assert_eq!(list(&bench.shelf).0, [saved("three", "CA")]);
    assert!(bench.shelf.perform(&SavedCall::Remove { name: "two".to_owned() }).is_err());
}

#[test]
fn what_cannot_be_read_is_told_and_left_alone() {
    let bench = bench();
    done(&bench.shelf, SavedCall::Add(saved("good", "TX")));
    let folder = bench.folder.path().join("config/saved/acme");
    let broken = "name = \"x\"\nsource = \"workspace\"\ncorpus = \"us\"\n[filters]\ncity = \"Austin\"\n";
    fs::write(folder.join("city.toml"), broken).unwrap();
    fs::write(folder.join("half.toml"), "name = \"h").unwrap();
    fs::write(folder.join("same.toml"), fs::read_to_string(folder.join("good.toml")).unwrap()).unwrap();
    fs::write(folder.join("README.md"), "not a search").unwrap();
    let (readable, unreadable, _) = list(&bench.shelf);
    assert_eq!(readable, [saved("good", "TX")]);
    let told: Vec<&str> = unreadable.iter().map(|one| one.file.as_str()).collect();
    assert_eq!(told, ["city.toml", "half.toml", "same.toml"]);
    assert_eq!(unreadable[0].why, "line 5: city: `city` is not available for this search");
    done(&bench.shelf, SavedCall::Add(saved("half", "OK")));
    assert_eq!(fs::read_to_string(folder.join("half.toml")).unwrap(), "name = \"h");
    assert_eq!(list(&bench.shelf).0.len(), 2);
    done(&bench.shelf, SavedCall::Remove { name: "half.toml".to_owned() });
    assert!(!folder.join("half.toml").exists() && folder.join("half-2.toml").exists());
}

#[test]
fn entries_stay_hidden() {
    let bench = bench();
    done(&bench.shelf, SavedCall::Hide { key: "id 7".to_owned() });
    done(&bench.shelf, SavedCall::Hide { key: "name a\nb".to_owned() });
    assert_eq!(list(&bench.shelf).2, ["id 7", "name a\nb"]);
}

#[test]
fn the_union_of_several_windows_survives() {
    let bench = bench();
    std::thread::scope(|scope| {
        for window in 0..4 {
            let shelf = bench.shelf.clone();
            scope.spawn(move || {
                for round in 0..10 {
                    let mut one = saved(&format!("search {}", round * 4 + window), "TX");
                    one.total = Some(round);
                    done(&shelf, SavedCall::Add(one));
                    done(&shelf, SavedCall::Hide { key: format!("id {window}-{round}") });
                    // The same slug from all of them at once, and after the first round a name that is taken.
                    let same = SavedCall::Add(saved(&format!("Same!{}", "!".repeat(window as usize)), "TX"));
                    let added = if round == 0 { FileReply::Done } else { FileReply::Taken };
                    assert_eq!(shelf.perform(&same).unwrap(), added);
                }
            });
        }
    });
    let (all, unreadable, hidden) = list(&bench.shelf);
    assert_eq!((all.len(), unreadable.len(), hidden.len()), (44, 0, 40));
    assert!(all.iter().filter(|saved| saved.name.starts_with("search")).all(|saved| saved.total.is_some()));
}

#[test]
fn a_profile_takes_its_searches_along() {
    let bench = bench();
    done(&bench.shelf, SavedCall::Add(saved("one", "TX")));
    let environment = environment(&bench.folder);
    rename_profile(&environment, "acme", "acme prod").unwrap();
    assert_eq!(list(&bench.shelf).0, []);
    assert_eq!(list(&SavedFiles::of(&environment, "acme prod")).0, [saved("one", "TX")]);
}

#[test]
fn what_is_remembered_brings_no_file_back_and_changes_no_filter() {
    let bench = bench();
    let ran = SavedSearch { total: Some(7), ..saved("one", "TX") };
    done(&bench.shelf, SavedCall::Note(ran.clone()));
    assert_eq!(list(&bench.shelf).0, [], "another window removed it");
    done(&bench.shelf, SavedCall::Add(saved("one", "TX")));
    done(&bench.shelf, SavedCall::Note(ran.clone()));
    assert_eq!(list(&bench.shelf).0, std::slice::from_ref(&ran));
    // Edited by hand while an older reading of it ran.
    let path = bench.folder.path().join("config/saved/acme/one.toml");
    fs::write(&path, fs::read_to_string(&path).unwrap().replace("TX", "OK")).unwrap();
    done(&bench.shelf, SavedCall::Note(SavedSearch { total: Some(9), ..ran }));
    assert_eq!(list(&bench.shelf).0, [SavedSearch { total: Some(7), ..saved("one", "OK") }]);
}

#[test]
fn a_file_that_cannot_be_read_still_says_whose_it_is() {
    let bench = bench();
    done(&bench.shelf, SavedCall::Add(saved("Clinics in Texas", "TX")));
    let path = bench.folder.path().join("config/saved/acme/clinics-in-texas.toml");
    let text = fs::read_to_string(&path).unwrap();
    for (broken, name) in [
        (text.replace("state = \"TX\"", "state = TX"), Some("Clinics in Texas")),
        (text.replace("name = ", "name: "), None),
        ("[filters]\nname = \"x\"\nstate = TX".to_owned(), None),
    ] {
        fs::write(&path, broken).unwrap();
        let unreadable = &list(&bench.shelf).1[0];
        assert_eq!(unreadable.name.as_deref(), name);
        assert!(unreadable.is_of("Clinics in Texas") && !unreadable.is_of("x"), "{unreadable:?}");
    }
}

#[test]
fn views_are_for_all_profiles_and_a_broken_one_stays_as_it_is_written() {
    let bench = bench();
    let other = SavedFiles::of(&environment(&bench.folder), "other");
    let views = |shelf: &SavedFiles| match shelf.perform(&SavedCall::List).unwrap() {
        FileReply::Saved { views, .. } => views,
        other => panic!("{other:?}"),
    };
    let keep = |name: &str, view: Option<&GridView>| SavedCall::KeepView { name: name.to_owned(), view: view.cloned() };
    let columns = vec![("name".to_owned(), None), ("title".to_owned(), Some(30))];
    let west = GridView { columns, sort: Some(("title".to_owned(), true)) };
    let plain = GridView { sort: None, ..west.clone() };
    done(&bench.shelf, keep("west \u{7}side", Some(&west)));
    done(&other, keep("plain", Some(&plain)));
    let known = BTreeMap::from([("plain".to_owned(), plain.clone()), ("west side".to_owned(), west.clone())]);
    assert_eq!(views(&bench.shelf), (known, None));
    done(&other, keep("plain", None));
    let path = bench.folder.path().join("state/saved/views.toml");
    let text = "[\"west side\"]\ncolumns = [\"name\", \"title:30\"]\nsort = \"-title\"\n";
    assert_eq!(fs::read_to_string(&path).unwrap(), text);
    // One that cannot be read is told with its line; the others work, and it stays.
    fs::write(&path, format!("{text}\n[mine] # by hand\ncolumns = [\"name:wide\"]\n")).unwrap();
    let (known, wrong) = views(&bench.shelf);
    assert_eq!(known, BTreeMap::from([("west side".to_owned(), west.clone())]));
    assert!(wrong.as_ref().is_some_and(|wrong| wrong.contains("line 5") && wrong.contains("`mine`")), "{wrong:?}");
    done(&bench.shelf, keep("west side", None));
    assert_eq!(fs::read_to_string(&path).unwrap().trim_start(), "[mine] # by hand\ncolumns = [\"name:wide\"]\n");
    // A file that is not TOML is not written over.
    fs::write(&path, "[mine\n").unwrap();
    assert!(views(&bench.shelf).1.is_some_and(|wrong| wrong.contains("line 1")));
    assert!(bench.shelf.perform(&keep("west", Some(&west))).is_err());
    assert_eq!(fs::read_to_string(&path).unwrap(), "[mine\n");
}

#[test]
fn damaged_facts_cost_only_what_is_in_them() {
    let bench = bench();
    done(&bench.shelf, SavedCall::Add(SavedSearch { total: Some(7), ..saved("west", "TX") }));
    let path = bench.folder.path().join("state/saved/acme.json");
    fs::write(&path, "{\"runs\": {").unwrap();
    let FileReply::Saved { saved: listed, views: (_, wrong), .. } = bench.shelf.perform(&SavedCall::List).unwrap()
    else {
        panic!("not listed")
    };
    assert_eq!(listed, [saved("west", "TX")]);
    assert!(wrong.is_some_and(|wrong| wrong.contains("acme.json is damaged")));
    // What is saved now is kept, and so is the damaged file.
    let more = SavedSearch { total: Some(9), ..saved("east", "NY") };
    done(&bench.shelf, SavedCall::Add(more.clone()));
    assert_eq!(list(&bench.shelf).0, [more, saved("west", "TX")]);
    assert_eq!(fs::read_to_string(path.with_extension("damaged")).unwrap(), "{\"runs\": {");
}
