//! The one way out to the services. Every request of lode is asked for here, waits here for its slot, is sent again from here
//! where that is free, and reports back from here under the one id it was given.
//!
//! A request is sent only with a slot in hand, and a slot is always given back: with the answer, with the broken line, with the
//! canceling. Who waits, for what and until when is data ([`Desk::waits`], [`Desk::gauge`]). What a request or an answer
//! *means* is the business of the flows; an unlock is never repeated here.

use super::*;
use crate::flow::limiter;
use crate::flow::retry::{self, Budget};

/// The page size that is asked for first: the most the Data API allows, and what the Workspace API is asked for as well.
pub const PAGE: u64 = 100;

/// What the flows hear from the world, once the desk has taken what is its own.
#[derive(Debug, PartialEq)]
pub enum Arrival {
    Reply(CallId, Call, Result<Reply, Failure>),
    /// An unlock that has not left: its request comes back with the words why.
    Unsent(CallId, UnlockCall, String),
    Progress(CallId, Progress),
    Stored(Ticket, Result<StoreReply, StoreFailure>),
    Filed(Ticket, Result<FileReply, FileFailure>),
}

impl Arrival {
    /// The answer of the store to the question of this ticket, which is taken; None for anything else.
    pub(super) fn stored<T: StoreAnswer>(&self, asked: &mut Option<Ticket>) -> Option<Result<&T, &StoreFailure>> {
        let Arrival::Stored(ticket, result) = self else { return None };
        asked.take_if(|asked| asked == ticket).map(|_| result.as_ref().map(T::read))
    }
}

/// An arrival, and whose it is.
type Delivery = (Owner, Arrival);

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

#[derive(Debug, Default)]
pub struct Desk {
    window: WindowId,
    budget: Budget,
    /// Of the requests of an order, for the end of a 429.
    pub(super) unlock_budget: Budget,
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
    failed: VecDeque<Delivery>,
    pub last_request: Option<LastRequest>,
    /// The last request that failed.
    pub last_failed: Option<LastRequest>,
    /// Whether the key may search, as `/me` last said; `None` until it has answered.
    may_search: Option<bool>,
    /// Searches that were refused before the scopes of the key were known, and the `/me` request that will tell.
    doubted: Vec<(Owner, CallId, Call, Failure)>,
    doubting: Option<CallId>,
    /// Requests that this session sent, those included that were sent again.
    pub sent: u64,
    /// The latest moment that was passed in.
    seen: Mono,
}

impl Desk {
    pub fn new(profile: &Profile, patience: RetryPolicy, jitter_seed: u64) -> Desk {
        Desk {
            window: profile.window.clone(),
            budget: Budget::new(patience, retry::SHELL_PATIENCE),
            unlock_budget: Budget::new(patience, retry::UNLOCK_PATIENCE),
            jitter: Jitter(jitter_seed),
            lanes: Source::ALL.map(|source| Lane::new(profile, source)),
            ..Desk::default()
        }
    }

    /// How long a shell command waits in total for the end of a 429 after it has sent an unlock.
    pub fn limit_unlock_wait(&mut self, most: Duration) {
        self.unlock_budget.most = self.unlock_budget.most.map(|_| most);
    }

    pub fn store(&mut self, owner: Owner, call: StoreCall, fx: &mut Vec<Effect>) -> Ticket {
        self.store_as(Asked::By(owner), call, fx)
    }

    fn store_as(&mut self, asked: Asked, call: StoreCall, fx: &mut Vec<Effect>) -> Ticket {
        let ticket = self.fresh_ticket(asked);
        fx.push(Effect::Store(ticket, call));
        ticket
    }

    /// The desk at a moment, for a machine.
    pub fn at<'a>(&'a mut self, now: Now, fx: &'a mut Vec<Effect>) -> FlowContext<'a> {
        FlowContext { now, desk: self, fx }
    }

