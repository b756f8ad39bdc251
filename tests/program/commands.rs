//! Shell commands in virtual time: what waits of a minute lead to, and what a command prints at its end.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::time::Duration;

use common::sandbox_engine::Said;
use lode::ops::input::{self, Given};
use lode::ops::program::{Program, Script};
use lode::ops::recover::recover as recover_script;
use lode::ops::unlock::{MAX_WAIT, UnlockArgs, unlock as unlock_script};
use lode_core::contact::{Corpus, RowId, Side, Source};
use lode_core::credits::Credits;
use lode_core::filter::Filter;
use lode_core::purse::PurseRef;
use lode_core::suppress::SuppressEntry;
use lode_core::time::{Mono, Now};
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_engine::effect::store::StoreCall;
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::retry::UNLOCK_PATIENCE;
use lode_engine::wire::{self, Head};
use lode_host::store::{Store, fresh_window};
use serde_json::{Value, json};

use common::flow_simulation::{FlowSimulation, Machine};
use common::flow_simulation::{profile, stores};

const US: Side = Side { source: Source::Workspace, corpus: Corpus::Us };

/// A command from its start to its end.
struct Shell {
    program: Program,
    ended: Option<u8>,
    /// Ctrl-C once this number of unlock requests has left.
    interrupt_at: Option<usize>,
}

impl Shell {
    fn note(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let unlocks = fx.iter().filter(|effect| matches!(effect, Effect::Send(_, Call::Unlock(_)))).count();
        if let Some(left) = &mut self.interrupt_at {
            *left = left.saturating_sub(unlocks);
            if *left == 0 {
                self.interrupt_at = None;
                self.program.interrupt(now, fx);
            }
        }
        let code = fx.iter().find_map(|effect| match effect {
            Effect::Quit(code) => Some(*code),
            _ => None,
        });
        self.ended = self.ended.or(code);
    }
}

impl Machine for Shell {
    fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) {
        if self.ended.is_none() {
            self.program.handle(answer, now, fx);
            self.note(now, fx);
        }
    }

    fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.program.wake(now, fx);
        self.note(now, fx);
    }

    fn deadline(&self) -> Option<Mono> {
        self.program.deadline().filter(|_| self.ended.is_none())
    }
}

/// What a command left behind.
#[derive(Debug)]
struct Ran {
    code: u8,
    lines: Vec<Value>,
    errors: Vec<Value>,
    warnings: Vec<String>,
    statuses: Vec<String>,
    took: Duration,
}

impl Ran {
    fn summary(&self) -> &Value {
        &self.lines.last().expect("a summary")["summary"]
    }

    /// The only failure.
    #[track_caller]
    fn error(&self) -> &Value {
        assert_eq!(self.errors.len(), 1, "{self:?}");
        &self.errors[0]["error"]
    }
}

fn run<'a>(
    script: Script,
    store: Store,
    fails: impl FnMut(&StoreCall) -> bool + 'a,
    service: impl FnMut(&Call, u64) -> Said + 'a,
) -> Ran {
    run_under(Conditions::default(), script, store, fails, service)
}

#[derive(Default)]
struct Conditions {
    /// Ctrl-C once this number of unlock requests has left.
    interrupt_at: Option<usize>,
    /// Requests a minute, where it is not the usual number.
    requests: Option<u32>,
}

fn run_under<'a>(
    Conditions { interrupt_at, requests }: Conditions,
    script: Script,
    store: Store,
    fails: impl FnMut(&StoreCall) -> bool + 'a,
    service: impl FnMut(&Call, u64) -> Said + 'a,
) -> Ran {
    let mut sim = FlowSimulation::new(3, vec![store], service);
    sim.fails = Box::new(fails);
    let mut profile = profile("w0");
    if let (Some(_), Some(service)) = (requests, &mut profile.workspace) {
        service.allowance.requests = requests;
    }
    sim.saved = Some(profile.clone());
    let mut shell = Shell { program: Program::new(&profile, 3, script), ended: None, interrupt_at };
    let mut fx = Vec::new();
    shell.program.start(sim.moment(), &mut fx);
    shell.note(sim.moment(), &mut fx);
    sim.perform(0, &mut fx);
    let began = sim.now;
    let mut took = Duration::ZERO;
    while shell.ended.is_none() && sim.step(&mut [&mut shell], u64::MAX) {
        took = Duration::from_millis(sim.now - began);
    }
    sim.run(&mut [&mut shell], u64::MAX);
    let code = shell.ended.expect("the command ends");
    let mut ran = Ran { code, lines: vec![], errors: vec![], warnings: vec![], statuses: vec![], took };
    for effect in sim.others {
        match effect {
            Effect::Print(line) | Effect::PrintWhole(line) => ran.lines.push(serde_json::from_str(&line).unwrap()),
            Effect::Fail { json, .. } => ran.errors.push(serde_json::from_str(&json).unwrap()),
            Effect::Warn(words) => ran.warnings.push(words),
            Effect::Status(words) => ran.statuses.push(words),
            _ => {}
        }
    }
    ran
}

