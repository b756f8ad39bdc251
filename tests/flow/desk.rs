//! The desk alone, request by request: what leaves when, what is asked again, and what becomes of a refusal.

use std::collections::VecDeque;
use std::time::Duration;

use lode_core::contact::{Corpus, Side, Source};
use lode_core::filter::Filter;
use lode_core::query::Query;
use lode_core::time::Mono;
use lode_core::{Account, Page};
use lode_engine::effect::call::{Call, Outgoing, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Refusal, StoreFailure, Unclear};
use lode_engine::effect::files::{ExportTarget, Form, Progress};
use lode_engine::effect::profile::{Profile, WindowId};
use lode_engine::effect::store::{Gauge, StoreCall, StoreReply};
use lode_engine::effect::unlock::UnlockCall;
use lode_engine::effect::{Answer, CallId, Effect};
use lode_engine::flow::desk::{Arrival, Desk, FlowContext, Owner, Waits};
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::retry::{LONGEST_SEARCH, RetryPolicy};
use lode_host::store::Store;

use common::flow_simulation::{at, profile, stores};

use crate::desktop::intent;

/// A desk with its store, which answers at once. The test is the network and the clock.
struct Bench {
    desk: Desk,
    store: Store,
    now: u64,
    sent: Vec<(CallId, Outgoing)>,
    canceled: Vec<CallId>,
    told: Vec<(CallId, Result<Reply, Failure>)>,
    store_fails: fn(&StoreCall) -> bool,
    releases: usize,
}

impl Bench {
    fn new(patience: RetryPolicy) -> Bench {
        Bench::of(&profile("w0"), patience, stores(1).remove(0))
    }

    fn of(profile: &Profile, patience: RetryPolicy, store: Store) -> Bench {
        Bench {
            desk: Desk::new(profile, patience, 7),
            store,
            now: 1_000,
            sent: Vec::new(),
            canceled: Vec::new(),
            told: Vec::new(),
            store_fails: |_| false,
            releases: 0,
        }
    }

