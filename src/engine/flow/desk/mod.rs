//! The one way out to the services. Every request of lode is asked for here, waits here for its slot, is sent again from here
//! where that is free, and reports back from here under the one id it was given.
//!
//! A request is sent only with a slot in hand, and a slot is always given back: with the answer, with the broken line, with the
//! canceling. Who waits, for what and until when is data ([`Desk::waits`], [`Desk::gauge`]). What a request or an answer
//! *means* is the business of the flows; an unlock is never repeated here.

mod attempts;
mod cx;
mod doubt;
mod lane;
mod pages;
mod pending;
mod sizing;
mod slots;
mod view;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::effect::call::{Call, Reply};
use crate::effect::failure::{Failure, StoreFailure};
use crate::effect::files::{FileCall, FileFailure, FileReply, Progress};
use crate::effect::profile::{Profile, WindowId};
use crate::effect::store::{SlotId, StoreCall, StoreReply};
use crate::effect::{Answer, CallId, Effect, Ticket};
use lode_core::contact::Source;
use lode_core::purse::Origin;
use lode_core::put_back::put_back;
use lode_core::time::{Mono, Now};

use super::limiter::Priority;
use super::retry::{Budget, Jitter, Patience};
use doubt::Doubted;
use lane::Lane;
use pending::{Left, Pending, Stage};
use sizing::Sizing;

/// The page size that is asked for first: the most the Data API allows, and what the Workspace API is asked for as well.
pub const PAGE: u64 = 100;

pub use cx::{Cx, Owner};
pub use view::{LastRequest, Paused, Waits};

/// What the flows hear from the world, once the desk has taken what is its own.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    Reply(CallId, Call, Result<Reply, Failure>),
    Progress(CallId, Progress),
    Stored(Ticket, Result<StoreReply, StoreFailure>),
    Filed(Ticket, Result<FileReply, FileFailure>),
}

/// What a ticket is for.
#[derive(Clone, Copy, Debug)]
enum Asked {
    By(Owner),
    Reserve(Source),
    Release(Source, SlotId),
    Pause,
    Gauge(Source),
    Pages,
}

#[derive(Clone, Debug)]
pub struct Desk {
    window: WindowId,
    budget: Budget,
    /// Of the requests of an order, for the end of a 429.
    unlock_budget: Budget,
    jitter: Jitter,
    next_call: u64,
    next_ticket: u64,
    lanes: [Lane; 2],
    calls: BTreeMap<CallId, Pending>,
    /// The call behind each attempt on the wire.
    attempts: BTreeMap<CallId, CallId>,
    tickets: BTreeMap<Ticket, Asked>,
    /// Slots that are free here and still taken in the store, because it failed to write that down.
    owed: Vec<(Source, SlotId)>,
    /// Calls that failed without an answer of the world: heard at the next wake.
    failed: VecDeque<(Owner, Heard)>,
    last: Option<LastRequest>,
    last_failed: Option<LastRequest>,
    /// The largest page that each service is asked for, and where the services are.
    pages: [u64; 2],
    services: Vec<(Source, Origin)>,
    /// What was learned of them in earlier runs is being read.
    asking_pages: bool,
    /// Whether the key may search, as `/me` last said; `None` until it has answered.
    may_search: Option<bool>,
    /// Searches that were refused before the scopes of the key were known, and the `/me` request that will tell.
    doubted: Vec<Doubted>,
    doubting: Option<CallId>,
    /// Requests that were sent.
    sent: u64,
    /// The latest moment anybody told us.
    seen: Mono,
}

impl Desk {
    pub fn new(profile: &Profile, patience: Patience, jitter_seed: u64) -> Desk {
        Desk {
            window: profile.window.clone(),
            budget: Budget::new(patience),
            unlock_budget: Budget::of_unlock(patience),
            jitter: Jitter::new(jitter_seed),
            next_call: 0,
            next_ticket: 0,
            lanes: [Lane::new(profile.workspace.as_ref()), Lane::new(profile.data.as_ref())],
            calls: BTreeMap::new(),
            attempts: BTreeMap::new(),
            tickets: BTreeMap::new(),
            owed: Vec::new(),
            failed: VecDeque::new(),
            last: None,
            last_failed: None,
            pages: [PAGE; 2],
            services: profile.services(),
            asking_pages: false,
            may_search: None,
            doubted: Vec::new(),
            doubting: None,
            sent: 0,
            seen: Mono(0),
        }
    }

    /// Asks for a request. The answer comes as [`Heard::Reply`] under the id that is returned, however often it was sent.
    pub fn ask(&mut self, owner: Owner, mut call: Call, priority: Priority, now: Now, fx: &mut Vec<Effect>) -> CallId {
        let id = self.fresh_call();
        let source = call.source();
        if let Call::Search(search) = &mut call
            && !search.mark_pulled
        {
            search.limit = search.limit.min(self.pages[source as usize]);
        }
        if !self.lane(source).is_open() {
            let words = match source {
                Source::Workspace => "no key for the Workspace API is set",
                Source::Data => "no key for the Data API is set",
            };
            let failure = Failure::Unsent { words: words.to_owned() };
            self.failed.push_back((owner, Heard::Reply(id, call, Err(failure))));
            return id;
        }
        let stage = Stage::Queued { not_before: now.mono };
        let pending = Pending {
            owner,
            call,
            priority,
            stage,
            attempts: 0,
            failures: 0,
            trouble: None,
            sizing: Sizing::default(),
            since: None,
        };
        self.calls.insert(id, pending);
        self.pump(now, fx);
        id
    }

