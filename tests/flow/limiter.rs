//! The rate of a key, judged by what the service receives.

use std::cell::RefCell;
use std::time::Duration;

use common::rng::Rng;
use common::sandbox_engine::Said;
use lode_core::Page;
use lode_core::contact::{Corpus, Side, Source};
use lode_core::query::Query;
use lode_core::time::{Mono, Now};
use lode_engine::effect::call::{Call, Outgoing, Reply, SearchCall};
use lode_engine::effect::failure::{Failure, Unclear};
use lode_engine::effect::profile::{KeyHash, WindowId};
use lode_engine::effect::store::{Gauge, StoreCall, StoreReply};
use lode_engine::effect::{Answer, CallId, Effect};
use lode_engine::flow::desk::{Arrival, Desk, Owner, Waits};
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::retry::RetryPolicy;
use lode_host::store::Store;
use lode_sandbox::rate::{Gate, RateLimit as Limit, busiest};

use common::flow_simulation::{FlowSimulation, Machine, at, profile, stores};

pub const WINDOW_MS: u64 = 60_000;
pub const LIMIT: u32 = 120;

fn search(source: Source, offset: u64) -> Outgoing {
    let mut query = Query::new(Side { source, corpus: Corpus::Us });
    query.set(lode_core::filter::Filter::Title, "nurse").unwrap();
    Call::Search(SearchCall { query, offset, limit: 100, mark_pulled: false })
}

/// A desk and what it told.
struct Teller {
    desk: Desk,
    told: Vec<(CallId, Result<Reply, Failure>)>,
}

impl Teller {
    fn new(window: &str, patience: RetryPolicy) -> Teller {
        Teller { desk: Desk::new(&profile(window), patience, 7), told: Vec::new() }
    }

    fn take(&mut self, arrival: impl IntoIterator<Item = (Owner, Arrival)>) {
        for (_, arrival) in arrival {
            if let Arrival::Reply(id, _, result) = arrival {
                self.told.push((id, result));
            }
        }
    }
}

impl Machine for Teller {
    fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) {
        let arrival = self.desk.handle(answer, now, fx);
        self.take(arrival);
    }

    fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let arrival = self.desk.wake(now, fx);
        self.take(arrival);
    }

    fn deadline(&self) -> Option<Mono> {
        self.desk.deadline()
    }
}

fn page() -> Result<Reply, Failure> {
    Ok(Reply::Page(Page { total: 5, limit: 100, ..Page::default() }))
}

fn upstream() -> Result<Reply, Failure> {
    Err(Failure::Unclear { why: Unclear::Upstream(502), words: "bad gateway".to_owned() })
}

