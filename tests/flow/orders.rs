//! An order while it runs and once it is over: how far it is, what it waits for, what it holds, and how it ends.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::time::Duration;

use common::flow_simulation::{profile, stores};
use common::sandbox_engine::Said;
use lode_core::contact::{Contact, Corpus, RowId, Side};
use lode_core::credits::Credits;
use lode_core::filter::Filter;
use lode_core::money::{BatchId, Clue, Outcome, Staged, StagedFields, Tally};
use lode_core::owned::SeenOwned;
use lode_core::purse::PurseRef;
use lode_core::query::Query;
use lode_core::suppress::SuppressEntry;
use lode_engine::effect::call::{Call, Reply};
use lode_engine::effect::failure::{Failure, Refusal, Unclear};
use lode_engine::effect::profile::{KeyHash, Profile, WindowId};
use lode_engine::effect::store::{
    CapKind, Handle, IntentRefused, NotGranted, Settled, SettledBy, Settlement, Spent, StatedSums, StoreCall,
    StoreReply,
};
use lode_engine::flow::desk::Owner;
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::session::{Assistant, ChangedElsewhere, Event, Session, UnlockSubject};
use lode_engine::flow::unlock::quote::{Quote, ReviewChoice};
use lode_engine::flow::unlock::{Declined, OrderEnd, OrderSummary, RunningOrder};
use lode_engine::wire::{self, Head};
use lode_host::store::Store;
use serde_json::{Value, json};

use crate::desktop::{Desktop, US, intent};

mod changes;
mod sending_again;

/// How the service answers the next unlocks. After these it sells.
#[derive(Clone)]
pub enum Turn {
    Break,
    /// It never leaves.
    Unsent,
    Page(u16),
    Refuse(u16, &'static str),
    Answer(Value),
    Fail(Failure),
}

#[derive(Default)]
pub struct Service {
    balance: i64,
    pub owned: BTreeSet<i64>,
    turns: VecDeque<Turn>,
    takes: u64,
    me_takes: u64,
    /// What it says of the account, in the place of the truth.
    account: Option<Result<Value, Failure>>,
    pub search_takes: u64,
    /// The next search is answered with a 429, and this wait.
    puts_off: Option<Duration>,
    refuses_searches: bool,
    /// Rows of owned contacts show their email.
    shows_emails: bool,
    sent: Vec<Vec<i64>>,
    pub searched: Vec<Query>,
}

impl Service {
    fn said(&mut self, call: &Call) -> Said {
        match call {
            Call::Me => {
                let truth = || Ok(account("o", json!(self.balance)));
                let said = self.account.clone().unwrap_or_else(truth);
                Said::After(self.me_takes, said.and_then(|data| answer(call, 200, &json!({"ok": true, "data": data}))))
            }
            Call::Search(_) if self.puts_off.is_some() => {
                let wait = self.puts_off.take();
                Said::Reply(Err(Failure::Later { wait, words: "slow down".to_owned() }))
            }
            Call::Search(_) if self.refuses_searches => {
                Said::Reply(answer(call, 403, &json!({"ok": false, "error": "no search"})))
            }
            Call::Search(search) => {
                self.searched.push(search.query.clone());
                let row = |id: i64| {
                    let owned = self.owned.contains(&id);
                    let shown = owned && self.shows_emails;
                    let email = if shown { format!("p{id}@b.example") } else { "a•••@b.example".to_owned() };
                    json!({"id": id, "email_address": email, "unlocked": owned, "phone": "916•••00"})
                };
                let rows: Vec<Value> =
                    (1..=100).skip(search.offset as usize).take(search.limit as usize).map(row).collect();
                let data =
                    json!({"corpus": "us", "total": 100, "limit": search.limit, "offset": search.offset, "rows": rows});
                Said::After(self.search_takes, answer(call, 200, &json!({"ok": true, "data": data})))
            }
            Call::Unlock(body) => Said::After(self.takes, self.unlock(call, body.ids.iter().map(|id| id.0).collect())),
            _ => Said::Reply(Err(Failure::OurBug { words: "not asked here".to_owned() })),
        }
    }