    /// Takes what is the desk's own (slots, attempts that are worth repeating); gives back what a machine must see, and which.
    pub fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) -> Option<Delivery> {
        let mut cx = self.at(now, fx);
        let arrival = cx.handle(answer);
        cx.pump();
        arrival
    }

    /// When [`Desk::wake`] has something to do, if nothing is heard before.
    pub fn deadline(&self) -> Option<Mono> {
        if !self.failed.is_empty() {
            return Some(self.seen);
        }
        let each = self.lanes.each_ref().map(|lane| Priority::ALL.map(|priority| lane.ready_at(priority, self.seen)));
        let step = |pending: &Pending| {
            self.next_step(pending, each[pending.call.source() as usize][pending.priority as usize])
        };
        self.calls.values().filter_map(step).min()
    }

    /// Sends what may be sent by now and tells what was given up.
    pub fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<Delivery> {
        let mut cx = self.at(now, fx);
        cx.give_up_overdue();
        cx.pump();
        cx.take_failed()
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

    /// Others sent requests too: what is left of the allowance is read again.
    pub fn read_gauges(&mut self, fx: &mut Vec<Effect>) {
        for source in Source::ALL {
            if let Some(key) = self.lane(source).key.clone() {
                self.store_as(Asked::Gauge(source), StoreCall::Gauge { key }, fx);
            }
        }
    }

    /// Calls that could use a slot now.
    fn waiting(&self, source: Source, now: Mono) -> impl Iterator<Item = (CallId, &Pending)> {
        let mut streams = self.room_for_streams(source);
        self.calls.iter().map(|(id, pending)| (*id, pending)).filter(move |(_, pending)| {
            let is_due = matches!(pending.stage, Stage::Queued { not_before } if not_before <= now);
            let is_stream = matches!(pending.call, Call::Export { .. });
            let waits = is_due && pending.call.source() == source && (!is_stream || streams > 0);
            streams -= u32::from(waits && is_stream);
            waits
        })
    }

    /// Those of them for which a slot may be asked.
    fn ready(&self, source: Source, now: Mono) -> impl Iterator<Item = (CallId, &Pending)> {
        let ready = Priority::ALL.map(|priority| self.lane(source).ready_at(priority, now).is_some_and(|at| at <= now));
        self.waiting(source, now).filter(move |(_, pending)| ready[pending.priority as usize])
    }

    fn calls_of(&self, source: Source) -> impl Iterator<Item = &Pending> + Clone {
        self.calls.values().filter(move |pending| pending.call.source() == source)
    }

    /// How many more streams may be asked for: one connection stays free for searches, and only a few run at once.
    fn room_for_streams(&self, source: Source) -> u32 {
        let is_asked =
            |of: &&Pending| matches!((&of.call, &of.stage), (Call::Export { .. }, Stage::Sent { slot: Some(_), .. }));
        let asked = self.calls_of(source).filter(is_asked).count() as u32;
        let free = (self.lane(source).own.allowance.in_flight.max(2) - 1).saturating_sub(asked);
        free.min(MOST_STREAMS.saturating_sub(asked + self.coming(source)))
    }

    /// Streams whose answer is coming in.
    fn coming(&self, source: Source) -> u32 {
        self.calls_of(source).filter(|pending| matches!(pending.stage, Stage::Sent { slot: None, .. })).count() as u32
    }

    /// The moment at which time alone moves this call on; none while it depends on an answer. `ready_at` is when its priority
    /// may ask for a slot.
    fn next_step(&self, pending: &Pending, ready_at: Option<Mono>) -> Option<Mono> {
        match pending.stage {
            Stage::Sent { slot, at, .. } => slot.and_then(|_| self.overdue_at(pending, at)),
            Stage::Queued { not_before } => Some(ready_at?.max(not_before)).filter(|step| *step > self.seen),
        }
    }

    fn ready_at(&self, pending: &Pending) -> Option<Mono> {
        self.lane(pending.call.source()).ready_at(pending.priority, self.seen)
    }

    /// When a running attempt uses up what is left of the patience. A slow query that is on the wire may take its time, and
    /// so may whatever is not a plain read.
    fn overdue_at(&self, pending: &Pending, sent_at: Mono) -> Option<Mono> {
        if !pending.call.is_free_read() || retry::is_slow(&pending.call) {
            return None;
        }
        let patience = self.budget.left().map(|left| sent_at.after(left));
        patience.into_iter().chain(self.ends_at(pending)).min()
    }

    /// When a search that gets no answer ends, however often it was sent. What the service asked to wait does not count.
    fn ends_at(&self, pending: &Pending) -> Option<Mono> {
        let is_search = matches!(pending.call, Call::Search(_)) && !retry::is_slow(&pending.call);
        pending.tries.since.filter(|_| is_search).map(|since| since.after(retry::LONGEST_SEARCH))
    }

    /// Learns from an answer what the key may do.
    fn learn_scopes(&mut self, call: &Call, result: &Result<Reply, Failure>) {
        match (call, result) {
            (_, Ok(Reply::Me(account))) => self.may_search = Some(account.may_search()),
            (Call::Me, Err(Failure::Refused { why: Refusal::Key, .. })) => self.may_search = None,
            (Call::Search(search), Ok(_)) if search.query.side.source == Source::Workspace => {
                self.may_search = Some(true);
            }
            _ => {}
        }
    }

    fn settle_doubted(&mut self, me: &Result<Reply, Failure>) {
        for (owner, id, call, failure) in std::mem::take(&mut self.doubted) {
            let failure = match me {
                Ok(Reply::Me(account)) => settled(failure, account.may_search()),
                Err(refused @ Failure::Refused { why: Refusal::Key | Refusal::Address, .. }) => refused.clone(),
                _ => failure,
            };
            self.failed.push_back((owner, Arrival::Reply(id, call, Err(failure))));
        }
    }

    /// Reads what earlier runs learned. Until it is here, services are asked for the usual page.
    pub fn ask_pages(&mut self, fx: &mut Vec<Effect>) {
        let origin = |source| Some((source, self.lane(source).origin.clone()?));
        let services: Vec<(Source, Origin)> = Source::ALL.into_iter().filter_map(origin).collect();
        if !services.is_empty() && !self.is_asking_pages() {
            self.store_as(Asked::Pages, StoreCall::PageSizes { services }, fx);
        }
    }

    pub fn is_asking_pages(&self) -> bool {
        self.tickets.values().any(|asked| matches!(asked, Asked::Pages))
    }

    /// The largest page that this service is asked for.
    pub fn page(&self, source: Source) -> u64 {
        self.lane(source).page
    }

    pub fn gauge(&self, source: Source, now: Now) -> GaugeView {
        let lane = self.lane(source);
        let gauge = &lane.told.gauge;
        let queued = self.calls_of(source).filter(|pending| matches!(pending.stage, Stage::Queued { .. }));
        let next_send = queued.clone().filter_map(|pending| self.next_step(pending, self.ready_at(pending))).min();
        let of = lane.own.allowance.requests.filter(|_| lane.key.is_some());
        GaugeView {
            used: limiter::used(gauge, now.mono),
            of,
            // The slot of a stream is given back when its answer begins, but it is still on the wire.
            in_flight: gauge.in_flight + self.coming(source),
            queued: queued.count(),
            paused: lane.paused(now.mono).cloned(),
            next_send,
        }
    }

    /// What an unanswered call waits for; none when it is not pending.
    pub fn waits(&self, id: CallId, now: Now) -> Option<Waits<'_>> {
        let pending = self.calls.get(&id)?;
        let (lane, failures) = (self.lane(pending.call.source()), pending.tries.failures);
        Some(match (&pending.stage, lane.paused(now.mono), &pending.tries.trouble) {
            (Stage::Sent { .. }, ..) => Waits::Answer,
            (Stage::Queued { .. }, Some(paused), _) => Waits::Pause(paused),
            (Stage::Queued { not_before }, None, Some(trouble)) if *not_before > now.mono => {
                Waits::Again { until: *not_before, failures, trouble }
            }
            (Stage::Queued { .. }, None, _) => Waits::Slot { until: self.next_step(pending, self.ready_at(pending)) },
        })
    }

    fn note_last(&mut self, call: &Call, sent: Mono, now: Now, failure: Option<&Failure>) {
        let last = LastRequest { call: call.clone(), took: now.mono.since(sent), at: now, failure: failure.cloned() };
        if failure.is_some() {
            self.last_failed = Some(last.clone());
        }
        self.last_request = Some(last);
    }
}

