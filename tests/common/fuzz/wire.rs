//! Answers of the services. The first bytes of an input choose the call, the rest is the body.

use std::collections::BTreeSet;

use lode_core::contact::{Contact, Corpus, RowId, Side};
use lode_core::export::push_row;
use lode_core::query::Query;
use lode_core::row::CellKind;
use lode_core::time::Wall;
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_engine::effect::failure::Failure;
use lode_engine::effect::unlock::UnlockBody;
use lode_engine::wire::json::{mend_surrogates, text};
use lode_engine::wire::saved as dialect;
use lode_engine::wire::workspace::read_unlock;
use lode_engine::wire::{Head, read, refusal, request, rows};
use serde_json::Value;
use serde_json::value::RawValue;

use super::choices::Choices;
use super::is_clean;

fn failed(failure: &Failure) {
    let words = failure.words();
    assert!(!words.is_empty() && words.chars().count() < 500, "{words:?}");
    assert!(is_clean(words), "{words:?}");
}

pub fn search(input: &[u8]) {
    search_and(input, |_, _, _| {});
}

/// The same. `check` gets each row as a line, with the search it is from and its id: the program reads such lines from a pipe.
pub fn search_and(input: &[u8], check: impl Fn(&str, Side, Option<RowId>)) {
    let mut choices = Choices::of(input);
    let side = *choices.pick(&Side::ALL);
    let limit = *choices.pick(&[100, 25, 1]);
    let offset = *choices.pick(&[0, 100, 79_999_900, u64::MAX - 99]);
    let call = SearchCall { query: Query::new(side), offset, limit, mark_pulled: false };
    let page = match read(&Call::Search(call), &Head::of(200), choices.rest()) {
        Ok(Reply::Page(page)) => page,
        Ok(other) => panic!("a search was read as {other:?}"),
        Err(failure) => return failed(&failure),
    };
    assert!(page.limit > 0, "a stride of nothing never ends");
    for row in &page.rows {
        let mut line = Vec::new();
        for (name, kind, text) in row.fields() {
            assert!(is_clean(name) && is_clean(text), "{name:?} {text:?}");
            if kind == CellKind::Json {
                assert!(serde_json::from_str::<&RawValue>(text).is_ok(), "no JSON: {text:?}");
                assert_eq!(mend_surrogates(text), None, "half of a pair: {text:?}");
            }
        }
        // As the shell prints it and other programs read it.
        push_row(row, &mut line);
        let line = String::from_utf8(line).expect("text");
        let again = rows::read_one(side.source, &line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(again, *row, "{line}");
        check(&line, side, row.id());
    }
}

pub fn unlock(input: &[u8]) {
    let mut choices = Choices::of(input);
    let corpus = *choices.pick(&Corpus::ALL);
    let sent: Vec<RowId> = match choices.below(4) {
        0 => (1..=4).map(RowId).collect(),
        1 => (1..=100).map(RowId).collect(),
        2 => [9_007_199_254_740_993, i64::MAX, i64::MIN, 0].map(RowId).to_vec(),
        _ => vec![RowId(210), RowId(211), RowId(212), RowId(213), RowId(999)],
    };
    let body = choices.rest();
    let call = Call::Unlock(UnlockBody { corpus, ids: sent.clone(), verify: true });
    match read(&call, &Head::of(200), body) {
        Ok(Reply::Unlock { status: 200, body: kept }) => assert_eq!(kept, body, "kept as it came"),
        other => panic!("{other:?}"),
    }
    let read_it = read_unlock(corpus, &sent, body);
    // Half a surrogate pair is the loss of a letter, not of a contact that was paid for.
    if let Some(mended) = mend_surrogates(&text(body)) {
        assert_eq!(read_unlock(corpus, &sent, mended.as_bytes()), read_it);
    }
    let answer = match read_it {
        Ok(answer) => answer,
        Err(unread) => {
            assert!(!unread.is_empty() && is_clean(&unread), "{unread:?}");
            return;
        }
    };
    let lists = [
        answer.unlocked.iter().map(|(id, _)| *id).collect::<Vec<_>>(),
        answer.already.iter().map(|(id, _)| *id).collect(),
        answer.missing.clone(),
    ];
    let (mut decided, mut torn) = (BTreeSet::new(), BTreeSet::new());
    for id in lists.iter().flatten() {
        assert!(sent.contains(id), "{id} was not asked for");
        if !decided.insert(*id) {
            torn.insert(*id);
        }
    }
    assert_eq!(answer.torn, torn, "what stands in two lists is called so");
    for list in &lists {
        assert_eq!(list.iter().collect::<BTreeSet<_>>().len(), list.len(), "an id counts once in each list: {list:?}");
    }
    assert!(answer.unlocked.len() <= sent.len(), "more charged than asked for");
    assert!(answer.strays.iter().all(|id| !sent.contains(id)));
    let contacts = answer.unlocked.iter().map(|(_, contact)| contact);
    for contact in contacts.chain(answer.already.iter().filter_map(|(_, contact)| contact.as_ref())) {
        clean_contact(contact);
    }
}

fn clean_contact(contact: &Contact) {
    let word = contact.verification.as_ref().map_or("", |verification| verification.word());
    for text in [&contact.email, &contact.phone, &contact.contact_name, &contact.company_name, &contact.title, word] {
        assert!(is_clean(text), "{text:?}");
    }
}

pub fn me(input: &[u8]) {
    match read(&Call::Me, &Head::of(200), input) {
        Ok(Reply::Me(account)) => {
            assert!(!account.org_id.is_empty(), "credits of no workspace");
            let texts = [&account.org_id, &account.org_name, &account.plan, &account.key_name, &account.key_prefix];
            assert!(texts.into_iter().chain(&account.scopes).all(|text| is_clean(text)), "{account:?}");
            assert!(account.scopes.iter().all(|scope| !scope.is_empty()));
        }
        Ok(other) => panic!("{other:?}"),
        Err(failure) => failed(&failure),
    }
}

pub fn counts(input: &[u8]) {
    match read(&Call::Counts(Corpus::Us), &Head::of(200), input) {
        Ok(Reply::Counts(counts)) => {
            for count in &counts.counts {
                assert!(!count.code.is_empty());
                assert!(is_clean(&count.code) && is_clean(&count.name), "{count:?}");
            }
        }
        Ok(other) => panic!("{other:?}"),
        Err(failure) => failed(&failure),
    }
}

pub fn saved(input: &[u8]) {
    let found = match read(&Call::SavedList, &Head::of(200), input) {
        Ok(Reply::Saved(found)) => found,
        Ok(other) => panic!("{other:?}"),
        Err(failure) => return failed(&failure),
    };
    for entry in &found {
        assert!(is_clean(&entry.name) && is_clean(entry.id.as_deref().unwrap_or_default()), "{entry:?}");
        assert!(is_clean(&entry.key()));
        assert!(serde_json::from_str::<Value>(&entry.raw).is_ok(), "it could not be put back: {}", entry.raw);
        if let Some(id) = &entry.id {
            assert!(!id.is_empty(), "a removal without an id may mean all of them");
            let removal = request(&Call::SavedRemove { id: id.clone() });
            assert_eq!(removal.query, [("id".to_owned(), id.clone())]);
            let body: Value = serde_json::from_slice(&removal.body.expect("a body")).expect("JSON");
            let sent = body["id"].as_str().map_or_else(|| body["id"].to_string(), str::to_owned);
            assert_eq!(sent, *id, "{body}");
        }
        let Some(query) = &entry.query else { continue };
        assert_eq!(query.ready(), Ok(()), "it could not be run");
        for (name, value) in query.params() {
            assert!(is_clean(&value), "{name}={value:?}");
        }
        // Written in our shape and read again, it asks the same.
        let added = request(&Call::SavedAdd { name: entry.name.clone(), query: query.clone() });
        let added = String::from_utf8(added.body.expect("a body")).expect("text");
        let again = dialect::read_list(&Head::of(200), format!("[{added}]").as_bytes()).expect("a list of one");
        let again = again[0].query.as_ref().unwrap_or_else(|| panic!("unreadable: {added}"));
        assert_eq!(again.canonical(), query.canonical());
    }
}

/// Everything but a success: statuses, heads and words.
pub fn refusal(input: &[u8]) {
    let mut choices = Choices::of(input);
    let side = *choices.pick(&Side::ALL);
    let status =
        *choices.pick(&[400, 401, 402, 403, 404, 408, 409, 410, 413, 422, 429, 431, 500, 502, 503, 301, 100, 999, 0]);
    let flags = choices.byte();
    let mut line = |flag: u8| (flags & flag != 0).then(|| choices.line());
    let head = Head {
        status,
        retry_after: line(1),
        content_type: line(2),
        date: line(4),
        at: Wall(if flags & 8 != 0 { i64::MIN } else { 784_111_700_000 }),
    };
    let body = choices.rest();
    let call = SearchCall { query: Query::new(side), offset: 0, limit: 100, mark_pulled: false };
    for call in [Call::Search(call), Call::SavedList, Call::Counts(side.corpus), Call::Me] {
        let failure = read(&call, &head, body).expect_err("it is no success");
        failed(&failure);
        assert_eq!(matches!(failure, Failure::Later { .. }), status == 429);
    }
    let unlock = Call::Unlock(UnlockBody { corpus: side.corpus, ids: vec![RowId(1)], verify: true });
    let failure = read(&unlock, &head, body).expect_err("it is no success");
    // Of money no one may conclude from a server's trouble that nothing was charged.
    if status >= 500 || status == 408 || status < 200 {
        assert!(matches!(failure, Failure::Unclear { .. }), "{status}: {failure:?}");
    }
    let _ = refusal::retry_after(&head);
}
