//! Every exit code of the product, each reached for its own reason.

use std::net::TcpListener;

use lode_sandbox::corpus::{CheckOutcome, CorpusKind};
use lode_sandbox::variants::Variant;

use common::house::{House, words};

#[test]
fn wrong_usage_is_2() {
    let house = House::new();
    house.run(&["unlock", "1"]).ended(2);
    house.run(&["search", "--no-such-flag"]).ended(2);
    house.run(&["search", "--corpus", "mars"]).ended(2);
    house.run(&["search", "--query", "x"]).failed(2);
    house.run(&["search", "--source", "data"]).failed(2);
    house.run(&["search", "--source", "data", "--query", "x", "--exclude-unlocked"]).failed(2);
    house.run(&["unlock", "--corpus", "us", "--max-credits", "1", "someone"]).failed(2);
    house.run(&["unlock", "--corpus", "us", "--max-credits", "-1", "1"]).ended(2);
    house.run(&["receipts", "--month", "2026-13"]).ended(2);
    house.run(&["receipts", "--csv", "--json"]).ended(2);
    house.run(&["recover", "--finish"]).ended(2);
    house.run(&["export", "--from", "owned", "--title", "x"]).failed(2);
    house.run(&["nonsense"]).ended(2);
    assert!(house.sandbox.service().log().is_empty(), "nothing of this is the service's business");
}