/// Who asked: the return address of a request and of a piece of work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owner {
    Balance,
    History,
    Unlock,
    Recovery,
    Ledger,
    /// What assistants ask the person of this window.
    Requests,
    /// The suppression lists.
    Lists,
    /// What other windows did.
    Elsewhere,
    SavedSearches,
    SavedTotals,
    /// A saved search on its way to its window.
    ToRun,
    Exports,
    Matching,
    /// Commands of the person's own.
    CommandJobs,
    Totals(Corpus),
    Window(Side),
    Coverage(Side),
    Basket(Side),
    Gathering(Side),
    /// Asks the store to remember something. Nothing waits for the answer; only a failure is reported.
    Memory,
    /// The screen or the script itself, past the machines.
    #[default]
    Caller,
}

/// What a machine works with: the moment, the desk it asks, and the effects.
#[derive(Debug)]
pub struct FlowContext<'a> {
    pub now: Now,
    pub desk: &'a mut Desk,
    pub fx: &'a mut Vec<Effect>,
}

impl FlowContext<'_> {
    /// Asks for a request. The answer comes as [`Arrival::Reply`] under the id that is returned, however often it was sent;
    /// that of an unlock that has not left as [`Arrival::Unsent`].
    pub fn ask(&mut self, owner: Owner, mut call: Outgoing, priority: Priority) -> CallId {
        let id = self.desk.fresh_call();
        let source = call.source();
        if let Call::Search(search) = &mut call
            && !search.mark_pulled
        {
            search.limit = search.limit.min(self.desk.page(source));
        }
        if self.desk.lane(source).key.is_none() {
            let words = format!("no key for the {} API is set", source.title());
            let arrival = match call {
                Call::Unlock(request) => Arrival::Unsent(id, request, words),
                call => Arrival::Reply(id, call.record(), Err(Failure::Unsent { words })),
            };
            self.desk.failed.push_back((owner, arrival));
            return id;
        }
        let record = call.record();
        let unlock = if let Call::Unlock(request) = call { Some(request) } else { None };
        let stage = Stage::Queued { not_before: self.now.mono };
        let pending = Pending { owner, call: record, unlock, priority, stage, tries: Tries::default() };
        self.desk.calls.insert(id, pending);
        self.pump();
        id
    }

    /// Asks for a page of a search.
    pub fn search(&mut self, owner: Owner, query: Query, offset: u64, limit: u64, priority: Priority) -> CallId {
        self.ask(owner, Call::Search(SearchCall { query, offset, limit, mark_pulled: false }), priority)
    }

    /// Drops a request that waits or runs; nothing will be heard of it. False where there was none to drop: an unlock on the
    /// wire is never dropped, because its answer says what was bought.
    pub fn cancel(&mut self, id: CallId) -> bool {
        self.desk.failed.retain(|(_, arrival)| !matches!(arrival, Arrival::Reply(failed, ..) if *failed == id));
        self.desk.doubted.retain(|(_, doubted, ..)| *doubted != id);
        let Some(pending) = self.desk.calls.get(&id) else { return false };
        if matches!((&pending.call, &pending.stage), (Call::Unlock(_), Stage::Sent { .. }))
            && !put_back("leave-with-unlock")
        {
            return false;
        }
        let source = pending.call.source();
        let stage = self.desk.calls.remove(&id).map(|pending| pending.stage);
        if let Some(Stage::Sent { attempt, slot, .. }) = stage {
            self.desk.attempts.remove(&attempt);
            self.fx.push(Effect::Cancel(attempt));
            slot.into_iter().for_each(|slot| self.release(source, slot, false));
        }
        self.pump();
        true
    }

    /// The same for several.
    pub fn cancel_all(&mut self, ids: impl IntoIterator<Item = CallId>) {
        ids.into_iter().for_each(|id| _ = self.cancel(id));
    }

    /// Takes an unlock back that waits for its slot. `None` where it has left: its answer says what was bought.
    pub fn take_back(&mut self, id: CallId) -> Option<UnlockCall> {
        let request = self.desk.calls.get_mut(&id)?.unlock.take()?;
        self.cancel(id);
        Some(request)
    }

    fn handle(&mut self, answer: Answer) -> Option<Delivery> {
        match answer {
            Answer::Replied(attempt, result) => self.replied(attempt, result),
            Answer::Unsent(attempt, request, words) => {
                let id = *self.desk.attempts.get(&attempt)?;
                let (owner, _) = self.replied(attempt, Err(Failure::Unsent { words: words.clone() }))?;
                Some((owner, Arrival::Unsent(id, request, words)))
            }
            Answer::Progress(attempt, progress) => {
                // None where it was canceled.
                let id = *self.desk.attempts.get(&attempt)?;
                Some((self.begun(id), Arrival::Progress(id, progress)))
            }
            Answer::Stored(ticket, result) => {
                match self.desk.tickets.remove(&ticket)? {
                    Asked::By(owner) => return Some((owner, Arrival::Stored(ticket, result))),
                    Asked::Pause => {}
                    Asked::Gauge(source) => {
                        if let Ok(reply) = result {
                            self.desk.lane_mut(source).observed(Gauge::of(reply), self.now.mono);
                        }
                    }
                    Asked::Pages => {
                        let sizes = result.map_or(Vec::new(), Vec::<(Source, u64)>::of);
                        sizes.into_iter().for_each(|(source, rows)| self.desk.lane_mut(source).page = rows.max(1));
                    }
                    Asked::Release(source, slot) => self.desk.owed.extend(result.is_err().then_some((source, slot))),
                    Asked::Reserve(source) => {
                        if result.is_ok() {
                            self.give_back_owed();
                        }
                        if let Some(slot) = self.desk.lane_mut(source).answered(result, self.now.mono) {
                            self.send(source, slot);
                        }
                    }
                }
                None
            }
            Answer::Filed(ticket, result) => match self.desk.tickets.remove(&ticket)? {
                Asked::By(owner) => Some((owner, Arrival::Filed(ticket, result))),
                _ => None,
            },
        }
    }

    /// A request that was given up, or whose line broke, may reach the service yet: its slot stays taken for longer.
    fn release(&mut self, source: Source, slot: Slot, was_answered: bool) {
        let lane = self.desk.lane_mut(source);
        let allowance = if was_answered { lane.own.allowance } else { limiter::lingering(lane.own.allowance) };
        lane.ended(allowance, self.now.mono);
        if let Slot::Shared(slot) = slot {
            self.desk.store_as(Asked::Release(source, slot), StoreCall::Release { slot, allowance }, self.fx);
        }
    }

    /// Slots that the store could not take back, once it can write again: else they would stay taken as long as we live.
    fn give_back_owed(&mut self) {
        for (source, slot) in std::mem::take(&mut self.desk.owed) {
            let allowance = limiter::lingering(self.desk.lane(source).own.allowance);
            self.desk.store_as(Asked::Release(source, slot), StoreCall::Release { slot, allowance }, self.fx);
        }
    }

    /// Asks the store for as many slots as calls can use by now. Time has moved for both services: a call whose wait ended has no
    /// deadline any more, so its slot must be asked for here.
    fn pump(&mut self) {
        self.desk.seen = self.desk.seen.max(self.now.mono);
        for source in Source::ALL {
            self.ask_for_slots(source);
        }
    }

    /// One slot for each call, none on the off chance.
    fn ask_for_slots(&mut self, source: Source) {
        self.give_up_paused(source);
        let now = self.now.mono;
        let urgent = self.desk.ready(source, now).filter(|(_, pending)| pending.priority <= Priority::Unlock).count();
        let any = self.desk.ready(source, now).next().is_some();
        let lane = self.desk.lane(source);
        // Without one no call waits here: each has failed at once.
        let Some(key) = lane.key.clone() else { return };
        let allowance = lane.own.allowance;
        // Background requests go one by one: each response of the store says how near the limit is.
        let ready = urgent.max(usize::from(any));
        for _ in lane.outstanding..lane.may_ask(ready, now) {
            self.desk.lane_mut(source).outstanding += 1;
            let call = StoreCall::Reserve { key: key.clone(), allowance, window: self.desk.window.clone() };
            self.desk.store_as(Asked::Reserve(source), call, self.fx);
        }
    }

    /// Gives a slot to the call that comes first, or back where none can use it any more. With the slot in hand even a call that
    /// would have held back goes: given back, the slot would stay taken for a whole window without any use.
    fn send(&mut self, source: Source, slot: Slot) {
        let silent = self.desk.lane(source).paused(self.now.mono).is_some();
        let waiting = self.desk.waiting(source, self.now.mono).filter(|_| !silent);
        let first = waiting.min_by_key(|(id, pending)| (pending.priority, *id)).map(|(id, _)| id);
        self.desk.lane_mut(source).began();
        let Some(id) = first else { return self.release(source, slot, true) };
        let attempt = if self.desk.calls[&id].tries.attempts == 0 { id } else { self.desk.fresh_call() };
        self.desk.attempts.insert(attempt, id);
        if let Some(pending) = self.desk.calls.get_mut(&id) {
            pending.tries.attempts += 1;
            pending.tries.since.get_or_insert(self.now.mono);
            pending.stage = Stage::Sent { attempt, slot: Some(slot), at: self.now.mono };
            self.desk.sent += 1;
            // Money rules 12 and 13, *impossible stops* and *one way out*.
            let unlock = |_: &_| pending.unlock.take().expect("an unlock leaves once");
            self.fx.push(Effect::Send(attempt, pending.call.with_unlock(unlock)));
        }
    }

    /// No window of this machine sends with this key until the wait is over.
    fn pause(&mut self, source: Source, asked: Option<Duration>, words: String) {
        let lane = &mut self.desk.lanes[source as usize];
        lane.refusals = lane.refusals.saturating_add(1);
        let (wait, capped) = self.desk.jitter.pause(asked, lane.refusals);
        lane.pause(Paused { until: self.now.mono.after(wait), words, asked, capped });
        if let Some(key) = lane.key.clone() {
            self.desk.store_as(Asked::Pause, StoreCall::Pause { key, wait }, self.fx);
        }
    }

    fn give_up_overdue(&mut self) {
        // A queued call has no step without a moment at which it may ask.
        let is_late = |call: &Pending| self.desk.next_step(call, None).is_some_and(|end| end <= self.now.mono);
        let late: Vec<CallId> = self.desk.calls.iter().filter(|(_, call)| is_late(call)).map(|(id, _)| *id).collect();
        for id in late {
            let Some(pending) = self.desk.calls.get(&id) else { continue };
            let is_over = self.desk.ends_at(pending).is_some_and(|end| end <= self.now.mono);
            let (owner, call) = (pending.owner, pending.call.clone());
            let most = if is_over { retry::LONGEST_SEARCH } else { retry::SHELL_PATIENCE };
            self.cancel(id);
            let words = format!("no answer within {} s", most.as_secs());
            let failure = Failure::Unclear { why: Unclear::Deadline, words };
            self.desk.failed.push_back((owner, Arrival::Reply(id, call, Err(failure))));
        }
    }

    /// Ends an export that is on the wire in order: what it leaves is told under the ticket, and then it may be canceled. None
    /// where it is not on the wire.
    pub fn end_export(&mut self, owner: Owner, id: CallId, keep: bool) -> Option<Ticket> {
        let Pending { call: Call::Export { .. }, stage, .. } = self.desk.calls.get(&id)? else { return None };
        let Stage::Sent { attempt, .. } = *stage else { return None };
        Some(self.file(owner, FileCall::StopExport { call: attempt, keep }))
    }

    /// The user waits for it now: it leaves the priority it was asked with.
    pub fn hurry(&mut self, id: CallId, priority: Priority) {
        // It may have been answered meanwhile.
        let Some(pending) = self.desk.calls.get_mut(&id) else { return };
        if priority < pending.priority {
            pending.priority = priority;
            self.pump();
        }
    }

    fn replied(&mut self, attempt: CallId, result: Result<Reply, Failure>) -> Option<Delivery> {
        // None where it was canceled.
        let id = self.desk.attempts.remove(&attempt)?;
        let mut pending = self.desk.calls.remove(&id).expect("an attempt on the wire belongs to a call");
        let Stage::Sent { slot, at, .. } = pending.stage else {
            unreachable!("an attempt on the wire belongs to a call that was sent")
        };
        let source = pending.call.source();
        // The desk's own question is not what failed.
        if self.desk.doubting != Some(id) {
            self.desk.note_last(&pending.call, at, self.now, result.as_ref().err());
        }
        if let Some(slot) = slot {
            let is_unanswered = matches!(result, Err(Failure::Unclear { why: Unclear::Line | Unclear::Deadline, .. }));
            self.release(source, slot, !is_unanswered);
        }
        let failure = match (self.resize(&mut pending, result.as_ref()), result) {
            (Ok(true), _) => {
                pending.stage = Stage::Queued { not_before: self.now.mono };
                self.desk.calls.insert(id, pending);
                return None;
            }
            (Ok(false), Ok(reply)) => {
                self.desk.lane_mut(source).refusals = 0;
                return self.heard(pending.owner, id, pending.call, Ok(reply));
            }
            (Err(failure), _) | (Ok(false), Err(failure)) => failure,
        };
        if let Failure::Later { wait, words }
        | Failure::Unclear { why: Unclear::Undocumented { status: 429, wait }, words } = &failure
        {
            pending.tries.since = None;
            self.pause(source, *wait, words.clone());
        } else {
            pending.tries.failures += 1;
        }
        let again = self.again_at(&pending, &failure, at, source);
        if let Some(not_before) = again {
            pending.stage = Stage::Queued { not_before };
            pending.tries.trouble = Some(failure);
            self.desk.calls.insert(id, pending);
            return None;
        }
        self.heard(pending.owner, id, pending.call, Err(failure))
    }

    /// The answer of a stream begins: what it still brings takes as long as it takes and blocks no slot. Tells whose it is.
    fn begun(&mut self, id: CallId) -> Owner {
        let pending = self.desk.calls.get_mut(&id).expect("an attempt on the wire belongs to a call");
        let (owner, source) = (pending.owner, pending.call.source());
        if let Stage::Sent { slot, .. } = &mut pending.stage
            && let Some(slot) = slot.take()
        {
            self.release(source, slot, true);
        }
        owner
    }

    /// When to send once more after a failure; none when this is the end of it.
    fn again_at(&mut self, pending: &Pending, failure: &Failure, sent_at: Mono, source: Source) -> Option<Mono> {
        if !retry::worth_repeating(&pending.call, failure) {
            return None;
        }
        let now = self.now.mono;
        let again = match failure {
            // The key's pause says when; how often is not counted, a window shows that it waits.
            Failure::Later { .. } => self.desk.lane(source).paused(now).map_or(now, |paused| paused.until),
            _ if pending.tries.failures > retry::RETRIES => return None,
            _ => now.after(self.desk.jitter.backoff(pending.tries.failures)),
        };
        if self.desk.ends_at(pending).is_some_and(|end| again >= end) {
            return None;
        }
        let is_order = pending.owner == Owner::Unlock && matches!(failure, Failure::Later { .. });
        let budget = if is_order { &mut self.desk.unlock_budget } else { &mut self.desk.budget };
        budget.take(sent_at, again).then_some(again)
    }

    /// A shell command does not sit out a pause that is longer than its patience. An unlock is not given up here: the order
    /// it belongs to decides.
    fn give_up_paused(&mut self, source: Source) {
        let Some(paused) = self.desk.lane(source).paused(self.now.mono).cloned() else { return };
        for of_order in [false, true] {
            let waits = |(_, pending): &(&CallId, &Pending)| {
                let queued = matches!(pending.stage, Stage::Queued { .. });
                let mine = (pending.owner == Owner::Unlock) == of_order;
                queued && mine && pending.call.source() == source && !matches!(pending.call, Call::Unlock(_))
            };
            let waiting: Vec<CallId> = self.desk.calls.iter().filter(waits).map(|(id, _)| *id).collect();
            let budget = if of_order { &mut self.desk.unlock_budget } else { &mut self.desk.budget };
            if waiting.is_empty() || budget.take(self.now.mono, paused.until) {
                continue;
            }
            let failure = Failure::Later { wait: Some(paused.left(self.now.mono)), words: paused.words.clone() };
            for id in waiting {
                if let Some(pending) = self.desk.calls.remove(&id) {
                    let failure = failure.clone();
                    self.desk.note_last(&pending.call, self.now.mono, self.now, Some(&failure));
                    self.desk.failed.push_back((pending.owner, Arrival::Reply(id, pending.call, Err(failure))));
                }
            }
        }
    }

    /// What the flows hear of a call that has ended; `None` while it waits for `/me`.
    fn heard(&mut self, owner: Owner, id: CallId, call: Call, result: Result<Reply, Failure>) -> Option<Delivery> {
        self.desk.learn_scopes(&call, &result);
        if self.desk.doubting.take_if(|doubting| *doubting == id).is_some() {
            self.desk.settle_doubted(&result);
            return None;
        }
        match result {
            Err(failure) if may_be_about_the_key(&call, &failure) => {
                if self.desk.may_search == Some(false) {
                    return Some((owner, Arrival::Reply(id, call, Err(settled(failure, false)))));
                }
                self.desk.doubted.push((owner, id, call, failure));
                if self.desk.doubting.is_none() {
                    self.desk.doubting = Some(self.ask(owner, Call::Me, Priority::Person));
                }
                None
            }
            result => Some((owner, Arrival::Reply(id, call, result))),
        }
    }

    /// What was given up without an answer; a `/me` of the desk's own is not for the flows.
    fn take_failed(&mut self) -> Vec<Delivery> {
        let mut arrival = Vec::new();
        while let Some(failed) = self.desk.failed.pop_front() {
            match failed {
                (owner, Arrival::Reply(id, call, result)) if self.desk.doubting == Some(id) => {
                    self.heard(owner, id, call, result);
                }
                failed => arrival.push(failed),
            }
        }
        arrival
    }

    /// This service refuses larger pages than that.
    fn learn_page(&mut self, source: Source, rows: u64) {
        let lane = self.desk.lane_mut(source);
        lane.page = rows.max(1);
        if let Some(origin) = lane.origin.clone() {
            self.desk.store(Owner::Memory, StoreCall::LearnPage { source, origin, rows }, self.fx);
        }
    }

    /// Whether a search goes out again with another page size. Fails with what is told where the size was not the reason.
    fn resize(&mut self, pending: &mut Pending, result: Result<&Reply, &Failure>) -> Result<bool, Failure> {
        let source = pending.call.source();
        // A window that is marked as pulled is what the person sees, not a row more or less.
        let search = match &mut pending.call {
            Call::Search(search) if !search.mark_pulled => search,
            _ => return result.map(|_| false).map_err(Clone::clone),
        };
        search.limit = match (result, &pending.tries.refused_page) {
            (Ok(_), None) => return Ok(false),
            (Ok(_), Some((least, _))) => match larger_page(*least, search.limit) {
                Some(larger) => larger,
                None => {
                    self.learn_page(source, search.limit);
                    return Ok(false);
                }
            },
            // Another request has found it meanwhile.
            (Err(Failure::Refused { why: Refusal::Request, .. }), _) if self.desk.page(source) < search.limit => {
                self.desk.page(source)
            }
            (Err(failure), _) => smaller_page(&mut pending.tries.refused_page, search.limit, failure)?,
        };
        Ok(true)
    }

    pub fn store(&mut self, owner: Owner, call: StoreCall) -> Ticket {
        self.desk.store(owner, call, self.fx)
    }

    pub fn file(&mut self, owner: Owner, call: FileCall) -> Ticket {
        let ticket = self.desk.fresh_ticket(Asked::By(owner));
        self.fx.push(Effect::File(ticket, call));
        ticket
    }
}

