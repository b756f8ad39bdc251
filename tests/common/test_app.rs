//! A sandbox with folders of its own, and the binary run against it.

use crate::asking::{Askable, Small};
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};

use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::faults::FaultRule;
use lode_sandbox::rate::RateLimit;
use lode_sandbox::records::CreditKind;
use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::ServiceSetup;
use lode_sandbox::variants::Variant;
use serde_json::Value;
use tempfile::TempDir;

pub struct TestApp {
    pub sandbox: Sandbox,
    folder: TempDir,
    /// Where its commands find the service; a test may put something between.
    pub workspace_url: String,
    pub workspace_key: String,
    pub data_key: String,
}

#[derive(Debug)]
pub struct Ran {
    pub code: i32,
    pub out: String,
    /// The error stream in the words that a person would read.
    pub err: String,
    /// The error stream as it came: a pipe gets one JSON object a line.
    pub said: String,
}

/// The binary in a folder of its own, told by the environment where its services are and with which keys.
pub fn command(folder: &Path, arguments: &[&str], workspace: (&str, &str), data: (&str, &str)) -> Command {
    let mut command = Command::new(crate::binary());
    command
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .envs(coverage())
        .env("HOME", folder)
        .env("LODE_CONFIG_DIR", folder.join("config"))
        .env("LODE_STATE_DIR", folder.join("state"))
        .env("LODE_RUNTIME_DIR", folder.join("runtime"))
        .env("LODE_WORKSPACE_URL", workspace.0)
        .env("LODE_WORKSPACE_KEY", workspace.1)
        .env("LODE_DATA_URL", data.0)
        .env("LODE_DATA_KEY", data.1)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Where a run measures coverage: a program writes there what it covered.
fn coverage() -> Option<(&'static str, OsString)> {
    let name = "LLVM_PROFILE_FILE";
    Some((name, std::env::var_os(name)?))
}

impl TestApp {
    pub fn new() -> TestApp {
        TestApp::of(Variant::A)
    }

    pub fn of(variant: Variant) -> TestApp {
        TestApp::with(ServiceSetup { variant, ..TestApp::setup() })
    }

    /// Small corpora, enough credits, no limit of the service's.
    pub fn setup() -> ServiceSetup {
        ServiceSetup { allowance: RateLimit { requests: 0, window_ms: 60_000 }, ..ServiceSetup::small() }
    }

    pub fn with(setup: ServiceSetup) -> TestApp {
        let sandbox = Sandbox::start(SandboxSettings { setup, ..SandboxSettings::default() }).unwrap();
        let (workspace_key, data_key) = (sandbox.workspace_key.clone(), sandbox.data_key.clone());
        let workspace_url = sandbox.workspace_url.clone();
        TestApp { workspace_url, sandbox, folder: crate::folder(), workspace_key, data_key }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let workspace = (&*self.workspace_url, &*self.workspace_key);
        command(self.folder.path(), arguments, workspace, (&self.sandbox.data_url, &self.data_key))
    }

    /// A line as a person types it, with `lode` and whatever is in `bin` on the path.
    pub fn shell(&self, line: &str) -> Command {
        let binary = crate::binary().parent().unwrap();
        let mut shell = Command::new("/bin/bash");
        shell.args(["-o", "pipefail", "-c", line]).env_clear().current_dir(self.folder.path());
        shell.envs(self.command(&[]).get_envs().filter_map(|(name, value)| Some((name, value?))));
        shell.env("PATH", format!("{}:{}:/usr/bin:/bin", self.path("bin").display(), binary.display()));
        shell.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        shell
    }

    pub fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).spawn().unwrap())
    }

    /// With something on standard input.
    pub fn fed(&self, arguments: &[&str], input: &str) -> Ran {
        let mut child = self.command(arguments).stdin(Stdio::piped()).spawn().unwrap();
        // A command that refuses its arguments does not read.
        drop(child.stdin.take().unwrap().write_all(input.as_bytes()));
        Ran::of(child)
    }

    pub fn fault(&self, rule: &str) {
        self.sandbox.service().state().faults.rules.push(rule.parse::<FaultRule>().unwrap());
    }

    pub fn org(&self) -> String {
        self.sandbox.service().org()
    }

    pub fn balance(&self) -> i64 {
        self.sandbox.service().balance(&self.org(), self.sandbox.now_ms())
    }

    pub fn set_credits(&self, credits: i64) {
        self.sandbox.service().set_credits(&self.org(), credits, self.sandbox.now_ms());
    }

    /// Ids of the US corpus that the workspace owns by the service's books.
    pub fn owned(&self) -> Vec<u64> {
        self.owned_of(CorpusKind::Us)
    }

    fn owned_of(&self, kind: CorpusKind) -> Vec<u64> {
        self.sandbox.service().owned(&self.org(), kind, self.sandbox.now_ms())
    }

    /// From here on nothing goes wrong any more.
    pub fn calms_down(&self) {
        self.sandbox.service().state().faults.rules = Vec::new();
    }

    /// The service's books and lode's say the same, contact by contact and credit by credit, and whatever was paid for is here.
    #[track_caller]
    pub fn agrees(&self, before: i64, why: &str) {
        let owned = self.run(&["owned", "--json"]).ended(0);
        for (kind, corpus) in [(CorpusKind::Us, "us"), (CorpusKind::Linkedin, "linkedin")] {
            let lines = owned.lines().into_iter().filter(|line| line["corpus"] == corpus);
            let ids: BTreeSet<u64> = lines.map(|line| line["id"].as_u64().unwrap()).collect();
            assert_eq!(ids, self.owned_of(kind).into_iter().collect(), "{why}: {corpus}: {}", owned.out);
        }
        let charged: Vec<(Option<CorpusKind>, u64)> = self.sandbox.service().read(self.sandbox.now_ms(), |books| {
            let charges = books.lines().iter().filter(|line| line.what == CreditKind::Charge);
            charges.map(|line| (line.corpus, line.contact.expect("a charge is for a contact"))).collect()
        });
        assert_eq!(charged.iter().collect::<BTreeSet<_>>().len(), charged.len(), "{why}: charged twice");
        let mut kept = 0;
        for line in owned.lines() {
            let whole = |name: &str| line[name].as_str().is_some_and(|text| !text.is_empty() && !text.contains('•'));
            assert!(whole("email") && whole("phone"), "{why}: {line}");
            kept += i64::from(line["refunded"] == false);
        }
        assert_eq!(before - self.balance(), kept, "{why}: every credit has its contact");
    }

    /// The first `count` contacts that a check will find to be like this.
    pub fn people(&self, verification: CheckOutcome, count: usize) -> Vec<u64> {
        let service = self.sandbox.service();
        (1..=service.setup.us_rows)
            .filter(|id| !service.suppressed(CorpusKind::Us, *id))
            .filter(|id| service.person(CorpusKind::Us, *id).is_some_and(|person| person.verification == verification))
            .take(count)
            .collect()
    }
}

