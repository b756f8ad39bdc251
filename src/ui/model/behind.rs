//! Profiles that were left while a job of theirs ran: each keeps its session until nothing of it runs any more.

use lode_core::time::{Mono, Now};
use lode_engine::effect::profile::WindowId;
use lode_engine::effect::{Answer, Effect};
use lode_engine::flow::session::{Event, Session};

#[derive(Clone, Debug, Default)]
pub struct Behind {
    pub sessions: Vec<Session>,
    /// What they want done, each by the hands it was opened with.
    pub wanted: Vec<(WindowId, Vec<Effect>)>,
}

impl Behind {
    pub fn named(&self, profile: &str) -> Option<&Session> {
        self.sessions.iter().find(|session| session.profile().name == profile)
    }

    /// Unlocks and exports that run.
    pub fn running(&self) -> usize {
        self.sessions.iter().map(running).sum()
    }

    pub fn deadline(&self) -> Option<Mono> {
        self.sessions.iter().filter_map(Session::deadline).min()
    }

    /// Does something with each of them, and keeps what it wants done for its own hands.
    pub fn each(&mut self, mut act: impl FnMut(&mut Session, &mut Vec<Effect>)) {
        for session in &mut self.sessions {
            let mut wanted = Vec::new();
            act(session, &mut wanted);
            if !wanted.is_empty() {
                self.wanted.push((session.profile().window.clone(), wanted));
            }
        }
    }

    /// An answer to what one of them asked.
    pub fn hear(&mut self, window: &WindowId, answer: &Answer, now: Now) -> Vec<(WindowId, Event)> {
        let mut told = Vec::new();
        self.each(|session, wanted| {
            if session.profile().window == *window {
                let events = session.hear(answer.clone(), now, wanted);
                told.extend(events.into_iter().map(|event| (window.clone(), event)));
            }
        });
        told
    }

    pub fn wake(&mut self, now: Now) -> Vec<(WindowId, Event)> {
        let mut told = Vec::new();
        self.each(|session, wanted| {
            let window = session.profile().window.clone();
            told.extend(session.wake(now, wanted).into_iter().map(|event| (window.clone(), event)));
        });
        told
    }

    /// Those of which nothing runs any more are let go.
    pub fn let_go(&mut self) -> Vec<WindowId> {
        let (working, done): (Vec<Session>, Vec<Session>) = self.sessions.drain(..).partition(Session::is_working);
        self.sessions = working;
        done.into_iter().map(|session| session.profile().window.clone()).collect()
    }
}

/// Unlocks and exports of a session that run.
pub fn running(session: &Session) -> usize {
    let matching = usize::from(session.matching().is_running());
    session.exports().running() + session.own_jobs().running() + matching + usize::from(session.unlock().is_running())
}
