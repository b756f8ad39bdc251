//! Settings from file and environment: which profile is used, where its keys come from, and what is said about mistakes.
#![allow(clippy::disallowed_methods)] // Tests write their settings.

use common::asking::Small;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::PermissionsExt;

use lode_core::contact::{Side, Source};
use lode_core::credits::Credits;
use lode_core::filter::Filter;
use lode_core::money::Caps;
use lode_core::query::Query;
use lode_core::saved::SavedSearch;
use lode_core::time::Now;
use lode_engine::effect::call::Reply;
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::files::{FileReply, SavedCall};
use lode_engine::effect::profile::{Keeping, NewService};
use lode_engine::effect::profile::{Sizes, WindowId};
use lode_engine::effect::store::{StoreCall, StoreReply};
use lode_host::config::environment::Environment;
use lode_host::config::{self, ChosenProfile, ConfigProblem, KeySource, edit};
use lode_host::profiles;
use lode_host::saved::SavedFiles;
use lode_host::secrets;
use lode_host::store::Store;
use lode_sandbox::server::{Sandbox, SandboxSettings};
use secrecy::{ExposeSecret, SecretString};

struct Bench {
    folder: tempfile::TempDir,
    variables: BTreeMap<String, OsString>,
}

impl Bench {
    fn new() -> Bench {
        let folder = common::folder();
        let mut bench = Bench { folder, variables: BTreeMap::new() };
        let (config, state) = (bench.folder.path().join("config"), bench.folder.path().join("state"));
        bench.set("LODE_CONFIG_DIR", config.to_str().unwrap());
        bench.set("LODE_STATE_DIR", state.to_str().unwrap());
        bench
    }

    fn set(&mut self, name: &str, value: &str) {
        self.variables.insert(name.to_owned(), value.into());
    }

    fn file(self, text: &str) -> Bench {
        std::fs::create_dir_all(self.folder.path().join("config")).unwrap();
        std::fs::write(self.folder.path().join("config/config.toml"), text).unwrap();
        self
    }

    fn with(mut self, name: &str, value: &str) -> Bench {
        self.set(name, value);
        self
    }

    fn environment(&self) -> Environment {
        Environment::from(|name| self.variables.get(name).cloned())
    }

    fn choose(&self) -> Result<Option<ChosenProfile>, ConfigProblem> {
        let environment = self.environment();
        config::choose(&config::load(&environment)?, &environment, None)
    }

    fn chosen(&self) -> ChosenProfile {
        self.choose().unwrap().expect("a profile")
    }

    fn ready(&self) -> secrets::Ready {
        secrets::open(&self.chosen(), &Source::ALL, WindowId("test".to_owned()), &|_| {})
    }

    /// What is said about the file, without the folder it is in.
    fn problem(&self) -> String {
        let problem = self.choose().unwrap_err();
        assert!(problem.hint.contains("`lode"), "the hint names a command: {}", problem.hint);
        let folder = format!("{}/", self.folder.path().join("config").display());
        problem.to_string().replace(&folder, "")
    }
}

const TWO: &str = r#"
profile = "acme prod"

[profiles.other.data]
url = "https://data.example/"
key = { command = "echo dk_1" }

[profiles."acme prod".workspace]
url = "https://api.example"
key = { file = "acme.key" }

[profiles."acme prod".caps]
session = 200
day = 500

[profiles."acme prod".unlock]
large_from = 400

[keys.results]
stage = ["Space", "x"]
unstage = "X"
"#;

#[test]
fn nothing_is_set_and_nothing_is_written() {
    let bench = Bench::new();
    assert!(bench.choose().unwrap().is_none());
    assert!(!bench.folder.path().join("config").exists());
    edit::apply(&bench.environment(), &[]).unwrap();
    assert!(bench.folder.path().join("config").exists(), "the commented file of a new user");
    assert!(bench.choose().unwrap().is_none(), "the template explains everything and sets nothing");
}

#[test]
fn the_template_is_right_when_its_lines_are_switched_on() {
    let on: String = edit::TEMPLATE
        .lines()
        .filter(|line| !line.starts_with("# "))
        .map(|line| format!("{}\n", line.strip_prefix('#').unwrap_or(line)))
        .collect();
    // Three places for a key are shown; a file has one of them.
    let mut keys = 0;
    let one_key: String = on
        .lines()
        .filter(|line| {
            keys += usize::from(line.starts_with("key = "));
            !line.starts_with("key = ") || keys == 1 || line.ends_with("\"keyring\"")
        })
        .map(|line| format!("{line}\n"))
        .collect();
    let chosen = Bench::new().file(&one_key).chosen();
    assert_eq!((chosen.profile.name.as_str(), chosen.profile.live), ("acme", true));
    assert!(chosen.workspace.is_some() && chosen.data.is_some());
    assert_eq!(chosen.profile.caps.day, Some(Credits(500)));
}

