//! Whose books are meant, and what they say: the purse behind the key. The store remembers it, so that what we own can be
//! listed without a network; only for a key it has never seen is `/me` asked.

use crate::cli::say::Problem;
use crate::domain::contact::Source;
use crate::domain::money::Purse;
use crate::effect::call::{Call, Reply};
use crate::effect::profile::{Profile, Service};
use crate::effect::store::{StoreCall, StoreReply};
use crate::effect::{CallId, Ticket};
use crate::flow::desk::{Cx, Heard, Owner};
use crate::flow::limiter::Priority;
use crate::flow::recovery::Recovery;

/// One question to the ledger of a purse. Answers that were kept and not read yet settle before it is asked, for free.
#[derive(Debug)]
pub struct Books {
    whose: Whose,
    recovery: Recovery,
    purse: Option<Purse>,
    asked: Option<Ticket>,
}

impl Books {
    pub fn new(profile: &Profile) -> Books {
        Books { whose: Whose::new(profile), recovery: Recovery::new(profile.name.clone()), purse: None, asked: None }
    }

    pub fn start(&mut self, cx: &mut Cx<'_>) {
        if let Err(problem) = self.whose.start(cx) {
            problem.end(cx.fx);
        }
    }

    /// What the books say to `question`, once they do. Where they cannot be read that is told here, and ends the errand.
    pub fn hear(
        &mut self,
        heard: Heard,
        question: impl FnOnce(Purse) -> StoreCall,
        cx: &mut Cx<'_>,
    ) -> Option<StoreReply> {
        match self.whose.hear(&heard, cx) {
            Some(Ok(purse)) => {
                self.purse = Some(purse.clone());
                self.recovery.begin(purse, cx);
            }
            Some(Err(problem)) => problem.end(cx.fx),
            None if self.recovery.hear(&heard, cx) => {
                // Where they cannot be settled the ledger says what it knows without them.
                while self.recovery.news().is_some() {}
                if self.recovery.is_idle() && self.asked.is_none() {
                    self.asked = self.purse.take().map(|purse| cx.store(Owner::Caller, question(purse)));
                }
            }
            None => {
                let Heard::Stored(ticket, result) = heard else { return None };
                if self.asked != Some(ticket) {
                    return None;
                }
                match result {
                    Ok(reply) => return Some(reply),
                    Err(failure) => Problem::of_store(&failure).end(cx.fx),
                }
            }
        }
        None
    }
}

#[derive(Debug)]
pub struct Whose {
    service: Option<Service>,
    known: Option<Ticket>,
    me: Option<CallId>,
}

impl Whose {
    pub fn new(profile: &Profile) -> Whose {
        Whose { service: profile.workspace.clone(), known: None, me: None }
    }

    pub fn start(&mut self, cx: &mut Cx<'_>) -> Result<(), Problem> {
        let service = self.service.as_ref().ok_or_else(|| Problem::no_key(Source::Workspace))?;
        self.known = Some(cx.store(Owner::Caller, StoreCall::Known { key: service.key.clone() }));
        Ok(())
    }

    /// The purse, once it is known. None while it is not, or when it was somebody else's answer.
    pub fn hear(&mut self, heard: &Heard, cx: &mut Cx<'_>) -> Option<Result<Purse, Problem>> {
        match heard {
            Heard::Stored(ticket, result) if self.known == Some(*ticket) => {
                self.known = None;
                match result {
                    Ok(StoreReply::Known(Some((purse, _)))) => Some(Ok(purse.clone())),
                    Ok(_) => {
                        self.me = Some(cx.ask(Owner::Caller, Call::Me, Priority::Person));
                        None
                    }
                    Err(failure) => Some(Err(Problem::of_store(failure))),
                }
            }
            Heard::Reply(id, _, result) if self.me == Some(*id) => {
                self.me = None;
                match result {
                    Ok(Reply::Me(account)) => {
                        let service = self.service.as_ref()?;
                        let purse = Purse { origin: service.origin.clone(), org: account.org_id.clone() };
                        let know = StoreCall::Know {
                            key: service.key.clone(),
                            purse: purse.clone(),
                            account: account.clone(),
                        };
                        cx.store(Owner::Memory, know);
                        Some(Ok(purse))
                    }
                    Ok(_) => None,
                    Err(failure) => Some(Err(Problem::of_call(Source::Workspace, failure))),
                }
            }
            _ => None,
        }
    }
}