    fn unlock(&mut self, call: &Call, ids: Vec<i64>) -> Result<Reply, Failure> {
        self.sent.push(ids.clone());
        match self.turns.pop_front() {
            None => {
                let new: Vec<i64> = ids.iter().copied().filter(|id| self.owned.insert(*id)).collect();
                self.balance -= new.len() as i64;
                let already: Vec<i64> = ids.into_iter().filter(|id| !new.contains(id)).collect();
                let data = json!({"unlocked": new.iter().map(|id| contact(*id)).collect::<Vec<_>>(), "already_unlocked": already,
                    "missing": [], "credits_charged": new.len(), "credits_refunded": 0, "balance": self.balance,
                    "stopped_for_credits": false});
                answer(call, 200, &json!({"ok": true, "data": data}))
            }
            Some(Turn::Unsent) => {
                self.sent.pop();
                Err(Failure::Unsent { words: "no way there".to_owned() })
            }
            Some(Turn::Break) => Err(Failure::Unclear { why: Unclear::Line, words: "the line broke".to_owned() }),
            Some(Turn::Page(status)) => wire::read(call, &Head::of(status), b"<html>gateway</html>"),
            Some(Turn::Refuse(status, words)) => answer(call, status, &json!({"ok": false, "error": words})),
            Some(Turn::Fail(failure)) => Err(failure),
            Some(Turn::Answer(data)) => answer(call, 200, &json!({"ok": true, "data": data})),
        }
    }
}

fn account(org: &str, credits: Value) -> Value {
    let key = json!({"prefix": "lk", "scopes": ["search", "unlock"]});
    json!({"org": {"id": org, "name": "Acme"}, "key": key, "credits": credits})
}

fn contact(id: i64) -> Value {
    json!({"id": id, "email": format!("p{id}@b.example"), "phone": "9165550100", "verification": "valid"})
}

/// Contacts 1 to `count` were sold, for what the service says it charged.
fn sold(count: i64, charged: i64, balance: i64, stopped: bool) -> Turn {
    let unlocked: Vec<Value> = (1..=count).map(contact).collect();
    Turn::Answer(json!({"unlocked": unlocked, "already_unlocked": [], "missing": [], "credits_charged": charged,
        "credits_refunded": 0, "balance": balance, "stopped_for_credits": stopped}))
}

fn answer(call: &Call, status: u16, body: &Value) -> Result<Reply, Failure> {
    wire::read(call, &Head::of(status), body.to_string().as_bytes())
}

/// A window with an order for contacts 1 to `count`, just accepted, and its service.
pub fn ordered(count: i64, takes: u64, turns: &[Turn]) -> (Desktop<'static>, Rc<RefCell<Service>>) {
    let (mut desktop, service) = reviewed(turns);
    service.borrow_mut().takes = takes;
    accept(&mut desktop, 1..=count);
    (desktop, service)
}

/// A window that knows its account.
pub fn reviewed(turns: &[Turn]) -> (Desktop<'static>, Rc<RefCell<Service>>) {
    waiting(RetryPolicy::Window, turns)
}

fn waiting(patience: RetryPolicy, turns: &[Turn]) -> (Desktop<'static>, Rc<RefCell<Service>>) {
    let service = Service { balance: 1_000, turns: turns.to_vec().into(), takes: 100, ..Service::default() };
    let service = Rc::new(RefCell::new(service));
    let answers = Rc::clone(&service);
    let said = move |call: &Call, _| answers.borrow_mut().said(call);
    let mut desktop = Desktop::waiting(patience, stores(1), 7, said);
    desktop.until_quiet();
    (desktop, service)
}

pub fn accept(desktop: &mut Desktop<'_>, ids: std::ops::RangeInclusive<i64>) {
    let rows: Vec<Staged> = ids.map(|id| Staged::by_id(RowId(id))).collect();
    order(desktop, UnlockSubject::Rows(Corpus::Us, rows.into()));
}

/// Another window does something with what belongs to the workspace.
fn elsewhere(desktop: &Desktop<'_>, call: impl FnOnce(PurseRef) -> StoreCall) {
    let mut other = desktop.sim.stores[0].beside(WindowId("w1".to_owned()));
    let purse = intent(&other, "o", &[1]).purse.into();
    other.perform(call(purse), desktop.sim.moment()).unwrap();
}

fn suppress_elsewhere(desktop: &Desktop<'_>, entry: SuppressEntry) {
    elsewhere(desktop, |purse| StoreCall::Suppress { purse, list: "dnc".to_owned(), entries: vec![entry] });
}

/// Contacts 1 to `count` are put into the basket, and this window learns of it.
fn stage_elsewhere(desktop: &mut Desktop<'_>, count: i64) {
    let rows = (1..=count).map(|id| Staged::by_id(RowId(id))).collect();
    elsewhere(desktop, |purse| StoreCall::Stage { purse, side: US, rows });
    desktop.act(|session, now, fx| session.touched(ChangedElsewhere::ALL, now, fx));
    desktop.for_ms(1_000);
}

fn unstage_elsewhere(desktop: &Desktop<'_>, id: i64) {
    elsewhere(desktop, |purse| StoreCall::Unstage { purse, side: US, ids: vec![RowId(id)] });
}

/// Reviews it.
fn shown(desktop: &mut Desktop<'_>, subject: UnlockSubject) -> Box<Quote> {
    desktop.act(|session, now, fx| session.review(subject, ReviewChoice::default(), now, fx));
    desktop.for_ms(1_000);
    let review = desktop.screen.events.drain(..).rev().find_map(|event| match event {
        Event::Review(review) => Some(review.expect("a review")),
        _ => None,
    });
    review.expect("the review comes")
}

/// Reviews it and types its number.
fn order(desktop: &mut Desktop<'_>, subject: UnlockSubject) {
    let quote = shown(desktop, subject);
    desktop.act(|session, now, fx| assert_eq!(session.accept(&quote, quote.most, now, fx), Ok(())));
}

pub fn job<'a>(desktop: &'a Desktop<'_>) -> &'a RunningOrder {
    desktop.screen.session.unlock().job().expect("it runs")
}

/// Until the order is in such a state.
pub fn until(desktop: &mut Desktop<'_>, is: impl Fn(&RunningOrder) -> bool) {
    for _ in 0..100_000 {
        if is(job(desktop)) {
            return;
        }
        desktop.for_ms(5);
    }
    panic!("it never is: {:?}", job(desktop));
}

fn summary(desktop: &mut Desktop<'_>) -> OrderSummary {
    desktop.until_quiet();
    assert!(!desktop.screen.session.unlock().is_running());
    desktop.screen.session.unlock().last().expect("it is over").clone()
}

#[test]
fn an_order_tells_how_far_it_is_and_how_long_the_rest_takes() {
    let (mut desktop, service) = ordered(60, 10_000, &[]);
    until(&mut desktop, RunningOrder::awaits_answer);
    let of = |job: &RunningOrder| (job.batches(), job.contacts(), job.held().0, job.tally.charged);
    assert_eq!(of(job(&desktop)), ((1, 3), (0, 60), 25, 0));
    let quiet = |job: &RunningOrder| (job.checking(), job.rests(), job.awaits_others());
    assert_eq!((quiet(job(&desktop)), job(&desktop).eta(desktop.sim.moment())), ((None, None, None), None));
    assert!(desktop.screen.session.unlock().at_work().is_some());
    until(&mut desktop, |job| job.batches().0 == 2 && job.awaits_answer());
    assert_eq!(of(job(&desktop)), ((2, 3), (25, 60), 25, 25));
    assert_eq!(job(&desktop).wanted().map(|id| id.0).collect::<Vec<_>>(), (26..=60).collect::<Vec<_>>());
    let eta = job(&desktop).eta(desktop.sim.moment()).unwrap();
    assert!((19_500..20_500).contains(&eta.as_millis()), "two batches of ten seconds: {eta:?}");
    desktop.for_ms(4_000);
    let later = job(&desktop).eta(desktop.sim.moment()).unwrap();
    assert_eq!(eta - later, Duration::from_secs(4));
    until(&mut desktop, |job| job.batches().0 == 3 && job.awaits_answer());
    assert_eq!(of(job(&desktop)), ((3, 3), (50, 60), 10, 50));
    let eta = job(&desktop).eta(desktop.sim.moment()).unwrap();
    assert!((9_700..10_300).contains(&eta.as_millis()), "{eta:?}");
    let summary = summary(&mut desktop);
    assert_eq!(
        (summary.end.clone(), summary.tally.charged, summary.contacts.len(), summary.exit()),
        (OrderEnd::Done, 60, 60, 0)
    );
    assert_eq!((summary.said.charged, summary.said.balance), (Some(Credits(60)), Some(Credits(940))));
    let settled = desktop.screen.events.iter().filter_map(|event| match event {
        Event::Settled { contacts, .. } => Some(contacts.len()),
        _ => None,
    });
    assert_eq!(settled.collect::<Vec<_>>(), [25, 25, 10], "as soon as each is known");
    assert!(summary.quote.to_unlock.is_empty() && summary.quote.basis.staged.is_empty(), "it keeps no rows");
    assert_eq!(service.borrow().sent.iter().map(Vec::len).collect::<Vec<_>>(), [25, 25, 10]);
}

#[test]
fn what_came_of_a_sending_that_settled_nothing_is_told_and_when_it_goes_out_again() {
    for (turn, words) in [(Turn::Break, "no response"), (Turn::Page(502), "unclear response")] {
        let (mut desktop, service) = ordered(30, 100, &[turn.clone(), turn]);
        for lost in 1..=2 {
            until(&mut desktop, |job| job.checking().is_some());
            assert_eq!((job(&desktop).checking(), job(&desktop).trouble()), (Some((1, lost)), words));
            until(&mut desktop, |job| job.rests().is_some());
            let (until, times) = job(&desktop).rests().unwrap();
            assert_eq!((times, job(&desktop).checking(), until.0 > desktop.sim.now), (lost, None, true));
            assert_eq!((job(&desktop).held(), job(&desktop).contacts()), (Credits(25), (0, 30)));
        }
        let summary = summary(&mut desktop);
        assert_eq!((summary.end.clone(), summary.tally.charged), (OrderEnd::Done, 30));
        let sent = &service.borrow().sent;
        assert_eq!((sent.len(), &sent[0], &sent[1]), (4, &sent[1], &sent[2]), "the identical batch");
    }
}

#[test]
fn a_batch_that_never_gets_an_answer_is_sent_four_times_and_then_stays_unknown() {
    let (mut desktop, service) = ordered(30, 100, &vec![Turn::Break; 9]);
    let summary = summary(&mut desktop);
    assert_eq!(service.borrow().sent.len(), 4);
    assert_eq!((summary.tally.unknown, summary.tally.locked, summary.uncertain()), (25, 5, 25));
    assert_eq!((summary.exit(), summary.why_unknown()), (9, Some("the line broke")));
    assert!(summary.sent);
}

/// A sending that was put off may have been carried out all the same.
#[test]
fn a_batch_that_is_put_off_each_time_goes_out_four_times_and_then_stays_unknown() {
    let (mut desktop, service) = ordered(2, 100, &vec![Turn::Refuse(429, "slow down"); 9]);
    let summary = summary(&mut desktop);
    assert_eq!(service.borrow().sent.len(), 4);
    assert_eq!((summary.tally.locked, summary.tally.unknown), (0, 2));
    assert_eq!(summary.exit(), 9);
}

#[test]
fn what_the_store_cannot_keep_is_held_and_kept_later() {
    let data = json!({"unlocked": [contact(1)], "already_unlocked": [contact(2), 3], "missing": [],
        "credits_charged": 1, "credits_refunded": 0, "balance": 999, "stopped_for_credits": false});
    let (mut desktop, _) = ordered(3, 100, &[Turn::Answer(data)]);
    let (fails, tries) = (Rc::new(Cell::new(true)), Rc::new(Cell::new(0)));
    let (failing, tried) = (Rc::clone(&fails), Rc::clone(&tries));
    desktop.sim.fails = Box::new(move |call| {
        let keeps = matches!(call, StoreCall::KeepAnswer { .. });
        tried.set(tried.get() + u32::from(keeps));
        failing.get() && keeps
    });
    let held = |desktop: &Desktop<'_>| {
        let (held, unread) = desktop.screen.session.unlock().held();
        (held.iter().map(|held| (held.id.0, held.contact.email.clone())).collect::<Vec<_>>(), unread.len())
    };
    until(&mut desktop, |job| job.rests().is_some());
    let both = (vec![(1, "p1@b.example".to_owned()), (2, "p2@b.example".to_owned())], 0);
    assert_eq!((held(&desktop), desktop.screen.session.unlock().has_unsaved()), (both.clone(), false));
    // It is tried a few times with growing pauses, and further after the order.
    let mut pauses = BTreeSet::new();
    while let Some(job) = desktop.screen.session.unlock().job().filter(|_| desktop.sim.now < 1_000_000) {
        pauses.extend(job.rests().map(|(until, _)| until));
        desktop.for_ms(5);
    }
    assert_eq!(pauses.len(), 5);
    let gaps: Vec<u64> = pauses.iter().zip(pauses.iter().skip(1)).map(|(one, next)| next.0 - one.0).collect();
    for (gap, middle) in gaps.iter().zip([800, 1_600, 3_200, 6_400]) {
        assert!((middle / 2..=middle * 3 / 2).contains(gap), "{gaps:?}");
    }
    assert_eq!((held(&desktop), desktop.screen.session.unlock().has_unsaved()), (both, true));
    let over = desktop.screen.session.unlock().last().unwrap().clone();
    assert!(matches!(over.end, OrderEnd::Store(_)), "{:?}", over.end);
    assert_eq!((over.exit(), over.tally.unknown, over.uncertain()), (9, 3, 3));
    assert_eq!(tries.get(), 6);
    desktop.act(|session, now, fx| drop(session.wake(now, fx)));
    desktop.for_ms(40_000);
    assert_eq!((desktop.screen.session.unlock().has_unsaved(), tries.get()), (true, 7), "every half minute");
    fails.set(false);
    desktop.for_ms(31_000);
    assert_eq!((held(&desktop), desktop.screen.session.unlock().has_unsaved()), ((vec![], 0), false));
}

