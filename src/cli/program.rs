//! One shell command as a machine: it is started once, hears what the world answers, and ends with [`Effect::Quit`].
//!
//! The program owns the desk and tells a person on the error stream when a service makes it wait; what the command itself
//! does is its [`Errand`]. The loop that performs the effects is `shell::headless`.

use std::time::Duration;

use crate::domain::contact::Source;
use crate::domain::time::{Mono, Now};
use crate::effect::profile::Profile;
use crate::effect::{Answer, Effect};
use crate::flow::desk::{Cx, Desk, Heard, Owner};
use crate::flow::retry::Patience;

use super::exit::Exit;
use super::say;

/// What one command does. The desk is handed in, because every request and every piece of work leaves through it.
pub trait Errand {
    fn start(&mut self, cx: &mut Cx<'_>);
    fn hear(&mut self, owner: Owner, heard: Heard, cx: &mut Cx<'_>);

    /// When time alone moves it on.
    fn deadline(&self) -> Option<Mono> {
        None
    }

    fn wake(&mut self, _cx: &mut Cx<'_>) {}

    /// Ctrl-C, the first one. Reading commands just leave.
    fn interrupt(&mut self, cx: &mut Cx<'_>) {
        cx.fx.push(Effect::Quit(Exit::Interrupted.code()));
    }

    /// The second Ctrl-C: the program ends at once. What is in memory only is printed.
    fn abandon(&mut self, _fx: &mut Vec<Effect>) {}

    /// Nobody reads the output any more (`| head`). Reading commands are done then.
    fn unread(&mut self, cx: &mut Cx<'_>) {
        cx.fx.push(Effect::Quit(Exit::Done.code()));
    }
}

pub struct Program {
    desk: Desk,
    errand: Box<dyn Errand>,
    /// The end of the pause that was last told, per service.
    told: [Option<Mono>; 2],
}

impl Program {
    pub fn new(profile: &Profile, seed: u64, errand: Box<dyn Errand>) -> Program {
        Program { desk: Desk::new(profile, Patience::Shell, seed), errand, told: [None; 2] }
    }

    pub fn start(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.errand.start(&mut self.desk.at(now, fx));
        self.tell_pause(now, fx);
    }

    pub fn hear(&mut self, answer: Answer, now: Now, fx: &mut Vec<Effect>) {
        if let Some((owner, heard)) = self.desk.hear(answer, now, fx) {
            self.errand.hear(owner, heard, &mut self.desk.at(now, fx));
        }
        self.tell_pause(now, fx);
    }

    pub fn wake(&mut self, now: Now, fx: &mut Vec<Effect>) {
        for (owner, heard) in self.desk.wake(now, fx) {
            self.errand.hear(owner, heard, &mut self.desk.at(now, fx));
        }
        if self.errand.deadline().is_some_and(|deadline| deadline <= now.mono) {
            self.errand.wake(&mut self.desk.at(now, fx));
        }
        self.tell_pause(now, fx);
    }

    pub fn deadline(&self) -> Option<Mono> {
        [self.desk.deadline(), self.errand.deadline()].into_iter().flatten().min()
    }

    pub fn interrupt(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.errand.interrupt(&mut self.desk.at(now, fx));
    }

    pub fn abandon(&mut self, fx: &mut Vec<Effect>) {
        self.errand.abandon(fx);
    }

    pub fn unread(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.errand.unread(&mut self.desk.at(now, fx));
    }

    /// A wait that the service asked for is said once, when it begins.
    fn tell_pause(&mut self, now: Now, fx: &mut Vec<Effect>) {
        for (source, told) in Source::ALL.into_iter().zip(&mut self.told) {
            let gauge = self.desk.gauge(source, now);
            // The store tells the same pause again, to the millisecond as its clock sees it.
            let is_new = |until: Mono| told.is_none_or(|told| until.since(told) > Duration::from_millis(500));
            let Some(paused) = gauge.paused.filter(|paused| gauge.queued > 0 && is_new(paused.until)) else {
                continue;
            };
            *told = Some(paused.until);
            let wait = say::seconds(paused.until.since(now.mono));
            let who = if paused.asked.is_some() { "the service asked" } else { "the service is busy" };
            fx.push(Effect::Warn(format!("waiting {wait} ({who}), {} queued", gauge.queued)));
        }
    }
}
