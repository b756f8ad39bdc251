//! The cheapest question to each service, for `lode doctor`: `/me` and the counts. The responses go to the caller;
//! nothing is printed here.

use std::cell::RefCell;
use std::rc::Rc;

use super::console::script;
use super::problem::Exit;
use super::program::Script;
use lode_core::{Corpus, Credits, Source, counted};
use lode_engine::effect::{Call, CallId, Failure, Outgoing, Reply};
use lode_engine::flow::desk::Arrival;
use lode_engine::flow::session::Event;

/// What each service said: a few words, or why there are none.
pub type Answers = Rc<RefCell<Vec<(Source, Result<String, Failure>)>>>;

/// Asks every service that is set up, all at once.
pub fn probe(answers: Answers) -> Script {
    script(async move |console| {
        let mut asked: Vec<(CallId, Source)> = console.with(|run| {
            let sources: Vec<Source> = Source::ALL.into_iter().filter(|source| run.session.has(*source)).collect();
            sources.into_iter().map(|source| (run.ask(question(source)), source)).collect()
        });
        console.status("asking the services");
        while !asked.is_empty() {
            let Event::Answered(Arrival::Reply(id, _, result)) = console.event().await else { continue };
            let Some(at) = asked.iter().position(|(asked, _)| *asked == id) else { continue };
            answers.borrow_mut().push((asked.remove(at).1, result.map(words)));
        }
        console.status("");
        Ok(Exit::Done)
    })
}

fn question(source: Source) -> Outgoing {
    match source {
        Source::Workspace => Call::Me,
        Source::Data => Call::Counts(Corpus::Us),
    }
}

fn words(reply: Reply) -> String {
    match reply {
        Reply::Me(account) => {
            let scopes = account.scopes.join(" and ");
            let may = if scopes.is_empty() { "without scopes".to_owned() } else { format!("may {scopes}") };
            let credits = account.credits.map_or_else(|| "credits unknown".to_owned(), Credits::words);
            format!("{}, key {}…, {may}, {credits}", account.org_name, account.key_prefix)
        }
        Reply::Counts(counts) => counted(counts.counts.len() as u64, "count"),
        _ => "it responds".to_owned(),
    }
}
