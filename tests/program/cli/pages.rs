//! Help, version, completions, manual pages.

use clap::CommandFactory;
use lode::ops::command::Lode;

use common::test_app::{Ran, TestApp};

#[test]
fn version_help_completions_and_pages_need_nothing() {
    let app = TestApp::new();
    let version = app.run(&["--version"]).ended(0);
    assert!(version.out.starts_with(&format!("lode {}", env!("CARGO_PKG_VERSION"))), "{}", version.out);
    for command in [
        "search", "unlock", "recover", "owned", "receipts", "basket", "export", "counts", "saved", "me", "suppress",
        "match",
    ] {
        assert!(app.run(&[command, "--help"]).ended(0).out.contains("Example"), "{command}");
        assert!(app.run(&["man", command]).ended(0).out.contains(&format!("lode\\-{command}")), "{command}");
    }
    assert!(app.run(&["man"]).ended(0).out.contains(".SH NAME"));
    app.run(&["man", "nonsense"]).failed(2);
    let build = version.out.split_once('(').and_then(|(_, rest)| rest.strip_suffix(")\n")).unwrap();
    let target = format!("{}-", std::env::consts::ARCH);
    assert!(build.split(", ").any(|part| part.starts_with(&target)) && build.ends_with("debug"), "{}", version.out);
    for (shell, sign) in [
        ("bash", "complete -F"),
        ("zsh", "#compdef lode"),
        ("fish", "complete -c lode"),
        ("nushell", "export extern \"lode unlock\""),
        ("powershell", "Register-ArgumentCompleter"),
    ] {
        assert!(app.run(&["completions", shell]).ended(0).out.contains(sign), "{shell}");
    }
    app.run(&["completions", "tcsh"]).ended(2);
    assert!(!app.path("state").exists() && !app.path("config").exists(), "nothing was written for that");
}

/// A full disk behind the output is said; a reader that goes away is not.
#[test]
fn pages_that_cannot_be_written_are_no_success() {
    let app = TestApp::new();
    for line in ["lode man", "lode --help", "lode --version", "lode completions zsh", "lode info", "lode search --help"]
    {
        let ran = Ran::of(app.shell(&format!("{line} > /dev/full")).spawn().unwrap());
        assert!(ran.code == 1 && ran.err.contains("cannot be written"), "{line}: {ran:?}");
        let ran = Ran::of(app.shell(&format!("set +o pipefail; {line} | true")).spawn().unwrap());
        assert!(ran.code == 0 && ran.err.is_empty(), "{line}: {ran:?}");
    }
}

/// The examples that help pages show, in the order of the commands.
fn examples() -> Vec<String> {
    let mut examples = Vec::new();
    let mut todo = vec![Lode::command()];
    while let Some(command) = todo.pop() {
        let text = command.get_after_help().map(ToString::to_string).unwrap_or_default();
        let lines = text.lines().filter_map(|line| line.strip_prefix("  ")).filter(|line| line.starts_with("lode "));
        examples.extend(lines.map(|line| line.split("   ").next().unwrap().to_owned()));
        let subcommands: Vec<_> = command.get_subcommands().cloned().collect();
        todo.extend(subcommands.into_iter().rev());
    }
    examples
}

#[test]
fn every_example_of_the_help_works() {
    let app = TestApp::new();
    let examples = examples();
    assert!(examples.len() > 25, "{examples:?}");
    // The screen, a service that runs for ever and a server that waits for its client have tests of their own.
    let apart = ["lode demo", "lode sandbox", "lode mcp"];
    for example in examples.iter().filter(|line| !apart.iter().any(|apart| line.starts_with(apart))) {
        let ran = Ran::of(app.shell(example).spawn().unwrap());
        assert_eq!(ran.code, 0, "{example}: {ran:?}");
    }
}
