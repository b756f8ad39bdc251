//! Two real processes on one key, judged by the log of the sandbox: the allowance is shared over the machine, in whatever
//! order the processes come and whatever their state folders are.
#![allow(clippy::disallowed_methods)] // Starts processes and writes their settings.

use common::asking::Small;
use std::process::{Child, Command, Stdio};

use lode_sandbox::rate::{RateLimit, busiest};
use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::ServiceSetup;

/// Two processes that send requests, while the service allows a number of them in any window. Each has the state folder
/// that it is given here.
fn two_processes(requests_each: u64, allowance: RateLimit, states: [&str; 2]) {
    let setup = ServiceSetup { allowance, us_rows: 3_000, ..ServiceSetup::small() };
    let sandbox = Sandbox::start(SandboxSettings { setup, ..SandboxSettings::default() }).unwrap();
    sandbox.service().state().max_page = Some(2);
    let folder = common::folder();
    let config = folder.path().join("config");
    std::fs::create_dir_all(&config).unwrap();
    let RateLimit { requests, window_ms } = allowance;
    let url = &sandbox.workspace_url;
    let settings =
        format!("[profiles.shared.workspace]\nurl = \"{url}\"\nrequests = {requests}\nwindow_ms = {window_ms}\n");
    std::fs::write(config.join("config.toml"), settings).unwrap();
    let rows = (requests_each * 2).to_string();
    let start = |(name, state): (&str, &str)| -> Child {
        // Into a file: a pipe that is not read while the other process is waited for would stop this one in the middle.
        let rows_file = std::fs::File::create(folder.path().join(name)).unwrap();
        Command::new(env!("CARGO_BIN_EXE_lode"))
            .args(["search", "--limit", &rows, "--json"])
            .env_clear()
            .env("HOME", folder.path())
            .env("LODE_CONFIG_DIR", &config)
            .env("LODE_STATE_DIR", folder.path().join(state))
            .env("LODE_RUNTIME_DIR", folder.path().join("runtime"))
            .env("LODE_PROFILE", "shared")
            .env("LODE_WORKSPACE_KEY", &sandbox.workspace_key)
            .stdin(Stdio::null())
            .stdout(rows_file)
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let names = [("one", states[0]), ("two", states[1])];
    for (child, (name, _)) in names.map(start).into_iter().zip(names) {
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{said}");
        let printed = std::fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(printed.lines().count() as u64, requests_each * 2, "{said}");
    }
    let log = sandbox.service().log();
    let refused = log.iter().filter(|received| received.status == 429).count();
    let receipts: Vec<u64> = log.iter().map(|received| received.at_ms).collect();
    assert_eq!(refused, 0, "no request was one too many");
    assert!(receipts.len() as u64 >= requests_each * 2);
    assert!(busiest(&receipts, window_ms) <= requests as usize);
    let took = receipts.last().unwrap() - receipts.first().unwrap();
    println!(
        "{} requests in {took} ms, at most {} in any {window_ms} ms, no 429",
        receipts.len(),
        busiest(&receipts, window_ms)
    );
    // Each slot is used once a window: what could not be sent at once waited for as many windows as it had to. A busy machine
    // may take its time as well.
    let waits = (receipts.len() as u64 - 1) / u64::from(requests);
    assert!(took >= waits * window_ms && took < waits * window_ms + window_ms.max(10_000), "{waits} waits, {took} ms");
}

#[test]
fn two_processes_share_one_allowance() {
    two_processes(60, RateLimit { requests: 20, window_ms: 600 }, ["state", "state"]);
}

#[test]
fn two_state_folders_share_one_allowance() {
    two_processes(60, RateLimit { requests: 20, window_ms: 600 }, ["state", "other"]);
}

/// `cargo test --test program limiter -- --ignored --nocapture`
#[test]
#[ignore = "takes four minutes: the real 120 in the real 60 seconds"]
fn two_processes_share_the_real_allowance() {
    two_processes(300, RateLimit { requests: 120, window_ms: 60_000 }, ["state", "other"]);
}

/// Where they are counted is one place for the user, whatever the environment says.
#[test]
fn no_variable_but_its_own_moves_the_place_where_requests_are_counted() {
    let home = common::folder();
    let place = |environment: &[(&str, &str)]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_lode"));
        command.args(["doctor", "--json"]).env_clear().env("HOME", home.path());
        command.env("LODE_CONFIG_DIR", home.path().join("config")).env("LODE_STATE_DIR", home.path().join("state"));
        command.envs(environment.iter().map(|(name, folder)| (*name, home.path().join(folder))));
        let said = String::from_utf8(command.output().unwrap().stdout).unwrap();
        said.lines().find(|line| line.contains("\"requests\"")).expect(&said).to_owned()
    };
    let usual = place(&[]);
    std::fs::create_dir(home.path().join("elsewhere")).unwrap();
    assert_eq!(place(&[("XDG_RUNTIME_DIR", "elsewhere"), ("TMPDIR", "elsewhere"), ("LODE_STATE_DIR", "other")]), usual);
    assert!(place(&[("LODE_RUNTIME_DIR", "named")]).contains("named"));
}