/// The right to send one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Slot {
    /// Written down where every window and script of the machine sees it.
    Shared(SlotId),
    /// Counted in this process only, because the store could not be used.
    Own,
}

/// Two moments that lie no farther apart are the end of one pause.
const SAME_PAUSE: Duration = Duration::from_millis(500);

/// One key and its allowance: what the store last said about it, what of it is owned, and until when it is silent.
#[derive(Clone, Debug, Default)]
struct Lane {
    /// The key at its origin: elsewhere the same key has another allowance.
    key: Option<KeyHash>,
    /// Where what is learned of the service is kept.
    origin: Option<Origin>,
    /// The largest page that it is asked for.
    page: u64,
    /// The window as the store last told it, corrected by what happened here since.
    told: Meter,
    /// The window as this process alone knows it, for when the store cannot be used.
    own: Meter,
    /// Reservations asked for and not answered.
    outstanding: usize,
    /// The store said: no slot before then.
    wait_until: Option<Mono>,
    paused: Option<Paused>,
    /// 429s since the last good answer.
    refusals: u32,
    /// The store answers, so that others on this machine are counted too.
    shared: bool,
}

impl Lane {
    fn new(profile: &Profile, source: Source) -> Lane {
        let service = profile.service(source);
        let allowance = limiter::guarded(service.map(|service| service.allowance).unwrap_or_default());
        let key = |of: &ServiceProfile| KeyHash(format!("{}@{}", of.key.0, Origin::of(&of.origin).as_str()));
        Lane {
            key: service.map(key),
            origin: service.map(|service| profile.purse_origin(service)),
            page: PAGE,
            told: Meter::new(allowance),
            own: Meter::new(allowance),
            shared: true,
            ..Lane::default()
        }
    }

