//! Each money rule and each defect that was once here, put back on purpose: the simulation must catch it within 500 seeds.
//!
//! The code has each defect behind `put_back("its-id")`, which is false in every build without `--cfg put_back`.
//! `cargo test --profile bench --test sim -- --ignored every_defect_is_caught --nocapture` builds once with it, into `target/put-back`, runs the
//! simulation for each defect and prints the first seed that caught it; `PUT_BACK_ONLY=WORDS` tries those with the words in their ids.
//! `every_rule_weakened_in_the_machine_is_noticed` does the same with the traces of the model, for each money rule.
//!
//! Not in the list, because no service, process or disk of the simulation can show them, with the tests that do: whom an entry of a
//! suppression list names (`tests/program/cli/checked.rs`, `core::suppress`), the review that Enter shows again (`tests/program/pty/changed.rs`),
//! a server for assistants that runs for days (`tests/program/assistant/changed.rs`), keys in answers (`tests/program/cli/echoes.rs`), a ledger that is gone
//! (`tests/program/cli/ledger.rs`), and what only the words of a command decide (`tests/program/cli/recover.rs`). Too
//! rare for 500 seeds: two windows that send the same batch again within the same seconds (`tests/store/money.rs`).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Ids and sentences. This list is frozen: a defect is never removed or changed, only added. Where types make one impossible, its
/// line stays and names the error of the compiler.
const DEFECTS: &[(&str, &str)] = &[
    ("send-before-intent", "A batch is sent before it is written down."),
    ("resend-other-ids", "A batch that was lost is sent again without its first contact."),
    ("read-before-stored", "A response is read before it is stored."),
    ("print-without-contact", "What cannot be stored is printed without the contact that was paid for."),
    ("unknown-before-printed", "A contact is printed as unknown before its response that cannot be stored."),
    ("lost-is-free", "A lost response counts as nothing bought."),
    ("resend-unchecked", "A batch is sent again without a free check."),
    ("resend-owned", "A batch is sent again although the free check found its contacts owned."),
    ("buy-owned", "A contact that is owned by now is bought."),
    ("two-open-batches", "A contact is in two open batches."),
    ("amount-ignored", "A command spends more than the amount it names."),
    ("session-cap-ignored", "The cap of the session is not checked."),
    ("day-cap-ignored", "The cap of the day is not checked."),
    ("holds-ignored", "Credits that open batches may cost do not count for the cap of the day."),
    ("one-purse", "Two services share one purse."),
    ("session-per-profile", "The cap of the session starts again with each profile."),
    ("leave-with-unlock", "Leaving drops an unlock that is on the wire."),
    ("believe-refusal", "A refusal counts as nothing bought."),
    ("believe-429", "A 429 counts as nothing bought."),
    ("believe-redirect", "A redirect counts as nothing bought."),
    ("refused-is-already", "A contact that a refused request bought counts as owned before."),
    ("contradictions-pass", "Sums that contradict a response are accepted."),
    ("no-alarm", "A charge above the batch raises no alarm."),
    ("locked-at-once", "One free check proves a contact locked, without the wait."),
    ("outdated-conclusion", "A conclusion holds although the batch was sent again since."),
    ("second-for-first", "The response to the second sending settles the first."),
    ("staged-twice", "A row that was staged twice is bought twice."),
    ("changed-unseen", "A quote that changed since it was shown is accepted."),
    ("new-list-ignored", "A list that was added since the review is ignored."),
    ("new-limit-ignored", "A limit per company that was saved since the review is ignored."),
    ("old-caps", "A batch is written down with the caps of the review."),
    ("old-key", "A key that was replaced still pays."),
    ("old-settings", "Settings are those the program started with."),
    ("resend-listed", "A batch with a contact that was listed since is sent again."),
    ("best-excluded", "The best of a search include rows that it excludes."),
    ("best-of-other-search", "The best of a search are chosen by the exclusions of the search shown now."),
    ("page-excluded", "Rows taken from a page include rows that the search excludes."),
    ("company-limit-ignored", "More contacts of a company are bought than wanted."),
    ("best-not-first", "The best contacts are not bought first."),
];