/// Its text is all that is left of what cannot be read, or is about contacts that were not asked for.
#[test]
fn of_an_answer_that_is_not_all_contacts_the_text_is_held_as_well() {
    let data = |entry: Value| {
        json!({"unlocked": [contact(1), entry], "already_unlocked": [], "missing": [], "credits_charged": 2,
            "credits_refunded": 0, "balance": 998, "stopped_for_credits": false})
    };
    for (entry, texts) in [(contact(2), 0), (contact(77), 1), (json!({"email": "p9@b.example"}), 1)] {
        let (mut desktop, _) = ordered(2, 100, &[Turn::Answer(data(entry.clone()))]);
        desktop.sim.fails = Box::new(|call| matches!(call, StoreCall::KeepAnswer { .. }));
        until(&mut desktop, |job| job.rests().is_some());
        let (held, unread) = desktop.screen.session.unlock().held();
        assert_eq!((held[0].id, unread.len()), (RowId(1), texts), "{entry}");
    }
}

#[test]
fn an_order_that_is_stopped_lets_the_batch_on_the_wire_come_to_its_end_and_sends_no_other() {
    let (mut desktop, service) = ordered(60, 1_000, &[]);
    until(&mut desktop, RunningOrder::awaits_answer);
    desktop.for_ms(500);
    desktop.act(|session, now, fx| session.stop_unlock(now, fx));
    assert!(job(&desktop).stopping && job(&desktop).awaits_answer());
    let summary = summary(&mut desktop);
    assert_eq!(
        (summary.end.clone(), summary.exit(), summary.tally.charged, summary.tally.locked),
        (OrderEnd::Stopped, 130, 25, 35)
    );
    assert_eq!((service.borrow().sent.len(), summary.why_unknown()), (1, Some("stopped before the result was known")));
}

#[test]
fn an_order_that_is_stopped_between_two_sendings_leaves_its_batch_unknown() {
    let (mut desktop, service) = ordered(3, 100, &[Turn::Break]);
    until(&mut desktop, |job| job.rests().is_some());
    desktop.act(|session, now, fx| session.stop_unlock(now, fx));
    desktop.for_ms(1);
    assert!(!desktop.screen.session.unlock().is_running(), "at once");
    let summary = summary(&mut desktop);
    assert_eq!((summary.end.clone(), summary.tally.unknown, service.borrow().sent.len()), (OrderEnd::Stopped, 3, 1));
}

/// A sum beyond its cap is held against it once more before each batch.
#[test]
fn a_cap_per_call_that_is_saved_while_an_order_runs_cuts_its_next_batches() {
    let (mut desktop, service) = ordered(60, 1_000, &[]);
    until(&mut desktop, RunningOrder::awaits_answer);
    desktop.sim.saved.as_mut().unwrap().caps.call = Some(Credits(10));
    let summary = summary(&mut desktop);
    assert_eq!((summary.end, summary.tally.charged), (OrderEnd::Done, 60));
    assert_eq!(service.borrow().sent.iter().map(Vec::len).collect::<Vec<_>>(), [25, 10, 10, 5, 10]);
}

/// Two are listed while the first batch is out, and one more before the last.
#[test]
fn contacts_that_are_listed_while_an_order_runs_are_left_out_and_counted() {
    let (mut desktop, service) = ordered(60, 1_000, &[]);
    let mut other = desktop.sim.stores[0].beside(WindowId("w1".to_owned()));
    for (batches, listed) in [(1, &[30, 40][..]), (2, &[60])] {
        until(&mut desktop, |job| job.awaits_answer() && service.borrow().sent.len() == batches);
        let entries = listed.iter().map(|id| SuppressEntry::Contact(US, RowId(*id))).collect();
        let purse = intent(&other, "o", &[1]).purse.into();
        let call = StoreCall::Suppress { purse, list: "dnc".to_owned(), entries };
        other.perform(call, desktop.sim.moment()).unwrap();
    }
    let summary = summary(&mut desktop);
    assert_eq!((summary.left_out, summary.tally.charged, summary.exit()), (3, 57, 3));
    assert!(service.borrow().sent.iter().flatten().all(|id| ![30, 40, 60].contains(id)));
}