    fn paused(&self, now: Mono) -> Option<&Paused> {
        self.paused.as_ref().filter(|paused| paused.until > now)
    }

    /// A later pause wins, an earlier one adds nothing.
    fn pause(&mut self, paused: Paused) {
        if self.paused.as_ref().is_none_or(|known| known.until < paused.until) {
            self.paused = Some(paused);
        }
    }

    /// When a call of this priority may ask for a slot; none while that depends on answers still to come.
    fn ready_at(&self, priority: Priority, now: Mono) -> Option<Mono> {
        let waits = [self.paused(now).map(|paused| paused.until), self.wait_until];
        let at = waits.into_iter().flatten().fold(now, Mono::max);
        let Some(requests) = self.own.allowance.requests else { return Some(at) };
        limiter::falls_below(&self.told.gauge, priority.bound(requests), at)
    }

    /// How many reservations may be open for `ready` calls: as many as there seems to be room for, and always one, because
    /// only the store knows.
    fn may_ask(&self, ready: usize, now: Mono) -> usize {
        let used = limiter::used(&self.told.gauge, now);
        let room = self.own.allowance.requests.map_or(u32::MAX, |requests| requests.saturating_sub(used).max(1));
        let lines = self.own.allowance.in_flight.max(1).saturating_sub(self.own.gauge.in_flight);
        ready.min(room as usize).min(lines as usize)
    }