/// Two desks on one key (or one, where the store cannot be used) under a network and a service of all moods; calls are asked
/// in bursts and trickles, some are called off again. Panics where the service receives one too many; answers how much
/// happened and when the service received something.
fn robots(seed: u64, requests: u64, shared: bool) -> (u64, Vec<u64>) {
    let referee = RefCell::new((Gate::default(), Vec::new()));
    let limit = Limit { requests: LIMIT, window_ms: WINDOW_MS };
    let mut moods = Rng::new(seed ^ 0xA5A5);
    let service = |_: &Call, now: u64| {
        let mut referee = referee.borrow_mut();
        referee
            .0
            .admit(limit, now)
            .unwrap_or_else(|_| panic!("the service received request 121 at {now}, seed {seed}"));
        referee.1.push(now);
        match moods.below(20) {
            0 => Said::Reply(upstream()),
            1 => Said::Reply(Err(Failure::Unclear { why: Unclear::Line, words: "reset".to_owned() })),
            2 => Said::After(moods.below(20_000), page()),
            _ => Said::After(moods.below(400), page()),
        }
    };
    let peers = if shared { 2 } else { 1 };
    let mut sim = FlowSimulation::new(seed, stores(peers), service);
    if !shared {
        // A folder that is a file: the store fails at every call, and the desk counts for itself.
        sim.stores = vec![Store::open(std::path::Path::new("/dev/null/nowhere"), WindowId("w0".to_owned()))];
    }
    sim.up = Box::new(|rng| if rng.one_in(50) { rng.below(1_500) } else { rng.below(80) });
    sim.down = Box::new(|rng| if rng.one_in(30) { rng.below(9_000) } else { rng.below(80) });
    let mut desks: Vec<Teller> = (0..peers).map(|at| Teller::new(&format!("w{at}"), RetryPolicy::Window)).collect();
    let mut rng = Rng::new(seed);
    let mut asked = 0;
    let mut open: Vec<(usize, CallId)> = Vec::new();
    while asked < requests || !open.is_empty() {
        // Bursts and trickles of work alternately, with some of it called off again.
        if asked < requests && (open.len() < 40 || (open.len() < 300 && rng.one_in(100))) {
            let peer = rng.below(peers as u64) as usize;
            let mut fx = Vec::new();
            for _ in 0..rng.below(30) {
                let cx = &mut desks[peer].desk.at(sim.moment(), &mut fx);
                let id = cx.ask(Owner::Caller, search(Source::Workspace, asked), Priority::Person);
                asked += 1;
                open.push((peer, id));
            }
            if rng.one_in(3) && !open.is_empty() {
                let (peer, id) = open.swap_remove(rng.below(open.len() as u64) as usize);
                let mut fx = Vec::new();
                desks[peer].desk.at(sim.moment(), &mut fx).cancel(id);
                sim.perform(peer, &mut fx);
            }
            sim.perform(peer, &mut fx);
        }
        let mut machines: Vec<&mut dyn Machine> = desks.iter_mut().map(|desk| desk as &mut dyn Machine).collect();
        let moved = sim.step(&mut machines, u64::MAX);
        assert!(moved || asked < requests, "seed {seed}: {open:?} are never answered");
        for (peer, desk) in desks.iter_mut().enumerate() {
            for (id, _) in desk.told.drain(..) {
                open.retain(|known| *known != (peer, id));
            }
        }
    }
    let events = sim.events;
    drop(sim);
    let receipts = referee.into_inner().1;
    (events, receipts)
}

#[test]
fn never_more_than_the_allowance_in_any_window_as_the_service_receives_it() {
    for seed in 0..2 {
        let (events, receipts) = robots(seed, 1_000, true);
        assert!(events > 4_000 && receipts.len() > 800, "{events} events, {} received", receipts.len());
        assert!(busiest(&receipts, WINDOW_MS) <= LIMIT as usize);
        assert!(busiest(&receipts, WINDOW_MS) > 100, "the run came near the limit, else it would show nothing");
    }
}

#[test]
fn without_a_store_this_process_keeps_the_rule_for_itself() {
    let (_, receipts) = robots(11, 1_000, false);
    assert!(busiest(&receipts, WINDOW_MS) <= LIMIT as usize && busiest(&receipts, WINDOW_MS) > 100);
}

/// `cargo test --profile bench --test flow -- --ignored millions`
#[test]
#[ignore = "takes minutes: millions of virtual events"]
fn the_allowance_holds_over_millions_of_events() {
    let mut all = 0;
    let mut received = 0;
    for seed in 100.. {
        let (events, receipts) = robots(seed, 20_000, seed % 4 != 0);
        all += events;
        received += receipts.len();
        if all > 5_000_000 {
            break;
        }
    }
    println!("{all} events, {received} requests received, none too many");
}

/// Asks for `count` requests at once with two desks and answers when the service received each.
fn all_at_once(count: u64, priority: Priority) -> (Vec<u64>, u64) {
    let mut receipts = Vec::new();
    let service = |_: &Call, now: u64| {
        receipts.push(now);
        Said::Reply(page())
    };
    let mut sim = FlowSimulation::new(3, stores(2), service);
    let mut desks = [Teller::new("w0", RetryPolicy::Window), Teller::new("w1", RetryPolicy::Window)];
    let start = sim.now;
    for round in 0..count {
        let (peer, mut fx) = ((round % 2) as usize, Vec::new());
        desks[peer].desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Workspace, round), priority);
        sim.perform(peer, &mut fx);
    }
    let [one, two] = &mut desks;
    sim.run(&mut [one, two], u64::MAX);
    let took = sim.now - start;
    assert_eq!(desks[0].told.len() + desks[1].told.len(), count as usize);
    drop(sim);
    (receipts, took)
}

