//! What the workflow of the host may do: actions by their commit, rights for each job, and scripts that are there. A
//! plain reader of lines is enough, as the file has one form; what the scripts do with the host is tried with a `gh`
//! that writes down its calls.
#![allow(clippy::disallowed_methods)] // Reads the workflow and starts its scripts.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;

use super::minisign::Key;
use super::releasing::{VERSION, Workshop, output};

const WORKFLOW: &str = include_str!("../../../.github/workflows/lode.yml");

/// Every command of the workflow, and where it is tried without a host.
const COMMANDS: &[(&str, &str)] = &[
    (".ci/run", "by hand: it runs these tests"),
    (".ci/nightly", "by hand, each part alone"),
    (".ci/report", "below"),
    (".ci/draft", "in `releasing`"),
    (".ci/publish", "below"),
    ("packaging/release.sh", "in `releasing`"),
    (".ci/tools", "only on a host: it changes the machine and downloads toolchains"),
    (".ci/oldest", "only with a network: it downloads a toolchain"),
];

/// The rights to write that a job may have.
const RIGHTS: &[(&str, &str)] =
    &[("report", "issues"), ("release", "id-token"), ("release", "attestations"), ("draft", "contents")];

/// What a job and a step may say; the host takes no workflow with another word. The nightly part `workflow` compares the file
/// with the host's own schema.
const OF_JOBS: &[&str] = &["if", "needs", "permissions", "strategy", "environment", "runs-on", "steps"];
const OF_STEPS: &[&str] = &["if", "uses", "run", "shell", "with", "env"];

fn indent(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// The jobs, each with its lines.
fn jobs(workflow: &str) -> Vec<(&str, Vec<&str>)> {
    let mut jobs: Vec<(&str, Vec<&str>)> = Vec::new();
    for line in workflow.lines().skip_while(|line| *line != "jobs:").skip(1) {
        if line.trim().is_empty() || line.trim_start().starts_with('#') {
            continue;
        }
        if indent(line) == 2 {
            jobs.push((line.trim().trim_end_matches(':'), Vec::new()));
        } else {
            jobs.last_mut().unwrap().1.push(line);
        }
    }
    jobs
}

/// The value of a key, wherever it stands in a step or a job.
fn value<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line.trim_start().trim_start_matches("- ").strip_prefix(key)?.strip_prefix(':').map(str::trim)
}

