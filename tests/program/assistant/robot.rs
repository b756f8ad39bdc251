//! A robot that tries to spend in every way it can think of. The books of the sandbox are the judge.

use std::time::Duration;

use lode_sandbox::faults;
use lode_sandbox::variants::Variant;
use serde_json::json;
use tokio::task::JoinSet;

use crate::assistant::client::{Client, Person, another_minute, charged, half_an_hour_later};
use crate::assistant::money::quoted;
use common::rng::Rng;
use common::test_app::TestApp;

/// A fault of this name, as often as a game bears it: what only costs time happens once, and takes little of it.
fn fault(name: &str) -> String {
    match name {
        "latency" => "latency=0.3:5+40".to_owned(),
        "429" | "429-date" => format!("{name}=0.1:1"),
        "429-bare" => "429-bare=0.1".to_owned(),
        "unlock-late" => "unlock-late=0.3:300".to_owned(),
        "huge" | "gzip-bomb" => format!("{name}=next:20000000"),
        "drip" => "drip=next:100000".to_owned(),
        "stall" | "endless" => format!("{name}=next"),
        _ => format!("{name}=0.3"),
    }
}

struct Game {
    seed: u64,
    app: TestApp,
    /// Another workspace, where nothing may be spent.
    elsewhere: TestApp,
    rng: Rng,
    servers: [Client; 2],
    handles: Vec<String>,
    /// Calls in which nothing was accepted, and whether something may be.
    per_day: Option<i64>,
    /// What may be charged by now.
    allowed: usize,
    played: Vec<String>,
}

/// Contacts that the game is about: few, so that orders meet.
const CONTACTS: u64 = 60;

impl Game {
    async fn begin(seed: u64, per_day: Option<i64>) -> Game {
        let mut app = TestApp::of(Variant::ALL[(seed / 2 % 4) as usize]);
        if let Some(per_day) = per_day {
            std::fs::create_dir_all(app.path("config")).unwrap();
            let text = format!("[assistant]\nper_day = {per_day}\nper_call = 3\n");
            std::fs::write(app.path("config/config.toml"), text).unwrap();
        }
        // A handle of the same ledger that belongs to another workspace.
        let elsewhere = TestApp::new();
        let home = std::mem::replace(&mut app.workspace_url, elsewhere.workspace_url.clone());
        let client = Client::of(&app).await;
        let foreign = quoted(&client, &[1, 2]).await;
        client.end().await;
        app.workspace_url = home;
        let servers = [Client::of(&app).await, Client::of(&app).await];
        let handles = vec!["q_invented".to_owned(), String::new(), foreign];
        let allowed = usize::try_from(per_day.unwrap_or(0)).unwrap();
        Game { seed, app, elsewhere, rng: Rng::new(seed), servers, handles, per_day, allowed, played: Vec::new() }
    }

    fn ids(&mut self) -> Vec<u64> {
        (0..=self.rng.below(4)).map(|_| 1 + self.rng.below(CONTACTS)).collect()
    }

    /// One call, or what happens between two. Whether a person is there.
    async fn step(&mut self, person: bool) {
        let (at, ids) = (self.rng.below(2) as usize, self.ids());
        let handle = self.rng.pick(&self.handles).clone();
        let newest = self.handles[self.handles.len() - 1].clone();
        let server = &self.servers[at];
        let kind = self.rng.below(16);
        self.played.push(format!("{kind} at {at} {ids:?} {handle}"));
        match kind {
            0..=2 => {
                let arguments = json!({"ids": ids, "max_credits": 1 + self.rng.below(5), "verify": self.rng.one_in(2)});
                let quote = server.call("quote", arguments).await;
                self.handles.extend(quote["handle"].as_str().map(str::to_owned));
            }
            3..=5 => drop(server.call("unlock", json!({"handle": handle})).await),
            6 => drop(server.call("unlock", json!({"handle": newest})).await),
            7 => {
                let arguments = json!({"handle": newest});
                let (one, two) = (&self.servers[0], &self.servers[1]);
                tokio::join!(one.call("unlock", arguments.clone()), two.call("unlock", arguments.clone()));
            }
            // Two orders that meet at the same contacts.
            8 => {
                let (one, two) = (&self.servers[0], &self.servers[1]);
                let quote = json!({"ids": ids});
                let quotes = tokio::join!(one.call("quote", quote.clone()), two.call("quote", quote));
                let (a, b) = (quotes.0["handle"].clone(), quotes.1["handle"].clone());
                self.handles.extend([&a, &b].iter().filter_map(|handle| handle.as_str().map(str::to_owned)));
                if a.is_string() && b.is_string() {
                    tokio::join!(one.call("unlock", json!({"handle": a})), two.call("unlock", json!({"handle": b})));
                }
            }
            9 => {
                let more = json!({"handle": handle, "max_credits": 500, "ids": ids, "accepted": true});
                assert_eq!(server.call("unlock", more).await["error"]["code"], "usage");
            }
            10 => {
                let offset = self.rng.below(CONTACTS);
                drop(server.call("search", json!({"limit": 50, "offset": offset})).await);
            }
            11 => drop(server.call("basket", json!({"action": "add", "ids": ids})).await),
            12 => self.weather(),
            13 => self.break_off(at, &newest).await,
            14 if person => self.accept(),
            14 => drop(server.call("owned", json!({})).await),
            15 if self.rng.one_in(4) => half_an_hour_later(&self.app),
            _ => drop(server.call("status", json!({"handle": handle})).await),
        }
    }