fn unlock(ids: &[i64]) -> Script {
    unlock_script(&arguments(ids.len()), given(ids))
}

fn arguments(most: usize) -> UnlockArgs {
    UnlockArgs {
        corpus: Some(Corpus::Us),
        max_credits: Credits::for_contacts(most),
        no_verify: false,
        allow_unchecked: false,
        per_company: None,
        dry_run: false,
        max_wait: MAX_WAIT,
        ids: Vec::new(),
    }
}

fn given(ids: &[i64]) -> Vec<Given> {
    let lines: Vec<String> = ids.iter().map(|id| row(*id, false)).collect();
    input::read(&[], Some(&lines.join("\n")), US, true).unwrap()
}

/// A row as a search shows it.
fn row(id: i64, owned: bool) -> String {
    let (email, phone) = if owned { ("a@b.example", "9165550100") } else { ("a•••@b.example", "916•••00") };
    let verification = if owned { json!("valid") } else { Value::Null };
    json!({"id": id, "title": "Nurse", "state": "TX", "industry": "hospital", "email_address": email, "phone": phone,
        "unlocked": owned, "verification": verification})
    .to_string()
}

/// A service that keeps its promises unless a test answers in its place.
struct Service {
    rows: BTreeSet<i64>,
    owned: BTreeSet<i64>,
    balance: i64,
    log: Vec<(String, u64)>,
}

impl Service {
    fn new() -> RefCell<Service> {
        RefCell::new(Service { rows: (1..=5).collect(), owned: BTreeSet::new(), balance: 100, log: Vec::new() })
    }

    fn note(&mut self, call: &Call, now: u64) -> usize {
        let name = match call {
            Call::Me => "me",
            Call::Search(_) => "search",
            Call::Unlock(_) => "unlock",
            _ => "other",
        };
        self.log.push((name.to_owned(), now));
        self.log.iter().filter(|(known, _)| known == name).count()
    }

    fn names(&self) -> Vec<&str> {
        self.log.iter().map(|(name, _)| name.as_str()).collect()
    }

    fn count(&self, name: &str) -> usize {
        self.names().iter().filter(|known| **known == name).count()
    }

    fn apply(&mut self, call: &Call) -> Value {
        let Call::Unlock(unlock) = call else { panic!("{call:?}") };
        let new: Vec<i64> = unlock.ids.iter().map(|id| id.0).filter(|id| self.owned.insert(*id)).collect();
        self.balance -= new.len() as i64;
        let contact =
            |id: &i64| json!({"id": id, "email": "a@b.example", "phone": "9165550100", "verification": "valid"});
        let contacts: Vec<Value> = new.iter().map(contact).collect();
        let already: Vec<i64> = unlock.ids.iter().map(|id| id.0).filter(|id| !new.contains(id)).collect();
        json!({"unlocked": contacts, "already_unlocked": already, "missing": [], "credits_charged": new.len(),
            "credits_refunded": 0, "balance": self.balance, "stopped_for_credits": false})
    }

    fn said(&mut self, call: &Call) -> Said {
        let data = match call {
            Call::Me => {
                json!({"org": {"id": "o", "name": "Acme"}, "key": {"prefix": "lk", "scopes": ["search", "unlock"]},
                "credits": self.balance})
            }
            Call::Search(search) => {
                let rows = self.rows.iter().skip(search.offset as usize).take(search.limit as usize);
                let rows: Vec<Value> =
                    rows.map(|id| serde_json::from_str(&row(*id, self.owned.contains(id))).unwrap()).collect();
                json!({"corpus": "us", "total": self.rows.len(), "limit": search.limit, "offset": search.offset, "rows": rows})
            }
            _ => self.apply(call),
        };
        Said::Reply(wire::read(call, &Head::of(200), json!({"ok": true, "data": data}).to_string().as_bytes()))
    }
}

