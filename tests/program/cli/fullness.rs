//! A disk that is full at any moment of an unlock: a sentence, and afterwards nothing that was paid for is missing.

use std::io::Write;

use lode_sandbox::corpus::CorpusKind;

use common::test_app::{Ran, TestApp, words};

/// A limit on the size of files stands for a disk that takes no more.
fn unlock_with_room_for(app: &TestApp, kilobytes: u64, ids: &[String]) -> Ran {
    let binary = env!("CARGO_BIN_EXE_lode");
    let mut child = app
        .shell(&format!("ulimit -f {kilobytes}; exec {binary} unlock --corpus us --max-credits 200"))
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    // Without room it ends before it has read.
    drop(child.stdin.take().unwrap().write_all(ids.join("\n").as_bytes()));
    Ran::of(child)
}

/// A disk of its own, which only a namespace of its own may mount. Answers nothing where that is not allowed here.
#[cfg(target_os = "linux")]
fn on_a_small_disk(app: &TestApp, line: &str) -> Option<Ran> {
    std::fs::create_dir_all(app.path("state")).unwrap();
    let mount = "mount -t tmpfs -o size=200k tmpfs state";
    let may = app.shell(&format!("unshare -rm sh -c '{mount}'")).output().unwrap().status.success();
    may.then(|| Ran::of(app.shell(&format!("unshare -rm bash -c '{mount} && {line}'")).spawn().unwrap()))
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_named_as_such() {
    for line in [
        "lode basket add --corpus us 1 2 3",
        "lode unlock --corpus us --max-credits 1 5 > lines",
        "lode search --limit 3 > state/lines",
        "lode search --limit 1000 > state/lines",
        "lode suppress add dnc.csv - < dnc",
    ] {
        let app = TestApp::new();
        std::fs::write(app.path("dnc"), "email\ndana@lakeside.example\n").unwrap();
        let balance = app.balance();
        let Some(ran) = on_a_small_disk(&app, &format!("head -c 190000 /dev/zero > state/filler; {line}")) else {
            return println!("no disk of its own here");
        };
        assert!(ran.err.contains("the disk is full"), "{line}: {ran:?}");
        assert_eq!((ran.code, app.balance()), (1, balance), "{line}: {ran:?}");
    }
}

/// Money rule 9, *responses are stored first*.
#[test]
fn wherever_the_disk_is_full_nothing_paid_for_is_lost() {
    let mut ends = Vec::new();
    for kilobytes in [1, 24, 64, 96, 128, 160, 192, 256, 320, 4_096] {
        let app = TestApp::new();
        let before = app.balance();
        // Whom the service does not find would have to be waited for.
        let there = |id: &u64| !app.sandbox.service().suppressed(CorpusKind::Us, *id);
        let ids = words(&(1..).filter(there).take(200).collect::<Vec<u64>>());
        let ran = unlock_with_room_for(&app, kilobytes, &ids);
        if ran.code != 0 {
            let sentences = ran.err.lines().filter(|line| line.starts_with("lode: ")).count();
            assert!(sentences == 1 && ran.err.contains("hint: "), "{kilobytes} kB: {ran:?}");
        }
        if ran.code == 9 {
            assert!(ran.err.contains("unknown: the state file cannot be used: disk"), "{kilobytes} kB: {ran:?}");
        }
        ends.push((kilobytes, ran.code, app.owned().len()));
        let recovered = app.run(&["recover"]);
        assert_eq!(recovered.code, 0, "{kilobytes} kB: {ran:?}, then {recovered:?}");
        app.agrees(before, &format!("{kilobytes} kB"));
    }
    println!("{ends:?}");
}