/// The scripts that a job runs.
fn commands<'a>(lines: &'a [&'a str]) -> impl Iterator<Item = &'a str> {
    lines.iter().filter_map(|line| value(line, "run")).map(|run| run.split(' ').next().unwrap_or_default())
}

fn is_pinned(action: &str) -> bool {
    let commit = |text: &str| text.len() == 40 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let named = action.split_once(" # v").map(|(place, _)| place);
    named.and_then(|place| place.split_once('@')).is_some_and(|(_, at)| commit(at))
}

fn problems(workflow: &str) -> Vec<String> {
    let mut found = Vec::new();
    let before_jobs = workflow.lines().take_while(|line| *line != "jobs:");
    if !before_jobs.into_iter().any(|line| line == "permissions: {}") {
        found.push("the workflow gives rights to every job".to_string());
    }
    for (job, lines) in jobs(workflow) {
        let rights: Vec<&str> = lines
            .iter()
            .skip_while(|line| **line != "    permissions:")
            .skip(1)
            .take_while(|line| indent(line) == 6)
            .map(|line| line.trim())
            .collect();
        if rights.is_empty() {
            found.push(format!("{job} has no permissions"));
        }
        for right in rights {
            let (name, level) = right.split_once(": ").unwrap_or((right, "write"));
            if level != "read" && !(level == "write" && RIGHTS.contains(&(job, name))) {
                found.push(format!("{job} may not have {right}"));
            }
        }
        let steps = lines.iter().position(|line| *line == "    steps:").unwrap_or(lines.len());
        for (at, line) in lines.iter().enumerate() {
            let key = line.trim_start().trim_start_matches("- ").split(':').next().unwrap_or_default();
            let known = match indent(line) {
                4 => OF_JOBS.contains(&key),
                6 | 8 if at > steps => OF_STEPS.contains(&key),
                odd => odd % 2 == 0,
            };
            if !known {
                found.push(format!("{job}: {key} is not a word of workflows"));
            }
            if let Some(needed) = value(line, "needs") {
                let all = needed.trim_matches(['[', ']']).split(", ");
                let missing = all.filter(|name| !jobs(workflow).iter().any(|(job, _)| job == name));
                found.extend(missing.map(|name| format!("{job} needs {name}, which is not a job")));
            }
            if line.matches("${{").count() != line.matches("}}").count() {
                found.push(format!("{job}: {key} does not close its expression"));
            }
        }
        for line in &lines {
            if let Some(action) = value(line, "uses").filter(|action| !is_pinned(action)) {
                found.push(format!("{job}: {action} is not pinned by a commit"));
            }
            // A text of the host, such as the name of a branch, would be read as a command.
            let is_more = |run: &&str| run.replace("${{ matrix.", "").contains(['$', ';', '&', '|', '>', '`']);
            if let Some(run) = value(line, "run").filter(is_more) {
                found.push(format!("{job}: {run} is more than a script and its arguments"));
            }
        }
        for script in commands(&lines) {
            let about = std::fs::metadata(Path::new(env!("CARGO_MANIFEST_DIR")).join(script));
            if !about.is_ok_and(|about| about.is_file() && about.permissions().mode() & 0o111 != 0) {
                found.push(format!("{job}: there is no script {script}"));
            }
        }
    }
    found
}

#[test]
fn actions_are_pinned_rights_are_given_by_job_and_scripts_are_there() {
    assert_eq!(problems(WORKFLOW), Vec::<String>::new());
}

#[test]
fn what_is_wrong_in_a_workflow_is_noticed() {
    let pinned = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1 # v7.0.1";
    for (now, then, problem) in [
        (pinned, "actions/checkout@v7", "nightly: actions/checkout@v7 is not pinned by a commit"),
        (pinned, "actions/checkout@3d3c42e5 # v7.0.1", "is not pinned by a commit"),
        ("permissions: {}\n", "", "the workflow gives rights to every job"),
        ("    runs-on:", "    run-on:", "nightly: run-on is not a word of workflows"),
        ("      - uses:", "      - use:", "nightly: use is not a word of workflows"),
        ("      - run:", "       - run:", "is not a word of workflows"),
        ("needs: nightly", "needs: [nightly, nights]", "report needs nights, which is not a job"),
        ("${{ matrix.part }}", "${{ matrix.part }", "does not close its expression"),
        ("    permissions:\n      contents: read\n", "", "nightly has no permissions"),
        ("      contents: read\n", "      contents: write\n", "nightly may not have contents: write"),
        ("      contents: read\n", "      write-all\n", "nightly may not have write-all"),
        ("run: .ci/oldest", "run: .ci/eldest", "oldest: there is no script .ci/eldest"),
        ("run: .ci/oldest", "run: .ci/README", "oldest: there is no script .ci/README"),
        ("run: .ci/oldest", "run: .ci/oldest && curl x", "is more than a script and its arguments"),
        ("run: .ci/oldest", "run: .ci/oldest ${{ github.ref_name }}", "is more than a script and its arguments"),
        ("run: .ci/oldest", "run: |\n          .ci/oldest", "oldest: | is more than a script and its arguments"),
    ] {
        assert!(WORKFLOW.contains(now), "{now}");
        let found = problems(&WORKFLOW.replacen(now, then, 1));
        assert!(found.iter().any(|one| one.contains(problem)), "{problem}: {found:?}");
    }
}

#[test]
fn every_command_is_tried_here_or_named_as_one_that_cannot_be() {
    let jobs = jobs(WORKFLOW);
    let run: BTreeSet<&str> = jobs.iter().flat_map(|(_, lines)| commands(lines)).collect();
    assert_eq!(run, COMMANDS.iter().map(|(command, _)| *command).collect());
    // The parts of the nightly run are those of its script.
    let script = include_str!("../../../.ci/nightly");
    let all = script.lines().find_map(|line| line.split_once("|| set -- ")).unwrap().1;
    let matrix = WORKFLOW.lines().find_map(|line| value(line, "part")).unwrap();
    assert_eq!(matrix.trim_matches(['[', ']']).replace(", ", " "), all);
}

#[test]
fn each_failed_part_of_the_nightly_run_has_one_issue() {
    let workshop = Workshop::new();
    workshop.program(
        "gh",
        r#"case "$*" in *list*kills*) echo 7 ;; *list*) ;; *) echo "$@"; for last; do :; done; cat "$last" ;; esac"#,
    );
    let logs = workshop.path("nightly");
    std::fs::create_dir(&logs).unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let (done, said) = output(workshop.script(root, ".ci/report").arg(&logs));
    assert!(!done && said.contains("no part left a log"), "{said}");
    std::fs::write(logs.join("rebuild.log"), "differs: lode-9.8.7.tar.gz\n").unwrap();
    std::fs::write(logs.join("kills.log"), "seed 42\n").unwrap();
    let (done, said) = output(workshop.script(root, ".ci/report").arg(&logs));
    assert!(done && said.contains("issue create --title Nightly: rebuild failed"), "{said}");
    assert!(said.contains("differs: lode-9.8.7.tar.gz"), "{said}");
    assert!(said.contains("issue comment 7") && said.contains("seed 42"), "{said}");
    assert!(!said.contains("create --title Nightly: kills"), "{said}");
}

/// A published release goes to the places that are set, and only if its installer takes it.
#[test]
fn a_published_release_is_handed_on_to_the_places_that_are_set() {
    let workshop = Workshop::new();
    let installer = include_str!("../../../install.sh");
    let line = installer.lines().find(|line| line.starts_with("key=")).unwrap();
    let source = workshop.changed("lode", "install.sh", line, &format!("key={}", Key::of(1).public()));
    workshop.program("cargo", r#"echo "cargo $*""#);
    let out = workshop.path("release");
    let linux = format!("lode-{VERSION}-x86_64-unknown-linux-musl");
    for folder in ["man", "completions"] {
        std::fs::create_dir_all(out.join(&linux).join(folder)).unwrap();
    }
    std::fs::copy(workshop.path("bin/lode"), out.join(&linux).join("lode")).unwrap();
    for file in [
        "man/lode.1", "completions/lode.bash", "completions/_lode", "completions/lode.fish", "LICENSE",
        "LICENSE-APACHE", "LICENSE-MIT", "THIRD-PARTY.txt",
    ] {
        std::fs::write(out.join(&linux).join(file), file).unwrap();
    }
    let archive = format!("{linux}.tar.gz");
    let packed = Command::new("tar").args(["-czf", &archive, &linux]).current_dir(&out).status();
    assert!(packed.unwrap().success());
    for other in [
        "aarch64-unknown-linux-musl.tar.gz",
        "aarch64-apple-darwin.tar.gz",
        "x86_64-apple-darwin.tar.gz",
        "x86_64-pc-windows-gnu.zip",
    ] {
        std::fs::write(out.join(format!("lode-{VERSION}-{other}")), other).unwrap();
    }
    std::fs::write(workshop.path("key"), "1").unwrap();
    let mut gather = workshop.script(&source, "packaging/release.sh");
    gather.arg("--gather").arg(&out).env("LODE_HOME", "https://home.example/lode");
    let (done, said) = output(gather.env("LODE_SIGNING_KEY", workshop.path("key")));
    assert!(done, "{said}");

    let places = ["TAP", "BUCKET", "AUR"].map(|name| (name, workshop.path(&format!("{name}.git"))));
    for (_, place) in &places {
        assert!(Command::new("git").args(["init", "-q", "--bare"]).arg(place).status().unwrap().success());
    }
    let publish = |more: &[&str], token: &str| {
        let mut command = workshop.script(&source, ".ci/publish");
        command.arg(&out).args(more).envs(places.clone()).env("CARGO_REGISTRY_TOKEN", token);
        output(&mut command)
    };
    let handed_on = |place: usize, file: &str| {
        let mut git = Command::new("git");
        let (done, text) = output(git.arg("-C").arg(&places[place].1).args(["show", &format!("HEAD:{file}")]));
        done.then_some(text)
    };
    let (done, said) = publish(&["--dry-run"], "x");
    assert!(done && said.contains("lode.rb") && said.contains("but not pushed"), "{said}");
    assert!(
        said.contains("cargo publish --workspace --locked --exclude lode-suites --exclude lode-tests --dry-run"),
        "{said}"
    );
    assert_eq!(handed_on(0, "Formula/lode.rb"), None);

    let (done, said) = publish(&[], "");
    assert!(done && said.contains("no token for the registry is set") && !said.contains("cargo publish"), "{said}");
    for (place, file, manifest) in [(0, "Formula/lode.rb", "lode.rb"), (1, "bucket/lode.json", "scoop-lode.json")] {
        let text = std::fs::read_to_string(out.join("manifests").join(manifest)).unwrap();
        assert_eq!(handed_on(place, file), Some(text), "{file}");
    }
    assert!(handed_on(2, "PKGBUILD").is_some());
    let summary = handed_on(2, ".SRCINFO").unwrap();
    let address = format!("source_x86_64 = https://home.example/lode/releases/download/v{VERSION}/{archive}");
    assert!(summary.starts_with("pkgbase = lode-prospect-bin\n") && summary.contains(&address), "{summary}");
    let (done, said) = publish(&[], "x");
    assert!(done && said.matches("is there already").count() == 3 && said.contains("cargo publish"), "{said}");

    // What its installer refuses goes nowhere.
    std::fs::write(out.join(&archive), "another").unwrap();
    let (done, said) = publish(&[], "x");
    assert!(
        !done && said.contains("its sum differs") && !said.contains("publish:") && !said.contains("cargo"),
        "{said}"
    );
}
