//! The programs that are measured: how each is started, and what its keys for the same deeds are.

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::echo;
use super::terminal::{self, Start};

pub const DOWN: &[u8] = b"\x1b[B";
pub const UP: &[u8] = b"\x1b[A";
pub const PAGE_DOWN: &[u8] = b"\x1b[6~";
pub const PAGE_UP: &[u8] = b"\x1b[5~";
pub const ENTER: &[u8] = b"\r";
pub const ESCAPE: &[u8] = b"\x1b";
const BACK: &[u8] = b"\x7f";
/// Stands over the rows once they are here.
pub const READY: &str = " · page ";
pub const WHEEL: &[u8] = b"\x1b[<65;80;20M";

/// The deeds, in the order of the report.
pub const MOVE: &str = "row down";
pub const SCROLL: &str = "row scroll";
pub const BARE_SCROLL: &str = "row scroll, panes off";
pub const PAGE: &str = "page down";
pub const TYPE: &str = "typing";
pub const OPEN: &str = "opening a contact";
pub const SCREENS: &str = "switching screens";
pub const DEEDS: [&str; 7] = [MOVE, SCROLL, BARE_SCROLL, PAGE, TYPE, OPEN, SCREENS];

pub const ECHO: &str = "echo";
pub const DEMO: &str = "lode demo";
pub const LODE: &str = "lode";

type Keys = Vec<&'static [u8]>;

pub struct Action {
    pub deed: &'static str,
    pub before: Keys,
    /// Pressed one after the other, again and again.
    pub cycle: Keys,
    pub after: Keys,
}

pub struct Program {
    pub name: &'static str,
    pub start: Start,
    /// What stands on the first frame, and what when it is ready for use.
    pub first: &'static str,
    pub ready: &'static str,
    pub setup: Keys,
    pub actions: Vec<Action>,
    /// Held keys, and the wheel where the program listens to it.
    pub floods: Vec<(&'static str, &'static [u8])>,
    pub quit: &'static [u8],
}

/// What the programs work on: a sandbox of full size, a table as large as a window.
pub struct TestServices {
    folder: PathBuf,
    sandbox: Child,
    pub workspace_url: String,
    pub workspace_key: String,
    pub data_url: String,
    pub data_key: String,
}

impl Drop for TestServices {
    fn drop(&mut self) {
        let _ = self.sandbox.kill();
        let _ = self.sandbox.wait();
    }
}

impl TestServices {
    pub fn new(folder: &Path) -> TestServices {
        TestServices::with(folder, &[])
    }

    /// With more to say to the sandbox.
    pub fn with(folder: &Path, more: &[&str]) -> TestServices {
        // In a session of its own and behind all others: it stands for services on other machines.
        let mut sandbox = Command::new(std::env::current_exe().expect("this program"))
            .arg(terminal::ASIDE)
            .arg(crate::binary())
            .args(["sandbox", "--rate", "0"])
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the sandbox of the binary under test");
        let mut line = String::new();
        let told = sandbox.stdout.take().map(|out| BufReader::new(out).read_line(&mut line));
        assert!(matches!(told, Some(Ok(1..))), "the sandbox says where it is");
        let told: serde_json::Value = serde_json::from_str(&line).expect("one line of JSON");
        let word = |name: &str| told[name].as_str().unwrap_or_default().to_owned();
        let [workspace_url, workspace_key, data_url, data_key] =
            ["workspace_url", "workspace_key", "data_url", "data_key"].map(word);
        TestServices { folder: folder.to_owned(), sandbox, workspace_url, workspace_key, data_url, data_key }
    }

    /// A folder of its own for one program.
    pub fn folder(&self, name: &str) -> PathBuf {
        let folder = self.folder.join(name);
        std::fs::create_dir_all(&folder).expect("a folder");
        folder
    }

    pub fn start(&self, program: impl Into<OsString>, arguments: &[&str], home: &str) -> Start {
        let home = self.folder(home);
        let path = std::env::var_os("PATH").unwrap_or_default();
        let fixed = [("TERM", "xterm-256color"), ("COLORTERM", "truecolor"), ("LANG", "C.UTF-8")];
        let mut environment: Vec<(String, OsString)> =
            fixed.iter().map(|(name, value)| ((*name).to_owned(), (*value).into())).collect();
        environment.extend([
            ("PATH".to_owned(), path),
            ("HOME".to_owned(), home.clone().into()),
            ("LODE_STATE_DIR".to_owned(), home.join("state").into()),
            ("LODE_RUNTIME_DIR".to_owned(), home.join("runtime").into()),
            ("LODE_CONFIG_DIR".to_owned(), home.join("config").into()),
        ]);
        let arguments = arguments.iter().map(Into::into).collect();
        Start { program: program.into(), arguments, environment, folder: home }
    }

