//! Every command of the README and of `docs`, typed into a shell as the page has it.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;

use clap::CommandFactory;
use lode::ops::command::Lode;
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use common::test_app::{Ran, TestApp};

/// The pages for users, in the order in which a new user reads them.
const PAGES: [&str; 6] =
    ["README.md", "docs/install.md", "docs/setup.md", "docs/screen.md", "docs/shell.md", "docs/safety.md"];

fn page(name: &str) -> String {
    std::fs::read_to_string(format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn pages() -> String {
    PAGES.map(page).join("\n")
}

/// The lines of the fenced blocks of a language, without comments.
fn fenced(text: &str, language: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        if let Some(fence) = line.strip_prefix("```") {
            inside = !inside && fence == language;
        } else if inside && !line.trim().is_empty() && !line.starts_with('#') {
            lines.push(line.to_owned());
        }
    }
    lines
}

/// What opens the screen and stays until the user leaves.
fn opens_the_screen(line: &str) -> bool {
    let command = line.split(" #").next().unwrap_or(line).trim();
    ["lode", "lode demo", "cargo run --release -- demo"].contains(&command)
}

/// Building is what runs this test: of the toolchain only the way to the program is needed, and `cargo` knows no line but
/// those of the README and of the scripts it names.
const TOOLCHAIN: [(&str, &str); 3] = [
    (
        "cargo",
        r#"case "$*" in
    "run --release -- "*) shift 3; exec lode "$@" ;;
    "build --release --locked") mkdir -p target/release && ln -sf "$(command -v lode)" target/release/lode ;;
    "build --profile dist --locked") mkdir -p target/dist && ln -sf "$(command -v lode)" target/dist/lode ;;
    "test" | "install --profile dist --path ." | "deb --no-build --profile dist --locked") ;;
    *) echo "cargo $*: the README has no such line" >&2; exit 64 ;;
esac"#,
    ),
    ("rustc", "echo 'rustc 1.99.0 (abcdef 2027-01-01)'"),
    ("cc", "exit 0"),
];

/// What the lines of the README use of a checkout.
const FILES: [&str; 8] = [
    "Cargo.toml", "install.sh", "packaging/pages.sh", "packaging/deb.sh", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT",
    "THIRD-PARTY.txt",
];

/// A checkout with what the lines of the README need.
fn checkout() -> TestApp {
    let app = TestApp::new();
    for folder in ["bin", "packaging"] {
        std::fs::create_dir(app.path(folder)).unwrap();
    }
    for file in FILES {
        std::fs::copy(format!("{}/{file}", env!("CARGO_MANIFEST_DIR")), app.path(file)).unwrap();
    }
    for (name, script) in TOOLCHAIN {
        let program = app.path("bin").join(name);
        std::fs::write(&program, format!("#!/bin/bash\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
    }
    app
}

#[test]
fn every_shell_line_works() {
    let app = checkout();
    let lines = fenced(&pages(), "sh");
    assert!(lines.len() > 20, "{lines:?}");
    for line in lines.iter().filter(|line| !opens_the_screen(line)) {
        let ran = Ran::of(app.shell(line).spawn().unwrap());
        assert_eq!(ran.code, 0, "{line}: {ran:?}");
    }
}

/// After the five fields that say when stands a shell line.
#[test]
fn every_cron_line_works() {
    let app = TestApp::new();
    app.run(&["saved", "add", "nurses", "--title", "nurse", "--state", "TX"]).ended(0);
    let lines = fenced(&pages(), "crontab");
    assert!(!lines.is_empty());
    for line in lines {
        let command = line.split_whitespace().skip(5).collect::<Vec<_>>().join(" ");
        let ran = Ran::of(app.shell(&command).spawn().unwrap());
        assert_eq!(ran.code, 0, "{command}: {ran:?}");
    }
}

/// The lines that open the screen do, on a terminal, and `q` leaves.
#[test]
fn every_line_that_opens_the_screen_does() {
    let lines: BTreeSet<String> = fenced(&pages(), "sh").into_iter().filter(|line| opens_the_screen(line)).collect();
    assert!(lines.len() > 1, "{lines:?}");
    for line in lines {
        let app = checkout();
        let pty = native_pty_system();
        let pair = pty.openpty(PtySize { rows: 36, cols: 120, pixel_width: 0, pixel_height: 0 }).unwrap();
        let shell = app.shell(&line);
        let mut command = CommandBuilder::new(shell.get_program());
        command.args(shell.get_args());
        command.env_clear();
        shell
            .get_envs()
            .filter_map(|(name, value)| Some((name, value?)))
            .for_each(|(name, value)| command.env(name, value));
        command.env("TERM", "xterm-256color");
        command.cwd(app.path("."));
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut reader = pair.master.try_clone_reader().unwrap();
        let mut writer = pair.master.take_writer().unwrap();
        let (mut seen, mut some) = (Vec::new(), [0; 4096]);
        let mut left = false;
        while let Ok(read @ 1..) = reader.read(&mut some) {
            seen.extend(&some[..read]);
            // Rows are there: the profile is open, and what is typed now is heard.
            if !left && String::from_utf8_lossy(&seen).contains("page 1/") {
                writer.write_all(b"q").unwrap();
                left = true;
            }
        }
        assert!(left && child.wait().unwrap().success(), "{line}: {}", String::from_utf8_lossy(&seen));
    }
}

/// Commands that stand in the text exist.
#[test]
fn every_command_that_is_named_exists() {
    let mut command = Lode::command();
    // Adds `lode help`, which clap makes itself.
    command.build();
    let known: BTreeSet<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
    for name in PAGES.into_iter().chain(["CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"]) {
        let text = page(name);
        for code in text.split('`').skip(1).step_by(2) {
            let mut words = code.split_whitespace();
            if words.next() == Some("lode")
                && let Some(name) = words.next().filter(|name| name.starts_with(char::is_alphabetic))
            {
                assert!(known.contains(name), "{name} names `{code}`");
            }
        }
    }
}

/// Long pages are not read: the README has at most 750 words, and its first screen has what a visitor looks for.
#[test]
fn the_readme_is_short_and_its_first_screen_says_what_lode_is() {
    let text = page("README.md");
    let words = text.split_whitespace().count();
    assert!(words <= 750, "{words} words");
    let first: Vec<&str> = text.lines().take(25).collect();
    for part in
        ["# ![lode](assets/screens/mark.svg)", "cargo run --release -- demo", "cargo test", "./install.sh", "film.svg"]
    {
        assert!(first.iter().any(|line| line.contains(part)), "{part} is not in the first 25 lines");
    }
    assert_eq!(first.iter().filter(|line| line.starts_with("- ")).count(), 5, "{first:#?}");
}

/// Links to other pages and pictures lead somewhere.
#[test]
fn every_link_to_a_file_works() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    for name in PAGES {
        let folder = root.join(name).parent().unwrap().to_owned();
        for link in page(name).split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(folder.join(link).exists(), "{name} links to {link}");
        }
    }
}
