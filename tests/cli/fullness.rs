//! A disk that is full at any moment of an unlock: a sentence, and afterwards nothing that was paid for is missing.

use std::io::Write;

use lode::sandbox::corpus::Kind;

use crate::house::{House, Ran, words};

/// A limit on the size of files stands for a disk that takes no more.
fn unlock_with_room_for(house: &House, kilobytes: u64, ids: &[String]) -> Ran {
    let binary = env!("CARGO_BIN_EXE_lode");
    let mut child = house
        .shell(&format!("trap '' XFSZ; ulimit -f {kilobytes}; exec {binary} unlock --corpus us --max-credits 200"))
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Without room it ends before it has read.
    drop(child.stdin.take().unwrap().write_all(ids.join("\n").as_bytes()));
    Ran::of(child)
}

#[test]
fn wherever_the_disk_is_full_nothing_paid_for_is_lost() {
    let mut ends = Vec::new();
    for kilobytes in [1, 24, 64, 96, 128, 160, 192, 256, 320, 4_096] {
        let house = House::new();
        let before = house.balance();
        // Whom the service does not find would have to be waited for.
        let there = |id: &u64| !house.sandbox.service().suppressed(Kind::Us, *id);
        let ids = words(&(1..).filter(there).take(200).collect::<Vec<u64>>());
        let ran = unlock_with_room_for(&house, kilobytes, &ids);
        if ran.code != 0 {
            let sentences = ran.err.lines().filter(|line| line.starts_with("lode: ")).count();
            assert!(sentences == 1 && ran.err.contains("hint: "), "{kilobytes} kB: {ran:?}");
        }
        if ran.code == 9 {
            assert!(ran.err.contains("unknown: the state file cannot be used: disk"), "{kilobytes} kB: {ran:?}");
        }
        ends.push((kilobytes, ran.code, house.owned().len()));
        let recovered = house.run(&["recover"]);
        assert_eq!(recovered.code, 0, "{kilobytes} kB: {ran:?}, then {recovered:?}");
        house.agrees(before, &format!("{kilobytes} kB"));
    }
    println!("{ends:?}");
}