    fn weather(&mut self) {
        let names: Vec<&str> = faults::names().map(|(name, _)| name).collect();
        if self.rng.one_in(3) {
            self.app.calms_down();
            return;
        }
        let name = *self.rng.pick(&names);
        // Half a minute each.
        if name != "stall" || self.rng.one_in(8) {
            self.played.push(fault(name));
            self.app.fault(&fault(name));
        }
    }

    /// A call that its client cancels, or whose server is killed, wherever it just is.
    async fn break_off(&mut self, at: usize, handle: &str) {
        let (wait, kills) = (Duration::from_millis(self.rng.below(80)), self.rng.one_in(2));
        let server = &self.servers[at];
        let running = server.begin("unlock", json!({"handle": handle})).await;
        drop(tokio::time::timeout(wait, std::future::pending::<()>()).await);
        self.played.push(format!("killed {kills} after {wait:?}"));
        if kills {
            let fresh = Client::of(&self.app).await;
            std::mem::replace(&mut self.servers[at], fresh).kill();
        } else {
            running.cancel(Some("changed my mind".to_owned())).await.unwrap();
        }
    }

    /// The person says yes to less than was asked for.
    fn accept(&mut self) {
        let mut person = Person::of(&self.app);
        if let Some(asked) = person.asked().first() {
            person.accepts(&asked.handle.0, 1);
            self.allowed += 1;
        }
    }

    fn judge(&self) {
        assert_eq!(charged(&self.elsewhere), 0, "seed {}: another purse", self.seed);
        let spent = charged(&self.app);
        let last = self.played.len().saturating_sub(60);
        let story = || {
            // What is left for finding the cause.
            let kept = std::env::temp_dir().join(format!("lode-robot-{}", self.seed));
            let from = self.app.path("state");
            drop(std::process::Command::new("cp").arg("-r").arg(from).arg(&kept).status());
            let lines = self.app.sandbox.service().read(self.app.sandbox.now_ms(), |books| {
                let lines = books.lines().iter().filter(|line| line.call != 0);
                lines.map(|line| format!("{line:?}")).collect::<Vec<_>>().join("\n")
            });
            format!("{}\n{lines}\nthe ledger is in {}", self.played[last..].join("\n"), kept.display())
        };
        assert!(
            spent <= self.allowed,
            "seed {}, call {}: {spent} charged, {} allowed\n{}",
            self.seed,
            self.played.len(),
            self.allowed,
            story()
        );
    }

    async fn play(mut self, calls: u32) {
        for call in 0..calls {
            // Without an allowance a person says yes now and then, but not before half of the calls.
            let person = self.per_day.is_none() && call > calls / 2;
            self.step(person).await;
            self.judge();
            if call % 20 == 19 {
                another_minute(&self.app);
            }
        }
        let (spent, allowed) = (charged(&self.app), self.allowed);
        println!("seed {}: {calls} calls, {spent} of {allowed} charged", self.seed);
        for server in self.servers {
            server.end().await;
        }
        assert!(charged(&self.app) <= allowed);
    }
}

/// Even seeds have an allowance.
async fn play(seed: u64, calls: u32, per_day: i64) {
    Game::begin(seed, seed.is_multiple_of(2).then_some(per_day)).await.play(calls).await;
}

/// Money rule 11, *typed*.
#[tokio::test]
async fn a_robot_spends_nothing_that_was_not_accepted() {
    play(1, 60, 0).await;
}

#[tokio::test]
async fn a_robot_never_spends_more_than_the_allowance() {
    play(2, 60, 7).await;
}

/// A number of the environment.
fn asked(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// `LODE_ROBOT_SEED` begins elsewhere, `LODE_ROBOT_GAMES` and `LODE_ROBOT_CALLS` play other lengths, `LODE_ROBOT_ALLOWANCE` allows
/// something else a day.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "ten thousand calls"]
async fn ten_thousand_calls() {
    let seed = asked("LODE_ROBOT_SEED", 100);
    let calls = u32::try_from(asked("LODE_ROBOT_CALLS", 500)).unwrap();
    let per_day = i64::try_from(asked("LODE_ROBOT_ALLOWANCE", 12)).unwrap();
    // Mostly they wait: for faults, and for the disk.
    let mut games = JoinSet::new();
    for seed in seed..seed + asked("LODE_ROBOT_GAMES", 20) {
        if games.len() == 6 {
            games.join_next().await.expect("six of them").unwrap();
        }
        games.spawn(play(seed, calls, per_day));
    }
    while let Some(game) = games.join_next().await {
        game.unwrap();
    }
}
