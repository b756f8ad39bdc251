//! Whose books are meant: the purse behind the key. The store remembers it, so that what we own can be listed without a
//! network; only for a key it has never seen is `/me` asked.

use crate::cli::say::Problem;
use crate::domain::contact::Source;
use crate::domain::money::Purse;
use crate::domain::time::Now;
use crate::effect::call::{Call, Reply};
use crate::effect::profile::{Profile, Service};
use crate::effect::store::{StoreCall, StoreReply};
use crate::effect::{CallId, Effect, Ticket};
use crate::flow::desk::{Desk, Heard};
use crate::flow::limiter::Priority;

#[derive(Debug)]
pub struct Whose {
    service: Option<Service>,
    known: Option<Ticket>,
    me: Option<CallId>,
}

impl Whose {
    #[must_use]
    pub fn new(profile: &Profile) -> Whose {
        Whose { service: profile.workspace.clone(), known: None, me: None }
    }

    pub fn start(&mut self, desk: &mut Desk, fx: &mut Vec<Effect>) -> Result<(), Problem> {
        let service = self.service.as_ref().ok_or_else(|| Problem::no_key(Source::Workspace))?;
        self.known = Some(desk.store(StoreCall::Known { key: service.key.clone() }, fx));
        Ok(())
    }

    /// The purse, once it is known. None while it is not, or when it was somebody else's answer.
    pub fn hear(
        &mut self,
        heard: &Heard,
        desk: &mut Desk,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Option<Result<Purse, Problem>> {
        match heard {
            Heard::Stored(ticket, result) if self.known == Some(*ticket) => {
                self.known = None;
                match result {
                    Ok(StoreReply::Known(Some((purse, _)))) => Some(Ok(purse.clone())),
                    Ok(_) => {
                        self.me = Some(desk.ask(Call::Me, Priority::Person, now, fx));
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
                        desk.store(know, fx);
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
