//! What the desk learns of a service: what a refused search is about, where its status does not say.
//! `/me` tells whether the key works and what it may do.
//!
//! The Workspace API shows no status for a bad key or a missing scope. Until `/me` has told what the key may do, a refused search
//! waits for one reading of `/me`; after that it is known.

use crate::domain::contact::Source;
use crate::domain::time::Now;
use crate::effect::call::{Call, Reply};
use crate::effect::failure::{Failure, Refusal};
use crate::effect::{CallId, Effect};
use crate::flow::limiter::Priority;

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
            self.settle_doubts(result.err());
            return None;
        }
        match result {
            Err(failure) if may_be_about_the_key(&call, &failure) && self.may_search != Some(true) => {
                if self.may_search == Some(false) {
                    return Some((owner, Heard::Reply(id, call, Err(of_scope(failure)))));
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

    fn settle_doubts(&mut self, of_me: Option<Failure>) {
        for Doubted { owner, id, call, failure } in std::mem::take(&mut self.doubted) {
            let failure = match &of_me {
                Some(refused @ Failure::Refused { why: Refusal::Key, .. }) => refused.clone(),
                None if self.may_search == Some(false) => of_scope(failure),
                _ => failure,
            };
            self.failed.push_back((owner, Heard::Reply(id, call, Err(failure))));
        }
    }
}

fn may_be_about_the_key(call: &Call, failure: &Failure) -> bool {
    let Call::Search(search) = call else { return false };
    let about = |why: &Refusal| matches!(why, Refusal::Key | Refusal::Address | Refusal::Request);
    search.query.side.source == Source::Workspace
        && matches!(failure, Failure::Refused { status: 400..500, why, .. } if about(why))
}

fn of_scope(failure: Failure) -> Failure {
    match failure {
        Failure::Refused { status, words, .. } => Failure::Refused { status, why: Refusal::Scope, words },
        other => other,
    }
}