    /// What became of a reservation. Without a usable store this process counts for itself.
    fn answered(&mut self, result: Result<StoreReply, StoreFailure>, now: Mono) -> Option<Slot> {
        self.outstanding = self.outstanding.saturating_sub(1);
        match result {
            Ok(StoreReply::Reserved { slot, gauge }) => {
                self.shared = true;
                self.wait_until = None;
                // The gauge counts this slot too, `began` will.
                self.update_gauge(gauge, 1, now);
                Some(Slot::Shared(slot))
            }
            Ok(StoreReply::Wait { until, gauge }) => {
                self.shared = true;
                self.update_gauge(gauge, 0, now);
                // Never the same moment again: two clocks that disagree by a hair must not become a busy loop.
                self.wait_until = Some(until.max(Mono(now.0 + 1)));
                None
            }
            Ok(other) => other.stop(),
            Err(_) => {
                self.shared = false;
                self.told.gauge.clone_from(&self.own.gauge);
                let free_at = self.own.free_at(now).unwrap_or(Mono(now.0 + 1_000));
                self.wait_until = Some(free_at).filter(|at| *at > now);
                self.wait_until.is_none().then_some(Slot::Own)
            }
        }
    }

    /// The window as it is now, without a reservation. Where this process counts for itself, it says nothing.
    fn observed(&mut self, gauge: Gauge, now: Mono) {
        if self.shared && self.outstanding == 0 {
            self.update_gauge(gauge, 0, now);
        }
    }