#[test]
fn the_whole_allowance_is_used_while_work_waits() {
    let (receipts, took) = all_at_once(1_200, Priority::Person);
    assert!(busiest(&receipts, WINDOW_MS) == LIMIT as usize);
    // Ten windows of 120: nine full waits, each a window plus the way there and back, and the way of the first and last.
    assert!(took < 9 * (WINDOW_MS + 200) + 1_000, "took {took} ms");
    assert!(took > 9 * WINDOW_MS);
}

#[test]
fn what_is_not_waited_for_leaves_room_for_what_is() {
    let (receipts, _) = all_at_once(300, Priority::Prefetch);
    // Two windows may each take one more than they would had they known of the other.
    assert!((85..=92).contains(&busiest(&receipts, WINDOW_MS)), "a quarter stays free");
    let (receipts, _) = all_at_once(200, Priority::Coverage);
    assert!((55..=62).contains(&busiest(&receipts, WINDOW_MS)), "half stays free");
}

#[test]
fn a_person_goes_first_and_coverage_last() {
    let order = RefCell::new(Vec::new());
    let service = |call: &Call, _: u64| {
        if let Call::Search(search) = call {
            order.borrow_mut().push(search.offset);
        }
        Said::Reply(page())
    };
    let mut sim = FlowSimulation::new(5, stores(1), service);
    sim.up = Box::new(|_| 10);
    let mut teller = Teller::new("w0", RetryPolicy::Window);
    let mut fx = Vec::new();
    for round in 0..40 {
        teller.desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Data, round), Priority::Coverage);
    }
    teller.desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Data, 1_000), Priority::Prefetch);
    teller.desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Data, 2_000), Priority::Person);
    let hurried =
        teller.desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Data, 3_000), Priority::Coverage);
    teller.desk.at(sim.moment(), &mut fx).hurry(hurried, Priority::Person);
    sim.perform(0, &mut fx);
    sim.run(&mut [&mut teller], u64::MAX);
    drop(sim);
    assert_eq!(order.borrow()[..3], [2_000, 3_000, 1_000]);
}

#[test]
fn the_data_api_never_has_more_than_two_requests_in_flight() {
    let most = RefCell::new((0usize, 0usize));
    let service = |_: &Call, _: u64| Said::After(200, page());
    let mut sim = FlowSimulation::new(5, stores(2), service);
    let mut desks = [Teller::new("w0", RetryPolicy::Window), Teller::new("w1", RetryPolicy::Window)];
    for round in 0..60 {
        let (peer, mut fx) = ((round % 2) as usize, Vec::new());
        desks[peer].desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Data, round), Priority::Person);
        sim.perform(peer, &mut fx);
    }
    loop {
        let [one, two] = &mut desks;
        if !sim.step(&mut [one, two], u64::MAX) {
            break;
        }
        let mut most = most.borrow_mut();
        *most = (most.0.max(sim.in_flight.len()), most.1 + usize::from(sim.in_flight.len() == 2));
    }
    assert_eq!(most.borrow().0, 2);
    assert_eq!(desks[0].told.len() + desks[1].told.len(), 60);
}