/// Defects that only a mistake of our own can show. The model makes one.
const AFTER_A_MISTAKE: &[(&str, &str)] =
    &[("impossible-goes-on", "A batch that is not the one that was written down is sent again all the same.")];

/// Which defects stand for a money rule that is left out of the machine.
const RULES: &[(&str, &[&str])] = &[
    ("shown is paid", &["new-list-ignored"]),
    ("intent before send", &["send-before-intent"]),
    ("same batch, same ids", &["resend-other-ids", "resend-unchecked", "resend-owned"]),
    ("never twice", &["two-open-batches", "buy-owned"]),
    ("holds", &["holds-ignored"]),
    ("unknown is a state", &["lost-is-free", "outdated-conclusion"]),
    ("partial is normal", &["no-alarm", "second-for-first"]),
    ("bounded", &["day-cap-ignored"]),
    ("responses are stored first", &["read-before-stored", "print-without-contact"]),
    ("one purse", &["one-purse"]),
    ("typed", &["amount-ignored"]),
    ("impossible stops", &["impossible-goes-on"]),
    // The compiler keeps this one: the defect has to forge the proof of the store.
    ("one way out", &["send-before-intent"]),
];

/// The ids in the code, each as often as it stands there.
fn ids_in(folder: &Path, found: &mut Vec<String>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        if entry.file_type().unwrap().is_dir() {
            ids_in(&entry.path(), found);
        } else if entry.path().extension().is_some_and(|extension| extension == "rs") {
            let code = std::fs::read_to_string(entry.path()).unwrap();
            let ids = code.split("put_back(\"").skip(1).filter_map(|rest| rest.split_once('"'));
            found.extend(ids.map(|(id, _)| id.to_owned()));
        }
    }
}

#[test]
fn every_defect_is_in_the_code() {
    let mut found = Vec::new();
    ids_in(&common::root().join("src"), &mut found);
    let found: BTreeSet<&str> = found.iter().map(String::as_str).collect();
    let listed: BTreeSet<&str> = DEFECTS.iter().chain(AFTER_A_MISTAKE).map(|(id, _)| *id).collect();
    assert_eq!(found, listed);
    assert_eq!(listed.len(), DEFECTS.len() + AFTER_A_MISTAKE.len(), "an id is listed twice");
}

/// Builds the simulation with the defects in it, in the profile of this build, and returns its binary.
fn build() -> PathBuf {
    let mut command = Command::new(env!("CARGO"));
    command.args(["test", "--locked", "--test", "sim", "--no-run", "--message-format=json"]);
    if !lode_host::failpoint::ENABLED {
        command.args(["--profile", "bench"]);
    }
    command.current_dir(common::root()).env("CARGO_TARGET_DIR", common::root().join("target/put-back"));
    command.env("RUSTFLAGS", "--cfg put_back").env_remove("CARGO_ENCODED_RUSTFLAGS");
    // Without it, each commit builds lode again.
    command.env("LODE_COMMIT", "put-back");
    let output = command.stderr(Stdio::inherit()).output().unwrap();
    assert!(output.status.success(), "the build with the defects failed");
    let programs = common::built::test_programs(&String::from_utf8_lossy(&output.stdout));
    let binary = programs.into_iter().find_map(|(name, path)| (name == "sim").then_some(path));
    binary.expect("cargo names the binary of the simulation")
}

/// What `test` prints first that breaks a rule with this defect, and the rule. `None` where nothing does.
fn caught(binary: &Path, defect: &str, test: &str) -> Option<String> {
    let mut command = Command::new(binary);
    command.args([test, "--exact", "--ignored", "--nocapture"]);
    let output = command.current_dir(common::root()).env("PUT_BACK", defect).output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    let first = printed.split_once("broken by ").and_then(|(_, first)| first.lines().next());
    assert!(first.is_some() || printed.contains(" broke a rule"), "{defect}: {printed}");
    first.map(str::to_owned)
}

