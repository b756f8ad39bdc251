//! `lode doctor` and `lode info`: each trouble has its sentence and its hint.

use std::io::{Read, Write};
use std::net::TcpListener;

use serde_json::Value;

use common::CLOSED;
use common::test_app::{Ran, TestApp};

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

fn without_services(app: &TestApp, arguments: &[&str]) -> Ran {
    let mut command = app.command(arguments);
    for name in ["LODE_WORKSPACE_URL", "LODE_WORKSPACE_KEY", "LODE_DATA_URL", "LODE_DATA_KEY"] {
        command.env_remove(name);
    }
    Ran::of(command.spawn().unwrap())
}

#[test]
fn a_sound_setup_is_told_as_one() {
    let app = TestApp::new();
    app.run(&["me"]).ended(0);
    let ran = app.run(&["doctor"]).ended(0);
    assert!(bad(&ran).is_empty());
    let reached = ran.lines().into_iter().filter(|line| line["words"].as_str().unwrap().starts_with("reached: "));
    let topics: Vec<Value> = reached.map(|line| line["topic"].clone()).collect();
    assert!(topics.contains(&"workspace".into()) && topics.contains(&"data".into()), "{ran:?}");
}

#[test]
fn no_settings_broken_settings_a_bad_key_and_a_service_that_is_down() {
    let mut app = TestApp::new();
    let ran = without_services(&app, &["doctor"]).ended(1);
    let troubles = bad(&ran);
    assert_eq!(troubles.len(), 1, "{ran:?}");
    assert!(troubles[0].1.contains("no service is set up yet") && troubles[0].2.contains("lode demo"), "{troubles:?}");

    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/config.toml"), "theme = \"x\"\nprofiel = \"a\"\n").unwrap();
    let ran = app.run(&["doctor"]).ended(1);
    assert!(bad(&ran)[0].1.contains("config.toml, line 2, column 1"), "{ran:?}");
    app.run(&["info"]).ended(0);
    let ran = app.run(&["me"]).failed(2);
    assert!(ran.err.contains("line 2, column 1: unknown setting `profiel`. Did you mean `profile`?"), "{ran:?}");
    std::fs::write(app.path("config/config.toml"), "theme = \"drak\"\n[profiles.acme.caps]\nday = 5\n").unwrap();
    let ran = app.run(&["doctor"]).ended(1);
    assert!(bad(&ran).iter().any(|(_, words, _)| words.contains("Did you mean")), "{ran:?}");
    let mut command = app.command(&["me"]);
    let ran = Ran::of(command.env("LODE_PROFILE", "acmee").spawn().unwrap()).failed(2);
    assert!(ran.err.contains("unknown profile `acmee`. Did you mean `acme`?"), "{ran:?}");
    std::fs::remove_file(app.path("config/config.toml")).unwrap();

    app.workspace_key = "lk_live_wrong".to_owned();
    let ran = app.run(&["doctor"]).ended(1);
    let troubles = bad(&ran);
    assert_eq!((troubles.len(), troubles[0].0.as_str()), (1, "workspace"), "{ran:?}");
    assert!(troubles[0].2.contains("to store a new key"), "{troubles:?}");

    let child = app.command(&["doctor"]).env("LODE_DATA_URL", format!("http://{CLOSED}")).spawn().unwrap();
    let ran = Ran::of(child).ended(1);
    assert!(bad(&ran).iter().any(|(topic, words, _)| topic == "data" && words.starts_with("not reached")), "{ran:?}");
}

/// Found in review: a folder that can never be made was only said not to exist yet.
#[test]
fn a_state_folder_that_cannot_be_made_is_bad() {
    let app = TestApp::new();
    std::fs::write(app.path("file"), "").unwrap();
    let child = app.command(&["doctor"]).env("LODE_STATE_DIR", app.path("file/state")).spawn().unwrap();
    let ran = Ran::of(child).ended(1);
    assert!(bad(&ran).iter().any(|(topic, words, _)| topic == "state" && words.contains("cannot be made")), "{ran:?}");
}

#[test]
fn info_tells_paths_and_settings_and_no_key() {
    let app = TestApp::new();
    let ran = app.run(&["info", "--json"]).ended(0);
    let info = &ran.lines()[0];
    assert_eq!(info["state"], app.path("state").to_str().unwrap());
    assert_eq!(info["workspace"], app.sandbox.workspace_url.as_str());
    assert!(!ran.out.contains(&app.workspace_key) && !ran.out.contains(&app.data_key));
    assert!(without_services(&app, &["info"]).ended(0).out.contains("config.toml"));
}

#[test]
fn a_damaged_ledger_is_restored_and_not_left_behind() {
    let app = TestApp::new();
    app.run(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]).ended(0);
    app.run(&["ledger", "backup", "copy.backup"]).ended(0);
    let path = app.path("state/lode.sqlite3");
    let sound = std::fs::read(&path).unwrap();
    let cut = sound[..sound.len() / 2].to_vec();
    let mut overwritten = sound.clone();
    overwritten[4096..].fill(7);
    for damaged in [vec![7; 40_000], cut, overwritten] {
        std::fs::write(&path, damaged).unwrap();
        let ran = app.run(&["doctor"]).ended(1);
        let hints: Vec<_> = bad(&ran).into_iter().map(|(_, _, hint)| hint).collect();
        assert!(hints.iter().any(|hint| hint.contains("lode ledger restore")), "{ran:?}");
        assert!(hints.iter().all(|hint| !hint.contains("LODE_STATE_DIR")), "{ran:?}");
        for arguments in [&["owned"][..], &["unlock", "--corpus", "us", "--max-credits", "1", "3"]] {
            let ran = app.run(arguments).failed(1);
            assert!(ran.err.contains("lode ledger restore"), "{arguments:?} {ran:?}");
        }
        app.run(&["ledger", "restore", "--force", "copy.backup"]).ended(0);
        assert_eq!(app.run(&["owned"]).ended(0).sorted_ids(), [1, 2]);
    }
}

