//! An operation, and the shell command that runs: a script over a session. It starts once, gets the events of the session, and ends with
//! [`Effect::Quit`].
//!
//! A [`Script`] is an async function that awaits the answers of the session. No runtime runs it and nothing wakes it: it is polled after
//! each answer and has the session for that time, so that it is as deterministic as a machine that is written out.
//!
//! The [`Program`] owns the session and tells a person on the error stream when a service makes it wait. A session at rest asks for
//! nothing by itself, so a script pays only for what it uses. The loop that performs the effects is `app::headless`.

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
use super::problem::{CommandProblem, Exit, SpentShape, seconds};

use lode_core::{Account, Corpus, Mono, Now, Owned, Purse, PurseRef, Side, Source, Staged, Suppression};
use lode_engine::effect::{
    Answer, BasketState, Call, CallId, Effect, ExportTarget, FileCall, FileFailure, FileReply, KnownAccount, Outgoing,
    Profile, Reply, StoreAnswer, StoreCall, Ticket,
};
use lode_engine::flow::desk::{Arrival, FlowContext, Owner};
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::session::{Assistant, Event, Session};

/// How standard input is read.
#[derive(Clone, Copy, Debug)]
pub struct Pipe {
    /// It is a list as spreadsheets save it, not ids or rows of lode.
    pub is_list: bool,
    /// A sentence and a hint for a terminal, which pipes nothing.
    pub missing: [&'static str; 2],
}

impl Pipe {
    pub const IDS: Pipe = Pipe { is_list: false, missing: ["no ids were given", super::input::GIVE_IDS] };
}

/// An operation with its arguments.
pub trait Operation {
    /// The services that it may ask: most ask the Workspace alone.
    fn services(&self) -> &[Source] {
        &[Source::Workspace]
    }

    /// For one that chooses rows of a search: whether suppression lists leave some out.
    fn excludes_lists(&self) -> Option<bool> {
        None
    }

    /// Whether it can do nothing without this service.
    fn needs(&self, source: Source) -> bool {
        self.services().contains(&source) || source == Source::Workspace && self.excludes_lists() == Some(true)
    }

    /// The services whose keys it uses. No other key is fetched, because fetching one can take its time. Suppression lists and
    /// what is owned belong to the Workspace, so it is asked too where they decide on the rows of a search.
    fn uses(&self, profile: &Profile) -> &[Source] {
        let asks_owned = profile.choosing.card.asks_owned();
        if self.excludes_lists().is_some_and(|lists| lists || asks_owned) { &Source::ALL } else { self.services() }
    }

    /// The file that it writes.
    fn file(&self) -> Option<ExportTarget> {
        None
    }

    /// How it reads standard input, if these arguments say so.
    fn pipe(&self) -> Option<Pipe> {
        None
    }

    /// What it does. `pipe` is what standard input held, if the operation reads it.
    fn script(&self, pipe: Option<&str>) -> Result<Script, CommandProblem>;
}

pub struct Program {
    /// `None` only while the script runs: then it has the session.
    session: Option<Box<Session>>,
    script: Script,
    /// The end of the pause that was last told, per service.
    told: [Option<Mono>; 2],
    /// When the count-down of a wait shows its next second.
    next_second: Option<Mono>,
}

impl Program {
    pub fn new(profile: &Profile, seed: u64, script: Script) -> Program {
        let session = Session::at_rest(profile.clone(), RetryPolicy::Shell, seed);
        Program { session: Some(Box::new(session)), script, told: [None; 2], next_second: None }
    }

    /// The same for an assistant: its session spends only what a person accepted.
    pub fn for_assistant(self, assistant: Assistant) -> Program {
        Program { session: self.session.map(|session| Box::new(session.for_assistant(assistant))), ..self }
    }

    pub fn session(&self) -> &Session {
        self.session.as_ref().expect("no script runs now")
    }

    fn session_mut(&mut self) -> &mut Session {
        self.session.as_mut().expect("no script runs now")
    }

    pub fn start(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.go_on(Vec::new(), now, fx);
    }

    pub fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) {
        let events = self.session_mut().handle(answer, now, fx);
        self.go_on(events, now, fx);
    }

