//! The parts of a session as screens and scripts see them: they read every part, and change one only by what is named here.

use std::path::PathBuf;
use std::time::Duration;

use crate::effect::files::{ExportTarget, FileCall};
use crate::effect::profile::Profile;
use crate::effect::store::StoreCall;
use crate::effect::{Effect, Ticket};
use crate::flow::choose::Taste;
use crate::flow::desk::{Cx, Desk, Owner};
use crate::flow::export::{Exports, From, JobId};
use crate::flow::matching::{Matching, Wanted};
use crate::flow::own::{OwnId, OwnJobs};
use crate::flow::saved::glance::Glance;
use crate::flow::saved::{Change, Refused, Shelf, Told};
use lode_core::contact::{Corpus, Source};
use lode_core::money::Caps;
use lode_core::owned::Owned;
use lode_core::purse::PurseRef;
use lode_core::query::Query;
use lode_core::row::Row;
use lode_core::time::Now;

use super::Session;

impl Session {
    pub fn profile(&self) -> &Profile {
        &self.profile
    }

    pub fn set_caps(&mut self, caps: Caps) {
        self.profile.caps = caps;
    }

    /// Whether a service is configured at all.
    pub fn has(&self, source: Source) -> bool {
        match source {
            Source::Workspace => self.profile.workspace.is_some(),
            Source::Data => self.profile.data.is_some(),
        }
    }

    pub fn desk(&self) -> &Desk {
        &self.desk
    }

    /// How long the service asks the Workspace key to wait. `None` where it does not ask.
    pub fn asked_to_wait(&self, now: Now) -> Option<Duration> {
        self.desk.gauge(Source::Workspace, now).paused.map(|paused| paused.left(now.mono))
    }

    /// How long an unlock of a shell command waits in total for the end of a 429.
    pub fn limit_unlock_wait(&mut self, most: Duration) {
        self.desk.limit_unlock_wait(most);
    }

    /// Whether the Workspace key has to be silent for a while.
    pub fn is_paused(&self, now: Now) -> bool {
        self.desk.gauge(Source::Workspace, now).paused.is_some()
    }

    /// What a machine outside of the session asks with.
    pub fn cx<'a>(&'a mut self, now: Now, fx: &'a mut Vec<Effect>) -> Cx<'a> {
        self.desk.at(now, fx)
    }

    /// Asks the store for the caller.
    pub fn store(&mut self, call: StoreCall, fx: &mut Vec<Effect>) -> Ticket {
        self.desk.store(Owner::Caller, call, fx)
    }

    /// Asks for a file for the caller.
    pub fn file(&mut self, call: FileCall, fx: &mut Vec<Effect>) -> Ticket {
        self.desk.file(Owner::Caller, call, fx)
    }

    /// Reads how long the pages of each service are.
    pub fn ask_pages(&mut self, fx: &mut Vec<Effect>) {
        self.desk.ask_pages(fx);
    }

    /// Remembers where the person stands.
    pub fn keep_place(&mut self, profile: String, text: String, fx: &mut Vec<Effect>) {
        self.desk.store(Owner::Memory, StoreCall::Place { profile, text }, fx);
    }

    pub fn taste(&self) -> &Taste {
        &self.taste
    }

    pub fn limit_per_company(&mut self, limit: Option<u32>) {
        self.taste.per_company = limit;
    }

    /// A caller that read the owned contacts itself passes them on to the score.
    pub fn score_owned(&mut self, owned: &[Owned]) {
        self.taste.know_owned(1, owned.iter());
    }

    pub fn exports(&self) -> &Exports {
        &self.exports
    }

    pub fn export(&mut self, what: String, from: From, to: ExportTarget, now: Now, fx: &mut Vec<Effect>) -> JobId {
        self.exports.begin(what, from, to, &mut self.desk.at(now, fx))
    }

    /// Ends an export and keeps what was written, if that is wanted. Answers whether it ran.
    pub fn stop_export(&mut self, id: JobId, keep: bool, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.exports.stop(id, keep, &mut self.desk.at(now, fx))
    }

    pub fn retry_export(&mut self, id: JobId, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.exports.retry(id, &mut self.desk.at(now, fx))
    }

    /// Takes the exports that ended since this was last called.
    pub fn take_ended_exports(&mut self) -> Vec<JobId> {
        self.exports.ended()
    }

    pub fn own_jobs(&self) -> &OwnJobs {
        &self.own
    }

    /// Runs a command of the person's own on these rows.
    pub fn run_own(&mut self, name: String, words: Vec<String>, rows: &[Row], now: Now, fx: &mut Vec<Effect>) -> OwnId {
        self.own.begin(name, words, rows, &mut self.desk.at(now, fx))
    }

    pub fn stop_own(&mut self, id: OwnId, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.own.stop(id, &mut self.desk.at(now, fx))
    }

    pub fn retry_own(&mut self, id: OwnId, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.own.retry(id, &mut self.desk.at(now, fx))
    }

    /// Takes the commands that ended since this was last called.
    pub fn take_ended_own(&mut self) -> Vec<OwnId> {
        self.own.ended()
    }

    pub fn matching(&self) -> &Matching {
        &self.matching
    }

    /// Reads a list of accounts, to match it with what a search returns.
    pub fn open_match(
        &mut self,
        list: PathBuf,
        query: Query,
        per: usize,
        purse: PurseRef,
        now: Now,
        fx: &mut Vec<Effect>,
    ) {
        self.matching.open(list, query, per, purse, &mut self.desk.at(now, fx));
    }

    /// Begins to read what is known of these accounts already. A job before it is dropped.
    pub fn begin_match(&mut self, wanted: Wanted, purse: PurseRef, now: Now, fx: &mut Vec<Effect>) {
        self.matching.begin(wanted, purse, &mut self.desk.at(now, fx));
    }

    pub fn run_match(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.matching.go(&mut self.desk.at(now, fx));
    }

    pub fn repeat_match(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.matching.again(&mut self.desk.at(now, fx));
    }

    pub fn stop_match(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.matching.stop(&mut self.desk.at(now, fx));
    }

    pub fn forget_match(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.matching.forget(&mut self.desk.at(now, fx));
    }

    /// Looks for a contact of the Data API at the Workspace, free. False where too little is known of it.
    pub fn look_at_match(&mut self, corpus: Corpus, row: &Row, now: Now, fx: &mut Vec<Effect>) -> bool {
        self.matching.look(corpus, row, &mut self.desk.at(now, fx))
    }

    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    pub fn load_saved(&mut self, now: Now, fx: &mut Vec<Effect>) {
        self.shelf.load(&mut self.desk.at(now, fx));
    }

    pub fn change_saved(&mut self, change: Change, now: Now, fx: &mut Vec<Effect>) -> Result<(), Refused> {
        self.shelf.change(change, &mut self.desk.at(now, fx))
    }

    pub fn replace_saved(&mut self, name: &str, query: Query, now: Now, fx: &mut Vec<Effect>) -> Result<(), Refused> {
        self.shelf.replace(name, query, &mut self.desk.at(now, fx))
    }

    /// A saved search ran and found so many.
    pub fn note_run(&mut self, name: &str, total: u64, now: Now, fx: &mut Vec<Effect>) {
        self.shelf.ran(name, total, &mut self.desk.at(now, fx));
    }

    /// Takes what the saved searches have to tell.
    pub fn told_of_saved(&mut self) -> Vec<Told> {
        self.shelf.told()
    }

    pub fn glance(&self) -> &Glance {
        &self.glance
    }

    pub fn leave_glance(&mut self) {
        self.glance.leave();
    }
}
