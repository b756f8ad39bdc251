//! `lode basket earlier --assign`: puts what an earlier version put aside into the basket of the workspace in use.

use super::problem::{CommandProblem, Exit};
use super::program::{Run, Script};
use super::purse_lookup::Books;
use lode_core::{PurseRef, Side, Source, counted};
use lode_engine::effect::{Effect, Profile, StoreCall, StoreReply};
use lode_engine::flow::session::Event;

pub(super) struct Assign {
    source: Source,
    data: Option<PurseRef>,
    books: Books,
}

impl Assign {
    pub(super) fn new(profile: &Profile, side: Side) -> Assign {
        let name = profile.name.clone();
        let books = Books::new(profile, move |purse| StoreCall::Assign { profile: name.clone(), purse });
        Assign { source: side.source, data: profile.purse_of(Source::Data), books: books.at_once() }
    }
}

impl Script for Assign {
    fn start(&mut self, run: &mut Run<'_>) {
        match (self.source, self.data.clone()) {
            (Source::Workspace, _) => self.books.start(run),
            (Source::Data, Some(PurseRef::Known(purse))) => self.books.ask(purse, run),
            (Source::Data, _) => CommandProblem::no_key(Source::Data).end(run.fx),
        }
    }

    fn handle(&mut self, event: Event, run: &mut Run<'_>) {
        let Some(StoreReply::Assigned(moved)) = self.books.handle(event, run) else { return };
        let words = format!("added {} to the basket. Nothing spent.", counted(moved, "contact"));
        run.fx.push(Effect::Warn(words));
        run.fx.push(Effect::Quit(Exit::Done.code()));
    }
}
