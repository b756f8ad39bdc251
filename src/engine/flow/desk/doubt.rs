//! What the desk learns of a service: what a refused search is about, where its status does not say.
//! `/me` tells whether the key works and what it may do.
//!
//! The Workspace API shows no status for a bad key or a missing scope, and a key that worked can be revoked or lose a scope at any
//! moment. So a refused search waits for one reading of `/me`.

use crate::effect::call::{Call, Reply};
use crate::effect::failure::{Failure, Refusal};
use crate::effect::{CallId, Effect};
use crate::flow::limiter::Priority;
use lode_core::contact::Source;
use lode_core::time::Now;

use super::{Desk, Heard, Owner};

/// A refused search that waits for `/me`.
#[derive(Clone, Debug)]
pub(super) struct Doubted {
    owner: Owner,
    pub(super) id: CallId,
    call: Call,
    failure: Failure,
}

impl Desk {
    /// Learns from an answer what the key may do.
    pub(super) fn learn_scopes(&mut self, call: &Call, result: &Result<Reply, Failure>) {
        match (call, result) {
            (_, Ok(Reply::Me(account))) => self.may_search = Some(account.may_search()),
            (Call::Me, Err(Failure::Refused { why: Refusal::Key, .. })) => self.may_search = None,
            (Call::Search(search), Ok(_)) if search.query.side.source == Source::Workspace => {
                self.may_search = Some(true);
            }
            _ => {}
        }
    }

    /// What the flows hear of a call that came to its end; `None` while it waits for `/me`.
    pub(super) fn heard(
        &mut self,
        owner: Owner,
        id: CallId,
        call: Call,
        result: Result<Reply, Failure>,
        now: Now,
        fx: &mut Vec<Effect>,
    ) -> Option<(Owner, Heard)> {
        self.learn_scopes(&call, &result);
        if self.doubting.take_if(|doubting| *doubting == id).is_some() {
            self.settle_doubts(&result);
            return None;
        }
        match result {
            Err(failure) if may_be_about_the_key(&call, &failure) => {
                if self.may_search == Some(false) {
                    return Some((owner, Heard::Reply(id, call, Err(settled(failure, false)))));
                }
                self.doubted.push(Doubted { owner, id, call, failure });
                if self.doubting.is_none() {
                    self.doubting = Some(self.ask(owner, Call::Me, Priority::Person, now, fx));
                }
                None
            }
            result => Some((owner, Heard::Reply(id, call, result))),
        }
    }

    /// What was given up without an answer; a `/me` of the desk's own is not for the flows.
    pub(super) fn tell_failed(&mut self, now: Now, fx: &mut Vec<Effect>) -> Vec<(Owner, Heard)> {
        let mut heard = Vec::new();
        while let Some(failed) = self.failed.pop_front() {
            match failed {
                (owner, Heard::Reply(id, call, result)) if self.doubting == Some(id) => {
                    self.heard(owner, id, call, result, now, fx);
                }
                failed => heard.push(failed),
            }
        }
        heard
    }

    fn settle_doubts(&mut self, me: &Result<Reply, Failure>) {
        for Doubted { owner, id, call, failure } in std::mem::take(&mut self.doubted) {
            let failure = match me {
                Ok(Reply::Me(account)) => settled(failure, account.may_search()),
                Err(refused @ Failure::Refused { why: Refusal::Key | Refusal::Address, .. }) => refused.clone(),
                _ => failure,
            };
            self.failed.push_back((owner, Heard::Reply(id, call, Err(failure))));
        }
    }
}

fn may_be_about_the_key(call: &Call, failure: &Failure) -> bool {
    let Call::Search(search) = call else { return false };
    search.query.side.source == Source::Workspace
        && matches!(failure, Failure::Refused { why, .. } if !matches!(why, Refusal::Redirect | Refusal::Credits))
}

fn settled(failure: Failure, may: bool) -> Failure {
    match failure {
        Failure::Refused { status, why, words } => Failure::Refused { status, why: why.settled(status, may), words },
        other => other,
    }
}
