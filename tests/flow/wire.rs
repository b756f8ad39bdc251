//! The golden bodies of `assets/wire`, read through the one public door, and what must hold for any body at all.
#![allow(clippy::disallowed_methods)] // Golden bodies are files.

use std::sync::Arc;
use std::time::Duration;

use lode_core::CountKind;
use lode_core::Page;
use lode_core::contact::{Corpus, RowId, Side, Source, Verification};
use lode_core::credits::Credits;
use lode_core::export::{Cell, ExportWriter, Layout, is_formula, is_phone};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::row::{CellKind, Known};
use lode_core::scrub::scrub;
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::effect::files::{ExportTarget, Form};
use lode_engine::effect::unlock::UnlockBody;
use lode_engine::wire::workspace::read_unlock;
use lode_engine::wire::{self, Head};
use proptest::prelude::*;

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(common::root().join(format!("assets/wire/{name}.json"))).unwrap()
}

fn search(source: Source, corpus: Corpus) -> SearchCall {
    SearchCall { query: Query::new(Side { source, corpus }), offset: 40, limit: 100, mark_pulled: false }
}

fn page(source: Source, corpus: Corpus, body: &[u8]) -> Page {
    match wire::read(&Call::Search(search(source, corpus)), &Head::of(200), body) {
        Ok(Reply::Page(page)) => page,
        other => panic!("{other:?}"),
    }
}

fn ids(numbers: &[i64]) -> Vec<RowId> {
    numbers.iter().copied().map(RowId).collect()
}

#[test]
fn the_account_is_read() {
    let Ok(Reply::Me(account)) = wire::read(&Call::Me, &Head::of(200), &golden("workspace-me")) else { panic!() };
    assert_eq!(
        (account.org_id.as_str(), account.org_name.as_str(), account.plan.as_str()),
        ("org_51f0", "Acme Inc", "growth")
    );
    assert_eq!((account.key_name.as_str(), account.key_prefix.as_str()), ("laptop", "ak_7f"));
    assert!(account.may_search() && account.may_unlock());
    assert_eq!(account.credits, Some(Credits(1204)));
}

