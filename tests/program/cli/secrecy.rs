//! A key is in no output, no file and no other service, whatever the service does with it.

use std::path::Path;

use common::test_app::{Ran, TestApp};

/// Every file under a folder, as one heap of bytes.
fn files(folder: &Path, into: &mut Vec<(String, Vec<u8>)>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files(&path, into);
        } else {
            into.push((path.display().to_string(), std::fs::read(&path).unwrap()));
        }
    }
}

fn holds(bytes: &[u8], mark: &str) -> bool {
    bytes.windows(mark.len()).any(|window| window == mark.as_bytes())
}

const COMMANDS: [&[&str]; 13] = [
    &["me"],
    &["search", "--title", "nurse", "--limit", "2"],
    &["search", "--source", "data", "--query", "nurse", "--limit", "2"],
    &["counts"],
    &["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"],
    &["recover"],
    &["owned"],
    &["receipts"],
    &["basket", "add", "5"],
    &["export", "--query", "nurse", "-o", "out.csv"],
    &["saved", "add", "a", "--title", "nurse"],
    &["saved", "list"],
    &["saved", "rm", "a"],
];

/// Every command against a service that does this to each of its answers.
fn check(fault: Option<&str>) {
    let app = TestApp::new();
    app.sandbox.service().state().faults.rules = fault.iter().map(|fault| fault.parse().unwrap()).collect();
    std::fs::create_dir_all(app.path("config")).unwrap();
    std::fs::write(app.path("config/config.toml"), "log = \"debug\"\n").unwrap();
    // The secret part is a mark that nothing else contains.
    let marks = [&app.workspace_key, &app.data_key].map(|key| key[key.len() - 20..].to_owned());
    std::thread::scope(|scope| {
        for command in COMMANDS {
            let (app, marks) = (&app, &marks);
            scope.spawn(move || {
                let child = app.command(command).spawn().unwrap();
                let arguments = std::fs::read(format!("/proc/{}/cmdline", child.id())).unwrap_or_default();
                let ran = Ran::of(child);
                for mark in marks {
                    assert!(!ran.out.contains(mark) && !ran.err.contains(mark), "{fault:?} {command:?} {ran:?}");
                    assert!(!holds(&arguments, mark), "{command:?}");
                }
            });
        }
    });
    let mut written = Vec::new();
    files(&app.path("."), &mut written);
    assert!(written.iter().any(|(path, _)| path.ends_with("lode.log")), "the log is among what was looked at");
    for (path, bytes) in &written {
        assert!(marks.iter().all(|mark| !holds(bytes, mark)), "{fault:?}: a key is in {path}");
    }
    let elsewhere = app.sandbox.service().state().heard_elsewhere.clone();
    assert!(elsewhere.iter().all(|request| marks.iter().all(|mark| !request.contains(mark))), "{elsewhere:?}");
}

#[test]
fn the_keys_are_nowhere() {
    std::thread::scope(|scope| {
        for fault in [None, Some("echo"), Some("redirect"), Some("redirect-here=next"), Some("html"), Some("500=next")]
        {
            scope.spawn(move || check(fault));
        }
    });
}
