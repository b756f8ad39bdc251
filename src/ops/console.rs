//! Scripts as async functions that await the answers of the session.
//!
//! No runtime runs it and nothing wakes it: it is polled after each answer and has the session for that time, so that it is as
//! deterministic as a machine that is written out.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use serde::Serialize;

use super::output::{Format, OutputColumn, OutputLines, json};
use super::problem::{CommandProblem, Exit};
use lode_core::{Account, Corpus, Mono, Now, Owned, Purse, PurseRef, Side, Source, Staged, Suppression};
use lode_engine::effect::{
    Call, CallId, Effect, FileCall, FileFailure, FileReply, Outgoing, Reply, StoreCall, StoreReply, Ticket,
};
use lode_engine::flow::desk::{Arrival, FlowContext, Owner};
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::session::{Event, Session};

/// How a script ends: its exit code, or the failure that is said at the end.
pub type Ending = Result<Exit, CommandProblem>;

/// The session, the moment and the effects: what a step of a script works with.
pub struct Run<'a> {
    pub session: &'a mut Session,
    pub now: Now,
    pub fx: &'a mut Vec<Effect>,
}

impl Run<'_> {
    /// The same for a machine of the script's own.
    pub fn cx(&mut self) -> FlowContext<'_> {
        self.session.desk.at(self.now, self.fx)
    }

    /// Asks for a request of the script's own: the answer comes as [`Event::Answered`].
    pub fn ask(&mut self, call: Outgoing) -> CallId {
        self.cx().ask(Owner::Caller, call, Priority::Person)
    }

    pub fn store(&mut self, call: StoreCall) -> Ticket {
        self.cx().store(Owner::Caller, call)
    }

    /// Where records of a service go; those of a profile without a key stay with the profile.
    pub fn purse_or_earlier(&self, source: Source) -> PurseRef {
        self.session.purse_of(source).unwrap_or_else(|| self.session.profile().earlier())
    }

    pub fn file(&mut self, call: FileCall) -> Ticket {
        self.cx().file(Owner::Caller, call)
    }
}

/// What one command does: an async function that works with a [`Console`].
pub struct Script {
    console: Console,
    /// None once it has ended.
    future: Option<Pin<Box<dyn Future<Output = Ending>>>>,
}

/// The script of an async function.
pub fn script<F: Future<Output = Ending> + 'static>(run: impl FnOnce(Console) -> F) -> Script {
    let console = Console::default();
    Script { future: Some(Box::pin(run(console.clone()))), console }
}

/// What an async script works with.
#[derive(Clone, Default)]
pub struct Console(Rc<Shared>);