fn later(seconds: u64) -> Said {
    let wait = Some(Duration::from_secs(seconds));
    Said::Reply(Err(Failure::Later { wait, words: "slow down".to_owned() }))
}

fn lost() -> Said {
    Said::Reply(Err(Failure::Unclear { why: Unclear::Line, words: "the line broke".to_owned() }))
}

/// The service, whose first unlock ends like this instead.
fn first_unlock<'a>(
    service: &'a RefCell<Service>,
    ends: impl Fn() -> Said + 'a,
) -> impl FnMut(&Call, u64) -> Said + 'a {
    move |call, now| {
        let mut service = service.borrow_mut();
        match (call, service.note(call, now)) {
            (Call::Unlock(_), 1) => ends(),
            _ => service.said(call),
        }
    }
}

/// Another process on the same ledger.
fn beside(store: &Store) -> Store {
    store.beside(fresh_window())
}

fn one_store() -> Store {
    stores(1).remove(0)
}

#[test]
fn a_429_of_a_minute_is_waited_for_then_checked_for_free_then_sent_again_as_it_was() {
    let service = Service::new();
    let ran = run(unlock(&[1, 2]), one_store(), |_| false, first_unlock(&service, || later(60)));
    assert_eq!((ran.code, &ran.summary()["charged"]), (0, &json!(2)), "{ran:?}");
    let service = service.borrow();
    let from = service.names().iter().position(|name| *name == "unlock").unwrap();
    assert_eq!(service.names()[from..from + 4], ["unlock", "me", "search", "unlock"], "{:?}", service.log);
    assert!(service.log[from + 1].1 - service.log[from].1 >= 60_000, "{:?}", service.log);
    let seconds = |second: u64| format!("waiting {second} s (requested by the service)");
    for second in [59, 30, 1] {
        assert!(ran.statuses.contains(&seconds(second)), "a countdown: {:?}", ran.statuses);
    }
}

#[test]
fn a_429_that_was_carried_out_is_found_and_not_sent_again() {
    let service = Service::new();
    let ran = run(
        unlock(&[1, 2]),
        one_store(),
        |_| false,
        |call, now| {
            let mut service = service.borrow_mut();
            match (call, service.note(call, now)) {
                (Call::Unlock(_), 1) => {
                    service.apply(call);
                    later(60)
                }
                _ => service.said(call),
            }
        },
    );
    assert_eq!((ran.code, &ran.summary()["charged"]), (0, &json!(2)), "{ran:?}");
    assert_eq!(service.borrow().count("unlock"), 1);
    assert_eq!(service.borrow().balance, 98);
}

#[test]
fn a_429_beyond_the_longest_wait_ends_as_unknown_with_the_seconds_to_wait() {
    for (seconds, max_wait) in [(600, MAX_WAIT), (60, 10), (1, 0)] {
        let service = Service::new();
        let args = UnlockArgs { max_wait, ..arguments(2) };
        let script = unlock_script(&args, given(&[1, 2]));
        let ran = run(
            script,
            one_store(),
            |_| false,
            |call, now| {
                let mut service = service.borrow_mut();
                service.note(call, now);
                match call {
                    Call::Unlock(_) => later(seconds),
                    _ => service.said(call),
                }
            },
        );
        assert_eq!((ran.code, &ran.error()["exit"]), (9, &json!(9)), "a 429 proves nothing: {ran:?}");
        assert_eq!(ran.error()["retry_after_s"], seconds, "{ran:?}");
        assert_eq!(ran.error()["spent"], json!({"charged": 0, "unknown": 2}), "{ran:?}");
        assert!(ran.took < Duration::from_secs(5), "{ran:?}");
    }
}

