//! `unlock --dry-run` says what the real run then does, in every bound.

use serde_json::Value;

use crate::cli::crooked::{Asked, Crooked, State};
use common::test_app::Ran;

const IDS: [&str; 8] = ["1", "2", "3", "4", "5", "6", "7", "8"];

fn service(balance: i64, caps: &str) -> Crooked {
    let crooked = Crooked::start(|_: &Asked, _: &mut State| None);
    crooked.state().balance = balance;
    std::fs::create_dir_all(crooked.path("config")).unwrap();
    let profile = format!("[profiles.one.workspace]\nurl = \"{}/api/v1\"\n", crooked.origin);
    std::fs::write(crooked.path("config/config.toml"), format!("{profile}[profiles.one.caps]\n{caps}\n")).unwrap();
    crooked
}

fn run(crooked: &Crooked, arguments: &[&str]) -> Ran {
    Ran::of(crooked.command(&[arguments, &IDS].concat()).env("LODE_PROFILE", "one").spawn().unwrap())
}

fn unlock<'a>(most: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["unlock", "--corpus", "us", "--max-credits", most], more].concat()
}

#[track_caller]
fn agrees(crooked: &Crooked, most: &str, bounded_by: Value) {
    let before = crooked.state().balance;
    let quote = run(crooked, &unlock(most, &["--dry-run"])).ended(0).lines()[0]["quote"].clone();
    assert_eq!(crooked.state().unlocks(), Vec::<Vec<i64>>::new(), "nothing is sent");
    let real = run(crooked, &unlock(most, &[]));
    let (charged, locked) = (real.summary()["charged"].clone(), real.summary()["locked"].clone());
    assert_eq!((&quote["most"], &quote["locked"]), (&charged, &locked), "{quote} {real:?}");
    assert_eq!(quote["balance_after"], before - charged.as_i64().unwrap(), "{quote}");
    assert_eq!(quote["bounded_by"], bounded_by, "{quote}");
    let sent: Vec<Value> = crooked.state().unlocks().iter().map(|ids| ids.len().into()).collect();
    assert_eq!(quote["calls"], Value::Array(sent), "{quote}");
}

#[test]
fn a_dry_run_counts_as_the_run_does() {
    agrees(&service(100, ""), "8", Value::Null);
    agrees(&service(100, ""), "3", "max_credits".into());
    agrees(&service(4, ""), "8", "balance".into());
    agrees(&service(0, ""), "8", "balance".into());
    agrees(&service(100, "day = 5"), "8", "day_cap".into());
    agrees(&service(100, "session = 2\nday = 5"), "8", "session_cap".into());
    agrees(&service(100, "call = 0"), "8", "call_cap".into());
    agrees(&service(100, "call = 3"), "8", Value::Null);
    agrees(&service(2, "session = 6\nday = 5"), "3", "balance".into());
}

#[test]
fn what_was_spent_today_is_gone_from_the_day_cap_of_a_dry_run() {
    let crooked = service(100, "day = 5");
    let mut first = crooked.command(&["unlock", "--corpus", "us", "--max-credits", "3", "21", "22", "23"]);
    Ran::of(first.env("LODE_PROFILE", "one").spawn().unwrap()).ended(0);
    crooked.state().log.clear();
    agrees(&crooked, "8", "day_cap".into());
}

#[test]
fn a_dry_run_mentions_duplicates() {
    let crooked = service(100, "");
    let row = |id: i64| {
        format!(
            "{{\"id\":{id},\"corpus\":\"us\",\"first_name\":\"Tom\",\"last_name\":\"Beckett\",\"company_name\":\"Quail\",\
             \"email_address\":\"t•••@quail.example\",\"unlocked\":false}}\n"
        )
    };
    let rows = [row(31), row(32), row(33), row(31)].concat();
    let mut child = crooked
        .command(&["unlock", "--corpus", "us", "--max-credits", "9", "--dry-run"])
        .env("LODE_PROFILE", "one")
        .stdin(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), rows.as_bytes()).unwrap();
    let ran = Ran::of(child).ended(0);
    let quote = ran.lines()[0]["quote"].clone();
    assert_eq!((&quote["duplicates"], &quote["most"]), (&2.into(), &3.into()), "{ran:?}");
    assert!(ran.err.contains("2 duplicates"), "{ran:?}");
}

#[test]
fn a_dry_run_of_a_key_that_cannot_unlock_says_so() {
    let crooked = service(100, "");
    crooked.state().scopes = vec!["search"];
    for more in [&["--dry-run"][..], &[]] {
        let ran = run(&crooked, &unlock("8", more)).failed(5);
        assert!(ran.err.contains("this key cannot unlock"), "{ran:?}");
    }
}