    /// lode beside the sandbox. `requests` stand in its settings where the usual allowance would make it wait.
    pub fn lode(&self, home: &str, requests: Option<u32>) -> Start {
        let mut start = self.start(crate::binary(), &[], home);
        let config = self.folder(home).join("config");
        std::fs::create_dir_all(&config).expect("a folder");
        let requests = requests.map_or(String::new(), |requests| format!("requests = {requests}\n"));
        let service = |name, url: &str| format!("[profiles.bench.{name}]\nurl = \"{url}\"\n{requests}");
        let services = service("workspace", &self.workspace_url) + &service("data", &self.data_url);
        let caps = "[profiles.bench.caps]\ncall = 1000000\nsession = 1000000\nday = 1000000\n";
        std::fs::write(config.join("config.toml"), services + caps).expect("the settings");
        for (name, value) in [
            ("LODE_WORKSPACE_URL", &self.workspace_url),
            ("LODE_WORKSPACE_KEY", &self.workspace_key),
            ("LODE_DATA_URL", &self.data_url),
            ("LODE_DATA_KEY", &self.data_key),
        ] {
            start.environment.push((name.to_owned(), value.into()));
        }
        start
    }
}

fn action(deed: &'static str, before: Keys, cycle: Keys, after: Keys) -> Action {
    Action { deed, before, cycle, after }
}

fn up_and_down() -> Keys {
    [vec![DOWN; 20], vec![UP; 20]].concat()
}

/// To and fro, so that a long run stays within the rows that the allowance has brought.
fn pages() -> Keys {
    [vec![PAGE_DOWN; 20], vec![PAGE_UP; 20]].concat()
}

fn smith() -> Keys {
    [vec![b"s".as_slice(), b"m", b"i", b"t", b"h"], vec![BACK; 5]].concat()
}

fn lode_actions() -> Vec<Action> {
    vec![
        action(MOVE, vec![b"g", b"g"], up_and_down(), vec![]),
        action(SCROLL, [vec![b"g".as_slice(), b"g"], vec![DOWN; 45]].concat(), vec![DOWN], vec![]),
        // F9 goes through three layouts: two presses leave the grid alone, the third brings all panes back.
        action(
            BARE_SCROLL,
            [vec![b"\x1b[20~".as_slice(), b"\x1b[20~", b"g", b"g"], vec![DOWN; 45]].concat(),
            vec![DOWN],
            vec![b"\x1b[20~"],
        ),
        action(PAGE, vec![b"g", b"g"], pages(), vec![]),
        action(TYPE, vec![b"/"], smith(), vec![ESCAPE]),
        action(OPEN, vec![b"g", b"g"], vec![ENTER, ESCAPE], vec![]),
        action(SCREENS, vec![], vec![b"\x1b[13~", b"\x1bOQ"], vec![b"\x1bOQ"]),
    ]
}

/// The programs of this run, those alone that are wanted and installed, and other builds of lode by name and path.
pub fn installed(services: &TestServices, only: &[String], beside: &[(String, String)]) -> Vec<Program> {
    let lode = |name, start| Program {
        name,
        start,
        first: "+ f filter",
        ready: READY,
        setup: vec![],
        actions: lode_actions(),
        floods: vec![("300 Downs", DOWN), ("300 wheel steps", WHEEL)],
        quit: b"q",
    };
    let floor = |deed, cycle| action(deed, vec![], cycle, vec![]);
    let echo = Program {
        name: ECHO,
        start: services.start(std::env::current_exe().unwrap_or_default(), &[echo::NAME], "echo"),
        first: echo::READY,
        ready: echo::READY,
        setup: vec![],
        actions: vec![
            floor(MOVE, up_and_down()),
            floor(SCROLL, vec![DOWN]),
            floor(BARE_SCROLL, vec![DOWN]),
            floor(PAGE, pages()),
            floor(TYPE, smith()),
            floor(OPEN, vec![ENTER, b"x"]),
            floor(SCREENS, vec![b"\x1bOR", b"\x1bOQ"]),
        ],
        floods: vec![("300 Downs", DOWN), ("300 wheel steps", WHEEL)],
        quit: b"q",
    };
    let mut all = vec![
        echo,
        lode(DEMO, services.start(crate::binary(), &["demo", "--rate", "0", "--fault", "latency=0"], "demo")),
        lode(LODE, services.lode("lode", None)),
    ];
    all.extend(others(services));
    let wanted = |program: &Program| only.is_empty() || only.iter().any(|name| name == program.name);
    let mut all: Vec<Program> = all.into_iter().filter(wanted).collect();
    for (name, path) in beside {
        let start = Start { program: path.into(), ..services.lode(name, None) };
        // Names live as long as the program, as those of the others do.
        all.push(lode(String::leak(name.clone()), start));
    }
    all
}

