//! What lode says of itself to programs: `lode spec`, `lode skill`, `lode help`, and lines that are picked and cut.

use clap::{Command, CommandFactory};
use lode::ops::command::Lode;
use lode::ops::problem::Code;
use lode::ops::problem::Exit;
use serde_json::Value;

use crate::cli::schemas::{fits, line_schemas};
use common::test_app::TestApp;

/// Every command that clap knows, with what is typed after `lode`.
fn leaves(command: &Command, name: &str, out: &mut Vec<(String, Command)>) {
    if !command.is_subcommand_required_set() {
        out.push((name.to_owned(), command.clone()));
    }
    for sub in command.get_subcommands() {
        leaves(sub, format!("{name} {}", sub.get_name()).trim(), out);
    }
}

#[test]
fn the_spec_names_every_command_flag_and_exit() {
    let app = TestApp::new();
    let ran = app.run(&["spec", "--json"]).ended(0);
    fits(&ran, &["spec"]);
    let spec = &ran.lines()[0];
    let mut commands = Vec::new();
    leaves(&Lode::command(), "", &mut commands);
    let told = spec["commands"].as_array().unwrap();
    assert_eq!(told.len(), commands.len());
    let known: Vec<&str> = line_schemas().into_iter().map(|(name, _)| name).collect();
    for ((name, command), told) in commands.iter().zip(told) {
        assert_eq!(told["name"], *name);
        for arg in command.get_arguments().filter(|arg| !arg.is_global_set() && arg.get_id() != "help") {
            let long = arg.get_long().map_or_else(|| arg.get_id().to_string(), |long| format!("--{long}"));
            if long == "--version" {
                continue;
            }
            let all = told["flags"].as_array().unwrap().iter().chain(told["arguments"].as_array().unwrap());
            assert!(all.clone().any(|told| told["name"] == long), "{name} {long}");
        }
        assert!(name.is_empty() || !told["examples"].as_array().unwrap().is_empty(), "{name} has no example");
        for schema in told["output"].as_array().unwrap() {
            assert!(known.contains(&schema.as_str().unwrap()), "{name}: {schema}");
        }
    }
    let numbers = |list: &str, field: &str| -> Vec<u64> {
        spec[list].as_array().unwrap().iter().map(|told| told[field].as_u64().unwrap()).collect()
    };
    assert_eq!(numbers("exits", "exit"), Exit::ALL.iter().map(|exit| u64::from(exit.code())).collect::<Vec<_>>());
    assert_eq!(spec["errors"].as_array().unwrap().len(), Code::ALL.len());
    let cost = |name: &str| told.iter().find(|told| told["name"] == name).unwrap()["cost"].clone();
    assert_eq!(
        (cost("unlock"), cost("search"), cost("ledger restore")),
        ("spends".into(), "free".into(), "destroys".into())
    );
}

#[test]
fn help_and_skill_say_the_same() {
    let app = TestApp::new();
    let help = app.run(&["help", "saved", "run"]).ended(0);
    assert!(help.out.contains("--new") && help.out.contains("Example"), "{help:?}");
    assert_eq!(help.out, app.run(&["saved", "run", "--help"]).ended(0).out);
    app.run(&["help", "nonsense"]).failed(2);
    let skill = app.run(&["skill"]).ended(0).out;
    for exit in Exit::ALL {
        assert!(skill.contains(&format!("- {}: {}", exit.code(), exit.words())), "{skill}");
    }
    assert!(skill.contains("`lode unlock` (spends)"), "{skill}");
    assert!(skill.len() < 8_000, "{}", skill.len());
}

#[test]
fn lines_are_picked_and_cut() {
    let app = TestApp::new();
    let ran = app.run(&["search", "--limit", "3", "--fields", "title,id"]).ended(0);
    for line in ran.lines() {
        assert_eq!(line.as_object().unwrap().keys().collect::<Vec<_>>(), ["title", "id"]);
    }
    let whole = app.run(&["search", "--limit", "3"]).ended(0).ids();
    assert_eq!(ran.ids(), whole);
    let csv = app.run(&["search", "--limit", "3", "--fields", "id,title", "--csv"]).ended(0).out;
    assert_eq!(csv.lines().count(), 4);
    assert!(csv.starts_with("id,title\n"), "{csv}");
    let ids: Vec<u64> = csv.lines().skip(1).map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
    assert_eq!(ids, whole);
    let me = app.run(&["me", "--fields", "org.name,credits"]).ended(0).lines();
    assert!(me[0]["org.name"].is_string() && me[0]["credits"].is_number(), "{me:?}");
    app.run(&["search", "--csv", "--json"]).failed(2);
    let unlock = ["unlock", "--corpus", "us", "--max-credits", "1", &whole[0].to_string(), "--csv"];
    let bought = app.run(&unlock).ended(0);
    assert_eq!(bought.out.lines().count(), 2, "{bought:?}");
    let summary: Value = serde_json::from_str(bought.said.lines().last().unwrap()).unwrap();
    assert_eq!(summary["summary"]["charged"], 1);
}

#[test]
fn quiet_says_errors_only() {
    let app = TestApp::new();
    let slow = ["search", "--state", "TX", "--limit", "1"];
    assert!(!app.run(&slow).ended(0).said.is_empty());
    assert!(app.run(&[&slow[..], &["--quiet"]].concat()).ended(0).said.is_empty());
    app.run(&["saved", "show", "x", "--quiet"]).failed(1);
}