    fn act<T>(&mut self, act: impl FnOnce(&mut FlowContext<'_>) -> T) -> T {
        let mut fx = Vec::new();
        let done = act(&mut self.desk.at(at(self.now), &mut fx));
        self.perform(fx);
        done
    }

    fn perform(&mut self, fx: Vec<Effect>) {
        let mut effects = VecDeque::from(fx);
        while let Some(effect) = effects.pop_front() {
            match effect {
                Effect::Send(id, call) => self.sent.push((id, call)),
                Effect::Cancel(id) => self.canceled.push(id),
                Effect::Store(ticket, call) => {
                    self.releases += usize::from(matches!(call, StoreCall::Release { .. }));
                    let result = match (self.store_fails)(&call) {
                        true => Err(StoreFailure::Full),
                        false => self.store.perform(call, at(self.now)),
                    };
                    let mut fx = Vec::new();
                    self.hear(Answer::Stored(ticket, result), &mut fx);
                    effects.extend(fx);
                }
                _ => {}
            }
        }
    }

    fn hear(&mut self, answer: Answer, fx: &mut Vec<Effect>) {
        if let Some((_, Arrival::Reply(id, _, result))) = self.desk.handle(answer, at(self.now), fx) {
            self.told.push((id, result));
        }
    }

    fn answer(&mut self, answer: Answer) {
        let mut fx = Vec::new();
        self.hear(answer, &mut fx);
        self.perform(fx);
    }

    /// Answers the request that was sent as this one, from 0.
    fn reply(&mut self, sent: usize, result: Result<Reply, Failure>) {
        self.answer(Answer::Replied(self.sent[sent].0, result));
    }

    fn wake_at(&mut self, now: u64) {
        self.now = now;
        let mut fx = Vec::new();
        for (_, arrival) in self.desk.wake(at(now), &mut fx) {
            if let Arrival::Reply(id, _, result) = arrival {
                self.told.push((id, result));
            }
        }
        self.perform(fx);
    }

    fn search(&mut self, source: Source, offset: u64, priority: Priority) -> CallId {
        self.act(|cx| cx.search(Owner::Caller, query(source), offset, 100, priority))
    }

    /// What left so far, in order.
    fn left(&self) -> Vec<String> {
        let word = |(_, call): &(CallId, Outgoing)| match call {
            Call::Search(search) => format!("search {}", search.offset),
            Call::Export { query, .. } => format!("export {}", query.values(Filter::Query).join(",")),
            Call::Me => "me".to_owned(),
            other => format!("{other:?}"),
        };
        self.sent.iter().map(word).collect()
    }

    fn limits(&self) -> Vec<u64> {
        let limit = |(_, call): &(CallId, Outgoing)| match call {
            Call::Search(search) => search.limit,
            other => panic!("{other:?}"),
        };
        self.sent.iter().map(limit).collect()
    }
}

fn query(source: Source) -> Query {
    let mut query = Query::new(Side { source, corpus: Corpus::Us });
    query.set(Filter::Title, "nurse").unwrap();
    query
}

fn export(number: u32) -> Outgoing {
    let mut query = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
    query.set(Filter::Query, &number.to_string()).unwrap();
    let target = ExportTarget { path: None, form: Form::Raw, keep_incomplete: false, replace: false };
    Call::Export { query, target }
}

fn page() -> Result<Reply, Failure> {
    Ok(Reply::Page(Page { total: 5, limit: 100, ..Page::default() }))
}

fn refused(status: u16, why: Refusal) -> Failure {
    Failure::Refused { status, why, words: "no".to_owned() }
}

fn broken() -> Failure {
    Failure::Unclear { why: Unclear::Line, words: "reset".to_owned() }
}

fn later(seconds: u64) -> Failure {
    Failure::Later { wait: Some(Duration::from_secs(seconds)), words: "slow down".to_owned() }
}

fn me(scopes: &[&str]) -> Result<Reply, Failure> {
    Ok(Reply::Me(Account { scopes: scopes.iter().map(|scope| (*scope).to_owned()).collect(), ..Account::default() }))
}

/// Of the two lines to the Data API one stays free for searches, and three streams come in at a time.
#[test]
fn streams_leave_a_line_to_searches_and_no_more_than_three_come_in() {
    let mut bench = Bench::new(RetryPolicy::Window);
    for number in 1..=5 {
        bench.act(|cx| cx.ask(Owner::Exports, export(number), Priority::Person));
    }
    bench.search(Source::Data, 7, Priority::Person);
    assert_eq!(bench.left(), ["export 1", "search 7"]);
    let begins = |bench: &mut Bench, sent: usize| {
        bench.answer(Answer::Progress(bench.sent[sent].0, Progress::default()));
    };
    begins(&mut bench, 0);
    assert_eq!(bench.left()[2..], ["export 2"]);
    begins(&mut bench, 0);
    assert_eq!(bench.sent.len(), 3, "it moves on, and began before");
    bench.reply(1, page());
    begins(&mut bench, 2);
    assert_eq!(bench.left()[3..], ["export 3"]);
    assert_eq!(bench.releases, 3, "no slot was taken that no request could use");
    begins(&mut bench, 3);
    assert_eq!(bench.sent.len(), 4, "three come in");
    let gauge = bench.desk.gauge(Source::Data, at(bench.now));
    assert_eq!((gauge.in_flight, gauge.queued, gauge.of), (3, 2, None));
    bench.search(Source::Data, 8, Priority::Person);
    bench.search(Source::Data, 9, Priority::Person);
    assert_eq!(bench.left()[4..], ["search 8", "search 9"], "they take no line from a search");
    bench.reply(0, Err(Failure::Disk { words: "full".to_owned() }));
    assert_eq!(bench.sent.len(), 6, "both lines are taken");
    bench.reply(4, page());
    assert_eq!(bench.left()[6..], ["export 4"]);
    bench.search(Source::Data, 10, Priority::Person);
    bench.reply(5, page());
    assert_eq!(bench.left()[7..], ["search 10"], "one is asked for at a time");
}

/// The Workspace API does not tell a wrong key from a wrong request: `/me` does.
#[test]
fn a_refused_search_of_the_workspace_is_told_once_me_says_what_the_key_may() {
    let told = |refusal: Failure, me: Result<Reply, Failure>| {
        let mut bench = Bench::new(RetryPolicy::Window);
        let (first, second) = (
            bench.search(Source::Workspace, 1, Priority::Person),
            bench.search(Source::Workspace, 2, Priority::Person),
        );
        bench.reply(0, Err(refusal.clone()));
        bench.reply(1, Err(refusal));
        assert_eq!(
            (bench.left(), bench.told.len()),
            (vec!["search 1".to_owned(), "search 2".to_owned(), "me".to_owned()], 0)
        );
        assert_eq!(bench.desk.last_failed.as_ref().map(|last| matches!(last.call, Call::Search(_))), Some(true));
        bench.reply(2, me);
        bench.wake_at(bench.now);
        let ids: Vec<CallId> = bench.told.iter().map(|(id, _)| *id).collect();
        assert_eq!(ids, [first, second], "each once, and not the question of the desk");
        assert_eq!(bench.told[0].1, bench.told[1].1);
        assert_eq!(bench.desk.last_failed.as_ref().map(|last| matches!(last.call, Call::Search(_))), Some(true));
        bench.told.remove(0).1.unwrap_err()
    };
    let may = || me(&["search"]);
    assert_eq!(told(refused(403, Refusal::Key), may()), refused(403, Refusal::Key));
    assert_eq!(told(refused(404, Refusal::Key), may()), refused(404, Refusal::Request));
    assert_eq!(told(refused(404, Refusal::Key), me(&["unlock"])), refused(404, Refusal::Scope));
    for of_key in [refused(401, Refusal::Key), refused(404, Refusal::Address)] {
        assert_eq!(told(refused(403, Refusal::Scope), Err(of_key.clone())), of_key);
    }
    let unread = Failure::Unclear { why: Unclear::TooLarge, words: "too large".to_owned() };
    assert_eq!(told(refused(404, Refusal::Key), Err(unread)), refused(404, Refusal::Key), "nothing more is known");
}

/// The question itself may be given up where a command does not wait for the end of a pause.
#[test]
fn a_refusal_whose_question_is_given_up_is_told_as_it_came() {
    let mut bench = Bench::new(RetryPolicy::Shell);
    let (first, second) =
        (bench.search(Source::Workspace, 1, Priority::Person), bench.search(Source::Workspace, 2, Priority::Person));
    bench.reply(1, Err(later(60)));
    bench.reply(0, Err(refused(404, Refusal::Key)));
    bench.wake_at(1_001);
    assert_eq!(bench.told, [(second, Err(later(60))), (first, Err(refused(404, Refusal::Key)))]);
    assert_eq!((bench.sent.len(), bench.desk.deadline()), (2, None));
}

#[test]
fn a_refusal_that_is_clear_is_told_at_once() {
    let asked_me = |source: Source, refusal: Failure| {
        let mut bench = Bench::new(RetryPolicy::Window);
        bench.search(source, 1, Priority::Person);
        bench.reply(0, Err(refusal.clone()));
        let asked = bench.left().contains(&"me".to_owned());
        assert_eq!(bench.told.iter().any(|(_, told)| *told == Err(refusal.clone())), !asked);
        asked
    };
    assert!(asked_me(Source::Workspace, refused(404, Refusal::Key)));
    assert!(!asked_me(Source::Workspace, refused(402, Refusal::Credits)));
    assert!(!asked_me(Source::Workspace, refused(302, Refusal::Redirect)));
    assert!(!asked_me(Source::Data, refused(404, Refusal::Key)));
}

#[test]
fn what_a_key_may_is_known_until_an_answer_says_otherwise() {
    let mut bench = Bench::new(RetryPolicy::Window);
    bench.act(|cx| cx.ask(Owner::Balance, Call::Me, Priority::Person));
    bench.reply(0, me(&["unlock"]));
    // Whether a search that is refused asks `/me` first.
    let asks = |bench: &mut Bench| {
        let (before, told) = (bench.sent.len(), bench.told.len());
        bench.search(Source::Workspace, 1, Priority::Person);
        bench.reply(before, Err(refused(404, Refusal::Key)));
        let asks = bench.sent.len() > before + 1;
        if !asks {
            assert_eq!(bench.told[told].1, Err(refused(404, Refusal::Scope)));
        }
        asks
    };
    assert!(!asks(&mut bench), "it may not search");
    bench.search(Source::Data, 1, Priority::Person);
    bench.reply(bench.sent.len() - 1, page());
    assert!(!asks(&mut bench), "the other key may");
    bench.search(Source::Workspace, 1, Priority::Person);
    bench.reply(bench.sent.len() - 1, page());
    assert!(asks(&mut bench), "it could");
    bench.reply(bench.sent.len() - 1, me(&["unlock"]));
    assert!(!asks(&mut bench));
    bench.act(|cx| cx.ask(Owner::Balance, Call::Me, Priority::Person));
    bench.reply(bench.sent.len() - 1, Err(refused(401, Refusal::Key)));
    assert!(asks(&mut bench), "of a key that is refused nothing is known");
}

#[test]
fn a_search_in_doubt_can_be_dropped_like_any_other() {
    let mut bench = Bench::new(RetryPolicy::Window);
    let dropped = bench.search(Source::Workspace, 1, Priority::Person);
    let kept = bench.search(Source::Workspace, 2, Priority::Person);
    bench.reply(0, Err(refused(404, Refusal::Key)));
    bench.reply(1, Err(refused(404, Refusal::Key)));
    bench.act(|cx| cx.cancel(dropped));
    bench.reply(2, me(&["search"]));
    bench.wake_at(bench.now);
    assert_eq!(bench.told.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [kept]);
    let mut keyless = Bench::of(&Profile { data: None, ..profile("w0") }, RetryPolicy::Window, stores(1).remove(0));
    let (dropped, kept) =
        (keyless.search(Source::Data, 1, Priority::Person), keyless.search(Source::Data, 2, Priority::Person));
    keyless.act(|cx| cx.cancel_all([dropped]));
    keyless.wake_at(2_000);
    assert_eq!(keyless.told.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [kept]);
}

#[test]
fn what_is_dropped_is_called_off_where_it_left_and_told_where_it_did_not() {
    let mut bench = Bench::new(RetryPolicy::Window);
    let ids: Vec<CallId> = (0..3).map(|offset| bench.search(Source::Data, offset, Priority::Person)).collect();
    assert_eq!(bench.left(), ["search 0", "search 1"], "two lines");
    assert!(bench.act(|cx| cx.cancel(ids[2])));
    assert!(!bench.act(|cx| cx.cancel(ids[2])), "once");
    assert_eq!(bench.canceled, []);
    let next = bench.search(Source::Data, 3, Priority::Person);
    assert!(bench.act(|cx| cx.cancel(ids[0])));
    assert_eq!((&bench.canceled[..], &bench.left()[2..]), (&[ids[0]][..], &["search 3".to_owned()][..]));
    bench.reply(0, page());
    assert_eq!(bench.told, [], "a late answer has no owner");
    bench.reply(2, page());
    assert_eq!(bench.told.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [next]);
}

#[test]
fn hurry_only_ever_moves_a_request_forward() {
    let mut bench = Bench::new(RetryPolicy::Window);
    for offset in 0..2 {
        bench.search(Source::Data, offset, Priority::Person);
    }
    let waiting: Vec<CallId> =
        [2, 3, 4].iter().map(|offset| bench.search(Source::Data, *offset, Priority::Prefetch)).collect();
    bench.act(|cx| cx.hurry(waiting[2], Priority::Person));
    bench.act(|cx| cx.hurry(waiting[0], Priority::Coverage));
    for sent in 0..3 {
        bench.reply(sent, page());
    }
    assert_eq!(bench.left()[2..], ["search 4", "search 2", "search 3"]);
}

#[test]
fn a_request_that_waits_tells_why_and_until_when() {
    let mut bench = Bench::new(RetryPolicy::Window);
    let ids: Vec<CallId> = (0..3).map(|offset| bench.search(Source::Data, offset, Priority::Person)).collect();
    assert_eq!(bench.desk.waits(ids[0], at(bench.now)), Some(Waits::Answer));
    assert_eq!(bench.desk.waits(ids[2], at(bench.now)), Some(Waits::Slot { until: None }), "a line must free first");
    bench.now += 500;
    bench.reply(0, Err(broken()));
    let Some(Waits::Again { until, failures: 1, trouble }) = bench.desk.waits(ids[0], at(bench.now)) else { panic!() };
    assert_eq!((trouble, bench.desk.deadline()), (&broken(), Some(until)));
    assert!(until.0 > bench.now);
    let last = bench.desk.last_request.as_ref().unwrap();
    assert_eq!((last.took, last.failure.as_ref()), (Duration::from_millis(500), Some(&broken())));
    bench.wake_at(until.0);
    assert_eq!(bench.desk.waits(ids[0], at(bench.now)), Some(Waits::Slot { until: None }), "others have both lines");
    bench.reply(1, page());
    let (last, failed) = (bench.desk.last_request.as_ref().unwrap(), bench.desk.last_failed.as_ref().unwrap());
    assert_eq!((last.failure.as_ref(), failed.failure.as_ref()), (None, Some(&broken())), "what failed is kept");
    assert_eq!((bench.desk.waits(ids[0], at(bench.now)), bench.desk.sent), (Some(Waits::Answer), 4));
    assert_ne!(bench.sent[0].0, bench.sent[3].0, "a late answer to the first attempt is none to this one");
    bench.reply(2, page());
    bench.reply(3, page());
    assert_eq!((bench.desk.waits(ids[0], at(bench.now)), bench.told.len()), (None, 3));
}

/// Once the patience of a command is used up, so that it waits for no pause any more.
#[test]
fn a_command_says_how_long_its_order_waits_for_the_end_of_a_429() {
    let told = |most: Option<u64>| {
        let mut bench = Bench::new(RetryPolicy::Shell);
        most.into_iter().for_each(|most| bench.desk.limit_unlock_wait(Duration::from_secs(most)));
        bench.search(Source::Workspace, 1, Priority::Person);
        bench.reply(0, Err(later(60)));
        assert_eq!(bench.told.len(), 1, "a minute is more than a search waits for, which is told at once");
        let of_order = bench.act(|cx| cx.ask(Owner::Unlock, Call::Me, Priority::Unlock));
        bench.wake_at(1_002);
        bench.told.iter().any(|(id, told)| *id == of_order && matches!(told, Err(Failure::Later { .. })))
    };
    assert_eq!((told(None), told(Some(61)), told(Some(59))), (false, false, true));
    // The same where its own request is the one that is put off.
    let mut bench = Bench::new(RetryPolicy::Shell);
    bench.act(|cx| cx.ask(Owner::Unlock, Call::Me, Priority::Unlock));
    bench.reply(0, Err(later(60)));
    bench.wake_at(1_001);
    assert_eq!(bench.told, []);
    let mut window = Bench::new(RetryPolicy::Window);
    window.desk.limit_unlock_wait(Duration::from_secs(1));
    window.search(Source::Workspace, 1, Priority::Person);
    window.reply(0, Err(later(60)));
    window.act(|cx| cx.ask(Owner::Unlock, Call::Me, Priority::Unlock));
    window.wake_at(1_001);
    assert_eq!(window.told, [], "a window waits as long as it takes");
}

#[test]
fn a_pause_of_one_service_gives_up_nothing_of_the_other() {
    let mut bench = Bench::new(RetryPolicy::Shell);
    bench.search(Source::Workspace, 1, Priority::Person);
    let others: Vec<CallId> = (0..3).map(|offset| bench.search(Source::Data, offset, Priority::Person)).collect();
    bench.reply(0, Err(later(60)));
    bench.wake_at(1_001);
    assert!(bench.told.iter().all(|(id, _)| !others.contains(id)), "{:?}", bench.told);
    assert_eq!(bench.desk.gauge(Source::Data, at(bench.now)).queued, 1);
    let last = bench.desk.last_failed.as_ref().unwrap();
    assert!(matches!(last.failure, Some(Failure::Later { .. })));
}

#[test]
fn a_search_without_an_answer_ends_when_its_time_is_up_however_often_it_was_sent() {
    let mut bench = Bench::new(RetryPolicy::Window);
    let id = bench.search(Source::Workspace, 1, Priority::Person);
    let end = bench.now + LONGEST_SEARCH.as_millis() as u64;
    assert_eq!(bench.desk.deadline(), Some(Mono(end)));
    bench.wake_at(end - 1);
    assert_eq!(bench.told, []);
    bench.wake_at(end);
    let deadline = |told: &Result<Reply, Failure>| matches!(told, Err(Failure::Unclear { why: Unclear::Deadline, words }) if words == "no answer within 120 s");
    assert!(matches!(&bench.told[..], [(told, result)] if *told == id && deadline(result)), "{:?}", bench.told);
    assert_eq!((&bench.canceled[..], bench.desk.deadline()), (&[id][..], None));
    // Any other read is waited for, and a search of the whole corpus may be sent again later than that.
    let mut bench = Bench::new(RetryPolicy::Window);
    bench.act(|cx| cx.ask(Owner::Balance, Call::Me, Priority::Person));
    let mut slow = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
    slow.set(Filter::State, "TX").unwrap();
    bench.act(|cx| cx.search(Owner::Caller, slow, 0, 100, Priority::Person));
    assert_eq!(bench.desk.deadline(), None);
    bench.now = end + 10_000;
    bench.reply(1, Err(broken()));
    assert_eq!((&bench.told[..], bench.desk.deadline().is_some()), (&[][..], true));
    // What breaks just before its end is not sent again after it.
    let mut bench = Bench::new(RetryPolicy::Window);
    bench.search(Source::Workspace, 1, Priority::Person);
    bench.now = end - 100;
    bench.reply(0, Err(broken()));
    assert!(matches!(&bench.told[..], [(_, Err(failure))] if *failure == broken()), "{:?}", bench.told);
}

#[test]
fn requests_of_other_windows_count_once_they_are_read_again() {
    let mut stores = stores(2);
    let mut other = Bench::of(&profile("w1"), RetryPolicy::Window, stores.pop().unwrap());
    let mut bench = Bench::of(&profile("w0"), RetryPolicy::Window, stores.remove(0));
    let used = |bench: &Bench| bench.desk.gauge(Source::Workspace, at(bench.now)).used;
    (0..3).for_each(|offset| _ = other.search(Source::Workspace, offset, Priority::Person));
    assert_eq!((used(&other), used(&bench)), (3, 0));
    let mut fx = Vec::new();
    bench.desk.read_gauges(&mut fx);
    bench.perform(fx);
    assert_eq!(used(&bench), 3);
    bench.search(Source::Workspace, 9, Priority::Person);
    let mut fx = Vec::new();
    bench.desk.read_gauges(&mut fx);
    bench.perform(fx);
    let gauge = bench.desk.gauge(Source::Workspace, at(bench.now));
    assert_eq!((gauge.used, gauge.in_flight, gauge.of), (4, 1, Some(120)), "its own is not counted twice");
}

#[test]
fn a_slot_that_could_not_be_given_back_is_given_back_once_the_store_can_write() {
    let mut bench = Bench::new(RetryPolicy::Window);
    bench.search(Source::Data, 1, Priority::Person);
    bench.store_fails = |call| matches!(call, StoreCall::Release { .. });
    bench.reply(0, page());
    assert_eq!(bench.releases, 1);
    bench.store_fails = |_| false;
    bench.search(Source::Data, 2, Priority::Person);
    assert_eq!((bench.releases, bench.sent.len()), (2, 2));
    bench.search(Source::Data, 3, Priority::Person);
    assert_eq!((bench.releases, bench.sent.len()), (2, 3), "once");
}

/// Two searches are refused a page of a hundred rows at the same time: what the first finds out serves the second.
#[test]
fn the_size_of_a_page_is_found_out_once_and_another_refusal_is_not_taken_for_its_size() {
    let mut bench = Bench::new(RetryPolicy::Window);
    (1..=2).for_each(|offset| _ = bench.search(Source::Data, offset, Priority::Person));
    let too_large = || Err(refused(422, Refusal::Request));
    bench.reply(0, too_large());
    bench.reply(2, page());
    bench.reply(3, page());
    assert_eq!((bench.limits(), bench.desk.page(Source::Data)), (vec![100, 100, 1, 50], 50));
    bench.reply(1, too_large());
    assert_eq!(bench.limits()[4..], [50]);
    bench.reply(4, too_large());
    assert_eq!(bench.limits()[5..], [1], "not the size that was good");
    bench.reply(5, Err(refused(422, Refusal::Request)));
    assert_eq!(bench.told.last().map(|(_, told)| told.is_err()), Some(true), "the size is not the reason");
    assert_eq!(bench.sent.len(), 6);
    bench.search(Source::Data, 3, Priority::Person);
    assert_eq!(bench.limits()[6..], [50]);
}

#[test]
fn a_window_that_is_marked_as_pulled_is_asked_for_as_it_is_seen() {
    let mut bench = Bench::new(RetryPolicy::Window);
    let marking = SearchCall { query: query(Source::Data), offset: 0, limit: 500, mark_pulled: true };
    bench.act(|cx| cx.ask(Owner::Caller, Call::Search(marking), Priority::Person));
    bench.reply(0, Err(refused(422, Refusal::Request)));
    assert_eq!((bench.limits(), bench.told.len()), (vec![500], 1));
    bench.act(|cx| cx.search(Owner::Caller, query(Source::Data), 0, 500, Priority::Person));
    assert_eq!(bench.limits()[1..], [100], "any other search by the page of the service");
}

#[test]
fn only_an_export_on_the_wire_can_be_ended_in_order() {
    let mut bench = Bench::new(RetryPolicy::Window);
    let search = bench.search(Source::Data, 0, Priority::Person);
    let ids = [1, 2].map(|number| bench.act(|cx| cx.ask(Owner::Exports, export(number), Priority::Person)));
    let ended = [search, ids[0], ids[1], CallId(99)]
        .map(|id| bench.act(|cx| cx.end_export(Owner::Exports, id, true).is_some()));
    assert_eq!(ended, [false, true, false, false]);
}

#[test]
fn the_pages_that_earlier_runs_found_out_are_read_once() {
    let mut stores = stores(2);
    let mut first = Bench::of(&profile("w0"), RetryPolicy::Window, stores.remove(0));
    first.search(Source::Data, 1, Priority::Person);
    first.reply(0, Err(refused(422, Refusal::Request)));
    first.reply(1, page());
    first.reply(2, page());
    let mut second = Bench::of(&profile("w1"), RetryPolicy::Window, stores.remove(0));
    let mut fx = Vec::new();
    second.desk.ask_pages(&mut fx);
    assert!(second.desk.is_asking_pages());
    second.desk.ask_pages(&mut fx);
    assert_eq!(fx.len(), 1, "once");
    second.perform(fx);
    assert!(!second.desk.is_asking_pages());
    assert_eq!((second.desk.page(Source::Data), second.desk.page(Source::Workspace)), (50, 100));
    let none = Profile { workspace: None, data: None, window: WindowId("w2".to_owned()), ..profile("w2") };
    let mut fx = Vec::new();
    Desk::new(&none, RetryPolicy::Window, 1).ask_pages(&mut fx);
    assert_eq!(fx, [], "no service, nothing to ask");
}

/// A profile whose Workspace key may send this many requests a minute.
fn allowed(requests: u32, in_flight: u32) -> Profile {
    let workspace = common::profile::service("https://service.example", "aa", Some(requests), in_flight);
    Profile { workspace: Some(workspace), ..profile("w0") }
}

#[test]
fn where_all_slots_are_taken_the_moment_at_which_one_frees_is_told() {
    let mut bench = Bench::of(&allowed(2, 8), RetryPolicy::Window, stores(1).remove(0));
    let ids: Vec<CallId> = (0..3).map(|offset| bench.search(Source::Workspace, offset, Priority::Person)).collect();
    bench.now = 1_500;
    bench.reply(0, page());
    bench.reply(1, page());
    // The store could not know how late they are answered: it is asked again when they would have been at once.
    assert_eq!(bench.desk.deadline(), Some(Mono(1_000 + 60_033)));
    bench.wake_at(61_033);
    let until = Some(Mono(1_500 + 60_033));
    let gauge = bench.desk.gauge(Source::Workspace, at(bench.now));
    assert_eq!((gauge.next_send, gauge.used, gauge.queued), (until, 2, 1));
    assert_eq!(bench.desk.waits(ids[2], at(bench.now)), Some(Waits::Slot { until }));
    assert_eq!(bench.desk.deadline(), until);
    bench.wake_at(61_533);
    let gauge = bench.desk.gauge(Source::Workspace, at(bench.now));
    assert_eq!((gauge.next_send, gauge.used, gauge.queued), (None, 1, 0));
    assert_eq!(bench.desk.waits(ids[2], at(bench.now)), Some(Waits::Answer));
}

#[test]
fn without_a_store_no_more_leave_than_the_key_allows() {
    let mut bench = Bench::of(&allowed(2, 8), RetryPolicy::Window, stores(1).remove(0));
    bench.store_fails = |_| true;
    for offset in 0..3 {
        bench.search(Source::Workspace, offset, Priority::Person);
    }
    assert_eq!((bench.left().len(), bench.desk.deadline()), (2, Some(Mono(2_000))), "it looks again after a second");
    bench.wake_at(2_000);
    bench.reply(0, page());
    bench.wake_at(3_000);
    assert_eq!((bench.left().len(), bench.desk.deadline()), (2, Some(Mono(2_000 + 60_032))));
    bench.wake_at(62_032);
    assert_eq!(bench.left().len(), 3);
}

#[test]
fn a_pause_is_over_at_its_very_end() {
    let mut bench = Bench::new(RetryPolicy::Window);
    let id = bench.search(Source::Workspace, 0, Priority::Person);
    bench.reply(0, Err(later(23)));
    assert_eq!(bench.desk.deadline(), Some(Mono(24_000)));
    bench.wake_at(23_999);
    assert!(matches!(bench.desk.waits(id, at(23_999)), Some(Waits::Pause(_))));
    bench.wake_at(24_000);
    assert_eq!((bench.sent.len(), bench.desk.gauge(Source::Workspace, at(24_000)).paused), (2, None));
}

/// Two clocks that disagree by a hair would make a loop of it that never rests.
#[test]
fn a_slot_that_is_said_to_be_free_right_now_is_asked_for_a_millisecond_later() {
    let mut desk = Desk::new(&profile("w0"), RetryPolicy::Window, 7);
    let mut fx = Vec::new();
    desk.at(at(1_000), &mut fx).search(Owner::Caller, query(Source::Data), 0, 100, Priority::Person);
    let [Effect::Store(reserve, StoreCall::Reserve { .. })] = fx.as_slice() else { panic!("{fx:?}") };
    let wait = StoreReply::Wait { until: Mono(1_000), gauge: Gauge::default() };
    let (reserve, mut fx) = (*reserve, Vec::new());
    desk.handle(Answer::Stored(reserve, Ok(wait)), at(1_000), &mut fx);
    assert_eq!((desk.deadline(), fx.len()), (Some(Mono(1_001)), 0));
}

/// The facts behind an order are read again while its batch waits for a slot.
#[test]
fn an_unlock_that_waits_is_taken_back_and_one_that_left_is_not() {
    let mut bench = Bench::of(&allowed(120, 1), RetryPolicy::Window, stores(1).remove(0));
    let search = bench.search(Source::Workspace, 1, Priority::Person);
    let request = written(&mut bench.store);
    let waiting = bench.act(|cx| cx.ask(Owner::Unlock, Call::Unlock(request), Priority::Unlock));
    let request = bench.act(|cx| cx.take_back(waiting)).expect("it has not left");
    assert!(bench.act(|cx| cx.take_back(waiting)).is_none());
    bench.reply(0, page());
    assert_eq!((bench.sent.len(), bench.told.len()), (1, 1), "nothing of it leaves");
    assert_eq!(bench.told[0].0, search);
    let left = bench.act(|cx| cx.ask(Owner::Unlock, Call::Unlock(request), Priority::Unlock));
    assert_eq!(bench.sent.len(), 2);
    assert!(bench.act(|cx| cx.take_back(left)).is_none());
    assert!(!bench.act(|cx| cx.cancel(left)), "its answer says what was bought");
    assert_eq!((bench.desk.waits(left, at(bench.now)), bench.canceled.len()), (Some(Waits::Answer), 0));
}

/// The request of a batch that was written down.
fn written(store: &mut Store) -> UnlockCall {
    let intent = intent(store, "org_1", &[1]);
    let (purse, key) = (intent.purse.clone(), intent.key.clone());
    store.perform(StoreCall::KeepAccount { key, purse, account: Account::default() }, at(0)).unwrap();
    match store.perform(StoreCall::Intend(Box::new(intent)), at(0)) {
        Ok(StoreReply::Intended(written)) => written.request(),
        other => panic!("{other:?}"),
    }
}
