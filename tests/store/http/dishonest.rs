//! Every way in which a service, or what stands in front of it, can fail to answer.

use common::asking::Small;
use std::io::Write;

use lode_core::contact::{Corpus, RowId, Side};
use lode_engine::effect::call::{Call, Outgoing, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_sandbox::server::{Sandbox, SandboxSettings};

use super::crooked::{Crooked, KEY, answer};
use super::honest::{http_of, search, wait};
use lode_core::contact::Source;

const ME: &[u8] = br#"{"ok":true,"data":{"org":{"id":"o1","name":"Acme","plan":"pro"},"key":{"name":"k","prefix":"lk_","scopes":["search"]},"credits":5}}"#;

fn unlock() -> Outgoing {
    Call::Unlock(common::unlock_call(Corpus::Us, vec![RowId(1)], true))
}

fn me(server: &Crooked) -> Result<Reply, Failure> {
    wait(server.http().send(&Call::Me))
}

fn unclear(result: Result<Reply, Failure>) -> Unclear {
    match result {
        Err(Failure::Unclear { why, .. }) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn each_fault_of_the_sandbox_has_its_class() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let http = http_of(&sandbox);
    let upstream = |status| Unclear::Upstream(status);
    for (fault, expected) in [
        ("500", upstream(500)),
        ("502", upstream(502)),
        ("503", upstream(503)),
        ("html", Unclear::Unreadable),
        ("empty", Unclear::Unreadable),
        ("binary", Unclear::Unreadable),
        ("truncated", Unclear::Unreadable),
        ("reset", Unclear::Line),
        ("reset-mid", Unclear::Line),
        ("lost", Unclear::Line),
        ("huge", Unclear::TooLarge),
        ("endless", Unclear::TooLarge),
        ("gzip-bomb", Unclear::TooLarge),
    ] {
        for call in [
            Call::Me,
            Call::Search(search(Source::Workspace, Corpus::Us)),
            Call::Search(search(Source::Data, Corpus::Us)),
            Call::Counts(Corpus::Us),
            Call::SavedList,
        ] {
            sandbox.service().state().faults.rules = vec![fault.parse().unwrap()];
            match wait(http.send(&call)) {
                Err(Failure::Unclear { why, words }) => {
                    assert_eq!(why, expected, "{fault} {call:?} {words}");
                    assert!(!words.is_empty() && words.len() < 400);
                }
                other => panic!("{fault} {call:?}: {other:?}"),
            }
        }
    }
    for fault in ["429=1:7", "429-date=1:7"] {
        sandbox.service().state().faults.rules = vec![fault.parse().unwrap()];
        match wait(http.send(&Call::Me)) {
            Err(Failure::Later { wait: Some(wait), .. }) => {
                assert!((6..=7).contains(&wait.as_secs()), "{fault} {wait:?}")
            }
            other => panic!("{fault}: {other:?}"),
        }
    }
    sandbox.service().state().faults.rules = vec!["429-bare".parse().unwrap()];
    assert!(matches!(wait(http.send(&Call::Me)), Err(Failure::Later { wait: None, .. })));
    sandbox.service().state().faults.rules = vec!["redirect-here=next".parse().unwrap()];
    let failure = wait(http.send(&Call::Me)).unwrap_err();
    assert!(matches!(failure, Failure::Refused { why: Refusal::Redirect, .. }), "nor within the origin: {failure:?}");
}

#[test]
fn hostile_rows_are_read_whole_and_come_out_clean() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let http = http_of(&sandbox);
    sandbox.service().state().faults.rules = vec!["hostile".parse().unwrap()];
    for side in Side::ALL {
        for offset in [0, 100, 200] {
            let call = SearchCall { offset, limit: 100, ..search(side.source, side.corpus) };
            let Ok(Reply::Page(page)) = wait(http.send(&Call::Search(call))) else { panic!("{side}") };
            assert!(page.rows.iter().all(|row| row.id().is_some()), "{side}");
            for (name, _, text) in page.rows.iter().flat_map(|row| row.fields()) {
                let clean =
                    |text: &str| !text.chars().any(|c| c.is_control() || ('\u{202a}'..='\u{202e}').contains(&c));
                assert!(clean(name) && clean(text), "{name:?} {text:?}");
            }
        }
    }
}

#[test]
fn the_key_goes_nowhere_else_and_comes_back_nowhere() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let http = http_of(&sandbox);
    for (fault, calls) in [("redirect", 5), ("echo", 5)] {
        sandbox.service().state().faults.rules = vec![fault.parse().unwrap()];
        let calls_made = [
            Call::Me,
            unlock(),
            Call::Search(search(Source::Data, Corpus::Us)),
            Call::Counts(Corpus::Us),
            Call::SavedList,
        ];
        assert_eq!(calls_made.len(), calls);
        for call in calls_made {
            let failure = wait(http.send(&call)).unwrap_err();
            if fault == "redirect" {
                assert!(matches!(failure, Failure::Refused { why: Refusal::Redirect, .. }), "{call:?} {failure:?}");
            }
            let said = format!("{failure:?}");
            for key in [&sandbox.workspace_key, &sandbox.data_key] {
                assert!(!said.contains(key.as_str()), "{fault} {call:?}: {said}");
            }
        }
    }
    for heard in sandbox.service().state().heard_elsewhere.clone() {
        assert!(!heard.contains(&sandbox.workspace_key) && !heard.contains(&sandbox.data_key), "{heard}");
    }
}