    /// What others have in flight is shown as if it were answered right now: when it really is cannot be known, and the
    /// store is asked again before anything is sent.
    fn update_gauge(&mut self, mut gauge: Gauge, granted: u32, now: Mono) {
        // The store tells the pause of this window again, to the millisecond as its clock sees it.
        let is_known = |until: Mono| self.paused.as_ref().is_some_and(|known| until.since(known.until) < SAME_PAUSE);
        if let Some(until) = gauge.paused_until.filter(|until| !is_known(*until)) {
            self.pause(Paused { until, words: "the service asked to wait".to_owned(), asked: None, capped: false });
        }
        let own = self.own.gauge.in_flight;
        let others = gauge.in_flight.saturating_sub(own + granted);
        gauge.in_flight = own;
        if self.own.allowance.requests.is_some() {
            let frees = now.after(Duration::from_millis(self.own.allowance.window_ms));
            gauge.frees.extend(std::iter::repeat_n(frees, others as usize));
        }
        self.told.gauge = gauge;
    }

    fn began(&mut self) {
        self.told.begin();
        self.own.begin();
    }

    /// `allowance` says how long the slot stays taken from now on.
    fn ended(&mut self, allowance: Allowance, now: Mono) {
        self.told.end(allowance.window_ms, now);
        self.own.end(allowance.window_ms, now);
        // Without a window only lines are scarce, and one of them is free now.
        self.wait_until = self.wait_until.filter(|_| self.own.allowance.requests.is_some());
    }
}

/// Streams of one service that run beside each other.
const MOST_STREAMS: u32 = 3;

// What the desk learns of a service: what a refused search is about, where its status does not say.
// `/me` tells whether the key works and what it may do.
//
// The Workspace API shows no status for a bad key or a missing scope, and a key that worked can be revoked or lose a scope at any
// moment. So a refused search waits for one reading of `/me`.

fn may_be_about_the_key(call: &Call, failure: &Failure) -> bool {
    let Call::Search(search) = call else { return false };
    search.query.side.source == Source::Workspace
        && matches!(failure, Failure::Refused { why, .. } if !matches!(why, Refusal::Redirect | Refusal::Credits))
}

fn settled(failure: Failure, may: bool) -> Failure {
    let Failure::Refused { status, why, words } = failure else { return failure };
    Failure::Refused { status, why: why.settled(status, may), words }
}

/// A request on its way: who asked, and how far it is.
#[derive(Debug)]
struct Pending {
    owner: Owner,
    call: Call,
    /// The request of an unlock until it leaves.
    unlock: Option<UnlockCall>,
    priority: Priority,
    stage: Stage,
    tries: Tries,
}

/// The attempts at a request so far.
#[derive(Debug, Default)]
struct Tries {
    /// How often it was put on the wire.
    attempts: u32,
    /// How often it came back with less than an answer, a 429 not counted, and what the last attempt said.
    failures: u32,
    trouble: Option<Failure>,
    /// Of a search: the smallest page size that was refused, and the first refusal.
    refused_page: Option<(u64, Failure)>,
    /// When it was first put on the wire since the service last asked to wait.
    since: Option<Mono>,
}

#[derive(Clone, Debug)]
enum Stage {
    /// Waits for a slot, not before the given moment.
    Queued { not_before: Mono },
    /// On the wire under an id of its own: the response to an abandoned attempt has no owner. `slot`: `None` for a stream whose answer
    /// has begun: the service has received the request, so its slot is given back. How many of them run beside each other is
    /// counted by itself.
    Sent { attempt: CallId, slot: Option<Slot>, at: Mono },
}

// The page size of a service that refuses a large page instead of cutting it: found by halving, and remembered. The owner that asked
// hears of a page that was cut.
//
// A refused first page may also mean anything else. One row tells: where that is refused as well, the size is not the reason,
// and the first refusal is what is told.

/// What to ask for after a page of `limit` rows was taken: a larger one, after the one row that told that size matters. `least`: the
/// smallest page that was refused.
fn larger_page(least: u64, limit: u64) -> Option<u64> {
    (limit == 1).then_some(least / 2).filter(|half| *half > 1)
}

