//! Scripts that read from top to bottom: an async function that awaits what the session answers.
//!
//! No runtime runs it and nothing wakes it: it is polled after each event and gets the session for one step at a time, so that it
//! is as deterministic as a machine that is written out.

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

use super::output::{Format, OutputColumn, json, print_rows};
use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use lode_core::{Corpus, Mono, Owned, Purse, PurseRef, Side, Source, Staged, Suppression};
use lode_engine::effect::{Call, Effect, FileCall, FileFailure, FileReply, Reply, StoreCall, StoreReply, Ticket};
use lode_engine::flow::desk::{Arrival, Owner};
use lode_engine::flow::session::{Event, Session};

/// How a script ends: its exit code, or the failure that is said at the end.
pub type Ending = Result<Exit, CommandProblem>;

/// The script of an async function.
pub fn script<F: Future<Output = Ending> + 'static>(run: impl FnOnce(Console) -> F) -> Box<dyn Script> {
    let console = Console::default();
    Box::new(Task { future: Some(Box::pin(run(console.clone()))), console })
}

/// What an async script works with.
#[derive(Clone, Default)]
pub struct Console(Rc<Shared>);

/// A step with the session, which the script takes at its next turn.
type Step = Box<dyn FnOnce(&mut Run<'_>)>;

/// The words of a line after a time.
type WaitingWords = Box<dyn Fn(&mut Run<'_>, Duration) -> String>;

#[derive(Default)]
struct Shared {
    /// What the script does next with the session.
    step: RefCell<Option<Step>>,
    said: RefCell<Vec<Effect>>,
    turns: RefCell<VecDeque<Turn>>,
    /// When the script goes on by time alone.
    deadline: Cell<Option<Mono>>,
    takes_interrupts: Cell<bool>,
    seconds: RefCell<Option<Seconds>>,
    next: RefCell<Option<Box<dyn Script>>>,
}

/// What a script waits for.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "few turns wait at a time")]
pub enum Turn {
    Event(Event),
    Deadline,
    /// Ctrl-C, for a script that [takes interrupts](Console::take_interrupts).
    Interrupt,
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
    pub async fn with<T: 'static>(&self, step: impl FnOnce(&mut Run<'_>) -> T + 'static) -> T {
        let result = Rc::new(Cell::new(None));
        let place = Rc::clone(&result);
        self.0.step.replace(Some(Box::new(move |run| place.set(Some(step(run))))));
        poll_fn(|_| result.take().map_or(Poll::Pending, Poll::Ready)).await
    }

    /// What happens next, or the deadline.
    pub async fn turn(&self, deadline: Option<Mono>) -> Turn {
        self.0.deadline.set(deadline);
        let turn = poll_fn(|_| self.0.turns.borrow_mut().pop_front().map_or(Poll::Pending, Poll::Ready)).await;
        self.0.deadline.set(None);
        turn
    }

    pub async fn event(&self) -> Event {
        loop {
            if let Turn::Event(event) = self.turn(None).await {
                return event;
            }
        }
    }

    /// What happens until this holds; `None` once it does.
    pub async fn event_until(&self, holds: fn(&Session) -> bool) -> Option<Event> {
        loop {
            if let Some(Turn::Event(event)) = self.0.turns.borrow_mut().pop_front() {
                return Some(event);
            }
            if self.with(move |run| holds(run.session)).await {
                return None;
            }
            let mut waited = false;
            poll_fn(|_| if mem::replace(&mut waited, true) { Poll::Ready(()) } else { Poll::Pending }).await;
        }
    }

    /// Waits until this holds. What happens until then is of no interest.
    pub async fn until(&self, holds: fn(&Session) -> bool) {
        while self.event_until(holds).await.is_some() {}
    }

    /// Looks up the largest page of the services, for a script that reads pages of a search.
    pub async fn look_up_pages(&self) {
        self.with(|run| run.session.desk.ask_pages(run.fx)).await;
        self.until(|session| !session.desk.is_asking_pages()).await;
    }

    /// Ctrl-C comes as a [`Turn`] from here on.
    pub fn take_interrupts(&self) {
        self.0.takes_interrupts.set(true);
    }

    /// Goes on as another script, once this one ends.
    pub fn hand_over(&self, script: Box<dyn Script>) {
        self.0.next.replace(Some(script));
    }

    /// Shows how long it has taken and what is done by now, each second until [`still`](Self::still).
    pub async fn each_second(&self, words: impl Fn(&mut Run<'_>, Duration) -> String + 'static) {
        let now = self.with(|run| run.now.mono).await;
        self.0.seconds.replace(Some(Seconds { began: now, next: now.after(SECOND), words: Box::new(words) }));
    }

    pub fn still(&self) {
        self.0.seconds.take();
    }

    pub fn say(&self, effect: Effect) {
        self.0.said.borrow_mut().push(effect);
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

    /// Prints all rows of an answer.
    pub fn rows<T, L: Serialize>(
        &self,
        format: Format,
        columns: &[OutputColumn<T>],
        rows: &[T],
        line: impl Fn(&T) -> L,
    ) {
        print_rows(format, columns, rows, line, &mut self.0.said.borrow_mut());
    }

    /// Fails without a key for this service.
    pub async fn needs(&self, source: Source) -> Result<(), CommandProblem> {
        let has = self.with(move |run| run.session.has(source)).await;
        if has { Ok(()) } else { Err(CommandProblem::no_key(source)) }
    }

    /// Asks a service.
    pub async fn ask(&self, call: Call) -> Result<Reply, CommandProblem> {
        let source = call.source();
        let asked = self.with(|run| run.ask(call)).await;
        loop {
            if let Event::Answered(Arrival::Reply(id, _, result)) = self.event().await
                && id == asked
            {
                return result.map_err(|failure| CommandProblem::of_call(source, &failure));
            }
        }
    }

    pub async fn store(&self, call: StoreCall) -> Result<StoreReply, CommandProblem> {
        let asked = self.with(|run| run.store(call)).await;
        self.stored(asked).await
    }

    /// The answer of the store to a ticket.
    pub async fn stored(&self, asked: Ticket) -> Result<StoreReply, CommandProblem> {
        loop {
            if let Event::Answered(Arrival::Stored(ticket, result)) = self.event().await
                && ticket == asked
            {
                return result.map_err(|failure| CommandProblem::of_store(&failure));
            }
        }
    }

    pub async fn file(&self, call: FileCall) -> Result<FileReply, FileFailure> {
        let asked = self.with(|run| run.file(call)).await;
        loop {
            if let Event::Answered(Arrival::Filed(ticket, result)) = self.event().await
                && ticket == asked
            {
                return result;
            }
        }
    }

    /// The suppression lists.
    pub async fn lists(&self) -> Result<Arc<Vec<Suppression>>, CommandProblem> {
        self.with(|run| run.session.read_lists(run.now, run.fx)).await;
        loop {
            if let Event::Lists(read) = self.event().await {
                read.map_err(|failure| CommandProblem::of_store(&failure))?;
                return Ok(self.with(|run| run.session.lists().all().clone()).await);
            }
        }
    }

    pub async fn purse_of(&self, source: Source) -> Option<PurseRef> {
        self.with(move |run| run.session.purse_of(source)).await
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
        let (origin, key) = behind.await.ok_or_else(|| CommandProblem::no_key(Source::Workspace))?;
        let known = self.store(StoreCall::Known { origin: origin.clone(), key: key.clone() }).await?;
        if let StoreReply::Known(Some((purse, ..))) = known {
            return Ok(purse);
        }
        let Reply::Me(account) = self.ask(Call::Me).await? else { unreachable!("`/me` answers with an account") };
        let purse = Purse::of_org(origin, &account.org_id);
        let know = StoreCall::Know { key, purse: purse.clone(), account };
        self.with(|run| run.cx().store(Owner::Memory, know)).await;
        Ok(purse)
    }

    /// The same, once responses that were kept and not read yet are settled, for free. Where they cannot be, the ledger says what
    /// it knows without them.
    pub async fn settled_purse(&self) -> Result<Purse, CommandProblem> {
        let purse = self.purse().await?;
        let kept = purse.clone();
        self.with(|run| run.session.settle_kept(kept, run.now, run.fx)).await;
        self.until(|session| session.recovery().is_idle()).await;
        Ok(purse)
    }
}

/// An async function as a [`Script`].
struct Task {
    console: Console,
    /// None once it has ended.
    future: Option<Pin<Box<dyn Future<Output = Ending>>>>,
}

impl Task {
    fn poll(&mut self, run: &mut Run<'_>) {
        let shared = &self.console.0;
        while let Some(future) = &mut self.future {
            let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            run.fx.append(&mut shared.said.borrow_mut());
            match polled {
                Poll::Pending => {
                    let Some(step) = shared.step.take() else { return };
                    step(run);
                }
                Poll::Ready(ending) => {
                    self.future = None;
                    match ending {
                        Ok(_) if shared.next.borrow().is_some() => {}
                        Ok(exit) => run.fx.push(Effect::Quit(exit.code())),
                        Err(problem) => problem.end(run.fx),
                    }
                }
            }
        }
    }

    fn take(&mut self, turn: Turn, run: &mut Run<'_>) {
        self.console.0.turns.borrow_mut().push_back(turn);
        self.poll(run);
    }
}

impl Script for Task {
    fn start(&mut self, run: &mut Run<'_>) {
        self.poll(run);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        self.take(Turn::Event(event), run);
    }

    fn advance(&mut self, run: &mut Run<'_>) {
        self.poll(run);
    }

    fn deadline(&self) -> Option<Mono> {
        let second = self.console.0.seconds.borrow().as_ref().map(|seconds| seconds.next);
        second.into_iter().chain(self.console.0.deadline.get()).min().filter(|_| self.future.is_some())
    }

    fn wake(&mut self, run: &mut Run<'_>) {
        let now = run.now.mono;
        if let Some(seconds) = self.console.0.seconds.borrow_mut().as_mut().filter(|seconds| seconds.next <= now) {
            seconds.next = now.after(SECOND);
            let words = (seconds.words)(run, now.since(seconds.began));
            run.fx.push(Effect::Status(words));
        }
        if self.console.0.deadline.get().is_some_and(|deadline| deadline <= now) {
            self.take(Turn::Deadline, run);
        }
    }

    fn interrupt(&mut self, run: &mut Run<'_>) {
        if self.console.0.takes_interrupts.get() {
            self.take(Turn::Interrupt, run);
        } else {
            run.fx.push(Effect::Quit(Exit::Interrupted.code()));
        }
    }

    fn successor(&mut self) -> Option<Box<dyn Script>> {
        self.console.0.next.take().filter(|_| self.future.is_none())
    }
}