/// The store holds an assistant to its proposal: an order that lost its handle on the way would be a person's.
#[test]
fn an_order_of_an_assistant_without_a_proposal_buys_nothing() {
    let (mut desktop, service) = reviewed(&[]);
    let stand_in = Session::start(profile("w0"), RetryPolicy::Window, 7, desktop.sim.moment(), &mut Vec::new());
    let session = std::mem::replace(&mut desktop.screen.session, stand_in);
    desktop.screen.session = session.for_assistant(Assistant { name: "helper".to_owned(), standing: None });
    let rows: Vec<Staged> = (1..=3).map(|id| Staged::by_id(RowId(id))).collect();
    let quote = shown(&mut desktop, UnlockSubject::Rows(Corpus::Us, rows.into()));
    desktop.act(|session, now, fx| {
        assert_eq!(session.accept(&quote, quote.most, now, fx), Err(Declined::Assistant));
        assert_eq!(session.accept_within(&quote, quote.most, None, now, fx), Err(Declined::Assistant));
        let handle = Some(Handle("p-1".to_owned()));
        assert_eq!(session.accept_within(&quote, quote.most, handle, now, fx), Ok(()));
    });
    let withheld = OrderEnd::Withheld(IntentRefused::NotGranted(NotGranted::NoSuch));
    assert_eq!(summary(&mut desktop).end, withheld);
    assert!(service.borrow().sent.is_empty());
}

#[test]
fn a_batch_that_cannot_leave_is_tried_four_times_and_costs_nothing() {
    let (mut desktop, service) = ordered(3, 100, &vec![Turn::Unsent; 9]);
    for times in 1..=3 {
        until(&mut desktop, |job| job.rests().is_some_and(|(_, of)| of == times));
        assert_eq!((job(&desktop).held(), job(&desktop).trouble()), (Credits(3), "no response"));
    }
    let summary = summary(&mut desktop);
    assert_eq!((&summary.end, summary.exit()), (&OrderEnd::Unreached("no way there".to_owned()), 8));
    assert_eq!((summary.tally.locked, summary.tally.unknown, summary.sent), (3, 0, false));
    assert_eq!(service.borrow().turns.len(), 5, "of nine");
    assert!(desktop.screen.session.recovery.is_clear(), "nothing of it is unknown");
}

/// Money rule 3, *same batch, same ids*: a cap does not cut what was written down.
#[test]
fn a_cap_that_is_saved_before_a_batch_goes_out_again_holds_it_back_whole() {
    let (mut desktop, service) = ordered(20, 100, &[Turn::Break]);
    until(&mut desktop, |job| job.rests().is_some());
    desktop.sim.saved.as_mut().unwrap().caps.call = Some(Credits(10));
    let summary = summary(&mut desktop);
    assert!(
        matches!(summary.end, OrderEnd::Withheld(IntentRefused::Cap { which: CapKind::Call, .. })),
        "{:?}",
        summary.end
    );
    assert_eq!((service.borrow().sent.len(), summary.tally.unknown), (1, 20));
}

#[test]
fn a_cap_per_call_of_a_whole_batch_cuts_nothing_and_one_of_nothing_sends_nothing_more() {
    for (cap, sent) in [(25, vec![25, 25, 10]), (24, vec![25, 24, 1, 10]), (0, vec![25])] {
        let (mut desktop, service) = ordered(60, 1_000, &[]);
        until(&mut desktop, RunningOrder::awaits_answer);
        desktop.sim.saved.as_mut().unwrap().caps.call = Some(Credits(cap));
        let summary = summary(&mut desktop);
        assert_eq!(service.borrow().sent.iter().map(Vec::len).collect::<Vec<_>>(), sent, "{cap}");
        let nothing = cap == 0;
        assert_eq!(summary.exit(), if nothing { 3 } else { 0 });
        assert_eq!((summary.tally.locked, summary.tally.unknown), (if nothing { 35 } else { 0 }, 0));
    }
}

/// Contacts that an answer leaves out are looked for. That does not count as trouble with the connection.
#[test]
fn a_contact_that_an_answer_leaves_out_is_looked_for_and_its_order_ends_there() {
    let data = json!({"unlocked": [contact(1)], "already_unlocked": [], "missing": [2], "credits_charged": 1,
        "credits_refunded": 0, "balance": 999, "stopped_for_credits": false});
    let (mut desktop, service) = ordered(30, 100, &[Turn::Answer(data)]);
    while let Some(job) = desktop.screen.session.unlock().job().filter(|_| desktop.sim.now < 1_000_000) {
        assert_eq!((job.checking(), job.rests()), (None, None));
        desktop.for_ms(5);
    }
    let summary = summary(&mut desktop);
    let tally = summary.tally;
    // As long as it is open no contact of it counts as missing.
    assert_eq!((tally.charged, tally.missing, tally.unknown, tally.locked), (1, 0, 24, 5));
    assert_eq!((service.borrow().sent.len(), summary.exit()), (1, 9));
    assert!(summary.notices.len() <= 1, "{:?}", summary.notices);
}

#[test]
fn an_order_whose_credits_run_out_ends_there() {
    let (mut desktop, service) = ordered(60, 100, &[sold(5, 5, 0, true)]);
    let summary = summary(&mut desktop);
    assert_eq!((&summary.end, summary.exit(), summary.is_out_of_credits()), (&OrderEnd::OutOfCredits, 6, true));
    assert_eq!((summary.tally.charged, summary.tally.locked, service.borrow().sent.len()), (5, 55, 1));
}

/// Money rule 7, *partial is normal*.
#[test]
fn a_service_that_charges_more_than_was_sent_gets_no_further_batch() {
    let (mut desktop, service) = ordered(60, 100, &[sold(25, 40, 960, false)]);
    let summary = summary(&mut desktop);
    assert!(matches!(summary.end, OrderEnd::Alarm(_)), "{:?}", summary.end);
    assert_eq!((summary.exit(), service.borrow().sent.len(), summary.tally.charged), (8, 1, 25));
    assert!(summary.notices.iter().any(|words| words.starts_with("the answer to batch 1 does not add up")));
}

/// A page of a search that shows contact 2 as owned, once. A look after it does not.
fn shows_one_as_owned(desktop: &mut Desktop<'_>, service: &RefCell<Service>) {
    service.borrow_mut().owned.insert(2);
    desktop.act(|session, now, fx| {
        let cx = &mut session.desk.at(now, fx);
        cx.search(Owner::Caller, Query::new(US), 0, 100, Priority::Person);
    });
    desktop.for_ms(150);
    service.borrow_mut().owned.remove(&2);
}

/// Money rule 3, *same batch, same ids*: one sending of it was carried out, whatever a later look returns.
#[test]
fn a_batch_does_not_go_out_again_once_a_search_showed_a_contact_of_it_as_owned() {
    let (mut desktop, service) = ordered(3, 100, &[Turn::Break]);
    until(&mut desktop, |job| job.rests().is_some());
    shows_one_as_owned(&mut desktop, &service);
    assert!(job(&desktop).rests().is_some(), "it rests still");
    let end = summary(&mut desktop).end;
    assert!(matches!(&end, OrderEnd::Unknown(words) if words.contains("are owned now")), "{end:?}");
    assert_eq!(service.borrow().sent.len(), 1);
    // The same where an order before this one left it unknown.
    let (mut desktop, service) = ordered(3, 100, &vec![Turn::Break; 4]);
    assert_eq!(summary(&mut desktop).tally.unknown, 3);
    shows_one_as_owned(&mut desktop, &service);
    let batch = desktop.screen.session.recovery.batches().next().unwrap().batch;
    order(&mut desktop, UnlockSubject::Again(batch));
    let end = summary(&mut desktop).end;
    assert!(matches!(&end, OrderEnd::Unknown(words) if words.contains("are owned now")), "{end:?}");
    assert_eq!(service.borrow().sent.len(), 4);
}