/// What to ask for after a first page of `limit` rows was refused; the failure where its size is not the reason.
fn smaller_page(refused: &mut Option<(u64, Failure)>, limit: u64, failure: &Failure) -> Result<u64, Failure> {
    if !matches!(failure, Failure::Refused { why: Refusal::Request, .. }) {
        return Err(failure.clone());
    }
    let next = if refused.is_none() { 1 } else { limit / 2 };
    let (least, first) = refused.get_or_insert_with(|| (limit, failure.clone()));
    *least = limit;
    if limit > 1 { Ok(next) } else { Err(first.clone()) }
}

// What a screen may say about the desk: how much of the allowance is used, who waits and until when, the last request.

/// A key is silent: the service answered 429.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Paused {
    pub until: Mono,
    /// The service's own words.
    pub words: String,
    /// What `retry-after` said, where it said something.
    pub asked: Option<Duration>,
    /// It asked for a longer wait than a user would accept.
    pub capped: bool,
}

impl Paused {
    /// How long the service asks to wait from now on, also where lode waits shorter than that.
    pub fn left(&self, now: Mono) -> Duration {
        self.asked.filter(|_| self.capped).unwrap_or_else(|| self.until.since(now))
    }
}

/// The request gauge of one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GaugeView {
    /// Requests of the last window, over all windows and scripts of this machine.
    pub used: u32,
    /// The allowance; none where the service states no limit.
    pub of: Option<u32>,
    pub in_flight: u32,
    /// Calls of this window that wait for a slot.
    pub queued: usize,
    pub paused: Option<Paused>,
    /// When the first of them can go, if only time decides.
    pub next_send: Option<Mono>,
}

/// Why a call has not been answered yet.
#[derive(Clone, Debug, PartialEq)]
pub enum Waits<'a> {
    /// For its slot. None: for an answer still to come.
    Slot { until: Option<Mono> },
    /// For the end of a 429.
    Pause(&'a Paused),
    /// To be sent again.
    Again { until: Mono, failures: u32, trouble: &'a Failure },
    /// It is on the wire.
    Answer,
}

/// The request that was answered last, for the overlay that shows it. Calls carry no key.
#[derive(Clone, Debug, PartialEq)]
pub struct LastRequest {
    pub call: Call,
    pub took: Duration,
    pub at: Now,
    pub failure: Option<Failure>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(words: &str) -> Failure {
        Failure::Refused { status: 422, why: Refusal::Request, words: words.into() }
    }

    /// The sizes asked for, with a service that takes at most `largest` rows.
    fn asked(largest: u64) -> Vec<u64> {
        let (mut refused, mut limit, mut asked) = (None, 100, vec![100]);
        loop {
            limit = if limit > largest {
                smaller_page(&mut refused, limit, &refusal("no")).unwrap()
            } else if let Some(larger) = refused.as_ref().and_then(|(least, _)| larger_page(*least, limit)) {
                larger
            } else {
                return asked;
            };
            asked.push(limit);
        }
    }

    #[test]
    fn a_size_is_found_by_halving() {
        assert_eq!(asked(100), [100]);
        assert_eq!(asked(60), [100, 1, 50]);
        assert_eq!(asked(12), [100, 1, 50, 25, 12]);
        assert_eq!(asked(1), [100, 1, 50, 25, 12, 6, 3, 1]);
    }

    #[test]
    fn a_pause_of_another_window_holds_here_and_our_own_keeps_its_words() {
        let (mut lane, now) = (Lane::new(&Profile::default(), Source::Data), Mono(1_000));
        let told = |until| Gauge { paused_until: Some(Mono(until)), ..Gauge::default() };
        lane.update_gauge(told(5_000), 0, now);
        assert_eq!(lane.paused(now).map(|paused| paused.until), Some(Mono(5_000)));
        lane.pause(Paused { until: Mono(9_000), words: "slow down".to_owned(), asked: None, capped: false });
        lane.update_gauge(told(9_001), 0, now);
        lane.pause(Paused { until: Mono(9_000), words: "once more".to_owned(), asked: None, capped: false });
        let shown = lane.paused(now).map(|paused| (paused.until, paused.words.as_str()));
        assert_eq!(shown, Some((Mono(9_000), "slow down")));
        lane.update_gauge(told(9_500), 0, now);
        let shown = lane.paused(now).map(|paused| (paused.until, paused.words.as_str()));
        assert_eq!(shown, Some((Mono(9_500), "the service asked to wait")), "half a second later is another pause");
    }

    #[test]
    fn a_pause_lasts_as_long_as_the_service_asked_also_where_lode_waits_shorter() {
        let asked = Some(Duration::from_secs(4_000));
        let left = |capped| Paused { until: Mono(9_000), words: String::new(), asked, capped }.left(Mono(1_000));
        assert_eq!((left(false), left(true)), (Duration::from_secs(8), Duration::from_secs(4_000)));
    }

    #[test]
    fn a_gauge_that_is_read_counts_only_while_the_store_does_and_no_slot_is_asked_for() {
        let used = |shared, outstanding| {
            let mut lane = Lane { shared, outstanding, ..Lane::new(&Profile::default(), Source::Data) };
            lane.observed(Gauge { frees: vec![Mono(5_000)], ..Gauge::default() }, Mono(1_000));
            limiter::used(&lane.told.gauge, Mono(1_000))
        };
        assert_eq!((used(true, 0), used(true, 1), used(false, 0)), (1, 0, 0));
    }

    #[test]
    fn a_refusal_whatever_the_size_is_the_first_one() {
        let mut refused = None;
        assert_eq!(smaller_page(&mut refused, 100, &refusal("first")), Ok(1));
        assert_eq!(smaller_page(&mut refused, 1, &refusal("second")), Err(refusal("first")));
        assert_eq!(smaller_page(&mut None, 1, &refusal("one row")), Err(refusal("one row")));
    }
}