/// What a 429 with this `retry-after` does to work that waits: when it goes on, and what is said.
fn after_a_429(wait: Option<Duration>, patience: RetryPolicy) -> (Option<u64>, Option<Result<Reply, Failure>>, bool) {
    let first = RefCell::new(true);
    let service = |_: &Call, _: u64| {
        if first.replace(false) {
            return Said::Reply(Err(Failure::Later { wait, words: "slow down".to_owned() }));
        }
        Said::Reply(page())
    };
    let mut sim = FlowSimulation::new(9, stores(1), service);
    sim.up = Box::new(|_| 10);
    sim.down = Box::new(|_| 10);
    let mut teller = Teller::new("w0", patience);
    let mut fx = Vec::new();
    let id = teller.desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Workspace, 0), Priority::Person);
    sim.perform(0, &mut fx);
    let began = sim.now;
    sim.run(&mut [&mut teller], began + 25);
    let paused = teller.desk.gauge(Source::Workspace, sim.moment()).paused;
    let shown = matches!(teller.desk.waits(id, sim.moment()), Some(Waits::Pause(_)));
    assert_eq!(shown, paused.is_some() && teller.told.is_empty(), "who waits is told why");
    let capped = paused.as_ref().is_some_and(|paused| paused.capped && paused.words == "slow down");
    sim.run(&mut [&mut teller], u64::MAX);
    let (_, result) = teller.told.pop().expect("an answer in the end");
    (paused.map(|paused| paused.until.0 - began - 20), Some(result), capped)
}

#[test]
fn a_429_is_obeyed_whatever_its_retry_after_says() {
    let paused = |wait: Option<u64>| after_a_429(wait.map(Duration::from_secs), RetryPolicy::Window);
    let (until, result, capped) = paused(Some(23));
    assert!(until == Some(23_000) && !capped);
    assert_eq!(result, Some(page()));
    let (until, result, capped) = paused(Some(1_000_000_000));
    assert!(until == Some(300_000) && capped, "an absurd wish is cut and said");
    assert_eq!(result, Some(page()));
    let (until, result, _) = paused(None);
    assert!((1_000..=2_000).contains(&until.unwrap()), "{until:?}");
    assert_eq!(result, Some(page()));
    let (until, result, _) = paused(Some(0));
    assert!((1..=200).contains(&until.unwrap()), "{until:?}");
    assert_eq!(result, Some(page()));
}

#[test]
fn a_shell_command_gives_up_a_pause_longer_than_its_patience() {
    let (until, result, _) = after_a_429(Some(Duration::from_secs(44)), RetryPolicy::Shell);
    assert!(until == Some(44_000));
    assert_eq!(result, Some(page()));
    let (_, result, _) = after_a_429(Some(Duration::from_secs(46)), RetryPolicy::Shell);
    assert!(matches!(result, Some(Err(Failure::Later { .. }))), "{result:?}");
}

#[test]
fn a_429_silences_every_window_of_the_machine_on_that_key_only() {
    let receipts = RefCell::new(Vec::new());
    let service = |call: &Call, now: u64| {
        receipts.borrow_mut().push((call.source(), now));
        if receipts.borrow().len() == 1 {
            let wait = Some(Duration::from_secs(23));
            return Said::Reply(Err(Failure::Later { wait, words: "slow down".to_owned() }));
        }
        Said::Reply(page())
    };
    let mut sim = FlowSimulation::new(9, stores(2), service);
    let mut desks = [Teller::new("w0", RetryPolicy::Window), Teller::new("w1", RetryPolicy::Window)];
    let mut fx = Vec::new();
    desks[0].desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Workspace, 0), Priority::Person);
    sim.perform(0, &mut fx);
    {
        let [one, two] = &mut desks;
        sim.run(&mut [one, two], 2_000);
    }
    desks[1].desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Workspace, 1), Priority::Person);
    desks[1].desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Data, 2), Priority::Person);
    sim.perform(1, &mut fx);
    let [one, two] = &mut desks;
    sim.run(&mut [one, two], u64::MAX);
    drop(sim);
    let receipts = receipts.into_inner();
    let (data, workspace): (Vec<_>, Vec<_>) = receipts.into_iter().partition(|(source, _)| *source == Source::Data);
    assert!(data[0].1 < 3_000, "the other key is not concerned");
    assert_eq!(workspace.len(), 3);
    assert!(workspace[1].1 >= workspace[0].1 + 23_000 && workspace[2].1 >= workspace[0].1 + 23_000, "{workspace:?}");
}