impl Ran {
    pub fn of(child: Child) -> Ran {
        Ran::from(child.wait_with_output().unwrap())
    }

    pub fn from(output: Output) -> Ran {
        let said = String::from_utf8(output.stderr).unwrap();
        Ran {
            code: output.status.code().unwrap_or(-1),
            out: String::from_utf8(output.stdout).unwrap(),
            err: said.lines().map(in_words).collect(),
            said,
        }
    }

    /// The failure as data.
    #[track_caller]
    pub fn error(&self) -> Value {
        let last: Value = serde_json::from_str(self.said.lines().last().unwrap_or_default()).unwrap();
        assert!(last["error"].is_object(), "{self:?}");
        last["error"].clone()
    }

    /// The JSON lines of the output.
    #[track_caller]
    pub fn lines(&self) -> Vec<Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|_| panic!("{self:?}"))).collect()
    }

    #[track_caller]
    pub fn ids(&self) -> Vec<u64> {
        self.lines().iter().filter_map(|line| line["id"].as_u64()).collect()
    }

    #[track_caller]
    pub fn sorted_ids(&self) -> Vec<u64> {
        let mut ids = self.ids();
        ids.sort_unstable();
        ids
    }

    #[track_caller]
    pub fn ended(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "{self:?}");
        self
    }

    /// It failed with this code, one sentence and one hint that names a command.
    #[track_caller]
    pub fn failed(self, code: i32) -> Ran {
        assert_eq!(self.code, code, "{self:?}");
        let sentences = self.err.lines().filter(|line| line.starts_with("lode: ")).count();
        let hints = self.err.lines().filter(|line| line.starts_with("hint: ")).count();
        assert!(sentences == 1 && hints == 1, "{self:?}");
        self
    }

    /// The summary at the end of an unlock.
    #[track_caller]
    pub fn summary(&self) -> Value {
        self.lines().last().map(|line| line["summary"].clone()).unwrap_or_default()
    }
}

/// A line of the error stream as a person would read it on a terminal.
pub fn in_words(line: &str) -> String {
    let data: Value = serde_json::from_str(line).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    match (&data["error"], &data["warning"]) {
        (error @ Value::Object(_), _) => {
            format!("lode: {}\nhint: {}\n", text(&error["message"]), text(&error["hint"]))
        }
        (_, warning @ Value::Object(_)) => format!("{}\n", text(&warning["message"])),
        _ => format!("{line}\n"),
    }
}

/// Ids as arguments.
pub fn words(ids: &[u64]) -> Vec<String> {
    ids.iter().map(u64::to_string).collect()
}
