//! `lode doctor` and `lode info`: each trouble has its sentence and its hint.

use std::net::TcpListener;

use serde_json::Value;

use common::house::{House, Ran};

/// The lines that say something needs a fix.
#[track_caller]
fn bad(ran: &Ran) -> Vec<(String, String, String)> {
    let text = |line: &Value, name: &str| line[name].as_str().unwrap_or_default().to_owned();
    let lines = ran.lines();
    let bad = lines.iter().filter(|line| line["grade"] == "bad");
    let bad: Vec<_> = bad.map(|line| (text(line, "topic"), text(line, "words"), text(line, "hint"))).collect();
    assert!(bad.iter().all(|(_, words, hint)| !words.is_empty() && hint.contains(['`', ' '])), "{ran:?}");
    bad
}

fn without_services(house: &House, arguments: &[&str]) -> Ran {
    let mut command = house.command(arguments);
    for name in ["LODE_WORKSPACE_URL", "LODE_WORKSPACE_KEY", "LODE_DATA_URL", "LODE_DATA_KEY"] {
        command.env_remove(name);
    }
    Ran::of(command.spawn().unwrap())
}

#[test]
fn a_sound_setup_is_told_as_one() {
    let house = House::new();
    house.run(&["me"]).ended(0);
    let ran = house.run(&["doctor"]).ended(0);
    assert!(bad(&ran).is_empty());
    let reached = ran.lines().into_iter().filter(|line| line["words"].as_str().unwrap().starts_with("reached: "));
    let topics: Vec<Value> = reached.map(|line| line["topic"].clone()).collect();
    assert!(topics.contains(&"workspace".into()) && topics.contains(&"data".into()), "{ran:?}");
}

#[test]
fn no_settings_broken_settings_a_bad_key_and_a_service_that_is_down() {
    let mut house = House::new();
    let ran = without_services(&house, &["doctor"]).ended(1);
    let troubles = bad(&ran);
    assert_eq!(troubles.len(), 1, "{ran:?}");
    assert!(troubles[0].1.contains("no service is set up yet") && troubles[0].2.contains("lode demo"), "{troubles:?}");

    std::fs::create_dir_all(house.path("config")).unwrap();
    std::fs::write(house.path("config/config.toml"), "theme = \"x\"\nprofiel = \"a\"\n").unwrap();
    let ran = house.run(&["doctor"]).ended(1);
    assert!(bad(&ran)[0].1.contains("config.toml, line 2, column 1"), "{ran:?}");
    house.run(&["info"]).ended(0);
    let ran = house.run(&["me"]).failed(2);
    assert!(
        ran.err.contains("line 2, column 1: there is no setting `profiel` here. Did you mean `profile`?"),
        "{ran:?}"
    );
    std::fs::write(house.path("config/config.toml"), "theme = \"drak\"\n[profiles.acme.caps]\nday = 5\n").unwrap();
    let ran = house.run(&["doctor"]).ended(1);
    assert!(bad(&ran).iter().any(|(_, words, _)| words.contains("Did you mean")), "{ran:?}");
    let mut command = house.command(&["me"]);
    let ran = Ran::of(command.env("LODE_PROFILE", "acmee").spawn().unwrap()).failed(2);
    assert!(ran.err.contains("there is no profile `acmee`. Did you mean `acme`?"), "{ran:?}");
    std::fs::remove_file(house.path("config/config.toml")).unwrap();

    house.workspace_key = "lk_live_wrong".to_owned();
    let ran = house.run(&["doctor"]).ended(1);
    let troubles = bad(&ran);
    assert_eq!((troubles.len(), troubles[0].0.as_str()), (1, "workspace"), "{ran:?}");
    assert!(troubles[0].2.contains("to store a new key"), "{troubles:?}");

    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let child = house.command(&["doctor"]).env("LODE_DATA_URL", format!("http://{free}")).spawn().unwrap();
    let ran = Ran::of(child).ended(1);
    assert!(bad(&ran).iter().any(|(topic, words, _)| topic == "data" && words.starts_with("not reached")), "{ran:?}");
}