/// The same free call once more.
fn again(call: &Outgoing) -> Outgoing {
    call.with_unlock(|_| panic!("an unlock leaves once"))
}

/// What is heard of one call when the service answers with these failures, and how many requests it took.
fn against(
    call: &Outgoing,
    patience: RetryPolicy,
    mut answers: Vec<Result<Reply, Failure>>,
) -> (Result<Reply, Failure>, usize, u64) {
    answers.reverse();
    let received = RefCell::new(0);
    let service = |_: &Call, _: u64| {
        *received.borrow_mut() += 1;
        Said::Reply(answers.pop().unwrap_or_else(upstream))
    };
    let mut sim = FlowSimulation::new(13, stores(1), service);
    let mut teller = Teller::new("w0", patience);
    let mut fx = Vec::new();
    teller.desk.at(sim.moment(), &mut fx).ask(Owner::Caller, again(call), Priority::Person);
    sim.perform(0, &mut fx);
    let began = sim.now;
    sim.run(&mut [&mut teller], u64::MAX);
    let took = sim.now - began;
    drop(sim);
    assert_eq!(teller.told.len(), 1, "one answer, however often it was sent");
    (teller.told.remove(0).1, received.into_inner(), took)
}

#[test]
fn a_free_read_is_sent_again_and_an_answer_in_the_end_is_the_answer() {
    let read = search(Source::Workspace, 0);
    let line = Err(Failure::Unclear { why: Unclear::Line, words: "reset".to_owned() });
    let html = Err(Failure::Unclear { why: Unclear::Unreadable, words: "a web page".to_owned() });
    let unsent = Err(Failure::Unsent { words: "connection refused".to_owned() });
    for trouble in [upstream(), line, html, unsent] {
        let answers = vec![trouble.clone(), trouble.clone(), trouble, page()];
        assert_eq!(against(&read, RetryPolicy::Window, answers.clone()).0, page());
        assert_eq!(against(&read, RetryPolicy::Shell, answers).0, page());
    }
    let (result, received, took) = against(&read, RetryPolicy::Window, Vec::new());
    assert_eq!((result, received), (upstream(), 5));
    assert!(took > 3_000, "with growing pauses: {took} ms");
}

#[test]
fn what_is_not_a_free_read_is_sent_once() {
    let marking = match search(Source::Data, 0) {
        Call::Search(search) => Call::Search(SearchCall { mark_pulled: true, ..search }),
        _ => unreachable!(),
    };
    let saving = Call::SavedRemove { id: "7".to_owned() };
    for call in [marking, saving] {
        let (result, received, _) = against(&call, RetryPolicy::Window, Vec::new());
        assert_eq!((result, received), (upstream(), 1));
        let later = Err(Failure::Later { wait: None, words: "slow down".to_owned() });
        let (result, received, _) = against(&call, RetryPolicy::Window, vec![later.clone()]);
        assert_eq!((result, received), (later, 1), "nor after a 429, which is the flow's to decide");
    }
    let refused = Err(Failure::Refused {
        status: 401,
        why: lode_engine::effect::failure::Refusal::Key,
        words: "bad key".to_owned(),
    });
    let (result, received, _) = against(&search(Source::Data, 0), RetryPolicy::Window, vec![refused.clone()]);
    assert_eq!((result, received), (refused, 1), "a refusal is an answer");
}

