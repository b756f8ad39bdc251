//! One shell command: a script over a session. It is started once, hears what the session tells, and ends with
//! [`Effect::Quit`].
//!
//! The program owns the session and tells a person on the error stream when a service makes it wait; what the command itself
//! does is its [`Script`]. A session at rest asks for nothing by itself, so a script pays only for what it uses. The loop that
//! performs the effects is `app::headless`.

use std::time::Duration;

use lode_core::{Mono, Now, PurseRef, Source};
use lode_engine::effect::{Answer, Call, CallId, Effect, FileCall, Profile, StoreCall, Ticket};
use lode_engine::flow::desk::{FlowContext, Owner};
use lode_engine::flow::limiter::Priority;
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::session::{Assistant, Event, Session};

use super::problem::{Exit, seconds};

/// What a script works with: the session, the moment and the effects.
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
    pub fn ask(&mut self, call: Call) -> CallId {
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

/// What one command does.
pub trait Script {
    fn start(&mut self, run: &mut Run<'_>);
    fn handle(&mut self, event: Event, run: &mut Run<'_>);

    /// Whether it reads pages of a search: the largest page of the service is looked up first.
    fn reads_pages(&self) -> bool {
        false
    }

    /// Continues with what the session knows by now; called after each answer.
    fn advance(&mut self, _run: &mut Run<'_>) {}

    /// The script that it goes on as.
    fn successor(&mut self) -> Option<Box<dyn Script>> {
        None
    }

    /// When time alone moves it on.
    fn deadline(&self) -> Option<Mono> {
        None
    }

    fn wake(&mut self, _run: &mut Run<'_>) {}

    /// Ctrl-C, the first one. Reading commands just leave.
    fn interrupt(&mut self, run: &mut Run<'_>) {
        run.fx.push(Effect::Quit(Exit::Interrupted.code()));
    }

    /// The second Ctrl-C: the program ends at once. What is in memory only is printed.
    fn abandon(&mut self, _run: &mut Run<'_>) {}

    /// The output was closed (`| head`). Reading commands are done then.
    fn unread(&mut self, run: &mut Run<'_>) {
        run.fx.push(Effect::Quit(Exit::Done.code()));
    }
}

pub struct Program {
    session: Session,
    script: Box<dyn Script>,
    /// The end of the pause that was last told, per service.
    told: [Option<Mono>; 2],
    /// When the count-down of a wait shows its next second.
    next_second: Option<Mono>,
    started: bool,
}

impl Program {
    pub fn new(profile: &Profile, seed: u64, script: Box<dyn Script>) -> Program {
        Program::over(Session::at_rest(profile.clone(), RetryPolicy::Shell, seed), script)
    }

    /// The same for an assistant: its session spends only what a person accepted.
    pub fn for_assistant(profile: &Profile, seed: u64, script: Box<dyn Script>, assistant: Assistant) -> Program {
        let session = Session::at_rest(profile.clone(), RetryPolicy::Shell, seed);
        Program::over(session.for_assistant(assistant), script)
    }

    fn over(session: Session, script: Box<dyn Script>) -> Program {
        Program { session, script, told: [None; 2], next_second: None, started: false }
    }

    pub fn session(&self) -> &Session {
        &self.session
    }

    pub fn start(&mut self, now: Now, fx: &mut Vec<Effect>) {
        if self.script.reads_pages() {
            self.session.desk.ask_pages(fx);
        }
        self.go_on(Vec::new(), now, fx);
    }

    pub fn handle(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) {
        let events = self.session.handle(answer, now, fx);
        self.go_on(events, now, fx);
    }

    pub fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) {
        let events = self.session.wake(now, fx);
        if self.script.deadline().is_some_and(|deadline| deadline <= now.mono) {
            self.script.wake(&mut Run { session: &mut self.session, now, fx });
        }
        self.go_on(events, now, fx);
    }

    pub fn deadline(&self) -> Option<Mono> {
        [self.session.deadline(), self.script.deadline(), self.next_second].into_iter().flatten().min()
    }

    pub fn interrupt(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.script.interrupt(&mut Run { session: &mut self.session, now, fx });
        self.go_on(Vec::new(), now, fx);
    }

    pub fn abandon(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.script.abandon(&mut Run { session: &mut self.session, now, fx });
    }

    pub fn unread(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.script.unread(&mut Run { session: &mut self.session, now, fx });
        self.go_on(Vec::new(), now, fx);
    }

    /// Tells the script everything that the session has to tell, and what came of what the script did about it.
    fn go_on(&mut self, mut events: Vec<Event>, now: Now, fx: &mut Vec<Effect>) {
        if !self.started {
            if self.session.desk.is_asking_pages() {
                return;
            }
            self.started = true;
            self.script.start(&mut Run { session: &mut self.session, now, fx });
        }
        loop {
            let run = &mut Run { session: &mut self.session, now, fx };
            for event in events.drain(..) {
                if let Event::Purse(Some(switched)) = &event {
                    run.fx.push(Effect::Warn(switched.words()));
                }
                self.script.handle(event, run);
            }
            self.script.advance(run);
            if let Some(successor) = self.script.successor() {
                self.script = successor;
                self.started = false;
                return self.start(now, fx);
            }
            events = self.session.take_events(now, fx);
            if events.is_empty() {
                break;
            }
        }
        self.report_pause(now, fx);
    }

    /// A wait that the service asked for is said once, when it begins, and counted down where there is a terminal.
    fn report_pause(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.next_second = None;
        for (source, told) in Source::ALL.into_iter().zip(&mut self.told) {
            let gauge = self.session.desk.gauge(source, now);
            // The store tells the same pause again, to the millisecond as its clock sees it.
            let is_new = |until: Mono| told.is_none_or(|told| until.since(told) > Duration::from_millis(500));
            let Some(paused) = gauge.paused.filter(|_| gauge.queued > 0) else { continue };
            let left = paused.until.since(now.mono);
            let who = if paused.asked.is_some() { "requested by the service" } else { "the service is busy" };
            if is_new(paused.until) {
                *told = Some(paused.until);
                let wait = seconds(left);
                fx.push(Effect::Warn(format!("waiting {wait} ({who}), {} queued", gauge.queued)));
            }
            let seconds = left.as_millis().div_ceil(1000) as u64;
            fx.push(Effect::Status(format!("waiting {seconds} s ({who})")));
            let next = Mono(paused.until.0 - seconds.saturating_sub(1) * 1000);
            self.next_second = Some(self.next_second.map_or(next, |second| second.min(next)));
        }
    }
}