/// It asks for releases only when it is told to, without a key, and follows nothing.
#[test]
fn the_newest_release_is_asked_for_only_with_online() {
    let app = TestApp::new();
    let page = TcpListener::bind("127.0.0.1:0").unwrap();
    let home = format!("http://{}/owner/lode", page.local_addr().unwrap());
    let (sender, asked) = std::sync::mpsc::channel();
    let own = env!("CARGO_PKG_VERSION");
    let leads_to = ["/releases/tag/v99.0.0".to_owned(), format!("/releases/tag/v{own}"), "/releases".to_owned()];
    std::thread::spawn(move || {
        for to in leads_to {
            let (mut line, _) = page.accept().unwrap();
            let mut request = vec![0; 4096];
            let read = line.read(&mut request).unwrap();
            sender.send(String::from_utf8_lossy(&request[..read]).into_owned()).unwrap();
            let answer =
                format!("HTTP/1.1 302 Found\r\nlocation: https://other.example{to}\r\ncontent-length: 0\r\n\r\n");
            line.write_all(answer.as_bytes()).unwrap();
        }
    });
    let doctor = |arguments: &[&str]| {
        let mut command = app.command(&[&["doctor"], arguments].concat());
        Ran::of(command.env("LODE_HOME", &home).spawn().unwrap())
    };
    let told = |ran: &Ran| {
        let line = ran.lines().into_iter().find(|line| line["topic"] == "updates");
        line.map(|line| (line["grade"].as_str().unwrap().to_owned(), line["words"].as_str().unwrap().to_owned()))
    };
    app.run(&["me"]).ended(0);
    assert_eq!(told(&doctor(&[]).ended(0)), None);
    let note = format!("99.0.0 is out, this is {own}: {home}/releases");
    assert_eq!(told(&doctor(&["--online"]).ended(0)), Some(("note".to_owned(), note)));
    let fine = format!("{own} is the newest release");
    assert_eq!(told(&doctor(&["--online"]).ended(0)), Some(("ok".to_owned(), fine)));
    let (grade, words) = told(&doctor(&["--online"]).ended(1)).unwrap();
    assert!(grade == "bad" && words.contains("does not name its newest release"), "{grade} {words}");
    let (grade, words) = told(&doctor(&["--online"]).ended(1)).unwrap();
    assert!(grade == "bad" && words.contains("connection refused"), "{grade} {words}");
    // Three questions, and what they said of this machine.
    let requests: Vec<String> = asked.try_iter().collect();
    assert_eq!(requests.len(), 3);
    for request in requests {
        assert!(request.starts_with("HEAD /owner/lode/releases/latest HTTP/1.1\r\n"), "{request}");
        let names = request.lines().skip(1).filter_map(|line| line.split_once(':')).map(|(name, _)| name);
        let told: Vec<String> = names.map(str::to_lowercase).collect();
        assert!(
            told.iter().all(|name| ["accept", "accept-encoding", "host", "user-agent"].contains(&name.as_str())),
            "{told:?}"
        );
    }
    // A page that would be asked in plain text is not asked, and a build without a page says so.
    let mut command = app.command(&["doctor", "--online"]);
    let ran = Ran::of(command.env("LODE_HOME", "http://other.example/lode").spawn().unwrap()).ended(1);
    assert!(told(&ran).unwrap().1.contains("use https"), "{ran:?}");
    let ran = app.run(&["doctor", "--online"]);
    assert!(!env!("CARGO_PKG_REPOSITORY").is_empty() || told(&ran).unwrap().1.contains("LODE_HOME can"), "{ran:?}");
}

#[test]
fn an_unknown_theme_is_said_with_file_and_line() {
    let app = TestApp::new();
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/config.toml"), "# mine\n\ntheme = \"drak\"\n").unwrap();
    let ran = app.run(&["doctor"]).ended(1);
    let words = &bad(&ran)[0].1;
    assert!(words.contains("config.toml, line 3, column 9: unknown theme `drak`. Did you mean `dark`?"), "{words}");
    // It matters to the screen alone.
    app.run(&["me"]).ended(0);
}

#[test]
fn keys_that_cannot_be_bound_are_said_with_file_and_line() {
    let app = TestApp::new();
    std::fs::create_dir_all(app.path("config")).unwrap();
    let settings = "# mine\n\n[keys.results]\nstage = \"j\"\nstag = \"z\"\n\n[commands.results]\npush = { run = [\"true\"], key = \"j\" }\n";
    std::fs::write(app.path("config/config.toml"), settings).unwrap();
    let ran = app.run(&["doctor"]).ended(1);
    let said: Vec<String> = bad(&ran).into_iter().map(|(_, words, _)| words).collect();
    for words in [
        "config.toml, line 5: [keys.results] has no command `stag`",
        "config.toml, line 4: key j is bound to both",
        "config.toml, line 8: [commands.results] push: key j is `lists.down` already",
    ] {
        assert!(said.iter().any(|said| said.contains(words)), "{words}: {said:?}");
    }
    app.run(&["me"]).ended(0);
}
