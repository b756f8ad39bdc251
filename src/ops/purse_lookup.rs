//! Whose books are meant, and what they say: the purse behind the key. The store remembers it, so that what we own can be
//! listed without a network; only for a key it has never seen is `/me` asked.

use super::problem::CommandProblem;
use super::program::Run;
use lode_core::{Origin, Purse, Source};
use lode_engine::effect::{Call, CallId, Profile, Reply, ServiceProfile, StoreCall, StoreReply, Ticket};
use lode_engine::flow::desk::{Arrival, Owner};
use lode_engine::flow::session::Event;

/// One question to the ledger of a purse. Answers that were kept and not read yet settle before it is asked, for free, unless
/// they have nothing to do with it.
pub struct Books {
    lookup: PurseLookup,
    question: Box<dyn Fn(Purse) -> StoreCall>,
    /// Whether kept answers settle before the question is asked.
    settles: bool,
    purse: Option<Purse>,
    asked: Option<Ticket>,
}

impl Books {
    pub fn new(profile: &Profile, question: impl Fn(Purse) -> StoreCall + 'static) -> Books {
        let lookup = PurseLookup::new(profile);
        Books { lookup, question: Box::new(question), settles: true, purse: None, asked: None }
    }

    /// The same for what no kept answer changes: asked as soon as the purse is known.
    pub fn at_once(self) -> Books {
        Books { settles: false, ..self }
    }

    pub fn start(&mut self, run: &mut Run<'_>) {
        if let Err(problem) = self.lookup.start(run) {
            problem.end(run.fx);
        }
    }

    /// What the ledger answers, once it does. Where it cannot be read that is told here, and ends the script.
    pub fn handle(&mut self, event: Event, run: &mut Run<'_>) -> Option<StoreReply> {
        let Event::Answered(arrival) = event else { return None };
        match (self.lookup.handle(&arrival, run), arrival) {
            (Some(Ok(purse)), _) if !self.settles => self.ask(purse, run),
            (Some(Ok(purse)), _) => {
                run.session.settle_kept(purse.clone(), run.now, run.fx);
                self.purse = Some(purse);
            }
            (Some(Err(problem)), _) => problem.end(run.fx),
            (None, Arrival::Stored(ticket, Ok(reply))) if self.asked == Some(ticket) => return Some(reply),
            (None, Arrival::Stored(ticket, Err(failure))) if self.asked == Some(ticket) => {
                CommandProblem::of_store(&failure).end(run.fx);
            }
            _ => {}
        }
        None
    }

    /// Where the kept answers cannot be settled the ledger says what it knows without them.
    pub fn advance(&mut self, run: &mut Run<'_>) {
        if run.session.recovery().is_idle()
            && let Some(purse) = self.purse.take()
        {
            self.ask(purse, run);
        }
    }

    /// Asks where the purse is known.
    pub fn ask(&mut self, purse: Purse, run: &mut Run<'_>) {
        self.asked = Some(run.store((self.question)(purse)));
    }
}

#[derive(Debug)]
pub struct PurseLookup {
    service: Option<ServiceProfile>,
    origin: Option<Origin>,
    known: Option<Ticket>,
    me: Option<CallId>,
}

impl PurseLookup {
    pub fn new(profile: &Profile) -> PurseLookup {
        let origin = profile.workspace.as_ref().map(|service| profile.purse_origin(service));
        PurseLookup { service: profile.workspace.clone(), origin, known: None, me: None }
    }

    pub fn start(&mut self, run: &mut Run<'_>) -> Result<(), CommandProblem> {
        let none = || CommandProblem::no_key(Source::Workspace);
        let service = self.service.as_ref().ok_or_else(none)?;
        let (origin, key) = (self.origin.clone().ok_or_else(none)?, service.key.clone());
        self.known = Some(run.store(StoreCall::Known { origin, key }));
        Ok(())
    }

    /// The purse, once it is known. `None` until then, or for the response of another request.
    pub fn handle(&mut self, arrival: &Arrival, run: &mut Run<'_>) -> Option<Result<Purse, CommandProblem>> {
        match arrival {
            Arrival::Stored(ticket, result) if self.known == Some(*ticket) => {
                self.known = None;
                match result {
                    Ok(StoreReply::Known(Some((purse, ..)))) => Some(Ok(purse.clone())),
                    Ok(_) => {
                        self.me = Some(run.ask(Call::Me));
                        None
                    }
                    Err(failure) => Some(Err(CommandProblem::of_store(failure))),
                }
            }
            Arrival::Reply(id, _, result) if self.me == Some(*id) => {
                self.me = None;
                match result {
                    Ok(Reply::Me(account)) => {
                        let service = self.service.as_ref()?;
                        let purse = Purse::of_org(self.origin.clone()?, &account.org_id);
                        let know = StoreCall::Know {
                            key: service.key.clone(),
                            purse: purse.clone(),
                            account: account.clone(),
                        };
                        run.cx().store(Owner::Memory, know);
                        Some(Ok(purse))
                    }
                    Ok(_) => None,
                    Err(failure) => Some(Err(CommandProblem::of_call(Source::Workspace, failure))),
                }
            }
            _ => None,
        }
    }
}