#[test]
fn a_ceiling_or_a_cap_is_3() {
    let house = House::new();
    let ran = house.run(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2", "3", "4"]).failed(3);
    assert_eq!(ran.summary()["locked"], 2);
    assert_eq!(house.owned(), [1, 2]);
    house.run(&["unlock", "--corpus", "us", "--max-credits", "0", "3"]).failed(3);
    std::fs::create_dir_all(house.path("config")).unwrap();
    let caps = format!(
        "[profiles.capped.workspace]\nurl = \"{}\"\n[profiles.capped.caps]\nday = 4\n",
        house.sandbox.workspace_url
    );
    std::fs::write(house.path("config/config.toml"), caps).unwrap();
    let ran = house.run(&["unlock", "--corpus", "us", "--max-credits", "9", "3", "4", "5", "6"]).failed(3);
    assert!(ran.err.contains("a limit of this profile allows only 2 credits"), "{}", ran.err);
    assert_eq!(house.owned(), [1, 2, 3, 4]);
}

#[test]
fn a_key_that_is_missing_or_refused_is_4() {
    let mut house = House::new();
    for (variable, command) in [
        ("LODE_WORKSPACE_KEY", &["me"][..]),
        ("LODE_WORKSPACE_KEY", &["search"]),
        ("LODE_WORKSPACE_KEY", &["unlock", "--corpus", "us", "--max-credits", "1", "1"]),
        ("LODE_WORKSPACE_KEY", &["owned"]),
        ("LODE_DATA_KEY", &["counts"]),
        ("LODE_DATA_KEY", &["export", "--query", "x"]),
        ("LODE_DATA_KEY", &["search", "--source", "data", "--query", "x"]),
    ] {
        let child = house.command(command).env_remove(variable).spawn().unwrap();
        common::house::Ran::of(child).failed(4);
    }
    let (workspace, data) = (std::mem::take(&mut house.workspace_key), std::mem::take(&mut house.data_key));
    (house.workspace_key, house.data_key) = (format!("{workspace}x"), format!("{data}x"));
    house.run(&["me"]).failed(4);
    house.run(&["search", "--limit", "1"]).failed(4);
    house.run(&["counts"]).failed(4);
    house.run(&["export", "--query", "nurse"]).failed(4);
}

#[test]
fn a_key_without_the_scope_is_5() {
    let mut house = House::new();
    let org = house.org();
    house.workspace_key = house.sandbox.service().make_key(&org, "reader", &["search"]);
    house.run(&["search", "--limit", "1"]).ended(0);
    house.run(&["unlock", "--corpus", "us", "--max-credits", "1", "1"]).failed(5);
    house.workspace_key = house.sandbox.service().make_key(&org, "buyer", &["unlock"]);
    house.run(&["search", "--limit", "1"]).failed(5);
    assert!(house.owned().is_empty());
}

#[test]
fn credits_that_run_out_are_6() {
    let house = House::new();
    let ids = house.people(CheckOutcome::Valid, 5);
    house.set_credits(3);
    let mut arguments = vec!["unlock", "--corpus", "us", "--max-credits", "5"];
    let ids = words(&ids);
    arguments.extend(ids.iter().map(String::as_str));
    let ran = house.run(&arguments).failed(6);
    let summary = ran.summary();
    assert_eq!((&summary["charged"], &summary["locked"]), (&3.into(), &2.into()));
    assert_eq!((&summary["balance"], &summary["stopped_for_credits"]), (&0.into(), &true.into()));
    assert_eq!(house.owned().len(), 3);
}

/// Three can be paid: one comes back, what was owned and what is not there cost nothing.
#[test]
fn credits_that_run_out_in_the_middle_are_told_alike_in_every_shape() {
    let mut told = String::new();
    for variant in Variant::ALL {
        let house = House::of(variant);
        let (valid, bad) = (house.people(CheckOutcome::Valid, 6), house.people(CheckOutcome::Invalid, 1));
        house.sandbox.service().member_unlocks(&house.org(), CorpusKind::Us, &valid[..1], house.sandbox.now_ms());
        house.set_credits(3);
        let before = house.balance();
        let ids = [valid[0], valid[1], bad[0], 99_999_999, valid[2], valid[3], valid[4], valid[5]];
        let ran = house.fed(&["unlock", "--corpus", "us", "--max-credits", "8"], &words(&ids).join("\n")).failed(6);
        let outcomes: Vec<String> =
            ran.lines().iter().filter_map(|line| line["outcome"].as_str()).map(str::to_owned).collect();
        let summary = ran.summary();
        assert_eq!(summary["stopped_for_credits"], true, "{variant:?}");
        assert_eq!(
            summary["charged"].as_i64().unwrap() - summary["refunded"].as_i64().unwrap(),
            before - house.balance()
        );
        assert_eq!(house.run(&["owned"]).ended(0).sorted_ids(), house.owned(), "{variant:?}");
        let said = ran.err.replace('\n', "\n   ");
        told += &format!("{}: {}\n   {summary}\n   {}\n", variant.name(), outcomes.join(" "), said.trim_end());
        // With nothing left at all some of them refuse the call instead.
        house.set_credits(0);
        let ran = house.run(&["unlock", "--corpus", "us", "--max-credits", "1", &valid[5].to_string()]).failed(6);
        assert_eq!((&ran.summary()["charged"], &ran.summary()["locked"]), (&0.into(), &1.into()), "{variant:?}");
        told += &format!("   {}", ran.err.replace('\n', "\n   ").trim_end());
        told.push('\n');
    }
    let kept = include_str!("credits-out.txt");
    assert!(told == kept, "the shapes are told differently now:\n{told}");
}

#[test]
fn a_wait_longer_than_a_command_waits_is_7() {
    let house = House::new();
    house.fault("429@search=1:120");
    let ran = house.run(&["search", "--limit", "1"]).failed(7);
    assert!(ran.err.contains("asked to wait"), "{}", ran.err);
}

#[test]
fn a_service_that_is_not_there_is_8() {
    let house = House::new();
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let nowhere = format!("http://{free}/api/v1");
    let child = house.command(&["me"]).env("LODE_WORKSPACE_URL", nowhere).spawn().unwrap();
    common::house::Ran::of(child).failed(8);
    let wrong = format!("{}/elsewhere/api/v1", house.sandbox.data_url);
    let child = house.command(&["search"]).env("LODE_WORKSPACE_URL", wrong).spawn().unwrap();
    common::house::Ran::of(child).failed(8);
}

#[test]
fn an_unlock_without_any_answer_is_9_and_recover_clears_it_up_for_free() {
    let house = House::new();
    let ids = house.people(CheckOutcome::Valid, 3);
    let (first, all) = (ids[0].to_string(), words(&ids));
    house.fault("unlock-lost=next");
    house.fault("html@search=next5");
    let ran = house.run(&["unlock", "--corpus", "us", "--max-credits", "3", &all[0], &all[1], &all[2]]).failed(9);
    assert!(ran.lines()[..3].iter().all(|line| line["outcome"] == "unknown"), "{ran:?}");
    assert_eq!(ran.summary()["unknown"], 3);
    // No run may buy the same ids again before that is resolved.
    let again = house.run(&["unlock", "--corpus", "us", "--max-credits", "1", &first]).failed(9);
    assert_eq!(again.summary()["charged"], 0);
    let spent = house.balance();
    let recovered = house.run(&["recover", "--json"]).ended(0);
    assert_eq!(recovered.ids(), ids);
    assert_eq!(recovered.summary()["balance"], spent);
    assert!(recovered.lines()[..3].iter().all(|line| line["outcome"] == "unlocked" && line["email"].is_string()));
    let owned = house.run(&["owned"]).ended(0);
    assert_eq!(owned.sorted_ids(), house.owned());
    assert!(owned.lines().iter().all(|line| line["phone"].as_str().is_some_and(|phone| !phone.contains('•'))));
    assert_eq!(house.balance(), spent, "looking is free");
}

#[test]
fn the_graver_of_two_is_told() {
    let house = House::new();
    let ids = words(&house.people(CheckOutcome::Valid, 4));
    house.fault("unlock-lost=next");
    house.fault("html@search=next5");
    // A ceiling is reached as well, but the unknown outcome comes first.
    let ran =
        house.run(&["unlock", "--corpus", "us", "--max-credits", "2", &ids[0], &ids[1], &ids[2], &ids[3]]).failed(9);
    assert_eq!((&ran.summary()["unknown"], &ran.summary()["locked"]), (&2.into(), &2.into()));
}