/// The words of a line after a time.
type WaitingWords = Box<dyn Fn(&mut Run<'_>, Duration) -> String>;

#[derive(Default)]
struct Shared {
    /// The session, while the script runs.
    lent: RefCell<Option<Lent>>,
    turns: RefCell<VecDeque<Turn>>,
    /// When the script goes on by time alone.
    deadline: Cell<Option<Mono>>,
    takes_interrupts: Cell<bool>,
    seconds: RefCell<Option<Seconds>>,
}

/// What a script gets for the time of one poll.
struct Lent {
    session: Box<Session>,
    now: Now,
    fx: Vec<Effect>,
}

/// What a script waits for.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "few turns wait at a time")]
pub enum Turn {
    Event(Event),
    Deadline,
    /// The rest is for a script that [takes interrupts](Console::take_interrupts). This is the first Ctrl-C.
    Interrupt,
    /// The output was closed (`| head`).
    Unread,
    /// The second Ctrl-C: the program ends after this turn. What is in memory only is printed.
    Abandon,
}

/// A line that passes, told each second while a person waits.
struct Seconds {
    began: Mono,
    next: Mono,
    words: WaitingWords,
}

const SECOND: Duration = Duration::from_secs(1);

impl Console {
    /// Does something with the session.
    pub fn with<T>(&self, step: impl FnOnce(&mut Run<'_>) -> T) -> T {
        let mut lent = self.0.lent.borrow_mut();
        let Lent { session, now, fx } = lent.as_mut().expect("a script has the session while it runs");
        step(&mut Run { session, now: *now, fx })
    }

    /// What happens next, or the deadline.
    pub async fn turn(&self, deadline: Option<Mono>) -> Turn {
        self.turn_until(deadline, |_| false).await.expect("only a turn ends this wait")
    }

    pub async fn event(&self) -> Event {
        loop {
            if let Turn::Event(event) = self.turn(None).await {
                return event;
            }
        }
    }

    /// What happens until this holds, or the deadline; `None` once it holds.
    pub async fn turn_until(&self, deadline: Option<Mono>, holds: impl Fn(&Session) -> bool) -> Option<Turn> {
        self.0.deadline.set(deadline);
        let turn = poll_fn(|_| match self.0.turns.borrow_mut().pop_front() {
            None if self.with(|run| holds(run.session)) => Poll::Ready(None),
            None => Poll::Pending,
            turn => Poll::Ready(turn),
        });
        let turn = turn.await;
        self.0.deadline.set(None);
        turn
    }

    /// The events until this holds; `None` once it does.
    pub async fn event_until(&self, holds: impl Fn(&Session) -> bool) -> Option<Event> {
        loop {
            if let Turn::Event(event) = self.turn_until(None, &holds).await? {
                return Some(event);
            }
        }
    }

    /// Waits until this holds. What happens until then is of no interest.
    pub async fn until(&self, holds: impl Fn(&Session) -> bool) {
        while self.turn_until(None, &holds).await.is_some() {}
    }

    /// What happens next. It may be nothing: an answer can move the session on without an event.
    pub async fn turns(&self) -> VecDeque<Turn> {
        let mut waited = false;
        poll_fn(|_| {
            let turns = self.0.turns.take();
            if turns.is_empty() && !mem::replace(&mut waited, true) { Poll::Pending } else { Poll::Ready(turns) }
        })
        .await
    }

    /// Looks up the largest page of the services, for a script that reads pages of a search.
    pub async fn look_up_pages(&self) {
        self.with(|run| run.session.desk.ask_pages(run.fx));
        self.until(|session| !session.desk.is_asking_pages()).await;
    }

    /// Ctrl-C and the end of the output come as a [`Turn`] from here on. Any other script is left at once.
    pub fn take_interrupts(&self) {
        self.0.takes_interrupts.set(true);
    }

    /// Shows how long it has taken and what is done by now, each second until [`still`](Self::still).
    pub fn each_second(&self, words: impl Fn(&mut Run<'_>, Duration) -> String + 'static) {
        let now = self.with(|run| run.now.mono);
        self.0.seconds.replace(Some(Seconds { began: now, next: now.after(SECOND), words: Box::new(words) }));
    }

    pub fn still(&self) {
        self.0.seconds.take();
    }

    pub fn say(&self, effect: Effect) {
        self.with(|run| run.fx.push(effect));
    }

    pub fn print(&self, line: &impl Serialize) {
        self.say(Effect::Print(json::line(line)));
    }

    pub fn warn(&self, words: impl Into<String>) {
        self.say(Effect::Warn(words.into()));
    }

    pub fn status(&self, words: impl Into<String>) {
        self.say(Effect::Status(words.into()));
    }

    /// Prints all rows of an answer, as lines or as a table.
    pub fn rows<T, L: Serialize>(
        &self,
        format: Format,
        columns: &[OutputColumn<T>],
        rows: &[T],
        line: impl Fn(&T) -> L,
    ) {
        let json = |row: &T| json::line(&line(row));
        self.with(|run| OutputLines::new(format, columns).print(columns, rows, json, run.fx));
    }

    /// Fails without a key for this service.
    pub fn needs(&self, source: Source) -> Result<(), CommandProblem> {
        if self.with(|run| run.session.has(source)) { Ok(()) } else { Err(CommandProblem::no_key(source)) }
    }

    /// The answer that this finds among those that come.
    async fn answer<T>(&self, find: impl Fn(Arrival) -> Option<T>) -> T {
        loop {
            if let Event::Answered(arrival) = self.event().await
                && let Some(found) = find(arrival)
            {
                return found;
            }
        }
    }

    /// Asks a service.
    pub async fn ask(&self, call: Outgoing) -> Result<Reply, CommandProblem> {
        let source = call.source();
        let asked = self.with(|run| run.ask(call));
        let answer = self.answer(|arrival| match arrival {
            Arrival::Reply(id, _, result) => (id == asked).then_some(result),
            _ => None,
        });
        answer.await.map_err(|failure| CommandProblem::of_call(source, &failure))
    }

    pub async fn store(&self, call: StoreCall) -> Result<StoreReply, CommandProblem> {
        let asked = self.with(|run| run.store(call));
        self.stored(asked).await
    }

    /// The answer of the store to a ticket.
    pub async fn stored(&self, asked: Ticket) -> Result<StoreReply, CommandProblem> {
        let answer = self.answer(|arrival| match arrival {
            Arrival::Stored(ticket, result) => (ticket == asked).then_some(result),
            _ => None,
        });
        answer.await.map_err(|failure| CommandProblem::of_store(&failure))
    }

    pub async fn file(&self, call: FileCall) -> Result<FileReply, FileFailure> {
        let asked = self.with(|run| run.file(call));
        let answer = self.answer(|arrival| match arrival {
            Arrival::Filed(ticket, result) => (ticket == asked).then_some(result),
            _ => None,
        });
        answer.await
    }

    /// The suppression lists.
    pub async fn lists(&self) -> Result<Arc<Vec<Suppression>>, CommandProblem> {
        self.with(|run| run.session.read_lists(run.now, run.fx));
        loop {
            if let Event::Lists(read) = self.event().await {
                read.map_err(|failure| CommandProblem::of_store(&failure))?;
                return Ok(self.with(|run| run.session.lists().all().clone()));
            }
        }
    }

    pub fn purse_of(&self, source: Source) -> Option<PurseRef> {
        self.with(|run| run.session.purse_of(source))
    }

    pub async fn basket(&self, purse: PurseRef, side: Side) -> Result<Vec<Staged>, CommandProblem> {
        match self.store(StoreCall::Basket { purse, side }).await? {
            StoreReply::Basket(basket) => Ok(basket.rows),
            other => unreachable!("the store answers with a basket: {other:?}"),
        }
    }

    /// What is owned by the ledger, once what was kept of earlier responses is read.
    pub async fn owned(&self, corpus: Option<Corpus>) -> Result<Vec<Owned>, CommandProblem> {
        let purse = self.settled_purse().await?;
        match self.store(StoreCall::Owned { purse, corpus }).await? {
            StoreReply::Owned(owned) => Ok(owned),
            other => unreachable!("the store answers with what is owned: {other:?}"),
        }
    }

    /// The purse behind the Workspace key. The store remembers it, so that what we own can be listed without a network; only for a
    /// key it has never seen is `/me` asked.
    pub async fn purse(&self) -> Result<Purse, CommandProblem> {
        let behind = self.with(|run| {
            let profile = run.session.profile();
            profile.workspace.as_ref().map(|service| (profile.purse_origin(service), service.key.clone()))
        });
        let (origin, key) = behind.ok_or_else(|| CommandProblem::no_key(Source::Workspace))?;
        let known = self.store(StoreCall::Known { origin: origin.clone(), key: key.clone() }).await?;
        if let StoreReply::Known(Some((purse, ..))) = known {
            return Ok(purse);
        }
        let account = self.account().await?;
        Ok(Purse::of_org(origin, &account.org_id))
    }

    /// The account as `/me` tells it now. The store remembers whose key it is.
    pub async fn account(&self) -> Result<Account, CommandProblem> {
        self.needs(Source::Workspace)?;
        let Reply::Me(account) = self.ask(Call::Me).await? else { unreachable!("`/me` answers with an account") };
        self.with(|run| {
            let profile = run.session.profile();
            let Some(service) = &profile.workspace else { return };
            let purse = Purse::of_org(profile.purse_origin(service), &account.org_id);
            let know = StoreCall::Know { key: service.key.clone(), purse, account: account.clone() };
            run.cx().store(Owner::Memory, know);
        });
        Ok(account)
    }

    /// The same, once responses that were kept and not read yet are settled, for free. Where they cannot be, the ledger says what
    /// it knows without them.
    pub async fn settled_purse(&self) -> Result<Purse, CommandProblem> {
        let purse = self.purse().await?;
        let kept = purse.clone();
        self.with(|run| run.session.settle_kept(kept, run.now, run.fx));
        self.until(|session| session.recovery().is_idle()).await;
        Ok(purse)
    }
}

impl Script {
    /// Runs the script until it waits for something. It has the session for that time.
    pub(super) fn poll(&mut self, owner: &mut Option<Box<Session>>, now: Now, fx: &mut Vec<Effect>) {
        let Some(future) = &mut self.future else { return };
        let lent = &self.console.0.lent;
        lent.replace(owner.take().map(|session| Lent { session, now, fx: mem::take(fx) }));
        let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if let Some(back) = lent.take() {
            (*owner, *fx) = (Some(back.session), back.fx);
        }
        if let Poll::Ready(ending) = polled {
            self.future = None;
            match ending {
                Ok(exit) => fx.push(Effect::Quit(exit.code())),
                Err(problem) => problem.end(fx),
            }
        }
    }

    pub(super) fn push(&self, turn: Turn) {
        self.console.0.turns.borrow_mut().push_back(turn);
    }

    pub(super) fn takes_interrupts(&self) -> bool {
        self.console.0.takes_interrupts.get()
    }

    /// When time alone moves it on.
    pub(super) fn deadline(&self) -> Option<Mono> {
        let second = self.console.0.seconds.borrow().as_ref().map(|seconds| seconds.next);
        second.into_iter().chain(self.console.0.deadline.get()).min().filter(|_| self.future.is_some())
    }

    /// Shows the line of the second that has begun, and lets the script know of its deadline.
    pub(super) fn wake(&self, run: &mut Run<'_>) {
        let now = run.now.mono;
        if let Some(seconds) = self.console.0.seconds.borrow_mut().as_mut().filter(|seconds| seconds.next <= now) {
            seconds.next = now.after(SECOND);
            let words = (seconds.words)(run, now.since(seconds.began));
            run.fx.push(Effect::Status(words));
        }
        if self.console.0.deadline.get().is_some_and(|deadline| deadline <= now) {
            self.push(Turn::Deadline);
        }
    }
}