fn others(services: &TestServices) -> Vec<Program> {
    let rows = 100_000;
    let table = services.folder("table").join("contacts.csv");
    let mut found = Vec::new();
    let is_here = |name: &str| {
        let path = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&path).any(|folder| folder.join(name).is_file())
    };
    let scroll_after = |cycle: Keys, before: Keys| vec![action(SCROLL, before, cycle, vec![])];
    let of_table = |name: &'static str, arguments: &[&str], actions: Vec<Action>, quit: &'static [u8]| {
        let table = table.to_string_lossy();
        let arguments: Vec<&str> = arguments.iter().copied().chain([&*table]).collect();
        let first = "person1@firm1.example";
        let start = services.start(name, &arguments, name);
        let floods = vec![("300 Downs", DOWN)];
        Program { name, start, first, ready: first, setup: vec![], actions, floods, quit }
    };
    if ["vim", "less", "csvlens"].iter().any(|name| is_here(name)) {
        write_table(&table, rows);
    }
    if is_here("vim") {
        let mut actions = scroll_after(vec![DOWN], vec![DOWN; 45]);
        actions.insert(0, action(MOVE, vec![b"gg"], up_and_down(), vec![]));
        actions.push(action(PAGE, vec![b"gg"], pages(), vec![]));
        actions.push(action(TYPE, vec![b"/"], smith(), vec![ESCAPE]));
        found.push(of_table("vim", &["-u", "NONE", "-N", "-n"], actions, b"\x1b:q!\r"));
    }
    if is_here("less") {
        let mut actions = scroll_after(vec![DOWN], vec![]);
        actions.push(action(PAGE, vec![b"g"], pages(), vec![]));
        actions.push(action(TYPE, vec![b"/"], smith(), vec![b"\x03"]));
        found.push(of_table("less", &["-S"], actions, b"q"));
    }
    if is_here("csvlens") {
        let mut actions = scroll_after(vec![DOWN], vec![DOWN; 45]);
        actions.insert(0, action(MOVE, vec![b"g"], up_and_down(), vec![]));
        actions.push(action(PAGE, vec![b"g"], pages(), vec![]));
        actions.push(action(TYPE, vec![b"/"], smith(), vec![ESCAPE]));
        found.push(of_table("csvlens", &[], actions, b"q"));
    }
    if is_here("gitui") && repository(&services.folder("gitui")).is_some() {
        found.push(Program {
            name: "gitui",
            start: services.start("gitui", &[], "gitui"),
            first: "Status",
            ready: "Status [1]",
            setup: vec![b"2"],
            actions: vec![
                action(MOVE, vec![], up_and_down(), vec![]),
                action(SCROLL, vec![DOWN; 45], vec![DOWN], vec![]),
                action(PAGE, vec![b"\x1b[H"], pages(), vec![]),
            ],
            floods: vec![("300 Downs", DOWN)],
            quit: b"\x03",
        });
    }
    if is_here("slumber") {
        let folder = services.folder("slumber");
        let request =
            |n: u32| format!("  r{n:02}:\n    name: request {n:02}\n    method: GET\n    url: http://127.0.0.1/{n}\n");
        let text: String = (1..=60).map(request).collect();
        std::fs::write(folder.join("slumber.yml"), format!("requests:\n{text}")).expect("its collection");
        found.push(Program {
            name: "slumber",
            start: services.start("slumber", &["-f", "slumber.yml"], "slumber"),
            first: "request 01",
            ready: "request 01",
            setup: vec![b"r"],
            actions: vec![action(MOVE, vec![], up_and_down(), vec![])],
            floods: vec![("300 Downs", DOWN)],
            quit: b"q",
        });
    }
    found
}

/// Twelve columns of invented people.
fn write_table(path: &Path, rows: u32) {
    let mut text = String::from(
        "id,first_name,last_name,title,company_name,city,state,zip,industry,email_address,phone,email_status\n",
    );
    for n in 1..=rows {
        let titles = ["Director of Nursing", "Engineer", "Sales Manager", "Chief of Staff", "Buyer"];
        let title = titles[n as usize % titles.len()];
        text.push_str(&format!(
            "{n},Dana{},Whitfield{},{title},Quail Run {},Houston,TX,{:05},hospital & clinic,person{n}@firm{n}.example,\
             555-01{:02},valid\n",
            n % 97,
            n % 89,
            n % 1013,
            n % 99_999,
            n % 100
        ));
    }
    std::fs::write(path, text).expect("the table");
}

/// A repository with a history to scroll through.
fn repository(folder: &Path) -> Option<()> {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(folder).args(arguments).env("HOME", folder).stdin(Stdio::piped()).stdout(Stdio::null());
        git.stderr(Stdio::null()).spawn().ok()
    };
    git(&["init", "-q", "-b", "main"])?.wait().ok()?;
    let mut import = git(&["fast-import", "--quiet"])?;
    let mut text = String::new();
    for n in 1..=2_000 {
        let message = format!("change number {n}");
        text.push_str(&format!(
            "commit refs/heads/main\ncommitter Dana <dana@firm.example> {} +0000\ndata {}\n{message}\n",
            1_700_000_000 + n,
            message.len()
        ));
    }
    import.stdin.take()?.write_all(text.as_bytes()).ok()?;
    import.wait().ok()?.success().then_some(())
}

/// Long enough for anything that is not stuck.
pub const PATIENCE: Duration = Duration::from_secs(30);