    /// Drops a request that waits or runs; nothing will be heard of it. False where there was none to drop: an unlock on the
    /// wire is never dropped, because its answer says what was bought.
    pub fn cancel(&mut self, id: CallId, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.failed.retain(|(_, heard)| !matches!(heard, Heard::Reply(failed, ..) if *failed == id));
        self.doubted.retain(|doubted| doubted.id != id);
        let Some(pending) = self.calls.get(&id) else { return false };
        if matches!((&pending.call, &pending.stage), (Call::Unlock(_), Stage::Sent { .. }))
            && !put_back("leave-with-unlock")
        {
            return false;
        }
        let source = pending.call.source();
        match self.calls.remove(&id).map(|pending| pending.stage) {
            Some(Stage::Sent { attempt, slot, .. }) => {
                self.attempts.remove(&attempt);
                fx.push(Effect::Cancel(attempt));
                self.release(source, slot, Left::Unanswered, now, fx);
            }
            Some(Stage::Coming { attempt, .. }) => {
                self.attempts.remove(&attempt);
                fx.push(Effect::Cancel(attempt));
            }
            Some(Stage::Queued { .. }) | None => {}
        }
        self.pump(now, fx);
        true
    }

    /// Requests that this session sent, those included that were sent again.
    pub fn sent(&self) -> u64 {
        self.sent
    }

    /// Counts a wait of an order until then. False if that is more than an order waits in total.
    pub fn may_wait(&mut self, until: Mono, now: Now) -> bool {
        self.unlock_budget.take(now.mono, until)
    }

    /// How long a shell command waits in total for the end of a 429 after it has sent an unlock.
    pub fn limit_unlock_wait(&mut self, most: Duration) {
        self.unlock_budget.limit(most);
    }

    pub fn store(&mut self, owner: Owner, call: StoreCall, fx: &mut Vec<Effect>) -> Ticket {
        self.store_as(Asked::By(owner), call, fx)
    }

    fn store_as(&mut self, asked: Asked, call: StoreCall, fx: &mut Vec<Effect>) -> Ticket {
        let ticket = self.fresh_ticket(asked);
        fx.push(Effect::Store(ticket, call));
        ticket
    }

    pub fn file(&mut self, owner: Owner, call: FileCall, fx: &mut Vec<Effect>) -> Ticket {
        let ticket = self.fresh_ticket(Asked::By(owner));
        fx.push(Effect::File(ticket, call));
        ticket
    }

    /// The desk at a moment, for a machine.
    pub fn at<'a>(&'a mut self, now: Now, fx: &'a mut Vec<Effect>) -> Cx<'a> {
        Cx { now, desk: self, fx }
    }

    /// Takes what is the desk's own (slots, attempts that are worth repeating); gives back what a machine must see, and which.
    pub fn hear(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) -> Option<(Owner, Heard)> {
        self.seen = self.seen.max(now.mono);
        let heard = self.handle(answer, now, fx);
        self.pump(now, fx);
        heard
    }

    fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) -> Option<(Owner, Heard)> {
        match answer {
            Answer::Replied(attempt, result) => self.replied(attempt, result, now, fx),
            Answer::Progress(attempt, progress) => {
                let id = *self.attempts.get(&attempt)?;
                self.begun(id, now, fx);
                Some((self.calls.get(&id)?.owner, Heard::Progress(id, progress)))
            }
            Answer::Stored(ticket, result) => match self.tickets.remove(&ticket)? {
                Asked::By(owner) => Some((owner, Heard::Stored(ticket, result))),
                Asked::Pause => None,
                Asked::Gauge(source) => {
                    if let Ok(StoreReply::Gauge(Some(gauge))) = result {
                        self.lane_mut(source).observed(gauge, now.mono);
                    }
                    None
                }
                Asked::Pages => {
                    self.learned(result);
                    None
                }
                Asked::Release(source, slot) => {
                    self.owed.extend(result.is_err().then_some((source, slot)));
                    None
                }
                Asked::Reserve(source) => {
                    if result.is_ok() {
                        self.give_back_owed(fx);
                    }
                    self.reserved(source, result, now, fx);
                    None
                }
            },
            Answer::Filed(ticket, result) => match self.tickets.remove(&ticket)? {
                Asked::By(owner) => Some((owner, Heard::Filed(ticket, result))),
                _ => None,
            },
        }
    }

    /// When [`Desk::wake`] has something to do, if nothing is heard before.
    pub fn deadline(&self) -> Option<Mono> {
        if !self.failed.is_empty() {
            return Some(self.seen);
        }
        let each = Source::ALL.map(|source| self.lane(source).ready_at_each(self.seen));
        let step = |pending: &Pending| {
            self.next_step(pending, each[pending.call.source() as usize][pending.priority as usize])
        };
        self.calls.values().filter_map(step).min()
    }

    /// Sends what may be sent by now and tells what was given up.
    pub fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<(Owner, Heard)> {
        self.seen = self.seen.max(now.mono);
        self.give_up_overdue(now, fx);
        self.pump(now, fx);
        self.tell_failed(now, fx)
    }

    fn fresh_call(&mut self) -> CallId {
        self.next_call += 1;
        CallId(self.next_call)
    }

    fn fresh_ticket(&mut self, asked: Asked) -> Ticket {
        self.next_ticket += 1;
        let ticket = Ticket(self.next_ticket);
        self.tickets.insert(ticket, asked);
        ticket
    }

    fn lane(&self, source: Source) -> &Lane {
        &self.lanes[source as usize]
    }

    fn lane_mut(&mut self, source: Source) -> &mut Lane {
        &mut self.lanes[source as usize]
    }
}