/// It waits for a slot: it is taken back, and its result is looked for instead.
#[test]
fn a_batch_that_waits_to_go_out_again_is_called_off_once_a_contact_of_it_is_owned() {
    let (mut desktop, service) = ordered(3, 100, &[Turn::Break]);
    until(&mut desktop, |job| job.rests().is_some());
    // This search was sent before the service asks for a pause, and is answered in it.
    service.borrow_mut().search_takes = 5_000;
    shows_one_as_owned(&mut desktop, &service);
    service.borrow_mut().search_takes = 0;
    put_off(&mut desktop, &service);
    until(&mut desktop, RunningOrder::awaits_answer);
    let end = summary(&mut desktop).end;
    assert!(matches!(&end, OrderEnd::Unknown(words) if words.contains("are owned now")), "{end:?}");
    assert_eq!(service.borrow().sent.len(), 1, "the second sending did not leave");
}

#[test]
fn a_batch_of_an_earlier_order_that_goes_out_again_is_counted_whole() {
    for count in [1, 2] {
        let (mut desktop, service) = ordered(count, 100, &vec![Turn::Break; 4]);
        assert_eq!(summary(&mut desktop).tally.unknown, count as u64);
        let batch = desktop.screen.session.recovery.batches().next().unwrap().batch;
        order(&mut desktop, UnlockSubject::Again(batch));
        assert_eq!((job(&desktop).contacts(), job(&desktop).batches()), ((0, count as usize), (1, 1)));
        let again = summary(&mut desktop);
        assert_eq!((again.contacts.len(), again.end, service.borrow().sent.len()), (count as usize, OrderEnd::Done, 5));
    }
}

/// A search is told to wait: so does whatever is asked from then on, for half a minute.
fn put_off(desktop: &mut Desktop<'_>, service: &RefCell<Service>) {
    put_off_for(Duration::from_secs(30), desktop, service);
}

/// An order for contacts 1 to 3 whose batch is written down and waits for a slot.
fn queued() -> (Desktop<'static>, Rc<RefCell<Service>>) {
    let (mut desktop, service) = reviewed(&[]);
    service.borrow_mut().me_takes = 500;
    accept(&mut desktop, 1..=3);
    put_off(&mut desktop, &service);
    until(&mut desktop, RunningOrder::awaits_answer);
    (desktop, service)
}

fn put_off_for(wait: Duration, desktop: &mut Desktop<'_>, service: &RefCell<Service>) {
    service.borrow_mut().puts_off = Some(wait);
    desktop.act(|session, now, fx| {
        let cx = &mut session.desk.at(now, fx);
        cx.search(Owner::Caller, Query::new(US), 0, 100, Priority::Person);
    });
}

#[test]
fn an_order_that_is_stopped_before_anything_leaves_ends_at_once() {
    // While it is checked, and while its batch waits for a slot.
    for waits in [false, true] {
        let (mut desktop, service) = reviewed(&[]);
        service.borrow_mut().me_takes = 500;
        accept(&mut desktop, 1..=3);
        if waits {
            put_off(&mut desktop, &service);
            until(&mut desktop, RunningOrder::awaits_answer);
        }
        desktop.act(|session, now, fx| session.stop_unlock(now, fx));
        desktop.for_ms(1);
        assert!(!desktop.screen.session.unlock().is_running());
        let summary = summary(&mut desktop);
        assert_eq!((&summary.end, summary.exit()), (&OrderEnd::Stopped, 130));
        assert_eq!((summary.tally.locked, summary.tally.unknown, service.borrow().sent.len()), (3, 0, 0));
    }
}

/// A window stays open, so it finds out for free what became of the batch; a command that leaves does not wait for that.
#[test]
fn only_a_command_that_is_stopped_leaves_a_check_that_has_to_wait() {
    for turn in [Turn::Break, Turn::Refuse(422, "no")] {
        for (patience, runs) in [(RetryPolicy::Shell, false), (RetryPolicy::Window, true)] {
            let (mut desktop, service) = waiting(patience, std::slice::from_ref(&turn));
            service.borrow_mut().takes = 1_000;
            accept(&mut desktop, 1..=3);
            until(&mut desktop, RunningOrder::awaits_answer);
            put_off(&mut desktop, &service);
            desktop.for_ms(2_000);
            assert!(!job(&desktop).awaits_answer(), "its answer is here");
            desktop.act(|session, now, fx| session.stop_unlock(now, fx));
            desktop.for_ms(1);
            assert_eq!(desktop.screen.session.unlock().is_running(), runs);
            let tally = summary(&mut desktop).tally;
            let refused = matches!(turn, Turn::Refuse(..));
            assert_eq!((tally.locked, tally.unknown), if refused && runs { (3, 0) } else { (0, 3) });
            assert_eq!(service.borrow().sent.len(), 1);
        }
    }
}

/// One reason to wait is enough, and without one a command waits for its check too.
#[test]
fn a_command_that_is_stopped_leaves_a_check_on_the_wire_only_while_the_service_puts_it_off() {
    for pauses in [true, false] {
        let (mut desktop, service) = waiting(RetryPolicy::Shell, &[Turn::Break]);
        service.borrow_mut().search_takes = 5_000;
        accept(&mut desktop, 1..=3);
        until(&mut desktop, |job| job.checking().is_some());
        if pauses {
            put_off(&mut desktop, &service);
        }
        desktop.for_ms(100);
        desktop.act(|session, now, fx| session.stop_unlock(now, fx));
        desktop.for_ms(1);
        assert_eq!(desktop.screen.session.unlock().is_running(), !pauses);
        let summary = summary(&mut desktop);
        assert_eq!((summary.tally.unknown, service.borrow().sent.len()), (3, 1));
    }
}

/// A window waits as long as the service wants; a command gives its contacts back when that is too long.
#[test]
fn a_command_that_is_put_off_for_an_hour_buys_nothing() {
    for (patience, buys) in [(RetryPolicy::Shell, false), (RetryPolicy::Window, true)] {
        let (mut desktop, service) = waiting(patience, &[]);
        service.borrow_mut().me_takes = 500;
        accept(&mut desktop, 1..=3);
        put_off_for(Duration::from_secs(3_600), &mut desktop, &service);
        let summary = summary(&mut desktop);
        if buys {
            assert_eq!((summary.end, summary.tally.charged), (OrderEnd::Done, 3));
        } else {
            assert_eq!((&summary.end, summary.exit()), (&OrderEnd::Limit("slow down".to_owned()), 7));
            assert_eq!((summary.tally.locked, summary.tally.unknown, service.borrow().sent.len()), (3, 0, 0));
        }
    }
}

