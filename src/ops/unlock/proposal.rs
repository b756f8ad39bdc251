//! An unlock for an assistant: the ids, the amount and how to verify come from the proposal, as a person accepted it.

use crate::ops::output::Format;
use crate::ops::program::Run;
use crate::ops::purse_lookup::PurseLookup;
use crate::ops::say::Problem;
use crate::ops::unlock::UnlockArgs;
use lode_core::credits::Credits;
use lode_engine::effect::profile::Profile;
use lode_engine::effect::store::{Handle, NotGranted, Proposal, ProposalState, StoreCall, StoreReply};
use lode_engine::flow::desk::Heard;
use lode_engine::flow::retry::SHELL_PATIENCE;
use lode_engine::flow::session::{Event, Subject};
use lode_engine::flow::unlock::quote::Choice;

use super::ends::not_granted;
use super::{Stage, Unlock};

impl Unlock {
    /// The order of a proposal. Everything else about it is in the ledger.
    pub fn of_proposal(profile: &Profile, handle: Handle) -> Unlock {
        let args = UnlockArgs {
            corpus: None,
            max_credits: Credits::ZERO,
            no_verify: false,
            allow_unchecked: false,
            per_company: None,
            dry_run: false,
            // A client gives up on a call that is silent for a minute.
            max_wait: SHELL_PATIENCE.as_secs(),
            ids: Vec::new(),
        };
        let mut unlock = Unlock::new(&args, Vec::new(), Format::Json);
        unlock.handle = Some(handle);
        unlock.lookup = Some(PurseLookup::new(profile));
        unlock
    }

    pub(super) fn find_proposal(&mut self, run: &mut Run<'_>) {
        self.stage = Stage::PurseLookup;
        if let Some(Err(problem)) = self.lookup.as_mut().map(|lookup| lookup.start(run)) {
            self.fail(&problem, run);
        }
    }

    /// Takes what belongs to finding the proposal, and hands back everything else.
    pub(super) fn hear_proposal(&mut self, event: Event, run: &mut Run<'_>) -> Option<Event> {
        match (&self.stage, event) {
            (Stage::PurseLookup, Event::Answered(heard)) => {
                match self.lookup.as_mut().and_then(|lookup| lookup.hear(&heard, run)) {
                    Some(Ok(purse)) => {
                        let handle = self.handle.clone()?;
                        self.stage = Stage::Proposal(run.store(StoreCall::ProposalOf { purse, handle }));
                    }
                    Some(Err(problem)) => self.fail(&problem, run),
                    None => {}
                }
                None
            }
            (Stage::Proposal(asked), Event::Answered(Heard::Stored(ticket, result))) if *asked == ticket => {
                match result {
                    Ok(StoreReply::Proposals(found)) => match found.into_iter().next() {
                        Some(proposal) => self.begin_proposal(proposal, run),
                        None => self.fail(&not_granted(NotGranted::NoSuch), run),
                    },
                    Ok(_) => {}
                    Err(failure) => self.fail(&Problem::of_store(&failure), run),
                }
                None
            }
            (_, event) => Some(event),
        }
    }

    /// What is read here only chooses the words: whether the handle holds is decided when the first batch is written down.
    fn begin_proposal(&mut self, proposal: Proposal, run: &mut Run<'_>) {
        let (rows, amount, verify) = match proposal.state {
            ProposalState::Accepted { amount, ids, verify } => {
                let rows = proposal.rows.into_iter().filter(|row| ids.contains(&row.id)).collect();
                (rows, amount, verify)
            }
            ProposalState::Waiting => (proposal.rows, proposal.ceiling, proposal.verify),
            ProposalState::Declined => return self.fail(&not_granted(NotGranted::Declined), run),
            ProposalState::Expired => return self.fail(&not_granted(NotGranted::Expired), run),
            ProposalState::Used(_) => return self.fail(&not_granted(NotGranted::Used), run),
        };
        (self.corpus, self.max_credits, self.verify) = (proposal.corpus, amount, verify);
        self.stage = Stage::Review;
        let choice = Choice { verify, ..Choice::default() };
        run.session.review(Subject::Rows(proposal.corpus, rows.into()), choice, run.now, run.fx);
    }
}