#[test]
fn a_profile_is_chosen_and_completed() {
    let bench = Bench::new().file(TWO);
    let chosen = bench.chosen();
    let Sizes { batch, large_batch, large_from } = chosen.profile.sizes;
    assert_eq!((chosen.profile.name.as_str(), batch, large_batch, large_from), ("acme prod", 25, 100, 400));
    assert_eq!((chosen.profile.caps.call, chosen.profile.caps.session), (None, Some(Credits(200))));
    assert!(chosen.profile.live && chosen.data.is_none());
    assert_eq!(chosen.workspace.unwrap().base.url, "https://api.example/api/v1");
    assert_eq!(chosen.said, ["the Workspace address ends in /api/v1: using https://api.example/api/v1"]);
    assert_eq!(Bench::new().file(TWO).with("LODE_PROFILE", "other").chosen().profile.name, "other");
    let first = TWO.replace("profile = \"acme prod\"", "");
    assert_eq!(Bench::new().file(&first).chosen().profile.name, "other", "without a word the first of the file");
    let none = Bench::new().file(TWO).with("LODE_PROFILE", "acme");
    assert_eq!(none.problem(), "unknown profile `acme`. Did you mean `acme prod`?");
    let config = config::load(&bench.environment()).unwrap();
    assert_eq!(config.bindings.len(), 2);
    assert_eq!(
        (config.bindings[1].name.as_str(), config.bindings[1].keys.as_slice()),
        ("unstage", &["X".to_owned()][..])
    );
}

#[test]
fn the_environment_alone_is_a_whole_profile() {
    let bench = Bench::new()
        .with("LODE_WORKSPACE_URL", "http://127.0.0.1:4000/api/v1")
        .with("LODE_WORKSPACE_KEY", "ak_test_0123456789abcdef")
        .with("LODE_DATA_URL", "http://127.0.0.1:4001");
    let ready = bench.ready();
    assert_eq!((ready.profile.name.as_str(), ready.profile.live), ("env", false));
    assert_eq!(ready.profile.from_environment, ["LODE_WORKSPACE_URL", "LODE_WORKSPACE_KEY", "LODE_DATA_URL"]);
    let workspace = ready.profile.workspace.unwrap();
    assert_eq!((workspace.origin.as_str(), workspace.shown.as_str()), ("http://127.0.0.1:4000", "ak_te"));
    assert_eq!((workspace.allowance.requests, workspace.allowance.window_ms), (Some(120), 60_000));
    assert_eq!(ready.workspace.unwrap().key.expose_secret(), "ak_test_0123456789abcdef");
    assert!(ready.profile.data.is_none());
    assert_eq!(ready.problems[0].1.words, "no key is set for the Data API");
    let named = Bench::new().with("LODE_PROFILE", "ci").with("LODE_DATA_URL", "https://data.example");
    assert_eq!((named.chosen().profile.name.as_str(), named.chosen().profile.live), ("ci", true));
    let empty = Bench::new().with("LODE_WORKSPACE_URL", "").with("LODE_WORKSPACE_KEY", "");
    assert!(empty.choose().unwrap().is_none(), "an empty variable says nothing");
    let lonely = Bench::new().file(TWO).with("LODE_DATA_KEY", "dk_1");
    assert_eq!(lonely.chosen().said[1], "LODE_DATA_KEY is set, but no address for it: set LODE_DATA_URL as well");
}

#[test]
fn a_stored_key_goes_to_its_origin_only() {
    let bench = Bench::new().file(TWO).with("LODE_WORKSPACE_URL", "https://other.example/api/v1");
    let KeySource::Missing(why) = bench.chosen().workspace.unwrap().key else { panic!("the key of another origin") };
    let stored = "the stored key belongs to https://api.example, and LODE_WORKSPACE_URL names https://other.example";
    assert_eq!(why, format!("{stored}: set LODE_WORKSPACE_KEY as well"));
    let same = Bench::new().file(TWO).with("LODE_WORKSPACE_URL", "https://api.example/v2/api/v1");
    assert!(matches!(
        same.chosen().workspace.unwrap().key,
        KeySource::Stored(lode_host::config::file::KeyPlace::File(_))
    ));
    let both = bench.with("LODE_WORKSPACE_KEY", "ak_2");
    assert!(matches!(both.chosen().workspace.unwrap().key, KeySource::Given { .. }));
}

#[test]
fn mixed_addresses_are_live() {
    let mixed = Bench::new()
        .with("LODE_WORKSPACE_URL", "http://localhost:1/api/v1")
        .with("LODE_DATA_URL", "https://data.example");
    assert!(mixed.chosen().profile.live);
    assert!(!Bench::new().with("LODE_DATA_URL", "http://[::1]:1").chosen().profile.live);
}