/// Money rule 1, *shown is paid*: who pays is read again before each batch.
#[test]
fn an_order_whose_payer_is_another_by_now_sends_no_further_batch() {
    type Change = fn(&mut Option<Profile>);
    let changes: [(&str, Change); 5] = [
        ("profile test was removed", |saved| *saved = None),
        ("profile test was removed", |saved| saved.as_mut().unwrap().name = "other".to_owned()),
        ("profile test no longer has a Workspace key", |saved| saved.as_mut().unwrap().workspace = None),
        ("the key of profile test changed", |saved| {
            saved.as_mut().unwrap().workspace.as_mut().unwrap().key = KeyHash("other".to_owned())
        }),
        ("the address of profile test changed", |saved| {
            saved.as_mut().unwrap().workspace.as_mut().unwrap().origin = "https://other.example".to_owned()
        }),
    ];
    for (words, change) in changes {
        let (mut desktop, service) = ordered(60, 1_000, &[]);
        until(&mut desktop, RunningOrder::awaits_answer);
        change(&mut desktop.sim.saved);
        let summary = summary(&mut desktop);
        assert_eq!(summary.end, OrderEnd::Changed(words.to_owned()));
        assert_eq!((summary.tally.charged, summary.tally.locked, service.borrow().sent.len()), (25, 35, 1), "{words}");
    }
}

/// A list that names a domain says nothing of a contact of which only the id is known: it is not bought on the chance.
#[test]
fn a_contact_that_is_listed_while_its_batch_waits_for_a_slot_is_taken_out_of_it() {
    let cases = [
        (SuppressEntry::Contact(US, RowId(2)), vec![vec![1, 3]], 1, "is on the suppression list dnc now"),
        (
            SuppressEntry::Domain("b.example".to_owned()),
            vec![],
            3,
            "cannot be checked against the suppression lists now",
        ),
    ];
    for (entry, sent, left_out, words) in cases {
        let (mut desktop, service) = queued();
        desktop.for_ms(1_000);
        suppress_elsewhere(&desktop, entry);
        let summary = summary(&mut desktop);
        assert_eq!((&service.borrow().sent, summary.left_out), (&sent, left_out), "{words}");
        assert!(summary.notices.iter().any(|notice| notice.contains(words)), "{words}: {:?}", summary.notices);
        assert_eq!((summary.tally.unknown, summary.exit()), (0, 3));
    }
}

/// A refusal of the second sending says nothing of the first: it is not asked after, and nothing is given back.
#[test]
fn a_refusal_after_a_sending_without_an_answer_leaves_the_batch_unknown() {
    for (status, ends) in [(403, true), (429, false)] {
        let (mut desktop, service) = ordered(2, 100, &[Turn::Break, Turn::Refuse(status, "no")]);
        until(&mut desktop, |job| job.rests().is_some());
        // A colleague spends, which proves nothing.
        service.borrow_mut().balance -= 10;
        let summary = summary(&mut desktop);
        if ends {
            assert_eq!((&summary.end, summary.tally.unknown), (&OrderEnd::Unknown("no".to_owned()), 2));
            assert_eq!(service.borrow().sent.len(), 2);
        } else {
            // Too many requests is a matter of time: the same batch goes out once more.
            assert_eq!((&summary.end, summary.tally.charged, service.borrow().sent.len()), (&OrderEnd::Done, 2, 3));
        }
    }
}

/// Money rule 6, *unknown is a state*: a refusal counts only where the balance and a free look bear it out.
#[test]
fn a_refusal_that_the_balance_does_not_bear_out_leaves_its_contacts_unknown() {
    let broken = Failure::Unclear { why: Unclear::Line, words: "the line broke".to_owned() };
    let cases = [
        (None, None),
        (Some(Ok(account("o", json!(1_200)))), None),
        (Some(Ok(account("other", json!(1_000)))), Some("the key belongs to another workspace now")),
        (Some(Ok(account("o", Value::Null))), Some("the balance cannot be compared")),
        (Some(Ok(account("o", json!(990)))), Some("the balance fell from 1,000 to 990")),
        (Some(Err(broken)), Some("the balance could not be read")),
    ];
    for (said, why) in cases {
        let (mut desktop, service) = ordered(2, 1_000, &[Turn::Refuse(403, "no")]);
        until(&mut desktop, RunningOrder::awaits_answer);
        service.borrow_mut().account = said;
        let summary = summary(&mut desktop);
        assert_eq!(service.borrow().sent.len(), 1, "{why:?}");
        match (why, &summary.end) {
            (None, OrderEnd::Refused { status: 403, .. }) => {
                assert_eq!((summary.tally.locked, summary.tally.unknown), (2, 0));
            }
            (Some(why), OrderEnd::Unknown(words)) => {
                assert!(words.starts_with("the service refused it (no), but ") && words.contains(why), "{words}");
                assert_eq!((summary.tally.locked, summary.tally.unknown, summary.exit()), (0, 2, 9));
            }
            other => panic!("{other:?}"),
        }
    }
}

/// Many a gateway points elsewhere after the service has done its work, and an answer that cannot be kept was there all the same.
#[test]
fn a_failure_that_proves_nothing_leaves_a_batch_unknown_and_it_does_not_go_out_again() {
    let words = || "why".to_owned();
    let redirect = Failure::Refused { status: 307, why: Refusal::Redirect, words: words() };
    for failure in [redirect, Failure::OurBug { words: words() }, Failure::Disk { words: words() }] {
        let (mut desktop, service) = ordered(2, 100, &[Turn::Fail(failure.clone())]);
        let summary = summary(&mut desktop);
        assert_eq!((summary.tally.unknown, summary.exit(), service.borrow().sent.len()), (2, 9, 1), "{failure:?}");
        assert_eq!((&summary.end, summary.why_unknown()), (&OrderEnd::Unknown(words()), Some("why")));
    }
}

#[test]
fn what_an_order_rests_on_is_read_again_while_its_batch_waits_for_a_slot() {
    let (mut desktop, service) = queued();
    desktop.for_ms(3_000);
    assert_eq!((service.borrow().sent.len(), job(&desktop).held()), (0, Credits(3)), "it waits, written down");
    desktop.sim.saved.as_mut().unwrap().caps.call = Some(Credits(2));
    let summary = summary(&mut desktop);
    assert_eq!(
        (summary.end, service.borrow().sent.iter().map(Vec::len).collect::<Vec<_>>()),
        (OrderEnd::Done, vec![2, 1])
    );
}

/// Another window of this computer sends contacts 1 and 2.
fn with_another() -> (Desktop<'static>, Rc<RefCell<Service>>, Store, BatchId) {
    let (mut desktop, service) = reviewed(&[]);
    let mut other = desktop.sim.stores[0].beside(WindowId("w1".to_owned()));
    let intent = intent(&other, "o", &[1, 2]);
    accept(&mut desktop, 1..=3);
    let written = other.perform(StoreCall::Intend(Box::new(intent)), desktop.sim.moment());
    let Ok(StoreReply::Intended(written)) = written else { panic!("{written:?}") };
    let batch = written.batch;
    until(&mut desktop, |job| job.awaits_others().is_some());
    assert_eq!((job(&desktop).awaits_others(), job(&desktop).contacts()), (Some(2), (1, 3)));
    assert_eq!(service.borrow().sent, [[3]], "what is under way elsewhere is not sent here");
    (desktop, service, other, batch)
}

