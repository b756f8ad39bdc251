//! Goal 7: how fast a stream becomes the forms people use, a whole export beside `curl -o`, and whether `A` and `match` use the
//! whole allowance.

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use lode_core::export::Layout;
use lode_core::export::preset::Preset;
use lode_host::export::formed::FormFile;
use lode_sandbox::rate::{RateLimit, busiest};
use lode_sandbox::server::{Sandbox, SandboxSettings};
use lode_sandbox::service::{DEFAULT_KEY, ServiceSetup};

use super::SIZE;
use super::said::{Goals, timed};
use common::bench::programs::{PATIENCE, READY, TestServices};
use common::bench::terminal::{Start, Terminal};

/// Bytes of the stream that is formed.
const STREAM: usize = 32 << 20;
const TIMES: usize = 3;
/// A window of the limiter, and a little more.
const MINUTE: Duration = Duration::from_secs(62);

pub fn measure(folder: &Path, goals: &mut Goals) {
    forms(goals);
    beside_curl(folder, goals);
    allowance(folder, goals);
}

/// Rows as the Data API streams them.
fn stream() -> Vec<u8> {
    let mut text =
        b"id,first_name,last_name,contact_name,title,company_name,address,city,county,state,zip,phone,company_website,\
        sic_code,naics_code,industry,email_address,email_domain_type,email_status\n"
            .to_vec();
    let mut n = 0;
    while text.len() < STREAM {
        n += 1;
        let line = format!(
            "{n},Dana,Whitfield{},Dana Whitfield{},Director of Nursing,Quail Run {} Hospital,{} Elm Street,Houston,Harris,TX,{:05},\
             +1512555{:04},https://quailrun{}.example,8062,622110,hospital & health care,dana.whitfield{n}@quailrun{}.example,\
             corporate,valid\n",
            n % 97,
            n % 97,
            n % 1_013,
            n % 9_999,
            n % 99_999,
            n % 10_000,
            n % 1_013,
            n % 1_013
        );
        text.extend_from_slice(line.as_bytes());
    }
    text
}

fn forms(goals: &mut Goals) {
    let text = stream();
    let preset = |name| Preset::built_in(name).cloned().map(Layout::Mapped);
    for (name, layout) in
        [("contacts", Some(Layout::Contacts)), ("hubspot", preset("hubspot")), ("salesforce", preset("salesforce"))]
    {
        let Some(layout) = layout else { return goals.trouble(&format!("the form {name} is missing")) };
        let best = (0..TIMES).filter_map(|_| {
            let (made, took) =
                timed(|| FormFile::lines(std::io::sink(), layout.clone()).fill(&text[..], &Default::default(), |_| ()));
            made.is_ok().then_some(took)
        });
        let speed = best.min().map(|took| text.len() as f64 / 1e6 / took.as_secs_f64());
        goals.least(&format!("the form {name}, one core"), speed, 400.0, "MB a second");
    }
}

fn beside_curl(folder: &Path, goals: &mut Goals) {
    let services = TestServices::new(&folder.join("curl"));
    let (by_lode, theirs) = (folder.join("lode.csv"), folder.join("theirs.csv"));
    let mut took: [Vec<Duration>; 2] = [Vec::new(), Vec::new()];
    for _ in 0..TIMES {
        let lode = services.lode("export", Some(1_000_000));
        let mut own = Command::new(common::binary());
        own.args(["export", "--corpus", "us", "--state", "WY", "--force", "-o"]).arg(&by_lode);
        own.env_clear().envs(lode.environment).current_dir(lode.folder);
        let mut curl = Command::new("curl");
        curl.args(["-s", "-H", &format!("x-api-key: {}", services.data_key), "-o"]).arg(&theirs);
        curl.arg(format!("{}/api/export?corpus=us&state=WY", services.data_url));
        for (command, took) in [&mut own, &mut curl].into_iter().zip(&mut took) {
            let began = Instant::now();
            match command.stdout(Stdio::null()).stderr(Stdio::null()).status() {
                Ok(status) if status.success() => took.push(began.elapsed()),
                Ok(status) => goals.trouble(&format!("{command:?} ended with {status}")),
                Err(_) => return goals.tell("curl is not installed here, and not compared"),
            }
        }
    }
    let sizes = [&by_lode, &theirs].map(|path| std::fs::metadata(path).map_or(0, |file| file.len()));
    goals.tell(&format!("exported {} MB, curl {} MB", sizes[0] >> 20, sizes[1] >> 20));
    let [own, curl] = took.map(|times| times.into_iter().min());
    let ratio = own.zip(curl).map(|(own, curl)| own.as_secs_f64() / curl.as_secs_f64());
    goals.most("a raw export, times curl", ratio, 1.0, "");
}

fn allowance(folder: &Path, goals: &mut Goals) {
    let services = TestServices::new(&folder.join("allowance"));
    let start = |sandbox: &Sandbox, home: &str, arguments: &[&str]| -> Start {
        let mut start = services.start(common::binary(), arguments, home);
        for (name, value) in [
            ("LODE_WORKSPACE_URL", &sandbox.workspace_url),
            ("LODE_WORKSPACE_KEY", &sandbox.workspace_key),
            ("LODE_DATA_URL", &sandbox.data_url),
            ("LODE_DATA_KEY", &sandbox.data_key),
        ] {
            start.environment.push((name.to_owned(), value.into()));
        }
        start
    };
    let sandbox = || {
        let allowance = RateLimit { requests: 120, window_ms: 60_000 };
        let setup = ServiceSetup { us_rows: 1_000_000, linkedin_rows: 1_000, allowance, ..common::asking::full() };
        Sandbox::start(SandboxSettings { setup, ..SandboxSettings::default() })
    };
    let (Ok(all), Ok(matched)) = (sandbox(), sandbox()) else { return goals.trouble("no sandbox to ask") };
    let Ok(mut lode) = Terminal::start(&start(&all, "all", &[]), SIZE) else { return goals.trouble("no lode") };
    if lode.shows(READY, PATIENCE) {
        let _ = lode.types(&[b"A", b"50000", b"\r"], Duration::from_millis(300));
    }
    let list = services.folder("match").join("accounts.csv");
    let accounts: String = (0..2_000).map(|n| format!("Lakeside {n} Regional\n")).collect();
    std::fs::write(&list, format!("company\n{accounts}")).expect("a list of accounts");
    let list = list.to_string_lossy().into_owned();
    let command = start(&matched, "match", &["match", &list, "--source", "workspace", "--title", "director", "--json"]);
    let asked = Terminal::start(&command, SIZE);
    let _ = lode.listen(MINUTE);
    drop(asked);
    lode.leave(b"\x03");
    for (name, sandbox) in [("A", &all), ("match", &matched)] {
        let receipts = sandbox.service().state().log.receipts(DEFAULT_KEY);
        let most = busiest(&receipts, 60_000);
        goals.least(&format!("{name}: requests in the busiest minute"), Some(most as f64), 119.0, "of 120");
    }
}
