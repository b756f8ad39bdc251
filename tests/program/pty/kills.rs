//! `kill -9` of the screen at any moment of a long unlock whose answers are lost: after `lode recover` the service's books and lode's
//! agree, contact by contact. The counterpart of `tests/program/cli/kills.rs`, on the same sandbox.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use lode_sandbox::corpus::CorpusKind;
use lode_sandbox::faults::Rng;
use lode_sandbox::service::ServiceSetup;
use rustix::process::Signal;

use crate::pty::money::window;
use common::test_app::{TestApp, words};

const CONTACTS: usize = 500;

/// How what is still unknown is resolved.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Free, and slow: a contact that was not bought has to be seen locked twice, a minute apart.
    Look,
    /// The identical batches go out again. What the service does not find then may have been bought by the sending before, until
    /// a look can tell.
    Finish,
    /// Likewise, with contacts that are all there to be found: at once.
    FinishAtOnce,
}

/// One session that dies some milliseconds after it was paid for, and what is left of it.
fn die_and_recover(after_ms: u64, seed: u64, way: Way) {
    let app = TestApp::with(ServiceSetup { seed, ..TestApp::setup() });
    // Twenty calls in one session, or five large ones.
    if !seed.is_multiple_of(3) {
        std::fs::create_dir_all(app.path("config")).unwrap();
        std::fs::write(app.path("config").join("config.toml"), "[profiles.kept.unlock]\nlarge_batch = 25\n").unwrap();
    }
    let before = app.balance();
    let there = |id: &u64| way != Way::FinishAtOnce || !app.sandbox.service().suppressed(CorpusKind::Us, *id);
    let ids = words(&(1..).filter(there).take(CONTACTS).collect::<Vec<u64>>());
    app.fed(&["basket", "add"], &ids.join("\n")).ended(0);
    app.fault("latency@unlock=60+40");
    app.fault("unlock-lost=0.2");
    let mut terminal = window(&app);
    terminal.wait_for("Basket 500");
    terminal.send("U");
    terminal.pay();
    std::thread::park_timeout(Duration::from_millis(after_ms));
    terminal.signal(Signal::KILL);
    terminal.wait_exit();
    let calls = app.sandbox.service().log().iter().filter(|request| request.path.ends_with("unlock")).count();
    app.calms_down();

    let why = format!("{after_ms} ms and {calls} calls, seed {seed}, {way:?}");
    if way != Way::Look {
        let finished = app.run(&["recover", "--finish", "--max-credits", "500"]);
        assert!(finished.code == 0 || (finished.code == 9 && way == Way::Finish), "{why}: {finished:?}");
    }
    let recovered = app.run(&["recover"]);
    assert_eq!(recovered.code, 0, "{why}: {recovered:?}");
    app.agrees(before, &why);
    println!("{why}: {} credits, {} by looking", before - app.balance(), recovered.summary()["asked"]);
    // The rest goes on as if nothing had happened.
    let rest = app.fed(&["unlock", "--corpus", "us", "--max-credits", "500"], &ids.join("\n")).ended(0);
    assert_eq!(rest.summary()["unknown"], 0, "{why}");
    app.agrees(before, &why);
}

fn deaths(count: usize, at_once: usize, way: impl Fn(usize) -> Way + Sync) {
    let mut rng = Rng::new(20_261_121);
    let moments: Vec<u64> = (0..count).map(|_| rng.below(4_000)).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(after_ms) = moments.get(at) else { break };
                    die_and_recover(*after_ms, at as u64 + 1, way(at));
                }
            });
        }
    });
}

#[test]
fn four_deaths_of_the_screen_lose_nothing_and_pay_nothing_twice() {
    deaths(4, 4, |_| Way::FinishAtOnce);
}

/// Most of the time goes into the minute of quiet that a contact has to be seen locked for.
#[test]
#[ignore = "takes minutes: 200 windows die, and most wait for their proof"]
fn two_hundred_deaths_of_the_screen_lose_nothing_and_pay_nothing_twice() {
    deaths(200, 32, |at| if at % 4 == 0 { Way::Finish } else { Way::Look });
}