/// Rule 3: the identical batch goes out three times more at most. Rule 6: the checks in between are not what proves that no
/// earlier sending was carried out, so its result is unknown, as the ledger has it; two later checks resolve it.
#[test]
fn a_service_that_only_answers_429_gets_the_batch_four_times_at_most_and_its_result_is_unknown() {
    let store = one_store();
    let service = Service::new();
    let ran =
        run(unlock(&[1, 2]), beside(&store), |_| false, |call, now| answer_429(&service, call, now, |_| later(1)));
    assert_eq!(service.borrow().count("unlock"), 4, "{ran:?}");
    assert_unknown(&ran, 2);
    let service = Service::new();
    assert_eq!(retry(beside(&store), &service).code, 9, "the ledger says the same");
    assert_eq!(service.borrow().count("unlock"), 0);
    let ran = recover(beside(&store), |_| false, &service);
    assert_eq!(ran.code, 0, "{ran:?}");
    let ran = retry(store, &service);
    assert_eq!((ran.code, &ran.summary()["charged"]), (0, &json!(2)), "{ran:?}");
}

/// Money rule 6, *unknown is a state*: a refusal of the second sending proves nothing about the first.
#[test]
fn a_batch_that_was_answered_with_429_and_then_refused_is_unknown() {
    for (status, why) in [(402, Refusal::Credits), (403, Refusal::Scope)] {
        let store = one_store();
        let service = Service::new();
        let refused = Failure::Refused { status, why, words: "no".to_owned() };
        let answers = |nth| if nth == 1 { later(1) } else { Said::Reply(Err(refused.clone())) };
        let ran = run(unlock(&[1, 2]), beside(&store), |_| false, |call, now| answer_429(&service, call, now, answers));
        assert_eq!(service.borrow().count("unlock"), 2, "{ran:?}");
        assert_unknown(&ran, 2);
        assert_eq!(retry(store, &Service::new()).code, 9, "the ledger says the same");
    }
}

/// Money rule 6, *unknown is a state*.
#[test]
fn a_batch_that_was_answered_with_429_and_then_stopped_is_unknown() {
    let store = one_store();
    let service = Service::new();
    let said = |call: &Call, now| answer_429(&service, call, now, |_| later(1));
    let ran = run_under(interrupted(2), unlock(&[1, 2]), beside(&store), |_| false, said);
    assert_eq!(service.borrow().count("unlock"), 2, "{ran:?}");
    assert_unknown(&ran, 2);
    assert_eq!(retry(store, &Service::new()).code, 9, "the ledger says the same");
    // Stopped while the only sending is on the wire, refused and found locked: nothing is unknown.
    let store = one_store();
    let said = |call: &Call, now| answer_429(&service, call, now, |_| later(1));
    let ran = run_under(interrupted(1), unlock(&[1, 2]), beside(&store), |_| false, said);
    assert_eq!((ran.code, &ran.summary()["locked"]), (130, &json!(2)), "{ran:?}");
    assert_eq!(retry(store, &Service::new()).code, 0, "the ledger says the same");
}

fn interrupted(at: usize) -> Conditions {
    Conditions { interrupt_at: Some(at), ..Conditions::default() }
}

/// While it waits for a slot the batch is checked again every 5 seconds. That does not use up the tries that it has.
#[test]
fn a_batch_that_waited_long_for_a_slot_is_still_sent_again() {
    for (first, name) in [(lost as fn() -> Said, "lost"), (|| later(1), "429")] {
        let service = Service::new();
        let one_a_minute = Conditions { requests: Some(1), ..Conditions::default() };
        let ran = run_under(one_a_minute, unlock(&[1, 2]), one_store(), |_| false, first_unlock(&service, first));
        assert_eq!((ran.code, &ran.summary()["charged"]), (0, &json!(2)), "{name}: {ran:?}");
        let service = service.borrow();
        let first = service.log.iter().find(|(name, _)| name == "unlock").unwrap();
        assert!(first.1 > 20_000, "it waited for a slot: {:?}", service.log);
        assert_eq!(service.count("unlock"), 2, "{name}: {:?}", service.log);
    }
}

/// This answer to the n-th unlock; the rest as the service keeps it. Nothing is carried out.
fn answer_429(service: &RefCell<Service>, call: &Call, now: u64, answer: impl Fn(usize) -> Said) -> Said {
    let mut service = service.borrow_mut();
    let nth = service.note(call, now);
    match call {
        Call::Unlock(_) => answer(nth),
        _ => service.said(call),
    }
}

