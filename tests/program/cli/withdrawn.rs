//! A contact that no search returns any more, after an unlock whose answer was lost, on a service without an order.

use std::io::{BufRead, BufReader};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::cli::invented::{Invented, me, page, row};

const TARGET: usize = 7;

#[test]
fn it_is_settled_as_unreachable_by_the_narrow_search_however_long_the_other_is() {
    let withdrawn = Arc::new(AtomicBool::new(false));
    let gone = Arc::clone(&withdrawn);
    let service = Invented::start(move |asked| {
        if asked.is("/me") {
            return me(&["search", "unlock"]);
        }
        if asked.is("/unlock") {
            gone.store(true, Ordering::SeqCst);
            return (0, Value::Null);
        }
        let narrow = asked.params.contains_key("industry");
        let all: usize = if narrow { 40 } else { 20_000 };
        let (limit, offset) = (asked.number("limit").min(25), asked.number("offset"));
        let gone = gone.load(Ordering::SeqCst);
        // In no order: 7 comes first, and 11 has no factor in common with the sizes.
        let ids = (0..all).map(|at| (at * 11 + TARGET) % all).filter(|id| !(gone && *id == TARGET));
        let total = if gone { all - 1 } else { all };
        page(json!(total), limit, offset, ids.skip(offset).take(limit).map(row).collect())
    });
    let found = service.run(&["search", "--title", "nurse", "--limit", "1", "--json"]).ended(0);
    assert_eq!(found.ids(), [TARGET as u64]);
    let line = format!("{}\n", found.out.trim());
    service.fed(&["unlock", "--corpus", "us", "--max-credits", "1"], &line).failed(9);
    // Two minutes pass, by the wall clock of a machine that was started again meanwhile.
    let books = rusqlite::Connection::open(service.app().path("state/lode.sqlite3")).unwrap();
    books.execute("UPDATE attempt_end SET boot = 'before', at = at - 120000", []).unwrap();
    drop(books);
    // The first check is proof only together with another one, a minute later: it waits, and is interrupted.
    let before = service.heard().len();
    let mut child = service.command(&["recover"]).spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("checking again in 60 s"), "{line}");
    kill_process(Pid::from_child(&child), Signal::INT).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let books = rusqlite::Connection::open(service.app().path("state/lode.sqlite3")).unwrap();
    books.execute("UPDATE attempt_end SET at = at - 60000", []).unwrap();
    drop(books);
    let ran = service.run(&["recover"]).ended(0);
    assert!(ran.err.contains("UNREACHABLE") && ran.err.contains("title: Nurse"), "{ran:?}");
    assert_eq!(ran.summary()["unreachable"], 1, "{ran:?}");
    let asked = service.heard().len() - before;
    assert!(asked <= 10, "{asked} requests, the account included");
}
