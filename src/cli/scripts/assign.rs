//! `lode basket earlier --assign`: puts what an earlier version put aside into the basket of the workspace in use.

use crate::cli::exit::Exit;
use crate::cli::program::{Run, Script};
use crate::cli::say::Problem;
use crate::domain::contact::{Side, Source};
use crate::domain::credits::counted;
use crate::domain::purse::{Purse, PurseRef};
use crate::effect::profile::Profile;
use crate::effect::store::{StoreCall, StoreReply};
use crate::effect::{Effect, Ticket};
use crate::flow::desk::Heard;
use crate::flow::session::Event;

use super::purse_lookup::PurseLookup;

pub struct Assign {
    profile: String,
    source: Source,
    data: Option<PurseRef>,
    lookup: PurseLookup,
    asked: Option<Ticket>,
}

impl Assign {
    pub fn new(profile: &Profile, side: Side) -> Assign {
        let data = profile.purse_of(Source::Data);
        Assign {
            profile: profile.name.clone(),
            source: side.source,
            data,
            lookup: PurseLookup::new(profile),
            asked: None,
        }
    }

    fn to(&mut self, purse: Purse, run: &mut Run<'_>) {
        let call = StoreCall::Assign { profile: self.profile.clone(), purse };
        self.asked = Some(run.store(call));
    }
}

impl Script for Assign {
    fn start(&mut self, run: &mut Run<'_>) {
        match (self.source, self.data.clone()) {
            (Source::Workspace, _) => {
                if let Err(problem) = self.lookup.start(run) {
                    problem.end(run.fx);
                }
            }
            (Source::Data, Some(PurseRef::Known(purse))) => self.to(purse, run),
            (Source::Data, _) => Problem::no_key(Source::Data).end(run.fx),
        }
    }

    fn hear(&mut self, event: Event, run: &mut Run<'_>) {
        let Event::Answered(heard) = event else { return };
        match self.lookup.hear(&heard, run) {
            Some(Ok(purse)) => return self.to(purse, run),
            Some(Err(problem)) => return problem.end(run.fx),
            None => {}
        }
        let Heard::Stored(ticket, result) = heard else { return };
        if self.asked != Some(ticket) {
            return;
        }
        match result {
            Ok(StoreReply::Assigned(moved)) => {
                let words = format!("added {} to the basket. Nothing spent.", counted(moved, "contact"));
                run.fx.push(Effect::Warn(words));
                run.fx.push(Effect::Quit(Exit::Done.code()));
            }
            Ok(_) => {}
            Err(failure) => Problem::of_store(&failure).end(run.fx),
        }
    }
}
