//! Answers that contradict themselves: sums and lists that do not add up make the contacts concerned UNKNOWN until a look
//! settles them, and the person is told.

use serde_json::{Value, json};

use crate::cli::crooked::{Asked, Crooked, State, contact, done, framed, refused};

/// Applies each unlock and answers with what `twist` makes of the honest data.
fn service(searches_fail: bool, twist: impl Fn(&mut Value) + Send + 'static) -> Crooked {
    Crooked::start(move |asked: &Asked, state: &mut State| {
        if asked.is("/search") && searches_fail {
            return Some(refused(403, "Not now"));
        }
        asked.is("/unlock").then(|| {
            let mut data = state.apply(asked);
            twist(&mut data);
            done(&data)
        })
    })
}

fn truncated(data: &mut Value) {
    data["unlocked"].as_array_mut().unwrap().truncate(4);
    data["stopped_for_credits"] = true.into();
}

fn under_missing(data: &mut Value) {
    data["missing"] = (1..=10).collect();
    data["unlocked"] = json!([]);
}

fn unreadable(data: &mut Value) {
    for entry in &mut data["unlocked"].as_array_mut().unwrap()[4..] {
        entry["id"] = Value::Null;
    }
    data["stopped_for_credits"] = true.into();
}

fn in_two_lists(data: &mut Value) {
    data["missing"] = json!([5, 6, 7, 8, 9, 10]);
}

fn charged_less(data: &mut Value) {
    data["credits_charged"] = 4.into();
}

fn strays(data: &mut Value) {
    for (at, id) in (4..10).zip(101..) {
        data["unlocked"][at] = contact(id);
    }
    data["stopped_for_credits"] = true.into();
}

/// Money rule 7, *partial is normal*.
#[test]
fn what_does_not_add_up_is_looked_for_and_told() {
    for (name, twist) in [
        ("truncated", truncated as fn(&mut Value)),
        ("under missing", under_missing),
        ("unreadable", unreadable),
        ("in two lists", in_two_lists),
        ("charged less", charged_less),
        ("strays", strays),
    ] {
        let crooked = service(false, twist);
        let ran = crooked.unlock(10);
        assert_eq!((&ran.summary()["charged"], &ran.summary()["unknown"]), (&10.into(), &0.into()), "{name} {ran:?}");
        assert!(ran.err.contains("does not add up"), "{name} {ran:?}");
        assert_eq!(crooked.state().unlocks().len(), 1, "{name}");

        let known = match name {
            "under missing" | "charged less" => 0,
            _ => 4,
        };
        let crooked = service(true, twist);
        let ran = crooked.unlock(10).failed(9);
        let summary = ran.summary();
        assert_eq!((&summary["charged"], &summary["unknown"]), (&known.into(), &(10 - known).into()), "{name} {ran:?}");
        assert!(ran.err.contains("does not add up"), "{name} {ran:?}");
    }
}

#[test]
fn a_charge_above_the_ids_sent_raises_an_alarm_that_the_receipt_keeps() {
    let crooked = service(false, |data| {
        data["credits_charged"] = 50.into();
        data["balance"] = 50.into();
    });
    let ids: Vec<String> = (1..=30).map(|id| id.to_string()).collect();
    let mut arguments = vec!["unlock", "--corpus", "us", "--max-credits", "30"];
    arguments.extend(ids.iter().map(String::as_str));
    let ran = crooked.run(&arguments).failed(8);
    assert_eq!(crooked.state().unlocks().len(), 1, "nothing more is sent: {ran:?}");
    assert!(ran.err.contains("charge of 50 credits for 25 contacts"), "{ran:?}");
    assert_eq!((&ran.summary()["charged"], &ran.summary()["locked"]), (&25.into(), &5.into()), "{ran:?}");
    let receipt = crooked.run(&["receipts"]).ended(0).lines().remove(0);
    assert_eq!((&receipt["charged"], &receipt["service_charged"]), (&25.into(), &50.into()), "{receipt}");
}

