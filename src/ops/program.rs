//! One running shell command: a script over a session. It starts once, gets the events of the session, and ends with
//! [`Effect::Quit`].
//!
//! The program owns the session and tells a person on the error stream when a service makes it wait; what the command itself
//! does is its [`Script`]. A session at rest asks for nothing by itself, so a script pays only for what it uses. The loop that
//! performs the effects is `app::headless`.

use std::time::Duration;

use lode_core::{Mono, Now, Source};
use lode_engine::effect::{Answer, Effect, Profile};
use lode_engine::flow::retry::RetryPolicy;
use lode_engine::flow::session::{Assistant, Event, Session};

use super::console::Turn;
pub use super::console::{Run, Script};
use super::problem::{Exit, seconds};

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
        Program::over(Session::at_rest(profile.clone(), RetryPolicy::Shell, seed), script)
    }

    /// The same for an assistant: its session spends only what a person accepted.
    pub fn for_assistant(profile: &Profile, seed: u64, script: Script, assistant: Assistant) -> Program {
        let session = Session::at_rest(profile.clone(), RetryPolicy::Shell, seed);
        Program::over(session.for_assistant(assistant), script)
    }

    fn over(session: Session, script: Script) -> Program {
        Program { session: Some(Box::new(session)), script, told: [None; 2], next_second: None }
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
        self.script.wake(&mut Run { session, now, fx });
        self.go_on(events, now, fx);
    }

    pub fn deadline(&self) -> Option<Mono> {
        [self.session().deadline(), self.script.deadline(), self.next_second].into_iter().flatten().min()
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
        if self.script.takes_interrupts() {
            self.script.push(turn);
        } else {
            fx.push(Effect::Quit(exit.code()));
        }
        self.go_on(Vec::new(), now, fx);
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
                    fx.push(Effect::Warn(switched.words()));
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
        let session = self.session.as_ref().expect("no script runs now");
        for (source, told) in Source::ALL.into_iter().zip(&mut self.told) {
            let gauge = session.desk.gauge(source, now);
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