    pub fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let session = self.session.as_mut().expect("no script runs now");
        let events = session.wake(now, fx);
        let Shared { deadline, seconds, .. } = &*self.script.console.0;
        // The line of the second that has begun.
        if let Some(seconds) = seconds.borrow_mut().as_mut().filter(|seconds| seconds.next <= now.mono) {
            seconds.next = now.mono.after(SECOND);
            let words = (seconds.words)(&mut Run { session, now, fx }, now.mono.since(seconds.began));
            fx.push(Effect::Status(words));
        }
        if deadline.get().is_some_and(|deadline| deadline <= now.mono) {
            self.script.push(Turn::Deadline);
        }
        self.go_on(events, now, fx);
    }

    pub fn deadline(&self) -> Option<Mono> {
        let Shared { deadline, seconds, .. } = &*self.script.console.0;
        let second = seconds.borrow().as_ref().map(|seconds| seconds.next);
        let of_script = deadline.get().into_iter().chain(second).filter(|_| self.script.future.is_some());
        of_script.chain(self.session().deadline()).chain(self.next_second).min()
    }

    /// Ctrl-C, the first one. A command that only reads is left at once.
    pub fn interrupt(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.leave(Turn::Interrupt, Exit::Interrupted, now, fx);
    }

    /// The output was closed (`| head`). A command that only reads is done then.
    pub fn unread(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.leave(Turn::Unread, Exit::Done, now, fx);
    }

    fn leave(&mut self, turn: Turn, exit: Exit, now: Now, fx: &mut Vec<Effect>) {
        if self.script.console.0.takes_interrupts.get() {
            self.script.push(turn);
        } else {
            fx.push(Effect::Quit(exit.code()));
        }
        self.go_on(Vec::new(), now, fx);
    }

    /// The credits that the command has spent so far.
    pub fn spent(&self) -> SpentShape {
        self.script.console.0.spent.get()
    }

    /// The second Ctrl-C: the program ends at once.
    pub fn abandon(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.script.push(Turn::Abandon);
        self.script.poll(&mut self.session, now, fx);
    }

    /// Lets the script go on with everything that the session has to tell, and with what came of what the script did about it.
    fn go_on(&mut self, mut events: Vec<Event>, now: Now, fx: &mut Vec<Effect>) {
        loop {
            for event in events {
                if let Event::Purse(Some(switched)) = &event {
                    fx.push(Effect::Warn(switched.clone()));
                }
                self.script.push(Turn::Event(event));
            }
            self.script.poll(&mut self.session, now, fx);
            events = self.session_mut().take_events(now, fx);
            if events.is_empty() {
                break;
            }
        }
        self.report_pause(now, fx);
    }

    /// A wait that the service asked for is said once, when it begins, and counted down where there is a terminal.
    fn report_pause(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.next_second = None;
        if self.script.future.is_none() {
            return;
        }
        let session = self.session.as_ref().expect("no script runs now");
        for (source, told) in Source::ALL.into_iter().zip(&mut self.told) {
            let gauge = session.desk.gauge(source, now);
            let Some(paused) = gauge.paused.filter(|_| gauge.queued > 0) else { continue };
            let left = paused.until.since(now.mono);
            let who = if paused.asked.is_some() { "requested by the service" } else { "rate limit" };
            // The store tells the same pause again, to the millisecond as its clock sees it.
            if told.is_none_or(|told| paused.until.since(told) > Duration::from_millis(500)) {
                *told = Some(paused.until);
                fx.push(Effect::Warn(format!("waiting {} ({who}), {} queued", seconds(left), gauge.queued)));
            }
            let seconds = left.as_millis().div_ceil(1000) as u64;
            fx.push(Effect::Status(format!("waiting {seconds} s ({who})")));
            let next = Mono(paused.until.0 - seconds.saturating_sub(1) * 1000);
            self.next_second = Some(self.next_second.map_or(next, |second| second.min(next)));
        }
    }
}

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
    format: Cell<Format>,
    seconds: RefCell<Option<Seconds>>,
    spent: Cell<SpentShape>,
}