#[track_caller]
fn assert_unknown(ran: &Ran, contacts: u64) {
    assert_eq!((ran.code, &ran.summary()["unknown"], &ran.summary()["locked"]), (9, &json!(contacts), &json!(0)));
    assert_eq!(ran.error()["spent"], json!({"charged": 0, "unknown": contacts}), "{ran:?}");
}

/// The same contacts once more, at a service that carries it out.
fn retry(store: Store, service: &RefCell<Service>) -> Ran {
    run(
        unlock(&[1, 2]),
        store,
        |_| false,
        |call, now| {
            let mut service = service.borrow_mut();
            service.note(call, now);
            service.said(call)
        },
    )
}

/// The wait for an unlock does not make reads of the same command wait as long.
#[test]
fn a_read_of_an_unlock_keeps_its_45_seconds() {
    let service = Service::new();
    let ran = run(
        unlock(&[1]),
        one_store(),
        |_| false,
        |call, now| {
            service.borrow_mut().note(call, now);
            later(60)
        },
    );
    assert_eq!((ran.code, &ran.error()["retry_after_s"]), (7, &json!(60)), "{ran:?}");
    assert!(ran.took < Duration::from_secs(1), "{ran:?}");
}

/// A batch of these with an unknown result. Nothing of it was applied.
fn unknown(store: Store, ids: &[i64]) {
    let service = Service::new();
    let ran = run(
        unlock(ids),
        store,
        |_| false,
        |call, now| {
            let mut service = service.borrow_mut();
            service.note(call, now);
            match call {
                Call::Unlock(_) => lost(),
                _ => service.said(call),
            }
        },
    );
    assert_eq!(ran.code, 9, "{ran:?}");
}

fn recover(store: Store, fails: impl FnMut(&StoreCall) -> bool, service: &RefCell<Service>) -> Ran {
    run(recover_script(None, UNLOCK_PATIENCE), store, fails, |call, now| {
        let mut service = service.borrow_mut();
        service.note(call, now);
        service.said(call)
    })
}

#[test]
fn a_recover_that_leaves_something_unknown_fails_once_with_what_may_have_been_spent() {
    let store = one_store();
    unknown(beside(&store), &[1, 2]);
    let service = Service::new();
    service.borrow_mut().owned.extend([1, 2]);
    let ran = recover(store, |call| matches!(call, StoreCall::Settle(_)), &service);
    assert_eq!(ran.code, 9, "{ran:?}");
    assert_eq!(
        (&ran.error()["exit"], &ran.error()["spent"]),
        (&json!(9), &json!({"charged": 0, "unknown": 2})),
        "{ran:?}"
    );
    assert!(ran.error()["message"].as_str().unwrap().contains("full"), "it says why: {ran:?}");
}

#[test]
fn a_recover_that_clears_everything_up_ends_without_a_failure() {
    let store = one_store();
    unknown(beside(&store), &[1, 2]);
    let service = Service::new();
    service.borrow_mut().owned.extend([1, 2]);
    let ran = recover(store, |call| matches!(call, StoreCall::Shown { .. }), &service);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.errors.is_empty() && ran.warnings.iter().any(|words| words.contains("full")), "{ran:?}");
}

/// A service that always answers 429 to an unlock, with a minute to wait.
fn finish_against_429(script: Script) -> Ran {
    let store = one_store();
    unknown(beside(&store), &[1, 2]);
    let service = Service::new();
    run(script, store, |_| false, first_unlock(&service, || later(60)))
}

#[test]
fn a_finish_waits_for_the_end_of_a_429_as_long_as_it_was_told() {
    let ran = finish_against_429(recover_script(Some(Credits(2)), UNLOCK_PATIENCE));
    assert_eq!((ran.code, &ran.summary()["charged"]), (0, &json!(2)), "{ran:?}");
    assert!(ran.took >= Duration::from_secs(60), "{ran:?}");
    let short = recover_script(Some(Credits(2)), Duration::from_secs(59));
    let ran = finish_against_429(short);
    assert_eq!((ran.code, &ran.error()["retry_after_s"]), (9, &json!(60)), "{ran:?}");
    assert!(ran.took < Duration::from_secs(5), "{ran:?}");
}