#[test]
fn what_another_window_buys_is_not_paid_twice_and_what_it_leaves_is_bought_after_all() {
    let (mut desktop, service, mut other, batch) = with_another();
    desktop.for_ms(5_000);
    assert_eq!(job(&desktop).awaits_others(), Some(2));
    let email = "p1@b.example".to_owned();
    let bought = Contact { email, ..Contact::default() };
    let settled = |id, outcome, contact| Settled { id: RowId(id), outcome, contact, evidence: None };
    let settlement = Settlement {
        batch,
        sent: 1,
        how: SettledBy::Answer,
        contacts: vec![settled(1, Outcome::Unlocked, Some(Box::new(bought))), settled(2, Outcome::Locked, None)],
        said: StatedSums::default(),
        stopped_for_credits: false,
    };
    other.perform(StoreCall::Settle(Box::new(settlement)), desktop.sim.moment()).unwrap();
    let summary = summary(&mut desktop);
    let tally = summary.tally;
    assert_eq!((&summary.end, tally.charged, tally.already, tally.unknown), (&OrderEnd::Done, 2, 1, 0));
    assert_eq!(service.borrow().sent, [[3], [2]]);
    assert_eq!(summary.contacts[0].contact.as_ref().map(|contact| contact.email.as_str()), Some("p1@b.example"));
}

/// Each time they are free again the other window is faster.
#[test]
fn contacts_that_another_window_takes_again_and_again_are_left_to_it() {
    let (mut desktop, service, mut other, batch) = with_another();
    let (mut under_way, now, taken) = (Some(batch), desktop.sim.moment(), Rc::new(Cell::new(0)));
    let times = Rc::clone(&taken);
    desktop.sim.fails = Box::new(move |call| {
        match call {
            StoreCall::ContactStatuses { .. } => {
                if let Some(batch) = under_way.take() {
                    let words = "it was refused".to_owned();
                    other.perform(StoreCall::Withdraw { batch, words }, now).unwrap();
                }
            }
            StoreCall::Intend(_) => {
                let again = intent(&other, "o", &[1, 2]);
                let written = other.perform(StoreCall::Intend(Box::new(again)), now);
                let Ok(StoreReply::Intended(written)) = written else { panic!("{written:?}") };
                under_way = Some(written.batch);
                times.set(times.get() + 1);
                assert!(times.get() < 9, "it never ends");
            }
            _ => {}
        }
        false
    });
    let summary = summary(&mut desktop);
    assert_eq!((taken.get(), &summary.end), (3, &OrderEnd::Withheld(IntentRefused::BasketChanged)));
    assert_eq!((summary.tally.charged, summary.tally.unknown, service.borrow().sent.len()), (1, 0, 1));
}

#[test]
fn another_window_is_waited_for_two_minutes_and_no_longer() {
    let (mut desktop, service, _other, _) = with_another();
    desktop.for_ms(119_990);
    assert_eq!(job(&desktop).awaits_others(), Some(2));
    desktop.for_ms(10);
    assert!(!desktop.screen.session.unlock().is_running());
    let summary = summary(&mut desktop);
    assert_eq!((summary.tally.charged, summary.tally.unknown, summary.uncertain()), (1, 2, 0), "they are the other's");
    assert_eq!((&summary.end, service.borrow().sent.len()), (&OrderEnd::Done, 1));
}

/// A contact that was taken out of the basket while the order ran is not bought, nor is the rest of its batch.
#[test]
fn contacts_that_another_window_took_out_of_the_basket_are_not_bought() {
    let (mut desktop, service) = reviewed(&[]);
    service.borrow_mut().takes = 1_000;
    stage_elsewhere(&mut desktop, 60);
    order(&mut desktop, UnlockSubject::Basket(Corpus::Us, None));
    until(&mut desktop, RunningOrder::awaits_answer);
    unstage_elsewhere(&desktop, 30);
    let summary = summary(&mut desktop);
    assert_eq!(summary.end, OrderEnd::Withheld(IntentRefused::BasketChanged));
    assert_eq!((summary.tally.charged, summary.tally.locked), (35, 25), "none of the batch that it was in");
    assert_eq!(service.borrow().sent.iter().map(Vec::len).collect::<Vec<_>>(), [25, 10]);
}

#[test]
fn an_order_that_is_stopped_while_another_window_is_at_work_leaves_those_to_it() {
    let (mut desktop, _, _other, _) = with_another();
    let before = desktop.sim.now;
    desktop.act(|session, now, fx| session.stop_unlock(now, fx));
    let summary = desktop.screen.session.unlock().last().expect("at once").clone();
    assert_eq!((&summary.end, desktop.sim.now), (&OrderEnd::Stopped, before));
    assert_eq!((summary.tally.charged, summary.tally.unknown, summary.uncertain()), (1, 2, 0));
}

#[test]
fn an_id_means_something_only_in_its_corpus() {
    let (mut desktop, service) = ordered(3, 100, &[Turn::Break]);
    assert_eq!(job(&desktop).corpus(), Corpus::Us);
    until(&mut desktop, |job| job.rests().is_some());
    service.borrow_mut().owned.insert(2);
    desktop.act(|session, now, fx| {
        let linkedin = Query::new(Side { corpus: Corpus::Linkedin, ..US });
        session.desk.at(now, fx).search(Owner::Caller, linkedin, 0, 100, Priority::Person);
    });
    desktop.for_ms(150);
    service.borrow_mut().owned.remove(&2);
    assert_eq!((summary(&mut desktop).end, service.borrow().sent.len()), (OrderEnd::Done, 2));
    let rows: Vec<Staged> = (7..=8).map(|id| Staged::by_id(RowId(id))).collect();
    order(&mut desktop, UnlockSubject::Rows(Corpus::Linkedin, rows.into()));
    assert_eq!(job(&desktop).corpus(), Corpus::Linkedin);
    let summary = summary(&mut desktop);
    assert_eq!((summary.corpus(), summary.end), (Corpus::Linkedin, OrderEnd::Done));
}

/// The corpus has millions of rows: a contact is looked for where the search showed it.
#[test]
fn a_contact_without_a_result_is_looked_for_by_its_own_clue() {
    let (mut desktop, service) = reviewed(&[Turn::Break]);
    let clue = |title: &str| Clue { title: title.to_owned(), ..Clue::default() };
    let staged =
        |id, title| Staged::new(RowId(id), false, StagedFields { clue: clue(title), ..StagedFields::default() });
    let rows = vec![staged(1, "Nurse")];
    order(&mut desktop, UnlockSubject::Rows(Corpus::Us, rows.into()));
    until(&mut desktop, |job| job.rests().is_some());
    let searched = std::mem::take(&mut service.borrow_mut().searched);
    let titles: Vec<_> = searched.iter().filter_map(|query| query.value(Filter::Title)).collect();
    assert!(!titles.is_empty() && titles.iter().all(|title| title.eq_ignore_ascii_case("nurse")), "{searched:?}");
}

#[test]
fn a_window_runs_one_order_at_a_time() {
    let (mut desktop, _) = ordered(3, 1_000, &[]);
    until(&mut desktop, RunningOrder::awaits_answer);
    let quote = job(&desktop).wanted().count();
    assert_eq!(quote, 3);
    let before = desktop.screen.session.unlock().at_work();
    let shown = finished().quote;
    desktop.act(|session, now, fx| assert_eq!(session.accept(&shown, Credits(3), now, fx), Err(Declined::Running)));
    assert_eq!(desktop.screen.session.unlock().at_work(), before);
}

fn finished() -> OrderSummary {
    let (mut desktop, _) = ordered(3, 100, &[]);
    summary(&mut desktop)
}

