//! Against the sandbox: every kind of call over real HTTP.

use common::CLOSED;
use common::asking::Small;
use lode_core::contact::{Corpus, Side, Source};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_engine::effect::call::{Call, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Refusal};
use lode_engine::wire::workspace::read_unlock;
use lode_host::http::{Http, ServiceAddress};
use lode_sandbox::server::{Sandbox, SandboxSettings};
use secrecy::SecretString;

pub fn http_of(sandbox: &Sandbox) -> Http {
    let address = |url: &str, key: &str| Some(ServiceAddress::new(url, SecretString::from(key)).unwrap());
    Http::new(address(&sandbox.workspace_url, &sandbox.workspace_key), address(&sandbox.data_url, &sandbox.data_key))
}

pub fn wait<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub fn search(source: Source, corpus: Corpus) -> SearchCall {
    let mut query = Query::new(Side { source, corpus });
    query.set(Filter::Title, "engineer").unwrap();
    SearchCall { query, offset: 0, limit: 20, mark_pulled: false }
}

#[test]
fn every_call_is_answered() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let http = http_of(&sandbox);
    wait(async {
        let Reply::Me(account) = http.send(&Call::Me).await.unwrap() else { panic!() };
        assert!(account.may_search() && account.may_unlock() && account.credits.is_some());
        for side in Side::ALL {
            let Reply::Page(page) = http.send(&Call::Search(search(side.source, side.corpus))).await.unwrap() else {
                panic!()
            };
            assert!(page.total >= page.rows.len() as u64 && !page.rows.is_empty(), "{side}");
            assert!(page.rows.iter().all(|row| row.id().is_some()), "{side}");
        }
        let Reply::Page(page) = http.send(&Call::Search(search(Source::Workspace, Corpus::Us))).await.unwrap() else {
            panic!()
        };
        let ids: Vec<_> = page.rows.iter().filter_map(|row| row.id()).take(3).collect();
        let call = Call::Unlock(common::unlock_call(Corpus::Us, ids.clone(), true));
        let Reply::Unlock { status: 200, body } = http.send(&call).await.unwrap() else { panic!() };
        let answer = read_unlock(Corpus::Us, &ids, &body).unwrap();
        assert_eq!(answer.unlocked.len() + answer.already.len(), 3);
        assert!(answer.unlocked.iter().all(|(_, contact)| contact.has_address()));
        let Reply::Counts(counts) = http.send(&Call::Counts(Corpus::Us)).await.unwrap() else { panic!() };
        assert!(!counts.counts.is_empty());
        let Reply::Saved(saved) = http.send(&Call::SavedList).await.unwrap() else { panic!() };
        assert_eq!(saved, []);
    });
}

#[test]
fn a_wrong_key_is_said_to_be_one() {
    let sandbox = Sandbox::start(SandboxSettings::small()).unwrap();
    let wrong = |url: &str| Some(ServiceAddress::new(url, SecretString::from("lk_live_wrong_key")).unwrap());
    let http = Http::new(wrong(&sandbox.workspace_url), wrong(&sandbox.data_url));
    for call in [Call::Me, Call::Counts(Corpus::Us)] {
        let failure = wait(http.send(&call)).unwrap_err();
        assert!(matches!(failure, Failure::Refused { why: Refusal::Key, .. }), "{failure:?}");
    }
}

#[test]
fn no_server_there_is_provably_unsent() {
    let address = ServiceAddress::new(&format!("http://{CLOSED}/api/v1"), SecretString::from("lk_live_0123")).unwrap();
    let http = Http::new(Some(address), None);
    let failure = wait(http.send(&Call::Me)).unwrap_err();
    assert_eq!(failure, Failure::Unsent { words: format!("no connection to {CLOSED}: connection refused") });
    let failure = wait(http.send(&Call::SavedList)).unwrap_err();
    assert_eq!(failure, Failure::Unsent { words: "no key is set for the Data API".to_owned() });
}
