//! A suppression list is never passed by: not by an id without a row, by the order of a pipe, or by a mask without a domain.

use lode_core::purse::PurseRef;
use lode_core::suppress::SuppressEntry;
use lode_core::time::Now;
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::store::StoreCall;
use lode_host::store::Store;

use common::test_app::{Ran, TestApp, words};

/// Puts the domain on a list of the app's profile.
fn suppress(app: &TestApp, domain: &str) {
    let mut store = Store::open(&app.path("state"), WindowId("test".to_owned()));
    let call = StoreCall::Suppress {
        purse: PurseRef::Earlier { profile: "env".to_owned() },
        list: "dnc".to_owned(),
        entries: vec![SuppressEntry::Domain(domain.to_owned())],
    };
    store.perform(call, Now::default()).unwrap();
}

/// Some rows of a search: the JSON lines, the ids, and the domain of the first.
fn rows(app: &TestApp, count: usize) -> (Vec<String>, Vec<u64>, String) {
    let found = app.run(&["search", "--limit", &count.to_string()]).ended(0);
    let domain = found.lines()[0]["email_address"].as_str().unwrap().rsplit_once('@').unwrap().1.to_owned();
    (found.out.lines().map(str::to_owned).collect(), found.ids(), domain)
}

fn outcome(ran: &Ran, id: u64) -> String {
    let line = ran.lines().into_iter().find(|line| line["id"] == id);
    line.unwrap_or_else(|| panic!("{id}: {ran:?}"))["outcome"].as_str().unwrap().to_owned()
}

#[test]
fn an_id_is_checked_by_its_row_in_the_basket() {
    let app = TestApp::new();
    let (lines, ids, domain) = rows(&app, 4);
    app.fed(&["basket", "add"], &lines.join("\n")).ended(0);
    suppress(&app, &domain);
    let ran = app.fed(&["unlock", "--corpus", "us", "--max-credits", "4"], &words(&ids).join("\n")).ended(0);
    assert_eq!(outcome(&ran, ids[0]), "locked");
    assert!(!app.owned().contains(&ids[0]), "{ran:?}");
    assert_eq!(ran.summary()["locked"], 1, "{ran:?}");
    assert!(ran.summary()["charged"].as_u64() > Some(0), "{ran:?}");
}

#[test]
fn an_id_without_a_row_is_not_bought_while_there_is_a_list() {
    let app = TestApp::new();
    let (lines, ids, domain) = rows(&app, 2);
    let bare = words(&ids);
    let command = ["unlock", "--corpus", "us", "--max-credits", "2", &bare[0], &bare[1]];
    suppress(&app, &domain);
    let ran = app.run(&command).failed(3);
    assert_eq!((outcome(&ran, ids[0]), outcome(&ran, ids[1])), ("locked".to_owned(), "locked".to_owned()));
    assert_eq!((&ran.summary()["locked"], &ran.summary()["charged"]), (&2.into(), &0.into()));
    assert!(
        ran.err.contains("2 contacts cannot be checked against the suppression lists: only the id is known"),
        "{ran:?}"
    );
    assert!(ran.err.contains("--allow-unchecked"), "{ran:?}");
    assert!(app.owned().is_empty());
    let quote = app.run(&[&command[..], &["--dry-run"]].concat()).ended(0).lines()[0]["quote"].clone();
    assert_eq!((&quote["unchecked"], &quote["to_unlock"]), (&2.into(), &0.into()));
    // One of them together with its row: that one is checked, the other stays.
    let ran = app.fed(&[&command[..], &["-"]].concat(), &lines[1]).failed(3);
    assert_eq!((outcome(&ran, ids[0]), app.owned()), ("locked".to_owned(), vec![ids[1]]), "{ran:?}");
    let ran = app.run(&[&command[..], &["--allow-unchecked"]].concat()).ended(0);
    assert_eq!(ran.summary()["locked"], 0, "{ran:?}");
    assert!(app.owned().contains(&ids[0]), "{ran:?}");
}

#[test]
fn an_id_before_its_own_row_does_not_hide_the_row() {
    let app = TestApp::new();
    let (lines, ids, domain) = rows(&app, 1);
    suppress(&app, &domain);
    let ran = app.fed(
        &["unlock", "--corpus", "us", "--max-credits", "1", "--allow-unchecked", &ids[0].to_string(), "-"],
        &format!("{}\n{}", ids[0], lines[0]),
    );
    assert_eq!(outcome(&ran.ended(0), ids[0]), "locked");
    assert!(app.owned().is_empty());
}