#[test]
fn a_shell_read_gives_up_after_its_patience_even_without_an_answer() {
    let mut slow = Query::new(Side { source: Source::Data, corpus: Corpus::Us });
    slow.set(lode_core::filter::Filter::State, "TX").unwrap();
    let slow = Call::Search(SearchCall { query: slow, offset: 0, limit: 100, mark_pulled: false });
    let took = |call: &Outgoing| {
        let service = |_: &Call, _: u64| Said::After(200_000, page());
        let mut sim = FlowSimulation::new(17, stores(1), service);
        let mut teller = Teller::new("w0", RetryPolicy::Shell);
        let mut fx = Vec::new();
        teller.desk.at(sim.moment(), &mut fx).ask(Owner::Caller, again(call), Priority::Person);
        sim.perform(0, &mut fx);
        let began = sim.now;
        while teller.told.is_empty() {
            assert!(sim.step(&mut [&mut teller], u64::MAX));
        }
        (sim.now - began, teller.told.remove(0).1)
    };
    let (waited, result) = took(&search(Source::Workspace, 0));
    assert!((45_000..45_200).contains(&waited), "{waited}");
    assert!(matches!(result, Err(Failure::Unclear { why: Unclear::Deadline, .. })));
    let (waited, result) = took(&slow);
    assert!(waited > 200_000 && result == page(), "a slow query that was sent may take its time");
}

#[test]
fn a_dropped_call_is_never_heard_of_and_its_slot_comes_back() {
    let service = |_: &Call, _: u64| Said::After(500, page());
    let mut sim = FlowSimulation::new(21, stores(1), service);
    let mut teller = Teller::new("w0", RetryPolicy::Window);
    let mut fx = Vec::new();
    let id = teller.desk.at(sim.moment(), &mut fx).ask(Owner::Caller, search(Source::Workspace, 0), Priority::Person);
    sim.perform(0, &mut fx);
    sim.run(&mut [&mut teller], 1_200);
    assert!(teller.desk.at(sim.moment(), &mut fx).cancel(id));
    assert!(fx.iter().any(|effect| matches!(effect, Effect::Cancel(_))));
    sim.perform(0, &mut fx);
    sim.run(&mut [&mut teller], u64::MAX);
    assert!(teller.told.is_empty());
    let later = at(sim.now + WINDOW_MS + 3_000);
    assert_eq!(teller.desk.gauge(Source::Workspace, later).used, 0);
    assert_eq!(teller.desk.deadline(), None, "nothing is left to wait for");
}

#[test]
fn without_a_key_a_call_fails_at_once_and_nothing_is_sent() {
    let mut profile = profile("w0");
    profile.data = None;
    let mut desk = Desk::new(&profile, RetryPolicy::Window, 1);
    let mut fx = Vec::new();
    let id = desk.at(at(0), &mut fx).ask(Owner::Caller, search(Source::Data, 0), Priority::Person);
    assert!(fx.is_empty() && desk.deadline().is_some());
    let arrival = desk.wake(at(0), &mut fx);
    assert!(matches!(&arrival[..], [(_, Arrival::Reply(failed, _, Err(Failure::Unsent { .. })))] if *failed == id));
    assert_eq!(desk.deadline(), None);
}

/// A call waits for a slot, and an answer for the other service comes at the moment at which its wait ends: with that answer the
/// time has moved past its deadline, and nothing else would wake it.
#[test]
fn a_wait_that_ends_with_another_answer_is_not_forgotten() {
    let mut desk = Desk::new(&profile("w0"), RetryPolicy::Window, 7);
    let (start, later) = (at(1_000), at(1_100));
    let mut fx = Vec::new();
    desk.at(start, &mut fx).ask(Owner::SavedSearches, search(Source::Data, 0), Priority::Person);
    let [Effect::Store(reserve, StoreCall::Reserve { .. })] = fx.as_slice() else { panic!("{fx:?}") };
    let wait = StoreReply::Wait { until: later.mono, gauge: Gauge::default() };
    desk.handle(Answer::Stored(*reserve, Ok(wait)), start, &mut Vec::new());
    assert_eq!(desk.deadline(), Some(later.mono));

    let mut fx = Vec::new();
    let other = desk.store(Owner::SavedSearches, StoreCall::Gauge { key: KeyHash("dd".to_owned()) }, &mut fx);
    fx.clear();
    desk.handle(Answer::Stored(other, Ok(StoreReply::Done(()))), later, &mut fx);
    assert!(matches!(fx.as_slice(), [Effect::Store(_, StoreCall::Reserve { .. })]), "{fx:?}");
}