#[test]
fn the_allowance_is_set_for_this_machine_only() {
    let text = |url: &str| format!("[profiles.a.workspace]\nurl = \"{url}\"\nrequests = 5\nwindow_ms = 1000\n");
    let allowance = Bench::new().file(&text("http://127.0.0.1:9/api/v1")).chosen().workspace.unwrap().allowance;
    assert_eq!((allowance.requests, allowance.window_ms), (Some(5), 1_000));
    assert_eq!(
        Bench::new().file(&text("https://api.example/api/v1")).problem(),
        "config.toml, line 4, column 1: `window_ms` is decided by the service: it can be set only for addresses on this machine"
    );
    let elsewhere =
        Bench::new().file(&text("http://127.0.0.1:9/api/v1")).with("LODE_WORKSPACE_URL", "https://api.example/api/v1");
    assert_eq!(elsewhere.chosen().workspace.unwrap().allowance.requests, Some(120));
}

#[test]
fn mistakes_are_told_with_their_line() {
    let cases = [
        ("profile = ", "config.toml, line 1, column 11: "),
        (
            "[profiles.a.caps]\nsesion = 5",
            "config.toml, line 2, column 1: unknown setting `sesion`. Did you mean `session`?",
        ),
        ("[profiles.a.caps]\nday = -1", "config.toml, line 2, column 7: `day` is a whole number, 0 or more"),
        ("[profiles.a.caps]\nday = \"5\"", "config.toml, line 2, column 7: `day` is a whole number, 0 or more"),
        (
            "\n\n[profiles.a.unlock]\nbatch = 101",
            "config.toml, line 4, column 9: `batch` is a whole number from 1 to 100",
        ),
        (
            "[profiles.a.workspace]\nurl = \"http://api.example\"",
            "config.toml, line 2, column 7: `http://api.example` would send the key unencrypted",
        ),
        (
            "[profiles.a.workspace]\nkey = \"ak_live_secret\"",
            "config.toml, line 2, column 7: a key is never written here",
        ),
        ("[profiles.\"../x\".data]\n", "config.toml, line 1, column 11: a profile name contains only letters"),
        ("profile = \"b\"\n[profiles.a.data]", "config.toml, line 1, column 11: no profile `b` in this file"),
        ("[keys.results]\nstage = 5", "config.toml, line 2, column 9: `stage` is a list of keys"),
        ("hue = 1", "config.toml, line 1, column 1: unknown setting `hue`"),
        ("log = \"loud\"", "config.toml, line 1, column 7: `log` is \"error\", \"info\" or \"debug\""),
        ("profiles = 3", "config.toml, line 1, column 12: `profiles` is a table"),
        ("# ä\u{1F600}\nprofile = 1", "config.toml, line 2, column 11: `profile` is a text in quotes"),
    ];
    for (text, wanted) in cases {
        let problem = Bench::new().file(text).problem();
        assert!(problem.starts_with(wanted), "{text:?}: {problem}");
        assert!(!problem.contains("ak_live_secret"));
    }
    let bench = Bench::new().file("");
    std::fs::write(bench.folder.path().join("config/config.toml"), b"profile = \"\xff\"").unwrap();
    assert_eq!(bench.problem(), "config.toml, line 1, column 12: this is not UTF-8 text");
    let address = Bench::new().with("LODE_DATA_URL", "https://me:word@data.example");
    assert!(address.problem().starts_with("LODE_DATA_URL: a URL must not contain a user"));
}

#[test]
fn keys_come_from_where_they_are_kept() {
    let text = "[profiles.a.workspace]\nurl = \"https://api.example/api/v1\"\nkey = { file = \"a.key\" }\n\
                [profiles.a.data]\nurl = \"https://data.example\"\nkey = { command = \"printf 'dk_7777777777777777777\\n\\n'\" }\n";
    let bench = Bench::new().file(text);
    let missing = bench.ready();
    assert_eq!(missing.data.unwrap().key.expose_secret(), "dk_7777777777777777777");
    assert!(missing.problems[0].1.words.ends_with("a.key does not exist"), "{:?}", missing.problems);
    let file = lode_host::config::file::KeyPlace::File("a.key".into());
    let owner = |origin| secrets::KeyOwner { profile: "a", source: Source::Workspace, origin };
    let key = SecretString::from("ak_live_9999999999999999999".to_owned());
    secrets::keep(&file, &bench.environment().config_dir, owner("https://api.example"), &key).unwrap();
    let ready = bench.ready();
    assert_eq!(ready.problems, []);
    assert_eq!(ready.profile.note.as_deref(), Some("key in a file"));
    assert!(!format!("{ready:?}").contains("9999"), "no key in a debug form");
    secrets::keep(&file, &bench.environment().config_dir, owner("https://old.example"), &key).unwrap();
    assert!(bench.ready().problems[0].1.words.contains("belongs to https://old.example"));
    let key_file = bench.environment().config_dir.join("a.key");
    std::fs::set_permissions(&key_file, std::fs::Permissions::from_mode(0o604)).unwrap();
    assert!(bench.ready().problems[0].1.words.ends_with("can be read by others"));
}

