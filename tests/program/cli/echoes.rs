//! A key that a service sends back in disguise, escaped in every answer and error, is in no output and no file.

use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::cli::crooked::{Asked, Crooked, State, framed};
use common::test_app::Ran;

const KEY: &str = "lk_live_ab/cd_0123456789xyz";
/// The secret part, which nothing else contains.
const MARK: &str = "ab/cd_0123456789xyz";

fn escaped(key: &str, which: impl Fn(usize) -> bool) -> String {
    let one = |(at, c): (usize, char)| if which(at) { format!("\\u{:04X}", u32::from(c)) } else { c.to_string() };
    key.char_indices().map(one).collect()
}

/// The disguises that a JSON text can carry.
fn disguises() -> Vec<String> {
    let slashed = KEY.replace('/', "\\/");
    let percent: String = KEY.bytes().map(|byte| format!("%{byte:02x}")).collect();
    let entities: String = KEY.bytes().map(|byte| format!("&#{byte};")).collect();
    vec![
        escaped(KEY, |at| at == 0),
        escaped(KEY, |at| at == 12),
        escaped(KEY, |_| true),
        escaped(KEY, |_| true).replace("\\u", "\\\\u"),
        slashed,
        KEY.replace('/', "%2F"),
        percent.clone(),
        percent.replace('%', "%25"),
        escaped(&percent, |at| at % 3 == 0),
        entities,
        KEY.replace("cd", "c\u{200b}d"),
        KEY.replace("cd", "c\\u0007d"),
    ]
}

/// An honest answer whose texts hold the key, or a refusal that does.
fn twisted(asked: &Asked, state: &mut State, round: usize) -> Vec<u8> {
    let all = disguises();
    let disguise = &all[round % all.len()];
    let wrapped = format!("Bearer {disguise} end");
    let json = "content-type: application/json\r\n";
    if asked.target.contains("/api/") && !asked.target.contains("/api/v1/")
        || (asked.is("/unlock") && round.is_multiple_of(3))
    {
        let body = format!("{{\"ok\":false,\"error\":\"{wrapped}\",\"message\":\"{wrapped}\"}}");
        return framed(if round.is_multiple_of(2) { "400 x" } else { "500 x" }, json, body.as_bytes());
    }
    let honest = String::from_utf8(state.answer(asked)).unwrap();
    let body = honest.split_once("\r\n\r\n").unwrap().1;
    let mut body = body.to_owned();
    for word in ["Acme", "Quail Run Hospital", "Nurse", "Austin"] {
        body = body.replace(word, &format!("{word} {wrapped}"));
    }
    framed("200 OK", json, body.as_bytes())
}

/// As a program reads it that decodes what it finds.
fn decoded(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    let hex = |text: &[u8]| std::str::from_utf8(text).ok().and_then(|text| u32::from_str_radix(text, 16).ok());
    while let Some(first) = rest.first() {
        let (byte, used) = match rest {
            [b'\\', b'u', ..] if rest.len() >= 6 => (hex(&rest[2..6]), 6),
            [b'%', ..] if rest.len() >= 3 => (hex(&rest[1..3]), 3),
            [b'\\', b'/', ..] => (Some(u32::from(b'/')), 2),
            _ => (None, 1),
        };
        match byte.and_then(|code| u8::try_from(code).ok()) {
            Some(byte) => {
                out.push(byte);
                rest = &rest[used..];
            }
            None => {
                out.push(*first);
                rest = &rest[1..];
            }
        }
    }
    out
}

#[track_caller]
fn is_free_of_the_key(bytes: &[u8], place: &str) {
    let once = decoded(bytes);
    let twice = decoded(&once);
    let shown: Vec<u8> = String::from_utf8_lossy(bytes).replace('\u{200b}', "").into_bytes();
    for form in [bytes, &once, &twice, &shown] {
        let found = memchr::memmem::find(form, MARK.as_bytes());
        let around =
            found.map(|at| String::from_utf8_lossy(&form[at.saturating_sub(40)..at + MARK.len()]).into_owned());
        assert_eq!(around, None, "{place}");
    }
}

fn every_file(folder: &Path, look: &mut impl FnMut(&Path, &[u8])) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            every_file(&path, look);
        } else {
            look(&path, &std::fs::read(&path).unwrap());
        }
    }
}

#[test]
fn a_key_in_disguise_is_nowhere() {
    std::thread::scope(|scope| {
        for first in 0..disguises().len() {
            scope.spawn(move || check(first));
        }
    });
}

/// Every command against a service that writes the key in this disguise, and in the next ones in the answers to unlocks.
fn check(first: usize) {
    let round = AtomicUsize::new(first);
    let service = Crooked::start(move |asked, state| {
        Some(twisted(asked, state, if asked.is("/unlock") { round.fetch_add(1, Ordering::Relaxed) } else { first }))
    });
    std::fs::create_dir_all(service.path("config")).unwrap();
    std::fs::write(service.path("config/config.toml"), "log = \"debug\"\n").unwrap();
    let run = |arguments: &[&str]| {
        let mut command = service.command(arguments);
        command.env("LODE_WORKSPACE_KEY", KEY).env("LODE_DATA_KEY", KEY);
        let ran = Ran::of(command.spawn().unwrap());
        is_free_of_the_key(ran.out.as_bytes(), &format!("{first} {arguments:?} stdout"));
        is_free_of_the_key(ran.err.as_bytes(), &format!("{first} {arguments:?} stderr"));
    };
    run(&["me"]);
    run(&["search", "--title", "nurse", "--limit", "3"]);
    run(&["unlock", "--corpus", "us", "--max-credits", "2", "1", "2"]);
    run(&["unlock", "--corpus", "us", "--max-credits", "2", "3", "4"]);
    run(&["owned"]);
    run(&["receipts"]);
    run(&["counts"]);
    run(&["export", "--query", "nurse", "-o", "out.csv"]);
    every_file(&service.path("."), &mut |path, bytes| is_free_of_the_key(bytes, &format!("{first} {path:?}")));
    assert!(service.state().log.iter().any(|asked| asked.is("/unlock")), "the unlock was sent");
}

/// An export is the service's own text, and its file goes further than a screen: to a CRM, to a colleague.
#[test]
fn a_key_in_an_export_is_not_in_the_file() {
    for form in ["raw", "contacts", "hubspot", "jsonl"] {
        let service = Crooked::start(move |asked, _| {
            let csv = "content-type: text/csv\r\n";
            let row = format!("1,Ann Lee,{KEY},ann@acme.example\n2,\"Bob, {KEY} Ray\",Acme,bob@acme.example\n");
            let body = format!("id,contact_name,company_name,email_address\n{row}");
            asked.target.contains("/api/export").then(|| framed("200 OK", csv, body.as_bytes()))
        });
        let mut command =
            service.command(&["export", "--corpus", "us", "--state", "TX", "--format", form, "-o", "out.csv"]);
        command.env("LODE_WORKSPACE_KEY", KEY).env("LODE_DATA_KEY", KEY);
        Ran::of(command.spawn().unwrap()).ended(0);
        every_file(&service.path("."), &mut |path, bytes| is_free_of_the_key(bytes, &format!("{form} {path:?}")));
        let text = std::fs::read_to_string(service.path("out.csv")).unwrap();
        assert!(text.contains("ann@acme.example") && text.contains("bob@acme.example"), "{form}: {text}");
    }
}
