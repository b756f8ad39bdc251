//! An answer that was paid for and cannot be stored: the shell prints its contacts before it ends.

use std::io::{BufRead, BufReader, Read};

use rustix::process::{Pid, Signal, kill_process};

use common::house::{House, Ran};

#[test]
fn what_is_in_memory_only_is_printed_before_the_end() {
    let house = House::new();
    house.fault("latency@unlock=1000+0");
    let mut child = house.command(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]).spawn().unwrap();
    while !house.sandbox.service().log().iter().any(|request| request.path.ends_with("unlock")) {
        std::thread::yield_now();
    }
    // The room for the answer goes while it is on its way.
    std::fs::rename(house.path("state/answers"), house.path("state/gone")).unwrap();
    std::fs::write(house.path("state/answers"), "not a folder").unwrap();
    while house.owned().is_empty() {
        std::thread::yield_now();
    }
    let pid = Pid::from_child(&child);
    kill_process(pid, Signal::INT).unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.contains("stopping after this request"), "{line}");
    // The second signal ends it while it still tries to store the answer.
    let log = house.path("state/log/lode.log");
    while !std::fs::read_to_string(&log).is_ok_and(|log| log.contains(" failed: ")) {
        std::thread::yield_now();
    }
    kill_process(pid, Signal::TERM).unwrap();
    let mut rest = String::new();
    said.read_to_string(&mut rest).unwrap();
    let ran = Ran::of(child).ended(130);
    assert!(rest.contains("2 contacts were paid for and could not be stored: keep the lines above"), "{rest}");
    assert_eq!(ran.sorted_ids(), house.owned());
    for line in ran.lines() {
        assert_eq!(line["outcome"], "unknown");
        assert!(line["email"].as_str().unwrap().contains('@'), "{line}");
    }
}