/// Before or after refunds: both add up (M7). Credits that ran out may put the rest under `missing` (M6).
#[test]
fn what_the_documents_leave_open_does_not_contradict_them() {
    let refunds = |data: &mut Value| {
        data["unlocked"][0]["refunded"] = true.into();
        data["unlocked"][0]["verification"] = "invalid".into();
        data["credits_refunded"] = 1.into();
    };
    for net in [false, true] {
        let crooked = service(false, move |data| {
            refunds(data);
            data["credits_charged"] = if net { 9.into() } else { 10.into() };
        });
        let ran = crooked.unlock(10).ended(0);
        assert_eq!((&ran.summary()["charged"], &ran.summary()["refunded"]), (&10.into(), &1.into()), "{ran:?}");
        assert_eq!(ran.err, "", "{ran:?}");
    }
    let crooked = service(false, |data| {
        if data["stopped_for_credits"] == true {
            data["missing"] = json!([5, 6, 7, 8, 9, 10]);
        }
    });
    crooked.state().balance = 4;
    let ran = crooked.unlock(10).failed(6);
    assert_eq!((&ran.summary()["charged"], &ran.summary()["locked"]), (&4.into(), &6.into()), "{ran:?}");
    assert!(!ran.err.contains("add up"), "{ran:?}");
}

/// Every unlock is carried out, and the charge is spelled like this.
fn charges(spelled: &'static str, searches_fail: bool) -> Crooked {
    Crooked::start(move |asked: &Asked, state: &mut State| {
        if asked.is("/search") && searches_fail {
            return Some(refused(403, "Not now"));
        }
        asked.is("/unlock").then(|| {
            let mut data = state.apply(asked);
            data["credits_charged"] = "@".into();
            let body = json!({"ok": true, "data": data}).to_string().replace("\"@\"", spelled);
            framed("200 OK", "content-type: application/json\r\n", body.as_bytes())
        })
    })
}

/// Money rule 7, *partial is normal*.
#[test]
fn a_charge_above_the_ids_sent_raises_an_alarm_however_it_is_spelled() {
    for spelled in [
        "50",
        "50.5",
        "\"50.5\"",
        "\"50.0\"",
        "5e1",
        "5.05e1",
        "\"5e1\"",
        "5e15",
        "1e999",
        "\"+50\"",
        "\"1,000\"",
        "\"50 credits\"",
        "[50]",
        "{\"gross\":50}",
        "99999999999999999999999999999999999999999",
        "10.5",
        "\"10,5\"",
    ] {
        let crooked = charges(spelled, false);
        let ran = crooked.unlock(10).failed(8);
        assert!(ran.err.contains("reports a charge of") && ran.err.contains("for 10 contacts"), "{spelled}: {ran:?}");
        assert_eq!(ran.summary()["charged"], 10, "{spelled}: {ran:?}");
    }
}

#[test]
fn a_charge_with_a_fraction_makes_its_contacts_unknown_until_a_check() {
    for spelled in ["4.5", "9.5", "-50.5", "\"ten\"", "\"10 credits\"", "true"] {
        let ran = charges(spelled, true).unlock(10).failed(9);
        assert_eq!(ran.summary()["unknown"], 10, "{spelled}: {ran:?}");
        assert!(ran.err.contains("does not add up"), "{spelled}: {ran:?}");
        let ran = charges(spelled, false).unlock(10).ended(0);
        assert_eq!(ran.summary()["charged"], 10, "a free check finds them owned: {spelled}: {ran:?}");
    }
    for spelled in ["10", "10.0", "\"10\"", "1e1", "null", "\"\""] {
        let ran = charges(spelled, true).unlock(10).ended(0);
        assert_eq!(ran.err, "", "{spelled}: {ran:?}");
    }
}

/// A part of a credit buys nothing.
#[test]
fn a_balance_with_a_fraction_is_rounded_down() {
    for (credits, whole) in [(json!(2.9), 2), (json!("2.5"), 2), (json!(-0.5), -1)] {
        let crooked = Crooked::start(move |asked: &Asked, _: &mut State| {
            let org = json!({"id": "o", "name": "Acme", "plan": "pro"});
            let key = json!({"name": "test", "prefix": "lk_live", "scopes": ["search", "unlock"]});
            asked.is("/me").then(|| done(&json!({"org": org, "key": key, "credits": credits})))
        });
        assert_eq!(crooked.run(&["me"]).ended(0).lines()[0]["credits"], whole);
        let quote = crooked.run(&["unlock", "--corpus", "us", "--max-credits", "1", "--dry-run", "1"]);
        assert_eq!(quote.lines()[0]["quote"]["balance"], whole, "{quote:?}");
    }
}

#[test]
fn a_balance_with_a_fraction_after_an_unlock_raises_no_alarm() {
    let crooked = service(false, |data| data["balance"] = json!(data["balance"].as_f64().unwrap() + 0.5));
    let ran = crooked.unlock(3).ended(0);
    assert_eq!((&ran.summary()["balance"], ran.err.as_str()), (&json!(97), ""), "{ran:?}");
}