#[test]
fn a_mask_without_an_at_sign_is_not_a_way_past_the_lists() {
    let app = TestApp::new();
    suppress(&app, "lakeside.example");
    let row = |id: u64, email: &str| {
        format!(r#"{{"id":{id},"first_name":"Dana","last_name":"Holt","email_address":"{email}","unlocked":false}}"#)
    };
    let masks = ["d•••", "", "•••", "d•••@", "d•••@•••.example", "d•••@localhost", "d•••other.example"];
    let mut pipe: Vec<String> = (1..).zip(masks).map(|(id, mask)| row(id, mask)).collect();
    pipe.push(row(50, "d•••lakeside.example"));
    pipe.push(row(51, "d***@lakeside.example"));
    let ran = app.fed(&["unlock", "--corpus", "us", "--max-credits", "20"], &pipe.join("\n")).failed(3);
    assert!(app.owned().is_empty(), "{ran:?}");
    assert!(
        ran.err.contains("7 contacts cannot be checked against the suppression lists: the row shows no domain"),
        "{ran:?}"
    );
    assert!(ran.err.contains("2 contacts on the suppression list dnc"), "{ran:?}");
    // A row with a domain that no list names goes through.
    app.fed(&["unlock", "--corpus", "us", "--max-credits", "1"], &row(60, "d•••@elm.example")).ended(0);
    assert_eq!(app.owned(), [60]);
}

#[test]
fn bare_ids_need_their_corpus() {
    let app = TestApp::new();
    for (arguments, pipe) in [
        (&["7"][..], ""),
        (&[], "7\n"),
        (&[], "{\"id\":7}\n"),
        (&["-"], "{\"id\":7,\"title\":\"x\",\"unlocked\":false}"),
    ] {
        let ran = app.fed(&[&["unlock", "--max-credits", "1"], arguments].concat(), pipe).failed(2);
        assert!(ran.err.contains("--corpus"), "{ran:?}");
    }
    assert!(app.owned().is_empty());
    // A row says of which corpus it is.
    let (lines, ids, _) = rows(&app, 1);
    app.fed(&["unlock", "--max-credits", "1"], &lines[0]).ended(0);
    app.fed(&["unlock", "--max-credits", "1"], "{\"id\":9,\"corpus\":\"us\"}").ended(0);
    assert_eq!(app.owned(), [ids[0], 9]);
}

#[test]
fn a_piped_row_does_not_decide_what_is_owned() {
    let app = TestApp::new();
    let row =
        r#"{"id":7,"email_address":"liar@elm.example","phone":"5125550142","unlocked":true,"verification":"valid"}"#;
    let ran = app.fed(&["unlock", "--max-credits", "1"], row).ended(0);
    assert_ne!(outcome(&ran, 7), "already");
    assert!(!ran.out.contains("liar@"), "{ran:?}");
    assert_eq!(app.owned(), [7]);
    let row = row.replace("7,", "8,");
    app.fed(&["basket", "add"], &row).ended(0);
    assert_eq!(app.run(&["basket"]).ended(0).lines()[0]["ours"], false, "the basket believes no pipe either");
    // What the ledger knows to be owned is free.
    let found = app.run(&["search", "--limit", "7"]).ended(0);
    let own = found.out.lines().find(|line| line.starts_with("{\"id\":7,")).expect("the seventh row");
    let ran = app.fed(&["unlock", "--max-credits", "0"], own).ended(0);
    assert_eq!(outcome(&ran, 7), "already");
}

/// `bücher.example` and `xn--bcher-kva.example` are one domain. What cannot be compared is never clear.
#[test]
fn a_domain_is_the_same_in_unicode_and_in_ascii() {
    for (entry, email, expected) in [
        ("bücher.example", "d•••@xn--bcher-kva.example", "suppressed"),
        ("Bücher.example", "d•••@mail.XN--BCHER-KVA.example", "suppressed"),
        ("xn--bcher-kva.example", "d•••@bücher.example", "suppressed"),
        ("dana@bücher.example", "d•••@xn--bcher-kva.example", "unchecked"),
        ("bücher.example", "d•••@xn--99999999999.example", "unchecked"),
        ("aא.example", "d•••@xn--bcher-kva.example", "unchecked"),
        ("aא.example", "d•••@quail.example", "clear"),
        ("bücher.example", "d•••@xn--mller-kva.example", "clear"),
    ] {
        let app = TestApp::new();
        let (lines, ids, _) = rows(&app, 1);
        app.fed(&["suppress", "add", "dnc", "--subdomains", "-"], &format!("{entry}\n")).ended(0);
        let mut row: serde_json::Value = serde_json::from_str(&lines[0]).unwrap();
        row["email_address"] = email.into();
        for field in ["first_name", "last_name", "phone"] {
            row[field] = serde_json::Value::Null;
        }
        let check = app.fed(&["suppress", "check", "-"], &row.to_string()).ended(0);
        assert_eq!(check.lines()[0]["check"], expected, "{entry} {email}: {check:?}");
        let ran = app.fed(&["unlock", "--max-credits", "1"], &row.to_string());
        assert_eq!(outcome(&ran, ids[0]) == "locked", expected != "clear", "{entry} {email}: {ran:?}");
    }
}