/// A contact that each second search hides never has its result.
fn wavering(store: Store) -> Ran {
    let service = Service::new();
    run(
        recover_script(None, UNLOCK_PATIENCE),
        store,
        |_| false,
        |call, now| {
            let mut service = service.borrow_mut();
            let count = service.note(call, now);
            service.rows = if count.is_multiple_of(2) { (1..=5).collect() } else { (3..=5).collect() };
            service.said(call)
        },
    )
}

#[test]
fn finishing_is_not_advised_for_a_batch_with_a_contact_that_was_listed_since() {
    let advised = |ran: &Ran| ran.error()["hint"].as_str().unwrap().contains("--finish --max-credits 2`");
    let store = one_store();
    unknown(beside(&store), &[1, 2]);
    let ran = wavering(beside(&store));
    assert!(ran.code == 9 && advised(&ran), "{ran:?}");
    let mut other = beside(&store);
    let entries = vec![SuppressEntry::Contact(US, RowId(2))];
    let purse = PurseRef::Earlier { profile: profile("w0").name };
    other.perform(StoreCall::Suppress { purse, list: "dnc".to_owned(), entries }, Now::default()).unwrap();
    let ran = wavering(store);
    assert!(ran.code == 9 && !advised(&ran), "{ran:?}");
}

/// What a finish was charged too much is not lost because nothing is unknown any more.
#[test]
fn a_recover_whose_finish_raised_an_alarm_fails_with_it() {
    let store = one_store();
    unknown(beside(&store), &[1, 2]);
    let service = Service::new();
    let ran = run(
        recover_script(Some(Credits(2)), UNLOCK_PATIENCE),
        store,
        |_| false,
        |call, now| {
            let mut service = service.borrow_mut();
            service.note(call, now);
            if let Call::Unlock(_) = call {
                let mut data = service.apply(call);
                data["credits_charged"] = 50.into();
                let body = json!({"ok": true, "data": data}).to_string();
                return Said::Reply(Ok(Reply::Unlock { status: 200, body: body.into() }));
            }
            service.said(call)
        },
    );
    assert_eq!(ran.code, 8, "{ran:?}");
    assert!(ran.error()["message"].as_str().unwrap().contains("charge of 50 credits"), "{ran:?}");
    assert_eq!(ran.error()["spent"], json!({"charged": 2, "unknown": 0}), "{ran:?}");
}

/// A narrow search without matches is evidence too, however long the search is that showed the contact: its filters return rows.
/// Where no filter returns anything the index of the service may be down, and the contact stays unknown.
#[test]
fn a_withdrawn_contact_is_unreachable_after_a_narrow_search_read_whole_twice_a_minute_apart() {
    for (narrow, wider) in [(0, 40), (40, 40), (0, 0)] {
        let store = one_store();
        unknown(beside(&store), &[7]);
        let looked = RefCell::new(Vec::new());
        let service = Service::new();
        let ran = run(
            recover_script(None, UNLOCK_PATIENCE),
            store,
            |_| false,
            |call, now| {
                let Call::Search(search) = call else { return service.borrow_mut().said(call) };
                looked.borrow_mut().push(now);
                let filters = search.query.filters().count();
                let total = match search.query.value(Filter::Title) {
                    _ if filters == 0 => 80_000,
                    Some(_) if filters > 1 => narrow,
                    _ => wider,
                };
                // In no order, and never the one that is looked for.
                let ids = (0..total).map(|at| 10 + (at * 7_919) % 80_021).skip(search.offset as usize).take(25);
                let rows: Vec<Value> = ids.map(|id| serde_json::from_str(&row(id, false)).unwrap()).collect();
                let data = json!({"corpus": "us", "total": total, "limit": 25, "offset": search.offset, "rows": rows});
                Said::Reply(wire::read(call, &Head::of(200), json!({"ok": true, "data": data}).to_string().as_bytes()))
            },
        );
        if wider == 0 {
            assert_eq!(ran.code, 9, "{ran:?}");
            continue;
        }
        assert_eq!((ran.code, &ran.summary()["unreachable"]), (0, &json!(1)), "{narrow}: {ran:?}");
        let looked = looked.into_inner();
        assert!(looked.len() <= 10, "{narrow}: {} requests", looked.len());
        assert!(looked.last().unwrap() - looked[0] >= 60_000, "{narrow}: {looked:?}");
    }
}