#[test]
fn an_echo_inside_a_success_is_cut_as_well() {
    let body = String::from_utf8(ME.to_vec()).unwrap().replace("Acme", &format!("Bearer {KEY}"));
    let server = Crooked::saying(answer("200 OK", "", body.as_bytes()));
    let Ok(Reply::Me(account)) = me(&server) else { panic!() };
    assert_eq!(account.org_name, "Bearer [key]");
    let heard = server.heard().remove(0);
    assert!(heard.starts_with("GET /api/v1/me HTTP/1.1\r\n"), "the address holds no key: {heard}");
    assert!(heard.contains(&format!("authorization: Bearer {KEY}")));
    let server =
        Crooked::saying(format!("HTTP/1.1 302 x\r\nlocation: http://{}.example/\r\n\r\n", KEY.replace('_', "-")));
    let failure = format!("{:?}", me(&server).unwrap_err());
    assert!(failure.contains("Redirect"), "{failure}");
}

#[test]
fn no_redirect_is_followed_wherever_it_points() {
    for location in [
        "",
        "location: /api/v1/me\r\n",
        "location: javascript:alert(1)\r\n",
        "location: //other.example/me\r\n",
        "location: https://127.0.0.1/\r\n",
    ] {
        for (status, call) in [(301, Call::Me), (302, unlock()), (303, unlock()), (307, unlock()), (308, Call::Me)] {
            let server = Crooked::saying(format!("HTTP/1.1 {status} x\r\n{location}content-length: 0\r\n\r\n"));
            let failure = wait(server.http().send(&call)).unwrap_err();
            assert!(matches!(failure, Failure::Refused { why: Refusal::Redirect, .. }), "{location} {failure:?}");
            assert_eq!(server.heard().len(), 1);
        }
    }
}

#[test]
fn broken_framing_is_a_broken_line() {
    let short = b"HTTP/1.1 200 OK\r\ncontent-length: 5000\r\n\r\n{\"ok\":true".to_vec();
    assert_eq!(unclear(me(&Crooked::saying(short))), Unclear::Line);
    let chunk = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{\"ok\"\r\n".to_vec();
    assert_eq!(unclear(me(&Crooked::saying(chunk))), Unclear::Line);
    assert_eq!(unclear(me(&Crooked::saying(""))), Unclear::Line);
    assert_eq!(unclear(me(&Crooked::saying("SSH-2.0-OpenSSH_9.6\r\n"))), Unclear::Line);
    assert_eq!(
        unclear(wait(Crooked::saying("").http().send(&unlock()))),
        Unclear::Line,
        "for money: the result is unknown"
    );
    // A status counts even where its body breaks off.
    let cut = b"HTTP/1.1 401 x\r\ncontent-length: 5000\r\n\r\n{\"ok\":false".to_vec();
    assert!(matches!(me(&Crooked::saying(cut)), Err(Failure::Refused { why: Refusal::Key, .. })));
    let gzip = answer("200 OK", "content-encoding: gzip\r\n", b"\x1f\x8b\x08\x00garbage");
    assert_eq!(unclear(me(&Crooked::saying(gzip))), Unclear::Unreadable);
}

#[test]
fn an_endless_refusal_is_read_no_further_than_its_words() {
    let server = Crooked::start(|_, line| {
        let head = b"HTTP/1.1 403 x\r\ntransfer-encoding: chunked\r\n\r\n";
        let mut piece = b"10000\r\n".to_vec();
        piece.extend(std::iter::repeat_n(b'x', 0x10000));
        piece.extend_from_slice(b"\r\n");
        let mut open = line.write_all(head).is_ok();
        while open {
            open = line.write_all(&piece).is_ok();
        }
    });
    match me(&server) {
        Err(Failure::Refused { why: Refusal::Key, words, .. }) => assert_eq!(words.chars().count(), 300),
        other => panic!("{other:?}"),
    }
}

#[test]
fn canceling_ends_a_request_at_once() {
    let server = Crooked::start(|_, line| {
        // Says nothing until the other side hangs up.
        let _ = std::io::Read::read(line, &mut [0; 1]);
    });
    let http = server.http();
    wait(async {
        tokio::select! {
            biased;
            _ = http.send(&Call::Me) => panic!("nothing was answered"),
            () = async { while server.heard().is_empty() { tokio::task::yield_now().await } } => {}
        }
    });
}

#[test]
fn a_failed_handshake_proves_that_nothing_was_sent() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("https://{}/api/v1", listener.local_addr().unwrap());
    std::thread::spawn(move || {
        for line in listener.incoming() {
            drop(line.and_then(|mut line| line.write_all(b"HTTP/1.1 400 this is no TLS\r\n\r\n")));
        }
    });
    let address = lode_host::http::ServiceAddress::new(&address, secrecy::SecretString::from(KEY)).unwrap();
    let failure = wait(lode_host::http::Http::new(Some(address), None).send(&unlock())).unwrap_err();
    assert!(matches!(failure, Failure::Unsent { .. }), "{failure:?}");
}
