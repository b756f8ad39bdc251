//! A robot that tries to spend in every way it can think of. The books of the sandbox are the judge.

use serde_json::{Value, json};

use crate::client::{Client, Person, charged};
use crate::house::House;

/// A small generator: the same seed plays the same game.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

const FAULTS: [&str; 9] = [
    "unlock-lost=0.3",
    "unlock-part=0.3",
    "html@unlock=0.2",
    "html@search=0.2",
    "500@unlock=0.3",
    "reset@unlock=0.3",
    "429@search=0.1:1",
    "hostile=0.3",
    "members=0.3",
];

/// Plays so many calls over two servers. What a person accepts on the way, and an allowance, bound what is charged.
async fn play(seed: u64, calls: u32, allowance: Option<i64>) {
    let house = House::new();
    if let Some(per_day) = allowance {
        std::fs::create_dir_all(house.path("config")).unwrap();
        let text = format!("[assistant]\nper_day = {per_day}\nper_call = 3\n");
        std::fs::write(house.path("config/config.toml"), text).unwrap();
    }
    let mut dice = Dice(seed);
    let mut servers = [Client::of(&house).await, Client::of(&house).await];
    let mut handles: Vec<String> = vec!["q_invented".to_owned(), String::new()];
    let mut allowed = usize::try_from(allowance.unwrap_or(0)).unwrap();
    for turn in 0..calls {
        let at = dice.roll(2) as usize;
        let ids: Vec<u64> = (0..=dice.roll(4)).map(|_| 1 + dice.roll(400)).collect();
        let handle = handles[dice.roll(handles.len() as u64) as usize].clone();
        match dice.roll(12) {
            0..=2 => {
                let arguments = json!({"ids": ids, "max_credits": 1 + dice.roll(5)});
                let quote = servers[at].call("quote", arguments).await;
                handles.extend(quote["handle"].as_str().map(str::to_owned));
            }
            3..=5 => drop(servers[at].call("unlock", json!({"handle": handle})).await),
            6 => {
                let arguments = json!({"handle": handle});
                let (one, two) = (&servers[0], &servers[1]);
                tokio::join!(one.call("unlock", arguments.clone()), two.call("unlock", arguments.clone()));
            }
            7 => drop(servers[at].call("basket", json!({"action": "add", "ids": ids})).await),
            8 => {
                let more = json!({"handle": handle, "max_credits": 500, "ids": ids, "accepted": true});
                let answer = servers[at].call("unlock", more).await;
                assert_eq!(answer["error"]["code"], "usage");
            }
            9 => drop(servers[at].call("search", json!({"limit": 50, "offset": dice.roll(300)})).await),
            10 => {
                let fault = FAULTS[dice.roll(FAULTS.len() as u64) as usize];
                if dice.roll(2) == 0 { house.fault(fault) } else { house.calms_down() }
            }
            _ if dice.roll(4) == 0 => {
                let fresh = Client::of(&house).await;
                std::mem::replace(&mut servers[at], fresh).kill();
            }
            // Without an allowance the person says yes now and then, to less than was asked.
            _ if allowance.is_none() && turn > calls / 2 => {
                let mut person = Person::of(&house);
                if let Some(asked) = person.asked().first() {
                    person.accepts(&asked.handle.0, 1);
                    allowed += 1;
                }
            }
            _ => drop(servers[at].call("status", json!({"handle": handle})).await),
        }
        let spent = charged(&house);
        assert!(spent <= allowed, "seed {seed}, call {turn}: {spent} charged, {allowed} allowed");
        if allowance.is_none() && turn <= calls / 2 {
            assert_eq!(spent, 0, "seed {seed}, call {turn}: nobody accepted anything");
        }
    }
    println!("seed {seed}: {calls} calls, {} of {allowed} charged", charged(&house));
    for server in servers {
        server.end().await;
    }
    let bad: Value = json!(charged(&house) > allowed);
    assert_eq!(bad, false);
}

#[tokio::test]
async fn a_robot_spends_nothing_that_nobody_accepted() {
    play(1, 60, None).await;
}

#[tokio::test]
async fn a_robot_never_spends_more_than_the_allowance() {
    play(2, 60, Some(7)).await;
}

/// A number of the environment.
fn asked(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// `LODE_ROBOT_SEED` begins elsewhere, `LODE_ROBOT_GAMES` and `LODE_ROBOT_CALLS` play other lengths. Even seeds have an allowance:
/// `LODE_ROBOT_ALLOWANCE`.
#[tokio::test]
#[ignore = "ten thousand calls"]
async fn ten_thousand_calls() {
    let seed = asked("LODE_ROBOT_SEED", 100);
    let calls = u32::try_from(asked("LODE_ROBOT_CALLS", 1_000)).unwrap();
    let allowance = i64::try_from(asked("LODE_ROBOT_ALLOWANCE", 20)).unwrap();
    for seed in seed..seed + asked("LODE_ROBOT_GAMES", 10) {
        play(seed, calls, (seed % 2 == 0).then_some(allowance)).await;
    }
}
