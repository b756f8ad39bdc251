//! Goal 3: the first frame beside a program that says hello, and the first rows of a running sandbox, also with a ledger full of what
//! was bought.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use lode_core::SeenOwned;
use lode_core::contact::{Contact, Corpus, RowId};
use lode_core::purse::{Origin, Purse};
use lode_core::time::{Mono, Now, Wall};
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::StoreCall;
use lode_host::store::Store;

use super::Options;
use super::SIZE;
use super::said::{Goals, part};
use common::bench::programs::{PATIENCE, READY, TestServices};
use common::bench::terminal::{Start, Terminal};

/// Contacts in the full ledger.
const OWNED: usize = 100_000;
/// Ids in them that a search showed.
const REMEMBERED: usize = 1_000_000;

pub fn measure(folder: &Path, options: &Options, goals: &mut Goals) {
    let services = TestServices::new(&folder.join("start"));
    let (source, hello) = (folder.join("hello.rs"), folder.join("hello"));
    std::fs::write(&source, "fn main() {\n    println!(\"hello\");\n}\n").expect("a program");
    let made = Command::new("rustc").arg("-O").arg("-o").args([&hello, &source]).status();
    if !made.is_ok_and(|made| made.success()) {
        return goals.trouble("no compiler for a program that says hello");
    }
    let (empty, full) = (services.lode("empty", Some(1_000_000)), services.lode("full", Some(1_000_000)));
    // The first start makes the ledger and learns its purse.
    for start in [&empty, &full] {
        let Some(mut lode) = shown(start, READY).map(|(lode, _)| lode) else {
            return goals.trouble("lode was not ready");
        };
        let _ = lode.listen(Duration::from_secs(1));
        lode.leave(b"q");
    }
    if let Err(words) = fill(&full) {
        goals.trouble(&format!("the ledger was not filled: {words}"));
    }
    let hello = services.start(hello, &[], "hello");
    let mut took: [Vec<Duration>; 5] = Default::default();
    for _ in 0..options.starts {
        took[0].extend(shown(&hello, "hello").map(|(_, took)| took));
        for (at, start) in [&empty, &full].into_iter().enumerate() {
            let Some((mut lode, frame)) = shown(start, "+ f filter") else { continue };
            took[1 + at].push(frame);
            if lode.screen().contains(READY) {
                took[3 + at].push(frame);
            } else {
                took[3 + at].extend(lode.until(|screen| screen.contains(READY), PATIENCE));
            }
            let _ = lode.listen(Duration::from_millis(50));
            lode.leave(b"q");
        }
    }
    let [hello, frame, full_frame, rows, full_rows] = took.map(|times| part(&times, 50));
    let beyond = |time: Option<f64>| time.zip(hello).map(|(time, hello)| time - hello);
    goals.tell(&format!("a program that says hello: {:.2} ms", hello.unwrap_or(0.0)));
    goals.most("the first frame, after a hello", beyond(frame), 2.0, "ms");
    goals.most("the first frame with a full ledger", beyond(full_frame), 2.0, "ms");
    goals.most("the first rows, after a hello", beyond(rows), 8.0, "ms");
    goals.most("the first rows with a full ledger", beyond(full_rows), 8.0, "ms");
}

fn shown(start: &Start, words: &str) -> Option<(Terminal, Duration)> {
    let mut lode = Terminal::start(start, SIZE).ok()?;
    let took = lode.until(|screen| screen.contains(words), PATIENCE)?;
    Some((lode, took))
}

/// Contacts into the ledger of a window that ran before.
fn fill(start: &Start) -> Result<(), String> {
    let state = start.environment.iter().find(|(name, _)| name == "LODE_STATE_DIR").map(|(_, value)| value);
    let state = Path::new(state.ok_or("no folder of state")?);
    let purse = purse(start).ok_or("the purse of this ledger is not known")?;
    let mut store = Store::open(state, WindowId("bench".to_owned()));
    let now = Now { wall: Wall(1_790_000_000_000), mono: Mono(1) };
    let seen = |n: usize| SeenOwned {
        id: RowId(n as i64 * 7 + 1),
        contact: Contact {
            email: format!("dana.whitfield{n}@quailrun.example"),
            contact_name: format!("Dana Whitfield{n}"),
            company_name: "Quail Run Hospital".to_owned(),
            title: "Director of Nursing".to_owned(),
            ..Contact::default()
        },
        search: None,
        row: String::new(),
    };
    for start in (0..OWNED).step_by(10_000) {
        let contacts = (start..start + 10_000).map(seen).collect();
        let call = StoreCall::Own { purse: purse.clone().into(), corpus: Corpus::Us, contacts };
        store.perform(call, now).map_err(|failure| failure.to_string())?;
    }
    for search in 0..REMEMBERED / 10_000 {
        let call = StoreCall::Searched {
            purse: purse.clone().into(),
            canonical: format!("title={search}"),
            total: 10_000,
            offset: 0,
            leg: false,
            ids: (search * 10_000..(search + 1) * 10_000).map(|id| RowId(id as i64 + 1)).collect(),
        };
        store.perform(call, now).map_err(|failure| failure.to_string())?;
    }
    Ok(())
}

fn purse(start: &Start) -> Option<Purse> {
    let url = start.environment.iter().find(|(name, _)| name == "LODE_WORKSPACE_URL").map(|(_, value)| value)?;
    let mut me = Command::new(&start.program);
    let said = me.args(["me", "--json"]).env_clear().envs(start.environment.iter().cloned()).output().ok()?;
    let said: serde_json::Value = serde_json::from_slice(said.stdout.split(|byte| *byte == b'\n').next()?).ok()?;
    let org = said["org_id"].as_str().or_else(|| said["org"]["id"].as_str())?;
    Some(Purse::of_org(Origin::of(url.to_str()?), org))
}