#[test]
#[ignore = "builds lode once more and runs the simulation for each defect: run it in release"]
fn every_defect_is_caught() {
    assert_eq!(missed_by("put_back::first_broken_seed", DEFECTS), Vec::<&str>::new());
}

/// The defects that cannot occur in the closed world, and why.
const NOT_CLOSED: &[(&str, &[&str])] = &[
    (
        "Its commands name ids: it has no searches, baskets, reviews or limits per company.",
        &[
            "staged-twice", "changed-unseen", "new-limit-ignored", "best-excluded", "best-of-other-search",
            "page-excluded", "company-limit-ignored", "best-not-first",
        ],
    ),
    (
        "It has one profile, one service and no cap of a session.",
        &["session-cap-ignored", "session-per-profile", "one-purse"],
    ),
];

#[test]
#[ignore = "builds lode once more and goes through the closed world for each defect"]
fn every_defect_of_the_closed_world_is_caught_there() {
    let can_occur = |id: &str| !NOT_CLOSED.iter().any(|(_, ids)| ids.contains(&id));
    let defects: Vec<_> = DEFECTS.iter().copied().filter(|(id, _)| can_occur(id)).collect();
    assert!(defects.len() >= 25);
    assert_eq!(missed_by("put_back::first_broken_closed_world", &defects), Vec::<&str>::new());
}

/// Each rule left out of the machine: a trace of the model shows that both differ, or the referee sees a rule broken.
#[test]
#[ignore = "builds lode once more and replays the traces of the model for each defect"]
fn every_rule_weakened_in_the_machine_is_noticed() {
    assert!(RULES.iter().map(|(rule, _)| *rule).eq(super::model::rules()), "each rule of the model has a defect");
    let has_rule = |id: &str| RULES.iter().any(|(_, ids)| ids.contains(&id));
    let defects: Vec<_> = DEFECTS.iter().chain(AFTER_A_MISTAKE).copied().filter(|(id, _)| has_rule(id)).collect();
    assert_eq!(missed_by("model::first_broken_trace", &defects), Vec::<&str>::new());
}

/// The defects that `test` does not catch.
fn missed_by(test: &str, defects: &[(&'static str, &str)]) -> Vec<&'static str> {
    let only = std::env::var("PUT_BACK_ONLY").unwrap_or_default();
    let binary = build();
    assert_eq!(caught(&binary, "", test), None, "without any defect");
    let mut missed = Vec::new();
    for (id, sentence) in defects.iter().filter(|(id, _)| id.contains(&only)) {
        let began = std::time::Instant::now();
        let first = caught(&binary, id, test);
        let words = first.as_deref().unwrap_or("not caught");
        println!("{id:<24} {sentence} ({:.0} s)\n    {words}", began.elapsed().as_secs_f64());
        missed.extend(first.is_none().then_some(*id));
    }
    missed
}

/// For the run above and for `.ci/nightly mutants`: the first of 500 seeds that breaks a rule, and which.
#[test]
#[ignore = "part of every_defect_is_caught"]
fn first_broken_seed() {
    let most = super::number("SIM_SEEDS").unwrap_or(500);
    match super::first_broken(super::number("SIM_FIRST").unwrap_or(1), most) {
        Some((seed, words)) => println!("broken by seed {seed}: {}", words.lines().next().unwrap_or_default()),
        None => println!("no seed broke a rule"),
    }
}

/// For the run above: the steps of the closed world that break a rule, and which.
#[test]
#[ignore = "part of every_defect_of_the_closed_world_is_caught_there"]
fn first_broken_closed_world() {
    match super::closed::first_broken() {
        Some((steps, words)) => println!("broken by {steps}: {}", words.lines().next().unwrap_or_default()),
        None => println!("no order of the closed world broke a rule"),
    }
}