#[test]
fn an_account_without_a_workspace_is_none() {
    for body in
        [r#"{"ok":true,"data":{"credits":5}}"#, r#"{"ok":true,"data":{"org":{"id":null}}}"#, r#"{"ok":true,"data":[]}"#]
    {
        assert!(
            matches!(wire::read(&Call::Me, &Head::of(200), body.as_bytes()), Err(Failure::Unclear { .. })),
            "{body}"
        );
    }
    let bare = br#"{"org":{"id":17},"key":{"scopes":"search, unlock"},"credits":"7"}"#;
    let Ok(Reply::Me(account)) = wire::read(&Call::Me, &Head::of(200), bare) else { panic!() };
    assert_eq!((account.org_id.as_str(), account.credits), ("17", Some(Credits(7))));
    assert!(account.may_search() && account.may_unlock());
}

#[test]
fn rows_of_both_corpora_and_both_services_are_read() {
    let us = page(Source::Workspace, Corpus::Us, &golden("workspace-search-us"));
    assert_eq!((us.total, us.limit, us.offset, us.took_ms), (4870, 2, 200, Some(212)));
    assert_eq!(
        us.rows.iter().map(|row| (row.id(), row.unlocked())).collect::<Vec<_>>(),
        [(Some(RowId(210)), true), (Some(RowId(211)), false)]
    );
    assert_eq!(us.rows[1].name(), "Tom Beckett");
    assert_eq!(us.rows[1].email_domain(), Some("quailrun.example"));
    assert!(Arc::ptr_eq(us.rows[0].columns(), us.rows[1].columns()));
    assert_eq!(us.rows[1].fields().count(), 15);

    let linkedin = page(Source::Workspace, Corpus::Linkedin, &golden("workspace-search-linkedin"));
    let row = &linkedin.rows[0];
    assert_eq!((row.email(), row.known(Known::TitleLevel)), ("p•••@stbrendan.example", "VP"));
    assert_eq!(row.named("skills"), Some(r#"["rust","care"]"#), "fields that no document names are kept");

    let data = page(Source::Data, Corpus::Us, &golden("data-search-us"));
    assert_eq!((data.total, data.limit, data.offset, data.took_ms), (80_013_442, 100, 79_999_900, Some(31)));
    assert_eq!(data.rows[0].named("score"), Some("1.50"), "digit by digit");
    assert_eq!(data.rows[0].known(Known::Zip), "01234");
    assert_eq!(data.rows[1].fields().nth(1).unwrap(), ("email_address", CellKind::Null, ""));
}

#[test]
fn hostile_rows_become_harmless_and_stay_where_they_are() {
    let page = page(Source::Workspace, Corpus::Us, &golden("hostile-search"));
    assert_eq!(
        (page.total, page.uncounted, page.limit, page.offset, page.took_ms),
        (5, true, 100, 0, None),
        "a field without a number is taken as asked, a senseless total as more than the rows that came"
    );
    let ids: Vec<Option<RowId>> = page.rows.iter().map(|row| row.id()).collect();
    assert_eq!(ids, [Some(RowId(9_007_199_254_740_993)), None, None, None]);
    assert!(page.rows[0].unlocked() && page.rows[1].unlocked());
    let first: Vec<&str> = page.rows[0].fields().map(|(_, _, text)| text).collect();
    assert_eq!(
        first,
        ["9007199254740993", "[2J]52;c;ZXZpbA==boss", "gnp.exe", "ab c d", "31mx@y.example", "true", "5125550133"]
    );
    assert_eq!(page.rows[1].known(Known::Title), "half \u{fffd} pair");
    assert_eq!(page.rows[2].known(Known::Title), "👩\u{200d}⚕\u{fe0f} nurse");
    assert_eq!(page.rows[2].known(Known::Company), "paypal");
}

#[test]
fn a_search_without_rows_or_total_is_not_read_as_empty() {
    let call = Call::Search(SearchCall { offset: 0, ..search(Source::Workspace, Corpus::Us) });
    for body in [
        r#"{"ok":true,"data":{"total":5,"limit":100,"offset":0}}"#,
        r#"{"ok":true,"data":{"rows":[],"limit":100,"offset":0}}"#,
        r#"{"ok":true,"data":{"total":5,"rows":{}}}"#,
        r#"{"ok":true,"data":{"total":5,"rows":[{"id":1}"#,
        r#"[{"ok":true}]"#,
        r#"{"ok":true}"#,
    ] {
        assert!(matches!(wire::read(&call, &Head::of(200), body.as_bytes()), Err(Failure::Unclear { .. })), "{body}");
    }
    let no = br#"{"ok":false,"error":"Not today"}"#;
    assert!(
        matches!(wire::read(&call, &Head::of(200), no), Err(Failure::Refused { why: Refusal::Request, words, .. }) if words == "Not today")
    );
}

#[test]
fn an_unlock_is_kept_raw_and_read_apart() {
    let body = golden("workspace-unlock");
    let call = Call::Unlock(UnlockBody { corpus: Corpus::Us, ids: ids(&[210, 211, 212, 213, 999]), verify: true });
    let Ok(Reply::Unlock { status: 200, body: raw }) = wire::read(&call, &Head::of(200), &body) else { panic!() };
    assert_eq!(raw, body);
    let answer = read_unlock(Corpus::Us, &ids(&[210, 211, 212, 213, 999]), &raw).unwrap();
    let unlocked: Vec<_> = answer
        .unlocked
        .iter()
        .map(|(id, contact)| (id.0, contact.email.as_str(), contact.verification.clone(), contact.refunded))
        .collect();
    assert_eq!(
        unlocked,
        [
            (211, "tom@quailrun.example", Some(Verification::Valid), Some(false)),
            (212, "ruth@meridian.example", Some(Verification::Disposable), Some(true)),
            (213, "dana@lakeside.example", None, None),
        ]
    );
    assert_eq!(answer.already, [(RowId(210), None)]);
    assert_eq!((answer.missing.clone(), answer.stopped), (ids(&[999]), false));
    assert_eq!(
        (answer.said().charged, answer.said().refunded, answer.said().balance),
        (Some(Credits(3)), Some(Credits(1)), Some(Credits(1202)))
    );

    let stopped = read_unlock(Corpus::Us, &ids(&[210, 211, 212, 213]), &golden("workspace-unlock-stopped")).unwrap();
    assert!(stopped.stopped);
    assert_eq!(stopped.unlocked[0].0, RowId(211));
    let elena = stopped.already[0].1.as_ref().unwrap();
    assert_eq!((elena.contact_name.as_str(), elena.email.as_str()), ("Elena Sorokina", "elena@harborpoint.example"));
    assert_eq!(stopped.missing, ids(&[212, 213]));
    assert_eq!(stopped.said().charged, Some(Credits(1)));

    let refused = wire::read(&call, &Head::of(403), &golden("workspace-refused")).unwrap_err();
    assert_eq!(
        refused,
        Failure::Refused {
            status: 403,
            why: Refusal::Scope,
            words: "This key does not have the scope unlock".to_owned()
        }
    );
}

#[test]
fn counts_saved_searches_and_the_wrong_key_are_read() {
    let Ok(Reply::Counts(counts)) = wire::read(&Call::Counts(Corpus::Us), &Head::of(200), &golden("data-counts"))
    else {
        panic!()
    };
    let read: Vec<_> = counts.counts.iter().map(|count| (count.kind, count.code.as_str(), count.count)).collect();
    assert_eq!(counts.total, Some(80_013_442));
    assert_eq!(
        read,
        [(CountKind::State, "TX", 6_912_440), (CountKind::State, "CA", 9_120_031), (CountKind::Sic, "8062", 120_334)]
    );
    let Ok(Reply::Saved(saved)) = wire::read(&Call::SavedList, &Head::of(200), &golden("data-saved")) else { panic!() };
    assert_eq!(
        saved[0].query.as_ref().map(Query::canonical).as_deref(),
        Some("data/us&industry=hospital,clinic&state=TX")
    );
    assert_eq!((saved[1].name.as_str(), &saved[1].query), ("by the web page", &None));
    let wrong = wire::read(&Call::SavedList, &Head::of(404), &golden("data-wrong-key")).unwrap_err();
    assert_eq!(wrong, Failure::Refused { status: 404, why: Refusal::Key, words: "Wrong API key".to_owned() });
    let later = Head { retry_after: Some("23".to_owned()), ..Head::of(429) };
    let later = wire::read(&Call::SavedList, &later, b"slow down").unwrap_err();
    assert_eq!(later, Failure::Later { wait: Some(Duration::from_secs(23)), words: "slow down".to_owned() });
}

/// Every filter of every side arrives under the name that its document gives it, and nothing else is sent.
#[test]
fn requests_carry_what_the_documents_name_and_nothing_else() {
    for side in Side::ALL {
        for filter in Filter::of(side) {
            let mut query = Query::new(side);
            query.set(*filter, "a b&c").unwrap();
            let call = SearchCall { query: query.clone(), offset: 79_999_900, limit: 100, mark_pulled: false };
            let request = wire::request(&Call::Search(call));
            let mut expected = Vec::new();
            if side.source == Source::Workspace {
                expected.push(("corpus", side.corpus.name()));
            }
            expected.extend([(filter.name(), "a b&c"), ("limit", "100"), ("offset", "79999900")]);
            let sent: Vec<(&str, &str)> = request.query.iter().map(|(n, v)| (n.as_str(), v.as_str())).collect();
            assert_eq!(sent, expected, "{side}");
            let path = match (side.source, side.corpus) {
                (Source::Workspace, _) => "/search",
                (Source::Data, Corpus::Us) => "/api/search",
                (Source::Data, Corpus::Linkedin) => "/api/search-linkedin",
            };
            assert_eq!((request.method, request.path, request.source), ("GET", path, side.source));
        }
    }
    let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Linkedin });
    query.set(Filter::Query, "nurse").unwrap();
    query.dedup = false;
    query.hide_pulled = true;
    let names = |request: wire::Request| request.query.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
    let marking = SearchCall { query: query.clone(), offset: 0, limit: 100, mark_pulled: true };
    assert_eq!(
        names(wire::request(&Call::Search(marking))),
        ["query", "dedup", "exclude_pulled", "limit", "offset", "mark_pulled"]
    );
    let target = ExportTarget { path: None, form: Form::Raw, keep_incomplete: false, replace: false };
    let export = wire::request(&Call::Export { query, target });
    assert_eq!(export.path, "/api/export");
    assert_eq!(names(export), ["corpus", "query", "dedup", "exclude_pulled"]);
    let unlock = |verify| {
        wire::request(&Call::Unlock(UnlockBody { corpus: Corpus::Us, ids: ids(&[3, 1]), verify })).body.unwrap()
    };
    assert_eq!(unlock(true), br#"{"corpus":"us","ids":[3,1]}"#);
    assert_eq!(unlock(false), br#"{"corpus":"us","ids":[3,1],"verify":false}"#);
}

fn calls() -> Vec<Call> {
    vec![
        Call::Me,
        Call::Search(search(Source::Workspace, Corpus::Us)),
        Call::Search(search(Source::Data, Corpus::Linkedin)),
        Call::Counts(Corpus::Us),
        Call::SavedList,
        Call::SavedRemove { id: "3".to_owned() },
    ]
}

fn is_clean(text: &str) -> bool {
    text.chars().all(|c| !c.is_control() && !matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'))
}

/// A golden body with a few bytes changed, doubled or cut off: near enough to the truth to reach the far corners.
fn spoilt() -> impl Strategy<Value = Vec<u8>> {
    let names = [
        "workspace-me",
        "workspace-search-us",
        "workspace-unlock-stopped",
        "data-search-us",
        "data-counts",
        "data-saved",
        "hostile-search",
    ];
    let changes = proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6);
    (prop::sample::select(names.to_vec()), changes, any::<prop::sample::Index>(), any::<bool>()).prop_map(
        |(name, changes, cut, cuts)| {
            let mut body = golden(name);
            for (at, byte) in changes {
                let at = at.index(body.len());
                body[at] = byte;
            }
            if cuts {
                body.truncate(cut.index(body.len()));
            }
            body
        },
    )
}

proptest! {
    #[test]
    fn no_body_breaks_a_reader_and_no_text_comes_through_unclean(body in spoilt(), status in prop::sample::select(vec![200u16, 400, 404, 429, 502])) {
        for call in calls() {
            match wire::read(&call, &Head::of(status), &body) {
                Ok(Reply::Page(page)) => {
                    prop_assert!(page.limit > 0);
                    for row in &page.rows {
                        for (name, _, text) in row.fields() {
                            prop_assert!(is_clean(name) && is_clean(text), "{:?} {:?}", name, text);
                        }
                    }
                }
                Ok(_) => {}
                Err(failure) => {
                    prop_assert!(is_clean(failure.words()) && !failure.words().is_empty());
                    prop_assert!(failure.words().chars().count() < 400);
                }
            }
        }
        let sent = ids(&[210, 211, 212, 213]);
        if let Ok(answer) = read_unlock(Corpus::Us, &sent, &body) {
            let mut named: Vec<RowId> = answer.unlocked.iter().map(|(id, _)| *id).collect();
            named.extend(answer.already.iter().map(|(id, _)| *id));
            named.extend(&answer.missing);
            let all = named.len();
            named.sort_unstable();
            named.dedup();
            prop_assert_eq!(all, named.len(), "an id is in one list");
            prop_assert!(named.iter().all(|id| sent.contains(id)));
        }
    }

    #[test]
    fn scrubbed_text_is_clean_and_stays_so(text in "\\PC{0,20}[\u{0}-\u{a0}\u{200b}-\u{2070}\u{fe0f}👩⚕a]{0,20}") {
        let once = scrub(&text).into_owned();
        prop_assert!(is_clean(&once));
        prop_assert_eq!(scrub(&once).into_owned(), once.clone());
    }

    /// Forms for people, read back: what was no formula is exactly what it was, what was one is behind an apostrophe.
    #[test]
    fn forms_round_trip(rows in proptest::collection::vec(proptest::collection::vec(cell(), 3), 1..12)) {
        for layout in [Layout::Contacts, Layout::Raw] {
            let mut sheet = ExportWriter::new(layout.clone(), ["name", "phone", "zip"]);
            let mut out = Vec::new();
            sheet.header(&mut out);
            for row in &rows {
                let cells: Vec<Cell<'_>> = row.iter().map(|text| (CellKind::Text, &**text)).collect();
                sheet.row(&cells, &mut out);
            }
            let mut reader = csv::Reader::from_reader(&out[..]);
            let mut back = reader.records();
            for row in &rows {
                let record = back.next().unwrap().unwrap();
                for (was, is) in row.iter().zip(record.iter()) {
                    if layout == Layout::Raw || is_phone(was) || !is_formula(was) {
                        prop_assert_eq!(was.as_str(), is);
                    } else {
                        prop_assert_eq!(is.strip_prefix('\''), Some(was.as_str()));
                    }
                    prop_assert!(layout == Layout::Raw || is_phone(is) || !is_formula(is));
                }
            }
            prop_assert!(back.next().is_none());
        }
    }
}

fn cell() -> impl Strategy<Value = String> {
    prop_oneof![
        "[=+@\t\r-][A-Za-z0-9 (),\"'!]{0,12}",
        "\\+1 ?\\(?[0-9]{3}\\)?[ .-]?555[ .-]?01[0-9]{2}",
        "0[0-9]{4}",
        "[A-Za-z ,\"\n;é病]{0,20}",
        " ?[=+@-]?[a-z0-9]{0,6}",
    ]
}

#[test]
fn the_data_api_that_says_no_with_a_200_is_heard_at_once() {
    let us = search(Source::Data, Corpus::Us);
    for call in [Call::Counts(Corpus::Us), Call::Search(us)] {
        let said = |body: &str| wire::read(&call, &Head::of(200), body.as_bytes()).unwrap_err();
        let refused = |why, words: &str| Failure::Refused { status: 200, why, words: words.to_owned() };
        assert_eq!(said(r#"{"error":"try later"}"#), refused(Refusal::Request, "try later"));
        assert_eq!(said(r#"{"ok":false,"data":null,"error":"no"}"#), refused(Refusal::Request, "no"));
        assert_eq!(said(r#"{"message":"Wrong API key"}"#), refused(Refusal::Key, "Wrong API key"));
        // Of an answer that is cut or holds something else it is not known what it says: it is asked for again.
        for body in [r#"{"error":"try"#, r#"{"error":null}"#, "{}", r#"{"data":7}"#, "[]", r#"{"message":{"n":1}}"#] {
            assert!(matches!(said(body), Failure::Unclear { .. }), "{body}");
        }
    }
    // Words beside rows are no refusal.
    let body = r#"{"data":[],"pagination":{"total":0,"limit":100,"offset":40},"error":"slow today"}"#;
    assert_eq!(page(Source::Data, Corpus::Us, body.as_bytes()).total, 0);
}