/// What a script gets for the time of one poll.
type Lent = (Box<Session>, Now, Vec<Effect>);

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
        let (session, now, fx) = lent.as_mut().expect("a script has the session while it runs");
        step(&mut Run { session, now: *now, fx })
    }

    /// What happens next, or the deadline.
    pub async fn turn(&self, deadline: Option<Mono>) -> Turn {
        self.turn_until(deadline, |_| false).await.expect("only a turn ends this wait")
    }

    pub async fn event(&self) -> Event {
        self.event_until(|_| false).await.expect("only an event ends this wait")
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

    /// The credits of this command, for every failure that is told after this.
    pub fn spent(&self, charged: u64, unknown: u64) {
        self.0.spent.set(SpentShape { charged, unknown });
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

    /// Says this to a person who reads a table. A program looks at the exit code.
    pub fn remark(&self, words: impl Into<String>) {
        if self.is_table() {
            self.warn(words);
        }
    }

    pub fn remark_if(&self, holds: bool, words: impl Into<String>) {
        if holds {
            self.remark(words);
        }
    }

    pub fn status(&self, words: impl Into<String>) {
        self.say(Effect::Status(words.into()));
    }

    /// How the answer is wanted.
    pub fn format(&self) -> Format {
        self.0.format.get()
    }

    pub fn is_table(&self) -> bool {
        self.format().is_table()
    }

    /// Prints all rows of an answer, as lines or as a table.
    pub fn rows<T, L: Serialize>(&self, columns: &[OutputColumn<T>], rows: &[T], line: impl Fn(&T) -> L) {
        let json = |row: &T| json::line(&line(row));
        let lines = OutputLines::new(self.format(), columns).print(columns, rows, json);
        self.with(|run| run.fx.extend(lines));
    }

    /// Fails without a key for this service.
    pub fn needs(&self, source: Source) -> Result<(), CommandProblem> {
        if self.with(|run| run.session.has(source)) { Ok(()) } else { Err(CommandProblem::no_key(source)) }
    }

    /// Asks a service.
    pub async fn ask(&self, call: Outgoing) -> Result<Reply, CommandProblem> {
        let source = call.source();
        let asked = self.with(|run| run.ask(call));
        loop {
            if let Event::Answered(Arrival::Reply(id, _, result)) = self.event().await
                && id == asked
            {
                return result.map_err(|failure| CommandProblem::of_call(source, &failure));
            }
        }
    }

    pub async fn store<T: StoreAnswer>(&self, call: StoreCall) -> Result<T, CommandProblem> {
        self.stored(self.with(|run| run.store(call))).await
    }

    /// The answer of the store to a ticket.
    pub async fn stored<T: StoreAnswer>(&self, asked: Ticket) -> Result<T, CommandProblem> {
        loop {
            if let Event::Answered(Arrival::Stored(ticket, result)) = self.event().await
                && ticket == asked
            {
                return result.map(T::of).map_err(|failure| CommandProblem::of_store(&failure));
            }
        }
    }

    pub async fn file(&self, call: FileCall) -> Result<FileReply, FileFailure> {
        let asked = self.with(|run| run.cx().file(Owner::Caller, call));
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
        self.with(|run| run.session.read_lists(run.now, run.fx));
        loop {
            if let Event::Lists(read) = self.event().await {
                read.map_err(|failure| CommandProblem::of_store(&failure))?;
                return Ok(self.with(|run| run.session.lists.all.clone()));
            }
        }
    }

    pub fn purse_of(&self, source: Source) -> Option<PurseRef> {
        self.with(|run| run.session.purse_of(source))
    }

    pub async fn basket(&self, purse: PurseRef, side: Side) -> Result<Vec<Staged>, CommandProblem> {
        Ok(self.store::<BasketState>(StoreCall::Basket { purse, side }).await?.rows)
    }

    /// What is owned by the ledger, once what was kept of earlier responses is read.
    pub async fn owned(&self, corpus: Option<Corpus>) -> Result<Vec<Owned>, CommandProblem> {
        self.store(StoreCall::Owned { purse: self.settled_purse().await?, corpus }).await
    }

    /// The purse behind the Workspace key. The store remembers it, so that what we own can be listed without a network; only for a
    /// key it has never seen is `/me` asked.
    pub async fn purse(&self) -> Result<Purse, CommandProblem> {
        let behind = self.with(|run| {
            let profile = run.session.profile();
            profile.workspace.as_ref().map(|service| (profile.purse_origin(service), service.key.clone()))
        });
        let (origin, key) = behind.ok_or_else(|| CommandProblem::no_key(Source::Workspace))?;
        let known = StoreCall::AccountOf { origin: origin.clone(), key: key.clone() };
        if let Some((purse, ..)) = self.store::<KnownAccount>(known).await? {
            return Ok(purse);
        }
        Ok(Purse::of_org(origin, &self.account().await?.org_id))
    }

    /// The account as `/me` tells it now. The store remembers whose key it is.
    pub async fn account(&self) -> Result<Account, CommandProblem> {
        self.needs(Source::Workspace)?;
        let Reply::Me(account) = self.ask(Call::Me).await? else { unreachable!("`/me` answers with an account") };
        self.with(|run| {
            let profile = run.session.profile();
            let Some(service) = &profile.workspace else { return };
            let purse = Purse::of_org(profile.purse_origin(service), &account.org_id);
            let know = StoreCall::KeepAccount { key: service.key.clone(), purse, account: account.clone() };
            run.cx().store(Owner::Memory, know);
        });
        Ok(account)
    }

    /// The same, once responses that were kept and not read yet are settled, for free. Where they cannot be, the ledger says what
    /// it knows without them.
    pub async fn settled_purse(&self) -> Result<Purse, CommandProblem> {
        let purse = self.purse().await?;
        self.with(|run| run.session.recovery.begin(purse.clone(), &mut run.session.desk.at(run.now, run.fx)));
        self.until(|session| session.recovery.is_idle()).await;
        Ok(purse)
    }
}

impl Script {
    /// The same with output in this format; without it a script prints JSON lines.
    pub fn printing(self, format: Format) -> Script {
        self.console.0.format.set(format);
        self
    }

    /// Runs the script until it waits for something. It has the session for that time.
    fn poll(&mut self, owner: &mut Option<Box<Session>>, now: Now, fx: &mut Vec<Effect>) {
        let Some(future) = &mut self.future else { return };
        let lent = &self.console.0.lent;
        lent.replace(owner.take().map(|session| (session, now, mem::take(fx))));
        let polled = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if let Some((session, _, effects)) = lent.take() {
            (*owner, *fx) = (Some(session), effects);
        }
        if let Poll::Ready(ending) = polled {
            self.future = None;
            let exit = ending.unwrap_or_else(|problem| {
                let problem = CommandProblem { spent: self.console.0.spent.get(), ..problem };
                problem.say(fx);
                problem.exit()
            });
            fx.push(Effect::Quit(exit.code()));
        }
    }

    fn push(&self, turn: Turn) {
        self.console.0.turns.borrow_mut().push_back(turn);
    }
}
