//! What `lode doctor` finds in a folder of settings and state, without a process.
#![allow(clippy::disallowed_methods)] // Writes settings and a damaged store.

use std::os::unix::fs::PermissionsExt;

use lode::app::doctor;
use lode::ops::output::Grade;
use lode_core::contact::Source;
use lode_engine::effect::failure::{Failure, Refusal};
use lode_host::config::environment::Environment;
use lode_host::store;

/// The environment of a new folder with this text as `config.toml`.
fn environment(folder: &tempfile::TempDir, text: &str, variables: &[(&str, &str)]) -> Environment {
    let path = |name: &str| folder.path().join(name).into_os_string();
    if !text.is_empty() {
        std::fs::create_dir_all(path("config")).unwrap();
        std::fs::write(folder.path().join("config/config.toml"), text).unwrap();
    }
    Environment::from(|name| match name {
        "LODE_CONFIG_DIR" => Some(path("config")),
        "LODE_STATE_DIR" => Some(path("state")),
        _ => variables.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).into()),
    })
}

fn examine(environment: &Environment) -> doctor::Report {
    let (report, _) = doctor::examine(environment, &|_| {});
    let without_hint = report.lines.iter().find(|line| line.grade == Grade::Bad && line.hint.is_none());
    assert_eq!(without_hint, None, "what is bad has a hint");
    report
}

fn words(report: &doctor::Report, grade: Grade) -> Vec<String> {
    let lines = report.lines.iter().filter(|line| line.grade == grade);
    lines.map(|line| format!("{}: {}", line.topic, line.words)).collect()
}

#[test]
fn the_doctor_says_what_to_fix() {
    let folder = common::folder();
    assert_eq!(words(&examine(&environment(&folder, "", &[])), Grade::Bad), ["profile: no service is set up yet"]);
    let broken = examine(&environment(&folder, "hue = 1", &[]));
    assert!(words(&broken, Grade::Bad)[0].contains("config.toml, line 1, column 1: unknown setting `hue`"));

    let folder = common::folder();
    let variables =
        [("LODE_WORKSPACE_URL", "http://127.0.0.1:4000/api/v1"), ("LODE_WORKSPACE_KEY", "ak_test_0123456789abcdef")];
    let environment = environment(&folder, "", &variables);
    let mut report = examine(&environment);
    assert_eq!(words(&report, Grade::Bad), Vec::<String>::new());
    assert!(words(&report, Grade::Fine).contains(&"workspace: key ak_te… from LODE_WORKSPACE_KEY".to_owned()));
    let refused = Failure::Refused { status: 401, why: Refusal::Key, words: "unknown key".to_owned() };
    report.service(Source::Workspace, Err(&refused));
    assert_eq!(words(&report, Grade::Bad), ["workspace: refused: unknown key"]);
    assert_eq!(report.grade(), Grade::Bad);

    let state = environment.state_dir.clone();
    std::fs::create_dir_all(&state).unwrap();
    std::fs::set_permissions(&state, std::fs::Permissions::from_mode(0o755)).unwrap();
    let damaged = b"this is no database, whatever its name says......";
    std::fs::write(state.join(store::LEDGER_FILE), damaged).unwrap();
    let report = examine(&environment);
    let bad = words(&report, Grade::Bad);
    assert!(bad.iter().any(|line| line.ends_with("is readable by other users")), "{bad:?}");
    assert!(bad.iter().any(|line| line.starts_with("state: the state file is damaged")), "{bad:?}");
    assert_eq!(std::fs::read(state.join(store::LEDGER_FILE)).unwrap(), damaged, "the file is left as it is");
}