fn new_service(source: Source, url: &str) -> NewService {
    let key = SecretString::from("ak_live_9999999999999999999".to_owned());
    NewService { source, url: url.to_owned(), key, keeping: Keeping::File }
}

#[test]
fn a_profile_is_made_renamed_and_removed_with_all_that_is_its_own() {
    let bench = Bench::new();
    let environment = bench.environment();
    let workspace = new_service(Source::Workspace, "https://api.example");
    profiles::keep(&environment, "acme", &workspace).unwrap();
    profiles::keep(&environment, "acme", &new_service(Source::Data, "https://data.example/")).unwrap();
    let caps = Caps { day: Some(Credits(50)), ..Caps::default() };
    profiles::bound(&environment, "acme", caps).unwrap();
    let ready = bench.ready();
    assert_eq!((ready.profile.name.as_str(), ready.profile.caps, ready.problems.len()), ("acme", caps, 0));
    assert_eq!(ready.workspace.unwrap().base.url, "https://api.example/api/v1");
    assert_eq!(ready.profile.note.as_deref(), Some("keys in files"));
    let text = std::fs::read_to_string(config::path(&environment)).unwrap();
    assert!(text.starts_with("# Settings of lode.") && !text.contains("9999"), "{text}");

    let mut query = Query::new(Side::default());
    query.set(Filter::Title, "nurse").unwrap();
    let saved = SavedSearch::new("nurses".to_owned(), query);
    SavedFiles::of(&environment, "acme").perform(&SavedCall::Add(saved)).unwrap();
    let mut store = Store::open(&environment.state_dir, WindowId("one".to_owned()));
    let place = StoreCall::Place { profile: "acme".to_owned(), text: "row 7".to_owned() };
    store.perform(place, Now::default()).unwrap();
    profiles::rename(&environment, "acme", "acme prod").unwrap();
    let renamed = bench.ready();
    assert_eq!((renamed.profile.name.as_str(), renamed.problems.len()), ("acme prod", 0));
    let place = StoreCall::PlaceOf { profile: "acme prod".to_owned() };
    assert_eq!(store.perform(place, Now::default()), Ok(StoreReply::Place(Some("row 7".to_owned()))));
    let saved_searches = SavedFiles::of(&environment, "acme prod");
    let FileReply::Saved { saved, .. } = saved_searches.perform(&SavedCall::List).unwrap() else { panic!() };
    assert_eq!(saved.len(), 1);

    profiles::keep(&environment, "other", &new_service(Source::Workspace, "https://other.example")).unwrap();
    let taken = profiles::rename(&environment, "other", "acme prod").unwrap_err();
    assert_eq!(taken.words, "there is a profile `acme prod` already");
    assert!(profiles::rename(&environment, "other", "../x").is_err());
    assert!(profiles::remove(&environment, "missing").is_err());
    profiles::remove(&environment, "acme prod").unwrap();
    assert_eq!(bench.chosen().profile.name, "other");
    let keys = std::fs::read_dir(&environment.config_dir).unwrap().flatten();
    let keys: Vec<_> =
        keys.map(|entry| entry.file_name()).filter(|name| name.to_string_lossy().ends_with(".key")).collect();
    assert_eq!(keys, ["other-workspace.key"], "the keys of the removed one are gone");
    let plain = profiles::keep(&environment, "other", &new_service(Source::Data, "http://data.example")).unwrap_err();
    assert!(plain.words.ends_with("use https"), "{}", plain.words);
}

#[test]
fn a_key_is_proved_before_it_is_kept() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let prove = |source, url: &str, key: &str| {
        runtime.block_on(profiles::prove(source, url, &SecretString::from(key.to_owned())))
    };
    let proved = prove(Source::Workspace, &sandbox.workspace_url, &sandbox.workspace_key);
    assert!(matches!(proved, Ok(Reply::Me(account)) if account.may_unlock()));
    assert!(matches!(prove(Source::Data, &sandbox.data_url, &sandbox.data_key), Ok(Reply::Counts(_))));
    for (source, url) in [(Source::Workspace, &sandbox.workspace_url), (Source::Data, &sandbox.data_url)] {
        let wrong = prove(source, url, "wrong");
        assert!(matches!(wrong, Err(Failure::Refused { why: Refusal::Key, .. })), "{wrong:?}");
    }
    let plain = prove(Source::Workspace, "http://api.example", "k");
    assert!(matches!(plain, Err(Failure::Unsent { .. })));
}