/// Found in review: a folder that can never be made was only said not to exist yet.
#[test]
fn a_state_folder_that_cannot_be_made_is_bad() {
    let house = House::new();
    std::fs::write(house.path("file"), "").unwrap();
    let child = house.command(&["doctor"]).env("LODE_STATE_DIR", house.path("file/state")).spawn().unwrap();
    let ran = Ran::of(child).ended(1);
    assert!(bad(&ran).iter().any(|(topic, words, _)| topic == "state" && words.contains("cannot be made")), "{ran:?}");
}

#[test]
fn info_tells_paths_and_settings_and_no_key() {
    let house = House::new();
    let ran = house.run(&["info", "--json"]).ended(0);
    let info = &ran.lines()[0];
    assert_eq!(info["state"], house.path("state").to_str().unwrap());
    assert_eq!(info["workspace"], house.sandbox.workspace_url.as_str());
    assert!(!ran.out.contains(&house.workspace_key) && !ran.out.contains(&house.data_key));
    assert!(without_services(&house, &["info"]).ended(0).out.contains("config.toml"));
}

#[test]
fn a_damaged_ledger_is_restored_and_not_left_behind() {
    let house = House::new();
    house.run(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]).ended(0);
    house.run(&["ledger", "backup", "copy.backup"]).ended(0);
    let path = house.path("state/lode.sqlite3");
    let sound = std::fs::read(&path).unwrap();
    let cut = sound[..sound.len() / 2].to_vec();
    let mut overwritten = sound.clone();
    overwritten[4096..].fill(7);
    for damaged in [vec![7; 40_000], cut, overwritten] {
        std::fs::write(&path, damaged).unwrap();
        let ran = house.run(&["doctor"]).ended(1);
        let hints: Vec<_> = bad(&ran).into_iter().map(|(_, _, hint)| hint).collect();
        assert!(hints.iter().any(|hint| hint.contains("lode ledger restore")), "{ran:?}");
        assert!(hints.iter().all(|hint| !hint.contains("LODE_STATE_DIR")), "{ran:?}");
        for arguments in [&["owned"][..], &["unlock", "--corpus", "us", "--max-credits", "1", "3"]] {
            let ran = house.run(arguments).failed(1);
            assert!(ran.err.contains("lode ledger restore"), "{arguments:?} {ran:?}");
        }
        house.run(&["ledger", "restore", "--force", "copy.backup"]).ended(0);
        assert_eq!(house.run(&["owned"]).ended(0).sorted_ids(), [1, 2]);
    }
}

#[test]
fn an_unknown_theme_is_said_with_file_and_line() {
    let house = House::new();
    std::fs::create_dir_all(house.path("config")).unwrap();
    std::fs::write(house.path("config/config.toml"), "# mine\n\ntheme = \"drak\"\n").unwrap();
    let ran = house.run(&["doctor"]).ended(1);
    let words = &bad(&ran)[0].1;
    assert!(words.contains("config.toml, line 3, column 9: there is no theme `drak`. Did you mean `dark`?"), "{words}");
    // It matters to the screen alone.
    house.run(&["me"]).ended(0);
}

#[test]
fn keys_that_cannot_be_bound_are_said_with_file_and_line() {
    let house = House::new();
    std::fs::create_dir_all(house.path("config")).unwrap();
    let settings = "# mine\n\n[keys.results]\nstage = \"j\"\nstag = \"z\"\n\n[commands.results]\npush = { run = [\"true\"], key = \"j\" }\n";
    std::fs::write(house.path("config/config.toml"), settings).unwrap();
    let ran = house.run(&["doctor"]).ended(1);
    let said: Vec<String> = bad(&ran).into_iter().map(|(_, words, _)| words).collect();
    for words in [
        "config.toml, line 5: [keys.results] has no command `stag`",
        "config.toml, line 4: key j is bound to both",
        "config.toml, line 8: [commands.results] push: key j is `lists.down` already",
    ] {
        assert!(said.iter().any(|said| said.contains(words)), "{words}: {said:?}");
    }
    house.run(&["me"]).ended(0);
}
