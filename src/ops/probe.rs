//! The cheapest question to each service, for `lode doctor`: `/me` and the counts. The responses go to the caller;
//! nothing is printed here.

use std::cell::RefCell;
use std::rc::Rc;

use super::problem::Exit;
use super::program::{Run, Script};
use lode_core::{Corpus, Credits, Source, counted};
use lode_engine::effect::{Call, CallId, Effect, Failure, Reply};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::Event;

/// What each service said: a few words, or why there are none.
pub type Answers = Rc<RefCell<Vec<(Source, Result<String, Failure>)>>>;

pub struct Probe {
    asked: Vec<(CallId, Source)>,
    answers: Answers,
}

impl Probe {
    pub fn new(answers: Answers) -> Probe {
        Probe { asked: Vec::new(), answers }
    }

    fn leave_when_done(&self, fx: &mut Vec<Effect>) {
        if self.asked.is_empty() {
            fx.push(Effect::Status(String::new()));
            fx.push(Effect::Quit(Exit::Done.code()));
        }
    }
}

impl Script for Probe {
    fn start(&mut self, run: &mut Run<'_>) {
        for source in Source::ALL.into_iter().filter(|source| run.session.has(*source)).collect::<Vec<_>>() {
            let call = match source {
                Source::Workspace => Call::Me,
                Source::Data => Call::Counts(Corpus::Us),
            };
            self.asked.push((run.ask(call), source));
        }
        run.fx.push(Effect::Status("asking the services".to_owned()));
        self.leave_when_done(run.fx);
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(arrival) = event else { return };
        let Arrival::Reply(id, _, result) = arrival else { return };
        let Some(at) = self.asked.iter().position(|(asked, _)| *asked == id) else { return };
        let (_, source) = self.asked.remove(at);
        let words = result.map(|reply| match reply {
            Reply::Me(account) => {
                let scopes = account.scopes.join(" and ");
                let may = if scopes.is_empty() { "without scopes".to_owned() } else { format!("may {scopes}") };
                let credits = account.credits.map_or_else(|| "credits unknown".to_owned(), Credits::words);
                format!("{}, key {}…, {may}, {credits}", account.org_name, account.key_prefix)
            }
            Reply::Counts(counts) => counted(counts.counts.len() as u64, "count"),
            _ => "it responds".to_owned(),
        });
        self.answers.borrow_mut().push((source, words));
        self.leave_when_done(run.fx);
    }
}