#[test]
fn each_end_has_its_exit_code_and_unknown_comes_before_all() {
    let done = finished();
    let refused = |why| OrderEnd::Refused { status: 403, why, words: "no".to_owned() };
    let withheld = |why| OrderEnd::Withheld(why);
    let [of, cap] = [Credits(3), Credits(2)];
    let words = || "why".to_owned();
    let cases = [
        (OrderEnd::Done, 0),
        (OrderEnd::Stopped, 130),
        (OrderEnd::OutOfCredits, 6),
        (refused(Refusal::Credits), 6),
        (refused(Refusal::Key), 4),
        (refused(Refusal::Scope), 5),
        (refused(Refusal::Request), 1),
        (withheld(IntentRefused::Cap { which: CapKind::Day, cap, used: cap, held: cap }), 3),
        (withheld(IntentRefused::Ceiling { ceiling: cap, used: of, held: of }), 3),
        (withheld(IntentRefused::Open(vec![RowId(1)])), 9),
        (withheld(IntentRefused::BasketChanged), 1),
        (OrderEnd::Unknown(words()), 9),
        (OrderEnd::Alarm(words()), 8),
        (OrderEnd::Limit(words()), 7),
        (OrderEnd::Unreached(words()), 8),
        (OrderEnd::Store(words()), 1),
        (OrderEnd::Changed(words()), 1),
    ];
    for (end, exit) in cases {
        let credits = matches!(exit, 6);
        let summary = OrderSummary { end, ..done.clone() };
        assert_eq!((summary.exit(), summary.is_out_of_credits()), (exit, credits), "{:?}", summary.end);
        let unknown = OrderSummary { tally: Tally { unknown: 1, ..done.tally }, ..summary.clone() };
        assert_eq!(unknown.exit(), 9);
        let left_out = OrderSummary { left_out: 1, ..summary };
        let all = matches!(left_out.end, OrderEnd::Done | OrderEnd::Stopped);
        assert_eq!(left_out.exit(), if all { 3 } else { exit });
    }
}

#[test]
fn why_a_result_is_unknown_is_said_without_its_full_stop_and_not_where_nothing_says_it() {
    let done = finished();
    let why = |end: OrderEnd| OrderSummary { end, ..done.clone() }.why_unknown().map(str::to_owned);
    assert_eq!(why(OrderEnd::Unknown(" the line broke. ".to_owned())).as_deref(), Some("the line broke"));
    assert_eq!(why(OrderEnd::Stopped).as_deref(), Some("stopped before the result was known"));
    assert_eq!((why(OrderEnd::Done), why(OrderEnd::Unknown(".".to_owned()))), (None, None));
}

#[test]
fn what_another_unlock_has_under_way_is_not_uncertain_here() {
    let done = finished();
    let of = |unknown: u64, elsewhere: &[i64]| {
        let elsewhere = elsewhere.iter().copied().map(RowId).collect();
        OrderSummary { tally: Tally { unknown, ..done.tally }, elsewhere, ..done.clone() }.uncertain()
    };
    assert_eq!((of(3, &[]), of(3, &[7, 8]), of(2, &[7, 8]), of(0, &[])), (3, 1, 0, 0));
}

/// Others share the balance, so it is a hint: only where the ledger of this computer does not explain it either.
#[test]
fn a_balance_that_fell_further_than_orders_explain_is_told() {
    let done = finished();
    let (before, _) = done.quote.basis.balance.unwrap();
    let told = |tally: Tally, after: i64, now: Option<Spent>| {
        let summary = OrderSummary { tally, ..done.clone() };
        summary.unexplained(Some(Credits(after)), now.as_ref())
    };
    let tally = Tally { charged: 5, unknown: 2, unreachable: 1, ..Tally::default() };
    assert_eq!(before, Credits(1_000));
    assert_eq!((told(tally, 992, None), told(tally, 1_000, None)), (None, None), "eight may have been charged");
    let words = "the balance fell by 9, but this order explains only 8: other keys share it, or more was charged";
    assert_eq!(told(tally, 991, None).as_deref(), Some(words));
    let others = |charged_ever, held| Some(Spent { charged_ever, held: Credits(held), ..Spent::default() });
    assert_eq!(told(tally, 991, others(5, 3)).as_deref(), Some(words), "the others explain as little");
    assert_eq!((told(tally, 991, others(5, 4)), told(tally, 991, others(9, 0))), (None, None));
    assert_eq!(done.unexplained(None, None), None);
}

/// A page with one contact, which is owned.
pub fn only_owned(id: i64) -> Value {
    json!({"corpus": "us", "total": 1, "limit": 100, "offset": 0, "rows": [
        {"id": id, "email_address": format!("p{id}@b.example"), "unlocked": true, "phone": "9165550100"}]})
}

/// What was paid for belongs here, and looking is free: a window does so by itself, a script says what is looked for.
#[test]
fn an_owned_contact_without_its_address_is_completed_at_the_next_start() {
    let mut stores = stores(1);
    let purse: PurseRef = intent(&stores[0], "o", &[1]).purse.into();
    let bare = SeenOwned { id: RowId(5), contact: Contact::default(), search: None, row: String::new() };
    let own = StoreCall::Own { purse, corpus: Corpus::Us, contacts: vec![bare] };
    stores[0].perform(own, common::flow_simulation::at(0)).unwrap();
    let said = |call: &Call, _| {
        let data = match call {
            Call::Me => account("o", json!(1_000)),
            _ => only_owned(5),
        };
        Said::Reply(answer(call, 200, &json!({"ok": true, "data": data})))
    };
    let mut desktop = Desktop::on(stores, 7, said);
    desktop.until_quiet();
    let completed = desktop.screen.events.iter().filter_map(|event| match event {
        Event::Completed { contacts, .. } => Some(contacts.iter().map(|(_, contact)| contact.email.as_str()).collect()),
        _ => None,
    });
    assert_eq!(completed.collect::<Vec<Vec<&str>>>(), [["p5@b.example"]]);
}

/// A search can be faster than `/me`, which says whose contacts these are.
#[test]
fn a_contact_that_is_seen_as_owned_before_the_account_is_known_is_in_its_books() {
    let said = |call: &Call, _| match call {
        Call::Me => Said::After(5_000, answer(call, 200, &json!({"ok": true, "data": account("o", json!(9))}))),
        _ => {
            let data = only_owned(2);
            Said::Reply(answer(call, 200, &json!({"ok": true, "data": data})))
        }
    };
    let mut desktop = Desktop::new(7, said);
    desktop.search(&Query::new(US));
    desktop.look(US, 0, 20, 0);
    desktop.for_ms(2_000);
    assert_eq!(desktop.total(US), Some(1), "the row is here");
    desktop.until_quiet();
    let purse = intent(&desktop.sim.stores[0], "o", &[1]).purse;
    let now = desktop.sim.moment();
    let owned = desktop.sim.stores[0].perform(StoreCall::Owned { purse, corpus: None }, now);
    let Ok(StoreReply::Owned(owned)) = owned else { panic!("{owned:?}") };
    assert_eq!(owned.iter().map(|owned| owned.id.0).collect::<Vec<_>>(), [2]);
}

#[test]
fn a_list_that_another_window_adds_applies_here_at_once() {
    let (mut desktop, _) = reviewed(&[]);
    let mut other = desktop.sim.stores[0].beside(WindowId("w1".to_owned()));
    let count = |desktop: &Desktop<'_>| desktop.screen.session.lists.all.len();
    assert_eq!(count(&desktop), 0);
    let purse = intent(&other, "o", &[1]).purse.into();
    let entries = vec![SuppressEntry::Contact(US, RowId(2))];
    let call = StoreCall::Suppress { purse, list: "dnc".to_owned(), entries };
    other.perform(call, desktop.sim.moment()).unwrap();
    desktop.act(|session, now, fx| session.touched(ChangedElsewhere::ALL, now, fx));
    desktop.for_ms(100);
    assert_eq!(count(&desktop), 1);
}
