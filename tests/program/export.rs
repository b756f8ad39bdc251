//! `lode export` as a process: killed, without room on the disk, and against `curl` with a gigabyte.
#![allow(clippy::disallowed_methods)] // Tests start processes and look at files.

use common::asking::Small;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use lode_sandbox::server::{Sandbox, SandboxSettings};

fn lode(folder: &Path, data_url: &str, data_key: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_lode"));
    isolate(&mut command, folder, data_url, data_key);
    command
}

fn isolate(command: &mut Command, folder: &Path, data_url: &str, data_key: &str) {
    command
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", folder)
        .env("LODE_CONFIG_DIR", folder.join("config"))
        .env("LODE_STATE_DIR", folder.join("state"))
        .env("LODE_RUNTIME_DIR", folder.join("runtime"))
        .env("LODE_DATA_URL", data_url)
        .env("LODE_DATA_KEY", data_key)
        .current_dir(folder)
        .stdin(Stdio::null());
}

const EXPORT: [&str; 7] = ["export", "--corpus", "us", "--state", "TX", "-o", "leads.csv"];

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn killed_in_the_middle_it_leaves_nothing_under_the_final_name_and_the_next_run_cleans_up() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let folder = common::folder();
    sandbox.service().state().faults.rules = vec!["drip@export=1:64".parse().unwrap()];
    let mut command = lode(folder.path(), &sandbox.data_url, &sandbox.data_key);
    let mut export = command.args(EXPORT).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let part = folder.path().join("leads.csv.part");
    while !part.exists() {
        assert!(export.try_wait().unwrap().is_none(), "it ended before it began");
        std::thread::yield_now();
    }
    export.kill().unwrap();
    export.wait().unwrap();
    assert!(!folder.path().join("leads.csv").exists());

    sandbox.service().state().faults.rules = Vec::new();
    let output = lode(folder.path(), &sandbox.data_url, &sandbox.data_key).args(EXPORT).output().unwrap();
    assert!(output.status.success(), "{}", said(&output));
    assert!(!part.exists());
    let mut reader = csv::Reader::from_path(folder.path().join("leads.csv")).unwrap();
    assert!(reader.records().count() > 0);
}

#[test]
fn without_room_on_the_disk_it_says_so_and_leaves_nothing() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let folder = common::folder();
    // A limit on the size of files stands for a disk that takes no more.
    let mut command = Command::new("sh");
    isolate(&mut command, folder.path(), &sandbox.data_url, &sandbox.data_key);
    let script = format!("ulimit -f 8; exec {} {} --force", env!("CARGO_BIN_EXE_lode"), EXPORT.join(" "));
    std::fs::write(folder.path().join("leads.csv"), "the last good one").unwrap();
    let output = command.args(["-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains("leads.csv cannot be written"), "{}", said(&output));
    assert_eq!(std::fs::read(folder.path().join("leads.csv")).unwrap(), b"the last good one");
    assert!(!folder.path().join("leads.csv.part").exists());
}

#[test]
fn what_no_disk_can_hold_is_refused_while_it_streams_though_its_length_is_not_known() {
    let vast = common::vast::Vast::start();
    let folder = common::folder();
    let output = lode(folder.path(), &vast.url, "any_key").args(EXPORT).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", said(&output));
    assert!(said(&output).contains(", but only"), "{}", said(&output));
    assert!(said(&output).contains("use `-o FILE` to write it somewhere else"), "{}", said(&output));
    let left = std::fs::read_dir(folder.path())
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains("leads"));
    assert_eq!(left.count(), 0);
}

/// A child that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs to the end; how long it took and the most memory it held.
fn measured(command: &mut Command) -> (Duration, u64) {
    let begun = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut peak = 0;
    loop {
        if let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", child.id())) {
            let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
            let read = line.and_then(|line| line.trim().trim_end_matches(" kB").parse::<u64>().ok());
            peak = read.unwrap_or(peak).max(peak);
        }
        if let Some(status) = child.try_wait().unwrap() {
            assert!(status.success(), "{command:?}");
            return (begun.elapsed(), peak);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// `cargo test --profile bench --test program export::-- --ignored --nocapture`
#[test]
#[ignore = "pulls gigabytes: a measurement for a release build"]
fn as_fast_as_curl_and_no_larger_than_a_terminal_program() {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let rows = "7000000";
    let mut sandbox = Command::new(env!("CARGO_BIN_EXE_lode"));
    isolate(&mut sandbox, folder.path(), "", "");
    sandbox.env_remove("LODE_DATA_URL").env_remove("LODE_DATA_KEY");
    let args = ["sandbox", "--us-rows", rows, "--linkedin-rows", "1000", "--rate", "0"];
    let mut served = Served(sandbox.args(args).stdout(Stdio::piped()).spawn().unwrap());
    let mut line = String::new();
    BufReader::new(served.0.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    let address: serde_json::Value = serde_json::from_str(&line).unwrap();
    let (url, key) = (address["data_url"].as_str().unwrap(), address["data_key"].as_str().unwrap());
    // Most rows pass this filter: more than a gigabyte. Both ask for the same.
    let path = format!("{url}/api/export?corpus=us&email_domain_type=corporate&dedup=0");
    let mut ratios = Vec::new();
    let mut most = 0;
    for round in 1..=5 {
        let script = format!("curl -s -H 'x-api-key: {key}' -o curl.csv '{path}' && sync curl.csv");
        let (curl, curl_peak) = measured(Command::new("sh").current_dir(folder.path()).args(["-c", &script]));
        let mut export = lode(folder.path(), url, key);
        let args = ["export", "--corpus", "us", "--email-domain-type", "corporate", "--no-dedup", "-o", "lode.csv"];
        let (lode, peak) = measured(export.args(args).stdout(Stdio::null()));
        let bytes = std::fs::metadata(folder.path().join("lode.csv")).unwrap().len();
        assert_eq!(bytes, std::fs::metadata(folder.path().join("curl.csv")).unwrap().len());
        let rate = |time: Duration| bytes as f64 / 1e6 / time.as_secs_f64();
        println!(
            "round {round}: {bytes} bytes; curl {:.0} MB/s ({curl_peak} kB), lode {:.0} MB/s ({peak} kB), ratio {:.2}",
            rate(curl),
            rate(lode),
            rate(lode) / rate(curl)
        );
        ratios.push(rate(lode) / rate(curl));
        most = most.max(peak);
    }
    ratios.sort_by(f64::total_cmp);
    let median = ratios[ratios.len() / 2];
    println!("median ratio {median:.2}, peak {most} kB");
    assert!(median >= 0.9, "{median}");
    assert!(most < 32 * 1024, "{most} kB");
}
